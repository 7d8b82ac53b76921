/* process.c - starting programs and reading what they say. */
#include <config.h>

#include "guest/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "run/ticker.h"

#define OUTPUT_LIMIT 65536
/* More files than that are never asked for. */
#define FILES_LIMIT 65536

extern char **environ;

static void
redirect(posix_spawn_file_actions_t *actions, int from, int to)
{
	if (from >= 0)
		posix_spawn_file_actions_adddup2(actions, from, to);
	else
		posix_spawn_file_actions_addopen(actions, to, "/dev/null",
			O_RDWR, 0);
}

/* Signals as a fresh program expects them: none blocked, none ignored. */
static void
set_attributes(posix_spawnattr_t *attributes)
{
	sigset_t signals;

	posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP |
						     POSIX_SPAWN_SETSIGDEF |
						     POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setpgroup(attributes, 0);
	sigfillset(&signals);
	posix_spawnattr_setsigdefault(attributes, &signals);
	sigemptyset(&signals);
	posix_spawnattr_setsigmask(attributes, &signals);
}

struct fx_error *
fx_process_spawn(const struct fx_spawn *spawn, pid_t *pid_ret)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int failed;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	set_attributes(&attributes);
	redirect(&actions, -1, 0);
	redirect(&actions, spawn->out, 1);
	redirect(&actions, spawn->err, 2);
	if (spawn->keep >= 0) /* onto itself: clears close-on-exec */
		posix_spawn_file_actions_adddup2(&actions, spawn->keep,
			spawn->keep);
	failed = posix_spawnp(pid_ret, spawn->argv[0], &actions, &attributes,
		(char *const *)(uintptr_t)spawn->argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	if (failed)
		return fx_error_new(FX_ERR_CHILD, "cannot start %s: %s",
			spawn->argv[0], strerror(failed));
	return NULL;
}

char *
fx_process_find(const char *name)
{
	const char *folders = getenv("PATH");

	if (strchr(name, '/'))
		return access(name, X_OK) == 0 ? fx_xstrdup(name) : NULL;
	while (folders && *folders) {
		size_t length = strcspn(folders, ":");
		FX_AUTO_FREE char *path = fx_xasprintf("%.*s%s%s", (int)length,
			folders, length ? "/" : "./", name);

		if (access(path, X_OK) == 0)
			return FX_TAKE(path);
		folders += length + (folders[length] == ':');
	}
	return NULL;
}

/* Read FD to its end; false when that is not before the DEADLINE. */
static bool
read_all(int fd, long long deadline, struct fx_buf *out)
{
	char chunk[4096];

	for (;;) {
		struct pollfd wait = { .fd = fd, .events = POLLIN };
		long long left = deadline - fx_clock_ms();
		ssize_t size;

		if (left <= 0)
			return false;
		if (poll(&wait, 1, (int)left) <= 0)
			continue;
		size = read(fd, chunk, sizeof(chunk));
		if (size < 0 && errno == EINTR)
			continue;
		if (size <= 0)
			return true;
		if (out->length < OUTPUT_LIMIT)
			fx_buf_add_n(out, chunk, (size_t)size);
	}
}

/* The wait status of PID, which is killed at the DEADLINE; false then. */
static bool
wait_for(pid_t pid, long long deadline, int *status_ret)
{
	while (waitpid(pid, status_ret, WNOHANG) == 0) {
		if (fx_clock_ms() < deadline) {
			poll(NULL, 0, 1);
			continue;
		}
		kill(-pid, SIGKILL);
		while (waitpid(pid, status_ret, 0) < 0 && errno == EINTR)
			;
		return false;
	}
	return true;
}

/* Run ARGV and append what it printed to TEXT, with its error messages if
 * ERRORS.  Returns an error if the process failed or took longer than
 * TIMEOUT_MS.
 */
static struct fx_error *
run(const char *const *argv, int timeout_ms, bool errors, struct fx_buf *text)
{
	long long deadline = fx_clock_ms() + timeout_ms;
	FX_AUTO_FREE char *ended = NULL;
	struct fx_error *err;
	int ends[2], status = 0;
	bool complete;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return fx_process_no_file("pipe", errno);
	err = fx_process_spawn(&(struct fx_spawn){ argv, ends[1],
				       errors ? ends[1] : -1, -1 },
		&pid);
	close(ends[1]);
	if (err) {
		close(ends[0]);
		return err;
	}
	complete = read_all(ends[0], deadline, text);
	close(ends[0]);
	if (!complete)
		kill(-pid, SIGKILL);
	/* A process that closed its output may still be running. */
	if (!wait_for(pid, deadline, &status) || !complete)
		return fx_error_new(FX_ERR_CHILD,
			"%s did not answer within %d ms", argv[0], timeout_ms);
	ended = fx_process_status_text(status);
	if (status)
		return fx_error_new(FX_ERR_CHILD, "%s ended with %s", argv[0],
			ended);
	return NULL;
}

struct fx_error *
fx_process_output(const char *const *argv, int timeout_ms, char **text_ret)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_error *err = run(argv, timeout_ms, false, &text);

	if (!err)
		*text_ret = fx_buf_take(&text);
	return err;
}

struct fx_error *
fx_process_messages(const char *const *argv, int timeout_ms, char **text_ret)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_error *err = run(argv, timeout_ms, true, &text);

	*text_ret = fx_buf_take(&text);
	return err;
}

char *
fx_process_status_text(int status)
{
	if (WIFSIGNALED(status))
		return fx_xasprintf("signal %d (%s)", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	return fx_xasprintf("exit status %d", WEXITSTATUS(status));
}

/* --- descriptors ---------------------------------------------------------- */

void
fx_process_make_room(pid_t pid, int newest)
{
	struct rlimit limit;
	rlim_t most;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 ||
		(rlim_t)newest < limit.rlim_cur / 2)
		return;
	most = FX_MIN(limit.rlim_max, (rlim_t)FILES_LIMIT);
	if (most <= limit.rlim_cur)
		return;
	limit.rlim_cur = most;
	setrlimit(RLIMIT_NOFILE, &limit);
	prlimit(pid, RLIMIT_NOFILE, &limit, NULL);
}

struct fx_error *
fx_process_no_file(const char *what, int number)
{
	struct fx_error *err = fx_error_new(FX_ERR_IO, "cannot make a %s: %s",
		what, strerror(number));

	if (number != EMFILE && number != ENFILE)
		return err;
	return fx_error_hint(err,
		"each graph that was traced keeps two files open: close those "
		"that are not needed, or raise \"ulimit -n\"");
}

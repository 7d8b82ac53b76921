/* svg_child.c - running the helper program fxdb-draw.
 *
 * The program is FXDB_DRAW_PROGRAM, or stands beside fxdb (not installed), or
 * in the package's folder of helper programs.
 */
#include <config.h>

#include "draw/svg_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "draw/draw.h"
#include "run/ticker.h"

#ifndef FX_PKGLIBEXECDIR
#define FX_PKGLIBEXECDIR "/usr/libexec/fxdb"
#endif

extern char **environ;

enum {
	TIMEOUT_MS = 10000,
	POLL_MS = 50,       /* how often stop() is asked */
	MESSAGE_MAX = 4096, /* of what it says on standard error */
	OUTPUT_MAX = 1 << 30,
};

struct child {
	pid_t pid;
	int in;  /* socket: we write */
	int out; /* pipe: we read */
	int err;
	size_t written;
	struct fx_buf output;
	struct fx_buf message;
};

int
fx_svg_child_timeout(void)
{
	const char *text = getenv("FXDB_DRAW_TIMEOUT");
	long ms = text ? strtol(text, NULL, 10) : 0;

	return ms > 0 && ms < 1000000 ? (int)ms : TIMEOUT_MS;
}

char *
fx_draw_program(void)
{
	const char *override = getenv("FXDB_DRAW_PROGRAM");
	FX_AUTO_FREE char *beside = fx_file_beside_program("fxdb-draw");

	if (override && *override)
		return fx_xstrdup(override);
	if (beside && access(beside, X_OK) == 0)
		return FX_TAKE(beside);
	return fx_file_installed(FX_PKGLIBEXECDIR "/fxdb-draw");
}

static void
close_if(int *descriptor)
{
	if (*descriptor >= 0)
		close(*descriptor);
	*descriptor = -1;
}

/* Three channels; ENDS gets the child's sides. */
static bool
open_channels(struct child *child, int ends[3])
{
	int pair[2];

	ends[0] = ends[1] = ends[2] = -1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return false;
	child->in = pair[0];
	ends[0] = pair[1];
	if (pipe2(pair, O_CLOEXEC) < 0)
		return false;
	child->out = pair[0];
	ends[1] = pair[1];
	if (pipe2(pair, O_CLOEXEC) < 0)
		return false;
	child->err = pair[0];
	ends[2] = pair[1];
	return fcntl(child->in, F_SETFL, O_NONBLOCK) == 0 &&
	       fcntl(child->out, F_SETFL, O_NONBLOCK) == 0 &&
	       fcntl(child->err, F_SETFL, O_NONBLOCK) == 0;
}

/* Start PROGRAM in a process group of its own, with default signals; 0 or an
 * error number.
 */
static int
spawn(const char *program, const struct fx_svg_job *job, const int ends[3],
	pid_t *pid_ret)
{
	char *argv[] = { (char *)"fxdb-draw", (char *)"-K", (char *)job->engine,
		(char *)"-T", (char *)job->format, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t signals;
	int status;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	for (int i = 0; i < 3; i++)
		posix_spawn_file_actions_adddup2(&actions, ends[i], i);
	sigfillset(&signals);
	posix_spawnattr_setsigdefault(&attributes, &signals);
	sigemptyset(&signals);
	posix_spawnattr_setsigmask(&attributes, &signals);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP |
						      POSIX_SPAWN_SETSIGDEF |
						      POSIX_SPAWN_SETSIGMASK);
	status = posix_spawn(pid_ret, program, &actions, &attributes, argv,
		environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return status;
}

static struct fx_error *
start(struct child *child, const struct fx_svg_job *job)
{
	FX_AUTO_FREE char *program = fx_draw_program();
	struct fx_error *err = NULL;
	int ends[3];
	int status;

	if (!open_channels(child, ends))
		status = errno;
	else
		status = spawn(program, job, ends, &child->pid);
	for (int i = 0; i < 3; i++)
		close_if(&ends[i]);
	if (status) {
		child->pid = 0;
		err = fx_error_hint(fx_error_new(FX_ERR_CHILD,
					    "cannot run %s: %s", program,
					    strerror(status)),
			"draw -o graph.dot needs no Graphviz here");
	}
	return err;
}

static void
send_some(struct child *child, const struct fx_svg_job *job)
{
	ssize_t sent = send(child->in, job->text + child->written,
		job->length - child->written, MSG_NOSIGNAL);

	if (sent > 0)
		child->written += (size_t)sent;
	/* When it no longer reads, its exit status says why. */
	if ((sent < 0 && errno != EAGAIN && errno != EINTR) ||
		child->written == job->length)
		close_if(&child->in);
}

/* Read what is there into BUF, at most LIMIT bytes in all. */
static void
receive_some(int *descriptor, struct fx_buf *buf, size_t limit)
{
	char bytes[65536];
	ssize_t got = read(*descriptor, bytes, sizeof(bytes));

	if (got > 0 && buf->length < limit)
		fx_buf_add_n(buf, bytes, (size_t)got);
	if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
		close_if(descriptor);
}

/* Move bytes both ways until it closes its output or time is up. */
static struct fx_error *
converse(struct child *child, const struct fx_svg_job *job)
{
	long long end = fx_clock_ms() + job->timeout_ms;

	while (child->out >= 0 || child->err >= 0) {
		struct pollfd polled[] = {
			{ .fd = child->in, .events = POLLOUT },
			{ .fd = child->out, .events = POLLIN },
			{ .fd = child->err, .events = POLLIN },
		};
		long long left = end - fx_clock_ms();

		if (left <= 0)
			return fx_error_new(FX_ERR_CHILD,
				"fxdb-draw did not finish in %d.%d s and was "
				"stopped",
				job->timeout_ms / 1000,
				job->timeout_ms % 1000 / 100);
		if (job->stop && job->stop(job->stop_context))
			return fx_error_new(FX_ERR_INTERRUPTED,
				"drawing was interrupted");
		poll(polled, 3, (int)FX_MIN(left, POLL_MS));
		if (polled[0].revents)
			send_some(child, job);
		if (polled[1].revents)
			receive_some(&child->out, &child->output, OUTPUT_MAX);
		if (polled[2].revents)
			receive_some(&child->err, &child->message, MESSAGE_MAX);
	}
	return NULL;
}

/* Wait for the end of the process, until END at most; false if it lives on. */
static bool
reap(struct child *child, long long end, int *status_ret)
{
	struct timespec pause = { .tv_nsec = 1000000 };

	for (;;) {
		pid_t done = waitpid(child->pid, status_ret, WNOHANG);

		if (done == child->pid || (done < 0 && errno == ECHILD)) {
			child->pid = 0;
			return true;
		}
		if (fx_clock_ms() >= end)
			return false;
		nanosleep(&pause, NULL);
	}
}

static struct fx_error *
judge(const struct child *child, int status)
{
	FX_AUTO_BUF struct fx_buf visible = { 0 };
	const char *text = fx_buf_text(&child->message);

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return NULL;
	fx_utf8_add_visible(&visible, text, strcspn(text, "\n"));
	if (WIFSIGNALED(status))
		return fx_error_new(FX_ERR_CHILD,
			"fxdb-draw died of signal %d (%s)%s%s",
			WTERMSIG(status), strsignal(WTERMSIG(status)),
			visible.length ? ": " : "", fx_buf_text(&visible));
	if (visible.length)
		return fx_error_new(FX_ERR_CHILD, "fxdb-draw: %s",
			fx_buf_text(&visible));
	return fx_error_new(FX_ERR_CHILD, "fxdb-draw ended with status %d",
		WEXITSTATUS(status));
}

/* Whatever state CHILD is in: nothing of it is left after. */
static void
end_child(struct child *child)
{
	close_if(&child->in);
	close_if(&child->out);
	close_if(&child->err);
	if (child->pid > 0) {
		kill(-child->pid, SIGKILL);
		kill(child->pid, SIGKILL);
		while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	fx_buf_deinit(&child->output);
	fx_buf_deinit(&child->message);
}

struct fx_error *
fx_svg_child_run(const struct fx_svg_job *job, struct fx_buf *out)
{
	struct child child = { .in = -1, .out = -1, .err = -1 };
	long long end = fx_clock_ms() + job->timeout_ms;
	struct fx_error *err = start(&child, job);
	int status = 0;

	if (!err)
		err = converse(&child, job);
	if (!err && !reap(&child, FX_MAX(end, fx_clock_ms() + 100), &status))
		err = fx_error_new(FX_ERR_CHILD,
			"fxdb-draw closed its output but did not end");
	if (!err)
		err = judge(&child, status);
	if (!err && child.output.length >= OUTPUT_MAX)
		err = fx_error_new(FX_ERR_LIMIT,
			"the picture is larger than 1 GB");
	if (!err)
		fx_buf_add_n(out, child.output.data, child.output.length);
	end_child(&child);
	return err;
}

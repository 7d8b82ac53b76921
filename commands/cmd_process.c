/* cmd_process.c - running a line of the shell.
 *
 * The child has its own process group, so Ctrl-C at the prompt and the child's
 * do not mix; on a terminal it is put in front while it runs.  There is no
 * fork here: the spawned child may stop once because it is not in front yet,
 * and is then continued.
 */
#include <config.h>

#include "commands/cmd_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "commands/front.h"

extern char **environ;

struct process {
	pid_t pid;
	int input; /* where to write, or -1 */
	bool in_front;
	const struct front *front;
};

static FX_NODISCARD struct fx_error *
spawn(const char *line, int input, pid_t *pid_ret)
{
	char shell[] = "/bin/sh";
	char flag[] = "-c";
	FX_AUTO_FREE char *text = fx_xstrdup(line);
	char *argv[] = { shell, flag, text, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t defaults;
	int status;

	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	sigaddset(&defaults, SIGINT);
	sigaddset(&defaults, SIGTTOU);
	sigaddset(&defaults, SIGTTIN);
	posix_spawn_file_actions_init(&actions);
	if (input >= 0)
		posix_spawn_file_actions_adddup2(&actions, input, 0);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes,
		POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	status = posix_spawn(pid_ret, shell, &actions, &attributes, argv,
		environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	if (!status)
		return NULL;
	return fx_error_new(FX_ERR_CHILD, "cannot run /bin/sh: %s",
		strerror(status));
}

/* Put GROUP in front of the terminal; false when there is none. */
static bool
take_terminal(pid_t group)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction saved;
	bool done;

	if (!isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) < 0)
		return false;
	sigaction(SIGTTOU, &ignore, &saved);
	done = tcsetpgrp(STDIN_FILENO, group) == 0;
	sigaction(SIGTTOU, &saved, NULL);
	return done;
}

/* Write what the child takes now; the rest of the input stays. */
static void
feed(struct process *process, const char **input, size_t *length)
{
	struct pollfd wait = { .fd = process->input, .events = POLLOUT };
	ssize_t n;

	if (poll(&wait, 1, 50) <= 0)
		return;
	n = write(process->input, *input, *length);
	if (n > 0) {
		*input += n;
		*length -= (size_t)n;
	}
	if ((n < 0 && errno != EINTR && errno != EAGAIN) || !*length) {
		close(process->input);
		process->input = -1;
	}
}

/* The child's state changed to STATUS; true when it ended. */
static bool
has_ended(struct process *process, int status)
{
	if (!WIFSTOPPED(status))
		return true;
	if (process->in_front)
		take_terminal(process->pid);
	/* Stopped because it was not in front, or by Ctrl-Z: there is no job
	 * control here, so it goes on.
	 */
	kill(-process->pid, SIGCONT);
	return false;
}

static int
wait_for(struct process *process, const char *input, size_t length)
{
	const struct front *front = process->front;
	int status = 0;

	for (;;) {
		bool feeding = process->input >= 0;
		pid_t pid;

		if (feeding)
			feed(process, &input, &length);
		pid = waitpid(process->pid, &status, WUNTRACED | WNOHANG);
		if (pid == process->pid && has_ended(process, status))
			return status;
		if (pid < 0 && errno != EINTR)
			return 0;
		if (!feeding)
			poll(NULL, 0, 5);
		if (front->tick(front->context))
			kill(-process->pid, SIGINT);
	}
}

static FX_NODISCARD struct fx_error *
run(struct cmd_ctx *ctx, const char *line, const char *input, size_t length,
	int *status_ret)
{
	struct process process = { .input = -1, .front = ctx->front };
	pid_t group = getpgrp();
	int ends[2] = { -1, -1 };
	struct fx_error *err;
	int status;

	if (input && pipe2(ends, O_CLOEXEC) < 0)
		return fx_error_new(FX_ERR_CHILD, "cannot make a pipe: %s",
			strerror(errno));
	err = spawn(line, ends[0], &process.pid);
	if (ends[0] >= 0)
		close(ends[0]);
	process.input = ends[1];
	if (err) {
		if (ends[1] >= 0)
			close(ends[1]);
		return err;
	}
	if (process.input >= 0)
		fcntl(process.input, F_SETFL, O_NONBLOCK);
	process.in_front = take_terminal(process.pid);
	status = wait_for(&process, input, length);
	if (process.input >= 0)
		close(process.input);
	if (process.in_front)
		take_terminal(group);
	*status_ret = WIFEXITED(status) ? WEXITSTATUS(status)
					: 128 + WTERMSIG(status);
	return NULL;
}

struct fx_error *
cmd_process_run(struct cmd_ctx *ctx, const char *line, const char *input,
	size_t length, int *status_ret)
{
	struct fx_error *err;

	ctx->front->suspend(ctx->front->context);
	err = run(ctx, line, input, length, status_ret);
	ctx->front->resume(ctx->front->context);
	return err;
}

/* process.c - running a line of the shell.
 *
 * The child has its own process group, so Ctrl-C at the prompt and the child's
 * do not mix; on a terminal it is put in front while it runs.  There is no
 * fork here: the spawned child may stop once because it is not in front yet,
 * and is then continued.
 */
#include <config.h>

#include "commands/shell/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "commands/shell/front.h"
#include "commands/shell/shell.h"
#include "commands/shell/split.h"

extern char **environ;

/* More than this of what a child says is dropped. */
#define OUTPUT_LIMIT ((size_t)64 << 20)

struct process {
	pid_t pid;
	int input;  /* where to write, or -1 */
	int output; /* where to read, or -1 */
	struct fx_buf *said;
	bool in_front;
	const struct front *front;
};

static FX_NODISCARD struct fx_error *
spawn(const char *line, int input, int output, pid_t *pid_ret)
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
	if (output >= 0)
		posix_spawn_file_actions_adddup2(&actions, output, 1);
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

/* Read what the child has said so far. */
static void
drain(struct process *process)
{
	char part[4096];
	ssize_t n;

	while (process->output >= 0 &&
		(n = read(process->output, part, sizeof(part))) > 0)
		if (process->said->length < OUTPUT_LIMIT)
			fx_buf_add_n(process->said, part, (size_t)n);
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
		drain(process);
		pid = waitpid(process->pid, &status, WUNTRACED | WNOHANG);
		if (pid == process->pid && has_ended(process, status)) {
			drain(process);
			return status;
		}
		if (pid < 0 && errno != EINTR)
			return 0;
		if (!feeding)
			poll(NULL, 0, 5);
		if (front->tick(front->context))
			kill(-process->pid, SIGINT);
	}
}

static void
close_pipe(int ends[2])
{
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
}

static int
wait_in_front(struct process *process, const struct fx_buf *input)
{
	pid_t group = getpgrp();
	int status;

	process->in_front = take_terminal(process->pid);
	status = wait_for(process, input ? input->data : NULL,
		input ? input->length : 0);
	if (process->in_front)
		take_terminal(group);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Run LINE between the pipes, and close our ends of them.  */
static FX_NODISCARD struct fx_error *
run(struct process *process, const char *line, const struct fx_buf *input,
	int *status_ret)
{
	int in[2] = { -1, -1 };
	int out[2] = { -1, -1 };
	struct fx_error *err;

	if ((input && pipe2(in, O_CLOEXEC) < 0) ||
		(process->said && pipe2(out, O_CLOEXEC) < 0)) {
		err = fx_error_new(FX_ERR_CHILD, "cannot make a pipe: %s",
			strerror(errno));
		close_pipe(in);
		return err;
	}
	err = spawn(line, in[0], out[1], &process->pid);
	if (in[0] >= 0)
		close(in[0]);
	if (out[1] >= 0)
		close(out[1]);
	process->input = in[1];
	process->output = out[0];
	if (process->input >= 0)
		fcntl(process->input, F_SETFL, O_NONBLOCK);
	if (process->output >= 0)
		fcntl(process->output, F_SETFL, O_NONBLOCK);
	if (!err)
		*status_ret = wait_in_front(process, input);
	if (process->input >= 0)
		close(process->input);
	if (process->output >= 0)
		close(process->output);
	return err;
}

struct fx_error *
cmd_process_run(struct cmd_ctx *ctx, const char *line,
	const struct fx_buf *input, struct fx_buf *output, int *status_ret)
{
	struct process process = { .front = ctx->front, .said = output };
	struct fx_error *err;

	ctx->front->suspend(ctx->front->context);
	err = run(&process, line, input, status_ret);
	ctx->front->resume(ctx->front->context);
	return err;
}

/* Lines that are Python's and no command, and what to type.
 *
 * Who knows Python types its statements at the prompt.  They are not run
 * here; each kind has a row that says what comes closest.
 */

enum form {
	FORM_WORD,   /* begins with a word */
	FORM_BLOCK,  /* begins with a word and has a colon */
	FORM_ASSIGN, /* NAME =, $NAME =, NAME += */
};

static const struct {
	enum form form;
	const char *words; /* of which it begins with one */
	const char *hint;
} statements[] = {
	{ FORM_WORD, "import from",
		"torch, F, nn and math can be used as they are: print "
		"torch.relu(x); load FILE opens a model" },
	{ FORM_BLOCK, "for while if elif else try def class async",
		"print EXPR shows a value, nodes QUERY lists nodes, define "
		"NAME makes a command of several; trace FILE.py makes a graph "
		"of a model in Python" },
	{ FORM_ASSIGN, "",
		"set $NAME = EXPR keeps a value, set value NODE = EXPR is what "
		"a node gives, input NAME = EXPR gives an input, replace NODE "
		"= CALL changes a node, print EXPR shows a value" },
};

static bool
begins_with(const char *line, const char *words)
{
	return fx_str_has_word(words, ' ', line, strcspn(line, " \t:("));
}

static bool
is_assignment(const char *line)
{
	size_t at = *line == '$' || *line == '%';
	size_t begin = at;

	while (cmd_is_name_char(line[at]))
		at++;
	if (at == begin)
		return false;
	at = cmd_skip_blanks(line, at);
	if (line[at] && strchr("+-*/", line[at]))
		at++;
	return line[at] == '=' && line[at + 1] != '=';
}

static bool
is_form(const char *line, enum form form, const char *words)
{
	switch (form) {
	case FORM_WORD:
		return begins_with(line, words);
	case FORM_BLOCK:
		return begins_with(line, words) && strchr(line, ':');
	case FORM_ASSIGN:
		return is_assignment(line);
	}
	return false;
}

/* Where the name that begins at AT ends. */
static size_t
name_end(const char *line, size_t at)
{
	while (cmd_is_name_char(line[at]))
		at++;
	return at;
}

bool
cmd_is_attribute(const char *line, size_t at)
{
	return line[at] == '.' &&
	       (cmd_is_letter(line[at + 1]) || line[at + 1] == '_');
}

struct fx_error *
cmd_hint_python(struct fx_error *err_taken, const char *line)
{
	size_t begin = cmd_skip_blanks(line, 0);
	size_t at = name_end(line, begin);
	struct fx_error *err = err_taken;
	FX_AUTO_FREE char *last = NULL;

	if (fx_error_hint_text(err) || at == begin || !line[at] ||
		!strchr(".([", line[at]))
		return err;
	while (cmd_is_attribute(line, at)) {
		size_t end = name_end(line, at + 1);

		free(last);
		last = fx_xstrndup(line + at + 1, end - at - 1);
		at = end;
	}
	if (last)
		err = cmd_hint_word(err, last);
	if (fx_error_hint_text(err))
		return err;
	return fx_error_hint(err, "print %s", line + begin);
}

struct fx_error *
cmd_refuse_python(const char *line)
{
	line += cmd_skip_blanks(line, 0);
	for (size_t i = 0; i < FX_ARRAY_LEN(statements); i++)
		if (is_form(line, statements[i].form, statements[i].words))
			return fx_error_hint(
				fx_error_new(FX_ERR_UNKNOWN_COMMAND,
					"Python statements are not run here"),
				"%s", statements[i].hint);
	return NULL;
}

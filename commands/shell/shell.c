/* shell.c - the state behind the command line. */
#include <config.h>

#include "commands/shell/shell.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/log.h"
#include "commands/shell/model_stdout.h"
#include "commands/shell/recovery.h"
#include "session/model.h"
#include "session/session.h"
#include "session/settings.h"

/* A front end that has no user. */

static bool
no_confirm(void *context, const char *question)
{
	(void)context;
	(void)question;
	return false;
}

static char *
no_line(void *context, const char *prompt)
{
	(void)context;
	(void)prompt;
	return NULL;
}

size_t
front_any_columns(void *context)
{
	(void)context;
	return 0;
}

static void
no_change(void *context)
{
	(void)context;
}

static bool
never(void *context)
{
	(void)context;
	return false;
}

static bool
no_pause(void *context, double seconds)
{
	(void)context;
	(void)seconds;
	return false;
}

static struct fx_error *
no_request(void *context, enum front_request what, const char *argument)
{
	(void)context;
	(void)argument;
	if (what == FRONT_QUIT)
		return NULL;
	return fx_error_new(FX_ERR_TERMINAL,
		"tui: standard output is not a terminal");
}

static const struct front no_front = {
	.confirm = no_confirm,
	.read_line = no_line,
	.suspend = no_change,
	.resume = no_change,
	.tick = never,
	.pause = no_pause,
	.request = no_request,
	.columns = front_any_columns,
	.is_interactive = never,
};

static void
keep_notice(void *context, const char *line)
{
	struct cmd_shell *shell = context;

	fx_buf_addf(&shell->notices, "%s\n", line);
}

struct cmd_shell *
cmd_shell_new(struct fx_session *session)
{
	struct cmd_shell *shell = FX_NEW(struct cmd_shell);

	shell->session = session;
	shell->settings = fx_session_settings(session);
	shell->front = &no_front;
	shell->last = out_recording_new();
	out_recording_set_limit(shell->last, 100000);
	shell->last_out = out_new_recording(shell->last);
	fx_session_set_output(session, cmd_model_stdout_add, shell);
	fx_session_set_notice(session, keep_notice, shell);
	fx_session_set_dprintf(session, cmd_dprintf_say, shell);
	return shell;
}

static void
free_users(struct cmd_shell *shell)
{
	struct cmd_user *user;
	struct cmd_alias *alias;

	fx_vec_for_each (user, &shell->users) {
		free(user->name);
		free(user->body);
		free(user->document);
	}
	fx_vec_deinit(&shell->users);
	fx_vec_for_each (alias, &shell->aliases) {
		free(alias->name);
		free(alias->expansion);
	}
	fx_vec_deinit(&shell->aliases);
}

void
cmd_shell_free(struct cmd_shell *shell)
{
	if (!shell)
		return;
	free_users(shell);
	while (shell->history.count)
		free(fx_vec_pop(&shell->history));
	fx_vec_deinit(&shell->history);
	while (shell->decided.count) {
		struct cmd_value_log decided = fx_vec_pop(&shell->decided);

		cmd_value_log_deinit(&decided);
	}
	fx_vec_deinit(&shell->decided);
	cmd_files_deinit(&shell->files);
	free(shell->repeat);
	free(shell->search_text);
	free(shell->asserted);
	free(shell->stop_commands.pending);
	cmd_code_deinit(&shell->code);
	fx_buf_deinit(&shell->transaction);
	fx_buf_deinit(&shell->notices);
	cmd_stepped_deinit(&shell->stepped);
	cmd_log_end(shell);
	cmd_recovery_end(shell, false);
	free(shell->dead);
	cmd_tutorial_free(shell->tutorial);
	out_free(shell->last_out);
	out_recording_free(shell->last);
	free(shell);
}

struct fx_session *
cmd_shell_session(struct cmd_shell *shell)
{
	return shell->session;
}

const struct out_recording *
cmd_shell_said(const struct cmd_shell *shell)
{
	return shell->last;
}

void
cmd_shell_set_front(struct cmd_shell *shell, const struct front *front)
{
	shell->front = front ? front : &no_front;
	front = shell->front;
	/* A session without a person is not kept for recovery. */
	fx_session_set_before_edit(shell->session,
		front->is_interactive(front->context) ? cmd_recovery_before_edit
						      : NULL,
		shell);
}

const struct front *
cmd_shell_front(const struct cmd_shell *shell)
{
	return shell->front;
}

int
cmd_shell_status(const struct cmd_shell *shell)
{
	return shell->status;
}

static void
raise_status(struct cmd_shell *shell, int status)
{
	if (status > shell->status)
		shell->status = status;
}

void
cmd_shell_report(struct cmd_shell *shell, const struct fx_error *err)
{
	raise_status(shell,
		err == shell->model_error ? 3 : cmd_exit_status(err));
}

void
cmd_shell_report_stop(struct cmd_shell *shell)
{
	raise_status(shell, 2);
}

bool
cmd_shell_is_quitting(const struct cmd_shell *shell)
{
	return shell->is_quitting;
}

void
cmd_shell_restrict(struct cmd_shell *shell)
{
	shell->restricted = true;
}

void
cmd_shell_say_objects(struct cmd_shell *shell)
{
	shell->says_objects = true;
}

void
cmd_shell_history_add(struct cmd_shell *shell, const char *line)
{
	if (line[strspn(line, " \t\r\n")])
		fx_vec_push(&shell->history, fx_xstrdup(line));
}

struct cmd_alias *
cmd_shell_find_alias(struct cmd_shell *shell, const char *name)
{
	struct cmd_alias *alias;

	fx_vec_for_each (alias, &shell->aliases)
		if (!strcmp(alias->name, name))
			return alias;
	return NULL;
}

struct cmd_user *
cmd_shell_find_user(struct cmd_shell *shell, const char *name)
{
	struct cmd_user *user;

	fx_vec_for_each (user, &shell->users)
		if (!strcmp(user->name, name))
			return user;
	return NULL;
}

static char *
script_line(struct cmd_script *script)
{
	const char *end = strchr(script->text, '\n');
	size_t length =
		end ? (size_t)(end - script->text) : strlen(script->text);
	char *line;

	if (!*script->text)
		return NULL;
	line = fx_xstrndup(script->text, length);
	script->text += length + (end ? 1 : 0);
	script->line++;
	return line;
}

char *
cmd_shell_read_line(struct cmd_shell *shell, const char *prompt)
{
	const struct front *front = shell->front;

	if (shell->script)
		return script_line(shell->script);
	return front->read_line(front->context, prompt);
}

struct fx_error *
cmd_read_block(struct cmd_shell *shell, const char *what, char **ret)
{
	FX_AUTO_BUF struct fx_buf body = { 0 };
	int depth = 1;

	for (;;) {
		FX_AUTO_FREE char *line = cmd_shell_read_line(shell, ">");

		if (!line)
			return fx_error_new(FX_ERR_SYNTAX,
				"%s: \"end\" is missing", what);
		/* Of a line that was typed, the block was too. */
		if (shell->log && shell->depth == 1)
			cmd_log_line(shell, line);
		if (cmd_line_is(line, "end") && !--depth)
			break;
		if (cmd_line_opens_block(line))
			depth++;
		if (body.length > CMD_LINE_LIMIT)
			return fx_error_new(FX_ERR_LIMIT,
				"%s: more than %d bytes", what, CMD_LINE_LIMIT);
		fx_buf_add(&body, line);
		fx_buf_add_char(&body, '\n');
	}
	*ret = fx_buf_take(&body);
	return NULL;
}

void
cmd_transaction_end(struct cmd_shell *shell)
{
	shell->in_transaction = false;
	fx_buf_clear(&shell->transaction);
}

void
cmd_shell_drop(struct cmd_shell *shell, struct fx_model *model)
{
	if (shell->in_transaction &&
		shell->transaction_model == fx_model_number(model))
		cmd_transaction_end(shell);
	cmd_value_log_forget(shell, fx_model_number(model), 0);
	fx_session_drop(shell->session, model);
	shell->has_listed = false;
}

bool
cmd_is_typed(const struct cmd_ctx *ctx)
{
	return !ctx->shell->script &&
	       ctx->front->is_interactive(ctx->front->context);
}

struct fx_error *
cmd_find_graph(struct fx_session *session, const char *name,
	struct fx_model **ret)
{
	FX_AUTO_BUF struct fx_buf names = { 0 };
	size_t i;

	*ret = fx_session_find_model(session, name);
	if (*ret)
		return NULL;
	for (i = 0; i < fx_session_model_count(session); i++)
		fx_buf_addf(&names, "%s%s", i ? ", " : "",
			fx_model_name(fx_session_model_at(session, i)));
	return fx_error_note(fx_error_new(FX_ERR_NO_GRAPH,
				     "no graph \"%s\" is open", name),
		"open: %s", names.length ? fx_buf_text(&names) : "none");
}

bool
cmd_confirm(struct cmd_ctx *ctx, const char *question)
{
	const struct front *front = ctx->front;

	if (!fx_settings_int(ctx->shell->settings, FX_SET_CONFIRM))
		return true;
	return front->confirm(front->context, question);
}

struct fx_error *
cmd_model_failed(struct cmd_ctx *ctx, struct fx_error *err)
{
	ctx->shell->model_error = err;
	return err;
}

int
cmd_exit_status(const struct fx_error *err)
{
	switch (fx_error_code(err)) {
	case FX_ERR_CHECK:
	case FX_ERR_LINT:
		return 1;
	case FX_ERR_TRACE:
	case FX_ERR_PYTHON:
		return 3;
	default:
		return 2;
	}
}

void
cmd_shell_add_said(const struct cmd_shell *shell, struct fx_buf *said)
{
	for (size_t i = 0; i < out_recording_count(shell->last); i++)
		out_item_print(out_recording_at(shell->last, i), said);
}

bool
cmd_shell_has_said(const struct cmd_shell *shell, const char *text)
{
	FX_AUTO_BUF struct fx_buf said = { 0 };
	FX_AUTO_FREE char *pattern = fx_xasprintf("*%s*", text);

	cmd_shell_add_said(shell, &said);
	return strstr(fx_buf_text(&said), text) ||
	       (strpbrk(text, "*?[") &&
		       fx_str_glob(pattern, fx_buf_text(&said)));
}

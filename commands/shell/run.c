/* run.c - the life of a line: find the command, check its needs, parse,
 * run.
 */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/log.h"
#include "commands/shell/model_stdout.h"
#include "commands/shell/overwrite_guard.h"
#include "commands/shell/process.h"
#include "commands/shell/recovery.h"
#include "commands/shell/shell.h"
#include "ir/graph.h"
#include "session/model.h"
#include "session/position.h"
#include "session/session.h"

static struct fx_error *run_line(struct cmd_shell *shell, const char *line,
	struct out *out);

/* Needs. */

/* Whether --graph is of all commands in ENTRY's too: that of `load` is not. */
static bool
takes_model(const struct cmd_entry *entry)
{
	const struct cmd_flag *flag;

	for (size_t i = 0; (flag = cmd_entry_flag(entry, i)); i++)
		if (fx_str_equal(flag->name, "graph"))
			return flag->type == CMD_ARG_GRAPH;
	return false;
}

static struct fx_error *
find_model(struct cmd_ctx *ctx)
{
	const char *name = cmd_flag(ctx, "graph");

	if (!name || !takes_model(ctx->entry)) {
		ctx->model = fx_session_model(ctx->session);
		return NULL;
	}
	return cmd_find_graph(ctx->session, name, &ctx->model);
}

static struct fx_error *
check_needs(struct cmd_ctx *ctx)
{
	unsigned needs = ctx->entry->needs;
	const char *path = cmd_flag(ctx, "output");
	struct fx_error *err = NULL;
	struct fx_model *model;

	if ((needs & CMD_NEED_GRAPH) && !ctx->model)
		return fx_session_need_model(ctx->session, &model);
	if ((needs & CMD_NEED_STARTED) && !fx_position_is_started(ctx->model))
		return fx_position_not_run(ctx->model);
	if (needs & (CMD_NEED_WRITABLE | CMD_REACHES_OUT))
		err = fx_session_need_writable(ctx->session);
	if (err)
		return err;
	if (ctx->shell->restricted && (needs & CMD_CHANGES_FILES))
		return fx_error_new(FX_ERR_READ_ONLY,
			"%s: not in a restricted session", ctx->entry->name);
	if (path)
		err = cmd_overwrite_guard_allowed(ctx);
	if (err)
		return err;
	if (*ctx->format && !(needs & CMD_TAKES_FORMAT))
		return fx_error_new(FX_ERR_USAGE, "%s takes no /FMT",
			ctx->entry->name);
	return NULL;
}

/* -o FILE: the result, and nothing else, goes there; the file changes only if
 * the command succeeds.
 */
static struct fx_error *
exec_to_file(struct cmd_ctx *ctx, const char *path, bool json)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct out_stream stream = out_stream_buffer(&text, false);
	struct out *target =
		json ? out_new_json(&stream) : out_new_plain(&stream);
	struct out *earlier;
	struct fx_error *err;

	out_command_begin(target, ctx->entry->name);
	earlier = out_redirect(ctx->out, target);
	err = ctx->entry->exec(ctx);
	out_redirect(ctx->out, earlier);
	out_command_end(target, true);
	if (!err) {
		FX_AUTO_FREE char *full = fx_file_expand(path);

		err = fx_file_write(full, fx_buf_text(&text), text.length);
	}
	out_free(target);
	if (err)
		return err;
	out_value_text(ctx->out, "file", path);
	out_note(ctx->out, "%s: %zu bytes%s%s", path, text.length,
		ctx->remark ? "; " : "", ctx->remark ? ctx->remark : "");
	return NULL;
}

static bool
wants_json(const struct cmd_ctx *ctx)
{
	return cmd_flag(ctx, "json") ||
	       fx_settings_int(ctx->shell->settings, FX_SET_OUTPUT);
}

static struct fx_error *
exec(struct cmd_ctx *ctx)
{
	const char *path = cmd_flag(ctx, "output");
	struct fx_error *err = find_model(ctx);

	if (!err)
		err = check_needs(ctx);
	if (!err && path)
		err = cmd_overwrite_guard_check(ctx, path);
	if (!err)
		err = cmd_args_resolve(ctx);
	if (err)
		return err;
	if (path && !cmd_overwrite_guard_may_replace(ctx, path))
		return cmd_overwrite_guard_not_written(ctx);
	if (ctx->entry->needs & CMD_LISTS)
		out_arrange(ctx->out, cmd_flag(ctx, "sort"),
			(size_t)FX_MAX(cmd_flag_int(ctx, "max", 0),
				(int64_t)0));
	if (path && !(ctx->entry->needs & CMD_OWN_OUTPUT))
		err = exec_to_file(ctx, path, wants_json(ctx));
	else
		err = ctx->entry->exec(ctx);
	if (ctx->entry->needs & CMD_LISTS)
		err = out_arranged(ctx->out, err);
	if (!err && path)
		cmd_overwrite_guard_written(ctx, path);
	return err;
}

/* What running had to tell beside its result. */
static void
say_notices(const struct cmd_ctx *ctx)
{
	FX_AUTO_FREE char *notices = fx_buf_take(&ctx->shell->notices);
	char *line;
	char *end;

	for (line = notices; *line; line = end + 1) {
		end = strchr(line, '\n');
		*end = '\0';
		out_note(ctx->out, "%s", line);
	}
}

/* Attach the recording that `expect` searches: it holds all output since the
 * last command that prints something.  A nested command is recorded through the
 * output of the command that runs it, so NULL is returned.
 */
static struct out *
attach_record(struct cmd_ctx *ctx)
{
	struct cmd_shell *shell = ctx->shell;

	if (!(ctx->entry->needs & CMD_KEEPS_OUTPUT))
		out_recording_clear(shell->last);
	if (shell->is_recorded)
		return NULL;
	shell->is_recorded = true;
	out_tee(ctx->out, shell->last_out);
	return shell->last_out;
}

/* `print x | head` is the habit of other shells. */
static struct fx_error *
hint_pipe(const struct cmd_ctx *ctx, struct fx_error *err)
{
	enum fx_error_code code = fx_error_code(err);
	const char *bar = ctx->line + cmd_line_find_bar(ctx->line);
	bool is_odd = code == FX_ERR_SYNTAX ||
		      ((code == FX_ERR_NO_NODE || code == FX_ERR_NO_NAME) &&
			      !fx_error_hint_text(err));

	if (!is_odd || (ctx->entry->needs & CMD_RAW) || !*bar ||
		!bar[1 + strspn(bar + 1, " \t")])
		return err;
	return fx_error_hint(err, "pipe %s", ctx->line);
}

static struct fx_error *
run_entry(struct cmd_shell *shell, const struct cmd_entry *entry,
	struct cmd_ctx *ctx, size_t rest)
{
	CMD_AUTO_PARSED struct cmd_parsed parsed = { 0 };
	struct fx_error *err;
	struct out *tee;

	ctx->entry = entry;
	ctx->parsed = &parsed;
	err = cmd_line_split(entry, ctx->line, rest, &parsed);
	if (wants_json(ctx) && !cmd_flag(ctx, "output"))
		out_as_json(ctx->out);
	if (cmd_flag(ctx, "quiet"))
		out_be_quiet(ctx->out);
	tee = attach_record(ctx);
	fx_session_begin_command(shell->session);
	out_command_begin(ctx->out, entry->name);
	if (!err)
		err = exec(ctx);
	if (shell->notices.length)
		say_notices(ctx);
	if (shell->recovery)
		cmd_recovery_after(ctx);
	if (err)
		err = hint_pipe(ctx, err);
	out_command_end(ctx->out, !err);
	if (tee) {
		out_tee(ctx->out, NULL);
		shell->is_recorded = false;
	}
	return err;
}

/* Lines that are not in the table: aliases and user commands. */

static struct fx_error *
run_alias(struct cmd_shell *shell, const struct cmd_alias *alias,
	const char *rest, struct out *out)
{
	FX_AUTO_FREE char *line = fx_xasprintf("%s%s", alias->expansion, rest);

	return run_line(shell, line, out);
}

/* The words of a line, owned. */
struct words {
	FX_VEC(char *) items;
};

static void
split_words(struct words *words, const char *text)
{
	while (*text) {
		size_t length;

		text += strspn(text, " \t");
		length = strcspn(text, " \t");
		if (length)
			fx_vec_push(&words->items, fx_xstrndup(text, length));
		text += length;
	}
}

/* $argN, $argc and $arg* (all of them) at TEXT; the bytes it takes. */
static size_t
add_argument(struct fx_buf *out, const char *text, const struct words *words,
	const char *all)
{
	size_t n = 0;
	size_t at = 4;

	if (text[at] == 'c' || text[at] == '*') {
		if (text[at] == 'c')
			fx_buf_add_int(out, (long long)words->items.count);
		else
			fx_buf_add(out, all + strspn(all, " \t"));
		return at + 1;
	}
	if (text[at] < '0' || text[at] > '9')
		return 0;
	for (; text[at] >= '0' && text[at] <= '9' && n < 1000; at++)
		n = n * 10 + (size_t)(text[at] - '0');
	if (n < words->items.count)
		fx_buf_add(out, words->items.items[n]);
	return at;
}

static char *
expand_body(const char *body, const char *rest)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };
	struct words words = { 0 };
	size_t i;

	split_words(&words, rest);
	while (*body) {
		size_t used = 0;

		if (fx_str_starts(body, "$arg"))
			used = add_argument(&out, body, &words, rest);
		if (!used)
			fx_buf_add_char(&out, body[used++]);
		body += used;
	}
	for (i = 0; i < words.items.count; i++)
		free(words.items.items[i]);
	fx_vec_deinit(&words.items);
	return fx_buf_take(&out);
}

static struct fx_error *
run_user(struct cmd_shell *shell, const struct cmd_user *user, const char *rest,
	struct out *out)
{
	FX_AUTO_FREE char *text = expand_body(user->body, rest);
	FX_AUTO_FREE char *name = fx_xstrdup(user->name);
	struct cmd_source_options options = { .is_command = true };
	const struct cmd_script *script = shell->script;
	int line = script ? script->line : 0;
	struct fx_error *err = cmd_run_text(shell, name, text, &options, out);

	if (err && script && script->file && !script->is_command)
		err = fx_error_note(err, "called at %s:%d", script->file, line);
	return err;
}

/* Remember LINE, or a form of it, for the empty line. */
static void
remember(struct cmd_shell *shell, const struct cmd_entry *entry,
	const char *line)
{
	if (shell->depth > 1 || shell->is_repeating)
		return;
	free(shell->repeat);
	shell->repeat = entry->needs & CMD_REPEATS ? fx_xstrdup(line) : NULL;
}

static struct fx_error *
run_entry_line(struct cmd_shell *shell, const struct cmd_entry *entry,
	const struct cmd_head *head, const char *line, struct out *out)
{
	FX_AUTO_FREE char *format = fx_xstrndup(line + head->format.begin,
		head->format.end - head->format.begin);
	struct cmd_ctx ctx = { .shell = shell,
		.session = shell->session,
		.out = out,
		.front = shell->front,
		.line = line,
		.format = format,
		.is_repeat = shell->is_repeating && shell->depth == 1 };

	shell->ran = entry;
	remember(shell, entry, line);
	return run_entry(shell, entry, &ctx, head->rest);
}

/* A line that no command began: say so through OUT as well, so that JSON has
 * an object to carry the error.
 */
static struct fx_error *
refuse(struct cmd_shell *shell, struct out *out, const char *name,
	struct fx_error *err)
{
	if (fx_settings_int(shell->settings, FX_SET_OUTPUT))
		out_as_json(out);
	out_command_begin(out, name);
	out_command_end(out, false);
	return err;
}

/* Whether LINE, which begins with NAME, is an expression and no command with
 * arguments: "x", "x.shape", "x == 1", not "x fc1".
 */
static bool
is_expression(const char *line, const char *name)
{
	const char *rest = strstr(line, name) + strlen(name);

	rest += strspn(rest, " \t");
	return !*rest || strchr(".[<>!", *rest) || fx_str_starts(rest, "==");
}

/* What to type instead of LINE, which begins with NAME and no command. */
static FX_NODISCARD struct fx_error *
hint_expression(struct cmd_shell *shell, const char *line, const char *name,
	struct fx_error *err)
{
	struct fx_model *model = fx_session_model(shell->session);

	bool is_node = model && fx_graph_find(fx_model_graph(model), name);

	if (fx_error_code(err) != FX_ERR_UNKNOWN_COMMAND)
		return err;
	/* The x of the graph is meant, not the x of gdb. */
	if (is_node && is_expression(line, name)) {
		fx_error_free(err);
		err = fx_error_new(FX_ERR_UNKNOWN_COMMAND,
			"unknown command \"%s\"", name);
		if (strchr(line, '.') && !strchr(line, '('))
			return fx_error_hint(err, "print %s",
				line + strspn(line, " \t"));
	}
	err = cmd_hint_python(err, line);
	if (fx_error_hint_text(err) || !is_node)
		return err;
	return fx_error_hint(err, "node %s, or print %s", name, name);
}

/* The command that LINE begins with.  `graph.lint()` is Python's. */
static FX_NODISCARD struct fx_error *
find_command(struct cmd_shell *shell, const struct cmd_head *head,
	const char *line, const char *name, const struct cmd_entry **ret)
{
	struct fx_error *err = NULL;
	bool is_name;

	*ret = cmd_table_find(name);
	is_name = *ret != NULL;
	if (!is_name)
		err = cmd_refuse_python(line);
	if (!err && !is_name)
		err = cmd_lookup(shell, name, ret);
	if (!err && line[head->name.end] == '.' &&
		cmd_is_attribute(line, head->name.end))
		err = fx_error_new(FX_ERR_UNKNOWN_COMMAND,
			is_name ? "\"%s\" is a command, which has no attributes"
				: "unknown command \"%s\"",
			name);
	return err ? hint_expression(shell, line, name, err) : NULL;
}

static struct fx_error *
run_named(struct cmd_shell *shell, const struct cmd_head *head,
	const char *line, struct out *out)
{
	FX_AUTO_FREE char *name = fx_xstrndup(line + head->name.begin,
		head->name.end - head->name.begin);
	const struct cmd_entry *entry = NULL;
	struct cmd_alias *alias =
		shell->aliases.count ? cmd_shell_find_alias(shell, name) : NULL;
	struct cmd_user *user =
		shell->users.count ? cmd_shell_find_user(shell, name) : NULL;
	struct fx_error *err;

	if (head->shortcut)
		entry = cmd_table_find(head->shortcut);
	else if (alias && !head->asks_help)
		return run_alias(shell, alias, line + head->name.end, out);
	else if (user && !head->asks_help)
		return run_user(shell, user, line + head->rest, out);
	if (head->asks_help) {
		FX_AUTO_FREE char *help = fx_xasprintf("help %s", name);

		return run_line(shell, help, out);
	}
	if (!entry) {
		err = find_command(shell, head, line, name, &entry);
		if (err)
			return refuse(shell, out, name, err);
	}
	return run_entry_line(shell, entry, head, line, out);
}

static struct fx_error *
run_line(struct cmd_shell *shell, const char *line, struct out *out)
{
	struct cmd_head head;
	struct fx_error *err;

	if (shell->stepped.kind)
		line = cmd_prompt_read_decision(shell, line);
	err = cmd_line_head(line, &head);
	if (err)
		return refuse(shell, out, "", err);
	if (head.is_empty)
		return NULL;
	if (shell->depth >= CMD_DEPTH_LIMIT)
		return refuse(shell, out, "",
			fx_error_new(FX_ERR_LIMIT,
				"commands call each other more than %d deep",
				CMD_DEPTH_LIMIT));
	shell->depth++;
	err = run_named(shell, &head, line, out);
	shell->depth--;
	return err;
}

/* Run LINE; what the user's Python prints, and what is told while the line
 * still runs, stands in OUT among what the commands say.
 */
static struct fx_error *
run_heard(struct cmd_shell *shell, const char *line, struct out *out)
{
	struct cmd_model_stdout printed = { .out = out };
	struct cmd_model_stdout *outer = shell->printed;
	struct out *outer_out = shell->stop_commands.out;
	struct fx_error *err;

	shell->printed = &printed;
	shell->stop_commands.out = out;
	err = run_line(shell, line, out);
	shell->stop_commands.out = outer_out;
	shell->printed = outer;
	if (printed.line.data)
		cmd_model_stdout_end(&printed);
	return err;
}

struct fx_error *
cmd_run(struct cmd_shell *shell, const char *line, struct out *out)
{
	FX_AUTO_FREE char *repeated = NULL;
	bool is_typed = shell->depth == 0;
	struct fx_error *err;

	if (line[strspn(line, " \t")] == '(')
		line = cmd_prompt_skip(line);
	if (is_typed && !line[strspn(line, " \t\r\n")]) {
		if (!shell->repeat || cmd_prompt_decides(shell))
			return NULL;
		repeated = fx_xstrdup(shell->repeat);
		line = repeated;
		shell->is_repeating = true;
	}
	if (is_typed && shell->log)
		cmd_log_line(shell, line);
	if (is_typed) {
		cmd_recent_add(&shell->recent, line);
		shell->ran = NULL;
	}
	err = run_heard(shell, line, out);
	if (!err && shell->stop_commands.pending)
		err = cmd_stop_commands_run(shell, out);
	if (!is_typed)
		return err;
	shell->is_repeating = false;
	if (shell->log && err)
		cmd_log_error(shell, err);
	else if (shell->log)
		err = cmd_log_check(shell);
	return shell->tutorial ? cmd_tutorial_see(shell, out, line, err) : err;
}

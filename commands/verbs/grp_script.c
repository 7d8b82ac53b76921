/* grp_script.c - files of commands, checks, commands of one's own. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/log.h"
#include "commands/shell/overwrite_guard.h"
#include "commands/shell/shell.h"
#include "session/session.h"
#include "session/settings.h"

/* source. */

struct fx_error *
cmd_read_pace(const char *text, double *ret)
{
	size_t length = strlen(text);
	double scale = 1;

	if (!strcmp(text, "key")) {
		*ret = -1;
		return NULL;
	}
	if (fx_str_ends(text, "ms")) {
		length -= 2;
		scale = 0.001;
	} else if (fx_str_ends(text, "s")) {
		length -= 1;
	}
	if (!length || !fx_number_parse_double(text, length, ret) ||
		!(*ret >= 0 && *ret <= 3600))
		return fx_error_new(FX_ERR_USAGE,
			"expected a time such as 1s or 500ms, or key, got "
			"\"%s\"",
			text);
	*ret *= scale;
	return NULL;
}

static struct fx_error *
source_exec(struct cmd_ctx *ctx)
{
	struct cmd_source_options options = {
		.keep_going = cmd_flag(ctx, "keep-going"),
		.verbose = cmd_flag(ctx, "verbose"),
	};
	const char *pace = cmd_flag(ctx, "pace");
	struct fx_error *err = NULL;

	options.is_paced = pace != NULL;
	if (pace)
		err = cmd_read_pace(pace, &options.pace);
	if (err)
		return err;
	return cmd_source_with(ctx->shell, cmd_arg_text(ctx, "file"), &options,
		ctx->out);
}

/* expect. */

static struct fx_error *
expect_exec(struct cmd_ctx *ctx)
{
	const char *text = cmd_arg_text(ctx, "text");
	FX_AUTO_BUF struct fx_buf said = { 0 };
	const char *line;
	struct fx_error *err;

	if (cmd_shell_has_said(ctx->shell, text))
		return NULL;
	cmd_shell_add_said(ctx->shell, &said);
	while (said.length && said.data[said.length - 1] == '\n')
		fx_buf_truncate(&said, said.length - 1);
	if (said.length > 2000)
		fx_buf_truncate(&said, 2000);
	err = fx_error_note(fx_error_new(FX_ERR_CHECK, "expectation failed"),
		"wanted: %s", text);
	line = said.length ? said.data : "nothing";
	for (const char *head = "got:"; line; head = "") {
		size_t length = strcspn(line, "\n");

		err = fx_error_note(err, "%-7s %.*s", head, (int)length, line);
		line = line[length] ? line + length + 1 : NULL;
	}
	return err;
}

/* define, document, alias. */

static FX_NODISCARD struct fx_error *
check_new_name(struct cmd_ctx *ctx, const char *name)
{
	const char *at = name;

	while ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
		*at == '_' ||
		(at > name && (*at == '-' || (*at >= '0' && *at <= '9'))))
		at++;
	if (*at || at == name)
		return fx_error_new(FX_ERR_BAD_NAME,
			"\"%s\" is no name for a command", name);
	if (cmd_table_find(name))
		return fx_error_new(FX_ERR_NAME_TAKEN,
			"%s: \"%s\" is a command of fxdb", ctx->entry->name,
			name);
	return NULL;
}

static struct fx_error *
define_exec(struct cmd_ctx *ctx)
{
	const char *name = cmd_arg_text(ctx, "name");
	struct cmd_shell *shell = ctx->shell;
	struct cmd_user user = { 0 };
	struct cmd_user *old;
	struct fx_error *err = check_new_name(ctx, name);

	/* At the prompt nobody need type a body for nothing; that of a file is
	 * there and must not run as commands.
	 */
	if (!err || shell->script) {
		struct fx_error *unread =
			cmd_read_block(shell, "define", &user.body);

		if (err)
			fx_error_free(unread);
		else
			err = unread;
	}
	if (err) {
		free(user.body);
		return err;
	}
	old = cmd_shell_find_user(shell, name);
	if (old) {
		free(old->body);
		old->body = user.body;
		return NULL;
	}
	user.name = fx_xstrdup(name);
	fx_vec_push(&shell->users, user);
	return NULL;
}

static struct fx_error *
document_exec(struct cmd_ctx *ctx)
{
	const char *name = cmd_arg_text(ctx, "name");
	struct cmd_user *user = cmd_shell_find_user(ctx->shell, name);
	char *text;
	struct fx_error *err;

	err = cmd_read_block(ctx->shell, "document", &text);
	if (err)
		return err;
	if (!user) {
		free(text);
		return fx_error_hint(fx_error_new(FX_ERR_NO_NAME,
					     "no command \"%s\" was defined",
					     name),
			"define %s", name);
	}
	free(user->document);
	user->document = text;
	return NULL;
}

static struct fx_error *
list_aliases(struct cmd_ctx *ctx)
{
	static const char *const keys[] = { "alias", "means" };
	struct cmd_alias *alias;

	if (!ctx->shell->aliases.count)
		out_line(ctx->out, FX_ROLE_PLAIN, "No aliases.");
	out_table_begin(ctx->out, "aliases", FX_ARRAY_LEN(keys), keys);
	fx_vec_for_each (alias, &ctx->shell->aliases) {
		out_cell(ctx->out, FX_ROLE_KEYWORD, "%s", alias->name);
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s", alias->expansion);
	}
	out_table_end(ctx->out);
	return NULL;
}

static struct fx_error *
alias_exec(struct cmd_ctx *ctx)
{
	const char *text = cmd_arg_text(ctx, "text");
	struct cmd_shell *shell = ctx->shell;
	struct cmd_alias made = { 0 };
	struct cmd_alias *old;
	const char *equals;
	struct fx_error *err;
	size_t length;

	if (!text)
		return list_aliases(ctx);
	equals = strchr(text, '=');
	length = strcspn(text, " \t=");
	if (!equals || text + length + strspn(text + length, " \t") != equals ||
		!equals[1 + strspn(equals + 1, " \t")])
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "alias: expected = after %.*s",
					     (int)FX_MIN(length, 60), text),
			"alias lt = nodes");
	made.name = fx_xstrndup(text, length);
	err = check_new_name(ctx, made.name);
	if (err) {
		free(made.name);
		return err;
	}
	made.expansion = fx_xstrdup(equals + 1 + strspn(equals + 1, " \t"));
	old = cmd_shell_find_alias(shell, made.name);
	if (old) {
		free(old->name);
		free(old->expansion);
		*old = made;
	} else {
		fx_vec_push(&shell->aliases, made);
	}
	return NULL;
}

/* echo: backslash escapes, the line as it is.  A line is ended here; gdb's
 * scripts write that themselves.
 */
static struct fx_error *
echo_exec(struct cmd_ctx *ctx)
{
	const char *text = cmd_arg_text(ctx, "text");
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	bool is_ended = false;

	for (; text && *text; text++) {
		bool is_escape =
			*text == '\\' && text[1] && strchr("nt\\", text[1]);

		text += is_escape;
		is_ended = is_escape && *text == 'n';
		if (is_ended) {
			out_line(ctx->out, FX_ROLE_PLAIN, "%s",
				fx_buf_text(&buf));
			fx_buf_clear(&buf);
		} else {
			fx_buf_add_char(&buf,
				is_escape && *text == 't' ? '\t' : *text);
		}
	}
	if (!is_ended)
		out_line(ctx->out, FX_ROLE_PLAIN, "%s", fx_buf_text(&buf));
	return NULL;
}

/* with SETTING VALUE -- COMMAND. */
static struct fx_error *
with_exec(struct cmd_ctx *ctx)
{
	struct fx_settings *settings = fx_session_settings(ctx->session);
	const char *text = cmd_arg_text(ctx, "text");
	size_t dashes = cmd_line_find_dashes(text);
	FX_AUTO_FREE char *setting = fx_xstrndup(text, dashes);
	FX_AUTO_FREE char *saved = NULL;
	FX_AUTO_FREE char *value = NULL;
	const char *rest;
	struct fx_error *err;
	struct fx_error *undo;
	size_t length;
	int index;

	if (!text[dashes])
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "with: expected --"),
			"with output json -- nodes");
	err = cmd_find_setting(setting, &index, &rest);
	if (err)
		return err;
	rest += strspn(rest, " \t");
	length = strlen(rest);
	while (length && (rest[length - 1] == ' ' || rest[length - 1] == '\t'))
		length--;
	value = fx_xstrndup(rest, length);
	saved = fx_xstrdup(fx_settings_text(settings, index));
	err = fx_settings_set(settings, index, value);
	if (err)
		return err;
	err = cmd_run(ctx->shell, text + dashes + 2, ctx->out);
	undo = fx_settings_set(settings, index, saved);
	fx_error_free(undo);
	return err;
}

/* log session FILE | off. */
static struct fx_error *
log_exec(struct cmd_ctx *ctx)
{
	const char *what = cmd_arg_text(ctx, "action");
	const char *path = cmd_arg_text(ctx, "file");
	const char *now = cmd_log_path(ctx->shell);
	struct fx_error *err;

	if (!what) {
		if (now)
			out_line(ctx->out, FX_ROLE_PLAIN, "Logging to %s.",
				now);
		else
			out_line(ctx->out, FX_ROLE_PLAIN, "Not logging.");
		return NULL;
	}
	if (!strcmp(what, "off")) {
		err = cmd_log_check(ctx->shell);
		cmd_log_end(ctx->shell);
		return err;
	}
	if (!path)
		return fx_error_new(FX_ERR_USAGE,
			"log session: expected a file");
	err = cmd_overwrite_guard_check(ctx, path);
	return err ? err : cmd_log_begin(ctx->shell, path);
}

const struct cmd_entry cmd_group_script[] = {
	{
		.name = "source",
		.summary = "run a file of commands",
		.help = "Stops at the first error and says FILE:LINE, unless "
			"--keep-going. -v shows each line. --pace shows "
			"comments too and waits after each line; a key goes "
			"on at once, Ctrl-C stops.",
		.synonyms = "script file run read commands batch lecture",
		.needs = CMD_CHANGES_FILES,
		.args = { { "file", CMD_ARG_FILE, 0, "the script", NULL } },
		.flags = { { "verbose", 'v', CMD_ARG_END, "show the lines" },
			{ "keep-going", 0, CMD_ARG_END, "go on after errors" },
			{ "pace", 0, CMD_ARG_WORD,
				"time after a line: 1s, 500ms, or key" } },
		.examples = { { "source t.fxdb", "run it" },
			{ "source -v demo.fxdb --pace 1s", "as a demo" } },
		.exec = source_exec,
	},
	{
		.name = "assert",
		.summary = "fail unless a condition is true",
		.help = "= means ==. In a script a failure stops it; the exit "
			"status is 1.",
		.synonyms = "check test condition verify compare outputs equal "
			    "same allclose nan finite",
		.args = { { "condition", CMD_ARG_CONDITION, 0,
			"what must be true", NULL } },
		.examples = { { "assert count{op=call_module} = 60",
				      "the size of a set" },
			{ "assert fc.shape = (1, 1000)",
				"the shape of a value" },
			{ "assert allfinite(output)",
				"neither NaN nor infinite" },
			{ "assert allclose(output, $before)",
				"after set $before = output, and edits" } },
		.exec = cmd_assert_exec,
	},
	{
		.name = "expect",
		.summary = "fail unless the last command said something",
		.help = "A piece of text, or a glob, that must stand in what "
			"the command before said.",
		.synonyms = "check test output",
		.needs = CMD_KEEPS_OUTPUT,
		.args = { { "text", CMD_ARG_WORD, 0, "what it said", NULL } },
		.examples = { { "expect \"no problems\"", "after lint" },
			{ "expect \"fc * call_module\"",
				"a glob, after nodes fc" } },
		.exec = expect_exec,
	},
	{
		.name = "define",
		.summary = "make a command of one's own",
		.help = "Lines up to end are what it runs; $arg0 is the first "
			"word it is given, $argc how many, $arg* all of them.",
		.synonyms = "macro user command function",
		.args = { { "name", CMD_ARG_WORD, 0, "what to call it",
			NULL } },
		.examples = { { "define nn", "then lines, then end" } },
		.exec = define_exec,
	},
	{
		.name = "document",
		.summary = "write the help of a command of one's own",
		.help = "Lines up to end are what help shows for it.",
		.synonyms = "help user command",
		.args = { { "name", CMD_ARG_WORD, 0, "which command", NULL } },
		.examples = { { "document nn", "then lines, then end" } },
		.exec = document_exec,
	},
	{
		.name = "alias",
		.summary = "give a line a short name",
		.help = "What follows the alias is added to its line. Without "
			"arguments the aliases are listed.",
		.synonyms = "abbreviation shortcut name",
		.needs = CMD_RAW,
		.args = { { "text", CMD_ARG_REST, CMD_OPTIONAL, "NAME = LINE",
			NULL } },
		.examples = { { "alias lt = nodes", "lt is nodes" } },
		.exec = alias_exec,
	},
	{
		.name = "echo",
		.summary = "show a text",
		.help = "\\n, \\t and \\\\ are read as in C.",
		.synonyms = "print say message text",
		.needs = CMD_RAW | CMD_LOOKS,
		.args = { { "text", CMD_ARG_REST, CMD_OPTIONAL, "what to show",
			NULL } },
		.examples = { { "echo done", "say done" } },
		.exec = echo_exec,
	},
	{
		.name = "with",
		.summary = "run one command with another setting",
		.help = "The setting is as before after it.",
		.synonyms = "setting temporary",
		.needs = CMD_RAW | CMD_KEEPS_OUTPUT,
		.args = { { "text", CMD_ARG_REST, 0, "SETTING VALUE -- COMMAND",
			NULL } },
		.examples = { { "with output json -- nodes", "as JSON" } },
		.exec = with_exec,
	},
	{
		.name = "log",
		.summary = "write what is typed to a file",
		.help = "log session FILE adds each line to it, and what it "
			"said as comments, so that source runs it again. log "
			"off ends it.",
		.synonyms = "record session transcript logging",
		.needs = CMD_CHANGES_FILES | CMD_REACHES_OUT,
		.args = { { "action", CMD_ARG_WORD, CMD_OPTIONAL, "what to do",
				  "session|off" },
			{ "file", CMD_ARG_FILE, CMD_OPTIONAL, "where to",
				NULL } },
		.examples = { { "log session s.fxdb", "begin" },
			{ "log off", "end" } },
		.exec = log_exec,
	},
	{ .name = NULL },
};

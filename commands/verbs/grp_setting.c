/* grp_setting.c - settings, the shell, what was typed. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/process.h"
#include "commands/shell/shell.h"
#include "commands/verbs/set.h"
#include "commands/verbs/show.h"
#include "session/session.h"
#include "session/settings.h"

static const char *const types[] = { [FX_SETTING_BOOL] = "bool",
	[FX_SETTING_INT] = "int",
	[FX_SETTING_SIZE] = "size",
	[FX_SETTING_WORD] = "word",
	[FX_SETTING_PARTS] = "parts",
	[FX_SETTING_TEXT] = "text" };

static void
setting_row(struct cmd_ctx *ctx, size_t index)
{
	const struct fx_setting_info *info = fx_settings_info(index);

	out_cell(ctx->out, FX_ROLE_KEYWORD, "%s", info->name);
	out_cell(ctx->out, FX_ROLE_PLAIN, "%s",
		fx_settings_text(fx_session_settings(ctx->session),
			(int)index));
	out_cell(ctx->out, FX_ROLE_MUTED, "%s", info->help);
	out_cell(ctx->out, FX_ROLE_PLAIN, "%s", types[info->type]);
	out_cell(ctx->out, FX_ROLE_PLAIN, "%s", info->choices);
	out_cell(ctx->out, FX_ROLE_PLAIN, "%s", info->initial);
}

static const char *const setting_keys[] = { "setting", "value", "meaning",
	"~type", "~choices", "~initial" };

struct fx_error *
cmd_say_settings(struct cmd_ctx *ctx)
{
	size_t i;

	out_table_begin(ctx->out, "settings", FX_ARRAY_LEN(setting_keys),
		setting_keys);
	for (i = 0; i < FX_SET_COUNT; i++)
		setting_row(ctx, i);
	out_table_end(ctx->out);
	return NULL;
}

static struct fx_error *
show_exec(struct cmd_ctx *ctx)
{
	const char *text = cmd_arg_text(ctx, "setting");
	FX_AUTO_FREE char *name = NULL;
	struct fx_error *err;
	const char *rest;
	int index;
	size_t i;
	size_t count = 0;

	if (!text)
		return cmd_say_settings(ctx);
	/* `show record` is all settings that begin so. */
	name = fx_xasprintf("%s ", text);
	for (i = 0; i < FX_SET_COUNT; i++)
		count +=
			!strncmp(fx_settings_info(i)->name, name, strlen(name));
	if (count) {
		out_table_begin(ctx->out, "settings",
			FX_ARRAY_LEN(setting_keys), setting_keys);
		for (i = 0; i < FX_SET_COUNT; i++)
			if (!strncmp(fx_settings_info(i)->name, name,
				    strlen(name)))
				setting_row(ctx, i);
		out_table_end(ctx->out);
		return NULL;
	}
	err = cmd_find_setting(text, &index, &rest);
	if (err)
		return err;
	if (rest[strspn(rest, " \t")])
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "show: unexpected \"%s\"",
					     rest + strspn(rest, " \t")),
			"set %s", text);
	out_value_text(ctx->out, "setting",
		fx_settings_info((size_t)index)->name);
	out_value_text(ctx->out, "value",
		fx_settings_text(fx_session_settings(ctx->session), index));
	out_line(ctx->out, FX_ROLE_PLAIN, "%s is %s",
		fx_settings_info((size_t)index)->name,
		fx_settings_text(fx_session_settings(ctx->session), index));
	return NULL;
}

/* The shell. */

/* Among objects what the program says is one too. */
static bool
wants_object(const struct cmd_ctx *ctx)
{
	return ctx->shell->says_objects ||
	       fx_settings_int(ctx->shell->settings, FX_SET_OUTPUT);
}

static FX_NODISCARD struct fx_error *
run_process(struct cmd_ctx *ctx, const char *line, const struct fx_buf *input)
{
	FX_AUTO_BUF struct fx_buf said = { 0 };
	bool captures = wants_object(ctx);
	struct fx_error *err;
	int status;

	err = cmd_process_run(ctx, line, input, captures ? &said : NULL,
		&status);
	if (err)
		return err;
	if (captures)
		out_value_text(ctx->out, "text", fx_buf_text(&said));
	out_value_int(ctx->out, "status", status);
	if (status)
		out_note(ctx->out, "exit status %d", status);
	return NULL;
}

static struct fx_error *
shell_exec(struct cmd_ctx *ctx)
{
	return run_process(ctx, cmd_arg_text(ctx, "command"), NULL);
}

/* What COMMAND says, as plain text. */
static FX_NODISCARD struct fx_error *
capture(struct cmd_ctx *ctx, const char *command, struct fx_buf *text)
{
	struct out_stream stream = out_stream_buffer(text, false);
	struct out *target = out_new_plain(&stream);
	struct out *earlier = out_redirect(ctx->out, target);
	struct fx_error *err = cmd_run(ctx->shell, command, ctx->out);

	out_redirect(ctx->out, earlier);
	out_free(target);
	return err;
}

static struct fx_error *
pipe_exec(struct cmd_ctx *ctx)
{
	const char *line = cmd_arg_text(ctx, "line");
	size_t bar = cmd_line_find_bar(line);
	FX_AUTO_FREE char *command = fx_xstrndup(line, bar);
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_error *err;

	if (!line[bar] || !line[bar + 1 + strspn(line + bar + 1, " \t")])
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "pipe: expected | and a command "
					     "of the shell"),
			"pipe nodes | wc -l");
	err = capture(ctx, command, &text);
	if (err)
		return err;
	return run_process(ctx, line + bar + 1, &text);
}

/* history. */

static struct fx_error *
history_exec(struct cmd_ctx *ctx)
{
	static const char *const keys[] = { "number", "line" };
	size_t limit = (size_t)cmd_arg_int(ctx, "count", 0);
	size_t count = ctx->shell->history.count;
	size_t i = limit && limit < count ? count - limit : 0;

	if (!limit && cmd_row_limit(ctx) && count > cmd_row_limit(ctx))
		i = count - cmd_row_limit(ctx);
	out_table_begin(ctx->out, "lines", FX_ARRAY_LEN(keys), keys);
	for (; i < count; i++) {
		out_cell_int(ctx->out, FX_ROLE_NUMBER, (int64_t)i + 1);
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s",
			ctx->shell->history.items[i]);
	}
	out_table_end(ctx->out);
	return NULL;
}

const struct cmd_entry cmd_group_setting[] = {
	{
		.name = "set",
		.summary = "change a setting, a node's field, a module",
		.help = "set NAME VALUE changes a setting, set alone lists "
			"them. set %n.args[1] = 2 changes a field of a node: "
			"args, kwargs, target, name, type, op. set module PATH "
			"= nn.X(...) puts a module there, with numbers as "
			"PyTorch draws them. set value PLACE = EXPR decides "
			"what a node gives, or a parameter or buffer holds, or "
			"some elements of it: PLACE[0, 2:4]; $v is the value "
			"before. set $name = EXPR keeps a value.",
		.synonyms = "change setting option argument target attribute "
			    "variable module configure memory limit",
		.args = { { "what", CMD_ARG_REST, CMD_OPTIONAL,
			"a setting and its value, or PLACE = VALUE", NULL } },
		.flags = { { "dry-run", 'n', CMD_ARG_END,
				   "show what would change, change nothing" },
			{ "force", 'f', CMD_ARG_END,
				"allow shapes that cannot be" },
			{ "seed", 0, CMD_ARG_INT,
				"of a new module's numbers; without it, the "
				"session's" } },
		.examples = { { "set listsize 20", "a setting" },
			{ "set %add.args[1] = 2", "an argument" },
			{ "set module layer1.0.relu = nn.GELU()", "a module" },
			{ "set value relu = relu * 0", "a result" } },
		.exec = cmd_set_exec,
	},
	{
		.name = "unset",
		.summary = "let a node compute its value again",
		.help = "unset value NODE takes back what set value gave it.",
		.synonyms = "clear override value restore",
		.needs = CMD_NEED_GRAPH | CMD_NEED_WRITABLE,
		.args = { { "what", CMD_ARG_REST, 0, "value and a node",
			NULL } },
		.examples = { { "unset value relu", "as it was" } },
		.exec = cmd_unset_exec,
	},
	{
		.name = "show",
		.summary = "show a setting",
		.help = "Without a name all of them.",
		.synonyms = "setting option value",
		.args = { { "setting", CMD_ARG_REST, CMD_OPTIONAL, "which",
			NULL } },
		.examples = { { "show listsize", "one setting" } },
		.exec = show_exec,
	},
	{
		.name = "shell",
		.aliases = "sh",
		.summary = "run a command of the shell",
		.help = "!CMD is short for it.",
		.synonyms = "system run program bash",
		.needs = CMD_RAW | CMD_CHANGES_FILES | CMD_REACHES_OUT,
		.args = { { "command", CMD_ARG_REST, 0, "what to run", NULL } },
		.examples = { { "!ls", "list files" } },
		.exec = shell_exec,
	},
	{
		.name = "pipe",
		.summary = "send what a command says to the shell",
		.help = "The line splits at the first | that stands alone "
			"outside brackets. A line may also begin with | "
			"instead "
			"of pipe.",
		.synonyms = "filter less grep wc shell",
		.needs = CMD_RAW | CMD_CHANGES_FILES | CMD_REACHES_OUT,
		.args = { { "line", CMD_ARG_REST, 0, "COMMAND | SHELL",
			NULL } },
		.examples = { { "pipe nodes | wc -l", "count rows" } },
		.exec = pipe_exec,
	},
	{
		.name = "history",
		.summary = "show what was typed",
		.help = "The last lines, or the last N.",
		.synonyms = "lines typed commands before",
		.args = { { "count", CMD_ARG_INT, CMD_OPTIONAL, "how many",
			NULL } },
		.examples = { { "history 5", "the last five" } },
		.exec = history_exec,
	},
	{ .name = NULL },
};

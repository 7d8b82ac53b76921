/* grp_screen.c - the full screen, asked of the front end. */
#include <config.h>

#include <string.h>

#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/line.h"
#include "commands/shell/shell.h"

/* Pass a request to the front end.  The variant of the command is the request,
 * and the argument, if the command has one, qualifies it.
 */
static struct fx_error *
screen_exec(struct cmd_ctx *ctx)
{
	enum front_request what = (enum front_request)ctx->entry->variant;
	const char *name = ctx->entry->args[0].name;
	const char *argument = name ? cmd_arg_text(ctx, name) : NULL;

	if (!argument)
		argument = what == FRONT_TUI ? "on" : "";
	return ctx->front->request(ctx->front->context, what, argument);
}

static const char *
skip_word(const char *text)
{
	text += strcspn(text, " \t");
	return text + strspn(text, " \t");
}

/* What is bound in "PANE KEY = COMMAND": after the sign, which the key may be,
 * too, or the second of two words after Ctrl-x.
 */
static const char *
bound_line(const char *text)
{
	const char *at = skip_word(skip_word(text));

	if (*at && *at != '=')
		at = skip_word(at);
	return *at ? at + 1 : at;
}

/* The command may be defined later: that nobody knows it yet is only said. */
static struct fx_error *
bind_exec(struct cmd_ctx *ctx)
{
	struct fx_error *err = screen_exec(ctx);
	const char *line = bound_line(cmd_arg_text(ctx, "text"));
	FX_AUTO_FREE char *name = NULL;
	struct cmd_head head;

	if (err)
		return err;
	err = cmd_line_head(line, &head);
	/* A comment, or %(node) and the like, which may become anything. */
	if (err || head.is_empty || head.shortcut || head.asks_help) {
		fx_error_free(err);
		return NULL;
	}
	name = fx_xstrndup(line + head.name.begin,
		head.name.end - head.name.begin);
	if (!cmd_shell_find_alias(ctx->shell, name) &&
		!cmd_shell_find_user(ctx->shell, name)) {
		const struct cmd_entry *entry;

		err = cmd_lookup(ctx->shell, name, &entry);
	}
	if (err)
		out_warning(ctx->out, "%s", fx_error_message(err));
	if (err && fx_error_hint_text(err))
		out_note(ctx->out, "%s", fx_error_hint_text(err));
	fx_error_free(err);
	return NULL;
}

/* The words of panes.def that may have the focus, and of layouts.def: "|"
 * before each.
 */
#define FOCUS_MAIN(word)   "|" word
#define FOCUS_SIDE(word)   "|" word
#define FOCUS_BELOW(word)  "|" word
#define FOCUS_COLUMN(word) "|" word
#define FOCUS_SHEET(word)  "|" word
#define FOCUS_LINE(word)   "|" word
#define FOCUS_STRIP(word)

#define TUI_VIEW(id, word, title, init, place) FOCUS_##place(word)
static const char panes[] =
#include "commands/shell/panes.def"
	;

#define TUI_LAYOUT(id, word, title, about) "|" word
static const char layouts[] =
#include "commands/shell/layouts.def"
	;

const struct cmd_entry cmd_group_screen[] = {
	{
		.name = "tui",
		.summary = "switch the full screen on or off",
		.help = "The graph as a list with lanes, a node's facts, code, "
			"and this prompt below. q leaves it.",
		.synonyms =
			"screen curses fullscreen window keyboard keys mouse",
		.also = "enable=on disable=off",
		.args = { { "state", CMD_ARG_WORD, CMD_OPTIONAL, "on or off",
			"on|off" } },
		.examples = { { "tui", "switch it on" } },
		.needs = CMD_ASIDE,
		.exec = screen_exec,
		.variant = FRONT_TUI,
	},
	{
		.name = "layout",
		.summary = "choose the panes of the full screen",
		.help = "graph has the list alone, split the node and its code "
			"beside it, diff two graphs side by side: those of the "
			"last diff or compare, or the graph before and after "
			"the candidate of a pass; any other is a pane that has "
			"most of the screen.",
		.synonyms = "screen panes windows arrange",
		.also = "src=split code=split asm=split regs=split next=split",
		.args = { { "layout", CMD_ARG_WORD, 0, "which", &layouts[1] } },
		.examples = { { "layout split", "several panes" } },
		.needs = CMD_ASIDE,
		.exec = screen_exec,
		.variant = FRONT_LAYOUT,
	},
	{
		.name = "focus",
		.summary = "choose the pane that keys go to",
		.help = "The names of panes stand in their frames; cmd is the "
			"prompt.",
		.synonyms = "screen pane window keys",
		.args = { { "pane", CMD_ARG_WORD, 0, "which",
			.choices = &panes[1] } },
		.examples = { { "focus cmd", "the prompt" } },
		.needs = CMD_ASIDE,
		.exec = screen_exec,
		.variant = FRONT_FOCUS,
	},
	{
		.name = "filter",
		.summary = "show only some nodes on the full screen",
		.help = "The graph pane shows the nodes of the set alone, also "
			"after edits and as values come; its title names it. "
			"Without one, or with Esc in the pane, all nodes are "
			"there again.",
		.synonyms = "screen hide only narrow grep rows",
		.needs = CMD_NEED_GRAPH | CMD_ASIDE,
		.args = { { "set", CMD_ARG_QUERY, CMD_OPTIONAL,
			"a query, or a module", NULL } },
		.examples = { { "filter in layer2", "the nodes of a module" },
			{ "filter nonfinite", "those with a NaN" },
			{ "filter", "all nodes" } },
		.exec = screen_exec,
		.variant = FRONT_FILTER,
	},
	{
		.name = "bind",
		.summary = "give a key of the full screen a command",
		.help = "In one pane or all; without a command the key means "
			"again what it meant. %(node), %(index) and %(scope) "
			"are the selected node, its number and its module, "
			"%(graph) is the graph, and %(prompt) is asked for. ? "
			"lists the keys. Commands for the start stand in "
			"~/.config/fxdb/init.",
		.synonyms = "key keys shortcut map hotkey",
		.needs = CMD_RAW | CMD_ASIDE,
		.args = { { "text", CMD_ARG_REST, 0, "PANE KEY = COMMAND",
			NULL } },
		.examples = { { "bind graph X = pass run dce",
				      "X in the graph" },
			{ "bind all F8 = print %(node)", "a key everywhere" },
			{ "bind graph X =", "X as before" } },
		.exec = bind_exec,
		.variant = FRONT_BIND,
	},
	{
		.name = "refresh",
		.summary = "paint the full screen anew",
		.help = "When another program has written over it.",
		.synonyms = "redraw repaint screen",
		.examples = { { "refresh", "paint again" } },
		.needs = CMD_ASIDE,
		.exec = screen_exec,
		.variant = FRONT_REFRESH,
	},
	{ .name = NULL },
};

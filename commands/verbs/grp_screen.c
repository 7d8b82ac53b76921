/* grp_screen.c - the full screen, asked of the front end. */
#include <config.h>

#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"

static FX_NODISCARD struct fx_error *
request(struct cmd_ctx *ctx, enum front_request what, const char *argument)
{
	return ctx->front->request(ctx->front->context, what,
		argument ? argument : "");
}

static struct fx_error *
tui_exec(struct cmd_ctx *ctx)
{
	const char *what = cmd_arg_text(ctx, "state");

	return request(ctx, FRONT_TUI, what ? what : "on");
}

static struct fx_error *
layout_exec(struct cmd_ctx *ctx)
{
	return request(ctx, FRONT_LAYOUT, cmd_arg_text(ctx, "layout"));
}

static struct fx_error *
focus_exec(struct cmd_ctx *ctx)
{
	return request(ctx, FRONT_FOCUS, cmd_arg_text(ctx, "pane"));
}

static struct fx_error *
refresh_exec(struct cmd_ctx *ctx)
{
	return request(ctx, FRONT_REFRESH, "");
}

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
		.exec = tui_exec,
	},
	{
		.name = "layout",
		.summary = "choose the panes of the full screen",
		.help = "graph has the list alone, split the node and its code "
			"beside it.",
		.synonyms = "screen panes windows arrange",
		.also = "src=split code=split asm=split regs=split next=split",
		.args = { { "layout", CMD_ARG_WORD, 0, "which",
			"graph|split" } },
		.examples = { { "layout split", "several panes" } },
		.needs = CMD_ASIDE,
		.exec = layout_exec,
	},
	{
		.name = "focus",
		.summary = "choose the pane that keys go to",
		.help = "The names of panes stand in their frames; cmd is the "
			"prompt.",
		.synonyms = "screen pane window keys",
		.args = { { "pane", CMD_ARG_WORD, 0, "which", NULL } },
		.examples = { { "focus cmd", "the prompt" } },
		.needs = CMD_ASIDE,
		.exec = focus_exec,
	},
	{
		.name = "refresh",
		.summary = "paint the full screen anew",
		.help = "When another program has written over it.",
		.synonyms = "redraw repaint screen",
		.examples = { { "refresh", "paint again" } },
		.needs = CMD_ASIDE,
		.exec = refresh_exec,
	},
	{ .name = NULL },
};

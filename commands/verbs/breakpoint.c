/* breakpoint.c - setting watches, catchpoints and dprintfs, lines that stops
 * run, and all of them as a command file.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/breakpoint.h"
#include "commands/verbs/edit.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "session/breakpoint.h"
#include "session/model.h"
#include "session/passing.h"
#include "session/watch.h"

/* --- setting ----------------------------------------------------------------
 */

static bool
is_about_all(const struct fx_breakpoint *b)
{
	return b->kind == FX_STOP_KIND_WATCH && !*b->where && b->match_count;
}

/* "Watch 1: nonfinite, all nodes". */
static void
say_set(struct cmd_ctx *ctx, const struct fx_breakpoint *b)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const char *words;

	fx_breakpoint_print(ctx->session, b, &text);
	words = strchr(fx_buf_text(&text), ' ') + 1;
	out_value_int(ctx->out, "number", b->number);
	out_value_int(ctx->out, "matches", (int64_t)b->match_count);
	out_line(ctx->out, FX_ROLE_BREAKPOINT, "%s %d: %s%s%s",
		b->is_temporary ? "Temporary catchpoint"
				: fx_stop_kind_title(b->kind),
		b->number, words, is_about_all(b) ? ", all nodes" : "",
		b->is_pending ? ", pending" : "");
}

static FX_NODISCARD struct fx_error *
set(struct cmd_ctx *ctx, const struct fx_breakpoint_spec *spec)
{
	const struct fx_breakpoint *breakpoint;
	struct fx_error *err = cmd_check_condition(spec->condition);

	if (!err)
		err = fx_breakpoint_add(ctx->session, ctx->model, spec,
			&breakpoint);
	if (err)
		return err;
	say_set(ctx, breakpoint);
	if (breakpoint->is_inside)
		return NULL; /* names are those of other graphs too */
	if (breakpoint->kind == FX_STOP_KIND_WATCH)
		cmd_warn_of_names(ctx, "expression", breakpoint->what);
	if (breakpoint->kind == FX_STOP_KIND_DPRINTF)
		cmd_warn_of_arguments(ctx, breakpoint->what);
	cmd_warn_of_names(ctx, "condition", breakpoint->condition);
	return NULL;
}

/* QUERY without its braces. */
static char *
inner(const char *query)
{
	size_t length = strlen(query);

	if (*query == '{' && query[length - 1] == '}')
		return fx_xstrndup(query + 1, length - 2);
	return fx_xstrdup(query);
}

/* WHERE without EXCEPT, both may be NULL; the caller's, or NULL: all. */
static char *
place_of(const char *where, const char *except)
{
	FX_AUTO_FREE char *in = where ? inner(where) : NULL;
	FX_AUTO_FREE char *out = except ? inner(except) : NULL;

	if (!except)
		return where ? fx_xstrdup(where) : NULL;
	if (!where)
		return fx_xasprintf("{not (%s)}", out);
	return fx_xasprintf("{(%s) and not (%s)}", in, out);
}

/* An expression alone is gdb's: it stops when the value changes. */
struct fx_error *
cmd_watch_exec(struct cmd_ctx *ctx)
{
	struct fx_breakpoint_spec spec = { .kind = FX_STOP_KIND_WATCH,
		.what = cmd_arg_text(ctx, "what"),
		.condition = cmd_arg_text(ctx, "if"),
		.is_pending = cmd_flag(ctx, "pending"),
		.is_inside = cmd_flag(ctx, "inside") };
	FX_AUTO_FREE char *place = place_of(cmd_arg_text(ctx, "where"),
		cmd_arg_text(ctx, "except"));

	spec.where = place;
	return set(ctx, &spec);
}

struct fx_error *
cmd_catch_exec(struct cmd_ctx *ctx)
{
	const char *event = cmd_arg_text(ctx, "event");
	const char *name = cmd_arg_text(ctx, "name");
	FX_AUTO_FREE char *what =
		name ? fx_xasprintf("%s %s", event, name) : fx_xstrdup(event);
	struct fx_breakpoint_spec spec = { .kind = FX_STOP_KIND_CATCH,
		.what = what,
		.condition = cmd_arg_text(ctx, "if"),
		.is_temporary = ctx->entry->variant };

	if (name && !fx_str_equal(event, "pass"))
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "catch %s takes no name", event),
			"catch %s", event);
	return set(ctx, &spec);
}

/* The breakpoints at a place, or at the node of the stop. */
struct fx_error *
cmd_clear_exec(struct cmd_ctx *ctx)
{
	const char *where = cmd_arg_text(ctx, "where");
	FX_AUTO_BUF struct fx_buf numbers = { 0 };
	FX_AUTO_FREE char *here = NULL;
	struct fx_error *err = NULL;
	struct fx_node *node;

	if (!where)
		err = cmd_here(ctx, &node);
	if (err)
		return fx_error_hint(err, "clear NODE");
	if (!where)
		where = here = fx_xasprintf("%%%s", node->name);
	err = fx_breakpoint_clear(ctx->session, ctx->model, where, &numbers);
	if (err)
		return err;
	out_value_text(ctx->out, "numbers", fx_buf_text(&numbers));
	out_line(ctx->out, FX_ROLE_BREAKPOINT, "Deleted breakpoint%s %s",
		strchr(fx_buf_text(&numbers), ' ') ? "s" : "",
		fx_buf_text(&numbers));
	return NULL;
}

bool
cmd_caught(struct cmd_ctx *ctx, const char *event, const char *name)
{
	FX_AUTO_STOP struct fx_stop stop = { .number = 0 };

	/* One at a time: what is refused is not caught. */
	if (fx_session_passing(ctx->session) ||
		!fx_breakpoint_catch(ctx->session, event, name, &stop))
		return false;
	if (!cmd_stop_is_silent(stop.commands))
		out_line(ctx->out, FX_ROLE_BREAKPOINT, "Catchpoint %d: %s%s%s",
			stop.number, event, name ? " " : "", name ? name : "");
	cmd_stop_commands_note(ctx->shell, stop.commands, stop.number, 0);
	return true;
}

/* LOCATION,"FORMAT",ARGUMENTS: the first comma outside of brackets. */
struct fx_error *
cmd_dprintf_exec(struct cmd_ctx *ctx)
{
	const char *text = cmd_arg_text(ctx, "text");
	const char *format = strstr(text, ",\"");
	FX_AUTO_FREE char *where = NULL;
	struct fx_breakpoint_spec spec = { .kind = FX_STOP_KIND_DPRINTF,
		.is_pending = !strncmp(text, "-p ", 3) };
	struct fx_error *err;

	if (spec.is_pending)
		text += strspn(text + 3, " ") + 3;
	if (!format)
		format = strstr(text, ", \"");
	if (!format || format == text)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "dprintf: expected a place, a "
					     "comma and a "
					     "format in double quotes"),
			"dprintf {op=call_module},\"%%s %%s\\n\",name,stats");
	where = fx_xstrndup(text, (size_t)(format - text));
	spec.where = where;
	format++;
	spec.what = format + strspn(format, " ");
	err = cmd_check_format(ctx, "dprintf", spec.what);
	return err ? err : set(ctx, &spec);
}

struct fx_error *
cmd_rbreak_exec(struct cmd_ctx *ctx)
{
	const char *pattern = cmd_arg_text(ctx, "pattern");
	FX_AUTO_FREE char *where = NULL;

	if (strchr(pattern, '"'))
		return fx_error_new(FX_ERR_USAGE,
			"rbreak: names of nodes have no quotes");
	where = fx_xasprintf("{name~r\"%s\"}", pattern);
	return cmd_break_at(ctx, where);
}

/* --- commands ----------------------------------------------------------------
 */

static FX_NODISCARD struct fx_error *
give_commands(struct cmd_ctx *ctx, int number)
{
	return fx_breakpoint_set_commands(ctx->session, number,
		ctx->shell->stop_commands.given);
}

/* Without a number, of the one that was set last. */
struct fx_error *
cmd_commands_exec(struct cmd_ctx *ctx)
{
	FX_AUTO_FREE char *lines = NULL;
	int last = fx_breakpoint_last(ctx->session);
	struct fx_error *err = NULL;

	if (cmd_arg_count(ctx, "numbers"))
		err = cmd_check_numbers(ctx);
	else if (!fx_breakpoint_find(ctx->session, last))
		err = fx_error_hint(fx_error_new(FX_ERR_NO_NAME,
					    "there is no breakpoint yet"),
			"break NODE, or watch nonfinite, then commands");
	/* As for define: nobody need type lines for nothing. */
	if (!err || ctx->shell->script) {
		struct fx_error *unread =
			cmd_read_block(ctx->shell, "commands", &lines);

		if (err)
			fx_error_free(unread);
		else
			err = unread;
	}
	if (err)
		return err;
	if (!cmd_arg_count(ctx, "numbers"))
		return fx_breakpoint_set_commands(ctx->session, last, lines);
	ctx->shell->stop_commands.given = lines;
	err = cmd_do_numbers(ctx, give_commands);
	ctx->shell->stop_commands.given = NULL;
	return err;
}

/* --- info breakpoints -------------------------------------------------------
 */

static void
cell_state(struct cmd_ctx *ctx, const struct fx_breakpoint *breakpoint)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_breakpoint_print_state(breakpoint, &text);
	out_cell(ctx->out, FX_ROLE_STATE, "%s", fx_buf_text(&text));
}

static void
cell_place(struct cmd_ctx *ctx, const struct fx_breakpoint *breakpoint)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_breakpoint_print_place(ctx->session, breakpoint, &text);
	out_cell(ctx->out, FX_ROLE_NODE, "%s", fx_buf_text(&text));
}

/* `info breakpoints 2`: that one alone; *ONLY_RET is 0 for all. */
static FX_NODISCARD struct fx_error *
asked_for(struct cmd_ctx *ctx, int *only_ret)
{
	const char *text = strcmp(ctx->entry->name, "info") != 0
				   ? NULL
				   : cmd_arg_text(ctx, "which");
	char *end;
	long number;

	*only_ret = 0;
	if (!text)
		return NULL;
	number = strtol(text, &end, 10);
	if (*end || number < 1 || number > INT32_MAX)
		return fx_error_new(FX_ERR_USAGE,
			"info breakpoints: expected a number, got \"%s\"",
			text);
	*only_ret = (int)number;
	if (fx_breakpoint_find(ctx->session, *only_ret))
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_NO_NAME,
				     "there is no breakpoint %d", *only_ret),
		"info breakpoints lists them");
}

/* The lines that they run, below the table. */
static void
say_commands(struct cmd_ctx *ctx, int only)
{
	for (size_t i = 0; i < fx_breakpoint_count(ctx->session); i++) {
		const struct fx_breakpoint *b =
			fx_breakpoint_at(ctx->session, i);
		const char *line = b->commands;

		if (only && b->number != only)
			continue;
		if (line)
			out_line(ctx->out, FX_ROLE_PLAIN,
				"%d runs:", b->number);
		while (line && *line) {
			size_t length = strcspn(line, "\n");

			out_line(ctx->out, FX_ROLE_PLAIN, "    %.*s",
				(int)length, line);
			line += length + (line[length] != 0);
		}
	}
}

/* The graph that B is of. */
static const char *
graph_of(const struct fx_breakpoint *b)
{
	const struct fx_model *model;
	const char *path = fx_breakpoint_graph(b, &model);

	return fx_intern_format("%s%s", fx_model_name(model), path);
}

/* Whether places do not tell which graph they are of: of another graph that is
 * open, or of all nodes or a set of one within.
 */
static bool
has_other_graphs(struct cmd_ctx *ctx)
{
	for (size_t i = 0; i < fx_breakpoint_count(ctx->session); i++) {
		const struct fx_breakpoint *b =
			fx_breakpoint_at(ctx->session, i);
		const struct fx_model *model;
		const char *path = fx_breakpoint_graph(b, &model);

		if (model != ctx->model ||
			(*path && b->kind != FX_STOP_KIND_CATCH &&
				(b->is_set || !*b->where)))
			return true;
	}
	return false;
}

struct fx_error *
cmd_say_breakpoints(struct cmd_ctx *ctx)
{
	static const char *const plain[] = { "number", "state", "where",
		"condition", "nodes", "hits", "~graph", "~enabled",
		"~temporary", "~pending", "~ignore", "~kind", "~commands" };
	static const char *const several[] = { "number", "state", "where",
		"condition", "nodes", "hits", "graph", "~enabled", "~temporary",
		"~pending", "~ignore", "~kind", "~commands" };
	const char *const *keys = has_other_graphs(ctx) ? several : plain;
	size_t count = fx_breakpoint_count(ctx->session);
	int only;
	struct fx_error *err = asked_for(ctx, &only);
	size_t i;

	if (err)
		return err;
	if (!count)
		out_line(ctx->out, FX_ROLE_PLAIN, "No breakpoints.");
	out_table_begin(ctx->out, "breakpoints", FX_ARRAY_LEN(plain), keys);
	for (i = 0; i < count; i++) {
		const struct fx_breakpoint *b =
			fx_breakpoint_at(ctx->session, i);

		if (only && b->number != only)
			continue;
		out_cell_int(ctx->out, FX_ROLE_NUMBER, b->number);
		cell_state(ctx, b);
		cell_place(ctx, b);
		if (b->condition)
			out_cell(ctx->out, FX_ROLE_PLAIN, "%s", b->condition);
		else
			out_cell_none(ctx->out, "");
		if (b->match_count || b->is_pending)
			out_cell_int(ctx->out, FX_ROLE_NUMBER,
				(int64_t)b->match_count);
		else
			out_cell_none(ctx->out, "");
		out_cell_int(ctx->out, FX_ROLE_NUMBER, (int64_t)b->hit_count);
		out_cell(ctx->out, FX_ROLE_PATH, "%s", graph_of(b));
		out_cell_bool(ctx->out, FX_ROLE_PLAIN, b->is_enabled);
		out_cell_bool(ctx->out, FX_ROLE_PLAIN, b->is_temporary);
		out_cell_bool(ctx->out, FX_ROLE_PLAIN, b->is_pending);
		out_cell_int(ctx->out, FX_ROLE_NUMBER,
			(int64_t)b->ignore_count);
		out_cell(ctx->out, FX_ROLE_KEYWORD, "%s",
			fx_stop_kind_word(b->kind));
		if (b->commands)
			out_cell(ctx->out, FX_ROLE_PLAIN, "%s", b->commands);
		else
			out_cell_none(ctx->out, "");
	}
	out_table_end(ctx->out);
	say_commands(ctx, only);
	return NULL;
}

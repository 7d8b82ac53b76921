/* stop.c - what a movement came to: the reason, the place, displays. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/shell.h"
#include "commands/verbs/show.h"
#include "commands/verbs/tensor_rows.h"
#include "ir/graph.h"
#include "run/datum.h"
#include "run/values.h"
#include "session/display.h"
#include "session/model.h"
#include "session/position.h"
#include "session/resolve.h"
#include "session/session.h"

/* Append " (%act)" where EXPRESSION names a node by its place. */
static void
add_place(struct cmd_ctx *ctx, const char *expression, struct fx_buf *text)
{
	FX_AUTO_ERROR struct fx_error *err = NULL;
	struct fx_node *node;

	if (!ctx->model || !strchr(".@$", *expression))
		return;
	err = fx_resolve_node(ctx->session, ctx->model, expression, &node);
	if (!err)
		fx_buf_addf(text, " (%%%s)", node->name);
}

void
cmd_say_display(struct cmd_ctx *ctx, int number, const char *expression,
	const char *format)
{
	FX_AUTO_BUF struct fx_buf place = { 0 };
	FX_AUTO_BUF struct fx_buf text = { 0 };
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	FX_AUTO_ERROR struct fx_error *err =
		cmd_evaluate(ctx, expression, &datum);

	if (!err)
		err = cmd_print_datum(ctx, datum, format ? format : "", &text);
	if (err) {
		fx_buf_clear(&text);
		fx_buf_addf(&text, "(%s)", fx_error_message(err));
	} else {
		add_place(ctx, expression, &place);
	}
	out_piece(ctx->out, FX_ROLE_NUMBER, "%d: ", number);
	out_piece(ctx->out, FX_ROLE_PLAIN, "%s%s =", expression,
		fx_buf_text(&place));
	cmd_say_value(ctx, err ? FX_ROLE_MUTED : FX_ROLE_NUMBER,
		fx_buf_text(&text));
}

static void
say_place(struct cmd_ctx *ctx, const struct fx_stop *stop)
{
	FX_AUTO_BUF struct fx_buf source = { 0 };
	size_t turn = fx_position_turn(ctx->model);
	const char *scope;

	/* Behind the output of a nested graph, before what runs it goes on. */
	if (!stop->node && fx_position_depth(ctx->model) && turn)
		out_line(ctx->out, FX_ROLE_PLAIN,
			"=> at the end of %s, turn %zu",
			fx_position_graph_name(ctx->model), turn);
	else if (!stop->node && fx_position_depth(ctx->model))
		out_line(ctx->out, FX_ROLE_PLAIN, "=> at the end of %s",
			fx_position_graph_name(ctx->model));
	if (!stop->node)
		return;
	cmd_say_node(ctx, stop->node, true);
	scope = cmd_node_scope(stop->node);
	if (turn)
		fx_buf_addf(&source, "turn %zu%s", turn,
			stop->node->source ? "  " : "");
	cmd_add_source(&source, stop->node, false);
	if (*scope || source.length) {
		out_piece(ctx->out, FX_ROLE_SCOPE, "    %s", scope);
		out_piece(ctx->out, FX_ROLE_PATH, "%s%s",
			*scope && source.length ? "  " : "",
			fx_buf_text(&source));
		out_line_end(ctx->out);
	}
}

static void
say_displays(struct cmd_ctx *ctx)
{
	const char *expression;
	const char *format;
	int number;

	for (size_t i = 0; i < fx_display_count(ctx->session); i++) {
		fx_display_at(ctx->session, i, &number, &expression, &format);
		cmd_say_display(ctx, number, expression, format);
	}
}

static void
say_failure(struct cmd_ctx *ctx, const struct fx_stop *stop)
{
	const struct fx_error *err = stop->error;
	FX_AUTO_FREE char *here = NULL;
	size_t i;

	if (!err)
		return;
	/* The first line tells where. */
	if (stop->failed)
		here = fx_xasprintf("at %%%s", stop->failed->name);
	if (stop->failed)
		out_line(ctx->out, FX_ROLE_ERROR, "Stopped at @%zu %s: %s",
			fx_graph_position(stop->failed->graph, stop->failed),
			stop->failed->name, fx_error_message(err));
	else
		out_line(ctx->out, FX_ROLE_ERROR, "Stopped: %s",
			fx_error_message(err));
	for (i = 0; i < fx_error_note_count(err); i++) {
		const char *note = fx_error_note_text(err, i);

		if (!fx_str_equal(note, here) &&
			(!i || !fx_str_equal(note,
				       fx_error_note_text(err, i - 1))))
			out_line(ctx->out, FX_ROLE_PLAIN, "  %s", note);
	}
	if (fx_error_hint_text(err))
		out_line(ctx->out, FX_ROLE_NOTE, "  hint: %s",
			fx_error_hint_text(err));
	else
		cmd_say_default(ctx, stop->failed);
}

/* Print the result of the graph.  Returns false if its values are not known. */
static bool
say_result(struct cmd_ctx *ctx, const struct fx_node *output)
{
	FX_AUTO_FREE char *name = fx_xasprintf("%%%s", output->name);
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	FX_AUTO_BUF struct fx_buf text = { 0 };
	FX_AUTO_ERROR struct fx_error *err = cmd_evaluate(ctx, name, &datum);

	if (err || !fx_values_known(datum))
		return false;
	err = cmd_print_datum(ctx, datum, "", &text);
	if (err)
		return false;
	out_line(ctx->out, FX_ROLE_PLAIN, "Finished. %s %s", output->name,
		fx_buf_text(&text));
	return true;
}

/* Of a result that is a tuple, each tensor. */
static void
say_parts(struct cmd_ctx *ctx, const struct fx_node *output)
{
	FX_AUTO_KNOWN struct cmd_known known = cmd_known_of(ctx, output);

	cmd_say_elements(ctx, output, &known);
}

static void
say_finished(struct cmd_ctx *ctx)
{
	struct fx_node *output = fx_graph_output(fx_model_graph(ctx->model));
	FX_AUTO_BUF struct fx_buf shape = { 0 };

	if (output && say_result(ctx, output))
		return;
	if (output)
		cmd_add_shape(&shape, output);
	out_line(ctx->out, FX_ROLE_PLAIN, "Finished%s.%s%s%s%s",
		fx_model_has_values(ctx->model) ? "" : ", shapes only",
		shape.length ? " " : "", shape.length ? output->name : "",
		shape.length ? " " : "", fx_buf_text(&shape));
	if (output)
		say_parts(ctx, output);
}

static void
say_at_end(struct cmd_ctx *ctx, const struct fx_stop *stop)
{
	out_line(ctx->out, FX_ROLE_PLAIN,
		"At the end: nothing after @%zu; run starts over, reverse-step "
		"and goto @N go back.",
		stop->position - 1);
}

static const char *
stop_word(enum fx_stop_reason reason)
{
	static const char *const words[] = {
		[FX_STOP_STEP] = "step",
		[FX_STOP_BREAKPOINT] = "breakpoint",
		[FX_STOP_WATCH] = "watch",
		[FX_STOP_TARGET] = "target",
		[FX_STOP_END] = "end",
		[FX_STOP_BEGIN] = "begin",
		[FX_STOP_ERROR] = "error",
		[FX_STOP_INTERRUPT] = "interrupt",
	};

	return words[reason];
}

const char *
cmd_breakpoint_kind(bool is_temporary)
{
	return is_temporary ? "Temporary breakpoint" : "Breakpoint";
}

/* The error of a condition, or of the expression of a watch. */
static void
say_stop_error(struct cmd_ctx *ctx, const struct fx_error *err)
{
	size_t notes = err ? fx_error_note_count(err) : 0;

	if (err)
		out_line(ctx->out, FX_ROLE_ERROR, "error %s: %s",
			notes ? fx_error_note_text(err, notes - 1) : "",
			fx_error_message(err));
}

/* Print which breakpoint stopped.  A breakpoint whose condition fails stops
 * too, as in gdb, and the error is printed.
 */
static void
say_breakpoint(struct cmd_ctx *ctx, const struct fx_stop *stop)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	if (stop->condition && !stop->error)
		cmd_add_condition(ctx, stop->condition, &text);
	out_line(ctx->out, FX_ROLE_BREAKPOINT, "%s %d%s",
		cmd_breakpoint_kind(stop->is_temporary), stop->number,
		fx_buf_text(&text));
	say_stop_error(ctx, stop->error);
}

/* "Watch 1: nonfinite, after @105 layer3_2_bn2: 196 NaN of 50176, ...". */
static void
say_watch(struct cmd_ctx *ctx, const struct fx_stop *stop)
{
	FX_AUTO_FREE char *title = fx_xasprintf("%s %d: %s, %s ",
		fx_stop_kind_title(stop->kind), stop->number, stop->what,
		stop->is_back ? "before" : "after");
	FX_AUTO_BUF struct fx_buf condition = { 0 };

	out_value_int(ctx->out, "number", stop->number);
	out_value_text(ctx->out, "watched", stop->watched->name);
	if (stop->nonfinite.node)
		cmd_say_nonfinite(ctx, title, &stop->nonfinite);
	else
		out_line(ctx->out, FX_ROLE_BREAKPOINT, "%s@%zu %s: %s", title,
			fx_graph_position(stop->watched->graph, stop->watched),
			stop->watched->name, stop->says);
	if (stop->condition && !stop->error) {
		cmd_add_condition(ctx, stop->condition, &condition);
		out_line(ctx->out, FX_ROLE_PLAIN, "  if%s",
			fx_buf_text(&condition) + 1);
	}
	say_stop_error(ctx, stop->error);
}

/* What stopped there beside the first. */
static void
say_others(struct cmd_ctx *ctx, const struct fx_stop *stop)
{
	if (!stop->others)
		return;
	out_value_text(ctx->out, "also", stop->others);
	out_line(ctx->out, FX_ROLE_BREAKPOINT, "  also %s", stop->others);
}

static void
say_reason(struct cmd_ctx *ctx, const struct fx_stop *stop)
{
	switch (stop->reason) {
	case FX_STOP_BREAKPOINT:
		say_breakpoint(ctx, stop);
		break;
	case FX_STOP_WATCH:
		say_watch(ctx, stop);
		break;
	case FX_STOP_END:
		if (stop->stayed)
			say_at_end(ctx, stop);
		else
			say_finished(ctx);
		if (!stop->stayed)
			cmd_say_first_nonfinite(ctx);
		break;
	case FX_STOP_BEGIN:
		out_line(ctx->out, FX_ROLE_PLAIN,
			"At the beginning: nothing before @%zu.",
			stop->position);
		break;
	case FX_STOP_ERROR:
		if (stop->number)
			out_line(ctx->out, FX_ROLE_BREAKPOINT,
				"Catchpoint %d: error", stop->number);
		say_failure(ctx, stop);
		break;
	case FX_STOP_INTERRUPT:
		out_line(ctx->out, FX_ROLE_PLAIN,
			"Interrupted before @%zu (%.1f s); state kept",
			stop->position, stop->seconds);
		break;
	case FX_STOP_STEP:
	case FX_STOP_TARGET:
		break;
	}
}

/* How much an edit cost: what ran for it, and how much of that a second time.
 */
static void
say_again(struct cmd_ctx *ctx, const struct fx_stop *stop)
{
	if (!stop->again)
		return;
	if (stop->executed > stop->again)
		out_note(ctx->out, "%zu nodes ran, %zu of them again",
			stop->executed, stop->again);
	else
		out_note(ctx->out, "%zu node%s ran again", stop->again,
			stop->again == 1 ? "" : "s");
}

/* Whether it went where it should. */
static bool
is_there(const struct fx_stop *stop)
{
	return stop->reason == FX_STOP_END || stop->reason == FX_STOP_TARGET;
}

void
cmd_say_stop(struct cmd_ctx *ctx, struct fx_stop *stop)
{
	ctx->shell->has_listed = false;
	free(FX_TAKE(ctx->shell->asserted));
	out_value_text(ctx->out, "stop", stop_word(stop->reason));
	out_value_int(ctx->out, "position", (int64_t)stop->position);
	out_value_text(ctx->out, "node", stop->node ? stop->node->name : NULL);
	out_value_int(ctx->out, "executed", (int64_t)stop->executed);
	out_value_int(ctx->out, "again", (int64_t)stop->again);
	out_value_bool(ctx->out, "values", fx_model_has_values(ctx->model));
	cmd_stop_commands_note(ctx->shell, stop->commands,
		stop->others ? 0 : stop->number, stop->position);
	if (cmd_stop_is_silent(stop->commands))
		return;
	say_again(ctx, stop);
	if (stop->reason == FX_STOP_ERROR ||
		(stop->executed && is_there(stop) &&
			fx_model_lacks_values(ctx->model)))
		cmd_shell_report_stop(ctx->shell);
	say_reason(ctx, stop);
	say_others(ctx, stop);
	say_place(ctx, stop);
	if (stop->node || (stop->reason == FX_STOP_END && !stop->stayed))
		say_displays(ctx);
	if (stop->node)
		cmd_say_context(ctx);
	if (stop->node)
		fx_session_examine(ctx->session, stop->node);
}

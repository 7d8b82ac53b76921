/* checkpoint.c - checkpoint, restart, delete checkpoint, info checkpoints. */
#include <config.h>

#include "session/checkpoint.h"

#include <string.h>

#include "base/buf.h"
#include "base/number.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/breakpoint.h"
#include "commands/verbs/edit.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "session/model.h"
#include "session/position.h"
#include "session/session.h"

/* "before @4 fc2", "turn 3, before @2 add in body_0", "at the end". */
static void
add_place(const struct fx_checkpoint_facts *facts, struct fx_buf *out)
{
	if (!facts->is_started) {
		fx_buf_add(out, "not started");
		return;
	}
	if (facts->turn)
		fx_buf_addf(out, "turn %zu, ", facts->turn);
	if (facts->node)
		fx_buf_addf(out, "before @%zu %s", facts->position,
			facts->node);
	else
		fx_buf_add(out, "at the end");
	if (facts->graph)
		fx_buf_addf(out, " in %s", facts->graph);
}

struct fx_error *
cmd_checkpoint_exec(struct cmd_ctx *ctx)
{
	FX_AUTO_BUF struct fx_buf place = { 0 };
	const struct fx_checkpoint *checkpoint;
	struct fx_checkpoint_facts facts;
	struct fx_error *err = fx_checkpoint_add(ctx->session, ctx->model,
		cmd_arg_text(ctx, "name"), &checkpoint);

	if (err)
		return err;
	facts = fx_checkpoint_facts(checkpoint);
	add_place(&facts, &place);
	out_value_int(ctx->out, "number", facts.number);
	out_line(ctx->out, FX_ROLE_BREAKPOINT, "Checkpoint %d%s%s: %s, t%u",
		facts.number, facts.name ? " " : "",
		facts.name ? facts.name : "", fx_buf_text(&place), facts.time);
	if (facts.is_spoilt)
		out_note(ctx->out, "%s: restart %d computes the values again",
			facts.why, facts.number);
	return NULL;
}

/* The checkpoint that the argument says, of the graph that is open. */
static FX_NODISCARD struct fx_error *
find_one(struct cmd_ctx *ctx, const struct fx_checkpoint **ret)
{
	const char *text = cmd_arg_text(ctx, "checkpoint");
	struct fx_checkpoint_facts facts;
	struct fx_error *err = fx_checkpoint_find(ctx->session, text, ret);

	if (err)
		return err;
	facts = fx_checkpoint_facts(*ret);
	if (facts.model == ctx->model)
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_USAGE,
				     "checkpoint %s is of %s", text,
				     fx_model_name(facts.model)),
		"graph %s", fx_model_name(facts.model));
}

struct fx_error *
cmd_restart_exec(struct cmd_ctx *ctx)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };
	FX_AUTO_STOP struct fx_stop stop = { 0 };
	const struct fx_checkpoint *checkpoint;
	uint32_t before = fx_journal_now(fx_model_graph(ctx->model));
	struct fx_checkpoint_facts facts;
	struct fx_error *err = find_one(ctx, &checkpoint);

	if (err)
		return err;
	facts = fx_checkpoint_facts(checkpoint);
	err = fx_checkpoint_restart(ctx->session, checkpoint, &report, &stop);
	if (err)
		return err;
	if (facts.time != before) {
		report.position_moved = false;
		cmd_say_edit(ctx, &report);
	}
	if (!facts.is_started) {
		out_line(ctx->out, FX_ROLE_PLAIN,
			"Checkpoint %d: %s is not started.", facts.number,
			fx_model_name(ctx->model));
		return NULL;
	}
	if (facts.is_spoilt && stop.executed)
		out_note(ctx->out, "%s: %zu node%s ran again", facts.why,
			stop.executed, stop.executed == 1 ? "" : "s");
	cmd_say_stop(ctx, &stop);
	if (stop.reason == FX_STOP_INTERRUPT && !cmd_is_typed(ctx))
		return fx_error_new(FX_ERR_INTERRUPTED, "interrupted");
	return NULL;
}

/* Whether TEXT is a range of numbers, "1-3". */
static bool
read_range(const char *text, int64_t *first_ret, int64_t *last_ret)
{
	const char *dash = strchr(text, '-');

	return dash &&
	       fx_number_parse_int(text, (size_t)(dash - text), first_ret) &&
	       fx_number_parse_int(dash + 1, strlen(dash + 1), last_ret);
}

/* Delete what TEXT names, a number, a name or a range; or only see whether it
 * names some.
 */
static struct fx_error *
delete_checkpoints(struct cmd_ctx *ctx, const char *text, bool is_done)
{
	const struct fx_checkpoint *checkpoint;
	int64_t first;
	int64_t last;
	bool has_some = false;
	struct fx_error *err;

	if (!read_range(text, &first, &last)) {
		err = fx_checkpoint_find(ctx->session, text, &checkpoint);
		if (!err && is_done)
			fx_checkpoint_delete(ctx->session,
				fx_checkpoint_facts(checkpoint).number);
		return err;
	}
	for (size_t i = fx_checkpoint_count(ctx->session); i-- > 0;) {
		int number =
			fx_checkpoint_facts(fx_checkpoint_at(ctx->session, i))
				.number;

		if (number < first || number > last)
			continue;
		has_some = true;
		if (is_done)
			fx_checkpoint_delete(ctx->session, number);
	}
	if (has_some)
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_NO_NAME,
				     "no checkpoint from %lld to %lld",
				     (long long)first, (long long)last),
		"info checkpoints lists them");
}

struct fx_error *
cmd_delete_checkpoints(struct cmd_ctx *ctx)
{
	size_t count = cmd_arg_count(ctx, "numbers");
	struct fx_error *err = NULL;

	if (count < 2)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "delete checkpoint: expected "
					     "numbers or names"),
			"info checkpoints lists them");
	/* All or none. */
	for (size_t i = 1; i < count && !err; i++)
		err = delete_checkpoints(ctx,
			cmd_arg_text_at(ctx, "numbers", i), false);
	for (size_t i = 1; i < count && !err; i++)
		fx_error_free(delete_checkpoints(ctx,
			cmd_arg_text_at(ctx, "numbers", i), true));
	return err;
}

static void
row(struct cmd_ctx *ctx, const struct fx_checkpoint_facts *facts)
{
	FX_AUTO_BUF struct fx_buf place = { 0 };

	add_place(facts, &place);
	out_cell_int(ctx->out, FX_ROLE_NUMBER, facts->number);
	out_cell(ctx->out, FX_ROLE_NODE, "%s", facts->name ? facts->name : "");
	out_cell(ctx->out, FX_ROLE_NODE, "%s", fx_model_name(facts->model));
	out_cell(ctx->out, FX_ROLE_NUMBER, "t%u", facts->time);
	out_cell(ctx->out, FX_ROLE_PLAIN, "%s", fx_buf_text(&place));
	out_cell_int(ctx->out, FX_ROLE_NUMBER, (int64_t)facts->kept);
	out_cell(ctx->out, FX_ROLE_MUTED, "%s%s",
		facts->why ? "runs again: " : "", facts->why ? facts->why : "");
}

struct fx_error *
cmd_say_checkpoints(struct cmd_ctx *ctx)
{
	static const char *const keys[] = { "number", "name", "graph", "time",
		"place", "values", "note" };
	size_t count = fx_checkpoint_count(ctx->session);

	if (!count) {
		out_line(ctx->out, FX_ROLE_PLAIN, "No checkpoints.");
		return NULL;
	}
	out_table_begin(ctx->out, "checkpoints", FX_ARRAY_LEN(keys), keys);
	for (size_t i = 0; i < count; i++) {
		struct fx_checkpoint_facts facts =
			fx_checkpoint_facts(fx_checkpoint_at(ctx->session, i));

		row(ctx, &facts);
	}
	out_table_end(ctx->out);
	return NULL;
}

/* specialisations.c - what a recorded run decided, and what of it holds for the
 * inputs of now; and which modules a trace kept whole.
 */
#include <config.h>

#include "commands/out/out.h"
#include "commands/shell/shell.h"
#include "commands/verbs/trace.h"
#include "ir/decided.h"
#include "session/capture.h"
#include "session/decisions.h"
#include "session/model.h"

static void
say_place(struct out *out, const char *file, int line)
{
	if (line)
		out_cell(out, FX_ROLE_PATH, "%s:%d", file, line);
	else
		out_cell(out, FX_ROLE_PATH, "%s", file);
}

static void
say_kept(struct out *out, const struct fx_remarks *kept)
{
	static const char *const keys[] = { "line", "what", "module" };

	if (!kept->count)
		return;
	out_table_begin(out, "kept", FX_ARRAY_LEN(keys), keys);
	for (size_t i = 0; i < kept->count; i++) {
		const struct fx_remark *item = &kept->items[i];

		say_place(out, item->file, item->line);
		out_cell(out, FX_ROLE_PLAIN, "%s", item->text);
		out_cell(out, FX_ROLE_PLAIN, "%s", item->value);
	}
	out_table_end(out);
}

static void
say_decided(struct cmd_ctx *ctx, const struct fx_decided *decided)
{
	static const char *const keys[] = { "line", "what", "value", "now" };
	const char *test;
	const char *now;

	if (!decided)
		return;
	out_table_begin(ctx->out, "specialisations", FX_ARRAY_LEN(keys), keys);
	for (; decided; decided = decided->next) {
		enum fx_decision_state state =
			fx_decisions_state(ctx->model, decided, &test, &now);

		say_place(ctx->out, decided->file, decided->line);
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s", decided->text);
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s", decided->value);
		if (state == FX_DECISION_BROKEN)
			out_cell(ctx->out, FX_ROLE_WARNING, "%s: %s is %s",
				fx_decision_word(state), test, now);
		else
			out_cell(ctx->out, FX_ROLE_PLAIN, "%s",
				fx_decision_word(state));
	}
	out_table_end(ctx->out);
}

void
cmd_trace_say_remarks(struct cmd_ctx *ctx)
{
	const struct fx_traced *traced = fx_model_traced(ctx->model);

	say_decided(ctx, fx_graph_decided(fx_model_graph(ctx->model)));
	if (traced)
		say_kept(ctx->out, &traced->kept);
}

size_t
cmd_trace_count_fixed(const struct fx_model *model)
{
	return fx_graph_decided_count(fx_model_graph(model));
}

/* At most so many are said; info trace has all. */
#define SAID_MOST 3

void
cmd_trace_say_fixed(struct cmd_ctx *ctx)
{
	const struct fx_decided *item =
		fx_graph_decided(fx_model_graph(ctx->model));
	size_t counts[FX_DECISION_BROKEN + 1] = { 0 };
	const char *test;
	const char *now;

	for (; item; item = item->next) {
		enum fx_decision_state state =
			fx_decisions_state(ctx->model, item, &test, &now);

		if (state == FX_DECISION_BROKEN && counts[state] < SAID_MOST)
			out_warning(ctx->out,
				"no longer holds: %s:%d \"%s\" was recorded "
				"with %s, and %s is %s now",
				item->file, item->line, item->text, item->value,
				test, now);
		/* What of the inputs is fixed says nothing of another one. */
		counts[state] += item->line > 0;
	}
	if (counts[FX_DECISION_BROKEN])
		out_note(ctx->out,
			"%zu decision%s of the run recorded %s not hold for "
			"this input (info trace): --vary, or a recording of "
			"it, is right for it",
			counts[FX_DECISION_BROKEN],
			counts[FX_DECISION_BROKEN] == 1 ? "" : "s",
			counts[FX_DECISION_BROKEN] == 1 ? "does" : "do");
	if (counts[FX_DECISION_UNKNOWN])
		out_note(ctx->out,
			"%zu decision%s by values: the run says whether %s",
			counts[FX_DECISION_UNKNOWN],
			counts[FX_DECISION_UNKNOWN] == 1 ? "" : "s",
			counts[FX_DECISION_UNKNOWN] == 1 ? "it holds"
							 : "they hold");
	if (counts[FX_DECISION_UNTESTED])
		out_note(ctx->out,
			"the graph is that of the run recorded: on this input "
			"%zu decision%s (info trace) may be another",
			counts[FX_DECISION_UNTESTED],
			counts[FX_DECISION_UNTESTED] == 1 ? "" : "s");
}

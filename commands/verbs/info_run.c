/* info_run.c - info record and info coverage: what was run, what is kept,
 * and what ran it; info locals: what the model's source calls values.
 */
#include <config.h>

#include "base/buf.h"
#include "base/number.h"
#include "commands/out/out.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "ops/optab.h"
#include "session/locals.h"
#include "session/model.h"
#include "session/position.h"
#include "session/session.h"
#include "session/settings.h"

static void
add_size(struct cmd_ctx *ctx, const char *key, size_t bytes)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_number_add_bytes(&text, bytes);
	out_field(ctx->out, key, FX_ROLE_NUMBER, "%s", fx_buf_text(&text));
}

struct fx_error *
cmd_say_record(struct cmd_ctx *ctx)
{
	struct fx_graph *graph = fx_model_graph(ctx->model);
	bool started = fx_position_is_started(ctx->model);
	struct fx_run_stats facts;

	out_record_begin(ctx->out, "record");
	out_field_bool(ctx->out, "started", FX_ROLE_PLAIN, started);
	if (started)
		out_field_int(ctx->out, "position", FX_ROLE_NUMBER,
			(int64_t)fx_position_get(ctx->model));
	out_field_int(ctx->out, "nodes", FX_ROLE_NUMBER,
		(int64_t)graph->node_count);
	out_field_int(ctx->out, "executed", FX_ROLE_NUMBER,
		(int64_t)fx_position_executed(ctx->model));
	fx_position_stats(ctx->model, &facts);
	out_field(ctx->out, "backend", FX_ROLE_PLAIN, "%s",
		fx_model_backend_name(ctx->model));
	out_field_int(ctx->out, "values", FX_ROLE_NUMBER,
		(int64_t)facts.values);
	add_size(ctx, "held", facts.held_bytes);
	add_size(ctx, "overwritten", facts.saved_bytes);
	out_field(ctx->out, "limit", FX_ROLE_NUMBER, "%s",
		fx_settings_text(fx_session_settings(ctx->session),
			FX_SET_RECORD_LIMIT));
	out_field_int(ctx->out, "effects", FX_ROLE_NUMBER,
		(int64_t)facts.effects);
	out_field_int(ctx->out, "dropped", FX_ROLE_NUMBER,
		(int64_t)facts.dropped);
	out_field_int(ctx->out, "summarised", FX_ROLE_NUMBER,
		(int64_t)facts.summarised);
	out_field_int(ctx->out, "recomputed", FX_ROLE_NUMBER,
		(int64_t)facts.recomputed);
	out_field_int(ctx->out, "rerun", FX_ROLE_NUMBER, (int64_t)facts.rerun);
	out_record_end(ctx->out);
	return NULL;
}

/* Print which operations are known to ops.def, which nodes have a shape, and
 * what ran the nodes.
 */
struct fx_error *
cmd_say_coverage(struct cmd_ctx *ctx)
{
	struct fx_graph *graph = fx_model_graph(ctx->model);
	struct fx_run_stats facts;
	int64_t calls = 0;
	int64_t known = 0;
	int64_t shaped = 0;
	struct fx_node *node;

	fx_graph_for_each_node (node, graph) {
		bool called = node->opcode == FX_OPCODE_CALL_FUNCTION ||
			      node->opcode == FX_OPCODE_CALL_METHOD;

		calls += called;
		known += called && node->op != FX_OP_NONE;
		shaped += node->meta && node->meta->kind != FX_VALUE_UNKNOWN;
	}
	fx_position_stats(ctx->model, &facts);
	out_record_begin(ctx->out, "coverage");
	out_field_int(ctx->out, "calls", FX_ROLE_NUMBER, calls);
	out_field_int(ctx->out, "known", FX_ROLE_NUMBER, known);
	out_field_int(ctx->out, "nodes", FX_ROLE_NUMBER,
		(int64_t)graph->node_count);
	out_field_int(ctx->out, "shaped", FX_ROLE_NUMBER, shaped);
	out_field(ctx->out, "backend", FX_ROLE_PLAIN, "%s",
		fx_model_backend_name(ctx->model));
	out_field_int(ctx->out, "ran", FX_ROLE_NUMBER, (int64_t)facts.ran);
	out_field_int(ctx->out, "python", FX_ROLE_NUMBER,
		(int64_t)facts.by_python);
	out_field_int(ctx->out, "failed", FX_ROLE_NUMBER,
		(int64_t)facts.failed);
	out_record_end(ctx->out);
	return NULL;
}

struct fx_error *
cmd_say_locals(struct cmd_ctx *ctx)
{
	static const char *const keys[] = { "name", "node", "1state", "shape" };
	struct fx_locals locals;
	const struct fx_local *local;

	fx_position_locals(ctx->model, &locals);
	out_value_text(ctx->out, "function", locals.function);
	if (!locals.list.count)
		out_line(ctx->out, FX_ROLE_PLAIN, "%s",
			locals.function
				? "No name has a value here yet."
				: "There are names at a stop, where a trace "
				  "kept the lines of the source.");
	out_table_begin(ctx->out, "locals", FX_ARRAY_LEN(keys), keys);
	fx_vec_for_each (local, &locals.list) {
		out_cell(ctx->out, FX_ROLE_STRING, "%s", local->name);
		out_cell(ctx->out, FX_ROLE_NODE, "%%%s", local->node->name);
		out_cell(ctx->out, FX_ROLE_STATE, "%s",
			fx_model_state(ctx->model, local->node));
		cmd_cell_shape(ctx->out, local->node->meta);
	}
	out_table_end(ctx->out);
	fx_vec_deinit(&locals.list);
	return NULL;
}

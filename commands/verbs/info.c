/* info.c - the command info: the state of something, by word. */
#include <config.h>

#include <string.h>

#include "base/number.h"
#include "base/str.h"
#include "commands/learn/help.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/show.h"
#include "commands/verbs/trace.h"
#include "emit/weights.h"
#include "ir/graph_hash.h"
#include "ir/module.h"
#include "session/model.h"
#include "session/resolve.h"
#include "session/session.h"

/* graph. */

static void
say_opcodes(struct cmd_ctx *ctx, struct fx_graph *graph)
{
	size_t counts[FX_OPCODE_COUNT] = { 0 };
	struct fx_node *node;
	int i;

	fx_graph_for_each_node (node, graph)
		counts[node->opcode]++;
	for (i = 0; i < FX_OPCODE_COUNT; i++)
		if (counts[i])
			out_field_int(ctx->out, fx_opcode_word(i),
				FX_ROLE_NUMBER, (int64_t)counts[i]);
}

static void
say_bytes(struct cmd_ctx *ctx, const char *key, uint64_t bytes)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_number_add_bytes(&text, bytes);
	out_field(ctx->out, key, FX_ROLE_NUMBER, "%s", fx_buf_text(&text));
}

/* Print how many bytes the weights of the model have, and how much memory is in
 * use: that of the graph and of the weights that are loaded.
 */
static void
say_memory(struct cmd_ctx *ctx, struct fx_graph *graph)
{
	uint64_t present;
	uint64_t weights = fx_module_bytes(graph->module, &present);

	say_bytes(ctx, "weight_bytes", weights);
	say_bytes(ctx, "memory", fx_graph_memory(graph) + present);
}

/* Apart from the graph's hash, which is the same whatever was fetched. */
static void
say_weights(struct cmd_ctx *ctx, struct fx_graph *graph)
{
	FX_AUTO_WEIGHTS struct fx_weights weights = { 0 };
	struct fx_hash digest;
	char text[33];

	fx_weights_collect(&weights, graph);
	if (!fx_weights_have_bytes(&weights))
		return;
	digest = fx_weights_digest(&weights);
	fx_hash_text(digest, text);
	out_field(ctx->out, "weights", FX_ROLE_MUTED, "%s", text);
}

static struct fx_error *
info_graph(struct cmd_ctx *ctx)
{
	struct fx_graph *graph = fx_model_graph(ctx->model);
	const char *path = fx_model_path(ctx->model);
	char hash[33];

	fx_hash_text(fx_graph_hash(graph), hash);
	out_record_begin(ctx->out, "graph");
	out_field(ctx->out, "name", FX_ROLE_NODE, "%s",
		fx_model_name(ctx->model));
	if (graph->class_name)
		out_field(ctx->out, "class", FX_ROLE_TARGET, "%s",
			graph->class_name);
	if (path)
		out_field(ctx->out, "file", FX_ROLE_PATH, "%s", path);
	if (graph->origin)
		out_field(ctx->out, "origin", FX_ROLE_PLAIN, "%s",
			graph->origin);
	out_field(ctx->out, "dialect", FX_ROLE_PLAIN, "%s",
		graph->dialect ? graph->dialect : "2.x");
	out_field_int(ctx->out, "nodes", FX_ROLE_NUMBER,
		(int64_t)graph->node_count);
	say_opcodes(ctx, graph);
	out_field_int(ctx->out, "parameters", FX_ROLE_NUMBER,
		(int64_t)fx_module_parameter_count(graph->module));
	out_field(ctx->out, "hash", FX_ROLE_MUTED, "%s", hash);
	say_weights(ctx, graph);
	out_field_int(ctx->out, "undo", FX_ROLE_NUMBER,
		(int64_t)fx_journal_undo_count(graph));
	out_field_bool(ctx->out, "unsaved", FX_ROLE_PLAIN,
		fx_model_is_unsaved(ctx->model));
	say_memory(ctx, graph);
	cmd_trace_say_process(ctx);
	out_record_end(ctx->out);
	return NULL;
}

/* inputs. */

struct fx_error *
cmd_say_inputs(struct cmd_ctx *ctx)
{
	static const char *const keys[] = { "name", "target", "~dtype", "shape",
		"value" };
	struct fx_graph *graph = fx_model_graph(ctx->model);
	struct fx_node *node;

	cmd_say_whole(ctx);
	out_table_begin(ctx->out, "inputs", FX_ARRAY_LEN(keys), keys);
	fx_graph_for_each_node (node, graph) {
		const char *text;

		if (node->opcode != FX_OPCODE_PLACEHOLDER)
			continue;
		text = fx_model_input_text(ctx->model, node);
		out_cell(ctx->out, FX_ROLE_NODE, "%s", node->name);
		out_cell(ctx->out, FX_ROLE_TARGET, "%s", node->target);
		cmd_cell_dtype(ctx->out, node->meta);
		cmd_cell_shape(ctx->out, node->meta);
		if (text)
			out_cell(ctx->out, FX_ROLE_PLAIN, "%s", text);
		else
			out_cell_none(ctx->out, "");
	}
	out_table_end(ctx->out);
	return NULL;
}

/* history, trace. */

/* The transactions that made or changed NODE. */
static struct fx_error *
history_of(struct cmd_ctx *ctx, const struct fx_node *node)
{
	static const char *const keys[] = { "time", "what", "maker",
		"command" };
	struct fx_graph *graph = fx_model_graph(ctx->model);
	uint32_t id = 0;
	bool found = false;

	out_table_begin(ctx->out, "history", FX_ARRAY_LEN(keys), keys);
	do {
		const struct fx_transaction *t = fx_journal_get(graph, id);
		FX_AUTO_FREE struct fx_touched *touched = NULL;
		size_t count = 0;
		size_t i;

		if (t && id)
			fx_journal_touched(graph, id, &touched, &count);
		for (i = 0; i < count; i++)
			if (touched[i].node == node->id)
				break;
		if (t && (i < count || id == node->born)) {
			found = true;
			out_cell(ctx->out, FX_ROLE_NUMBER, "t%u", id);
			out_cell(ctx->out, FX_ROLE_PLAIN, "%s",
				id == node->born ? "made" : "changed");
			out_cell(ctx->out, FX_ROLE_MUTED, "%s",
				t->maker ? t->maker : "");
			out_cell(ctx->out, FX_ROLE_PLAIN, "%s", t->command);
		}
		id = fx_journal_after(graph, id);
	} while (id);
	out_table_end(ctx->out);
	if (!found)
		out_line(ctx->out, FX_ROLE_PLAIN, "Nothing is recorded.");
	return NULL;
}

/* The node that the second argument means, or the one at the stop. */
static FX_NODISCARD struct fx_error *
which_node(struct cmd_ctx *ctx, struct fx_node **ret)
{
	const char *text = cmd_arg_text(ctx, "which");

	if (!text)
		return cmd_here(ctx, ret);
	return fx_resolve_node(ctx->session, ctx->model, text, ret);
}

static struct fx_error *
info_history(struct cmd_ctx *ctx)
{
	struct fx_node *node;
	struct fx_error *err = which_node(ctx, &node);

	return err ? err : history_of(ctx, node);
}

static struct fx_error *
info_users(struct cmd_ctx *ctx)
{
	struct fx_node *node;
	struct fx_error *err = which_node(ctx, &node);

	if (err)
		return err;
	cmd_say_users(ctx, node);
	if (!node->user_count)
		out_line(ctx->out, FX_ROLE_PLAIN, "Nothing uses %%%s.",
			node->name);
	return NULL;
}

static struct fx_error *
info_node(struct cmd_ctx *ctx)
{
	struct fx_node *node;
	struct fx_error *err = which_node(ctx, &node);

	return err ? err : cmd_say_node_full(ctx, node);
}

static struct fx_error *
info_trace(struct cmd_ctx *ctx)
{
	struct fx_graph *graph = fx_model_graph(ctx->model);

	out_record_begin(ctx->out, "trace");
	out_field(ctx->out, "origin", FX_ROLE_PLAIN, "%s",
		graph->origin ? graph->origin : "unknown");
	out_field(ctx->out, "dialect", FX_ROLE_PLAIN, "%s",
		graph->dialect ? graph->dialect : "unknown");
	cmd_trace_say_capture(ctx);
	cmd_trace_say_process(ctx);
	out_record_end(ctx->out);
	cmd_trace_say_remarks(ctx);
	return NULL;
}

/* The scope that was entered, or the tree below one that is named. */
static struct fx_error *
info_scope(struct cmd_ctx *ctx)
{
	const char *path = cmd_arg_text(ctx, "which");
	struct fx_error *err;

	if (!path)
		return cmd_say_scope(ctx);
	err = fx_resolve_scope(ctx->model, path, &path);
	if (!err)
		cmd_say_scope_tree(ctx, path, 1);
	return err;
}

static const struct cmd_subject rows[] = {
#define CMD_SUBJECT(word, help, needs_graph, say) \
	{ word, help, needs_graph, say },
#include "commands/learn/subjects.def"
};

const struct cmd_subject *
cmd_subject_at(size_t index)
{
	return index < FX_ARRAY_LEN(rows) ? &rows[index] : NULL;
}

static struct fx_error *
list_words(struct cmd_ctx *ctx)
{
	static const char *const keys[] = { "info", "shows" };
	size_t i;

	out_table_begin(ctx->out, "subjects", FX_ARRAY_LEN(keys), keys);
	for (i = 0; i < FX_ARRAY_LEN(rows); i++) {
		out_cell(ctx->out, FX_ROLE_KEYWORD, "%s", rows[i].word);
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s", rows[i].help);
	}
	out_table_end(ctx->out);
	return NULL;
}

struct fx_error *
cmd_info_exec(struct cmd_ctx *ctx)
{
	const char *what = cmd_arg_text(ctx, "subject");
	struct fx_model *model;
	size_t i;

	if (!what)
		return list_words(ctx);
	for (i = 0; i < FX_ARRAY_LEN(rows); i++)
		if (!strcmp(rows[i].word, what))
			break;
	fx_assert(i < FX_ARRAY_LEN(rows));
	if (rows[i].needs_graph && !ctx->model)
		return fx_session_need_model(ctx->session, &model);
	return rows[i].say(ctx);
}

/* show.c - showing nodes, stops and edits the same way everywhere. */
#include <config.h>

#include "commands/verbs/show.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/vec.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/size.h"
#include "ir/tensor_meta.h"
#include "ir/value_text.h"
#include "session/model.h"
#include "session/position.h"

void
cmd_add_count(struct fx_buf *out, size_t count, const char *word)
{
	fx_buf_addf(out, "%zu %s%s", count, word, count == 1 ? "" : "s");
}

/* Shapes. */

static void
add_meta(struct fx_buf *out, const struct fx_value *meta)
{
	if (meta && meta->kind != FX_VALUE_UNKNOWN)
		fx_value_print_shape(out, meta, false);
}

void
cmd_add_shape(struct fx_buf *out, const struct fx_node *node)
{
	add_meta(out, node->meta);
}

void
cmd_cell_dtype(struct out *out, const struct fx_value *meta)
{
	if (meta && meta->kind == FX_VALUE_TENSOR &&
		meta->tensor->dtype != FX_DTYPE_NONE)
		out_cell(out, FX_ROLE_DTYPE, "%s",
			fx_dtype_info(meta->tensor->dtype)->name);
	else
		out_cell_none(out, "");
}

/* The sizes of META as texts, one behind the other, with pointers to each;
 * false when there are none.  The caller frees *TEXT_RET and *SIZES_RET.
 */
static bool
size_texts(const struct fx_value *meta, char **text_ret,
	const char ***sizes_ret, size_t *count_ret)
{
	const struct fx_tensor_meta *tensor;
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const char **sizes;
	const char *at;
	uint32_t i;

	if (!meta || meta->kind != FX_VALUE_TENSOR || !meta->tensor->has_shape)
		return false;
	tensor = meta->tensor;
	for (i = 0; i < tensor->rank; i++) {
		fx_size_print(&text, tensor->sizes[i]);
		fx_buf_add_char(&text, '\0');
	}
	*text_ret = fx_buf_take(&text);
	sizes = fx_xcalloc(tensor->rank, sizeof(char *));
	at = *text_ret;
	for (i = 0; i < tensor->rank; i++) {
		sizes[i] = at;
		at += strlen(at) + 1;
	}
	*sizes_ret = sizes;
	*count_ret = tensor->rank;
	return true;
}

static void
say_shape(struct out *out, const char *key, const struct fx_value *meta)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	FX_AUTO_FREE char *memory = NULL;
	FX_AUTO_FREE const char **sizes = NULL;
	size_t count = 0;
	bool known = size_texts(meta, &memory, &sizes, &count);
	bool other = !known && meta && meta->kind != FX_VALUE_TENSOR &&
		     meta->kind != FX_VALUE_UNKNOWN;

	add_meta(&text, meta);
	if (other && key)
		out_field(out, key, FX_ROLE_SHAPE, "%s", fx_buf_text(&text));
	else if (other)
		out_cell(out, FX_ROLE_SHAPE, "%s", fx_buf_text(&text));
	else if (key)
		out_field_shape(out, key,
			&(struct out_shape){
				fx_buf_text(&text), sizes, count, known });
	else
		out_cell_shape(out, fx_buf_text(&text), sizes, count, known);
}

void
cmd_cell_shape(struct out *out, const struct fx_value *meta)
{
	say_shape(out, NULL, meta);
}

void
cmd_field_shape(struct out *out, const char *key, const struct fx_value *meta)
{
	say_shape(out, key, meta);
}

void
cmd_cell_sizes(struct out *out, const int64_t *sizes, size_t rank)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	FX_VEC(char *) texts = { 0 };
	size_t i;

	fx_buf_add_char(&text, '[');
	for (i = 0; i < rank; i++) {
		fx_vec_push(&texts, fx_xasprintf("%lld", (long long)sizes[i]));
		fx_buf_addf(&text, "%s%s", i ? "," : "", texts.items[i]);
	}
	fx_buf_add_char(&text, ']');
	out_cell_shape(out, fx_buf_text(&text),
		(const char *const *)texts.items, rank, true);
	while (texts.count)
		free(fx_vec_pop(&texts));
	fx_vec_deinit(&texts);
}

/* Nodes. */

const char *
cmd_node_scope(const struct fx_node *node)
{
	return node->scope ? node->scope->path : "";
}

void
cmd_add_source(struct fx_buf *out, const struct fx_node *node, bool whole)
{
	const struct fx_source_frame *frame;
	const char *file;
	const char *slash;

	if (!node->source || !node->source->count)
		return;
	frame = &node->source->frames[0];
	file = frame->file ? frame->file : "?";
	slash = whole ? NULL : strrchr(file, '/');
	fx_buf_addf(out, "%s:%d", slash ? slash + 1 : file, frame->line);
}

/* Arguments as in a call: %x, 1, dim=2. */
static void
add_arguments(struct fx_buf *out, const struct fx_node *node)
{
	const struct fx_value *kwargs = &node->kwargs;
	uint32_t i;

	for (i = 0; i < node->args.count; i++) {
		if (i)
			fx_buf_add(out, ", ");
		fx_value_print_as(out, &node->args.items[i], FX_STYLE_EXACT);
	}
	for (i = 0; kwargs->kind == FX_VALUE_DICT && i < kwargs->count; i++) {
		if (i || node->args.count)
			fx_buf_add(out, ", ");
		fx_buf_addf(out, "%s=", kwargs->items[2 * i].text);
		fx_value_print_as(out, &kwargs->items[2 * i + 1],
			FX_STYLE_EXACT);
	}
}

void
cmd_add_call(struct fx_buf *out, const struct fx_node *node)
{
	bool called = node->opcode == FX_OPCODE_CALL_FUNCTION ||
		      node->opcode == FX_OPCODE_CALL_METHOD ||
		      node->opcode == FX_OPCODE_CALL_MODULE;

	fx_buf_addf(out, "%s", fx_opcode_word(node->opcode));
	if (node->opcode == FX_OPCODE_OUTPUT) {
		fx_buf_add_char(out, ' ');
		add_arguments(out, node);
		return;
	}
	fx_buf_addf(out, " %s", node->target);
	if (!called)
		return;
	fx_buf_add_char(out, '(');
	add_arguments(out, node);
	fx_buf_add_char(out, ')');
}

void
cmd_say_node(struct cmd_ctx *ctx, struct fx_node *node, bool current)
{
	FX_AUTO_BUF struct fx_buf call = { 0 };
	FX_AUTO_BUF struct fx_buf shape = { 0 };
	size_t position = fx_graph_position(node->graph, node);

	cmd_add_call(&call, node);
	cmd_add_shape(&shape, node);
	out_piece(ctx->out, FX_ROLE_CURRENT, current ? "=>" : "  ");
	out_piece(ctx->out, FX_ROLE_NUMBER, "%4zu ", position);
	out_piece(ctx->out, FX_ROLE_STATE, "%s",
		fx_model_state(ctx->model, node));
	out_piece(ctx->out, FX_ROLE_NODE, "  %s", node->name);
	out_piece(ctx->out, FX_ROLE_PLAIN, "  %s", fx_buf_text(&call));
	if (shape.length)
		out_piece(ctx->out, FX_ROLE_SHAPE, "  %s", fx_buf_text(&shape));
	out_line_end(ctx->out);
}

size_t
cmd_row_limit(const struct cmd_ctx *ctx)
{
	int64_t most = cmd_flag_int(ctx, "max", -1);

	if (out_sorts(ctx->out))
		return 0;
	if (most >= 0)
		return (size_t)most;
	return out_default_rows(ctx->out);
}

size_t
cmd_element_limit(const struct cmd_ctx *ctx)
{
	const struct fx_settings *settings = ctx->shell->settings;
	size_t limit = cmd_row_limit(ctx);

	/* What another program reads is whole. */
	if (limit || out_sorts(ctx->out) || cmd_flag(ctx, "max") ||
		cmd_flag(ctx, "output") || cmd_flag(ctx, "json") ||
		fx_settings_int(settings, FX_SET_OUTPUT))
		return limit;
	return (size_t)fx_settings_int(settings, FX_SET_PRINT_ELEMENTS);
}

void
cmd_say_names(struct out *out, const char *key, const struct fx_node *node,
	bool users)
{
	FX_VEC(const char *) names = { 0 };
	size_t limit = key ? out_default_rows(out) : 0;
	FX_AUTO_FREE char *more = NULL;
	const struct fx_use *use;
	size_t i;

	if (users)
		fx_node_for_each_user (use, node)
			fx_vec_push(&names, use->user->name);
	for (i = 0; !users && i < fx_node_input_count(node); i++)
		fx_vec_push(&names, fx_node_input(node, i)->name);
	if (limit && names.count > limit) {
		more = fx_xasprintf("... %zu more", names.count - limit);
		names.items[limit] = more;
		names.count = limit + 1;
	}
	if (key)
		out_field_list(out, key, FX_ROLE_NODE, names.items,
			names.count);
	else
		out_cell_list(out, FX_ROLE_NODE, names.items, names.count);
	fx_vec_deinit(&names);
}

static void
cell_value(struct out *out, const struct fx_value *value)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_value_print_as(&text, value, FX_STYLE_EXACT);
	out_cell(out, FX_ROLE_PLAIN, "%s", fx_buf_text(&text));
}

static void
node_row(struct cmd_ctx *ctx, struct fx_node *node, size_t position)
{
	FX_AUTO_BUF struct fx_buf source = { 0 };
	struct out *out = ctx->out;

	out_cell_int(out, FX_ROLE_NUMBER, (int64_t)position);
	out_cell(out, FX_ROLE_STATE, "%s", fx_model_state(ctx->model, node));
	out_cell(out, FX_ROLE_NODE, "%s", node->name);
	out_cell(out, FX_ROLE_OP, "%s", fx_opcode_word(node->opcode));
	out_cell(out, FX_ROLE_TARGET, "%s", node->target);
	cell_value(out, &node->args);
	cell_value(out, &node->kwargs);
	cmd_say_names(out, NULL, node, true);
	cmd_say_names(out, NULL, node, false);
	cmd_cell_dtype(out, node->meta);
	cmd_cell_shape(out, node->meta);
	out_cell(out, FX_ROLE_SCOPE, "%s", cmd_node_scope(node));
	cmd_add_source(&source, node, true);
	out_cell(out, FX_ROLE_PATH, "%s", fx_buf_text(&source));
}

struct fx_error *
cmd_say_nodes(struct cmd_ctx *ctx, const size_t *positions, size_t count)
{
	static const char *const keys[] = { "index", "5state", "name", "2op",
		"3target", "~args", "~kwargs", "~users", "~inputs", "~dtype",
		"4shape", "1scope", "~source" };
	struct fx_graph *graph = fx_position_graph(ctx->model);
	size_t limit = cmd_row_limit(ctx);
	size_t first = ctx->is_repeat ? ctx->shell->rows_shown : 0;
	size_t end;
	size_t i;

	if (first >= count)
		first = 0;
	end = limit ? FX_MIN(count, first + limit) : count;
	out_table_begin(ctx->out, "nodes", FX_ARRAY_LEN(keys), keys);
	for (i = first; i < end && out_more(ctx->out); i++)
		node_row(ctx, fx_graph_at(graph, positions[i]), positions[i]);
	if (end < count)
		out_table_more(ctx->out, count - end,
			"-m 0 shows all, Enter goes on");
	out_table_end(ctx->out);
	ctx->shell->rows_shown = end < count ? end : 0;
	return NULL;
}

/* Edits. */

static void
say_touched(struct cmd_ctx *ctx, const struct fx_edit_report *report)
{
	static const struct {
		unsigned how;
		enum fx_role role;
		const char *sign;
	} rows[] = {
		{ FX_TOUCH_CREATED, FX_ROLE_ADDED, "+" },
		{ FX_TOUCH_ERASED, FX_ROLE_REMOVED, "-" },
		{ FX_TOUCH_CHANGED, FX_ROLE_CHANGED, "~" },
	};
	size_t i;
	size_t k;

	for (i = 0; i < report->touched_count; i++) {
		const struct fx_touched *touched = &report->touched[i];

		for (k = 0; k < FX_ARRAY_LEN(rows); k++)
			if (touched->how & rows[k].how)
				break;
		if (k == FX_ARRAY_LEN(rows))
			continue;
		if (report->touched_code && report->touched_code[i])
			out_line(ctx->out, rows[k].role, "  %s %s",
				rows[k].sign, report->touched_code[i]);
		else
			out_line(ctx->out, rows[k].role, "  %s %%%s",
				rows[k].sign, touched->name);
	}
}

static void
say_counts(struct cmd_ctx *ctx, const struct fx_edit_report *report)
{
	const struct fx_edit_counts *counts = &report->counts;
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_buf_addf(&text, "+%zu -%zu ~%zu nodes", counts->created,
		counts->erased, counts->changed);
	if (counts->rewired)
		fx_buf_addf(&text, "; users rewired %zu", counts->rewired);
	if (counts->modules)
		fx_buf_addf(&text, "; modules changed %zu", counts->modules);
	if (report->dry_run)
		fx_buf_add(&text, "; dry run, nothing changed");
	else
		fx_buf_addf(&text, "; undo: %zu", report->undo_count);
	out_line(ctx->out, FX_ROLE_PLAIN, "%s", fx_buf_text(&text));
}

void
cmd_say_edit(struct cmd_ctx *ctx, const struct fx_edit_report *report)
{
	const struct fx_edit_counts *counts = &report->counts;

	out_value_int(ctx->out, "created", (int64_t)counts->created);
	out_value_int(ctx->out, "erased", (int64_t)counts->erased);
	out_value_int(ctx->out, "changed", (int64_t)counts->changed);
	out_value_int(ctx->out, "rewired", (int64_t)counts->rewired);
	out_value_int(ctx->out, "undo", (int64_t)report->undo_count);
	out_value_bool(ctx->out, "dry_run", report->dry_run);
	if (report->dry_run)
		say_touched(ctx, report);
	say_counts(ctx, report);
	if (report->bad_shapes)
		out_warning(ctx->out, "%zu node%s impossible shape%s%s%s",
			report->bad_shapes,
			report->bad_shapes == 1 ? " has an" : "s have",
			report->bad_shapes == 1 ? "" : "s",
			report->bad_shape_text ? ", first " : "",
			report->bad_shape_text ? report->bad_shape_text : "");
	if (report->shared)
		out_note(ctx->out, "%s: the edit is seen by each",
			report->shared);
	if (report->position_moved)
		out_note(ctx->out, "%s: now before @%zu",
			report->has_left_graph
				? "execution left the nested graph"
				: "the edit lies above the stop",
			report->position);
	ctx->shell->has_listed = false;
}

/* A graph that was opened. */

/* ", input x f32[1,3,224,224]" for each placeholder, a few at most. */
static void
add_inputs(struct fx_buf *text, struct fx_model *model)
{
	struct fx_graph *graph = fx_position_graph(model);
	struct fx_node *node;
	int count = 0;

	fx_graph_for_each_node (node, graph) {
		if (node->opcode != FX_OPCODE_PLACEHOLDER)
			continue;
		if (++count > 4) {
			fx_buf_add(text, ", ...");
			return;
		}
		fx_buf_addf(text, ", input %s", node->name);
		if (node->meta && node->meta->kind != FX_VALUE_UNKNOWN) {
			fx_buf_add_char(text, ' ');
			cmd_add_shape(text, node);
		}
	}
}

/* Whether VALUE is a list of numbers, as the sizes of a tensor are written. */
static bool
is_sizes(const struct fx_value *value)
{
	if (value->kind != FX_VALUE_LIST && value->kind != FX_VALUE_TUPLE)
		return false;
	for (uint32_t i = 0; i < value->count; i++)
		if (value->items[i].kind != FX_VALUE_INT)
			return false;
	return value->count > 0;
}

/* An input that is a list may be meant for a shape without its dtype. */
static void
hint_tensor(struct cmd_ctx *ctx, struct fx_model *model)
{
	struct fx_node *node;

	fx_graph_for_each_node (node, fx_position_graph(model)) {
		FX_AUTO_BUF struct fx_buf sizes = { 0 };

		if (node->opcode != FX_OPCODE_PLACEHOLDER || !node->meta ||
			!is_sizes(node->meta))
			continue;
		for (uint32_t i = 0; i < node->meta->count; i++)
			fx_buf_addf(&sizes, "%s%lld", i ? "," : "",
				(long long)node->meta->items[i].integer);
		out_note(ctx->out,
			"%s is a list; input %s = f32[%s] is a tensor of that "
			"shape",
			node->target, node->target, fx_buf_text(&sizes));
	}
}

bool
cmd_is_impossible(struct fx_model *model, struct fx_node *node)
{
	return !strcmp(fx_model_state(model, node), "E") &&
	       fx_model_shape_problem(model, node);
}

void
cmd_warn_of_shapes(struct cmd_ctx *ctx, struct fx_model *model)
{
	struct fx_node *first = NULL;
	struct fx_node *node;
	size_t count = 0;

	fx_graph_for_each_node (node, fx_position_graph(model)) {
		if (!cmd_is_impossible(model, node))
			continue;
		first = first ? first : node;
		count++;
	}
	if (!count)
		return;
	out_warning(ctx->out, "%zu node%s impossible shape%s, first %%%s: %s",
		count, count == 1 ? " has an" : "s have", count == 1 ? "" : "s",
		first->name, fx_model_shape_problem(model, first));
	hint_tensor(ctx, model);
}

void
cmd_say_opened(struct cmd_ctx *ctx, struct fx_model *model)
{
	struct fx_graph *graph = fx_position_graph(model);
	int64_t parameters = fx_module_parameter_count(graph->module);
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_buf_add(&text, fx_model_name(model));
	if (*fx_model_graph_path(model, graph))
		fx_buf_addf(&text, "/%s", fx_model_graph_path(model, graph));
	fx_buf_add(&text, ": ");
	cmd_add_count(&text, graph->node_count, "node");
	if (parameters) {
		fx_buf_add(&text, ", ");
		fx_number_add_count(&text, (uint64_t)parameters);
		fx_buf_add(&text, " parameters");
	}
	add_inputs(&text, model);
	out_value_text(ctx->out, "graph", fx_model_name(model));
	out_value_int(ctx->out, "nodes", (int64_t)graph->node_count);
	out_value_int(ctx->out, "parameters", parameters);
	out_line(ctx->out, FX_ROLE_PLAIN, "%s", fx_buf_text(&text));
	cmd_warn_of_shapes(ctx, model);
}

void
cmd_say_whole(struct cmd_ctx *ctx)
{
	const struct fx_graph *graph = fx_position_graph(ctx->model);

	if (graph != fx_model_graph(ctx->model))
		out_line(ctx->out, FX_ROLE_MUTED,
			"of the whole of %s, which /%s is nested in",
			fx_model_name(ctx->model),
			fx_model_graph_path(ctx->model, graph));
}

/* node.c - the command node: one node in full. */
#include <config.h>

#include "base/buf.h"
#include "base/vec.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/verbs/show.h"
#include "commands/verbs/tensor_rows.h"
#include "ir/graph.h"
#include "ir/journal.h"
#include "ir/module.h"
#include "ir/note.h"
#include "ir/value_text.h"
#include "session/model.h"
#include "session/position.h"
#include "session/session.h"

/* Deepest nesting of arguments that is shown as a tree. */
#define TREE_DEPTH 20

/* Print one argument as a tree: a node is followed by its shape, and a
 * container has its items below it.
 */
static void
say_value(struct cmd_ctx *ctx, const char *label, const struct fx_value *value,
	int depth)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	bool nested = fx_value_is_sequence(value) && value->count &&
		      depth < TREE_DEPTH;
	uint32_t i;

	fx_buf_addf(&text, "%s", label);
	if (nested)
		fx_buf_addf(&text, "%s of %u", fx_value_kind_name(value->kind),
			value->count);
	else
		fx_value_print_as(&text, value, FX_STYLE_EXACT);
	if (value->kind == FX_VALUE_NODE) {
		fx_buf_addf(&text, "  @%zu  ",
			fx_graph_position(value->node->graph, value->node));
		cmd_add_shape(&text, value->node);
	}
	out_tree_item(ctx->out, depth,
		value->kind == FX_VALUE_NODE ? FX_ROLE_NODE : FX_ROLE_PLAIN,
		"%s", fx_buf_text(&text));
	for (i = 0; nested && i < value->count; i++) {
		FX_AUTO_BUF struct fx_buf index = { 0 };

		fx_buf_addf(&index, "%u: ", i);
		say_value(ctx, fx_buf_text(&index), &value->items[i],
			depth + 1);
	}
}

static void
say_arguments(struct cmd_ctx *ctx, const struct fx_node *node)
{
	const struct fx_value *kwargs = &node->kwargs;
	uint32_t i;

	if (!node->args.count && !kwargs->count)
		return;
	out_tree_begin(ctx->out, "arguments");
	out_tree_item(ctx->out, 0, FX_ROLE_HEAD, "arguments");
	for (i = 0; i < node->args.count; i++) {
		FX_AUTO_BUF struct fx_buf label = { 0 };

		fx_buf_addf(&label, "args[%u] = ", i);
		say_value(ctx, fx_buf_text(&label), &node->args.items[i], 1);
	}
	for (i = 0; i < kwargs->count; i++) {
		FX_AUTO_BUF struct fx_buf label = { 0 };

		fx_buf_addf(&label, "%s = ", kwargs->items[2 * i].text);
		say_value(ctx, fx_buf_text(&label), &kwargs->items[2 * i + 1],
			1);
	}
	out_tree_end(ctx->out);
}

/* Whether VALUE mentions NODE. */
static bool
mentions(const struct fx_value *value, const struct fx_node *node)
{
	size_t count = fx_value_item_count(value);
	size_t i;

	if (value->kind == FX_VALUE_NODE)
		return value->node == node;
	for (i = 0; i < count; i++)
		if (mentions(&value->items[i], node))
			return true;
	return false;
}

static void
add_slots(struct fx_buf *text, const struct fx_node *user,
	const struct fx_node *node)
{
	const struct fx_value *kwargs = &user->kwargs;
	int count = 0;
	uint32_t i;

	for (i = 0; i < user->args.count; i++)
		if (mentions(&user->args.items[i], node))
			fx_buf_addf(text, "%sarg %u", count++ ? ", " : "", i);
	for (i = 0; i < kwargs->count; i++)
		if (mentions(&kwargs->items[2 * i + 1], node))
			fx_buf_addf(text, "%s%s", count++ ? ", " : "",
				kwargs->items[2 * i].text);
}

void
cmd_say_users(struct cmd_ctx *ctx, const struct fx_node *node)
{
	static const char *const keys[] = { "index", "user", "slot", "target" };
	const struct fx_use *use;
	size_t limit = cmd_row_limit(ctx);
	size_t shown = 0;

	out_table_begin(ctx->out, "users", FX_ARRAY_LEN(keys), keys);
	fx_node_for_each_user (use, node) {
		FX_AUTO_BUF struct fx_buf slots = { 0 };

		if (limit && shown == limit)
			break;
		shown++;
		add_slots(&slots, use->user, node);
		out_cell_int(ctx->out, FX_ROLE_NUMBER,
			(int64_t)fx_graph_position(node->graph, use->user));
		out_cell(ctx->out, FX_ROLE_NODE, "%s", use->user->name);
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s", fx_buf_text(&slots));
		out_cell(ctx->out, FX_ROLE_TARGET, "%s", use->user->target);
	}
	if (shown < node->user_count)
		out_table_more(ctx->out, node->user_count - shown,
			"-m 0 shows all");
	out_table_end(ctx->out);
}

/* Who made the node and from what, and who changed it last. */
static void
say_provenance(struct cmd_ctx *ctx, const struct fx_node *node)
{
	const struct fx_transaction *born =
		fx_journal_get(node->graph, node->born);
	const struct fx_transaction *touched =
		fx_journal_get(node->graph, node->touched);
	FX_AUTO_BUF struct fx_buf derived = { 0 };

	fx_graph_print_derived(node, &derived);
	if (derived.length)
		out_field(ctx->out, FX_NOTE_DERIVED, FX_ROLE_MUTED, "%s",
			fx_buf_text(&derived));
	if (born)
		out_field(ctx->out, "made_by", FX_ROLE_MUTED, "t%u: %s",
			born->id, born->command);
	if (touched && node->touched != node->born)
		out_field(ctx->out, "changed_by", FX_ROLE_MUTED, "t%u: %s",
			touched->id, touched->command);
}

static void
say_notes(struct cmd_ctx *ctx, const struct fx_node *node)
{
	const char *key;
	const char *text;
	size_t i;

	for (i = 0; fx_graph_note_at(node, i, &key, &text); i++)
		out_field(ctx->out, "note", FX_ROLE_PLAIN, "%s: %s", key, text);
}

static void
say_source(struct cmd_ctx *ctx, const struct fx_node *node)
{
	FX_AUTO_BUF struct fx_buf source = { 0 };

	if (!node->source || !node->source->count)
		return;
	cmd_add_source(&source, node, true);
	if (node->source->frames[0].text)
		fx_buf_addf(&source, "  %s", node->source->frames[0].text);
	out_field(ctx->out, "source", FX_ROLE_PATH, "%s", fx_buf_text(&source));
}

static void
say_record(struct cmd_ctx *ctx, struct fx_node *node,
	const struct cmd_known *known)
{
	const char *problem = fx_model_shape_problem(ctx->model, node);
	const char *scope = cmd_node_scope(node);

	out_record_begin(ctx->out, "node");
	out_field(ctx->out, "name", FX_ROLE_NODE, "%s", node->name);
	out_field_int(ctx->out, "index", FX_ROLE_NUMBER,
		(int64_t)fx_graph_position(node->graph, node));
	out_field(ctx->out, "state", FX_ROLE_STATE, "%s",
		fx_model_state(ctx->model, node));
	out_field(ctx->out, "op", FX_ROLE_OP, "%s",
		fx_opcode_word(node->opcode));
	out_field(ctx->out, "target", FX_ROLE_TARGET, "%s", node->target);
	if (node->type)
		out_field(ctx->out, "type", FX_ROLE_PLAIN, "%s", node->type);
	cmd_field_shape(ctx->out, "shape", node->meta);
	cmd_say_known(ctx, known);
	if (problem)
		out_field(ctx->out, "problem", FX_ROLE_ERROR, "%s", problem);
	cmd_say_names(ctx->out, "inputs", node, false);
	cmd_say_names(ctx->out, "users", node, true);
	if (*scope)
		out_field(ctx->out, "scope", FX_ROLE_SCOPE, "%s (%s)", scope,
			fx_class_short_name(node->scope->class_name
						    ? node->scope->class_name
						    : "?"));
	say_source(ctx, node);
	say_provenance(ctx, node);
	say_notes(ctx, node);
	out_record_end(ctx->out);
}

struct fx_error *
cmd_say_node_full(struct cmd_ctx *ctx, struct fx_node *node)
{
	FX_AUTO_KNOWN struct cmd_known known = cmd_known_of(ctx, node);

	fx_session_examine(ctx->session, node);
	say_record(ctx, node, &known);
	cmd_say_elements(ctx, node, &known);
	say_arguments(ctx, node);
	cmd_say_what_node_does(ctx, node);
	cmd_say_writer(ctx, node);
	return NULL;
}

struct fx_error *
cmd_here(struct cmd_ctx *ctx, struct fx_node **ret)
{
	*ret = fx_position_node(ctx->model);
	if (*ret)
		return NULL;
	if (!fx_position_is_started(ctx->model))
		return fx_position_not_run(ctx->model);
	return fx_error_new(FX_ERR_NO_NODE,
		"the stop is at the end of %s, before no node",
		fx_model_name(ctx->model));
}

struct fx_error *
cmd_node_exec(struct cmd_ctx *ctx)
{
	struct fx_node *node = cmd_arg_node(ctx, "node");
	struct fx_error *err = node ? NULL : cmd_here(ctx, &node);

	return err ? err : cmd_say_node_full(ctx, node);
}

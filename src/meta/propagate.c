/* propagate.c - metadata over whole graphs and over what an edit touched. */
#include <config.h>

#include "meta/propagate.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/vec.h"
#include "ir/control.h"
#include "ir/fold.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/size.h"
#include "ir/tensor_meta.h"
#include "ir/value_text.h"
#include "ir/value_walk.h"
#include "meta/eval_private.h"
#include "meta/size_conditions.h"

/* Items that what is known of a result may have, at all its levels. */
#define ITEM_LIMIT 100000

/* A node with more users is not asked which of them write to it. */
#define WRITERS_LIMIT 256

/* Resolving the arguments of one node. */
struct resolving {
	const struct fx_meta_env *env;
	const struct fx_node *at; /* that node */
	struct fx_node *unknown;  /* the first input that is not known */
};

static const struct fx_value *
meta_of(const struct fx_meta_env *env, const struct fx_node *node)
{
	return env->values ? fx_map_get_pointer(env->values, node) : node->meta;
}

/* Return the node that NODE gets as `out=`, into which NODE writes its result
 * and which is resized for that; NULL for most nodes.
 */
static const struct fx_node *
output_of(const struct fx_node *node)
{
	const struct fx_value *out =
		node->kwargs.count ? fx_node_kwarg(node, fx_intern("out"))
				   : NULL;

	return out && out->kind == FX_VALUE_NODE ? out->node : NULL;
}

/* Return the node whose result the value of NODE is when AT runs: the last node
 * before AT that has NODE as its `out=`, else NODE.
 */
static const struct fx_node *
written_by(const struct fx_node *node, const struct fx_node *at)
{
	const struct fx_node *last = node;
	const struct fx_use *use;

	if (node->user_count > WRITERS_LIMIT)
		return node;
	fx_node_for_each_user (use, node)
		if (output_of(use->user) == node &&
			fx_node_is_before(use->user, at) &&
			(last == node || fx_node_is_before(last, use->user)))
			last = use->user;
	return last;
}

static bool
is_known(const struct fx_value *value)
{
	return value->kind != FX_VALUE_UNKNOWN || fx_fold_is_number(value);
}

static struct fx_value
resolve(void *context, const struct fx_value *leaf)
{
	struct resolving *resolving = context;
	const struct fx_value *meta;

	if (leaf->kind != FX_VALUE_NODE)
		return *leaf;
	meta = meta_of(resolving->env, written_by(leaf->node, resolving->at));
	if (meta && is_known(meta))
		return *meta;
	if (!resolving->unknown)
		resolving->unknown = leaf->node;
	return meta ? *meta : fx_fold_unknown("nothing is known of it");
}

/* A parameter, a buffer, or a module that is an argument elsewhere. */
static struct fx_value
eval_get_attr(struct fx_arena *arena, const struct fx_node *node)
{
	struct fx_module *root = node->graph->module;
	const struct fx_tensor *tensor =
		fx_module_find_tensor(root, node->target);

	if (tensor)
		return fx_meta_of_tensor(arena, tensor);
	if (fx_module_find(root, node->target))
		return fx_fold_unknown("a module");
	return fx_fold_unknown(fx_intern_format("what self.%s is, is not known",
		node->target));
}

struct fx_error *
fx_meta_eval_node(struct fx_meta *meta, struct fx_arena *arena,
	const struct fx_meta_env *env, struct fx_node *node,
	struct fx_value *ret)
{
	struct resolving resolving = { .env = env, .at = node };
	struct fx_meta_call call = { .opcode = (enum fx_opcode)node->opcode,
		.target = node->target,
		.op = (enum fx_op)node->op,
		.graph = node->graph,
		.node = node };
	struct fx_error *err;

	if (node->opcode == FX_OPCODE_GET_ATTR) {
		*ret = eval_get_attr(arena, node);
		return NULL;
	}
	call.args = fx_value_map(arena, &node->args, resolve, &resolving);
	call.kwargs = fx_value_map(arena, &node->kwargs, resolve, &resolving);
	call.lacks_input = resolving.unknown != NULL;
	if (node->opcode == FX_OPCODE_OUTPUT) {
		*ret = call.args.count ? call.args.items[0] : fx_value_none();
		err = NULL;
	} else {
		err = fx_meta_eval(meta, arena, &call, ret);
	}
	/* Graphs are never known; their reasons are better. */
	if (!err && !is_known(ret) && resolving.unknown &&
		!fx_control_is(node) && !fx_control_calls(node))
		*ret = fx_value_unknown_input(resolving.unknown->name);
	return err;
}

void
fx_meta_report_deinit(struct fx_meta_report *report)
{
	for (size_t i = 0; i < report->failure_count; i++)
		fx_error_free(report->failures[i].error);
	free(report->failures);
	*report = (struct fx_meta_report){ 0 };
}

/* "%view is f32[1, 197, 768]" for each input. */
static struct fx_error *
note_inputs(struct fx_error *err, const struct fx_node *node)
{
	for (size_t i = 0; i < fx_node_input_count(node) && i < 8; i++) {
		FX_AUTO_BUF struct fx_buf text = { 0 };
		const struct fx_node *input = fx_node_input(node, i);

		if (!input->meta)
			continue;
		fx_value_print_shape(&text, input->meta, true);
		err = fx_error_note(err, "%%%s is %s", input->name,
			fx_buf_text(&text));
	}
	return fx_error_note(err, "at node %%%s", node->name);
}

static void
add_failure(struct fx_meta_report *report, const struct fx_node *node,
	struct fx_error *err)
{
	report->failures = fx_vec_grow(report->failures, report->failure_count,
		report->failure_count + 1, sizeof(*report->failures),
		&report->failure_capacity);
	report->failures[report->failure_count++] =
		(struct fx_meta_failure){ node->id, note_inputs(err, node) };
}

bool
fx_meta_says_the_same(const struct fx_value *old, const struct fx_value *new)
{
	const struct fx_tensor_meta *a = old->tensor;
	const struct fx_tensor_meta *b = new->tensor;

	if (old->kind != FX_VALUE_TENSOR || new->kind != FX_VALUE_TENSOR)
		return fx_value_equal(old, new);
	if (a->dtype != b->dtype || a->has_shape != b->has_shape ||
		a->rank != b->rank ||
		(a->device && b->device && strcmp(a->device, b->device) != 0))
		return false;
	for (uint32_t i = 0; i < a->rank; i++)
		if (!fx_size_equal(a->sizes[i], b->sizes[i]))
			return false;
	return a->device || !b->device;
}

/* Store what NODE gives; true if that is news. */
static bool
store(struct fx_node *node, const struct fx_value *value)
{
	if (node->meta && fx_meta_says_the_same(node->meta, value))
		return false;
	fx_graph_set_meta(node, value);
	return true;
}

/* Return the metadata that the user set for a placeholder, else its default,
 * else UNKNOWN.
 */
static struct fx_value
eval_placeholder(const struct fx_node *node)
{
	if (node->meta && is_known(node->meta))
		return *node->meta;
	if (node->args.count)
		return node->args.items[0];
	return fx_fold_unknown("no shape was given for this input");
}

void
fx_meta_set_given(struct fx_meta *meta, fx_meta_given_fn *given, void *context)
{
	meta->given = given;
	meta->given_context = context;
}

void
fx_meta_set_strict(struct fx_meta *meta, bool is_strict)
{
	meta->is_strict = is_strict;
}

void
fx_meta_set_conditions(struct fx_meta *meta,
	struct fx_size_conditions *conditions)
{
	meta->conditions = conditions;
}

/* If no rule tells *VALUE, the metadata of NODE, replace it by what META's
 * function `given` returns or, without that function and with KEEP, by the
 * metadata that NODE had.
 */
static void
fall_back(struct fx_meta *meta, const struct fx_node *node, bool keep,
	struct fx_value *value)
{
	const struct fx_value *given = NULL;

	if (is_known(value))
		return;
	if (meta->given)
		given = meta->given(meta->given_context, node);
	else if (keep)
		given = node->meta;
	if (given && is_known(given))
		*value = *given;
}

/* Evaluate NODE; true if its metadata changed. */
static bool
update_node(struct fx_meta *meta, struct fx_node *node, bool keep,
	struct fx_meta_report *report)
{
	struct fx_meta_env env = { NULL };
	struct fx_arena_mark mark = fx_arena_mark(meta->scratch);
	struct fx_value value = fx_value_none();
	struct fx_error *err = NULL;
	size_t noted = 0;
	bool changed;

	if (meta->conditions) {
		meta->conditions->node = node->id;
		noted = meta->conditions->items.count;
	}
	if (node->opcode == FX_OPCODE_PLACEHOLDER)
		value = eval_placeholder(node);
	else
		err = fx_meta_eval_node(meta, meta->scratch, &env, node,
			&value);
	if (err) {
		if (meta->conditions)
			meta->conditions->items.count = noted;
		value = fx_fold_unknown(fx_error_message(err));
		add_failure(report, node, err);
	} else {
		fall_back(meta, node, keep, &value);
		/* Each list may hold the one before it twice. */
		if (!fx_value_is_within(&value, ITEM_LIMIT))
			value = fx_fold_unknown("it has too many items");
	}
	report->known += is_known(&value);
	report->unknown += !is_known(&value);
	changed = store(node, &value);
	report->changed += changed;
	fx_arena_rollback(meta->scratch, mark);
	return changed;
}

void
fx_meta_propagate(struct fx_meta *meta, struct fx_graph *graph, bool keep,
	struct fx_meta_report *report)
{
	FX_AUTO_META struct fx_meta *own = NULL;
	struct fx_node *node;

	if (!meta)
		meta = own = fx_meta_new();
	fx_graph_for_each_node (node, graph)
		update_node(meta, node, keep, report);
}

/* Mark the nodes with IDS; the first of them in graph order. */
static struct fx_node *
mark_nodes(struct fx_graph *graph, const uint64_t *ids, size_t count,
	size_t *pending)
{
	struct fx_node *first = NULL;

	for (size_t i = 0; i < count; i++) {
		struct fx_node *node = fx_graph_find_id(graph, ids[i]);

		if (!node || !node->is_in_graph || node->mark)
			continue;
		node->mark = 1;
		++*pending;
		if (!first || fx_node_is_before(node, first))
			first = node;
	}
	return first;
}

/* Mark the users of NODE that stand after AFTER (NULL: all); how many were not
 * marked before.
 */
static size_t
mark_users(const struct fx_node *node, const struct fx_node *after)
{
	const struct fx_use *use;
	size_t count = 0;

	fx_node_for_each_user (use, node) {
		if (after && !fx_node_is_before(after, use->user))
			continue;
		count += !use->user->mark;
		use->user->mark = 1;
	}
	return count;
}

void
fx_meta_update(struct fx_meta *meta, struct fx_graph *graph,
	const uint64_t *ids, size_t count, struct fx_meta_report *report)
{
	FX_AUTO_META struct fx_meta *own = NULL;
	size_t pending = 0;
	struct fx_node *node = mark_nodes(graph, ids, count, &pending);

	if (!meta)
		meta = own = fx_meta_new();
	for (; node && pending; node = fx_graph_next(node)) {
		const struct fx_node *out;

		if (!node->mark)
			continue;
		node->mark = 0;
		pending--;
		if (!update_node(meta, node, false, report))
			continue;
		pending += mark_users(node, NULL);
		out = output_of(node);
		if (out)
			pending += mark_users(out, node);
	}
	/* A user that stands before its input is left for verify. */
	if (pending)
		fx_graph_for_each_node (node, graph)
			node->mark = 0;
}

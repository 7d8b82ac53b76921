/* rewrite.c - a replacement into a graph, where its pattern stands. */
#include <config.h>

#include "ir/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "ir/clone.h"
#include "ir/edit.h"
#include "ir/graft.h"
#include "ir/graph_private.h"
#include "ir/journal_private.h"
#include "ir/module.h"
#include "ir/pattern_private.h"
#include "ir/rewrite_private.h"
#include "ir/value_walk.h"

struct fx_rewrite {
	struct fx_graph *graph;
	const struct fx_replacement *replacement;
	fx_rewrite_fill_fn *fill;
	void *context;
	/* By index: what stands for the output of an earlier match, or NULL. */
	FX_VEC(const struct fx_value *) changed;
	/* By index of the replacement's nodes: what stands for each in the
	 * place at hand.
	 */
	struct fx_value *made;
	const char **placed; /* paths of new modules there, one each */
	size_t *numbers;     /* tried last for the path of each */
	uint64_t *ids;       /* of the operations that are replaced */
	struct fx_arena *scratch;
	const struct fx_value *values;
	struct fx_node *first; /* operation that is an output */
	struct fx_node *before;
};

struct fx_rewrite *
fx_rewrite_new(struct fx_graph *graph, const struct fx_replacement *replacement)
{
	struct fx_rewrite *rewrite = FX_NEW(struct fx_rewrite);
	size_t modules = replacement->modules.count;

	rewrite->graph = graph;
	rewrite->scratch = fx_arena_new();
	rewrite->replacement = replacement;
	rewrite->made =
		fx_xcalloc(replacement->node_limit, sizeof(*rewrite->made));
	rewrite->placed = fx_xcalloc(modules, sizeof(*rewrite->placed));
	rewrite->numbers = fx_xcalloc(modules, sizeof(*rewrite->numbers));
	rewrite->ids = fx_xcalloc(replacement->pattern->operations.count,
		sizeof(*rewrite->ids));
	return rewrite;
}

void
fx_rewrite_free(struct fx_rewrite *rewrite)
{
	if (!rewrite)
		return;
	fx_arena_free(rewrite->scratch);
	fx_vec_deinit(&rewrite->changed);
	free(rewrite->made);
	free(rewrite->placed);
	free(rewrite->numbers);
	free(rewrite->ids);
	free(rewrite);
}

void
fx_rewrite_set_fill(struct fx_rewrite *rewrite, fx_rewrite_fill_fn *fill,
	void *context)
{
	rewrite->fill = fill;
	rewrite->context = context;
}

void
fx_rewrite_reserve(struct fx_rewrite *rewrite, size_t count)
{
	const struct fx_replacement *replacement = rewrite->replacement;
	size_t entries = replacement->pattern->operations.count;
	const struct fx_node *node;

	/* For each output there is a user, about. */
	fx_graph_for_each_node (node, replacement->graph)
		entries += node->opcode != FX_OPCODE_PLACEHOLDER;
	fx_journal_reserve(rewrite->graph, count * entries);
}

/* --- what is read -------------------------------------------------------- */

/* What stands for NODE, an output of an earlier match; NULL: it was none. */
static const struct fx_value *
successor(const struct fx_rewrite *rewrite, const struct fx_node *node)
{
	size_t index = fx_node_index(node);

	return index < rewrite->changed.count ? rewrite->changed.items[index]
					      : NULL;
}

static void
set_successor(struct fx_rewrite *rewrite, const struct fx_node *node,
	const struct fx_value *value)
{
	size_t index = fx_node_index(node);
	size_t limit = (size_t)rewrite->graph->private_->made + 1;
	size_t had = rewrite->changed.count;

	if (index >= had) {
		fx_vec_reserve(&rewrite->changed, limit);
		memset(rewrite->changed.items + had, 0,
			(limit - had) * sizeof(struct fx_value *));
		rewrite->changed.count = limit;
	}
	rewrite->changed.items[index] = value;
}

/* LEAF as it is now: an earlier match may have replaced it. */
static struct fx_value
current(void *context, const struct fx_value *leaf)
{
	const struct fx_rewrite *rewrite = context;
	struct fx_value value = *leaf;
	const struct fx_value *changed;

	while (value.kind == FX_VALUE_NODE &&
		(changed = successor(rewrite, value.node)))
		value = *changed;
	return value;
}

/* LEAF of the replacement as it is in the place at hand. */
static struct fx_value
brought(void *context, const struct fx_value *leaf)
{
	const struct fx_rewrite *rewrite = context;

	return leaf->kind == FX_VALUE_NODE
		       ? rewrite->made[fx_node_index(leaf->node)]
		       : *leaf;
}

static struct fx_value
bring(struct fx_rewrite *rewrite, const struct fx_value *value)
{
	struct fx_arena_mark mark = fx_arena_mark(rewrite->scratch);
	struct fx_value copy =
		fx_value_map(rewrite->scratch, value, brought, rewrite);

	copy = fx_value_clone(rewrite->graph->values, &copy);
	fx_arena_rollback(rewrite->scratch, mark);
	return copy;
}

/* --- layers -------------------------------------------------------------- */

/* A new node, which derives from all that matched. */
static struct fx_node_spec
spec_of(const struct fx_rewrite *rewrite, enum fx_opcode opcode)
{
	return (struct fx_node_spec){
		.opcode = opcode,
		.source = rewrite->first->source,
		.derived = rewrite->ids,
		.derived_count = (uint32_t)rewrite->replacement->pattern
					 ->operations.count,
	};
}

/* A node that reads the tensor at TARGET, before what is made after it. */
static FX_NODISCARD struct fx_error *
read_tensor(struct fx_rewrite *rewrite, const char *target,
	struct fx_value *ret)
{
	struct fx_node_spec spec = spec_of(rewrite, FX_OPCODE_GET_ATTR);
	struct fx_node *made;
	struct fx_error *err;

	spec.scope = rewrite->first->scope;
	spec.target = target;
	err = fx_edit_create(rewrite->graph, &spec, rewrite->before, &made);
	if (!err)
		*ret = fx_value_node(made);
	return err;
}

/* What the names of the pattern stand for.  Of what a layer carries (form.h) a
 * node is made, if the replacement reads it.
 */
static FX_NODISCARD struct fx_error *
bind_names(struct fx_rewrite *rewrite)
{
	const struct fx_replacement *replacement = rewrite->replacement;
	struct fx_error *err = NULL;
	const struct fx_node *node;

	fx_graph_for_each_node (node, replacement->graph) {
		size_t index = fx_node_index(node);
		size_t slot = replacement->slots[index];
		const struct fx_value *value = &rewrite->values[slot];

		if (!slot || err)
			continue;
		if (value->kind == FX_VALUE_OPAQUE && node->user_count &&
			fx_str_starts(value->text, "self."))
			err = read_tensor(rewrite,
				value->text + strlen("self."),
				&rewrite->made[index]);
		else
			rewrite->made[index] =
				fx_value_map(rewrite->graph->values, value,
					current, rewrite);
	}
	return err;
}

/* Attribute NAME of the layer that NODE called: a plain value, or the node of
 * a parameter in *RET.
 */
static FX_NODISCARD struct fx_error *
read_attribute(struct fx_rewrite *rewrite, const struct fx_node *node,
	const char *name, struct fx_value *ret)
{
	struct fx_graph *graph = rewrite->graph;
	const struct fx_module *module =
		node->opcode == FX_OPCODE_CALL_MODULE
			? fx_module_find(graph->module, node->target)
			: NULL;
	const struct fx_value *config =
		module ? fx_value_dict_get(&module->config, name) : NULL;
	const struct fx_member *member =
		module ? fx_module_member(module, fx_intern(name)) : NULL;

	*ret = fx_value_none();
	if (config)
		*ret = fx_value_clone(graph->values, config);
	else if (module && !strcmp(name, "training"))
		*ret = fx_value_bool(module->training);
	if (config || (module && !strcmp(name, "training")))
		return NULL;
	if (!member || member->kind == FX_MEMBER_CHILD)
		return fx_error_new(FX_ERR_NO_NAME,
			module ? "%%%s calls a layer without \"%s\""
			       : "%%%s calls no layer that has \"%s\"",
			node->name, name);
	if (!member->tensor)
		return NULL;
	return read_tensor(rewrite, fx_module_path(node->target, member->name),
		ret);
}

/* Put a copy of each layer that the replacement makes into the graph. */
static FX_NODISCARD struct fx_error *
put_modules(struct fx_rewrite *rewrite)
{
	const struct fx_replacement *replacement = rewrite->replacement;
	struct fx_graph *graph = rewrite->graph;
	struct fx_error *err = NULL;

	for (size_t i = 0; !err && i < replacement->modules.count; i++) {
		const struct fx_replacement_module *made =
			&replacement->modules.items[i];
		const char *path = made->path;
		struct fx_module *module;

		while (fx_module_find(graph->module, path) ||
			fx_module_find_tensor(graph->module, path))
			path = fx_intern_format("%s_%zu", made->path,
				++rewrite->numbers[i]);
		module = fx_module_clone(graph, made->module);
		if (rewrite->fill)
			err = rewrite->fill(rewrite->context, module, path);
		if (!err)
			err = fx_edit_set_module(graph, path, module);
		rewrite->placed[i] = path;
	}
	return err;
}

static const char *
placed_path(const struct fx_rewrite *rewrite, const char *target)
{
	const struct fx_replacement *replacement = rewrite->replacement;

	for (size_t i = 0; i < replacement->modules.count; i++)
		if (replacement->modules.items[i].path == target)
			return rewrite->placed[i];
	return target;
}

/* --- nodes --------------------------------------------------------------- */

static bool
is_torch(const struct fx_rewrite *rewrite)
{
	return rewrite->replacement->pattern->how & FX_PATTERN_TORCH;
}

static struct fx_node *
output_of(const struct fx_rewrite *rewrite, size_t index)
{
	size_t slot = fx_pattern_output(rewrite->replacement->pattern, index);

	return slot ? rewrite->values[slot].node : NULL;
}

/* The output whose name NODE of the replacement gets, or NULL. */
static const struct fx_node *
predecessor(const struct fx_rewrite *rewrite, const struct fx_node *node)
{
	const struct fx_value *outputs = rewrite->replacement->outputs;
	struct fx_node *output;

	for (size_t i = 0; (output = output_of(rewrite, i)); i++)
		if (outputs[i].kind == FX_VALUE_NODE && outputs[i].node == node)
			return output;
	return NULL;
}

/* Whether NODE reads an attribute of a layer that is replaced; which one. */
static const struct fx_node *
layer_read(const struct fx_rewrite *rewrite, const struct fx_node *node)
{
	const struct fx_replacement *replacement = rewrite->replacement;
	const struct fx_value *args = node->args.items;
	size_t slot;

	if (node->args.count != 2 || args[0].kind != FX_VALUE_NODE ||
		args[1].kind != FX_VALUE_STRING)
		return NULL;
	slot = replacement->slots[fx_node_index(args[0].node)];
	if (!slot || fx_pattern_is_input(replacement->pattern, slot))
		return NULL;
	return rewrite->values[slot].node;
}

static FX_NODISCARD struct fx_error *
make(struct fx_rewrite *rewrite, const struct fx_node *node)
{
	struct fx_graph *graph = rewrite->graph;
	const struct fx_node *layer = layer_read(rewrite, node);
	struct fx_value *ret = &rewrite->made[fx_node_index(node)];
	struct fx_node_spec spec =
		spec_of(rewrite, (enum fx_opcode)node->opcode);
	struct fx_node *made;
	struct fx_error *err;

	if (layer)
		return read_attribute(rewrite, layer, node->args.items[1].text,
			ret);
	spec.is_wrapped = node->is_wrapped;
	spec.target = node->opcode == FX_OPCODE_CALL_MODULE
			      ? placed_path(rewrite, node->target)
			      : node->target;
	if (node->opcode == FX_OPCODE_CALL_FUNCTION ||
		node->opcode == FX_OPCODE_CALL_METHOD)
		spec.like = node;
	spec.args = bring(rewrite, &node->args);
	spec.kwargs = bring(rewrite, &node->kwargs);
	spec.scope = fx_graft_scope(graph, &spec, rewrite->first);
	if (is_torch(rewrite))
		spec.name = node->name;
	else
		spec.heir_of = predecessor(rewrite, node);
	err = fx_edit_create(graph, &spec, rewrite->before, &made);
	if (!err)
		*ret = fx_value_node(made);
	return err;
}

/* --- the place ----------------------------------------------------------- */

static struct fx_node *
first_user(const struct fx_rewrite *rewrite, bool is_outside)
{
	struct fx_node *first = NULL;
	struct fx_node *output;
	const struct fx_use *use;

	for (size_t i = 0; (output = output_of(rewrite, i)); i++)
		fx_node_for_each_user (use, output)
			if (!(is_outside && use->user->mark) &&
				(!first || fx_node_is_before(use->user, first)))
				first = use->user;
	return first;
}

static struct fx_node *
last_output(const struct fx_rewrite *rewrite)
{
	struct fx_node *last = output_of(rewrite, 0);
	struct fx_node *output;

	for (size_t i = 1; (output = output_of(rewrite, i)); i++)
		if (fx_node_is_before(last, output))
			last = output;
	return last;
}

/* torch.fx puts new nodes before the first user, else behind the last output.
 */
static FX_NODISCARD struct fx_error *
find_torch_place(struct fx_rewrite *rewrite)
{
	unsigned how = rewrite->replacement->pattern->how;

	rewrite->before = first_user(rewrite, false);
	if (rewrite->before)
		return NULL;
	if (how & FX_PATTERN_TORCH_1)
		return fx_error_new(FX_ERR_VALUE,
			"torch.fx 1.x refuses to replace %%%s, which has no "
			"user",
			rewrite->first->name);
	rewrite->before = fx_graph_next(last_output(rewrite));
	return NULL;
}

static void
mark_inside(const struct fx_rewrite *rewrite, uint8_t mark)
{
	const struct fx_pattern *pattern = rewrite->replacement->pattern;

	for (size_t i = 0; i < pattern->operations.count; i++)
		rewrite->values[pattern->operations.items[i]].node->mark = mark;
}

/* New nodes stand where the last output stood, or before an earlier user. */
static FX_NODISCARD struct fx_error *
find_place(struct fx_rewrite *rewrite)
{
	struct fx_node *last = last_output(rewrite);
	struct fx_node *user = NULL;

	if (is_torch(rewrite))
		return find_torch_place(rewrite);
	if (output_of(rewrite, 1)) {
		mark_inside(rewrite, 1);
		user = first_user(rewrite, true);
		mark_inside(rewrite, 0);
	}
	rewrite->before = user && fx_node_is_before(user, last)
				  ? user
				  : fx_graph_next(last);
	return NULL;
}

/* --- one match ----------------------------------------------------------- */

static FX_NODISCARD struct fx_error *
hand_over(struct fx_rewrite *rewrite)
{
	const struct fx_pattern *pattern = rewrite->replacement->pattern;
	struct fx_node *output;
	struct fx_error *err = NULL;

	for (size_t i = 0; !err && (output = output_of(rewrite, i)); i++) {
		struct fx_value *value =
			FX_ARENA_NEW(rewrite->graph->values, struct fx_value);

		*value = bring(rewrite, &rewrite->replacement->outputs[i]);
		err = fx_edit_replace_uses(output, value, NULL, NULL, NULL);
		set_successor(rewrite, output, value);
	}
	for (size_t i = pattern->operations.count; !err && i-- > 0;)
		err = fx_edit_erase(rewrite->values[pattern->operations
							    .items[i]]
					    .node);
	return err;
}

struct fx_error *
fx_rewrite_apply(struct fx_rewrite *rewrite, const struct fx_value *values)
{
	const struct fx_pattern *pattern = rewrite->replacement->pattern;
	const struct fx_node *node;
	struct fx_error *err;

	rewrite->values = values;
	rewrite->first = output_of(rewrite, 0);
	for (size_t i = 0; i < pattern->operations.count; i++)
		rewrite->ids[i] = values[pattern->operations.items[i]].node->id;
	err = find_place(rewrite);
	if (!err)
		err = bind_names(rewrite);
	if (!err)
		err = put_modules(rewrite);
	fx_graph_for_each_node (node, rewrite->replacement->graph) {
		if (err)
			break;
		if (node->opcode != FX_OPCODE_PLACEHOLDER &&
			node->opcode != FX_OPCODE_OUTPUT)
			err = make(rewrite, node);
	}
	return err ? err : hand_over(rewrite);
}

/* inline_graph.c - the call of a graph as the nodes of that graph. */
#include <config.h>

#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "ir/clone.h"
#include "ir/control.h"
#include "ir/edit.h"
#include "ir/graph_private.h"
#include "ir/inline_private.h"
#include "ir/module.h"
#include "ir/value_walk.h"

struct unfolding {
	struct fx_node *node; /* the call */
	const char *path;     /* of the module with the inner graph */
	const struct fx_graph *inner;
	struct fx_node *before;
	struct fx_map made;            /* node of the inner graph -> node */
	struct fx_map inputs;          /* placeholder -> its number from 1 */
	FX_VEC(struct fx_value) given; /* what they get */
};

static void
unfolding_deinit(struct unfolding *unfolding)
{
	fx_map_deinit(&unfolding->made);
	fx_map_deinit(&unfolding->inputs);
	fx_vec_deinit(&unfolding->given);
}
FX_DEFINE_DEINIT(unfolding, struct unfolding, unfolding_deinit);

/* --- arguments ----------------------------------------------------------- */

/* What the call gives INPUT, the placeholder INDEX, or NULL. */
static const struct fx_value *
argument(const struct fx_node *call, const struct fx_node *input, size_t index)
{
	const struct fx_value *value =
		fx_control_operand(call, index, input->target);

	if (!value && input->args.count)
		value = &input->args.items[0];
	return value;
}

static FX_NODISCARD struct fx_error *
bind_inputs(struct unfolding *unfolding)
{
	const struct fx_node *call = unfolding->node;
	size_t own = fx_control_own_count(call);
	const struct fx_node *input;
	size_t count = 0;

	fx_graph_for_each_node (input, unfolding->inner) {
		const struct fx_value *value;

		if (input->opcode != FX_OPCODE_PLACEHOLDER)
			continue;
		value = *input->target == '*' ? NULL
					      : argument(call, input, count);
		if (!value)
			return fx_error_new(FX_ERR_TYPE,
				"%%%s does not give the input %s of %s",
				call->name, input->target, call->target);
		fx_map_set(&unfolding->inputs, (uintptr_t)input, ++count);
		fx_vec_push(&unfolding->given, *value);
	}
	if (call->args.count > own + count)
		return fx_error_new(FX_ERR_TYPE,
			"%%%s gives %u arguments, and %s takes %zu", call->name,
			call->args.count, call->target, own + count);
	return NULL;
}

static struct fx_value
outer_value(void *context, const struct fx_value *leaf)
{
	const struct unfolding *unfolding = context;
	uintptr_t input;

	if (leaf->kind != FX_VALUE_NODE)
		return *leaf;
	input = fx_map_get(&unfolding->inputs, (uintptr_t)leaf->node, 0);
	if (input)
		return unfolding->given.items[input - 1];
	return fx_value_node(fx_map_get_pointer(&unfolding->made, leaf->node));
}

/* VALUE of the inner graph in the outer one. */
static struct fx_value
bring(struct unfolding *unfolding, const struct fx_value *value)
{
	struct fx_arena *arena = unfolding->node->graph->values;
	struct fx_value mapped =
		fx_value_map(arena, value, outer_value, unfolding);

	return fx_value_clone(arena, &mapped);
}

/* --- modules ------------------------------------------------------------- */

/* Whether PATH without dots is NAME. */
static bool
is_flattened(const char *path, const char *name)
{
	while (*path && (*path == *name || (*path == '.' && *name == '_'))) {
		path++;
		name++;
	}
	return !*path && !*name;
}

/* Where the tree of ROOT has MODULE outside of what is at SKIPPED, or NULL: of
 * several paths the one that NAME was made of when it was outlined.
 */
static const char *
find_path(struct fx_module *root, const struct fx_module *module,
	const char *skipped, const char *name)
{
	struct fx_module_walk *walk = fx_module_walk_new(root, false);
	size_t length = strlen(skipped);
	const char *found = NULL;
	struct fx_module *at;
	const char *path;

	while (fx_module_walk_next(walk, &at, &path)) {
		bool is_below = !strncmp(path, skipped, length) &&
				(!path[length] || path[length] == '.');

		if (at != module || is_below)
			continue;
		if (!found || is_flattened(path, name))
			found = path;
		if (is_flattened(path, name))
			break;
	}
	fx_module_walk_free(walk);
	return found;
}

/* What TARGET of the inner graph is called in the outer one, where it is put if
 * it is not there.
 */
static FX_NODISCARD struct fx_error *
outer_target(const struct unfolding *unfolding, const char *target,
	const char **ret)
{
	struct fx_graph *graph = unfolding->node->graph;
	struct fx_module *inner = unfolding->inner->module;
	struct fx_module *module = fx_module_find(inner, target);
	const struct fx_tensor *tensor = fx_module_find_tensor(inner, target);
	const char *path = unfolding->path;

	*ret = module ? find_path(graph->module, module, path, target) : NULL;
	if (*ret)
		return NULL;
	*ret = fx_module_path(path, target);
	if (fx_module_find(graph->module, *ret) ||
		fx_module_find_tensor(graph->module, *ret))
		return NULL;
	if (module)
		return fx_edit_set_module(graph, *ret,
			fx_module_clone(graph, module));
	if (tensor)
		return fx_edit_bind_tensor(graph, *ret,
			fx_tensor_clone(graph, tensor, tensor->storage));
	return NULL;
}

/* Whether a node of GRAPH names PATH or something below it. */
static bool
is_named(const struct fx_graph *graph, const char *path)
{
	size_t length = strlen(path);
	const struct fx_node *node;

	fx_graph_for_each_node (node, graph)
		if ((node->opcode == FX_OPCODE_CALL_MODULE ||
			    node->opcode == FX_OPCODE_GET_ATTR) &&
			!strncmp(node->target, path, length) &&
			(!node->target[length] || node->target[length] == '.'))
			return true;
	return false;
}

/* --- nodes --------------------------------------------------------------- */

/* What the copy of FROM is derived from: that node, what that came from, and
 * for the result the call.  The caller frees.
 */
static uint64_t *
derived_ids(const struct unfolding *unfolding, const struct fx_node *from,
	bool is_result, uint32_t *count_ret)
{
	uint32_t count;
	const uint64_t *ids = fx_graph_derived(from, &count);
	uint64_t *all = fx_xcalloc(count + 2, sizeof(*all));

	*count_ret = 0;
	all[(*count_ret)++] = from->id;
	for (uint32_t i = 0; i < count; i++)
		all[(*count_ret)++] = ids[i];
	if (is_result)
		all[(*count_ret)++] = unfolding->node->id;
	return all;
}

static FX_NODISCARD struct fx_error *
make(struct unfolding *unfolding, const struct fx_node *from,
	const struct fx_value *result)
{
	struct fx_graph *graph = unfolding->node->graph;
	struct fx_node_spec spec =
		fx_graph_import_node(graph, from, &unfolding->made);
	bool is_result = result->kind == FX_VALUE_NODE && result->node == from;
	FX_AUTO_FREE uint64_t *ids =
		derived_ids(unfolding, from, is_result, &spec.derived_count);
	struct fx_node *node;
	struct fx_error *err = NULL;

	spec.args = bring(unfolding, &from->args);
	spec.kwargs = bring(unfolding, &from->kwargs);
	spec.derived = ids;
	spec.name = from->name;
	spec.name_is_exact = !fx_graph_find(graph, from->name);
	if (from->opcode == FX_OPCODE_CALL_MODULE ||
		from->opcode == FX_OPCODE_GET_ATTR)
		err = outer_target(unfolding, from->target, &spec.target);
	if (!err)
		err = fx_edit_create(graph, &spec, unfolding->before, &node);
	if (!err)
		fx_map_set_pointer(&unfolding->made, from, node);
	return err;
}

struct fx_error *
fx_inline_graph(struct fx_node *node)
{
	FX_AUTO(unfolding)
	struct unfolding unfolding = {
		.node = node,
		.inner = fx_control_called(node),
		.before = fx_graph_next(node),
	};
	const struct fx_node *output = fx_graph_output(unfolding.inner);
	struct fx_value result = fx_value_none();
	struct fx_graph *graph = node->graph;
	struct fx_node *giver = fx_control_giver(node);
	const char *path = giver ? giver->target : node->target;
	struct fx_node *from;
	struct fx_error *err;

	if (unfolding.inner->pytree)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"the graph of %s takes its inputs apart, which no node "
			"does",
			node->target);
	if (fx_control_changes_state(node))
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"%%%s calls %s in another state of torch, which its "
			"nodes would not have",
			node->name, path);
	unfolding.path = path;
	err = bind_inputs(&unfolding);
	if (output && output->args.count)
		result = output->args.items[0];
	fx_graph_for_each_node (from, unfolding.inner) {
		if (err || from->opcode == FX_OPCODE_OUTPUT)
			break;
		if (from->opcode != FX_OPCODE_PLACEHOLDER)
			err = make(&unfolding, from, &result);
	}
	if (err)
		return err;
	result = bring(&unfolding, &result);
	err = fx_inline_give(node, &result);
	if (!err && giver && !giver->user_count)
		err = fx_edit_erase(giver);
	if (err || is_named(graph, path))
		return err;
	return fx_edit_set_module(graph, path, NULL);
}

/* part.c - sets of nodes as graphs of their own. */
#include <config.h>

#include "ir/part.h"

#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "ir/align.h"
#include "ir/clone.h"
#include "ir/graph_private.h"
#include "ir/module.h"
#include "ir/note.h"
#include "ops/dialect.h"

static void
part_deinit(struct fx_part *part)
{
	fx_vec_deinit(&part->nodes);
	fx_vec_deinit(&part->inputs);
	fx_vec_deinit(&part->results);
	fx_map_deinit(&part->is_input);
}

void
fx_partition_deinit(struct fx_partition *partition)
{
	for (size_t i = 0; i < partition->parts.count; i++)
		part_deinit(&partition->parts.items[i]);
	fx_vec_deinit(&partition->parts);
	fx_map_deinit(&partition->of);
	fx_map_deinit(&partition->is_result);
	fx_map_deinit(&partition->is_carried);
}

size_t
fx_partition_add(struct fx_partition *partition, const char *name)
{
	struct fx_part part = { .name = fx_intern(name) };

	fx_vec_push(&partition->parts, part);
	return partition->parts.count - 1;
}

struct fx_error *
fx_partition_give(struct fx_partition *partition, size_t index,
	struct fx_node *node)
{
	switch ((enum fx_opcode)node->opcode) {
	case FX_OPCODE_PLACEHOLDER:
	case FX_OPCODE_OUTPUT:
		if (partition->is_apart)
			return NULL;
		return fx_error_hint(
			fx_error_new(FX_ERR_VALUE,
				"%%%s is %s of the graph, and stays there",
				node->name,
				node->opcode == FX_OPCODE_OUTPUT ? "the output"
								 : "an input"),
			"nodes {not op=placeholder and not op=output}");
	case FX_OPCODE_GET_ATTR:
		return NULL;
	default:
		break;
	}
	fx_map_set(&partition->of, (uintptr_t)node, index + 1);
	fx_vec_push(&partition->parts.items[index].nodes, node);
	return NULL;
}

struct fx_part *
fx_partition_part(const struct fx_partition *partition,
	const struct fx_node *node)
{
	uintptr_t number = fx_map_get(&partition->of, (uintptr_t)node, 0);

	return number ? &partition->parts.items[number - 1] : NULL;
}

/* --- inputs and results -------------------------------------------------- */

/* Whether a part that reads INPUT has a node of its own for it: what cond and
 * while_loop call are modules, which cannot be arguments.
 */
static bool
is_carried(const struct fx_partition *partition, const struct fx_node *input)
{
	return input->opcode == FX_OPCODE_GET_ATTR &&
	       (partition->is_apart ||
		       fx_module_find(partition->graph->module, input->target));
}

static void
note_use(struct fx_partition *partition, struct fx_node *input,
	const struct fx_node *user)
{
	struct fx_part *from = fx_partition_part(partition, input);
	struct fx_part *to = fx_partition_part(partition, user);

	if (to && is_carried(partition, input)) {
		fx_map_set(&partition->is_carried, (uintptr_t)input, 1);
		return;
	}
	if (from == to)
		return;
	if (from && fx_map_set(&partition->is_result, (uintptr_t)input, 1))
		fx_vec_push(&from->results, input);
	if (to && fx_map_set(&to->is_input, (uintptr_t)input, 1))
		fx_vec_push(&to->inputs, input);
}

void
fx_partition_find(struct fx_partition *partition)
{
	struct fx_node *node;

	fx_graph_for_each_node (node, partition->graph)
		for (size_t i = 0; i < fx_node_input_count(node); i++)
			note_use(partition, fx_node_input(node, i), node);
	if (!partition->is_apart)
		return;
	fx_graph_for_each_node (node, partition->graph) {
		struct fx_part *part = fx_partition_part(partition, node);

		if (part && !node->user_count)
			fx_vec_push(&part->results, node);
	}
}

/* --- a part as a graph --------------------------------------------------- */

struct building {
	const struct fx_partition *partition;
	const struct fx_part *part;
	struct fx_graph *copy;
	struct fx_module *owner; /* or NULL */
	bool renames;
	bool keeps_types; /* of nodes and inputs, as split_module of torch 2 */
	struct fx_map made; /* node -> its copy */
};

/* The member of OWNER that is CHILD, named after PATH without dots. */
static const char *
flat_name(struct fx_module *owner, const char *path,
	const struct fx_module *child)
{
	FX_AUTO_FREE char *name = fx_xstrdup(path);
	const char *flat;

	for (char *c = name; *c; c++)
		if (*c == '.')
			*c = '_';
	flat = fx_intern(name);
	for (unsigned number = 1;; number++) {
		const struct fx_member *member = fx_module_member(owner, flat);

		if (!member || member->child == child)
			return flat;
		flat = fx_intern_format("%s_%u", name, number);
	}
}

/* What the copy of a node that names TARGET names. */
static const char *
place_module(struct building *building, const char *target)
{
	struct fx_module *child =
		fx_module_find(building->partition->graph->module, target);
	const char *name;

	if (!building->owner || !child)
		return target;
	name = flat_name(building->owner, target, child);
	if (!fx_module_member(building->owner, name)) {
		fx_module_add_child(building->owner, name, child);
		fx_module_add_child(building->copy->module, name, child);
	}
	return name;
}

static void
copy_notes(struct fx_node *copy, const struct fx_node *node)
{
	const char *key;
	const char *text;

	for (size_t i = 0; fx_graph_note_at(node, i, &key, &text); i++)
		fx_graph_set_note(copy, key, text);
}

static void
add_node(struct building *building, const struct fx_node *node)
{
	struct fx_node_spec spec =
		fx_graph_import_node(building->copy, node, &building->made);
	struct fx_node *copy;

	if (node->opcode == FX_OPCODE_CALL_MODULE ||
		node->opcode == FX_OPCODE_GET_ATTR)
		spec.target = place_module(building, node->target);
	if (!building->keeps_types)
		spec.type = NULL;
	if (!building->renames)
		spec.name = node->name;
	spec.name_is_exact = spec.name != NULL;
	spec.derived = &node->id;
	spec.derived_count = 1;
	copy = fx_graph_append(building->copy, &spec);
	copy_notes(copy, node);
	fx_map_set_pointer(&building->made, node, copy);
}

static void
add_inputs(struct building *building)
{
	const struct fx_part *part = building->part;

	for (size_t i = 0; i < part->inputs.count; i++) {
		const struct fx_node *input = part->inputs.items[i];
		struct fx_node_spec spec = { .opcode = FX_OPCODE_PLACEHOLDER,
			.target = input->name,
			.type = building->keeps_types ? input->type : NULL,
			.meta = input->meta };

		fx_map_set_pointer(&building->made, input,
			fx_graph_append(building->copy, &spec));
	}
}

/* What NODE reads and has to be read in the part. */
static void
add_carried(struct building *building, const struct fx_node *node)
{
	for (size_t i = 0; i < fx_node_input_count(node); i++) {
		struct fx_node *input = fx_node_input(node, i);

		if (is_carried(building->partition, input) &&
			!fx_map_has(&building->made, (uintptr_t)input))
			add_node(building, input);
	}
}

static void
add_output(struct building *building)
{
	const struct fx_part *part = building->part;
	size_t count = part->results.count;
	FX_AUTO_FREE struct fx_value *items =
		fx_xcalloc(count + 1, sizeof(*items));
	struct fx_node_spec spec = { .opcode = FX_OPCODE_OUTPUT,
		.target = "output" };
	struct fx_value result;

	for (size_t i = 0; i < count; i++)
		items[i] = fx_value_node(fx_map_get_pointer(&building->made,
			part->results.items[i]));
	if (count == 1)
		result = items[0];
	else
		result = fx_value_sequence(building->copy->values,
			FX_VALUE_TUPLE, items, count);
	spec.args = fx_value_sequence(building->copy->values, FX_VALUE_TUPLE,
		&result, 1);
	fx_graph_append(building->copy, &spec);
}

/* --- modules of a graph that stands alone -------------------------------- */

/* A new tree with what nodes name of an old one. */
struct picking {
	struct fx_graph *graph;
	struct fx_map made; /* module on the way -> its copy without members */
};

/* The copy of FROM, which is on the way to something. */
static struct fx_module *
on_the_way(struct picking *picking, const struct fx_module *from)
{
	struct fx_module *to = fx_map_get_pointer(&picking->made, from);

	if (to)
		return to;
	to = fx_module_new(picking->graph, from->class_name);
	to->config = from->config;
	to->training = from->training;
	to->is_leaf = from->is_leaf;
	fx_map_set_pointer(&picking->made, from, to);
	return to;
}

/* Have what stands at PATH below FROM at the same place of the new tree. */
static void
pick(struct picking *picking, const struct fx_module *from, const char *path)
{
	for (;;) {
		struct fx_module *to = on_the_way(picking, from);
		size_t length = strcspn(path, ".");
		const char *name = fx_intern_n(path, length);
		const struct fx_member *member = fx_module_member(from, name);
		const struct fx_member *mine = fx_module_member(to, name);

		/* All of it is there. */
		if (!member || (mine && mine->child == member->child &&
				       mine->tensor == member->tensor))
			return;
		if (!member->child) {
			fx_module_add_tensor(to, name, member->tensor);
			return;
		}
		fx_module_add_child(to, name,
			path[length] ? on_the_way(picking, member->child)
				     : member->child);
		if (!path[length])
			return;
		from = member->child;
		path += length + 1;
	}
}

static void
pick_modules(struct fx_graph *graph)
{
	struct picking picking = { .graph = graph };
	struct fx_module *whole = graph->module;
	const struct fx_node *node;

	graph->module = on_the_way(&picking, whole);
	fx_graph_for_each_node (node, graph)
		if (node->opcode == FX_OPCODE_CALL_MODULE ||
			node->opcode == FX_OPCODE_GET_ATTR)
			pick(&picking, whole, node->target);
	fx_map_deinit(&picking.made);
}

static bool
is_newer(const struct fx_graph *graph)
{
	return fx_dialect_is_newer(fx_dialect_choose(NULL, graph->dialect),
		FX_DIALECT_TYPED_PARTS);
}

void
fx_part_build(const struct fx_partition *partition, const struct fx_part *part,
	struct fx_graph *copy, struct fx_module *owner, bool renames)
{
	const struct fx_graph *graph = partition->graph;
	struct building building = { .partition = partition,
		.part = part,
		.copy = copy,
		.owner = owner,
		.renames = renames,
		.keeps_types = !renames || is_newer(graph) };

	copy->name = part->name;
	fx_graph_set_dialect(copy, graph->dialect);
	copy->private_->is_bare =
		graph->private_->is_bare || !graph->module->member_count;
	if (!owner)
		copy->module = fx_module_clone(copy, graph->module);
	copy->module->training = graph->module->training;
	add_inputs(&building);
	for (size_t i = 0; i < part->nodes.count; i++) {
		add_carried(&building, part->nodes.items[i]);
		add_node(&building, part->nodes.items[i]);
	}
	add_output(&building);
	if (!owner)
		pick_modules(copy);
	fx_map_deinit(&building.made);
}

/* Note that OLD is NEW from now on, and so what stands below it. */
static void
note_same(struct fx_map *same, struct fx_module *old, struct fx_module *new)
{
	if (!old || !new || old == new || !fx_map_set_pointer(same, old, new))
		return;
	for (size_t i = 0; i < old->member_count; i++) {
		const struct fx_member *member =
			fx_module_member(new, old->members[i].name);

		if (member)
			note_same(same, old->members[i].child, member->child);
	}
}

/* Put what is noted in SAME in place in the tree of ROOT and of the graphs
 * within it; modules that are SEEN are done.
 */
static void
put_same(const struct fx_map *same, struct fx_map *seen, struct fx_module *root)
{
	if (!fx_map_set_pointer(seen, root, root))
		return;
	for (size_t i = 0; i < root->member_count; i++) {
		struct fx_member *member = &root->members[i];
		struct fx_module *new =
			member->child ? fx_map_get_pointer(same, member->child)
				      : NULL;

		if (new)
			member->child = new;
		else if (member->child)
			put_same(same, seen, member->child);
	}
	if (root->graph)
		put_same(same, seen, root->graph->module);
}

void
fx_part_share(struct fx_module *owner)
{
	struct fx_module *root = owner->graph->module;
	FX_AUTO_MAP struct fx_map same = { 0 };
	FX_AUTO_MAP struct fx_map seen = { 0 };

	for (size_t i = 0; i < root->member_count; i++) {
		const struct fx_member *member = &root->members[i];
		const struct fx_member *mine =
			fx_module_member(owner, member->name);

		if (mine && fx_align_is_same_module(mine->child, member->child))
			note_same(&same, member->child, mine->child);
	}
	if (same.count)
		put_same(&same, &seen, root);
}

/* reduce_build.c - some nodes of a graph as a graph of their own. */
#include <config.h>

#include <stdlib.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/intern.h"
#include "base/mem.h"
#include "ir/clone.h"
#include "ir/edit.h"
#include "ir/module.h"
#include "ir/note.h"
#include "ir/value_walk.h"
#include "run/datum.h"
#include "run/values.h"
#include "session/reduce_private.h"
#include "session/session.h"

void
fx_cut_deinit(struct fx_cut *cut)
{
	fx_bitset_deinit(&cut->nodes);
	fx_map_deinit(&cut->bypassed);
	*cut = (struct fx_cut){ .dropped = 0 };
}

void
fx_cut_copy(struct fx_cut *to, const struct fx_cut *from)
{
	struct fx_cut fresh = { .dropped = from->dropped };

	for (size_t id = 0; fx_bitset_next(&from->nodes, &id); id++)
		fx_bitset_add(&fresh.nodes, id);
	fx_map_copy(&fresh.bypassed, &from->bypassed);
	fx_cut_deinit(to);
	*to = fresh;
}

void
fx_built_deinit(struct fx_built *built)
{
	fx_graph_free(built->graph);
	for (size_t i = 0; i < built->inputs.count; i++)
		fx_datum_unref(built->inputs.items[i]);
	fx_vec_deinit(&built->inputs);
	*built = (struct fx_built){ .graph = NULL };
}

/* --- what is read of other nodes ----------------------------------------- */

struct building {
	const struct fx_reducing *r;
	const struct fx_cut *cut;
	struct fx_built *built;
	struct fx_map given; /* node -> struct fx_value *, in the graph */
	bool is_odd;         /* something was no argument */
	const char *base;    /* of the names of inputs that are made */
};

static bool
is_cut(const struct fx_cut *cut, const struct fx_node *node)
{
	return fx_bitset_has(&cut->nodes, (uint32_t)node->id);
}

static struct fx_value
add_input(struct building *b, struct fx_datum *tensor)
{
	struct fx_graph *graph = b->built->graph;
	struct fx_value meta = fx_datum_to_value(graph->values, tensor);
	struct fx_node_spec spec = { .opcode = FX_OPCODE_PLACEHOLDER,
		.target = b->base,
		.name = b->base,
		.name_is_exact = true,
		.meta = &meta };
	FX_AUTO_ERROR struct fx_error *err = NULL;
	struct fx_node *node;

	if (fx_names_is_taken(&graph->names, b->base)) {
		spec.target = fx_names_create(&graph->names, b->base);
		spec.name = spec.target;
	}
	node = fx_graph_append(graph, &spec);
	fx_datum_ref(tensor);
	err = fx_datum_make_own(b->r->backend, &tensor);
	b->is_odd |= err != NULL;
	fx_vec_push(&b->built->inputs, tensor);
	return fx_value_node(node);
}

static struct fx_value give(struct building *b, struct fx_datum *datum);

/* The items of DATUM, a container with tensors. */
static struct fx_value
give_items(struct building *b, struct fx_datum *datum)
{
	struct fx_arena *arena = b->built->graph->values;
	const struct fx_value *value = &datum->value;
	bool has_class = value->kind == FX_VALUE_NAMEDTUPLE;
	size_t count = fx_value_item_count(value);
	FX_AUTO_FREE struct fx_value *items =
		fx_xcalloc(count + 1, sizeof(*items));

	for (size_t i = has_class; i < count; i++) {
		FX_AUTO_DATUM struct fx_datum *part =
			fx_datum_part(datum, &value->items[i]);

		items[i] = give(b, part);
	}
	switch ((enum fx_value_kind)value->kind) {
	case FX_VALUE_TUPLE:
	case FX_VALUE_LIST:
		return fx_value_sequence(arena, value->kind, items, count);
	case FX_VALUE_NAMEDTUPLE:
		return fx_value_sequence(arena, FX_VALUE_TUPLE, items + 1,
			count - 1);
	case FX_VALUE_DICT:
		return fx_value_dict(arena, items, value->count);
	default:
		b->is_odd = true;
		return fx_value_none();
	}
}

/* DATUM as an argument: plain things as they are, tensors as inputs. */
static struct fx_value
give(struct building *b, struct fx_datum *datum)
{
	struct fx_value value;

	if (datum->kind == FX_DATUM_TENSOR)
		return add_input(b, datum);
	if (datum->kind != FX_DATUM_VALUE ||
		fx_datum_is(datum, FX_VALUE_UNKNOWN) ||
		fx_datum_is(datum, FX_VALUE_SYMBOL) ||
		fx_datum_is(datum, FX_VALUE_OPAQUE)) {
		b->is_odd = true;
		return fx_value_none();
	}
	if (datum->has_held)
		return give_items(b, datum);
	value = fx_datum_to_value(b->built->graph->values, datum);
	return fx_value_clone(b->built->graph->values, &value);
}

static void
remember(struct building *b, const struct fx_node *node, struct fx_value value)
{
	struct fx_value *kept =
		FX_ARENA_NEW(b->built->graph->values, struct fx_value);

	*kept = value;
	fx_map_set_pointer(&b->given, node, kept);
}

static const struct fx_node *
resolve_bypass(const struct fx_cut *cut, const struct fx_node *node)
{
	const struct fx_node *other = node;

	while (other) {
		node = other;
		other = (const struct fx_node *)fx_map_get(&cut->bypassed,
			(uint32_t)node->id, 0);
	}
	return node;
}

static void append(struct building *b, struct fx_node *node);

/* What NODE, which a node of the cut reads, is in the graph. */
static void
meet(struct building *b, const struct fx_node *node)
{
	struct fx_datum *datum;

	node = resolve_bypass(b->cut, node);
	if (is_cut(b->cut, node) || fx_map_has(&b->given, (uintptr_t)node))
		return;
	if (node->opcode == FX_OPCODE_GET_ATTR) {
		append(b, (struct fx_node *)node);
		return;
	}
	datum = fx_env_get(&b->r->kept, node->id);
	b->base = node->name;
	if (datum)
		remember(b, node, give(b, datum));
	else
		b->is_odd = true;
}

/* --- nodes --------------------------------------------------------------- */

static struct fx_value
lead_to(void *context, const struct fx_value *leaf)
{
	struct building *b = context;
	const struct fx_value *value;

	if (leaf->kind != FX_VALUE_NODE)
		return *leaf;
	value = fx_map_get_pointer(&b->given,
		resolve_bypass(b->cut, leaf->node));
	if (value)
		return *value;
	b->is_odd = true;
	return fx_value_none();
}

/* VALUE, a list among the failing node's arguments, without what is dropped. */
static struct fx_value
drop_items(const struct building *b, const struct fx_value *value, size_t *at)
{
	FX_AUTO_FREE struct fx_value *items =
		fx_xcalloc(value->count + 1, sizeof(*items));
	size_t count = 0;

	for (uint32_t i = 0; i < value->count; i++, ++*at)
		if (*at >= FX_CUT_ITEMS || !(b->cut->dropped >> *at & 1))
			items[count++] = value->items[i];
	return fx_value_sequence(b->built->graph->values, value->kind, items,
		count);
}

/* The arguments of NODE, as far as they stay. */
static struct fx_value
args_of(const struct building *b, const struct fx_node *node)
{
	FX_AUTO_FREE struct fx_value *items =
		fx_xcalloc(node->args.count + 1, sizeof(*items));
	size_t at = 0;

	if (node != b->r->failing.node || !b->cut->dropped)
		return node->args;
	for (uint32_t i = 0; i < node->args.count; i++) {
		items[i] = node->args.items[i];
		if (items[i].kind == FX_VALUE_LIST ||
			items[i].kind == FX_VALUE_TUPLE)
			items[i] = drop_items(b, &items[i], &at);
	}
	return fx_value_sequence(b->built->graph->values, FX_VALUE_TUPLE, items,
		node->args.count);
}

static struct fx_value
bring(struct building *b, const struct fx_value *value)
{
	struct fx_arena *arena = b->built->graph->values;
	struct fx_value copy = fx_value_clone(arena, value);

	return fx_value_map(arena, &copy, lead_to, b);
}

static void
append(struct building *b, struct fx_node *node)
{
	struct fx_graph *graph = b->built->graph;
	struct fx_value args = args_of(b, node);
	struct fx_node_spec spec = {
		.opcode = (enum fx_opcode)node->opcode,
		.target = node->target,
		.name = node->name,
		.name_is_exact = true,
		.args = bring(b, &args),
		.kwargs = bring(b, &node->kwargs),
		.type = node->type,
		.is_wrapped = node->is_wrapped,
		.scope = fx_graph_import_scope(graph, node->scope),
		.meta = node->meta,
	};
	struct fx_node *made;

	if (node->source)
		spec.source = fx_graph_source(graph, node->source->frames,
			node->source->count);
	made = fx_graph_append(graph, &spec);
	remember(b, node, fx_value_node(made));
	if (node == b->r->failing.node)
		b->built->failing = made;
}

static bool
is_taken(const struct building *b, const struct fx_node *node)
{
	return is_cut(b->cut, node) &&
	       !fx_map_has(&b->cut->bypassed, (uint32_t)node->id);
}

struct meeting {
	struct building *b;
	bool are_parameters; /* these alone, or all others */
};

static bool
meet_input(void *context, struct fx_node *input)
{
	const struct meeting *meeting = context;
	const struct fx_node *node = resolve_bypass(meeting->b->cut, input);

	if ((node->opcode == FX_OPCODE_GET_ATTR) == meeting->are_parameters)
		meet(meeting->b, node);
	return true;
}

static void
append_all(struct building *b)
{
	struct fx_node *failing = b->r->failing.node;
	struct fx_node *node;

	/* Inputs first, as torch.fx has them; then parameters. */
	for (int pass = 0; pass < 2; pass++)
		fx_graph_for_each_node (node, b->r->source) {
			struct meeting meeting = { b, pass == 1 };
			struct fx_value args;

			if (!is_taken(b, node))
				continue;
			args = args_of(b, node);
			fx_value_visit_nodes(&args, meet_input, &meeting);
			fx_value_visit_nodes(&node->kwargs, meet_input,
				&meeting);
		}
	fx_graph_for_each_node (node, b->r->source)
		if (is_taken(b, node))
			append(b, node);
	if (!is_cut(b->cut, failing))
		meet(b, failing);
}

bool
fx_reduce_build(const struct fx_reducing *r, const struct fx_cut *cut,
	struct fx_built *ret)
{
	struct building b = { .r = r, .cut = cut, .built = ret };
	struct fx_graph *graph = fx_graph_new(fx_session_serial(r->session));
	struct fx_node_spec spec = { .opcode = FX_OPCODE_OUTPUT,
		.target = "output",
		.name = "output",
		.name_is_exact = true };
	const struct fx_value *value;

	*ret = (struct fx_built){ .graph = graph, .own = graph->module };
	graph->class_name = r->source->class_name;
	fx_graph_set_dialect(graph, r->source->dialect);
	graph->module = r->source->module;
	append_all(&b);
	value = fx_map_get_pointer(&b.given, r->failing.node);
	if (value)
		spec.args = fx_value_sequence(graph->values, FX_VALUE_TUPLE,
			value, 1);
	fx_graph_append(graph, &spec);
	if (value && value->kind == FX_VALUE_NODE)
		ret->failing = value->node;
	fx_map_deinit(&b.given);
	return value && !b.is_odd;
}

/* --- what the smallest one keeps ----------------------------------------- */

static struct fx_error *
take_target(struct fx_graph *graph, struct fx_module *from,
	const struct fx_node *node)
{
	struct fx_module *module = fx_module_find(from, node->target);
	const struct fx_tensor *tensor;

	if (fx_module_find(graph->module, node->target) ||
		fx_module_find_tensor(graph->module, node->target))
		return NULL;
	if (module)
		return fx_edit_set_module(graph, node->target,
			fx_module_clone(graph, module));
	tensor = fx_module_find_tensor(from, node->target);
	return tensor ? fx_edit_bind_tensor(graph, node->target,
				fx_tensor_clone(graph, tensor, tensor->storage))
		      : NULL;
}

/* The values of DATUM as the buffer at PATH; nothing where they are not known.
 */
static struct fx_error *
keep_tensor(struct fx_graph *graph, const char *path,
	const struct fx_datum *datum)
{
	struct fx_extent extent;
	struct fx_blob *blob = NULL;
	struct fx_storage *storage;
	struct fx_tensor *tensor;
	struct fx_error *err;

	if (!fx_values_known(datum))
		return NULL;
	err = fx_values_read_all(datum, &extent, &blob);
	if (err)
		return err;
	storage = fx_storage_new(blob);
	tensor = fx_tensor_new(graph, extent.dtype, extent.sizes, extent.rank,
		storage);
	fx_storage_unref(storage);
	tensor->is_buffer = true;
	tensor->is_persistent = true;
	return fx_edit_bind_tensor(graph, path, tensor);
}

static struct fx_error *
keep_inputs(struct fx_built *built)
{
	struct fx_graph *graph = built->graph;
	struct fx_error *err = NULL;
	struct fx_node *node;
	size_t at = 0;

	fx_graph_for_each_node (node, graph) {
		/* Not by the bare name, which nn.Module may have: double. */
		const char *path =
			fx_intern_format("kept.%s_value", node->target);

		if (node->opcode != FX_OPCODE_PLACEHOLDER || err)
			continue;
		err = keep_tensor(graph, path, built->inputs.items[at++]);
		if (!err && fx_module_find_tensor(graph->module, path))
			fx_graph_set_note(node, FX_NOTE_INPUT, path);
	}
	return err;
}

struct fx_error *
fx_reduce_finish(const struct fx_reducing *r, struct fx_built *built)
{
	struct fx_graph *graph = built->graph;
	struct fx_module *from = r->source->module;
	struct fx_error *err = NULL;
	const struct fx_node *node;

	graph->module = built->own;
	graph->module->class_name = from->class_name;
	graph->module->training = from->training;
	fx_graph_for_each_node (node, graph)
		if (!err && (node->opcode == FX_OPCODE_CALL_MODULE ||
				    node->opcode == FX_OPCODE_GET_ATTR))
			err = take_target(graph, from, node);
	if (!err)
		err = keep_inputs(built);
	if (!err && r->expected)
		err = keep_tensor(graph, FX_KEPT_EXPECTED, r->expected);
	return err;
}

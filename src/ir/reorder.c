/* reorder.c - whether operations may change places.
 *
 * Results that may share memory are joined, each with what it may be a view of:
 * a map leads from a result, or the storage of a parameter, to another of the
 * same memory, and in the end to the one that stands for all.  Then the
 * operations come up in their order; for each memory the highest rank is kept
 * that wrote or touched it, which the rank of the next one may not be below.
 */
#include <config.h>

#include "ir/reorder.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/side_effects.h"

/* The operation of the highest rank that did something so far. */
struct highest {
	const struct fx_node *node;
	size_t rank;
};

struct memory {
	struct highest wrote;
	struct highest touched;
};

struct reordering {
	struct fx_map same;    /* result or storage -> another of its memory */
	struct fx_map numbers; /* what stands for a memory -> number from 1 */
	FX_VEC(struct memory) memories;
	struct highest drew;
	FX_VEC(const void *) places; /* scratch: what an operation touches */
};

static void
reordering_deinit(struct reordering *r)
{
	fx_map_deinit(&r->same);
	fx_map_deinit(&r->numbers);
	fx_vec_deinit(&r->memories);
	fx_vec_deinit(&r->places);
}
FX_DEFINE_DEINIT(reordering, struct reordering, reordering_deinit);

static bool
is_operation(const struct fx_node *node)
{
	return node->opcode == FX_OPCODE_CALL_FUNCTION ||
	       node->opcode == FX_OPCODE_CALL_METHOD ||
	       node->opcode == FX_OPCODE_CALL_MODULE;
}

/* --- memory -------------------------------------------------------------- */

static const void *
stands_for(struct reordering *r, const void *place)
{
	const void *next;

	while ((next = fx_map_get_pointer(&r->same, place))) {
		const void *after = fx_map_get_pointer(&r->same, next);

		/* The way is shorter next time. */
		if (after)
			fx_map_set_pointer(&r->same, place, after);
		place = next;
	}
	return place;
}

static void
join(struct reordering *r, const void *a, const void *b)
{
	a = stands_for(r, a);
	b = stands_for(r, b);
	if (a != b)
		fx_map_set_pointer(&r->same, a, b);
}

static const void *
place_of(const struct fx_tensor *tensor)
{
	return tensor->storage ? (const void *)tensor->storage
			       : (const void *)tensor;
}

static void
join_all(struct reordering *r, const struct fx_graph *graph)
{
	struct fx_node *node;

	fx_graph_for_each_node (node, graph) {
		const struct fx_tensor *tensor =
			node->opcode == FX_OPCODE_GET_ATTR
				? fx_module_find_tensor(graph->module,
					  node->target)
				: NULL;

		if (tensor)
			join(r, node, place_of(tensor));
		if (!is_operation(node) ||
			!(fx_may_alias(node) ||
				fx_side_effects(node) & FX_SIDE_EFFECT_WRITES))
			continue;
		for (size_t i = 0; i < fx_node_input_count(node); i++)
			join(r, node, fx_node_input(node, i));
	}
}

static void
find_module_places(struct reordering *r, const struct fx_node *node)
{
	struct fx_module *root =
		node->opcode == FX_OPCODE_CALL_MODULE
			? fx_module_find(node->graph->module, node->target)
			: NULL;
	struct fx_module_walk *walk;
	struct fx_module *module;
	const char *path;

	if (!root)
		return;
	walk = fx_module_walk_new(root, true);
	while (fx_module_walk_next(walk, &module, &path))
		for (size_t i = 0; i < module->member_count; i++)
			if (module->members[i].tensor)
				fx_vec_push(&r->places,
					place_of(module->members[i].tensor));
	fx_module_walk_free(walk);
}

/* What NODE reads, gives and has in its module. */
static void
find_places(struct reordering *r, const struct fx_node *node)
{
	fx_vec_clear(&r->places);
	fx_vec_push(&r->places, (const void *)node);
	for (size_t i = 0; i < fx_node_input_count(node); i++)
		fx_vec_push(&r->places, (const void *)fx_node_input(node, i));
	find_module_places(r, node);
}

static struct memory *
memory_at(struct reordering *r, const void *place)
{
	const void *key = stands_for(r, place);
	uintptr_t number = fx_map_get(&r->numbers, (uintptr_t)key, 0);
	struct memory fresh = { .wrote = { NULL, 0 } };

	if (!number) {
		fx_vec_push(&r->memories, fresh);
		number = r->memories.count;
		fx_map_set(&r->numbers, (uintptr_t)key, number);
	}
	return &r->memories.items[number - 1];
}

/* --- ranks --------------------------------------------------------------- */

static FX_NODISCARD struct fx_error *
check(const struct fx_node *node, size_t rank, const struct highest *highest,
	const char *why)
{
	if (!highest->node || highest->rank <= rank)
		return NULL;
	return fx_error_new(FX_ERR_ORDER, "%%%s would run before %%%s, %s",
		node->name, highest->node->name, why);
}

static void
raise(struct highest *highest, const struct fx_node *node, size_t rank)
{
	if (!highest->node || rank > highest->rank)
		*highest = (struct highest){ node, rank };
}

static FX_NODISCARD struct fx_error *
come_up(struct reordering *r, const struct fx_node *node, size_t rank)
{
	static const char writes[] =
		"and one may write what the other reads or writes";
	unsigned kinds = fx_side_effects(node);
	struct fx_error *err = NULL;

	if (kinds & FX_SIDE_EFFECT_DRAWS) {
		err = check(node, rank, &r->drew,
			"and both may draw random numbers");
		raise(&r->drew, node, rank);
	}
	find_places(r, node);
	for (size_t i = 0; i < r->places.count && !err; i++) {
		struct memory *memory = memory_at(r, r->places.items[i]);

		err = check(node, rank, &memory->wrote, writes);
		if (!err && kinds & FX_SIDE_EFFECT_WRITES)
			err = check(node, rank, &memory->touched, writes);
		raise(&memory->touched, node, rank);
		if (kinds & FX_SIDE_EFFECT_WRITES)
			raise(&memory->wrote, node, rank);
	}
	return err;
}

static bool
has_effects(const struct fx_graph *graph)
{
	const struct fx_node *node;

	fx_graph_for_each_node (node, graph)
		if (is_operation(node) && fx_side_effects(node))
			return true;
	return false;
}

struct fx_error *
fx_reorder_check(struct fx_node *first, const struct fx_node *last,
	fx_rank_fn *rank, const void *context)
{
	FX_AUTO(reordering) struct reordering r = { .drew = { NULL, 0 } };
	struct fx_error *err = NULL;

	if (!has_effects(first->graph))
		return NULL;
	join_all(&r, first->graph);
	for (struct fx_node *node = first; node && !err;
		node = node == last ? NULL : fx_graph_next(node))
		if (is_operation(node))
			err = come_up(&r, node, rank(context, node));
	return err;
}

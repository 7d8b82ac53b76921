/* align.c - the common beginning of two graphs. */
#include <config.h>

#include "ir/align.h"

#include <string.h>

#include "ir/graph_hash.h"
#include "ir/module.h"
#include "ir/side_effects.h"

/* Modules nested deeper are taken for different. */
#define DEPTH 64

void
fx_alignment_deinit(struct fx_alignment *alignment)
{
	fx_bitset_deinit(&alignment->live[0]);
	fx_bitset_deinit(&alignment->live[1]);
	fx_map_deinit(&alignment->twins);
}

/* From the end, as users stand behind what they use. */
static void
find_live(const struct fx_graph *graph, struct fx_bitset *live)
{
	const struct fx_node *node = fx_graph_last(graph);

	for (; node; node = fx_graph_previous(node)) {
		bool is_live = node->opcode == FX_OPCODE_PLACEHOLDER ||
			       node->opcode == FX_OPCODE_OUTPUT ||
			       (node->opcode != FX_OPCODE_GET_ATTR &&
				       fx_side_effects(node));
		const struct fx_use *use;

		fx_node_for_each_user (use, node)
			is_live |= fx_bitset_has(live, (uint32_t)use->user->id);
		if (is_live)
			fx_bitset_add(live, (uint32_t)node->id);
	}
}

struct fx_node *
fx_alignment_live(const struct fx_alignment *alignment, int which,
	struct fx_node *node)
{
	while (node &&
		!fx_bitset_has(&alignment->live[which], (uint32_t)node->id))
		node = fx_graph_next(node);
	return node;
}

/* --- arguments ----------------------------------------------------------- */

/* A of the first graph and B of the second. */
static bool
is_same_value(const struct fx_map *twins, const struct fx_value *a,
	const struct fx_value *b)
{
	size_t count = fx_value_item_count(a);

	if (a->kind == FX_VALUE_NODE && b->kind == FX_VALUE_NODE)
		return fx_map_get_pointer(twins, b->node) == a->node;
	if (!count || a->kind != b->kind || count != fx_value_item_count(b))
		return fx_value_equal(a, b);
	for (size_t i = 0; i < count; i++)
		if (!is_same_value(twins, &a->items[i], &b->items[i]))
			return false;
	return true;
}

/* --- modules ------------------------------------------------------------- */

static bool
is_same_layout(const struct fx_tensor *a, const struct fx_tensor *b)
{
	size_t bytes = a->rank * sizeof(*a->sizes);

	return a->dtype == b->dtype && a->rank == b->rank &&
	       a->offset == b->offset && !memcmp(a->sizes, b->sizes, bytes) &&
	       !a->strides == !b->strides &&
	       (!a->strides || !memcmp(a->strides, b->strides, bytes));
}

static bool
is_same_tensor(const struct fx_tensor *a, const struct fx_tensor *b)
{
	if (a == b || !a || !b)
		return a == b;
	return a->storage && a->storage == b->storage && is_same_layout(a, b);
}

static bool
is_same_module(const struct fx_module *a, const struct fx_module *b, int depth)
{
	if (!a || !b || depth > DEPTH)
		return false;
	if (a->class_name != b->class_name || a->training != b->training ||
		a->own_code != b->own_code || !a->graph != !b->graph ||
		a->member_count != b->member_count ||
		!fx_value_equal(&a->config, &b->config))
		return false;
	if (a->graph) {
		struct fx_hash hashes[2] = { fx_graph_hash(a->graph),
			fx_graph_hash(b->graph) };

		if (memcmp(&hashes[0], &hashes[1], sizeof(hashes[0])) != 0 ||
			!is_same_module(a->graph->module, b->graph->module,
				depth + 1))
			return false;
	}
	for (size_t i = 0; i < a->member_count; i++) {
		const struct fx_member *one = &a->members[i];
		const struct fx_member *other = &b->members[i];

		if (one->name != other->name || one->kind != other->kind ||
			!one->child != !other->child ||
			!is_same_tensor(one->tensor, other->tensor) ||
			(one->child && !is_same_module(one->child, other->child,
					       depth + 1)))
			return false;
	}
	return true;
}

bool
fx_align_is_same_module(const struct fx_module *a, const struct fx_module *b)
{
	return is_same_module(a, b, 0);
}

/* What A and B, which have one target, find there. */
static bool
has_same_module(const struct fx_node *a, const struct fx_node *b)
{
	struct fx_module *roots[2] = { a->graph->module, b->graph->module };

	if (a->opcode == FX_OPCODE_GET_ATTR) {
		const struct fx_tensor *tensor =
			fx_module_find_tensor(roots[0], a->target);

		if (tensor)
			return is_same_tensor(tensor,
				fx_module_find_tensor(roots[1], b->target));
	}
	return is_same_module(fx_module_find(roots[0], a->target),
		fx_module_find(roots[1], b->target), 0);
}

static bool
is_twin(const struct fx_alignment *alignment, const struct fx_node *a,
	const struct fx_node *b)
{
	if (a->opcode != b->opcode ||
		!is_same_value(&alignment->twins, &a->args, &b->args) ||
		!is_same_value(&alignment->twins, &a->kwargs, &b->kwargs))
		return false;
	switch ((enum fx_opcode)a->opcode) {
	case FX_OPCODE_PLACEHOLDER:
	case FX_OPCODE_CALL_FUNCTION:
	case FX_OPCODE_CALL_METHOD:
		return a->target == b->target;
	case FX_OPCODE_CALL_MODULE:
	case FX_OPCODE_GET_ATTR:
		return a->target == b->target && has_same_module(a, b);
	case FX_OPCODE_OUTPUT:
		return true;
	case FX_OPCODE_COUNT:
		break;
	}
	return false;
}

void
fx_align(struct fx_graph *a, struct fx_graph *b, struct fx_alignment *ret)
{
	struct fx_node *one;
	struct fx_node *other;

	*ret = (struct fx_alignment){ .graphs = { a, b } };
	find_live(a, &ret->live[0]);
	find_live(b, &ret->live[1]);
	one = fx_alignment_live(ret, 0, fx_graph_first(a));
	other = fx_alignment_live(ret, 1, fx_graph_first(b));
	while (one && other && is_twin(ret, one, other)) {
		fx_map_set_pointer(&ret->twins, other, one);
		ret->shared++;
		one = fx_alignment_live(ret, 0, fx_graph_next(one));
		other = fx_alignment_live(ret, 1, fx_graph_next(other));
	}
	ret->parted[0] = one;
	ret->parted[1] = other;
}

bool
fx_alignment_is_whole(const struct fx_alignment *alignment)
{
	return !alignment->parted[0] && !alignment->parted[1];
}

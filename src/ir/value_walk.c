/* value_walk.c - visiting and rebuilding argument trees.
 *
 * All recursion here is as deep as the value: what reads text bounds that
 * (200 levels), and edits refuse deeper values.
 */
#include <config.h>

#include "ir/value_walk.h"

#include <string.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "ir/graph_private.h"
#include "ir/size.h"
#include "ir/tensor_meta.h"

bool
fx_value_visit_nodes(const struct fx_value *value, fx_value_visit_fn *visit,
	void *context)
{
	size_t count;

	if (value->kind == FX_VALUE_NODE)
		return visit(context, value->node);
	count = fx_value_item_count(value);
	for (size_t i = 0; i < count; i++)
		if (!fx_value_visit_nodes(&value->items[i], visit, context))
			return false;
	return true;
}

/* Whether B is A itself: the same leaf or the same items. */
static bool
is_unchanged(const struct fx_value *a, const struct fx_value *b)
{
	if (a->kind != b->kind || a->count != b->count)
		return false;
	if (a->kind == FX_VALUE_NONE || a->kind == FX_VALUE_ELLIPSIS)
		return true;
	if (a->kind == FX_VALUE_BOOL)
		return a->truth == b->truth;
	return a->integer == b->integer;
}

/* VALUE over other ITEMS, which are kept. */
static struct fx_value
with_items(const struct fx_value *value, const struct fx_value *items)
{
	struct fx_value result = *value;

	result.items = items;
	return result;
}

struct fx_value
fx_value_map(struct fx_arena *arena, const struct fx_value *value,
	fx_value_map_fn *map, void *context)
{
	size_t count = fx_value_item_count(value);
	/* A named tuple's class is no leaf. */
	size_t i = value->kind == FX_VALUE_NAMEDTUPLE ? 1 : 0;
	struct fx_value *items = NULL;

	if (count == 0)
		return fx_value_is_sequence(value) ||
				       value->kind == FX_VALUE_DICT
			       ? *value
			       : map(context, value);
	for (; i < count; i++) {
		struct fx_value item =
			fx_value_map(arena, &value->items[i], map, context);

		if (!items && is_unchanged(&item, &value->items[i]))
			continue;
		if (!items) {
			items = fx_arena_alloc(arena, count * sizeof(*items));
			memcpy(items, value->items, count * sizeof(*items));
		}
		items[i] = item;
	}
	return items ? with_items(value, items) : *value;
}

struct replacing {
	const struct fx_node *from;
	const struct fx_value *to;
	size_t count;
};

static struct fx_value
replace_leaf(void *context, const struct fx_value *leaf)
{
	struct replacing *r = context;

	if (leaf->kind != FX_VALUE_NODE || leaf->node != r->from)
		return *leaf;
	r->count++;
	return *r->to;
}

struct fx_value
fx_value_replace_node(struct fx_arena *arena, const struct fx_value *value,
	const struct fx_node *from, const struct fx_value *to,
	size_t *count_ret)
{
	struct replacing r = { .from = from, .to = to };
	struct fx_value result = fx_value_map(arena, value, replace_leaf, &r);

	*count_ret += r.count;
	return result;
}

static const struct fx_value *
clone_items(struct fx_arena *arena, const struct fx_value *items, size_t count)
{
	struct fx_value *copy;

	if (count == 0)
		return NULL;
	copy = fx_arena_alloc(arena, count * sizeof(*copy));
	for (size_t i = 0; i < count; i++)
		copy[i] = fx_value_clone(arena, &items[i]);
	return copy;
}

static struct fx_value
clone_tensor(struct fx_arena *arena, const struct fx_value *value)
{
	struct fx_tensor_meta *copy =
		FX_ARENA_NEW(arena, struct fx_tensor_meta);

	*copy = *value->tensor;
	copy->sizes = clone_items(arena, copy->sizes, copy->rank);
	if (copy->strides)
		copy->strides = clone_items(arena, copy->strides, copy->rank);
	return (struct fx_value){
		.kind = FX_VALUE_TENSOR, .count = value->count, .tensor = copy
	};
}

struct fx_value
fx_value_clone(struct fx_arena *arena, const struct fx_value *value)
{
	size_t count = fx_value_item_count(value);

	if (count > 0)
		return with_items(value,
			clone_items(arena, value->items, count));
	if (value->kind == FX_VALUE_COMPLEX)
		return fx_value_complex(arena, value->pair[0], value->pair[1]);
	if (value->kind == FX_VALUE_BYTES)
		return fx_value_bytes(arena, value->text, value->count);
	/* Without a NUL it is interned and may stay. */
	if (value->kind == FX_VALUE_STRING && value->count > 0 &&
		memchr(value->text, '\0', value->count))
		return fx_value_string_n(arena, value->text, value->count);
	if (value->kind == FX_VALUE_TENSOR)
		return clone_tensor(arena, value);
	if (value->kind == FX_VALUE_SYMBOL)
		return fx_size_clone(arena, *value);
	return *value;
}

/* Whether VALUE takes no more than what is LEFT of the items, at DEPTH. */
static bool
takes_few(const struct fx_value *value, size_t *left, int depth)
{
	size_t count = fx_value_item_count(value);

	if (count > *left || depth > FX_DEPTH_LIMIT)
		return false;
	*left -= count;
	for (size_t i = 0; i < count; i++)
		if (!takes_few(&value->items[i], left, depth + 1))
			return false;
	return true;
}

bool
fx_value_is_within(const struct fx_value *value, size_t limit)
{
	return takes_few(value, &limit, 0);
}

int
fx_value_depth(const struct fx_value *value)
{
	size_t count = fx_value_item_count(value);
	int deepest = 0;

	for (size_t i = 0; i < count; i++) {
		int depth = fx_value_depth(&value->items[i]);

		deepest = FX_MAX(deepest, depth + 1);
	}
	if (count == 0 &&
		(fx_value_is_sequence(value) || value->kind == FX_VALUE_DICT))
		return 1;
	return deepest;
}

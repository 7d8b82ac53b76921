/* size_conditions.c - equations of symbolic sizes, and solving them together.
 *
 * A name that one equation is solved for is put into all others, until nothing
 * changes; each equation is solved from what it was at first, so that it is
 * known which others it meets.
 */
#include <config.h>

#include "meta/size_conditions.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "ir/size.h"
#include "meta/shape.h"

/* More conditions than this are not kept. */
#define COUNT_LIMIT 500

struct fx_size_conditions *
fx_size_conditions_new(void)
{
	struct fx_size_conditions *conditions =
		FX_NEW(struct fx_size_conditions);

	conditions->arena = fx_arena_new();
	return conditions;
}

void
fx_size_conditions_free(struct fx_size_conditions *conditions)
{
	if (!conditions)
		return;
	fx_vec_deinit(&conditions->items);
	fx_arena_free(conditions->arena);
	free(conditions);
}

void
fx_size_conditions_add(struct fx_size_conditions *conditions, const char *why,
	struct fx_value left, struct fx_value right)
{
	const struct fx_size_condition *item;
	struct fx_arena *arena = conditions->arena;

	fx_vec_for_each (item, &conditions->items)
		if (fx_size_equal(item->left, left) &&
			fx_size_equal(item->right, right))
			return;
	if (conditions->items.count >= COUNT_LIMIT) {
		conditions->is_full = true;
		return;
	}
	fx_vec_push(&conditions->items,
		((struct fx_size_condition){ .node = conditions->node,
			.why = fx_arena_strndup(arena, why, strlen(why)),
			.left = fx_size_clone(arena, left),
			.right = fx_size_clone(arena, right) }));
}

bool
fx_rule_differs(struct fx_shape_call *call, const char *what, struct fx_value a,
	struct fx_value b)
{
	FX_AUTO_BUF struct fx_buf why = { 0 };

	if (fx_size_differs(a, b))
		return true;
	if (!call->conditions || fx_size_equal(a, b) ||
		a.kind == FX_VALUE_UNKNOWN || b.kind == FX_VALUE_UNKNOWN)
		return false;
	fx_buf_addf(&why, "%s: %s", call->name, what);
	fx_size_conditions_add(call->conditions, fx_buf_text(&why), a, b);
	return false;
}

/* Put what the conditions before it and those solved say into ITEM. */
static void
put_in(struct fx_size_conditions *conditions, struct fx_size_condition *item)
{
	struct fx_size_condition *other;
	bool changes = true;

	item->sides[0] = item->left;
	item->sides[1] = item->right;
	item->against = NULL;
	/* A name that was solved for stands in no other solution's way. */
	for (size_t round = 0; changes && round < COUNT_LIMIT; round++) {
		changes = false;
		fx_vec_for_each (other, &conditions->items) {
			const struct fx_size_fact *fact = &other->fact;

			if (other == item || fact->kind != FX_SIZE_IS)
				continue;
			for (size_t i = 0; i < 2; i++) {
				if (!fx_size_mentions(item->sides[i],
					    fact->name))
					continue;
				item->sides[i] =
					fx_size_substitute(conditions->arena,
						item->sides[i], fact->name,
						fact->value);
				item->against = other;
				changes = true;
			}
		}
	}
}

/* True if ITEM is solved for a name now. */
static bool
solve_one(struct fx_size_conditions *conditions, struct fx_size_condition *item)
{
	put_in(conditions, item);
	fx_size_solve(conditions->arena, item->sides[0], item->sides[1],
		&item->fact);
	if (item->fact.kind != FX_SIZE_NEVER)
		item->against = NULL;
	return item->fact.kind == FX_SIZE_IS;
}

/* The solutions themselves, with what later ones say of their names. */
static void
finish(struct fx_size_conditions *conditions)
{
	struct fx_size_condition *item;
	struct fx_size_condition *other;

	fx_vec_for_each (item, &conditions->items)
		fx_vec_for_each (other, &conditions->items)
			if (item != other && item->fact.kind == FX_SIZE_IS &&
				other->fact.kind == FX_SIZE_IS)
				item->fact.value =
					fx_size_substitute(conditions->arena,
						item->fact.value,
						other->fact.name,
						other->fact.value);
}

/* Ranges and rests of one name that cannot be together. */
static void
compare_facts(struct fx_size_conditions *conditions)
{
	struct fx_size_condition *items = conditions->items.items;

	for (size_t i = 0; i < conditions->items.count; i++)
		for (size_t k = 0; k < i; k++) {
			struct fx_size_fact *a = &items[k].fact;
			struct fx_size_fact *b = &items[i].fact;

			if (a->kind < FX_SIZE_RANGE ||
				b->kind < FX_SIZE_RANGE || a->name != b->name ||
				!fx_size_facts_clash(a, b))
				continue;
			items[i].against = &items[k];
			b->kind = FX_SIZE_NEVER;
		}
}

void
fx_size_conditions_solve(struct fx_size_conditions *conditions)
{
	struct fx_size_condition *item;
	bool changes = true;

	fx_vec_for_each (item, &conditions->items)
		item->fact.kind = FX_SIZE_OPEN;
	while (changes) {
		changes = false;
		fx_vec_for_each (item, &conditions->items)
			if (item->fact.kind != FX_SIZE_IS)
				changes |= solve_one(conditions, item);
	}
	finish(conditions);
	compare_facts(conditions);
}

void
fx_size_condition_print(struct fx_buf *out,
	const struct fx_size_condition *condition)
{
	const struct fx_size_fact *fact = &condition->fact;
	bool is_whole = fact->kind == FX_SIZE_NEVER ||
			condition->sides[0].kind == FX_VALUE_UNKNOWN ||
			condition->sides[1].kind == FX_VALUE_UNKNOWN;

	if (fact->kind >= FX_SIZE_IS) {
		fx_size_fact_print(out, fact);
		return;
	}
	fx_size_print(out, is_whole ? condition->left : condition->sides[0]);
	fx_buf_add(out, " = ");
	fx_size_print(out, is_whole ? condition->right : condition->sides[1]);
}

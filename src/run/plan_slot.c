/* plan_slot.c - the arguments of a node as a tree of slots. */
#include <config.h>

#include "run/plan_private.h"

#include <stdlib.h>

#include "base/mem.h"
#include "ir/fold.h"
#include "ir/node.h"
#include "ir/value_class.h"
#include "run/env.h"

void
fx_slot_deinit(struct fx_slot *slot)
{
	switch (slot->kind) {
	case FX_SLOT_CONSTANT:
		fx_datum_unref(slot->constant);
		break;
	case FX_SLOT_BUILD:
		for (size_t i = 0; i < slot->count; i++)
			fx_slot_deinit(&slot->slots[i]);
		free(slot->slots);
		break;
	case FX_SLOT_NODE:
		break;
	}
}

void
fx_slot_init(struct fx_slot *slot, const struct fx_value *value)
{
	/* A named tuple is run as the tuple of its fields. */
	size_t skip = value->kind == FX_VALUE_NAMEDTUPLE;

	*slot = (struct fx_slot){ .kind = FX_SLOT_NODE };
	if (value->kind == FX_VALUE_NODE) {
		slot->id = value->node->id;
		slot->name = value->node->name;
		return;
	}
	if (!fx_fold_has(value, FX_VALUE_NODE)) {
		slot->kind = FX_SLOT_CONSTANT;
		slot->constant = fx_datum_from_value(value);
		return;
	}
	slot->kind = FX_SLOT_BUILD;
	slot->build = skip ? FX_VALUE_TUPLE : (enum fx_value_kind)value->kind;
	slot->class_number = skip ? fx_value_class(value->items[0].text) : 0;
	slot->count = fx_value_item_count(value) - skip;
	slot->slots = fx_xcalloc(slot->count, sizeof(*slot->slots));
	for (size_t i = 0; i < slot->count; i++)
		fx_slot_init(&slot->slots[i], &value->items[i + skip]);
}

static struct fx_error *
slot_build(const struct fx_slot *slot, const struct fx_env *env,
	struct fx_datum **ret)
{
	struct fx_datum **items = fx_xcalloc(slot->count, sizeof(*items));
	struct fx_error *err = NULL;
	size_t done = 0;

	while (done < slot->count && !err) {
		err = fx_slot_fill(&slot->slots[done], env, &items[done]);
		done += !err;
	}
	if (err)
		for (size_t i = 0; i < done; i++)
			fx_datum_unref(items[i]);
	else
		*ret = fx_datum_items_take(slot->build, items,
			slot->build == FX_VALUE_DICT ? slot->count / 2
						     : slot->count);
	free(items);
	if (err)
		return err;
	(*ret)->value.class_number = slot->class_number;
	err = fx_datum_check(&(*ret)->value);
	if (err) {
		fx_datum_unref(*ret);
		*ret = NULL;
	}
	return err;
}

struct fx_error *
fx_slot_make(const struct fx_slot *slot, const struct fx_env *env,
	struct fx_datum **ret)
{
	switch (slot->kind) {
	case FX_SLOT_CONSTANT:
		*ret = fx_datum_ref(slot->constant);
		return NULL;
	case FX_SLOT_BUILD:
		return slot_build(slot, env, ret);
	case FX_SLOT_NODE:
		break;
	}
	return fx_error_new(FX_ERR_NO_VALUE, "%%%s has no value yet",
		slot->name);
}

struct fx_error *
fx_plan_argument(const struct fx_env *env, const struct fx_value *value,
	struct fx_datum **ret)
{
	struct fx_slot slot;
	struct fx_error *err;

	fx_slot_init(&slot, value);
	err = fx_slot_fill(&slot, env, ret);
	fx_slot_deinit(&slot);
	return err;
}

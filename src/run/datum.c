/* datum.c - making, sharing and converting data; datum_print.c shows them. */
#include <config.h>

#include "run/datum.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "ir/fold.h"
#include "ir/node.h"
#include "ir/size.h"
#include "ir/tensor_meta.h"
#include "ir/value_walk.h"
#include "run/backend.h"

/* Freed data, kept at hand: a run makes and frees one a node.  Not where
 * somebody looks after freed memory.
 */
#if defined(FX_SANITIZERS) || defined(FX_HARD_MODE)
#define SPARE_ROOM 1
#else
#define SPARE_ROOM 256
#endif
static struct {
	struct fx_datum *data[SPARE_ROOM];
	size_t count;
} spare;

static struct fx_datum *
datum_new(struct fx_value value)
{
	struct fx_datum *datum = spare.count ? spare.data[--spare.count]
					     : fx_xmalloc(sizeof(*datum));

	*datum = (struct fx_datum){ .references = 1, .value = value };
	return datum;
}

/* One that stands for itself where values are asked for. */
static struct fx_datum *
held_new(enum fx_datum_kind kind)
{
	struct fx_datum *datum =
		datum_new((struct fx_value){ .kind = FX_VALUE_HELD });

	datum->kind = (uint8_t)kind;
	datum->has_held = true;
	datum->value.held = datum;
	return datum;
}

static bool
is_text(const struct fx_value *value)
{
	return value->kind == FX_VALUE_STRING || value->kind == FX_VALUE_BYTES;
}

static bool
is_short_text(const struct fx_value *value)
{
	return is_text(value) &&
	       value->count < sizeof(((struct fx_datum *)NULL)->text);
}

/* What the datum holds beside itself. */
static void
release(struct fx_datum *datum)
{
	switch ((enum fx_datum_kind)datum->kind) {
	case FX_DATUM_VALUE:
		if (datum->value.text == datum->text)
			break;
		for (uint32_t i = 0; i < datum->count; i++)
			fx_datum_unref(datum->kept[i]);
		fx_arena_free(datum->arena);
		free(datum->memory);
		break;
	case FX_DATUM_TENSOR:
	case FX_DATUM_HANDLE:
		datum->backend->ops->payload_free(datum->payload);
		break;
	case FX_DATUM_NODES:
		free(datum->ids);
		break;
	}
}

void
fx_datum_free(struct fx_datum *datum)
{
	const size_t most = SPARE_ROOM - 1;

	release(datum);
	if (spare.count < most)
		spare.data[spare.count++] = datum;
	else
		free(datum);
}

struct fx_datum *
fx_datum_none(void)
{
	return datum_new(fx_value_none());
}

struct fx_datum *
fx_datum_bool(bool truth)
{
	return datum_new(fx_value_bool(truth));
}

struct fx_datum *
fx_datum_int(int64_t integer)
{
	return datum_new(fx_value_int(integer));
}

struct fx_datum *
fx_datum_float(double real)
{
	return datum_new(fx_value_float(real));
}

struct fx_datum *
fx_datum_string(const char *text, size_t length)
{
	const struct fx_value value = {
		.kind = FX_VALUE_STRING, .count = (uint32_t)length, .text = text
	};

	return fx_datum_from_value(&value);
}

struct fx_datum *
fx_datum_unknown(const char *why)
{
	return datum_new(fx_fold_unknown(why ? why : ""));
}

struct fx_datum *
fx_datum_payload_take(enum fx_datum_kind kind, const struct fx_backend *backend,
	void *payload_taken)
{
	struct fx_datum *datum = held_new(kind);

	datum->backend = backend;
	datum->payload = payload_taken;
	return datum;
}

struct fx_datum *
fx_datum_node(uint64_t id)
{
	return datum_new((struct fx_value){
		.kind = FX_VALUE_NODE_ID, .integer = (int64_t)id });
}

struct fx_datum *
fx_datum_nodes(const uint64_t *ids, size_t count)
{
	struct fx_datum *datum = held_new(FX_DATUM_NODES);

	datum->count = (uint32_t)count;
	datum->ids = fx_xcalloc(count, sizeof(*datum->ids));
	if (count)
		memcpy(datum->ids, ids, count * sizeof(*ids));
	return datum;
}

/* --- from values ---------------------------------------------------------- */

/* Whether the value of DATUM needs DATUM's memory, or is DATUM. */
static bool
is_needed(const struct fx_datum *datum)
{
	return datum->has_held || datum->memory ||
	       datum->value.text == datum->text;
}

struct fx_datum *
fx_datum_items_take(enum fx_value_kind kind,
	struct fx_datum *const *items_taken, size_t count)
{
	struct fx_value value = { .kind = (uint8_t)kind,
		.count = (uint32_t)count };
	size_t size = fx_value_item_count(&value);
	struct fx_value *items =
		fx_xmalloc(size * (sizeof(*items) + sizeof(struct fx_datum *)) +
			   1);
	struct fx_datum *datum;

	value.items = items;
	datum = datum_new(value);
	datum->memory = items;
	datum->kept = (struct fx_datum **)(items + size);
	for (size_t i = 0; i < size; i++) {
		struct fx_datum *item = items_taken[i];

		items[i] = item->value;
		datum->has_held = datum->has_held || item->has_held;
		if (is_needed(item))
			datum->kept[datum->count++] = item;
		else
			fx_datum_unref(item);
	}
	return datum;
}

/* A deep copy in the making: what is needed for it, then what is left. */
struct copy {
	struct fx_datum *datum;
	size_t item_count;
	size_t text_size;
	struct fx_value *items;
	char *texts;
};

static void
measure(struct copy *copy, const struct fx_value *value)
{
	size_t count = fx_value_item_count(value);

	copy->item_count += count;
	if (is_text(value))
		copy->text_size += value->count + 1;
	if (value->kind == FX_VALUE_COMPLEX)
		copy->item_count++;
	if (value->kind == FX_VALUE_HELD || value->kind == FX_VALUE_TENSOR)
		copy->datum->count++;
	for (size_t i = 0; i < count; i++)
		measure(copy, &value->items[i]);
}

static struct fx_value
copy_held(struct copy *copy, struct fx_datum *held_taken)
{
	copy->datum->kept[copy->datum->count++] = held_taken;
	copy->datum->has_held = true;
	return held_taken->value;
}

static struct fx_value
copy_value(struct copy *copy, const struct fx_value *value)
{
	struct fx_value result = *value;
	size_t count = fx_value_item_count(value);
	struct fx_value *items = copy->items;

	if (count)
		copy->items += count;
	if (value->kind == FX_VALUE_HELD)
		return copy_held(copy, fx_datum_ref(value->held));
	if (value->kind == FX_VALUE_TENSOR)
		return copy_held(copy, fx_meta_tensor(value->tensor));
	if (value->kind == FX_VALUE_NODE) {
		result.kind = FX_VALUE_NODE_ID;
		result.integer = (int64_t)value->node->id;
	} else if (value->kind == FX_VALUE_SYMBOL) {
		if (!copy->datum->arena)
			copy->datum->arena = fx_arena_new();
		return fx_size_clone(copy->datum->arena, *value);
	} else if (value->kind == FX_VALUE_COMPLEX) {
		result.pair = memcpy(copy->items++, value->pair,
			2 * sizeof(*value->pair));
	} else if (is_text(value)) {
		result.text = memcpy(copy->texts, value->text, value->count);
		copy->texts[value->count] = '\0';
		copy->texts += value->count + 1;
	} else if (count) {
		result.items = items;
	}
	for (size_t i = 0; i < count; i++)
		items[i] = copy_value(copy, &value->items[i]);
	return result;
}

struct fx_datum *
fx_datum_from_value(const struct fx_value *value)
{
	struct fx_datum *datum;
	struct copy copy = { 0 };

	if (value->kind == FX_VALUE_HELD)
		return fx_datum_ref(value->held);
	if (value->kind == FX_VALUE_TENSOR)
		return fx_meta_tensor(value->tensor);
	datum = datum_new(*value);
	if (is_short_text(value)) {
		memcpy(datum->text, value->text, value->count);
		datum->value.text = datum->text;
		return datum;
	}
	copy.datum = datum;
	measure(&copy, value);
	if (copy.item_count || copy.text_size) {
		datum->memory =
			fx_xmalloc(copy.item_count * sizeof(struct fx_value) +
				   datum->count * sizeof(struct fx_datum *) +
				   copy.text_size);
		copy.items = datum->memory;
		datum->kept =
			(struct fx_datum **)(copy.items + copy.item_count);
		copy.texts = (char *)(datum->kept + datum->count);
	}
	datum->count = 0;
	datum->value = copy_value(&copy, value);
	return datum;
}

struct fx_datum *
fx_datum_part(struct fx_datum *whole, const struct fx_value *part)
{
	struct fx_datum *datum;

	if (part->kind == FX_VALUE_HELD)
		return fx_datum_ref(part->held);
	if (!fx_value_item_count(part))
		return fx_datum_from_value(part);
	datum = datum_new(*part);
	datum->memory = fx_xmalloc(sizeof(*datum->kept));
	datum->kept = datum->memory;
	datum->kept[datum->count++] = fx_datum_ref(whole);
	datum->has_held = whole->has_held && fx_fold_has(part, FX_VALUE_HELD);
	return datum;
}

struct fx_error *
fx_datum_check(const struct fx_value *value)
{
	if (fx_value_is_within(value, FX_DATUM_ITEM_LIMIT))
		return NULL;
	return fx_error_new(FX_ERR_LIMIT,
		"a value of more than %zu items or %d levels",
		FX_DATUM_ITEM_LIMIT, FX_DATUM_DEPTH_LIMIT);
}

struct fx_error *
fx_datum_of_value(const struct fx_value *value, struct fx_datum **ret)
{
	struct fx_error *err = fx_datum_check(value);

	if (!err)
		*ret = fx_datum_from_value(value);
	return err;
}

/* --- and back ------------------------------------------------------------- */

static struct fx_value
held_to_metadata(struct fx_arena *arena, const struct fx_datum *datum)
{
	if (datum->kind != FX_DATUM_TENSOR)
		return fx_value_text(FX_VALUE_OPAQUE,
			fx_datum_kind_name(datum));
	return (struct fx_value){
		.kind = FX_VALUE_TENSOR,
		.tensor = datum->backend->ops->meta(datum->payload, arena),
	};
}

static struct fx_value
datum_to_metadata(struct fx_arena *arena, const struct fx_value *value)
{
	size_t count = fx_value_item_count(value);
	struct fx_value result = *value;
	struct fx_value *items;

	if (value->kind == FX_VALUE_HELD)
		return held_to_metadata(arena, value->held);
	if (value->kind == FX_VALUE_NODE_ID)
		return fx_value_text(FX_VALUE_OPAQUE,
			fx_value_kind_name(FX_VALUE_NODE_ID));
	if (value->kind == FX_VALUE_STRING)
		return fx_value_string_n(arena, value->text, value->count);
	if (!count)
		return fx_value_clone(arena, value);
	items = FX_ARENA_ARRAY(arena, struct fx_value, count);
	for (size_t i = 0; i < count; i++)
		items[i] = datum_to_metadata(arena, &value->items[i]);
	result.items = items;
	return result;
}

struct fx_value
fx_datum_to_value(struct fx_arena *arena, const struct fx_datum *datum)
{
	return datum_to_metadata(arena, &datum->value);
}

const struct fx_tensor_meta *
fx_datum_meta(struct fx_arena *arena, const struct fx_datum *datum)
{
	if (datum->kind != FX_DATUM_TENSOR)
		return NULL;
	return datum->backend->ops->meta(datum->payload, arena);
}

/* --- what is inside ------------------------------------------------------- */

static bool
visit_held(const struct fx_value *value, fx_datum_visit_fn *visit,
	void *context)
{
	size_t count = fx_value_item_count(value);

	if (value->kind == FX_VALUE_HELD)
		return visit(context, value->held);
	for (size_t i = 0; i < count; i++)
		if (visit_held(&value->items[i], visit, context))
			return true;
	return false;
}

bool
fx_datum_each_held(const struct fx_datum *datum, fx_datum_visit_fn *visit,
	void *context)
{
	return datum->has_held && visit_held(&datum->value, visit, context);
}

static bool
is_tensor(void *context, struct fx_datum *held)
{
	(void)context;
	return held->kind == FX_DATUM_TENSOR;
}

bool
fx_datum_has_tensor(const struct fx_datum *datum)
{
	return fx_datum_each_held(datum, is_tensor, NULL);
}

/* A replacement of items in WHOLE.  KNOWN remembers what replaces each item,
 * because one item may stand in a datum many times.
 */
struct mapping {
	fx_datum_map_fn *map;
	void *context;
	struct fx_datum *whole;
	struct fx_map known; /* of items: a datum, referenced */
};

static struct fx_error *map_value(struct mapping *mapping,
	const struct fx_value *value, struct fx_datum **ret);

/* *RET is WHOLE (referenced) where nothing changed. */
static struct fx_error *
map_items(struct mapping *mapping, const struct fx_value *value,
	struct fx_datum **ret)
{
	size_t count = fx_value_item_count(value);
	FX_AUTO_FREE struct fx_datum **items =
		fx_xcalloc(count, sizeof(struct fx_datum *));
	struct fx_error *err = NULL;
	bool is_same = true;
	size_t done = 0;

	for (; done < count; done++) {
		err = map_value(mapping, &value->items[done], &items[done]);
		if (err)
			break;
		is_same = is_same && items[done] == mapping->whole;
	}
	for (size_t i = 0; i < done; i++) {
		if (!err && !is_same && items[i] != mapping->whole)
			continue;
		fx_datum_unref(items[i]);
		if (!err && !is_same)
			items[i] =
				fx_datum_part(mapping->whole, &value->items[i]);
	}
	if (err)
		return err;
	if (is_same) {
		*ret = fx_datum_ref(mapping->whole);
		return NULL;
	}
	*ret = fx_datum_items_take((enum fx_value_kind)value->kind, items,
		value->count);
	(*ret)->value.class_number = value->class_number;
	return NULL;
}

static struct fx_error *
map_value(struct mapping *mapping, const struct fx_value *value,
	struct fx_datum **ret)
{
	struct fx_datum *known = mapping->whole;
	struct fx_error *err = NULL;

	if (value->kind == FX_VALUE_HELD) {
		err = mapping->map(mapping->context, value->held, ret);
		if (err || *ret != value->held || *ret == known)
			return err;
		fx_datum_unref(*ret);
	} else if (fx_value_item_count(value)) {
		known = fx_map_get_pointer(&mapping->known, value->items);
		if (!known)
			err = map_items(mapping, value, &known);
		if (err)
			return err;
		fx_map_set_pointer(&mapping->known, value->items, known);
	}
	*ret = fx_datum_ref(known);
	return NULL;
}

struct fx_error *
fx_datum_map(struct fx_datum *datum, fx_datum_map_fn *map, void *context,
	struct fx_datum **ret)
{
	struct mapping mapping = {
		.map = map, .context = context, .whole = datum
	};
	struct fx_error *err = NULL;
	uintptr_t items, known;
	size_t at = 0;

	if (datum->has_held)
		err = map_value(&mapping, &datum->value, ret);
	else
		*ret = fx_datum_ref(datum);
	while (fx_map_next(&mapping.known, &at, &items, &known))
		fx_datum_unref((struct fx_datum *)known);
	fx_map_deinit(&mapping.known);
	return err;
}

/* --- what Python says of them --------------------------------------------- */

bool
fx_datum_number(const struct fx_value *value, double *ret)
{
	if (value->kind == FX_VALUE_BOOL)
		*ret = value->truth;
	else if (value->kind == FX_VALUE_INT)
		*ret = (double)value->integer;
	else if (value->kind == FX_VALUE_FLOAT)
		*ret = value->real;
	else
		return false;
	return true;
}

struct fx_error *
fx_datum_truth(const struct fx_datum *datum, bool *ret)
{
	switch ((enum fx_datum_kind)datum->kind) {
	case FX_DATUM_VALUE:
		if (fx_fold_truth(&datum->value, ret))
			return NULL;
		return fx_error_new(FX_ERR_NOT_KNOWN,
			"the truth of %s is not known",
			fx_datum_is(datum, FX_VALUE_SYMBOL)
				? "a symbolic size"
				: "an unknown value");
	case FX_DATUM_TENSOR:
		return datum->backend->ops->truth(datum->payload, ret);
	case FX_DATUM_HANDLE:
		*ret = true;
		return NULL;
	case FX_DATUM_NODES:
		*ret = datum->count != 0;
		return NULL;
	}
	return NULL;
}

const char *
fx_datum_kind_name(const struct fx_datum *datum)
{
	static const char *const names[] = {
		[FX_DATUM_TENSOR] = "tensor",
		[FX_DATUM_HANDLE] = "handle",
		[FX_DATUM_NODES] = "set of nodes",
	};

	if (datum->kind != FX_DATUM_VALUE)
		return names[datum->kind];
	if (fx_datum_is(datum, FX_VALUE_UNKNOWN))
		return "unknown value";
	return fx_value_kind_name((enum fx_value_kind)datum->value.kind);
}

/* datum.c - making, sharing and converting data; datum_compare.c compares them,
 * datum_print.c shows them.
 */
#include <config.h>

#include "run/datum.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "ir/node.h"
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
datum_new(enum fx_datum_kind kind)
{
	struct fx_datum *datum = spare.count ? spare.data[--spare.count]
					     : fx_xmalloc(sizeof(*datum));

	*datum = (struct fx_datum){
		.references = 1,
		.kind = (uint8_t)kind,
	};
	return datum;
}

/* What the datum holds beside itself. */
static void
release(struct fx_datum *datum)
{
	switch ((enum fx_datum_kind)datum->kind) {
	case FX_DATUM_STRING:
	case FX_DATUM_BYTES:
	case FX_DATUM_DEVICE:
	case FX_DATUM_UNKNOWN:
		free(datum->text);
		break;
	case FX_DATUM_SLICE:
	case FX_DATUM_TUPLE:
	case FX_DATUM_LIST:
	case FX_DATUM_SIZE:
	case FX_DATUM_DICT:
		for (size_t i = 0; i < fx_datum_item_count(datum); i++)
			fx_datum_unref(datum->items[i]);
		free(datum->items);
		break;
	case FX_DATUM_TENSOR:
	case FX_DATUM_HANDLE:
		datum->backend->ops->payload_free(datum->payload);
		break;
	case FX_DATUM_NODE:
	case FX_DATUM_NODES:
		free(datum->ids);
		break;
	case FX_DATUM_PLAIN:
		fx_arena_free(datum->arena);
		break;
	case FX_DATUM_NONE:
	case FX_DATUM_BOOL:
	case FX_DATUM_INT:
	case FX_DATUM_FLOAT:
	case FX_DATUM_DTYPE:
	case FX_DATUM_KIND_COUNT:
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
	return datum_new(FX_DATUM_NONE);
}

struct fx_datum *
fx_datum_bool(bool truth)
{
	struct fx_datum *datum = datum_new(FX_DATUM_BOOL);

	datum->truth = truth;
	return datum;
}

struct fx_datum *
fx_datum_int(int64_t integer)
{
	struct fx_datum *datum = datum_new(FX_DATUM_INT);

	datum->integer = integer;
	return datum;
}

struct fx_datum *
fx_datum_float(double real)
{
	struct fx_datum *datum = datum_new(FX_DATUM_FLOAT);

	datum->real = real;
	return datum;
}

static struct fx_datum *
datum_text(enum fx_datum_kind kind, const char *text, size_t length)
{
	struct fx_datum *datum = datum_new(kind);

	datum->text = fx_xmalloc(length + 1);
	if (length)
		memcpy(datum->text, text, length);
	datum->text[length] = '\0';
	datum->count = length;
	return datum;
}

struct fx_datum *
fx_datum_string(const char *text, size_t length)
{
	return datum_text(FX_DATUM_STRING, text, length);
}

struct fx_datum *
fx_datum_unknown(const char *why)
{
	if (!why)
		return datum_new(FX_DATUM_UNKNOWN);
	return datum_text(FX_DATUM_UNKNOWN, why, strlen(why));
}

struct fx_datum *
fx_datum_items_take(enum fx_datum_kind kind,
	struct fx_datum *const *items_taken, size_t count)
{
	struct fx_datum *datum = datum_new(kind);
	size_t items = kind == FX_DATUM_DICT ? 2 * count : count;

	datum->count = count;
	datum->items = fx_xcalloc(items, sizeof(*datum->items));
	for (size_t i = 0; i < items; i++)
		datum->items[i] = items_taken[i];
	return datum;
}

struct fx_datum *
fx_datum_host_tensor_take(enum fx_datum_kind kind,
	const struct fx_backend *backend, void *payload_taken)
{
	struct fx_datum *datum = datum_new(kind);

	datum->backend = backend;
	datum->payload = payload_taken;
	return datum;
}

struct fx_datum *
fx_datum_node(uint64_t id)
{
	struct fx_datum *datum = fx_datum_nodes(&id, 1);

	datum->kind = FX_DATUM_NODE;
	return datum;
}

struct fx_datum *
fx_datum_nodes(const uint64_t *ids, size_t count)
{
	struct fx_datum *datum = datum_new(FX_DATUM_NODES);

	datum->count = count;
	datum->ids = fx_xcalloc(count, sizeof(*datum->ids));
	if (count)
		memcpy(datum->ids, ids, count * sizeof(*ids));
	return datum;
}

static struct fx_datum *
from_items(enum fx_datum_kind kind, const struct fx_value *value)
{
	size_t items = fx_value_item_count(value);
	struct fx_datum *datum = datum_new(kind);

	datum->count = kind == FX_DATUM_DICT ? items / 2 : items;
	datum->items = fx_xcalloc(items, sizeof(*datum->items));
	for (size_t i = 0; i < items; i++)
		datum->items[i] = fx_datum_from_value(&value->items[i]);
	return datum;
}

/* Anything that has no kind of its own: a deep copy. */
static struct fx_datum *
from_plain(const struct fx_value *value)
{
	struct fx_datum *datum = datum_new(FX_DATUM_PLAIN);

	datum->arena = fx_arena_new();
	datum->value = fx_value_clone(datum->arena, value);
	return datum;
}

static struct fx_datum *
from_integer(enum fx_datum_kind kind, int64_t integer)
{
	struct fx_datum *datum = datum_new(kind);

	datum->integer = integer;
	return datum;
}

struct fx_datum *
fx_datum_from_value(const struct fx_value *value)
{
	switch ((enum fx_value_kind)value->kind) {
	case FX_VALUE_NONE:
		return fx_datum_none();
	case FX_VALUE_BOOL:
		return fx_datum_bool(value->truth);
	case FX_VALUE_INT:
		return fx_datum_int(value->integer);
	case FX_VALUE_FLOAT:
		return fx_datum_float(value->real);
	case FX_VALUE_STRING:
		return fx_datum_string(value->text, value->count);
	case FX_VALUE_BYTES:
		return datum_text(FX_DATUM_BYTES, value->text, value->count);
	case FX_VALUE_DTYPE:
		return from_integer(FX_DATUM_DTYPE, value->integer);
	case FX_VALUE_DEVICE:
		return datum_text(FX_DATUM_DEVICE, value->text,
			strlen(value->text));
	case FX_VALUE_SLICE:
		return from_items(FX_DATUM_SLICE, value);
	case FX_VALUE_TUPLE:
		return from_items(FX_DATUM_TUPLE, value);
	case FX_VALUE_LIST:
		return from_items(FX_DATUM_LIST, value);
	case FX_VALUE_SIZE:
		return from_items(FX_DATUM_SIZE, value);
	case FX_VALUE_DICT:
		return from_items(FX_DATUM_DICT, value);
	case FX_VALUE_NODE:
		return fx_datum_node(value->node->id);
	case FX_VALUE_TENSOR:
		return fx_meta_tensor(value->tensor);
	case FX_VALUE_UNKNOWN:
		return fx_datum_unknown(value->text);
	case FX_VALUE_BIGINT:
	case FX_VALUE_COMPLEX:
	case FX_VALUE_ELLIPSIS:
	case FX_VALUE_LAYOUT:
	case FX_VALUE_MEMORY_FORMAT:
	case FX_VALUE_RANGE:
	case FX_VALUE_NAMEDTUPLE:
	case FX_VALUE_FUNCTION:
	case FX_VALUE_OPAQUE:
	case FX_VALUE_SYMBOL:
	case FX_VALUE_KIND_COUNT:
		break;
	}
	return from_plain(value);
}

/* --- how much there is ---------------------------------------------------- */

/* Whether DATUM takes no more than what is LEFT of the items, at DEPTH. */
static bool
takes_few(const struct fx_datum *datum, size_t *left, int depth)
{
	size_t count = fx_datum_item_count(datum);

	if (count > *left || depth > FX_DATUM_DEPTH_LIMIT)
		return false;
	*left -= count;
	for (size_t i = 0; i < count; i++)
		if (!takes_few(datum->items[i], left, depth + 1))
			return false;
	return true;
}

static struct fx_error *
too_much(void)
{
	return fx_error_new(FX_ERR_LIMIT,
		"a value of more than %zu items or %d levels",
		FX_DATUM_ITEM_LIMIT, FX_DATUM_DEPTH_LIMIT);
}

struct fx_error *
fx_datum_check(const struct fx_datum *datum)
{
	size_t left = FX_DATUM_ITEM_LIMIT;

	return takes_few(datum, &left, 0) ? NULL : too_much();
}

struct fx_error *
fx_datum_check_value(const struct fx_value *value)
{
	return fx_value_is_within(value, FX_DATUM_ITEM_LIMIT) ? NULL
							      : too_much();
}

struct fx_error *
fx_datum_of_value(const struct fx_value *value, struct fx_datum **ret)
{
	struct fx_error *err = fx_datum_check_value(value);

	if (!err)
		*ret = fx_datum_from_value(value);
	return err;
}

/* --- back to values ------------------------------------------------------- */

static struct fx_value
items_to_value(struct fx_arena *arena, const struct fx_datum *datum)
{
	size_t count = fx_datum_item_count(datum);
	struct fx_value *items = FX_ARENA_ARRAY(arena, struct fx_value, count);

	for (size_t i = 0; i < count; i++)
		items[i] = fx_datum_to_value(arena, datum->items[i]);
	if (datum->kind == FX_DATUM_DICT)
		return fx_value_dict(arena, items, datum->count);
	if (datum->kind == FX_DATUM_SLICE)
		return fx_value_slice(arena, items[0], items[1], items[2]);
	return fx_value_sequence(arena,
		datum->kind == FX_DATUM_TUPLE  ? FX_VALUE_TUPLE
		: datum->kind == FX_DATUM_LIST ? FX_VALUE_LIST
					       : FX_VALUE_SIZE,
		items, count);
}

static struct fx_value
tensor_to_value(struct fx_arena *arena, const struct fx_datum *datum)
{
	return (struct fx_value){
		.kind = FX_VALUE_TENSOR,
		.tensor = datum->backend->ops->meta(datum->payload, arena),
	};
}

struct fx_value
fx_datum_to_value(struct fx_arena *arena, const struct fx_datum *datum)
{
	switch ((enum fx_datum_kind)datum->kind) {
	case FX_DATUM_NONE:
		return fx_value_none();
	case FX_DATUM_BOOL:
		return fx_value_bool(datum->truth);
	case FX_DATUM_INT:
		return fx_value_int(datum->integer);
	case FX_DATUM_FLOAT:
		return fx_value_float(datum->real);
	case FX_DATUM_STRING:
		return fx_value_string_n(arena, datum->text, datum->count);
	case FX_DATUM_BYTES:
		return fx_value_bytes(arena, datum->text, datum->count);
	case FX_DATUM_DTYPE:
		return fx_value_dtype((int)datum->integer);
	case FX_DATUM_DEVICE:
		return fx_value_text(FX_VALUE_DEVICE, datum->text);
	case FX_DATUM_SLICE:
	case FX_DATUM_TUPLE:
	case FX_DATUM_LIST:
	case FX_DATUM_SIZE:
	case FX_DATUM_DICT:
		return items_to_value(arena, datum);
	case FX_DATUM_PLAIN:
		return fx_value_clone(arena, &datum->value);
	case FX_DATUM_TENSOR:
		return tensor_to_value(arena, datum);
	case FX_DATUM_UNKNOWN:
		return fx_value_text(FX_VALUE_UNKNOWN,
			datum->text ? datum->text : "");
	case FX_DATUM_HANDLE:
	case FX_DATUM_NODE:
	case FX_DATUM_NODES:
	case FX_DATUM_KIND_COUNT:
		break;
	}
	return fx_value_text(FX_VALUE_OPAQUE, fx_datum_kind_name(datum));
}

const struct fx_tensor_meta *
fx_datum_meta(struct fx_arena *arena, const struct fx_datum *datum)
{
	if (datum->kind != FX_DATUM_TENSOR)
		return NULL;
	return datum->backend->ops->meta(datum->payload, arena);
}

size_t
fx_datum_item_count(const struct fx_datum *datum)
{
	switch ((enum fx_datum_kind)datum->kind) {
	case FX_DATUM_SLICE:
	case FX_DATUM_TUPLE:
	case FX_DATUM_LIST:
	case FX_DATUM_SIZE:
		return datum->count;
	case FX_DATUM_DICT:
		return 2 * datum->count;
	case FX_DATUM_NONE:
	case FX_DATUM_BOOL:
	case FX_DATUM_INT:
	case FX_DATUM_FLOAT:
	case FX_DATUM_STRING:
	case FX_DATUM_BYTES:
	case FX_DATUM_DTYPE:
	case FX_DATUM_DEVICE:
	case FX_DATUM_PLAIN:
	case FX_DATUM_TENSOR:
	case FX_DATUM_HANDLE:
	case FX_DATUM_NODE:
	case FX_DATUM_NODES:
	case FX_DATUM_UNKNOWN:
	case FX_DATUM_KIND_COUNT:
		break;
	}
	return 0;
}

bool
fx_datum_is_sequence(const struct fx_datum *datum)
{
	return datum->kind == FX_DATUM_TUPLE || datum->kind == FX_DATUM_LIST ||
	       datum->kind == FX_DATUM_SIZE;
}

bool
fx_datum_has_tensor(const struct fx_datum *datum)
{
	if (datum->kind == FX_DATUM_TENSOR)
		return true;
	for (size_t i = 0; i < fx_datum_item_count(datum); i++)
		if (fx_datum_has_tensor(datum->items[i]))
			return true;
	return false;
}

const char *
fx_datum_kind_name(const struct fx_datum *datum)
{
	static const char *const names[] = {
		[FX_DATUM_NONE] = "None",
		[FX_DATUM_BOOL] = "bool",
		[FX_DATUM_INT] = "int",
		[FX_DATUM_FLOAT] = "float",
		[FX_DATUM_STRING] = "str",
		[FX_DATUM_BYTES] = "bytes",
		[FX_DATUM_DTYPE] = "dtype",
		[FX_DATUM_DEVICE] = "device",
		[FX_DATUM_SLICE] = "slice",
		[FX_DATUM_TUPLE] = "tuple",
		[FX_DATUM_LIST] = "list",
		[FX_DATUM_SIZE] = "torch.Size",
		[FX_DATUM_DICT] = "dict",
		[FX_DATUM_PLAIN] = "value",
		[FX_DATUM_TENSOR] = "tensor",
		[FX_DATUM_HANDLE] = "handle",
		[FX_DATUM_NODE] = "node",
		[FX_DATUM_NODES] = "set of nodes",
		[FX_DATUM_UNKNOWN] = "unknown value",
	};

	if (datum->kind == FX_DATUM_PLAIN)
		return fx_value_kind_name(datum->value.kind);
	return names[datum->kind];
}

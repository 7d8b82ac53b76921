/* python_wire.c - data as JSON. */
#include <config.h>

#include "guest/python_wire.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/dtype.h"
#include "base/mem.h"
#include "base/number.h"
#include "guest/channel.h"
#include "ir/node.h"
#include "ir/value_class.h"
#include "ir/value_text.h"
#include "run/datum.h"

#define MOST_DEPTH 200

/* How containers are called; both ways. */
static const struct {
	enum fx_value_kind kind;
	const char *word;
} containers[] = {
	{ FX_VALUE_TUPLE, "tuple" },
	{ FX_VALUE_LIST, "list" },
	{ FX_VALUE_SIZE, "size" },
	{ FX_VALUE_SLICE, "slice" },
	{ FX_VALUE_DICT, "dict" },
};

static json_t *
tagged(const char *word, json_t *of)
{
	json_t *object = json_object();

	json_object_set_new(object, word, of);
	return object;
}

static json_t *
hexadecimal(const struct fx_value *value)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	for (size_t i = 0; i < value->count; i++)
		fx_buf_addf(&text, "%02x", (unsigned char)value->text[i]);
	return json_string(fx_buf_text(&text));
}

static json_t *
number_text(double number)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_number_add_double(&text, number);
	return json_string(fx_buf_text(&text));
}

static json_t *
python_text(const struct fx_value *value)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_value_print_as(&text, value, FX_STYLE_CODE);
	return json_string(fx_buf_text(&text));
}

static struct fx_error *put(const struct fx_value *value,
	fx_wire_number_fn *number, int depth, json_t **ret);

static struct fx_error *
put_items(const struct fx_value *value, const char *word,
	fx_wire_number_fn *number, int depth, json_t **ret)
{
	json_t *list = json_array();
	size_t count = fx_value_item_count(value);

	for (size_t i = 0; i < count; i++) {
		json_t *item = NULL;
		struct fx_error *err =
			put(&value->items[i], number, depth + 1, &item);

		if (err) {
			json_decref(list);
			return err;
		}
		json_array_append_new(list, item);
	}
	*ret = tagged(word, list);
	if (fx_value_class_name(value))
		json_object_set_new(*ret, "of",
			json_string(fx_value_class_name(value)));
	return NULL;
}

static json_t *
put_leaf(const struct fx_value *value)
{
	switch (value->kind) {
	case FX_VALUE_NONE:
		return json_null();
	case FX_VALUE_BOOL:
		return json_boolean(value->truth);
	case FX_VALUE_INT:
		return json_integer(value->integer);
	case FX_VALUE_FLOAT:
		return tagged("f", number_text(value->real));
	case FX_VALUE_STRING:
		return json_stringn(value->text, value->count);
	case FX_VALUE_BYTES:
		return tagged("b", hexadecimal(value));
	case FX_VALUE_DTYPE:
		return tagged("dtype",
			json_string(fx_dtype_info((enum fx_dtype)value->integer)
					    ->name));
	case FX_VALUE_DEVICE:
		return tagged("device", json_string(value->text));
	case FX_VALUE_FUNCTION:
	case FX_VALUE_OPAQUE:
		return tagged("object", json_string(value->text));
	case FX_VALUE_NODE:
		return tagged("n", json_string(value->node->name));
	case FX_VALUE_UNKNOWN:
	case FX_VALUE_NODE_ID:
		return NULL;
	default:
		return tagged("py", python_text(value));
	}
}

static struct fx_error *
put(const struct fx_value *value, fx_wire_number_fn *number, int depth,
	json_t **ret)
{
	struct fx_datum *held = fx_datum_held(value);

	if (depth > MOST_DEPTH)
		return fx_error_new(FX_ERR_LIMIT,
			"a value of more than %d levels", MOST_DEPTH);
	for (size_t i = 0; i < FX_ARRAY_LEN(containers); i++)
		if (value->kind == containers[i].kind)
			return put_items(value, containers[i].word, number,
				depth, ret);
	*ret = NULL;
	if (!held) {
		*ret = put_leaf(value);
	} else if (held->kind != FX_DATUM_NODES) {
		json_int_t held_as = number(held);

		*ret = held_as ? tagged("h", json_integer(held_as)) : NULL;
	}
	if (!*ret) {
		FX_AUTO_DATUM struct fx_datum *datum =
			fx_datum_from_value(value);

		if (value->kind == FX_VALUE_UNKNOWN)
			return fx_error_new(FX_ERR_TYPE,
				"an argument that is a graph, or not known, "
				"cannot be given to the Python process");
		return fx_error_new(FX_ERR_TYPE,
			"a %s cannot be given to the Python process",
			fx_datum_kind_name(datum));
	}
	return NULL;
}

struct fx_error *
fx_wire_put(const struct fx_datum *datum, fx_wire_number_fn *number,
	json_t **ret)
{
	return put(&datum->value, number, 0, ret);
}

/* What a graph holds has no number. */
static json_int_t
no_number(const struct fx_datum *datum)
{
	(void)datum;
	return 0;
}

struct fx_error *
fx_wire_put_value(const struct fx_value *value, json_t **ret)
{
	return put(value, no_number, 0, ret);
}

/* --- and back ----------------------------------------------------------- */

static struct fx_error *
strange(void)
{
	return fx_error_new(FX_ERR_FORMAT,
		"the Python process answered with something else");
}

struct reading {
	fx_wire_held_fn *held;
	void *context;
};

static struct fx_error *get(json_t *json, const struct reading *r, int depth,
	struct fx_datum **ret);

static struct fx_error *
get_items(json_t *list, const struct reading *r, int depth,
	enum fx_value_kind kind, struct fx_datum **ret)
{
	size_t count = json_array_size(list), done = 0;
	FX_AUTO_FREE struct fx_datum **items =
		fx_xcalloc(count + 1, sizeof(struct fx_datum *));
	struct fx_error *err = NULL;

	if ((kind == FX_VALUE_DICT && count % 2) ||
		(kind == FX_VALUE_SLICE && count != 3))
		return strange();
	while (done < count && !err) {
		err = get(json_array_get(list, done), r, depth + 1,
			&items[done]);
		done += !err;
	}
	if (!err) {
		*ret = fx_datum_items_take(kind, items,
			kind == FX_VALUE_DICT ? count / 2 : count);
		return NULL;
	}
	while (done > 0)
		fx_datum_unref(items[--done]);
	return err;
}

static struct fx_datum *
get_value(enum fx_value_kind kind, const char *text)
{
	struct fx_value value;

	if (kind == FX_VALUE_DTYPE)
		value = fx_value_dtype((int)fx_dtype_find(text));
	else
		value = fx_value_text(kind, text);
	return fx_datum_from_value(&value);
}

/* JSON as the container AT that place, with the class that it is of. */
static struct fx_error *
get_container(json_t *json, size_t at, const struct reading *r, int depth,
	struct fx_datum **ret)
{
	const char *of = fx_message_text(json, "of");
	struct fx_error *err =
		get_items(json_object_get(json, containers[at].word), r, depth,
			containers[at].kind, ret);

	if (!err && of)
		(*ret)->value.class_number = fx_value_class(of);
	return err;
}

static struct fx_error *
get_tagged(json_t *json, const struct reading *r, int depth,
	struct fx_datum **ret)
{
	void *first = json_object_iter(json);
	const char *word = first ? json_object_iter_key(first) : "";
	json_t *of = first ? json_object_iter_value(first) : NULL;

	if (json_object_get(json, "h")) {
		*ret = r->held(r->context, json);
		return *ret ? NULL : strange();
	}
	if (json_is_array(of))
		for (size_t i = 0; i < FX_ARRAY_LEN(containers); i++)
			if (strcmp(containers[i].word, word) == 0)
				return get_container(json, i, r, depth, ret);
	if (!json_is_string(of))
		return strange();
	if (strcmp(word, "f") == 0)
		*ret = fx_datum_float(strtod(json_string_value(of), NULL));
	else if (strcmp(word, "dtype") == 0)
		*ret = get_value(FX_VALUE_DTYPE, json_string_value(of));
	else if (strcmp(word, "device") == 0)
		*ret = get_value(FX_VALUE_DEVICE, json_string_value(of));
	else
		return strange();
	return NULL;
}

static struct fx_error *
get(json_t *json, const struct reading *r, int depth, struct fx_datum **ret)
{
	if (depth > MOST_DEPTH)
		return strange();
	switch (json ? json_typeof(json) : JSON_REAL) {
	case JSON_NULL:
		*ret = fx_datum_none();
		return NULL;
	case JSON_TRUE:
	case JSON_FALSE:
		*ret = fx_datum_bool(json_is_true(json));
		return NULL;
	case JSON_INTEGER:
		*ret = fx_datum_int(json_integer_value(json));
		return NULL;
	case JSON_STRING:
		*ret = fx_datum_string(json_string_value(json),
			json_string_length(json));
		return NULL;
	case JSON_OBJECT:
		return get_tagged(json, r, depth, ret);
	default:
		return strange();
	}
}

struct fx_error *
fx_wire_get(json_t *json, fx_wire_held_fn *held, void *context,
	struct fx_datum **ret)
{
	const struct reading r = { .held = held, .context = context };

	return get(json, &r, 0, ret);
}

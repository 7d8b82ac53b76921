/* pt2_value.c - arguments and shapes of .pt2 archives, as Python. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/number.h"
#include "base/str.h"
#include "ir/tensor_meta.h"
#include "ir/value_text.h"
#include "load/pt2_private.h"

#define EXPRESSION_DEPTH 100

static const struct {
	const char *kind;
	json_int_t number;
	const char *text;
} numbers[] = {
#define FX_PT2_NUMBER(kind, number, text) { kind, number, text },
#include "load/pt2.def"
};

static const struct {
	const char *name;
	const char *sign;
} infixes[] = {
#define FX_PT2_INFIX(name, sign) { name, sign },
#include "load/pt2.def"
};

static const char *
number_text(const char *kind, json_int_t number)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(numbers); i++)
		if (numbers[i].number == number &&
			!strcmp(numbers[i].kind, kind))
			return numbers[i].text;
	return NULL;
}

const char *
fx_pt2_dtype(json_int_t number)
{
	const char *text = number_text("as_scalar_type", number);

	return text ? text + strlen("torch.") : NULL;
}

const char *
fx_pt2_union(const json_t *value, json_t **ret)
{
	void *only = json_object_iter((json_t *)value);

	if (!only || json_object_size(value) != 1)
		return NULL;
	*ret = json_object_iter_value(only);
	return json_object_iter_key(only);
}

/* Expressions of sizes: sympy's srepr, as Python. */

struct expression {
	const char *at;
	struct fx_buf *out;
	int depth;
};

static bool add_expression(struct expression *e);

static size_t
word_length(const char *text)
{
	size_t length = 0;

	while ((text[length] >= 'a' && text[length] <= 'z') ||
		(text[length] >= 'A' && text[length] <= 'Z') ||
		(text[length] >= '0' && text[length] <= '9') ||
		text[length] == '_')
		length++;
	return length;
}

static bool
skip(struct expression *e, const char *text)
{
	if (!fx_str_starts(e->at, text))
		return false;
	e->at += strlen(text);
	return true;
}

/* Symbol('s77', positive=True), Float('2.0', precision=53): the text. */
static bool
add_quoted(struct expression *e)
{
	size_t length = strcspn(e->at, "'");

	for (size_t i = 0; i < length; i++)
		if (e->at[i] != '.' && e->at[i] != '-' && e->at[i] != '+' &&
			!word_length((char[]){ e->at[i], '\0' }))
			return false;
	fx_buf_add_n(e->out, e->at, length);
	e->at += length;
	e->at += strcspn(e->at, ")");
	return length > 0 && skip(e, ")");
}

/* The rest of a call's arguments, put together by SEPARATOR. */
static bool
add_operands(struct expression *e, const char *separator)
{
	if (skip(e, ")"))
		return true;
	do {
		if (!add_expression(e))
			return false;
		if (skip(e, ")"))
			return true;
		fx_buf_add(e->out, separator);
	} while (skip(e, ", "));
	return false;
}

static bool
add_call(struct expression *e, const char *name, size_t length)
{
	size_t i = 0;

	if ((length == 6 && !strncmp(name, "Symbol", 6)) ||
		(length == 5 && !strncmp(name, "Float", 5)))
		return skip(e, "'") && add_quoted(e);
	if (length == 7 && !strncmp(name, "Integer", 7))
		return add_operands(e, "");
	while (i < FX_ARRAY_LEN(infixes) &&
		(strlen(infixes[i].name) != length ||
			strncmp(infixes[i].name, name, length) != 0))
		i++;
	if (i == FX_ARRAY_LEN(infixes))
		fx_buf_add_n(e->out, name, length);
	fx_buf_add(e->out, "(");
	if (!add_operands(e,
		    i < FX_ARRAY_LEN(infixes) ? infixes[i].sign : ", "))
		return false;
	fx_buf_add(e->out, ")");
	return true;
}

/* One expression; false when it is not understood. */
static bool
add_expression(struct expression *e)
{
	const char *name = e->at;
	bool is_negative = skip(e, "-");
	size_t length = word_length(e->at);
	bool done;

	if (length == 0 || e->depth >= EXPRESSION_DEPTH)
		return false;
	if (is_negative)
		name = e->at;
	e->at += length;
	if (!skip(e, "(")) {
		/* A number: the only thing that is no call. */
		fx_buf_addf(e->out, is_negative ? "(-%.*s)" : "%.*s",
			(int)length, name);
		return strspn(name, "0123456789") >= length;
	}
	e->depth++;
	done = !is_negative && add_call(e, name, length);
	e->depth--;
	return done;
}

/* {"as_int": 2} or {"as_expr": {"expr_str": ...}}. */
static bool
add_size(const json_t *size, struct fx_buf *out)
{
	json_t *value = NULL;
	const char *kind = fx_pt2_union(size, &value);
	struct expression e = { .out = out };

	if (!kind)
		return false;
	if (json_is_integer(value)) {
		fx_buf_add_int(out, json_integer_value(value));
		return true;
	}
	e.at = json_string_value(json_object_get(value, "expr_str"));
	return e.at && add_expression(&e) && !*e.at;
}

static bool
add_sizes(const json_t *tensor, const char *key, struct fx_buf *out)
{
	const json_t *sizes = json_object_get(tensor, key);

	fx_buf_add(out, "[");
	for (size_t i = 0; i < json_array_size(sizes); i++) {
		fx_buf_add(out, i ? ", " : "");
		if (!add_size(json_array_get(sizes, i), out))
			return false;
	}
	fx_buf_add(out, "]");
	return json_is_array(sizes);
}

/* f32[2, s77][s77, 1]cpu */
static bool
add_tensor(const json_t *tensor, struct fx_buf *out)
{
	const char *dtype =
		fx_pt2_dtype(json_integer_value(json_object_get(tensor,
			"dtype")));
	const json_t *device = json_object_get(tensor, "device");
	const char *type = json_string_value(json_object_get(device, "type"));

	if (!dtype || fx_dtype_find(dtype) == FX_DTYPE_NONE)
		return false;
	fx_buf_add(out, fx_dtype_info(fx_dtype_find(dtype))->short_name);
	if (!add_sizes(tensor, "sizes", out) ||
		!add_sizes(tensor, "strides", out))
		return false;
	if (type && fx_str_is_identifier(type))
		fx_buf_add(out, type);
	return true;
}

bool
fx_pt2_meta(struct fx_pt2_graph *g, const char *name, struct fx_buf *out)
{
	static const char *const symbols[] = { "sym_int_values",
		"sym_float_values", "sym_bool_values" };
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const json_t *tensor =
		json_object_get(json_object_get(g->json, "tensor_values"),
			name);
	const json_t *symbol = NULL;
	struct fx_error *err;
	struct fx_value meta;
	bool understood;

	for (size_t i = 0; !tensor && !symbol && i < FX_ARRAY_LEN(symbols); i++)
		symbol = json_object_get(json_object_get(g->json, symbols[i]),
			name);
	fx_buf_add(&text, tensor ? "" : "Sym(");
	understood = tensor ? add_tensor(tensor, &text)
			    : symbol && add_size(symbol, &text);
	fx_buf_add(&text, tensor ? "" : ")");
	if (!understood)
		return false;
	err = fx_tensor_meta_parse(g->r->scratch, fx_buf_text(&text),
		text.length, &meta);
	if (err) {
		fx_error_free(err);
		return false;
	}
	fx_value_print_as(out, &meta, FX_STYLE_EXACT);
	return true;
}

/* Arguments. */

struct fx_error *
fx_pt2_node_of(struct fx_pt2_graph *g, const char *name, const char **ret)
{
	*ret = name ? fx_map_get_pointer(&g->names, fx_intern(name)) : NULL;
	if (*ret)
		return NULL;
	if (!name)
		return fx_jsonl_error(g->r, FX_ERR_FORMAT, "a name is missing");
	return fx_jsonl_error(g->r, FX_ERR_FORMAT,
		"name \"%.100s\" is not defined", name);
}

FX_NODISCARD static struct fx_error *
bad_value(struct fx_pt2_graph *g, const char *kind)
{
	return fx_jsonl_error(g->r, FX_ERR_FORMAT,
		"a value of kind \"%.100s\" is not understood", kind);
}

FX_NODISCARD static struct fx_error *
add_reference(struct fx_pt2_graph *g, const char *kind, const json_t *value,
	struct fx_buf *out)
{
	const char *name;
	struct fx_error *err =
		fx_pt2_node_of(g, json_string_value(value), &name);

	(void)kind;
	if (!err)
		fx_buf_addf(out, "%%%s", name);
	return err;
}

FX_NODISCARD static struct fx_error *
add_none(struct fx_pt2_graph *g, const char *kind, const json_t *value,
	struct fx_buf *out)
{
	(void)g;
	(void)kind;
	(void)value;
	fx_buf_add(out, "None");
	return NULL;
}

FX_NODISCARD static struct fx_error *
add_number(struct fx_pt2_graph *g, const char *kind, const json_t *value,
	struct fx_buf *out)
{
	const char *text =
		json_is_integer(value)
			? number_text(kind, json_integer_value(value))
			: NULL;

	if (!text)
		return bad_value(g, kind);
	fx_buf_add(out, text);
	return NULL;
}

FX_NODISCARD static struct fx_error *
add_float(struct fx_pt2_graph *g, const char *kind, const json_t *value,
	struct fx_buf *out)
{
	const char *text = json_string_value(value);

	if (json_is_number(value))
		fx_number_add_double(out, json_number_value(value));
	else if (fx_str_equal(text, "Infinity"))
		fx_buf_add(out, "inf");
	else if (fx_str_equal(text, "-Infinity"))
		fx_buf_add(out, "-inf");
	else if (fx_str_equal(text, "NaN"))
		fx_buf_add(out, "nan");
	else
		return bad_value(g, kind);
	return NULL;
}

FX_NODISCARD static struct fx_error *
add_complex(struct fx_pt2_graph *g, const char *kind, const json_t *value,
	struct fx_buf *out)
{
	const json_t *real = json_object_get(value, "real");
	const json_t *imaginary = json_object_get(value, "imag");

	if (!json_is_number(real) || !json_is_number(imaginary))
		return bad_value(g, kind);
	fx_number_add_complex(out, json_number_value(real),
		json_number_value(imaginary));
	return NULL;
}

FX_NODISCARD static struct fx_error *
add_device(struct fx_pt2_graph *g, const char *kind, const json_t *value,
	struct fx_buf *out)
{
	const char *type = json_string_value(json_object_get(value, "type"));
	const json_t *index = json_object_get(value, "index");

	if (!type || !fx_str_is_identifier(type))
		return bad_value(g, kind);
	fx_buf_addf(out, "device(type='%s'", type);
	if (json_is_integer(index))
		fx_buf_addf(out, ", index=%lld",
			(long long)json_integer_value(index));
	fx_buf_add(out, ")");
	return NULL;
}

FX_NODISCARD static struct fx_error *
add_operator(struct fx_pt2_graph *g, const char *kind, const json_t *value,
	struct fx_buf *out)
{
	const char *target = json_string_value(value);

	if (!target || fx_str_has_controls(target))
		return bad_value(g, kind);
	fx_buf_add(out, target);
	return NULL;
}

FX_NODISCARD static struct fx_error *add_plain(struct fx_pt2_graph *g,
	const char *kind, const json_t *value, struct fx_buf *out);

/* Items between OPEN and CLOSE, each by ADD. */
FX_NODISCARD static struct fx_error *
add_items(struct fx_pt2_graph *g, const char *kind, const json_t *value,
	struct fx_buf *out,
	struct fx_error *(*add)(struct fx_pt2_graph *g, const char *kind,
		const json_t *value, struct fx_buf *out))
{
	struct fx_error *err = NULL;

	fx_buf_add(out, "[");
	for (size_t i = 0; !err && i < json_array_size(value); i++) {
		fx_buf_add(out, i ? ", " : "");
		err = add(g, kind, json_array_get(value, i), out);
	}
	fx_buf_add(out, "]");
	return err;
}

FX_NODISCARD static struct fx_error *
add_floats(struct fx_pt2_graph *g, const char *kind, const json_t *value,
	struct fx_buf *out)
{
	return add_items(g, kind, value, out,
		json_is_array(value) && json_is_array(json_array_get(value, 0))
			? add_floats
			: add_float);
}

/* Lists of ints arrive as tuples. */
FX_NODISCARD static struct fx_error *
add_tuples(struct fx_pt2_graph *g, const char *kind, const json_t *value,
	struct fx_buf *out)
{
	struct fx_error *err = NULL;

	fx_buf_add(out, "[");
	for (size_t i = 0; !err && i < json_array_size(value); i++) {
		const json_t *tuple = json_array_get(value, i);

		fx_buf_add(out, i ? ", (" : "(");
		for (size_t j = 0; !err && j < json_array_size(tuple); j++) {
			err = add_plain(g, kind, json_array_get(tuple, j), out);
			fx_buf_add(out, ",");
		}
		fx_buf_add(out, ")");
	}
	fx_buf_add(out, "]");
	return err;
}

FX_NODISCARD static struct fx_error *
add_dict(struct fx_pt2_graph *g, const char *kind, const json_t *value,
	struct fx_buf *out)
{
	struct fx_error *err = NULL;
	const char *key;
	json_t *item;

	(void)kind;
	fx_buf_add(out, "{");
	json_object_foreach((json_t *)value, key, item)
	{
		if (err)
			break;
		fx_str_python_repr(out, key, strlen(key));
		fx_buf_add(out, ": ");
		err = fx_pt2_argument(g, item, out);
		fx_buf_add(out, ", ");
	}
	fx_buf_add(out, "}");
	return err;
}

/* What JSON says itself; {"name": ...} is a node, another object a union. */
FX_NODISCARD static struct fx_error *
add_plain(struct fx_pt2_graph *g, const char *kind, const json_t *value,
	struct fx_buf *out)
{
	const json_t *name = json_object_get(value, "name");

	if (name)
		return add_reference(g, kind, name, out);
	if (json_is_object(value))
		return fx_pt2_argument(g, value, out);
	if (json_is_array(value))
		return add_items(g, kind, value, out, add_plain);
	if (json_is_string(value))
		fx_str_python_repr(out, json_string_value(value),
			json_string_length(value));
	else if (json_is_boolean(value))
		fx_buf_add(out, json_is_true(value) ? "True" : "False");
	else if (json_is_integer(value))
		fx_buf_add_int(out, json_integer_value(value));
	else
		return bad_value(g, kind);
	return NULL;
}

/* Kinds that do not say in JSON what they are; all others are plain. */
static const struct {
	const char *kind;
	struct fx_error *(*add)(struct fx_pt2_graph *g, const char *kind,
		const json_t *value, struct fx_buf *out);
} kinds[] = {
	{ "as_name", add_reference },
	{ "as_none", add_none },
	{ "as_scalar_type", add_number },
	{ "as_layout", add_number },
	{ "as_memory_format", add_number },
	{ "as_float", add_float },
	{ "as_floats", add_floats },
	{ "as_float_lists", add_floats },
	{ "as_int_lists", add_tuples },
	{ "as_complex", add_complex },
	{ "as_device", add_device },
	{ "as_operator", add_operator },
	{ "as_string_to_argument", add_dict },
	{ "as_tensor", add_plain },
	{ "as_tensors", add_plain },
	{ "as_nested_tensors", add_plain },
	{ "as_optional_tensor", add_plain },
	{ "as_optional_tensors", add_plain },
	{ "as_int", add_plain },
	{ "as_ints", add_plain },
	{ "as_bool", add_plain },
	{ "as_bools", add_plain },
	{ "as_string", add_plain },
	{ "as_strings", add_plain },
	{ "as_sym_int", add_plain },
	{ "as_sym_ints", add_plain },
	{ "as_sym_float", add_plain },
	{ "as_sym_floats", add_plain },
	{ "as_sym_bool", add_plain },
	{ "as_sym_bools", add_plain },
	{ "as_custom_obj", add_plain },
	{ "as_graph", add_plain },
};

struct fx_error *
fx_pt2_argument(struct fx_pt2_graph *g, const json_t *argument,
	struct fx_buf *out)
{
	json_t *value = NULL;
	const char *kind = fx_pt2_union(argument, &value);

	if (!kind)
		return fx_jsonl_error(g->r, FX_ERR_FORMAT,
			"an argument says not what it is");
	for (size_t i = 0; i < FX_ARRAY_LEN(kinds); i++)
		if (!strcmp(kinds[i].kind, kind))
			return kinds[i].add(g, kind, value, out);
	return bad_value(g, kind);
}

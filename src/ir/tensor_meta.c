/* tensor_meta.c - making metadata of tensors and reading it from text. */
#include <config.h>

#include "ir/tensor_meta.h"

#include <ctype.h>
#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "ir/size.h"
#include "lang/ast.h"
#include "lang/parse.h"

static struct fx_value
value_of(struct fx_tensor_meta *meta)
{
	return (struct fx_value){ .kind = FX_VALUE_TENSOR, .tensor = meta };
}

static struct fx_tensor_meta *
new_meta(struct fx_arena *arena, enum fx_dtype dtype, size_t rank,
	struct fx_value **sizes_ret)
{
	struct fx_tensor_meta *meta =
		FX_ARENA_NEW(arena, struct fx_tensor_meta);

	*sizes_ret = FX_ARENA_ARRAY(arena, struct fx_value, rank);
	meta->dtype = dtype;
	meta->has_shape = true;
	meta->rank = (uint32_t)rank;
	meta->sizes = *sizes_ret;
	return meta;
}

struct fx_value
fx_tensor_meta_value(struct fx_arena *arena, enum fx_dtype dtype,
	const struct fx_value *sizes, size_t rank)
{
	struct fx_value *copy;
	struct fx_tensor_meta *meta = new_meta(arena, dtype, rank, &copy);

	for (size_t i = 0; i < rank; i++)
		copy[i] = sizes[i];
	return value_of(meta);
}

struct fx_value
fx_tensor_meta_ints(struct fx_arena *arena, enum fx_dtype dtype,
	const int64_t *sizes, size_t rank)
{
	struct fx_value *copy;
	struct fx_tensor_meta *meta = new_meta(arena, dtype, rank, &copy);

	for (size_t i = 0; i < rank; i++)
		copy[i] = fx_value_int(sizes[i]);
	return value_of(meta);
}

struct fx_value
fx_tensor_meta_shapeless(struct fx_arena *arena, enum fx_dtype dtype)
{
	struct fx_tensor_meta *meta =
		FX_ARENA_NEW(arena, struct fx_tensor_meta);

	meta->dtype = dtype;
	return value_of(meta);
}

bool
fx_tensor_meta_has_numbers(const struct fx_tensor_meta *meta)
{
	for (uint32_t i = 0; i < meta->rank; i++)
		if (meta->sizes[i].kind != FX_VALUE_INT)
			return false;
	return meta->has_shape;
}

bool
fx_value_has_numbers(const struct fx_value *value)
{
	return value && value->kind == FX_VALUE_TENSOR &&
	       fx_tensor_meta_has_numbers(value->tensor);
}

static uint64_t
bytes_of_tensor(const struct fx_tensor_meta *tensor)
{
	uint64_t bytes = fx_dtype_info(tensor->dtype)->size;

	if (!tensor->has_shape)
		return 0;
	for (uint32_t i = 0; i < tensor->rank; i++) {
		const struct fx_value *size = &tensor->sizes[i];

		if (size->kind != FX_VALUE_INT || size->integer < 0)
			return 0;
		if (__builtin_mul_overflow(bytes, (uint64_t)size->integer,
			    &bytes))
			return UINT64_MAX;
	}
	return bytes;
}

uint64_t
fx_value_tensor_bytes(const struct fx_value *value)
{
	uint64_t sum = 0;

	if (value->kind == FX_VALUE_TENSOR)
		return bytes_of_tensor(value->tensor);
	for (size_t i = 0; i < fx_value_item_count(value); i++)
		if (__builtin_add_overflow(sum,
			    fx_value_tensor_bytes(&value->items[i]), &sum))
			return UINT64_MAX;
	return sum;
}

struct fx_value
fx_tensor_meta_numel(struct fx_arena *arena, const struct fx_tensor_meta *meta)
{
	struct fx_value product = fx_value_int(1);

	if (!meta->has_shape)
		return fx_value_text(FX_VALUE_UNKNOWN,
			"the shape is not known");
	for (uint32_t i = 0; i < meta->rank; i++)
		product = fx_size_mul(arena, product, meta->sizes[i]);
	return product;
}

/* A text being read: bytes up to LENGTH. */
struct spec {
	struct fx_arena *arena;
	const char *text;
	size_t length;
	size_t at;
};

static struct fx_error *
bad_spec(const struct spec *spec, const char *what)
{
	struct fx_span span = { spec->at, spec->at + 1 };

	if (spec->at >= spec->length)
		span = (struct fx_span){ spec->length, spec->length };
	return fx_error_hint(fx_error_at(fx_error_new(FX_ERR_SYNTAX,
						 "%s in \"%.*s\"", what,
						 (int)FX_MIN(spec->length, 200),
						 spec->text),
				     spec->text, span),
		"write a dtype and sizes: f32[1,3,224,224], i64[N,128]");
}

static void
skip_blanks(struct spec *spec)
{
	while (spec->at < spec->length &&
		(spec->text[spec->at] == ' ' || spec->text[spec->at] == '\t'))
		spec->at++;
}

static bool
is_next(struct spec *spec, char c)
{
	skip_blanks(spec);
	return spec->at < spec->length && spec->text[spec->at] == c;
}

/* One size: an expression that ends at a comma or bracket. */
static struct fx_error *
read_size(struct spec *spec, bool may_be_negative, struct fx_value *ret)
{
	struct fx_parse_range range = { spec->text, spec->length, spec->at,
		spec->length };
	struct fx_ast *tree;
	size_t end;
	struct fx_error *err = fx_parse_expression_in(spec->arena, &range,
		FX_PARSE_PYTHON, &tree, &end);

	if (err)
		return err;
	/* A bare tuple takes the commas with it; that is read_sizes' work. */
	err = fx_size_from_ast(spec->arena, spec->text, tree, ret);
	if (err)
		return err;
	if (!may_be_negative && ret->kind == FX_VALUE_INT && ret->integer < 0)
		return bad_spec(spec, "a size is negative");
	spec->at = end;
	return NULL;
}

/* Where the size that begins at AT ends: at a comma or bracket of its level. */
static size_t
size_end(const struct spec *spec)
{
	size_t at = spec->at;
	int depth = 0;

	for (; at < spec->length; at++) {
		char c = spec->text[at];

		if (depth == 0 && (c == ',' || c == ']'))
			break;
		if (c == '(' || c == '[')
			depth++;
		else if (c == ')' || c == ']')
			depth--;
	}
	return at;
}

/* "[a, b]" with the bracket next; sizes in the arena. */
static struct fx_error *
read_sizes(struct spec *spec, struct fx_value **sizes_ret, size_t *rank_ret)
{
	struct fx_value *sizes =
		FX_ARENA_ARRAY(spec->arena, struct fx_value, FX_RANK_LIMIT);
	size_t rank = 0;
	struct fx_error *err;

	spec->at++;
	while (!is_next(spec, ']')) {
		struct spec one = *spec;

		if (rank == FX_RANK_LIMIT)
			return bad_spec(spec, "more than 64 dimensions");
		one.length = size_end(spec);
		err = read_size(&one, false, &sizes[rank++]);
		if (err)
			return err;
		spec->at = one.at;
		if (is_next(spec, ']'))
			break;
		if (!is_next(spec, ','))
			return bad_spec(spec, "expected \",\" or \"]\"");
		spec->at++;
	}
	spec->at++;
	*sizes_ret = sizes;
	*rank_ret = rank;
	return NULL;
}

static enum fx_dtype
read_dtype(struct spec *spec)
{
	size_t begin = spec->at;
	const char *name;
	enum fx_dtype dtype;

	while (spec->at < spec->length &&
		(isalnum((unsigned char)spec->text[spec->at]) ||
			strchr("._", spec->text[spec->at])))
		spec->at++;
	name = fx_intern_n(spec->text + begin, spec->at - begin);
	if (strncmp(name, "torch.", 6) == 0)
		name += 6;
	dtype = fx_dtype_find_short(name);
	return dtype ? dtype : fx_dtype_find(name);
}

/* The device after the shape: cpu, cuda:0. */
static struct fx_error *
read_device(struct spec *spec, struct fx_tensor_meta *meta)
{
	size_t begin;

	skip_blanks(spec);
	begin = spec->at;
	while (spec->at < spec->length &&
		(isalnum((unsigned char)spec->text[spec->at]) ||
			strchr(":_", spec->text[spec->at])))
		spec->at++;
	if (spec->at > begin)
		meta->device =
			fx_intern_n(spec->text + begin, spec->at - begin);
	skip_blanks(spec);
	if (spec->at < spec->length)
		return bad_spec(spec, "unexpected text after the shape");
	return NULL;
}

/* "[...]" stands for a shape that is not known. */
static bool
skip_dots(struct spec *spec)
{
	if (spec->length - spec->at < 5 ||
		strncmp(spec->text + spec->at, "[...]", 5) != 0)
		return false;
	spec->at += 5;
	return true;
}

static struct fx_error *
read_tensor(struct spec *spec, struct fx_value *ret)
{
	struct fx_tensor_meta *meta;
	struct fx_value *sizes = NULL;
	struct fx_value *strides = NULL;
	size_t rank = 0;
	size_t stride_count;
	enum fx_dtype dtype = FX_DTYPE_NONE;
	struct fx_error *err = NULL;
	bool is_shapeless;

	if (is_next(spec, '?'))
		spec->at++;
	else if (!(dtype = read_dtype(spec)))
		return bad_spec(spec, "no dtype is known by that name");
	is_shapeless = skip_dots(spec);
	if (!is_shapeless && !is_next(spec, '['))
		return bad_spec(spec, "expected \"[\"");
	if (!is_shapeless)
		err = read_sizes(spec, &sizes, &rank);
	if (!err && is_next(spec, '['))
		err = read_sizes(spec, &strides, &stride_count);
	if (err)
		return err;
	if (strides && stride_count != rank)
		return bad_spec(spec, "strides and sizes differ in number");
	meta = FX_ARENA_NEW(spec->arena, struct fx_tensor_meta);
	meta->dtype = dtype;
	meta->has_shape = !is_shapeless;
	meta->rank = (uint32_t)rank;
	meta->sizes = sizes;
	meta->strides = strides;
	*ret = value_of(meta);
	return read_device(spec, meta);
}

/* "Sym(s77)", "Sym(16)", "Sym(2.828)"; what is no integer expression (a
 * comparison, a float with symbols) is a number that is not known.
 */
static struct fx_error *
read_symbol(struct spec *spec, struct fx_value *ret)
{
	struct fx_parse_range range = { spec->text, spec->length, 4,
		spec->length - 1 };
	struct fx_ast *tree;
	struct fx_error *err;

	if (spec->text[spec->length - 1] != ')')
		return bad_spec(spec, "expected \")\"");
	err = fx_parse_expression_in(spec->arena, &range, FX_PARSE_PYTHON,
		&tree, NULL);
	if (err)
		return err;
	if (tree->kind == FX_AST_FLOAT) {
		*ret = fx_value_float(tree->real);
		return NULL;
	}
	if (tree->kind == FX_AST_BOOL) {
		*ret = fx_value_bool(tree->integer != 0);
		return NULL;
	}
	err = fx_size_from_ast(spec->arena, spec->text, tree, ret);
	if (err) {
		fx_error_free(err);
		*ret = fx_value_text(FX_VALUE_UNKNOWN,
			fx_intern_format("%s %.*s",
				tree->kind == FX_AST_COMPARE ? "bool" : "float",
				(int)spec->length - 5, spec->text + 4));
	}
	return NULL;
}

struct fx_error *
fx_tensor_meta_parse(struct fx_arena *arena, const char *text, size_t length,
	struct fx_value *ret)
{
	struct spec spec = { arena, text, length, 0 };
	bool is_number;

	skip_blanks(&spec);
	while (spec.length > spec.at && spec.text[spec.length - 1] == ' ')
		spec.length--;
	if (spec.at == spec.length)
		return bad_spec(&spec, "a shape is missing");
	if (spec.length - spec.at > 4 &&
		strncmp(text + spec.at, "Sym(", 4) == 0) {
		spec.text += spec.at;
		spec.length -= spec.at;
		spec.at = 0;
		return read_symbol(&spec, ret);
	}
	is_number =
		isdigit((unsigned char)text[spec.at]) || text[spec.at] == '-';
	if (is_number) {
		struct fx_error *err = read_size(&spec, true, ret);

		if (!err && spec.at < spec.length)
			err = bad_spec(&spec, "unexpected text");
		return err;
	}
	return read_tensor(&spec, ret);
}

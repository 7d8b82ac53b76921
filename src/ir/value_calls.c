/* value_calls.c - calls that stand for a value: slice(...), device(...), and
 * the words that the exact style uses where Python has no literal.
 */
#include <config.h>

#include "ir/value_read.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "ir/tensor_meta.h"
#include "lang/ast.h"

/* Up to three operands of slice() and range(): f(stop), f(start, stop),
 * f(start, stop, step).
 */
FX_NODISCARD static struct fx_error *
read_triple(const struct fx_value_reader *r, const struct fx_ast *call,
	struct fx_value *triple)
{
	size_t count = call->kid_count - 1;
	struct fx_value *items = NULL;
	struct fx_error *err;

	if (count < 1 || count > 3)
		return fx_value_read_refuse(r, call);
	err = fx_value_read_items(r, call, 1, &items);
	if (err)
		return err;
	if (count == 1)
		triple[1] = items[0];
	else
		memcpy(triple, items, count * sizeof(*triple));
	return NULL;
}

FX_NODISCARD static struct fx_error *
read_slice_call(const struct fx_value_reader *r, const struct fx_ast *call,
	struct fx_value *ret)
{
	struct fx_value t[3] = { { 0 } };
	struct fx_error *err = read_triple(r, call, t);

	if (!err)
		*ret = fx_value_slice(r->arena, t[0], t[1], t[2]);
	return err;
}

FX_NODISCARD static struct fx_error *
read_range_call(const struct fx_value_reader *r, const struct fx_ast *call,
	struct fx_value *ret)
{
	struct fx_value t[3] = { fx_value_int(0), fx_value_none(),
		fx_value_int(1) };
	struct fx_error *err = read_triple(r, call, t);

	if (!err)
		*ret = fx_value_range(r->arena, t[0], t[1], t[2]);
	return err;
}

/* device('cuda', 0), device('cuda:0'), device(type='cuda', index=0). */
FX_NODISCARD static struct fx_error *
read_device_call(const struct fx_value_reader *r, const struct fx_ast *call,
	struct fx_value *ret)
{
	const char *type = NULL;
	const struct fx_ast *index = NULL;

	for (uint32_t i = 1; i < call->kid_count; i++) {
		const struct fx_ast *arg = call->kids[i];

		if (arg->kind == FX_AST_KEYWORD)
			arg = arg->kids[0];
		if (arg->kind == FX_AST_STRING && i == 1 &&
			strlen(arg->string) == arg->length)
			type = arg->string;
		else if (arg->kind == FX_AST_INT && !arg->text && i == 2)
			index = arg;
		else
			return fx_value_read_refuse(r, arg);
	}
	if (!type)
		return fx_value_read_refuse(r, call);
	*ret = fx_value_text(FX_VALUE_DEVICE,
		index ? fx_intern_format("%s:%lld", type,
				(long long)index->integer)
		      : type);
	return NULL;
}

FX_NODISCARD static struct fx_error *
read_size_call(const struct fx_value_reader *r, const struct fx_ast *call,
	struct fx_value *ret)
{
	struct fx_error *err;

	if (call->kid_count != 2)
		return fx_value_read_refuse(r, call);
	err = fx_value_read(r, call->kids[1], ret);
	if (err)
		return err;
	if (!fx_value_is_sequence(ret))
		return fx_value_read_refuse(r, call);
	ret->kind = FX_VALUE_SIZE;
	return NULL;
}

FX_NODISCARD static struct fx_error *
read_complex_call(const struct fx_value_reader *r, const struct fx_ast *call,
	struct fx_value *ret)
{
	struct fx_value *items = NULL;
	struct fx_error *err;
	double real;
	double imag;

	if (call->kid_count != 3)
		return fx_value_read_refuse(r, call);
	err = fx_value_read_items(r, call, 1, &items);
	if (err)
		return err;
	if (!fx_value_as_double(&items[0], &real) ||
		!fx_value_as_double(&items[1], &imag))
		return fx_value_read_refuse(r, call);
	*ret = fx_value_complex(r->arena, real, imag);
	return NULL;
}

/* The one string that a call like opaque('...') has, or NULL. */
static const char *
only_text(const struct fx_ast *call)
{
	const struct fx_ast *arg = call->kid_count == 2 ? call->kids[1] : NULL;

	return arg && arg->kind == FX_AST_STRING &&
			       strlen(arg->string) == arg->length
		       ? arg->string
		       : NULL;
}

/* float('inf') and the like. */
FX_NODISCARD static struct fx_error *
read_float_call(const struct fx_value_reader *r, const struct fx_ast *call,
	struct fx_value *ret)
{
	const char *text = only_text(call);
	double number;

	if (!text || !fx_value_float_of(text, strlen(text), &number))
		return fx_value_read_refuse(r, call);
	*ret = fx_value_float(number);
	return NULL;
}

FX_NODISCARD static struct fx_error *
read_text_call(const struct fx_value_reader *r, const struct fx_ast *call,
	enum fx_value_kind kind, struct fx_value *ret)
{
	const char *text = only_text(call);

	if (!text)
		return fx_value_read_refuse(r, call);
	*ret = fx_value_text(kind, text);
	return NULL;
}

FX_NODISCARD static struct fx_error *
read_opaque_call(const struct fx_value_reader *r, const struct fx_ast *call,
	struct fx_value *ret)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	for (size_t i = 1; i < call->kid_count; i++) {
		const struct fx_ast *part = call->kids[i];

		if (part->kind != FX_AST_STRING ||
			strlen(part->string) != part->length)
			return fx_value_read_refuse(r, call);
		if (i > 1)
			fx_buf_add_char(&text, FX_VALUE_PART);
		fx_buf_add_n(&text, part->string, part->length);
	}
	if (call->kid_count < 2)
		return fx_value_read_refuse(r, call);
	*ret = fx_value_text(FX_VALUE_OPAQUE, fx_buf_text(&text));
	return NULL;
}

FX_NODISCARD static struct fx_error *
read_function_call(const struct fx_value_reader *r, const struct fx_ast *call,
	struct fx_value *ret)
{
	return read_text_call(r, call, FX_VALUE_FUNCTION, ret);
}

FX_NODISCARD static struct fx_error *
read_unknown_call(const struct fx_value_reader *r, const struct fx_ast *call,
	struct fx_value *ret)
{
	return read_text_call(r, call, FX_VALUE_UNKNOWN, ret);
}

FX_NODISCARD static struct fx_error *
read_namedtuple_call(const struct fx_value_reader *r, const struct fx_ast *call,
	struct fx_value *ret)
{
	struct fx_value *items = NULL;
	struct fx_error *err;

	if (call->kid_count < 2 || call->kids[1]->kind != FX_AST_STRING)
		return fx_value_read_refuse(r, call);
	err = fx_value_read_items(r, call, 1, &items);
	if (err)
		return err;
	*ret = fx_value_namedtuple(r->arena, items[0].text, items + 1,
		call->kid_count - 2);
	return NULL;
}

/* TEXT as metadata, an error of which is about CALL. */
FX_NODISCARD static struct fx_error *
read_meta(const struct fx_value_reader *r, const struct fx_ast *call,
	const char *text, struct fx_value *ret)
{
	struct fx_error *err =
		fx_tensor_meta_parse(r->arena, text, strlen(text), ret);

	return err ? fx_error_at(err, r->text, call->span) : NULL;
}

FX_NODISCARD static struct fx_error *
read_tensor_call(const struct fx_value_reader *r, const struct fx_ast *call,
	struct fx_value *ret)
{
	const char *text = only_text(call);

	return text ? read_meta(r, call, text, ret)
		    : fx_value_read_refuse(r, call);
}

FX_NODISCARD static struct fx_error *
read_symbol_call(const struct fx_value_reader *r, const struct fx_ast *call,
	struct fx_value *ret)
{
	FX_AUTO_BUF struct fx_buf size = { 0 };
	const char *text = only_text(call);

	if (!text)
		return fx_value_read_refuse(r, call);
	fx_buf_addf(&size, "Sym(%s)", text);
	return read_meta(r, call, fx_buf_text(&size), ret);
}

/* dict([(key, value), ...]): a dict whose first key is no literal. */
FX_NODISCARD static struct fx_error *
read_dict_call(const struct fx_value_reader *r, const struct fx_ast *call,
	struct fx_value *ret)
{
	struct fx_value pairs = { 0 };
	struct fx_value *items;
	struct fx_error *err;

	if (call->kid_count != 2)
		return fx_value_read_refuse(r, call);
	err = fx_value_read(r, call->kids[1], &pairs);
	if (err)
		return err;
	if (!fx_value_is_sequence(&pairs))
		return fx_value_read_refuse(r, call);
	items = FX_ARENA_ARRAY(r->arena, struct fx_value,
		2 * (size_t)pairs.count);
	for (uint32_t i = 0; i < pairs.count; i++) {
		const struct fx_value *pair = &pairs.items[i];

		if (!fx_value_is_sequence(pair) || pair->count != 2)
			return fx_value_read_refuse(r, call->kids[1]);
		items[2 * i] = pair->items[0];
		items[2 * i + 1] = pair->items[1];
	}
	*ret = fx_value_dict(r->arena, items, pairs.count);
	return NULL;
}

/* Calls that stand for a value. */
static const struct {
	const char *name;
	struct fx_error *(*read)(const struct fx_value_reader *r,
		const struct fx_ast *call, struct fx_value *ret);
} calls[] = {
	{ "slice", read_slice_call },
	{ "range", read_range_call },
	{ "device", read_device_call },
	{ "torch.device", read_device_call },
	{ "torch.Size", read_size_call },
	{ "complex", read_complex_call },
	{ "float", read_float_call },
	{ "dict", read_dict_call },
	{ "namedtuple", read_namedtuple_call },
	{ "opaque", read_opaque_call },
	{ "function", read_function_call },
	{ "unknown", read_unknown_call },
	{ "tensor", read_tensor_call },
	{ "sym", read_symbol_call },
};

FX_NODISCARD struct fx_error *
fx_value_read_call(const struct fx_value_reader *r, const struct fx_ast *expr,
	struct fx_value *ret)
{
	const char *name = fx_value_read_name(expr->kids[0]);

	for (size_t i = 0; name && i < FX_ARRAY_LEN(calls); i++)
		if (strcmp(name, calls[i].name) == 0)
			return calls[i].read(r, expr, ret);
	return fx_value_read_refuse(r, expr);
}

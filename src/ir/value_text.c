/* value_text.c - the one printer of values. */
#include <config.h>

#include "ir/value_text.h"

#include <string.h>

#include "base/buf.h"
#include "base/dtype.h"
#include "base/intern.h"
#include "base/number.h"
#include "base/str.h"
#include "ir/fold.h"
#include "ir/node.h"
#include "ir/size.h"
#include "ir/tensor_meta.h"
#include "ops/optab.h"

static void print(struct fx_buf *out, const struct fx_value *value,
	const struct fx_value_printer *p);

static void
add_interned(struct fx_buf *out, const char *text)
{
	fx_buf_add_n(out, text, fx_intern_length(text));
}

static void
print_node(struct fx_buf *out, const struct fx_node *node,
	const struct fx_value_printer *p)
{
	const char *name = p->name ? p->name(p->context, node) : node->name;

	if (p->style == FX_STYLE_LISTING || p->style == FX_STYLE_EXACT)
		fx_buf_add_char(out, '%');
	add_interned(out, name);
}

/* What an import would be called in generated code. */
static const char *
global_name(const struct fx_value_printer *p, const char *qualified)
{
	return p->global && p->style == FX_STYLE_CODE
		       ? p->global(p->global_context, qualified)
		       : qualified;
}

static void
print_items(struct fx_buf *out, const struct fx_value *items, size_t count,
	const struct fx_value_printer *p)
{
	for (size_t i = 0; i < count; i++) {
		if (i)
			fx_buf_add_n(out, ", ", 2);
		print(out, &items[i], p);
	}
}

static void
print_tuple(struct fx_buf *out, const struct fx_value *items, size_t count,
	const struct fx_value_printer *p)
{
	fx_buf_add_char(out, '(');
	print_items(out, items, count, p);
	fx_buf_add(out, count == 1 ? ",)" : ")");
}

static void
print_list(struct fx_buf *out, const struct fx_value *items, size_t count,
	const struct fx_value_printer *p)
{
	fx_buf_add_char(out, '[');
	print_items(out, items, count, p);
	fx_buf_add_char(out, ']');
}

/* torch.fx formats keys of a listing with str() and values with its own
 * format_arg: within a key that is a tuple the items are quoted again.
 */
static void
print_key(struct fx_buf *out, const struct fx_value *key,
	const struct fx_value_printer *p)
{
	struct fx_value_printer plain = *p;

	if (p->style == FX_STYLE_LISTING && key->kind != FX_VALUE_STRING &&
		key->kind != FX_VALUE_OPAQUE)
		plain.style = FX_STYLE_PLAIN;
	print(out, key, &plain);
}

/* Whether braces before KEY begin a dict also where they may hold a query
 * (lang/parse.h): only a literal tells.
 */
static bool
is_literal(const struct fx_value *key)
{
	switch (key->kind) {
	case FX_VALUE_NONE:
	case FX_VALUE_BOOL:
	case FX_VALUE_STRING:
	case FX_VALUE_BYTES:
		return true;
	case FX_VALUE_INT:
		return key->integer >= 0;
	default:
		return false;
	}
}

/* dict([(k, v), ...]) */
static void
print_dict_call(struct fx_buf *out, const struct fx_value *dict,
	const struct fx_value_printer *p)
{
	fx_buf_add(out, "dict([");
	for (size_t i = 0; i < dict->count; i++) {
		if (i)
			fx_buf_add_n(out, ", ", 2);
		print_tuple(out, &dict->items[2 * i], 2, p);
	}
	fx_buf_add(out, "])");
}

static void
print_dict(struct fx_buf *out, const struct fx_value *dict,
	const struct fx_value_printer *p)
{
	if (p->style == FX_STYLE_EXACT && dict->count &&
		!is_literal(&dict->items[0])) {
		print_dict_call(out, dict, p);
		return;
	}
	fx_buf_add_char(out, '{');
	for (size_t i = 0; i < dict->count; i++) {
		if (i)
			fx_buf_add_n(out, ", ", 2);
		print_key(out, &dict->items[2 * i], p);
		fx_buf_add_n(out, ": ", 2);
		print(out, &dict->items[2 * i + 1], p);
	}
	fx_buf_add_char(out, '}');
}

static void
print_slice(struct fx_buf *out, const struct fx_value *slice,
	const struct fx_value_printer *p)
{
	struct fx_value_printer inner = *p;

	/* A listing prints str(slice): no % and quotes within. */
	if (p->style == FX_STYLE_LISTING)
		inner.style = FX_STYLE_PLAIN;
	fx_buf_add(out, "slice(");
	print_items(out, slice->items, 3, &inner);
	fx_buf_add_char(out, ')');
}

/* A step of one is not written, as Python's repr does. */
static void
print_range(struct fx_buf *out, const struct fx_value *range,
	const struct fx_value_printer *p)
{
	const struct fx_value *step = &range->items[2];
	struct fx_value_printer inner = *p;
	bool is_short = step->kind == FX_VALUE_INT && step->integer == 1;

	if (p->style == FX_STYLE_LISTING)
		inner.style = FX_STYLE_PLAIN;
	fx_buf_add(out, "range(");
	print_items(out, range->items, is_short ? 2 : 3, &inner);
	fx_buf_add_char(out, ')');
}

static void
print_size(struct fx_buf *out, const struct fx_value *size,
	const struct fx_value_printer *p)
{
	if (p->style != FX_STYLE_EXACT && p->style != FX_STYLE_REPR) {
		print_tuple(out, size->items, size->count, p);
		return;
	}
	fx_buf_add(out, "torch.Size(");
	print_list(out, size->items, size->count, p);
	fx_buf_add_char(out, ')');
}

static void
print_namedtuple(struct fx_buf *out, const struct fx_value *value,
	const struct fx_value_printer *p)
{
	const struct fx_value *name = &value->items[0];

	switch (p->style) {
	case FX_STYLE_CODE:
	case FX_STYLE_REPR:
		fx_buf_add(out, global_name(p, name->text));
		print_tuple(out, value->items + 1, value->count, p);
		return;
	case FX_STYLE_LISTING:
	case FX_STYLE_PLAIN:
		print_tuple(out, value->items + 1, value->count, p);
		return;
	case FX_STYLE_EXACT:
		fx_buf_add(out, "namedtuple(");
		print_items(out, value->items, value->count + 1, p);
		fx_buf_add_char(out, ')');
		return;
	}
}

/* "cuda:0" as Python shows it: device(type='cuda', index=0). */
static void
print_device(struct fx_buf *out, const char *device,
	const struct fx_value_printer *p)
{
	const char *colon = strchr(device, ':');
	size_t length = colon ? (size_t)(colon - device) : strlen(device);

	if (p->style == FX_STYLE_LISTING) {
		fx_buf_add(out, device);
		return;
	}
	if (p->style == FX_STYLE_EXACT) {
		fx_buf_add(out, "torch.device(");
		fx_str_python_repr(out, device, strlen(device));
		fx_buf_add_char(out, ')');
		return;
	}
	fx_buf_add(out, global_name(p, "device"));
	fx_buf_add(out, "(type=");
	fx_str_python_repr(out, device, length);
	if (colon) {
		fx_buf_add(out, ", index=");
		fx_buf_add(out, colon + 1);
	}
	fx_buf_add_char(out, ')');
}

/* word('text') in the exact style, else just the text. */
static void
print_wrapped(struct fx_buf *out, const char *word, const char *text,
	const struct fx_value_printer *p)
{
	if (p->style != FX_STYLE_EXACT) {
		fx_buf_add(out, text);
		return;
	}
	fx_buf_add(out, word);
	fx_buf_add_char(out, '(');
	fx_str_python_repr(out, text, strlen(text));
	fx_buf_add_char(out, ')');
}

/* A member of an Enum as torch 2.x spells it; false for anything else. */
static bool
print_member(struct fx_buf *out, const struct fx_value *value,
	const struct fx_value_printer *p)
{
	size_t length;
	const char *path = fx_value_opaque_part(value, 2, &length);
	const char *dot = path ? memrchr(path, '.', length) : NULL;

	if (!dot || !p->global)
		return false;
	fx_buf_add(out,
		global_name(p, fx_intern_n(path, (size_t)(dot - path))));
	fx_buf_add_n(out, dot, (size_t)(path + length - dot));
	return true;
}

static void
print_opaque(struct fx_buf *out, const struct fx_value *value,
	const struct fx_value_printer *p)
{
	bool is_exact = p->style == FX_STYLE_EXACT;
	size_t length;
	const char *text = fx_value_opaque_part(value,
		p->style == FX_STYLE_LISTING, &length);

	if (p->style == FX_STYLE_CODE && print_member(out, value, p))
		return;
	if (!text)
		text = fx_value_opaque_part(value, 0, &length);
	if (!is_exact)
		fx_buf_add_n(out, text, length);
	for (int i = 0; is_exact && text; i++) {
		fx_buf_add(out, i ? ", " : "opaque(");
		fx_str_python_repr(out, text, length);
		text = fx_value_opaque_part(value, i + 1, &length);
	}
	fx_buf_add(out, is_exact ? ")" : "");
}

static void
print_function(struct fx_buf *out, const char *name,
	const struct fx_value_printer *p)
{
	if (p->style == FX_STYLE_EXACT && !fx_value_is_function_name(name))
		print_wrapped(out, "function", name, p);
	else if (p->style == FX_STYLE_REPR && fx_fold_is_class(name))
		fx_buf_addf(out, "<class '%s'>", name);
	else
		fx_buf_add(out, global_name(p, name));
}

static void
print_complex(struct fx_buf *out, const double *pair,
	const struct fx_value_printer *p)
{
	if (p->style != FX_STYLE_EXACT) {
		fx_number_add_complex(out, pair[0], pair[1]);
		return;
	}
	/* Signs of zeros do not survive the arithmetic of (1+2j). */
	fx_buf_add(out, "complex(");
	fx_number_add_double(out, pair[0]);
	fx_buf_add_n(out, ", ", 2);
	fx_number_add_double(out, pair[1]);
	fx_buf_add_char(out, ')');
}

static void
print_string(struct fx_buf *out, const struct fx_value *value,
	const struct fx_value_printer *p)
{
	if (p->style == FX_STYLE_LISTING)
		fx_buf_add_n(out, value->text, value->count);
	else
		fx_str_python_repr(out, value->text, value->count);
}

static void
print_metadata(struct fx_buf *out, const struct fx_value *value,
	const struct fx_value_printer *p)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	if (value->kind == FX_VALUE_TENSOR) {
		fx_tensor_meta_print(&text, value->tensor,
			FX_TENSOR_SPACED | FX_TENSOR_STRIDES |
				FX_TENSOR_DEVICE);
		print_wrapped(out, "tensor", fx_buf_text(&text), p);
	} else if (value->kind == FX_VALUE_SYMBOL) {
		fx_size_print(&text, *value);
		print_wrapped(out, "sym", fx_buf_text(&text), p);
	} else if (p->style == FX_STYLE_EXACT) {
		const char *why = fx_value_why(value);

		print_wrapped(out, "unknown", why ? why : "", p);
	} else {
		fx_buf_add_char(out, '?');
	}
}

static void
print_torch(struct fx_buf *out, const struct fx_value *value)
{
	fx_buf_add_n(out, "torch.", 6);
	if (value->kind == FX_VALUE_DTYPE)
		fx_buf_add(out,
			fx_dtype_info((enum fx_dtype)value->integer)->name);
	else
		fx_buf_add(out, value->text);
}

/* Containers and what is written as a call; the leaves are in print. */
static void
print_compound(struct fx_buf *out, const struct fx_value *value,
	const struct fx_value_printer *p)
{
	if (value->kind == FX_VALUE_TUPLE)
		print_tuple(out, value->items, value->count, p);
	else if (value->kind == FX_VALUE_LIST)
		print_list(out, value->items, value->count, p);
	else if (value->kind == FX_VALUE_DICT)
		print_dict(out, value, p);
	else if (value->kind == FX_VALUE_SLICE)
		print_slice(out, value, p);
	else if (value->kind == FX_VALUE_RANGE)
		print_range(out, value, p);
	else if (value->kind == FX_VALUE_SIZE)
		print_size(out, value, p);
	else
		print_namedtuple(out, value, p);
}

static void
print_number(struct fx_buf *out, const struct fx_value *value,
	const struct fx_value_printer *p)
{
	if (value->kind == FX_VALUE_INT)
		fx_buf_add_int(out, value->integer);
	else if (value->kind == FX_VALUE_BIGINT)
		fx_buf_add(out, value->text);
	else if (value->kind == FX_VALUE_FLOAT)
		fx_number_add_double(out, value->real);
	else
		print_complex(out, value->pair, p);
}

/* A case a kind; the compiler reports one that is missing. */
static void
print(struct fx_buf *out, const struct fx_value *value,
	const struct fx_value_printer *p)
{
	switch ((enum fx_value_kind)value->kind) {
	case FX_VALUE_NONE:
		fx_buf_add_n(out, "None", 4);
		return;
	case FX_VALUE_BOOL:
		fx_buf_add(out, value->truth ? "True" : "False");
		return;
	case FX_VALUE_INT:
	case FX_VALUE_BIGINT:
	case FX_VALUE_FLOAT:
	case FX_VALUE_COMPLEX:
		print_number(out, value, p);
		return;
	case FX_VALUE_STRING:
		print_string(out, value, p);
		return;
	case FX_VALUE_BYTES:
		fx_str_python_bytes(out, value->text, value->count);
		return;
	case FX_VALUE_ELLIPSIS:
		fx_buf_add(out, "Ellipsis");
		return;
	case FX_VALUE_DTYPE:
	case FX_VALUE_LAYOUT:
	case FX_VALUE_MEMORY_FORMAT:
		print_torch(out, value);
		return;
	case FX_VALUE_DEVICE:
		print_device(out, value->text, p);
		return;
	case FX_VALUE_NODE:
		print_node(out, value->node, p);
		return;
	case FX_VALUE_SLICE:
	case FX_VALUE_TUPLE:
	case FX_VALUE_LIST:
	case FX_VALUE_DICT:
	case FX_VALUE_RANGE:
	case FX_VALUE_SIZE:
	case FX_VALUE_NAMEDTUPLE:
		print_compound(out, value, p);
		return;
	case FX_VALUE_FUNCTION:
		print_function(out, value->text, p);
		return;
	case FX_VALUE_OPAQUE:
		print_opaque(out, value, p);
		return;
	case FX_VALUE_TENSOR:
	case FX_VALUE_SYMBOL:
	case FX_VALUE_UNKNOWN:
	case FX_VALUE_NODE_ID:
	case FX_VALUE_HELD:
	case FX_VALUE_KIND_COUNT:
		print_metadata(out, value, p);
		return;
	}
}

void
fx_value_print(struct fx_buf *out, const struct fx_value *value,
	const struct fx_value_printer *printer)
{
	print(out, value, printer);
}

void
fx_value_print_as(struct fx_buf *out, const struct fx_value *value,
	enum fx_value_style style)
{
	const struct fx_value_printer printer = { .style = style };

	print(out, value, &printer);
}

/* Whether NAME is steps between dots, none empty or beginning with a digit. */
static bool
is_dotted_path(const char *name)
{
	while (*name) {
		if (*name == '.' || (*name >= '0' && *name <= '9'))
			return false;
		name += strcspn(name, ".");
		if (*name == '.' && !*++name)
			return false;
	}
	return true;
}

bool
fx_value_is_function_name(const char *name)
{
	if (!strchr(name, '.'))
		return false;
	for (const char *c = name; *c; c++)
		if (!(*c >= 'a' && *c <= 'z') && !(*c >= 'A' && *c <= 'Z') &&
			!(*c >= '0' && *c <= '9') && *c != '_' && *c != '.')
			return false;
	if (fx_op_find(name) != FX_OP_NONE)
		return true;
	return fx_str_starts(name, "torch.") &&
	       !fx_value_is_torch_constant(name + strlen("torch.")) &&
	       is_dotted_path(name);
}

/* Shapes. */

static void
print_sizes(struct fx_buf *out, const struct fx_value *sizes, size_t rank,
	const char *comma)
{
	fx_buf_add_char(out, '[');
	for (size_t i = 0; i < rank; i++) {
		if (i)
			fx_buf_add(out, comma);
		if (sizes[i].kind == FX_VALUE_INT)
			fx_buf_add_int(out, sizes[i].integer);
		else
			fx_size_print(out, sizes[i]);
	}
	fx_buf_add_char(out, ']');
}

void
fx_tensor_meta_print(struct fx_buf *out, const struct fx_tensor_meta *meta,
	unsigned flags)
{
	const char *comma = flags & FX_TENSOR_SPACED ? ", " : ",";

	fx_buf_add(out,
		meta->dtype ? fx_dtype_info(meta->dtype)->short_name : "?");
	if (!meta->has_shape)
		fx_buf_add(out, "[...]");
	else
		print_sizes(out, meta->sizes, meta->rank, comma);
	if ((flags & FX_TENSOR_STRIDES) && meta->has_shape &&
		(meta->strides || meta->rank == 0))
		print_sizes(out, meta->strides, meta->rank, comma);
	if ((flags & FX_TENSOR_DEVICE) && meta->device)
		fx_buf_add(out, meta->device);
}

static void
print_shapes(struct fx_buf *out, const struct fx_value *meta, bool spaced)
{
	bool is_list = meta->kind == FX_VALUE_LIST;

	fx_buf_add_char(out, is_list ? '[' : '(');
	for (size_t i = 0; i < meta->count; i++) {
		if (i)
			fx_buf_add(out, spaced ? ", " : ",");
		fx_value_print_shape(out, &meta->items[i], spaced);
	}
	if (!is_list && meta->count == 1)
		fx_buf_add_char(out, ',');
	fx_buf_add_char(out, is_list ? ']' : ')');
}

static void
print_shape_dict(struct fx_buf *out, const struct fx_value *meta, bool spaced)
{
	fx_buf_add_char(out, '{');
	for (size_t i = 0; i < meta->count; i++) {
		if (i)
			fx_buf_add(out, spaced ? ", " : ",");
		fx_value_print_as(out, &meta->items[2 * i], FX_STYLE_PLAIN);
		fx_buf_add(out, spaced ? ": " : ":");
		fx_value_print_shape(out, &meta->items[2 * i + 1], spaced);
	}
	fx_buf_add_char(out, '}');
}

void
fx_value_print_shape(struct fx_buf *out, const struct fx_value *meta,
	bool spaced)
{
	if (meta->kind == FX_VALUE_TENSOR) {
		fx_tensor_meta_print(out, meta->tensor,
			spaced ? FX_TENSOR_SPACED : 0);
	} else if (meta->kind == FX_VALUE_SYMBOL) {
		fx_buf_add(out, "Sym(");
		fx_size_print(out, *meta);
		fx_buf_add_char(out, ')');
	} else if (meta->kind == FX_VALUE_UNKNOWN) {
		fx_buf_add_char(out, '?');
	} else if (meta->kind == FX_VALUE_DICT) {
		print_shape_dict(out, meta, spaced);
	} else if (meta->kind == FX_VALUE_TUPLE ||
		   meta->kind == FX_VALUE_LIST) {
		print_shapes(out, meta, spaced);
	} else {
		fx_value_print_as(out, meta, FX_STYLE_PLAIN);
	}
}

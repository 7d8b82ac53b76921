/* fold_member.c - attributes and methods of values: those of tensors that only
 * metadata decide, those of plain Python objects.
 */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/str.h"
#include "ir/fold_private.h"
#include "ir/size.h"
#include "ir/tensor_meta.h"

static struct fx_error *
no_member(const struct fx_value *value, const char *name)
{
	return fx_error_new(FX_ERR_UNSUPPORTED,
		"a \"%s\" has no attribute \"%s\" that fxdb knows",
		fx_value_kind_name(value->kind), name);
}

static struct fx_value
shape_of(struct fx_arena *arena, const struct fx_tensor_meta *meta)
{
	if (!meta->has_shape)
		return fx_fold_unknown("the shape is not known");
	return fx_value_sequence(arena, FX_VALUE_SIZE, meta->sizes, meta->rank);
}

static struct fx_value
rank_of(const struct fx_tensor_meta *meta)
{
	return meta->has_shape ? fx_value_int(meta->rank) : fx_fold_some("int");
}

static struct fx_value
device_of(const struct fx_tensor_meta *meta)
{
	return meta->device ? fx_value_text(FX_VALUE_DEVICE, meta->device)
			    : fx_fold_unknown("the device is not known");
}

/* The same elements with the dimensions in reverse (T) or the last two
 * exchanged (mT).
 */
static struct fx_error *
transposed(struct fx_arena *arena, const struct fx_value *value, bool all,
	struct fx_value *ret)
{
	const struct fx_tensor_meta *meta = value->tensor;
	struct fx_value *sizes;

	if (!meta->has_shape) {
		*ret = fx_tensor_meta_shapeless(arena, meta->dtype);
		return NULL;
	}
	if (!all && meta->rank < 2)
		return fx_error_new(FX_ERR_SHAPE,
			"tensor.mT needs at least 2 dimensions, not %u",
			meta->rank);
	sizes = FX_ARENA_ARRAY(arena, struct fx_value, meta->rank);
	for (uint32_t i = 0; i < meta->rank; i++) {
		uint32_t from = all                  ? meta->rank - 1 - i
				: i + 2 < meta->rank ? i
						     : 2 * meta->rank - 3 - i;

		sizes[i] = meta->sizes[from];
	}
	*ret = fx_tensor_meta_value(arena, meta->dtype, sizes, meta->rank);
	return NULL;
}

static struct fx_value
is_on(const struct fx_tensor_meta *meta, const char *device)
{
	return meta->device ? fx_value_bool(fx_str_starts(meta->device, device))
			    : fx_fold_some("bool");
}

static struct fx_error *
bytes_of(struct fx_arena *arena, const struct fx_tensor_meta *meta,
	struct fx_value *ret)
{
	struct fx_value count = fx_tensor_meta_numel(arena, meta);
	struct fx_value size =
		fx_value_int((int64_t)fx_dtype_info(meta->dtype)->size);

	return fx_fold_binary(arena, FX_AST_MUL, &count, &size, ret);
}

static struct fx_error *
tensor_attribute(struct fx_arena *arena, const struct fx_value *value,
	const char *name, struct fx_value *ret)
{
	const struct fx_tensor_meta *meta = value->tensor;

	if (strcmp(name, "shape") == 0)
		*ret = shape_of(arena, meta);
	else if (strcmp(name, "ndim") == 0)
		*ret = rank_of(meta);
	else if (strcmp(name, "dtype") == 0)
		*ret = meta->dtype ? fx_value_dtype(meta->dtype)
				   : fx_fold_unknown("the dtype is not known");
	else if (strcmp(name, "device") == 0)
		*ret = device_of(meta);
	else if (strcmp(name, "T") == 0 || strcmp(name, "H") == 0)
		return transposed(arena, value, true, ret);
	else if (strcmp(name, "mT") == 0 || strcmp(name, "mH") == 0)
		return transposed(arena, value, false, ret);
	else if (strcmp(name, "data") == 0)
		*ret = *value;
	else if (strcmp(name, "real") == 0 || strcmp(name, "imag") == 0)
		*ret = meta->has_shape ? fx_tensor_meta_value(arena,
						 fx_dtype_real(meta->dtype),
						 meta->sizes, meta->rank)
				       : fx_tensor_meta_shapeless(arena,
						 fx_dtype_real(meta->dtype));
	else if (strcmp(name, "is_cuda") == 0)
		*ret = is_on(meta, "cuda");
	else if (strcmp(name, "is_cpu") == 0)
		*ret = is_on(meta, "cpu");
	else if (strcmp(name, "layout") == 0)
		*ret = fx_value_text(FX_VALUE_LAYOUT, "strided");
	else if (strcmp(name, "itemsize") == 0 && meta->dtype)
		*ret = fx_value_int((int64_t)fx_dtype_info(meta->dtype)->size);
	else if (strcmp(name, "nbytes") == 0 && meta->dtype)
		return bytes_of(arena, meta, ret);
	else if (strcmp(name, "requires_grad") == 0 ||
		 strcmp(name, "is_leaf") == 0)
		*ret = fx_fold_some("bool");
	else if (strcmp(name, "is_quantized") == 0 ||
		 strcmp(name, "is_sparse") == 0 ||
		 strcmp(name, "is_mkldnn") == 0 || strcmp(name, "is_meta") == 0)
		*ret = fx_value_bool(false);
	else
		return no_member(value, name);
	return NULL;
}

static struct fx_error *
number_attribute(const struct fx_value *value, const char *name,
	struct fx_value *ret)
{
	bool is_real = strcmp(name, "real") == 0;

	if (!is_real && strcmp(name, "imag") != 0)
		return no_member(value, name);
	if (value->kind == FX_VALUE_COMPLEX)
		*ret = fx_value_float(value->pair[!is_real]);
	else if (is_real)
		*ret = *value;
	else
		*ret = value->kind == FX_VALUE_FLOAT ? fx_value_float(0)
						     : fx_value_int(0);
	return NULL;
}

static struct fx_error *
device_attribute(const struct fx_value *value, const char *name,
	struct fx_value *ret)
{
	const char *colon = strchr(value->text, ':');
	size_t length =
		colon ? (size_t)(colon - value->text) : strlen(value->text);

	if (strcmp(name, "type") == 0) {
		*ret = fx_value_string(fx_intern_n(value->text, length));
		return NULL;
	}
	if (strcmp(name, "index") == 0) {
		*ret = colon ? fx_value_int(strtol(colon + 1, NULL, 10))
			     : fx_value_none();
		return NULL;
	}
	return no_member(value, name);
}

static struct fx_error *
dtype_attribute(const struct fx_value *value, const char *name,
	struct fx_value *ret)
{
	const struct fx_dtype_info *info =
		fx_dtype_info((enum fx_dtype)value->integer);

	if (strcmp(name, "is_floating_point") == 0)
		*ret = fx_value_bool(info->category == FX_DTYPE_CATEGORY_FLOAT);
	else if (strcmp(name, "is_complex") == 0)
		*ret = fx_value_bool(info->category ==
				     FX_DTYPE_CATEGORY_COMPLEX);
	else if (strcmp(name, "itemsize") == 0)
		*ret = fx_value_int((int64_t)info->size);
	else
		return no_member(value, name);
	return NULL;
}

struct fx_error *
fx_fold_attribute(struct fx_arena *arena, const struct fx_value *value,
	const char *name, struct fx_value *ret)
{
	static const char *const slice_fields[] = { "start", "stop", "step" };

	if (value->kind == FX_VALUE_TENSOR)
		return tensor_attribute(arena, value, name, ret);
	if (value->kind == FX_VALUE_UNKNOWN && !fx_fold_is_number(value)) {
		*ret = *value;
		return NULL;
	}
	if (value->kind == FX_VALUE_DEVICE)
		return device_attribute(value, name, ret);
	if (value->kind == FX_VALUE_DTYPE)
		return dtype_attribute(value, name, ret);
	if (value->kind == FX_VALUE_SLICE || value->kind == FX_VALUE_RANGE) {
		for (size_t i = 0; i < 3; i++)
			if (strcmp(slice_fields[i], name) == 0) {
				*ret = value->items[i];
				return NULL;
			}
		return no_member(value, name);
	}
	if (fx_fold_is_number(value))
		return number_attribute(value, name, ret);
	return no_member(value, name);
}

struct method {
	struct fx_arena *arena;
	const struct fx_value *value;
	const char *name;
	const struct fx_value *args;
	size_t count;
};

static struct fx_error *
tensor_size(const struct method *m, struct fx_value *ret)
{
	const struct fx_tensor_meta *meta = m->value->tensor;
	int64_t dim;

	if (m->count == 0 || m->args[0].kind == FX_VALUE_NONE) {
		*ret = shape_of(m->arena, meta);
		return NULL;
	}
	if (m->args[0].kind != FX_VALUE_INT || !meta->has_shape) {
		*ret = fx_fold_some("int");
		return NULL;
	}
	dim = m->args[0].integer;
	if (dim < -(int64_t)meta->rank || dim >= (int64_t)meta->rank)
		return fx_error_new(FX_ERR_RANGE,
			"dimension %lld is out of range for a tensor of rank "
			"%u",
			(long long)dim, meta->rank);
	*ret = meta->sizes[dim < 0 ? dim + (int64_t)meta->rank : dim];
	return NULL;
}

static struct fx_error *
tensor_method(const struct method *m, struct fx_value *ret)
{
	static const char *const numels[] = { "numel", "nelement" };
	static const char *const ranks[] = { "dim", "ndimension" };
	const struct fx_tensor_meta *meta = m->value->tensor;

	if (strcmp(m->name, "size") == 0)
		return tensor_size(m, ret);
	for (size_t i = 0; i < 2; i++) {
		if (strcmp(m->name, ranks[i]) == 0) {
			*ret = rank_of(meta);
			return NULL;
		}
		if (strcmp(m->name, numels[i]) == 0) {
			*ret = meta->has_shape
				       ? fx_tensor_meta_numel(m->arena, meta)
				       : fx_fold_some("int");
			return NULL;
		}
	}
	if (strcmp(m->name, "__len__") == 0)
		return fx_fold_length(m->arena, m->value, ret);
	return no_member(m->value, m->name);
}

static struct fx_error *
dict_method(const struct method *m, struct fx_value *ret)
{
	const struct fx_value *dict = m->value;
	struct fx_value *items;
	bool keys = strcmp(m->name, "keys") == 0;
	bool values = strcmp(m->name, "values") == 0;
	bool has_get = strcmp(m->name, "get") == 0 && m->count > 0;

	if (has_get) {
		struct fx_error *err =
			fx_fold_subscript(m->arena, dict, &m->args[0], ret);

		if (err && fx_error_code(err) == FX_ERR_RANGE) {
			fx_error_free(err);
			*ret = m->count > 1 ? m->args[1] : fx_value_none();
			return NULL;
		}
		return err;
	}
	if (!keys && !values && strcmp(m->name, "items") != 0)
		return no_member(dict, m->name);
	items = FX_ARENA_ARRAY(m->arena, struct fx_value, dict->count);
	for (uint32_t i = 0; i < dict->count; i++)
		items[i] = keys ? dict->items[2 * i]
			   : values
				   ? dict->items[2 * i + 1]
				   : fx_value_sequence(m->arena, FX_VALUE_TUPLE,
					     &dict->items[2 * i], 2);
	*ret = fx_value_sequence(m->arena, FX_VALUE_LIST, items, dict->count);
	return NULL;
}

static struct fx_error *
sequence_method(const struct method *m, struct fx_value *ret)
{
	bool is_count = strcmp(m->name, "count") == 0;
	int64_t found = 0;

	if (strcmp(m->name, "numel") == 0 && m->value->kind == FX_VALUE_SIZE) {
		*ret = fx_value_int(1);
		for (uint32_t i = 0; i < m->value->count; i++)
			*ret = fx_size_mul(m->arena, *ret, m->value->items[i]);
		return NULL;
	}
	if ((!is_count && strcmp(m->name, "index") != 0) || m->count != 1)
		return no_member(m->value, m->name);
	for (uint32_t i = 0; i < m->value->count; i++) {
		enum fx_tristate equal =
			fx_fold_equal(&m->value->items[i], &m->args[0]);

		if (equal == FX_MAYBE) {
			*ret = fx_fold_some("int");
			return NULL;
		}
		if (equal == FX_TRUE && !is_count) {
			*ret = fx_value_int(i);
			return NULL;
		}
		found += equal == FX_TRUE;
	}
	if (!is_count)
		return fx_error_new(FX_ERR_VALUE,
			"the value is not in the sequence");
	*ret = fx_value_int(found);
	return NULL;
}

static struct fx_error *
string_method(const struct method *m, struct fx_value *ret)
{
	const struct fx_value *other = m->count == 1 ? &m->args[0] : NULL;
	const struct fx_value *s = m->value;
	bool fits;

	if (!other || other->kind != FX_VALUE_STRING)
		return no_member(s, m->name);
	fits = other->count <= s->count;
	if (strcmp(m->name, "startswith") == 0)
		*ret = fx_value_bool(fits && memcmp(s->text, other->text,
						     other->count) == 0);
	else if (strcmp(m->name, "endswith") == 0)
		*ret = fx_value_bool(fits &&
				     memcmp(s->text + s->count - other->count,
					     other->text, other->count) == 0);
	else
		return no_member(s, m->name);
	return NULL;
}

struct fx_error *
fx_fold_method(struct fx_arena *arena, const struct fx_value *value,
	const char *name, const struct fx_value *args, struct fx_value *ret)
{
	struct method method = { arena, value, name, args->items, args->count };

	switch ((enum fx_value_kind)value->kind) {
	case FX_VALUE_TENSOR:
		return tensor_method(&method, ret);
	case FX_VALUE_DICT:
		return dict_method(&method, ret);
	case FX_VALUE_TUPLE:
	case FX_VALUE_LIST:
	case FX_VALUE_SIZE:
		return sequence_method(&method, ret);
	case FX_VALUE_STRING:
		return string_method(&method, ret);
	case FX_VALUE_UNKNOWN:
		*ret = *value;
		return NULL;
	default:
		return no_member(value, name);
	}
}

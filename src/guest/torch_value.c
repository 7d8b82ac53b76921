/* torch_value.c - data of ours as values of the shim and back, and what
 * backends say about tensors.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/guard.h"
#include "base/intern.h"
#include "base/mem.h"
#include "guest/shim_private.h"
#include "guest/torch_private.h"
#include "ir/tensor_meta.h"
#include "run/backend.h"

/* ATen's numbers, which are part of its file format and never change. */
/* clang-format off */
#define ATEN_NUMBERS(X) \
	X(U8, 0) X(I8, 1) X(I16, 2) X(I32, 3) X(I64, 4) X(F16, 5) X(F32, 6) \
	X(F64, 7) X(C32, 8) X(C64, 9) X(C128, 10) X(BOOL, 11) X(QI8, 12) \
	X(QU8, 13) X(QI32, 14) X(BF16, 15) X(F8E5M2, 23) X(F8E4M3FN, 24) \
	X(U16, 27) X(U32, 28) X(U64, 29)
/* clang-format on */

#define ONE(id, number) +1
_Static_assert(1 ATEN_NUMBERS(ONE) == FX_DTYPE_COUNT, "a dtype has no number");
#undef ONE

int
fx_aten_dtype(enum fx_dtype dtype)
{
#define NUMBER(id, number) [FX_DTYPE_##id] = number,
	static const int8_t numbers[FX_DTYPE_COUNT] = { ATEN_NUMBERS(NUMBER) };
#undef NUMBER

	return dtype == FX_DTYPE_NONE ? -1 : numbers[dtype];
}

static enum fx_dtype
dtype_of_aten(int number)
{
#define DTYPE(id, number) [number] = FX_DTYPE_##id,
	static const uint8_t dtypes[] = { ATEN_NUMBERS(DTYPE) };
#undef DTYPE

	if (number < 0 || (size_t)number >= FX_ARRAY_LEN(dtypes))
		return FX_DTYPE_NONE;
	return (enum fx_dtype)dtypes[number];
}

/* --- payloads ----------------------------------------------------------- */

void
fx_torch_payload_free(void *payload)
{
	fx_shim_loaded()->tensor_unref(payload);
}

struct fx_kind
fx_torch_kind(const void *payload)
{
	size_t rank;
	int dtype;

	fx_shim_loaded()->tensor_kind(payload, &dtype, &rank);
	return (struct fx_kind){
		.kind = FX_VALUE_TENSOR,
		.dtype = (uint8_t)dtype_of_aten(dtype),
		.rank = (int16_t)rank,
	};
}

static struct fx_value *
int_values(struct fx_arena *arena, const int64_t *numbers, size_t count)
{
	struct fx_value *values = FX_ARENA_ARRAY(arena, struct fx_value, count);

	for (size_t i = 0; i < count; i++)
		values[i] = fx_value_int(numbers[i]);
	return values;
}

const struct fx_tensor_meta *
fx_torch_meta(const void *payload, struct fx_arena *arena)
{
	struct fx_tensor_meta *meta =
		FX_ARENA_NEW(arena, struct fx_tensor_meta);
	struct fxs_info info;

	fx_shim_loaded()->tensor_info(payload, &info);
	meta->dtype = dtype_of_aten(info.dtype);
	meta->has_shape = true;
	meta->rank = (uint32_t)info.rank;
	meta->sizes = int_values(arena, info.sizes, info.rank);
	if (info.strides)
		meta->strides = int_values(arena, info.strides, info.rank);
	meta->device = fx_intern(info.device);
	return meta;
}

/* --- values ------------------------------------------------------------- */

struct fx_error *
fx_torch_check_file(const void *payload, const struct fx_guard **seen)
{
	const void *bytes;
	size_t size;

	if (!fx_guard_any())
		return NULL;
	bytes = fx_shim_loaded()->tensor_storage(payload, &size);
	return fx_guard_check((uintptr_t)bytes, size, seen);
}

struct fx_error *
fx_torch_read(const void *payload, uint64_t first, size_t count, void *bytes)
{
	struct fx_error *err =
		fx_shim_loaded()->tensor_read(payload, first, count, bytes);

	return err ? err : fx_torch_check_file(payload, NULL);
}

/* Whether no element of INFO, which has some, lies apart from the one before.
 */
static bool
is_dense(const struct fxs_info *info)
{
	int64_t step = 1;

	for (size_t i = info->rank; i-- > 0;) {
		if (info->sizes[i] != 1 && info->strides[i] != step)
			return false;
		step *= info->sizes[i];
	}
	return step > 0;
}

const void *
fx_torch_bytes(const void *payload)
{
	struct fxs_info info;
	size_t size;
	const char *bytes = fx_shim_loaded()->tensor_storage(payload, &size);

	fx_shim_loaded()->tensor_info(payload, &info);
	if (!bytes || info.is_lazy || !info.strides || !is_dense(&info))
		return NULL;
	size = fx_dtype_info(dtype_of_aten(info.dtype))->size;
	return bytes + (size_t)info.offset * size;
}

/* Whether all bytes of the first element are zero, -0.0 apart. */
static bool
is_zero(enum fx_dtype dtype, const unsigned char *bytes)
{
	const struct fx_dtype_info *info = fx_dtype_info(dtype);
	size_t parts = info->category == FX_DTYPE_CATEGORY_COMPLEX ? 2 : 1;
	bool has_sign = info->category == FX_DTYPE_CATEGORY_FLOAT || parts == 2;

	for (size_t i = 0; i < info->size; i++) {
		bool is_last =
			i % (info->size / parts) == info->size / parts - 1;

		if (bytes[i] & (has_sign && is_last ? 0x7f : 0xff))
			return false;
	}
	return true;
}

struct fx_error *
fx_torch_truth(const void *payload, bool *ret)
{
	unsigned char bytes[16] = { 0 };
	struct fxs_info info;
	int64_t count = 1;
	struct fx_error *err;

	fx_shim_loaded()->tensor_info(payload, &info);
	for (size_t i = 0; i < info.rank; i++)
		count *= info.sizes[i];
	if (count != 1)
		return fx_error_new(FX_ERR_TYPE,
			"only a tensor of one element is true or false");
	err = fx_torch_read(payload, 0, 1, bytes);
	if (!err)
		*ret = !is_zero(dtype_of_aten(info.dtype), bytes);
	return err;
}

uintptr_t
fx_torch_storage(const void *payload, size_t *bytes_ret)
{
	return fx_shim_loaded()->tensor_storage_id(payload, bytes_ret);
}

size_t
fx_torch_storage_holders(const void *payload)
{
	return fx_shim_loaded()->tensor_holders(payload);
}

/* A blob of a shape: the offset, the sizes, the strides. */
struct fx_error *
fx_torch_shape_save(const void *payload, struct fx_blob **ret)
{
	struct fxs_info info;
	struct fx_error *err;
	int64_t *numbers;

	*ret = NULL;
	fx_shim_loaded()->tensor_info(payload, &info);
	if (!info.strides)
		return NULL;
	err = fx_blob_new((1 + 2 * info.rank) * sizeof(*numbers), ret);
	if (err)
		return err;
	numbers = fx_blob_data(*ret);
	numbers[0] = info.offset;
	memcpy(numbers + 1, info.sizes, info.rank * sizeof(*numbers));
	memcpy(numbers + 1 + info.rank, info.strides,
		info.rank * sizeof(*numbers));
	return NULL;
}

struct fx_error *
fx_torch_shape_restore(const void *payload, const struct fx_blob *saved)
{
	const int64_t *numbers = fx_blob_data(saved);
	size_t rank = fx_blob_size(saved) / sizeof(*numbers) / 2;
	const struct fxs_info info = {
		.offset = numbers[0],
		.rank = rank,
		.sizes = numbers + 1,
		.strides = numbers + 1 + rank,
	};

	return fx_shim_loaded()->tensor_reshape((struct fxs_tensor *)(uintptr_t)
							payload,
		&info);
}

/* --- making tensors ----------------------------------------------------- */

struct fx_error *
fx_torch_write(const struct fxs_functions *shim,
	const struct fx_tensor_meta *meta, const void *bytes,
	struct fxs_tensor **ret)
{
	struct fx_extent extent;
	struct fx_error *err = fx_extent_of_meta(meta, &extent);

	if (err)
		return err;
	err = shim->tensor_new(fx_aten_dtype(extent.dtype), extent.sizes,
		extent.rank, bytes, ret);
	/* Its names are ours. */
	if (err && fx_error_code(err) == FX_ERR_TYPE)
		err = fx_error_note(err, "it is torch.%s",
			fx_dtype_info(extent.dtype)->name);
	return err;
}

struct fx_error *
fx_torch_generate(const struct fxs_functions *shim,
	const struct fx_tensor_meta *meta, uint64_t seed,
	struct fxs_tensor **ret)
{
	struct fx_extent extent;
	struct fx_error *err = fx_extent_of_meta(meta, &extent);

	if (err)
		return err;
	return shim->tensor_random(fx_aten_dtype(extent.dtype), extent.sizes,
		extent.rank, seed, ret);
}

/* --- data to values ----------------------------------------------------- */

struct number {
	const char *name;
	int number;
};

static int64_t
number_of(const struct number *numbers, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(numbers[i].name, name) == 0)
			return numbers[i].number;
	return -1;
}

static void
number_value(const struct number *numbers, size_t count, const char *name,
	enum fxs_tag tag, struct fxs_value *ret)
{
	ret->integer = number_of(numbers, count, name);
	ret->tag = ret->integer < 0 ? FXS_OTHER : tag;
}

static void
sequence_value(struct fx_arena *arena, const struct fx_value *value,
	struct fxs_value *ret)
{
	ret->tag = value->kind == FX_VALUE_LIST ? FXS_LIST : FXS_TUPLE;
	ret->count = value->count;
	ret->items = FX_ARENA_ARRAY(arena, struct fxs_value, value->count);
	for (size_t i = 0; i < value->count; i++)
		fx_torch_value(arena, &value->items[i], &ret->items[i]);
}

struct fxs_tensor *
fx_torch_tensor(const struct fx_datum *datum)
{
	if (datum->kind != FX_DATUM_TENSOR ||
		datum->backend->ops->kind != fx_torch_kind)
		return NULL;
	return datum->payload;
}

void
fx_torch_value(struct fx_arena *arena, const struct fx_value *value,
	struct fxs_value *ret)
{
	static const struct number formats[] = { { "contiguous_format", 0 },
		{ "preserve_format", 1 }, { "channels_last", 2 },
		{ "channels_last_3d", 3 } };
	static const struct number layouts[] = { { "strided", 0 },
		{ "sparse_coo", 1 }, { "sparse_csr", 2 }, { "_mkldnn", 3 } };
	struct fx_value plain = fx_value_plain(value);

	value = &plain;
	*ret = (struct fxs_value){ .tag = FXS_OTHER };
	switch (value->kind) {
	case FX_VALUE_HELD:
		ret->tensor = fx_torch_tensor(value->held);
		ret->tag = ret->tensor ? FXS_TENSOR : FXS_OTHER;
		return;
	case FX_VALUE_NONE:
		ret->tag = FXS_NONE;
		return;
	case FX_VALUE_BOOL:
		ret->tag = FXS_BOOL;
		ret->integer = value->truth;
		return;
	case FX_VALUE_INT:
		ret->tag = FXS_INT;
		ret->integer = value->integer;
		return;
	case FX_VALUE_FLOAT:
		ret->tag = FXS_FLOAT;
		ret->real = value->real;
		return;
	case FX_VALUE_COMPLEX:
		ret->tag = FXS_COMPLEX;
		ret->real = value->pair[0];
		ret->imaginary = value->pair[1];
		return;
	case FX_VALUE_DTYPE:
		ret->integer = fx_aten_dtype((enum fx_dtype)value->integer);
		ret->tag = ret->integer < 0 ? FXS_OTHER : FXS_DTYPE;
		return;
	case FX_VALUE_MEMORY_FORMAT:
		number_value(formats, FX_ARRAY_LEN(formats), value->text,
			FXS_MEMORY_FORMAT, ret);
		return;
	case FX_VALUE_LAYOUT:
		number_value(layouts, FX_ARRAY_LEN(layouts), value->text,
			FXS_LAYOUT, ret);
		return;
	case FX_VALUE_STRING:
	case FX_VALUE_DEVICE:
		ret->tag = value->kind == FX_VALUE_STRING ? FXS_STRING
							  : FXS_DEVICE;
		ret->text = value->text;
		ret->count = value->count;
		return;
	case FX_VALUE_TUPLE:
	case FX_VALUE_LIST:
	case FX_VALUE_SIZE:
		sequence_value(arena, value, ret);
		return;
	}
}

/* --- and back ----------------------------------------------------------- */

static struct fx_datum *datum_of(struct fxs_value *value);

static struct fx_datum *
datum_of_items(struct fxs_value *value)
{
	struct fx_datum **items = fx_xcalloc(value->count, sizeof(*items));
	struct fx_datum *datum;

	for (uint32_t i = 0; i < value->count; i++)
		items[i] = datum_of(&value->items[i]);
	datum = fx_datum_items_take(value->tag == FXS_LIST ? FX_VALUE_LIST
							   : FX_VALUE_TUPLE,
		items, value->count);
	free(items);
	return datum;
}

static struct fx_datum *
datum_of(struct fxs_value *value)
{
	double pair[2] = { value->real, value->imaginary };
	struct fx_value plain;

	switch ((enum fxs_tag)value->tag) {
	case FXS_NONE:
		return fx_datum_none();
	case FXS_BOOL:
		return fx_datum_bool(value->integer != 0);
	case FXS_INT:
		return fx_datum_int(value->integer);
	case FXS_FLOAT:
		return fx_datum_float(value->real);
	case FXS_STRING:
		return fx_datum_string(value->text, value->count);
	case FXS_TENSOR:
		return fx_torch_datum(value->tensor);
	case FXS_LIST:
	case FXS_TUPLE:
		return datum_of_items(value);
	case FXS_DTYPE:
		plain = fx_value_dtype(dtype_of_aten((int)value->integer));
		return fx_datum_from_value(&plain);
	case FXS_DEVICE:
		plain = fx_value_text(FX_VALUE_DEVICE, value->text);
		return fx_datum_from_value(&plain);
	case FXS_COMPLEX:
		plain = (struct fx_value){ .kind = FX_VALUE_COMPLEX,
			.pair = pair };
		return fx_datum_from_value(&plain);
	default:
		return fx_datum_unknown("libtorch gave something opaque");
	}
}

struct fx_datum *
fx_torch_result(const struct fxs_functions *shim,
	const struct fx_torch_target *target, struct fxs_value *value_taken)
{
	struct fx_datum *datum;

	/* A boxed operator returns a list, Python's function a tuple. */
	if (target && !target->is_boxed && value_taken->tag == FXS_LIST)
		value_taken->tag = FXS_TUPLE;
	datum = datum_of(value_taken);
	if (target && fx_datum_is(datum, FX_VALUE_TUPLE))
		datum->value.class_number = fx_torch_class(target);
	shim->value_free(value_taken);
	return datum;
}

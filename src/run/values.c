/* values.c - the elements of tensors, asked of their backend. */
#include <config.h>

#include "run/values.h"

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/buf.h"
#include "base/mem.h"
#include "ir/tensor_meta.h"
#include "meta/promote.h"
#include "run/backend.h"
#include "run/datum.h"

/* --- extents ------------------------------------------------------------- */

struct fx_error *
fx_extent_of_meta(const struct fx_tensor_meta *meta, struct fx_extent *ret)
{
	uint64_t limit;

	*ret = (struct fx_extent){ .dtype = meta->dtype, .count = 1 };
	if (!meta->dtype || !meta->has_shape)
		return fx_error_new(FX_ERR_TYPE,
			"the shape or dtype of the tensor is not known");
	if (meta->rank > FX_RANK_LIMIT)
		return fx_error_new(FX_ERR_LIMIT,
			"%u dimensions are too many, at most %d", meta->rank,
			FX_RANK_LIMIT);
	limit = (uint64_t)INT64_MAX / fx_dtype_info(meta->dtype)->size;
	ret->rank = meta->rank;
	for (uint32_t i = 0; i < meta->rank; i++) {
		const struct fx_value *size = &meta->sizes[i];

		if (size->kind != FX_VALUE_INT || size->integer < 0)
			return fx_error_new(FX_ERR_TYPE,
				"a size of the tensor is not known");
		ret->sizes[i] = size->integer;
	}
	for (uint32_t i = 0; i < meta->rank; i++)
		if (!ret->sizes[i])
			ret->count = 0;
	for (uint32_t i = 0; i < meta->rank && ret->count; i++) {
		if ((uint64_t)ret->sizes[i] > limit / ret->count)
			return fx_error_new(FX_ERR_LIMIT,
				"the tensor has more elements than can be "
				"counted");
		ret->count *= (uint64_t)ret->sizes[i];
	}
	return NULL;
}

struct fx_error *
fx_extent_of(const struct fx_datum *datum, struct fx_extent *ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = NULL;

	if (datum->kind != FX_DATUM_TENSOR)
		return fx_error_new(FX_ERR_TYPE, "expected a tensor, found %s",
			fx_datum_kind_name(datum));
	arena = fx_arena_new();
	return fx_extent_of_meta(fx_datum_meta(arena, datum), ret);
}

bool
fx_extent_same_sizes(const struct fx_extent *a, const struct fx_extent *b)
{
	return a->rank == b->rank &&
	       !memcmp(a->sizes, b->sizes, a->rank * sizeof(*a->sizes));
}

void
fx_extent_print(struct fx_buf *out, const struct fx_extent *extent)
{
	fx_buf_add_char(out, '[');
	for (uint32_t i = 0; i < extent->rank; i++)
		fx_buf_addf(out, "%s%" PRId64, i ? ", " : "", extent->sizes[i]);
	fx_buf_add_char(out, ']');
}

void
fx_extent_unravel(const struct fx_extent *extent, uint64_t index, int64_t *ret)
{
	for (uint32_t i = extent->rank; i--;) {
		uint64_t size = (uint64_t)FX_MAX(extent->sizes[i], 1);

		ret[i] = (int64_t)(index % size);
		index /= size;
	}
}

void
fx_extent_print_index(struct fx_buf *out, const struct fx_extent *extent,
	uint64_t index)
{
	int64_t at[FX_RANK_LIMIT] = { 0 };

	if (!extent->rank)
		return;
	fx_extent_unravel(extent, index, at);
	for (uint32_t i = 0; i < extent->rank; i++)
		fx_buf_addf(out, "%c%" PRId64, i ? ',' : '[', at[i]);
	fx_buf_add_char(out, ']');
}

/* --- reading and writing ------------------------------------------------- */

static struct fx_error *
not_known(const struct fx_datum *tensor)
{
	return fx_error_new(FX_ERR_TYPE,
		"the values of the tensor are not known on the %s backend",
		tensor->backend->ops->name);
}

bool
fx_values_known(const struct fx_datum *tensor)
{
	FX_AUTO_ERROR struct fx_error *err = NULL;

	if (tensor->kind != FX_DATUM_TENSOR || !tensor->backend->ops->read)
		return false;
	err = tensor->backend->ops->read(tensor->payload, 0, 0, NULL);
	return !err;
}

struct fx_error *
fx_values_read(const struct fx_datum *tensor, uint64_t first, size_t count,
	void *bytes)
{
	if (tensor->kind != FX_DATUM_TENSOR)
		return fx_error_new(FX_ERR_TYPE, "expected a tensor, found %s",
			fx_datum_kind_name(tensor));
	if (!tensor->backend->ops->read)
		return not_known(tensor);
	return tensor->backend->ops->read(tensor->payload, first, count, bytes);
}

struct fx_error *
fx_values_numbers(const struct fx_datum *tensor, uint64_t first, size_t count,
	double *real, double *imag)
{
	struct fx_kind kind = fx_kind_of(tensor);
	char bytes[FX_VALUES_CHUNK * 16];
	size_t size;
	size_t room;

	if (tensor->kind != FX_DATUM_TENSOR || !kind.dtype)
		return fx_values_read(tensor, first, 0, NULL);
	size = fx_dtype_info(kind.dtype)->size;
	room = sizeof(bytes) / size;
	while (count) {
		size_t now = FX_MIN(count, room);
		struct fx_error *err =
			fx_values_read(tensor, first, now, bytes);

		if (err)
			return err;
		fx_elements_decode(kind.dtype, bytes, now, real, imag);
		real += now;
		imag = imag ? imag + now : NULL;
		first += now;
		count -= now;
	}
	return NULL;
}

/* The element of DTYPE at BYTES as a bool, int, float or complex datum. */
static struct fx_datum *
element_datum(enum fx_dtype dtype, const void *bytes)
{
	double pair[2];
	const struct fx_value complex = { .kind = FX_VALUE_COMPLEX,
		.pair = pair };

	fx_elements_decode(dtype, bytes, 1, &pair[0], &pair[1]);
	if (dtype == FX_DTYPE_BOOL)
		return fx_datum_bool(*(const char *)bytes != 0);
	if (fx_dtype_is_complex(dtype))
		return fx_datum_from_value(&complex);
	if (fx_dtype_is_integer(dtype) &&
		!(dtype == FX_DTYPE_U64 && pair[0] >= 0x1p63))
		return fx_datum_int(fx_element_int(dtype, bytes, 0));
	return fx_datum_float(pair[0]);
}

struct fx_error *
fx_values_item_at(const struct fx_datum *tensor, uint64_t index,
	struct fx_datum **ret)
{
	char bytes[16];
	struct fx_error *err = fx_values_read(tensor, index, 1, bytes);

	if (!err)
		*ret = element_datum((enum fx_dtype)fx_kind_of(tensor).dtype,
			bytes);
	return err;
}

struct fx_error *
fx_values_item(const struct fx_datum *tensor, struct fx_datum **ret)
{
	struct fx_extent extent;
	struct fx_error *err = fx_extent_of(tensor, &extent);

	if (!err && extent.count != 1)
		err = fx_error_new(FX_ERR_TYPE,
			"the tensor has %" PRIu64 " elements, not one",
			extent.count);
	if (err)
		return err;
	return fx_values_item_at(tensor, 0, ret);
}

struct fx_error *
fx_values_write(struct fx_backend *backend, const struct fx_tensor_meta *meta,
	const void *bytes, struct fx_datum **ret)
{
	if (!backend->ops->write)
		return fx_error_new(FX_ERR_TYPE,
			"the %s backend cannot hold values",
			backend->ops->name);
	return backend->ops->write(backend, meta, bytes, ret);
}

/* --- copies -------------------------------------------------------------- */

struct fx_error *
fx_values_read_all(const struct fx_datum *tensor, struct fx_extent *extent_ret,
	struct fx_blob **ret)
{
	struct fx_error *err = fx_extent_of(tensor, extent_ret);
	uint64_t count = extent_ret->count;

	/* Whether there are any, before memory is asked for. */
	if (!err)
		err = fx_values_read(tensor, 0, 0, NULL);
	if (err)
		return err;
	err = fx_blob_new((size_t)count *
				  fx_dtype_info(extent_ret->dtype)->size,
		ret);
	if (err)
		return err;
	err = fx_values_read(tensor, 0, (size_t)count, fx_blob_data(*ret));
	if (err) {
		fx_blob_unref(*ret);
		*ret = NULL;
	}
	return err;
}

static struct fx_error *
copy_tensor(struct fx_backend *backend, const struct fx_datum *tensor,
	struct fx_datum **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_extent extent;
	struct fx_blob *blob = NULL;
	struct fx_error *err = fx_values_read_all(tensor, &extent, &blob);

	if (!err)
		err = fx_values_write(backend, fx_datum_meta(arena, tensor),
			fx_blob_data(blob), ret);
	fx_blob_unref(blob);
	return err;
}

static struct fx_error *
own_held(void *context, struct fx_datum *held, struct fx_datum **ret)
{
	struct fx_backend *backend = context;

	if (held->kind == FX_DATUM_NODES ||
		(held->backend->ops == backend->ops &&
			(held->kind == FX_DATUM_HANDLE ||
				!backend->ops->has_values))) {
		*ret = fx_datum_ref(held);
		return NULL;
	}
	return copy_tensor(backend, held, ret);
}

struct fx_error *
fx_datum_make_own(struct fx_backend *backend, struct fx_datum **datum)
{
	struct fx_datum *before = *datum;
	struct fx_error *err = fx_datum_map(before, own_held, backend, datum);

	if (!err)
		fx_datum_unref(before);
	return err;
}

/* --- lists ---------------------------------------------------------------- */

/* The part from DIMENSION on whose elements begin at *BYTES, which moves.  As
 * deep as a tensor has dimensions.
 */
static struct fx_datum *
nested_list(const struct fx_extent *extent, uint32_t dimension,
	const char **bytes)
{
	FX_AUTO_FREE struct fx_datum **items = NULL;
	const char *at = *bytes;
	size_t count;

	if (dimension == extent->rank) {
		*bytes += fx_dtype_info(extent->dtype)->size;
		return element_datum(extent->dtype, at);
	}
	count = (size_t)extent->sizes[dimension];
	items = fx_xcalloc(count, sizeof(*items));
	for (size_t i = 0; i < count; i++)
		items[i] = nested_list(extent, dimension + 1, bytes);
	return fx_datum_items_take(FX_VALUE_LIST, items, count);
}

/* Numbers of a list, or lists in it where there are no numbers: sizes before a
 * 0 may be huge.
 */
static uint64_t
list_size(const struct fx_extent *extent, uint64_t limit)
{
	uint64_t size = 1;

	for (uint32_t i = 0; i < extent->rank && extent->sizes[i]; i++) {
		if ((uint64_t)extent->sizes[i] > limit)
			return UINT64_MAX;
		size *= (uint64_t)extent->sizes[i];
		if (size > limit)
			break;
	}
	return size;
}

struct fx_error *
fx_values_list(const struct fx_datum *tensor, uint64_t limit,
	struct fx_datum **ret)
{
	FX_AUTO_FREE char *bytes = NULL;
	const char *at;
	struct fx_extent extent;
	struct fx_error *err = fx_extent_of(tensor, &extent);

	if (err)
		return err;
	if (list_size(&extent, limit) > limit)
		return fx_error_new(FX_ERR_LIMIT,
			"a list of more than %llu numbers is too long",
			(unsigned long long)limit);
	bytes = fx_xcalloc((size_t)extent.count + 1,
		fx_dtype_info(extent.dtype)->size);
	at = bytes;
	err = fx_values_read(tensor, 0, (size_t)extent.count, bytes);
	if (!err)
		*ret = nested_list(&extent, 0, &at);
	return err;
}

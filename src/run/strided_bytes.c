/* strided_bytes.c - reading strided elements out of a blob. */
#include <config.h>

#include "run/strided_bytes.h"

#include <stdlib.h>
#include <string.h>

#include "base/blob.h"
#include "base/mem.h"
#include "ir/fold.h"
#include "ir/module.h"
#include "ir/tensor_meta.h"
#include "run/values.h"

void
fx_strided_bytes_deinit(struct fx_strided_bytes *held)
{
	fx_blob_unref(held->blob);
	free(held->strides);
	*held = (struct fx_strided_bytes){ .blob = NULL };
}

/* Strides of EXTENT laid out in row-major order.  Without elements any do:
 * sizes beside a 0 may be huge.
 */
static void
dense_strides(const struct fx_extent *extent, int64_t *strides)
{
	int64_t step = 1;

	for (uint32_t i = extent->rank; i--;) {
		strides[i] = step;
		step *= extent->count ? extent->sizes[i] : 1;
	}
}

/* Whether every element of EXTENT lies within BYTES. */
static bool
fits(const struct fx_strided_bytes *held, const struct fx_extent *extent,
	size_t bytes)
{
	uint64_t room = bytes / fx_dtype_info(extent->dtype)->size;
	uint64_t last = (uint64_t)held->offset;

	if (!extent->count)
		return true;
	if (held->offset < 0 || last >= room)
		return false;
	if (!held->strides)
		return extent->count <= room - last;
	for (uint32_t i = 0; i < extent->rank; i++) {
		uint64_t steps = (uint64_t)extent->sizes[i] - 1;
		uint64_t stride = (uint64_t)held->strides[i];

		if (held->strides[i] < 0 ||
			(steps && stride > (room - 1 - last) / steps))
			return false;
		last += steps * stride;
	}
	return true;
}

static int64_t *
copy_strides(const int64_t *strides, size_t rank)
{
	int64_t *copy = fx_xcalloc(rank, sizeof(*copy));

	if (rank)
		memcpy(copy, strides, rank * sizeof(*copy));
	return copy;
}

void
fx_strided_bytes_of_tensor(const struct fx_tensor *tensor,
	struct fx_strided_bytes *ret)
{
	struct fx_extent extent = {
		.dtype = tensor->dtype, .rank = tensor->rank, .count = 1
	};
	int64_t count = fx_tensor_numel(tensor);

	*ret = (struct fx_strided_bytes){ .offset = tensor->offset };
	if (!tensor->storage || !tensor->storage->blob || !tensor->dtype ||
		tensor->rank > FX_RANK_LIMIT || count < 0)
		return;
	for (uint32_t i = 0; i < tensor->rank; i++)
		extent.sizes[i] = tensor->sizes[i];
	extent.count = (uint64_t)count;
	if (tensor->strides)
		ret->strides = copy_strides(tensor->strides, tensor->rank);
	if (fits(ret, &extent, fx_blob_size(tensor->storage->blob)))
		ret->blob = fx_blob_ref(tensor->storage->blob);
}

static bool
has_plain_strides(const struct fx_tensor_meta *meta)
{
	for (uint32_t i = 0; meta->strides && i < meta->rank; i++)
		if (meta->strides[i].kind != FX_VALUE_INT)
			return false;
	return meta->strides != NULL;
}

struct fx_error *
fx_strided_bytes_copy(const struct fx_tensor_meta *meta, const void *bytes,
	size_t size, struct fx_strided_bytes *ret)
{
	struct fx_extent extent;
	struct fx_error *err = fx_extent_of_meta(meta, &extent);

	*ret = (struct fx_strided_bytes){ .blob = NULL };
	if (err)
		return err;
	if (has_plain_strides(meta)) {
		ret->strides = fx_xcalloc(meta->rank, sizeof(*ret->strides));
		for (uint32_t i = 0; i < meta->rank; i++)
			ret->strides[i] = meta->strides[i].integer;
	}
	if (!fits(ret, &extent, size))
		err = fx_error_new(FX_ERR_VALUE,
			"%zu bytes do not hold the tensor's elements", size);
	if (!err)
		err = fx_blob_new(size, &ret->blob);
	if (err) {
		fx_strided_bytes_deinit(ret);
		return err;
	}
	if (size)
		memcpy(fx_blob_data(ret->blob), bytes, size);
	return NULL;
}

/* --- views --------------------------------------------------------------- */

/* An index being applied. */
struct view {
	const struct fx_extent *extent;
	int64_t from[FX_RANK_LIMIT]; /* strides of the tensor */
	uint32_t at;                 /* its next dimension */
	int64_t strides[FX_RANK_LIMIT];
	uint32_t rank;
	int64_t offset;
};

static bool
view_add(struct view *view, int64_t stride)
{
	if (view->rank == FX_RANK_LIMIT)
		return false;
	view->strides[view->rank++] = stride;
	return true;
}

/* Dimensions that the index does not mention, but for the last LEFT. */
static bool
view_skip(struct view *view, size_t left)
{
	while (view->at + left < view->extent->rank)
		if (!view_add(view, view->from[view->at++]))
			return false;
	return true;
}

static bool
view_item(struct view *view, const struct fx_value *item, size_t left)
{
	struct fx_slice_range range;
	struct fx_error *err;
	int64_t size;
	int64_t index;

	if (item->kind == FX_VALUE_ELLIPSIS)
		return view_skip(view, left);
	if (item->kind == FX_VALUE_NONE)
		return view_add(view, 0);
	if (view->at == view->extent->rank)
		return false;
	size = view->extent->sizes[view->at];
	if (item->kind == FX_VALUE_INT) {
		index = item->integer;
		index += index < 0 ? size : 0;
		if (index < 0 || index >= size)
			return false;
		view->offset += index * view->from[view->at++];
		return true;
	}
	if (item->kind != FX_VALUE_SLICE)
		return false;
	err = fx_fold_slice_range(item, size, &range);
	if (err || range.step < 1) {
		fx_error_free(err);
		return false;
	}
	view->offset += range.count ? range.start * view->from[view->at] : 0;
	/* Where nothing is stepped to, the step may be anything. */
	return view_add(view,
		view->from[view->at++] * (range.count > 1 ? range.step : 1));
}

/* How many of ITEMS take a dimension. */
static size_t
count_taking(const struct fx_value *items, size_t count)
{
	size_t taking = 0;

	for (size_t i = 0; i < count; i++)
		taking += items[i].kind == FX_VALUE_INT ||
			  items[i].kind == FX_VALUE_SLICE;
	return taking;
}

bool
fx_strided_bytes_index(const struct fx_strided_bytes *held,
	const struct fx_tensor_meta *meta, const struct fx_value *index,
	struct fx_strided_bytes *ret)
{
	bool is_tuple = index->kind == FX_VALUE_TUPLE;
	const struct fx_value *items = is_tuple ? index->items : index;
	size_t count = is_tuple ? index->count : 1;
	struct fx_extent extent;
	struct view view = { .extent = &extent, .offset = held->offset };
	struct fx_error *err = fx_extent_of_meta(meta, &extent);

	*ret = (struct fx_strided_bytes){ .blob = NULL };
	fx_error_free(err);
	if (err || !held->blob)
		return false;
	if (held->strides && extent.rank && extent.count)
		memcpy(view.from, held->strides,
			extent.rank * sizeof(*held->strides));
	else
		dense_strides(&extent, view.from);
	for (size_t i = 0; i < count; i++)
		if (!view_item(&view, &items[i],
			    count_taking(items + i + 1, count - i - 1)))
			return false;
	if (!view_skip(&view, 0))
		return false;
	*ret = (struct fx_strided_bytes){ .blob = fx_blob_ref(held->blob),
		.offset = view.offset,
		.strides = copy_strides(view.strides, view.rank) };
	return true;
}

/* --- reading ------------------------------------------------------------- */

/* A place in a strided tensor. */
struct cursor {
	const struct fx_extent *extent;
	int64_t strides[FX_RANK_LIMIT];
	int64_t at[FX_RANK_LIMIT];
	int64_t offset;
};

static void
cursor_seek(struct cursor *cursor, uint64_t index)
{
	for (uint32_t i = cursor->extent->rank; i--;) {
		uint64_t size = (uint64_t)cursor->extent->sizes[i];

		cursor->at[i] = (int64_t)(index % size);
		cursor->offset += cursor->at[i] * cursor->strides[i];
		index /= size;
	}
}

/* COUNT elements on, within the last dimension or to its end. */
static void
cursor_advance(struct cursor *cursor, int64_t count)
{
	uint32_t i = cursor->extent->rank;

	if (!i)
		return;
	i--;
	cursor->at[i] += count;
	cursor->offset += count * cursor->strides[i];
	while (i && cursor->at[i] == cursor->extent->sizes[i]) {
		cursor->offset -= cursor->at[i] * cursor->strides[i];
		cursor->at[i] = 0;
		i--;
		cursor->at[i]++;
		cursor->offset += cursor->strides[i];
	}
}

/* A run of COUNT elements in the last dimension, from the cursor. */
static void
copy_run(const struct cursor *cursor, const char *data, size_t size,
	size_t count, char *bytes)
{
	uint32_t rank = cursor->extent->rank;
	int64_t stride = rank ? cursor->strides[rank - 1] : 1;
	const char *from = data + (size_t)cursor->offset * size;

	if (stride == 1 || count == 1) {
		memcpy(bytes, from, count * size);
		return;
	}
	for (size_t i = 0; i < count; i++, from += (size_t)stride * size)
		memcpy(bytes + i * size, from, size);
}

static void
read_strided(struct cursor *cursor, const char *data, size_t count, char *bytes)
{
	const struct fx_extent *extent = cursor->extent;
	size_t size = fx_dtype_info(extent->dtype)->size;
	uint32_t rank = extent->rank;

	while (count) {
		size_t now = 1;

		if (rank)
			now = FX_MIN(count, (size_t)(extent->sizes[rank - 1] -
						     cursor->at[rank - 1]));
		copy_run(cursor, data, size, now, bytes);
		cursor_advance(cursor, (int64_t)now);
		bytes += now * size;
		count -= now;
	}
}

struct fx_error *
fx_strided_bytes_read(const struct fx_strided_bytes *held,
	const struct fx_tensor_meta *meta, uint64_t first, size_t count,
	void *bytes)
{
	struct fx_extent extent;
	struct cursor cursor = { .extent = &extent, .offset = held->offset };
	struct fx_error *err;

	if (!held->blob)
		return fx_error_new(FX_ERR_TYPE,
			"the values of the tensor are not known");
	if (!count)
		return NULL;
	err = fx_extent_of_meta(meta, &extent);
	if (err)
		return err;
	if (first > extent.count || count > extent.count - first)
		return fx_error_new(FX_ERR_RANGE,
			"elements outside of the tensor were asked for");
	/* Notices a mapped file that was cut short beneath us. */
	err = fx_blob_read(held->blob, 0, 0, NULL);
	if (err)
		return err;
	if (held->strides && extent.rank)
		memcpy(cursor.strides, held->strides,
			extent.rank * sizeof(*held->strides));
	else
		dense_strides(&extent, cursor.strides);
	cursor_seek(&cursor, first);
	read_strided(&cursor, fx_blob_data(held->blob), count, bytes);
	return NULL;
}

struct fx_error *
fx_strided_bytes_truth(const struct fx_strided_bytes *held,
	const struct fx_tensor_meta *meta, bool *ret)
{
	struct fx_extent extent;
	double real;
	double imag;
	char bytes[16];
	struct fx_error *err = fx_extent_of_meta(meta, &extent);

	if (!err && extent.count != 1)
		err = fx_error_new(FX_ERR_TYPE,
			"the truth of a tensor of other than one element is "
			"ambiguous");
	if (!err)
		err = fx_strided_bytes_read(held, meta, 0, 1, bytes);
	if (err)
		return err;
	fx_elements_decode(extent.dtype, bytes, 1, &real, &imag);
	*ret = real != 0 || imag != 0;
	return NULL;
}

/* --- storage ------------------------------------------------------------- */

uintptr_t
fx_strided_bytes_storage(const struct fx_strided_bytes *held, size_t *bytes_ret)
{
	*bytes_ret = held->blob ? fx_blob_size(held->blob) : 0;
	return held->blob ? (uintptr_t)fx_blob_data(held->blob) : 0;
}

struct fx_error *
fx_strided_bytes_save(const struct fx_strided_bytes *held, struct fx_blob **ret)
{
	size_t size = held->blob ? fx_blob_size(held->blob) : 0;
	struct fx_error *err = fx_blob_new(size, ret);

	if (!err && size)
		err = fx_blob_read(held->blob, 0, size, fx_blob_data(*ret));
	if (err) {
		fx_blob_unref(*ret);
		*ret = NULL;
	}
	return err;
}

struct fx_error *
fx_strided_bytes_restore(const struct fx_strided_bytes *held,
	const struct fx_blob *saved)
{
	size_t size = fx_blob_size(saved);

	if (!held->blob || fx_blob_size(held->blob) != size)
		return fx_error_new(FX_ERR_VALUE,
			"the saved bytes are not those of this storage");
	return fx_blob_read(saved, 0, size, fx_blob_data(held->blob));
}

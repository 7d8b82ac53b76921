/* watch.c - what watches look for, one function each. */
#include <config.h>

#include "session/watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/blob.h"
#include "base/number.h"
#include "ir/module.h"
#include "ir/value_text.h"
#include "meta/promote.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/storage.h"
#include "run/summary.h"
#include "session/activation.h"
#include "session/watch_private.h"

/* --- NaN and infinities --------------------------------------------------- */

/* A look at the bytes first: most often there is nothing to be said. */
static bool
see_special(const struct fx_watched *watched, bool nan, bool inf,
	struct fx_sighting *ret)
{
	struct fx_nonfinite found;

	if (!fx_model_datum_is_nonfinite(watched->model, watched->node,
		    watched->result) ||
		!fx_nonfinite_see(watched->look, watched->place, watched->node,
			&found) ||
		found.origin == FX_NONFINITE_MEANT)
		return false;
	if (!(nan && found.count.nan) && !(inf && found.count.inf))
		return false;
	ret->nonfinite = found;
	fx_nonfinite_print_facts(&ret->text, &found);
	return true;
}

static bool
see_nan(const struct fx_watch *watch, const struct fx_watched *watched,
	struct fx_sighting *ret)
{
	(void)watch;
	return see_special(watched, true, false, ret);
}

static bool
see_inf(const struct fx_watch *watch, const struct fx_watched *watched,
	struct fx_sighting *ret)
{
	(void)watch;
	return see_special(watched, false, true, ret);
}

static bool
see_nonfinite(const struct fx_watch *watch, const struct fx_watched *watched,
	struct fx_sighting *ret)
{
	(void)watch;
	return see_special(watched, true, true, ret);
}

/* --- range -----------------------------------------------------------------
 */

struct ranging {
	const struct fx_watch *watch;
	uint64_t total;
	uint64_t outside;
	double first;
	struct fx_buf place; /* of the first */
	double real[FX_VALUES_CHUNK];
	double imag[FX_VALUES_CHUNK];
};

/* A NaN is in no range and out of none. */
static void
range_chunk(struct ranging *ranging, const char *path,
	const struct fx_extent *extent, uint64_t at)
{
	size_t size = FX_MIN(extent->count - at, FX_VALUES_CHUNK);

	for (size_t i = 0; i < size; i++) {
		double number = ranging->real[i];

		if (!(number < ranging->watch->low ||
			    number > ranging->watch->high) ||
			ranging->outside++)
			continue;
		ranging->first = number;
		fx_buf_add(&ranging->place, path);
		fx_extent_print_index(&ranging->place, extent, at + i);
	}
}

static bool
range_tensor(void *context, const char *path, const struct fx_datum *tensor)
{
	struct ranging *ranging = context;
	struct fx_extent extent;
	struct fx_error *err = fx_extent_of(tensor, &extent);

	for (uint64_t at = 0; !err && at < extent.count;
		at += FX_VALUES_CHUNK) {
		err = fx_values_numbers(tensor, at,
			FX_MIN(extent.count - at, FX_VALUES_CHUNK),
			ranging->real, ranging->imag);
		if (!err)
			range_chunk(ranging, path, &extent, at);
	}
	if (!err)
		ranging->total += extent.count;
	fx_error_free(err);
	return true;
}

static void
range_number(struct ranging *ranging, const struct fx_value *value)
{
	double number = value->kind == FX_VALUE_INT ? (double)value->integer
						    : value->real;

	if (value->kind != FX_VALUE_INT && value->kind != FX_VALUE_FLOAT)
		return;
	ranging->total = 1;
	ranging->first = number;
	ranging->outside =
		number < ranging->watch->low || number > ranging->watch->high;
}

static bool
see_range(const struct fx_watch *watch, const struct fx_watched *watched,
	struct fx_sighting *ret)
{
	struct ranging ranging = { .watch = watch };

	fx_datum_see_tensors(watched->result, range_tensor, &ranging);
	range_number(&ranging, &watched->result->value);
	if (ranging.outside)
		fx_buf_addf(&ret->text,
			"%" PRIu64 " of %" PRIu64
			" outside of %g to %g, first %g%s%s",
			ranging.outside, ranging.total, watch->low, watch->high,
			ranging.first, ranging.place.length ? " at " : "",
			fx_buf_text(&ranging.place));
	fx_buf_deinit(&ranging.place);
	return ranging.outside;
}

/* --- shape and dtype ------------------------------------------------------ */

/* Whether SIZES, COUNT of them, are as PATTERN says: "[1,*,768]". */
static bool
fits(const char *pattern, const int64_t *sizes, size_t count)
{
	const char *at = pattern + 1;

	for (size_t i = 0; i < count; i++) {
		size_t length;
		int64_t size;

		at += strspn(at, " ");
		length = strcspn(at, " ,]");
		if (!length)
			return false;
		if (*at != '*' && (!fx_number_parse_int(at, length, &size) ||
					  size != sizes[i]))
			return false;
		at += length;
		at += strspn(at, " ");
		at += *at == ',';
	}
	at += strspn(at, " ");
	return *at == ']';
}

/* The dtype and shape of RESULT, in words; false when it is no tensor. */
static bool
add_shape(const struct fx_datum *result, struct fx_buf *out,
	struct fx_extent *ret)
{
	struct fx_error *err = result->kind == FX_DATUM_TENSOR
				       ? fx_extent_of(result, ret)
				       : NULL;

	fx_error_free(err);
	if (err || result->kind != FX_DATUM_TENSOR)
		return false;
	fx_buf_add(out, fx_dtype_info(ret->dtype)->short_name);
	fx_extent_print(out, ret);
	return true;
}

static bool
see_shape(const struct fx_watch *watch, const struct fx_watched *watched,
	struct fx_sighting *ret)
{
	struct fx_extent extent;

	return add_shape(watched->result, &ret->text, &extent) &&
	       fits(watch->text, extent.sizes, extent.rank) != watch->is_not;
}

static bool
see_dtype(const struct fx_watch *watch, const struct fx_watched *watched,
	struct fx_sighting *ret)
{
	struct fx_extent extent;

	return add_shape(watched->result, &ret->text, &extent) &&
	       (extent.dtype == fx_watch_dtype(watch->text)) != watch->is_not;
}

/* Whether SIZE of the graph, which may be symbolic, is SIZE_NOW. */
static bool
is_size(const struct fx_value *size, int64_t now)
{
	return size->kind != FX_VALUE_INT || size->integer == now;
}

static bool
see_mismatch(const struct fx_watch *watch, const struct fx_watched *watched,
	struct fx_sighting *ret)
{
	const struct fx_value *meta = watched->node->meta;
	struct fx_extent extent;
	bool fits_all;

	(void)watch;
	if (!meta || meta->kind != FX_VALUE_TENSOR || !meta->tensor->sizes ||
		!add_shape(watched->result, &ret->text, &extent))
		return false;
	fits_all =
		meta->tensor->rank == extent.rank &&
		(!meta->tensor->dtype || meta->tensor->dtype == extent.dtype);
	for (uint32_t i = 0; fits_all && i < extent.rank; i++)
		fits_all = is_size(&meta->tensor->sizes[i], extent.sizes[i]);
	if (fits_all)
		return false;
	fx_buf_add(&ret->text, ", but the graph says ");
	fx_value_print_shape(&ret->text, meta, false);
	return true;
}

/* --- expressions ---------------------------------------------------------- */

static bool
see_expr(const struct fx_watch *watch, const struct fx_watched *watched,
	struct fx_sighting *ret)
{
	/* Of a nested graph, which get_attr gives, nothing is to be asked. */
	if (watched->result->value.kind == FX_VALUE_UNKNOWN)
		return false;
	fx_buf_add(&ret->text, watch->text);
	return true;
}

struct fx_error *
fx_watch_test(const struct fx_watch *watch, struct fx_session *session,
	struct fx_model *model, struct fx_datum *result, bool *ret)
{
	struct fx_datum *before = session->value_at_hand;
	struct fx_error *err;

	session->value_at_hand = result;
	err = fx_resolve_condition(session, model, watch->text, ret);
	session->value_at_hand = before;
	if (strchr(watch->text, '('))
		fx_timeline_keep_random(&model->run->timeline);
	return err;
}

/* --- bytes -----------------------------------------------------------------
 */

/* What the node that just ran wrote of STORAGE, or NULL. */
static const struct fx_saved *
saved_of(const struct fx_watched *watched, uintptr_t storage)
{
	const struct fx_timeline *timeline = &watched->model->run->timeline;
	const struct fx_effect *effect =
		timeline->effects.count ? &fx_vec_last(&timeline->effects)
					: NULL;

	if (!effect || effect->node != watched->node->id ||
		effect->graph != watched->node->graph)
		return NULL;
	for (size_t i = 0; i < effect->saved.count; i++)
		if (effect->saved.items[i].storage == storage &&
			effect->saved.items[i].bytes)
			return &effect->saved.items[i];
	return NULL;
}

static struct fx_error *
read_before(const struct fx_saved *saved, const struct fx_datum *tensor,
	struct fx_blob **ret)
{
	const struct fx_backend_ops *ops = saved->tensor->backend->ops;
	void *payload = saved->tensor->payload;
	struct fx_blob *now = NULL;
	struct fx_extent extent;
	struct fx_error *err = ops->storage_save(payload, &now);

	if (!err)
		err = ops->storage_restore(payload, saved->bytes);
	if (!err)
		err = fx_values_read_all(tensor, &extent, ret);
	if (now)
		fx_error_free(ops->storage_restore(payload, now));
	fx_blob_unref(now);
	return err;
}

/* Six digits are enough to see that a float is another. */
static void
add_element(struct fx_buf *out, enum fx_dtype dtype, const char *bytes,
	uint64_t index)
{
	double real;

	if (!fx_dtype_is_float(dtype)) {
		fx_element_print(out, dtype, bytes, index);
		return;
	}
	fx_elements_decode(dtype, bytes + index * fx_dtype_info(dtype)->size, 1,
		&real, NULL);
	fx_buf_addf(out, "%.6g", real);
}

static bool
tell_changed(const struct fx_extent *extent, const struct fx_blob *before,
	const struct fx_blob *now, struct fx_buf *out)
{
	size_t size = fx_dtype_info(extent->dtype)->size;
	const char *old = fx_blob_data(before);
	const char *new = fx_blob_data(now);
	uint64_t changed = 0;
	uint64_t first = 0;

	for (uint64_t i = 0; i < extent->count; i++)
		if (memcmp(old + i * size, new + i *size, size) != 0 &&
			!changed++)
			first = i;
	if (!changed)
		return false;
	fx_buf_addf(out, "%" PRIu64 " of %" PRIu64 " elements changed, first ",
		changed, extent->count);
	fx_extent_print_index(out, extent, first);
	fx_buf_add(out, extent->rank ? ": " : "");
	add_element(out, extent->dtype, old, first);
	fx_buf_add(out, " -> ");
	add_element(out, extent->dtype, new, first);
	return true;
}

static bool
is_changed(const struct fx_watched *watched, const struct fx_datum *tensor,
	struct fx_buf *out)
{
	uintptr_t storage = fx_datum_storage(tensor, NULL);
	const struct fx_saved *saved =
		storage ? saved_of(watched, storage) : NULL;
	struct fx_blob *before = NULL;
	struct fx_blob *now = NULL;
	struct fx_extent extent;
	struct fx_error *err;
	bool is = false;

	if (!saved)
		return false;
	err = fx_values_read_all(tensor, &extent, &now);
	if (!err)
		err = read_before(saved, tensor, &before);
	if (!err)
		is = tell_changed(&extent, before, now, out);
	fx_error_free(err);
	fx_blob_unref(before);
	fx_blob_unref(now);
	return is;
}

/* The value that is watched, the caller's, or NULL. */
static struct fx_datum *
target_of(const struct fx_watch *watch, const struct fx_watched *watched)
{
	struct fx_backend *backend = watched->model->backend;
	const struct fx_tensor *tensor;
	struct fx_datum *datum = NULL;

	if (!watch->text)
		return watched->target && watched->target != watched->node
			       ? fx_datum_ref(fx_env_get(&watched->place->env,
					 watched->target->id))
			       : NULL;
	tensor = fx_module_find_tensor(watched->model->graph->module,
		watch->text);
	if (tensor)
		fx_error_free(backend->ops->from_tensor(backend, tensor,
			&datum));
	return datum;
}

static bool
see_bytes(const struct fx_watch *watch, const struct fx_watched *watched,
	struct fx_sighting *ret)
{
	FX_AUTO_DATUM struct fx_datum *datum = NULL;

	if (!watched->model->run->timeline.effects.count)
		return false;
	datum = target_of(watch, watched);
	if (!datum || datum->kind != FX_DATUM_TENSOR ||
		!is_changed(watched, datum, &ret->text))
		return false;
	return true;
}

/* --- the table -------------------------------------------------------------
 */

typedef bool see_fn(const struct fx_watch *watch,
	const struct fx_watched *watched, struct fx_sighting *ret);

bool
fx_watch_see(const struct fx_watch *watch, const struct fx_watched *watched,
	struct fx_sighting *ret)
{
	static see_fn *const functions[] = {
#define FX_WATCH(id, word, takes) [FX_WATCH_##id] = see_##id,
#include "session/watch.def"
	};

	*ret = (struct fx_sighting){ .nonfinite = { .node = NULL } };
	if (functions[watch->kind](watch, watched, ret))
		return true;
	fx_buf_deinit(&ret->text);
	return false;
}

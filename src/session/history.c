/* history.c - values that the user has in $1, $$ and $name stay what they are.
 *
 * They may lie in a storage that a node writes in place further on, or that
 * going back restores.  Before either happens they get a copy of their own;
 * most never need one.
 */
#include <config.h>

#include "base/map.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/storage.h"
#include "run/values.h"
#include "session/session_private.h"

/* Views that repeat their elements are not blown up beyond this. */
#define BYTES_LIMIT ((uint64_t)1 << 30)

static struct fx_datum *
copy_tensor(struct fx_model *model, const struct fx_datum *tensor)
{
	struct fx_datum *same = fx_datum_ref((struct fx_datum *)tensor);
	struct fx_extent extent;
	struct fx_error *err = fx_extent_of(tensor, &extent);

	if (!err &&
		extent.count <= BYTES_LIMIT / fx_dtype_info(extent.dtype)->size)
		err = fx_tensor_make_own(model->backend, &same);
	/* What cannot be copied is shown as it will be. */
	fx_error_free(err);
	return same;
}

static struct fx_datum *
copy_datum(struct fx_model *model, const struct fx_datum *datum,
	const struct fx_map *storages)
{
	FX_VEC(struct fx_datum *) items = { 0 };
	struct fx_datum *copy;

	if (!fx_datum_lies_in(datum, storages))
		return fx_datum_ref((struct fx_datum *)datum);
	if (datum->kind == FX_DATUM_TENSOR)
		return copy_tensor(model, datum);
	for (size_t i = 0; i < fx_datum_item_count(datum); i++)
		fx_vec_push(&items,
			copy_datum(model, datum->items[i], storages));
	copy = fx_datum_items_take((enum fx_datum_kind)datum->kind, items.items,
		datum->count);
	fx_vec_deinit(&items);
	return copy;
}

static void
protect(struct fx_model *model, struct fx_datum **slot,
	const struct fx_map *storages)
{
	struct fx_datum *before = *slot;

	if (!fx_datum_lies_in(before, storages))
		return;
	*slot = copy_datum(model, before, storages);
	fx_datum_unref(before);
}

void
fx_model_protect(void *context, struct fx_datum *const *data, uint64_t writes)
{
	struct fx_model *model = context;
	struct fx_session *session = model->session;
	FX_AUTO_MAP struct fx_map storages = { 0 };

	/* Only $_, a node. */
	if (!session->history.count && session->variables.count < 2)
		return;
	for (size_t i = 0; i < 64 && writes >> i; i++)
		if (writes >> i & 1)
			fx_datum_add_storages(data[i], &storages);
	for (size_t i = 0; i < session->history.count; i++)
		protect(model, &session->history.items[i], &storages);
	for (size_t i = 0; i < session->variables.count; i++)
		protect(model, &session->variables.items[i].datum, &storages);
}

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
#include "session/checkpoint.h"
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
		err = fx_datum_make_own(model->backend, &same);
	/* A datum that cannot be copied is shown with its later contents. */
	fx_error_free(err);
	return same;
}

/* One round of protecting values from being overwritten.  Each datum is visited
 * once, however many others hold it, and data that shared it share its copy.
 */
struct round {
	struct fx_model *model;
	struct fx_map storages; /* about to be written */
	struct fx_map copies;   /* of a datum: what replaces it; both held */
};

static void
round_deinit(struct round *round)
{
	size_t at = 0;
	uintptr_t datum, copy;

	while (fx_map_next(&round->copies, &at, &datum, &copy)) {
		fx_datum_unref((struct fx_datum *)datum);
		fx_datum_unref((struct fx_datum *)copy);
	}
	fx_map_deinit(&round->copies);
	fx_map_deinit(&round->storages);
}
FX_DEFINE_DEINIT(round, struct round, round_deinit);

/* HELD, or a new one that is not in the storages. */
static struct fx_error *
apart(void *context, struct fx_datum *held, struct fx_datum **ret)
{
	struct round *round = context;
	struct fx_datum *copy = fx_map_get_pointer(&round->copies, held);

	if (!copy && !fx_datum_lies_in(held, &round->storages))
		copy = held;
	else if (!copy) {
		copy = copy_tensor(round->model, held);
		fx_map_set_pointer(&round->copies, fx_datum_ref(held), copy);
	}
	*ret = fx_datum_ref(copy);
	return NULL;
}

static void
protect(struct round *round, struct fx_datum **slot)
{
	struct fx_datum *before = *slot;

	fx_error_free(fx_datum_map(before, apart, round, slot));
	fx_datum_unref(before);
}

/* $_ has nodes, and no values. */
static bool
has_any(const struct fx_session *session)
{
	for (size_t i = 0; i < session->variables.count; i++)
		if (session->variables.items[i].datum->value.kind !=
			FX_VALUE_NODE_ID)
			return true;
	return session->history.count > 0;
}

void
fx_model_protect(void *context, struct fx_datum *const *data, uint64_t writes)
{
	struct fx_model *model = context;
	struct fx_session *session = model->session;
	FX_AUTO(round) struct round round = { .model = model };

	if (!has_any(session) && !fx_checkpoints_have_values(model))
		return;
	for (size_t i = 0; i < 64 && writes >> i; i++)
		if (writes >> i & 1)
			fx_datum_add_storages(data[i], &round.storages);
	fx_checkpoints_written(model, &round.storages);
	for (size_t i = 0; i < session->history.count; i++)
		protect(&round, &session->history.items[i]);
	for (size_t i = 0; i < session->variables.count; i++)
		protect(&round, &session->variables.items[i].datum);
}

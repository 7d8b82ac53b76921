/* torch_value_out.c - what leaves libtorch: results that are whole. */
#include <config.h>

#include "guest/torch_private.h"

/* --- files ---------------------------------------------------------------- */

struct checking {
	const struct fx_guard *seen;
	struct fx_error *err;
};

/* Check that the file of a tensor, if the tensor lies in one, is still whole.
 * Returns true, which stops the visit, if it is not.
 */
static bool
check_file(void *context, struct fx_datum *held)
{
	struct checking *checking = context;

	if (fx_torch_tensor(held))
		checking->err =
			fx_torch_check_file(held->payload, &checking->seen);
	return checking->err != NULL;
}

struct fx_error *
fx_torch_check_result(struct fx_datum *const *data, size_t count,
	struct fx_error *err_taken, struct fx_datum **ret)
{
	struct checking checking = { NULL, NULL };

	for (size_t i = 0; i < count && !checking.err; i++)
		fx_datum_each_held(data[i], check_file, &checking);
	if (!checking.err)
		return err_taken;
	if (err_taken)
		fx_error_free(err_taken);
	else
		fx_datum_unref(*ret);
	*ret = NULL;
	return checking.err;
}

/* --- addresses ----------------------------------------------------------- */

struct fx_error *
fx_torch_address(struct fx_torch *torch, struct fx_datum *tensor,
	struct fx_datum **ret)
{
	FX_AUTO_DATUM struct fx_datum *offset = NULL;
	struct fx_extent extent;
	size_t size;
	uintptr_t storage = fx_torch_storage(tensor->payload, &size);
	struct fx_error *err = fx_extent_of(tensor, &extent);

	if (!err)
		err = fx_torch_apply(torch, "aten::storage_offset", &tensor, 1,
			&offset);
	if (err)
		return err;
	size = fx_dtype_info(extent.dtype)->size;
	*ret = fx_datum_int(extent.count
				    ? (int64_t)storage + offset->value.integer *
								 (int64_t)size
				    : 0);
	return NULL;
}

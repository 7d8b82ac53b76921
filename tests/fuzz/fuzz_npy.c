/* fuzz_npy.c - any bytes as a file of numpy's.  Nothing may crash or leak; an
 * array that is understood is shown, and written and read again is the same.
 */
#include <config.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/buf.h"
#include "base/mem.h"
#include "ir/tensor_meta.h"
#include "load/npy.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/stats.h"
#include "run/tensor_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct fx_datum *
as_tensor(struct fx_backend *backend, const struct fx_npy *array)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value meta = fx_tensor_meta_ints(arena, array->dtype,
		array->sizes, array->rank);
	struct fx_datum *datum = NULL;

	fx_error_free(fx_values_write(backend, meta.tensor,
		fx_blob_data(array->blob), &datum));
	return datum;
}

static struct fx_error *
give(void *context, uint64_t first, size_t count, void *bytes)
{
	return fx_values_read(context, first, count, bytes);
}

static void
check_same(const struct fx_npy *array, struct fx_datum *datum)
{
	FX_AUTO_FREE char *path =
		fx_xasprintf("/tmp/fuzz-npy-%ld.npy", (long)getpid());
	FX_AUTO_NPY struct fx_npy again = { .rank = 0 };

	fx_assert(!fx_npy_write(path, array, give, datum));
	fx_assert(!fx_npy_read(path, &again));
	unlink(path);
	fx_assert(again.dtype == array->dtype && again.rank == array->rank);
	fx_assert(again.count == array->count);
	fx_assert(!array->count ||
		  !memcmp(fx_blob_data(again.blob), fx_blob_data(array->blob),
			  fx_blob_size(array->blob)));
}

static void
use(const struct fx_npy *array)
{
	FX_AUTO_BACKEND struct fx_backend *backend = fx_backend_meta_new();
	FX_AUTO_DATUM struct fx_datum *datum = as_tensor(backend, array);
	FX_AUTO_BUF struct fx_buf out = { 0 };
	struct fx_stats stats;

	fx_assert(datum);
	fx_assert(!fx_stats_compute(datum, NULL, &stats));
	fx_stats_print(&out, &stats, false);
	/* Refused for too many corners. */
	fx_error_free(fx_tensor_text(&out, datum));
	check_same(array, datum);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FX_AUTO_NPY struct fx_npy array = { .rank = 0 };
	FX_AUTO_FREE char *path = NULL;
	FX_AUTO_ERROR struct fx_error *err = NULL;
	int fd = memfd_create("npy", MFD_CLOEXEC);

	if (fd < 0)
		return 0;
	path = fx_xasprintf("/proc/self/fd/%d", fd);
	if (write(fd, data, size) == (ssize_t)size)
		err = fx_npy_read(path, &array);
	if (!err && array.blob)
		use(&array);
	close(fd);
	return 0;
}

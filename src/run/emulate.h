/* emulate.h - operators that a backend has for wider floats only.
 *
 * Of f16 and bf16 a backend lacks kernels: libtorch 1.13 has no convolution of
 * f16 on a CPU.  Where an operator fails on such tensors, it runs on the same
 * numbers as f32, and what it gives is rounded to the dtype that it would have
 * had.  That is what kernels of these dtypes do as well, which add up in f32
 * and round once.  An operator that fails in f32 too failed for another reason,
 * which is the one that is told.
 */
#ifndef FX_RUN_EMULATE_H
#define FX_RUN_EMULATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/vec.h"

struct fx_backend;
struct fx_call_site;
struct fx_datum;

/* An operator that was emulated. */
struct fx_emulated {
	const char *target; /* interned */
	size_t calls;
};

/* What a backend is told to emulate, and what it did. */
struct fx_emulation {
	enum fx_dtype dtype; /* what lacks kernels: F16, BF16 */
	FX_VEC(struct fx_emulated) operators; /* in order of the first call */
	size_t calls;
	struct fx_backend *shapes; /* says which dtype results have */
};
void fx_emulation_deinit(struct fx_emulation *emulation);
FX_DEFINE_DEINIT(emulation, struct fx_emulation, fx_emulation_deinit);
#define FX_AUTO_EMULATION FX_AUTO(emulation)

struct fx_emulated_call {
	const struct fx_call_site *site;
	struct fx_datum *const *data;
	uint64_t writes; /* which of the data it writes in place, a bit each */
};

/* Run CALL, which BACKEND refused with ERR_TAKEN, in f32.  ERR_TAKEN where that
 * is not to be done or fails as well.
 */
FX_NODISCARD struct fx_error *fx_emulate_call(struct fx_backend *backend,
	const struct fx_emulated_call *call, struct fx_error *err_taken,
	struct fx_datum **ret);

/* BACKEND computes with EMULATION from now on (borrowed), or without: NULL. */
void fx_emulation_use(struct fx_backend *backend,
	struct fx_emulation *emulation);

#endif /* FX_RUN_EMULATE_H */

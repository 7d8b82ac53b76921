/* parameters.h - the backend objects that stand for a graph's parameters and
 * buffers in one run.
 *
 * A run never writes the graph: its objects lie over the graph's bytes until
 * the run writes there, and have bytes of their own from then on.  Tensors of
 * one storage are views of one memory; tensors that also lie in it alike (tied
 * parameters) are one object.
 */
#ifndef FX_RUN_PARAMETERS_H
#define FX_RUN_PARAMETERS_H

#include "base/error.h"
#include "base/map.h"
#include "base/vec.h"

struct fx_datum;
struct fx_tensor;

struct fx_parameters {
	struct fx_map last; /* storage -> place in items + 1 */
	FX_VEC(struct fx_parameter) items;
};

/* The object that stands for TENSOR, or NULL.  Borrowed. */
struct fx_datum *fx_parameters_find(const struct fx_parameters *parameters,
	const struct fx_tensor *tensor);
/* Return a datum that lies in the same storage as TENSOR, or NULL.  Borrowed.
 */
struct fx_datum *fx_parameters_beside(const struct fx_parameters *parameters,
	const struct fx_tensor *tensor);
/* DATUM, which is referenced, stands for TENSOR, which has a storage. */
void fx_parameters_add(struct fx_parameters *parameters,
	const struct fx_tensor *tensor, struct fx_datum *datum);
/* If ERR_TAKEN says that values are missing, return an error which names the
 * tensor at PATH instead; else return ERR_TAKEN, which may be null.
 */
FX_NODISCARD struct fx_error *
fx_parameters_name_missing(struct fx_error *err_taken, const char *path);
/* Forget all of them: another run begins. */
void fx_parameters_clear(struct fx_parameters *parameters);

#endif /* FX_RUN_PARAMETERS_H */

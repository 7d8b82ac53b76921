/* arrays.h - values by the names of nodes, in a file of numpy's: those that
 * dump value writes ("split.0" in a tuple, "out.loss" in a dict).
 */
#ifndef FX_SESSION_ARRAYS_H
#define FX_SESSION_ARRAYS_H

#include "base/error.h"

struct fx_backend;
struct fx_datum;

/* The value called NAME in the file PATH, on BACKEND; what LIKE, which may be
 * null, holds in a tuple or a dict, from several arrays.  *RET is NULL where
 * the file lacks one.  IO, and what is wrong with the file.
 */
FX_NODISCARD struct fx_error *fx_arrays_read(struct fx_backend *backend,
	const char *path, const char *name, struct fx_datum *like,
	struct fx_datum **ret);

#endif /* FX_SESSION_ARRAYS_H */

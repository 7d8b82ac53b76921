/* tensor_file.h - tensors in a file of numpy's, safetensors or CSV.
 *
 * The ending of the name says which; what has none of these endings is read as
 * one of numpy's.
 */
#ifndef FX_RUN_TENSOR_FILE_H
#define FX_RUN_TENSOR_FILE_H

#include "load/npy.h"

/* Read PATH: NAME of a file with several tensors, NULL for the only one.  A
 * CSV of one column has one dimension, else two; its elements are I64, or F32
 * where one is no integer.  FORMAT when it is none of these, or a CSV whose
 * rows differ or that has what is no number; NO_NAME; else as fx_npy_read.
 */
FX_NODISCARD struct fx_error *fx_tensor_file_read(const char *path,
	const char *name, struct fx_npy *ret);

/* As NAME of FILE, which was read from PATH. */
struct fx_safetensors;
FX_NODISCARD struct fx_error *
fx_tensor_file_take(const struct fx_safetensors *file, const char *path,
	const char *name, struct fx_npy *ret);

/* Endings that can be written, NULL past the last. */
const char *fx_tensor_file_ending(size_t index);

/* Write COUNT ENTRIES to PATH, in the format that its ending says, which is one
 * of the above.  USAGE for several in a file of one; else as
 * fx_npy_write.  UNSUPPORTED also for more than two dimensions in a CSV.
 */
FX_NODISCARD struct fx_error *fx_tensor_file_write(const char *path,
	const struct fx_npy_entry *entries, size_t count,
	fx_npy_source *source);

#endif /* FX_RUN_TENSOR_FILE_H */

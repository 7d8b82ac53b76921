/* folder.h - a folder as torch.fx's to_folder writes it: read and written. */
#ifndef FX_LOAD_FOLDER_H
#define FX_LOAD_FOLDER_H

#include <stdint.h>

#include "base/error.h"

struct fx_graph;
struct fx_loaded;

/* Read PATH/module.py as fx_open does, with the weights that fx_folder_write
 * wrote beside it.  Those in .pt files are not read.
 */
FX_NODISCARD struct fx_error *fx_load_folder(const char *path, uint32_t serial,
	struct fx_loaded *ret);

/* Write GRAPH to the folder PATH, which is made if it is not there:
 * __init__.py, module.py (emit/folder.h), the weights and what reads them.
 * DIALECT is as in struct fx_emit_python; *WEIGHTS_RET is the size of the
 * weights file, 0 without one.  UNSUPPORTED, IO, NO_SPACE.
 */
FX_NODISCARD struct fx_error *fx_folder_write(struct fx_graph *graph,
	const char *path, const char *dialect, uint64_t *weights_ret);

#endif /* FX_LOAD_FOLDER_H */

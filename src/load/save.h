/* save.h - a graph to an .fxg file, with its weights beside it. */
#ifndef FX_LOAD_SAVE_H
#define FX_LOAD_SAVE_H

#include <stdint.h>

#include "base/error.h"

struct fx_file_writer;
struct fx_graph;
struct fx_weights;

/* Write GRAPH to PATH atomically.  The weights are written first, to a file
 * beside PATH whose name contains their digest; such a file is kept if it
 * exists already.  Fails with IO, NO_SPACE or LIMIT, and then leaves PATH as it
 * was.
 */
FX_NODISCARD struct fx_error *fx_save(struct fx_graph *graph, const char *path);

/* What writes WEIGHTS to PATH, as fx_safetensors_write does; *RET stays NULL
 * where they are there.
 */
typedef struct fx_error *fx_save_weights_fn(const char *path,
	const struct fx_weights *weights, uint64_t *size_ret,
	struct fx_file_writer **ret);

/* The same for GRAPH with WEIGHTS, which are its own, written by WRITE. */
FX_NODISCARD struct fx_error *fx_save_with(struct fx_graph *graph,
	const char *path, const struct fx_weights *weights,
	fx_save_weights_fn *write);

#endif /* FX_LOAD_SAVE_H */

/* save.h - a graph to an .fxg file, with its weights beside it. */
#ifndef FX_LOAD_SAVE_H
#define FX_LOAD_SAVE_H

#include "base/error.h"

struct fx_graph;

/* Write GRAPH to PATH atomically.  The weights are written first, to a file
 * beside PATH whose name contains their digest; such a file is kept if it
 * exists already.  Fails with IO, NO_SPACE or LIMIT, and then leaves PATH as it
 * was.
 */
FX_NODISCARD struct fx_error *fx_save(struct fx_graph *graph, const char *path);

#endif /* FX_LOAD_SAVE_H */

/* save.h - a graph to an .fxg file, with its weights beside it. */
#ifndef FX_LOAD_SAVE_H
#define FX_LOAD_SAVE_H

#include "base/error.h"

struct fx_graph;

/* Write GRAPH to PATH, atomically.  Weights go first, to a file beside it whose
 * name contains their digest; one that is there already stays.  IO, NO_SPACE,
 * LIMIT; PATH is as it was then.
 */
FX_NODISCARD struct fx_error *fx_save(struct fx_graph *graph, const char *path);

#endif /* FX_LOAD_SAVE_H */

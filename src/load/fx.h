/* fx.h - the listing of a graph, str(graph), back to a graph.
 *
 * A listing drops quotes, so what is a string is a guess: anything that is no
 * value otherwise.  The guesses that could be wrong are said in the notices.
 */
#ifndef FX_LOAD_FX_H
#define FX_LOAD_FX_H

#include "base/error.h"

struct fx_graph;
struct fx_load_input;

FX_NODISCARD struct fx_error *fx_load_fx(const struct fx_load_input *input,
	struct fx_graph **ret);

#endif /* FX_LOAD_FX_H */

/* widen.h - a graph whose floats are of another dtype, to tell errors from
 * rounding.
 *
 * To f64, everything: parameters, buffers and dtypes among the arguments (and
 * complex ones to c128); what makes floats without being told a dtype is told
 * f64.  It may be asked that casts to f16 and bf16 round as they did.  To
 * another, as torch's module.to(dtype): parameters and buffers; what the graph
 * itself says of dtypes stays.
 */
#ifndef FX_RUN_WIDEN_H
#define FX_RUN_WIDEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/map.h"

struct fx_backend;
struct fx_datum;
struct fx_graph;

/* The storages of graphs that were widened: what several share stays one. */
struct fx_widening {
	struct fx_map storages; /* struct fx_storage * -> the wide one */
	struct fx_map dtypes;   /* the same -> what its elements were */
	uint64_t bytes;         /* of all wide ones */
	enum fx_dtype to;       /* NONE: f64 */
	bool rounds; /* to f64: a cast to half a float rounds all the same */
};

/* All zero is empty, and to f64. */
void fx_widening_deinit(struct fx_widening *widening);
FX_DEFINE_DEINIT(widening, struct fx_widening, fx_widening_deinit);
#define FX_AUTO_WIDENING FX_AUTO(widening)

/* Widen GRAPH, a copy without a journal.  NO_SPACE; UNSUPPORTED for what has no
 * wide form: quantized tensors, one storage under two dtypes.
 */
FX_NODISCARD struct fx_error *fx_widen_graph(struct fx_widening *widening,
	struct fx_graph *graph);

/* Replace *DATUM by one of BACKEND whose float tensors are of TO (NONE: f64).
 */
FX_NODISCARD struct fx_error *fx_widen_datum(struct fx_backend *backend,
	enum fx_dtype to, struct fx_datum **datum);

/* Replace *DATUM by one of BACKEND whose tensors of dtype FROM are of TO. */
FX_NODISCARD struct fx_error *fx_convert_datum(struct fx_backend *backend,
	enum fx_dtype from, enum fx_dtype to, struct fx_datum **datum);

#endif /* FX_RUN_WIDEN_H */

/* recorder.h - what symbolic tracing is, whoever drives it.
 *
 * A recorder fills a new graph: it keeps the stack of module scopes, and
 * remembers the first get_attr of each parameter.  The Python extension drives
 * it; nothing here knows Python.
 */
#ifndef FX_TRACE_RECORDER_H
#define FX_TRACE_RECORDER_H

#include <stdint.h>

#include "base/map.h"
#include "ir/graph.h"

struct fx_recorder {
	struct fx_graph *graph;       /* being filled; the recorder's */
	const struct fx_scope *scope; /* innermost open module call */
	struct fx_map parameters;     /* path -> its one get_attr node */
	uint64_t generation; /* tells proxies of an earlier trace apart */
};

/* A recorder over a new graph.  SERIAL as in fx_graph_new. */
void fx_recorder_init(struct fx_recorder *recorder, uint32_t serial,
	uint64_t generation);
void fx_recorder_deinit(struct fx_recorder *recorder);

/* Hand the graph over; the recorder is empty after. */
struct fx_graph *fx_recorder_take_graph(struct fx_recorder *recorder);

/* A module is being called, leaf or not; and is left again.  Both texts are
 * interned.
 */
void fx_recorder_enter(struct fx_recorder *recorder, const char *path,
	const char *class_name);
void fx_recorder_leave(struct fx_recorder *recorder);

/* Record a node at the end, in the open scope.  SPEC's scope is ignored. */
struct fx_node *fx_recorder_add(struct fx_recorder *recorder,
	const struct fx_node_spec *spec);

/* The get_attr of the parameter at PATH (interned): made at the first call,
 * the same node ever after (semantics 2.4).
 */
struct fx_node *fx_recorder_parameter(struct fx_recorder *recorder,
	const char *path, const struct fx_source *source);

/* A fresh get_attr of the buffer or constant at PATH. */
struct fx_node *fx_recorder_attribute(struct fx_recorder *recorder,
	const char *path, const struct fx_source *source);

#endif /* FX_TRACE_RECORDER_H */

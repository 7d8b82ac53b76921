/* jsonl.h - a graph as .fxg text: JSON lines, lossless (doc/fxg.md). */
#ifndef FX_EMIT_JSONL_H
#define FX_EMIT_JSONL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct fx_buf;
struct fx_graph;
struct fx_json;
struct fx_member;
struct fx_source;
struct fx_value;
struct fx_weights;

/* What a reader must understand; a higher number is refused by older readers.
 * The minor number counts additions that may be ignored, as far as the graph
 * has them (1: decided).
 */
#define FX_FXG_MAJOR 2
#define FX_FXG_MINOR 1

/* Deepest module path, and deepest nesting of graphs. */
#define FX_FXG_PATH_LIMIT  200
#define FX_FXG_GRAPH_LIMIT 50

/* All zero: without a weights file. */
struct fx_emit_jsonl {
	/* The file with the weights: its name beside this one and its size;
	 * null when tensors are described only.
	 */
	const char *weights_file;
	uint64_t weights_size;
	bool leaves_digests_out; /* of what storages hold */
};

/* Append GRAPH to OUT; every line ends with a newline.  WEIGHTS are those of
 * GRAPH; OPTIONS may be null.  LIMIT when modules or graphs nest too deep.
 */
FX_NODISCARD struct fx_error *fx_emit_jsonl(struct fx_buf *out,
	struct fx_graph *graph, const struct fx_weights *weights,
	const struct fx_emit_jsonl *options);

/* For deltas: the records of MEMBER, which stands at PATH of GRAPH, as if it
 * were alone; what it shares with the rest of the tree is named by "other".
 * LIMIT as above.
 */
FX_NODISCARD struct fx_error *fx_emit_jsonl_member(struct fx_buf *out,
	struct fx_graph *graph, const struct fx_member *member,
	const char *path, const struct fx_weights *weights);
/* VALUE in the exact style as a text; SCRATCH is written over. */
void fx_emit_json_value(struct fx_json *json, struct fx_buf *scratch,
	const char *key, const struct fx_value *value);
/* The frames of SOURCE as an array of objects. */
void fx_emit_jsonl_frames(struct fx_json *json, const struct fx_source *source);

#endif /* FX_EMIT_JSONL_H */

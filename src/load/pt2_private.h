/* pt2_private.h - what the files of the .pt2 reader share.
 *
 * The archive says what .fxg says, in other words.  So its records are put in
 * words of .fxg and given to that reader, which checks them: pt2.c does the
 * frame, modules and tensors, pt2_graph.c nodes, pt2_place.c their lines and
 * scopes, pt2_value.c arguments and shapes.
 */
#ifndef FX_LOAD_PT2_PRIVATE_H
#define FX_LOAD_PT2_PRIVATE_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/map.h"
#include "ir/names.h"
#include "load/jsonl_private.h"

/* A graph that is being read. */
struct fx_pt2_graph {
	struct fx_jsonl *r;
	const json_t *json;
	const json_t *signature; /* NULL in graphs within the graph */
	size_t first_default;    /* from this input on constants are defaults */
	struct fx_names taken;   /* all names of the file and of nodes */
	struct fx_map names;     /* the file's name -> the node's, interned */
	struct fx_map members;   /* a member's path -> the node's name */
	struct fx_map sources;   /* a stack trace -> number of its source + 1 */
	struct fx_map scopes;    /* a module stack -> number of its scope + 1 */
};
void fx_pt2_graph_deinit(struct fx_pt2_graph *g);

FX_DEFINE_DEINIT(pt2_graph, struct fx_pt2_graph, fx_pt2_graph_deinit);
#define FX_AUTO_PT2_GRAPH FX_AUTO(pt2_graph)

/* Read all of G->json into the graph that G->r is at.  What FORMAT complains of
 * is placed by its path in the JSON.
 */
FX_NODISCARD struct fx_error *fx_pt2_graph(struct fx_pt2_graph *g);

/* Go into field KEY, or item INDEX, of the JSON for messages.  Returns what
 * fx_pt2_leave gets.
 */
size_t fx_pt2_enter(struct fx_jsonl *r, const char *key, size_t index);
void fx_pt2_leave(struct fx_jsonl *r, size_t mark);

/* The one key of a union, and what it has; NULL when VALUE is none. */
const char *fx_pt2_union(const json_t *value, json_t **ret);

/* Append an argument, {"as_...": ...}, as Python whose nodes are %name. */
FX_NODISCARD struct fx_error *fx_pt2_argument(struct fx_pt2_graph *g,
	const json_t *argument, struct fx_buf *out);

/* The node of the file's NAME; FORMAT when none has it so far. */
FX_NODISCARD struct fx_error *fx_pt2_node_of(struct fx_pt2_graph *g,
	const char *name, const char **ret);

/* The dtype of NUMBER as torch writes it without "torch.", NULL if unknown. */
const char *fx_pt2_dtype(json_int_t number);

/* Append what the file says of the value NAME, as .fxg has it: tensor('f32[2]')
 * or sym('s77').  False when it says nothing that is understood.
 */
bool fx_pt2_meta(struct fx_pt2_graph *g, const char *name, struct fx_buf *out);

/* The numbers, in the section of the reader, of the source lines and of the
 * modules that METADATA of a node says; -1 for none.
 */
int64_t fx_pt2_source(struct fx_pt2_graph *g, const json_t *metadata);
int64_t fx_pt2_scope(struct fx_pt2_graph *g, const json_t *metadata);

#endif /* FX_LOAD_PT2_PRIVATE_H */

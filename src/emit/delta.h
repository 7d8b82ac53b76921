/* delta.h - a transaction as text: JSON lines, one a primitive edit.
 *
 * Lines name nodes as they are called at that moment of a replay; a new node's
 * line has its id too, so that what holds ids still fits (load/delta.h reads
 * them).
 */
#ifndef FX_EMIT_DELTA_H
#define FX_EMIT_DELTA_H

struct fx_buf;
struct fx_graph;
struct fx_storage;

/* Return the interned key by which the text refers to the bytes of STORAGE, or
 * NULL to write the tensor without bytes.
 */
typedef const char *fx_delta_key_fn(void *context, struct fx_storage *storage);

/* Append the last transaction of GRAPH to OUT: the open one, if one is. */
void fx_emit_delta(struct fx_buf *out, struct fx_graph *graph,
	fx_delta_key_fn *key_of, void *context);

#endif /* FX_EMIT_DELTA_H */

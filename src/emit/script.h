/* script.h - a graph's history as a command file. */
#ifndef FX_EMIT_SCRIPT_H
#define FX_EMIT_SCRIPT_H

struct fx_buf;
struct fx_graph;

/* Append the commands that lead from the origin to the graph as it is now, one
 * a line: the `load` or `trace` it began with, then each transaction of the
 * current branch in canonical words.  One that has none stands as a comment.
 */
void fx_emit_script(struct fx_buf *out, const struct fx_graph *graph);

#endif /* FX_EMIT_SCRIPT_H */

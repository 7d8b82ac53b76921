/* dot_text.h - a drawing's graph in the DOT language, for the helper. */
#ifndef FX_DRAW_DOT_TEXT_H
#define FX_DRAW_DOT_TEXT_H

#include <stdbool.h>

struct fx_buf;
struct fx_dag;

/* Append DAG to OUT.  PLACED: every node gets a position of ours, for the
 * engine nop2, which only renders.  MARKED stands out, or is -1.
 */
void fx_dot_text(const struct fx_dag *dag, bool placed, int marked,
	struct fx_buf *out);

/* Whether Graphviz's own layout copes with DAG in reasonable time: at most
 * 2500 nodes, and 3500 places where lines pass ranks (measured; the number of
 * nodes alone says nothing).
 */
bool fx_dot_is_modest(const struct fx_dag *dag);

#endif /* FX_DRAW_DOT_TEXT_H */

/* table.h - a graph as torch.fx's print_tabular shows it. */
#ifndef FX_EMIT_TABLE_H
#define FX_EMIT_TABLE_H

struct fx_buf;
struct fx_graph;

/* Append the table: head, rule, one line a node, each ended by a newline.
 * Functions stand as their qualified names, where torch.fx has their repr
 * with an address.
 */
void fx_emit_table(struct fx_buf *out, const struct fx_graph *graph);

#endif /* FX_EMIT_TABLE_H */

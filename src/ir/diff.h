/* diff.h - what differs between two graphs, matched by node name. */
#ifndef FX_IR_DIFF_H
#define FX_IR_DIFF_H

#include <stddef.h>

#include "ir/graph.h"

enum fx_change_kind {
	FX_CHANGE_ADDED,
	FX_CHANGE_REMOVED,
	FX_CHANGE_CHANGED, /* same name, other contents */
	FX_CHANGE_MOVED,   /* same contents, other relative order */
	FX_CHANGE_SAME,
};

/* Rows in reading order: removed ones where they stood. */
struct fx_change {
	enum fx_change_kind kind;
	struct fx_node *before; /* NULL when added */
	struct fx_node *after;  /* NULL when removed */
};

/* The caller frees *RET. */
void fx_graph_diff(struct fx_graph *before, struct fx_graph *after,
	struct fx_change **ret, size_t *count_ret);

#endif /* FX_IR_DIFF_H */

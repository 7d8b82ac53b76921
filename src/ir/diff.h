/* diff.h - what differs between two graphs: nodes matched by name, modules and
 * tensors by path.
 */
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

/* One module, parameter or buffer that differs: either the pair of modules or
 * the pair of tensors is set, and the other pair is null.  A module that was
 * added, removed or became another class has one row, and the modules below it
 * have none.  KIND is never MOVED or SAME.
 */
struct fx_module_change {
	enum fx_change_kind kind;
	const char *path; /* interned */
	const struct fx_module *before;
	const struct fx_module *after;
	const struct fx_tensor *old;
	const struct fx_tensor *new;
};

/* In the order of registration, what was removed last; the caller frees *RET.
 * Values are compared too, by digest.
 */
void fx_module_diff(struct fx_module *before, struct fx_module *after,
	struct fx_module_change **ret, size_t *count_ret);

#endif /* FX_IR_DIFF_H */

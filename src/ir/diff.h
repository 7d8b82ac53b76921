/* diff.h - what differs between two graphs: nodes as they are paired
 * (ir/pair.h), modules and tensors by path.
 */
#ifndef FX_IR_DIFF_H
#define FX_IR_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "ir/graph.h"

enum fx_change_kind {
	FX_CHANGE_ADDED,
	FX_CHANGE_REMOVED,
	FX_CHANGE_CHANGED, /* one node, other contents */
	FX_CHANGE_RENAMED, /* the name alone */
	FX_CHANGE_MOVED,   /* same contents, other relative order */
	FX_CHANGE_SAME,
};

/* What of a node is another, as bits. */
enum fx_differs {
	FX_DIFFERS_NAME = 1,
	FX_DIFFERS_OPCODE = 2,
	FX_DIFFERS_TARGET = 4,
	FX_DIFFERS_ARGS = 8, /* not where an input only has another name */
	FX_DIFFERS_KWARGS = 16,
	FX_DIFFERS_TYPE = 32,
	FX_DIFFERS_WRAPPED = 64,
};

/* Rows in reading order: removed ones where they stood. */
struct fx_change {
	enum fx_change_kind kind;
	struct fx_node *before; /* NULL when added */
	struct fx_node *after;  /* NULL when removed */
	unsigned differs;       /* of a pair: enum fx_differs */
	bool has_moved;         /* of a pair */
};

struct fx_buf;
struct fx_pairs;

/* The caller frees *RET. */
void fx_graph_diff(const struct fx_pairs *pairs, struct fx_change **ret,
	size_t *count_ret);

/* Append what differs of a pair: "name, args[0], kwargs.dim, place". */
void fx_change_print_fields(struct fx_buf *text, const struct fx_pairs *pairs,
	const struct fx_change *change);

/* One module, parameter or buffer that differs: either the pair of modules or
 * the pair of tensors is set, and the other pair is null.  A module that was
 * added, removed or became another class has one row, and the modules below it
 * have none.  KIND is ADDED, REMOVED or CHANGED.
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

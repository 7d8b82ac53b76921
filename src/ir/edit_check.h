/* edit_check.h - what edits refuse, and in which words. */
#ifndef FX_IR_EDIT_CHECK_H
#define FX_IR_EDIT_CHECK_H

#include "base/error.h"
#include "ir/graph.h"

/* ARGS is a TUPLE, KWARGS a DICT whose keys are identifiers, each once (either
 * may be NONE); neither is too deep, and all their nodes stand in GRAPH: TYPE,
 * BAD_NAME, VALUE, LIMIT, NO_NODE.
 */
FX_NODISCARD struct fx_error *fx_check_args(const struct fx_graph *graph,
	const struct fx_value *args, const struct fx_value *kwargs);
/* The same for one VALUE. */
FX_NODISCARD struct fx_error *fx_check_value(const struct fx_graph *graph,
	const struct fx_value *value);

/* TARGET may be that of a node of OPCODE: BAD_TARGET, NO_MODULE with the
 * nearest paths that there are.  TARGET is interned.
 */
FX_NODISCARD struct fx_error *fx_check_target(const struct fx_graph *graph,
	enum fx_opcode opcode, const char *target);

/* NAME may become that of a node: an identifier that torch.fx would keep, and
 * nobody else's: BAD_NAME, NAME_TAKEN.
 */
FX_NODISCARD struct fx_error *fx_check_name(const struct fx_graph *graph,
	const char *name);

/* NODE is in a graph, not erased: NO_NODE. */
FX_NODISCARD struct fx_error *fx_check_present(const struct fx_node *node);

/* NODE may use INPUT where it stands: CYCLE, ORDER.  WORD is what the message
 * calls the edit.
 */
FX_NODISCARD struct fx_error *fx_check_edge(const char *word,
	struct fx_node *node, struct fx_node *input);

/* Append where USER mentions NODE first: "arg 0", "kwarg other". */
void fx_check_print_place(struct fx_buf *out, const struct fx_node *user,
	const struct fx_node *node);

#endif /* FX_IR_EDIT_CHECK_H */

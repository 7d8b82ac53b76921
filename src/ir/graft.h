/* graft.h - a fragment into a graph: inputs bound, the result wired, source,
 * scope and origin carried over.
 *
 * All of it is edits inside the open transaction.  A fragment can be grafted
 * many times; each time makes nodes, and a module if it has one, of its own.
 */
#ifndef FX_IR_GRAFT_H
#define FX_IR_GRAFT_H

#include <stdbool.h>

#include "base/error.h"
#include "ir/graph.h"

struct fx_fragment;
struct fx_scope;

struct fx_graft {
	struct fx_fragment *fragment;
	/* Gives MODULE its numbers before it is put at PATH; may be null. */
	struct fx_error *(*fill)(void *context, struct fx_module *module,
		const char *path);
	void *context;
};

/* Where the nodes of a fragment go. */
struct fx_graft_place {
	struct fx_node *before;     /* NULL: at the end */
	const struct fx_node *near; /* in whose scope they lie */
	const char *name; /* of the result, or NULL: from its target */
	bool is_fresh;    /* number the name if it is taken */
	/* The node that the new nodes replace, or NULL. $v is the first value
	 * that OLD reads.  The new nodes keep OLD's source and are recorded as
	 * derived from OLD.
	 */
	struct fx_node *old;
	bool is_heir; /* the result gets OLD's name, which is then erased */
};

/* The scope of what SPEC makes in the place of NEAR: as the tracer does it, the
 * call of a module lies in that module's own.
 */
const struct fx_scope *fx_graft_scope(struct fx_graph *graph,
	const struct fx_node_spec *spec, const struct fx_node *near);

/* Create the nodes of the fragment; *FIRST_RET and *RET are the first and the
 * result, both the same when the text only names a node.  TYPE: it yields a
 * plain value; VALUE: $v is nothing; and as fx_edit_create and
 * fx_edit_set_module.
 */
FX_NODISCARD struct fx_error *fx_graft(const struct fx_graft *graft,
	const struct fx_graft_place *place, struct fx_node **first_ret,
	struct fx_node **ret);

/* Give what uses OLD to RESULT: all users, or with FIRST those outside the
 * nodes from FIRST to RESULT.  TYPE: RESULT is a module.
 */
FX_NODISCARD struct fx_error *fx_graft_redirect(struct fx_node *old,
	struct fx_node *first, struct fx_node *result);

/* Put the fragment in the place of OLD, whose users and name the result gets;
 * OLD is erased.  Where the fragment reads OLD, that stays with its name:
 * *WRAPS_RET is then the result, else NULL.  VALUE: OLD by itself.
 */
FX_NODISCARD struct fx_error *fx_graft_replace(const struct fx_graft *graft,
	struct fx_node *old, const struct fx_node **wraps_ret);

/* Put the module that the fragment makes at PATH. */
FX_NODISCARD struct fx_error *fx_graft_module(const struct fx_graft *graft,
	const char *path);

#endif /* FX_IR_GRAFT_H */

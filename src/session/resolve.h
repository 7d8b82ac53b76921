/* resolve.h - from what a user types to nodes, sets, paths and values.
 *
 * Fills run/eval's resolver.  Order of meanings: COMMANDS 2, "A bare name".
 */
#ifndef FX_SESSION_RESOLVE_H
#define FX_SESSION_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct fx_datum;
struct fx_fragment;
struct fx_graph;
struct fx_model;
struct fx_node;
struct fx_session;

/* A node designator: %name, name, @N, ., .-1, $_.  NO_NODE has the nearest
 * names; "42" hints at @42.  Sets $_.
 */
FX_NODISCARD struct fx_error *fx_resolve_node(struct fx_session *session,
	struct fx_model *model, const char *text, struct fx_node **ret);

/* TEXT, the right-hand side of an edit of MODEL's graph, as a fragment
 * (ir/fragment.h), into *RET that holds zeros.  HAS_INPUT: $v may stand in it,
 * else NAME = before it.  And TEXT as nn.X(...) alone.
 */
FX_NODISCARD struct fx_error *fx_resolve_fragment(struct fx_session *session,
	struct fx_model *model, const char *text, bool has_input,
	struct fx_fragment *ret);
FX_NODISCARD struct fx_error *fx_resolve_layer(struct fx_session *session,
	struct fx_model *model, const char *text, struct fx_fragment *ret);

/* A set of nodes: a query with or without braces, a designator, @A,@B, or a
 * module path (all nodes inside).  Positions ascending; the caller frees.
 */
FX_NODISCARD struct fx_error *fx_resolve_set(struct fx_session *session,
	struct fx_model *model, const char *text, size_t **positions_ret,
	size_t *count_ret);

/* Whether TEXT, a set that could be resolved, is the same set whenever the
 * graph is the same: it asks for no position, values, shapes or passes.
 */
bool fx_resolve_is_steady(const struct fx_model *model, const char *text);

/* A module path below the current scope or the root, "" the root; checked
 * against the module tree and the scopes of nodes.  *RET is interned.
 */
FX_NODISCARD struct fx_error *fx_resolve_scope(struct fx_model *model,
	const char *text, const char **ret);

/* Evaluate an expression.  A node of which there is no value: NO_VALUE.  The
 * caller unrefs *RET.  CONDITION: = means ==.
 */
FX_NODISCARD struct fx_error *fx_resolve_expression(struct fx_session *session,
	struct fx_model *model, const char *text, bool condition,
	struct fx_datum **ret);

/* The same where $v is VALUE; NULL: there is no $v.  And as a condition. */
FX_NODISCARD struct fx_error *
fx_resolve_expression_of(struct fx_session *session, struct fx_model *model,
	struct fx_datum *value, const char *text, struct fx_datum **ret);
FX_NODISCARD struct fx_error *
fx_resolve_condition_of(struct fx_session *session, struct fx_model *model,
	struct fx_datum *value, const char *text, struct fx_datum **ret);

/* fx_session_is_over_limit says whether the last expression was refused (LIMIT)
 * because its result would be too large; fx_session_lift_limit lifts that limit
 * for later ones.
 */
bool fx_session_is_over_limit(const struct fx_session *session);
void fx_session_lift_limit(struct fx_session *session, bool is_lifted);

/* Evaluate TEXT as fx_resolve_expression does for a condition and set *RET to
 * whether the result is true.  *RET is false if TEXT asks for .-N where there
 * is no such node, as at the first nodes.
 */
FX_NODISCARD struct fx_error *fx_resolve_condition(struct fx_session *session,
	struct fx_model *model, const char *text, bool *ret);

/* Candidates that begin with PREFIX for completion: names of nodes, module
 * paths, parameters, functions of the evaluator.
 */
enum fx_complete_kind {
	FX_COMPLETE_NODES = 1,
	FX_COMPLETE_PATHS = 2,
	FX_COMPLETE_FUNCTIONS = 4,
	FX_COMPLETE_VARIABLES = 8,
	FX_COMPLETE_QUERY_WORDS = 16,
	FX_COMPLETE_MODULES = 32, /* paths but no tensors */
};
struct fx_completion {
	unsigned kinds; /* fx_complete_kind bits */
	const char *prefix;
	void (*offer)(void *context, const char *text);
	void *context;
};
void fx_resolve_complete(struct fx_session *session, struct fx_model *model,
	const struct fx_completion *completion);

/* fx_resolve_set without setting $_. */
FX_NODISCARD struct fx_error *fx_resolve_set_quietly(struct fx_session *session,
	struct fx_model *model, const char *text, size_t **positions_ret,
	size_t *count_ret);

/* The paths of modules that nodes of GRAPH came from, each once, interned: the
 * module tree does not have those of dumps.  For fx_vec_deinit.
 */
struct fx_scope_paths {
	const char **items;
	size_t count;
	size_t capacity;
};
void fx_resolve_scope_paths(struct fx_graph *graph, struct fx_scope_paths *ret);

#endif /* FX_SESSION_RESOLVE_H */

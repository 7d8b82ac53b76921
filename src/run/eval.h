/* eval.h - the one evaluator of expressions and queries.
 *
 * A tree of lang/ and a resolver, which says what names mean, give a datum or
 * a set of nodes.  Plain values follow Python (ir/fold), tensors go to the
 * resolver's backend.  Nothing here knows a session.
 */
#ifndef FX_RUN_EVAL_H
#define FX_RUN_EVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct fx_ast;
struct fx_backend;
struct fx_blob;
struct fx_datum;
struct fx_graph;
struct fx_node;
struct fx_query;
struct fx_safetensors;
struct fx_ticker;

/* What an expression may refer to.  Functions may be null: then nothing has
 * that form.  All results are new references.
 */
struct fx_resolver {
	void *context;
	struct fx_graph *graph;     /* may be NULL: no nodes, no paths */
	struct fx_backend *backend; /* required */
	const char *graph_name;     /* for messages; may be NULL */
	const char *scope; /* module paths are also looked up below it */
	/* Gets the state of the random generator before the expression draws
	 * from it (else it stays null), for the caller to put back; NULL: it
	 * goes on.
	 */
	struct fx_blob **random;
	/* Bytes that one call may make, 0: any; and *IS_OVER_LIMIT (or NULL) is
	 * set where one was refused for that.
	 */
	uint64_t limit;
	bool *is_over_limit;
	/* Set when .-N was before the first node; NULL: only an error. */
	bool *is_before_first;
	/* Asked while a long tensor is looked at and between the nodes of a
	 * nested graph; may be NULL.
	 */
	struct fx_ticker *ticker;

	/* The value of NODE; NO_VALUE says how to get it. */
	struct fx_error *(*value)(void *context, struct fx_node *node,
		struct fx_datum **ret);
	/* The node that the model's own name NAME stands for, or NULL. */
	struct fx_node *(*local)(void *context, const char *name);
	/* Position that `.` stands for. */
	struct fx_error *(*here)(void *context, size_t *position_ret);
	/* $name, $_, $v. */
	struct fx_error *(*variable)(void *context, const char *name,
		struct fx_datum **ret);
	/* $N; 0 the last, -1 the one before. */
	struct fx_error *(*history)(void *context, int64_t number,
		struct fx_datum **ret);

	/* The tensors of a file that the user's Python reads, AS the session
	 * says (capture.h).
	 */
	struct fx_error *(*read)(void *context, const char *path,
		const char *as, struct fx_safetensors **ret);

	/* Facts for queries. */
	bool (*is_tagged)(void *context, const struct fx_node *node);
	bool (*is_dirty)(void *context, const struct fx_node *node);
	bool (*is_nonfinite)(void *context, const struct fx_node *node);
	bool has_shapes_only; /* of what ran: it holds no values */
	const char *(*state)(void *context, const struct fx_node *node);
};

/* Evaluate the tree EXPR, parsed from TEXT (for carets).  *RET is new. */
FX_NODISCARD struct fx_error *fx_eval(const struct fx_resolver *resolver,
	const char *text, const struct fx_ast *expr, struct fx_datum **ret);

/* Parse TEXT and evaluate it.  CONDITION: = means ==. */
FX_NODISCARD struct fx_error *fx_eval_text(const struct fx_resolver *resolver,
	const char *text, bool condition, struct fx_datum **ret);

/* The nodes that QUERY, parsed from TEXT, selects: positions in graph order,
 * ascending; the caller frees *POSITIONS_RET.
 */
FX_NODISCARD struct fx_error *fx_eval_query(const struct fx_resolver *resolver,
	const char *text, const struct fx_query *query, size_t **positions_ret,
	size_t *count_ret);

/* The node that a designator tree (NODE, POSITION, HERE, NAME, VARIABLE)
 * means.
 */
FX_NODISCARD struct fx_error *fx_eval_node(const struct fx_resolver *resolver,
	const char *text, const struct fx_ast *expr, struct fx_node **ret);

/* The node named NAME, or NO_NODE with the nearest names. */
FX_NODISCARD struct fx_error *fx_eval_find(const struct fx_resolver *resolver,
	const char *name, struct fx_node **ret);

/* The words that a node answers to, its own before those of its value; NULL
 * past the end.
 */
const char *fx_eval_node_word_at(size_t index);

/* Functions that may be called by their bare name, for help and completion:
 * the INDEXth; false past the end.
 */
struct fx_function_info {
	const char *name;
	const char *signature;
	const char *help; /* one line, lower case, no full stop */
};
bool fx_eval_function_at(size_t index, struct fx_function_info *ret);
/* The one that NAME, without parentheses and perhaps misspelt ("has_nan"),
 * means; false when it is like none.
 */
bool fx_eval_function_near(const char *name, struct fx_function_info *ret);
/* Add a hint to ERR, which says that no node is called NAME: NAME may be
 * another library, or close to the name of a function.
 */
FX_NODISCARD struct fx_error *fx_eval_hint_function(struct fx_error *err,
	const char *name);

#endif /* FX_RUN_EVAL_H */

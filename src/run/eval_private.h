/* eval_private.h - what the files of the evaluator share.
 *
 * eval.c walks the tree, eval_operand.c says what names and paths are,
 * eval_value.c works on data (subscripts, attributes, operators), eval_call.c
 * calls, eval_function.c has the functions with bare names, eval_values.c those
 * that look at values, eval_file.c those that read files; eval_query.c prepares
 * queries, eval_test.c tests nodes, eval_match.c matches text.
 */
#ifndef FX_RUN_EVAL_PRIVATE_H
#define FX_RUN_EVAL_PRIVATE_H

#include "ir/graph.h"
#include "ir/module.h"
#include "lang/ast.h"
#include "run/datum.h"
#include "run/eval.h"

struct fx_call_site;

/* What an expression means before a value is needed. */
enum fx_operand_kind {
	FX_OPERAND_DATUM,    /* datum */
	FX_OPERAND_NODE,     /* node: the node itself */
	FX_OPERAND_PATH,     /* text: a module path below the root */
	FX_OPERAND_FUNCTION, /* text: torch, torch.nn.functional.relu */
};

struct fx_operand {
	enum fx_operand_kind kind;
	struct fx_datum *datum; /* owned */
	struct fx_node *node;
	const char *text; /* interned */
};

void fx_operand_deinit(struct fx_operand *operand);
FX_DEFINE_DEINIT(operand, struct fx_operand, fx_operand_deinit);
#define FX_AUTO_OPERAND FX_AUTO(operand)

struct fx_evaluator {
	const struct fx_resolver *resolver;
	const char *text;       /* what trees were parsed from */
	struct fx_arena *arena; /* scratch, for the whole evaluation */
	int depth;
};

/* Arguments not evaluated yet. */
struct fx_trees {
	struct fx_ast *const *items;
	size_t count;
};

/* eval.c */
FX_NODISCARD struct fx_error *fx_eval_operand(struct fx_evaluator *evaluator,
	const struct fx_ast *tree, struct fx_operand *ret);
FX_NODISCARD struct fx_error *fx_eval_datum(struct fx_evaluator *evaluator,
	const struct fx_ast *tree, struct fx_datum **ret);

/* eval_operand.c */
FX_NODISCARD struct fx_error *fx_operand_of_name(struct fx_evaluator *evaluator,
	const char *name, struct fx_operand *ret);
/* NAME and the STEPS after it: the longest path, else what NAME alone is;
 * *TAKEN_RET says how many steps belong to it.
 */
struct fx_chain {
	const char *const *steps; /* interned */
	size_t count;
};
FX_NODISCARD struct fx_error *
fx_operand_of_chain(struct fx_evaluator *evaluator, const char *name,
	const struct fx_chain *chain, struct fx_operand *ret,
	size_t *taken_ret);
FX_NODISCARD struct fx_error *
fx_operand_designator(struct fx_evaluator *evaluator, const struct fx_ast *tree,
	struct fx_operand *ret);
FX_NODISCARD struct fx_error *fx_operand_step(struct fx_evaluator *evaluator,
	struct fx_operand *base, const char *step, struct fx_operand *ret);
/* The value of OPERAND. */
FX_NODISCARD struct fx_error *fx_operand_force(struct fx_evaluator *evaluator,
	const struct fx_operand *operand, struct fx_datum **ret);
/* The node that OPERAND is, or NULL. */
struct fx_node *fx_operand_node(struct fx_evaluator *evaluator,
	const struct fx_operand *operand);
/* Whether something stands at PATH below the root or below the scope; the
 * whole path, interned, or NULL.
 */
const char *fx_operand_find_path(struct fx_evaluator *evaluator,
	const char *path);

/* eval_node.c: what the node itself answers to WORD, or NULL. */
struct fx_datum *fx_eval_node_word(const struct fx_node *node,
	const char *word);
/* Whether WORD names a property of a tensor that the tensor's metadata answers.
 */
bool fx_eval_is_value_word(const char *word);
/* ERR, that nothing is called STEP there, with what is nearly called so: in the
 * module at PATH (may be NULL), and OF_NODE of the node itself and its value.
 */
FX_NODISCARD struct fx_error *fx_eval_note_nearest(struct fx_error *err_taken,
	struct fx_graph *graph, const char *path, const char *step,
	bool of_node);

/* eval_value.c: the ids of the node or the set of nodes that DATUM is,
 * borrowed; NULL for others.
 */
const uint64_t *fx_eval_ids(const struct fx_datum *datum, size_t *count_ret);
FX_NODISCARD struct fx_error *fx_eval_binary(struct fx_evaluator *evaluator,
	enum fx_ast_op op, struct fx_datum *left, struct fx_datum *right,
	struct fx_datum **ret);
FX_NODISCARD struct fx_error *fx_eval_unary(struct fx_evaluator *evaluator,
	enum fx_ast_op op, struct fx_datum *value, struct fx_datum **ret);
FX_NODISCARD struct fx_error *fx_eval_subscript(struct fx_evaluator *evaluator,
	struct fx_datum *value, struct fx_datum *index, struct fx_datum **ret);
FX_NODISCARD struct fx_error *fx_eval_attribute(struct fx_evaluator *evaluator,
	struct fx_datum *value, const char *name, struct fx_datum **ret);

/* eval_call.c */
struct fx_eval_arguments {
	struct fx_datum **data; /* owned: positional, then keywords */
	size_t count;
	const char **keywords;
	size_t keyword_count;
};
FX_NODISCARD struct fx_error *fx_eval_call(struct fx_evaluator *evaluator,
	const struct fx_ast *tree, struct fx_operand *ret);
/* Call TARGET through the backend. */
FX_NODISCARD struct fx_error *fx_eval_backend(struct fx_evaluator *evaluator,
	enum fx_opcode opcode, const char *target,
	const struct fx_eval_arguments *arguments, struct fx_datum **ret);

/* eval_cost.c: LIMIT when a call of SITE would make or look at more than the
 * resolver allows.
 */
FX_NODISCARD struct fx_error *
fx_eval_check_cost(const struct fx_evaluator *evaluator,
	const struct fx_call_site *site,
	const struct fx_eval_arguments *arguments);

/* eval_function.c: a function with a bare name; *FOUND_RET false, without an
 * error, when NAME is none.
 */
FX_NODISCARD struct fx_error *fx_eval_function(struct fx_evaluator *evaluator,
	const struct fx_ast *call, bool *found_ret, struct fx_datum **ret);

/* eval_values.c and eval_plain.c: functions of values; those "of known" values
 * give null, without an error, where another function of that name is meant.
 */
FX_NODISCARD struct fx_error *fx_eval_compare(struct fx_evaluator *evaluator,
	const struct fx_ast *call, struct fx_datum **ret);
FX_NODISCARD struct fx_error *fx_eval_stats(struct fx_evaluator *evaluator,
	const struct fx_ast *call, struct fx_datum **ret);
/* hasnan, hasinf, allfinite: of all tensors and numbers in a value. */
FX_NODISCARD struct fx_error *fx_eval_predicate(struct fx_evaluator *evaluator,
	const struct fx_ast *call, struct fx_datum **ret);
/* isnan, isinf, isfinite of a number; of anything else they are torch's. */
FX_NODISCARD struct fx_error *
fx_eval_test_number(struct fx_evaluator *evaluator, const struct fx_ast *call,
	struct fx_datum **ret);
FX_NODISCARD struct fx_error *
fx_eval_stats_of_known(struct fx_evaluator *evaluator,
	const struct fx_ast *call, struct fx_datum **ret);
FX_NODISCARD struct fx_error *
fx_eval_item_of_known(struct fx_evaluator *evaluator, const struct fx_ast *call,
	struct fx_datum **ret);
/* A method of TENSOR that gives plain values, item or tolist; else null. */
FX_NODISCARD struct fx_error *
fx_eval_plain_method(const struct fx_datum *tensor, const char *name,
	struct fx_datum **ret);

/* eval_file.c */
FX_NODISCARD struct fx_error *fx_eval_file(struct fx_evaluator *evaluator,
	const struct fx_ast *call, struct fx_datum **ret);
FX_NODISCARD struct fx_error *fx_eval_image(struct fx_evaluator *evaluator,
	const struct fx_ast *call, struct fx_datum **ret);

/* eval_query.c: the nodes of a QUERY tree as a set. */
FX_NODISCARD struct fx_error *fx_eval_set(struct fx_evaluator *evaluator,
	const struct fx_ast *tree, struct fx_datum **ret);

/* eval_reach.c: the node that TREE means; the nodes that up, down, path,
 * users, inputs give, as positions; positions as a set.
 */
FX_NODISCARD struct fx_error *fx_eval_one_node(struct fx_evaluator *evaluator,
	const struct fx_ast *tree, struct fx_node **ret);
FX_NODISCARD struct fx_error *fx_eval_reach(struct fx_evaluator *evaluator,
	const char *function, const struct fx_trees *arguments,
	size_t **positions_ret, size_t *count_ret);
struct fx_datum *fx_eval_positions(struct fx_evaluator *evaluator,
	const size_t *positions, size_t count);

/* eval_match.c: a word, glob or regular expression, prepared. */
struct fx_matcher;
FX_NODISCARD struct fx_error *fx_matcher_new(const struct fx_query *query,
	struct fx_matcher **ret);
void fx_matcher_free(struct fx_matcher *matcher);
bool fx_matcher_test(const struct fx_matcher *matcher, const char *text);
/* Whether the result META has the shape that the list tree PATTERN says. */
bool fx_match_shape(const struct fx_ast *pattern, const struct fx_value *meta);

#endif /* FX_RUN_EVAL_PRIVATE_H */

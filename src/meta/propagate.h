/* propagate.h - shapes and dtypes through a graph, without data.
 *
 * Each node's result follows from those of its inputs by the shape rule of its
 * operation (rules.h), by the expansion of its layer (ir/decompose), or by
 * Python's arithmetic (ir/fold).  What cannot be known is UNKNOWN and says why;
 * what is impossible is a failure of that node alone, and what depends on it is
 * unknown.
 */
#ifndef FX_META_PROPAGATE_H
#define FX_META_PROPAGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "ir/node.h"
#include "ops/optab.h"

struct fx_expander;
struct fx_tensor;

/* What is kept between calls: the expansions of layers.  One serves any number
 * of graphs and outlives them.
 */
struct fx_meta;
struct fx_meta *fx_meta_new(void);
void fx_meta_free(struct fx_meta *meta);
FX_DEFINE_CLEANUP(meta, struct fx_meta, fx_meta_free);
#define FX_AUTO_META FX_AUTO(meta)

/* Its expansions. */
struct fx_expander *fx_meta_expander(struct fx_meta *meta);

/* What is given for NODE when no rule tells its result: a comment of the file
 * it came from.  NULL: nothing.
 */
typedef const struct fx_value *fx_meta_given_fn(void *context,
	const struct fx_node *node);
/* Ask GIVEN while propagating and updating, from now on; null asks nobody. */
void fx_meta_set_given(struct fx_meta *meta, fx_meta_given_fn *given,
	void *context);

/* While IS_STRICT, a cond whose branches give results of other shapes is an
 * error, and so are a while_loop whose body gives something else than it is
 * carried, or whose condition gives no single bool, where all of that is known.
 */
void fx_meta_set_strict(struct fx_meta *meta, bool is_strict);

/* A call whose arguments are metadata: TENSOR, SYMBOL, UNKNOWN or plain values.
 */
struct fx_meta_call {
	enum fx_opcode opcode;  /* CALL_FUNCTION, CALL_METHOD, CALL_MODULE */
	const char *target;     /* interned */
	enum fx_op op;          /* or FX_OP_NONE: looked up by TARGET */
	struct fx_graph *graph; /* whose modules TARGET names; may be NULL
				 * unless CALL_MODULE */
	const struct fx_node *node; /* whose call it is, or NULL */
	struct fx_value args;   /* TUPLE; a method's receiver is the first */
	struct fx_value kwargs; /* DICT or NONE */
	bool lacks_input;       /* the caller knows why a result is UNKNOWN */
};

/* What CALL gives, in ARENA.  SHAPE, TYPE, VALUE, RANGE when torch or Python
 * would refuse.  A result that cannot be known is UNKNOWN with a reason.
 */
FX_NODISCARD struct fx_error *fx_meta_eval(struct fx_meta *meta,
	struct fx_arena *arena, const struct fx_meta_call *call,
	struct fx_value *ret);

/* The metadata of a parameter or buffer, in ARENA. */
struct fx_value fx_meta_of_tensor(struct fx_arena *arena,
	const struct fx_tensor *tensor);

struct fx_meta_failure {
	uint64_t node;          /* id */
	struct fx_error *error; /* owned by the report */
};

/* Note in CONDITIONS what symbolic sizes have to fulfil, while propagating and
 * updating, from now on; null: nowhere.  What only a branch of a cond or a turn
 * of a while_loop needs is not noted.
 */
struct fx_size_conditions;
void fx_meta_set_conditions(struct fx_meta *meta,
	struct fx_size_conditions *conditions);

struct fx_meta_report {
	size_t known;                     /* nodes whose result is known */
	size_t unknown;                   /* nodes whose result is not */
	size_t changed;                   /* nodes whose metadata is new */
	struct fx_meta_failure *failures; /* in graph order */
	size_t failure_count;
	size_t failure_capacity;
};

/* All zero is empty. */
void fx_meta_report_deinit(struct fx_meta_report *report);
FX_DEFINE_DEINIT(meta_report, struct fx_meta_report, fx_meta_report_deinit);
#define FX_AUTO_META_REPORT FX_AUTO(meta_report)

/* Compute the metadata of every node of GRAPH from its placeholders, whose
 * metadata are set before.  A placeholder without metadata has that of its
 * default, else it is unknown.  With KEEP, a node whose result no rule tells
 * keeps the metadata it had (from a comment of the file it came from); but if
 * META has a function that gives metadata, only that function is asked.  META
 * may be NULL.
 */
void fx_meta_propagate(struct fx_meta *meta, struct fx_graph *graph, bool keep,
	struct fx_meta_report *report);

/* Compute again the COUNT nodes with IDS (absent ones are skipped) and, where
 * results changed, what depends on them.
 */
void fx_meta_update(struct fx_meta *meta, struct fx_graph *graph,
	const uint64_t *ids, size_t count, struct fx_meta_report *report);

#endif /* FX_META_PROPAGATE_H */

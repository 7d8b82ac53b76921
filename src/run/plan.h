/* plan.h - a node prepared for a backend: its arguments as slots, constants
 * converted once, its operation resolved.
 *
 * Plans are kept per node; who edits a node drops its plan.  When the kinds of
 * its inputs change, the operation is resolved again.  A layer or composite
 * function that the backend cannot run as one is run as its expansion, and a
 * module that owns a graph as that graph.  Plans hold nothing of the graph's
 * arenas, so these may be compacted.
 */
#ifndef FX_RUN_PLAN_H
#define FX_RUN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"

struct fx_backend;
struct fx_blob;
struct fx_call_site;
struct fx_datum;
struct fx_env;
struct fx_graph;
struct fx_node;
struct fx_observer;
struct fx_plan;
struct fx_ticker;
struct fx_value;

typedef struct fx_datum *fx_given_fn(void *owner, const struct fx_node *node);

/* Who wants to know of calls with an effect before they happen, also of those
 * inside expansions and nested graphs: that write the data whose bits are set
 * in WRITES, or that MAY_DRAW random numbers.
 */
struct fx_plan_watch {
	void *context;
	struct fx_error *(*before)(void *context, struct fx_datum *const *data,
		uint64_t writes, bool may_draw);
	/* Called instead of `before`, and after the call, if the call gave the
	 * storage of TENSOR other memory: BYTES_TAKEN are the former contents
	 * of the storage.
	 */
	void (*kept)(void *context, struct fx_datum *tensor,
		struct fx_blob *bytes_taken);
	/* Whether nobody needs the contents of TENSOR, so that a call may write
	 * TENSOR where it lies; may be null.
	 */
	bool (*may_lose)(void *context, const struct fx_datum *tensor);
	/* What a node of a nested graph is to have instead of running,
	 * borrowed, or NULL; may be null.
	 */
	fx_given_fn *given;
	/* The DATA with a bit in WRITES are about to be written; may be null.
	 */
	void (*protect)(void *owner, struct fx_datum *const *data,
		uint64_t writes);
	void *owner;
	/* Asked of the nodes of what is expanded, and of nested graphs that run
	 * as one node; borrowed, may be null.
	 */
	const struct fx_observer *inside;
};

struct fx_plans {
	const struct fx_plan_watch *watch; /* borrowed; may be NULL */
	struct fx_backend *backend;        /* borrowed */
	struct fx_plan **by_node; /* by the low half of the node's id */
	size_t capacity;
	int depth; /* nested graphs above this one */
	/* Asked between the nodes of those below; borrowed, may be NULL. */
	struct fx_ticker *ticker;
};

void fx_plans_init(struct fx_plans *plans, struct fx_backend *backend);
void fx_plans_deinit(struct fx_plans *plans);
FX_DEFINE_DEINIT(plans, struct fx_plans, fx_plans_deinit);
#define FX_AUTO_PLANS FX_AUTO(plans)

/* Run NODE (a call_function, call_method or call_module) with the values of
 * its inputs in ENV.  *RET is new.  NO_VALUE when an input has none.
 */
FX_NODISCARD struct fx_error *fx_plans_call(struct fx_plans *plans,
	const struct fx_env *env, struct fx_node *node, struct fx_datum **ret);

/* Run SITE once on its DATA, also where it is a layer or a composite function,
 * as PLANS, which keep nothing of it, are watched and ticked.  *RET is new.
 */
FX_NODISCARD struct fx_error *fx_plans_call_once(struct fx_plans *plans,
	const struct fx_call_site *site, struct fx_datum **data,
	struct fx_datum **ret);

/* What NODE, which is run as a graph, is made of: a graph, and what its
 * placeholders get.
 */
struct fx_opened {
	struct fx_graph *graph;   /* NULL: NODE is one operation */
	struct fx_datum **inputs; /* referenced; a null one is not given */
	size_t count;
	/* Of each input: the parameter or buffer of the module that it is, or
	 * NULL; interned.
	 */
	const char **members;
	bool is_nested; /* a graph that the user sees, not an expansion */
	size_t turn;    /* of a while_loop, from 1; else 0 */
	size_t carried; /* inputs that come from the turn before */
};
void fx_opened_deinit(struct fx_opened *opened);
/* Which of its graphs a cond or while_loop is opened at (NULL: the branch that
 * is taken, the body), and in which turn (0: the last).
 */
struct fx_entry {
	const struct fx_graph *graph;
	size_t turn;
};
/* Open NODE with the values of its inputs in ENV.  A layer is opened though the
 * backend runs it as one, a while_loop after the turns before.  The graph stays
 * the expander's, or the module's.  NOT_RUN: it does not come to ENTRY.
 */
FX_NODISCARD struct fx_error *fx_plans_open(struct fx_plans *plans,
	const struct fx_env *env, struct fx_node *node,
	const struct fx_entry *entry, struct fx_opened *ret);

/* VALUE with its nodes replaced by their data in ENV, as a new datum.
 * NO_VALUE when one has none.
 */
FX_NODISCARD struct fx_error *fx_plan_argument(const struct fx_env *env,
	const struct fx_value *value, struct fx_datum **ret);

/* Forget the plan of the node with ID; all plans. */
void fx_plans_drop(struct fx_plans *plans, uint64_t id);
void fx_plans_clear(struct fx_plans *plans);

#endif /* FX_RUN_PLAN_H */

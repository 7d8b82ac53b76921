/* plan_private.h - a node prepared for a backend, and one call of it. */
#ifndef FX_RUN_PLAN_PRIVATE_H
#define FX_RUN_PLAN_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "run/datum.h"
#include "run/plan.h"

struct fx_decomposition;
struct fx_graph;
struct fx_kind;
struct fx_module;
struct fx_slot;
struct fx_tensor;

/* One piece of memory: the slots, kinds and keywords stand behind it. */
struct fx_plan {
	struct fx_slot *slots; /* positional, then keywords */
	size_t count;
	const char **keywords;
	size_t keyword_count;
	struct fx_kind *kinds; /* what it is resolved for */
	void *backend_plan;    /* NULL: not resolved, or expanded */
	uint64_t writes;       /* which data a call of backend_plan writes */
	bool may_draw;
	bool is_expanded;
	bool is_control; /* a cond or while_loop */
	/* While the kinds are the same, its arguments differ in nothing that
	 * an expansion depends on.
	 */
	bool is_fixed;
	/* The decomposition that the call last expanded to, or NULL; its
	 * expander owns it.  VERSION is the version of the graph at that time,
	 * and INNER has the plans of the decomposition's nodes.
	 */
	const struct fx_decomposition *fragment;
	uint64_t version;
	struct fx_plans *inner;
	/* The parameters that its inputs were last, by input; or NULL. */
	struct fx_plan_member *members;
	size_t member_count;
};

struct fx_plan_member {
	const struct fx_tensor *tensor; /* NULL: none yet */
	const struct fx_blob *blob;
	unsigned run;           /* of the backend */
	struct fx_datum *datum; /* referenced */
};

/* Forget the parameters of PLAN's fragment. */
void fx_plan_drop_members(struct fx_plan *plan);

struct fx_plan_call {
	struct fx_plans *plans;
	struct fx_plan *plan;
	const struct fx_node *node;
	struct fx_datum **data; /* plan->count of them */
};

/* Tell WATCH, unless it is null, what a call of BACKEND_PLAN writes beside its
 * data.
 */
FX_NODISCARD struct fx_error *
fx_plan_tell_others(const struct fx_plan_watch *watch,
	const struct fx_backend *backend, const void *backend_plan);

/* Whether NODE may have an expansion: of methods, those that functionals.py
 * knows.
 */
bool fx_plan_may_decompose(const struct fx_node *node);

/* plan_decompose.c: what is no operation of the backend: the fragment that
 * CALL's layer (MODULE) or function expands to; the GRAPH that its module owns.
 */
FX_NODISCARD struct fx_error *
fx_plan_decomposed(const struct fx_plan_call *call, struct fx_module *module,
	struct fx_datum **ret);
FX_NODISCARD struct fx_error *fx_plan_nested(const struct fx_plan_call *call,
	struct fx_graph *graph, struct fx_datum **ret);

/* control.c: CALL's node is a cond or while_loop: its graphs run here, as one
 * node.
 */
FX_NODISCARD struct fx_error *fx_plan_control(const struct fx_plan_call *call,
	struct fx_datum **ret);

#endif /* FX_RUN_PLAN_PRIVATE_H */

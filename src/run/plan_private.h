/* plan_private.h - a node prepared for a backend, and one call of it. */
#ifndef FX_RUN_PLAN_PRIVATE_H
#define FX_RUN_PLAN_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "run/datum.h"
#include "run/env.h"
#include "run/plan.h"

struct fx_decomposition;
struct fx_graph;
struct fx_kind;
struct fx_module;
struct fx_tensor;

/* plan_slot.c: an argument: a constant, a node's value, or a container of such,
 * which is built at each call.
 */
enum fx_slot_kind {
	FX_SLOT_CONSTANT,
	FX_SLOT_NODE,
	FX_SLOT_BUILD,
};

struct fx_slot {
	enum fx_slot_kind kind;
	enum fx_value_kind build; /* BUILD: of what kind */
	uint16_t class_number;    /* BUILD: of ir/value_class.h */
	size_t count;             /* BUILD: slots, for a dict two a pair */
	union {
		struct fx_datum *constant;
		uint64_t id;
		struct fx_slot *slots;
	};
	const char *name; /* NODE: for messages, interned */
};

void fx_slot_init(struct fx_slot *slot, const struct fx_value *value);
void fx_slot_deinit(struct fx_slot *slot);
FX_NODISCARD struct fx_error *fx_slot_make(const struct fx_slot *slot,
	const struct fx_env *env, struct fx_datum **ret);

/* Most often a node that has a value. */
static inline struct fx_error *
fx_slot_fill(const struct fx_slot *slot, const struct fx_env *env,
	struct fx_datum **ret)
{
	struct fx_datum *datum = NULL;

	if (slot->kind == FX_SLOT_NODE)
		datum = fx_env_get(env, slot->id);
	if (!datum)
		return fx_slot_make(slot, env, ret);
	*ret = fx_datum_ref(datum);
	return NULL;
}

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
	bool is_control; /* a higher-order operator that runs graphs */
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

/* plan_decompose.c: what CALL's node is made of (fx_plans_open); RET is GRAPH,
 * which is given COUNT DATA.
 */
FX_NODISCARD struct fx_error *fx_plan_open(const struct fx_plan_call *call,
	struct fx_opened *ret);
void fx_opened_fill(struct fx_opened *ret, struct fx_graph *graph,
	struct fx_datum *const *data, size_t count);

/* control.c: CALL's node is an operator that runs graphs, here as one node.
 */
FX_NODISCARD struct fx_error *fx_plan_control(const struct fx_plan_call *call,
	struct fx_datum **ret);
/* One of these graphs, and what it is given. */
FX_NODISCARD struct fx_error *
fx_plan_open_control(const struct fx_plan_call *call,
	const struct fx_entry *entry, struct fx_opened *ret);

#endif /* FX_RUN_PLAN_PRIVATE_H */

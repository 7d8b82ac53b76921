/* plan.h - a node prepared for a backend: its arguments as slots, constants
 * converted once, its operation resolved.
 *
 * Plans are kept per node and dropped when its arguments change (the
 * arguments' storage is compared) or the kinds of its inputs do.
 */
#ifndef FX_RUN_PLAN_H
#define FX_RUN_PLAN_H

#include <stddef.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/map.h"

struct fx_backend;
struct fx_datum;
struct fx_env;
struct fx_node;

struct fx_plans {
	struct fx_backend *backend; /* borrowed */
	struct fx_map by_node;      /* node id -> struct plan * */
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

/* VALUE with its nodes replaced by their data in ENV, as a new datum.
 * NO_VALUE when one has none.
 */
struct fx_value;
FX_NODISCARD struct fx_error *fx_plan_argument(const struct fx_env *env,
	const struct fx_value *value, struct fx_datum **ret);

/* Forget the plan of the node with ID. */
void fx_plans_drop(struct fx_plans *plans, unsigned long long id);

#endif /* FX_RUN_PLAN_H */

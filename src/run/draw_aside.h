/* draw_aside.h - what a node draws, without the node.
 *
 * A node whose value is set does not run, and what others draw behind it must
 * be what they draw without that: the generator is moved as the node moves it.
 */
#ifndef FX_RUN_DRAW_ASIDE_H
#define FX_RUN_DRAW_ASIDE_H

#include <stdbool.h>

struct fx_backend;
struct fx_env;
struct fx_node;
struct fx_plans;

/* Whether that can be done for NODE, and it is known to draw. */
bool fx_draws_aside(const struct fx_backend *backend,
	const struct fx_node *node);

/* Run NODE on the values of ENV, and take all back but the generator's state,
 * of which the watch of PLANS is told.  One that fails leaves that as well.
 */
void fx_draw_aside(struct fx_plans *plans, const struct fx_env *env,
	struct fx_node *node);

#endif /* FX_RUN_DRAW_ASIDE_H */

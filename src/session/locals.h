/* locals.h - the model's own names at the stop: what its source calls a value.
 *
 * `y = self.act(self.fc1(x))` names what the last node of that line gives.
 * Which names there are is read from the lines that a trace kept.
 */
#ifndef FX_SESSION_LOCALS_H
#define FX_SESSION_LOCALS_H

#include "base/error.h"
#include "base/vec.h"

struct fx_model;
struct fx_node;
struct fx_session;

struct fx_local {
	const char *name; /* interned */
	struct fx_node *node;
};
struct fx_locals {
	FX_VEC(struct fx_local) list; /* in the order they were assigned last */
	const char
		*function; /* whose they are; interned, NULL without a stop */
	const char *file;
};

/* Those of the function that the stop stands in, or that frame selected,
 * assigned before the stop; for fx_vec_deinit of the list.
 */
void fx_position_locals(const struct fx_model *model, struct fx_locals *ret);
/* The node that NAME stands for, or NULL. */
struct fx_node *fx_position_local(const struct fx_model *model,
	const char *name);

/* As fx_resolve_node, of a command that only looks at the node: TEXT may be one
 * of these names.
 */
FX_NODISCARD struct fx_error *fx_locals_resolve(struct fx_session *session,
	struct fx_model *model, const char *text, struct fx_node **ret);

#endif /* FX_SESSION_LOCALS_H */

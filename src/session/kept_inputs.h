/* kept_inputs.h - what a model's placeholders are given, kept to be given
 * again.
 *
 * It is given back where execution has ended.
 */
#ifndef FX_SESSION_KEPT_INPUTS_H
#define FX_SESSION_KEPT_INPUTS_H

#include "session/session_private.h"

struct fx_kept_input {
	struct fx_input input; /* DATUM is NULL: nothing was given ... */
	char *shape;           /* ... and the placeholder had this one */
};
struct fx_kept_inputs {
	FX_VEC(struct fx_kept_input) items;
};
void fx_kept_inputs_take(struct fx_kept_inputs *kept,
	const struct fx_model *model);
/* Whether they are what MODEL's placeholders are given now. */
bool fx_kept_inputs_are_given(const struct fx_kept_inputs *kept,
	const struct fx_model *model);
void fx_kept_inputs_give(const struct fx_kept_inputs *kept,
	struct fx_model *model);
void fx_kept_inputs_deinit(struct fx_kept_inputs *kept);

/* input.c: the metadata of NODE, a placeholder, is META, and shapes follow. */
void fx_model_set_input_meta(struct fx_model *model, struct fx_node *node,
	const struct fx_value *meta);

#endif /* FX_SESSION_KEPT_INPUTS_H */

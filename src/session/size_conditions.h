/* size_conditions.h - what the symbolic sizes of a model's inputs have to
 * fulfil, as the last propagation with symbols found.
 */
#ifndef FX_SESSION_SIZE_CONDITIONS_H
#define FX_SESSION_SIZE_CONDITIONS_H

#include <stdint.h>

struct fx_kept_conditions;
struct fx_model;
struct fx_size_conditions;

/* The conditions of MODEL's graph, solved, borrowed; NULL while no input has a
 * symbolic size.
 */
const struct fx_size_conditions *
fx_model_size_conditions(const struct fx_model *model);

/* Keep CONDITIONS, which is taken, if an input has a symbolic size.  Else those
 * of before stay, for fx_model_broken_condition.
 */
void fx_model_keep_conditions(struct fx_model *model,
	struct fx_size_conditions *conditions_taken);
void fx_kept_conditions_free(struct fx_kept_conditions *kept);

/* Which condition of the node with ID the sizes break that inputs have now:
 * "needs K = 4, not K = 5"; the caller's, or NULL.
 */
char *fx_model_broken_condition(const struct fx_model *model, uint64_t id);

#endif /* FX_SESSION_SIZE_CONDITIONS_H */

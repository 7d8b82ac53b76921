/* size_conditions.h - what symbolic sizes have to fulfil for a graph to run.
 *
 * Where an operation needs two sizes to be equal and neither can be told from
 * their expressions, the shape rule goes on as if they were and notes the
 * equation here, for the node that is being propagated.  Solving says what the
 * equations tell of single names, and which of them contradict.
 */
#ifndef FX_META_SIZE_CONDITIONS_H
#define FX_META_SIZE_CONDITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "ir/size_equation.h"
#include "ir/value.h"

struct fx_buf;

struct fx_size_condition {
	uint64_t node;        /* id of the node that needs it */
	const char *why;      /* "linear: inner dimensions" */
	struct fx_value left; /* as the operation needs it */
	struct fx_value right;

	/* Set by solving: both sides with what earlier conditions say of their
	 * names put in, what that tells, and, of a NEVER, the condition that
	 * it contradicts; NULL if it alone cannot be.
	 */
	struct fx_value sides[2];
	struct fx_size_fact fact;
	const struct fx_size_condition *against;
};

struct fx_size_conditions {
	struct fx_arena *arena;
	uint64_t node; /* that is being propagated */
	bool is_full;  /* there were more than are kept */
	FX_VEC(struct fx_size_condition) items;
};

struct fx_size_conditions *fx_size_conditions_new(void);
void fx_size_conditions_free(struct fx_size_conditions *conditions);
FX_DEFINE_CLEANUP(size_conditions, struct fx_size_conditions,
	fx_size_conditions_free);
#define FX_AUTO_SIZE_CONDITIONS FX_AUTO(size_conditions)

/* Note that the node needs LEFT = RIGHT, unless an earlier one does. */
void fx_size_conditions_add(struct fx_size_conditions *conditions,
	const char *why, struct fx_value left, struct fx_value right);

/* Set what solving sets.  Conditions that follow from others become ALWAYS. */
void fx_size_conditions_solve(struct fx_size_conditions *conditions);

/* Append what CONDITION says: the fact if it was solved, else both sides. */
void fx_size_condition_print(struct fx_buf *out,
	const struct fx_size_condition *condition);

#endif /* FX_META_SIZE_CONDITIONS_H */

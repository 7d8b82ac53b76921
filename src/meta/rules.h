/* rules.h - one shape rule per family of operations.
 *
 * A rule gets the arguments of a call bound to the signature of its row
 * (ops.def) and answers with the metadata of the result.  A tensor whose rank
 * is not known gives UNKNOWN or a tensor of which only the dtype is known;
 * sizes may be symbols throughout.  What torch refuses is SHAPE (sizes),
 * TYPE, VALUE or RANGE, worded with both shapes.  Rules are checked against
 * torch by tests/parity/shapes.py.
 */
#ifndef FX_META_RULES_H
#define FX_META_RULES_H

#include "base/error.h"
#include "ir/value.h"
#include "ops/optab.h"

struct fx_signature;
struct fx_size_conditions;

/* A rule reads its arguments through the functions of shape.h and leaves
 * RESULT, or an error.
 */
struct fx_shape_call {
	struct fx_arena *arena; /* for the result */
	enum fx_op op;
	const char *name; /* as the node spells it, without its module:
			   * "min", "max_pool2d" */
	const struct fx_signature *signature;
	const struct fx_value *bound; /* one a parameter of the signature */
	bool needs_no_reason; /* the caller says himself why it is UNKNOWN */
	struct fx_size_conditions *conditions; /* to note them in, or NULL */

	struct fx_value result; /* UNKNOWN with a reason until a rule says */
	struct fx_error *error; /* what torch would refuse; owned */
};

typedef void fx_shape_rule(struct fx_shape_call *call);

/* Every rule that a row names is declared here, so a missing one does not
 * link.
 */
#define FX_OP(id, spelling, aliases, family, signature, traits, shape) \
	fx_shape_rule fx_shape_##shape;
#include "ops/ops.def"

/* The rule of OP; operations without a row have fx_shape_none. */
fx_shape_rule *fx_shape_rule_of(enum fx_op op);

#endif /* FX_META_RULES_H */

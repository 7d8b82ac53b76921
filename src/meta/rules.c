/* rules.c - which rule each operation has. */
#include <config.h>

#include "meta/rules.h"

#include "base/compiler.h"

static fx_shape_rule *const rules[] = {
	[FX_OP_NONE] = fx_shape_none,
#define FX_OP(id, spelling, aliases, family, signature, traits, shape) \
	[FX_OP_##id] = fx_shape_##shape,
#include "ops/ops.def"
};

_Static_assert(FX_ARRAY_LEN(rules) == FX_OP_COUNT, "every op has a rule");

fx_shape_rule *
fx_shape_rule_of(enum fx_op op)
{
	return rules[(unsigned)op < FX_OP_COUNT ? op : FX_OP_NONE];
}

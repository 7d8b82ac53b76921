/* optab.h - what is known about operations, by number and by name.
 *
 * Functions are looked up by their qualified name as torch.fx prints it
 * (torch.nn.functional.relu, operator.add, torch.ops.aten.add.Tensor,
 * builtins.getattr), methods as "Tensor.<name>".  An operation without a row
 * is still a valid target: it is FX_OP_NONE, assumed impure, of unknown shape.
 */
#ifndef FX_OPS_OPTAB_H
#define FX_OPS_OPTAB_H

#include <stdbool.h>

#include "ops/opcode.h"

enum fx_op {
	FX_OP_NONE,
#define FX_OP(id, spelling, aliases, family, signature, traits, shape) \
	FX_OP_##id,
#include "ops/ops.def"
	FX_OP_COUNT
};

enum fx_op_trait {
	FX_OP_PURE = 1,        /* result depends on arguments only, no effect */
	FX_OP_COMMUTES = 2,    /* first two arguments may change places */
	FX_OP_MUTATES = 4,     /* writes its first argument; what a keyword
				* such as out asks for: ir/side_effects.c */
	FX_OP_RANDOM = 8,      /* draws from the generator */
	FX_OP_ASSERTS = 16,    /* kept for its check */
	FX_OP_VIEW = 32,       /* the result may share storage with the first
				* argument */
	FX_OP_EFFECT = 64,     /* does something else (print) */
	FX_OP_DATA = 128,      /* result's shape depends on values */
	FX_OP_MATRICES = 256,  /* multiplies its first two arguments */
	FX_OP_MARKS = 512,     /* a mark for a profiler */
	FX_OP_WORLD = 1024,    /* reads or writes files (world.h) */
	FX_OP_BRANCHES = 2048, /* runs one of two graphs (ir/control.h) ... */
	FX_OP_LOOPS = 4096,    /* ... or two of them, over and over */
	FX_OP_DROPS = 8192,    /* gives its first argument itself unless it
				* trains */
	FX_OP_IDEMPOTENT = 16384, /* once more gives the same, to the bit */
	FX_OP_INVOLUTION = 32768, /* once more gives the first argument */
	FX_OP_FILLS = 65536,  /* with a number it is given: an infinity is meant
			       */
	FX_OP_KEPT = 131072,  /* torch.fx 2.x keeps the function unused too */
	FX_OP_FUSED = 262144, /* backends have one kernel, which rounds
			       * otherwise than the operators that it is made
			       * of */
	FX_OP_TELLS_NAN = 524288,  /* does otherwise with NaN or infinities */
	FX_OP_CASTS = 1048576,     /* gives its first argument in another dtype,
				    * or elsewhere */
	FX_OP_BOUNDED = 2097152,   /* of finite numbers, in their dtype, come
				    * finite ones */
	FX_OP_SAMPLES = 4194304,   /* gives what it drew and nothing else */
	FX_OP_LONE_VIEW = 8388608, /* VIEW where it is given one tensor only */
	FX_OP_CALLS = 16777216,    /* calls its parameter `graph` with those
				    * behind the named ones */
};

struct fx_op_info {
	const char *spelling;  /* canonical qualified name */
	const char *aliases;   /* other spellings, separated by blanks */
	const char *family;    /* for help and grouping */
	const char *signature; /* Python: "input, dim, dtype=None" */
	unsigned traits;       /* fx_op_trait bits */
	const char *shape;     /* name of the shape rule, "none" when none */
};

const struct fx_op_info *fx_op_info(enum fx_op op);

/* The row of a qualified function name, or of a method given as
 * "Tensor.view"; NAME need not be interned.  FX_OP_NONE when unknown.
 * Constant time after the first call.
 */
enum fx_op fx_op_find(const char *name);

/* For a node: NONE for anything but call_function and call_method. */
enum fx_op fx_op_of_target(enum fx_opcode opcode, const char *target);

/* How generated code spells functions of the operator module: FORMAT has {0}
 * and {1} ("{0} + {1}", "-{0}", "{0}[{1}]"); IN_PLACE forms print as
 * "{0} += {1}" (semantics 6.4).  NULL when TARGET has no infix form.
 */
struct fx_infix {
	const char *target; /* operator.add */
	const char *format;
	bool is_in_place;
	int precedence; /* Python's, higher binds tighter */
};
const struct fx_infix *fx_infix_find(const char *target);

#endif /* FX_OPS_OPTAB_H */

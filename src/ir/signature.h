/* signature.h - the parameters of an operation, and binding arguments to them.
 *
 * Rows of ops.def keep signatures as Python text; they are parsed once, on
 * first use.
 */
#ifndef FX_IR_SIGNATURE_H
#define FX_IR_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "ir/value.h"
#include "ops/optab.h"

struct fx_parameter {
	const char *name; /* interned, without stars */
	bool is_rest;     /* *name */
	bool is_keywords; /* **name */
	bool is_keyword_only;
	bool is_required;
	struct fx_value fallback; /* the default; NONE when required */
};

struct fx_signature {
	size_t count;
	const struct fx_parameter *parameters;
};

/* The signature of OP; never NULL: operations without a row take anything as
 * `*args, **kwargs`.
 */
const struct fx_signature *fx_signature_of(enum fx_op op);

/* Parameters written as Python does, into ARENA. */
FX_NODISCARD struct fx_error *fx_signature_parse(struct fx_arena *arena,
	const char *text, struct fx_signature *ret);

/* What each parameter gets from ARGS (a TUPLE) and KWARGS (a DICT or NONE):
 * SIGNATURE->count values in BOUND_RET.  *name becomes a TUPLE, and takes one
 * sequence as its items; **name becomes a DICT.  TYPE in Python's words, with
 * NAME as the function's.
 */
struct fx_call_values {
	const char *name; /* for messages */
	struct fx_value args;
	struct fx_value kwargs;
};
FX_NODISCARD struct fx_error *fx_signature_bind(struct fx_arena *arena,
	const struct fx_signature *signature, const struct fx_call_values *call,
	struct fx_value *bound_ret);

/* SIGNATURE without what must be given, in ARENA: that, or with ALL whatever is
 * not given, becomes UNSAID.  Returns the parameters of *RET.
 */
struct fx_parameter *fx_signature_loosen(struct fx_arena *arena,
	const struct fx_signature *signature, bool all,
	const struct fx_value *unsaid, struct fx_signature *ret);

#endif /* FX_IR_SIGNATURE_H */

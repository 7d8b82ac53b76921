/* size_by_values.h - results that are as large as the values of an argument
 * say, or how it lies in memory, where no shape tells it.
 */
#ifndef FX_RUN_SIZE_BY_VALUES_H
#define FX_RUN_SIZE_BY_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/optab.h"

struct fx_datum;
struct fx_value;

/* An argument: a datum, or a constant. */
struct fx_size_argument {
	const struct fx_datum *datum;
	const struct fx_value *value;
};
/* The argument at POSITION or called NAME; nothing when it is not given. */
typedef struct fx_size_argument fx_size_argument_fn(const void *context,
	size_t position, const char *name);

/* The bytes that a call of OP makes; 0 when its arguments do not tell. */
uint64_t fx_size_by_values(enum fx_op op, fx_size_argument_fn *argument,
	const void *context);
/* Whether they may. */
bool fx_size_has_values(enum fx_op op);

#endif /* FX_RUN_SIZE_BY_VALUES_H */

/* parameters.c - by which names a function's parameters may be given. */
#include <config.h>

#include "ops/parameters.h"

#include <stdbool.h>

#include "base/compiler.h"
#include "base/str.h"
#include "ops/optab.h"

static const struct {
	const char *target;
	const char *parameters;
} rows[] = {
#define FX_PARAMETERS(target, parameters) { target, parameters },
#include "ops/parameters.def"
};

/* Whose functions are called by name; the first that fits decides.  Operators
 * of Python have no names, and those of ATen call a tensor `self`.
 */
static const struct {
	const char *begin;
	bool has_names;
} spaces[] = {
	{ "torch.ops.", false },
	{ "torch.", true },
	{ "torchvision.", true },
};

const char *
fx_parameters_of(const char *target)
{
	enum fx_op op = fx_op_find(target);

	for (size_t i = 0; i < FX_ARRAY_LEN(rows); i++)
		if (fx_str_equal(rows[i].target, target))
			return *rows[i].parameters ? rows[i].parameters : NULL;
	for (size_t i = 0; op != FX_OP_NONE && i < FX_ARRAY_LEN(spaces); i++)
		if (fx_str_starts(target, spaces[i].begin))
			return spaces[i].has_names ? fx_op_info(op)->signature
						   : NULL;
	return NULL;
}

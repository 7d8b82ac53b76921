/* world.c - which operations do more than compute. */
#include <config.h>

#include "ops/world.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "ops/layertab.h"
#include "ops/optab.h"

static const struct {
	const char *name;
	const char *does;
} rows[] = {
#define FX_WORLD(name, does) { name, does },
#include "ops/world.def"
};

static bool
fits(const char *pattern, const char *name)
{
	size_t length = strlen(pattern);

	if (pattern[length - 1] == '*')
		return strncmp(pattern, name, length - 1) == 0;
	return fx_str_equal(pattern, name);
}

const char *
fx_world_of_operator(const char *name)
{
	size_t i = 0;

	while (!fits(rows[i].name, name)) /* the last row fits all */
		i++;
	return *rows[i].does ? rows[i].does : NULL;
}

/* Of "torch.ops.aten.add.Tensor" the operator is aten::add. */
static const char *
of_boxed(const char *rest)
{
	size_t space = strcspn(rest, ".");
	size_t name = rest[space] ? strcspn(rest + space + 1, ".") : 0;
	FX_AUTO_FREE char *text = fx_xasprintf("%.*s::%.*s", (int)space, rest,
		(int)name, rest[space] ? rest + space + 1 : "");

	return fx_world_of_operator(text);
}

const char *
fx_world_of_target(enum fx_opcode opcode, const char *target)
{
	enum fx_op op = fx_op_of_target(opcode, target);
	FX_AUTO_FREE char *method = NULL;

	if (op != FX_OP_NONE)
		return fx_op_info(op)->traits & FX_OP_WORLD
			       ? "reads or writes files"
			       : NULL;
	if (opcode == FX_OPCODE_CALL_METHOD)
		method = fx_xasprintf("Tensor.%s", target);
	if (fx_functional_find(method ? method : target))
		return NULL;
	if (!method && fx_str_starts(target, "torch.ops."))
		return of_boxed(target + strlen("torch.ops."));
	return "is Python's and may do anything";
}

struct fx_error *
fx_world_check(enum fx_confinement confinement, const char *target,
	const char *does)
{
	if (!does)
		return NULL;
	switch (confinement) {
	case FX_CONFINED_NOT:
		break;
	case FX_CONFINED_READ_ONLY:
		return fx_error_new(FX_ERR_READ_ONLY,
			"read-only session (--readonly): %s %s", target, does);
	case FX_CONFINED_FILE:
		return fx_error_hint(fx_error_new(FX_ERR_REFUSED,
					     "%s %s, and the graph came from a "
					     "file",
					     target, does),
			"set trust-files on lets it, and any operator of a "
			"graph from a file");
	}
	return NULL;
}

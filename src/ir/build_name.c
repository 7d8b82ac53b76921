/* build_name.c - the functions that code names.
 *
 * torch's are printed in full, builtins bare; all others as one identifier
 * with underscores for the dots, so where its module ends is a guess.  A wrong
 * guess prints as the same text again.
 */
#include <config.h>

#include "ir/build.h"

#include <string.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/intern.h"
#include "base/str.h"
#include "base/vec.h"

/* How printed names begin, and the module that is. */
static const struct {
	const char *printed;
	const char *module;
	bool is_certain;
} mangled[] = {
	{ "_operator_", "operator.", true },
	{ "operator_", "operator.", false },
	{ "__main___", "__main__.", false },
	{ "builtins_", "builtins.", false },
	{ "collections_", "collections.", false },
	{ "functools_", "functools.", false },
	{ "itertools_", "itertools.", false },
	{ "math_", "math.", true },
};

/* First steps of dotted names, and what they are short for. */
static const struct {
	const char *step;
	const char *full;
} roots[] = {
	{ "torch", "torch" },
	{ "F", "torch.nn.functional" },
	{ "nn", "torch.nn" },
	{ "operator", "operator" },
	{ "_operator", "operator" },
	{ "math", "math" },
	{ "builtins", "builtins" },
	{ "torchvision", "torchvision" },
	{ "np", "numpy" },
	{ "numpy", "numpy" },
	{ "typing", "typing" },
	{ "collections", "collections" },
	{ "functools", "functools" },
	{ "itertools", "itertools" },
	{ "fx_pytree", "torch.fx._pytree" },
	{ "pytree", "torch.utils._pytree" },
	{ "__main__", "__main__" },
};

/* The function that NAME must be, by how it begins; or NULL. */
static const char *
known_function(struct fx_builder *builder, const char *name)
{
	size_t i;

	if (!strcmp(name, "device"))
		return fx_intern("torch.device");
	if (fx_str_is_builtin(name))
		return fx_intern_format("builtins.%s", name);
	for (i = 0; i < FX_ARRAY_LEN(mangled); i++) {
		const char *full;

		if (!fx_str_starts(name, mangled[i].printed))
			continue;
		full = fx_intern_format("%s%s", mangled[i].module,
			name + strlen(mangled[i].printed));
		if (!mangled[i].is_certain)
			fx_build_notice(builder, "%s: taken for %s", name,
				full);
		return full;
	}
	return NULL;
}

const char *
fx_build_function(struct fx_builder *builder, const char *name, bool is_called)
{
	const char *full = known_function(builder, name);

	if (full)
		return full;
	/* An argument may as well be a node that is missing. */
	if (!fx_map_has(&builder->wrapped, (uintptr_t)name) &&
		!(is_called && strchr(name, '_')))
		return NULL;
	fx_build_notice(builder,
		"%s: the text does not say which module it is from; the name "
		"is kept as printed",
		name);
	return name;
}

static const char *
root_name(const char *step)
{
	size_t i;

	for (i = 0; i < FX_ARRAY_LEN(roots); i++)
		if (!strcmp(step, roots[i].step))
			return roots[i].full;
	return NULL;
}

const char *
fx_build_dotted(struct fx_builder *builder, const struct fx_ast *tree)
{
	FX_AUTO_BUF struct fx_buf name = { 0 };
	FX_VEC(const char *) steps = { 0 };
	const char *root = NULL;
	bool is_name = true;

	for (; tree->kind == FX_AST_ATTR; tree = tree->kids[0]) {
		is_name = is_name && strspn(tree->text, "0123456789") == 0;
		fx_vec_push(&steps, tree->text);
	}
	if (is_name && tree->kind == FX_AST_NAME &&
		!builder->environment->find(builder, tree->text))
		root = root_name(tree->text);
	if (root) {
		fx_buf_add(&name, root);
		while (steps.count > 0) {
			fx_buf_add_char(&name, '.');
			fx_buf_add(&name, fx_vec_pop(&steps));
		}
	}
	fx_vec_deinit(&steps);
	return root ? fx_intern_n(name.data, name.length) : NULL;
}

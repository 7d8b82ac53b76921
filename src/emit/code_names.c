/* code_names.c - names in generated code: a fresh namespace each time. */
#include <config.h>

#include "emit/code_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/str.h"
#include "base/vec.h"
#include "ir/graph.h"

void
fx_code_names_deinit(struct fx_code_names *names)
{
	fx_names_deinit(&names->space);
	fx_map_deinit(&names->renamed);
	fx_map_deinit(&names->globals);
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Whether torch.fx's rules leave NAME as it is when it is free: no other
 * characters, no leading digit, no number with leading zeros at the end unless
 * those are kept, no keyword or builtin (none of which ends with a digit).
 */
static bool
is_canonical(const char *name, bool keeps_zeros)
{
	size_t length = strlen(name);
	size_t digits = 0;

	if (length == 0 || is_digit(name[0]))
		return false;
	for (size_t i = 0; i < length; i++) {
		char c = name[i];

		if (!is_digit(c) && !(c >= 'a' && c <= 'z') &&
			!(c >= 'A' && c <= 'Z') && c != '_')
			return false;
		digits = is_digit(c) ? digits + 1 : 0;
	}
	if (digits == 0)
		return !fx_names_is_illegal(name);
	return keeps_zeros || digits == 1 || digits == length ||
	       name[length - digits - 1] != '_' || name[length - digits] != '0';
}

/* Enter the names that nodes kept since the last time. */
static void
note_kept(struct fx_code_names *names)
{
	const struct fx_node *node = names->noted;

	while (node != names->named) {
		node = node ? fx_graph_next(node)
			    : fx_graph_first(names->named->graph);
		/* Names of nodes are interned, so their pointers can be keys.
		 */
		if (node->opcode != FX_OPCODE_OUTPUT &&
			is_canonical(node->name, names->space.keeps_zeros))
			fx_map_set(&names->space.taken, (uintptr_t)node->name,
				1);
	}
	names->noted = node;
}

static const char *
create(struct fx_code_names *names, const char *candidate)
{
	note_kept(names);
	return fx_names_create(&names->space, candidate);
}

const char *
fx_code_names_assign(struct fx_code_names *names, const struct fx_node *node)
{
	const char *name = node->name;

	if (!is_canonical(name, names->space.keeps_zeros) ||
		fx_map_has(&names->space.taken, (uintptr_t)name)) {
		name = create(names, name);
		fx_map_set_pointer(&names->renamed, node, name);
	}
	names->named = node;
	return name;
}

const char *
fx_code_names_of(void *names, const struct fx_node *node)
{
	const struct fx_code_names *n = names;

	return n->renamed.count && fx_map_has(&n->renamed, (uintptr_t)node)
		       ? fx_map_get_pointer(&n->renamed, node)
		       : node->name;
}

/* The name of a builtin or of one of torch's, which needs no import; else
 * null.
 */
static const char *
plain_global(const char *qualified)
{
	if (strcmp(qualified, "torch.device") == 0)
		return "device";
	if (fx_str_starts(qualified, "torch.") ||
		fx_names_is_everywhere(qualified))
		return qualified;
	if (fx_str_starts(qualified, "builtins."))
		return qualified + strlen("builtins.");
	if (!strchr(qualified, '.') && fx_str_is_builtin(qualified))
		return qualified;
	return NULL;
}

const char *
fx_code_names_global(void *names, const char *qualified)
{
	struct fx_code_names *n = names;
	const char *colon = strchr(qualified, ':');
	const char *printed = plain_global(qualified), *dot;

	if (printed && colon)
		return fx_intern_format("%.*s.%s", (int)(colon - qualified),
			qualified, colon + 1);
	if (printed)
		return printed;
	qualified = fx_intern(qualified);
	colon = strchr(qualified, ':');
	dot = strrchr(qualified, '.');
	printed = fx_map_get_pointer(&n->globals, qualified);
	if (printed)
		return printed;
	/* Functions of `operator` live in the module _operator. */
	if (colon)
		printed = dot > colon ? dot + 1 : colon + 1;
	else
		printed = fx_str_starts(qualified, "operator.")
				  ? fx_intern_format("_%s", qualified)
				  : qualified;
	printed = create(n, fx_intern(printed));
	fx_map_set_pointer(&n->globals, qualified, printed);
	return printed;
}

void
fx_code_names_imports(const struct fx_code_names *names, struct fx_buf *out)
{
	FX_VEC(const char *) found = { 0 };
	uintptr_t key;
	uintptr_t value;
	size_t at = 0;

	while (fx_map_next(&names->globals, &at, &key, &value))
		fx_vec_push(&found, (const char *)key);
	if (found.count)
		qsort(found.items, found.count, sizeof(*found.items),
			fx_str_compare);
	for (size_t i = 0; i < found.count; i++) {
		const char *qualified = found.items[i];
		const char *colon = strchr(qualified, ':');
		const char *dot = colon ? colon : strrchr(qualified, '.');

		if (dot)
			fx_buf_addf(out, "from %.*s import %s as %s\n",
				(int)(dot - qualified), qualified, dot + 1,
				(const char *)
					fx_map_get_pointer(&names->globals,
						qualified));
	}
	fx_vec_deinit(&found);
}

/* spellings.c - the rows of spellings.def, taken apart. */
#include <config.h>

#include "ops/spellings.h"

#include <string.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"

static const struct {
	const char *name;
	const char *parameters;
	const char *spellings;
} rows[] = {
#define FX_SAME(name, parameters, spellings) { #name, parameters, spellings },
#include "ops/spellings.def"
};

static const struct {
	const char *name;
	const char *target;
} functionals[] = {
#define FX_FUNCTIONAL(name, target) { "torch.nn.functional." name, target },
#include "ops/functional_names.def"
};

/* How spellings begin, what that is short for, and what they then are. */
static const struct {
	const char *written;
	const char *meant;
	enum fx_opcode opcode;
} prefixes[] = {
	{ "Tensor.", "", FX_OPCODE_CALL_METHOD },
	{ "nn.", "", FX_OPCODE_CALL_MODULE },
	{ "F.", "torch.nn.functional.", FX_OPCODE_CALL_FUNCTION },
	{ "aten.", "torch.ops.aten.", FX_OPCODE_CALL_FUNCTION },
	{ "", "", FX_OPCODE_CALL_FUNCTION },
};

/* What torch.fx calls by where it lies. */
static const struct {
	const char *shown;
	const char *home;
} homes[] = {
	{ "torch.special.", "torch._C._special.special_" },
	{ "torch.linalg.", "torch._C._linalg.linalg_" },
};

/* One of the listed globals: filled at the first question. */
static struct {
	struct fx_arena *arena; /* NULL: not filled */
	struct fx_operation operations[FX_ARRAY_LEN(rows) + 1];
	FX_VEC(struct fx_spelling) all;
	/* By opcode: target -> index in ALL + 1. */
	struct fx_map targets[FX_OPCODE_COUNT];
	struct fx_map names; /* of operations -> index of the first + 1 */
	struct fx_map homes; /* functional -> its name in torch.fx */
} table;

/* Add the spelling TEXT, LENGTH bytes: a target, maybe with parameters. */
static void
add_spelling(const char *text, size_t length, size_t row)
{
	const char *paren = memchr(text, '(', length);
	size_t target_length = paren ? (size_t)(paren - text) : length;
	struct fx_spelling found = { .operation = row,
		.parameters = rows[row].parameters };
	size_t i = 0;
	size_t skip;

	while (strncmp(text, prefixes[i].written, strlen(prefixes[i].written)))
		i++;
	skip = strlen(prefixes[i].written);
	found.opcode = prefixes[i].opcode;
	found.target = fx_intern_format("%s%.*s", prefixes[i].meant,
		(int)(target_length - skip), text + skip);
	if (paren)
		found.parameters = fx_arena_strndup(table.arena, paren + 1,
			length - target_length - 2);
	fx_vec_push(&table.all, found);
	fx_map_set(&table.targets[found.opcode], (uintptr_t)found.target,
		table.all.count);
	for (i = 0; i < FX_ARRAY_LEN(homes); i++) {
		const char *home;

		if (!fx_str_starts(found.target, homes[i].shown))
			continue;
		home = fx_intern_format("%s%s", homes[i].home,
			found.target + strlen(homes[i].shown));
		fx_map_set_pointer(&table.homes, found.target, home);
		fx_map_set(&table.targets[found.opcode], (uintptr_t)home,
			table.all.count);
	}
}

static void
fill(void)
{
	if (table.arena)
		return;
	table.arena = fx_arena_new();
	for (size_t i = 0; i < FX_ARRAY_LEN(functionals); i++)
		fx_map_set_pointer(&table.homes, fx_intern(functionals[i].name),
			fx_intern(functionals[i].target));
	for (size_t row = 0; row < FX_ARRAY_LEN(rows); row++) {
		const char *at = rows[row].spellings;

		table.operations[row].name = fx_intern(rows[row].name);
		table.operations[row].parameters = rows[row].parameters;
		fx_map_set(&table.names, (uintptr_t)table.operations[row].name,
			table.all.count + 1);
		while (*(at += strspn(at, " "))) {
			size_t length = strcspn(at, " ");

			add_spelling(at, length, row);
			at += length;
		}
	}
}

const struct fx_operation *
fx_operation_at(size_t index)
{
	fill();
	return index < FX_ARRAY_LEN(rows) ? &table.operations[index] : NULL;
}

const struct fx_spelling *
fx_spelling_at(size_t index)
{
	fill();
	return index < table.all.count ? &table.all.items[index] : NULL;
}

const struct fx_spelling *
fx_spelling_find(enum fx_opcode opcode, const char *target)
{
	fill();
	if ((unsigned)opcode >= FX_OPCODE_COUNT)
		return NULL;
	return fx_spelling_at(fx_map_get(&table.targets[opcode],
				      (uintptr_t)target, 0) -
			      1);
}

const struct fx_spelling *
fx_spelling_of_operation(const char *name)
{
	fill();
	return fx_spelling_at(fx_map_get(&table.names, (uintptr_t)name, 0) - 1);
}

const char *
fx_spelling_home(const char *target)
{
	const char *home;

	fill();
	home = fx_map_get_pointer(&table.homes, target);
	return home ? home : target;
}

void
fx_spellings_shutdown(void)
{
	if (!table.arena)
		return;
	fx_arena_free(table.arena);
	table.arena = NULL;
	fx_vec_deinit(&table.all);
	fx_map_deinit(&table.names);
	fx_map_deinit(&table.homes);
	for (int i = 0; i < FX_OPCODE_COUNT; i++)
		fx_map_deinit(&table.targets[i]);
}

/* layertab.c - the classes and functions of layers.py and functionals.py, each
 * parsed when it is first used.
 *
 * One of the listed globals, the cache of parsed semantics, lives here.
 */
#include <config.h>

#include "ops/layertab.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/map.h"
#include "base/str.h"
#include "lang/ast.h"
#include "lang/parse.h"
#include "ops/spellings.h"

/* Written when fxdb is built (scripts/embed-index), sorted by name. */
extern const struct fx_layer fx_layer_rows[];
extern const size_t fx_layer_row_count;
extern const struct fx_functional fx_functional_rows[];
extern const size_t fx_functional_row_count;

static struct {
	struct fx_arena *arena; /* NULL: nothing is parsed yet */
	struct fx_map trees;    /* where the text begins -> tree */
	struct fx_map asking;   /* where a layer begins -> 1 no, 2 yes */
} semantics;

void
fx_layertab_shutdown(void)
{
	fx_map_deinit(&semantics.trees);
	fx_map_deinit(&semantics.asking);
	fx_arena_free(semantics.arena);
	semantics.arena = NULL;
	fx_spellings_shutdown();
}

/* The one statement that TEXT is. */
static const struct fx_ast *
parse(const char *text, size_t size)
{
	struct fx_ast *tree = fx_map_get_pointer(&semantics.trees, text);
	struct fx_error *err;

	if (tree)
		return tree;
	if (!semantics.arena)
		semantics.arena = fx_arena_new();
	err = fx_parse_module(semantics.arena, text, size, &tree, NULL);
	/* A file of ours that does not parse is a bug; a test finds it. */
	fx_assert(!err && tree->kid_count == 1);
	fx_map_set_pointer(&semantics.trees, text, tree->kids[0]);
	return tree->kids[0];
}

/* Both kinds of rows begin with their name. */
static int
compare_name(const void *name, const void *row)
{
	return strcmp(name, *(const char *const *)row);
}

static const struct fx_layer *
find_layer(const char *name)
{
	return bsearch(name, fx_layer_rows, fx_layer_row_count,
		sizeof(*fx_layer_rows), compare_name);
}

const struct fx_layer *
fx_layer_find(const char *class_name)
{
	static const char *const prefixes[] = { "torch.nn.", "nn.",
		"torch.nn.modules.", "modules." };
	const char *dot = strrchr(class_name, '.');
	size_t length = dot ? (size_t)(dot + 1 - class_name) : 0;
	const struct fx_layer *layer;

	layer = find_layer(class_name + length);
	if (!layer || !dot || strcmp(layer->qualified, class_name) == 0)
		return layer;
	/* torch may move a class between its files. */
	if (fx_str_starts(class_name, "torch.nn.modules.") ||
		fx_str_starts(class_name, "torch.ao.nn.modules."))
		return layer;
	for (size_t i = 0; i < FX_ARRAY_LEN(prefixes); i++)
		if (strlen(prefixes[i]) == length &&
			strncmp(class_name, prefixes[i], length) == 0)
			return layer;
	return NULL;
}

const struct fx_layer *
fx_layer_at(size_t index)
{
	return index < fx_layer_row_count ? &fx_layer_rows[index] : NULL;
}

const struct fx_ast *
fx_layer_method(const struct fx_layer *layer, const char *name,
	const char **text_ret)
{
	for (; layer; layer = find_layer(layer->base)) {
		const struct fx_ast *tree = parse(layer->text, layer->size);
		const struct fx_ast *block = tree->kids[tree->kid_count - 1];

		if (text_ret)
			*text_ret = layer->text;
		for (uint32_t i = 0; i < block->kid_count; i++)
			if (block->kids[i]->kind == FX_AST_FUNCTION &&
				strcmp(block->kids[i]->text, name) == 0)
				return block->kids[i];
	}
	return NULL;
}

const struct fx_functional *
fx_functional_find(const char *name)
{
	return bsearch(name, fx_functional_rows, fx_functional_row_count,
		sizeof(*fx_functional_rows), compare_name);
}

const struct fx_functional *
fx_functional_at(size_t index)
{
	return index < fx_functional_row_count ? &fx_functional_rows[index]
					       : NULL;
}

const struct fx_ast *
fx_functional_tree(const struct fx_functional *functional)
{
	return parse(functional->text, functional->size);
}

/* Whether TREE reads `training`, or calls a function of ours that reads it. */
static bool
reads_training(const struct fx_ast *tree)
{
	const struct fx_functional *called = NULL;

	if (!tree)
		return false;
	if (tree->kind == FX_AST_ATTR)
		return strcmp(tree->text, "training") == 0 ||
		       reads_training(tree->kids[0]);
	if (tree->kind == FX_AST_CALL && tree->kids[0]->kind == FX_AST_NAME)
		called = fx_functional_find(tree->kids[0]->text);
	if (called && reads_training(fx_functional_tree(called)))
		return true;
	for (uint32_t i = 0; i < tree->kid_count; i++)
		if (reads_training(tree->kids[i]))
			return true;
	return false;
}

bool
fx_layer_asks_training(const struct fx_layer *layer)
{
	uintptr_t known =
		fx_map_get(&semantics.asking, (uintptr_t)layer->text, 0);

	if (!known) {
		known = 1 +
			reads_training(fx_layer_method(layer, "forward", NULL));
		fx_map_set(&semantics.asking, (uintptr_t)layer->text, known);
	}
	return known > 1;
}

size_t
fx_layertab_parsed(void)
{
	return semantics.trees.count;
}

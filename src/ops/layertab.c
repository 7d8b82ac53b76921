/* layertab.c - the functions of layers.py and functionals.py, parsed once.
 *
 * One of the listed globals, the cache of parsed semantics, lives here.
 */
#include <config.h>

#include "ops/layertab.h"

#include <string.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "lang/ast.h"
#include "lang/parse.h"

extern const char fx_layers_text[];
extern const size_t fx_layers_text_size;
extern const char fx_functionals_text[];
extern const size_t fx_functionals_text_size;

static struct {
	struct fx_arena *arena; /* NULL: nothing is parsed yet */
	FX_VEC(struct fx_layer *) layers;
	FX_VEC(struct fx_functional *) functionals;
	struct fx_map layer_by_name;      /* interned short name */
	struct fx_map functional_by_name; /* interned name */
} semantics;

static void
add_layer(const struct fx_ast *tree, const char *text, const char *package)
{
	struct fx_layer *layer = FX_ARENA_NEW(semantics.arena, struct fx_layer);

	layer->name = tree->text;
	layer->qualified = fx_intern_format("%s.%s", package, tree->text);
	layer->tree = tree;
	layer->text = text;
	if (tree->kid_count > 1 && tree->kids[0]->kind == FX_AST_NAME)
		layer->base = fx_map_get_pointer(&semantics.layer_by_name,
			tree->kids[0]->text);
	fx_vec_push(&semantics.layers, layer);
	fx_map_set_pointer(&semantics.layer_by_name, layer->name, layer);
}

static void
add_function(const char *name, const struct fx_ast *tree, const char *text)
{
	struct fx_functional *function =
		FX_ARENA_NEW(semantics.arena, struct fx_functional);

	function->name = fx_intern(name);
	function->tree = tree;
	function->text = text;
	fx_vec_push(&semantics.functionals, function);
	fx_map_set_pointer(&semantics.functional_by_name, function->name,
		function);
}

/* A function in its file, and in the module PACKAGE (null: no other sees it).
 */
static void
add_functions(const struct fx_ast *tree, const char *text, const char *package)
{
	add_function(tree->text, tree, text);
	if (package)
		add_function(fx_intern_format("%s.%s", package, tree->text),
			tree, text);
}

/* NAMES = {"torch.nn.functional.normalize": normalize, ...} */
static void
add_names(const struct fx_ast *tree)
{
	const struct fx_ast *dict = tree->kids[tree->kid_count - 1];

	if (dict->kind != FX_AST_DICT)
		return;
	for (uint32_t i = 0; i + 1 < dict->kid_count; i += 2) {
		const struct fx_functional *function =
			fx_map_get_pointer(&semantics.functional_by_name,
				dict->kids[i + 1]->text);

		fx_assert(function);
		add_function(dict->kids[i]->string, function->tree,
			function->text);
	}
}

static bool
is_assignment(const struct fx_ast *tree, const char *name)
{
	return tree->kind == FX_AST_ASSIGN &&
	       tree->kids[0]->kind == FX_AST_NAME &&
	       strcmp(tree->kids[0]->text, name) == 0;
}

static void
read_file(const char *text, size_t size)
{
	const char *package = NULL; /* that __name__ was set to last */
	struct fx_ast *module;
	struct fx_error *err =
		fx_parse_module(semantics.arena, text, size, &module, NULL);

	/* A file of ours that does not parse is a bug; a test finds it. */
	fx_assert(!err);
	for (uint32_t i = 0; i < module->kid_count; i++) {
		const struct fx_ast *one = module->kids[i];

		if (one->kind == FX_AST_CLASS)
			add_layer(one, text, package);
		else if (one->kind == FX_AST_FUNCTION)
			add_functions(one, text, package);
		else if (is_assignment(one, "__name__"))
			package = one->kids[1]->string;
		else if (is_assignment(one, "NAMES"))
			add_names(one);
	}
}

/* What MAP, one of the two, has for NAME, or NULL. */
static void *
find(const struct fx_map *map, const char *name)
{
	const char *interned = fx_intern_find(name);

	return interned ? fx_map_get_pointer(map, interned) : NULL;
}

/* Whether TREE, or a function of ours that it calls, reads `training`. */
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
		called = find(&semantics.functional_by_name,
			tree->kids[0]->text);
	if (called && reads_training(called->tree))
		return true;
	for (uint32_t i = 0; i < tree->kid_count; i++)
		if (reads_training(tree->kids[i]))
			return true;
	return false;
}

static void
read_all(void)
{
	if (semantics.arena)
		return;
	semantics.arena = fx_arena_new();
	read_file(fx_layers_text, fx_layers_text_size);
	read_file(fx_functionals_text, fx_functionals_text_size);
	for (size_t i = 0; i < semantics.layers.count; i++) {
		struct fx_layer *layer = semantics.layers.items[i];

		layer->asks_training =
			reads_training(fx_layer_method(layer, "forward"));
	}
}

void
fx_layertab_shutdown(void)
{
	fx_vec_deinit(&semantics.layers);
	fx_vec_deinit(&semantics.functionals);
	fx_map_deinit(&semantics.layer_by_name);
	fx_map_deinit(&semantics.functional_by_name);
	fx_arena_free(semantics.arena);
	semantics.arena = NULL;
}

const struct fx_layer *
fx_layer_find(const char *class_name)
{
	static const char *const prefixes[] = { "torch.nn.", "nn.",
		"torch.nn.modules.", "modules." };
	const char *dot = strrchr(class_name, '.');
	size_t length = dot ? (size_t)(dot + 1 - class_name) : 0;
	const struct fx_layer *layer;

	read_all();
	layer = find(&semantics.layer_by_name, class_name + length);
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
	read_all();
	return index < semantics.layers.count ? semantics.layers.items[index]
					      : NULL;
}

const struct fx_ast *
fx_layer_method(const struct fx_layer *layer, const char *name)
{
	for (; layer; layer = layer->base) {
		const struct fx_ast *block =
			layer->tree->kids[layer->tree->kid_count - 1];

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
	read_all();
	return find(&semantics.functional_by_name, name);
}

const struct fx_functional *
fx_functional_at(size_t index)
{
	read_all();
	return index < semantics.functionals.count
		       ? semantics.functionals.items[index]
		       : NULL;
}

/* python_module.c - the module tree that the `__init__` of a to_folder module
 * makes, as far as it is written down: constructors of known layers, the repr
 * of pickled modules in comments, shapes of parameters and buffers.
 */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/str.h"
#include "emit/folder.h"
#include "ir/decompose.h"
#include "ir/module.h"
#include "ir/tensor_meta.h"
#include "load/python_private.h"

static const char plain_class[] = "torch.nn.modules.module.Module";

/* Sizes of `torch.empty([8, 1, 1])` or `torch.empty(8, 1, 1)`. */
static bool
read_sizes(const struct fx_value *args, int64_t *sizes, size_t *rank)
{
	const struct fx_value *items = args->items;
	size_t count = args->count;
	size_t i;

	if (count == 1 && fx_value_is_sequence(&items[0])) {
		count = items[0].count;
		items = items[0].items;
	}
	for (i = 0; i < count; i++) {
		if (i == FX_RANK_LIMIT || items[i].kind != FX_VALUE_INT ||
			items[i].integer < 0)
			return false;
		sizes[i] = items[i].integer;
	}
	*rank = count;
	return true;
}

/* The tensor that CALL (torch.empty and the like) makes, or NULL. */
static struct fx_tensor *
read_tensor(struct fx_py *py, const struct fx_ast *call)
{
	enum fx_dtype dtype = FX_DTYPE_F32;
	const struct fx_value *given;
	struct fx_value args;
	struct fx_value kwargs;
	struct fx_tensor *made;
	struct fx_error *err;
	int64_t sizes[FX_RANK_LIMIT];
	uint64_t bytes;
	size_t rank;

	if (call->kind != FX_AST_CALL ||
		!fx_build_dotted(&py->build, call->kids[0]))
		return NULL;
	err = fx_build_layer_arguments(&py->build, call, &args, &kwargs);
	if (err) {
		fx_error_free(err);
		return NULL;
	}
	given = fx_value_dict_get(&kwargs, fx_intern("dtype"));
	if (given && given->kind == FX_VALUE_DTYPE)
		dtype = (enum fx_dtype)given->integer;
	if (!read_sizes(&args, sizes, &rank))
		return NULL;
	made = fx_tensor_new(py->build.graph, dtype, sizes, rank, NULL);
	return fx_tensor_reach(made, &bytes) ? made : NULL;
}

/* The last step of what CALL calls: Linear, Parameter, load. */
static const char *
called_name(const struct fx_ast *call)
{
	if (call->kind != FX_AST_CALL)
		return "";
	if (call->kids[0]->kind == FX_AST_NAME ||
		call->kids[0]->kind == FX_AST_ATTR)
		return call->kids[0]->text;
	return "";
}

/* A module that is only named. */
static struct fx_module *
plain_module(struct fx_py *py, const char *class_name)
{
	struct fx_module *module = fx_module_new(py->build.graph, class_name);

	module->is_leaf = true;
	return module;
}

/* Construct without one of the keywords: a newer torch prints some that our
 * constructor does not take (BatchNorm2d's bias).
 */
static struct fx_module *
construct_older(struct fx_py *py, const char *name, const struct fx_value *args,
	const struct fx_value *kwargs)
{
	struct fx_arena *arena = py->build.graph->permanent;
	uint32_t i;

	for (i = kwargs->count; i > 0; i--) {
		struct fx_value *items = FX_ARENA_ARRAY(arena, struct fx_value,
			2 * (size_t)kwargs->count);
		size_t before = 2 * (size_t)(i - 1);
		size_t after = 2 * (size_t)(kwargs->count - i);
		struct fx_module *module;
		struct fx_value fewer;
		struct fx_error *err;

		memcpy(items, kwargs->items, before * sizeof(*items));
		memcpy(items + before, kwargs->items + before + 2,
			after * sizeof(*items));
		fewer = fx_value_dict(arena, items, kwargs->count - 1);
		err = fx_layer_construct(py->build.graph, name, args, &fewer,
			&module);
		if (!err)
			return module;
		fx_error_free(err);
	}
	return NULL;
}

struct fx_module *
fx_py_construct(struct fx_py *py, const struct fx_ast *call)
{
	const char *name = called_name(call);
	struct fx_module *module = NULL;
	struct fx_value args = { 0 };
	struct fx_value kwargs = { 0 };
	struct fx_error *err;

	err = fx_build_layer_arguments(&py->build, call, &args, &kwargs);
	if (!err)
		err = fx_layer_construct(py->build.graph, name, &args, &kwargs,
			&module);
	if (!err)
		return module;
	if (fx_error_code(err) == FX_ERR_TYPE)
		module = construct_older(py, name, &args, &kwargs);
	if (module) {
		fx_error_free(err);
		return module;
	}
	/* Its call is left out (fx_load_finish). */
	if (strcmp(name, "GuardsFn") != 0)
		fx_build_notice(&py->build, "%s: not constructed, %s", name,
			fx_error_message(err));
	fx_error_free(err);
	return plain_module(py, name);
}

static bool
is_text(const struct fx_ast *tree)
{
	return tree->kind == FX_AST_STRING &&
	       strlen(tree->string) == tree->length;
}

/* The path in `self.get_submodule('a.b')` and the like, interned. */
static const char *
path_of(const struct fx_ast *call)
{
	return call->kind == FX_AST_CALL && call->kid_count == 2 &&
			       is_text(call->kids[1])
		       ? fx_intern(call->kids[1]->string)
		       : NULL;
}

/* The child NAME of OWNER that an inner class is of, made if it is not there.
 */
static struct fx_module *
graph_child(struct fx_py *py, struct fx_module *owner, const char *name)
{
	const struct fx_member *member = fx_module_member(owner, name);
	struct fx_module *module;

	if (member)
		return member->child;
	module = fx_module_new(py->build.graph, fx_py_graph_class);
	fx_module_add_child(owner, name, module);
	return module;
}

/* What stands at PATH, where an inner class has yet to say which inner classes
 * it has.
 */
static struct fx_module *
find_or_make(struct fx_py *py, const char *path)
{
	struct fx_module *module = py->build.graph->module;

	while (module && *path) {
		size_t length = strcspn(path, ".");
		const char *name = fx_intern_n(path, length);
		const struct fx_member *member = fx_module_member(module, name);

		if (member)
			module = member->child;
		else if (fx_str_equal(module->class_name, fx_py_graph_class))
			module = graph_child(py, module, name);
		else
			module = NULL;
		path += length + (path[length] == '.');
	}
	return module;
}

/* The module that EXPR is: `self` or `self.get_submodule(PATH)`. */
static struct fx_module *
module_of(struct fx_py *py, const struct fx_ast *expr)
{
	const char *path = path_of(expr);

	if (expr->kind == FX_AST_NAME)
		return py->build.graph->module;
	return path && !strcmp(called_name(expr), "get_submodule")
		       ? find_or_make(py, path)
		       : NULL;
}

/* What stands at a path already is NAME of OWNER too: shared modules, tied
 * parameters.
 */
static bool
add_shared(struct fx_py *py, struct fx_module *owner, const char *name,
	const struct fx_ast *expr)
{
	const char *called = called_name(expr);
	const char *path = path_of(expr);
	struct fx_module *root = py->build.graph->module;
	const struct fx_tensor *tensor;

	if (!path)
		return false;
	if (!strcmp(called, "get_submodule")) {
		struct fx_module *module = fx_module_find(root, path);

		if (module && !fx_module_contains(module, owner))
			fx_module_add_child(owner, name, module);
		return true;
	}
	if (strcmp(called, "get_parameter") && strcmp(called, "get_buffer"))
		return false;
	tensor = fx_module_find_tensor(root, path);
	if (tensor)
		fx_module_add_tensor(owner, name, tensor);
	return true;
}

/* Whether the last argument of CALL is a keyword that is False. */
static bool
says_no(const struct fx_ast *call)
{
	const struct fx_ast *last = call->kids[call->kid_count - 1];

	return last->kind == FX_AST_KEYWORD &&
	       last->kids[0]->kind == FX_AST_BOOL && !last->kids[0]->integer;
}

/* Whether a path can have the step NAME; says so when not. */
static bool
check_name(struct fx_py *py, const char *name)
{
	if (*name && !strchr(name, '.'))
		return true;
	fx_build_notice(&py->build, "__init__: no member is called \"%s\"",
		name);
	return false;
}

/* NAME = EXPR in `__init__`; COMMENT has the repr of a pickled module. */
static void
add_member(struct fx_py *py, struct fx_module *root, const char *name,
	const struct fx_ast *expr, const char *comment)
{
	const char *called = called_name(expr);
	struct fx_tensor *tensor;
	struct fx_module *module = NULL;

	if (!check_name(py, name) || add_shared(py, root, name, expr))
		return;
	/* The inner class says more. */
	if (fx_str_starts(called, FX_FOLDER_GRAPH)) {
		module = graph_child(py, root, name);
		if (module && py->class_depth == 0)
			fx_map_set_pointer(py->graph_classes, fx_intern(called),
				module);
		return;
	}
	if (!strcmp(called, "Parameter") && expr->kid_count >= 2) {
		tensor = read_tensor(py, expr->kids[1]);
		if (tensor) {
			tensor->requires_grad = !says_no(expr);
			fx_module_add_tensor(root, name, tensor);
			return;
		}
	} else if (!strcmp(called, "load")) {
		if (comment)
			module =
				fx_py_repr(py, comment + strspn(comment, "# "));
		if (!module)
			module = plain_module(py, plain_class);
	} else if (!strcmp(called, "Module") && expr->kid_count == 1) {
		module = fx_module_new(py->build.graph, plain_class);
	} else if (*called >= 'A' && *called <= 'Z') {
		module = fx_py_construct(py, expr);
	}
	if (module)
		fx_module_add_child(root, name, module);
	else
		fx_build_notice(&py->build, "__init__: %s is not understood",
			name);
}

static void
add_buffer(struct fx_py *py, struct fx_module *owner, const struct fx_ast *call)
{
	struct fx_tensor *tensor = read_tensor(py, call->kids[2]);
	const char *name = fx_intern(call->kids[1]->string);

	if (!check_name(py, name))
		return;
	if (!tensor) {
		fx_build_notice(&py->build, "__init__: %s is not understood",
			name);
		return;
	}
	tensor->is_buffer = true;
	tensor->is_persistent = call->kid_count < 4 ||
				call->kids[3]->kids[0]->kind != FX_AST_BOOL ||
				call->kids[3]->kids[0]->integer;
	fx_module_add_tensor(owner, name, tensor);
}

/* `self.eval()`: what was made so far does not train. */
static void
stop_training(struct fx_module *root)
{
	struct fx_module_walk *walk = fx_module_walk_new(root, true);
	struct fx_module *module;
	const char *path;

	while (fx_module_walk_next(walk, &module, &path))
		module->training = false;
	fx_module_walk_free(walk);
}

/* `self.get_parameter('a.b').requires_grad_(False)`. */
static void
freeze(struct fx_py *py, const struct fx_ast *call)
{
	const char *path = call->kids[0]->kind == FX_AST_ATTR
				   ? path_of(call->kids[0]->kids[0])
				   : NULL;
	/* The constructors above have just made it. */
	struct fx_tensor *tensor =
		path ? (struct fx_tensor *)
				fx_module_find_tensor(py->build.graph->module,
					path)
		     : NULL;

	if (tensor)
		tensor->requires_grad = false;
}

/* PLACE.register_parameter('name', None) and the like: whether CALL is that. */
static bool
add_none(struct fx_py *py, const struct fx_ast *call)
{
	static const char *const verbs[] = { [FX_MEMBER_CHILD] = "add_module",
		[FX_MEMBER_PARAMETER] = "register_parameter",
		[FX_MEMBER_BUFFER] = "register_buffer" };
	const char *called = called_name(call);
	struct fx_module *owner;

	if (call->kid_count != 3 || !is_text(call->kids[1]) ||
		call->kids[2]->kind != FX_AST_NONE ||
		call->kids[0]->kind != FX_AST_ATTR)
		return false;
	owner = module_of(py, call->kids[0]->kids[0]);
	for (size_t i = 0; i < FX_ARRAY_LEN(verbs); i++)
		if (owner && !strcmp(called, verbs[i]) &&
			check_name(py, call->kids[1]->string))
			fx_module_add_none(owner, call->kids[1]->string,
				(enum fx_member_kind)i);
	return true;
}

/* setattr(PLACE, 'name', EXPR), PLACE.register_buffer('name', EXPR). */
static void
read_call(struct fx_py *py, const struct fx_ast *statement)
{
	const struct fx_ast *call = statement->kids[0];
	const char *called = called_name(call);
	struct fx_module *owner;

	if (call->kind != FX_AST_CALL || add_none(py, call))
		return;
	if (!strcmp(called, "setattr") && call->kid_count == 4 &&
		is_text(call->kids[2])) {
		owner = module_of(py, call->kids[1]);
		if (owner)
			add_member(py, owner, fx_intern(call->kids[2]->string),
				call->kids[3], statement->comment_after);
	} else if (!strcmp(called, "register_buffer") && call->kid_count >= 3 &&
		   is_text(call->kids[1]) &&
		   call->kids[0]->kind == FX_AST_ATTR &&
		   (call->kid_count < 4 ||
			   call->kids[3]->kind == FX_AST_KEYWORD)) {
		owner = module_of(py, call->kids[0]->kids[0]);
		if (owner)
			add_buffer(py, owner, call);
	} else if (!strcmp(called, "load_state_dict")) {
		fx_build_notice(&py->build,
			"weights in .pt files are not read");
	} else if (!strcmp(called, "requires_grad_")) {
		freeze(py, call);
	} else if (!strcmp(called, "eval") && call->kid_count == 1) {
		stop_training(py->build.graph->module);
	}
}

/* `self.get_submodule('a.b').training = True`. */
static void
read_training(struct fx_py *py, const struct fx_ast *target,
	const struct fx_ast *value)
{
	struct fx_module *module = module_of(py, target->kids[0]);

	if (module && !strcmp(target->text, "training"))
		module->training = value->integer;
}

struct fx_error *
fx_py_modules(struct fx_py *py, const struct fx_ast *init)
{
	const struct fx_ast *block = init->kids[init->kid_count - 2];
	uint32_t i;

	for (i = 0; i < block->kid_count; i++) {
		const struct fx_ast *s = block->kids[i];

		if (s->height > FX_BUILD_HEIGHT)
			return fx_build_error(&py->build, s, FX_ERR_LIMIT,
				"this statement has more than %d levels",
				FX_BUILD_HEIGHT);
		if (s->kind == FX_AST_EXPRESSION)
			read_call(py, s);
		else if (s->kind == FX_AST_ASSIGN && s->kid_count == 2 &&
			 s->kids[0]->kind == FX_AST_ATTR &&
			 s->kids[0]->kids[0]->kind == FX_AST_NAME &&
			 s->kids[1]->kind == FX_AST_CALL)
			add_member(py, py->build.graph->module,
				s->kids[0]->text, s->kids[1], s->comment_after);
		else if (s->kind == FX_AST_ASSIGN && s->kid_count == 2 &&
			 s->kids[0]->kind == FX_AST_ATTR &&
			 s->kids[0]->kids[0]->kind == FX_AST_CALL &&
			 s->kids[1]->kind == FX_AST_BOOL)
			read_training(py, s->kids[0], s->kids[1]);
	}
	return NULL;
}

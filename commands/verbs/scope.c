/* scope.c - the command scope: entering module scopes, their tree, and what
 * they have: info params.
 */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/number.h"
#include "base/str.h"
#include "base/vec.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "session/model.h"
#include "session/position.h"
#include "session/resolve.h"

/* Scopes: the module tree, or what the nodes' scopes and targets say. */

struct scope_row {
	const char *path; /* interned */
	const char *class_name;
	int64_t parameters; /* inside, each once */
	size_t nodes;       /* inside, at any depth */
};

struct scope_list {
	FX_VEC(struct scope_row) rows;
	struct fx_map index; /* path -> row + 1 */
	size_t modules;      /* rows of the module tree, in its order */
};

static void
scope_list_deinit(struct scope_list *list)
{
	fx_vec_deinit(&list->rows);
	fx_map_deinit(&list->index);
}

static bool
is_plain_class(const char *class_name)
{
	return !class_name ||
	       !strcmp(fx_class_short_name(class_name), "Module");
}

static struct scope_row *
scope_row(struct scope_list *list, const char *path, const char *class_name)
{
	uintptr_t at = fx_map_get(&list->index, (uintptr_t)path, 0);
	struct scope_row row = { .path = path, .class_name = class_name };

	if (!at) {
		fx_vec_push(&list->rows, row);
		at = list->rows.count;
		fx_map_set(&list->index, (uintptr_t)path, at);
	}
	/* A dump knows the classes of scopes better than those of the modules
	 * that were made up around them.
	 */
	if (class_name && is_plain_class(list->rows.items[at - 1].class_name))
		list->rows.items[at - 1].class_name = class_name;
	return &list->rows.items[at - 1];
}

/* The path around PATH, interned; NULL around the root. */
static const char *
path_around(const char *path)
{
	const char *dot = strrchr(path, '.');

	if (!*path)
		return NULL;
	return fx_intern_n(path, dot ? (size_t)(dot - path) : 0);
}

/* Count a node in PATH and in all paths around it. */
static void
count_in(struct scope_list *list, const char *path)
{
	for (; path; path = path_around(path))
		scope_row(list, path, NULL)->nodes++;
}

static void
collect_scopes(struct scope_list *list, struct fx_graph *graph)
{
	struct fx_module_walk *walk = fx_module_walk_new(graph->module, false);
	struct fx_module *module;
	struct fx_node *node;
	const char *path;

	while (fx_module_walk_next(walk, &module, &path))
		scope_row(list, path, module->class_name)->parameters =
			fx_module_parameter_count(module);
	fx_module_walk_free(walk);
	list->modules = list->rows.count;
	fx_graph_for_each_node (node, graph) {
		const struct fx_scope *scope = node->scope;

		if (node->opcode == FX_OPCODE_CALL_MODULE)
			count_in(list, node->target);
		else
			count_in(list, scope ? scope->path : fx_intern(""));
		for (; scope; scope = scope->parent)
			scope_row(list, scope->path, scope->class_name);
	}
}

static int
compare_paths(const void *a, const void *b)
{
	const struct scope_row *x = a;
	const struct scope_row *y = b;
	const unsigned char *p = (const unsigned char *)x->path;
	const unsigned char *q = (const unsigned char *)y->path;

	/* A dot sorts before all other characters, so that the inside of a
	 * module follows the module.  Numbers sort by value, so that 10 comes
	 * after 9.
	 */
	for (; *p && *p == *q; p++, q++)
		;
	if (*p == '.' || *q == '.' || !*p || !*q)
		return (*p == '.'   ? 1
			       : *p ? 2
				    : 0) -
		       (*q == '.'   ? 1
			       : *q ? 2
				    : 0);
	if (*p >= '0' && *p <= '9' && *q >= '0' && *q <= '9') {
		size_t n = strspn((const char *)p, "0123456789");
		size_t m = strspn((const char *)q, "0123456789");

		if (n != m)
			return n < m ? -1 : 1;
	}
	return (int)*p - (int)*q;
}

static int
depth_of(const char *path, const char *root)
{
	int depth = *path ? 1 : 0;

	for (; *path; path++)
		depth += *path == '.';
	return *root ? depth - depth_of(root, "") : depth;
}

static void
say_scope_row(struct cmd_ctx *ctx, const struct scope_row *row,
	const char *root)
{
	const char *dot = strrchr(row->path, '.');
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const char *name = !*row->path ? fx_model_name(ctx->model)
			   : dot       ? dot + 1
				       : row->path;

	fx_buf_addf(&text, "%s", name);
	if (row->class_name && *row->class_name)
		fx_buf_addf(&text, " (%s)",
			fx_class_short_name(row->class_name));
	fx_buf_add(&text, "  ");
	cmd_add_count(&text, row->nodes, "node");
	if (row->parameters) {
		fx_buf_add(&text, ", ");
		fx_number_add_count(&text, (uint64_t)row->parameters);
		fx_buf_add(&text, " parameters");
	}
	out_tree_item(ctx->out, depth_of(row->path, root), FX_ROLE_SCOPE, "%s",
		fx_buf_text(&text));
}

void
cmd_say_scope_tree(struct cmd_ctx *ctx, const char *root, int64_t depth)
{
	struct scope_list list = { 0 };
	struct scope_row *row;

	collect_scopes(&list, fx_position_graph(ctx->model));
	/* The module tree's own order is the best; scopes without a module
	 * have to be put between.
	 */
	if (list.rows.count > list.modules)
		qsort(list.rows.items, list.rows.count,
			sizeof(struct scope_row), compare_paths);
	out_tree_begin(ctx->out, "scopes");
	fx_vec_for_each (row, &list.rows)
		if (fx_str_is_below(row->path, root) &&
			depth_of(row->path, root) <= depth)
			say_scope_row(ctx, row, root);
	out_tree_end(ctx->out);
	scope_list_deinit(&list);
}

struct fx_error *
cmd_say_scope(struct cmd_ctx *ctx)
{
	const char *scope = fx_model_scope(ctx->model);

	out_value_text(ctx->out, "scope", scope);
	if (*scope)
		out_line(ctx->out, FX_ROLE_SCOPE, "In %s of %s.", scope,
			fx_model_name(ctx->model));
	else
		out_line(ctx->out, FX_ROLE_SCOPE, "At the root of %s.",
			fx_model_name(ctx->model));
	return NULL;
}

struct fx_error *
cmd_scope_argument(struct cmd_ctx *ctx, const char **ret)
{
	const char *scope = cmd_arg_text(ctx, "scope");

	*ret = "";
	return scope ? fx_resolve_scope(ctx->model, scope, ret) : NULL;
}

struct fx_error *
cmd_scope_exec(struct cmd_ctx *ctx)
{
	const char *path = cmd_arg_text(ctx, "path");
	const char *now = fx_model_scope(ctx->model);
	int64_t depth = cmd_flag_int(ctx, "depth", 100000);
	struct fx_error *err;

	if (path && !strcmp(path, "..")) {
		path = *now ? path_around(now) : now;
	} else if (path) {
		err = fx_resolve_scope(ctx->model, path, &path);
		if (err)
			return err;
	}
	if (cmd_flag(ctx, "tree")) {
		cmd_say_scope_tree(ctx, path ? path : now, depth);
		return NULL;
	}
	if (path)
		fx_model_set_scope(ctx->model, path);
	return cmd_say_scope(ctx);
}

/* info params. */

static void
tensor_row(struct cmd_ctx *ctx, const char *path, const char *name,
	const struct fx_tensor *tensor)
{
	out_cell(ctx->out, FX_ROLE_PATH, "%s%s%s", path, *path ? "." : "",
		name);
	out_cell(ctx->out, FX_ROLE_PLAIN, "%s",
		tensor->is_buffer ? "buffer" : "parameter");
	out_cell(ctx->out, FX_ROLE_DTYPE, "%s",
		fx_dtype_info(tensor->dtype)->name);
	cmd_cell_sizes(ctx->out, tensor->sizes, tensor->rank);
	out_cell_int(ctx->out, FX_ROLE_NUMBER, fx_tensor_numel(tensor));
	out_cell_bool(ctx->out, FX_ROLE_PLAIN,
		tensor->storage && tensor->storage->blob);
}

struct fx_error *
cmd_say_params(struct cmd_ctx *ctx)
{
	static const char *const keys[] = { "+name", "2kind", "3dtype", "shape",
		"elements", "1attached" };
	struct fx_graph *graph = fx_position_graph(ctx->model);
	const char *which = cmd_arg_text(ctx, "which");
	struct fx_module_walk *walk;
	size_t limit = cmd_row_limit(ctx);
	const char *path = "";
	struct fx_module *module;
	struct fx_error *err;
	size_t rows = 0;
	size_t i;

	if (which) {
		err = fx_resolve_scope(ctx->model, which, &path);
		if (err)
			return err;
	}
	which = path;
	out_table_begin(ctx->out, "params", FX_ARRAY_LEN(keys), keys);
	walk = fx_module_walk_new(graph->module, true);
	while (fx_module_walk_next(walk, &module, &path)) {
		for (i = 0; i < module->member_count; i++) {
			const struct fx_member *member = &module->members[i];

			if (!member->tensor || !fx_str_is_below(path, which))
				continue;
			if (!limit || rows < limit)
				tensor_row(ctx, path, member->name,
					member->tensor);
			rows++;
		}
	}
	fx_module_walk_free(walk);
	if (limit && rows > limit)
		out_table_more(ctx->out, rows - limit, "-m 0 shows all");
	out_table_end(ctx->out);
	if (!rows)
		out_line(ctx->out, FX_ROLE_PLAIN, "No parameters or buffers.");
	return NULL;
}

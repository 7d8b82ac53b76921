/* summary.c - summary: the modules of a model as a table. */
#include <config.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/module_text.h"
#include "session/model.h"
#include "session/nested.h"
#include "session/position.h"

struct modules {
	struct cmd_ctx *ctx;
	struct fx_map last;    /* path -> the last node that is of it */
	struct fx_map classes; /* path -> class that a scope names */
	struct fx_map entered; /* nested graph -> 1 */
	size_t limit;
	size_t rows;
};

static void
collect_scopes(struct modules *modules, struct fx_node *node)
{
	const struct fx_scope *scope = node->scope;

	for (; scope; scope = scope->parent) {
		fx_map_set_pointer(&modules->last, scope->path, node);
		if (scope->class_name)
			fx_map_set_pointer(&modules->classes, scope->path,
				scope->class_name);
	}
}

static void collect(struct modules *modules, struct fx_graph *graph,
	const char *prefix);

/* What NODE, a call of the module at PATH, runs. */
static void
collect_call(struct modules *modules, struct fx_node *node, const char *path)
{
	const struct fx_module *module =
		fx_module_find(node->graph->module, node->target);

	if (module && module->graph &&
		fx_map_set(&modules->entered, (uintptr_t)module->graph, 1)) {
		(void)fx_model_shape_nested(modules->ctx->model, module->graph);
		collect(modules, module->graph, fx_intern_format("%s.", path));
	}
	fx_map_set_pointer(&modules->last, path, node);
}

/* The nodes of GRAPH, which runs what is below PREFIX, in their order. */
static void
collect(struct modules *modules, struct fx_graph *graph, const char *prefix)
{
	struct fx_node *node;

	fx_graph_for_each_node (node, graph) {
		if (node->opcode == FX_OPCODE_CALL_MODULE)
			collect_call(modules, node,
				fx_intern_format("%s%s", prefix, node->target));
		if (node->opcode == FX_OPCODE_OUTPUT && !*prefix)
			fx_map_set_pointer(&modules->last, fx_intern(""), node);
		collect_scopes(modules, node);
	}
}

static int64_t
depth_of(const char *path)
{
	int64_t depth = *path != '\0';

	for (; *path; path++)
		depth += *path == '.';
	return depth;
}

/* Scopes know the classes of modules that torch.fx keeps as plain ones. */
static const char *
class_of(struct modules *modules, const char *path,
	const struct fx_module *module)
{
	const char *root = fx_position_graph(modules->ctx->model)->class_name;
	const char *own = fx_class_short_name(module->class_name);
	const char *named = fx_map_get_pointer(&modules->classes, path);

	if (!*path && root)
		return fx_class_short_name(root);
	return named && fx_str_equal(own, "Module") ? fx_class_short_name(named)
						    : own;
}

static void
summary_row(struct modules *modules, const char *path, struct fx_module *module)
{
	struct out *out = modules->ctx->out;
	const struct fx_node *last = fx_map_get_pointer(&modules->last, path);
	FX_AUTO_BUF struct fx_buf config = { 0 };

	modules->rows++;
	if (modules->limit && modules->rows > modules->limit)
		return;
	fx_module_print_config(&config, module);
	out_cell(out, FX_ROLE_SCOPE, "%s", path);
	out_cell(out, FX_ROLE_TARGET, "%s", class_of(modules, path, module));
	out_cell(out, FX_ROLE_MUTED, "%s", fx_buf_text(&config));
	if (last)
		cmd_cell_shape(out, last->meta);
	else
		out_cell_none(out, "");
	out_cell_int(out, FX_ROLE_NUMBER, fx_module_parameter_count(module));
	out_cell_int(out, FX_ROLE_NUMBER,
		(int64_t)fx_module_bytes(module, NULL));
}

struct fx_error *
cmd_summary_exec(struct cmd_ctx *ctx)
{
	static const char *const keys[] = { "+module", "class",
		"1configuration", "3shape", "parameters", "2bytes" };
	struct fx_graph *graph = fx_position_graph(ctx->model);
	struct modules modules = { .ctx = ctx, .limit = cmd_row_limit(ctx) };
	int64_t depth = cmd_flag_int(ctx, "depth", INT32_MAX);
	struct fx_module_walk *walk;
	struct fx_module *module;
	const char *scope;
	const char *path;
	struct fx_error *err = cmd_scope_argument(ctx, &scope);

	if (err)
		return err;
	collect(&modules, graph, "");
	out_table_begin(ctx->out, "modules", FX_ARRAY_LEN(keys), keys);
	walk = fx_module_walk_new(graph->module, false);
	while (fx_module_walk_next(walk, &module, &path))
		if (fx_str_is_below(path, scope) &&
			depth_of(path) - depth_of(scope) <= depth)
			summary_row(&modules, path, module);
	fx_module_walk_free(walk);
	if (modules.limit && modules.rows > modules.limit)
		out_table_more(ctx->out, modules.rows - modules.limit,
			"-m 0 shows all");
	out_table_end(ctx->out);
	fx_map_deinit(&modules.last);
	fx_map_deinit(&modules.classes);
	fx_map_deinit(&modules.entered);
	return NULL;
}

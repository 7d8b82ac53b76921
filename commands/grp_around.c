/* grp_around.c - places and sets: frames, scopes, trees of inputs and users. */
#include <config.h>

#include <string.h>

#include "base/bitset.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/vec.h"
#include "commands/cmd_shell.h"
#include "commands/cmd_show.h"
#include "commands/groups.h"
#include "commands/out.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "session/model.h"
#include "session/position.h"
#include "session/resolve.h"
#include "session/session.h"

/* Frames. */

static void
say_frame(struct cmd_ctx *ctx, const struct fx_frame *frame, size_t index)
{
	static const char *const kinds[] = {
		[FX_FRAME_GRAPH] = "graph",
		[FX_FRAME_SCOPE] = "scope",
		[FX_FRAME_SOURCE] = "source",
	};
	bool selected = index == fx_position_frame(ctx->model);

	out_cell(ctx->out, FX_ROLE_CURRENT, "%s", selected ? "*" : "");
	out_cell(ctx->out, FX_ROLE_NUMBER, "#%zu", index);
	out_cell(ctx->out, FX_ROLE_MUTED, "%s", kinds[frame->kind]);
	out_cell(ctx->out, FX_ROLE_SCOPE, "%s",
		frame->title ? frame->title : "");
	if (frame->kind == FX_FRAME_SOURCE)
		out_cell(ctx->out, FX_ROLE_PATH, "%s:%d%s%s",
			frame->detail ? frame->detail : "?", frame->line,
			frame->text ? "  " : "",
			frame->text ? frame->text : "");
	else
		out_cell(ctx->out, FX_ROLE_TARGET, "%s",
			frame->detail ? frame->detail : "");
}

static void
say_frames(struct cmd_ctx *ctx, const struct fx_frame *frames, size_t first,
	size_t count)
{
	static const char *const keys[] = { "selected", "frame", "kind",
		"title", "detail" };
	size_t i;

	out_table_begin(ctx->out, "frames", FX_ARRAY_LEN(keys), keys);
	for (i = 0; i < count; i++)
		say_frame(ctx, &frames[first + i], first + i);
	out_table_end(ctx->out);
}

static struct fx_error *
where_exec(struct cmd_ctx *ctx)
{
	struct fx_node *node = fx_position_node(ctx->model);
	FX_AUTO_FREE struct fx_frame *frames = NULL;
	size_t count;

	if (node)
		cmd_say_node(ctx, node, true);
	else
		out_line(ctx->out, FX_ROLE_PLAIN, "At the end of %s.",
			fx_model_name(ctx->model));
	fx_position_frames(ctx->model, node, &frames, &count);
	say_frames(ctx, frames, 0, count);
	return NULL;
}

static struct fx_error *
say_limit(struct cmd_ctx *ctx, const char *text)
{
	out_line(ctx->out, FX_ROLE_PLAIN, "%s", text);
	return NULL;
}

/* Select frame INDEX, or the last one in that direction. */
static FX_NODISCARD struct fx_error *
select_frame(struct cmd_ctx *ctx, int64_t index)
{
	struct fx_node *node = fx_position_node(ctx->model);
	FX_AUTO_FREE struct fx_frame *frames = NULL;
	size_t now = fx_position_frame(ctx->model);
	size_t count;

	fx_position_frames(ctx->model, node, &frames, &count);
	if (index < 0 && !now)
		return say_limit(ctx, "At the innermost frame: nothing below.");
	if (!count || (index >= (int64_t)count && now + 1 >= count))
		return say_limit(ctx, "At the outermost frame: nothing above.");
	index = FX_MAX(0, FX_MIN(index, (int64_t)count - 1));
	fx_position_set_frame(ctx->model, (size_t)index);
	say_frames(ctx, frames, (size_t)index, 1);
	return NULL;
}

static struct fx_error *
up_exec(struct cmd_ctx *ctx)
{
	return select_frame(ctx, (int64_t)fx_position_frame(ctx->model) +
					 cmd_arg_int(ctx, "count", 1));
}

static struct fx_error *
down_exec(struct cmd_ctx *ctx)
{
	return select_frame(ctx, (int64_t)fx_position_frame(ctx->model) -
					 cmd_arg_int(ctx, "count", 1));
}

static struct fx_error *
frame_exec(struct cmd_ctx *ctx)
{
	int64_t now = (int64_t)fx_position_frame(ctx->model);
	int64_t number = cmd_arg_int(ctx, "number", now);
	FX_AUTO_FREE struct fx_frame *frames = NULL;
	size_t count;

	fx_position_frames(ctx->model, fx_position_node(ctx->model), &frames,
		&count);
	if (number >= (int64_t)count)
		return fx_error_new(FX_ERR_RANGE,
			"there is no frame %lld; they go from 0 to %zu",
			(long long)number, count ? count - 1 : 0);
	return select_frame(ctx, number);
}

/* Scopes: the module tree, or what the nodes' scopes and targets say. */

struct scope_row {
	const char *path; /* interned */
	const char *class_name;
	int64_t parameters;
	size_t nodes; /* inside, at any depth */
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

/* Count NODE in PATH and in all paths around it. */
static void
count_in(struct scope_list *list, const char *path)
{
	const char *end = path + strlen(path);

	while (end) {
		const char *part = fx_intern_n(path, (size_t)(end - path));

		scope_row(list, part, NULL)->nodes++;
		if (end == path)
			return;
		do
			end--;
		while (end > path && *end != '.');
	}
}

static int64_t
own_parameters(const struct fx_module *module)
{
	int64_t count = 0;
	size_t i;

	for (i = 0; i < module->member_count; i++)
		if (module->members[i].tensor &&
			!module->members[i].tensor->is_buffer)
			count += fx_tensor_numel(module->members[i].tensor);
	return count;
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
			own_parameters(module);
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

	/* A dot sorts before everything, so that a module's inside follows it;
	 * numbers by value, so that 10 comes after 9.
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

static bool
is_below(const char *path, const char *scope)
{
	size_t length = strlen(scope);

	return !length || (!strncmp(path, scope, length) &&
				  (!path[length] || path[length] == '.'));
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

static void
say_scope_tree(struct cmd_ctx *ctx, const char *root, int64_t depth)
{
	struct scope_list list = { 0 };
	struct scope_row *row;

	collect_scopes(&list, fx_model_graph(ctx->model));
	/* The module tree's own order is the best; scopes without a module
	 * have to be put between.
	 */
	if (list.rows.count > list.modules)
		qsort(list.rows.items, list.rows.count,
			sizeof(struct scope_row), compare_paths);
	out_tree_begin(ctx->out, "scopes");
	fx_vec_for_each (row, &list.rows)
		if (is_below(row->path, root) &&
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

/* The scope around PATH, interned. */
static const char *
parent_scope(const char *path)
{
	const char *dot = strrchr(path, '.');

	return fx_intern_n(path, dot ? (size_t)(dot - path) : 0);
}

static struct fx_error *
scope_exec(struct cmd_ctx *ctx)
{
	const char *path = cmd_arg_text(ctx, "path");
	const char *now = fx_model_scope(ctx->model);
	int64_t depth = cmd_flag_int(ctx, "depth", 100000);
	struct fx_error *err;

	if (path && !strcmp(path, "..")) {
		path = parent_scope(now);
	} else if (path) {
		err = fx_resolve_scope(ctx->session, ctx->model, path, &path);
		if (err)
			return err;
	}
	if (cmd_flag(ctx, "tree")) {
		say_scope_tree(ctx, path ? path : now, depth);
		return NULL;
	}
	if (path)
		fx_model_set_scope(ctx->model, path);
	return cmd_say_scope(ctx);
}

/* tree: inputs or users, repeated subtrees once. */

struct tree {
	struct cmd_ctx *ctx;
	struct fx_bitset seen; /* positions whose subtree was shown */
	bool users;
	int depth_limit;
	size_t rows;
	size_t row_limit;
};

static void
tree_line(struct tree *tree, struct fx_node *node, int depth, bool again)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_buf_addf(&text, "%s  @%zu  %s %s", node->name,
		fx_graph_position(node->graph, node),
		fx_opcode_word(node->opcode), node->target);
	if (node->meta && node->meta->kind != FX_VALUE_UNKNOWN) {
		fx_buf_add(&text, "  ");
		cmd_add_shape(&text, node);
	}
	if (again)
		fx_buf_add(&text, "  (above)");
	out_tree_item(tree->ctx->out, depth, FX_ROLE_NODE, "%s",
		fx_buf_text(&text));
	tree->rows++;
}

static void
grow(struct tree *tree, struct fx_node *node, int depth)
{
	size_t position = fx_graph_position(node->graph, node);
	bool again = fx_bitset_has(&tree->seen, position);
	bool has_more = tree->users ? node->user_count : node->use_count;
	const struct fx_use *use;
	size_t i;

	if (tree->row_limit && tree->rows >= tree->row_limit)
		return;
	tree_line(tree, node, depth, again && has_more);
	if (again || depth >= tree->depth_limit)
		return;
	fx_bitset_add(&tree->seen, position);
	for (i = 0; !tree->users && i < node->use_count; i++)
		grow(tree, fx_node_input(node, i), depth + 1);
	if (tree->users)
		fx_node_for_each_user (use, node)
			grow(tree, use->user, depth + 1);
}

static struct fx_error *
tree_exec(struct cmd_ctx *ctx)
{
	struct tree tree = { .ctx = ctx,
		.users = cmd_flag(ctx, "users"),
		.row_limit = cmd_row_limit(ctx) };
	int64_t depth = cmd_flag_int(ctx, "depth", 4);
	struct fx_node *node = cmd_arg_node(ctx, "node");
	struct fx_error *err = node ? NULL : cmd_here(ctx, &node);

	if (err)
		return err;
	/* Below this the lines are too long to read anyhow, and the stack is
	 * safe.
	 */
	tree.depth_limit = (int)FX_MIN(depth, 1000);
	out_tree_begin(ctx->out, "tree");
	grow(&tree, node, 0);
	out_tree_end(ctx->out);
	if (tree.row_limit && tree.rows >= tree.row_limit)
		out_line(ctx->out, FX_ROLE_MUTED,
			"... cut at %zu rows; -m 0 shows all", tree.rows);
	fx_bitset_deinit(&tree.seen);
	fx_session_examine(ctx->session, node);
	return NULL;
}

const struct cmd_entry cmd_group_around[] = {
	{
		.name = "where",
		.aliases = "bt backtrace",
		.summary = "show the frames around the stop",
		.help = "Nested graphs, then the module scopes that the node "
			"at the stop was called in, then the Python lines it "
			"came from, innermost first.",
		.synonyms = "stack frames backtrace place here",
		.needs = CMD_NEED_GRAPH | CMD_NEED_STARTED,
		.examples = { { "where", "all frames" } },
		.exec = where_exec,
	},
	{
		.name = "up",
		.summary = "select the frame around this one",
		.help = "Goes outwards by a number of frames.",
		.synonyms = "frame outer caller",
		.needs = CMD_NEED_GRAPH | CMD_NEED_STARTED,
		.args = { { "count", CMD_ARG_INT, CMD_OPTIONAL, "how many",
			NULL } },
		.examples = { { "up", "one frame out" } },
		.exec = up_exec,
	},
	{
		.name = "down",
		.summary = "select the frame inside this one",
		.help = "Goes inwards by a number of frames.",
		.synonyms = "frame inner callee",
		.needs = CMD_NEED_GRAPH | CMD_NEED_STARTED,
		.args = { { "count", CMD_ARG_INT, CMD_OPTIONAL, "how many",
			NULL } },
		.examples = { { "down", "one frame in" } },
		.exec = down_exec,
	},
	{
		.name = "frame",
		.aliases = "f",
		.summary = "show or select a frame by its number",
		.help = "Numbers are those of where; 0 is the innermost.",
		.synonyms = "select stack",
		.needs = CMD_NEED_GRAPH | CMD_NEED_STARTED,
		.args = { { "number", CMD_ARG_INT, CMD_OPTIONAL, "which",
			NULL } },
		.examples = { { "frame 0", "the innermost frame" } },
		.exec = frame_exec,
	},
	{
		.name = "scope",
		.summary = "show or enter a module scope, or show the tree",
		.help = "Paths are looked up below the scope entered first. "
			".. goes out. -t shows the tree of modules with nodes "
			"and parameters.",
		.synonyms = "module tree enter cd hierarchy modules",
		.needs = CMD_NEED_GRAPH,
		.args = { { "path", CMD_ARG_LOCATION, CMD_OPTIONAL,
			"a module path; .. goes out", NULL } },
		.flags = { { "tree", 't', CMD_ARG_END, "show the tree" },
			{ "depth", 'k', CMD_ARG_INT, "levels of the tree" } },
		.examples = { { "scope -t", "the module tree" },
			{ "scope layer1.0", "enter a module" },
			{ "scope ..", "leave it" } },
		.exec = scope_exec,
	},
	{
		.name = "tree",
		.summary = "show inputs or users as a tree",
		.help = "What a node is computed from, or with -u what is "
			"computed from it, to a depth (4). What was shown "
			"above is not shown again.",
		.synonyms = "inputs users dependencies cone graph",
		.needs = CMD_NEED_GRAPH,
		.args = { { "node", CMD_ARG_NODE, CMD_OPTIONAL,
			"which; the one at the stop", NULL } },
		.flags = { { "users", 'u', CMD_ARG_END,
				   "users instead of inputs" },
			{ "depth", 'k', CMD_ARG_INT, "how deep; 4" },
			{ "max", 'm', CMD_ARG_INT, "at most this many rows" } },
		.examples = { { "tree output -k 2", "two levels of inputs" },
			{ "tree x -u", "everything that uses %x" } },
		.exec = tree_exec,
	},
	{ .name = NULL },
};

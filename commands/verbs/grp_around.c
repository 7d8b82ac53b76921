/* grp_around.c - places and sets: frames, scopes, trees of inputs and users. */
#include <config.h>

#include <string.h>

#include "base/bitset.h"
#include "base/buf.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "session/model.h"
#include "session/position.h"
#include "session/session.h"

/* Frames. */

static void
say_frame(struct cmd_ctx *ctx, const struct fx_location *frame, size_t index)
{
	static const char *const kinds[] = {
		[FX_LOCATION_GRAPH] = "graph",
		[FX_LOCATION_SCOPE] = "scope",
		[FX_LOCATION_SOURCE] = "source",
	};
	bool selected = index == fx_position_location(ctx->model);

	out_cell(ctx->out, FX_ROLE_CURRENT, "%s", selected ? "*" : "");
	out_cell(ctx->out, FX_ROLE_NUMBER, "#%zu", index);
	out_cell(ctx->out, FX_ROLE_MUTED, "%s", kinds[frame->kind]);
	out_cell(ctx->out, FX_ROLE_SCOPE, "%s",
		frame->title ? frame->title : "");
	if (frame->kind == FX_LOCATION_SOURCE)
		out_cell(ctx->out, FX_ROLE_PATH, "%s:%d%s%s",
			frame->detail ? frame->detail : "?", frame->line,
			frame->text ? "  " : "",
			frame->text ? frame->text : "");
	else
		out_cell(ctx->out, FX_ROLE_TARGET, "%s",
			frame->detail ? frame->detail : "");
}

static void
say_frames(struct cmd_ctx *ctx, const struct fx_location *frames, size_t first,
	size_t count)
{
	static const char *const keys[] = { "selected", "frame", "1kind",
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
	FX_AUTO_FREE struct fx_location *frames = NULL;
	size_t count;

	if (node)
		cmd_say_node(ctx, node, true);
	else
		out_line(ctx->out, FX_ROLE_PLAIN, "At the end of %s.",
			fx_model_name(ctx->model));
	fx_position_locations(ctx->model, node, &frames, &count);
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
	FX_AUTO_FREE struct fx_location *frames = NULL;
	size_t now = fx_position_location(ctx->model);
	size_t count;

	fx_position_locations(ctx->model, node, &frames, &count);
	if (index < 0 && !now)
		return say_limit(ctx, "At the innermost frame: nothing below.");
	if (!count || (index >= (int64_t)count && now + 1 >= count))
		return say_limit(ctx, "At the outermost frame: nothing above.");
	index = FX_MAX(0, FX_MIN(index, (int64_t)count - 1));
	fx_position_set_location(ctx->model, (size_t)index);
	ctx->shell->has_listed = false;
	say_frames(ctx, frames, (size_t)index, 1);
	return NULL;
}

/* up and down. */
static struct fx_error *
walk_exec(struct cmd_ctx *ctx)
{
	return select_frame(ctx,
		(int64_t)fx_position_location(ctx->model) +
			ctx->entry->variant * cmd_arg_int(ctx, "count", 1));
}

static struct fx_error *
frame_exec(struct cmd_ctx *ctx)
{
	int64_t now = (int64_t)fx_position_location(ctx->model);
	int64_t number = cmd_arg_int(ctx, "number", now);
	FX_AUTO_FREE struct fx_location *frames = NULL;
	size_t count;

	fx_position_locations(ctx->model, fx_position_node(ctx->model), &frames,
		&count);
	if (number >= (int64_t)count)
		return fx_error_new(FX_ERR_RANGE,
			"there is no frame %lld; they go from 0 to %zu",
			(long long)number, count ? count - 1 : 0);
	return select_frame(ctx, number);
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

	if (!node)
		node = fx_position_node(ctx->model);
	if (!node)
		node = fx_graph_last(fx_position_graph(ctx->model));
	if (!node)
		return fx_error_new(FX_ERR_NO_NODE, "%s has no nodes",
			fx_model_name(ctx->model));
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

/* `tag` (variant true) and `untag`. */
static struct fx_error *
tag_exec(struct cmd_ctx *ctx)
{
	struct fx_graph *graph = fx_position_graph(ctx->model);
	bool is_tagged = ctx->entry->variant;
	const size_t *positions = NULL;
	size_t count = graph->node_count;

	cmd_arg_set(ctx, "set", &positions, &count);
	for (size_t i = 0; i < count; i++) {
		size_t position = positions ? positions[i] : i;

		fx_model_set_tag(ctx->model, fx_graph_at(graph, position)->id,
			is_tagged);
	}
	count = 0;
	for (size_t i = 0; i < graph->node_count; i++)
		count += fx_model_is_tagged(ctx->model,
			fx_graph_at(graph, i)->id);
	out_line(ctx->out, FX_ROLE_PLAIN, "%zu node%s tagged", count,
		count == 1 ? "" : "s");
	return NULL;
}

const struct cmd_entry cmd_group_around[] = {
	{
		.name = "where",
		.aliases = "bt backtrace w",
		.summary = "show the frames around the stop",
		.help = "Nested graphs, then the module scopes that the node "
			"at the stop was called in, then the Python lines it "
			"came from, innermost first.",
		.synonyms = "stack frames backtrace place here current",
		.needs = CMD_NEED_GRAPH | CMD_NEED_STARTED | CMD_LOOKS,
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
		.exec = walk_exec,
		.variant = 1,
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
		.exec = walk_exec,
		.variant = -1,
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
		.exec = cmd_scope_exec,
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
			"which; the one at the stop, else the last", NULL } },
		.flags = { { "users", 'u', CMD_ARG_END,
				   "users instead of inputs" },
			{ "depth", 'k', CMD_ARG_INT, "how deep; 4" },
			{ "max", 'm', CMD_ARG_INT, "at most this many rows" } },
		.examples = { { "tree output -k 2", "two levels of inputs" },
			{ "tree x -u", "everything that uses %x" } },
		.exec = tree_exec,
	},
	{
		.name = "slice",
		.summary = "list what a node depends on, or what depends on it",
		.help = "Backward, all nodes that it is computed from, itself "
			"among them; -u forward, all that is computed from it; "
			"-k so many edges away at most. The set is $_ then, "
			"and up(n, k) and down(n, k) are the same in a query.",
		.synonyms = "cone backward forward dependencies inputs users "
			    "transitive slice",
		.needs = CMD_NEED_GRAPH | CMD_LISTS | CMD_REPEATS,
		.sort_words = cmd_node_sort_words,
		.args = { { "node", CMD_ARG_NODE, 0, "of which", NULL } },
		.flags = { { "users", 'u', CMD_ARG_END,
				   "users instead of inputs" },
			{ "depth", 'k', CMD_ARG_INT, "edges away at most" } },
		.examples = { { "slice relu", "what it is computed from" },
			{ "slice layer4_1_conv2 -u", "what it reaches" } },
		.exec = cmd_slice_exec,
	},
	{
		.name = "path",
		.summary = "list the nodes of a path between two",
		.help = "A shortest one from the first to the second, which "
			"depends on it; --all lists the nodes of all paths. "
			"The set is $_ then; path(a, b) is the same in a "
			"query.",
		.synonyms = "route connect between shortest reach",
		.needs = CMD_NEED_GRAPH | CMD_LISTS | CMD_REPEATS,
		.sort_words = cmd_node_sort_words,
		.args = { { "from", CMD_ARG_NODE, 0, "where it begins", NULL },
			{ "target", CMD_ARG_NODE, 0, "where it ends", NULL } },
		.flags = { { "all", 0, CMD_ARG_END, "of all paths" } },
		.examples = { { "path maxpool add_1", "a shortest path" },
			{ "path maxpool add --all", "everything between" } },
		.exec = cmd_path_exec,
	},
	{
		.name = "context",
		.summary = "show what surrounds the stop",
		.help = "The value made last and those that the node is given, "
			"the lines of the model's source, the nodes before and "
			"after, the stops; of the frame that up or frame "
			"selected. PARTS chooses: values, source, code, stops, "
			"or with a minus all but these. set context on, or "
			"set context and parts, shows it at every stop.",
		.synonyms = "dashboard around surroundings layout panel state",
		.needs = CMD_NEED_GRAPH | CMD_NEED_STARTED | CMD_REPEATS |
			 CMD_LOOKS,
		.args = { { "parts", CMD_ARG_REST, CMD_OPTIONAL,
			"which, as in values code", NULL } },
		.examples = { { "context", "all of it" },
			{ "context values code", "two parts" },
			{ "context -stops", "all but one" } },
		.exec = cmd_context_exec,
	},
	{
		.name = "dom",
		.summary = "list the dominators of a node",
		.help = "Those that every path from an input to it passes; -u "
			"its postdominators: every path from it to the output. "
			"The set is $_ then; dom(n) and postdom(n) are the "
			"same in a query.",
		.synonyms = "dominators dominator postdominators bottleneck "
			    "cut articulation",
		.needs = CMD_NEED_GRAPH | CMD_LISTS | CMD_REPEATS,
		.sort_words = cmd_node_sort_words,
		.args = { { "node", CMD_ARG_NODE, 0, "of which", NULL } },
		.flags = { { "users", 'u', CMD_ARG_END,
			"towards the output" } },
		.examples = { { "dom add_1", "what everything goes through" } },
		.exec = cmd_dom_exec,
	},
	{
		.name = "tag",
		.summary = "mark nodes, for {tagged}",
		.help = "Other commands take those that are tagged as a set: "
			"nodes tagged, break {tagged}. On the full screen "
			"Space "
			"does it for one node. save leaves tags out; recover "
			"brings them back.",
		.synonyms = "mark select pick choose",
		.needs = CMD_NEED_GRAPH,
		.args = { { "set", CMD_ARG_SET, 0, "a node or a query",
			NULL } },
		.examples = { { "tag conv1", "one node" },
			{ "tag in layer2 and op=call_module", "several" } },
		.exec = tag_exec,
		.variant = true,
	},
	{
		.name = "untag",
		.summary = "take tags off",
		.help = "Off the nodes of a set, or off all.",
		.synonyms = "unmark deselect",
		.needs = CMD_NEED_GRAPH,
		.args = { { "set", CMD_ARG_SET, CMD_OPTIONAL,
			"a node or a query", NULL } },
		.examples = { { "untag", "no node is tagged" } },
		.exec = tag_exec,
		.variant = false,
	},
	{ .name = NULL },
};

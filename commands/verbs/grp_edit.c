/* grp_edit.c - commands that change the graph. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/verbs/edit.h"
#include "ir/edit.h"
#include "ir/graph.h"
#include "ir/tensor_meta.h"
#include "ir/value_walk.h"
#include "session/model.h"
#include "session/position.h"
#include "session/resolve.h"

/* insert. */

struct insertion {
	struct fx_fragment fragment;
	struct fx_node *anchor;
	bool after;
};

/* The module is made on a line of its own, under the name that it got: the
 * script then does not depend on what the result is called.
 */
static void
add_insertion(struct cmd_ctx *ctx, const struct fx_fragment *fragment,
	const char *name, struct fx_buf *script)
{
	FX_AUTO_FREE char *seed = NULL;
	FX_AUTO_BUF struct fx_buf made = { 0 };
	const struct fx_span *layer = &fragment->construct;

	if (fragment->placed) {
		seed = cmd_edit_seed(ctx, fragment);
		fx_buf_addf(script, "set module %s = %.*s%s%s\n",
			fragment->placed, (int)(layer->end - layer->begin),
			fragment->text + layer->begin, seed ? " --seed " : "",
			seed ? seed : "");
	}
	fx_buf_addf(&made, "%s = ", name);
	fx_fragment_print(fragment, fragment->placed, &made);
	cmd_canonical_set(ctx, ":", fx_buf_text(&made));
	cmd_canonical_set(ctx, "fresh", NULL);
}

static struct fx_error *
insert_edit(struct cmd_ctx *ctx, void *data, struct fx_buf *script)
{
	struct insertion *insertion = data;
	struct fx_node *anchor = insertion->anchor;
	struct fx_graft_place place = { .before = anchor,
		.near = anchor,
		.name = insertion->fragment.name,
		.is_fresh = cmd_flag(ctx, "fresh") };
	struct fx_graft graft = { &insertion->fragment, cmd_edit_fill, ctx };
	struct fx_node *first;
	struct fx_node *result;
	struct fx_error *err;

	if (insertion->after)
		place.before = fx_graph_next(anchor);
	if (fx_fragment_is_node(&insertion->fragment))
		return fx_error_new(FX_ERR_TYPE,
			"\"%s\" is a node already; rauw gives its users "
			"another",
			insertion->fragment.text);
	err = fx_graft(&graft, &place, &first, &result);
	if (!err && cmd_flag(ctx, "splice"))
		err = fx_graft_redirect(anchor, first, result);
	if (err)
		return err;
	add_insertion(ctx, &insertion->fragment, result->name, script);
	return NULL;
}

/* insert input. */

struct new_input {
	char *name;
	const char *text; /* behind =, or NULL */
};

static bool
is_no_node(void *context, struct fx_node *node)
{
	(void)context;
	(void)node;
	return false;
}

/* What a new input has by TEXT: the shape f32[1,3] or a default. */
static FX_NODISCARD struct fx_error *
read_new_input(struct cmd_ctx *ctx, const char *text, struct fx_value *ret,
	bool *is_shape_ret)
{
	struct fx_graph *graph = fx_position_graph(ctx->model);
	size_t word = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789?");
	struct fx_error *err;

	/* A number is a default, and so is a list. */
	*is_shape_ret = text[word] == '[' && *text >= 'a' && *text <= 'z';
	if (*is_shape_ret)
		return fx_tensor_meta_parse(graph->values, text, strlen(text),
			ret);
	err = cmd_edit_value(ctx, text, ret);
	if (!err && !fx_value_visit_nodes(ret, is_no_node, NULL))
		err = fx_error_new(FX_ERR_TYPE,
			"a default is a plain value, no node");
	if (err && !fx_error_hint_text(err))
		err = fx_error_hint(err,
			"an input has a shape, z = f32[1,3], or a default, "
			"z = 0.5");
	return err;
}

static struct fx_error *
input_edit(struct cmd_ctx *ctx, void *data, struct fx_buf *script)
{
	const struct new_input *input = data;
	bool is_shape = false;
	struct fx_value value;
	struct fx_error *err = NULL;

	(void)script;
	if (input->text)
		err = read_new_input(ctx, input->text, &value, &is_shape);
	if (err)
		return err;
	return fx_edit_create_input(fx_position_graph(ctx->model), input->name,
		input->text && !is_shape ? &value : NULL,
		is_shape ? &value : NULL, NULL);
}

static FX_NODISCARD struct fx_error *
insert_input(struct cmd_ctx *ctx, const char *text)
{
	struct new_input input = { .text = NULL };
	const char *rest = text;
	struct fx_error *err;

	if (cmd_flag(ctx, "splice") || cmd_flag(ctx, "fresh"))
		return fx_error_new(FX_ERR_USAGE,
			"insert: a new input takes neither --splice nor "
			"--fresh");
	err = fx_fragment_take_name(&rest, &input.name);
	if (!err && input.name)
		input.text = rest;
	else if (!err)
		input.name = fx_xstrdup(text + (*text == '%'));
	if (!err)
		err = cmd_edit(ctx, "edit", input_edit, &input);
	free(input.name);
	return err;
}

struct fx_error *
cmd_insert_exec(struct cmd_ctx *ctx)
{
	struct insertion insertion = { .anchor = cmd_arg_node(ctx, "anchor") };
	const char *where = cmd_arg_text(ctx, "where");
	const char *text = cmd_arg_text(ctx, ":");
	struct fx_error *err;

	if (cmd_arg_text(ctx, "input"))
		return insert_input(ctx, cmd_arg_text(ctx, "input"));
	insertion.after = !strcmp(where, "after");
	err = fx_resolve_fragment(ctx->session, ctx->model, text, false,
		&insertion.fragment);
	if (!err)
		err = cmd_edit(ctx, "edit", insert_edit, &insertion);
	fx_fragment_deinit(&insertion.fragment);
	return err;
}

/* erase. */

/* Erase the nodes from the end of the graph on, so that users are erased before
 * the nodes that they use.
 */
static struct fx_error *
erase_edit(struct cmd_ctx *ctx, void *data, struct fx_buf *script)
{
	struct fx_graph *graph = fx_position_graph(ctx->model);
	struct fx_node *to = cmd_flag_node(ctx, "to");
	const size_t *positions;
	struct fx_error *err = NULL;
	FX_AUTO_FREE struct fx_node **nodes = NULL;
	size_t count;
	size_t i;

	(void)data;
	(void)script;
	cmd_arg_set(ctx, "set", &positions, &count);
	if (!count)
		return fx_error_new(FX_ERR_NO_NODE,
			"erase: no node matches \"%s\"",
			cmd_arg_text(ctx, "set"));
	nodes = fx_xcalloc(count, sizeof(struct fx_node *));
	for (i = 0; i < count; i++)
		nodes[i] = fx_graph_at(graph, positions[i]);
	for (i = count; i-- > 0 && !err;) {
		struct fx_value value = fx_value_node(to);

		if (to == nodes[i])
			return fx_error_new(FX_ERR_VALUE,
				"%%%s cannot take its own place", to->name);
		if (to)
			err = fx_edit_replace_uses(nodes[i], &value, NULL, NULL,
				NULL);
		if (!err)
			err = fx_edit_erase(nodes[i]);
	}
	return err;
}

static struct fx_error *
erase_exec(struct cmd_ctx *ctx)
{
	return cmd_edit(ctx, "edit", erase_edit, NULL);
}

/* rauw. */

struct limits {
	struct fx_graph *graph;
	const size_t *only; /* ascending, or NULL */
	size_t only_count;
	const size_t *except;
	size_t except_count;
};

static bool
has(const size_t *positions, size_t count, size_t position)
{
	return count && bsearch(&position, positions, count, sizeof(size_t),
				fx_number_compare_sizes);
}

static bool
within_limits(void *context, struct fx_node *user)
{
	const struct limits *limits = context;
	size_t position = fx_graph_position(limits->graph, user);

	if (limits->only && !has(limits->only, limits->only_count, position))
		return false;
	return !has(limits->except, limits->except_count, position);
}

static struct fx_error *
rauw_edit(struct cmd_ctx *ctx, void *data, struct fx_buf *script)
{
	struct fx_node *old = cmd_arg_node(ctx, "old");
	const char *text = cmd_arg_text(ctx, "new");
	struct limits limits = { .graph = fx_position_graph(ctx->model) };
	struct fx_value value;
	struct fx_error *err;
	size_t count;

	(void)data;
	(void)script;
	cmd_arg_set(ctx, "only", &limits.only, &limits.only_count);
	cmd_arg_set(ctx, "except", &limits.except, &limits.except_count);
	err = cmd_edit_value(ctx, text, &value);
	if (err)
		return err;
	err = fx_edit_replace_uses(old, &value,
		limits.only || limits.except ? within_limits : NULL, &limits,
		&count);
	if (!err && !count)
		out_note(ctx->out, "%%%s has no users to rewire", old->name);
	return err;
}

static struct fx_error *
rauw_exec(struct cmd_ctx *ctx)
{
	return cmd_edit(ctx, "edit", rauw_edit, NULL);
}

/* rename, move. */

static struct fx_error *
rename_edit(struct cmd_ctx *ctx, void *data, struct fx_buf *script)
{
	struct fx_node *node = cmd_arg_node(ctx, "node");
	const char *name = cmd_arg_text(ctx, "name");

	(void)data;
	(void)script;
	if (*name == '%')
		name++;
	return fx_edit_set_name(node, name);
}

static struct fx_error *
rename_exec(struct cmd_ctx *ctx)
{
	return cmd_edit(ctx, "edit", rename_edit, NULL);
}

static struct fx_error *
move_edit(struct cmd_ctx *ctx, void *data, struct fx_buf *script)
{
	struct fx_node *node = cmd_arg_node(ctx, "node");
	struct fx_node *anchor = cmd_arg_node(ctx, "anchor");
	bool after = !strcmp(cmd_arg_text(ctx, "where"), "after");
	struct fx_node *before = after ? fx_graph_next(anchor) : anchor;

	(void)data;
	(void)script;
	if (node == anchor || before == node)
		return NULL;
	return fx_edit_move(node, before);
}

static struct fx_error *
move_exec(struct cmd_ctx *ctx)
{
	return cmd_edit(ctx, "edit", move_edit, NULL);
}

#define EDIT_FLAGS \
	{ "dry-run", 'n', CMD_ARG_END, \
		"show what would change, change nothing" }, \
	{ \
		"force", 'f', CMD_ARG_END, "allow shapes that cannot be" \
	}
#define EDIT_NEEDS (CMD_NEED_GRAPH | CMD_NEED_WRITABLE)

const struct cmd_entry cmd_group_edit[] = {
	{
		.name = "insert",
		.summary = "add a node",
		.help = "After or before a node; the right-hand side is what "
			"torch.fx prints for one node: torch.neg(x), x + y, "
			"x.shape, self.a.b(x), self.w. An inner call becomes a "
			"node of its own. nn.X(...)(...) also creates the "
			"module. --splice gives the new value to all that used "
			"the anchor; --fresh numbers a name that is taken. "
			"`insert input` adds an input after the others, with a "
			"shape or a default; erase removes one.",
		.synonyms = "add create new node call placeholder argument",
		.needs = EDIT_NEEDS,
		.args = { { "where", CMD_ARG_WORD, 0, "after or before",
				  "after|before" },
			{ "anchor", CMD_ARG_NODE, 0, "which node", NULL },
			{ ":", CMD_ARG_REST, CMD_KEYWORD, "NAME = EXPRESSION",
				NULL },
			{ "input", CMD_ARG_REST, CMD_KEYWORD | CMD_ALONE,
				"NAME = SHAPE, or NAME = DEFAULT", NULL } },
		.flags = { { "splice", 0, CMD_ARG_END,
				   "users of the anchor use it instead" },
			{ "fresh", 0, CMD_ARG_END,
				"number the name if it is taken" },
			EDIT_FLAGS },
		.examples = { { "insert after relu : y = torch.neg(relu)",
				      "a new node" },
			{ "insert before . : t = x.transpose(1, 2)",
				"before the stop" },
			{ "insert after relu : d = nn.Dropout(0.5)(relu) "
			  "--splice",
				"with a module, into the stream" },
			{ "insert input z = f32[1,3]", "a new input" } },
		.exec = cmd_insert_exec,
	},
	{
		.name = "erase",
		.summary = "erase nodes",
		.help = "Refused while others use them, unless --to names what "
			"they get instead.",
		.synonyms = "delete remove node drop",
		.needs = EDIT_NEEDS,
		.args = { { "set", CMD_ARG_SET, 0, "a node or a query",
			NULL } },
		.flags = { { "to", 0, CMD_ARG_NODE,
				   "users get this node instead" },
			EDIT_FLAGS },
		.examples = { { "erase drop --to relu",
				      "users of %drop get %relu" },
			{ "erase {users=0 and op=call_function}",
				"what nobody uses" } },
		.exec = erase_exec,
	},
	{
		.name = "replace",
		.summary = "replace nodes by others",
		.help = "The new node gets the users and the name; the old one "
			"is erased, or stays with its name where the new one "
			"reads it.  $v is the first node that the old one "
			"reads, so that each of a set gets its own; . is the "
			"node at the stop, here as everywhere.  What stands "
			"behind = is what insert takes: a function, a method, "
			"self.PATH(...) or nn.X(...)(...), which makes the "
			"module.",
		.synonyms = "change swap node function exchange activation all "
			    "every each substitute relu gelu",
		.needs = EDIT_NEEDS,
		.args = { { "set", CMD_ARG_SET, 0, "a node or a query", NULL },
			{ "=", CMD_ARG_REST, CMD_KEYWORD,
				"what it becomes, as for insert", NULL } },
		.flags = { { "seed", 0, CMD_ARG_INT,
				   "for the numbers of new modules" },
			EDIT_FLAGS },
		.examples = { { "replace {target~\"*relu*\"} = "
				"torch.nn.functional.gelu($v)",
				      "every relu by gelu" },
			{ "replace {module~\"*ReLU\"} = nn.GELU()($v)",
				"every module nn.ReLU by an nn.GELU" },
			{ "replace relu = torch.nn.functional.gelu(bn1)",
				"one node by another function" },
			{ "replace relu = torch.neg(relu)",
				"one node by what wraps it" } },
		.exec = cmd_replace_exec,
	},
	{
		.name = "rauw",
		.aliases = "replace_all_uses_with",
		.summary = "give the users of a node another value",
		.help = "All users, or those of a set. A change that would "
			"make "
			"a node depend on itself is refused, with the path.",
		.synonyms = "replace all uses with redirect rewire users",
		.needs = EDIT_NEEDS,
		.args = { { "old", CMD_ARG_NODE, 0, "whose users", NULL },
			{ "new", CMD_ARG_EXPR, 0, "what they get", NULL },
			{ "only", CMD_ARG_SET, CMD_OPTIONAL | CMD_KEYWORD,
				"these users only", NULL },
			{ "except", CMD_ARG_SET, CMD_OPTIONAL | CMD_KEYWORD,
				"not these users", NULL } },
		.flags = { EDIT_FLAGS },
		.examples = { { "rauw relu neg", "all users of %relu" },
			{ "rauw relu neg only {in layer2}", "some" } },
		.exec = rauw_exec,
	},
	{
		.name = "rename",
		.summary = "give a node another name",
		.help = "The name must be an identifier that no node has; "
			"references follow.",
		.synonyms = "name call",
		.needs = EDIT_NEEDS,
		.args = { { "node", CMD_ARG_NODE, 0, "which node", NULL },
			{ "name", CMD_ARG_WORD, 0, "its new name", NULL } },
		.flags = { EDIT_FLAGS },
		.examples = { { "rename add residual", "a better name" } },
		.exec = rename_exec,
	},
	{
		.name = "move",
		.summary = "put a node elsewhere in the order",
		.help = "Inputs must stand before and users after it; what "
			"blocks the move is named.",
		.synonyms = "reorder order sort",
		.needs = EDIT_NEEDS,
		.args = { { "node", CMD_ARG_NODE, 0, "which node", NULL },
			{ "where", CMD_ARG_WORD, 0, "after or before",
				"after|before" },
			{ "anchor", CMD_ARG_NODE, 0, "what", NULL } },
		.flags = { EDIT_FLAGS },
		.examples = { { "move t before mm", "earlier or later" } },
		.exec = move_exec,
	},
	{ .name = NULL },
};

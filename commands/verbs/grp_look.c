/* grp_look.c - looking at nodes and at the whole graph. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/vec.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "ir/tensor_meta.h"
#include "ir/verify.h"
#include "session/model.h"
#include "session/position.h"
#include "session/search.h"
#include "session/session.h"

/* nodes. */

struct sort_row {
	size_t position;
	const char *text; /* or NULL: by number */
	int64_t number;
	size_t order;
};

struct sort_key {
	const char *name;
	const char *(*text)(const struct fx_node *node);
	int64_t (*number)(const struct fx_node *node);
};

static const char *
text_name(const struct fx_node *node)
{
	return node->name;
}

static const char *
text_target(const struct fx_node *node)
{
	return node->target;
}

static const char *
text_op(const struct fx_node *node)
{
	return fx_opcode_word(node->opcode);
}

static int64_t
number_users(const struct fx_node *node)
{
	return node->user_count;
}

static int64_t
number_inputs(const struct fx_node *node)
{
	return node->use_count;
}

static int64_t
number_index(const struct fx_node *node)
{
	return (int64_t)fx_graph_position(node->graph, node);
}

/* Elements or bytes of a result whose sizes are all known, else -1. */
static int64_t
elements(const struct fx_node *node)
{
	const struct fx_tensor_meta *meta;
	int64_t count = 1;
	uint32_t i;

	if (!node->meta || node->meta->kind != FX_VALUE_TENSOR ||
		!node->meta->tensor->has_shape)
		return -1;
	meta = node->meta->tensor;
	for (i = 0; i < meta->rank; i++) {
		if (meta->sizes[i].kind != FX_VALUE_INT ||
			__builtin_mul_overflow(count, meta->sizes[i].integer,
				&count))
			return -1;
	}
	return count;
}

static int64_t
number_bytes(const struct fx_node *node)
{
	int64_t count = elements(node);
	enum fx_dtype dtype =
		count < 0 ? FX_DTYPE_NONE : node->meta->tensor->dtype;

	if (dtype == FX_DTYPE_NONE ||
		__builtin_mul_overflow(count,
			(int64_t)fx_dtype_info(dtype)->size, &count))
		return -1;
	return count;
}

static const struct sort_key sort_keys[] = {
	{ "index", NULL, number_index },
	{ "name", text_name, NULL },
	{ "op", text_op, NULL },
	{ "target", text_target, NULL },
	{ "scope", cmd_node_scope, NULL },
	{ "users", NULL, number_users },
	{ "inputs", NULL, number_inputs },
	{ "size", NULL, elements },
	{ "bytes", NULL, number_bytes },
};

void
cmd_node_sort_words(void (*offer)(void *context, const char *word),
	void *context)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(sort_keys); i++)
		offer(context, sort_keys[i].name);
}

static int
compare_rows(const void *a, const void *b)
{
	const struct sort_row *x = a;
	const struct sort_row *y = b;
	int order = x->text ? strcmp(x->text, y->text) : 0;

	if (!x->text)
		order = (x->number > y->number) - (x->number < y->number);
	return order ? order : (x->order > y->order) - (x->order < y->order);
}

static const struct sort_key *
find_sort_key(const char *name)
{
	size_t i;

	for (i = 0; i < FX_ARRAY_LEN(sort_keys); i++)
		if (!strcmp(sort_keys[i].name, name))
			return &sort_keys[i];
	return NULL;
}

static FX_NODISCARD struct fx_error *
unknown_key(const char *name)
{
	FX_AUTO_BUF struct fx_buf names = { 0 };
	size_t i;

	for (i = 0; i < FX_ARRAY_LEN(sort_keys); i++)
		fx_buf_addf(&names, "%s%s", i ? " " : "", sort_keys[i].name);
	return fx_error_note(fx_error_new(FX_ERR_USAGE,
				     "cannot sort nodes by \"%s\"", name),
		"one of: %s; -KEY sorts downwards", fx_buf_text(&names));
}

/* Sort POSITIONS by KEY; numbers of bytes and users come largest first, as
 * that is what one looks for; a leading dash turns the order.
 */
static FX_NODISCARD struct fx_error *
sort_positions(struct fx_graph *graph, const char *name, size_t *positions,
	size_t count)
{
	bool reverse = *name == '-';
	const struct sort_key *key = find_sort_key(name + reverse);
	FX_AUTO_FREE struct sort_row *rows =
		fx_xcalloc(count, sizeof(struct sort_row));
	size_t i;

	if (!key)
		return unknown_key(name);
	if (key->number && key->number != number_index)
		reverse = !reverse;
	for (i = 0; i < count; i++) {
		struct fx_node *node = fx_graph_at(graph, positions[i]);

		rows[i] = (struct sort_row){ .position = positions[i],
			.text = key->text ? key->text(node) : NULL,
			.number = key->number ? key->number(node) : 0,
			.order = reverse ? count - i : i };
	}
	if (count)
		qsort(rows, count, sizeof(*rows), compare_rows);
	for (i = 0; i < count; i++)
		positions[i] = rows[reverse ? count - 1 - i : i].position;
	return NULL;
}

struct fx_error *
cmd_say_nodes_sorted(struct cmd_ctx *ctx, const size_t *chosen, size_t count)
{
	struct fx_graph *graph = fx_position_graph(ctx->model);
	const char *key = cmd_flag(ctx, "sort");
	FX_AUTO_FREE size_t *positions = NULL;
	struct fx_error *err;
	size_t i;

	out_arrange(ctx->out, NULL, 0);
	positions = fx_xcalloc(count, sizeof(size_t));
	for (i = 0; i < count; i++)
		positions[i] = chosen ? chosen[i] : i;
	if (key) {
		err = sort_positions(graph, key, positions, count);
		if (err)
			return err;
	}
	return cmd_say_nodes(ctx, positions, count);
}

static struct fx_error *
nodes_exec(struct cmd_ctx *ctx)
{
	const size_t *chosen;
	size_t count;

	if (!cmd_arg_set(ctx, "set", &chosen, &count)) {
		chosen = NULL;
		count = fx_position_graph(ctx->model)->node_count;
	}
	if (!count)
		out_line(ctx->out, FX_ROLE_PLAIN, "No node matches.");
	return cmd_say_nodes_sorted(ctx, chosen, count);
}

/* search. */

static void
say_found(struct cmd_ctx *ctx, struct fx_node *found, const char *text)
{
	struct fx_graph *graph = found->graph;
	size_t position = fx_graph_position(graph, found);
	size_t number = 0;
	size_t count = 0;

	for (size_t i = 0; i < graph->node_count; i++) {
		count += fx_search(fx_graph_at(graph, i), text);
		if (i == position)
			number = count;
	}
	out_value_text(ctx->out, "node", found->name);
	out_value_int(ctx->out, "position", (int64_t)position);
	out_value_int(ctx->out, "match", (int64_t)number);
	out_value_int(ctx->out, "matches", (int64_t)count);
	cmd_say_node(ctx, found, found == fx_position_node(ctx->model));
	if (fx_search_row(found, text))
		out_line(ctx->out, FX_ROLE_MUTED, "    match %zu of %zu",
			number, count);
	else
		out_line(ctx->out, FX_ROLE_MUTED,
			"    match %zu of %zu, in its source line: %s", number,
			count, fx_search_source(found, text));
}

static struct fx_error *
search_exec(struct cmd_ctx *ctx)
{
	struct fx_graph *graph = fx_position_graph(ctx->model);
	const char *text = cmd_arg_text(ctx, "text");
	size_t from = ctx->shell->search_next;
	size_t i;

	if (!text)
		text = ctx->shell->search_text;
	if (!text)
		return fx_error_new(FX_ERR_USAGE,
			"search: expected what to search for");
	for (i = 0; i < graph->node_count; i++) {
		size_t at = (from + i) % graph->node_count;
		struct fx_node *node = fx_graph_at(graph, at);

		if (!fx_search(node, text))
			continue;
		if (at < from)
			out_note(ctx->out, "went on from the beginning");
		ctx->shell->search_next = at + 1;
		say_found(ctx, node, text);
		if (text != ctx->shell->search_text) {
			free(ctx->shell->search_text);
			ctx->shell->search_text = fx_xstrdup(text);
		}
		fx_session_examine(ctx->session, node);
		return NULL;
	}
	return fx_error_new(FX_ERR_NO_NODE,
		"no name, target, class, shape or source line in %s "
		"contains \"%s\"",
		fx_position_graph_name(ctx->model), text);
}

/* lint. */

/* torch.fx's lint accepts it, but nothing can be run to an end. */
static void
note_output(struct cmd_ctx *ctx, struct fx_graph *graph)
{
	struct fx_node *node;

	fx_graph_for_each_node (node, graph)
		if (node->opcode == FX_OPCODE_OUTPUT)
			return;
	out_note(ctx->out, "%s has no output node", fx_model_name(ctx->model));
}

/* Rows for nodes whose shape cannot be, as the inputs are now; how many. */
static size_t
say_impossible(struct cmd_ctx *ctx, struct fx_graph *graph)
{
	struct fx_node *node;
	size_t count = 0;

	fx_graph_for_each_node (node, graph) {
		if (!cmd_is_impossible(ctx->model, node))
			continue;
		count++;
		out_cell(ctx->out, FX_ROLE_WARNING, "shape");
		out_cell(ctx->out, FX_ROLE_NODE, "%s", node->name);
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s",
			fx_model_shape_problem(ctx->model, node));
	}
	return count;
}

static struct fx_error *
lint_exec(struct cmd_ctx *ctx)
{
	static const char *const keys[] = { "code", "node", "detail" };
	struct fx_graph *graph = fx_position_graph(ctx->model);
	FX_AUTO_FREE struct fx_problem *problems = NULL;
	size_t count;
	size_t i;

	fx_verify(graph, 1000, &problems, &count);
	note_output(ctx, graph);
	out_table_begin(ctx->out, "problems", FX_ARRAY_LEN(keys), keys);
	for (i = 0; i < count; i++) {
		out_cell(ctx->out, FX_ROLE_WARNING, "%s", problems[i].code);
		if (problems[i].node)
			out_cell(ctx->out, FX_ROLE_NODE, "%s",
				problems[i].node);
		else
			out_cell_none(ctx->out, "");
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s", problems[i].detail);
	}
	count += say_impossible(ctx, graph);
	out_table_end(ctx->out);
	if (!count) {
		out_line(ctx->out, FX_ROLE_PLAIN,
			"%s: no problems in %zu nodes",
			fx_model_name(ctx->model), graph->node_count);
		return NULL;
	}
	return fx_error_new(FX_ERR_LINT, "%s: %zu problem%s",
		fx_model_name(ctx->model), count, count == 1 ? "" : "s");
}

static const char subjects[] =
#define CMD_SUBJECT(word, help, needs_graph, say) "|" word
#include "commands/learn/subjects.def"
	;

const struct cmd_entry cmd_group_look[] = {
	{
		.name = "info",
		.aliases = "i",
		.summary = "show the state of something",
		.help = "info alone lists what there is to show.",
		.synonyms = "status about show describe memory size summary",
		.also = "edits=undo edit=undo changes=undo journal=undo "
			"transactions=undo redo=undo "
			"parameters=params weights=params buffers=params "
			"args=inputs placeholders=inputs "
			"modules=scope watchpoints=breakpoints "
			"catchpoints=breakpoints "
			"values=record memory=record model=graph source=trace",
		.needs = CMD_LISTS | CMD_LOOKS,
		.args = { { "subject", CMD_ARG_WORD, CMD_OPTIONAL, "about what",
				  &subjects[1] },
			{ "which", CMD_ARG_LOCATION, CMD_OPTIONAL,
				"a node or a path", NULL } },
		.examples = { { "info graph", "the graph in numbers" },
			{ "info users relu", "who uses %relu" },
			{ "i b", "breakpoints" } },
		.exec = cmd_info_exec,
	},
	{
		.name = "nodes",
		.aliases = "no",
		.summary = "list nodes, all or a set",
		.help = "A table of the nodes that the query selects. -s sorts "
			"by index, name, op, target, scope, users, inputs, "
			"size "
			"or bytes; help query says what can be asked.",
		.synonyms = "list filter find select table query first nan "
			    "nonfinite unused dead inf not finite large values "
			    "operators",
		.needs = CMD_NEED_GRAPH | CMD_LISTS | CMD_REPEATS | CMD_LOOKS,
		.sort_words = cmd_node_sort_words,
		.args = { { "set", CMD_ARG_SET, CMD_OPTIONAL,
			"a query, see help query", NULL } },
		.examples = { { "nodes op=call_function",
				      "all calls of functions" },
			{ "nodes target~\"*relu*\" -m 5", "five at most" },
			{ "nodes {users>1} -s users", "most used first" } },
		.exec = nodes_exec,
	},
	{
		.name = "node",
		.summary = "show one node in full",
		.help = "Opcode, target, arguments with what they name, users "
			"with the argument they use it for, scope, source, "
			"shape, who made it; the last line says in words what "
			"it does.",
		.synonyms = "inspect details show describe",
		.needs = CMD_NEED_GRAPH | CMD_LOOKS,
		.args = { { "node", CMD_ARG_NODE, CMD_OPTIONAL,
			"which; the one execution is stopped before", NULL } },
		.examples = { { "node relu", "everything about %relu" },
			{ "node .", "the node at the stop" } },
		.exec = cmd_node_exec,
	},
	{
		.name = "list",
		.aliases = "l",
		.summary = "show code around a place",
		.help = "Ten nodes around the stop, a node or a range, => "
			"marks "
			"the stop; repeated it goes on, list - goes back. /p "
			"shows Python (the default), /f torch.fx's listing, /t "
			"a table, /s the model's source.",
		.synonyms = "code source print around",
		.needs = CMD_NEED_GRAPH | CMD_REPEATS | CMD_TAKES_FORMAT |
			 CMD_LOOKS,
		.args = { { "where", CMD_ARG_LOCATION, CMD_OPTIONAL,
			"a node, a range @10,@30, or -", NULL } },
		.examples = { { "list", "around the stop" },
			{ "list relu", "around %relu" },
			{ "l/f @0,@3", "a range as torch.fx lists it" } },
		.exec = cmd_list_exec,
	},
	{
		.name = "ll",
		.summary = "show the code of the whole scope",
		.help = "All nodes of the module scope at the stop, or of the "
			"scope entered; --all those of the whole graph. "
			"Formats are those of list.",
		.synonyms = "longlist code whole all function",
		.needs = CMD_NEED_GRAPH | CMD_TAKES_FORMAT,
		.flags = { { "all", 0, CMD_ARG_END,
			"the whole graph, whatever the scope" } },
		.examples = { { "ll", "everything in this scope" },
			{ "ll --all", "the whole graph" } },
		.exec = cmd_ll_exec,
	},
	{
		.name = "search",
		.summary = "find the next node by a piece of text",
		.help = "The next node whose name, target or source line "
			"contains the text, or matches it as a glob. Repeated "
			"it goes on.",
		.synonyms = "find grep next",
		.needs = CMD_NEED_GRAPH | CMD_REPEATS,
		.args = { { "text", CMD_ARG_WORD, CMD_OPTIONAL,
			"what to look for", NULL } },
		.examples = { { "/ relu", "the next node with relu" },
			{ "search *.conv1", "by a glob" } },
		.exec = search_exec,
	},
	{
		.name = "lint",
		.summary = "check every rule of the graph",
		.help = "Lists all structural problems; the exit status is 1 "
			"when there are any.",
		.synonyms = "check verify validate problems",
		.needs = CMD_NEED_GRAPH,
		.examples = { { "lint", "all problems" } },
		.exec = lint_exec,
	},
	{
		.name = "params",
		.summary = "list parameters and buffers with statistics",
		.help = "All of the model, or those below a module: shape, "
			"bytes, least and greatest value, mean, norm and how "
			"many are NaN, where values are there. -s norm sorts. "
			"info params is the same without looking at values.",
		.synonyms = "parameters weights buffers statistics norm nan "
			    "state_dict",
		.needs = CMD_NEED_GRAPH | CMD_LISTS,
		.args = { { "scope", CMD_ARG_LOCATION, CMD_OPTIONAL,
			"a module path", NULL } },
		.examples = { { "params layer1 -s norm",
			"those of a module, largest norms first" } },
		.exec = cmd_params_exec,
	},
	{
		.name = "summary",
		.summary = "list modules: class, configuration, shape, size",
		.help = "In the order of the module tree: what each gives when "
			"it was called last, and the parameters and bytes "
			"(buffers too) that it and what is inside of it have, "
			"what is shared counted once. -k so many levels.",
		.synonyms = "modules layers torchsummary torchinfo keras "
			    "parameters size memory table",
		.needs = CMD_NEED_GRAPH | CMD_LISTS,
		.args = { { "scope", CMD_ARG_LOCATION, CMD_OPTIONAL,
			"a module path", NULL } },
		.flags = { { "depth", 'k', CMD_ARG_INT, "levels" } },
		.examples = { { "summary -k 1", "one level" },
			{ "summary layer1 -s bytes", "the largest first" } },
		.exec = cmd_summary_exec,
	},
	{ .name = NULL },
};

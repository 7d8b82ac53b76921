/* grp_rewrite.c - patterns: where they stand, and what is put there instead. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "ir/match.h"
#include "ir/pattern.h"
#include "ir/value_text.h"
#include "session/match_where.h"
#include "session/model.h"

/* The pattern that TEXT is, which may stand in quotes. */
static FX_NODISCARD struct fx_error *
read_pattern(struct cmd_ctx *ctx, const char *text, struct fx_pattern **ret)
{
	const char *dialect = fx_model_graph(ctx->model)->dialect;
	size_t length = strlen(text);
	FX_AUTO_FREE char *inner = NULL;
	unsigned how = 0;

	if (length > 1 && strchr("\"'", *text) && text[length - 1] == *text &&
		!memchr(text + 1, *text, length - 2))
		text = inner = fx_xstrndup(text + 1, length - 2);
	if (cmd_flag(ctx, "fx"))
		how = FX_PATTERN_TORCH | (dialect && !strncmp(dialect, "1.", 2)
							 ? FX_PATTERN_TORCH_1
							 : 0);
	return fx_pattern_read(text, how, ret);
}

static bool
tick(void *context)
{
	const struct cmd_ctx *ctx = context;

	return ctx->front->tick(ctx->front->context);
}

/* What decides beside the pattern: `where`, and Ctrl-C. */
struct deciding {
	struct cmd_ctx *ctx;
	struct fx_match_where *where;
};

static bool
deciding_tick(void *context)
{
	const struct deciding *deciding = context;

	return tick(deciding->ctx);
}

static struct fx_error *
deciding_holds(void *context, const struct fx_value *values, bool *ret)
{
	const struct deciding *deciding = context;

	return fx_match_where_holds(deciding->where, values, ret);
}

static FX_NODISCARD struct fx_error *
find_matches(struct cmd_ctx *ctx, const struct fx_pattern *pattern,
	const char *where, struct fx_matches **ret)
{
	FX_AUTO_MATCH_WHERE struct fx_match_where *condition = NULL;
	struct deciding deciding = { .ctx = ctx };
	struct fx_match_filter filter = { .tick = deciding_tick,
		.context = &deciding };
	struct fx_error *err;

	if (where) {
		err = fx_match_where_new(ctx->session, ctx->model, pattern,
			where, &condition);
		if (err)
			return err;
		deciding.where = condition;
		filter.holds = deciding_holds;
	}
	return fx_matches_find(fx_model_graph(ctx->model), pattern, &filter,
		ret);
}

/* match. */

static void
add_value(struct fx_buf *out, const struct fx_value *value)
{
	if (value->kind == FX_VALUE_NODE)
		fx_buf_addf(out, "%%%s", value->node->name);
	else
		fx_value_print_as(out, value, FX_STYLE_REPR);
}

/* x=%a k=2: what the names of PATTERN stand for. */
static void
add_bindings(struct fx_buf *out, const struct fx_pattern *pattern,
	const struct fx_value *values)
{
	for (size_t i = 1; i < fx_pattern_slot_count(pattern); i++) {
		if (!fx_pattern_name(pattern, i))
			continue;
		fx_buf_addf(out, "%s%s=", out->length ? " " : "",
			fx_pattern_name(pattern, i));
		add_value(out, &values[i]);
	}
}

static void
say_match(struct cmd_ctx *ctx, const struct fx_pattern *pattern,
	const struct fx_value *values)
{
	struct fx_node *root = values[fx_pattern_output(pattern, 0)].node;
	FX_AUTO_BUF struct fx_buf binds = { 0 };
	FX_AUTO_BUF struct fx_buf nodes = { 0 };
	size_t slot;

	add_bindings(&binds, pattern, values);
	for (size_t i = 0; (slot = fx_pattern_operation(pattern, i)); i++)
		fx_buf_addf(&nodes, "%s%%%s", i ? " " : "",
			values[slot].node->name);
	out_cell_int(ctx->out, FX_ROLE_NUMBER,
		(int64_t)fx_graph_position(root->graph, root));
	out_cell(ctx->out, FX_ROLE_NODE, "%s", root->name);
	out_cell(ctx->out, FX_ROLE_PLAIN, "%s", fx_buf_text(&binds));
	out_cell(ctx->out, FX_ROLE_MUTED, "%s", fx_buf_text(&nodes));
}

static void
say_matches(struct cmd_ctx *ctx, const struct fx_pattern *pattern,
	const struct fx_matches *matches)
{
	static const char *const keys[] = { "index", "node", "binds", "nodes" };
	size_t limit = cmd_row_limit(ctx);
	size_t count = fx_matches_count(matches);
	size_t shown = limit && count > limit ? limit : count;

	if (!count)
		return;
	out_table_begin(ctx->out, "matches", FX_ARRAY_LEN(keys), keys);
	for (size_t i = 0; i < shown; i++)
		say_match(ctx, pattern, fx_matches_at(matches, i));
	if (count > shown)
		out_table_more(ctx->out, count - shown, "-m 0 shows all");
	out_table_end(ctx->out);
}

/* "8 matches", or why there is none. */
static void
say_count(struct cmd_ctx *ctx, const struct fx_pattern *pattern,
	const struct fx_matches *matches, bool has_where)
{
	FX_AUTO_BUF struct fx_buf closest = { 0 };
	size_t count = fx_matches_count(matches);
	size_t refused = fx_matches_refused(matches);

	out_value_int(ctx->out, "count", (int64_t)count);
	out_value_int(ctx->out, "refused", (int64_t)refused);
	out_piece(ctx->out, FX_ROLE_PLAIN, "%zu match%s", count,
		count == 1 ? "" : "es");
	if (refused)
		out_piece(ctx->out, FX_ROLE_PLAIN, "; %zu refused: %s%s",
			refused, fx_matches_refusal(matches),
			refused > 1 ? " ..." : "");
	else if (!count && !has_where &&
		 fx_match_closest(fx_model_graph(ctx->model), pattern,
			 &closest))
		out_piece(ctx->out, FX_ROLE_PLAIN, "; closest: %s",
			fx_buf_text(&closest));
	out_line_end(ctx->out);
}

static void
say_why_not(struct cmd_ctx *ctx, const struct fx_pattern *pattern,
	struct fx_node *node)
{
	FX_AUTO_BUF struct fx_buf why = { 0 };

	if (fx_match_why_not(pattern, node, &why))
		out_line(ctx->out, FX_ROLE_PLAIN, "why not: %s",
			fx_buf_text(&why));
	else
		out_line(ctx->out, FX_ROLE_PLAIN, "the pattern stands at %%%s",
			node->name);
}

static struct fx_error *
match_exec(struct cmd_ctx *ctx)
{
	const char *where = cmd_arg_text(ctx, "where");
	struct fx_node *node = cmd_flag_node(ctx, "why-not");
	FX_AUTO_PATTERN struct fx_pattern *pattern = NULL;
	FX_AUTO_MATCHES struct fx_matches *matches = NULL;
	struct fx_error *err;

	err = read_pattern(ctx, cmd_arg_text(ctx, "pattern"), &pattern);
	if (err)
		return err;
	if (node) {
		say_why_not(ctx, pattern, node);
		return NULL;
	}
	err = find_matches(ctx, pattern, where, &matches);
	if (err)
		return err;
	say_matches(ctx, pattern, matches);
	say_count(ctx, pattern, matches, where);
	return NULL;
}

const struct cmd_entry cmd_group_rewrite[] = {
	{
		.name = "match",
		.summary = "find where a pattern stands",
		.help = "A pattern is an expression: what is called is an "
			"operation, by any spelling of it; other bare names "
			"stand for nodes or constants, the same name twice for "
			"the same, _ for anything. nn.Conv2d(x, stride=2) is a "
			"called layer by class and by what is said of it. "
			"where takes a condition over the names, or a query "
			"about the pattern's last node. -w says why a node is "
			"no match, --fx matches exactly as torch.fx does.",
		.synonyms = "pattern find search subgraph grep template",
		.needs = CMD_NEED_GRAPH,
		.args = { { "pattern", CMD_ARG_EXPR, 0, "what to look for",
				  NULL },
			{ "where", CMD_ARG_EXPR, CMD_OPTIONAL | CMD_KEYWORD,
				"a condition over the names", NULL } },
		.flags = { { "why-not", 'w', CMD_ARG_NODE,
				   "why this node is no match" },
			{ "fx", 0, CMD_ARG_END, "match as torch.fx does" },
			{ "max", 'm', CMD_ARG_INT, "at most this many rows" } },
		.examples = { { "match relu(x + y)",
				      "a sum that a relu reads" },
			{ "match nn.Linear(x, bias=True) where users(x) = 1",
				"layers, with conditions" },
			{ "match -w relu relu(x + y)", "why not there" } },
		.exec = match_exec,
	},
	{ .name = NULL },
};

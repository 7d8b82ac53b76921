/* grp_rewrite.c - patterns: where they stand, and what is put there instead. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/rewrite.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "ir/match.h"
#include "ir/pattern.h"
#include "pass/rewriting.h"
#include "session/match_where.h"
#include "session/model.h"
#include "session/position.h"

/* TEXT without the quotes around it, if it has some; the caller frees. */
static char *
unquoted(const char *text)
{
	size_t length = text ? strlen(text) : 0;

	if (!text)
		return NULL;
	if (length > 1 && strchr("\"'", *text) && text[length - 1] == *text &&
		!memchr(text + 1, *text, length - 2))
		return fx_xstrndup(text + 1, length - 2);
	return fx_xstrdup(text);
}

struct fx_error *
cmd_read_rules(struct cmd_ctx *ctx, struct fx_rules *ret)
{
	struct fx_graph *graph = fx_position_graph(ctx->model);
	bool is_old = graph->dialect && !strncmp(graph->dialect, "1.", 2);
	struct fx_rule_reader reader = { .graph = graph };
	const char *file = cmd_flag(ctx, "rules");
	FX_AUTO_FREE char *pattern = unquoted(cmd_arg_text(ctx, "pattern"));
	FX_AUTO_FREE char *replacement = unquoted(cmd_arg_text(ctx, "=>"));
	FX_AUTO_FREE char *where = unquoted(cmd_arg_text(ctx, "where"));
	struct fx_rule_text text = { pattern, replacement, where };

	if (cmd_flag(ctx, "fx"))
		reader.how =
			FX_PATTERN_TORCH | (is_old ? FX_PATTERN_TORCH_1 : 0);
	if (file && (pattern || where))
		return fx_error_new(FX_ERR_USAGE,
			"%s: the rules are in %s; a pattern beside it is one "
			"too many",
			ctx->entry->name, file);
	if (file)
		return fx_rules_load(ret, &reader, file);
	if (!pattern)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "%s: expected a pattern, or a "
					     "file "
					     "of rules after -r",
					     ctx->entry->name),
			"help %s", ctx->entry->name);
	return fx_rules_add(ret, &reader, &text);
}

/* match. */

static void
say_match(struct cmd_ctx *ctx, const struct fx_pattern *pattern,
	const struct fx_value *values)
{
	struct fx_node *root = values[fx_pattern_output(pattern, 0)].node;
	FX_AUTO_BUF struct fx_buf binds = { 0 };
	FX_AUTO_BUF struct fx_buf nodes = { 0 };
	size_t slot;

	fx_rewriting_print_names(&binds, pattern, values);
	for (size_t i = 0; (slot = fx_pattern_operation(pattern, i)); i++)
		fx_buf_addf(&nodes, "%s%%%s", i ? " " : "",
			values[slot].node->name);
	out_cell_int(ctx->out, FX_ROLE_NUMBER,
		(int64_t)fx_graph_position(root->graph, root));
	out_cell(ctx->out, FX_ROLE_NODE, "%s", root->name);
	out_cell(ctx->out, FX_ROLE_PLAIN, "%s", fx_buf_text(&binds));
	out_cell(ctx->out, FX_ROLE_MUTED, "%s", fx_buf_text(&nodes));
}

void
cmd_say_matches(struct cmd_ctx *ctx, const struct fx_pattern *pattern,
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

void
cmd_print_no_match(struct fx_buf *out, struct fx_graph *graph,
	const struct fx_rule *rule, size_t declined)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	if (declined)
		fx_buf_addf(out, "; where is false of %zu", declined);
	else if (fx_match_unknown(graph, rule->pattern, &text))
		fx_buf_addf(out, "; %s", fx_buf_text(&text));
	else if (fx_match_closest(graph, rule->pattern, &text))
		fx_buf_addf(out, "; closest: %s", fx_buf_text(&text));
}

/* "8 matches", or why there is none. */
static void
say_count(struct cmd_ctx *ctx, const struct fx_rule *rule,
	const struct fx_matches *matches)
{
	FX_AUTO_BUF struct fx_buf none = { 0 };
	size_t count = fx_matches_count(matches);
	size_t refused = fx_matches_refused(matches);

	out_piece(ctx->out, FX_ROLE_PLAIN, "%zu match%s", count,
		count == 1 ? "" : "es");
	if (refused)
		out_piece(ctx->out, FX_ROLE_PLAIN, "; %zu refused: %s%s",
			refused, fx_matches_refusal(matches),
			refused > 1 ? " ..." : "");
	else if (!count)
		cmd_print_no_match(&none, fx_position_graph(ctx->model), rule,
			fx_matches_declined(matches));
	out_piece(ctx->out, FX_ROLE_PLAIN, "%s", fx_buf_text(&none));
	out_line_end(ctx->out);
}

static FX_NODISCARD struct fx_error *
say_why_not(struct cmd_ctx *ctx, const struct fx_rule *rule,
	struct fx_node *node)
{
	FX_AUTO_BUF struct fx_buf why = { 0 };
	struct fx_error *err =
		fx_model_why_not(ctx->session, ctx->model, rule, node, &why);

	if (err)
		return err;
	if (why.length)
		out_line(ctx->out, FX_ROLE_PLAIN, "why not: %s",
			fx_buf_text(&why));
	else
		out_line(ctx->out, FX_ROLE_PLAIN, "the pattern stands at %%%s",
			node->name);
	return NULL;
}

static FX_NODISCARD struct fx_error *
match_rule(struct cmd_ctx *ctx, const struct fx_rule *rule, int64_t *count,
	int64_t *refused)
{
	struct fx_node *node = cmd_flag_node(ctx, "why-not");
	FX_AUTO_MATCHES struct fx_matches *matches = NULL;
	struct fx_error *err;

	if (node)
		return say_why_not(ctx, rule, node);
	err = fx_model_find_matches(ctx->session, ctx->model, rule,
		cmd_flag(ctx, "overlaps"), &matches);
	if (err)
		return err;
	cmd_say_matches(ctx, rule->pattern, matches);
	say_count(ctx, rule, matches);
	*count += (int64_t)fx_matches_count(matches);
	*refused += (int64_t)fx_matches_refused(matches);
	return NULL;
}

static struct fx_error *
match_exec(struct cmd_ctx *ctx)
{
	FX_AUTO_RULES struct fx_rules rules = { 0 };
	int64_t count = 0;
	int64_t refused = 0;
	struct fx_error *err = cmd_read_rules(ctx, &rules);

	for (size_t i = 0; !err && i < rules.items.count; i++)
		err = match_rule(ctx, &rules.items.items[i], &count, &refused);
	if (err || cmd_flag(ctx, "why-not"))
		return err;
	out_value_int(ctx->out, "count", count);
	out_value_int(ctx->out, "refused", refused);
	return NULL;
}

const struct cmd_entry cmd_group_rewrite[] = {
	{
		.name = "match",
		.summary = "find where a pattern stands",
		.help = "A pattern is an expression: what is called is an "
			"operation, by any spelling of it; other bare names "
			"stand for nodes or constants, the same name twice for "
			"the same, _ for anything, ... at the end of arguments "
			"for "
			"whatever else is said. nn.Conv2d(x, stride=2) is a "
			"called layer by class and by what is said of it. "
			"where takes a condition over the names, or a query "
			"about the pattern's last node. -w says why a node is "
			"no match, --fx matches exactly as torch.fx does.",
		.synonyms = "pattern find search subgraph grep template",
		.needs = CMD_NEED_GRAPH,
		.args = { { "pattern", CMD_ARG_EXPR, CMD_OPTIONAL,
				  "what to look for", NULL },
			{ "where", CMD_ARG_EXPR, CMD_OPTIONAL | CMD_KEYWORD,
				"a condition over the names", NULL } },
		.flags = { { "why-not", 'w', CMD_ARG_NODE,
				   "why this node is no match" },
			{ "rules", 'r', CMD_ARG_FILE,
				"a file of rules instead of a pattern" },
			{ "fx", 0, CMD_ARG_END, "match as torch.fx does" },
			{ "overlaps", 0, CMD_ARG_END,
				"also matches that share operations" },
			{ "max", 'm', CMD_ARG_INT, "at most this many rows" } },
		.examples = { { "match relu(x + y)",
				      "a sum that a relu reads" },
			{ "match nn.Linear(x, bias=True) where users(x) = 1",
				"layers, with conditions" },
			{ "match -w layer1_0_relu relu(x + y)",
				"why not there" } },
		.exec = match_exec,
	},
	{
		.name = "rewrite",
		.summary = "put something else where a pattern stands",
		.help = "PATTERN => REPLACEMENT: the replacement reads what "
			"the "
			"pattern's names stand for, and of layers that the "
			"pattern names, parameters and configuration: "
			"c = nn.Linear(x); relu(c) => F.linear(x, c.weight). "
			"nn.X(...)(x) makes a layer. All matches are one "
			"transaction, and the new node keeps the name. -i "
			"stops at each one, as pass run -s does: then a line "
			"that is y, n, a, k or q decides, and any other is a "
			"command. --fixpoint goes on until nothing matches; "
			"--fx gives exactly what replace_pattern of "
			"torch.fx gives. With values there, it is said how "
			"much the output changes (not with set verify off); "
			"--same refuses that. A file "
			"of rules has def pattern, def replacement and def "
			"where, and is never run.",
		.synonyms = "replace pattern substitute transform rule rules "
			    "replace_pattern match subgraph all every",
		.needs = CMD_NEED_GRAPH | CMD_NEED_WRITABLE,
		.args = { { "pattern", CMD_ARG_EXPR, CMD_OPTIONAL,
				  "what to look for, as for match", NULL },
			{ "=>", CMD_ARG_EXPR, CMD_OPTIONAL | CMD_KEYWORD,
				"what to put there", NULL },
			{ "where", CMD_ARG_EXPR, CMD_OPTIONAL | CMD_KEYWORD,
				"a condition over the names", NULL } },
		.flags = { { "interactive", 'i', CMD_ARG_END,
				   "stop at each match" },
			{ "only", 0, CMD_ARG_WORD,
				"keys of matches, with commas between" },
			{ "rules", 'r', CMD_ARG_FILE, "a file of rules" },
			{ "fixpoint", 0, CMD_ARG_END,
				"again, until nothing matches" },
			{ "fx", 0, CMD_ARG_END,
				"match and place as torch.fx does" },
			{ "same", 0, CMD_ARG_END,
				"refuse what changes the output" },
			{ "seed", 0, CMD_ARG_INT,
				"for the numbers of new modules" },
			{ "dry-run", 'n', CMD_ARG_END,
				"show the matches, change nothing" },
			{ "force", 'f', CMD_ARG_END,
				"allow shapes that cannot be" } },
		.examples = { { "rewrite relu(x) => F.gelu(x) where in layer2",
				      "every relu there, however it is "
				      "written" },
			{ "rewrite nn.ReLU(x) => nn.GELU()(x)",
				"a layer of its own for each" },
			{ "rewrite x + y => torch.add(x, y) -n",
				"what would be done" },
			{ "rewrite --fx x + y => torch.sub(x, y)",
				"as replace_pattern does it" } },
		.exec = cmd_rewrite_exec,
	},
	{ .name = NULL },
};

/* value_log.c - what set value decided, kept for dump script.
 *
 * A result that is set is no edit: the journal has no line for it.  And an
 * expression that reads results needs them where a script runs it again, so
 * what is kept says where execution stood when something was read.
 */
#include <config.h>

#include "commands/shell/value_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "commands/shell/canonical.h"
#include "commands/shell/shell.h"
#include "ir/graph.h"
#include "ir/journal.h"
#include "ir/module.h"
#include "lang/ast.h"
#include "lang/parse.h"
#include "session/model.h"
#include "session/position.h"
#include "session/session.h"

/* What an expression reads. */
struct reads {
	struct fx_graph *graph;
	const char *text;
	bool values;    /* of nodes */
	bool before;    /* $v */
	bool variables; /* that a script does not have */
};

/* Whether TREE is the path of a parameter or buffer, which begins like a node.
 */
static bool
is_tensor(const struct fx_ast *tree, const struct reads *reads)
{
	FX_AUTO_FREE char *path = fx_xstrndup(reads->text + tree->span.begin,
		tree->span.end - tree->span.begin);

	return tree->kind == FX_AST_ATTR &&
	       fx_module_find_tensor(reads->graph->module, path);
}

static void
find_reads(const struct fx_ast *tree, struct reads *ret)
{
	if (!tree || is_tensor(tree, ret))
		return;
	if (tree->kind == FX_AST_NODE ||
		(tree->kind == FX_AST_NAME &&
			fx_graph_find(ret->graph, tree->text)))
		ret->values = true;
	else if (tree->kind == FX_AST_VARIABLE && !strcmp(tree->text, "v"))
		ret->before = true;
	else if (tree->kind == FX_AST_VARIABLE || tree->kind == FX_AST_HISTORY)
		ret->variables = true;
	for (uint32_t i = 0; i < tree->kid_count; i++)
		find_reads(tree->kids[i], ret);
}

static struct reads
reads_of(struct cmd_ctx *ctx, const char *expression)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_ERROR struct fx_error *err = NULL;
	struct reads reads = { .graph = fx_position_graph(ctx->model),
		.text = expression };
	struct fx_ast *tree;

	err = fx_parse_expression(arena, expression, strlen(expression),
		FX_PARSE_DESIGNATORS, &tree);
	if (!err && tree->height <= FX_PARSE_DEPTH)
		find_reads(tree, &reads);
	return reads;
}

/* Return where execution stands in the form that `goto` takes, or NULL before
 * the start.  The caller frees the text.
 */
static char *
stop_of(const struct fx_model *model)
{
	const struct fx_node *node = fx_position_node(model);

	if (!fx_position_is_started(model))
		return NULL;
	return node ? fx_xasprintf("%%%s", node->name) : fx_xstrdup("end");
}

/* Keep the present inputs as lines, because the values read depend on them and
 * the inputs may change later.
 */
static void
keep_inputs(const struct cmd_ctx *ctx, struct cmd_value_log *decided)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const struct fx_node *node;

	fx_graph_for_each_node (node, fx_model_graph(ctx->model)) {
		const struct fx_input_given *given =
			fx_model_input_given(ctx->model, node);

		if (!given)
			continue;
		cmd_add_input_line(&text, given);
		decided->inputs_seed = given->seed;
	}
	decided->inputs = fx_buf_take(&text);
}

void
cmd_add_input_line(struct fx_buf *text, const struct fx_input_given *given)
{
	fx_buf_addf(text, "seed %llu\n%sinput %s = %s\n",
		(unsigned long long)given->seed, given->is_held ? "# " : "",
		given->name, given->text);
}

void
cmd_value_log_deinit(struct cmd_value_log *decided)
{
	free(decided->inputs);
	free(decided->where);
	free(decided->line);
}

struct cmd_value_log
cmd_value_log_begin(struct cmd_ctx *ctx, const struct fx_node *node,
	const char *expression)
{
	FX_AUTO_FREE char *line = cmd_canonical_line(ctx);
	struct reads reads = reads_of(ctx, expression);
	bool is_inside = fx_position_depth(ctx->model) > 0;
	bool is_lost = reads.variables || is_inside;
	struct cmd_value_log decided = {
		.model = fx_model_number(ctx->model),
		.node = node ? node->id : 0,
		.time = fx_journal_now(fx_model_graph(ctx->model)),
		.seed = fx_session_seed(ctx->session),
		.from_before = reads.before,
	};

	if (!is_lost && (reads.values || (node && reads.before)))
		decided.where = stop_of(ctx->model);
	if (decided.where)
		keep_inputs(ctx, &decided);
	if (node)
		decided.line = fx_xasprintf("%s%s",
			is_lost ? "# not scriptable: " : "", line);
	else if (is_lost)
		decided.line =
			fx_xstrdup("# what the next line reads is not here");
	return decided;
}

void
cmd_value_log_keep(struct cmd_shell *shell, struct cmd_value_log *decided_taken,
	const struct fx_graph *graph)
{
	struct cmd_value_log decided = *decided_taken;

	*decided_taken = (struct cmd_value_log){ 0 };
	if (decided.node && !decided.from_before)
		cmd_value_log_forget(shell, decided.model, decided.node);
	if (!decided.node && !shell->in_transaction)
		decided.edit = fx_journal_now(graph);
	fx_vec_push(&shell->decided, decided);
}

void
cmd_value_log_forget(struct cmd_shell *shell, int model, uint64_t node)
{
	size_t kept = 0;

	for (size_t i = 0; i < shell->decided.count; i++) {
		struct cmd_value_log *decided = &shell->decided.items[i];

		if (decided->model == model && (!node || decided->node == node))
			cmd_value_log_deinit(decided);
		else
			shell->decided.items[kept++] = *decided;
	}
	shell->decided.count = kept;
}

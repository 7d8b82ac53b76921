/* replace.c - replace: the new node takes the place and, at last, the name.
 */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/vec.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/verbs/edit.h"
#include "ir/edit.h"
#include "ir/graph.h"
#include "lang/ast.h"
#include "lang/parse.h"
#include "session/model.h"

/* TEXT with $v, outside quotes, as the first node that NODE reads; the caller
 * frees.
 */
static FX_NODISCARD struct fx_error *
text_for(const struct fx_node *node, const char *text, char **ret)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };
	char quote = 0;

	for (; *text; text++) {
		bool is_input = !quote && text[0] == '$' && text[1] == 'v' &&
				!isalnum((unsigned char)text[2]) &&
				text[2] != '_';

		if (is_input && !node->use_count)
			return fx_error_new(FX_ERR_VALUE,
				"%%%s reads no node that $v could be",
				node->name);
		if (is_input) {
			fx_buf_addf(&out, "%%%s", fx_node_input(node, 0)->name);
			text++;
			continue;
		}
		if (quote && *text == quote)
			quote = 0;
		else if (!quote && (*text == '"' || *text == '\''))
			quote = *text;
		fx_buf_add_n(&out, text, 1);
	}
	*ret = fx_buf_take(&out);
	return NULL;
}

/* OLD goes and its name is kept; where what replaces it reads OLD, as in
 * `replace fc = torch.relu(fc)`, OLD stays inside what wraps it.
 */
static FX_NODISCARD struct fx_error *
retire(struct cmd_ctx *ctx, struct fx_node *old, struct fx_node *result,
	bool is_new)
{
	const char *name = old->name;
	struct fx_error *err;

	if (is_new && old->user_count) {
		out_note(ctx->out, "%%%s stays: %%%s wraps it", name,
			result->name);
		return NULL;
	}
	err = fx_edit_erase(old);
	return !err && is_new ? fx_edit_set_name(result, name) : err;
}

static FX_NODISCARD struct fx_error *
put_in_place(struct cmd_ctx *ctx, const struct cmd_statement *statement,
	struct fx_node *old)
{
	struct fx_graph *graph = fx_model_graph(ctx->model);
	struct cmd_placing placing = { .before = fx_graph_next(old),
		.scope = old->scope,
		.outer = cmd_edit_scope_around(old) };
	bool existing = cmd_statement_is_node(statement);
	struct fx_node *first;
	struct fx_node *result;
	struct fx_error *err;

	err = cmd_statement_place(statement, graph, &placing, &first, &result);
	if (err)
		return err;
	if (result == old)
		return fx_error_new(FX_ERR_VALUE,
			"%%%s would be replaced by itself", old->name);
	err = cmd_edit_redirect(old, existing ? NULL : first, result);
	return err ? err : retire(ctx, old, result, !existing);
}

/* The words of the command are then those that replace OLD alone. */
static FX_NODISCARD struct fx_error *
replace_one(struct cmd_ctx *ctx, struct fx_node *old, struct fx_buf *script)
{
	CMD_AUTO_STATEMENT struct cmd_statement statement = { .argument =
								      "$v" };
	FX_AUTO_FREE char *text = NULL;
	FX_AUTO_FREE char *name = fx_xasprintf("%%%s", old->name);
	struct fx_error *err = text_for(old, cmd_arg_text(ctx, "="), &text);

	if (!err)
		err = cmd_statement_read(ctx, NULL, text, &statement);
	if (!err)
		err = put_in_place(ctx, &statement, old);
	if (err)
		return err;
	cmd_statement_add_module(&statement, script);
	cmd_canonical_set(ctx, "set", name);
	cmd_canonical_set(ctx, "=", statement.call_text);
	return NULL;
}

/* Spans of `.` in a text. */
struct here {
	FX_VEC(struct fx_span) spans;
};

static void
find_here(struct here *here, const struct fx_ast *tree)
{
	if (!tree)
		return;
	if (tree->kind == FX_AST_HERE && !tree->integer)
		fx_vec_push(&here->spans, tree->span);
	for (uint32_t i = 0; i < tree->kid_count; i++)
		find_here(here, tree->kids[i]);
}

/* TEXT with $v where it has `.`, which may have been meant; NULL when it has
 * none.  The caller frees.
 */
static char *
text_with_input(const char *text)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_BUF struct fx_buf out = { 0 };
	struct here here = { .spans = { 0 } };
	FX_AUTO_ERROR struct fx_error *err = NULL;
	struct fx_ast *tree;
	size_t count;
	size_t at = 0;

	err = fx_parse_expression(arena, text, strlen(text),
		FX_PARSE_DESIGNATORS, &tree);
	if (!err && tree->height <= FX_PARSE_DEPTH)
		find_here(&here, tree);
	count = here.spans.count;
	for (size_t i = 0; i < count; i++) {
		fx_buf_add_n(&out, text + at, here.spans.items[i].begin - at);
		fx_buf_add(&out, "$v");
		at = here.spans.items[i].end;
	}
	fx_vec_deinit(&here.spans);
	if (!count)
		return NULL;
	fx_buf_add(&out, text + at);
	return fx_buf_take(&out);
}

static struct fx_error *
replace_edit(struct cmd_ctx *ctx, void *data, struct fx_buf *script)
{
	struct fx_graph *graph = fx_model_graph(ctx->model);
	FX_AUTO_FREE struct fx_node **nodes = NULL;
	const size_t *positions;
	struct fx_error *err = NULL;
	size_t count;

	(void)data;
	cmd_arg_set(ctx, "set", &positions, &count);
	if (!count)
		return fx_error_new(FX_ERR_NO_NODE,
			"replace: no node matches \"%s\"",
			cmd_arg_text(ctx, "set"));
	nodes = fx_xcalloc(count, sizeof(struct fx_node *));
	for (size_t i = 0; i < count; i++)
		nodes[i] = fx_graph_at(graph, positions[i]);
	for (size_t i = 0; i < count && !err; i++) {
		if (i) {
			cmd_canonical_add(ctx, script);
			fx_buf_add_char(script, '\n');
		}
		err = replace_one(ctx, nodes[i], script);
	}
	return err;
}

struct fx_error *
cmd_replace_exec(struct cmd_ctx *ctx)
{
	FX_AUTO_FREE char *meant = text_with_input(cmd_arg_text(ctx, "="));
	struct fx_error *err = cmd_edit(ctx, "edit", replace_edit, NULL);

	if (!meant)
		return err;
	if (err)
		return fx_error_hint(err,
			". is the node at the stop; $v is what each replaced "
			"node reads: replace %s = %s",
			cmd_arg_text(ctx, "set"), meant);
	out_note(ctx->out, ". was the node at the stop; $v is what each "
			   "replaced node reads");
	return NULL;
}

/* replace.c - replace: the new node takes the place and, at last, the name.
 */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/verbs/edit.h"
#include "lang/lex.h"
#include "session/model.h"
#include "session/position.h"
#include "session/resolve.h"

/* TEXT with $v where it has `.`, which may have been meant; NULL when it has
 * none.  The caller frees.
 */
static char *
text_with_input(const char *text)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };
	struct fx_lexer lexer;
	struct fx_token token;
	bool found = false;
	size_t at = 0;

	fx_lexer_init(&lexer, text, strlen(text), FX_LEX_DESIGNATORS);
	while ((token = fx_lexer_next(&lexer)).kind != FX_TOKEN_END) {
		if (token.kind != FX_TOKEN_HERE || token.end - token.begin > 1)
			continue;
		fx_buf_add_n(&out, text + at, token.begin - at);
		fx_buf_add(&out, "$v");
		at = token.end;
		found = true;
	}
	fx_buf_add(&out, text + at);
	return found ? fx_buf_take(&out) : NULL;
}

static struct fx_error *
replace_edit(struct cmd_ctx *ctx, void *data, struct fx_buf *script)
{
	struct fx_graph *graph = fx_position_graph(ctx->model);
	struct fx_fragment *fragment = data;
	FX_AUTO_FREE struct fx_node **nodes = NULL;
	struct fx_graft graft = { fragment, cmd_edit_fill, ctx };
	FX_AUTO_FREE char *seed = cmd_edit_seed(ctx, fragment);
	FX_AUTO_BUF struct fx_buf words = { 0 };
	const size_t *positions;
	struct fx_error *err = NULL;
	size_t count;

	(void)script;
	cmd_arg_set(ctx, "set", &positions, &count);
	fx_fragment_print(fragment, NULL, &words);
	cmd_canonical_set(ctx, "=", fx_buf_text(&words));
	cmd_canonical_set(ctx, "seed", seed);
	nodes = fx_xcalloc(count, sizeof(struct fx_node *));
	for (size_t i = 0; i < count; i++)
		nodes[i] = fx_graph_at(graph, positions[i]);
	for (size_t i = 0; i < count && !err; i++) {
		const char *name = nodes[i]->name;
		const struct fx_node *wraps;

		err = fx_graft_replace(&graft, nodes[i], &wraps);
		if (!err && wraps)
			out_note(ctx->out, "%%%s stays: %%%s wraps it", name,
				wraps->name);
	}
	return err;
}

struct fx_error *
cmd_replace_exec(struct cmd_ctx *ctx)
{
	const char *text = cmd_arg_text(ctx, "=");
	FX_AUTO_FREE char *meant = text_with_input(text);
	FX_AUTO_FRAGMENT struct fx_fragment fragment = { 0 };
	const size_t *positions;
	struct fx_error *err;
	size_t count;

	cmd_arg_set(ctx, "set", &positions, &count);
	if (!count)
		return fx_error_new(FX_ERR_NO_NODE,
			"replace: no node matches \"%s\"",
			cmd_arg_text(ctx, "set"));
	err = fx_resolve_fragment(ctx->session, ctx->model, text, true,
		&fragment);
	if (!err)
		err = cmd_edit(ctx, "edit", replace_edit, &fragment);
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

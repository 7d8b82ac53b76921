/* condition.c - conditions of stops: whether one can be tested, what one was
 * about, at its stop, and how one is written.
 */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/verbs/breakpoint.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "lang/ast.h"
#include "lang/parse.h"
#include "run/datum.h"
#include "run/eval.h"
#include "session/position.h"
#include "session/resolve.h"

/* Append ", .-1 is %mul" for each place that TREE, a condition or a part of
 * one, names by its distance: what made it true is seldom the node at the stop.
 */
static void
add_distant(struct cmd_ctx *ctx, const struct fx_ast *tree, struct fx_buf *text)
{
	FX_AUTO_FREE char *place = NULL;
	FX_AUTO_FREE char *piece = NULL;
	FX_AUTO_ERROR struct fx_error *err = NULL;
	struct fx_node *node;

	if (!tree)
		return;
	for (uint32_t i = 0; i < tree->kid_count; i++)
		add_distant(ctx, tree->kids[i], text);
	if (tree->kind != FX_AST_HERE || !tree->integer)
		return;
	place = fx_xasprintf(".%+lld", (long long)tree->integer);
	err = fx_resolve_node(ctx->session, ctx->model, place, &node);
	if (err)
		return;
	piece = fx_xasprintf(", %s is %%%s", place, node->name);
	if (!strstr(fx_buf_text(text), piece))
		fx_buf_add(text, piece);
}

void
cmd_add_condition(struct cmd_ctx *ctx, const char *condition,
	struct fx_buf *text)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_BUF struct fx_buf places = { 0 };
	FX_AUTO_ERROR struct fx_error *err = NULL;
	struct fx_ast *tree;

	err = fx_parse_expression(arena, condition, strlen(condition),
		FX_PARSE_DESIGNATORS | FX_PARSE_EQUAL_COMPARES, &tree);
	if (!err && tree->height <= FX_PARSE_DEPTH)
		add_distant(ctx, tree, &places);
	fx_buf_addf(text, ": %s%s", condition, fx_buf_text(&places));
}

struct fx_error *
cmd_check_condition(const char *text)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_ast *tree;

	if (!text)
		return NULL;
	return fx_parse_expression(arena, text, strlen(text),
		FX_PARSE_DESIGNATORS | FX_PARSE_EQUAL_COMPARES, &tree);
}

static void
warn(struct cmd_ctx *ctx, const char *what, const struct fx_error *err)
{
	/* A name may be a function's; else values are missing yet. */
	const char *hint = fx_error_code(err) == FX_ERR_NO_NODE
				   ? fx_error_hint_text(err)
				   : NULL;

	out_warning(ctx->out, "the %s cannot be tested: %s%s%s", what,
		fx_error_message(err), hint ? "; " : "", hint ? hint : "");
}

/* It can be put right later, and a nested graph has other names.  Before the
 * start what values would say is not known.
 */
void
cmd_warn_of_condition(struct cmd_ctx *ctx, const char *text)
{
	struct fx_error *err = NULL;
	bool truth;

	if (text && ctx->model)
		err = fx_resolve_condition(ctx->session, ctx->model, text,
			&truth);
	if (err && fx_error_code(err) != FX_ERR_NOT_RUN &&
		fx_error_code(err) != FX_ERR_NO_VALUE &&
		((fx_error_code(err) != FX_ERR_TYPE &&
			 fx_error_code(err) != FX_ERR_NOT_KNOWN) ||
			fx_position_is_started(ctx->model)))
		warn(ctx, "condition", err);
	fx_error_free(err);
}

/* What $v will be is not known: a number stands for it, and only names are
 * looked at.
 */
void
cmd_warn_of_names(struct cmd_ctx *ctx, const char *what, const char *text)
{
	FX_AUTO_DATUM struct fx_datum *result = fx_datum_int(1);
	FX_AUTO_DATUM struct fx_datum *truth = NULL;
	struct fx_error *err = NULL;

	if (text && ctx->model)
		err = fx_resolve_condition_of(ctx->session, ctx->model, result,
			text, &truth);
	if (err && (fx_error_code(err) == FX_ERR_NO_NODE ||
			   fx_error_code(err) == FX_ERR_NO_NAME))
		warn(ctx, what, err);
	fx_error_free(err);
}

char *
cmd_usual_condition(struct cmd_ctx *ctx, const char *condition)
{
	struct fx_function_info info;

	if (!condition)
		return fx_xstrdup("absmax(.-1) > 5");
	if (ctx->model &&
		fx_graph_find(fx_position_graph(ctx->model), condition))
		return fx_xstrdup(condition);
	if (fx_eval_function_near(condition, &info) &&
		fx_str_ends(info.signature, "(x)"))
		return fx_xasprintf("%s(.-1)", info.name);
	return fx_xstrdup(condition);
}

struct fx_error *
cmd_check_expression(const char *text)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_ast *tree;

	return fx_parse_expression(arena, text, strlen(text),
		FX_PARSE_DESIGNATORS, &tree);
}

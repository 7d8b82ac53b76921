/* assert.c - assert: a condition, and what was got instead. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/show.h"
#include "lang/ast.h"
#include "lang/parse.h"
#include "run/datum.h"
#include "session/resolve.h"

/* The part of TEXT that TREE was read from; the caller frees. */
static char *
part_of(const char *text, const struct fx_ast *tree)
{
	return fx_xstrndup(text + tree->span.begin,
		tree->span.end - tree->span.begin);
}

static bool
is_false(struct cmd_ctx *ctx, const char *text)
{
	bool truth = false;
	struct fx_error *err =
		fx_resolve_condition(ctx->session, ctx->model, text, &truth);

	fx_error_free(err);
	return !err && !truth;
}

/* Of "a and b" the first that is not true. */
static const struct fx_ast *
false_part(struct cmd_ctx *ctx, const char *text, const struct fx_ast *tree)
{
	if (tree->kind != FX_AST_BOOLEAN || tree->op != FX_AST_AND)
		return tree;
	for (uint32_t i = 0; i < tree->kid_count; i++) {
		FX_AUTO_FREE char *part = part_of(text, tree->kids[i]);

		if (is_false(ctx, part))
			return tree->kids[i];
	}
	return tree;
}

/* What a comparison found on its left side: the value of a in "a = b". */
static void
add_got(struct cmd_ctx *ctx, struct fx_buf *got, const char *text,
	const struct fx_ast *tree)
{
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	FX_AUTO_ERROR struct fx_error *err = NULL;
	FX_AUTO_FREE char *left = part_of(text, tree->kids[0]);
	struct fx_datum_printer printer = { .limit = 50 };

	err = cmd_evaluate(ctx, left, &datum);
	if (!err)
		err = fx_datum_print(got, datum, &printer);
	if (err)
		fx_buf_clear(got);
}

/* Of TEXT, a call, what says more: where the two of "allclose(a, b)" differ,
 * what is in x of "allfinite(x)".
 */
static void
add_reason(struct cmd_ctx *ctx, struct fx_buf *got, const char *text)
{
	static const struct {
		const char *function;
		const char *instead;
	} pairs[] = { { "allclose(", "difference(" }, { "allfinite(", "(" } };

	for (size_t i = 0; i < FX_ARRAY_LEN(pairs); i++) {
		size_t length = strlen(pairs[i].function);
		FX_AUTO_DATUM struct fx_datum *datum = NULL;
		FX_AUTO_ERROR struct fx_error *err = NULL;
		FX_AUTO_FREE char *other = NULL;

		if (!fx_str_starts(text, pairs[i].function))
			continue;
		other = fx_xasprintf("%s%s", pairs[i].instead, text + length);
		err = cmd_evaluate(ctx, other, &datum);
		if (!err && fx_datum_is(datum, FX_VALUE_STRING))
			fx_buf_add(got, datum->value.text);
		else if (!err)
			err = cmd_print_datum(ctx, datum, "", got);
	}
}

/* --- what it is about ------------------------------------------------------
 */

/* Whether TREE is a node of the graph, and TEXT what it was read from. */
static bool
is_node(struct cmd_ctx *ctx, const char *text, const struct fx_ast *tree)
{
	FX_AUTO_FREE char *part = part_of(text, tree);
	struct fx_node *node;
	struct fx_error *err;

	if (tree->kind != FX_AST_NAME && tree->kind != FX_AST_NODE &&
		tree->kind != FX_AST_POSITION && tree->kind != FX_AST_HERE)
		return false;
	err = fx_resolve_node(ctx->session, ctx->model, part, &node);
	fx_error_free(err);
	return !err;
}

/* One place: numbers alone. */
static bool
is_place(const struct fx_ast *index)
{
	if (index->kind != FX_AST_TUPLE)
		return index->kind == FX_AST_INT;
	for (uint32_t i = 0; i < index->kid_count; i++)
		if (index->kids[i]->kind != FX_AST_INT)
			return false;
	return true;
}

/* The first node in TREE, or an element of one, if it IS_WRONG: not finite. */
static char *
find_about(struct cmd_ctx *ctx, const char *text, const struct fx_ast *tree,
	bool is_wrong)
{
	bool is_whole = is_node(ctx, text, tree);

	if (is_whole ||
		(tree->kind == FX_AST_SUBSCRIPT && is_place(tree->kids[1]) &&
			is_node(ctx, text, tree->kids[0]))) {
		char *part = part_of(text, tree);
		FX_AUTO_FREE char *finite = fx_xasprintf("allfinite(%s)", part);

		if (!is_wrong || is_false(ctx, finite))
			return part;
		free(part);
		return NULL;
	}
	/* The words of a query are no nodes. */
	for (uint32_t i = 0; tree->kind != FX_AST_QUERY && i < tree->kid_count;
		i++) {
		char *found = tree->kids[i] ? find_about(ctx, text,
						      tree->kids[i], is_wrong)
					    : NULL;

		if (found)
			return found;
	}
	return NULL;
}

/* TREE, which TEXT is, is false: why will be asked about it. */
static void
note_about(struct cmd_ctx *ctx, const char *text, const struct fx_ast *tree)
{
	char *about = ctx->model ? find_about(ctx, text, tree, true) : NULL;

	if (!about && ctx->model)
		about = find_about(ctx, text, tree, false);
	free(ctx->shell->asserted);
	ctx->shell->asserted = about;
}

/* ERR, that TEXT is false, with what can be told of the part that is. */
static FX_NODISCARD struct fx_error *
note_reason(struct cmd_ctx *ctx, const char *text, struct fx_error *err)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_BUF struct fx_buf found = { 0 };
	FX_AUTO_FREE char *part = NULL;
	FX_AUTO_ERROR struct fx_error *unread = NULL;
	const struct fx_ast *tree;
	struct fx_ast *whole;

	unread = fx_parse_expression(arena, text, strlen(text),
		FX_PARSE_DESIGNATORS | FX_PARSE_EQUAL_COMPARES, &whole);
	if (unread)
		return err;
	tree = false_part(ctx, text, whole);
	part = part_of(text, tree);
	note_about(ctx, text, tree);
	if (tree->kind == FX_AST_CALL)
		add_reason(ctx, &found, part);
	else if (tree->kind == FX_AST_COMPARE)
		add_got(ctx, &found, text, tree);
	if (!found.length)
		return err;
	return fx_error_note(err, "%s%s%s%s",
		tree->kind == FX_AST_COMPARE ? "got " : "", fx_buf_text(&found),
		tree != whole ? " in " : "", tree != whole ? part : "");
}

/* ERR says why nobody can tell. */
static FX_NODISCARD struct fx_error *
unknown(const char *text, struct fx_error *err_taken)
{
	FX_AUTO_ERROR struct fx_error *err = err_taken;

	return fx_error_note(fx_error_new(FX_ERR_CHECK, "assertion failed: %s",
				     text),
		"not known: %s", fx_error_message(err));
}

struct fx_error *
cmd_assert_exec(struct cmd_ctx *ctx)
{
	const char *text = cmd_arg_text(ctx, "condition");
	bool truth = false;
	struct fx_error *err =
		fx_resolve_condition(ctx->session, ctx->model, text, &truth);

	/* What nobody knows is not so. */
	if (err && fx_error_code(err) == FX_ERR_NOT_KNOWN)
		return unknown(text, err);
	if (err)
		return err;
	free(FX_TAKE(ctx->shell->asserted));
	if (truth)
		return NULL;
	return note_reason(ctx, text,
		fx_error_new(FX_ERR_CHECK, "assertion failed: %s", text));
}

/* condition.c - whether a breakpoint's condition can be true where it stands.
 *
 * Execution stops before a node, so a condition on that node's own value, or
 * on one further on, can never be tested there: better said when it is set
 * than at every stop.  The nodes are found by evaluating the parts of the
 * condition as if execution stood there, on shapes alone.
 */
#include <config.h>

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/number.h"
#include "lang/ast.h"
#include "lang/lex.h"
#include "lang/parse.h"
#include "run/backend.h"
#include "run/datum.h"
#include "session/break_private.h"
#include "session/resolve_private.h"

struct look {
	struct fx_resolver resolver;
	struct fx_resolve_context context;
	struct fx_graph *graph;
	size_t stop;           /* as if before this position */
	size_t known;          /* nodes before it count as run */
	struct fx_node *asked; /* for a value that is not known, or NULL */
	struct fx_node *late;  /* the last of those that have not run there */
};

/* The look a resolver's context belongs to: it is a part of it. */
static struct look *
look_of(void *context)
{
	return (struct look *)((char *)context -
			       offsetof(struct look, context));
}

/* What only asks for the shape goes on without the value. */
static struct fx_error *
note_value(void *context, struct fx_node *node, struct fx_datum **ret)
{
	struct look *look = look_of(context);

	if (node->graph == look->graph &&
		fx_graph_position(look->graph, node) >= look->known) {
		look->asked = node;
		return fx_error_new(FX_ERR_NO_VALUE, "%%%s has not run",
			node->name);
	}
	*ret = node->meta ? fx_datum_from_value(node->meta)
			  : fx_datum_unknown(NULL);
	return NULL;
}

static struct fx_error *
stop_there(void *context, size_t *position_ret)
{
	*position_ret = look_of(context)->stop;
	return NULL;
}

/* Whether what evaluates TREE may leave out parts of it. */
static bool
is_choice(const struct fx_ast *tree)
{
	return tree->kind == FX_AST_BOOLEAN || tree->kind == FX_AST_CONDITIONAL;
}

static bool
is_operation(const struct fx_ast *tree)
{
	return tree->kind == FX_AST_COMPARE || tree->kind == FX_AST_BINARY ||
	       tree->kind == FX_AST_UNARY;
}

/* The node that evaluating TREE lacks, or NULL; *WORKS_RET: nothing. */
static struct fx_node *
ask(struct look *look, const char *text, const struct fx_ast *tree,
	bool *works_ret)
{
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	struct fx_error *err;
	bool is_late;

	look->asked = NULL;
	err = fx_eval(&look->resolver, text, tree, &datum);
	is_late = err && fx_error_code(err) == FX_ERR_NO_VALUE;
	*works_ret = !err;
	fx_error_free(err);
	return is_late ? look->asked : NULL;
}

/* An operation fails where shapes do not tell a number, which hides what is
 * right of it: then its parts are looked at.  DEPTH bounds what leans left
 * without limit.
 */
static void
look_at(struct look *look, const char *text, const struct fx_ast *tree,
	int depth)
{
	struct fx_node *node = NULL;
	bool works = false;

	look->known = look->stop;
	/* Ask again as if NODE had run, until no other node is missing. */
	while (!is_choice(tree) && (node = ask(look, text, tree, &works))) {
		if (!look->late || fx_node_is_before(look->late, node))
			look->late = node;
		look->known = fx_graph_position(look->graph, node) + 1;
	}
	if (works || depth == FX_PARSE_DEPTH ||
		(!is_choice(tree) && !is_operation(tree)))
		return;
	for (uint32_t i = 0; i < tree->kid_count; i++)
		look_at(look, text, tree->kids[i], depth + 1);
}

/* The last node whose value CONDITION asks for though it has not run when
 * execution stands before POSITION, or NULL.
 */
static struct fx_node *
condition_late(struct fx_session *session, struct fx_model *model,
	const char *condition, size_t position)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct look look = { .context = { session, model } };
	struct fx_backend *backend = fx_backend_meta_new();
	struct fx_ast *tree;
	struct fx_error *err =
		fx_parse_expression(arena, condition, strlen(condition),
			FX_PARSE_DESIGNATORS | FX_PARSE_EQUAL_COMPARES, &tree);

	if (!err) {
		fx_resolver_init(&look.resolver, &look.context);
		look.resolver.backend = backend;
		look.resolver.value = note_value;
		look.resolver.here = stop_there;
		look.graph = look.resolver.graph;
		look.stop = position;
		look_at(&look, condition, tree, 0);
	}
	fx_error_free(err);
	fx_backend_free(backend);
	return look.late;
}

/* --- of a breakpoint ----------------------------------------------------- */

/* B's first or last node, by position; it has one. */
static struct fx_node *
end_of(const struct fx_break *b, bool last)
{
	struct fx_node *found = NULL;
	size_t at = 0;
	uintptr_t id;
	uintptr_t one;

	while (fx_map_next(&b->nodes, &at, &id, &one)) {
		struct fx_node *node = fx_graph_find_id(b->graph, id);

		if (!found || fx_node_is_before(node, found) != last)
			found = node;
	}
	return found;
}

/* A node that CONDITION asks for and that has not run when execution stops at
 * the first of B's nodes, *AT_RET, or at the LAST of them; NULL when there is
 * none.
 */
static struct fx_node *
late_at(struct fx_session *session, struct fx_break *b, const char *condition,
	bool last, struct fx_node **at_ret)
{
	fx_break_refresh(session, b);
	*at_ret = NULL;
	if (!condition || b->graph != fx_position_innermost(b->model))
		return NULL;
	*at_ret = end_of(b, last);
	if (!*at_ret)
		return NULL;
	return condition_late(session, b->model, condition,
		fx_graph_position(b->graph, *at_ret));
}

/* Append CONDITION, which was written for one position, as it reads COUNT
 * positions further on: `.` becomes `.-COUNT` there.  Returns whether CONDITION
 * has such a `.`.
 */
static bool
add_moved(struct fx_buf *out, const char *condition, size_t count)
{
	struct fx_lexer lexer;
	struct fx_token token;
	size_t done = 0;

	fx_lexer_init(&lexer, condition, strlen(condition), FX_LEX_DESIGNATORS);
	while ((token = fx_lexer_next(&lexer)).kind != FX_TOKEN_END) {
		size_t length = token.end - token.begin;
		int64_t offset = 0;

		if (token.kind != FX_TOKEN_HERE)
			continue;
		if (length > 1 &&
			!fx_number_parse_int(condition + token.begin + 2,
				length - 2, &offset))
			continue;
		if (length > 1 && condition[token.begin + 1] == '-')
			offset = -offset;
		fx_buf_add_n(out, condition + done, token.begin - done);
		fx_buf_addf(out, ".%+" PRId64, offset - (int64_t)count);
		done = token.end;
	}
	fx_buf_add(out, condition + done);
	return done > 0;
}

/* Where CONDITION, given for AT, could be tested: once LATE has run. */
static struct fx_error *
hint_later(struct fx_error *err, const char *condition,
	const struct fx_node *at, const struct fx_node *late)
{
	FX_AUTO_BUF struct fx_buf there = { 0 };
	const struct fx_node *next = fx_graph_next(late);
	bool is_relative;

	if (!next)
		return fx_error_hint(err, "nothing runs after %%%s",
			late->name);
	is_relative = add_moved(&there, condition,
		fx_graph_position(next->graph, next) -
			fx_graph_position(at->graph, at));
	/* It may have been meant for whatever runs. */
	if (is_relative && late == at)
		return fx_error_hint(err,
			"break %s if %s stops when %%%s has run, break {} if "
			"%s after any node",
			next->name, fx_buf_text(&there), late->name,
			fx_buf_text(&there));
	return fx_error_hint(err, "break %s if %s stops when %%%s has run",
		next->name, fx_buf_text(&there), late->name);
}

struct fx_error *
fx_condition_check(struct fx_session *session, struct fx_break *b,
	const char *condition)
{
	struct fx_node *at;
	struct fx_node *late = late_at(session, b, condition, true, &at);
	struct fx_error *err;

	if (!late)
		return NULL;
	err = fx_error_new(FX_ERR_NO_VALUE,
		"a breakpoint at @%zu stops before %%%s runs: there %%%s has "
		"no value to test",
		fx_graph_position(b->graph, at), at->name, late->name);
	return hint_later(err, condition, at, late);
}

struct fx_node *
fx_breakpoint_late(struct fx_session *session,
	const struct fx_breakpoint *breakpoint, struct fx_node **at_ret)
{
	for (size_t i = 0; i < session->breaks.count; i++) {
		struct fx_break *b = session->breaks.items[i];

		if (&b->shown == breakpoint)
			return late_at(session, b, b->shown.condition, false,
				at_ret);
	}
	return NULL;
}

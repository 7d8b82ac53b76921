/* decisions.c - whether what a recorded run decided holds for the inputs of
 * now.
 */
#include <config.h>

#include "session/decisions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "ir/decided.h"
#include "ir/graph.h"
#include "lang/ast.h"
#include "lang/parse.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/eval.h"
#include "session/session_private.h"

struct test {
	const struct fx_decided_test *said;
	const struct fx_decided *decision;
	enum fx_decision_state state;
	char *text;  /* the expression of now, where it is broken */
	char *now;   /* and its value */
	size_t next; /* + 1, of the same node; 0: none */
};

struct fx_decisions {
	FX_VEC(struct test) tests;
	struct fx_map first; /* id of a node -> the first test after it, + 1 */
};

const char *
fx_decision_word(enum fx_decision_state state)
{
	static const char *const words[] = {
		[FX_DECISION_UNTESTED] = "",
		[FX_DECISION_UNKNOWN] = "not known yet",
		[FX_DECISION_HOLDS] = "holds",
		[FX_DECISION_BROKEN] = "no longer holds",
	};

	return words[state];
}

/* --- what there is to test ------------------------------------------------ */

/* The calls that ask for a value or a size. */
static bool
is_asking(const struct fx_ast *function)
{
	static const char *const names[] = { "bool", "int", "float", "round",
		"abs" };
	static const char *const methods[] = { "item", "tolist", "equal" };
	bool is_name = function->kind == FX_AST_NAME;
	const char *const *words = is_name ? names : methods;
	size_t count = is_name ? FX_ARRAY_LEN(names) : FX_ARRAY_LEN(methods);

	if (!is_name && function->kind != FX_AST_ATTR)
		return false;
	for (size_t i = 0; i < count; i++)
		if (strcmp(function->text, words[i]) == 0)
			return true;
	return false;
}

/* Whether EXPR is what a recording writes: nodes, numbers, sizes and items,
 * compared and calculated with.  A file may have any other, and nothing that it
 * says is run unasked.
 */
static bool
is_plain_expression(const struct fx_ast *expr)
{
	uint32_t from = 0;

	if (expr->height > FX_PARSE_DEPTH)
		return false;
	switch ((int)expr->kind) {
	case FX_AST_NODE:
	case FX_AST_BOOL:
	case FX_AST_INT:
	case FX_AST_FLOAT:
	case FX_AST_STRING:
	case FX_AST_NONE:
		return true;
	case FX_AST_NAME:
		return strcmp(expr->text, "torch") == 0;
	case FX_AST_CALL:
		if (!is_asking(expr->kids[0]))
			return false;
		/* A name that asks is no value. */
		from = expr->kids[0]->kind == FX_AST_NAME;
		break;
	case FX_AST_ATTR:
	case FX_AST_SUBSCRIPT:
	case FX_AST_UNARY:
	case FX_AST_BINARY:
	case FX_AST_COMPARE:
		break;
	default:
		return false;
	}
	for (uint32_t i = from; i < expr->kid_count; i++)
		if (!is_plain_expression(expr->kids[i]))
			return false;
	return true;
}

/* Whether the text of TEST may be evaluated. */
static bool
is_known_form(const struct fx_decided_test *test)
{
	struct fx_arena *arena = fx_arena_new();
	struct fx_ast *expr = NULL;
	struct fx_error *err = fx_parse_expression(arena, test->expression,
		strlen(test->expression), FX_PARSE_DESIGNATORS, &expr);
	bool is_known = !err && is_plain_expression(expr);

	fx_error_free(err);
	fx_arena_free(arena);
	return is_known;
}

static void
add_test(struct fx_decisions *decisions, const struct fx_decided *decision,
	const struct fx_decided_test *said)
{
	struct test test = {
		.said = said, .decision = decision, .state = FX_DECISION_UNKNOWN
	};

	if (!is_known_form(said))
		return;
	if (said->after) {
		test.next = (size_t)fx_map_get(&decisions->first,
			(uintptr_t)said->after, 0);
		fx_map_set(&decisions->first, (uintptr_t)said->after,
			decisions->tests.count + 1);
	}
	fx_vec_push(&decisions->tests, test);
}

static void
forget(struct test *test)
{
	free(test->text);
	free(test->now);
	test->text = test->now = NULL;
	test->state = FX_DECISION_UNKNOWN;
}

void
fx_decisions_free(struct fx_decisions *decisions)
{
	struct test *test;

	if (!decisions)
		return;
	fx_vec_for_each (test, &decisions->tests)
		forget(test);
	fx_vec_deinit(&decisions->tests);
	fx_map_deinit(&decisions->first);
	free(decisions);
}

/* --- testing ----------------------------------------------------------------
 */

static struct fx_error *
shape_of(void *context, struct fx_node *node, struct fx_datum **ret)
{
	(void)context;
	*ret = node->meta ? fx_datum_from_value(node->meta)
			  : fx_datum_unknown(NULL);
	return NULL;
}

/* What was computed; nothing is computed for it. */
static struct fx_error *
value_of(void *context, struct fx_node *node, struct fx_datum **ret)
{
	struct fx_model *model = context;
	struct fx_activation *place =
		fx_run_activation_of(model->run, node->graph);
	struct fx_datum *datum =
		place ? fx_env_get(&place->env, node->id) : NULL;

	if (!datum)
		return fx_error_new(FX_ERR_NO_VALUE, "%%%s has no value",
			node->name);
	*ret = fx_datum_ref(datum);
	return NULL;
}

static bool
is_plain(const struct fx_datum *datum)
{
	return fx_datum_is(datum, FX_VALUE_BOOL) ||
	       fx_datum_is(datum, FX_VALUE_INT) ||
	       fx_datum_is(datum, FX_VALUE_FLOAT) ||
	       fx_datum_is(datum, FX_VALUE_LIST);
}

/* Whether NOW is the value SAID; of numbers with a point, as near as kernels
 * round.
 */
static bool
is_same(const char *said, const char *now)
{
	char *said_end;
	char *now_end;
	double a = strtod(said, &said_end);
	double b = strtod(now, &now_end);

	if (strcmp(said, now) == 0)
		return true;
	return strchr(said, '.') && !*said_end && !*now_end &&
	       fabs(a - b) <= 1e-5 * fmax(fabs(a), fabs(b));
}

/* Judge TEST by what RESOLVER gives for its nodes. */
static void
judge(struct test *test, const struct fx_resolver *resolver)
{
	const struct fx_datum_printer printer = { .format = "r" };
	FX_AUTO_BUF struct fx_buf text = { 0 };
	FX_AUTO_BUF struct fx_buf now = { 0 };
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	FX_AUTO_ERROR struct fx_error *err = NULL;

	forget(test);
	if (!fx_decided_print(&text, test->said, resolver->graph))
		return;
	err = fx_eval_text(resolver, fx_buf_text(&text), false, &datum);
	/* A shape does not tell, or the value was dropped. */
	if (err || !is_plain(datum))
		return;
	err = fx_datum_print(&now, datum, &printer);
	if (err)
		return;
	test->state = FX_DECISION_HOLDS;
	if (is_same(test->said->value, fx_buf_text(&now)))
		return;
	test->state = FX_DECISION_BROKEN;
	test->text = fx_buf_take(&text);
	test->now = fx_buf_take(&now);
}

void
fx_decisions_review(struct fx_model *model)
{
	struct fx_resolver resolver = { .graph = model->graph,
		.graph_name = model->name,
		.scope = model->scope,
		.value = shape_of };
	struct fx_backend *backend;
	struct test *test;

	if (!model->decisions)
		return;
	resolver.backend = backend = fx_backend_meta_new();
	backend->meta = model->session->meta;
	fx_vec_for_each (test, &model->decisions->tests)
		judge(test, &resolver);
	fx_backend_free(backend);
}

void
fx_decisions_open(struct fx_model *model)
{
	const struct fx_decided *at = fx_graph_decided(model->graph);

	if (!at)
		return;
	model->decisions = FX_NEW(struct fx_decisions);
	for (; at; at = at->next)
		for (const struct fx_decided_test *test = at->tests; test;
			test = test->next)
			add_test(model->decisions, at, test);
	/* A graph from a file comes with shapes. */
	fx_decisions_review(model);
}

/* "net.py:9 "if x.sum() > 0:" decided by bool(%gt) = True, and it is False
 * now".
 */
static void
tell(struct fx_model *model, const struct test *test)
{
	const struct fx_decided *decided = test->decision;

	fx_model_say(model,
		fx_xasprintf("%s:%d \"%s\" was recorded with %s = %s, "
			     "which is %s now: the graph is that of the run "
			     "recorded",
			decided->file, decided->line, decided->text, test->text,
			test->said->value, test->now));
}

void
fx_decisions_see(struct fx_model *model, const struct fx_node *node)
{
	struct fx_resolver resolver = { .context = model,
		.graph = model->graph,
		.backend = model->backend,
		.graph_name = model->name,
		.scope = model->scope,
		.value = value_of };
	size_t at;

	if (!model->decisions || !model->backend->ops->has_values)
		return;
	at = (size_t)fx_map_get(&model->decisions->first, (uintptr_t)node->id,
		0);
	while (at) {
		struct test *test = &model->decisions->tests.items[at - 1];
		bool was_broken = test->state == FX_DECISION_BROKEN;

		judge(test, &resolver);
		if (test->state == FX_DECISION_BROKEN && !was_broken)
			tell(model, test);
		at = test->next;
	}
}

enum fx_decision_state
fx_decisions_state(const struct fx_model *model,
	const struct fx_decided *decision, const char **test_ret,
	const char **now_ret)
{
	enum fx_decision_state state = FX_DECISION_UNTESTED;
	const struct test *test;

	*test_ret = *now_ret = NULL;
	if (!model->decisions)
		return state;
	fx_vec_for_each (test, &model->decisions->tests) {
		if (test->decision != decision)
			continue;
		if (test->state == FX_DECISION_BROKEN) {
			*test_ret = test->text;
			*now_ret = test->now;
			return test->state;
		}
		if (state != FX_DECISION_UNKNOWN)
			state = test->state;
	}
	return state;
}

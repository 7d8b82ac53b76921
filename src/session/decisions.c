/* decisions.c - whether what a recorded run decided holds for the inputs of
 * now.
 */
#include <config.h>

#include "session/decisions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "ir/graph.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/eval.h"
#include "session/capture.h"
#include "session/session_private.h"

/* A node's name in an expression, from its % on. */
struct mention {
	size_t at;
	size_t length;
	uint64_t node; /* 0: there is none */
};

struct test {
	const struct fx_remark_test *said;
	size_t decision;
	FX_VEC(struct mention) mentions;
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

static void
find_mentions(struct test *test, const struct fx_graph *graph)
{
	const char *text = test->said->expression;
	const char *at = text;

	while ((at = strchr(at, '%'))) {
		size_t length =
			strspn(at + 1, "abcdefghijklmnopqrstuvwxyz"
				       "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
		FX_AUTO_FREE char *name = fx_xstrndup(at + 1, length);
		const struct fx_node *node = fx_graph_find(graph, name);
		const struct mention mention = { (size_t)(at - text),
			length + 1, node ? node->id : 0 };

		/* Else it is the operator. */
		if (length)
			fx_vec_push(&test->mentions, mention);
		at += length + 1;
	}
}

static void
add_test(struct fx_model *model, size_t decision,
	const struct fx_remark_test *said)
{
	struct fx_decisions *decisions = model->decisions;
	const struct fx_node *after = fx_graph_find(model->graph, said->after);
	struct test test = {
		.said = said, .decision = decision, .state = FX_DECISION_UNKNOWN
	};

	find_mentions(&test, model->graph);
	if (after) {
		test.next = (size_t)fx_map_get(&decisions->first,
			(uintptr_t)after->id, 0);
		fx_map_set(&decisions->first, (uintptr_t)after->id,
			decisions->tests.count + 1);
	}
	fx_vec_push(&decisions->tests, test);
}

void
fx_decisions_open(struct fx_model *model)
{
	const struct fx_recording *recording = model->traced->recording;

	if (!recording)
		return;
	model->decisions = FX_NEW(struct fx_decisions);
	for (size_t i = 0; i < recording->decided.count; i++) {
		const struct fx_remark *remark = &recording->decided.items[i];

		for (size_t j = 0; j < remark->test_count; j++)
			add_test(model, i, &remark->tests[j]);
	}
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
	fx_vec_for_each (test, &decisions->tests) {
		forget(test);
		fx_vec_deinit(&test->mentions);
	}
	fx_vec_deinit(&decisions->tests);
	fx_map_deinit(&decisions->first);
	free(decisions);
}

/* --- testing ----------------------------------------------------------------
 */

/* The expression of TEST with the names that its nodes have now, in TEXT; false
 * when one of them is not in the graph.
 */
static bool
add_expression(struct fx_buf *text, const struct test *test,
	const struct fx_graph *graph)
{
	const char *said = test->said->expression;
	const struct mention *mention;
	size_t done = 0;

	fx_vec_for_each (mention, &test->mentions) {
		const struct fx_node *node =
			fx_graph_find_id(graph, mention->node);

		if (!node)
			return false;
		fx_buf_add_n(text, said + done, mention->at - done);
		fx_buf_addf(text, "%%%s", node->name);
		done = mention->at + mention->length;
	}
	fx_buf_add(text, said + done);
	return true;
}

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
	if (!add_expression(&text, test, resolver->graph))
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

/* "net.py:9 "if x.sum() > 0:" decided by bool(%gt) = True, and it is False
 * now".
 */
static void
tell(struct fx_model *model, const struct test *test)
{
	const struct fx_remark *remark =
		&model->traced->recording->decided.items[test->decision];

	fx_model_say(model,
		fx_xasprintf("%s:%d \"%s\" was recorded with %s = %s, "
			     "which is %s now: the graph is that of the run "
			     "recorded",
			remark->file, remark->line, remark->text, test->text,
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
fx_decisions_state(const struct fx_model *model, size_t index,
	const char **test_ret, const char **now_ret)
{
	enum fx_decision_state state = FX_DECISION_UNTESTED;
	const struct test *test;

	*test_ret = *now_ret = NULL;
	if (!model->decisions)
		return state;
	fx_vec_for_each (test, &model->decisions->tests) {
		if (test->decision != index)
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

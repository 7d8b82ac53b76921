/* test_preview.c - what the screen shows of a candidate is what applying it
 * does.
 */
#include <config.h>

#include <string.h>

#include "ir/graph_hash.h"
#include "ir/match.h"
#include "pass/rewriting.h"
#include "session/passing.h"
#include "session/session.h"
#include "session/session_private.h"
#include "session/settings.h"
#include "tests/support/torch_side.h"
#include "tests/support/unit.h"

/* Something for each pass that needs no modules. */
static const char body[] = "    a = torch.relu(x)\n"
			   "    b = torch.relu(x)\n"
			   "    c = torch.relu(x)\n"
			   "    unused = torch.neg(c)\n"
			   "    unused_too = torch.abs(unused)\n"
			   "    unused_three = torch.exp(unused_too)\n"
			   "    b2 = torch.relu(x)\n"
			   "    d = a + b\n"
			   "    e = torch.add(c, 0)\n"
			   "    f = e * 1\n"
			   "    return (d, f, b2)\n";

struct world {
	struct fx_session *session;
	struct fx_model *model;
};

static struct world
world_new(void)
{
	struct world w = { .session = fx_session_new() };

	w.model = fx_session_add_graph(w.session, fxt_side_load("x", body),
		"net", "test");
	CU_ASSERT_FATAL(fxt_ok(fx_model_set_input(w.session, w.model, "x",
		"f32[3]")));
	return w;
}

static struct fx_passing *
begin_step(struct world *w, const struct fx_pass_step *step)
{
	const struct fx_passing_request request = { .steps = step,
		.step_count = 1,
		.command = "pass run",
		.is_stepped = true };
	struct fx_passing *passing;

	CU_ASSERT_FATAL(fxt_ok(fx_passing_begin(w->session, w->model, &request,
		&passing)));
	return passing;
}

static struct fx_passing *
begin(struct world *w, const struct fx_pass *pass)
{
	return begin_step(w, &(struct fx_pass_step){ .pass = pass });
}

/* Preview the candidate at hand, take it, and compare: the copies say the same
 * as the graph before and after.
 */
static void
expect_as_previewed(struct world *w, struct fx_passing *passing)
{
	struct fx_graph *two[2];
	struct fx_hash before = fx_graph_hash(fx_model_graph(w->model));
	uint64_t node = fx_passing_candidate(passing)->node;

	CU_ASSERT_FATAL(fxt_ok(fx_passing_preview(passing, two)));
	CU_ASSERT_FATAL(two[0] != NULL);
	CU_ASSERT(fx_hash_equal(fx_graph_hash(fx_model_graph(w->model)),
		before));
	CU_ASSERT(fx_hash_equal(fx_graph_hash(two[0]), before));
	FXT_EQ(fx_passing_mark(passing, node), FX_PASSING_AT_HAND);
	CU_ASSERT_FATAL(fxt_ok(fx_passing_take(passing, true)));
	FXT_EQ(fx_passing_mark(passing, node), FX_PASSING_APPLIED);
	CU_ASSERT(!fx_hash_equal(fx_graph_hash(fx_model_graph(w->model)),
		before));
	CU_ASSERT(fx_hash_equal(fx_graph_hash(fx_model_graph(w->model)),
		fx_graph_hash(two[1])));
	fx_graph_free(two[0]);
	fx_graph_free(two[1]);
}

/* Every other candidate is skipped: the pass begun anew on the copy comes to
 * those first.
 */
static void
what_is_previewed_is_what_is_done(void)
{
	const struct fx_pass *pass;
	size_t seen = 0;

	for (size_t i = 0; (pass = fx_pass_at(i)); i++) {
		struct world w = world_new();
		struct fx_passing *passing = begin(&w, pass);
		struct fx_error *err = NULL;
		bool takes = false;

		while (fx_passing_next(passing, &err)) {
			uint64_t node = fx_passing_candidate(passing)->node;

			takes = !takes;
			if (takes) {
				expect_as_previewed(&w, passing);
				seen++;
				continue;
			}
			CU_ASSERT(fxt_ok(fx_passing_take(passing, false)));
			FXT_EQ(fx_passing_mark(passing, node),
				FX_PASSING_SKIPPED);
		}
		CU_ASSERT(fxt_ok(err));
		fx_passing_abort(passing);
		fx_session_free(w.session);
	}
	FXT_IS(seen, >=, 3);
}

static struct fx_error *
find_anywhere(void *context, struct fx_graph *graph, const struct fx_rule *rule,
	struct fx_matches **ret)
{
	(void)context;
	return fx_matches_find(graph, rule->pattern, NULL, ret);
}

/* Rules too, also where they match what they made. */
static void
what_a_rule_previews_is_what_it_does(void)
{
	struct world w = world_new();
	FX_AUTO_RULES struct fx_rules rules = { 0 };
	const struct fx_rule_reader reader = {
		.graph = fx_model_graph(w.model)
	};
	const struct fx_rule_text texts[] = {
		{ "relu(x)", "torch.abs(torch.relu(x))", NULL },
		{ "a = torch.add(x, y); a * 1", "torch.sub(y, x)", NULL },
	};
	struct fx_rewriting work = {
		.rules = &rules, .is_fixpoint = true, .find = find_anywhere
	};
	struct fx_passing *passing;
	struct fx_error *err = NULL;
	size_t seen = 0;

	for (size_t i = 0; i < FX_ARRAY_LEN(texts); i++)
		CU_ASSERT_FATAL(fxt_ok(fx_rules_add(&rules, &reader,
			&texts[i])));
	passing = begin_step(&w,
		&(struct fx_pass_step){
			.pass = &fx_pass_rewriting, .data = &work });
	/* They never end, so nobody knows how many there are. */
	FXT_EQ(fx_passing_total(passing), 0);
	while (seen < 7 && fx_passing_next(passing, &err)) {
		if (seen++ % 3 == 1)
			CU_ASSERT(fxt_ok(fx_passing_take(passing, false)))
		else
			expect_as_previewed(&w, passing);
	}
	CU_ASSERT(fxt_ok(err));
	FXT_EQ(seen, 7);
	fx_passing_abort(passing);
	fx_session_free(w.session);
}

/* What waits is marked before anything was answered. */
static void
all_candidates_are_marked(void)
{
	struct world w = world_new();
	struct fx_passing *passing = begin(&w, fx_pass_find("dce"));
	const struct fx_node *node;
	size_t marked = 0;

	fx_graph_for_each_node (node, fx_model_graph(w.model))
		marked +=
			fx_passing_mark(passing, node->id) == FX_PASSING_WAITS;
	FXT_EQ(marked, fx_passing_total(passing));
	FXT_IS(marked, >=, 2);
	fx_passing_abort(passing);
	fx_session_free(w.session);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(what_is_previewed_is_what_is_done),
		FXT_CASE(what_a_rule_previews_is_what_it_does),
		FXT_CASE(all_candidates_are_marked),
	};

	return fxt_run("preview", cases, FX_ARRAY_LEN(cases));
}

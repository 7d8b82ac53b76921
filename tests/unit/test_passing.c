/* test_passing.c - passes over a model: what is wrong is refused. */
#include <config.h>

#include <string.h>

#include "base/blob.h"
#include "base/buf.h"
#include "base/intern.h"
#include "ir/graph_hash.h"
#include "ir/journal.h"
#include "ir/module.h"
#include "run/backend.h"
#include "session/passing.h"
#include "session/session.h"
#include "session/session_private.h"
#include "session/settings.h"
#include "tests/support/planted_passes.h"
#include "tests/support/torch_side.h"
#include "tests/support/unit.h"

struct world {
	struct fx_session *session;
	struct fx_model *model;
	struct fx_hash before;
	int looks; /* how often look() was called */
	int finds; /* ... with a candidate at hand */
};

static void
world_deinit(struct world *w)
{
	fx_session_free(w->session);
}
FX_DEFINE_DEINIT(world, struct world, world_deinit);

static void
give_weight(struct fx_graph *graph)
{
	static const float values[3] = { 0.5F, -1.25F, 3 };
	const int64_t size = 3;
	struct fx_blob *blob;
	struct fx_storage *storage;

	CU_ASSERT_FATAL(fxt_ok(fx_blob_new(sizeof(values), &blob)));
	memcpy(fx_blob_data(blob), values, sizeof(values));
	storage = fx_storage_new(blob);
	fx_module_add_tensor(graph->module, fx_intern("w"),
		fx_tensor_new(graph, FX_DTYPE_F32, &size, 1, storage));
	fx_storage_unref(storage);
}

static struct world
world_new(const char *body, const char *x)
{
	struct world w = { .session = fx_session_new() };
	struct fx_graph *graph = fxt_side_load("x", body);

	give_weight(graph);
	w.model = fx_session_add_graph(w.session, graph, "net", "test");
	CU_ASSERT_FATAL(fxt_ok(fx_model_set_input(w.session, w.model, "x", x)));
	w.before = fx_graph_hash(fx_model_graph(w.model));
	return w;
}

/* Run PASS whole, or those candidates with the keys ONLY. */
static struct fx_error *
run(struct world *w, const struct fx_pass *pass, const char *only,
	struct fx_verify_result *verified)
{
	const struct fx_pass_step step = { .pass = pass };
	const struct fx_passing_request request = { .steps = &step,
		.step_count = 1,
		.command = "pass run planted",
		.only = only };
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { .position = 0 };
	struct fx_passing *passing;
	struct fx_error *err =
		fx_passing_begin(w->session, w->model, &request, &passing);

	if (err)
		return err;
	while (!err && fx_passing_next(passing, &err))
		err = fx_passing_take(passing, true);
	if (err) {
		fx_passing_abort(passing);
		return err;
	}
	return fx_passing_finish(passing, NULL, verified, &report);
}

/* ERR says that the candidate "bad" is the first that is wrong; all is as it
 * was, and the change can be seen.
 */
static void
expect_refusal(struct world *w, struct fx_error *err, const char *name)
{
	struct fx_graph *refused[2];
	struct fx_hash now = fx_graph_hash(fx_model_graph(w->model));

	CU_ASSERT_FATAL(err != NULL);
	FXT_EQ(fx_error_code(err), FX_ERR_CHECK);
	if (!strstr(fx_error_message(err), ", first at @") ||
		!strstr(fx_error_message(err), " bad;"))
		printf("\n  %s: %s\n", name, fx_error_message(err));
	CU_ASSERT(strstr(fx_error_message(err), " bad;") != NULL);
	fx_error_free(err);
	CU_ASSERT(fx_hash_equal(now, w->before));
	FXT_EQ(fx_journal_undo_count(fx_model_graph(w->model)), 0);
	CU_ASSERT_FATAL(fx_model_refused(w->model, refused) != NULL);
	CU_ASSERT(fx_hash_equal(fx_graph_hash(refused[0]), w->before));
	CU_ASSERT(!fx_hash_equal(fx_graph_hash(refused[1]), w->before));
}

static void
what_is_wrong_is_refused_by_name(void)
{
	struct fxt_planted planted;
	size_t count = 0;

	for (; fxt_planted_at(count, &planted); count++) {
		FX_AUTO(world)
		struct world w = world_new(planted.body, planted.x);
		FX_AUTO_VERIFY_RESULT struct fx_verify_result verified = {
			.why = NULL
		};

		expect_refusal(&w, run(&w, &planted.pass, NULL, &verified),
			planted.pass.name);
	}
	FXT_IS(count, >=, 25);
}

/* The same passes, without the candidate that is wrong. */
static void
what_is_right_is_kept(void)
{
	struct fxt_planted planted;

	for (size_t i = 0; fxt_planted_at(i, &planted); i++) {
		FX_AUTO(world)
		struct world w = world_new(planted.body, planted.x);
		FX_AUTO_VERIFY_RESULT struct fx_verify_result verified = {
			.why = NULL
		};
		bool has_right = strstr(planted.body, "g = ") != NULL;
		struct fx_error *err = run(&w, &planted.pass, "g", &verified);

		if (has_right) {
			FXT_OK(err);
			FXT_EQ(verified.verdict, FX_VERDICT_SAME);
			FXT_EQ(fx_journal_undo_count(fx_model_graph(w.model)),
				1);
		} else {
			FXT_FAILS(err, FX_ERR_NO_NAME);
		}
	}
}

/* LINE, which has the name of a node, for 50 nodes, of which one is "bad". */
static void
add_many(struct fx_buf *body, const char *line)
{
	const char *name = strstr(line, "NAME");

	for (int i = 0; i < 50; i++) {
		fx_buf_add_n(body, line, (size_t)(name - line));
		if (i == 31)
			fx_buf_add(body, "bad");
		else
			fx_buf_addf(body, "n%d", i);
		fx_buf_addf(body, "%s\n", name + strlen("NAME"));
	}
}

static void
run_named(const char *name, const char *line)
{
	FX_AUTO_BUF struct fx_buf body = { 0 };
	struct fxt_planted planted;
	size_t i = 0;

	while (fxt_planted_at(i, &planted) && strcmp(planted.pass.name, name))
		i++;
	fx_buf_add(&body, "y = torch.relu(x)\n");
	add_many(&body, line);
	fx_buf_add(&body, "return ");
	for (i = 0; i < 50; i++)
		if (i == 31)
			fx_buf_add(&body, "bad + ");
		else
			fx_buf_addf(&body, "n%zu + ", i);
	fx_buf_add(&body, "y\n");
	{
		FX_AUTO(world)
		struct world w = world_new(fx_buf_text(&body), "f32[4, 3]");
		FX_AUTO_VERIFY_RESULT struct fx_verify_result verified = {
			.why = NULL
		};

		expect_refusal(&w, run(&w, &planted.pass, NULL, &verified),
			name);
	}
}

static void
one_place_of_fifty_is_found(void)
{
	run_named("wrong-epsilon", "NAME = y + 1e-05");
	run_named("lost-dtype", "NAME = y.to(torch.float16)");
	run_named("dropped-scale", "NAME = y * 0.125");
	run_named("off-by-one", "NAME = y.narrow(0, 0, 4)");
}

/* Without values nothing is known; `strict` is not content with that. */
static void
what_cannot_run_is_refused_if_asked(void)
{
	struct fxt_planted planted;
	FX_AUTO(world) struct world w = { .session = NULL };
	FX_AUTO_VERIFY_RESULT struct fx_verify_result verified = {
		.why = NULL
	};
	struct fx_settings *settings;
	const char *rest;

	fxt_planted_at(1, &planted);
	w = world_new(planted.body, "f32[N, 3]");
	settings = fx_session_settings(w.session);
	FXT_OK(fx_settings_set(settings, fx_settings_match("verify", &rest),
		"strict"));
	FXT_FAILS(run(&w, &planted.pass, NULL, &verified), FX_ERR_CHECK);
	CU_ASSERT(fx_hash_equal(fx_graph_hash(fx_model_graph(w.model)),
		w.before));
	FXT_OK(fx_settings_set(settings, fx_settings_match("verify", &rest),
		"on"));
	fx_verify_result_deinit(&verified);
	FXT_OK(run(&w, &planted.pass, NULL, &verified));
	FXT_EQ(verified.verdict, FX_VERDICT_UNKNOWN);
}

static bool
press(void *context)
{
	(void)context;
	return true;
}

static void
ctrl_c_leaves_all_as_it_was(void)
{
	struct fxt_planted planted;
	FX_AUTO(world) struct world w = { .session = NULL };
	FX_AUTO_VERIFY_RESULT struct fx_verify_result verified = {
		.why = NULL
	};

	fxt_planted_at(1, &planted);
	w = world_new(planted.body, planted.x);
	fx_session_set_tick(w.session, press, NULL);
	FXT_FAILS(run(&w, &planted.pass, NULL, &verified), FX_ERR_INTERRUPTED);
	CU_ASSERT(fx_hash_equal(fx_graph_hash(fx_model_graph(w.model)),
		w.before));
}

/* What a screen asks when it paints. */
static bool
look(void *context)
{
	struct world *w = context;
	const struct fx_passing *passing = fx_session_passing(w->session);

	w->looks++;
	if (passing && fx_passing_candidate(passing))
		w->finds++;
	return false;
}

/* A pass that is left with a candidate at hand has none while it is verified.
 */
static void
who_looks_at_the_end_finds_no_candidate(void)
{
	struct fxt_planted planted;
	FX_AUTO_VERIFY_RESULT struct fx_verify_result verified = {
		.why = NULL
	};
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };
	struct fx_passing *passing;
	struct fx_error *err = NULL;
	FX_AUTO(world) struct world w = { .session = NULL };
	const struct fx_pass_step step = { .pass = &planted.pass };
	const struct fx_passing_request request = { .command = "pass run",
		.steps = &step,
		.step_count = 1,
		.is_stepped = true };

	fxt_planted_at(1, &planted);
	w = world_new(planted.body, planted.x);
	FXT_OK(fx_passing_begin(w.session, w.model, &request, &passing));
	while (fx_passing_next(passing, &err) &&
		strcmp(fx_passing_key(passing), "h"))
		FXT_OK(fx_passing_take(passing, true));
	CU_ASSERT_FATAL(fx_passing_candidate(passing) != NULL);
	fx_session_set_tick(w.session, look, &w);
	FXT_FAILS(fx_passing_finish(passing, NULL, &verified, &report),
		FX_ERR_CHECK);
	FXT_IS(w.looks, >, 0);
	FXT_EQ(w.finds, 0);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(what_is_wrong_is_refused_by_name),
		FXT_CASE(what_is_right_is_kept),
		FXT_CASE(one_place_of_fifty_is_found),
		FXT_CASE(what_cannot_run_is_refused_if_asked),
		FXT_CASE(ctrl_c_leaves_all_as_it_was),
		FXT_CASE(who_looks_at_the_end_finds_no_candidate),
	};

	/* Built without libtorch. */
	if (!fxt_has_torch())
		return 77;
	return fxt_run("passing", cases, FX_ARRAY_LEN(cases));
}

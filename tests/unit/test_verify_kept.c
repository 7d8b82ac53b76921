/* test_verify_kept.c - verifications one after another in a session, which know
 * what the ones before them ran, beside a session where each begins anew.
 */
#include <config.h>

#include <string.h>

#include "base/blob.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "base/intern.h"
#include "base/random.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "run/storage.h"
#include "session/model.h"
#include "session/session.h"
#include "session/session_private.h"
#include "session/verify.h"
#include "tests/support/torch_side.h"
#include "tests/support/unit.h"

enum {
	LINES = 8,
	WEIGHTS = 2,
	ROUNDS = 40
};

/* What a line may be; each third one of these is another graph, the rest give
 * what the one before them gives.
 */
static const char *const templates[] = {
	"a = a * 2.0",
	"a = a + a",
	"a = a * 3.0",
	"a = a.sin()",
	"a = torch.sin(a)",
	"a = a.cos()",
	"a = a.relu_()",
	"a = torch.relu_(a)",
	"a = a.sigmoid_()",
	"a = a + self.w",
	"a = torch.add(a, self.w)",
	"a = a - self.w",
	"a = a.add_(1.0)",
	"a = 1.0 + a",
	"a = a.sub_(1.0)",
	"a = a + y",
	"a = y + a",
	"a = a * torch.rand_like(a)",
	"a = torch.rand_like(a) * a",
	"a = a.view(3)",
	"a = a.clone()",
	"a = a[:]",
	"x.mul_(2.0)",
	"a = a + x",
	"a = torch.where(a > 0, a, x)",
	"a = torch.maximum(a, x * 0.0)",
};

struct code {
	unsigned char lines[LINES];
	unsigned char weight;
};

/* Two sessions with the same done to each. */
struct worlds {
	struct fx_session *sessions[2];
	struct fx_storage *weights[WEIGHTS];
};

static void
worlds_deinit(struct worlds *w)
{
	for (int i = 0; i < 2; i++)
		fx_session_free(w->sessions[i]);
	for (int i = 0; i < WEIGHTS; i++)
		fx_storage_unref(w->weights[i]);
}
FX_DEFINE_DEINIT(worlds, struct worlds, worlds_deinit);

static void
worlds_init(struct worlds *w)
{
	static const float values[WEIGHTS][3] = { { 0.5F, -1.25F, 3 },
		{ 0.5F, -1.25F, 4 } };

	for (int i = 0; i < WEIGHTS; i++) {
		struct fx_blob *blob;

		CU_ASSERT_FATAL(fxt_ok(fx_blob_new(sizeof(values[i]), &blob)));
		memcpy(fx_blob_data(blob), values[i], sizeof(values[i]));
		w->weights[i] = fx_storage_new(blob);
	}
	for (int i = 0; i < 2; i++)
		w->sessions[i] = fx_session_new();
}

static struct fx_graph *
graph_of(const struct worlds *w, const struct code *code)
{
	FX_AUTO_BUF struct fx_buf body = { 0 };
	const int64_t size = 3;
	struct fx_graph *graph;

	fx_buf_add(&body, "a = x.clone()\n");
	for (int i = 0; i < LINES; i++)
		fx_buf_addf(&body, "%s\n", templates[code->lines[i]]);
	fx_buf_add(&body, "return a");
	graph = fxt_side_load("x, y", fx_buf_text(&body));
	fx_module_add_tensor(graph->module, fx_intern("w"),
		fx_tensor_new(graph, FX_DTYPE_F32, &size, 1,
			w->weights[code->weight]));
	return graph;
}

static size_t
below(uint64_t *random, size_t limit)
{
	return (size_t)(fx_random_bits(random) % limit);
}

static void
change(uint64_t *random, struct code *code)
{
	size_t at = below(random, LINES + 1);

	if (at == LINES)
		code->weight ^= 1;
	else
		code->lines[at] =
			(unsigned char)below(random, FX_ARRAY_LEN(templates));
}

struct question {
	struct code before;
	struct code after;
	const char *y;
	enum fx_claim claim;
	uint64_t seed;
};

static void
ask(const struct worlds *w, int world, const struct question *question,
	struct fx_buf *out, size_t *executed_ret)
{
	const struct fx_verify_options options = { .claim = question->claim };
	struct fx_session *session = w->sessions[world];
	FX_AUTO_GRAPH struct fx_graph *after = graph_of(w, &question->after);
	FX_AUTO_VERIFY_RESULT struct fx_verify_result result = { .why = NULL };
	struct fx_model *model = fx_session_add_graph(session,
		graph_of(w, &question->before), "net", "test");
	struct fx_verify *verify;
	struct fx_error *err;

	if (world == 1)
		fx_verify_forget(session);
	fx_session_set_seed(session, question->seed);
	FXT_OK(fx_model_set_input(session, model, "x", "f32[3]"));
	FXT_OK(fx_model_set_input(session, model, "y", question->y));
	verify = fx_verify_new(session, model, &options);
	err = fx_verify_graph(verify, after, &result);
	FXT_OK(err);
	fx_verify_print(out, &result);
	*executed_ret = result.executed[0];
	fx_verify_free(verify);
	fx_session_drop(session, model);
}

/* The next question: mostly of the graph that the last one was about. */
static void
go_on(uint64_t *random, struct question *question)
{
	static const char *const ys[] = { "f32[3]", "f32[1]",
		"tensor([1.0, -2.0, 3.0])", "tensor([1.0, -2.0, 3.5])" };
	bool is_exact = question->claim == FX_CLAIM_EXACT;

	if (below(random, 3))
		question->before = question->after;
	question->after = question->before;
	change(random, &question->after);
	if (!question->y || !below(random, 4))
		question->y = ys[below(random, FX_ARRAY_LEN(ys))];
	if (!below(random, 6))
		question->seed = below(random, 2);
	if (!below(random, 4))
		question->claim =
			is_exact ? FX_CLAIM_ALGEBRAIC : FX_CLAIM_EXACT;
}

/* Both worlds say the same.  Whether the first one had less to run. */
static bool
is_saved(const struct worlds *w, const struct question *question)
{
	FX_AUTO_BUF struct fx_buf kept = { 0 };
	FX_AUTO_BUF struct fx_buf anew = { 0 };
	size_t executed[2];

	ask(w, 0, question, &kept, &executed[0]);
	ask(w, 1, question, &anew, &executed[1]);
	FXT_SAME(fx_buf_text(&kept), fx_buf_text(&anew));
	return executed[0] < executed[1];
}

static void
what_is_kept_changes_no_answer(void)
{
	size_t seeds = fxt_part(600);
	size_t saved = 0;

	for (size_t seed = 0; seed < seeds; seed++) {
		FX_AUTO(worlds) struct worlds w = { .sessions = { NULL } };
		struct question question = { .y = NULL };
		uint64_t random = seed + 1;

		worlds_init(&w);
		for (int i = 0; i < LINES; i++)
			change(&random, &question.after);
		for (int i = 0; i < ROUNDS; i++) {
			go_on(&random, &question);
			saved += is_saved(&w, &question);
		}
	}
	/* Else nothing was kept. */
	FXT_IS(saved, >, 2 * seeds);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(what_is_kept_changes_no_answer),
	};

	/* Built without libtorch. */
	if (!fxt_has_torch())
		return 77;
	return fxt_run("verify_kept", cases, FX_ARRAY_LEN(cases));
}

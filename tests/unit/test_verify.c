/* test_verify.c - graphs before and after an edit, run as trials. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "base/random.h"
#include "ir/graph.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/float_pairs.h"
#include "run/values.h"
#include "session/model.h"
#include "session/position.h"
#include "session/session.h"
#include "session/session_private.h"
#include "session/verify.h"
#include "tests/support/torch_side.h"
#include "tests/support/unit.h"

struct world {
	struct fx_session *session;
	struct fx_model *model;
};

static void
world_deinit(struct world *w)
{
	fx_session_free(w->session);
}
FX_DEFINE_DEINIT(world, struct world, world_deinit);

/* A session with the graph of BODY, which takes x and y. */
static struct world
world_new(const char *body, const char *x, const char *y)
{
	struct world w = { .session = fx_session_new() };
	const char *inputs[2] = { x, y };
	static const char *const names[2] = { "x", "y" };

	w.model = fx_session_add_graph(w.session, fxt_side_load("x, y", body),
		"net", "test");
	for (int i = 0; i < 2; i++)
		if (inputs[i])
			CU_ASSERT_FATAL(fxt_ok(fx_model_set_input(w.session,
				w.model, names[i], inputs[i])));
	return w;
}

static struct fx_verify *
verify_new(struct world *w, enum fx_claim claim)
{
	const struct fx_verify_options options = { .claim = claim };

	return fx_verify_new(w->session, w->model, &options);
}

/* --- what differs -------------------------------------------------------- */

/* What EXPECTED begins with, up to a "*", and ends with. */
static bool
fits(const char *text, const char *expected)
{
	const char *star = strchr(expected, '*');
	size_t head = star ? (size_t)(star - expected) : strlen(expected);
	size_t tail = star ? strlen(star + 1) : 0;
	size_t length = strlen(text);

	if (!star)
		return fxt_same(text, expected);
	if (length >= head + tail && !strncmp(text, expected, head) &&
		!strcmp(text + length - tail, star + 1))
		return true;
	return fxt_same(text, expected);
}

static const struct change {
	enum fx_claim claim;
	const char *x;
	const char *y;
	const char *before;
	const char *after;
	const char *expected;
} changes[] = {
	{ FX_CLAIM_EXACT, "f32[3]", NULL, "a = torch.relu(x)\nreturn a",
		"b = torch.relu(x)\nd = torch.sin(x)\nreturn b",
		"verified: it does the same" },
	{ FX_CLAIM_ALGEBRAIC, "f32[3]", NULL,
		"a = x + 0.1\nb = a + 0.2\n"
		"return b",
		"b = x + (0.1 + 0.2)\nreturn b",
		"verified on 3 inputs in f64: *" },
	{ FX_CLAIM_EXACT, "f32[1000]", NULL,
		"a = x * 3.0\nb = a / 7.0\nreturn b",
		"b = x * (3.0 / 7.0)\nreturn b", "max rel *on input 1 of 3" },
	/* Bit by bit alike: a NaN is like a NaN. */
	{ FX_CLAIM_EXACT, "f32[4]", NULL, "a = torch.log(x)\nreturn a",
		"b = x.log()\nreturn b", "verified on 3 inputs: bit for bit" },
	{ FX_CLAIM_EXACT, "f32[4]", NULL, "a = x * 0.0\nreturn a",
		"a = x * -0.0\nreturn a",
		"equal but for signs of zeros on "
		"input 1 of 3" },
	{ FX_CLAIM_EXACT, "f32[3]", NULL, "a = x.add_(1.0)\nreturn x",
		"return x", "max rel *at %x [0] on input 1 of 3" },
	{ FX_CLAIM_EXACT, "f32[3]", NULL,
		"a = torch.rand(3)\nb = torch.rand(3)\nreturn a - b",
		"b = torch.rand(3)\na = torch.rand(3)\nreturn a - b",
		"max rel *on input 1 of 3" },
	{ FX_CLAIM_ALGEBRAIC, "f32[2, 3]", NULL,
		"a = x.transpose(0, 1)\nb = a.reshape(6)\nreturn b",
		"b = x.reshape(6)\nreturn b",
		"max rel *on input 1 of 3 in f64 (tolerance 1e-12)" },
	{ FX_CLAIM_ALGEBRAIC, "f32[2, 3]", NULL, "a = x.sum(0)\nreturn a",
		"a = x.sum(1)\nreturn a",
		"the output is other: f64[3] and f64[2]" },
	{ FX_CLAIM_ALGEBRAIC, "f32[2, 3]", NULL,
		"a = torch.rsqrt(x * x + 1e-05)\nreturn (x, a)",
		"a = torch.rsqrt(x * x + 1e-06)\nreturn (x, a)",
		"max rel *at %a [0,1] on input 1 of 3 in f64 (tolerance "
		"1e-12)" },
	/* Zeros would hide this one: indices are drawn. */
	{ FX_CLAIM_EXACT, "i64[5]", "f32[9, 2]",
		"a = torch.nn.functional.embedding(x, y)\nreturn a",
		"a = torch.nn.functional.embedding(x // 2, y)\nreturn a",
		"max rel *" },
	/* No table tells how large x may be. */
	{ FX_CLAIM_EXACT, "i64[5]", "f32[4]", "a = y[x]\nreturn a",
		"a = y[x % 2]\nreturn a", "max rel *" },
	{ FX_CLAIM_EXACT, "b8[16]", "f32[16]",
		"a = torch.where(x, y, 0.0)\nreturn a",
		"a = torch.where(~x, y, 0.0)\nreturn a", "max rel *" },
	{ FX_CLAIM_EXACT, "f32[2, 3]", NULL, "a = x.sum()\nreturn a",
		"a = x.mm(x)\nreturn a", "the graph fails: *" },
	{ FX_CLAIM_EXACT, NULL, NULL, "a = torch.relu(x)\nreturn a",
		"a = x.clamp(min = 0)\nreturn a",
		"not verified: input x of * has no shape" },
	{ FX_CLAIM_EXACT, "f32[2, 3]", NULL, "a = x.mm(x)\nreturn a",
		"a = x.sum()\nreturn a", "not verified: *" },
	/* All floats are f64, also those that are made or converted. */
	{ FX_CLAIM_ALGEBRAIC, "f32[3, 3]", NULL,
		"e = torch.eye(3)\na = torch.mm(x, e)\nb = a.half()\n"
		"c = b.to(torch.float32)\nreturn c * 3.0 / 3.0",
		"e = torch.eye(3)\na = torch.mm(x, e)\nb = a.half()\n"
		"c = b.to(torch.float32)\nreturn c + 0.0",
		"verified on 3 inputs in f64: *" },
	/* A cast to half a float is not lost, but for what has been one. */
	{ FX_CLAIM_ALGEBRAIC, "f32[9]", NULL,
		"a = x.to(torch.bfloat16)\nreturn a.float() * 3.0",
		"return x * 3.0", "max rel *" },
	{ FX_CLAIM_ALGEBRAIC, "f32[9]", NULL,
		"a = (-x.half()).float().half()\nreturn a.float() * 3.0",
		"return (-x.half()).float() * 3.0", "verified on 3 *" },
};

static void
a_change_is_told(void)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(changes); i++) {
		const struct change *change = &changes[i];
		FX_AUTO(world)
		struct world w =
			world_new(change->before, change->x, change->y);
		FX_AUTO_VERIFY struct fx_verify *verify =
			verify_new(&w, change->claim);
		FX_AUTO_GRAPH struct fx_graph *after =
			fxt_side_load("x, y", change->after);
		FX_AUTO_VERIFY_RESULT struct fx_verify_result result = {
			.why = NULL
		};
		FX_AUTO_BUF struct fx_buf text = { 0 };

		CU_ASSERT(fxt_ok(fx_verify_graph(verify, after, &result)));
		fx_verify_print(&text, &result);
		if (!fits(fx_buf_text(&text), change->expected))
			CU_FAIL("told something else");
	}
}

/* --- traces -------------------------------------------------------------- */

static float
first_of(const struct fx_datum *tensor)
{
	float found = NAN;

	if (!tensor || !fxt_ok(fx_values_read(tensor, 0, 1, &found)))
		return NAN;
	return found;
}

/* Values, what was written in place and the generator are the session's. */
static void
no_trace_is_left(void)
{
	FX_AUTO(world)
	struct world w =
		world_new("a = x.add_(1.0)\nb = torch.rand(3)\nreturn a + b",
			"f32[3]", NULL);
	FX_AUTO_STOP struct fx_stop stop = { .number = 0 };
	FX_AUTO_GRAPH struct fx_graph *after = fxt_side_load("x, y",
		"a = x.add_(2.0)\nb = torch.rand(3)\nreturn a + b");
	FX_AUTO_VERIFY struct fx_verify *verify = NULL;
	FX_AUTO_VERIFY_RESULT struct fx_verify_result result = { .why = NULL };
	struct fx_activation *place;
	uint64_t id = fx_graph_find(fx_model_graph(w.model), "x")->id;
	struct fx_blob *states[2] = { NULL, NULL };
	float before;

	FXT_OK(fx_position_run(w.session, w.model, NULL, &stop));
	place = w.model->run->activations.items[0];
	before = first_of(fx_env_get(&place->env, id));
	FXT_OK(w.model->backend->ops->random_save(w.model->backend,
		&states[0]));
	verify = verify_new(&w, FX_CLAIM_EXACT);
	FXT_OK(fx_verify_graph(verify, after, &result));
	FXT_EQ(result.verdict, FX_VERDICT_DIFFERS);
	FXT_EQ(first_of(fx_env_get(&place->env, id)), before);
	FXT_OK(w.model->backend->ops->random_save(w.model->backend,
		&states[1]));
	FXT_EQ(memcmp(fx_blob_data(states[0]), fx_blob_data(states[1]),
		       fx_blob_size(states[0])),
		0);
	fx_blob_unref(states[0]);
	fx_blob_unref(states[1]);
}

/* Of ten nodes the last one differs: the others run once. */
static void
what_is_alike_runs_once(void)
{
	FX_AUTO(world)
	struct world w =
		world_new("a = x.sin().relu_().cos().mul_(2.0).tan().exp()\n"
			  "return a * 2.0",
			"f32[3]", NULL);
	FX_AUTO_GRAPH struct fx_graph *after = fxt_side_load("x, y",
		"a = x.sin().relu_().cos().mul_(2.0).tan().exp()\n"
		"return a + a");
	FX_AUTO_VERIFY struct fx_verify *verify =
		verify_new(&w, FX_CLAIM_EXACT);
	FX_AUTO_VERIFY_RESULT struct fx_verify_result result = { .why = NULL };

	FXT_OK(fx_verify_graph(verify, after, &result));
	FXT_EQ(result.verdict, FX_VERDICT_SAME);
	FXT_EQ(result.executed[0], 10);
	FXT_EQ(result.executed[1], 2);
}

/* Questions after the first run what they do not know: no more than what
 * differs, and from the beginning only where that parts earlier, or reads a
 * value that was not kept.  Values that are written into stay what they were.
 */
static const struct question {
	const char *body;
	size_t executed[2];
	enum fx_verdict verdict;
} questions[] = {
	{ "b = a.tan()\nc = b.exp()\nreturn c + c", { 10, 2 },
		FX_VERDICT_SAME },
	{ "b = a.tan()\nc = b.exp()\nreturn c * 2.5", { 0, 2 },
		FX_VERDICT_DIFFERS },
	{ "b = a.tan()\nc = b.exp()\nreturn c.mul_(2.0)", { 0, 2 },
		FX_VERDICT_SAME },
	{ "b = a.tan()\nc = b.exp()\nreturn c + b.exp()", { 8, 3 },
		FX_VERDICT_SAME },
	{ "b = a.tan()\nc = torch.exp(b)\nreturn c + c", { 7, 3 },
		FX_VERDICT_SAME },
	{ "b = a.tan()\nc = b.exp()\nreturn c + c", { 0, 2 }, FX_VERDICT_SAME },
	{ "b = a.tan()\nc = b.exp()\nreturn a.tan().exp() + c", { 8, 4 },
		FX_VERDICT_SAME },
};

static void
what_is_known_does_not_run_again(void)
{
	static const char head[] = "a = x.sin().relu_().cos().mul_(2.0)\n";
	FX_AUTO_BUF struct fx_buf body = { 0 };
	FX_AUTO(world) struct world w = { .session = NULL };
	FX_AUTO_VERIFY struct fx_verify *verify = NULL;

	fx_buf_addf(&body, "%sb = a.tan()\nc = b.exp()\nreturn c * 2.0", head);
	w = world_new(fx_buf_text(&body), "f32[3]", NULL);
	verify = verify_new(&w, FX_CLAIM_EXACT);
	for (size_t i = 0; i < FX_ARRAY_LEN(questions); i++) {
		const struct question *question = &questions[i];
		FX_AUTO_GRAPH struct fx_graph *after = NULL;
		FX_AUTO_VERIFY_RESULT struct fx_verify_result result = {
			.why = NULL
		};

		fx_buf_truncate(&body, 0);
		fx_buf_addf(&body, "%s%s", head, question->body);
		after = fxt_side_load("x, y", fx_buf_text(&body));
		FXT_OK(fx_verify_graph(verify, after, &result));
		FXT_EQ(result.verdict, question->verdict);
		FXT_EQ(result.executed[0], question->executed[0]);
		FXT_EQ(result.executed[1], question->executed[1]);
	}
}

/* How many nodes a new verification runs of the graph as it is, beside one with
 * another end.
 */
static size_t
ran_before(struct world *w, enum fx_claim claim)
{
	FX_AUTO_GRAPH struct fx_graph *after = fxt_side_load("x, y",
		"a = x.sin().relu_().cos().mul_(2.0).tan().exp()\n"
		"return a + a");
	FX_AUTO_VERIFY struct fx_verify *verify = verify_new(w, claim);
	FX_AUTO_VERIFY_RESULT struct fx_verify_result result = { .why = NULL };

	FXT_OK(fx_verify_graph(verify, after, &result));
	FXT_EQ(result.verdict, FX_VERDICT_SAME);
	FXT_EQ(result.executed[1], 2);
	return result.executed[0];
}

/* The next verification knows what the one before it ran, unless something is
 * other: the claim, the seed; or it was forgotten.
 */
static void
what_is_known_is_kept(void)
{
	FX_AUTO(world)
	struct world w =
		world_new("a = x.sin().relu_().cos().mul_(2.0).tan().exp()\n"
			  "return a * 2.0",
			"f32[3]", NULL);

	FXT_EQ(ran_before(&w, FX_CLAIM_EXACT), 10);
	FXT_EQ(ran_before(&w, FX_CLAIM_EXACT), 0);
	FXT_EQ(ran_before(&w, FX_CLAIM_ALGEBRAIC), 10);
	FXT_EQ(ran_before(&w, FX_CLAIM_ALGEBRAIC), 0);
	FXT_EQ(ran_before(&w, FX_CLAIM_EXACT), 0);
	fx_session_set_seed(w.session, 5);
	FXT_EQ(ran_before(&w, FX_CLAIM_EXACT), 10);
	FXT_EQ(ran_before(&w, FX_CLAIM_EXACT), 0);
	fx_verify_forget(w.session);
	FXT_EQ(ran_before(&w, FX_CLAIM_EXACT), 10);
}

static bool
press(void *context)
{
	(void)context;
	return true;
}

static void
it_can_be_interrupted(void)
{
	FX_AUTO(world)
	struct world w = world_new("return x + 1.0", "f32[3]", NULL);
	FX_AUTO_GRAPH struct fx_graph *after =
		fxt_side_load("x, y", "return x + 2.0");
	FX_AUTO_VERIFY struct fx_verify *verify =
		verify_new(&w, FX_CLAIM_EXACT);
	FX_AUTO_VERIFY_RESULT struct fx_verify_result result = { .why = NULL };

	fx_session_set_tick(w.session, press, NULL);
	FXT_FAILS(fx_verify_graph(verify, after, &result), FX_ERR_INTERRUPTED);
}

/* --- how far apart ------------------------------------------------------- */

static struct fx_datum *
tensor(struct fx_backend *backend, const float *values)
{
	const int64_t sizes[] = { 2, 2 };
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value meta =
		fx_tensor_meta_ints(arena, FX_DTYPE_F32, sizes, 2);
	struct fx_datum *datum = NULL;

	FXT_OK(fx_values_write(backend, meta.tensor, values, &datum));
	return datum;
}

/* What numpy says of these, by hand. */
static void
a_gap_is_measured(void)
{
	static const struct {
		float a[4];
		float b[4];
		double abs;
		double rel;
		double ulp;
		uint64_t index;
		uint64_t differing;
	} rows[] = {
		{ { 1, 2, 3, 4 }, { 1, 2, 3, 4 }, 0, 0, 0, 0, 0 },
		{ { 1, 2, 3, 4 }, { 1, 2.5F, 3, 3.75F }, 0.5, 0.125, 2097152, 1,
			2 },
		{ { NAN, INFINITY, 0, 4 }, { NAN, INFINITY, 0, 4 }, 0, 0, 0, 0,
			0 },
		{ { 1, INFINITY, 0, 4 }, { 1, -INFINITY, 0, 4 }, INFINITY,
			INFINITY, INFINITY, 1, 1 },
		{ { 1, 2, 0, 4 }, { 1, 2, NAN, 4 }, INFINITY, INFINITY,
			INFINITY, 2, 1 },
		{ { 0, 0, 0, 0 }, { 0, 0, 0, 1 }, 1, INFINITY, 8388608, 3, 1 },
	};
	FX_AUTO_BACKEND struct fx_backend *backend = fxt_torch_new();

	for (size_t i = 0; i < FX_ARRAY_LEN(rows); i++) {
		FX_AUTO_DATUM struct fx_datum *a = tensor(backend, rows[i].a);
		FX_AUTO_DATUM struct fx_datum *b = tensor(backend, rows[i].b);
		FX_AUTO_GAP struct fx_gap gap = { .mismatch = NULL };

		FXT_OK(fx_gap_compute(a, b, false, NULL, &gap));
		FXT_EQ(gap.max_abs, rows[i].abs);
		FXT_EQ(gap.max_rel, rows[i].rel);
		FXT_EQ(gap.max_ulp, rows[i].ulp);
		FXT_EQ(gap.index, rows[i].index);
		FXT_EQ(gap.differing, rows[i].differing);
		FXT_EQ(gap.elements, 4);
	}
}

#define MANY 10007

/* A number of any size, denormal ones too, that f32 has. */
static double
any_number(uint64_t *state)
{
	int power = (int)(fx_random_bits(state) % 260) - 140;
	double part = (double)(fx_random_bits(state) >> 40) - 0x1p23;

	return (double)(float)ldexp(part, power - 24);
}

/* In steps at the larger of both. */
static double
steps_of(bool is_wide, double a, double b)
{
	double near = fmax(fabs(a), fabs(b));
	int least = is_wide ? -1022 : -126;
	int power = near > 0 ? ilogb(near) : least;

	return fabs(a - b) /
	       ldexp(1, FX_MAX(power, least) - (is_wide ? 52 : 23));
}

static void
many_floats_are_measured_as_one_is(void)
{
	static double pairs[2][MANY];
	static float narrow[2][MANY];
	FX_AUTO_BACKEND struct fx_backend *backend = fxt_torch_new();
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	int64_t sizes[1] = { MANY };
	uint64_t state = 7;

	for (int is_wide = 0; is_wide < 2; is_wide++) {
		struct fx_datum *sides[2];
		FX_AUTO_GAP struct fx_gap gap = { .mismatch = NULL };
		double most[3] = { 0 };
		uint64_t differing = 0;
		uint64_t index = 0;
		double dot = 0;
		double noise = 0;

		for (size_t i = 0; i < MANY; i++) {
			double a = any_number(&state);
			double b = i % 3 ? a : any_number(&state);
			double by = fabs(a - b);

			pairs[0][i] = a;
			pairs[1][i] = b;
			narrow[0][i] = (float)a;
			narrow[1][i] = (float)b;
			index = by > most[0] ? i : index;
			most[0] = fmax(most[0], by);
			most[1] = fmax(most[1], fabs(a));
			most[2] = fmax(most[2], steps_of(is_wide, a, b));
			differing += a != b;
			dot += a * b;
			noise += by * by;
		}
		for (int s = 0; s < 2; s++) {
			struct fx_value meta = fx_tensor_meta_ints(arena,
				is_wide ? FX_DTYPE_F64 : FX_DTYPE_F32, sizes,
				1);

			FXT_OK(fx_values_write(backend, meta.tensor,
				is_wide ? (void *)pairs[s] : (void *)narrow[s],
				&sides[s]));
		}
		FXT_OK(fx_gap_compute(sides[0], sides[1], false, NULL, &gap));
		FXT_EQ(gap.max_abs, most[0]);
		FXT_EQ(gap.largest, most[1]);
		FXT_EQ(gap.max_ulp, most[2]);
		FXT_EQ(gap.differing, differing);
		FXT_EQ(gap.index, index);
		FXT_EQ(gap.is_bit_equal, false);
		CU_ASSERT(fabs(gap.dot - dot) <= 1e-12 * fabs(dot));
		CU_ASSERT(fabs(gap.noise - noise) <= 1e-12 * noise);
		fx_datum_unref(sides[0]);
		fx_datum_unref(sides[1]);
	}
}

/* A pair of f32 near each other, far apart, the same, denormal or huge. */
static void
any_pair(uint64_t *state, float pair[2])
{
	static const int powers[] = { -149, -130, -20, 0, 100, 127 };
	uint64_t kind = fx_random_bits(state) % 6;
	float one = ldexpf((float)(fx_random_bits(state) >> 40) * 0x1p-24f,
		powers[fx_random_bits(state) % FX_ARRAY_LEN(powers)]);
	float other = one;

	if (kind < 3)
		for (uint64_t i = 0; i < kind; i++)
			other = nextafterf(other, kind % 2 ? 0.0F : 1.0F);
	else if (kind == 3)
		other = (float)any_number(state);
	else if (kind == 4)
		other = one * 0.75F;
	else
		one = other = 0;
	pair[0] = kind % 2 ? one : -one;
	pair[1] = kind % 2 ? other : -other;
}

/* The largest ones, whatever was known before: row after row, short and long.
 */
static void
the_largest_of_many_rows_are_found(void)
{
	static float rows[2][200];
	struct fx_float_pairs pairs = { .max_abs = 0 };
	double most[2] = { 0 };
	uint64_t state = 11;

	for (int row = 0; row < 20000; row++) {
		size_t count = fx_random_bits(&state) % 200;
		double largest = 0;
		uint64_t differing = 0;

		/* Once in a while nothing is known again. */
		if (row % 50 == 0) {
			pairs.max_abs = pairs.max_ulp = 0;
			most[0] = most[1] = 0;
		}
		for (size_t i = 0; i < count; i++) {
			float pair[2];
			double a;
			double b;

			any_pair(&state, pair);
			if (row % 50 < 25)
				pair[0] = ldexpf(pair[0], -row % 25 * 4),
				pair[1] = ldexpf(pair[1], -row % 25 * 4);
			a = (double)(rows[0][i] = pair[0]);
			b = (double)(rows[1][i] = pair[1]);
			largest = fmax(largest, fabs(a));
			differing += pair[0] != pair[1];
			most[0] = fmax(most[0], fabs(a - b));
			most[1] = fmax(most[1], steps_of(false, a, b));
		}
		CU_ASSERT_FATAL(fx_float_pairs_measure(FX_DTYPE_F32, rows[0],
			rows[1], count, &pairs));
		FXT_EQ(pairs.max_abs, most[0]);
		FXT_EQ(pairs.max_ulp, most[1]);
		FXT_EQ(pairs.largest, largest);
		FXT_EQ(pairs.differing, differing);
	}
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(a_gap_is_measured),
		FXT_CASE(a_change_is_told),
		FXT_CASE(no_trace_is_left),
		FXT_CASE(many_floats_are_measured_as_one_is),
		FXT_CASE(the_largest_of_many_rows_are_found),
		FXT_CASE(what_is_alike_runs_once),
		FXT_CASE(what_is_known_does_not_run_again),
		FXT_CASE(what_is_known_is_kept),
		FXT_CASE(it_can_be_interrupted),
	};

	/* Built without libtorch. */
	if (!fxt_has_torch())
		return 77;
	return fxt_run("verify", cases, FX_ARRAY_LEN(cases));
}

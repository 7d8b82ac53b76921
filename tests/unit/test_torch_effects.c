/* test_torch_effects.c - what the torch backend writes in place and draws, and
 * how both are taken back.
 */
#include <config.h>

#include <string.h>

#include "base/blob.h"
#include "base/intern.h"
#include "ir/graph.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/interp.h"
#include "run/trial.h"
#include "run/values.h"
#include "tests/support/torch_side.h"
#include "tests/support/unit.h"

static void
a_write_in_place_is_taken_back(void)
{
	struct fxt_side torch = { .backend = fxt_torch_new() };
	FX_AUTO_GRAPH struct fx_graph *graph =
		fxt_side_load("x", "y = x.view(-1)\nz = y.mul_(2)\nreturn z");
	struct fx_node *node = fx_graph_first(graph);
	struct fx_blob *saved = NULL;
	const struct fx_backend_ops *ops = torch.backend->ops;
	struct fx_datum *x;
	struct fx_datum *z;
	size_t size;
	float before[4];
	float after[4];

	CU_ASSERT(fxt_ok(fxt_side_run(&torch, graph, "f32[2,2]")));
	x = fx_env_get(&torch.env, node->id);
	z = fx_env_get(&torch.env, fx_graph_output(graph)->id);
	FXT_EQ(ops->storage(x->payload, &size),
		ops->storage(z->payload, &size));
	CU_ASSERT(fxt_ok(ops->read(x->payload, 0, 4, before)));
	CU_ASSERT(fxt_ok(ops->storage_save(x->payload, &saved)));
	memset(fx_blob_data(saved), 0, fx_blob_size(saved));
	CU_ASSERT(fxt_ok(ops->storage_restore(z->payload, saved)));
	CU_ASSERT(fxt_ok(ops->read(x->payload, 0, 4, after)));
	FXT_IS(before[0], !=, 0);
	FXT_EQ(after[0], 0);
	fx_blob_unref(saved);
	fxt_side_deinit(&torch);
}

struct watched {
	struct fx_plan_watch watch;
	size_t copies; /* how often the bytes would be copied */
	struct fx_blob *kept;
};

static struct fx_error *
count_copy(void *context, struct fx_datum *const *data, uint64_t writes,
	bool may_draw)
{
	struct watched *watched = context;

	(void)data;
	(void)may_draw;
	watched->copies += writes != 0;
	return NULL;
}

static void
take_kept(void *context, struct fx_datum *tensor, struct fx_blob *bytes_taken)
{
	struct watched *watched = context;

	(void)tensor;
	fx_blob_unref(watched->kept);
	watched->kept = bytes_taken;
}

/* Run BODY as somebody who goes back later would. */
static struct fx_graph *
run_watched(struct fxt_side *torch, struct watched *watched, const char *body)
{
	struct fx_graph *graph = fxt_side_load("x", body);
	const struct fx_observer hook = { .records = true };
	struct fx_interp interp = {
		.graph = graph,
		.backend = torch->backend,
		.env = &torch->env,
		.plans = &torch->plans,
		.input = fxt_side_give,
		.input_context = torch,
		.observers = &hook,
		.observer_count = 1,
		.next = fx_graph_first(graph),
	};

	torch->inputs = "f32[2,2]";
	fx_plans_init(&torch->plans, torch->backend);
	watched->watch = (struct fx_plan_watch){
		.context = watched, .before = count_copy, .kept = take_kept
	};
	torch->plans.watch = &watched->watch;
	CU_ASSERT(fxt_ok(fx_interp_run(&interp, NULL)));
	return graph;
}

static struct fx_datum *
value_of(const struct fxt_side *torch, const struct fx_graph *graph,
	const char *name)
{
	return fx_env_get(&torch->env, fx_graph_find(graph, name)->id);
}

static void
a_write_in_place_can_leave_the_bytes_alone(void)
{
	struct fxt_side torch = { .backend = fxt_torch_new() };
	struct watched watched = { .copies = 0 };
	FX_AUTO_GRAPH struct fx_graph *graph = run_watched(&torch, &watched,
		"y = x + 1\nv = y.view(-1)\nz = y.mul_(2)\nw = x + 1\n"
		"return (v, z, w)");
	const struct fx_backend_ops *ops = torch.backend->ops;
	float before[4];
	float after[4];
	size_t size;

	FXT_EQ(watched.copies, 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(watched.kept);
	FXT_EQ(fx_blob_size(watched.kept), sizeof(before));
	CU_ASSERT(fxt_ok(ops->read(value_of(&torch, graph, "w")->payload, 0, 4,
		before)));
	FXT_EQ(memcmp(fx_blob_data(watched.kept), before, sizeof(before)), 0);
	/* A view made before sees what was written. */
	CU_ASSERT(fxt_ok(ops->read(value_of(&torch, graph, "v")->payload, 0, 4,
		after)));
	for (int i = 0; i < 4; i++)
		FXT_EQ(after[i], before[i] * 2);
	FXT_EQ(ops->storage(value_of(&torch, graph, "v")->payload, &size),
		ops->storage(value_of(&torch, graph, "z")->payload, &size));
	fx_blob_unref(watched.kept);
	fxt_side_deinit(&torch);
}

/* Part of a storage, an expanded view, another dtype, memory of the host's,
 * what changes only strides: their bytes are copied.
 */
static void
other_writes_in_place_copy_the_bytes(void)
{
	static const char *const bodies[] = {
		"y = x + 1\nv = y[0]\nz = v.mul_(2)\nreturn z",
		"y = x + 1\nz = y.t_()\nreturn z",
		"y = x + 1\nz = y.unsqueeze_(0)\nreturn z",
		"y = x.long()\nz = y.bernoulli_(0.5)\nreturn z",
	};

	for (size_t i = 0; i < FX_ARRAY_LEN(bodies); i++) {
		struct fxt_side torch = { .backend = fxt_torch_new() };
		struct watched watched = { .copies = 0 };
		FX_AUTO_GRAPH struct fx_graph *graph =
			run_watched(&torch, &watched, bodies[i]);

		CU_ASSERT_PTR_NOT_NULL(graph);
		FXT_EQ(watched.copies, 1);
		CU_ASSERT_PTR_NULL(watched.kept);
		fx_blob_unref(watched.kept);
		fxt_side_deinit(&torch);
	}
}

static uint64_t
writes_of(struct fx_backend *backend, enum fx_opcode opcode, const char *target,
	size_t count)
{
	struct fx_kind kinds[8];
	struct fx_call_site site = {
		.opcode = opcode,
		.target = fx_intern(target),
		.kinds = kinds,
		.count = count,
	};
	uint64_t bits;
	void *plan;

	for (size_t i = 0; i < count; i++)
		kinds[i] = (struct fx_kind){ FX_VALUE_TENSOR, FX_DTYPE_F32, 2 };
	CU_ASSERT_FATAL(fxt_ok(backend->ops->resolve(backend, &site, &plan)));
	bits = backend->ops->writes(plan);
	backend->ops->plan_free(backend, plan);
	return bits;
}

static void
what_is_written_is_known_before_the_call(void)
{
	FX_AUTO_BACKEND struct fx_backend *backend = fxt_torch_new();

	FXT_EQ(writes_of(backend, FX_OPCODE_CALL_METHOD, "add_", 2), 1);
	FXT_EQ(writes_of(backend, FX_OPCODE_CALL_METHOD, "add", 2), 0);
	FXT_EQ(writes_of(backend, FX_OPCODE_CALL_FUNCTION, "torch.relu_", 1),
		1);
	FXT_EQ(writes_of(backend, FX_OPCODE_CALL_FUNCTION, "operator.iadd", 2),
		1);
	FXT_EQ(writes_of(backend, FX_OPCODE_CALL_FUNCTION, "operator.setitem",
		       3),
		1);
}

static void
random_numbers_come_back(void)
{
	struct fx_backend *backend = fxt_torch_new();
	struct fxt_side torch = { .backend = backend };
	FX_AUTO_GRAPH struct fx_graph *graph =
		fxt_side_load("", "x = torch.rand(3)\nreturn x");
	uint64_t id = fx_graph_output(graph)->id;
	/* What CPython's torch draws after manual_seed(0). */
	static const float first[] = { 0.49625659F, 0.76822180F, 0.08847743F };
	struct fx_blob *state = NULL;
	float drawn[2][3];

	backend->ops->seed(backend, 0);
	CU_ASSERT(fxt_ok(backend->ops->random_save(backend, &state)));
	for (int i = 0; i < 2; i++) {
		CU_ASSERT(fxt_ok(fxt_side_run(&torch, graph, "")));
		CU_ASSERT(fxt_ok(backend->ops->read(fx_env_get(&torch.env, id)
							    ->payload,
			0, 3, drawn[i])));
		CU_ASSERT(fxt_ok(backend->ops->random_restore(backend, state)));
		fx_env_clear(&torch.env);
		fx_plans_deinit(&torch.plans);
	}
	FXT_EQ(memcmp(drawn[0], drawn[1], sizeof(drawn[0])), 0);
	for (int i = 0; i < 3; i++)
		CU_ASSERT_DOUBLE_EQUAL(drawn[0][i], first[i], 1e-7);
	fx_blob_unref(state);
	fxt_side_deinit(&torch);
}

/* --- trials -------------------------------------------------------------- */

static bool
reads(const struct fx_datum *tensor, const float *want, float times)
{
	float found[4] = { 0 };

	CU_ASSERT(fxt_ok(fx_values_read(tensor, 0, 4, found)));
	for (int i = 0; i < 4; i++)
		if (found[i] != want[i] * times)
			return false;
	return true;
}

static enum fx_answer
count_node(void *context, struct fx_interp *interp, struct fx_node *node,
	struct fx_datum *result)
{
	(void)interp;
	(void)node;
	(void)result;
	++*(size_t *)context;
	return FX_ANSWER_GO;
}

static bool
is_state(const struct fx_backend *backend, const struct fx_blob *state)
{
	struct fx_blob *now = NULL;
	bool same;

	CU_ASSERT(fxt_ok(backend->ops
				 ->random_save((struct fx_backend *)(uintptr_t)
						       backend,
					 &now)));
	same = fx_blob_size(now) == fx_blob_size(state) &&
	       !memcmp(fx_blob_data(now), fx_blob_data(state),
		       fx_blob_size(now));
	fx_blob_unref(now);
	return same;
}

/* What it wrote and drew is as before; what it gave and kept stays.  So when
 * it fails: then there is no result.
 */
static void
a_trial_leaves_no_trace(void)
{
	static const char *const bodies[] = {
		"y = x.mul_(2)\nr = torch.rand(4)\nw = r * 2\nreturn y",
		"y = x.mul_(2)\nr = torch.rand(4)\nw = r.mm(y)\nreturn y",
	};
	FX_AUTO_BACKEND struct fx_backend *backend = fxt_torch_new();
	FX_AUTO_DATUM struct fx_datum *x = NULL;
	struct fxt_side side = { .backend = backend, .inputs = "f32[4]" };
	struct fx_blob *state = NULL;
	float before[4];

	CU_ASSERT_FATAL(fxt_ok(fxt_side_give(&side, NULL, &x)));
	CU_ASSERT(fxt_ok(fx_values_read(x, 0, 4, before)));
	CU_ASSERT(fxt_ok(backend->ops->random_save(backend, &state)));
	for (size_t i = 0; i < 4; i++) {
		FX_AUTO_GRAPH struct fx_graph *graph =
			fxt_side_load("x", bodies[i / 2]);
		FX_AUTO_ENV struct fx_env kept = { .count = 0 };
		FX_AUTO_DATUM struct fx_datum *output = NULL;
		size_t count = 0;
		const struct fx_observer counter = { .context = &count,
			.after = count_node };
		const struct fx_trial trial = {
			.graph = graph,
			.backend = backend,
			.inputs = &x,
			.input_count = 1,
			.seed = i,
			.observers = &counter,
			.observer_count = 1,
		};
		struct fx_error *err = fx_trial_run(&trial, &kept, &output);
		uint64_t y = fx_graph_find(graph, "y")->id;

		if (i < 2) {
			CU_ASSERT(fxt_ok(err));
		} else {
			CU_ASSERT(fxt_fails(err, FX_ERR_SHAPE));
		}
		FXT_EQ(count, i < 2 ? 5 : 3);
		CU_ASSERT(reads(x, before, 1));
		CU_ASSERT(reads(fx_env_get(&kept, y), before, 2));
		CU_ASSERT(is_state(backend, state));
		if (i < 2)
			CU_ASSERT(reads(output, before, 2));
	}
	fx_blob_unref(state);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(a_write_in_place_is_taken_back),
		FXT_CASE(a_write_in_place_can_leave_the_bytes_alone),
		FXT_CASE(other_writes_in_place_copy_the_bytes),
		FXT_CASE(what_is_written_is_known_before_the_call),
		FXT_CASE(random_numbers_come_back),
		FXT_CASE(a_trial_leaves_no_trace),
	};

	/* Built without libtorch. */
	if (!fxt_has_torch())
		return 77;
	return fxt_run("torch_effects", cases, FX_ARRAY_LEN(cases));
}

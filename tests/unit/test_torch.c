/* test_torch.c - the torch backend: a chain of each family of operators beside
 * the meta backend, values, failures, tensors that are empty or huge.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "guest/shim.h"
#include "ir/graph.h"
#include "ir/tensor_meta.h"
#include "load/open.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/interp.h"
#include "tests/support/unit.h"

/* --- helpers ------------------------------------------------------------ */

static struct fx_backend *
torch_new(void)
{
	struct fx_backend *backend = NULL;
	CU_ASSERT_FATAL(fxt_ok(fx_backend_torch_new(NULL, &backend)));
	return backend;
}

/* BODY as the statements of forward(self, PARAMS). */
static struct fx_graph *
load(const char *params, const char *body)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_loaded loaded = { .graph = NULL };
	struct fx_load_input input = { .serial = 1 };
	struct fx_graph *graph;

	fx_buf_addf(&text, "def forward(self, %s):\n", params);
	for (const char *line = body; *line;) {
		size_t length = strcspn(line, "\n");

		fx_buf_addf(&text, "    %.*s\n", (int)length, line);
		line += length + (line[length] == '\n');
	}
	input.text = fx_buf_text(&text);
	input.length = text.length;
	CU_ASSERT_FATAL(fxt_ok(fx_open_text(&input, &loaded)));
	graph = loaded.graph;
	loaded.graph = NULL;
	fx_loaded_deinit(&loaded);
	return graph;
}

struct side {
	struct fx_backend *backend;
	struct fx_env env;
	struct fx_plans plans;
	const char *inputs; /* specs, separated by blanks */
};

/* The next of the specs, made up. */
static struct fx_error *
give(void *context, struct fx_node *node, struct fx_datum **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct side *side = context;
	size_t length = strcspn(side->inputs, " ");
	struct fx_value meta;
	struct fx_error *err =
		fx_tensor_meta_parse(arena, side->inputs, length, &meta);

	(void)node;
	CU_ASSERT_FATAL(fxt_ok(err));
	side->inputs += length + (side->inputs[length] == ' ');
	return side->backend->ops->generate(side->backend, meta.tensor, 7, ret);
}

static struct fx_error *
run_side(struct side *side, struct fx_graph *graph, const char *inputs)
{
	const struct fx_hook hook = { .records = true };
	struct fx_interp interp = {
		.graph = graph,
		.backend = side->backend,
		.env = &side->env,
		.plans = &side->plans,
		.input = give,
		.input_context = side,
		.hooks = &hook,
		.hook_count = 1,
		.next = fx_graph_first(graph),
	};

	side->inputs = inputs;
	fx_plans_init(&side->plans, side->backend);
	return fx_interp_run(&interp, NULL);
}

static void
side_deinit(struct side *side)
{
	fx_env_deinit(&side->env);
	fx_plans_deinit(&side->plans);
	fx_backend_free(side->backend);
}

/* What both backends can say of DATUM: no values, no strides. */
static void
describe(struct fx_buf *out, const struct fx_datum *datum)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	const struct fx_tensor_meta *meta = fx_datum_meta(arena, datum);
	struct fx_datum_printer printer = { .format = "" };

	if (meta) {
		fx_buf_add(out, fx_dtype_info(meta->dtype)->short_name);
		for (uint32_t i = 0; i < meta->rank; i++)
			fx_buf_addf(out, ",%lld",
				(long long)meta->sizes[i].integer);
	} else if (fx_datum_is_sequence(datum)) {
		for (size_t i = 0; i < datum->count; i++) {
			fx_buf_add(out, i ? " | " : "(");
			describe(out, datum->items[i]);
		}
		fx_buf_add(out, ")");
	} else {
		CU_ASSERT(fxt_ok(fx_datum_print(out, datum, &printer)));
	}
}

/* Run BODY on both; at every node they must say the same. */
static void
same_as_meta(const char *params, const char *inputs, const char *body)
{
	struct side torch = { .backend = torch_new() };
	struct side meta = { .backend = fx_backend_meta_new() };
	FX_AUTO_GRAPH struct fx_graph *graph = load(params, body);
	struct fx_node *node;

	CU_ASSERT(fxt_ok(run_side(&torch, graph, inputs)));
	CU_ASSERT(fxt_ok(run_side(&meta, graph, inputs)));
	fx_graph_for_each_node (node, graph) {
		struct fx_datum *have = fx_env_get(&torch.env, node->id);
		struct fx_datum *want = fx_env_get(&meta.env, node->id);
		FX_AUTO_BUF struct fx_buf ours = { 0 };
		FX_AUTO_BUF struct fx_buf theirs = { 0 };

		if (!have || !want) {
			CU_ASSERT_EQUAL(have, want);
			break;
		}
		describe(&ours, have);
		if (want->kind == FX_DATUM_UNKNOWN)
			continue;
		describe(&theirs, want);
		if (strcmp(fx_buf_text(&ours), fx_buf_text(&theirs)) != 0)
			printf("%s: torch %s, meta %s\n", node->name,
				fx_buf_text(&ours), fx_buf_text(&theirs));
		CU_ASSERT_STRING_EQUAL(fx_buf_text(&ours),
			fx_buf_text(&theirs));
	}
	side_deinit(&torch);
	side_deinit(&meta);
}

/* The first COUNT elements of what BODY returns, as f32. */
static void
gives(const char *body, const float *want, size_t count)
{
	struct side torch = { .backend = torch_new() };
	FX_AUTO_GRAPH struct fx_graph *graph = load("", body);
	float have[16];
	struct fx_datum *result;

	CU_ASSERT(fxt_ok(run_side(&torch, graph, "")));
	result = fx_env_get(&torch.env, fx_graph_output(graph)->id);
	CU_ASSERT_FATAL(result && result->kind == FX_DATUM_TENSOR);
	CU_ASSERT(fxt_ok(torch.backend->ops->read(result->payload, 0, count,
		have)));
	for (size_t i = 0; i < count; i++)
		CU_ASSERT_DOUBLE_EQUAL(have[i], want[i], 1e-6);
	side_deinit(&torch);
}

/* BODY fails with CODE and a message that has PART. */
static void
fails(const char *params, const char *inputs, const char *body,
	enum fx_error_code code, const char *part)
{
	struct side torch = { .backend = torch_new() };
	FX_AUTO_GRAPH struct fx_graph *graph = load(params, body);
	struct fx_error *err = run_side(&torch, graph, inputs);

	CU_ASSERT_PTR_NOT_NULL_FATAL(err);
	CU_ASSERT_EQUAL(fx_error_code(err), code);
	if (!strstr(fx_error_message(err), part))
		printf("%s\n", fx_error_message(err));
	CU_ASSERT_PTR_NOT_NULL(strstr(fx_error_message(err), part));
	CU_ASSERT_PTR_NULL(strchr(fx_error_message(err), '\n'));
	fx_error_free(err);
	side_deinit(&torch);
}

/* --- families ----------------------------------------------------------- */

static void
arithmetic_as_meta_says(void)
{
	same_as_meta("x, y", "f32[2,3] f32[3]",
		"a = x + y\nb = a * 2\nc = 2 - b\nd = c / 3\n"
		"e = torch.clamp(d, min=0)\nf = torch.where(e > 0, x, 0.0)\n"
		"g = x.to(torch.int64) // 2\nh = g % 3\ni = h + True\n"
		"j = torch.lerp(x, a, 0.5)\nk = operator.pow(a, 2)\n"
		"l = x.eq(y)\nm = operator.and_(l, l)\n"
		"return (f, i, j, k, m)");
}

static void
activations_as_meta_says(void)
{
	same_as_meta("x", "f32[2,8]",
		"a = torch.relu(x)\nb = torch.nn.functional.gelu(a)\n"
		"c = torch.nn.functional.silu(b, inplace=False)\n"
		"d = torch.nn.functional.softmax(c, dim=-1, _stacklevel=5)\n"
		"e = torch.nn.functional.hardtanh(d)\n"
		"f = torch.nn.functional.leaky_relu(e, 0.1, False)\n"
		"g = torch.nn.functional.glu(f, -1)\n"
		"h = torch.nn.functional.relu6(g)\ni = h.sigmoid_()\n"
		"j = torch.nn.functional.dropout(i, 0.5, True, False)\n"
		"return j");
}

static void
reductions_as_meta_says(void)
{
	same_as_meta("x", "f32[2,3,4]",
		"a = x.sum(1)\nb = x.mean([1, 2], keepdim=True)\n"
		"c = torch.max(x, 2)\nd = c[1]\ne = x.amax(-1)\n"
		"f = torch.topk(x, 2)\ng = x.std(0)\nh = x.argmax(1)\n"
		"i = torch.logsumexp(x, (0, 1))\nj = x.any()\n"
		"k = x.norm(2, 1)\nreturn (a, b, d, e, f, g, h, i, j, k)");
}

static void
matrices_as_meta_says(void)
{
	same_as_meta("x, y", "f32[2,3,4] f32[2,4,5]",
		"a = torch.bmm(x, y)\nb = x @ y\n"
		"c = torch.functional.einsum('bij,bjk->bik', x, y)\n"
		"d = torch.matmul(x[0], y[0])\n"
		"e = torch.nn.functional.linear(x, y[0].t())\n"
		"f = torch.baddbmm(a, x, y)\nreturn (b, c, e, f)");
}

static void
convolutions_and_pools_as_meta_says(void)
{
	same_as_meta("x, w", "f32[1,3,16,16] f32[8,3,3,3]",
		"a = torch.conv2d(x, w, None, 2, 1)\n"
		"b = torch.nn.functional.max_pool2d(a, 2)\n"
		"c = torch.nn.functional.avg_pool2d(b, 2, stride=None)\n"
		"d = torch.nn.functional.adaptive_avg_pool2d(b, (1, None))\n"
		"e = torch.nn.functional.interpolate(b, scale_factor=2.0, "
		"mode='bilinear', align_corners=False)\n"
		"f = torch.nn.functional.pad(e, (1, 1, 2, 0), 'reflect')\n"
		"g = torch.nn.functional.group_norm(b, 4)\n"
		"h = torch.nn.functional.batch_norm(b, None, None, "
		"training=True)\n"
		"i = torch.conv2d(x, w, None, 1, 'same')\n"
		"return (c, d, f, g, h, i)");
}

static void
shapes_as_meta_says(void)
{
	same_as_meta("x", "f32[2,3,4]",
		"a = x.view(2, -1)\nb = x.permute(2, 0, 1)\n"
		"c = x.reshape(x.size(0), 12)\nd = torch.cat([a, c], dim=1)\n"
		"e = torch.chunk(x, 2, dim=2)\nf = e[0]\n"
		"g = torch.stack((f, f))\nh = x.unsqueeze(0).expand(5, -1, -1, "
		"4)\n"
		"i = torch.flatten(x, 1)\nj = x.shape\nk = j[-1]\n"
		"l = k * 2 + 1\nm = x.split([1, 3], 2)\nn = x.unbind(0)\n"
		"o = x.repeat(2, 1, 1)\np = x.flip(0, 1)\nq = x.T\n"
		"return (d, g, h, i, l, m, n, o, p)");
}

static void
indices_as_meta_says(void)
{
	same_as_meta("x, i", "f32[4,5,6] i64[3]",
		"a = x[0]\nb = x[:, 1:4, ::2]\nc = x[..., None, -1]\n"
		"d = x[i]\ne = x[:, i]\nf = x[1:, None, 2]\n"
		"g = x[[0, 2]]\nh = torch.index_select(x, 0, i)\n"
		"j = torch.gather(x, 0, i[:, None, None])\n"
		"return (a, b, c, d, e, f, g, h, j)");
}

static void
factories_and_casts_as_meta_says(void)
{
	same_as_meta("x", "f32[2,3]",
		"a = torch.zeros(2, 3)\nb = torch.arange(0, 10, 2)\n"
		"c = torch.full((2,), 1.5)\nd = torch.ones_like(x)\n"
		"e = x.new_zeros((4, 2))\nf = x.half()\ng = x.double()\n"
		"h = x.to(torch.bfloat16)\ni = x.to('cpu')\nj = x.long()\n"
		"k = torch.randn(2, 2, dtype=torch.float64)\n"
		"l = x.to(g)\nreturn (a, b, c, d, e, f, h, i, j, k, l)");
}

static void
recurrent_nets_and_tables_as_meta_says(void)
{
	same_as_meta("x, i, w", "f32[2,3,4] i64[2,3] f32[7,4]",
		"a = torch.nn.functional.embedding(i, w)\nb = a + x\n"
		"c = torch.nn.functional.layer_norm(b, (4,))\n"
		"d = torch.nn.functional.cross_entropy(c.reshape(6, 4), "
		"i.reshape(-1), label_smoothing=0.1)\n"
		"e = torch.nn.functional.mse_loss(b, c)\n"
		"f = torch.nn.functional.normalize(c, dim=-1)\n"
		"return (d, e, f)");
}

/* --- values ------------------------------------------------------------- */

static void
values_are_what_torch_computes(void)
{
	static const float sums[] = { 4, 6 };
	static const float powers[] = { 1, 4, 9 };
	static const float picked[] = { 3, 1 };
	static const float set[] = { 0, 9, 9, 0 };
	static const float plain[] = { 7 };

	gives("x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])\n"
	      "y = x.sum(0)\nreturn y",
		sums, 2);
	gives("x = torch.arange(1, 4)\ny = x ** 2\nz = y.float()\nreturn z",
		powers, 3);
	gives("x = torch.tensor([1.0, 2.0, 3.0])\ny = x[[2, 0]]\nreturn y",
		picked, 2);
	gives("x = torch.zeros(4)\n"
	      "s = operator.setitem(x, slice(1, 3, None), 9)\nreturn x",
		set, 4);
	gives("a = 3 * 2\nb = a + 1\nc = torch.full((1,), b).float()\nreturn c",
		plain, 1);
}

static void
a_plan_follows_its_arguments(void)
{
	/* The same node gets a number of another kind each time. */
	static const char *const inputs[] = { "f32[2,3]", "i64[4]", "f64[]",
		"c64[2]" };
	struct fx_backend *backend = torch_new();
	FX_AUTO_GRAPH struct fx_graph *graph =
		load("x", "y = x.reshape(-1)\nz = y + 1\nreturn z");
	struct side side = { .backend = backend };

	for (size_t i = 0; i < FX_ARRAY_LEN(inputs); i++) {
		fx_env_clear(&side.env);
		CU_ASSERT(fxt_ok(run_side(&side, graph, inputs[i])));
		fx_plans_deinit(&side.plans);
	}
	side_deinit(&side);
}

/* --- failures ----------------------------------------------------------- */

static void
failures_are_one_clean_line(void)
{
	fails("x, y", "f32[2,3] f32[2,3]", "z = torch.matmul(x, y)\nreturn z",
		FX_ERR_SHAPE, "cannot be multiplied (2x3 and 2x3)");
	fails("x", "f32[2]", "z = x[5]\nreturn z", FX_ERR_RANGE,
		"index 5 is out of bounds");
	fails("x", "f32[2]", "z = x[0, 0]\nreturn z", FX_ERR_RANGE,
		"too many indices");
	fails("x", "f32[2]", "z = torch.relu(x, 3)\nreturn z", FX_ERR_TYPE,
		"aten::relu takes no (Tensor, int)");
	fails("x", "f32[2]", "z = x.frobnicate(1)\nreturn z",
		FX_ERR_UNSUPPORTED, "frobnicate");
	fails("x", "f32[2]", "z = torch.zeros(1000000000000, 1000)\nreturn z",
		FX_ERR_NO_SPACE, "memory does not suffice");
}

/* --- strange tensors ---------------------------------------------------- */

static void
empty_tensors_run(void)
{
	same_as_meta("x", "f32[0,3]",
		"a = torch.relu(x)\nb = x.sum()\nc = torch.cat((x, x))\n"
		"d = x.view(3, 0)\ne = x[:0]\nreturn (a, b, c, d, e)");
}

static void
complex_tensors_run(void)
{
	static const float real[] = { 1, 0 };

	same_as_meta("x", "c64[2,3]", "a = x * x\nb = a + 1\nreturn b");
	gives("x = torch.complex(torch.ones(2), torch.ones(2))\n"
	      "y = x.conj() * x\nz = torch.real(y) - torch.arange(1, 3)\n"
	      "return z",
		real, 2);
}

static void
a_view_of_two_to_the_31_elements_is_read_in_parts(void)
{
	struct side torch = { .backend = torch_new() };
	FX_AUTO_GRAPH struct fx_graph *graph =
		load("x", "y = x.expand(65536, 32768)\nreturn y");
	struct fx_datum *view;
	float last[2] = { 0 };
	float only;
	size_t bytes;

	CU_ASSERT(fxt_ok(run_side(&torch, graph, "f32[1,1]")));
	view = fx_env_get(&torch.env, fx_graph_output(graph)->id);
	CU_ASSERT(fxt_ok(torch.backend->ops->read(view->payload,
		UINT64_C(2147483646), 2, last)));
	CU_ASSERT(fxt_ok(torch.backend->ops->read(view->payload, 0, 1, &only)));
	CU_ASSERT_EQUAL(last[1], only);
	CU_ASSERT_NOT_EQUAL(torch.backend->ops->storage(view->payload, &bytes),
		0);
	CU_ASSERT_EQUAL(bytes, 4);
	fx_error_free(torch.backend->ops->read(view->payload,
		UINT64_C(2147483648), 1, last));
	side_deinit(&torch);
}

/* --- storage and random numbers ----------------------------------------- */

static void
a_write_in_place_is_taken_back(void)
{
	struct side torch = { .backend = torch_new() };
	FX_AUTO_GRAPH struct fx_graph *graph =
		load("x", "y = x.view(-1)\nz = y.mul_(2)\nreturn z");
	struct fx_node *node = fx_graph_first(graph);
	struct fx_blob *saved = NULL;
	const struct fx_backend_ops *ops = torch.backend->ops;
	struct fx_datum *x;
	struct fx_datum *z;
	size_t size;
	float before[4];
	float after[4];

	CU_ASSERT(fxt_ok(run_side(&torch, graph, "f32[2,2]")));
	x = fx_env_get(&torch.env, node->id);
	z = fx_env_get(&torch.env, fx_graph_output(graph)->id);
	CU_ASSERT_EQUAL(ops->storage(x->payload, &size),
		ops->storage(z->payload, &size));
	CU_ASSERT(fxt_ok(ops->read(x->payload, 0, 4, before)));
	CU_ASSERT(fxt_ok(ops->storage_save(x->payload, &saved)));
	memset(fx_blob_data(saved), 0, fx_blob_size(saved));
	CU_ASSERT(fxt_ok(ops->storage_restore(z->payload, saved)));
	CU_ASSERT(fxt_ok(ops->read(x->payload, 0, 4, after)));
	CU_ASSERT_NOT_EQUAL(before[0], 0);
	CU_ASSERT_EQUAL(after[0], 0);
	fx_blob_unref(saved);
	side_deinit(&torch);
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
run_watched(struct side *torch, struct watched *watched, const char *body)
{
	struct fx_graph *graph = load("x", body);
	const struct fx_hook hook = { .records = true };
	struct fx_interp interp = {
		.graph = graph,
		.backend = torch->backend,
		.env = &torch->env,
		.plans = &torch->plans,
		.input = give,
		.input_context = torch,
		.hooks = &hook,
		.hook_count = 1,
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
value_of(const struct side *torch, const struct fx_graph *graph,
	const char *name)
{
	return fx_env_get(&torch->env, fx_graph_find(graph, name)->id);
}

static void
a_write_in_place_can_leave_the_bytes_alone(void)
{
	struct side torch = { .backend = torch_new() };
	struct watched watched = { .copies = 0 };
	FX_AUTO_GRAPH struct fx_graph *graph = run_watched(&torch, &watched,
		"y = x + 1\nv = y.view(-1)\nz = y.mul_(2)\nw = x + 1\n"
		"return (v, z, w)");
	const struct fx_backend_ops *ops = torch.backend->ops;
	float before[4];
	float after[4];
	size_t size;

	CU_ASSERT_EQUAL(watched.copies, 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(watched.kept);
	CU_ASSERT_EQUAL(fx_blob_size(watched.kept), sizeof(before));
	CU_ASSERT(fxt_ok(ops->read(value_of(&torch, graph, "w")->payload, 0, 4,
		before)));
	CU_ASSERT_EQUAL(memcmp(fx_blob_data(watched.kept), before,
				sizeof(before)),
		0);
	/* A view made before sees what was written. */
	CU_ASSERT(fxt_ok(ops->read(value_of(&torch, graph, "v")->payload, 0, 4,
		after)));
	for (int i = 0; i < 4; i++)
		CU_ASSERT_EQUAL(after[i], before[i] * 2);
	CU_ASSERT_EQUAL(ops->storage(value_of(&torch, graph, "v")->payload,
				&size),
		ops->storage(value_of(&torch, graph, "z")->payload, &size));
	fx_blob_unref(watched.kept);
	side_deinit(&torch);
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
		struct side torch = { .backend = torch_new() };
		struct watched watched = { .copies = 0 };
		FX_AUTO_GRAPH struct fx_graph *graph =
			run_watched(&torch, &watched, bodies[i]);

		CU_ASSERT_EQUAL(watched.copies, 1);
		CU_ASSERT_PTR_NULL(watched.kept);
		fx_blob_unref(watched.kept);
		side_deinit(&torch);
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
		kinds[i] = (struct fx_kind){ FX_DATUM_TENSOR, FX_DTYPE_F32, 2 };
	CU_ASSERT_FATAL(fxt_ok(backend->ops->resolve(backend, &site, &plan)));
	bits = backend->ops->writes(plan);
	backend->ops->plan_free(backend, plan);
	return bits;
}

static void
what_is_written_is_known_before_the_call(void)
{
	FX_AUTO_BACKEND struct fx_backend *backend = torch_new();

	CU_ASSERT_EQUAL(writes_of(backend, FX_OPCODE_CALL_METHOD, "add_", 2),
		1);
	CU_ASSERT_EQUAL(writes_of(backend, FX_OPCODE_CALL_METHOD, "add", 2), 0);
	CU_ASSERT_EQUAL(writes_of(backend, FX_OPCODE_CALL_FUNCTION,
				"torch.relu_", 1),
		1);
	CU_ASSERT_EQUAL(writes_of(backend, FX_OPCODE_CALL_FUNCTION,
				"operator.iadd", 2),
		1);
	CU_ASSERT_EQUAL(writes_of(backend, FX_OPCODE_CALL_FUNCTION,
				"operator.setitem", 3),
		1);
}

static void
random_numbers_come_back(void)
{
	struct fx_backend *backend = torch_new();
	struct side torch = { .backend = backend };
	FX_AUTO_GRAPH struct fx_graph *graph =
		load("", "x = torch.rand(3)\nreturn x");
	uint64_t id = fx_graph_output(graph)->id;
	/* What CPython's torch draws after manual_seed(0). */
	static const float first[] = { 0.49625659F, 0.76822180F, 0.08847743F };
	struct fx_blob *state = NULL;
	float drawn[2][3];

	backend->ops->seed(backend, 0);
	CU_ASSERT(fxt_ok(backend->ops->random_save(backend, &state)));
	for (int i = 0; i < 2; i++) {
		CU_ASSERT(fxt_ok(run_side(&torch, graph, "")));
		CU_ASSERT(fxt_ok(backend->ops->read(fx_env_get(&torch.env, id)
							    ->payload,
			0, 3, drawn[i])));
		CU_ASSERT(fxt_ok(backend->ops->random_restore(backend, state)));
		fx_env_clear(&torch.env);
		fx_plans_deinit(&torch.plans);
	}
	CU_ASSERT_EQUAL(memcmp(drawn[0], drawn[1], sizeof(drawn[0])), 0);
	for (int i = 0; i < 3; i++)
		CU_ASSERT_DOUBLE_EQUAL(drawn[0][i], first[i], 1e-7);
	fx_blob_unref(state);
	side_deinit(&torch);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(arithmetic_as_meta_says),
		FXT_CASE(activations_as_meta_says),
		FXT_CASE(reductions_as_meta_says),
		FXT_CASE(matrices_as_meta_says),
		FXT_CASE(convolutions_and_pools_as_meta_says),
		FXT_CASE(shapes_as_meta_says),
		FXT_CASE(indices_as_meta_says),
		FXT_CASE(factories_and_casts_as_meta_says),
		FXT_CASE(recurrent_nets_and_tables_as_meta_says),
		FXT_CASE(values_are_what_torch_computes),
		FXT_CASE(a_plan_follows_its_arguments),
		FXT_CASE(failures_are_one_clean_line),
		FXT_CASE(empty_tensors_run),
		FXT_CASE(complex_tensors_run),
		FXT_CASE(a_view_of_two_to_the_31_elements_is_read_in_parts),
		FXT_CASE(a_write_in_place_is_taken_back),
		FXT_CASE(a_write_in_place_can_leave_the_bytes_alone),
		FXT_CASE(other_writes_in_place_copy_the_bytes),
		FXT_CASE(what_is_written_is_known_before_the_call),
		FXT_CASE(random_numbers_come_back),
	};

	/* Built without libtorch. */
	if (!fx_shim_is_installed())
		return 77;
	return fxt_run("torch", cases, FX_ARRAY_LEN(cases));
}

/* test_torch.c - the torch backend: a chain of each family of operators beside
 * the meta backend, values, failures, tensors that are empty or huge.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "ir/graph.h"
#include "ir/tensor_meta.h"
#include "load/open.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/stats.h"
#include "tests/support/torch_side.h"
#include "tests/support/unit.h"

/* What both backends can say of DATUM: no values, no strides. */
static void
describe(struct fx_buf *out, struct fx_datum *datum)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	const struct fx_tensor_meta *meta = fx_datum_meta(arena, datum);
	struct fx_datum_printer printer = { .format = "" };

	if (meta) {
		fx_buf_add(out, fx_dtype_info(meta->dtype)->short_name);
		for (uint32_t i = 0; i < meta->rank; i++)
			fx_buf_addf(out, ",%lld",
				(long long)meta->sizes[i].integer);
	} else if (fx_value_is_sequence(&datum->value)) {
		for (size_t i = 0; i < datum->value.count; i++) {
			FX_AUTO_DATUM struct fx_datum *item =
				fx_datum_part(datum, &datum->value.items[i]);

			fx_buf_add(out, i ? " | " : "(");
			describe(out, item);
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
	struct fxt_side torch = { .backend = fxt_torch_new() };
	struct fxt_side meta = { .backend = fx_backend_meta_new() };
	FX_AUTO_GRAPH struct fx_graph *graph = fxt_side_load(params, body);
	struct fx_node *node;

	CU_ASSERT(fxt_ok(fxt_side_run(&torch, graph, inputs)));
	CU_ASSERT(fxt_ok(fxt_side_run(&meta, graph, inputs)));
	fx_graph_for_each_node (node, graph) {
		struct fx_datum *have = fx_env_get(&torch.env, node->id);
		struct fx_datum *want = fx_env_get(&meta.env, node->id);
		FX_AUTO_BUF struct fx_buf ours = { 0 };
		FX_AUTO_BUF struct fx_buf theirs = { 0 };

		if (!have || !want) {
			FXT_EQ(have, want);
			break;
		}
		describe(&ours, have);
		if (fx_datum_is(want, FX_VALUE_UNKNOWN))
			continue;
		describe(&theirs, want);
		if (strcmp(fx_buf_text(&ours), fx_buf_text(&theirs)) != 0)
			printf("%s: torch %s, meta %s\n", node->name,
				fx_buf_text(&ours), fx_buf_text(&theirs));
		FXT_SAME(fx_buf_text(&ours), fx_buf_text(&theirs));
	}
	fxt_side_deinit(&torch);
	fxt_side_deinit(&meta);
}

/* The first COUNT elements of what BODY returns, as f32. */
static void
gives(const char *body, const float *want, size_t count)
{
	struct fxt_side torch = { .backend = fxt_torch_new() };
	FX_AUTO_GRAPH struct fx_graph *graph = fxt_side_load("", body);
	float have[16];
	struct fx_datum *result;

	CU_ASSERT(fxt_ok(fxt_side_run(&torch, graph, "")));
	result = fx_env_get(&torch.env, fx_graph_output(graph)->id);
	CU_ASSERT_FATAL(result && result->kind == FX_DATUM_TENSOR);
	CU_ASSERT(fxt_ok(torch.backend->ops->read(result->payload, 0, count,
		have)));
	for (size_t i = 0; i < count; i++)
		CU_ASSERT_DOUBLE_EQUAL(have[i], want[i], 1e-6);
	fxt_side_deinit(&torch);
}

/* BODY fails with CODE and a message that has PART. */
static void
fails(const char *params, const char *inputs, const char *body,
	enum fx_error_code code, const char *part)
{
	struct fxt_side torch = { .backend = fxt_torch_new() };
	FX_AUTO_GRAPH struct fx_graph *graph = fxt_side_load(params, body);
	struct fx_error *err = fxt_side_run(&torch, graph, inputs);

	CU_ASSERT_PTR_NOT_NULL_FATAL(err);
	FXT_EQ(fx_error_code(err), code);
	if (!strstr(fx_error_message(err), part))
		printf("%s\n", fx_error_message(err));
	CU_ASSERT_PTR_NOT_NULL(strstr(fx_error_message(err), part));
	CU_ASSERT_PTR_NULL(strchr(fx_error_message(err), '\n'));
	fx_error_free(err);
	fxt_side_deinit(&torch);
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

static void
statistics_and_complex_as_meta_says(void)
{
	same_as_meta("x, y, q", "f32[3,4] f32[3,2] f32[2]",
		"a = torch.cov(x)\nb = x.corrcoef()\n"
		"c = torch.diff(x, n=2, append=y)\nd = torch.trapz(x)\n"
		"e = torch.cumulative_trapezoid(x, dx=0.5, dim=0)\n"
		"f = torch.quantile(x, q.sigmoid(), dim=1, keepdim=True)\n"
		"g = x.nanquantile(0.5)\nh = torch.renorm(x, 2, 0, 1.5)\n"
		"i = torch.complex(x, x)\nj = torch.view_as_real(i)\n"
		"k = torch.view_as_complex(y)\nl = torch.polar(x, x)\n"
		"return (a, b, c, d, e, f, g, h, j, k, l)");
}

static void
spectra_as_meta_says(void)
{
	same_as_meta("x, y", "f32[3,4,6] f32[2,40]",
		"a = torch.fft.fft(x, 8)\nb = torch.fft.ifft(a, dim=1)\n"
		"c = torch.fft.rfft(x)\nd = torch.fft.irfft(c, n=7)\n"
		"e = torch.fft.rfft2(x)\nf = torch.fft.irfft2(e)\n"
		"g = torch._C._fft.fft_fftn(x, (5, 2))\n"
		"h = torch.fft.fftshift(g)\n"
		"i = torch.stft(y, 16, return_complex=True)\n"
		"j = torch.istft(i, 16)\n"
		"k = torch.ops.aten.fft_ihfft.default(x)\n"
		"return (b, d, f, h, j, k)");
}

/* --- values ------------------------------------------------------------- */

/* Also of a libtorch that has no such operator; figures of torch 2.13. */
static void
attention_is_that_of_torch_2(void)
{
	static const float masked[] = { 0, 0, 2.569852829F, 3 };
	static const float causal[] = { 1, 0, 0.05580720678F, 1.888385534F,
		0.5988878608F, 1.203336239F };

	gives("q = torch.arange(8.0).reshape(4, 1, 2) / 4\n"
	      "k = torch.arange(8.0).reshape(2, 2, 2) / 8\n"
	      "v = torch.arange(4.0).reshape(2, 2, 1)\n"
	      "m = torch.tensor([[[True, False]], [[False, False]], "
	      "[[True, True]], [[False, True]]])\n"
	      "y = torch.nn.functional.scaled_dot_product_attention("
	      "q, k, v, m, scale=0.5, enable_gqa=True)\nreturn y",
		masked, 4);
	gives("x = torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])\n"
	      "y = torch.ops.aten.scaled_dot_product_attention.default("
	      "x, x, x, None, 0.0, True)\nreturn y",
		causal, 6);
}

static void
values_are_what_torch_computes(void)
{
	static const float sums[] = { 4, 6 };
	static const float powers[] = { 1, 4, 9 };
	static const float picked[] = { 3, 1 };
	static const float set[] = { 0, 9, 9, 0 };
	static const float plain[] = { 7 };
	static const float none[] = { 0 };

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
	gives("x = torch.zeros(2, 2, dtype=torch.float64)\n"
	      "s = operator.setitem(x, [1], 0.1)\ny = x[1, 0] - 0.1\n"
	      "z = y.float()\nreturn z",
		none, 1);
	gives("x = torch.zeros(4)\ny = torch.full((1, 1, 2), 9)\n"
	      "s = operator.setitem(x, slice(1, 3, None), y)\nreturn x",
		set, 4);
	gives("x = torch.tensor([0.0, 9.0, 9.0, 0.0])\n"
	      "s = operator.setitem(x, False, 5)\nreturn x",
		set, 4);
	gives("x = torch.zeros(2, 2)\ny = torch.full((1, 1, 2), 9.0)\n"
	      "s = operator.setitem(x, ([0, 1], [1, 0]), y)\n"
	      "z = x.reshape(-1)\nreturn z",
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
	struct fx_backend *backend = fxt_torch_new();
	FX_AUTO_GRAPH struct fx_graph *graph =
		fxt_side_load("x", "y = x.reshape(-1)\nz = y + 1\nreturn z");
	struct fxt_side side = { .backend = backend };

	for (size_t i = 0; i < FX_ARRAY_LEN(inputs); i++) {
		fx_env_clear(&side.env);
		CU_ASSERT(fxt_ok(fxt_side_run(&side, graph, inputs[i])));
		fx_plans_deinit(&side.plans);
	}
	fxt_side_deinit(&side);
}

/* --- failures ----------------------------------------------------------- */

static void
failures_are_one_clean_line(void)
{
	fails("x, y", "f32[2,3] f32[2,3]", "z = torch.matmul(x, y)\nreturn z",
		FX_ERR_SHAPE, "cannot be multiplied (2x3 and 2x3)");
	fails("x", "f32[2]", "z = x[5]\nreturn z", FX_ERR_RANGE,
		"index 5 is out of bounds");
	fails("x", "f32[2]", "z = operator.setitem(x, 0, 'a')\nreturn z",
		FX_ERR_TYPE, "a str cannot be assigned");
	fails("x", "f32[2]", "z = x[0, 0]\nreturn z", FX_ERR_RANGE,
		"too many indices");
	fails("x", "f32[2]", "z = torch.relu(x, 3)\nreturn z", FX_ERR_TYPE,
		"aten::relu takes no (Tensor, int)");
	/* Of what it knows, what comes nearest. */
	fails("x", "f32[2]",
		"z = torch.conv2d(x, x, None, 1, 'same', 1, 'a')\nreturn z",
		FX_ERR_TYPE, "it knows: aten::conv2d.padding(");
	fails("x", "f32[2]", "z = x.frobnicate(1)\nreturn z",
		FX_ERR_UNSUPPORTED, "frobnicate");
	fails("x", "f32[2]", "z = torch.zeros(1000000000000, 1000)\nreturn z",
		FX_ERR_NO_SPACE, "memory does not suffice");
	fails("", "",
		"x = torch.empty(1099511627776, 0)\nz = x.tolist()\n"
		"return z",
		FX_ERR_LIMIT, "a list of more than 4194304");
}

/* As only a listing or a file can say it. */
static void
a_method_of_nothing_is_refused(void)
{
	static const char *const names[] = { "tolist", "data_ptr" };

	for (size_t i = 0; i < FX_ARRAY_LEN(names); i++) {
		FX_AUTO_FREE char *text = fx_xasprintf(
			"graph():\n    %%a : [num_users=1] = call_method"
			"[target=%s](args = (), kwargs = {})\n    return a\n",
			names[i]);
		struct fx_load_input input = {
			.text = text, .length = strlen(text), .serial = 1
		};
		struct fxt_side torch = { .backend = fxt_torch_new() };
		FX_AUTO_LOADED struct fx_loaded loaded = { 0 };

		CU_ASSERT_FATAL(fxt_ok(fx_open_text(&input, &loaded)));
		FXT_FAILS(fxt_side_run(&torch, loaded.graph, ""), FX_ERR_TYPE);
		fxt_side_deinit(&torch);
	}
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
	struct fxt_side torch = { .backend = fxt_torch_new() };
	FX_AUTO_GRAPH struct fx_graph *graph =
		fxt_side_load("x", "y = x.expand(65536, 32768)\nreturn y");
	struct fx_datum *view;
	float last[2] = { 0 };
	float only;
	size_t bytes;

	CU_ASSERT(fxt_ok(fxt_side_run(&torch, graph, "f32[1,1]")));
	view = fx_env_get(&torch.env, fx_graph_output(graph)->id);
	CU_ASSERT(fxt_ok(torch.backend->ops->read(view->payload,
		UINT64_C(2147483646), 2, last)));
	CU_ASSERT(fxt_ok(torch.backend->ops->read(view->payload, 0, 1, &only)));
	FXT_EQ(last[1], only);
	FXT_IS(torch.backend->ops->storage(view->payload, &bytes), !=, 0);
	FXT_EQ(bytes, 4);
	FXT_FAILS(torch.backend->ops->read(view->payload, UINT64_C(2147483648),
			  1, last),
		FX_ERR_TYPE);
	fxt_side_deinit(&torch);
}

static void
a_dtype_that_it_lacks_is_named(void)
{
	FX_AUTO_BACKEND struct fx_backend *torch = fxt_torch_new();
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	const struct fx_value value = fx_tensor_meta_ints(arena, FX_DTYPE_U16,
		(const int64_t[]){ 2 }, 1);
	const uint16_t bytes[2] = { 3, 4 };
	struct fx_datum *datum = NULL;
	FX_AUTO_ERROR struct fx_error *err =
		torch->ops->write(torch, value.tensor, bytes, &datum);

	/* torch 2.3 and later have it. */
	if (err)
		FXT_SAME(fx_error_note_text(err, 0), "it is torch.uint16");
	FXT_EQ(!err, datum != NULL);
	fx_datum_unref(datum);
}

/* In place in memory, and in views whose elements lie apart. */
static void
one_nan_is_found_wherever_it_lies(void)
{
	struct fxt_side torch = { .backend = fxt_torch_new() };
	FX_AUTO_GRAPH struct fx_graph *graph = fxt_side_load("",
		"a = torch.zeros(301, 311)\n"
		"clean = a[5:]\n"
		"b = torch.full((301, 311), float(\"inf\"))\n"
		"row = torch.arange(301).eq(300).unsqueeze(1)\n"
		"column = torch.arange(311).eq(310)\n"
		"is_last = torch.logical_and(row, column)\n"
		"last = torch.where(is_last, b, a)\n"
		"turned = last.t()\nhalf = last[:, ::2]\n"
		"rest = last[7:]\nbefore = last[:-1]\n"
		"short = last[2:].to(torch.bfloat16)\n"
		"return (turned, half, rest, before, short)\n");
	static const char *const nonfinite[] = { "last", "turned", "half",
		"rest", "short" };
	static const char *const finite[] = { "a", "clean", "before" };

	CU_ASSERT(fxt_ok(fxt_side_run(&torch, graph, "")));
	for (size_t i = 0; i < FX_ARRAY_LEN(nonfinite); i++)
		CU_ASSERT(fx_datum_is_nonfinite(fx_env_get(&torch.env,
			fx_graph_find(graph, nonfinite[i])->id)));
	for (size_t i = 0; i < FX_ARRAY_LEN(finite); i++)
		CU_ASSERT(!fx_datum_is_nonfinite(fx_env_get(&torch.env,
			fx_graph_find(graph, finite[i])->id)));
	fxt_side_deinit(&torch);
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
		FXT_CASE(statistics_and_complex_as_meta_says),
		FXT_CASE(spectra_as_meta_says),
		FXT_CASE(attention_is_that_of_torch_2),
		FXT_CASE(values_are_what_torch_computes),
		FXT_CASE(a_plan_follows_its_arguments),
		FXT_CASE(failures_are_one_clean_line),
		FXT_CASE(a_method_of_nothing_is_refused),
		FXT_CASE(empty_tensors_run),
		FXT_CASE(complex_tensors_run),
		FXT_CASE(a_view_of_two_to_the_31_elements_is_read_in_parts),
		FXT_CASE(a_dtype_that_it_lacks_is_named),
		FXT_CASE(one_nan_is_found_wherever_it_lies),
	};

	/* Built without libtorch. */
	if (!fxt_has_torch())
		return 77;
	return fxt_run("torch", cases, FX_ARRAY_LEN(cases));
}

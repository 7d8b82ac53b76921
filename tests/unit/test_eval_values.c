/* Expressions over values: files on the meta backend, answers on replay. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/blob.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "load/npy.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/eval.h"
#include "run/values.h"
#include "tests/support/folder.h"
#include "tests/support/replay_backend.h"
#include "tests/support/unit.h"

struct source {
	const double *numbers;
	enum fx_dtype dtype;
};

static struct fx_error *
give(void *context, uint64_t first, size_t count, void *bytes)
{
	const struct source *source = context;

	fx_elements_encode(source->dtype, source->numbers + first, NULL, count,
		bytes);
	return NULL;
}

/* NAME.npy with COUNT numbers, in a folder that is the current one. */
static void
save(const char *name, enum fx_dtype dtype, const double *numbers, int count)
{
	FX_AUTO_FREE char *path = fx_xasprintf("%s.npy", name);
	const struct fx_npy array = { .dtype = dtype,
		.rank = 1,
		.sizes = { count },
		.count = (uint64_t)count };
	struct source source = { numbers, dtype };

	CU_ASSERT(fxt_ok(fx_npy_write(path, &array, give, &source)));
}

static char *folder;

static void
enter(void)
{
	static const double a[] = { 1, -2, 3, 4 };
	static const double b[] = { 1, -2, 3.5, 4 };
	static const double bad[] = { 1, 0. / 0., 1. / 0. };
	static const double large[] = { 3, 0x1p63 };

	folder = fxt_folder_new();
	FXT_EQ_FATAL(chdir(folder), 0);
	save("a", FX_DTYPE_F32, a, 4);
	save("b", FX_DTYPE_F64, b, 4);
	save("i", FX_DTYPE_I64, a, 4);
	save("bad", FX_DTYPE_F32, bad, 3);
	save("one", FX_DTYPE_F32, a, 1);
	save("none", FX_DTYPE_F32, a, 0);
	save("c", FX_DTYPE_C64, a, 4);
	save("large", FX_DTYPE_U64, large, 2);
}

static void
leave(void)
{
	FXT_EQ(chdir("/"), 0);
	fxt_folder_free(folder);
}

/* What TEXT gives on BACKEND, as print shows it. */
static const char *
said(struct fx_backend *backend, const char *text)
{
	static char result[400];
	const struct fx_resolver resolver = { .backend = backend };
	const struct fx_datum_printer printer = { .is_ascii = true };
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	FX_AUTO_BUF struct fx_buf out = { 0 };
	FX_AUTO_ERROR struct fx_error *err =
		fx_eval_text(&resolver, text, true, &datum);

	if (!err)
		err = fx_datum_print(&out, datum, &printer);
	snprintf(result, sizeof(result), "%s%s", err ? "error: " : "",
		err ? fx_error_message(err) : fx_buf_text(&out));
	return result;
}

struct example {
	const char *text;
	const char *says;
};

static void
check_all(struct fx_backend *backend, const struct example *examples,
	size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!fxt_same(said(backend, examples[i].text),
			    examples[i].says)) {
			printf("  for: %s\n", examples[i].text);
			CU_FAIL();
		}
}

static void
functions_look_at_the_values_of_files(void)
{
	static const struct example examples[] = {
		{ "file(\"a.npy\")",
			"f32[4]  min -2@[1] max 4@[3] mean 1.5 std 2.65 "
			"|@       @    @ @|" },
		{ "absmax(file('a.npy'))", "4.0" },
		{ "absmax(file('a.npy')) > 3", "True" },
		{ "min(file('a.npy'))", "-2.0" },
		{ "max(file('i.npy'))", "4" },
		{ "mean(file('i.npy'))", "1.5" },
		{ "min(3, 2)", "2" },
		{ "max([1, 5])", "5" },
		{ "hasnan(file('bad.npy'))", "True" },
		{ "hasinf(file('bad.npy'))", "True" },
		{ "hasinf(file('a.npy'))", "False" },
		{ "allfinite(file('a.npy'))", "True" },
		{ "max(file('bad.npy'))", "nan" },
		{ "stats(file('a.npy')).max", "4.0" },
		{ "absmax(-3)", "3.0" },
		{ "absmax(file('none.npy'))",
			"error: absmax of a tensor of no elements" },
		{ "hasnan(file('none.npy'))", "False" },
		{ "mean(file('c.npy'))", "error: mean of complex numbers" },
		{ "absmax(file('c.npy'))", "4.0" },
		{ "float(file('a.npy'))",
			"error: the tensor has 4 elements, not one" },
		{ "float(file('one.npy'))", "1.0" },
		{ "int(file('one.npy')) + 1", "2" },
		{ "float('3')", "3.0" },
		{ "file('one.npy').item()", "1.0" },
		{ "file('i.npy').tolist()", "[1, -2, 3, 4]" },
		{ "file('i.npy')[1:].tolist()", "[-2, 3, 4]" },
		{ "file('i.npy')[::2][-1].item()", "3" },
		{ "file('i.npy')[..., None, :3].tolist()", "[[1, -2, 3]]" },
		{ "file('i.npy')[5]",
			"error: getitem: index 5 is out of range for dimension "
			"0 of i64[4]" },
		{ "file('i.npy')[::9223372036854775807].tolist()", "[1]" },
		{ "file('none.npy').tolist()", "[]" },
		{ "file('large.npy').tolist()", "[3, 9.223372036854776e+18]" },
		{ "file('c.npy').tolist()[1]", "(-2+0j)" },
		{ "int(file('bad.npy').tolist()[0])", "1" },
		{ "(file('one.npy'), 2)", "(f32[1]  1,\n 2)" },
		{ "absmax('x')", "error: absmax takes a tensor, not a str" },
		{ "file(3)",
			"error: file takes a path in quotes, file(\"x.npy\")" },
		{ "file('nosuch.npy')",
			"error: cannot read \"nosuch.npy\": no such file or "
			"directory" },
		{ "mean(zeros(3))", "f32[]" },
		{ "absmax(zeros(3))",
			"error: absmax needs values; the meta backend computes "
			"shapes and dtypes only" },
	};
	FX_AUTO_BACKEND struct fx_backend *backend = fx_backend_meta_new();

	enter();
	check_all(backend, examples, FX_ARRAY_LEN(examples));
	leave();
}

/* As values that a chunk or an LSTM gives, .-1 of a breakpoint. */
static void
predicates_look_into_containers(void)
{
	static const struct example examples[] = {
		{ "hasnan((file('a.npy'), [file('bad.npy')]))", "True" },
		{ "hasinf({'x': file('bad.npy'), 'y': 1})", "True" },
		{ "hasinf((file('a.npy'), file('i.npy')))", "False" },
		{ "allfinite((file('a.npy'), file('bad.npy')))", "False" },
		{ "allfinite((file('a.npy'), None, 'x', 3))", "True" },
		{ "allfinite(None)", "True" },
		{ "hasnan('nan')", "False" },
		{ "hasnan((1, float('nan')))", "True" },
		{ "hasinf((1, float('inf') * 1j))", "True" },
		{ "allfinite(())", "True" },
		/* No float can be in it, whether its values are known or not.
		 */
		{ "hasnan((arange(3), 1))", "False" },
		{ "allfinite((arange(3), zeros(3)))",
			"error: allfinite needs values; the meta backend "
			"computes shapes and dtypes only" },
		{ "absmax((file('a.npy'), 1))",
			"error: absmax takes a tensor, not a tuple" },
	};
	FX_AUTO_BACKEND struct fx_backend *backend = fx_backend_meta_new();

	enter();
	check_all(backend, examples, FX_ARRAY_LEN(examples));
	leave();
}

static void
allclose_has_torch_tolerances(void)
{
	static const struct example examples[] = {
		{ "allclose(file('a.npy'), file('a.npy'))", "True" },
		{ "allclose(file('a.npy'), file('b.npy'))", "False" },
		{ "allclose(file('a.npy'), file('b.npy'), 0.2)", "True" },
		{ "allclose(file('a.npy'), file('b.npy'), 0, 0.5)", "True" },
		{ "allclose(file('a.npy'), file('b.npy'), atol=0.6)", "True" },
		{ "allclose(file('a.npy'), file('none.npy'))", "False" },
		{ "allclose(file('bad.npy'), file('bad.npy'))", "False" },
		{ "allclose(file('bad.npy'), file('bad.npy'), equal_nan=True)",
			"True" },
		{ "allclose(1, 1.000001)", "True" },
		{ "allclose(1, 2, -1)",
			"error: rtol is a number of at least 0" },
		{ "allclose(1, 2, 'x')",
			"error: rtol is a number of at least 0" },
		{ "allclose(1, 2, x=3)",
			"error: allclose has no argument \"x\"" },
		{ "difference(file('a.npy'), file('b.npy'))",
			"'1 of 4 elements differ by more than rtol 1e-05, atol "
			"1e-08; first at [2]: 3.0 and 3.5'" },
	};
	FX_AUTO_BACKEND struct fx_backend *backend = fx_backend_meta_new();

	enter();
	check_all(backend, examples, FX_ARRAY_LEN(examples));
	leave();
}

static const char answers[] =
	"{\"target\": \"torch.randn\", \"args\": [\"2\", \"3\"], "
	"\"result\": \"f32[2,3]\", \"values\": [1, 2, 3, 4, 5, 6]}\n"
	"{\"target\": \"operator.getitem\", \"args\": [\"f32[2,3]\", "
	"\"(0, slice(None, 2, None))\"], \"result\": \"f32[2]\", "
	"\"values\": [1, 2]}\n"
	"{\"target\": \"torch.softmax\", \"args\": [\"f32[2]\", \"0\"], "
	"\"result\": \"f32[2]\", \"values\": [0.25, 0.75]}\n"
	"{\"target\": \"topk\", \"args\": [\"f32[2]\", \"1\"], "
	"\"result\": \"f32[1]\", \"values\": [0.75]}\n"
	"{\"target\": \"operator.gt\", \"args\": [\"f32[1]\", \"0.5\"], "
	"\"result\": \"b8[1]\", \"values\": [1]}\n";

static void
slices_and_calls_go_to_the_backend(void)
{
	FX_AUTO_BACKEND struct fx_backend *backend = NULL;

	enter();
	CU_ASSERT(fxt_ok(fx_file_write("r.jsonl", answers, strlen(answers))));
	CU_ASSERT_FATAL(fxt_ok(fxt_replay_backend_new("r.jsonl", &backend)));
	FXT_SAME(said(backend, "torch.softmax(randn(2, 3)[0, :2], 0).topk(1) "
			       "> 0.5 and 7"),
		"7");
	FXT_SAME(said(backend, "absmax(file('a.npy'))"), "4.0");
	FXT_SAME(said(backend, "torch.relu(file('a.npy'))"),
		"error: what torch.relu does is not known");
	leave();
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(functions_look_at_the_values_of_files),
		FXT_CASE(predicates_look_into_containers),
		FXT_CASE(allclose_has_torch_tolerances),
		FXT_CASE(slices_and_calls_go_to_the_backend),
	};

	return fxt_run("eval_values", cases, FX_ARRAY_LEN(cases));
}

/* test_emit_dumps.c - what torch 2.13 printed, read and printed again.
 *
 * The dumps are real and lie outside the sources (FXDB_CASES); without them
 * there is nothing to compare.
 */
#include <config.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "emit/fx.h"
#include "emit/jsonl.h"
#include "emit/python.h"
#include "emit/weights.h"
#include "ir/graph.h"
#include "ir/graph_hash.h"
#include "load/jsonl.h"
#include "load/open.h"
#include "tests/support/unit.h"

static char *folder;
static json_t *index_of_all;

/* Each file of KIND in the index goes to CHECK with its path and text. */
typedef void check_fn(const json_t *file, const char *path, const char *text);

static void
for_each_dump(const char *kind, check_fn *check)
{
	const json_t *file;
	size_t i;
	size_t count = 0;

	json_array_foreach(json_object_get(index_of_all, "files"), i, file)
	{
		FX_AUTO_BUF struct fx_buf path = { 0 };
		FX_AUTO_FREE char *text = NULL;
		size_t length;

		if (strcmp(kind, json_string_value(json_object_get(file,
					 "kind"))) != 0)
			continue;
		fx_buf_addf(&path, "%s/%s", folder,
			json_string_value(json_object_get(file, "file")));
		FXT_OK(fx_file_read(fx_buf_text(&path), 0, &text, &length));
		check(file, fx_buf_text(&path), text);
		count++;
	}
	FXT_IS(count, >, 0);
}

/* TEXT without colours. */
static void
add_plain(struct fx_buf *out, const char *text)
{
	while (*text) {
		if (*text == '\033') {
			text += strcspn(text, "m");
			text += *text == 'm';
		} else {
			fx_buf_add_char(out, *text++);
		}
	}
}

static void
compare(const char *path, const char *actual, const char *expected)
{
	if (strcmp(actual, expected) != 0)
		printf("\n  %s:\n", path);
	FXT_SAME(actual, expected);
}

static void
check_code(const json_t *file, const char *path, const char *text)
{
	static const struct fx_emit_python options = { .dialect = "2.x" };
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	FX_AUTO_BUF struct fx_buf out = { 0 };

	(void)file;
	FXT_OK(fx_open(path, 1, &loaded));
	CU_ASSERT_PTR_NOT_NULL_FATAL(loaded.graph);
	fx_emit_python(&out, loaded.graph, &options, NULL);
	compare(path, fx_buf_text(&out), text);
}

static void
generated_code_comes_back_as_it_was(void)
{
	for_each_dump("code", check_code);
}

static void
check_readable(const json_t *file, const char *path, const char *text)
{
	const char *made_by =
		json_string_value(json_object_get(file, "made_by"));
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	FX_AUTO_BUF struct fx_buf plain = { 0 };
	FX_AUTO_BUF struct fx_buf out = { 0 };
	struct fx_emit_python options = {
		.dialect = "2.x",
		.verbose = true,
		.expanded = strstr(text, "def forward(\n") != NULL,
		.strides = strstr(made_by, "include_stride=True") != NULL,
		.devices = strstr(made_by, "include_device=True") != NULL,
	};

	/* Inputs described by comments: those are not kept. */
	if (strstr(text, "# PlainAOTInput"))
		return;
	FXT_OK(fx_open(path, 1, &loaded));
	CU_ASSERT_PTR_NOT_NULL_FATAL(loaded.graph);
	fx_emit_python(&out, loaded.graph, &options, NULL);
	add_plain(&plain, text);
	compare(path, fx_buf_text(&out), fx_buf_text(&plain));
}

static void
readable_code_comes_back_as_it_was(void)
{
	for_each_dump("readable", check_readable);
}

static void
check_listing(const json_t *file, const char *path, const char *text)
{
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	FX_AUTO_BUF struct fx_buf out = { 0 };

	(void)file;
	FXT_OK(fx_open(path, 1, &loaded));
	CU_ASSERT_PTR_NOT_NULL_FATAL(loaded.graph);
	fx_emit_fx(&out, loaded.graph, "2.x");
	compare(path, fx_buf_text(&out), text);
}

static void
listings_come_back_as_they_were(void)
{
	for_each_dump("listing", check_listing);
}

static void
check_fxg(const json_t *file, const char *path, const char *text)
{
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	FX_AUTO_GRAPH struct fx_graph *again = NULL;
	FX_AUTO_WEIGHTS struct fx_weights weights = { 0 };
	FX_AUTO_BUF struct fx_buf out = { 0 };
	FX_AUTO_BUF struct fx_buf second = { 0 };
	struct fx_load_input input = { .serial = 2 };

	(void)file;
	(void)text;
	FXT_OK(fx_open(path, 1, &loaded));
	CU_ASSERT_PTR_NOT_NULL_FATAL(loaded.graph);
	fx_weights_collect(&weights, loaded.graph);
	FXT_OK(fx_emit_jsonl(&out, loaded.graph, &weights, NULL));
	input.text = fx_buf_text(&out);
	input.length = out.length;
	FXT_OK(fx_load_jsonl(&input, &again));
	CU_ASSERT_PTR_NOT_NULL_FATAL(again);
	CU_ASSERT(fx_hash_equal(fx_graph_hash(loaded.graph),
		fx_graph_hash(again)));
	fx_weights_deinit(&weights);
	weights = (struct fx_weights){ 0 };
	fx_weights_collect(&weights, again);
	FXT_OK(fx_emit_jsonl(&second, again, &weights, NULL));
	compare(path, fx_buf_text(&second), fx_buf_text(&out));
}

static void
fxg_keeps_every_dump(void)
{
	for_each_dump("code", check_fxg);
	for_each_dump("readable", check_fxg);
	for_each_dump("listing", check_fxg);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(generated_code_comes_back_as_it_was),
		FXT_CASE(readable_code_comes_back_as_it_was),
		FXT_CASE(listings_come_back_as_they_were),
		FXT_CASE(fxg_keeps_every_dump),
	};
	const char *all = getenv("FXDB_CASES");
	FX_AUTO_FREE char *path = NULL;
	int status = 77;

	folder = fx_xasprintf("%s/dumps213", all ? all : "../shared/cases");
	path = fx_xasprintf("%s/index.json", folder);
	index_of_all = json_load_file(path, 0, NULL);
	if (index_of_all)
		status = fxt_run("dumps", cases, FX_ARRAY_LEN(cases));
	json_decref(index_of_all);
	free(folder);
	return status;
}

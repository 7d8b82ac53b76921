/* test_fxg.c - .fxg: what it keeps, and what it refuses. */
#include <config.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/blob.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "emit/jsonl.h"
#include "emit/weights.h"
#include "ir/graph.h"
#include "ir/graph_hash.h"
#include "ir/module.h"
#include "load/jsonl.h"
#include "load/open.h"
#include "load/safetensors.h"
#include "load/save.h"
#include "tests/support/folder.h"
#include "tests/support/random_graph.h"
#include "tests/support/unit.h"

static char *folder;

static const char *
in_folder(const char *name)
{
	static char path[400];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

FX_NODISCARD static struct fx_error *
load_text(const char *text, size_t length, struct fx_buf *notices,
	struct fx_graph **ret)
{
	struct fx_load_input input = {
		.text = text,
		.length = length,
		.serial = 9,
		.notices = notices,
	};

	return fx_load_jsonl(&input, ret);
}

static void
print(struct fx_buf *out, struct fx_graph *graph)
{
	FX_AUTO_WEIGHTS struct fx_weights weights = { 0 };

	fx_weights_collect(&weights, graph);
	FXT_OK(fx_emit_jsonl(out, graph, &weights, NULL));
}

static bool
is_same(struct fx_graph *a, struct fx_graph *b)
{
	return fx_hash_equal(fx_graph_hash(a), fx_graph_hash(b));
}

static void
random_graphs_come_back_with_their_hash(void)
{
	for (uint64_t seed = 1; seed <= 1000; seed++) {
		const struct fxt_graph_options options = { .seed = seed };
		FX_AUTO_GRAPH struct fx_graph *graph =
			fxt_random_graph(&options);
		FX_AUTO_GRAPH struct fx_graph *again = NULL;
		FX_AUTO_BUF struct fx_buf text = { 0 };
		FX_AUTO_BUF struct fx_buf second = { 0 };
		FX_AUTO_BUF struct fx_buf notices = { 0 };

		print(&text, graph);
		FXT_OK(load_text(fx_buf_text(&text), text.length, &notices,
			&again));
		if (!again) {
			printf("\n  seed %d:\n%s\n", (int)seed,
				fx_buf_text(&text));
			CU_FAIL_FATAL("a random graph does not load");
		}
		CU_ASSERT(is_same(graph, again));
		FXT_EQ(notices.length, 0);
		print(&second, again);
		FXT_SAME(fx_buf_text(&second), fx_buf_text(&text));
	}
}

/* A graph with one layer whose weight has bytes, tied and viewed. */
static struct fx_graph *
graph_with_weights(void)
{
	struct fx_graph *graph = fx_graph_new(3);
	struct fx_module *layer = fx_module_new(graph, "torch.nn.Linear");
	const int64_t sizes[] = { 2, 3 };
	const int64_t row[] = { 3 };
	struct fx_blob *blob = NULL;
	struct fx_storage *storage;
	struct fx_tensor *weight;
	struct fx_tensor *view;
	struct fx_node *x;
	struct fx_value arg;

	FXT_OK(fx_blob_new(24, &blob));
	for (int i = 0; i < 6; i++)
		((float *)fx_blob_data(blob))[i] = (float)i;
	storage = fx_storage_new(blob);
	weight = fx_tensor_new(graph, FX_DTYPE_F32, sizes, 2, storage);
	weight->requires_grad = true;
	view = fx_tensor_new(graph, FX_DTYPE_F32, row, 1, storage);
	view->offset = 3;
	view->is_buffer = true;
	view->is_persistent = true;
	fx_module_add_tensor(layer, "weight", weight);
	fx_module_add_tensor(layer, "bias", NULL);
	fx_module_add_tensor(layer, "row", view);
	fx_module_add_tensor(graph->module, "tied", weight);
	fx_module_add_child(graph->module, "lin", layer);
	fx_module_add_child(graph->module, "same", layer);
	fx_storage_unref(storage);
	x = fx_graph_append(graph, &(struct fx_node_spec){
					   .opcode = FX_OPCODE_PLACEHOLDER,
					   .target = "x",
				   });
	arg = fx_value_node(x);
	fx_graph_append(graph, &(struct fx_node_spec){
				       .opcode = FX_OPCODE_CALL_MODULE,
				       .target = "lin",
				       .args = fx_value_sequence(graph->values,
					       FX_VALUE_TUPLE, &arg, 1),
			       });
	return graph;
}

static void
weights_lie_beside_the_file_and_are_mapped(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = graph_with_weights();
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	const struct fx_tensor *weight;
	const struct fx_tensor *row;

	FXT_OK(fx_save(graph, in_folder("w.fxg")));
	FXT_OK(fx_open(in_folder("w.fxg"), 4, &loaded));
	CU_ASSERT_PTR_NOT_NULL_FATAL(loaded.graph);
	CU_ASSERT(is_same(graph, loaded.graph));
	weight = fx_module_find_tensor(loaded.graph->module, "lin.weight");
	row = fx_module_find_tensor(loaded.graph->module, "lin.row");
	FXT_EQ(weight, fx_module_find_tensor(loaded.graph->module, "tied"));
	FXT_EQ(weight->storage, row->storage);
	CU_ASSERT(row->is_buffer && row->offset == 3);
	FXT_EQ(fx_module_find(loaded.graph->module, "lin"),
		fx_module_find(loaded.graph->module, "same"));
	FXT_EQ(((float *)fx_blob_data(weight->storage->blob))[5], 5.0f);
}

static void
structure_alone_keeps_the_hash_too(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = graph_with_weights();
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	FX_AUTO_WEIGHTS struct fx_weights weights = { 0 };
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_weights_collect(&weights, graph);
	FXT_OK(fx_emit_jsonl(&text, graph, &weights, NULL));
	FXT_OK(fx_file_write(in_folder("s.fxg"), text.data, text.length));
	FXT_OK(fx_open(in_folder("s.fxg"), 4, &loaded));
	CU_ASSERT_PTR_NOT_NULL_FATAL(loaded.graph);
	CU_ASSERT(is_same(graph, loaded.graph));
	CU_ASSERT_PTR_NULL(fx_module_find_tensor(loaded.graph->module,
		"lin.weight")
				   ->storage->blob);
}

/* The weights file that saving made. */
static void
weights_path(char *path, size_t size)
{
	FX_AUTO_FREE char *text = NULL;
	size_t length;
	const char *name;

	FXT_OK(fx_file_read(in_folder("w.fxg"), 0, &text, &length));
	name = strstr(text, "\"weights\":\"") + strlen("\"weights\":\"");
	snprintf(path, size, "%s/%.*s", folder, (int)strcspn(name, "\""), name);
}

static void
open_fails(const char *name, enum fx_error_code code, const char *wanted)
{
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	struct fx_error *err = fx_open(in_folder(name), 4, &loaded);

	CU_ASSERT_PTR_NULL(loaded.graph);
	if (err && !strstr(fx_error_message(err), wanted))
		printf("\n  message: %s\n", fx_error_message(err));
	CU_ASSERT(err && strstr(fx_error_message(err), wanted));
	FXT_FAILS(err, code);
}

static void
weights_that_are_gone_short_or_others_are_refused(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = graph_with_weights();
	FX_AUTO_FREE char *bytes = NULL;
	char path[256];
	size_t size;

	FXT_OK(fx_save(graph, in_folder("w.fxg")));
	weights_path(path, sizeof(path));
	FXT_OK(fx_file_read(path, 0, &bytes, &size));
	FXT_OK(fx_file_write(path, bytes, size - 4));
	open_fails("w.fxg", FX_ERR_FORMAT, "cut short");
	FXT_OK(fx_file_write(path, bytes, 5));
	open_fails("w.fxg", FX_ERR_FORMAT, "cut short");
	bytes[size - 1] ^= 1;
	FXT_OK(fx_file_write(path, bytes, size));
	open_fails("w.fxg", FX_ERR_FORMAT, "not the one that was saved");
	bytes[8] = 'x';
	FXT_OK(fx_file_write(path, bytes, size));
	open_fails("w.fxg", FX_ERR_FORMAT, "header is damaged");
	unlink(path);
	open_fails("w.fxg", FX_ERR_IO, "is missing");
}

static void
saving_again_repairs_weights_and_leaves_no_other_file(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = graph_with_weights();
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	char path[256];

	FXT_OK(fx_save(graph, in_folder("w.fxg")));
	weights_path(path, sizeof(path));
	FXT_OK(fx_file_write(path, "short", 5));
	FXT_OK(fx_save(graph, in_folder("w.fxg")));
	FXT_OK(fx_open(in_folder("w.fxg"), 4, &loaded));
	CU_ASSERT_PTR_NOT_NULL(loaded.graph);
}

static void
weights_cut_beneath_a_mapping_are_an_error_at_the_tensor(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = graph_with_weights();
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	const struct fx_tensor *weight;
	char path[256];
	float numbers[6];

	FXT_OK(fx_save(graph, in_folder("w.fxg")));
	FXT_OK(fx_open(in_folder("w.fxg"), 4, &loaded));
	CU_ASSERT_PTR_NOT_NULL_FATAL(loaded.graph);
	weight = fx_module_find_tensor(loaded.graph->module, "lin.weight");
	weights_path(path, sizeof(path));
	FXT_EQ(truncate(path, 10), 0);
	FXT_FAILS(fx_blob_read(weight->storage->blob, 0, 24, numbers),
		FX_ERR_FORMAT);
	unlink(path);
}

/* Damage. */

static void
random_text(struct fx_buf *text)
{
	const struct fxt_graph_options options = { .seed = 5,
		.node_count = 12 };
	FX_AUTO_GRAPH struct fx_graph *graph = fxt_random_graph(&options);

	print(text, graph);
}

static void
a_text_cut_anywhere_is_refused(void)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	random_text(&text);
	for (size_t length = 0; length + 1 < text.length; length += 7) {
		struct fx_graph *graph = NULL;
		FX_AUTO_FREE char *copy = strndup(text.data, length);

		FXT_FAILS(load_text(copy, length, NULL, &graph), FX_ERR_FORMAT);
		CU_ASSERT_PTR_NULL(graph);
	}
}

static void
an_edited_byte_is_noticed(void)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	random_text(&text);
	for (size_t at = 1; at + 80 < text.length; at += 11) {
		struct fx_graph *graph = NULL;
		char old = text.data[at];
		struct fx_error *err;

		text.data[at] = old == 'x' ? 'y' : 'x';
		err = load_text(text.data, text.length, NULL, &graph);
		CU_ASSERT_PTR_NOT_NULL(err);
		CU_ASSERT_PTR_NULL(graph);
		fx_error_free(err);
		text.data[at] = old;
	}
}

/* BODY (whole lines) with a trailer that fits. */
static void
seal(struct fx_buf *text, const char *body)
{
	char hash[33];
	int lines = 0;

	for (const char *c = body; *c; c++)
		lines += *c == '\n';
	fx_buf_add(text, body);
	fx_hash_text(fx_hash_of(body, strlen(body)), hash);
	fx_buf_addf(text, "{\"end\":%d,\"hash\":\"%s\"}\n", lines, hash);
}

static void
body_fails(const char *body, enum fx_error_code code)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	FX_AUTO_BUF struct fx_buf notices = { 0 };
	struct fx_graph *graph = NULL;
	struct fx_error *err;

	seal(&text, body);
	err = load_text(fx_buf_text(&text), text.length, &notices, &graph);
	if (!err || fx_error_code(err) != code)
		printf("\n  body: %.300s\n", body);
	FXT_FAILS(err, code);
	CU_ASSERT_PTR_NULL(graph);
}

#define HEAD  "{\"fxg\":2,\"minor\":0}\n"
#define NODE  "{\"node\":\"x\",\"op\":\"placeholder\",\"target\":\"x\","
#define NODES HEAD NODE "\"args\":\"()\"}\n"

static void
lines_that_make_no_sense_are_refused(void)
{
	body_fails("[]\n", FX_ERR_FORMAT);
	body_fails("{\"fxg\":0}\n", FX_ERR_FORMAT);
	body_fails("{\"fxg\":\"1\"}\n", FX_ERR_FORMAT);
	body_fails(HEAD "nonsense\n", FX_ERR_FORMAT);
	body_fails(HEAD "{\"node\":\"x\"}\n", FX_ERR_FORMAT);
	body_fails(HEAD NODE "\"args\":\"(\"}\n", FX_ERR_SYNTAX);
	body_fails(HEAD NODE "\"args\":\"3\"}\n", FX_ERR_FORMAT);
	body_fails(HEAD NODE "\"args\":\"(%y,)\"}\n", FX_ERR_NO_NODE);
	body_fails(HEAD NODE "\"args\":\"(%x,)\"}\n", FX_ERR_NO_NODE);
	body_fails(HEAD NODE "\"args\":\"()\",\"kwargs\":\"{1: 2}\"}\n",
		FX_ERR_FORMAT);
	body_fails(HEAD NODE
		"\"args\":\"()\",\"kwargs\":\"{'a': 1, 'a': 2}\"}\n",
		FX_ERR_FORMAT);
	body_fails(HEAD NODE "\"args\":\"()\",\"source\":0}\n", FX_ERR_FORMAT);
	body_fails(HEAD NODE "\"args\":\"()\",\"scope\":7}\n", FX_ERR_FORMAT);
	body_fails(NODES NODE "\"args\":\"()\"}\n", FX_ERR_NAME_TAKEN);
	body_fails(HEAD "{\"node\":\"a b\",\"op\":\"placeholder\","
			"\"target\":\"x\",\"args\":\"()\"}\n",
		FX_ERR_BAD_NAME);
	body_fails(HEAD "{\"node\":\"x\",\"op\":\"jump\",\"target\":\"x\","
			"\"args\":\"()\"}\n",
		FX_ERR_FORMAT);
	body_fails(HEAD "{\"node\":\"x\",\"op\":\"call_function\","
			"\"target\":\"torch.\\nrelu\",\"args\":\"()\"}\n",
		FX_ERR_FORMAT);
	body_fails(HEAD "{\"node\":\"x\",\"node\":\"y\"}\n", FX_ERR_FORMAT);
	body_fails(HEAD "{\"source\":1,\"frames\":[]}\n", FX_ERR_FORMAT);
	body_fails(HEAD "{\"scope\":0,\"parent\":0,\"path\":\"\"}\n",
		FX_ERR_FORMAT);
}

static void
modules_that_make_no_sense_are_refused(void)
{
	body_fails(HEAD "{\"module\":\"a\"}\n", FX_ERR_FORMAT);
	body_fails(HEAD "{\"module\":\"a.b\",\"class\":\"C\"}\n",
		FX_ERR_FORMAT);
	body_fails(HEAD "{\"module\":\"a.\",\"class\":\"C\"}\n", FX_ERR_FORMAT);
	body_fails(HEAD "{\"module\":\"a\",\"class\":\"C\"}\n"
			"{\"module\":\"a\",\"class\":\"C\"}\n",
		FX_ERR_FORMAT);
	body_fails(HEAD "{\"module\":\"a\",\"same\":\"a\"}\n", FX_ERR_FORMAT);
	body_fails(HEAD "{\"module\":\"a\",\"class\":\"C\"}\n"
			"{\"module\":\"a.b\",\"same\":\"a\"}\n",
		FX_ERR_FORMAT);
	body_fails(HEAD "{\"module\":\"a\",\"class\":\"C\","
			"\"config\":\"[1]\"}\n",
		FX_ERR_FORMAT);
	body_fails(HEAD "{\"tensor\":\"w\",\"dtype\":\"f99\"}\n",
		FX_ERR_FORMAT);
	body_fails(HEAD "{\"tensor\":\"w\",\"dtype\":\"float32\","
			"\"shape\":[-1]}\n",
		FX_ERR_FORMAT);
	body_fails(HEAD "{\"graph\":\"nowhere\"}\n", FX_ERR_FORMAT);
	body_fails(HEAD "{\"end_graph\":\"a\"}\n", FX_ERR_FORMAT);
	body_fails(HEAD "{\"module\":\"a\",\"class\":\"C\"}\n"
			"{\"graph\":\"a\"}\n",
		FX_ERR_FORMAT);
}

static void
absurd_counts_and_depths_are_refused(void)
{
	FX_AUTO_BUF struct fx_buf body = { 0 };

	body_fails("{\"fxg\":2,\"nodes\":9999999999}\n", FX_ERR_LIMIT);
	body_fails("{\"fxg\":2,\"nodes\":5000000}\n", FX_ERR_FORMAT);
	body_fails("{\"fxg\":2,\"nodes\":1}\n", FX_ERR_FORMAT);
	body_fails(HEAD "{\"tensor\":\"w\",\"dtype\":\"float32\",\"shape\":"
			"[4294967296,4294967296,4]}\n",
		FX_ERR_LIMIT);
	fx_buf_add(&body, HEAD "{\"tensor\":\"w\",\"dtype\":\"float32\","
			       "\"shape\":[1");
	for (int i = 0; i < 100; i++)
		fx_buf_add(&body, ",1");
	fx_buf_add(&body, "]}\n");
	body_fails(fx_buf_text(&body), FX_ERR_LIMIT);
	fx_buf_clear(&body);
	fx_buf_add(&body, HEAD NODE "\"args\":\"");
	fx_buf_add_repeat(&body, '(', 100000);
	fx_buf_add(&body, "\"}\n");
	body_fails(fx_buf_text(&body), FX_ERR_SYNTAX);
	fx_buf_clear(&body);
	fx_buf_add(&body, HEAD "{\"module\":\"a");
	for (int i = 0; i < 300; i++)
		fx_buf_add(&body, ".a");
	fx_buf_add(&body, "\",\"class\":\"C\"}\n");
	body_fails(fx_buf_text(&body), FX_ERR_LIMIT);
	fx_buf_clear(&body);
	fx_buf_add(&body, HEAD);
	for (int i = 0; i < 1100; i++)
		fx_buf_addf(&body,
			"{\"scope\":%d,\"parent\":%d,\"path\":\"a\"}\n", i,
			i - 1);
	body_fails(fx_buf_text(&body), FX_ERR_LIMIT);
}

static void
graphs_within_graphs_have_a_limit(void)
{
	FX_AUTO_BUF struct fx_buf body = { 0 };

	fx_buf_add(&body, HEAD);
	for (int i = 0; i < 60; i++)
		fx_buf_add(&body, "{\"module\":\"a\",\"class\":\"C\"}\n"
				  "{\"graph\":\"a\"}\n");
	body_fails(fx_buf_text(&body), FX_ERR_LIMIT);
}

static void
a_newer_version_is_refused_and_a_newer_minor_is_not(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = NULL;
	FX_AUTO_BUF struct fx_buf text = { 0 };
	FX_AUTO_BUF struct fx_buf notices = { 0 };

	body_fails("{\"fxg\":3,\"minor\":0}\n", FX_ERR_VERSION);
	seal(&text,
		"{\"fxg\":2,\"minor\":7,\"shiny\":true}\n"
		"{\"polish\":1}\n" NODE "\"args\":\"()\",\"hue\":\"red\"}\n");
	FXT_OK(load_text(fx_buf_text(&text), text.length, &notices, &graph));
	CU_ASSERT_PTR_NOT_NULL_FATAL(graph);
	FXT_EQ(graph->node_count, 1);
	/* One notice, however many things are unknown. */
	FXT_SAME(fx_buf_text(&notices),
		"line 1 has a field \"shiny\", which this fxdb does not know; "
		"such are ignored\n");
}

static void
another_graph_s_hash_is_refused(void)
{
	body_fails("{\"fxg\":2,\"hash\":\"00000000000000000000000000000000\"}"
		   "\n" NODE "\"args\":\"()\"}\n",
		FX_ERR_FORMAT);
}

static void
escapes_are_read_by_either_reader(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = NULL;
	FX_AUTO_BUF struct fx_buf text = { 0 };

	seal(&text, HEAD NODE "\"args\":\"('\\\"\\\\n\\u00e9',)\"}\n"
			      "{\"node\":\"y\",\"op\":\"placeholder\","
			      "\"target\":\"y\",\"args\":\"('\\\"',)\"}\n");
	FXT_OK(load_text(fx_buf_text(&text), text.length, NULL, &graph));
	CU_ASSERT_PTR_NOT_NULL_FATAL(graph);
	FXT_SAME(fx_node_arg(fx_graph_find(graph, "x"), 0)->text,
		"\"\n\xc3\xa9");
	FXT_SAME(fx_node_arg(fx_graph_find(graph, "y"), 0)->text, "\"");
}

static void
names_that_rules_would_number_are_kept(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = NULL;
	FX_AUTO_BUF struct fx_buf text = { 0 };

	seal(&text, HEAD "{\"node\":\"conv_00\",\"op\":\"placeholder\","
			 "\"target\":\"x\",\"args\":\"()\"}\n");
	FXT_OK(load_text(fx_buf_text(&text), text.length, NULL, &graph));
	CU_ASSERT_PTR_NOT_NULL_FATAL(graph);
	CU_ASSERT_PTR_NOT_NULL(fx_graph_find(graph, "conv_00"));
}

/* A limit on the size of files fails in the middle, like a full disk. */
static void
a_full_disk_leaves_the_old_file(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = graph_with_weights();
	const struct fxt_graph_options options = { .seed = 1,
		.node_count = 4000 };
	FX_AUTO_GRAPH struct fx_graph *large = fxt_random_graph(&options);
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	struct rlimit saved;
	struct rlimit small;
	struct fx_error *err;

	FXT_OK(fx_save(graph, in_folder("full.fxg")));
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &saved);
	small = saved;
	small.rlim_cur = 65536;
	setrlimit(RLIMIT_FSIZE, &small);
	err = fx_save(large, in_folder("full.fxg"));
	setrlimit(RLIMIT_FSIZE, &saved);
	FXT_FAILS(err, FX_ERR_NO_SPACE);
	FXT_OK(fx_open(in_folder("full.fxg"), 4, &loaded));
	CU_ASSERT_PTR_NOT_NULL_FATAL(loaded.graph);
	CU_ASSERT(is_same(graph, loaded.graph));
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(random_graphs_come_back_with_their_hash),
		FXT_CASE(weights_lie_beside_the_file_and_are_mapped),
		FXT_CASE(structure_alone_keeps_the_hash_too),
		FXT_CASE(weights_that_are_gone_short_or_others_are_refused),
		FXT_CASE(saving_again_repairs_weights_and_leaves_no_other_file),
		FXT_CASE(
			weights_cut_beneath_a_mapping_are_an_error_at_the_tensor),
		FXT_CASE(a_text_cut_anywhere_is_refused),
		FXT_CASE(an_edited_byte_is_noticed),
		FXT_CASE(lines_that_make_no_sense_are_refused),
		FXT_CASE(modules_that_make_no_sense_are_refused),
		FXT_CASE(absurd_counts_and_depths_are_refused),
		FXT_CASE(graphs_within_graphs_have_a_limit),
		FXT_CASE(a_newer_version_is_refused_and_a_newer_minor_is_not),
		FXT_CASE(another_graph_s_hash_is_refused),
		FXT_CASE(escapes_are_read_by_either_reader),
		FXT_CASE(names_that_rules_would_number_are_kept),
		FXT_CASE(a_full_disk_leaves_the_old_file),
	};
	int status;

	folder = fxt_folder_new();
	status = fxt_run("fxg", cases, FX_ARRAY_LEN(cases));
	fxt_folder_free(folder);
	return status;
}

/* test_pt2.c - archives of torch.export.save: what is read, what is refused.
 *
 * samples/pt2 was made by parity/archives.py with torch 2.13; that test
 * compares graphs and results with torch's.
 */
#include <config.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

#include "base/blob.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/value_text.h"
#include "ir/verify.h"
#include "load/archive.h"
#include "load/open.h"
#include "tests/support/folder.h"
#include "tests/support/random.h"
#include "tests/support/unit.h"

#define DAMAGED 500 /* of each kind */

static char temporary[] = "/tmp/fxdb-pt2-XXXXXX";

FX_NODISCARD static struct fx_error *
open_sample(const char *name, struct fx_loaded *ret)
{
	FX_AUTO_FREE char *file = fx_xasprintf("tests/samples/pt2/%s", name);
	FX_AUTO_FREE char *path = fxt_source(file);

	return fx_open(path, 1, ret);
}

static const char *
meta_of(struct fx_graph *graph, const char *name, struct fx_buf *out)
{
	struct fx_node *node = fx_graph_find(graph, name);

	fx_buf_clear(out);
	CU_ASSERT_PTR_NOT_NULL_FATAL(node);
	CU_ASSERT_PTR_NOT_NULL_FATAL(node->meta);
	fx_value_print_as(out, node->meta, FX_STYLE_EXACT);
	return fx_buf_text(out);
}

static void
sizes_are_expressions(void)
{
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	FX_AUTO_BUF struct fx_buf text = { 0 };

	FXT_OK(open_sample("sizes.pt2", &loaded));
	CU_ASSERT_PTR_NOT_NULL_FATAL(loaded.graph);
	FXT_SAME(meta_of(loaded.graph, "x", &text),
		"tensor('f32[s77, 4][4, 1]cpu')");
	FXT_SAME(meta_of(loaded.graph, "sym_size_int_1", &text), "sym('s77')");
	FXT_SAME(meta_of(loaded.graph, "mul_1", &text), "sym('6*s77')");
	FXT_SAME(meta_of(loaded.graph, "floordiv", &text), "sym('6*s77//5')");
	FXT_SAME(fx_buf_text(&loaded.notices), "exported for 6 <= s77 <= 64\n");
}

static void
lines_and_modules_are_kept(void)
{
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	struct fx_node *node;

	FXT_OK(open_sample("tied.pt2", &loaded));
	CU_ASSERT_PTR_NOT_NULL_FATAL(loaded.graph);
	node = fx_graph_find(loaded.graph, "linear");
	CU_ASSERT_PTR_NOT_NULL_FATAL(node);
	CU_ASSERT_PTR_NOT_NULL_FATAL(node->source);
	FXT_SAME(node->source->frames[0].function, "forward");
	CU_ASSERT_PTR_NOT_NULL_FATAL(node->scope);
	FXT_SAME(node->scope->path, "back");
	FXT_SAME(node->scope->class_name, "torch.nn.modules.linear.Linear");
	CU_ASSERT_PTR_NULL(node->scope->parent);
}

static void
one_parameter_with_two_names_stays_one(void)
{
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	const struct fx_tensor *table;
	const struct fx_tensor *scratch;

	FXT_OK(open_sample("tied.pt2", &loaded));
	CU_ASSERT_PTR_NOT_NULL_FATAL(loaded.graph);
	table = fx_module_find_tensor(loaded.graph->module, "table.weight");
	CU_ASSERT_PTR_NOT_NULL_FATAL(table);
	CU_ASSERT_PTR_EQUAL(table,
		fx_module_find_tensor(loaded.graph->module, "back.weight"));
	FXT_EQ(table->requires_grad, true);
	scratch = fx_module_find_tensor(loaded.graph->module, "scratch");
	CU_ASSERT_PTR_NOT_NULL_FATAL(scratch);
	FXT_EQ(scratch->is_buffer, true);
	FXT_EQ(scratch->is_persistent, false);
	FXT_EQ(fx_blob_size(scratch->storage->blob), 3 * sizeof(float));
}

/* What ERR says with its place; the caller's. */
static char *
said(const struct fx_error *err)
{
	return fx_xasprintf("%s: %s",
		fx_error_file(err) ? fx_error_file(err) : "",
		fx_error_message(err));
}

/* Load the temporary file; what fails says so in one line about the file, and
 * what is made is whole.
 */
static int
check_temporary(void)
{
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	struct fx_error *err = fx_open(temporary, 1, &loaded);
	FX_AUTO_FREE char *text = NULL;

	if (!err) {
		FXT_OK(fx_verify_error(loaded.graph));
		return 0;
	}
	text = said(err);
	if (!strstr(text, temporary) || strchr(text, '\n')) {
		printf("%s\n", text);
		CU_FAIL("a message without the file, or of several lines");
	}
	fx_error_free(err);
	return 1;
}

static void
damaged_bytes_are_one_message(void)
{
	FX_AUTO_FREE char *path = fxt_source("tests/samples/pt2/tied.pt2");
	FX_AUTO_FREE char *bytes = NULL;
	struct fxt_random random = fxt_random_seed(1);
	size_t length = 0;
	int refused = 0;

	FXT_OK(fx_file_read(path, 1 << 20, &bytes, &length));
	for (int i = 0; i < DAMAGED; i++) {
		FX_AUTO_FREE char *copy = fx_xmalloc(length);
		size_t end = fxt_random_chance(&random, 20)
				     ? fxt_random_below(&random, length)
				     : length;

		memcpy(copy, bytes, length);
		for (size_t n = fxt_random_below(&random, 4); end && n > 0; n--)
			copy[fxt_random_below(&random, end)] =
				(char)fxt_random_word(&random);
		FXT_OK(fx_file_write(temporary, copy, end));
		refused += check_temporary();
	}
	CU_ASSERT_TRUE(refused > DAMAGED / 3);
}

/* Places in a JSON tree: an object or a list, and one of its values. */
struct slot {
	json_t *in;
	const char *key; /* of an object */
	size_t index;    /* of a list */
	json_t *value;
};

struct slots {
	struct slot *items;
	size_t count;
	size_t capacity;
};

static void
collect(json_t *json, struct slots *slots)
{
	const char *key;
	json_t *value;
	size_t index;

	json_object_foreach(json, key, value)
	{
		fx_vec_push(slots, ((struct slot){ json, key, 0, value }));
		collect(value, slots);
	}
	json_array_foreach(json, index, value)
	{
		fx_vec_push(slots, ((struct slot){ json, NULL, index, value }));
		collect(value, slots);
	}
}

/* Another value, sometimes one from elsewhere in the tree. */
static json_t *
other_value(struct fxt_random *random, const struct slots *slots)
{
	static const json_int_t numbers[] = { 0, -1, 1, 7, 300, INT32_MAX,
		INT64_MAX, INT64_MIN };
	static const char *const texts[] = { "", "x", "a.b", "..", "%x", "a\nb",
		"torch.ops.aten.relu.default", "Symbol('s', integer=True)",
		"Add(Add(Add(", "'; import os", "weight_0", "../weight_0" };

	switch (fxt_random_below(random, 7)) {
	case 0:
		return json_null();
	case 1:
		return json_boolean(fxt_random_chance(random, 50));
	case 2:
		return json_integer(numbers[fxt_random_below(random,
			FX_ARRAY_LEN(numbers))]);
	case 3:
		return json_string(texts[fxt_random_below(random,
			FX_ARRAY_LEN(texts))]);
	case 4:
		return fxt_random_chance(random, 50) ? json_array()
						     : json_object();
	default:
		return json_deep_copy(slots->items[fxt_random_below(random,
							   slots->count)]
					      .value);
	}
}

static void
change_one(struct fxt_random *random, json_t *json)
{
	struct slots slots = { 0 };
	struct slot slot;
	json_t *value;

	collect(json, &slots);
	if (!slots.count)
		return;
	slot = slots.items[fxt_random_below(random, slots.count)];
	value = other_value(random, &slots);
	if (fxt_random_chance(random, 20)) {
		json_decref(value);
		if (slot.key)
			json_object_del(slot.in, slot.key);
		else
			json_array_remove(slot.in, slot.index);
	} else if (slot.key) {
		json_object_set_new(slot.in, slot.key, value);
	} else {
		json_array_set_new(slot.in, slot.index, value);
	}
	fx_vec_deinit(&slots);
}

/* Write SAMPLE to the temporary file with TEXT in place of entry NAME. */
static void
write_changed(const char *sample, const char *name, const char *text)
{
	zip_t *old = zip_open(sample, ZIP_RDONLY, NULL);
	zip_t *new = zip_open(temporary, ZIP_CREATE | ZIP_TRUNCATE, NULL);
	zip_int64_t count = zip_get_num_entries(old, 0);

	for (zip_int64_t i = 0; i < count; i++) {
		const char *entry = zip_get_name(old, (zip_uint64_t)i, 0);
		zip_source_t *source =
			fx_str_ends(entry, name)
				? zip_source_buffer(new, text, strlen(text), 0)
				: zip_source_zip(new, old, (zip_uint64_t)i, 0,
					  0, -1);
		zip_int64_t at = zip_file_add(new, entry, source, 0);

		zip_set_file_compression(new, (zip_uint64_t)at, ZIP_CM_STORE,
			0);
	}
	CU_ASSERT_EQUAL(zip_close(new), 0);
	zip_discard(old);
}

static void
change_json(const char *sample, const char *entry, uint64_t seed, int count)
{
	FX_AUTO_FREE char *file = fx_xasprintf("tests/samples/pt2/%s", sample);
	FX_AUTO_FREE char *path = fxt_source(file);
	FX_AUTO_ARCHIVE struct fx_archive *archive = NULL;
	struct fxt_random random = fxt_random_seed(seed);
	struct fx_blob *blob = NULL;
	json_t *whole;
	int refused = 0;

	FXT_OK(fx_archive_open(path, &archive));
	CU_ASSERT_PTR_NOT_NULL_FATAL(archive);
	FXT_OK(fx_archive_read(archive, entry, 1 << 20, &blob));
	whole = json_loadb(fx_blob_data(blob), fx_blob_size(blob), 0, NULL);
	fx_blob_unref(blob);
	CU_ASSERT_PTR_NOT_NULL_FATAL(whole);
	for (int i = 0; i < count; i++) {
		json_t *copy = json_deep_copy(whole);
		FX_AUTO_FREE char *text = NULL;

		for (size_t n = 1 + fxt_random_below(&random, 3); n > 0; n--)
			change_one(&random, copy);
		text = json_dumps(copy, 0);
		write_changed(path, strrchr(entry, '/'), text);
		refused += check_temporary();
		json_decref(copy);
	}
	json_decref(whole);
	CU_ASSERT_TRUE(refused > count / 10);
}

static void
changed_programs_are_one_message(void)
{
	change_json("tied.pt2", "models/model.json", 2, DAMAGED / 2);
	change_json("branches.pt2", "models/model.json", 3, DAMAGED / 2);
}

static void
changed_weights_are_one_message(void)
{
	change_json("tied.pt2", "data/weights/model_weights_config.json", 4,
		DAMAGED / 4);
	change_json("tied.pt2", "data/constants/model_constants_config.json", 5,
		DAMAGED / 4);
}

static void
expect(const char *sample, const char *entry, const char *text,
	enum fx_error_code code, const char *words)
{
	FX_AUTO_FREE char *file = fx_xasprintf("tests/samples/pt2/%s", sample);
	FX_AUTO_FREE char *path = fxt_source(file);
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	FX_AUTO_FREE char *message = NULL;
	struct fx_error *err;

	write_changed(path, entry, text);
	err = fx_open(temporary, 1, &loaded);
	CU_ASSERT_PTR_NOT_NULL_FATAL(err);
	FXT_EQ(fx_error_code(err), code);
	message = said(err);
	if (!strstr(message, words))
		printf("%s\n", message);
	CU_ASSERT_PTR_NOT_NULL(strstr(message, words));
	fx_error_free(err);
}

static void
what_is_wrong_is_said(void)
{
	expect("tied.pt2", "/model.json", "", FX_ERR_FORMAT, "model.json");
	expect("tied.pt2", "/model.json", "[]", FX_ERR_FORMAT,
		"is no program of torch.export");
	expect("tied.pt2", "/model.json",
		"{\"schema_version\": {\"major\": 9}}", FX_ERR_VERSION,
		"version 9");
	expect("tied.pt2", "/model.json",
		"{\"schema_version\": {\"major\": 8}, \"graph_module\": "
		"{\"graph\": {\"inputs\": [], \"nodes\": [{\"target\": "
		"\"torch.ops.aten.relu.default\", \"name\": \"y\", "
		"\"inputs\": [{\"name\": \"self\", \"kind\": 1, \"arg\": "
		"{\"as_tensor\": {\"name\": \"x\"}}}], \"outputs\": []}]}}}",
		FX_ERR_FORMAT, "name \"x\" is not defined");
	expect("tied.pt2", "/weight_0", "short", FX_ERR_FORMAT,
		"needs 320 bytes");
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(sizes_are_expressions),
		FXT_CASE(lines_and_modules_are_kept),
		FXT_CASE(one_parameter_with_two_names_stays_one),
		FXT_CASE(what_is_wrong_is_said),
		FXT_CASE(damaged_bytes_are_one_message),
		FXT_CASE(changed_programs_are_one_message),
		FXT_CASE(changed_weights_are_one_message),
	};
	int fd = mkstemp(temporary);
	int status;

	if (fd < 0)
		return EXIT_FAILURE;
	close(fd);
	status = fxt_run("pt2", cases, FX_ARRAY_LEN(cases));
	unlink(temporary);
	return status;
}

/* test_safetensors.c - weights files: read, written, refused.
 *
 * samples/numpy.safetensors was made by parity/make_safetensors.py.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/blob.h"
#include "base/buf.h"
#include "base/file.h"
#include "emit/weights.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "load/safetensors.h"
#include "tests/support/folder.h"
#include "tests/support/random_graph.h"
#include "tests/support/unit.h"

static char temporary[] = "/tmp/fxdb-safetensors-XXXXXX";

FX_NODISCARD static struct fx_error *
open_sample(struct fx_safetensors **ret)
{
	FX_AUTO_FREE char *path = fxt_source("tests/samples/numpy.safetensors");

	return fx_safetensors_open(path, ret);
}

static double
second_of_six(const struct fx_safetensors *file, const char *name)
{
	const struct fx_safetensors_entry *entry =
		fx_safetensors_find(file, name);
	struct fx_blob *blob;
	double result = -1;
	char bytes[8] = { 0 };
	size_t size;

	CU_ASSERT_PTR_NOT_NULL_FATAL(entry);
	FXT_EQ(entry->rank, 2);
	FXT_EQ(entry->sizes[0], 2);
	FXT_EQ(entry->sizes[1], 3);
	size = fx_dtype_info(entry->dtype)->size;
	blob = fx_safetensors_blob(file, entry);
	FXT_OK(fx_blob_read(blob, 2 * size, size, bytes));
	fx_blob_unref(blob);
	if (entry->dtype == FX_DTYPE_F64)
		memcpy(&result, bytes, 8);
	else if (entry->dtype == FX_DTYPE_F32)
		result = (double)*(float *)(void *)bytes;
	else if (entry->dtype == FX_DTYPE_F16)
		result = memcmp(bytes, "\x00\x40", 2) == 0 ? 2 : -1;
	else
		result = bytes[0];
	return result;
}

static void
a_file_of_numpy_is_read(void)
{
	FX_AUTO_SAFETENSORS struct fx_safetensors *file = NULL;
	static const char *const names[] = { "float64", "float32", "float16",
		"int64", "int32", "int16", "int8", "uint8" };

	FXT_OK(open_sample(&file));
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	FXT_EQ(file->count, 11);
	for (size_t i = 0; i < FX_ARRAY_LEN(names); i++) {
		char name[40];

		snprintf(name, sizeof(name), "layer.%s", names[i]);
		FXT_EQ(second_of_six(file, name), 2.0);
		FXT_EQ(fx_safetensors_find(file, name)->dtype,
			fx_dtype_find(names[i]));
	}
	FXT_EQ(second_of_six(file, "layer.bool"), 1.0);
	FXT_EQ(fx_safetensors_find(file, "scalar")->rank, 0);
	FXT_EQ(fx_safetensors_find(file, "empty")->sizes[0], 0);
	CU_ASSERT_PTR_NULL(fx_safetensors_find(file, "layer"));
}

static void
bytes_outlive_the_file_object(void)
{
	struct fx_safetensors *file = NULL;
	struct fx_blob *blob;
	float number;

	FXT_OK(open_sample(&file));
	blob = fx_safetensors_blob(file, fx_safetensors_find(file, "scalar"));
	fx_safetensors_free(file);
	FXT_OK(fx_blob_read(blob, 0, 4, &number));
	FXT_EQ(number, 2.5f);
	fx_blob_unref(blob);
}

static struct fx_error *
write_file(const struct fx_weights *weights, uint64_t *size_ret)
{
	struct fx_file_writer *file;
	struct fx_error *err =
		fx_safetensors_write(temporary, weights, size_ret, &file);

	return err ? err : fx_file_writer_commit(file);
}

static void
what_is_written_is_read_again(void)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		const struct fxt_graph_options options = { .seed = seed };
		FX_AUTO_GRAPH struct fx_graph *graph =
			fxt_random_graph(&options);
		FX_AUTO_WEIGHTS struct fx_weights weights = { 0 };
		FX_AUTO_SAFETENSORS struct fx_safetensors *file = NULL;
		uint64_t size = 0;

		fx_weights_collect(&weights, graph);
		FXT_OK(write_file(&weights, &size));
		FXT_OK(fx_safetensors_open(temporary, &file));
		CU_ASSERT_PTR_NOT_NULL_FATAL(file);
		FXT_EQ(file->file_size, size);
		for (size_t i = 0; i < weights.count; i++) {
			const struct fx_weight *w = &weights.items[i];
			const struct fx_safetensors_entry *entry =
				fx_safetensors_find(file, w->key);

			if (!w->storage->blob) {
				CU_ASSERT_PTR_NULL(entry);
				continue;
			}
			CU_ASSERT_PTR_NOT_NULL_FATAL(entry);
			FXT_EQ(entry->end - entry->begin,
				fx_blob_size(w->storage->blob));
			FXT_EQ(memcmp((const char *)fx_blob_data(file->data) +
					       entry->begin,
				       fx_blob_data(w->storage->blob),
				       (size_t)(entry->end - entry->begin)),
				0);
		}
	}
}

static void
wide_elements_are_aligned(void)
{
	FX_AUTO_SAFETENSORS struct fx_safetensors *file = NULL;
	const struct fxt_graph_options options = { .seed = 3 };
	FX_AUTO_GRAPH struct fx_graph *graph = fxt_random_graph(&options);
	FX_AUTO_WEIGHTS struct fx_weights weights = { 0 };
	uint64_t size = 0;

	fx_weights_collect(&weights, graph);
	FXT_OK(write_file(&weights, &size));
	FXT_OK(fx_safetensors_open(temporary, &file));
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	for (size_t i = 0; i < file->count; i++) {
		const struct fx_safetensors_entry *entry = &file->entries[i];
		size_t element = fx_dtype_info(entry->dtype)->size;

		FXT_EQ((uintptr_t)((char *)fx_blob_data(file->data) +
				   entry->begin) %
				element,
			0);
	}
}

/* A file with HEADER and DATA_SIZE bytes of data. */
static void
header_fails(const char *header, size_t data_size, enum fx_error_code code,
	const char *wanted)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_safetensors *file = NULL;
	uint64_t length = strlen(header);
	struct fx_error *err;

	fx_buf_add_n(&text, (const char *)&length, 8);
	fx_buf_add(&text, header);
	fx_buf_add_repeat(&text, 'd', data_size);
	FXT_OK(fx_file_write(temporary, text.data, text.length));
	err = fx_safetensors_open(temporary, &file);
	if (err && !strstr(fx_error_message(err), wanted))
		printf("\n  message: %s\n", fx_error_message(err));
	CU_ASSERT(err && strstr(fx_error_message(err), wanted));
	FXT_FAILS(err, code);
	CU_ASSERT_PTR_NULL(file);
}

#define ENTRY(dtype, shape, from, to) \
	"{\"dtype\":\"" dtype "\",\"shape\":[" shape \
	"],\"data_offsets\":[" from "," to "]}"

static void
headers_that_contradict_themselves_are_refused(void)
{
	header_fails("", 0, FX_ERR_FORMAT, "cut short");
	header_fails("[]", 0, FX_ERR_FORMAT, "header is damaged");
	header_fails("{", 0, FX_ERR_FORMAT, "header is damaged");
	header_fails("{\"a\":3}", 0, FX_ERR_FORMAT, "\"a\" is damaged");
	header_fails("{\"a\":{}}", 0, FX_ERR_FORMAT, "\"a\" is damaged");
	header_fails("{\"a\":" ENTRY("F32", "2", "0", "8") "}", 4,
		FX_ERR_FORMAT, "cut short");
	header_fails("{\"a\":" ENTRY("F32", "2", "0", "4") "}", 4,
		FX_ERR_FORMAT, "does not fit its shape");
	header_fails("{\"a\":" ENTRY("F32", "2", "8", "0") "}", 8,
		FX_ERR_FORMAT, "before they begin");
	header_fails("{\"a\":" ENTRY("F32", "-1", "0", "4") "}", 8,
		FX_ERR_FORMAT, "\"a\" is damaged");
	header_fails("{\"a\":" ENTRY("F32", "1", "-4", "0") "}", 8,
		FX_ERR_FORMAT, "\"a\" is damaged");
	header_fails("{\"a\":" ENTRY("F32", "1", "0",
			     "4") ",\"b\":" ENTRY("F32", "1", "2", "6") "}",
		8, FX_ERR_FORMAT, "overlaps");
	header_fails("{\"a\":" ENTRY("F32", "1", "0",
			     "4") ",\"a\":" ENTRY("F32", "1", "4", "8") "}",
		8, FX_ERR_FORMAT, "header is damaged");
	header_fails("{\"a\":" ENTRY("F32", "4294967296,4294967296", "0",
			     "4") "}",
		8, FX_ERR_FORMAT, "does not fit its shape");
}

static void
absurd_lengths_are_refused_before_reading(void)
{
	struct fx_safetensors *file = NULL;

	FXT_OK(fx_file_write(temporary, "\xff\xff\xff\xff\xff\xff\xff\x7f{}",
		10));
	FXT_FAILS(fx_safetensors_open(temporary, &file), FX_ERR_LIMIT);
	FXT_OK(fx_file_write(temporary, "\x10\0\0\0\0\0\0\0{}", 10));
	FXT_FAILS(fx_safetensors_open(temporary, &file), FX_ERR_FORMAT);
	FXT_OK(fx_file_write(temporary, "abc", 3));
	FXT_FAILS(fx_safetensors_open(temporary, &file), FX_ERR_FORMAT);
	FXT_FAILS(fx_safetensors_open("/dev/null/none", &file), FX_ERR_IO);
	FXT_FAILS(fx_safetensors_open("/tmp", &file), FX_ERR_FORMAT);
	CU_ASSERT_PTR_NULL(file);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(a_file_of_numpy_is_read),
		FXT_CASE(bytes_outlive_the_file_object),
		FXT_CASE(what_is_written_is_read_again),
		FXT_CASE(wide_elements_are_aligned),
		FXT_CASE(headers_that_contradict_themselves_are_refused),
		FXT_CASE(absurd_lengths_are_refused_before_reading),
	};
	int fd = mkstemp(temporary);
	int status;

	if (fd < 0)
		return EXIT_FAILURE;
	close(fd);
	status = fxt_run("safetensors", cases, FX_ARRAY_LEN(cases));
	unlink(temporary);
	return status;
}

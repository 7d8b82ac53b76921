/* fuzz_fxg.c - any bytes as the lines of an .fxg file, or as a weights file.
 *
 * Lines get a trailer that fits, or nothing would pass its hash.  Nothing may
 * crash or leak; a graph that is understood prints in every form, and saved
 * and loaded again it is the same.
 */
#include <config.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/blob.h"
#include "base/buf.h"
#include "base/hash.h"
#include "emit/dot.h"
#include "emit/fx.h"
#include "emit/jsonl.h"
#include "emit/python.h"
#include "emit/table.h"
#include "emit/weights.h"
#include "ir/graph.h"
#include "ir/graph_hash.h"
#include "ir/verify.h"
#include "load/jsonl.h"
#include "load/open.h"
#include "load/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
seal(struct fx_buf *text, const char *data, size_t size)
{
	char hash[33];
	int lines = 0;

	fx_buf_add_n(text, data, size);
	if (size && data[size - 1] != '\n')
		fx_buf_add_char(text, '\n');
	for (size_t i = 0; i < text->length; i++)
		lines += text->data[i] == '\n';
	fx_hash_text(fx_hash_of(text->data, text->length), hash);
	fx_buf_addf(text, "{\"end\":%d,\"hash\":\"%s\"}\n", lines, hash);
}

static struct fx_graph *
load(const struct fx_buf *text)
{
	FX_AUTO_BUF struct fx_buf notices = { 0 };
	struct fx_load_input input = {
		.text = text->data,
		.length = text->length,
		.serial = 1,
		.notices = &notices,
	};
	struct fx_graph *graph = NULL;

	fx_error_free(fx_load_jsonl(&input, &graph));
	return graph;
}

static void
print_all(struct fx_graph *graph)
{
	const struct fx_emit_python exact = { .exact = true,
		.dialect = "1.13" };
	const struct fx_emit_python readable = { .verbose = true,
		.dialect = "2.x",
		.strides = true,
		.devices = true,
		.expanded = true };
	struct fx_emit_ranges ranges = { 0 };
	FX_AUTO_BUF struct fx_buf out = { 0 };

	fx_emit_python(&out, graph, NULL, &ranges);
	fx_emit_python(&out, graph, &exact, NULL);
	fx_emit_python(&out, graph, &readable, NULL);
	fx_emit_fx(&out, graph, NULL);
	fx_emit_table(&out, graph);
	fx_emit_dot(&out, graph);
	fx_assert(ranges.count == graph->node_count);
	fx_emit_ranges_deinit(&ranges);
}

static void
try_lines(const char *data, size_t size)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	FX_AUTO_BUF struct fx_buf second = { 0 };
	FX_AUTO_WEIGHTS struct fx_weights weights = { 0 };
	FX_AUTO_GRAPH struct fx_graph *graph = NULL;
	FX_AUTO_GRAPH struct fx_graph *again = NULL;
	FX_AUTO_ERROR struct fx_error *err = NULL;

	seal(&text, data, size);
	graph = load(&text);
	if (!graph)
		return;
	print_all(graph);
	fx_weights_collect(&weights, graph);
	err = fx_emit_jsonl(&second, graph, &weights, NULL);
	if (err)
		return;
	again = load(&second);
	fx_assert(again);
	fx_assert(fx_hash_equal(fx_graph_hash(graph), fx_graph_hash(again)));
}

static void
try_weights(const char *data, size_t size)
{
	int fd = memfd_create("fuzz", 0);
	struct fx_safetensors *file = NULL;
	char path[40];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	fx_error_free(fx_safetensors_open(path, &file));
	for (size_t i = 0; file && i < file->count; i++)
		fx_blob_unref(fx_safetensors_blob(file, &file->entries[i]));
	fx_safetensors_free(file);
	close(fd);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size && data[0] == 'S')
		try_weights((const char *)data + 1, size - 1);
	else if (size)
		try_lines((const char *)data, size);
	return 0;
}

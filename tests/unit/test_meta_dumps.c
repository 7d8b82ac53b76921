/* test_meta_dumps.c - shapes that torch 2.13 printed beside its graphs,
 * symbols and all, against what the rules make of the inputs alone.
 *
 * The dumps are real and lie outside the sources (FXDB_CASES); without them
 * there is nothing to compare.
 */
#include <config.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/str.h"
#include "ir/fold.h"
#include "ir/graph.h"
#include "ir/size.h"
#include "ir/tensor_meta.h"
#include "ir/value_text.h"
#include "load/open.h"
#include "meta/propagate.h"
#include "tests/support/unit.h"

struct counts {
	size_t compared;
	size_t unknown;
	size_t wrong;
};

static bool
same_tensor(const struct fx_tensor_meta *a, const struct fx_tensor_meta *b)
{
	bool same = a->dtype == b->dtype && a->rank == b->rank;

	for (uint32_t i = 0; same && i < a->rank; i++)
		same = fx_size_equal(a->sizes[i], b->sizes[i]);
	return same;
}

static bool
agrees(const struct fx_value *ours, const struct fx_value *theirs)
{
	if (theirs->kind == FX_VALUE_TENSOR)
		return ours->kind == FX_VALUE_TENSOR &&
		       same_tensor(ours->tensor, theirs->tensor);
	/* Floats are printed with fewer digits than they have. */
	if (ours->kind == FX_VALUE_FLOAT && theirs->kind == FX_VALUE_FLOAT)
		return ours->real - theirs->real < 1e-9 &&
		       theirs->real - ours->real < 1e-9;
	return fx_value_equal(ours, theirs);
}

static void
compare(const struct fx_node *node, const struct fx_value *theirs,
	struct counts *counts)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	counts->compared++;
	if (node->meta->kind == FX_VALUE_UNKNOWN) {
		counts->unknown++;
		printf("\n  %s: ? %s", node->name, node->meta->text);
		return;
	}
	if (agrees(node->meta, theirs))
		return;
	counts->wrong++;
	fx_value_print_shape(&text, node->meta, true);
	fx_buf_add(&text, " instead of ");
	fx_value_print_shape(&text, theirs, true);
	printf("\n  %s: %s", node->name, fx_buf_text(&text));
}

/* Propagate from the placeholders of GRAPH alone and compare the rest. */
static void
check_graph(struct fx_graph *graph, struct counts *counts)
{
	FX_AUTO_META_REPORT struct fx_meta_report report = { 0 };
	FX_AUTO_MAP struct fx_map printed = { 0 };
	struct fx_node *node;

	fx_graph_for_each_node (node, graph) {
		if (node->opcode == FX_OPCODE_PLACEHOLDER ||
			node->opcode == FX_OPCODE_GET_ATTR || !node->meta)
			continue;
		fx_map_set_pointer(&printed, node, node->meta);
		fx_graph_set_meta(node, NULL);
	}
	fx_meta_propagate(NULL, graph, false, &report);
	fx_graph_for_each_node (node, graph) {
		const struct fx_value *theirs =
			fx_map_get_pointer(&printed, node);

		if (theirs && theirs->kind != FX_VALUE_UNKNOWN)
			compare(node, theirs, counts);
	}
	for (size_t i = 0; i < report.failure_count; i++) {
		printf("\n  %s", fx_error_message(report.failures[i].error));
		counts->wrong++;
	}
}

static void
printed_shapes_follow_from_the_inputs(void)
{
	FX_AUTO_BUF struct fx_buf folder = { 0 };
	const char *cases = getenv("FXDB_CASES");
	struct counts counts = { 0 };
	struct dirent *entry;
	DIR *dir;

	fx_buf_addf(&folder, "%s/dumps213", cases ? cases : "");
	dir = opendir(fx_buf_text(&folder));
	if (!dir)
		FXT_SKIP("no dumps (FXDB_CASES)");
	while ((entry = readdir(dir))) {
		FX_AUTO_BUF struct fx_buf path = { 0 };
		FX_AUTO_LOADED struct fx_loaded loaded = { 0 };

		if (!fx_str_ends(entry->d_name, ".readable.py"))
			continue;
		fx_buf_addf(&path, "%s/%s", fx_buf_text(&folder),
			entry->d_name);
		printf("\n %s", entry->d_name);
		FXT_OK(fx_open(fx_buf_text(&path), 1, &loaded));
		check_graph(loaded.graph, &counts);
	}
	closedir(dir);
	printf("\n  %zu compared, %zu not known, %zu wrong\n", counts.compared,
		counts.unknown, counts.wrong);
	FXT_IS(counts.compared, >, 100);
	FXT_EQ(counts.wrong, 0);
	/* What loops, branches and data decide is all that may be missing. */
	FXT_IS(counts.unknown, <=, 20);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(printed_shapes_follow_from_the_inputs),
	};

	return fxt_run("meta dumps", cases, FX_ARRAY_LEN(cases));
}

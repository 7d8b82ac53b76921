/* bench_graph.c - a graph of 100,000 nodes: how long each thing takes.
 *
 *	bench_graph [NODES]
 *
 * A chain of relu built through the C API, in which every tenth node also adds
 * one early node (the hub).  Each figure is the best of several runs, at a
 * tenth of the nodes and at all of them; the ratio of the two shows whether
 * the cost is linear.  Rows are as scripts/bench says.  Beside each stands what
 * torch.fx takes for the same, when a Python with torch is found
 * (graph_torch.py).  The exit status is 1 when a figure is over its bar.
 *
 * The small graph would fit into the processor's cache and the large one not,
 * so the cache is swept before each measurement: commands that a person types
 * find it cold too.  Times are the processor's, so that a busy machine disturbs
 * them less; writing the file, which waits for the disk, is timed by the clock.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "base/intern.h"
#include "base/mem.h"
#include "emit/fx.h"
#include "emit/python.h"
#include "emit/table.h"
#include "ir/clone.h"
#include "ir/edit.h"
#include "ir/graph_hash.h"
#include "ir/journal.h"
#include "ir/order.h"
#include "ir/verify.h"
#include "load/open.h"
#include "load/save.h"
#include "pass/engine.h"
#include "tests/support/clock.h"

enum {
	RUNS = 7,
	HUB_EVERY = 10,
	HUB_USERS = 10000,
	MOST_RATIO = 15,
	SWEPT = 64 << 20,
	MOST_BYTES = 300, /* a node, with its arguments */
};

enum measure {
	BUILD,
	CODE,
	LISTING,
	TABLE,
	LINT,
	HASH,
	TEXT_HASH,
	CLONE,
	RAUW,
	RAUW_UNDO,
	HUB,
	HUB_UNDO,
	DCE,
	DCE_UNDO,
	ONE_EDIT,
	INSERT,
	COMPACT,
	SAVE,
	LOAD,
	MEASURE_COUNT
};

/* The bars are for all 100,000 nodes, in ms; 0: none. */
static const struct {
	const char *name;
	double bar;
	const char *what;
} measures[] = {
	[BUILD] = { "build", 100, "nodes appended, names made" },
	[CODE] = { "code", 100, "Python code" },
	[LISTING] = { "listing", 100, "torch.fx listing" },
	[TABLE] = { "table", 100, "print_tabular" },
	[LINT] = { "lint", 100, "every rule" },
	[HASH] = { "hash", 0, "graph hash, afresh" },
	[TEXT_HASH] = { "text-hash", 60, "text hash" },
	[CLONE] = { "clone", 0, "a copy" },
	[RAUW] = { "rauw", 100, "uses of the hub replaced" },
	[RAUW_UNDO] = { "rauw-undo", 100, "and taken back" },
	[HUB] = { "hub", 100, "10,000 uses of one node replaced" },
	[HUB_UNDO] = { "hub-undo", 100, "and taken back" },
	[DCE] = { "dce", 100, "the pass, every node being dead" },
	[DCE_UNDO] = { "dce-undo", 100, "and taken back" },
	[ONE_EDIT] = { "one-edit", 0, "one transaction of one edit" },
	[INSERT] = { "insert", 0, "as many nodes at one spot" },
	[COMPACT] = { "compact", 0, "arena compacted" },
	[SAVE] = { "save", 200, ".fxg written" },
	[LOAD] = { "load", 500, ".fxg read" },
};
_Static_assert(FX_ARRAY_LEN(measures) == MEASURE_COUNT, "a row a measure");

static double
time_of(clockid_t clock)
{
	return 1e3 * fxt_seconds(clock);
}

static double
now(void)
{
	return time_of(CLOCK_PROCESS_CPUTIME_ID);
}

/* Now, with the cache full of something else. */
static double
begin(void)
{
	static volatile unsigned char other[SWEPT];

	for (size_t i = 0; i < SWEPT; i += 64)
		other[i]++;
	return now();
}

/* Keep the best: what else the machine does only makes things slower. */
static void
record(double *best, double start)
{
	double took = now() - start;

	if (*best == 0 || took < *best)
		*best = took;
}

static void
must(struct fx_error *err)
{
	if (!err)
		return;
	fprintf(stderr, "bench_graph: %s\n", fx_error_message(err));
	exit(2);
}

static struct fx_value
tuple(struct fx_graph *graph, const struct fx_value *items, size_t count)
{
	return fx_value_sequence(graph->values, FX_VALUE_TUPLE, items, count);
}

static struct fx_node *
append(struct fx_graph *graph, const char *target, struct fx_node *a,
	struct fx_node *b)
{
	const struct fx_value args[2] = { fx_value_node(a), fx_value_node(b) };
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_FUNCTION,
		.target = target,
		.args = tuple(graph, args, b ? 2 : 1) };

	return fx_graph_append(graph, &spec);
}

/* The chain; its first relu is the hub, which every EVERYth node adds. */
static struct fx_graph *
build(size_t count, size_t every)
{
	struct fx_graph *graph = fx_graph_new(1);
	struct fx_node_spec spec = { .opcode = FX_OPCODE_PLACEHOLDER,
		.target = "x" };
	struct fx_node *last = fx_graph_append(graph, &spec);
	struct fx_node *hub = append(graph, "torch.relu", last, NULL);
	struct fx_value result;

	last = hub;
	for (size_t i = 3; i < count; i++)
		last = i % every ? append(graph, "torch.relu", last, NULL)
				 : append(graph, "operator.add", last, hub);
	result = fx_value_node(last);
	spec = (struct fx_node_spec){ .opcode = FX_OPCODE_OUTPUT,
		.target = "output",
		.args = tuple(graph, &result, 1) };
	fx_graph_append(graph, &spec);
	return graph;
}

static void
measure_text(struct fx_graph *graph, double *best)
{
	FX_AUTO_BUF struct fx_buf code = { 0 };
	FX_AUTO_BUF struct fx_buf listing = { 0 };
	FX_AUTO_BUF struct fx_buf table = { 0 };
	double start = begin();

	fx_emit_python(&code, graph, NULL, NULL);
	record(&best[CODE], start);
	start = begin();
	fx_emit_fx(&listing, graph, NULL);
	record(&best[LISTING], start);
	start = begin();
	fx_emit_table(&table, graph);
	record(&best[TABLE], start);
}

static void
measure_questions(struct fx_graph *graph, double *best)
{
	struct fx_graph *copy;
	double start = begin();

	must(fx_verify_error(graph));
	record(&best[LINT], start);
	start = begin();
	fx_graph_hash(graph);
	record(&best[HASH], start);
	start = begin();
	fx_graph_text_hash(graph);
	record(&best[TEXT_HASH], start);
	start = begin();
	copy = fx_graph_clone(graph, 2, NULL);
	record(&best[CLONE], start);
	fx_graph_free(copy);
}

static void
undo(struct fx_graph *graph, double *best)
{
	double start = begin();

	must(fx_journal_undo(graph, 1));
	record(best, start);
}

/* BEST: of replacing the hub's uses, then of undoing that. */
static void
measure_rauw(struct fx_graph *graph, double *best)
{
	struct fx_node *hub = fx_graph_at(graph, 1);
	struct fx_value with = fx_value_node(fx_graph_first(graph));
	double start = begin();

	fx_journal_begin(graph, "rauw");
	must(fx_edit_replace_uses(hub, &with, NULL, NULL, NULL));
	must(fx_journal_commit(graph, NULL));
	record(&best[0], start);
	undo(graph, &best[1]);
}

/* The same for as many uses in a small graph as in a large one. */
static void
measure_hub(size_t count, double *best)
{
	struct fx_graph *graph =
		build(count, FX_MAX(count / HUB_USERS, (size_t)1));

	fx_journal_open(graph, "bench");
	fx_journal_get(graph, 0);
	fx_graph_hash(graph);
	measure_rauw(graph, best);
	fx_graph_free(graph);
}

/* The result becomes the input; all between them is dead. */
static void
measure_dce(struct fx_graph *graph, double *best)
{
	struct fx_node *output = fx_graph_output(graph);
	const struct fx_value first = fx_value_node(fx_graph_first(graph));
	const struct fx_candidate *candidate;
	struct fx_pass_work *work;
	double start;

	fx_journal_begin(graph, "set");
	must(fx_edit_set_args(output, tuple(graph, &first, 1),
		fx_value_none()));
	must(fx_journal_commit(graph, NULL));
	start = begin();
	fx_journal_begin(graph, "pass run dce");
	must(fx_pass_begin(graph,
		&(struct fx_pass_step){ .pass = fx_pass_find("dce") }, &work));
	for (must(fx_pass_next(work, &candidate)); candidate;
		must(fx_pass_next(work, &candidate)))
		must(fx_pass_apply_next(work));
	fx_pass_end(work);
	must(fx_journal_commit(graph, NULL));
	record(&best[DCE], start);
	undo(graph, &best[DCE_UNDO]);
	must(fx_journal_undo(graph, 1));
}

static void
measure_edits(struct fx_graph *graph, double *best)
{
	size_t count = graph->node_count;
	struct fx_node *hub = fx_graph_at(graph, 1);
	const struct fx_value arg = fx_value_node(hub);
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_FUNCTION,
		.target = "torch.neg",
		.args = tuple(graph, &arg, 1) };
	double start = begin();

	fx_journal_begin(graph, "insert");
	must(fx_edit_create(graph, &spec, hub->next, NULL));
	must(fx_journal_commit(graph, NULL));
	record(&best[ONE_EDIT], start);
	start = begin();
	fx_journal_begin(graph, "insert");
	for (size_t i = 0; i < count; i++)
		must(fx_edit_create(graph, &spec, hub->next, NULL));
	must(fx_journal_commit(graph, NULL));
	record(&best[INSERT], start);
	must(fx_journal_undo(graph, 2));
	start = begin();
	fx_graph_compact(graph, true);
	record(&best[COMPACT], start);
}

static void
measure_file(struct fx_graph *graph, const char *path, double *best)
{
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	double start = begin();
	double clock = time_of(CLOCK_MONOTONIC);
	double took;

	must(fx_save(graph, path));
	took = time_of(CLOCK_MONOTONIC) - clock;
	if (best[SAVE] == 0 || took < best[SAVE])
		best[SAVE] = took;
	start = begin();
	must(fx_open(path, 2, &loaded));
	record(&best[LOAD], start);
	if (fx_hash_equal(fx_graph_hash(graph), fx_graph_hash(loaded.graph)))
		return;
	fprintf(stderr, "bench_graph: another graph came back\n");
	exit(2);
}

static void
measure_all(size_t count, const char *path, double *best)
{
	for (int run = 0; run < RUNS; run++) {
		double start = begin();
		struct fx_graph *graph = build(count, HUB_EVERY);

		record(&best[BUILD], start);
		measure_text(graph, best);
		measure_questions(graph, best);
		fx_journal_open(graph, "bench");
		fx_journal_get(graph, 0);
		measure_rauw(graph, &best[RAUW]);
		measure_hub(count, &best[HUB]);
		measure_dce(graph, best);
		measure_edits(graph, best);
		measure_file(graph, path, best);
		fx_graph_free(graph);
	}
}

/* What torch.fx takes, by name: "rauw 12.5" a line. */
static void
ask_torch(size_t count, double *torch)
{
	const char *python = getenv("FXDB_PYTHON");
	FX_AUTO_FREE char *command = NULL;
	char name[32];
	double took;
	FILE *pipe;

	if (!python || !*python)
		python = "/usr/bin/python3";
	command = fx_xasprintf("'%s' tests/bench/graph_torch.py %zu "
			       "2>/dev/null",
		python, count);
	pipe = popen(command, "r");
	while (pipe && fscanf(pipe, "%31s %lf", name, &took) == 2)
		for (size_t i = 0; i < MEASURE_COUNT; i++)
			if (strcmp(name, measures[i].name) == 0)
				torch[i] = took;
	if (pipe)
		pclose(pipe);
}

static bool
print_row(enum measure m, size_t count, double few, double many, double torch)
{
	double bar = measures[m].bar;
	bool over = bar > 0 && many > bar;
	/* Below half a millisecond it is page faults that are measured. */
	bool steep = few > 0.5 && many > MOST_RATIO * few;

	printf("%s: %s, %zu nodes\t%.2f ms, %.1f times %zu nodes%s%s\t",
		measures[m].name, measures[m].what, count, many, many / few,
		count / 10, over ? "  OVER" : "", steep ? "  NOT LINEAR" : "");
	if (bar > 0)
		printf("%.0f ms, %.0f times", bar, (double)MOST_RATIO);
	if (torch > 0)
		printf("\ttorch.fx %.0f ms", torch);
	printf("\n");
	return !over && !steep;
}

static bool
print_memory(size_t count)
{
	struct fx_graph *graph = build(count, HUB_EVERY);
	size_t bytes = fx_graph_memory(graph) / count;
	bool over = bytes > MOST_BYTES;

	printf("memory, %zu nodes\t%zu bytes a node, %zu without "
	       "arguments%s\t%d bytes\n",
		count, bytes, sizeof(struct fx_node), over ? "  OVER" : "",
		MOST_BYTES);
	fx_graph_free(graph);
	return !over;
}

int
main(int argc, char **argv)
{
	size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
	char path[] = "/tmp/fxdb-bench-XXXXXX";
	double few[MEASURE_COUNT] = { 0 };
	double many[MEASURE_COUNT] = { 0 };
	double torch[MEASURE_COUNT] = { 0 };
	int file = mkstemp(path);
	int status = 0;

	if (count < 1000 || file < 0) {
		fprintf(stderr, "usage: bench_graph [NODES]\n");
		return 2;
	}
	close(file);
	measure_all(count / 10, path, few);
	measure_all(count, path, many);
	unlink(path);
	ask_torch(count, torch);
	for (int m = 0; m < MEASURE_COUNT; m++)
		if (!print_row((enum measure)m, count, few[m], many[m],
			    torch[m]))
			status = 1;
	if (!print_memory(count))
		status = 1;
	fx_intern_shutdown();
	return status;
}

/* bench_run.c - what the interpreter costs above libtorch's operators.
 *
 *	bench_run [NODES]
 *
 * A chain of neg on four elements, run by the interpreter, beside the same
 * operator handle called boxed in a loop inside the shim.  Both alternate, and
 * each figure is the difference of the medians of 15 runs, by node: without
 * any hook, and with one that keeps every value.  Where code and memory lie is
 * random in each process and decides over half as much again, so it is the
 * median of 9 processes (bench_run NODES once is one).  Beside them, where a
 * Python with torch is found, what torch.fx's Interpreter takes above a loop
 * in Python (run_torch.py).  The exit status is 1 when a figure is over its
 * bar.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "guest/shim.h"
#include "guest/torch_private.h"
#include "ir/graph.h"
#include "ir/tensor_meta.h"
#include "run/interp.h"
#include "tests/support/clock.h"

enum {
	RUNS = 15,
	PROCESSES = 9,
	BARE_BAR = 100,
	RECORDING_BAR = 1000,
};

struct bench {
	struct fx_backend *backend;
	struct fx_graph *graph;
	struct fx_datum *input;
	struct fx_plans plans;
	size_t nodes;
};

static double
now(void)
{
	return 1e9 * fxt_seconds(CLOCK_MONOTONIC);
}

static void
check(struct fx_error *err)
{
	if (!err)
		return;
	fprintf(stderr, "bench_run: %s\n", fx_error_message(err));
	exit(1);
}

static struct fx_graph *
chain_new(size_t nodes)
{
	struct fx_graph *graph = fx_graph_new(1);
	struct fx_node_spec spec = { .opcode = FX_OPCODE_PLACEHOLDER,
		.target = fx_intern("x") };
	struct fx_value argument = fx_value_node(fx_graph_append(graph, &spec));

	for (size_t i = 0; i <= nodes; i++) {
		spec = (struct fx_node_spec){
			.opcode = i < nodes ? FX_OPCODE_CALL_FUNCTION
					    : FX_OPCODE_OUTPUT,
			.target = fx_intern(i < nodes ? "torch.neg" : "output"),
			.args = fx_value_sequence(graph->values, FX_VALUE_TUPLE,
				&argument, 1),
		};
		argument = fx_value_node(fx_graph_append(graph, &spec));
	}
	return graph;
}

static struct fx_error *
give_input(void *context, struct fx_node *node, struct fx_datum **ret)
{
	const struct bench *bench = context;

	(void)node;
	*ret = fx_datum_ref(bench->input);
	return NULL;
}

static enum fx_answer
keep(void *context, struct fx_interp *interp, struct fx_node *node,
	struct fx_datum *value)
{
	(void)context;
	(void)interp;
	(void)node;
	(void)value;
	return FX_ANSWER_GO;
}

/* Nanoseconds of one run of the graph. */
static double
run_graph(struct bench *bench, bool records)
{
	const struct fx_observer hook = { .after = keep, .records = true };
	FX_AUTO_ENV struct fx_env env = { .count = 0 };
	struct fx_interp interp = {
		.graph = bench->graph,
		.backend = bench->backend,
		.env = &env,
		.plans = &bench->plans,
		.input = give_input,
		.input_context = bench,
		.observers = &hook,
		.observer_count = records,
		.next = fx_graph_first(bench->graph),
	};
	double begin = now();

	check(fx_interp_run(&interp, NULL));
	return now() - begin;
}

/* Nanoseconds of as many calls inside the shim. */
static double
run_handle(struct bench *bench)
{
	struct fx_torch *torch = bench->backend->state;
	struct fxs_value value = { .tag = FXS_TENSOR,
		.tensor = fx_torch_tensor(bench->input) };
	struct fxs_site site = {
		.name = "aten::neg", .values = &value, .count = 1
	};
	struct fxs_plan *plan;
	uint64_t time;

	check(torch->shim->match(&site, &plan));
	check(torch->shim->repeat(plan, &value, bench->nodes, &time));
	torch->shim->plan_free(plan);
	return (double)time;
}

/* Print what the interpreter costs a node, and the operator itself. */
static void
measure(struct bench *bench, bool records)
{
	double graph[RUNS];
	double handle[RUNS];
	double count = (double)bench->nodes;
	double above;

	run_graph(bench, records);
	run_handle(bench);
	for (int i = 0; i < RUNS; i++) {
		graph[i] = run_graph(bench, records);
		handle[i] = run_handle(bench);
	}
	above = fxt_median(handle, RUNS) / count;
	printf("%f %f\n", fxt_median(graph, RUNS) / count - above, above);
}

static void
measure_once(size_t nodes)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct bench bench = { .nodes = nodes };
	int64_t four = 4;
	struct fx_value meta =
		fx_tensor_meta_ints(arena, FX_DTYPE_F32, &four, 1);

	check(fx_backend_torch_new(NULL, &bench.backend));
	check(bench.backend->ops->generate(bench.backend, meta.tensor, 1,
		&bench.input));
	bench.graph = chain_new(bench.nodes);
	fx_plans_init(&bench.plans, bench.backend);
	measure(&bench, false);
	measure(&bench, true);
	fx_plans_deinit(&bench.plans);
	fx_graph_free(bench.graph);
	fx_datum_unref(bench.input);
	fx_backend_free(bench.backend);
}

/* What PROCESSES of PROGRAM measure: the figures of each way, bare and
 * recording.
 */
struct figures {
	double cost[PROCESSES];
	double above[PROCESSES];
};

static void
ask_processes(const char *program, size_t nodes, struct figures *ret)
{
	FX_AUTO_FREE char *command =
		fx_xasprintf("'%s' %zu once", program, nodes);

	for (int i = 0; i < PROCESSES; i++) {
		FILE *pipe = popen(command, "r");
		int count = 0;

		for (int way = 0; pipe && way < 2; way++)
			count += fscanf(pipe, "%lf %lf", &ret[way].cost[i],
				&ret[way].above[i]);
		if (!pipe || pclose(pipe) || count != 4)
			exit(1);
	}
}

static bool
report(const char *what, struct figures *figures, double bar)
{
	double cost = fxt_median(figures->cost, PROCESSES);

	/* They are in order now. */
	printf("interpreter, %s\t%.0f ns a node%s\t%.0f ns\tabove the "
	       "operator's %.0f ns; of %d processes %.0f to %.0f\n",
		what, cost, cost > bar ? "  OVER" : "", bar,
		fxt_median(figures->above, PROCESSES), PROCESSES,
		figures->cost[0], figures->cost[PROCESSES - 1]);
	return cost <= bar;
}

static void
ask_torch(size_t nodes)
{
	const char *python = getenv("FXDB_PYTHON");
	FX_AUTO_FREE char *command = NULL;
	double above;
	double loop;
	FILE *pipe;

	if (!python || !*python)
		python = "/usr/bin/python3";
	command = fx_xasprintf("'%s' tests/bench/run_torch.py %zu 2>/dev/null",
		python, nodes);
	pipe = popen(command, "r");
	if (pipe && fscanf(pipe, "%lf %lf", &above, &loop) == 2)
		printf("torch.fx's Interpreter\t%.0f ns a node\t\tabove a loop "
		       "in Python's %.0f ns\n",
			above, loop);
	else
		printf("torch.fx's Interpreter\tnot measured\t\t%s has no "
		       "torch\n",
			python);
	if (pipe)
		pclose(pipe);
}

int
main(int argc, char **argv)
{
	size_t nodes = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000;
	struct figures figures[2];
	bool good;

	if (argc > 2) {
		measure_once(nodes);
		return 0;
	}
	ask_processes(argv[0], nodes, figures);
	good = report("bare", &figures[0], BARE_BAR);
	good = report("recording", &figures[1], RECORDING_BAR) && good;
	fflush(stdout);
	ask_torch(nodes);
	return good ? 0 : 1;
}

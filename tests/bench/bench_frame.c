/* bench_frame.c - how long the full screen takes, from a key to the painted
 * cells, on a graph of 100,000 nodes (or as many as the argument says).
 * The exit status is 1 when a bar is missed.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/intern.h"
#include "base/mem.h"
#include "commands/shell/cmd.h"
#include "ir/graph.h"
#include "session/session.h"
#include "tests/support/clock.h"
#include "tests/support/line_plain.h"
#include "tests/support/null_screen.h"
#include "ui/tui/line.h"
#include "ui/tui/screen.h"
#include "ui/tui/tui.h"

struct bench {
	struct tui_screen *screen;
	size_t nodes;
	size_t step;
	int repeats; /* of the step that runs */
	double begin;
	double worst;
	double sum;
	bool misses; /* a bar */
};

/* The bars of the screen, in ms for the mean; 0: none. */
static const struct {
	const char *name;
	const char *keys;
	int repeats;
	int bar;
} steps[] = {
	{ "first frame", "", 1, 100 },
	{ "scroll by one", "j", 200, 16 },
	{ "page down", "<PageDown>", 200, 16 },
	{ "to the end", "G", 1, 16 },
	{ "to the beginning", "g", 1, 16 },
	{ "to the end again", "G", 1, 16 },
	{ "half a page up", "<C-u>", 100, 16 },
	{ "search, found at the start", "/n5_<Enter>", 1, 50 },
	{ "search, not found", "/nothing<Enter>", 1, 50 },
	{ "fold all modules", "Z", 1, 16 },
	{ "to the end, folded", "G", 1, 16 },
	{ "unfold one module", "z", 1, 16 },
	{ "fold it again", "z", 1, 16 },
	{ "unfold all modules", "Z", 1, 16 },
	{ "fold one module", "z", 1, 16 },
	{ "unfold it", "z", 1, 16 },
	{ "filter, half of all", "\\torch.relu<Enter>", 1, 0 },
	{ "scroll, filtered", "j", 50, 16 },
	{ "end of the filter", "<Esc>", 1, 16 },
	{ "resize to 200x60", "<Resize 200x60>", 1, 0 },
	{ "scroll at 200x60", "j", 200, 16 },
	{ "page at 200x60", "<PageDown>", 200, 16 },
};

static double
now_ms(void)
{
	return 1e3 * fxt_seconds(CLOCK_MONOTONIC);
}

static void
print_row(struct bench *bench)
{
	double mean = bench->sum / bench->repeats;
	int bar = steps[bench->step].bar;
	bool over = bar && mean > bar;

	printf("screen, %zu nodes: %s\t%.2f ms, worst %.2f%s\t", bench->nodes,
		steps[bench->step].name, mean, bench->worst,
		over ? "  OVER" : "");
	if (bar)
		printf("%d ms", bar);
	printf("\t\n");
	bench->misses |= over;
}

/* Called when everything typed is on the screen. */
static bool
on_idle(void *context, const struct fx_canvas *grid, int cursor_row,
	int cursor_column)
{
	struct bench *bench = context;
	double taken = now_ms() - bench->begin;

	(void)grid;
	(void)cursor_row;
	(void)cursor_column;
	bench->worst = taken > bench->worst ? taken : bench->worst;
	bench->sum += taken;
	if (++bench->repeats == steps[bench->step].repeats) {
		print_row(bench);
		bench->worst = bench->sum = 0;
		bench->repeats = 0;
		if (++bench->step == sizeof(steps) / sizeof(steps[0]))
			return false;
	}
	bench->begin = now_ms();
	return fxt_null_screen_keys(bench->screen, steps[bench->step].keys);
}

/* A chain with a skip connection every eighth node; ten nodes a module. */
static struct fx_graph *
make_graph(struct fx_session *session, size_t count)
{
	struct fx_graph *graph = fx_graph_new(fx_session_serial(session));
	struct fx_node **nodes = fx_xcalloc(count + 1, sizeof(*nodes));

	for (size_t i = 0; i < count; i++) {
		bool joins = i > 8 && i % 8 == 0;
		struct fx_value args[2];
		struct fx_node_spec spec = {
			.opcode = i ? FX_OPCODE_CALL_FUNCTION
				    : FX_OPCODE_PLACEHOLDER,
			.target =
				i ? joins ? "operator.add" : "torch.relu" : "x",
		};
		char name[32];
		char path[32];

		snprintf(name, sizeof(name), "n%zu_", i);
		spec.name = name;
		snprintf(path, sizeof(path), "block%zu.conv", i / 10);
		if (i)
			spec.scope = fx_graph_scope(graph, NULL, path,
				"bench.Block");
		if (i)
			args[0] = fx_value_node(nodes[i - 1]);
		if (joins)
			args[1] = fx_value_node(nodes[i - 8]);
		spec.args = fx_value_sequence(graph->values, FX_VALUE_TUPLE,
			args, i ? 1u + joins : 0u);
		nodes[i] = fx_graph_append(graph, &spec);
	}
	free(nodes);
	return graph;
}

int
main(int argc, char **argv)
{
	size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
	struct fx_session *session = fx_session_new();
	struct cmd_shell *shell = cmd_shell_new(session);
	struct tui_line *line = fxt_line_plain_new(shell);
	struct tui_options options = { .shell = shell, .line = line };
	struct bench bench = { 0 };
	struct tui_result result;

	fx_session_add_graph(session, make_graph(session, count), "chain",
		"bench");
	bench.screen = fxt_null_screen(24, 80, FX_LINES_UTF8);
	fxt_null_screen_on_idle(bench.screen, on_idle, &bench);
	bench.nodes = count;
	bench.begin = now_ms();
	tui_run_on(bench.screen, &options, &result);
	tui_screen_free(bench.screen);
	fxt_line_plain_free(line);
	cmd_shell_free(shell);
	fx_session_free(session);
	fx_intern_shutdown();
	return bench.misses;
}

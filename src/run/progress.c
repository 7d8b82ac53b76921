/* progress.c - how far long work is, and how long it will go on. */
#include <config.h>

#include "run/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/node.h"
#include "ir/tensor_meta.h"
#include "run/ticker.h"

enum {
	/* What calling an operation costs, in bytes that are read. */
	CALL_COST = 4096,
	/* A share below which an estimate would be a guess. */
	LEAST_PERCENT = 5,
};

void
fx_progress_begin(struct fx_progress *progress, long long delay)
{
	*progress = (struct fx_progress){
		.delay = delay,
		.began = fx_clock_ms(),
		.from = -1,
	};
}

void
fx_progress_set_doing(struct fx_progress *progress, const char *format, ...)
{
	va_list list;

	if (!progress)
		return;
	progress->doing_at = 0;
	va_start(list, format);
	vsnprintf(progress->doing, sizeof(progress->doing), format, list);
	va_end(list);
}

void
fx_progress_set_counted(struct fx_progress *progress, const char *word,
	size_t number)
{
	if (strncmp(progress->doing, word, sizeof(progress->doing) - 1) != 0)
		fx_progress_set_doing(progress, "%s", word);
	progress->doing_at = number;
}

void
fx_progress_set_part(struct fx_progress *progress, const char *what,
	size_t number, size_t parts, size_t runs)
{
	if (!progress)
		return;
	/* A part may have parts of its own: the outer ones are shown. */
	if (progress->what && progress->what != what)
		return;
	if (!progress->what)
		progress->parts_ms = fx_clock_ms();
	progress->what = what;
	progress->part = number;
	progress->parts = parts;
	progress->runs = runs;
	progress->run = 0;
}

static void
clear_run(struct fx_progress *progress)
{
	progress->seen = NULL;
	progress->at = NULL;
	progress->from = -1;
	progress->done = 0;
	progress->node[0] = 0;
}

void
fx_progress_begin_run(struct fx_progress *progress)
{
	if (!progress || progress->is_beside)
		return;
	clear_run(progress);
	progress->run++;
}

void
fx_progress_end_run(struct fx_progress *progress)
{
	if (progress && !progress->is_beside)
		clear_run(progress);
}

void
fx_progress_set_beside(struct fx_progress *progress, bool is_beside)
{
	if (!progress)
		return;
	progress->is_beside = false;
	fx_progress_begin_run(progress);
	progress->is_beside = is_beside;
}

/* Products for each element that a layer with a weight gives; 0: no such. */
static uint64_t
products(const struct fx_node *node)
{
	struct fx_module *module =
		node->opcode == FX_OPCODE_CALL_MODULE
			? fx_module_find(node->graph->module, node->target)
			: NULL;
	const struct fx_tensor *weight =
		module ? fx_module_find_tensor(module, "weight") : NULL;

	if (!weight || weight->rank < 2 || weight->sizes[0] < 1)
		return 0;
	return (uint64_t)(fx_tensor_numel(weight) / weight->sizes[0]);
}

uint64_t
fx_progress_cost(const struct fx_node *node)
{
	uint64_t made = node->meta ? fx_value_tensor_bytes(node->meta) : 0;
	uint64_t bytes = made;

	if (node->opcode == FX_OPCODE_PLACEHOLDER ||
		node->opcode == FX_OPCODE_GET_ATTR ||
		node->opcode == FX_OPCODE_OUTPUT)
		return 0;
	for (size_t i = 0; i < fx_node_input_count(node); i++) {
		const struct fx_value *meta = fx_node_input(node, i)->meta;

		bytes += meta ? fx_value_tensor_bytes(meta) : 0;
	}
	return CALL_COST + bytes + made / 8 * products(node);
}

/* A run of another graph, or one that went back, is looked at from the start.
 */
static void
start_over(struct fx_progress *progress, struct fx_graph *graph)
{
	const struct fx_node *each;

	progress->seen = fx_graph_first(graph);
	progress->before = 0;
	progress->all = 0;
	progress->index = 0;
	fx_graph_for_each_node (each, graph)
		progress->all += (double)fx_progress_cost(each);
}

/* The share of its graph's cost that stands before NODE.  Each node is counted
 * once in a run, however often is asked.
 */
static double
share_before(struct fx_progress *progress, const struct fx_node *node)
{
	const struct fx_node *seen = progress->seen;

	if (!seen || seen->graph != node->graph ||
		fx_node_is_before(node, seen))
		start_over(progress, node->graph);
	for (seen = progress->seen; seen != node; seen = fx_graph_next(seen)) {
		progress->before += (double)fx_progress_cost(seen);
		progress->index++;
	}
	progress->seen = node;
	return progress->all > 0 ? progress->before / progress->all : 0;
}

void
fx_progress_see(struct fx_progress *progress, const struct fx_node *node,
	long long now)
{
	double share = share_before(progress, node);

	if (progress->from < 0) {
		progress->from = share;
		progress->run_ms = now;
	}
	progress->done = progress->from < 1 ? (share - progress->from) /
						      (1 - progress->from)
					    : 0;
	snprintf(progress->node, sizeof(progress->node), "%s", node->name);
}

/* The share of SHARE that is left, where SHARE took TIME. */
static long long
rest(double share, long long time)
{
	if (share * 100 < LEAST_PERCENT)
		return -1;
	return (long long)((double)time * (1 - share) / share);
}

/* The share of the part at work that is done. */
static double
share_of_part(const struct fx_progress *progress)
{
	double runs = progress->runs > progress->run ? (double)progress->runs
						     : (double)progress->run;

	if (!progress->runs || !progress->run)
		return 0;
	return ((double)progress->run - 1 + progress->done) / runs;
}

long long
fx_progress_left(const struct fx_progress *progress, long long now)
{
	double share;

	if (!progress->what)
		return rest(progress->node[0] ? progress->done : 0,
			now - progress->run_ms);
	if (!progress->parts || progress->part > progress->parts)
		return -1;
	share = ((double)progress->part - 1 + share_of_part(progress)) /
		(double)progress->parts;
	return rest(share, now - progress->parts_ms);
}

/* 12 s, 3 min 20 s. */
static void
print_time(struct fx_buf *out, long long ms)
{
	if (ms >= 60000)
		fx_buf_addf(out, "%lld min ", ms / 60000);
	fx_buf_addf(out, "%lld s", ms / 1000 % 60);
}

void
fx_progress_print(const struct fx_progress *progress, long long elapsed,
	long long now, struct fx_buf *out)
{
	long long left = fx_progress_left(progress, now);

	if (progress->doing[0])
		fx_buf_add(out, progress->doing);
	if (progress->doing[0] && progress->doing_at)
		fx_buf_addf(out, " %zu", progress->doing_at);
	if (progress->doing[0])
		fx_buf_add(out, ", ");
	if (progress->node[0])
		fx_buf_addf(out, "@%zu %s, ", progress->index, progress->node);
	else if (progress->at)
		fx_buf_addf(out, "%s, ", progress->at);
	if (progress->what)
		fx_buf_addf(out, "%s %zu", progress->what, progress->part);
	if (progress->what && progress->parts)
		fx_buf_addf(out, " of %zu", progress->parts);
	fx_buf_add(out, progress->what ? ", " : "");
	print_time(out, elapsed);
	if (left < 0)
		return;
	fx_buf_add(out, " of about ");
	print_time(out, elapsed + left);
}

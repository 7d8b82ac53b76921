/* sweep.c - passes that look at one node after the other. */
#include <config.h>

#include "pass/sweep.h"

#include <stdarg.h>

void
fx_sweep_begin(struct fx_sweep *sweep, struct fx_graph *graph)
{
	sweep->at = fx_graph_first(graph);
}

void
fx_sweep_end(struct fx_sweep *sweep)
{
	fx_buf_deinit(&sweep->text);
}

struct fx_node *
fx_sweep_next(struct fx_sweep *sweep)
{
	struct fx_node *node = sweep->at;

	/* Nodes that were erased keep their links. */
	while (node && !node->is_in_graph)
		node = fx_graph_next(node);
	sweep->at = node ? fx_graph_next(node) : NULL;
	return node;
}

void
fx_sweep_offer(struct fx_sweep *sweep, const struct fx_node *node,
	struct fx_candidate *ret, const char *format, ...)
{
	va_list args;

	fx_buf_clear(&sweep->text);
	va_start(args, format);
	fx_buf_addv(&sweep->text, format, args);
	va_end(args);
	ret->node = node->id;
	ret->text = fx_buf_text(&sweep->text);
}

/* finish.c - what is done to a graph once its text is read. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/map.h"
#include "ir/edit.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "load/open.h"

/* The module() of an exported program calls a module that checks the inputs, of
 * which a text shows the name alone.
 */
static void
leave_out_guards(struct fx_graph *graph, struct fx_buf *notices)
{
	struct fx_node *node = fx_graph_find(graph, fx_intern("_guards_fn"));

	if (!node || node->opcode != FX_OPCODE_CALL_MODULE ||
		strcmp(node->target, "_guards_fn") != 0 || node->user_count)
		return;
	fx_error_free(fx_edit_erase(node));
	if (notices)
		fx_buf_add(notices,
			"_guards_fn, which only checks the inputs, is left "
			"out\n");
}

void
fx_load_finish(struct fx_graph *graph, struct fx_buf *notices)
{
	FX_AUTO_MAP struct fx_map seen = { 0 };
	struct fx_node *node;
	size_t count = 0;

	leave_out_guards(graph, notices);
	fx_graph_for_each_node (node, graph)
		if (node->opcode == FX_OPCODE_CALL_MODULE &&
			fx_map_set(&seen, (uintptr_t)node->target, 1))
			count += !fx_module_find(graph->module, node->target);
	if (count > 0 && notices)
		fx_buf_addf(notices,
			"%zu module%s named but not described: their shapes "
			"are unknown\n",
			count, count == 1 ? " is" : "s are");
}

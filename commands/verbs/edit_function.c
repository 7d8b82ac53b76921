/* edit_function.c - functions in edits that no rule is known for.
 *
 * They are valid, as torch.fx can call anything, but no shape comes after them.
 */
#include <config.h>

#include "commands/verbs/edit.h"

#include "commands/out/out.h"
#include "ir/journal.h"
#include "ops/layertab.h"
#include "ops/optab.h"

static bool
is_known(const char *target)
{
	return fx_op_find(target) != FX_OP_NONE || fx_functional_find(target);
}

void
cmd_note_function(struct cmd_ctx *ctx, const char *target)
{
	if (!is_known(target))
		out_note(ctx->out,
			"no rule for %s: shapes are unknown from there on",
			target);
}

const char *
cmd_edit_function(struct fx_graph *graph)
{
	FX_AUTO_FREE struct fx_touched *touched = NULL;
	size_t count;
	size_t i;

	fx_journal_touched_open(graph, &touched, &count);
	for (i = 0; i < count; i++) {
		struct fx_node *node = fx_graph_find_id(graph, touched[i].node);

		if ((touched[i].how & FX_TOUCH_CREATED) && node &&
			node->opcode == FX_OPCODE_CALL_FUNCTION &&
			!is_known(node->target))
			return node->target;
	}
	return NULL;
}

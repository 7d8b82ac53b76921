/* nonfinite_text.c - where NaN and infinities come from, in words. */
#include <config.h>

#include "base/buf.h"
#include "ir/graph.h"
#include "session/nonfinite.h"

const char *
fx_nonfinite_word(enum fx_nonfinite_origin origin)
{
	static const char *const words[] = {
		[FX_NONFINITE_NONE] = "none",
		[FX_NONFINITE_PRODUCED] = "produced",
		[FX_NONFINITE_OF_INF] = "produced",
		[FX_NONFINITE_PROPAGATED] = "propagated",
		[FX_NONFINITE_GIVEN] = "given",
		[FX_NONFINITE_MEANT] = "meant",
	};

	return words[origin];
}

static void
print_from(struct fx_buf *out, const struct fx_nonfinite *found)
{
	if (found->from)
		fx_buf_addf(out, "%%%s", found->from->name);
	else
		fx_buf_add(out, found->parameter);
}

static void
print_given(struct fx_buf *out, const struct fx_node *node)
{
	if (node->opcode == FX_OPCODE_PLACEHOLDER)
		fx_buf_add(out, ", as the input was given");
	else if (node->opcode == FX_OPCODE_GET_ATTR)
		fx_buf_addf(out, ", held by %s", node->target);
	else
		fx_buf_add(out, ", as it was set");
}

void
fx_nonfinite_print_facts(struct fx_buf *out, const struct fx_nonfinite *found)
{
	fx_nonfinite_print_count(out, &found->count);
	switch (found->origin) {
	case FX_NONFINITE_NONE:
		break;
	case FX_NONFINITE_PRODUCED:
		fx_buf_addf(out, ", produced here (all inputs %sfinite)",
			found->unseen ? "that are kept " : "");
		break;
	case FX_NONFINITE_OF_INF:
		fx_buf_add(out, ", produced here, of infinities in ");
		print_from(out, found);
		break;
	case FX_NONFINITE_PROPAGATED:
		fx_buf_add(out, ", propagated from ");
		print_from(out, found);
		break;
	case FX_NONFINITE_GIVEN:
		print_given(out, found->node);
		break;
	case FX_NONFINITE_MEANT:
		fx_buf_add(out, ", put there by a constant or mask");
		break;
	}
}

void
fx_nonfinite_print(struct fx_buf *out, const struct fx_nonfinite *found)
{
	fx_buf_addf(out,
		"@%zu %s: ", fx_graph_position(found->node->graph, found->node),
		found->node->name);
	fx_nonfinite_print_facts(out, found);
}

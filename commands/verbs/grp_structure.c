/* grp_structure.c - commands that cut graphs up and put them together. */
#include <config.h>

#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/verbs/edit.h"
#include "ir/graph.h"
#include "ir/inline.h"
#include "meta/propagate.h"
#include "session/model.h"

/* The nodes of the argument "set", which the caller frees; NO_NODE when there
 * are none.
 */
static FX_NODISCARD struct fx_error *
find_set(struct cmd_ctx *ctx, struct fx_node ***ret, size_t *count_ret)
{
	struct fx_graph *graph = fx_model_graph(ctx->model);
	const size_t *positions;

	cmd_arg_set(ctx, "set", &positions, count_ret);
	if (!*count_ret)
		return fx_error_new(FX_ERR_NO_NODE,
			"%s: no node matches "
			"\"%s\"",
			ctx->entry->name, cmd_arg_text(ctx, "set"));
	*ret = fx_xcalloc(*count_ret, sizeof(**ret));
	for (size_t i = 0; i < *count_ret; i++)
		(*ret)[i] = fx_graph_at(graph, positions[i]);
	return NULL;
}

/* inline. */

static struct fx_error *
inline_edit(struct cmd_ctx *ctx, void *data, struct fx_buf *script)
{
	FX_AUTO_META struct fx_meta *meta = fx_meta_new();
	FX_AUTO_FREE struct fx_node **nodes = NULL;
	struct fx_error *err;
	size_t count = 0;

	(void)data;
	(void)script;
	err = find_set(ctx, &nodes, &count);
	for (size_t i = 0; i < count && !err; i++)
		err = fx_inline(fx_meta_expander(meta), nodes[i]);
	return err;
}

static struct fx_error *
inline_exec(struct cmd_ctx *ctx)
{
	return cmd_edit(ctx, "edit", inline_edit, NULL);
}

const struct cmd_entry cmd_group_structure[] = {
	{
		.name = "inline",
		.summary = "replace layers by the operators they are made of",
		.help = "A layer (call_module) or composite function becomes "
			"the calls of operators that it consists of; its "
			"parameters and buffers become nodes get_attr. The "
			"last operator takes the name. pass run inline-all "
			"does it for all that can be.",
		.synonyms = "decompose expand lower layer module operators "
			    "flatten get_attr parameters",
		.needs = CMD_NEED_GRAPH | CMD_NEED_WRITABLE,
		.args = { { "set", CMD_ARG_SET, 0, "a node or a query",
			NULL } },
		.flags = { { "dry-run", 'n', CMD_ARG_END,
			"show what would change, change nothing" } },
		.examples = { { "inline fc", "a layer as its operators" },
			{ "inline {module~\"*Linear\"}", "each of a kind" } },
		.exec = inline_exec,
	},
	{ .name = NULL },
};

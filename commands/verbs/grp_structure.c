/* grp_structure.c - commands that cut graphs up and put them together. */
#include <config.h>

#include <string.h>

#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/cut.h"
#include "commands/verbs/edit.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "ir/inline.h"
#include "ir/outline.h"
#include "meta/propagate.h"
#include "session/capture.h"
#include "session/model.h"
#include "session/position.h"
#include "session/session.h"

/* The nodes of the argument "set", which the caller frees; NO_NODE when there
 * are none.
 */
static FX_NODISCARD struct fx_error *
find_set(struct cmd_ctx *ctx, struct fx_node ***ret, size_t *count_ret)
{
	struct fx_graph *graph = fx_position_graph(ctx->model);
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

/* ERR_TAKEN, of NODE; what --leaf kept whole another trace takes apart. */
static struct fx_error *
hint_leaf(struct cmd_ctx *ctx, const struct fx_node *node,
	struct fx_error *err_taken)
{
	const struct fx_traced *traced = fx_model_traced(ctx->model);

	if (!traced || node->opcode != FX_OPCODE_CALL_MODULE ||
		fx_error_hint_text(err_taken) ||
		fx_error_code(err_taken) != FX_ERR_UNSUPPORTED ||
		!strstr(traced->options, "--leaf "))
		return err_taken;
	return fx_error_hint(err_taken, "trace %s takes such modules apart",
		traced->spec);
}

/* Those of a set that call nothing, or operators, stay. */
static struct fx_error *
inline_set(struct cmd_ctx *ctx, struct fx_meta *meta, struct fx_node **nodes,
	size_t count)
{
	struct fx_error *err = NULL;
	size_t done = 0;

	for (size_t i = 0; i < count && !err; i++) {
		if (count > 1 && !fx_inline_applies(nodes[i]))
			continue;
		err = fx_inline(fx_meta_expander(meta), nodes[i]);
		if (err)
			return hint_leaf(ctx, nodes[i], err);
		done++;
	}
	if (!done)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"no layer is among the %zu nodes of \"%s\": there is "
			"nothing to inline",
			count, cmd_arg_text(ctx, "set"));
	return NULL;
}

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
	return err ? err : inline_set(ctx, meta, nodes, count);
}

static struct fx_error *
inline_exec(struct cmd_ctx *ctx)
{
	return cmd_edit(ctx, "edit", inline_edit, NULL);
}

/* outline. */

static struct fx_error *
outline_edit(struct cmd_ctx *ctx)
{
	FX_AUTO_FREE struct fx_node **nodes = NULL;
	struct fx_node *call;
	size_t count = 0;
	struct fx_error *err = find_set(ctx, &nodes, &count);

	if (!err)
		err = fx_outline(fx_position_graph(ctx->model), nodes, count,
			cmd_arg_text(ctx, "as"), &call);
	if (err)
		return err;
	cmd_canonical_set(ctx, "as", call->target);
	return NULL;
}

static struct fx_error *
outline_exec(struct cmd_ctx *ctx)
{
	struct cmd_cut cut = { .edit = outline_edit };

	return cmd_cut_edit(ctx, &cut);
}

/* extract. */

static struct fx_error *
extract_exec(struct cmd_ctx *ctx)
{
	struct fx_opening as = { .name = cmd_arg_text(ctx, "as") };
	FX_AUTO_FREE struct fx_node **nodes = NULL;
	FX_AUTO_FREE char *line = NULL;
	struct fx_model *model;
	size_t count = 0;
	struct fx_error *err;

	if (!as.name)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "extract: expected as NAME"),
			"extract %s as part", cmd_arg_text(ctx, "set"));
	err = find_set(ctx, &nodes, &count);
	if (err)
		return err;
	as.line = line = cmd_canonical_line(ctx);
	err = fx_model_extract(ctx->model, nodes, count, &as, &model);
	if (err)
		return err;
	ctx->shell->has_listed = false;
	cmd_say_opened(ctx, model);
	return NULL;
}

const struct cmd_entry cmd_group_structure[] = {
	{
		.name = "inline",
		.summary = "replace layers by the operators they are made of",
		.help = "A layer (call_module) or composite function becomes "
			"the calls of operators that it consists of; its "
			"parameters and buffers become nodes get_attr. The "
			"last operator takes the name. pass run inline-all "
			"does it for all that can be. The call of a nested "
			"graph becomes the nodes of that, under their names. "
			"Of several nodes those stay that are operators.",
		.synonyms = "decompose expand lower layer module operators "
			    "flatten get_attr parameters",
		.needs = CMD_NEED_GRAPH | CMD_NEED_WRITABLE,
		.args = { { "set", CMD_ARG_SET, 0, "a node, a scope or a query",
			NULL } },
		.flags = { { "dry-run", 'n', CMD_ARG_END,
				   "show what would change, change nothing" },
			{ "force", 'f', CMD_ARG_END,
				"allow shapes that cannot be" } },
		.examples = { { "inline fc", "a layer as its operators" },
			{ "inline layer1", "all layers of a module" },
			{ "inline {module~\"*Linear\"}", "each of a kind" } },
		.exec = inline_exec,
	},
	{
		.name = "outline",
		.summary = "make a set of nodes a nested graph that is called",
		.help = "The set becomes a graph within a new module, "
			"submod_0 or the name after as, and a call stands in "
			"its place. What the set reads from outside are "
			"arguments, in the order of first use; one result is "
			"given as it is, several as a tuple. The module has "
			"the modules of the set, layer1.0.conv1 as "
			"layer1_0_conv1, and they also stay where they are. "
			"A set with a node outside between two of its own is "
			"refused. It is verified as passes are. inline undoes "
			"it, split does it for all of a graph.",
		.synonyms = "submodule nested module group collapse fuse "
			    "partition subgraph cut",
		.needs = CMD_NEED_GRAPH | CMD_NEED_WRITABLE,
		.args = { { "set", CMD_ARG_SET, 0, "the nodes", NULL },
			{ "as", CMD_ARG_WORD, CMD_OPTIONAL | CMD_KEYWORD,
				"what the module is called", NULL } },
		.flags = { { "dry-run", 'n', CMD_ARG_END,
				   "show what would change, change nothing" },
			{ "force", 'f', CMD_ARG_END,
				"allow shapes that cannot be" } },
		.examples = { { "outline layer1", "a scope" },
			{ "outline {path(layer1_0_conv1, layer1_0_bn2)} as "
			  "block",
				"what lies between two nodes" } },
		.exec = outline_exec,
	},
	{
		.name = "extract",
		.summary = "copy a set of nodes as a graph of its own",
		.help = "The new graph has the set and the weights that it "
			"reads, and is current then; graph lists it. What it "
			"reads else are its inputs, which have the values "
			"that are held here, so that it runs at once. It "
			"gives what is used outside of the set or by nobody. "
			"The present graph stays as it is.",
		.synonyms = "subgraph part cut isolate copy slice alone",
		.needs = CMD_NEED_GRAPH,
		.args = { { "set", CMD_ARG_SET, 0, "the nodes", NULL },
			{ "as", CMD_ARG_WORD, CMD_OPTIONAL | CMD_KEYWORD,
				"what the graph is called", NULL } },
		.examples = { { "extract layer1 as block", "a scope" },
			{ "extract {up(layer1_0_relu)} as front",
				"all that a node needs" } },
		.exec = extract_exec,
	},
	{
		.name = "split",
		.summary = "make all of a graph calls of its parts",
		.help = "As torch.fx's split_module does it: submod_0, "
			"submod_1 ... stand for all operations. A set parts "
			"them into what is in it and what is not, by turns, "
			"as few parts as the dependences allow; --ops does so "
			"for the operations with these names or classes. "
			"SET=N puts a set into part N; what is in none goes "
			"with what it reads. Parts that need each other are "
			"refused. --keep-order has the parts as they first "
			"come up. It is verified as passes are.",
		.synonyms = "partition stages pipeline split_module submodules "
			    "parts divide support",
		.needs = CMD_NEED_GRAPH | CMD_NEED_WRITABLE,
		.args = { { "parts", CMD_ARG_SPEC, CMD_OPTIONAL | CMD_REPEATED,
				  "a set, or SET=N for each part", NULL },
			{ "as", CMD_ARG_WORD, CMD_OPTIONAL | CMD_KEYWORD,
				"what names of parts begin with", NULL } },
		.flags = { { "ops", 0, CMD_ARG_WORD,
				   "names with commas between" },
			{ "keep-order", 0, CMD_ARG_END,
				"calls as the parts first come up" },
			{ "dry-run", 'n', CMD_ARG_END,
				"show what would change, change nothing" },
			{ "force", 'f', CMD_ARG_END,
				"allow shapes that cannot be" } },
		.examples = { { "split {in layer1}",
				      "before, layer1 and behind" },
			{ "split layer1=0 layer2=0 layer3=1 layer4=1",
				"stages" },
			{ "split --ops Conv2d,ReLU -n",
				"what some backend supports" } },
		.exec = cmd_split_exec,
	},
	{ .name = NULL },
};

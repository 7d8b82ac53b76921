/* grp_write.c - text forms and drawings. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "emit/dot.h"
#include "emit/fx.h"
#include "emit/jsonl.h"
#include "emit/python.h"
#include "emit/table.h"
#include "emit/weights.h"
#include "ir/graph.h"
#include "session/model.h"
#include "session/position.h"
#include "session/session.h"
#include "session/settings.h"

/* dump. */

static const char *
dialect(const struct cmd_ctx *ctx)
{
	return fx_settings_text(fx_session_settings(ctx->session),
		FX_SET_DIALECT);
}

static FX_NODISCARD struct fx_error *
dump_python(struct cmd_ctx *ctx, struct fx_graph *graph, struct fx_buf *text)
{
	struct fx_emit_python options = { .dialect = dialect(ctx),
		.exact = cmd_flag(ctx, "exact"),
		.verbose = cmd_flag(ctx, "readable") };

	fx_emit_python(text, graph, &options, NULL);
	return NULL;
}

static FX_NODISCARD struct fx_error *
dump_fx(struct cmd_ctx *ctx, struct fx_graph *graph, struct fx_buf *text)
{
	fx_emit_fx(text, graph, dialect(ctx));
	fx_buf_add_char(text, '\n');
	return NULL;
}

static FX_NODISCARD struct fx_error *
dump_table(struct cmd_ctx *ctx, struct fx_graph *graph, struct fx_buf *text)
{
	(void)ctx;
	fx_emit_table(text, graph);
	return NULL;
}

static FX_NODISCARD struct fx_error *
dump_json(struct cmd_ctx *ctx, struct fx_graph *graph, struct fx_buf *text)
{
	FX_AUTO_WEIGHTS struct fx_weights weights = { 0 };

	(void)ctx;
	fx_weights_collect(&weights, graph);
	return fx_emit_jsonl(text, graph, &weights, NULL);
}

static FX_NODISCARD struct fx_error *
dump_dot(struct cmd_ctx *ctx, struct fx_graph *graph, struct fx_buf *text)
{
	(void)ctx;
	fx_emit_dot(text, graph);
	return NULL;
}

/* FORM(word, write, what a file of it lacks, or NULL) */
#define FORMS(FORM) \
	FORM("python", dump_python, \
		"the method forward alone, without imports and weights; dump " \
		"folder DIR writes what Python imports") \
	FORM("fx", dump_fx, NULL) \
	FORM("table", dump_table, NULL) \
	FORM("json", dump_json, "without weights; save writes them too") \
	FORM("dot", dump_dot, NULL) \
	FORM("script", cmd_dump_script, NULL)

#define FORM_ROW(word, write, remark)  { word, write, remark },
#define FORM_WORD(word, write, remark) word "|"

static const struct {
	const char *word;
	struct fx_error *(*write)(struct cmd_ctx *ctx, struct fx_graph *graph,
		struct fx_buf *text);
	const char *remark;
} forms[] = { FORMS(FORM_ROW) };

static struct fx_error *
dump_exec(struct cmd_ctx *ctx)
{
	const char *word = cmd_arg_text(ctx, "form");
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_graph *graph;
	struct fx_error *err;
	size_t i;

	if (!strcmp(word, "value"))
		return cmd_dump_value(ctx, cmd_arg_text(ctx, "value"));
	if (!strcmp(word, "folder"))
		return cmd_dump_folder(ctx, cmd_arg_text(ctx, "value"),
			dialect(ctx));
	if (cmd_arg_text(ctx, "value"))
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "dump %s takes no more words",
					     word),
			"dump %s -o FILE writes to a file", word);
	for (i = 0; i < FX_ARRAY_LEN(forms); i++)
		if (!strcmp(forms[i].word, word))
			break;
	fx_assert(i < FX_ARRAY_LEN(forms));
	ctx->remark = forms[i].remark;
	graph = forms[i].write == cmd_dump_script
			? fx_model_graph(ctx->model)
			: fx_position_graph(ctx->model);
	err = forms[i].write(ctx, graph, &text);
	if (err)
		return err;
	if (text.length && text.data[text.length - 1] != '\n')
		fx_buf_add_char(&text, '\n');
	out_raw(ctx->out, fx_buf_text(&text), text.length);
	return NULL;
}

const struct cmd_entry cmd_group_write[] = {
	{
		.name = "dump",
		.summary = "write the graph as text, or a value",
		.help = "python is the code that torch.fx generates, the "
			"method forward alone (folder writes what Python "
			"imports), fx its listing, table its print_tabular, "
			"json the lines of "
			".fxg, dot Graphviz's language, script the commands "
			"that made the graph and set its values. The text "
			"alone, or with -o to a "
			"file. folder writes a package for Python: from DIR "
			"import FxModule; load reads it too. value writes a "
			"tensor to a .npy, .npz, .safetensors or .csv file, "
			"the values of a set of nodes to a .npz or "
			".safetensors file.",
		.synonyms = "print export code listing write text convert "
			    "tensor npy numpy",
		.also = "code=python py=python listing=fx tabular=table "
			"fxg=json graphviz=dot session=script to_folder=folder",
		.needs = CMD_NEED_GRAPH,
		.args = { { "form", CMD_ARG_WORD, 0, "which text",
				  FORMS(FORM_WORD) "folder|value" },
			{ "value", CMD_ARG_REST, CMD_OPTIONAL,
				"folder: where to; value: a tensor and a "
				"file",
				NULL } },
		.flags = { { "exact", 0, CMD_ARG_END,
				   "torch.fx's text even where it is wrong" },
			{ "readable", 0, CMD_ARG_END,
				"as print_readable: with shapes and "
				"sources" },
			{ "output", 'o', CMD_ARG_FILE,
				"write to a file instead" } },
		.examples = { { "dump python", "generated code" },
			{ "dump json -o g.fxg", "to a file" },
			{ "dump folder out", "a package for Python" },
			{ "dump value {in layer1} l1.npz", "tensors" } },
		.exec = dump_exec,
	},
	{
		.name = "draw",
		.summary = "draw a part of the graph",
		.help = "As text, the neighbourhood of the stop or a set; with "
			"-T, or into a file with such an ending, a picture, "
			"drawn by Graphviz, of the whole graph or a set. "
			"Values with many users become labels, "
			"--fold N draws a module at that depth as one box. In "
			"text a stub on a frame is an edge that leaves the "
			"picture.",
		.synonyms =
			"picture diagram svg graphviz dot plot image export",
		.needs = CMD_NEED_GRAPH | CMD_OWN_OUTPUT,
		.args = { { "set", CMD_ARG_SET, CMD_OPTIONAL, "what to draw",
			NULL } },
		.flags = { { "type", 'T', CMD_ARG_FORMAT,
				   "picture format: svg, dot, xdot, json, "
				   "plain, ps" },
			{ "depth", 'k', CMD_ARG_INT,
				"steps around the stop; 2" },
			{ "fold", 0, CMD_ARG_INT, "modules at this depth" },
			{ "hub", 0, CMD_ARG_INT,
				"a value with more users is a label" },
			{ "max", 'm', CMD_ARG_INT, "boxes at most" },
			{ "output", 'o', CMD_ARG_FILE,
				"write to a file; .svg, .dot, .xdot, .json and "
				".ps say the format" } },
		.examples = { { "draw", "around the stop" },
			{ "draw -o a.svg", "a picture" } },
		.exec = cmd_draw_exec,
	},
	{ .name = NULL },
};

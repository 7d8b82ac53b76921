/* grp_write.c - text forms and drawings. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "commands/cmd_shell.h"
#include "commands/cmd_show.h"
#include "commands/groups.h"
#include "commands/out.h"
#include "draw/draw.h"
#include "emit/dot.h"
#include "emit/fx.h"
#include "emit/jsonl.h"
#include "emit/python.h"
#include "emit/script.h"
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
	return fx_settings_word(fx_session_settings(ctx->session), "dialect");
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
	fx_emit_dot(text, graph, NULL);
	return NULL;
}

static FX_NODISCARD struct fx_error *
dump_script(struct cmd_ctx *ctx, struct fx_graph *graph, struct fx_buf *text)
{
	(void)ctx;
	fx_emit_script(text, graph);
	return NULL;
}

static const struct {
	const char *word;
	struct fx_error *(*write)(struct cmd_ctx *ctx, struct fx_graph *graph,
		struct fx_buf *text);
} forms[] = {
	{ "python", dump_python },
	{ "fx", dump_fx },
	{ "table", dump_table },
	{ "json", dump_json },
	{ "dot", dump_dot },
	{ "script", dump_script },
};

static struct fx_error *
dump_exec(struct cmd_ctx *ctx)
{
	const char *word = cmd_arg_text(ctx, "form");
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_error *err;
	size_t i;

	for (i = 0; i < FX_ARRAY_LEN(forms); i++)
		if (!strcmp(forms[i].word, word))
			break;
	fx_assert(i < FX_ARRAY_LEN(forms));
	err = forms[i].write(ctx, fx_model_graph(ctx->model), &text);
	if (err)
		return err;
	if (text.length && text.data[text.length - 1] != '\n')
		fx_buf_add_char(&text, '\n');
	out_raw(ctx->out, fx_buf_text(&text), text.length);
	return NULL;
}

/* draw. */

static bool
give_up(void *context)
{
	const struct front *front = context;

	return front->tick(front->context);
}

static FX_NODISCARD struct fx_error *
draw_picture(struct cmd_ctx *ctx, const struct fx_draw_options *options,
	const char *path)
{
	const char *format = cmd_flag_text(ctx, "type");
	FX_AUTO_BUF struct fx_buf picture = { 0 };
	FX_AUTO_FREE char *full = NULL;
	struct fx_error *err;

	err = fx_draw_picture(fx_model_graph(ctx->model), options, format,
		&picture);
	if (err)
		return err;
	if (options->report->left_out)
		out_note(ctx->out, "%zu nodes drawn, %zu left out (-m)",
			options->report->drawn, options->report->left_out);
	if (!path) {
		out_raw(ctx->out, fx_buf_text(&picture), picture.length);
		return NULL;
	}
	full = fx_file_expand(path);
	err = fx_file_write(full, fx_buf_text(&picture), picture.length);
	if (err)
		return err;
	out_value_text(ctx->out, "file", path);
	out_line(ctx->out, FX_ROLE_PLAIN, "%s: %zu bytes", path,
		picture.length);
	return NULL;
}

static FX_NODISCARD struct fx_error *
draw_text(struct cmd_ctx *ctx, const struct fx_draw_options *options,
	const char *path)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	FX_AUTO_FREE char *full = NULL;
	struct fx_draw_report report = { 0 };
	struct fx_error *err;

	fx_draw_text(fx_model_graph(ctx->model), options, &text, &report);
	if (report.left_out)
		out_note(ctx->out, "%zu nodes drawn, %zu left out",
			report.drawn, report.left_out);
	if (!path) {
		out_raw(ctx->out, fx_buf_text(&text), text.length);
		return NULL;
	}
	full = fx_file_expand(path);
	err = fx_file_write(full, fx_buf_text(&text), text.length);
	if (!err)
		out_note(ctx->out, "%s: %zu bytes", path, text.length);
	return err;
}

/* Near the stop, the first node, or the one node given. */
static void
choose_center(struct cmd_ctx *ctx, struct fx_draw_options *options)
{
	struct fx_graph *graph = fx_model_graph(ctx->model);
	struct fx_node *here = fx_position_node(ctx->model);

	if (options->positions && options->count == 1) {
		options->center = options->positions[0];
		options->positions = NULL;
		options->count = 0;
		return;
	}
	if (options->positions || !graph->node_count)
		return;
	options->center = here ? fx_graph_position(graph, here) : 0;
}

struct fx_error *
cmd_draw_exec(struct cmd_ctx *ctx)
{
	struct fx_settings *settings = fx_session_settings(ctx->session);
	struct fx_draw_options options = FX_DRAW_DEFAULTS;
	const char *path = cmd_flag_text(ctx, "output");
	bool picture = cmd_flag_text(ctx, "type") != NULL;
	struct fx_draw_report report = { 0 };

	options.hops = (int)FX_MIN(cmd_flag_int(ctx, "depth", 2), 1000);
	options.fold = (int)FX_MIN(cmd_flag_int(ctx, "fold", 0), 1000);
	options.limit = (size_t)cmd_flag_int(ctx, "max", picture ? 2000 : 60);
	options.hub_limit = (size_t)cmd_flag_int(ctx, "hub",
		fx_settings_int(settings, "hub-limit"));
	if (fx_settings_bool(settings, "ascii"))
		options.lines = FX_LINES_ASCII;
	options.timeout_ms =
		1000 * (int)fx_settings_int(settings, "draw timeout");
	options.report = &report;
	options.stop = give_up;
	options.stop_context = (void *)(uintptr_t)ctx->front;
	cmd_arg_set(ctx, "set", &options.positions, &options.count);
	if (ctx->shell->restricted && (picture || path))
		return fx_error_new(FX_ERR_READ_ONLY,
			"draw: not in a restricted session");
	if (picture)
		return draw_picture(ctx, &options, path);
	choose_center(ctx, &options);
	return draw_text(ctx, &options, path);
}

const struct cmd_entry cmd_group_write[] = {
	{
		.name = "dump",
		.summary = "write the graph as text",
		.help = "python is the code that torch.fx generates, fx its "
			"listing, table its print_tabular, json the lines of "
			".fxg, dot Graphviz's language, script the commands "
			"that made the graph. The text alone, or with -o to a "
			"file.",
		.synonyms = "print export code listing write text convert",
		.needs = CMD_NEED_GRAPH,
		.args = { { "form", CMD_ARG_WORD, 0, "which text",
			"python|fx|table|json|dot|script" } },
		.flags = { { "exact", 0, CMD_ARG_END,
				   "torch.fx's text even where it is wrong" },
			{ "readable", 0, CMD_ARG_END,
				"as print_readable: with shapes and "
				"sources" } },
		.examples = { { "dump python", "generated code" },
			{ "dump json -o g.fxg", "to a file" },
			{ "dump script", "what was done" } },
		.exec = dump_exec,
	},
	{
		.name = "draw",
		.summary = "draw a part of the graph",
		.help = "As text, the neighbourhood of the stop or a set; with "
			"-T a picture, drawn by Graphviz, of the whole graph "
			"or a set. Values with many users become labels, "
			"--fold N draws a module at that depth as one box.",
		.synonyms = "picture diagram svg graphviz dot plot image",
		.needs = CMD_NEED_GRAPH | CMD_OWN_OUTPUT,
		.args = { { "set", CMD_ARG_SET, CMD_OPTIONAL, "what to draw",
			NULL } },
		.flags = { { "type", 'T', CMD_ARG_WORD,
				   "picture format: svg, dot, json, plain, "
				   "ps" },
			{ "depth", 'k', CMD_ARG_INT,
				"steps around the stop; 2" },
			{ "fold", 0, CMD_ARG_INT, "modules at this depth" },
			{ "hub", 0, CMD_ARG_INT,
				"users from which on a value is a label" },
			{ "max", 'm', CMD_ARG_INT, "boxes at most" } },
		.examples = { { "draw", "around the stop" },
			{ "draw -T svg -o a.svg", "a picture" } },
		.exec = cmd_draw_exec,
	},
	{ .name = NULL },
};

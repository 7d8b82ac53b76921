/* draw.c - the command draw: a part of the graph as text or a picture. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "draw/draw.h"
#include "ir/graph.h"
#include "session/model.h"
#include "session/position.h"
#include "session/session.h"
#include "session/settings.h"

static bool
give_up(void *context)
{
	const struct front *front = context;

	return front->tick(front->context);
}

/* Return the format that -T names, else the ending of PATH if it is that of a
 * picture, else NULL for text.  A picture format that fxdb cannot write is
 * refused later as -T refuses it: text in a file called .png would only puzzle
 * its reader.
 */
static const char *
picture_format(struct cmd_ctx *ctx, const char *path)
{
	static const char *const endings[] = { "svg", "dot", "xdot", "json",
		"ps", "png", "pdf", "jpg", "jpeg", "gif" };
	const char *format = cmd_flag(ctx, "type");
	const char *dot = path ? strrchr(path, '.') : NULL;

	if (format || !dot)
		return format;
	for (size_t i = 0; i < FX_ARRAY_LEN(endings); i++)
		if (!strcmp(endings[i], dot + 1))
			return endings[i];
	return NULL;
}

/* TEXT to the file PATH, or as the result. */
static FX_NODISCARD struct fx_error *
put(struct cmd_ctx *ctx, const struct fx_buf *text, const char *path)
{
	FX_AUTO_FREE char *full = path ? fx_file_expand(path) : NULL;
	struct fx_error *err;

	if (!path) {
		out_raw(ctx->out, fx_buf_text(text), text->length);
		return NULL;
	}
	err = fx_file_write(full, fx_buf_text(text), text->length);
	if (err)
		return err;
	out_value_text(ctx->out, "file", path);
	out_line(ctx->out, FX_ROLE_PLAIN, "%s: %zu bytes", path, text->length);
	return NULL;
}

static FX_NODISCARD struct fx_error *
draw_picture(struct cmd_ctx *ctx, const struct fx_draw_options *options,
	const char *format, const char *path)
{
	FX_AUTO_BUF struct fx_buf picture = { 0 };
	struct fx_error *err;

	err = fx_draw_picture(fx_position_graph(ctx->model), options, format,
		&picture);
	if (err)
		return err;
	if (options->report->left_out)
		out_note(ctx->out, "%zu nodes drawn, %zu left out (-m)",
			options->report->drawn, options->report->left_out);
	if (options->fold < 0 && options->report->fold)
		out_note(ctx->out,
			"%zu nodes folded by module, %d step%s deep: %zu "
			"boxes; "
			"--fold 0 draws each node",
			fx_position_graph(ctx->model)->node_count,
			options->report->fold,
			options->report->fold == 1 ? "" : "s",
			options->report->drawn);
	return put(ctx, &picture, path);
}

/* A part looks like all there is: say which part, and how to see all. */
static void
say_part(struct cmd_ctx *ctx, const struct fx_draw_options *options)
{
	struct fx_graph *graph = fx_position_graph(ctx->model);
	const struct fx_draw_report *report = options->report;

	if (report->left_out)
		out_note(ctx->out, "%zu nodes drawn, %zu left out",
			report->drawn, report->left_out);
	if (!cmd_arg_text(ctx, "set") && !options->fold &&
		report->drawn + report->left_out < graph->node_count)
		out_note(ctx->out,
			"around %%%s, %d steps, %zu of %zu nodes: draw {} "
			"draws all, -k N goes N steps",
			fx_graph_at(graph, options->center)->name,
			options->hops, report->drawn, graph->node_count);
}

static FX_NODISCARD struct fx_error *
draw_text(struct cmd_ctx *ctx, const struct fx_draw_options *options,
	const char *path)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_draw_text(fx_position_graph(ctx->model), options, &text,
		options->report);
	say_part(ctx, options);
	return put(ctx, &text, path);
}

/* Near the stop, the first node before the start and the last at the end, or
 * the one node given.
 */
static void
choose_center(struct cmd_ctx *ctx, struct fx_draw_options *options)
{
	struct fx_graph *graph = fx_position_graph(ctx->model);
	const struct fx_node *here = fx_position_selected(ctx->model);

	if (options->positions && options->count == 1) {
		options->center = options->positions[0];
		options->positions = NULL;
		options->count = 0;
		return;
	}
	if (options->positions || !graph->node_count)
		return;
	options->center = 0;
	if (here)
		options->center = fx_graph_position(graph, here);
	else if (fx_position_is_started(ctx->model))
		options->center = graph->node_count - 1;
}

struct fx_error *
cmd_draw_exec(struct cmd_ctx *ctx)
{
	struct fx_settings *settings = fx_session_settings(ctx->session);
	struct fx_draw_options options = FX_DRAW_DEFAULTS;
	const char *path = cmd_flag(ctx, "output");
	const char *format = picture_format(ctx, path);
	struct fx_draw_report report = { 0 };

	options.hops = (int)FX_MIN(cmd_flag_int(ctx, "depth", 2), 1000);
	options.fold =
		(int)FX_MIN(cmd_flag_int(ctx, "fold",
				    format && !fx_str_equal(format, "dot") ? -1
									   : 0),
			1000);
	options.limit = (size_t)cmd_flag_int(ctx, "max", format ? 2000 : 60);
	if (!options.limit)
		options.limit = SIZE_MAX; /* as everywhere: all */
	options.hub_limit = (size_t)cmd_flag_int(ctx, "hub",
		fx_settings_int(settings, FX_SET_HUB_LIMIT));
	if (fx_settings_int(settings, FX_SET_ASCII))
		options.lines = FX_LINES_ASCII;
	options.timeout_ms =
		1000 * (int)fx_settings_int(settings, FX_SET_DRAW_TIMEOUT);
	options.report = &report;
	options.stop = give_up;
	options.stop_context = (void *)(uintptr_t)ctx->front;
	cmd_arg_set(ctx, "set", &options.positions, &options.count);
	if (ctx->shell->restricted && (format || path))
		return fx_error_new(FX_ERR_READ_ONLY,
			"draw: not in a restricted session");
	if (format)
		return draw_picture(ctx, &options, format, path);
	choose_center(ctx, &options);
	if (!path)
		options.width = (int)ctx->front->columns(ctx->front->context);
	return draw_text(ctx, &options, path);
}

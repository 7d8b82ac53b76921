/* value.c - evaluating an expression and showing what it gave. */
#include <config.h>

#include <string.h>

#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/front.h"
#include "commands/shell/shell.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "run/datum.h"
#include "run/ticker.h"
#include "session/model.h"
#include "session/position.h"
#include "session/resolve.h"
#include "session/session.h"
#include "session/settings.h"

struct fx_error *
cmd_evaluate(struct cmd_ctx *ctx, const char *expression, struct fx_datum **ret)
{
	FX_AUTO_FREE char *question = NULL;
	struct fx_error *err = fx_resolve_expression(ctx->session, ctx->model,
		expression, false, ret);

	if (!err || !fx_session_is_over_limit(ctx->session) ||
		!ctx->front->is_interactive(ctx->front->context))
		return err;
	question = fx_xasprintf("%s. Go on?", fx_error_message(err));
	if (!cmd_confirm(ctx, question))
		return err;
	fx_error_free(err);
	fx_session_lift_limit(ctx->session, true);
	err = fx_resolve_expression(ctx->session, ctx->model, expression, false,
		ret);
	fx_session_lift_limit(ctx->session, false);
	return err;
}

static const char *
name_of(void *context, uint64_t id)
{
	struct cmd_ctx *ctx = context;
	struct fx_node *node = NULL;

	if (ctx->model)
		node = fx_graph_find_id(fx_position_graph(ctx->model), id);
	if (ctx->model && !node)
		node = fx_graph_find_id(fx_model_graph(ctx->model), id);
	return node ? node->name : "(erased)";
}

struct fx_datum_printer
cmd_datum_printer(struct cmd_ctx *ctx, struct fx_ticker *ticker)
{
	struct fx_settings *settings = fx_session_settings(ctx->session);
	struct fx_datum_printer printer = {
		.node_name = name_of, .context = ctx, .ticker = ticker
	};

	fx_ticker_init(ticker, ctx->front->tick, ctx->front->context);
	printer.is_ascii = fx_settings_int(settings, FX_SET_ASCII);
	printer.limit =
		(size_t)fx_settings_int(settings, FX_SET_PRINT_ELEMENTS);
	return printer;
}

struct fx_error *
cmd_print_datum(struct cmd_ctx *ctx, const struct fx_datum *datum,
	const char *format, struct fx_buf *text)
{
	struct fx_ticker ticker;
	struct fx_datum_printer printer = cmd_datum_printer(ctx, &ticker);

	printer.format = format;
	return fx_datum_print(text, datum, &printer);
}

void
cmd_say_value(struct cmd_ctx *ctx, enum fx_role role, const char *text)
{
	if (!strchr(text, '\n')) {
		out_piece(ctx->out, role, " %s", text);
		out_line_end(ctx->out);
		return;
	}
	out_line_end(ctx->out);
	while (*text) {
		size_t length = strcspn(text, "\n");

		out_line(ctx->out, role, "%.*s", (int)length, text);
		text += length + (text[length] == '\n');
	}
}

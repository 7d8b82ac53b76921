/* nonfinite.c - what is said of NaN and infinities in a run. */
#include <config.h>

#include "base/buf.h"
#include "commands/out/out.h"
#include "commands/shell/cmd.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "session/nonfinite.h"

void
cmd_say_nonfinite(struct cmd_ctx *ctx, const char *title,
	const struct fx_nonfinite *found)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	FX_AUTO_BUF struct fx_buf first = { 0 };

	fx_nonfinite_print(&text, found);
	fx_nonfinite_print_first(&first, &found->count);
	out_value_text(ctx->out, "nonfinite", found->node->name);
	out_value_text(ctx->out, "origin", fx_nonfinite_word(found->origin));
	out_value_int(ctx->out, "nan", (int64_t)found->count.nan);
	out_value_int(ctx->out, "inf", (int64_t)found->count.inf);
	out_value_int(ctx->out, "elements", (int64_t)found->count.elements);
	out_value_text(ctx->out, "first", fx_buf_text(&first));
	out_value_text(ctx->out, "from",
		found->from ? found->from->name : found->parameter);
	out_line(ctx->out, FX_ROLE_ERROR, "%s%s", title, fx_buf_text(&text));
	if (first.length)
		out_line(ctx->out, FX_ROLE_PLAIN, "  first at %s",
			fx_buf_text(&first));
}

void
cmd_say_first_nonfinite(struct cmd_ctx *ctx)
{
	struct fx_nonfinite found;

	if (fx_nonfinite_is_result(ctx->model) &&
		fx_nonfinite_first(ctx->model, &found)) {
		cmd_say_nonfinite(ctx, "first non-finite: ", &found);
		out_line(ctx->out, FX_ROLE_PLAIN,
			"  why nan leads to what made it so");
	}
}

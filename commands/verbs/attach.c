/* attach.c - the attach command: the graph of a program that waits. */
#include <config.h>

#include "commands/out/out.h"
#include "commands/shell/shell.h"
#include "commands/verbs/show.h"
#include "commands/verbs/trace.h"
#include "session/capture.h"
#include "session/position.h"
#include "session/session.h"

struct fx_error *
cmd_attach_exec(struct cmd_ctx *ctx)
{
	FX_AUTO_STOP struct fx_stop stop = { 0 };
	const struct fx_opening as = { .line = "# fxdb.debug opened it" };
	struct fx_trace_result report;
	struct fx_model *model = NULL;
	struct fx_error *err = fx_session_attach(ctx->session,
		(int)cmd_arg_int(ctx, "descriptor", -1), &as, &report, &model);

	ctx->shell->has_listed = false;
	if (!err)
		cmd_trace_say_report(ctx, model, &report);
	fx_trace_result_deinit(&report);
	if (!model)
		return err;
	/* What the model raised is where the graph ends. */
	if (err && fx_error_code(err) == FX_ERR_INTERRUPTED)
		out_warning(ctx->out, "Ctrl-C ended the call; this is what was "
				      "recorded of it");
	else if (err)
		out_warning(ctx->out, "the model raised: %s",
			fx_error_message(err));
	fx_error_free(err);
	err = cmd_trace_set_inputs(ctx, model);
	if (!err)
		err = fx_position_run(ctx->session, model, NULL, &stop);
	if (err)
		return err;
	cmd_say_stop(ctx, &stop);
	return NULL;
}

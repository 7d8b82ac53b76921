/* attach.c - the attach command: the graph of a program that waits. */
#include <config.h>

#include "base/buf.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/shell.h"
#include "commands/verbs/show.h"
#include "commands/verbs/trace.h"
#include "session/capture.h"
#include "session/position.h"
#include "session/session.h"

/* The place among the notes of ERR, ", at FILE:LINE in ...", or "". */
static void
add_place(struct fx_buf *text, const struct fx_error *err)
{
	for (size_t i = 0; i < fx_error_note_count(err); i++) {
		const char *note = fx_error_note_text(err, i);

		if (!fx_str_starts(note, "at "))
			continue;
		fx_buf_addf(text, ", %s", note);
		return;
	}
}

/* ERR is where the graph ends. */
static void
say_end(struct cmd_ctx *ctx, const struct fx_error *err)
{
	FX_AUTO_BUF struct fx_buf place = { 0 };

	if (fx_error_code(err) == FX_ERR_INTERRUPTED) {
		out_warning(ctx->out, "Ctrl-C ended the call; this is what was "
				      "recorded of it");
		return;
	}
	add_place(&place, err);
	if (!place.length) {
		out_warning(ctx->out, "this is what was recorded: %s",
			fx_error_message(err));
		return;
	}
	if (fx_error_code(err) == FX_ERR_UNSUPPORTED) {
		out_warning(ctx->out, "the recording ends: %s%s",
			fx_error_message(err), fx_buf_text(&place));
		out_note(ctx->out, "the graph ends there without a result: the "
				   "call is made as it is, edited or not");
		return;
	}
	out_warning(ctx->out, "the model raised: %s%s", fx_error_message(err),
		fx_buf_text(&place));
	out_note(ctx->out, "the graph ends there without a result: the program "
			   "gets the exception, edited or not");
}

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
	if (err)
		say_end(ctx, err);
	fx_error_free(err);
	err = cmd_trace_set_inputs(ctx, model);
	if (!err)
		err = fx_position_run(ctx->session, model, NULL, &stop);
	if (err)
		return err;
	cmd_say_stop(ctx, &stop);
	return NULL;
}

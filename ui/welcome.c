/* welcome.c - the first screen: what this is, what is open, how to begin. */
#include <config.h>

#include "base/buf.h"
#include "commands/out/out.h"
#include "commands/shell/canonical.h"
#include "commands/shell/cmd.h"
#include "commands/shell/data_files.h"
#include "session/display.h"
#include "session/model.h"
#include "session/position.h"
#include "session/session.h"
#include "ui/ui.h"

/* Run LINE and drop what it says. */
static struct fx_error *
run_silently(struct ui *ui, const char *line)
{
	FX_AUTO_BUF struct fx_buf said = { 0 };
	struct out_stream stream = out_stream_buffer(&said, false);
	struct out *out = out_new_plain(&stream);
	struct fx_error *err = cmd_run(ui->shell, line, out);

	out_free(out);
	return err;
}

/* The bundled model, stopped before its first operation, so that the first
 * step shows a value.
 */
bool
ui_open_bundled(struct ui *ui)
{
	FX_AUTO_FREE char *path = NULL;
	FX_AUTO_BUF struct fx_buf load = { 0 };
	struct fx_error *err =
		cmd_data_files(CMD_BUNDLE_EXAMPLES, "mlp.fxg", &path);

	if (!err) {
		fx_buf_add(&load, "load ");
		cmd_canonical_add_word(&load, path);
		err = run_silently(ui, fx_buf_text(&load));
	}
	if (!err)
		err = run_silently(ui, "start");
	if (!err)
		err = run_silently(ui, "display .-1");
	if (!err)
		return true;
	ui_show_error(ui, err);
	return false;
}

static void
say_what_is_open(struct ui *ui)
{
	struct fx_model *model = fx_session_model(ui->session);
	const struct fx_node *node = model ? fx_position_node(model) : NULL;

	if (!model)
		out_line(ui->out, FX_ROLE_PLAIN,
			"Nothing is open: load FILE or trace FILE.py:CLASS "
			"opens a model.");
	else
		out_line(ui->out, FX_ROLE_PLAIN,
			"Open: %s, a model of %zu nodes%s%s.",
			fx_model_name(model), fx_model_graph(model)->node_count,
			node ? "; stopped before " : "",
			node ? node->name : "");
}

void
ui_first_screen(struct ui *ui)
{
	struct out *out = ui->out;

	out_line(out, FX_ROLE_TITLE,
		PACKAGE_STRING ": a debugger for PyTorch graphs.");
	say_what_is_open(ui);
	out_line(out, FX_ROLE_PLAIN,
		"help concepts   the eleven words used here, each with an "
		"example");
	out_line(out, FX_ROLE_PLAIN,
		"tutorial        two short lessons that check what you did");
	out_line(out, FX_ROLE_PLAIN, "step            run a node%s%s",
		fx_session_model(ui->session) ? "" : ", once a model is open",
		fx_display_count(ui->session)
			? " and see its value; reverse-step goes back"
			: "; display .-1 shows its value");
}

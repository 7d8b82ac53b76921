/* startup.c - what happens before the first prompt. */
#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/canonical.h"
#include "commands/shell/cmd.h"
#include "session/capture.h"
#include "session/session.h"
#include "session/settings.h"
#include "ui/signals.h"
#include "ui/ui.h"

void
ui_show_error(struct ui *ui, struct fx_error *err)
{
	cmd_shell_report(ui->shell, err);
	out_error(ui->out, err);
	/* The Ctrl-C has been obeyed, also where nobody asked for it. */
	if (fx_error_code(err) == FX_ERR_INTERRUPTED)
		ui_signals_take_interrupt();
	fx_error_free(err);
}

/* Run LINE; false when it failed. */
static bool
run_line(struct ui *ui, const char *line)
{
	struct fx_error *err;

	ui_begin_work(ui);
	err = cmd_run(ui->shell, line, ui->out);
	if (err)
		ui_show_error(ui, err);
	return !err;
}

static bool
exists(const char *path)
{
	return access(path, F_OK) == 0;
}

/* "~/.config/fxdb/init"; the caller frees; NULL without a home. */
static char *
init_path(void)
{
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");

	if (config && *config == '/')
		return fx_xasprintf("%s/fxdb/init", config);
	if (home && *home)
		return fx_xasprintf("%s/.config/fxdb/init", home);
	return NULL;
}

static bool
run_file(struct ui *ui, const char *path)
{
	struct fx_error *err =
		cmd_source(ui->shell, path, ui->options->keep_going, ui->out);

	if (err)
		ui_show_error(ui, err);
	return !err;
}

/* Whether FOLDERS, which colons separate, contains FOLDER or a folder above it.
 */
static bool
is_allowed(const char *folders, const char *folder)
{
	while (*folders) {
		size_t length = strcspn(folders, ":");
		size_t n = length;

		while (n > 1 && folders[n - 1] == '/')
			n--;
		if (n && !strncmp(folders, folder, n) &&
			(folder[n] == '\0' || folder[n] == '/' || n == 1))
			return true;
		folders += length + (folders[length] == ':');
	}
	return false;
}

/* A file in the current folder could be anybody's: it is named, not run. */
static bool
run_local_init(struct ui *ui)
{
	const char *allowed = fx_settings_text(ui->settings, FX_SET_AUTO_LOAD);
	FX_AUTO_FREE char *folder = NULL;

	if (!exists(".fxdbinit"))
		return true;
	folder = realpath(".", NULL);
	if (folder && is_allowed(allowed, folder))
		return run_file(ui, ".fxdbinit");
	if (ui->interactive && !ui->options->quiet)
		out_note(ui->out,
			".fxdbinit in this folder was not run; source "
			".fxdbinit runs it, set auto-load allows the folder");
	return true;
}

static bool
run_init(struct ui *ui)
{
	FX_AUTO_FREE char *path = init_path();

	if (ui->options->no_init)
		return true;
	if (path && exists(path) && !run_file(ui, path))
		return false;
	return run_local_init(ui);
}

static void
add_inputs(const struct ui *ui, struct fx_buf *line)
{
	for (size_t i = 0; i < ui->options->inputs.count; i++)
		fx_buf_addf(line, " -i %s", ui->options->inputs.items[i]);
}

/* The graph of the program that started us. */
static bool
attach(struct ui *ui)
{
	FX_AUTO_BUF struct fx_buf line = { 0 };

	fx_buf_addf(&line, "attach %s", ui->options->attach);
	add_inputs(ui, &line);
	return run_line(ui, fx_buf_text(&line));
}

/* A file, or a SPEC to trace: FILE.py:EXPR, package.module:EXPR. */
static bool
open_model(struct ui *ui)
{
	const char *model = ui->options->model;
	bool is_spec = strchr(model, ':') && !exists(model);
	FX_AUTO_BUF struct fx_buf line = { 0 };

	fx_buf_add(&line, is_spec ? "trace " : "load ");
	if (is_spec)
		fx_buf_add(&line, model);
	else
		cmd_canonical_add_word(&line, model);
	if (is_spec)
		add_inputs(ui, &line);
	return run_line(ui, fx_buf_text(&line));
}

static bool
set_inputs(struct ui *ui)
{
	size_t i;

	for (i = 0; i < ui->options->inputs.count; i++) {
		const char *text = ui->options->inputs.items[i];
		size_t length = strcspn(text, "=");
		FX_AUTO_FREE char *line =
			fx_xasprintf("input %.*s = %s", (int)length, text,
				text[length] ? text + length + 1 : "");

		if (!run_line(ui, line))
			return false;
	}
	return true;
}

static bool
run_actions(struct ui *ui)
{
	size_t i;

	for (i = 0; i < ui->options->actions.count; i++) {
		const struct ui_action *action = &ui->options->actions.items[i];
		bool done;

		/* With the reader gone, checks still count and files are
		 * still written.
		 */
		if (cmd_shell_is_quitting(ui->shell))
			return true;
		if (action->is_file && !strcmp(action->text, "-"))
			done = batch_run(ui);
		else if (action->is_file)
			done = run_file(ui, action->text);
		else
			done = run_line(ui, action->text);
		if (!done && !ui->options->keep_going)
			return false;
	}
	return true;
}

bool
ui_startup(struct ui *ui)
{
	const struct ui_options *options = ui->options;

	if (options->seed >= 0)
		fx_session_set_seed(ui->session, (uint64_t)options->seed);
	if (options->python)
		fx_session_set_python(ui->session, options->python);
	if (!run_init(ui))
		return false;
	if (options->attach && !attach(ui))
		return false;
	if (options->model && !open_model(ui))
		return false;
	if (options->welcome && !options->model && !ui_open_bundled(ui))
		return false;
	if (!options->attach &&
		!(options->model && strchr(options->model, ':')) &&
		!set_inputs(ui))
		return false;
	return run_actions(ui);
}

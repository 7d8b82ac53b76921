/* main.c - the program: options, a session, a front end, an exit status. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/intern.h"
#include "commands/out/out.h"
#include "commands/shell/cmd.h"
#include "commands/shell/recovery.h"
#include "commands/shell/shell.h"
#include "commands/verbs/trace.h"
#include "ops/layertab.h"
#include "session/capture.h"
#include "session/session.h"
#include "session/settings.h"
#include "ui/leave.h"
#include "ui/repl/pager.h"
#include "ui/signals.h"
#include "ui/standard.h"
#include "ui/ui.h"

/* A file that is opened must not become a standard one that was closed, and get
 * what is meant for that.
 */
static void
occupy_standard_files(void)
{
	int file;

	do
		file = open("/dev/null", O_RDONLY);
	while (file >= 0 && file <= STDERR_FILENO);
	if (file >= 0)
		close(file);
}

/* Whatever front end is there now: the full screen also paints. */
static bool
tick(void *context)
{
	const struct ui *ui = context;
	const struct front *front = cmd_shell_front(ui->shell);

	return front->tick(front->context);
}

static void
set_setting(struct ui *ui, const char *name, const char *value)
{
	const char *rest;
	int index = fx_settings_match(name, &rest);
	struct fx_error *err = NULL;

	if (index >= 0)
		err = fx_settings_set(ui->settings, index, value);
	fx_error_free(err);
}

/* A terminal of another encoding; files and pipes get UTF-8 all the same. */
static bool
can_show_utf8(void)
{
	return !isatty(STDOUT_FILENO) || !strcmp(nl_langinfo(CODESET), "UTF-8");
}

static void
ui_init(struct ui *ui, const struct ui_options *options)
{
	*ui = (struct ui){ .options = options };
	ui->session = fx_session_new();
	ui->settings = fx_session_settings(ui->session);
	fx_session_set_tick(ui->session, tick, ui);
	fx_session_set_read_only(ui->session, options->read_only);
	ui->shell = cmd_shell_new(ui->session);
	ui_signals_watch(ui->shell);
	if (options->restricted)
		cmd_shell_restrict(ui->shell);
	if (options->json)
		cmd_shell_say_objects(ui->shell);
	ui->interactive = !options->batch && isatty(STDIN_FILENO);
	set_setting(ui, "color", options->no_color ? "never" : options->color);
	if (options->no_mouse)
		set_setting(ui, "mouse", "off");
	if (options->ascii || !can_show_utf8())
		set_setting(ui, "ascii", "on");
	ui->out = ui_output_new(ui);
}

/* Sessions that died are there to be taken up again. */
static void
say_recoverable(struct ui *ui)
{
	size_t count = cmd_recovery_count();

	if (count && !ui->options->quiet)
		out_note(ui->out,
			"%zu session%s died with edits: recover lists %s",
			count, count == 1 ? "" : "s",
			count == 1 ? "it" : "them");
}

/* Programs that wait for what becomes of their graphs go on. */
static void
let_programs_go(struct ui *ui)
{
	for (size_t i = 0; i < fx_session_model_count(ui->session); i++) {
		struct fx_model *model = fx_session_model_at(ui->session, i);

		/* One that is gone needs nothing. */
		if (fx_model_is_of_program(model))
			fx_error_free(fx_model_let_go(model));
	}
}

static void
ui_deinit(struct ui *ui)
{
	struct termios modes;

	/* The terminal went away: nobody asked for the end. */
	if (ui->interactive && tcgetattr(STDIN_FILENO, &modes))
		cmd_recovery_end(ui->shell, true);
	else
		let_programs_go(ui);
	key_release();
	ui_signals_watch(NULL);
	cmd_shell_free(ui->shell);
	out_free(ui->out);
	tui_bindings_deinit(&ui->bindings);
	ui_leave_session(ui->session);
}

/* Whether nothing was asked for: then the first screen helps. */
static bool
is_bare(const struct ui_options *options)
{
	return !options->model && !options->attach && !options->actions.count;
}

/* --tui was asked for.  Where there is none, that is said, and no more; over an
 * error of the beginning it would hide what went wrong.
 */
static void
want_screen(struct ui *ui, bool started)
{
	FX_AUTO_ERROR struct fx_error *err = NULL;

	if (ui->interactive && started) {
		ui->wants_tui = true;
	} else if (ui->interactive) {
		out_note(ui->out, "tui opens the full screen");
	} else {
		err = ui_check_screen(ui);
		if (err)
			out_note(ui->out,
				"%s; going on without the full screen",
				fx_error_message(err));
	}
}

/* What was printed is lost, if FAILURE is an errno: that is no success. */
static bool
output_failed(int failure)
{
	if (failure)
		fprintf(stderr, "fxdb: error: standard output: %s\n",
			strerror(failure));
	return failure;
}

static int
exit_status(const struct ui *ui)
{
	if (output_failed(ui_standard_failure(&ui->standard)))
		return 2;
	if (ui->quit_given)
		return ui->quit_status;
	return ui->interactive ? 0 : cmd_shell_status(ui->shell);
}

/* What to do first with the model that was asked for. */
static void
greet(struct ui *ui)
{
	struct fx_model *model = fx_session_model(ui->session);

	/* Commands that were given may give the input too, or know better. */
	if (model && fx_model_traced(model) && !ui->options->actions.count)
		cmd_trace_say_missing_input(ui->out, model);
	out_note(ui->out, "\"help\" or \"tutorial\" to begin; display .-1 "
			  "shows each node's value as it runs.");
}

static int
run(struct ui *ui)
{
	const struct ui_options *options = ui->options;
	struct front front;
	bool started;

	batch_front(ui, &front);
	cmd_shell_set_front(ui->shell, &front);
	if (options->doctor) {
		ui_doctor(ui);
		return exit_status(ui);
	}
	/* What is typed before there is a screen is meant for nobody. */
	ui->has_keys = options->tui && ui->interactive && isatty(STDOUT_FILENO);
	started = ui_startup(ui);
	if (options->tui)
		want_screen(ui, started);
	if (options->batch && !options->actions.count && batch_has_input())
		out_note(ui->out, "-batch does not read standard input; -x - "
				  "runs the commands there");
	if (cmd_shell_is_quitting(ui->shell) || options->batch)
		return exit_status(ui);
	if (!ui->interactive) {
		if (started)
			batch_run(ui);
		return exit_status(ui);
	}
	if (is_bare(options) && !options->quiet && !options->tui)
		ui_first_screen(ui);
	else if (started && options->model && !options->quiet)
		greet(ui);
	say_recoverable(ui);
	repl_run(ui);
	return exit_status(ui);
}

/* --help and --version; the exit status. */
static int
print_and_leave(const struct ui_options *options)
{
	FX_AUTO_FREE char *help = ui_options_help();
	bool is_lost =
		fputs(options->help ? help : PACKAGE_STRING "\n", stdout) < 0 ||
		fflush(stdout) != 0;

	return output_failed(is_lost ? errno : 0) ? 2 : 0;
}

/* Who looks for leaks wants to see libraries go, too (leave.c). */
FX_NORETURN static void
leave(int status)
{
	fflush(NULL);
#ifdef FX_SANITIZERS
	exit(status);
#else
	ui_leave_memory();
	_exit(status);
#endif
}

int
main(int argc, char **argv)
{
	struct ui_options options;
	struct fx_error *err;
	struct ui ui;
	int status;

	occupy_standard_files();
	setlocale(LC_CTYPE, "");
	err = ui_options_parse(&options, argc, argv);
	if (err) {
		fprintf(stderr, "fxdb: error: %s\n", fx_error_message(err));
		if (fx_error_hint_text(err))
			fprintf(stderr, "  hint: %s\n",
				fx_error_hint_text(err));
		fx_error_free(err);
		ui_options_deinit(&options);
		return 2;
	}
	if (options.help || options.version) {
		status = print_and_leave(&options);
		ui_options_deinit(&options);
		return status;
	}
	ui_signals_install();
	ui_init(&ui, &options);
	status = run(&ui);
	ui_deinit(&ui);
	ui_options_deinit(&options);
	fx_layertab_shutdown();
	fx_intern_shutdown();
	leave(status);
}

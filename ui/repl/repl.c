/* repl.c - the prompt: read, run, show. */
#include <config.h>

#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/prompt.h"
#include "commands/shell/recovery.h"
#include "session/capture.h"
#include "session/session.h"
#include "session/settings.h"
#include "ui/repl/line.h"
#include "ui/repl/pager.h"
#include "ui/signals.h"
#include "ui/tui/tui.h"
#include "ui/ui.h"
#include "ui/yes_no.h"

/* What commands may ask of the prompt. */

/* What is typed is shown, in the middle of a lecture too. */
static char *
repl_read_line(void *context, const char *prompt)
{
	bool interrupted;
	char *line;

	key_release();
	ui_end_work(context);
	line = line_read(prompt, &interrupted);
	ui_begin_work(context);
	return line;
}

static void
repl_say(void *context, const char *text)
{
	const struct ui *ui = context;

	out_note(ui->out, "%s", text);
}

static bool
repl_confirm(void *context, const char *question)
{
	const struct ui_asker asker = { .context = context,
		.columns = ui_width(context, true),
		.ask = repl_read_line,
		.say = repl_say };

	return ui_ask_yes_no(&asker, question);
}

static bool
repl_tick(void *context)
{
	return ui_tick(context);
}

/* Wait for a key, or until SECONDS have passed.  The user has seen the output
 * so far, so the pager begins a new page.  From here on keys are for the
 * lecture; keys typed before, and the several bytes of a key such as Down, end
 * a single pause.
 */
static bool
repl_pause(void *context, double seconds)
{
	int ms = seconds < 0 ? -1 : (int)(FX_MIN(seconds, 3600) * 1000);
	struct ui *ui = context;
	int key;

	ui->has_keys = true;
	key_hold();
	do
		key = key_read(ms);
	while (key == KEY_BACK);
	while (key >= 0)
		key = key_read(0);
	pager_restart(&ui->pager);
	ui_begin_work(ui);
	return key == KEY_STOP;
}

static struct fx_error *
repl_request(void *context, enum front_request what, const char *argument)
{
	return ui_request(context, what, argument);
}

static bool
repl_is_interactive(void *context)
{
	(void)context;
	return true;
}

static void
repl_front(struct ui *ui, struct front *ret)
{
	*ret = (struct front){ .context = ui,
		.confirm = repl_confirm,
		.read_line = repl_read_line,
		.suspend = ui_lend_terminal,
		.resume = ui_begin_work,
		.tick = repl_tick,
		.pause = repl_pause,
		.request = repl_request,
		.columns = ui_columns,
		.has_palette = ui_has_palette,
		.is_interactive = repl_is_interactive };
}

static void
begin_lines(struct ui *ui)
{
	FX_AUTO_FREE char *path = NULL;
	const struct fx_settings *settings = ui->settings;
	int64_t size = fx_settings_int(settings, FX_SET_HISTORY_SIZE);

	if (fx_settings_int(settings, FX_SET_HISTORY_SAVE))
		path = fx_file_state("history");
	line_begin(ui->shell, path, (size_t)size);
}

/* Keys that were for a lecture, or for nobody, go no further. */
static void
end_keys(struct ui *ui)
{
	ui->has_keys = false;
	ui->is_in_line = false;
	ui_end_work(ui);
	key_release();
}

/* The full screen, until the user leaves it. */
static void
run_tui(struct ui *ui, const struct front *front)
{
	struct tui_options options = { .shell = ui->shell,
		.ascii = ui->options->ascii,
		.no_color = !ui_has_colors(ui, false),
		.bindings = &ui->bindings,
		.is_first = ui->has_keys };
	struct tui_result result = { 0 };
	struct fx_error *err;

	ui->wants_tui = false;
	err = ui_check_screen(ui);
	if (err) {
		end_keys(ui);
		ui_show_error(ui, err);
		return;
	}
	options.line = line_enter_tui();
	end_keys(ui);
	err = tui_run(&options, &result);
	line_leave_tui();
	cmd_shell_set_front(ui->shell, front);
	if (err) {
		ui_show_error(ui, err);
		return;
	}
	if (result.end != TUI_END_LEFT) {
		ui->quit_given = true;
		ui->quit_status = result.status;
	}
}

/* The user's Python imports torch while the user thinks, so that the first
 * trace need not wait.  Whether it can is that trace's to say.
 */
static void
start_worker(struct ui *ui)
{
	fx_error_free(fx_session_start_worker(ui->session));
}

/* While the user thinks, libtorch is opened: the first run need not wait.  Then
 * weights are written, as the first edit did not wait for it.
 */
static bool
prepare(void *context)
{
	const struct ui *ui = context;

	fx_session_prepare(ui->session);
	return cmd_recovery_work(ui->shell);
}

/* What was left to do while the user thinks. */
static void
finish(void *context)
{
	const struct ui *ui = context;

	while (cmd_recovery_work(ui->shell))
		;
}

/* One line; false at the end of input. */
static bool
run_one(struct ui *ui)
{
	FX_AUTO_BUF struct fx_buf prompt = { 0 };
	FX_AUTO_FREE char *line = NULL;
	struct fx_error *err;
	bool interrupted;
	int left_by = ui->left_by;

	start_worker(ui);
	ui->left_by = 0;
	if (left_by && left_by != 'q')
		line_begin_with((char)left_by);
	cmd_shell_print_prompt(ui->shell, &prompt);
	line = line_read(fx_buf_text(&prompt), &interrupted);
	if (interrupted)
		return true;
	if (!line)
		line = fx_xstrdup("quit");
	else
		line_remember(line);
	/* Who is used to pagers that want Enter after q asked for no repeat. */
	if (left_by == 'q' && !*line)
		return true;
	cmd_shell_history_add(ui->shell, line);
	pager_restart(&ui->pager);
	ui_begin_work(ui);
	err = cmd_run(ui->shell, line, ui->out);
	end_keys(ui);
	ui->left_by = pager_left_by(&ui->pager);
	pager_restart(&ui->pager);
	/* A Ctrl-C that nobody took is not for the next command. */
	ui_signals_take_interrupt();
	if (err)
		ui_show_error(ui, err);
	return true;
}

void
repl_run(struct ui *ui)
{
	struct front front;

	repl_front(ui, &front);
	cmd_shell_set_front(ui->shell, &front);
	begin_lines(ui);
	if (!ui->wants_tui)
		end_keys(ui);
	line_set_idle(prepare, finish, ui);
	ui->pages = isatty(STDOUT_FILENO) && !ui->options->json;
	while (!cmd_shell_is_quitting(ui->shell) && !ui->quit_given) {
		if (ui->wants_tui)
			run_tui(ui, &front);
		else if (!run_one(ui))
			break;
	}
	line_end();
	cmd_shell_set_front(ui->shell, NULL);
}

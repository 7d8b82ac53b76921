/* batch.c - commands from standard input, without a user. */
#include <config.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "commands/out/out.h"
#include "commands/shell/cmd.h"
#include "ui/signals.h"
#include "ui/ui.h"

static bool
batch_confirm(void *context, const char *question)
{
	struct ui *ui = context;

	out_note(ui->out, "%s (no: there is nobody to ask)", question);
	return false;
}

/* The next line of standard input, without its newline; NULL at the end. */
static char *
next_line(struct ui *ui, size_t *length_ret)
{
	char *line = NULL;
	size_t capacity = 0;
	ssize_t length;

	ui_lend_terminal(ui);
	length = getline(&line, &capacity, stdin);
	if (length < 0) {
		free(line);
		return NULL;
	}
	ui->line++;
	if (length && line[length - 1] == '\n')
		line[--length] = '\0';
	*length_ret = (size_t)length;
	return line;
}

static char *
batch_read_line(void *context, const char *prompt)
{
	size_t length;

	(void)prompt;
	return next_line(context, &length);
}

static bool
batch_tick(void *context)
{
	return ui_tick(context);
}

/* Nobody can press a key, so for ever is not at all. */
static bool
batch_pause(void *context, double seconds)
{
	int rest = (int)(FX_MIN(seconds, 3600) * 1000);

	for (; rest > 0; rest -= 50) {
		poll(NULL, 0, FX_MIN(rest, 50));
		if (batch_tick(context))
			return true;
	}
	return false;
}

struct fx_error *
ui_check_screen(const struct ui *ui)
{
	if (!isatty(STDOUT_FILENO))
		return fx_error_new(FX_ERR_TERMINAL,
			"tui: standard output is not a terminal");
	if (!isatty(STDIN_FILENO))
		return fx_error_new(FX_ERR_TERMINAL,
			"tui: standard input is not a terminal");
	if (ui->options->batch)
		return fx_error_new(FX_ERR_TERMINAL,
			"tui: -batch has no full screen");
	return NULL;
}

struct fx_error *
ui_request(struct ui *ui, enum front_request what, const char *argument)
{
	switch (what) {
	case FRONT_QUIT:
		ui->quit_given = *argument != '\0';
		ui->quit_status = (int)strtol(argument, NULL, 10);
		return NULL;
	case FRONT_TUI:
		ui->wants_tui = !strcmp(argument, "on");
		return NULL;
	case FRONT_BIND:
		return tui_bindings_add(&ui->bindings, argument);
	case FRONT_LAYOUT:
	case FRONT_FOCUS:
	case FRONT_FILTER:
	case FRONT_REFRESH:
		break;
	}
	return fx_error_hint(fx_error_new(FX_ERR_USAGE,
				     "the full screen is not on"),
		"tui switches it on");
}

/* Of -ex and -x too, after which the prompt may come, or the screen. */
static struct fx_error *
batch_request(void *context, enum front_request what, const char *argument)
{
	struct ui *ui = context;
	/* A file of settings may bind keys wherever it is run. */
	bool needs_screen = what != FRONT_QUIT && what != FRONT_BIND;
	struct fx_error *err = needs_screen ? ui_check_screen(ui) : NULL;

	return err ? err : ui_request(ui, what, argument);
}

static bool
batch_is_interactive(void *context)
{
	(void)context;
	return false;
}

void
batch_front(struct ui *ui, struct front *ret)
{
	*ret = (struct front){ .context = ui,
		.confirm = batch_confirm,
		.read_line = batch_read_line,
		.suspend = ui_lend_terminal,
		.resume = ui_begin_work,
		.tick = batch_tick,
		.pause = batch_pause,
		.request = batch_request,
		.columns = ui_columns,
		.is_interactive = batch_is_interactive };
}

/* Whether LINE has something to run: an empty one repeats nothing here. */
static bool
is_blank(const char *line)
{
	line += strspn(line, " \t\r");
	return !*line || *line == '#';
}

static struct fx_error *
run_line(struct ui *ui, const char *line, size_t length)
{
	int number = ui->line;
	struct fx_error *err;

	if (strlen(line) != length)
		err = fx_error_new(FX_ERR_SYNTAX,
			"standard input is not text: byte 0x00 at column %zu",
			strlen(line) + 1);
	else if (is_blank(line))
		return NULL;
	else
		err = cmd_run(ui->shell, line, ui->out);
	return err ? fx_error_place(err, "stdin", number) : NULL;
}

bool
batch_run(struct ui *ui)
{
	bool done = true;

	while (!cmd_shell_is_quitting(ui->shell)) {
		FX_AUTO_FREE char *line = NULL;
		struct fx_error *err;
		size_t length;
		bool stops;

		line = next_line(ui, &length);
		if (line)
			err = run_line(ui, line, length);
		else if (ui_signals_take_interrupt())
			err = fx_error_new(FX_ERR_INTERRUPTED, "interrupted");
		else
			break;
		if (!err)
			continue;
		done = false;
		stops = !ui->options->keep_going ||
			fx_error_code(err) == FX_ERR_INTERRUPTED;
		ui_show_error(ui, err);
		if (stops)
			break;
	}
	return done;
}

bool
batch_has_input(void)
{
	int waiting = 0;

	return !isatty(STDIN_FILENO) &&
	       ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 && waiting > 0;
}

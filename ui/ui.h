/* ui.h - the program: one session, one shell, one output, some front end. */
#ifndef FX_UI_UI_H
#define FX_UI_UI_H

#include <stdbool.h>

#include "commands/out/out.h"
#include "commands/shell/front.h"
#include "ui/options.h"
#include "ui/theme.h"
#include "ui/tui/bind.h"

struct cmd_shell;
struct fx_session;
struct fx_settings;

struct ui {
	const struct ui_options *options;
	struct fx_session *session;
	struct fx_settings *settings; /* the session's */
	struct cmd_shell *shell;
	struct out *out;
	bool interactive; /* a user can answer */
	bool wants_tui;   /* the full screen comes next */
	bool quit_given;  /* with a status */
	int quit_status;
	struct tui_bindings bindings; /* of the full screen */
	bool pages; /* at the prompt, on a terminal: long output stops */
	struct out_stream standard;
	struct out_stream pager;
	struct ui_theme_sequences sequences; /* of the theme */
	char heat[32]; /* the sequence of a role of shades */
	int left_by;   /* how the last listing was left (pager.h) */
	bool has_keys; /* a lecture has them, or nobody: none is shown */
	int line;      /* of standard input, when it is read by batch */
	/* When the current work began, or when the user was last asked; 0: no
	 * word of it.
	 */
	long long working_ms;
	long long progress_ms;  /* when it was last said how far that is */
	bool is_progress_shown; /* a line of standard error, to be cleared */
	bool is_in_line;        /* output stopped in the middle of one */
};

/* Where output goes: JSON, or text fitted to the terminal. */
struct out *ui_output_new(struct ui *ui);
/* Whether standard output, or the ERROR stream, is shown in colours. */
bool ui_has_colors(const struct ui *ui, bool error);
/* Its columns; 0: nobody knows. */
size_t ui_width(const struct ui *ui, bool error);
/* Return the width of standard output, in the form that struct front requires.
 */
size_t ui_columns(void *context);

/* Whether it shows 256 colours, as struct front requires. */
bool ui_has_palette(void *context);

/* Work begins, or goes on after the user was asked; CONTEXT is the ui, as in
 * struct front.  Whoever the terminal is lent to works without a word of ours.
 */
void ui_begin_work(void *context);
void ui_lend_terminal(void *context);
/* While it goes on: whether Ctrl-C was typed.  What takes long says on a
 * terminal how far it is, in one line that is written anew and goes when
 * something else is said.
 */
bool ui_tick(struct ui *ui);
void ui_clear_progress(struct ui *ui);
/* The work ended, or waits for the user. */
void ui_end_work(struct ui *ui);

/* The model, the init file, -x and -ex, in their order.  False when one failed
 * (it has been shown).
 */
bool ui_startup(struct ui *ui);

/* Show ERR, count it for the exit status, and free it. */
void ui_show_error(struct ui *ui, struct fx_error *err);

/* What --doctor says. */
void ui_doctor(struct ui *ui);

/* Open the bundled model and stop before its first operation; false when that
 * failed (it has been shown).
 */
bool ui_open_bundled(struct ui *ui);
/* The five lines of a start without a model, or with the bundled one. */
void ui_first_screen(struct ui *ui);

/* Run the lines of standard input, without a prompt; false when one failed. */
bool batch_run(struct ui *ui);
/* Whether something waits there that nobody types. */
bool batch_has_input(void);
/* A front end without a user. */
void batch_front(struct ui *ui, struct front *ret);

/* Return a TERMINAL error that says why there can be no full screen, or NULL if
 * no reason is known yet.
 */
FX_NODISCARD struct fx_error *ui_check_screen(const struct ui *ui);

/* Carry out what a command asks of the prompt, or of the program that runs
 * before the prompt.
 */
FX_NODISCARD struct fx_error *ui_request(struct ui *ui, enum front_request what,
	const char *argument);

/* Read, run and show until the user leaves; the full screen when asked. */
void repl_run(struct ui *ui);

#endif /* FX_UI_UI_H */

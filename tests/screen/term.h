/* term.h - a program in a real pseudo-terminal, with libvterm as the terminal.
 *
 * Nothing sleeps: the program, with FXDB_TEST_IDLE set, says with a private
 * control sequence when everything typed so far is on the screen.
 */
#ifndef FX_TESTS_SCREEN_TERM_H
#define FX_TESTS_SCREEN_TERM_H

#include <stdbool.h>
#include <stddef.h>

struct term;

struct term_options {
	int rows;
	int columns;
	const char *term;   /* TERM; NULL: xterm-256color */
	const char *locale; /* LC_ALL; NULL: C.UTF-8 */
};

/* Start ARGV[0] with a small environment of its own.  Stops the test program
 * (status 99) when that cannot be done.
 */
struct term *term_new(const struct term_options *options,
	const char *const *argv);
/* Ends the program if it still runs. */
void term_free(struct term *term);

/* Type TEXT, then wait until it has taken effect; false when the program has
 * ended or nothing happened for ten seconds.
 */
bool term_type(struct term *term, const char *text);
/* Type without waiting. */
void term_send(struct term *term, const char *text);
/* Wait until WORDS are on the screen; until the program is idle. */
bool term_wait_for(struct term *term, const char *words);
bool term_wait_idle(struct term *term);
/* Wait until the alternate screen is shown, or is left. */
bool term_wait_alternate(struct term *term, bool is_shown);
/* A new size, then wait as term_type does. */
bool term_resize(struct term *term, int rows, int columns);
void term_signal(struct term *term, int number);
/* Close the terminal under the program. */
void term_hang_up(struct term *term);

bool term_has_ended(struct term *term);
/* The most bytes that the program has sent at once since the last call, with
 * the signs; and seconds of CPU that it took so far.
 */
size_t term_bytes(struct term *term);
double term_cpu(const struct term *term);

/* Wait for the program's end: its exit status, 256 + a signal, or -1 after
 * ten seconds.
 */
int term_wait_end(struct term *term);

/* What is on the screen: a row without trailing blanks (valid until the next
 * call), or whether any row has WORDS.
 */
const char *term_row(struct term *term, int row);
bool term_has(struct term *term, const char *words);

/* The state that a program should leave behind. */
bool term_is_alternate(const struct term *term);
bool term_cursor_is_visible(const struct term *term);
/* The modes of the line (stty -a), comparable with memcmp; the size of the
 * struct is term_modes_size().
 */
const void *term_modes(struct term *term);
size_t term_modes_size(void);
/* Whether any cell has the COLOR of the terminal's palette; any of its own. */
bool term_has_color(struct term *term, int color);
bool term_has_colors(struct term *term);

#endif /* FX_TESTS_SCREEN_TERM_H */

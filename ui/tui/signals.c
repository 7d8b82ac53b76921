/* signals.c - what signals mean while the full screen has the terminal.
 *
 * Handlers set a flag and write to a pipe that the screen's wait polls.  After
 * a crash one fixed text and the line's modes are written back: no more than
 * that is safe there.
 */
#include <config.h>

#include "ui/tui/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "ui/interrupt_escalation.h"

/* Signal handlers have no user pointer. */
static volatile sig_atomic_t interrupts;
static volatile sig_atomic_t ending;
static volatile sig_atomic_t has_told;
static struct ui_interrupt_escalation patience;
static int wake_pipe[2] = { -1, -1 };
static struct termios modes_before;

static const int numbers[TUI_SIGNAL_COUNT] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT,
	SIGWINCH, SIGTSTP, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };

enum {
	FIRST_FATAL = 6,
};

/* Mouse and paste reporting off, main screen, cursor on, plain. */
static const char reset_text[] =
	"\033[?1000l\033[?1006l\033[?2004l\033[?1049l\033[?25h\033[0m\r\n";

static void
reset_terminal(void)
{
	if (write(STDOUT_FILENO, reset_text, sizeof(reset_text) - 1) < 0) {
		/* Nothing more can be done. */
	}
	tcsetattr(STDIN_FILENO, TCSANOW, &modes_before);
}

static void
wake(void)
{
	int saved = errno;

	if (write(wake_pipe[1], "!", 1) < 0) {
		/* Full: the wait will end anyway. */
	}
	errno = saved;
}

static void
end_by(int number)
{
	reset_terminal();
	signal(number, SIG_DFL);
	raise(number);
}

/* On the last line of the screen, which is painted anew once that is over. */
static void
tell_patience(void)
{
	static const char text[] = "\0337\033[999;1H\033[0;7m" UI_PATIENCE_TEXT
				   "\033[0m\033[K\0338";
	int saved = errno;

	has_told = 1;
	if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0) {
		/* Then not. */
	}
	errno = saved;
}

static void
on_interrupt(int number)
{
	enum ui_interrupt_escalation_answer answer =
		ui_interrupt_escalation_ask(&patience, interrupts);

	if (answer == UI_PATIENCE_TELL)
		tell_patience();
	if (answer == UI_PATIENCE_END)
		end_by(number);
	interrupts = 1;
	wake();
}

/* The second order to leave is obeyed at once. */
static void
on_end(int number)
{
	if (ending) {
		end_by(number);
		return;
	}
	ending = number;
	wake();
}

#ifndef FX_SANITIZERS
static void
on_fatal(int number)
{
	static const char text[] = "fxdb crashed; the terminal is restored, "
				   "saved files are whole\n";

	reset_terminal();
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0) {
		/* Nothing more can be done. */
	}
	raise(number); /* SA_RESETHAND: the default action now */
}
#endif

static void
set_handler(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigemptyset(&action.sa_mask);
	sigaction(number, &action, NULL);
}

void
tui_signals_save(struct tui_signals *signals)
{
	for (int i = 0; i < TUI_SIGNAL_COUNT; i++)
		sigaction(numbers[i], NULL, &signals->before[i]);
}

void
tui_signals_catch(const struct termios *modes)
{
	interrupts = 0;
	ending = 0;
	modes_before = *modes;
	if (pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		wake_pipe[0] = wake_pipe[1] = -1;
	set_handler(SIGINT, on_interrupt, 0);
	set_handler(SIGTERM, on_end, 0);
	set_handler(SIGHUP, on_end, 0);
	set_handler(SIGQUIT, on_end, 0);
#ifndef FX_SANITIZERS
	/* A sanitizer's own report would be lost. */
	for (int i = FIRST_FATAL; i < TUI_SIGNAL_COUNT; i++)
		set_handler(numbers[i], on_fatal,
			(int)SA_RESETHAND | SA_NODEFER);
#endif
}

void
tui_signals_restore(const struct tui_signals *signals)
{
	for (int i = 0; i < TUI_SIGNAL_COUNT; i++)
		sigaction(numbers[i], &signals->before[i], NULL);
	for (int i = 0; i < 2; i++) {
		if (wake_pipe[i] >= 0)
			close(wake_pipe[i]);
		wake_pipe[i] = -1;
	}
}

int
tui_signals_file(void)
{
	return wake_pipe[0];
}

void
tui_signals_drain(void)
{
	char bytes[64];

	while (read(wake_pipe[0], bytes, sizeof(bytes)) > 0)
		;
}

bool
tui_signals_take_interrupt(void)
{
	bool was = interrupts;

	interrupts = 0;
	return was;
}

bool
tui_signals_take_told(void)
{
	bool was = has_told;

	has_told = 0;
	return was;
}

int
tui_signals_ending(void)
{
	return ending;
}

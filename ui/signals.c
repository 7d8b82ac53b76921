/* signals.c - what signals mean to the program, whoever reads the keys. */
#include <config.h>

#include "ui/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/compiler.h"
#include "commands/shell/crash.h"
#include "run/ticker.h"

enum action {
	PASS,      /* the default action */
	INTERRUPT, /* a flag; the third that nothing takes ends the program */
	NOTE,      /* a flag; a second order to leave is obeyed at once */
	END,       /* put the terminal back and end by the signal */
	STOP,      /* put the terminal back and stop */
	CRASH,     /* END, with a report */
};

static const struct rule {
	int number;
	unsigned char action[UI_KEYS_COUNT];
} rules[] = {
	/*          nobody     a line     single keys  the screen */
	{ SIGINT, { INTERRUPT, INTERRUPT, INTERRUPT, INTERRUPT } },
	{ SIGTERM, { PASS, NOTE, END, NOTE } },
	{ SIGHUP, { PASS, NOTE, END, NOTE } },
	{ SIGQUIT, { PASS, NOTE, END, NOTE } },
	{ SIGTSTP, { PASS, NOTE, STOP, NOTE } },
	{ SIGCONT, { PASS, NOTE, PASS, NOTE } },
	{ SIGWINCH, { PASS, NOTE, PASS, NOTE } },
#ifndef FX_SANITIZERS
	/* A sanitizer's own report would be lost. */
	{ SIGSEGV, { CRASH, CRASH, CRASH, CRASH } },
	{ SIGBUS, { CRASH, CRASH, CRASH, CRASH } },
	{ SIGILL, { CRASH, CRASH, CRASH, CRASH } },
	{ SIGFPE, { CRASH, CRASH, CRASH, CRASH } },
	{ SIGABRT, { CRASH, CRASH, CRASH, CRASH } },
#endif
};

enum {
	/* Keys that are held down, or hit twice, mean one Ctrl-C. */
	AGAIN_MS = 700,
	/* As often Ctrl-C is taken and the command goes on all the same. */
	UNHEEDED_MOST = 3,
};

#define PATIENCE_TEXT \
	"this operation cannot be broken off; Ctrl-C " \
	"again ends fxdb, unsaved work lost"

/* Signal handlers have no user pointer. */
static volatile sig_atomic_t keys;
static volatile sig_atomic_t interrupts;
static volatile sig_atomic_t stops;
static volatile sig_atomic_t changes;
static volatile sig_atomic_t ending;
static volatile sig_atomic_t is_told;
static volatile sig_atomic_t has_told; /* over the screen */
static volatile sig_atomic_t unheeded;
static volatile long long interrupt_ms; /* of the last one that counted */
static volatile sig_atomic_t has_modes;
static struct termios modes_before;
static const struct cmd_shell *volatile watched;
static pid_t own_pid;
/* A stack that ran over can hold no handler. */
static char crash_stack[1 << 16];
static int wake_pipe[2] = { -1, -1 };
/* What nohup and shells without job control say is to be ignored. */
static bool is_ignored[FX_ARRAY_LEN(rules)];

/* --- in handlers: nothing that is not safe there ------------------------- */

static void
say(int file, const char *text)
{
	if (write(file, text, strlen(text)) < 0) {
		/* The terminal is gone, or nobody reads the pipe: then not. */
	}
}

static void
put_terminal_back(void)
{
	/* Mouse and paste reporting off, arrow keys and keypad as they were,
	 * main screen, cursor on, plain.
	 */
	if (keys == UI_KEYS_SCREEN)
		say(STDOUT_FILENO,
			"\033[?1000l\033[?1002l\033[?1006l\033[?2004l"
			"\033[?1l\033>\033[?1049l\033[?25h\033[0m\r\n");
	if (keys == UI_KEYS_SINGLE)
		say(STDOUT_FILENO, "\033[?2004l");
	if (has_modes)
		tcsetattr(STDIN_FILENO, TCSANOW, &modes_before);
}

/* Once the handler has returned. */
static void
end_by(int number)
{
	put_terminal_back();
	signal(number, SIG_DFL);
	raise(number);
}

/* The last line of the screen is painted anew once that is over. */
void
ui_signals_say_over(const char *text)
{
	if (keys != UI_KEYS_SCREEN)
		return;
	has_told = 1;
	say(STDOUT_FILENO, "\0337\033[999;1H\033[0;7m");
	say(STDOUT_FILENO, text);
	say(STDOUT_FILENO, "\033[0m\033[K\0338");
}

static void
tell(void)
{
	if (keys == UI_KEYS_SCREEN)
		ui_signals_say_over(PATIENCE_TEXT);
	else
		say(STDERR_FILENO, "\n" PATIENCE_TEXT "\n");
}

/* fxdb looks at Ctrl-C between nodes, and every 30 ms where it loops itself;
 * one operation of libtorch cannot be broken off.  Who asks a second time, a
 * moment later, is told so; a third time ends the program, as there is no other
 * way out.  The same for a command that goes on however often it is asked.
 */
static void
count_interrupt(int number)
{
	long long now = fx_clock_ms();
	bool is_soon = now - interrupt_ms < AGAIN_MS;

	if (!interrupts && !is_soon)
		unheeded++;
	if (is_soon && (interrupts || unheeded > UNHEEDED_MOST))
		return;
	interrupt_ms = now;
	if (!interrupts && unheeded <= UNHEEDED_MOST) {
		is_told = 0;
	} else if (is_told) {
		end_by(number);
	} else {
		is_told = 1;
		tell();
	}
	interrupts = 1;
}

static void
note(int number)
{
	if (number == SIGTSTP)
		stops = 1;
	else if (number == SIGWINCH)
		changes |= UI_CHANGE_SIZE;
	else if (number == SIGCONT)
		changes |= UI_CHANGE_BACK;
	else if (ending)
		end_by(number);
	else
		ending = number;
}

static void
stop_here(void)
{
	struct termios modes;
	bool is_known = tcgetattr(STDIN_FILENO, &modes) == 0;

	put_terminal_back();
	ui_signals_stop();
	if (is_known && !ending)
		tcsetattr(STDIN_FILENO, TCSANOW, &modes);
}

/* A child that was forked ends without a word: it has no terminal. */
static void
crash(int number)
{
	if (getpid() != own_pid) {
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	put_terminal_back();
	keys = UI_KEYS_NOBODY;
	has_modes = 0;
	say(STDERR_FILENO, "fxdb crashed; the terminal is restored, saved "
			   "files are whole\n");
	if (watched)
		cmd_shell_report_crash(watched, STDERR_FILENO);
	signal(number, SIG_DFL);
	raise(number);
}

static enum action
action_of(int number)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(rules); i++)
		if (rules[i].number == number)
			return (enum action)rules[i].action[keys];
	return PASS;
}

static void
on_signal(int number)
{
	int saved = errno;

	switch (action_of(number)) {
	case PASS:
		break;
	case INTERRUPT:
		count_interrupt(number);
		break;
	case NOTE:
		note(number);
		break;
	case STOP:
		stop_here();
		break;
	case CRASH:
		crash(number);
		break;
	case END:
		end_by(number);
		break;
	}
	if (wake_pipe[1] >= 0 && write(wake_pipe[1], "", 1) < 0) {
		/* Full: the wait will end anyway. */
	}
	errno = saved;
}

/* --- outside of them ----------------------------------------------------- */

/* Reading and writing go on after a stop; Ctrl-C breaks a wait off. */
static void
set_action(int number, enum action action)
{
	struct sigaction how = { .sa_handler = on_signal };

	if (action == PASS)
		how.sa_handler = SIG_DFL;
	if (action == END || action == CRASH)
		how.sa_flags = (int)SA_RESETHAND | SA_NODEFER | SA_ONSTACK;
	else if (number == SIGTSTP || number == SIGCONT || number == SIGWINCH)
		how.sa_flags = SA_RESTART;
	sigemptyset(&how.sa_mask);
	sigaction(number, &how, NULL);
}

void
ui_signals_install(void)
{
	static const struct sigaction ignore = { .sa_handler = SIG_IGN };
	static const stack_t stack = { .ss_sp = crash_stack,
		.ss_size = sizeof(crash_stack) };
	struct sigaction before;

	own_pid = getpid();
	sigaltstack(&stack, NULL);

	for (size_t i = 0; i < FX_ARRAY_LEN(rules); i++) {
		is_ignored[i] =
			rules[i].number != SIGINT &&
			sigaction(rules[i].number, NULL, &before) == 0 &&
			before.sa_handler == SIG_IGN;
		/* Once: base/guard.c has its handler before ours. */
		if (!is_ignored[i] && rules[i].action[UI_KEYS_NOBODY] == CRASH)
			set_action(rules[i].number, CRASH);
	}
	if (pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		wake_pipe[0] = wake_pipe[1] = -1;
	sigaction(SIGPIPE, &ignore, NULL);
	ui_signals_give(UI_KEYS_NOBODY, NULL);
}

void
ui_signals_give(enum ui_keys who, const struct termios *before)
{
	if (before) {
		has_modes = 0;
		modes_before = *before;
		has_modes = 1;
	}
	keys = (sig_atomic_t)who;
	for (size_t i = 0; i < FX_ARRAY_LEN(rules); i++)
		if (!is_ignored[i] && rules[i].action[who] != CRASH)
			set_action(rules[i].number,
				(enum action)rules[i].action[who]);
	/* What the one before did not come to do. */
	if (who == UI_KEYS_NOBODY && stops) {
		stops = 0;
		ui_signals_stop();
	}
}

void
ui_signals_watch(const struct cmd_shell *shell)
{
	watched = shell;
}

static bool
take(volatile sig_atomic_t *flag)
{
	bool was = *flag;

	*flag = 0;
	return was;
}

bool
ui_signals_has_interrupt(void)
{
	return interrupts;
}

bool
ui_signals_take_interrupt(void)
{
	return take(&interrupts);
}

bool
ui_signals_take_stop(void)
{
	return take(&stops);
}

unsigned
ui_signals_take_change(void)
{
	unsigned were = (unsigned)changes;

	changes = 0;
	return were;
}

bool
ui_signals_take_told(void)
{
	return take(&has_told);
}

int
ui_signals_ending(void)
{
	return ending;
}

void
ui_signals_begin_work(void)
{
	unheeded = 0;
}

/* The group gets the signal that the shell waits for, and this thread stops
 * before raise returns: kill alone may pick another one, and come back earlier.
 */
void
ui_signals_stop(void)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	const struct sigaction stop = { .sa_handler = SIG_DFL };
	struct sigaction ours;
	sigset_t only;
	sigset_t blocked;

	sigemptyset(&only);
	sigaddset(&only, SIGTSTP);
	sigaction(SIGTSTP, &ignore, &ours);
	pthread_sigmask(SIG_UNBLOCK, &only, &blocked);
	kill(0, SIGTSTP);
	sigaction(SIGTSTP, &stop, NULL);
	raise(SIGTSTP);
	pthread_sigmask(SIG_SETMASK, &blocked, NULL);
	sigaction(SIGTSTP, &ours, NULL);
	changes = UI_CHANGE_BACK;
}

void
ui_signals_die(void)
{
	int number = ending;

	if (!number)
		return;
	ui_signals_give(UI_KEYS_NOBODY, NULL);
	signal(number, SIG_DFL);
	raise(number);
}

/* Whether the terminal is gone: after a hang-up poll says "readable" for ever,
 * and there is nothing to read.  Asked twice, as Ctrl-C may just have flushed
 * what was typed.
 */
static bool
is_gone(short events)
{
	struct pollfd again = { .fd = STDIN_FILENO, .events = POLLIN };
	int waiting = 0;

	for (int i = 0; i < 2; i++) {
		if (events & (POLLHUP | POLLERR | POLLNVAL))
			return true;
		if (!(events & POLLIN) ||
			(ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 &&
				waiting > 0))
			return false;
		events = poll(&again, 1, 0) > 0 ? again.revents : 0;
	}
	return events & POLLIN;
}

enum ui_input
ui_signals_wait(int timeout_ms)
{
	struct pollfd polled[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = wake_pipe[0], .events = POLLIN },
	};
	char bytes[64];

	if (poll(polled, FX_ARRAY_LEN(polled), timeout_ms) < 0)
		return errno == EINTR ? UI_INPUT_SIGNAL : UI_INPUT_NONE;
	if (polled[1].revents & POLLIN)
		while (read(wake_pipe[0], bytes, sizeof(bytes)) > 0)
			;
	if (!polled[0].revents)
		return polled[1].revents ? UI_INPUT_SIGNAL : UI_INPUT_NONE;
	if (!is_gone(polled[0].revents))
		return UI_INPUT_KEY;
	if (!ending)
		ending = SIGHUP;
	return UI_INPUT_SIGNAL;
}

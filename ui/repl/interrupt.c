/* interrupt.c - Ctrl-C as a flag, and a pipe that waits can poll. */
#include <config.h>

#include "ui/repl/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/compiler.h"
#include "ui/interrupt_escalation.h"

static volatile sig_atomic_t interrupt_flag;
static struct ui_interrupt_escalation patience;
static volatile sig_atomic_t deadly_signal;
static int interrupt_pipe[2] = { -1, -1 };
static volatile sig_atomic_t has_modes;
static struct termios modes_before;

static void
note_interrupt(void)
{
	int saved = errno;
	ssize_t n = 0;

	interrupt_flag = 1;
	if (interrupt_pipe[1] >= 0)
		n = write(interrupt_pipe[1], "", 1);
	(void)n;
	errno = saved;
}

/* Safe in a signal handler. */
static void
end_by(int number)
{
	if (has_modes)
		tcsetattr(STDIN_FILENO, TCSANOW, &modes_before);
	signal(number, SIG_DFL);
	raise(number);
}

static void
on_interrupt(int number)
{
	static const char text[] = "\n" UI_PATIENCE_TEXT "\n";
	int saved = errno;
	ssize_t n = 0;

	switch (ui_interrupt_escalation_ask(&patience, interrupt_flag)) {
	case UI_PATIENCE_WAIT:
		break;
	case UI_PATIENCE_TELL:
		n = write(STDERR_FILENO, text, sizeof(text) - 1);
		break;
	case UI_PATIENCE_END:
		end_by(number);
		break;
	}
	(void)n;
	errno = saved;
	note_interrupt();
}

void
interrupt_install(void)
{
	struct sigaction action = { .sa_handler = on_interrupt };
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	if (interrupt_pipe[0] < 0 &&
		pipe2(interrupt_pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		interrupt_pipe[0] = interrupt_pipe[1] = -1;
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
}

static void
on_deadly(int number)
{
	deadly_signal = number;
	note_interrupt();
}

static const int deadly[] = { SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGBUS, SIGILL,
	SIGFPE, SIGABRT };

enum {
	DEADLY_COUNT = 3, /* a crash cannot wait */
#ifdef FX_SANITIZERS
	/* A sanitizer's own report would be lost. */
	ENDING_COUNT = DEADLY_COUNT,
#else
	ENDING_COUNT = FX_ARRAY_LEN(deadly),
#endif
};

static void
handle_deadly(void (*handler)(int), size_t count)
{
	struct sigaction action = { .sa_handler = handler };

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < count; i++)
		sigaction(deadly[i], &action, NULL);
}

void
interrupt_catch_deadly(bool on)
{
	handle_deadly(on ? on_deadly : SIG_DFL, DEADLY_COUNT);
}

void
interrupt_put_back(const struct termios *modes)
{
	if (modes)
		modes_before = *modes;
	has_modes = modes != NULL;
	handle_deadly(modes ? end_by : SIG_DFL, ENDING_COUNT);
}

void
interrupt_die(void)
{
	int number = deadly_signal;

	if (!number)
		return;
	interrupt_catch_deadly(false);
	raise(number);
}

bool
interrupt_has_deadly(void)
{
	return deadly_signal;
}

bool
interrupt_take(void)
{
	bool was = interrupt_flag;
	char bytes[64];

	if (!was)
		return false;
	interrupt_flag = 0;
	while (interrupt_pipe[0] >= 0 &&
		read(interrupt_pipe[0], bytes, sizeof(bytes)) > 0)
		;
	return true;
}

int
interrupt_file(void)
{
	return interrupt_pipe[0];
}

/* at_work.c - which operation is at work, said by a timer's signal. */
#include <config.h>

#include "ui/at_work.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "run/progress.h"
#include "run/ticker.h"
#include "session/session.h"
#include "session/settings.h"
#include "ui/signals.h"

enum {
	COLUMNS_LEAST = 20,
	COLUMNS_USUAL = 80, /* where nobody knows */
	LINE_MOST = 200,
	DELAY_LEAST = 100,
	QUIET_MS = 150,
	AGAIN_NS = 200000000,
};

#define REST_TEXT  " s; Ctrl-C stops after it"
#define CLEAR_TEXT "\r\033[K"

/* Signal handlers have no user pointer. */
static const struct fx_progress *volatile watched;
static volatile long long began_ms;
static volatile sig_atomic_t columns;
static volatile sig_atomic_t is_on_screen;
static volatile sig_atomic_t is_held;
static volatile long long held_ms; /* last: who held it may do so again */
static volatile sig_atomic_t is_shown;
static timer_t timer;
static bool has_timer;
static bool is_armed;

/* --- in the handler: nothing that is not safe there ---------------------- */

/* Append the LENGTH bytes of TEXT to LINE, as far as there is room. */
static size_t
add(char *line, size_t at, const char *text, size_t length)
{
	length = FX_MIN(length, LINE_MOST - 1 - at);
	memcpy(line + at, text, length);
	line[at + length] = '\0';
	return at + length;
}

static size_t
add_number(char *line, size_t at, long long number)
{
	char digits[20];
	size_t first = sizeof(digits);

	do {
		digits[--first] = (char)('0' + number % 10);
		number /= 10;
	} while (number && first);
	return add(line, at, digits + first, sizeof(digits) - first);
}

/* How many bytes of NAME are shown beside the rest. */
static size_t
name_length(const char *name)
{
	size_t rest = sizeof(REST_TEXT) + 8;
	size_t room =
		(size_t)columns > rest + 1 ? (size_t)columns - rest - 1 : 1;
	size_t length = strnlen(name, FX_MIN(room, (size_t)LINE_MOST / 2));

	/* No half of a letter. */
	while (length && ((unsigned char)name[length] & 0xc0) == 0x80)
		length--;
	return length;
}

static void
on_alarm(int number)
{
	const struct fx_progress *progress = watched;
	const char *name = progress ? progress->at : NULL;
	char line[LINE_MOST];
	int saved = errno;
	size_t length = 0;

	(void)number;
	if (!name || is_held || fx_clock_ms() < held_ms + QUIET_MS)
		return;
	length =
		is_on_screen ? 0 : add(line, 0, CLEAR_TEXT, strlen(CLEAR_TEXT));
	length = add(line, length, name, name_length(name));
	length = add(line, length, ", ", 2);
	length = add_number(line, length, (fx_clock_ms() - began_ms) / 1000);
	length = add(line, length, REST_TEXT, strlen(REST_TEXT));
	if (is_on_screen)
		ui_signals_say_over(line);
	else if (write(STDERR_FILENO, line, length) > 0)
		is_shown = 1;
	errno = saved;
}

/* --- outside of it ------------------------------------------------------- */

/* The signal goes to this thread, which is then not at work elsewhere. */
static bool
make_timer(void)
{
	struct sigaction how = { .sa_handler = on_alarm,
		.sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = SIGALRM };

	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	sigemptyset(&how.sa_mask);
	return sigaction(SIGALRM, &how, NULL) == 0 &&
	       timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
}

void
ui_at_work_begin(struct fx_session *session, int width, bool is_screen)
{
	long delay = (long)fx_settings_int(fx_session_settings(session),
		FX_SET_PROGRESS_DELAY);
	struct itimerspec when = { .it_interval = { .tv_nsec = AGAIN_NS } };

	/* What takes less the ticker has said. */
	delay = FX_MAX(delay, DELAY_LEAST);
	ui_at_work_end();
	if (!has_timer)
		has_timer = make_timer();
	if (!has_timer || (width && width < COLUMNS_LEAST))
		return;
	when.it_value.tv_sec = delay / 1000;
	when.it_value.tv_nsec = delay % 1000 * 1000000;
	began_ms = fx_clock_ms();
	columns = width ? width : COLUMNS_USUAL;
	is_on_screen = is_screen;
	is_held = 0;
	watched = fx_session_progress(session);
	is_armed = timer_settime(timer, 0, &when, NULL) == 0;
}

void
ui_at_work_end(void)
{
	static const struct itimerspec never;

	watched = NULL;
	if (is_armed)
		timer_settime(timer, 0, &never, NULL);
	is_armed = false;
}

void
ui_at_work_hold(bool held)
{
	is_held = held;
	held_ms = fx_clock_ms();
}

bool
ui_at_work_take_shown(void)
{
	bool was = is_shown;

	is_shown = 0;
	return was;
}

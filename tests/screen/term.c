/* term.c - a program in a real pseudo-terminal. */
#include <config.h>

#include "tests/screen/term.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>

#include <vterm.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "tests/support/clock.h"

enum {
	PATIENCE_MS = 10000,
};

static const char idle_text[] = "\033]7711;idle;";

enum {
	SIGN_LENGTH = 7, /* of it, which "part" begins with too */
};

struct term {
	pid_t pid;
	int master;
	int slave; /* kept open, so that the modes can be read at any time */
	int status;
	bool has_ended;
	VTerm *vterm;
	VTermScreen *screen;
	int rows;
	int columns;
	bool is_alternate;
	bool has_cursor;
	unsigned idles;
	unsigned idles_seen;
	size_t matched; /* bytes of idle_text */
	size_t bytes;   /* that came since the last sign */
	size_t most;    /* of those, since term_bytes */
	struct fx_buf row;
	struct termios modes;
};

static long
now_ms(void)
{
	return (long)(1e3 * fxt_seconds(CLOCK_MONOTONIC));
}

static int
on_property(VTermProp property, VTermValue *value, void *user)
{
	struct term *term = user;

	if (property == VTERM_PROP_ALTSCREEN)
		term->is_alternate = value->boolean;
	if (property == VTERM_PROP_CURSORVISIBLE)
		term->has_cursor = value->boolean;
	return 1;
}

static const VTermScreenCallbacks callbacks = {
	.settermprop = on_property,
};

static void
open_vterm(struct term *term)
{
	term->vterm = vterm_new(term->rows, term->columns);
	vterm_set_utf8(term->vterm, 1);
	term->screen = vterm_obtain_screen(term->vterm);
	vterm_screen_set_callbacks(term->screen, &callbacks, term);
	vterm_screen_enable_altscreen(term->screen, 1);
	vterm_screen_reset(term->screen, 1);
	term->has_cursor = true;
}

/* The environment of the program: only what is named here. */
static char **
environment(const struct term_options *options)
{
	static char *names[16];
	static const char *const kept[] = { "FXDB_BUILDDIR", "FXDB_SRCDIR",
		"ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS" };
	int count = 0;

	names[count++] = fx_xasprintf("TERM=%s",
		options->term ? options->term : "xterm-256color");
	names[count++] = fx_xasprintf("LC_ALL=%s",
		options->locale ? options->locale : "C.UTF-8");
	names[count++] = fx_xstrdup("INPUTRC=/dev/null");
	names[count++] = fx_xstrdup("TZ=UTC");
	names[count++] = fx_xstrdup("HOME=/nonexistent");
	names[count++] = fx_xstrdup("PATH=/usr/bin:/bin");
	names[count++] = fx_xstrdup("FXDB_TEST_IDLE=1");
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (getenv(kept[i]))
			names[count++] =
				fx_xasprintf("%s=%s", kept[i], getenv(kept[i]));
	names[count] = NULL;
	return names;
}

static void
start_child(const struct term *term, const struct term_options *options,
	const char *const *argv)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTSTP };
	char **names = environment(options);

	close(term->master);
	/* What started the tests may ignore some. */
	for (size_t i = 0; i < FX_ARRAY_LEN(signals); i++)
		signal(signals[i], SIG_DFL);
	login_tty(term->slave);
	execve(argv[0], (char *const *)argv, names);
	_exit(127);
}

struct term *
term_new(const struct term_options *options, const char *const *argv)
{
	struct term *term = FX_NEW(struct term);
	struct winsize size = { .ws_row = (unsigned short)options->rows,
		.ws_col = (unsigned short)options->columns };

	term->rows = options->rows;
	term->columns = options->columns;
	open_vterm(term);
	if (openpty(&term->master, &term->slave, NULL, NULL, &size) < 0) {
		perror("openpty");
		exit(99);
	}
	fcntl(term->master, F_SETFD, FD_CLOEXEC);
	term->pid = fork();
	if (term->pid == 0)
		start_child(term, options, argv);
	if (term->pid < 0) {
		perror("fork");
		exit(99);
	}
	fcntl(term->master, F_SETFL, O_NONBLOCK);
	return term;
}

static void
reap(struct term *term)
{
	int status;

	if (term->has_ended ||
		waitpid(term->pid, &status, WNOHANG) != term->pid)
		return;
	term->has_ended = true;
	term->status = WIFEXITED(status) ? WEXITSTATUS(status)
					 : 256 + WTERMSIG(status);
}

void
term_free(struct term *term)
{
	reap(term);
	if (!term->has_ended) {
		kill(term->pid, SIGKILL);
		waitpid(term->pid, NULL, 0);
	}
	if (term->master >= 0)
		close(term->master);
	if (term->slave >= 0)
		close(term->slave);
	vterm_free(term->vterm);
	fx_buf_deinit(&term->row);
	free(term);
}

/* Count how often the program said that it is idle; with either sign what it
 * sends at once ends.
 */
static void
count_idles(struct term *term, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		bool is_part = term->matched == SIGN_LENGTH && bytes[i] == 'p';

		term->bytes++;
		if (term->bytes > term->most)
			term->most = term->bytes;
		if (is_part)
			term->bytes = 0;
		if (bytes[i] == idle_text[term->matched])
			term->matched++;
		else
			term->matched = bytes[i] == idle_text[0];
		if (idle_text[term->matched])
			continue;
		term->idles++;
		term->matched = 0;
		term->bytes = 0;
	}
}

/* What the terminal answers to queries. */
static void
send_answers(struct term *term)
{
	char bytes[256];
	size_t length = vterm_output_read(term->vterm, bytes, sizeof(bytes));

	if (length && write(term->master, bytes, length) < 0) {
		/* Ended. */
	}
}

/* Take what has been written; waits WAIT_MS at most.  False at the end. */
static bool
pump(struct term *term, int wait_ms)
{
	struct pollfd polled = { .fd = term->master, .events = POLLIN };
	char bytes[65536];
	ssize_t got;

	reap(term);
	if (poll(&polled, 1, wait_ms) <= 0)
		return !term->has_ended;
	got = read(term->master, bytes, sizeof(bytes));
	if (got <= 0)
		return !term->has_ended && errno == EAGAIN;
	vterm_input_write(term->vterm, bytes, (size_t)got);
	count_idles(term, bytes, (size_t)got);
	send_answers(term);
	return true;
}

bool
term_wait_idle(struct term *term)
{
	long end = now_ms() + PATIENCE_MS;

	while (term->idles == term->idles_seen) {
		if (!pump(term, 20) || now_ms() > end)
			return false;
	}
	term->idles_seen = term->idles;
	return true;
}

bool
term_wait_for(struct term *term, const char *words)
{
	long end = now_ms() + PATIENCE_MS;

	while (!term_has(term, words)) {
		if (!pump(term, 20) || now_ms() > end)
			return term_has(term, words);
	}
	return true;
}

bool
term_wait_alternate(struct term *term, bool is_shown)
{
	long end = now_ms() + PATIENCE_MS;

	while (term->is_alternate != is_shown)
		if (!pump(term, 20) || now_ms() > end)
			return term->is_alternate == is_shown;
	return true;
}

void
term_send(struct term *term, const char *text)
{
	size_t length = strlen(text);

	while (length) {
		ssize_t sent = write(term->master, text, length);

		if (sent < 0 && errno != EAGAIN && errno != EINTR)
			return;
		if (sent > 0) {
			text += sent;
			length -= (size_t)sent;
		}
		pump(term, 0);
	}
}

bool
term_type(struct term *term, const char *text)
{
	while (pump(term, 0) && term->idles != term->idles_seen)
		term->idles_seen = term->idles;
	term_send(term, text);
	return term_wait_idle(term);
}

bool
term_resize(struct term *term, int rows, int columns)
{
	struct winsize size = { .ws_row = (unsigned short)rows,
		.ws_col = (unsigned short)columns };

	term->rows = rows;
	term->columns = columns;
	vterm_set_size(term->vterm, rows, columns);
	if (ioctl(term->master, TIOCSWINSZ, &size) < 0)
		return false;
	return term_wait_idle(term);
}

void
term_signal(struct term *term, int number)
{
	kill(term->pid, number);
}

void
term_hang_up(struct term *term)
{
	close(term->slave);
	close(term->master);
	term->slave = term->master = -1;
}

int
term_wait_end(struct term *term)
{
	long end = now_ms() + PATIENCE_MS;

	while (!term->has_ended && now_ms() < end) {
		if (term->master >= 0)
			pump(term, 20);
		else
			poll(NULL, 0, 5);
		reap(term);
	}
	/* What it wrote last. */
	while (term->master >= 0 && term->has_ended) {
		struct pollfd polled = { .fd = term->master, .events = POLLIN };

		if (poll(&polled, 1, 0) <= 0 || !(polled.revents & POLLIN))
			break;
		pump(term, 0);
	}
	return term->has_ended ? term->status : -1;
}

const char *
term_row(struct term *term, int row)
{
	VTermPos at = { .row = row };

	fx_buf_clear(&term->row);
	for (at.col = 0; at.col < term->columns;) {
		VTermScreenCell cell;
		char bytes[4];

		vterm_screen_get_cell(term->screen, at, &cell);
		if (!cell.chars[0])
			fx_buf_add_char(&term->row, ' ');
		for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i] &&
				cell.chars[i] != (uint32_t)-1;
			i++)
			fx_buf_add_n(&term->row, bytes,
				fx_utf8_encode(cell.chars[i], bytes));
		at.col += cell.width > 0 ? cell.width : 1;
	}
	while (term->row.length && term->row.data[term->row.length - 1] == ' ')
		fx_buf_truncate(&term->row, term->row.length - 1);
	return fx_buf_text(&term->row);
}

bool
term_has(struct term *term, const char *words)
{
	for (int row = 0; row < term->rows; row++)
		if (strstr(term_row(term, row), words))
			return true;
	return false;
}

bool
term_is_alternate(const struct term *term)
{
	return term->is_alternate;
}

bool
term_cursor_is_visible(const struct term *term)
{
	return term->has_cursor;
}

const void *
term_modes(struct term *term)
{
	memset(&term->modes, 0, sizeof(term->modes));
	tcgetattr(term->slave, &term->modes);
	return &term->modes;
}

size_t
term_modes_size(void)
{
	return sizeof(struct termios);
}

bool
term_has_colors(struct term *term)
{
	VTermColor fg;
	VTermColor bg;
	VTermPos at;

	vterm_state_get_default_colors(vterm_obtain_state(term->vterm), &fg,
		&bg);
	for (at.row = 0; at.row < term->rows; at.row++)
		for (at.col = 0; at.col < term->columns; at.col++) {
			VTermScreenCell cell;

			vterm_screen_get_cell(term->screen, at, &cell);
			if (cell.chars[0] &&
				memcmp(&cell.fg, &fg, sizeof(fg)) != 0)
				return true;
		}
	return false;
}

bool
term_has_color(struct term *term, int color)
{
	VTermPos at;

	for (at.row = 0; at.row < term->rows; at.row++)
		for (at.col = 0; at.col < term->columns; at.col++) {
			VTermScreenCell cell;

			vterm_screen_get_cell(term->screen, at, &cell);
			if (cell.chars[0] && VTERM_COLOR_IS_INDEXED(&cell.fg) &&
				!VTERM_COLOR_IS_DEFAULT_FG(&cell.fg) &&
				cell.fg.indexed.idx == color)
				return true;
		}
	return false;
}

size_t
term_bytes(struct term *term)
{
	size_t most = term->most;

	term->most = 0;
	return most;
}

double
term_cpu(const struct term *term)
{
	struct timespec time = { 0 };
	clockid_t clock;

	if (clock_getcpuclockid(term->pid, &clock) == 0)
		clock_gettime(clock, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

bool
term_has_ended(struct term *term)
{
	reap(term);
	return term->has_ended;
}

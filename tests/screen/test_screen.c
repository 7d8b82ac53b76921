/* test_screen.c - the full screen in a real pseudo-terminal. */
#include <config.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "tests/screen/term.h"
#include "tests/support/unit.h"

static const struct term_options standard = { .rows = 24, .columns = 80 };

/* fxdb with the example and FLAG, in a terminal as OPTIONS say. */
static struct term *
start(const struct term_options *options, const char *flag)
{
	FX_AUTO_FREE char *model =
		fx_xasprintf("%s/tests/screen/block.py", getenv("FXDB_SRCDIR"));
	const char *argv[] = { getenv("FXDB"), "-nx", "-q", model, flag, NULL };

	return term_new(options, argv);
}

static struct term *
start_screen(const struct term_options *options)
{
	struct term *term = start(options, "--tui");

	CU_ASSERT(term_wait_idle(term));
	return term;
}

static void
keys_open_move_insert_undo_and_quit(void)
{
	struct term *term = start_screen(&standard);

	CU_ASSERT(term_is_alternate(term));
	CU_ASSERT(term_has(term, "stem"));
	CU_ASSERT(term_type(term, "jj"));
	CU_ASSERT(term_type(term,
		":insert after act : neg = torch.neg(act) --splice\r"));
	CU_ASSERT(term_has(term, "neg"));
	CU_ASSERT(term_has(term, "undo 1"));
	CU_ASSERT(term_type(term, "U"));
	CU_ASSERT(term_has(term, "undo 0"));
	CU_ASSERT(term_type(term, "R"));
	CU_ASSERT(term_has(term, "undo 1"));
	/* There are edits that are not saved. */
	CU_ASSERT(term_type(term, ":quit\r"));
	CU_ASSERT(term_has(term, "(y or n)"));
	term_send(term, "y\r");
	FXT_EQ(term_wait_end(term), 0);
	CU_ASSERT(!term_is_alternate(term));
	CU_ASSERT(term_cursor_is_visible(term));
	term_free(term);
}

static void
stepping_moves_the_mark(void)
{
	struct term *term = start_screen(&standard);

	CU_ASSERT(term_type(term, ":start\r"));
	CU_ASSERT(term_has(term, "=>"));
	CU_ASSERT(term_type(term, "ss"));
	CU_ASSERT(term_has(term, "(fxdb) step"));
	CU_ASSERT(term_type(term, "S"));
	CU_ASSERT(term_has(term, "(fxdb) reverse-step"));
	term_free(term);
}

/* Also after the screen was left and entered again. */
static void
a_file_binds_keys(void)
{
	static const char bindings[] = "bind graph X = print 40 + 2\n"
				       "bind all F8 = print \"%(node)\"\n";
	FX_AUTO_FREE char *path = fx_xasprintf("bind-%ld", (long)getpid());
	FX_AUTO_FREE char *model =
		fx_xasprintf("%s/tests/screen/block.py", getenv("FXDB_SRCDIR"));
	const char *argv[] = { getenv("FXDB"), "-nx", "-q", "-x", path, model,
		"--tui", NULL };
	struct term *term;

	CU_ASSERT_FATAL(fxt_ok(fx_file_write(path, bindings,
		sizeof(bindings) - 1)));
	term = term_new(&standard, argv);
	CU_ASSERT(term_wait_idle(term));
	CU_ASSERT(term_type(term, "X"));
	CU_ASSERT(term_has(term, "(fxdb) print 40 + 2"));
	CU_ASSERT(term_has(term, "$1 = 42"));
	CU_ASSERT(term_type(term, "\t\033[19~"));
	CU_ASSERT(term_has(term, "$2 = 'x'"));
	CU_ASSERT(term_type(term, "\033"));
	term_send(term, "q");
	CU_ASSERT(term_wait_alternate(term, false));
	term_send(term, "bind graph X = print 6 * 9\rtui\r");
	CU_ASSERT(term_wait_alternate(term, true));
	CU_ASSERT(term_wait_idle(term));
	CU_ASSERT(term_type(term, "X"));
	CU_ASSERT(term_has(term, "$3 = 54"));
	term_free(term);
	unlink(path);
}

static void
any_size_down_to_one_cell_and_back(void)
{
	static const int sizes[][2] = { { 60, 200 }, { 24, 80 }, { 12, 60 },
		{ 10, 40 }, { 5, 20 }, { 4, 30 }, { 3, 9 }, { 2, 2 }, { 1, 1 },
		{ 1, 200 }, { 60, 1 }, { 60, 200 }, { 24, 80 } };
	struct term *term = start_screen(&standard);

	for (size_t i = 0; i < FX_ARRAY_LEN(sizes); i++)
		CU_ASSERT(term_resize(term, sizes[i][0], sizes[i][1]));
	CU_ASSERT(term_has(term, "stem"));
	CU_ASSERT(term_resize(term, 3, 45));
	CU_ASSERT(term_has(term, "terminal too small (45x3), need 20x5"));
	CU_ASSERT(term_resize(term, 24, 80));
	CU_ASSERT(term_type(term, "j"));
	CU_ASSERT(term_has(term, "stem"));
	term_free(term);
}

static void
keys_at_one_cell_do_no_harm(void)
{
	struct term_options tiny = { .rows = 1, .columns = 1 };
	struct term *term = start_screen(&tiny);

	CU_ASSERT(term_type(term, "jkgG\t\t/x\r?q:"));
	CU_ASSERT(term_type(term, "\033"));
	CU_ASSERT(term_resize(term, 24, 80));
	CU_ASSERT(term_has(term, "stem"));
	term_free(term);
}

/* After NUMBER the terminal is as before and the status says so. */
static void
check_signal(int number, int status)
{
	struct term *term = start_screen(&standard);

	term_signal(term, number);
	FXT_EQ(term_wait_end(term), status);
	CU_ASSERT(!term_is_alternate(term));
	CU_ASSERT(term_cursor_is_visible(term));
	term_free(term);
}

static void
sigterm_restores_the_terminal(void)
{
	check_signal(SIGTERM, 128 + SIGTERM);
}

static void
sighup_restores_the_terminal(void)
{
	check_signal(SIGHUP, 128 + SIGHUP);
}

/* Sanitizers report crashes themselves. */
#ifndef FX_SANITIZERS
static void
a_crash_restores_the_terminal(void)
{
	check_signal(SIGSEGV, 256 + SIGSEGV);
}
#endif

static void
a_lost_terminal_ends_the_program(void)
{
	struct term *term = start_screen(&standard);
	int status;

	term_hang_up(term);
	status = term_wait_end(term);
	FXT_EQ(status, 128 + SIGHUP);
	term_free(term);
}

static void
the_modes_of_the_line_are_as_before(void)
{
	struct term *term = start_screen(&standard);
	FX_AUTO_FREE void *before = fx_xmalloc(term_modes_size());

	term_send(term, ":quit\r");
	FXT_EQ(term_wait_end(term), 0);
	memcpy(before, term_modes(term), term_modes_size());
	term_free(term);
	/* A terminal that nobody has touched. */
	{
		const char *argv[] = { "/bin/true", NULL };

		term = term_new(&standard, argv);
		term_wait_end(term);
		CU_ASSERT(memcmp(before, term_modes(term), term_modes_size()) ==
			  0);
		term_free(term);
	}
}

static void
q_goes_back_to_the_prompt_and_tui_returns(void)
{
	struct term *term = start_screen(&standard);

	CU_ASSERT(term_type(term, "j"));
	term_send(term, "q");
	CU_ASSERT(term_wait_alternate(term, false));
	CU_ASSERT(term_wait_for(term, "(fxdb)"));
	term_send(term, "tui\r");
	CU_ASSERT(term_wait_alternate(term, true));
	CU_ASSERT(term_wait_for(term, "stem"));
	term_send(term, "q");
	CU_ASSERT(term_wait_alternate(term, false));
	term_send(term, "quit\r");
	FXT_EQ(term_wait_end(term), 0);
	term_free(term);
}

static void
a_dumb_terminal_is_refused(void)
{
	struct term_options dumb = {
		.rows = 24, .columns = 80, .term = "dumb"
	};
	struct term *term = start(&dumb, "--tui");

	CU_ASSERT(term_wait_for(term,
		"terminal \"dumb\" cannot address the cursor"));
	term_send(term, "quit\r");
	FXT_IS(term_wait_end(term), >=, 0);
	term_free(term);
}

static void
an_unknown_terminal_is_refused(void)
{
	struct term_options unknown = {
		.rows = 24, .columns = 80, .term = "no-such-terminal"
	};
	struct term *term = start(&unknown, "--tui");

	CU_ASSERT(term_wait_for(term,
		"terminal \"no-such-terminal\" is not known"));
	term_send(term, "quit\r");
	FXT_IS(term_wait_end(term), >=, 0);
	term_free(term);
}

static void
a_terminal_without_colours_will_do(void)
{
	struct term_options vt100 = {
		.rows = 24, .columns = 80, .term = "vt100"
	};
	struct term *term = start_screen(&vt100);

	CU_ASSERT(term_has(term, "stem"));
	CU_ASSERT(!term_has_colors(term));
	term_free(term);
	term = start_screen(&standard);
	CU_ASSERT(term_has_colors(term));
	term_free(term);
}

/* Operators, shapes and the position, as theme.def has them. */
static void
themes_have_colours_of_their_own(void)
{
	struct term *term = start_screen(&standard);

	CU_ASSERT(term_has_color(term, 6));
	CU_ASSERT(term_has_color(term, 2));
	CU_ASSERT(term_type(term, ":set theme light\r"));
	CU_ASSERT(term_has_color(term, 4));
	CU_ASSERT(!term_has_color(term, 6));
	CU_ASSERT(!term_has_color(term, 2));
	CU_ASSERT(!term_has_color(term, 3));
	CU_ASSERT(term_has(term, "stem"));
	CU_ASSERT(term_type(term, ":set theme mono\r"));
	CU_ASSERT(!term_has_colors(term));
	CU_ASSERT(term_has(term, "stem"));
	CU_ASSERT(term_type(term, ":set theme default\r"));
	CU_ASSERT(term_has_color(term, 6));
	CU_ASSERT(term_type(term, ":set color never\r"));
	CU_ASSERT(!term_has_colors(term));
	CU_ASSERT(term_type(term, ":set color auto\r:set theme light\r"));
	CU_ASSERT(term_type(term, "\033"));
	/* The prompt has it, too. */
	term_send(term, "q");
	CU_ASSERT(term_wait_alternate(term, false));
	term_send(term, "node stem\r");
	CU_ASSERT(term_wait_for(term, "users"));
	CU_ASSERT(term_has_color(term, 4));
	term_free(term);
}

static void
another_locale_draws_with_ascii(void)
{
	struct term_options c = { .rows = 24, .columns = 80, .locale = "C" };
	struct term *term = start_screen(&c);

	CU_ASSERT(term_has(term, "* "));
	for (int row = 0; row < 24; row++)
		for (const char *at = term_row(term, row); *at; at++)
			FXT_IS((unsigned char)*at, <, 0x80);
	term_free(term);
}

static void
ctrl_c_clears_the_command_line(void)
{
	struct term *term = start_screen(&standard);

	CU_ASSERT(term_type(term, ":erase every"));
	CU_ASSERT(term_has(term, "erase every"));
	term_signal(term, SIGINT);
	CU_ASSERT(term_wait_idle(term));
	CU_ASSERT(!term_has(term, "erase every"));
	CU_ASSERT(term_type(term, "j"));
	term_free(term);
}

static void
the_command_line_is_readline(void)
{
	struct term *term = start_screen(&standard);

	/* Ctrl-A, Ctrl-K, Alt-b and history are Readline's. */
	CU_ASSERT(term_type(term, ":echo one two"));
	CU_ASSERT(term_type(term, "\033b"));
	CU_ASSERT(term_type(term, "\013three\r"));
	CU_ASSERT(term_has(term, "echo one three"));
	CU_ASSERT(term_type(term, ":\033[A"));
	CU_ASSERT(term_has(term, "(fxdb) echo one three"));
	CU_ASSERT(term_type(term, "\001\013"));
	/* UTF-8. */
	CU_ASSERT(term_type(term, "echo λ日\r"));
	CU_ASSERT(term_has(term, "echo λ日"));
	/* Completion. */
	CU_ASSERT(term_type(term, ":reverse-st\t"));
	CU_ASSERT(term_has(term, "(fxdb) reverse-step"));
	term_free(term);
}

static void
escape_leaves_the_command_line(void)
{
	struct term *term = start_screen(&standard);

	CU_ASSERT(term_type(term, ":erase"));
	CU_ASSERT(term_has(term, "(fxdb) erase"));
	CU_ASSERT(term_type(term, "\033"));
	CU_ASSERT(!term_has(term, "(fxdb) erase"));
	term_free(term);
}

static void
a_shell_command_has_the_terminal_to_itself(void)
{
	struct term *term = start_screen(&standard);

	term_send(term, ":!echo from the; sleep 0.2; echo shell\r");
	CU_ASSERT(term_wait_alternate(term, false));
	CU_ASSERT(term_wait_for(term, "from the"));
	CU_ASSERT(term_wait_for(term, "[Enter goes back to fxdb]"));
	CU_ASSERT(term_has(term, "shell"));
	term_send(term, "\r");
	CU_ASSERT(term_wait_alternate(term, true));
	CU_ASSERT(term_wait_for(term, "stem"));
	term_free(term);
}

static void
ctrl_c_stops_what_runs(void)
{
	struct term *term = start_screen(&standard);

	term_send(term, ":!exec sleep 60\r");
	CU_ASSERT(term_wait_alternate(term, false));
	term_send(term, "\003");
	CU_ASSERT(term_wait_for(term, "[Enter goes back to fxdb]"));
	term_send(term, "\r");
	CU_ASSERT(term_wait_alternate(term, true));
	CU_ASSERT(term_wait_for(term, "stem"));
	term_free(term);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(keys_open_move_insert_undo_and_quit),
		FXT_CASE(stepping_moves_the_mark),
		FXT_CASE(a_file_binds_keys),
		FXT_CASE(any_size_down_to_one_cell_and_back),
		FXT_CASE(keys_at_one_cell_do_no_harm),
		FXT_CASE(sigterm_restores_the_terminal),
		FXT_CASE(sighup_restores_the_terminal),
#ifndef FX_SANITIZERS
		FXT_CASE(a_crash_restores_the_terminal),
#endif
		FXT_CASE(a_lost_terminal_ends_the_program),
		FXT_CASE(the_modes_of_the_line_are_as_before),
		FXT_CASE(q_goes_back_to_the_prompt_and_tui_returns),
		FXT_CASE(a_dumb_terminal_is_refused),
		FXT_CASE(an_unknown_terminal_is_refused),
		FXT_CASE(a_terminal_without_colours_will_do),
		FXT_CASE(themes_have_colours_of_their_own),
		FXT_CASE(another_locale_draws_with_ascii),
		FXT_CASE(ctrl_c_clears_the_command_line),
		FXT_CASE(the_command_line_is_readline),
		FXT_CASE(escape_leaves_the_command_line),
		FXT_CASE(a_shell_command_has_the_terminal_to_itself),
		FXT_CASE(ctrl_c_stops_what_runs),
	};

	if (!getenv("FXDB") || access(getenv("FXDB"), X_OK) != 0)
		return 77;
	return fxt_run("screen", cases, FX_ARRAY_LEN(cases));
}

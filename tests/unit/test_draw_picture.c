/* test_draw_picture.c - pictures by way of the helper, and what happens when
 * that misbehaves.
 */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/intern.h"
#include "base/mem.h"
#include "draw/dag.h"
#include "draw/dot_text.h"
#include "draw/draw.h"
#include "draw/svg_child.h"
#include "ir/graph.h"
#include "tests/support/append.h"
#include "tests/support/clock.h"
#include "tests/support/unit.h"

/* A program made of SCRIPT that stands for the helper; the caller removes it.
 */
static char *
stand_in(const char *script)
{
	char *path = fx_xstrdup("/tmp/fxdb-stand-in-XXXXXX");
	FX_AUTO_FREE char *text = fx_xasprintf("#!/bin/sh\n%s\n", script);
	int file = mkstemp(path);

	FXT_IS_FATAL(file, >=, 0);
	FXT_EQ(write(file, text, strlen(text)), (ssize_t)strlen(text));
	FXT_EQ(fchmod(file, 0700), 0);
	close(file);
	setenv("FXDB_DRAW_PROGRAM", path, 1);
	return path;
}

static void
drop_stand_in(char *path)
{
	unlink(path);
	free(path);
	unsetenv("FXDB_DRAW_PROGRAM");
	unsetenv("FXDB_DRAW_TIMEOUT");
}

/* Draw with SCRIPT as the helper: fails with CHILD and WORDS in SECONDS, and
 * leaves no process behind.
 */
static void
check_stand_in(const char *script, const char *words, double seconds)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fxt_joined_chain(1, 10, 3);
	struct fx_draw_options options = FX_DRAW_DEFAULTS;
	FX_AUTO_BUF struct fx_buf out = { 0 };
	char *path = stand_in(script);
	double before = fxt_seconds(CLOCK_MONOTONIC);
	struct fx_error *err;

	setenv("FXDB_DRAW_TIMEOUT", "300", 1);
	err = fx_draw_picture(graph, &options, "svg", &out);
	FXT_IS(fxt_seconds(CLOCK_MONOTONIC) - before, <, seconds);
	FXT_IS_FATAL(err, !=, NULL);
	FXT_IS(strstr(fx_error_message(err), words), !=, NULL);
	FXT_FAILS(err, FX_ERR_CHILD);
	FXT_EQ(out.length, 0);
	CU_ASSERT(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
	drop_stand_in(path);
}

static void
a_hanging_helper_is_stopped(void)
{
	check_stand_in("exec sleep 60", "did not finish in 0.3 s", 3);
}

static void
a_helper_that_ignores_signals_is_stopped(void)
{
	check_stand_in("trap '' TERM INT HUP\nwhile :; do sleep 1; done",
		"did not finish", 3);
}

static void
children_of_the_helper_are_stopped_too(void)
{
	check_stand_in("sleep 60 & wait", "did not finish", 3);
}

static void
a_crashing_helper_is_an_error(void)
{
	check_stand_in("kill -SEGV $$", "died of signal 11", 3);
}

static void
a_failing_helper_says_why(void)
{
	check_stand_in("echo broken pipe dream >&2; exit 3",
		"broken pipe dream", 3);
}

static void
a_helper_that_says_nothing_is_an_error(void)
{
	check_stand_in("exit 5", "ended with status 5", 3);
}

static void
a_helper_that_closes_its_output_and_hangs_is_stopped(void)
{
	check_stand_in("exec >&- 2>&- <&-; exec sleep 60", "did not end", 3);
}

static void
control_characters_of_the_helper_are_made_visible(void)
{
	check_stand_in("printf '\\033[2Jx' >&2; exit 1", "\\x1b[2Jx", 3);
}

static void
a_missing_helper_is_an_error(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fxt_joined_chain(1, 3, 2);
	struct fx_draw_options options = FX_DRAW_DEFAULTS;
	FX_AUTO_BUF struct fx_buf out = { 0 };

	setenv("FXDB_DRAW_PROGRAM", "/nonexistent/fxdb-draw", 1);
	FXT_FAILS(fx_draw_picture(graph, &options, "svg", &out), FX_ERR_CHILD);
	unsetenv("FXDB_DRAW_PROGRAM");
}

static bool
always(void *context)
{
	(void)context;
	return true;
}

static void
a_drawing_can_be_interrupted(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fxt_joined_chain(1, 3, 2);
	struct fx_draw_options options = FX_DRAW_DEFAULTS;
	FX_AUTO_BUF struct fx_buf out = { 0 };
	char *path = stand_in("exec sleep 60");

	options.stop = always;
	FXT_FAILS(fx_draw_picture(graph, &options, "svg", &out),
		FX_ERR_INTERRUPTED);
	drop_stand_in(path);
}

static void
an_unknown_format_is_refused(void)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fxt_joined_chain(1, 3, 2);
	struct fx_draw_options options = FX_DRAW_DEFAULTS;
	FX_AUTO_BUF struct fx_buf out = { 0 };

	FXT_FAILS(fx_draw_picture(graph, &options, "png", &out), FX_ERR_VALUE);
	FXT_FAILS(fx_draw_picture(graph, &options, "sv", &out), FX_ERR_VALUE);
	FXT_FAILS(fx_draw_picture(graph, &options, "", &out), FX_ERR_VALUE);
}

static void
a_dense_graph_is_not_for_dot(void)
{
	FX_AUTO_DAG struct fx_dag *dense = fx_dag_new();
	FX_AUTO_DAG struct fx_dag *thin = fx_dag_new();

	for (uint32_t n = 0; n < 400; n++) {
		fx_dag_add(dense, FX_DAG_MODULE, "n");
		fx_dag_add(thin, FX_DAG_MODULE, "n");
		for (uint32_t i = n > 20 ? n - 20 : 0; i < n; i++)
			fx_dag_add_input(dense, i);
		if (n)
			fx_dag_add_input(thin, n - 1);
	}
	CU_ASSERT(!fx_dot_is_modest(dense));
	CU_ASSERT(fx_dot_is_modest(thin));
}

static void
labels_cannot_break_out_of_their_quotes(void)
{
	FX_AUTO_DAG struct fx_dag *dag = fx_dag_new();
	FX_AUTO_BUF struct fx_buf out = { 0 };

	fx_dag_add(dag, FX_DAG_MODULE, "a\"];b\\N & <x> \n");
	fx_dot_text(dag, false, -1, &out);
	FXT_IS(strstr(fx_buf_text(&out),
		       "label=\"a\\\"];b\\\\N &amp; <x> \\\\n\""),
		!=, NULL);
}

static size_t
occurrences(const char *text, const char *words)
{
	size_t count = 0;

	while ((text = strstr(text, words))) {
		count++;
		text += strlen(words);
	}
	return count;
}

/* The real helper, where it was built. */
static bool
has_helper(void)
{
#ifdef FX_WITH_GRAPHVIZ
	const char *builddir = getenv("FXDB_BUILDDIR");
	FX_AUTO_FREE char *path = NULL;

	if (!builddir)
		return false;
	path = fx_xasprintf("%s/fxdb-draw", builddir);
	if (access(path, X_OK) != 0)
		return false;
	setenv("FXDB_DRAW_PROGRAM", path, 1);
	return true;
#else
	return false;
#endif
}

static void
check_svg(size_t count, size_t skip, double seconds)
{
	FX_AUTO_GRAPH struct fx_graph *graph = fxt_joined_chain(1, count, skip);
	struct fx_draw_options options = FX_DRAW_DEFAULTS;
	FX_AUTO_BUF struct fx_buf out = { 0 };
	double before = fxt_seconds(CLOCK_MONOTONIC);

	options.limit = 100000;
	/* Sanitizers look for leaks in Graphviz, too, and take their time. */
	setenv("FXDB_DRAW_TIMEOUT", "60000", 1);
	FXT_OK(fx_draw_picture(graph, &options, "svg", &out));
	unsetenv("FXDB_DRAW_TIMEOUT");
	printf("%zu nodes: %.3f s ", count,
		fxt_seconds(CLOCK_MONOTONIC) - before);
	FXT_IS(fxt_seconds(CLOCK_MONOTONIC) - before, <, seconds);
	CU_ASSERT(strncmp(fx_buf_text(&out), "<?xml", 5) == 0);
	FXT_IS(strstr(fx_buf_text(&out), "</svg>"), !=, NULL);
	FXT_EQ(occurrences(fx_buf_text(&out), "class=\"node\""), count);
}

static void
a_graph_of_71_nodes_is_drawn_in_half_a_second(void)
{
	if (!has_helper())
		FXT_SKIP("fxdb-draw was not built");
#ifdef FX_SANITIZERS
	check_svg(71, 5, 60);
#else
	check_svg(71, 5, 0.5);
#endif
	unsetenv("FXDB_DRAW_PROGRAM");
}

static void
a_large_graph_is_placed_by_us(void)
{
	if (!has_helper())
		FXT_SKIP("fxdb-draw was not built");
	check_svg(3000, 70, 60);
	unsetenv("FXDB_DRAW_PROGRAM");
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(a_hanging_helper_is_stopped),
		FXT_CASE(a_helper_that_ignores_signals_is_stopped),
		FXT_CASE(children_of_the_helper_are_stopped_too),
		FXT_CASE(a_crashing_helper_is_an_error),
		FXT_CASE(a_failing_helper_says_why),
		FXT_CASE(a_helper_that_says_nothing_is_an_error),
		FXT_CASE(a_helper_that_closes_its_output_and_hangs_is_stopped),
		FXT_CASE(control_characters_of_the_helper_are_made_visible),
		FXT_CASE(a_missing_helper_is_an_error),
		FXT_CASE(a_drawing_can_be_interrupted),
		FXT_CASE(an_unknown_format_is_refused),
		FXT_CASE(a_dense_graph_is_not_for_dot),
		FXT_CASE(labels_cannot_break_out_of_their_quotes),
		FXT_CASE(a_graph_of_71_nodes_is_drawn_in_half_a_second),
		FXT_CASE(a_large_graph_is_placed_by_us),
	};

	return fxt_run("draw_picture", cases, FX_ARRAY_LEN(cases));
}

/* fxd.c - runs a drawing test: a graph, and how it is drawn.
 *
 *	# The fact that the file shows.
 *	x = input
 *	a = module x
 *	b = function a x
 *	---- rails cap=8 hub=8 reach=200 lines=utf8
 *	...
 *	---- boxes tiny lines=ascii center=a hops=2 limit=60
 *	...
 *
 * Kinds: input parameter function module output.  With FXDB_UPDATE=1 the
 * drawings are rewritten.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "draw/box.h"
#include "draw/canvas.h"
#include "draw/dag.h"
#include "draw/lanes.h"
#include "tests/support/golden.h"

static int
find_node(const struct fx_dag *dag, const char *name)
{
	for (size_t i = 0; i < dag->count; i++)
		if (strcmp(dag->nodes[i].name, name) == 0)
			return (int)i;
	fprintf(stderr, "no node \"%s\"\n", name);
	exit(99);
}

static enum fx_dag_kind
kind_of(const char *word)
{
	static const char *const words[] = { "input", "parameter", "function",
		"module", "output" };

	for (size_t i = 0; i < FX_ARRAY_LEN(words); i++)
		if (strcmp(words[i], word) == 0)
			return (enum fx_dag_kind)i;
	fprintf(stderr, "no kind \"%s\"\n", word);
	exit(99);
}

/* NAME = KIND INPUT... */
static void
read_node(struct fx_dag *dag, char *line)
{
	char *rest;
	char *name = strtok_r(line, " =", &rest);
	char *kind = strtok_r(NULL, " =", &rest);
	char *input;

	if (!kind) {
		fprintf(stderr, "no kind for \"%s\"\n", name);
		exit(99);
	}
	fx_dag_add(dag, kind_of(kind), fx_intern(name));
	while ((input = strtok_r(NULL, " ", &rest)))
		fx_dag_add_input(dag, (uint32_t)find_node(dag, input));
}

/* The number after KEY= in OPTIONS, or MISSING. */
static int
number(const char *options, const char *key, int missing)
{
	const char *at = strstr(options, key);

	return at ? (int)strtol(at + strlen(key), NULL, 10) : missing;
}

static enum fx_lines
lines_of(const char *options)
{
	if (strstr(options, "lines=ascii"))
		return FX_LINES_ASCII;
	return strstr(options, "lines=acs") ? FX_LINES_ACS : FX_LINES_UTF8;
}

static void
draw_row(const struct fx_dag *dag, const struct fx_lanes *rails, size_t row,
	const struct fx_lanes_pen *pen)
{
	int at = 2 * fx_lanes_width(rails) + 1;
	size_t hidden = fx_lanes_hidden(rails, row);
	size_t count;
	const uint32_t *named = fx_lanes_named(rails, row, &count);

	fx_lanes_paint(rails, row, dag->nodes[row].kind, pen, (int)row);
	at = fx_area_text(pen->area, (int)row, at, FX_LOOK(NODE),
		dag->nodes[row].name);
	for (size_t i = 0; i < count; i++) {
		at = fx_area_text(pen->area, (int)row, at, FX_LOOK(MUTED),
			" <");
		at = fx_area_text(pen->area, (int)row, at, FX_LOOK(MUTED),
			dag->nodes[named[i]].name);
		at = fx_area_text(pen->area, (int)row, at, FX_LOOK(MUTED), ">");
	}
	if (hidden) {
		char text[32];

		snprintf(text, sizeof(text), " +%zu", hidden);
		fx_area_text(pen->area, (int)row, at, FX_LOOK(MUTED), text);
	}
}

static void
draw_lanes(const struct fx_dag *dag, const char *options, struct fx_buf *out)
{
	struct fx_lanes_options how = FX_LANES_DEFAULTS;
	FX_AUTO_LANES struct fx_lanes *rails = NULL;
	FX_AUTO_CANVAS struct fx_canvas *grid = NULL;
	struct fx_area area;
	struct fx_lanes_pen pen = { .area = &area, .lines = lines_of(options) };

	how.lane_cap = number(options, "cap=", how.lane_cap);
	how.hub_limit = number(options, "hub=", how.hub_limit);
	how.reach = (size_t)number(options, "reach=", (int)how.reach);
	rails = fx_lanes_new(dag, &how);
	grid = fx_canvas_new((int)dag->count, 200);
	area = fx_canvas_area(grid);
	for (size_t row = 0; row < dag->count; row++)
		draw_row(dag, rails, row, &pen);
	fx_canvas_print(grid, out);
}

static void
draw_boxes(const struct fx_dag *dag, const char *options, struct fx_buf *out)
{
	struct fx_box_style style = { .lines = lines_of(options),
		.tiny = strstr(options, "tiny"),
		.marked = -1 };
	const char *center = strstr(options, "center=");
	FX_AUTO_DAG struct fx_dag *part = NULL;
	FX_AUTO_CANVAS struct fx_canvas *grid = NULL;

	if (center) {
		struct fx_box_window window = { .hops = number(options,
							"hops=", 2),
			.limit = (size_t)number(options, "limit=", 60),
			.hub_limit = (size_t)number(options, "hub=", 8) };
		FX_AUTO_FREE char *name =
			fx_xstrndup(center + 7, strcspn(center + 7, " "));
		FX_AUTO_FREE size_t *numbers = NULL;
		size_t count;
		size_t left_out;

		window.center = (size_t)find_node(dag, name);
		fx_box_window(dag, &window, &numbers, &count, &left_out);
		part = fx_dag_part(dag, numbers, count);
		if (left_out)
			fx_buf_addf(out, "left out: %zu\n", left_out);
	}
	grid = fx_box_draw(part ? part : dag, &style);
	fx_canvas_print(grid, out);
}

/* Run TEXT; OUT gets the whole file with the drawings as they are now. */
static void
run(char *text, struct fx_buf *out)
{
	FX_AUTO_DAG struct fx_dag *dag = fx_dag_new();
	bool in_drawing = false;
	char *rest;

	for (char *line = text; line && *line; line = rest) {
		rest = strchr(line, '\n');
		if (rest)
			*rest++ = '\0';
		if (fx_str_starts(line, "---- ")) {
			in_drawing = true;
			fx_buf_addf(out, "%s\n", line);
			if (fx_str_starts(line, "---- rails"))
				draw_lanes(dag, line, out);
			else
				draw_boxes(dag, line, out);
		}
		if (in_drawing)
			continue;
		fx_buf_addf(out, "%s\n", line);
		if (*line && *line != '#')
			read_node(dag, line);
	}
}

int
main(int argc, char **argv)
{
	FX_AUTO_FREE char *text = NULL;
	FX_AUTO_FREE char *copy = NULL;
	FX_AUTO_BUF struct fx_buf out = { 0 };
	FX_AUTO_ERROR struct fx_error *err = NULL;
	int status = EXIT_SUCCESS;

	if (argc != 2)
		return 99;
	err = fx_file_read(argv[1], 0, &text, NULL);
	if (err) {
		fprintf(stderr, "%s\n", fx_error_message(err));
		return 99;
	}
	copy = fx_xstrdup(text);
	run(copy, &out);
	if (!fxt_is_golden(argv[1], text, fx_buf_text(&out)))
		status = EXIT_FAILURE;
	fx_intern_shutdown();
	return status;
}

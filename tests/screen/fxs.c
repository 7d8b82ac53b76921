/* fxs.c - runs a screen test: keys, and the screen after them, on the null
 * screen.
 *
 *	# The fact that the file shows.
 *	> load tests/screen/block.py
 *	size 80x24
 *	keys sj<Tab>:print 1<Enter>
 *	---- screen
 *	...
 *	---- roles
 *	...
 *	---- cursor
 *	...
 *	---- end
 *
 * Lines with > run before the screen is there; size, ascii and colors 256 come
 * before the first keys, end ends the last screen.  The file has to end with
 *the screen closed by q or quit, which shows its exit status, or it is hung up.
 * With FXDB_UPDATE=1 the screens are rewritten; a new file has none: its lines
 *of keys get them.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/out/record.h"
#include "commands/shell/cmd.h"
#include "session/session.h"
#include "tests/support/golden.h"
#include "tests/support/line_plain.h"
#include "tests/support/null_screen.h"
#include "ui/tui/line.h"
#include "ui/tui/screen.h"
#include "ui/tui/tui.h"

struct test {
	struct cmd_shell *shell;
	struct tui_screen *screen;
	char *next; /* what is not read of the file */
	int rows;
	int columns;
	enum fx_lines lines;
	int colors;
	struct fx_buf out; /* the file as it is now */
	bool skips;        /* in an old screen */
};

/* The next line of the file, or NULL. */
static char *
next_line(struct test *test)
{
	char *line = test->next;
	char *end;

	if (!line || !*line)
		return NULL;
	end = strchr(line, '\n');
	if (end)
		*end++ = '\0';
	test->next = end;
	return line;
}

static void
run_command(struct test *test, const char *line)
{
	struct out_recording *recording = out_recording_new();
	struct out *out = out_new_recording(recording);
	struct fx_error *err = cmd_run(test->shell, line, out);

	if (err) {
		fprintf(stderr, "%s: %s\n", line, fx_error_message(err));
		exit(99);
	}
	out_free(out);
	out_recording_free(recording);
}

/* One letter for the role of each cell: '.' plain, 'n' node, '>' current.  As
 * the text has them, lines end at the last character.
 */
static void
print_roles(const struct fx_canvas *grid, struct fx_buf *out)
{
	static const char letters[] = {
#define FX_ROLE(id, letter) letter,
#include "base/role.def"
	};
	size_t end = out->length;

	for (int row = 0; row < grid->rows; row++) {
		size_t line_end = out->length;

		for (int column = 0; column < grid->columns; column++) {
			const struct fx_cell *cell =
				fx_canvas_cell(grid, row, column);

			fx_buf_add_char(out, letters[cell->role]);
			if (cell->width && (!cell->code || cell->code == ' '))
				continue;
			line_end = out->length;
			end = line_end + 1;
		}
		fx_buf_truncate(out, line_end);
		fx_buf_add_char(out, '\n');
	}
	fx_buf_truncate(out, end);
}

/* Of each cell that has colours its ink and its paper, as numbers of 256. */
static void
print_colors(const struct fx_canvas *grid, struct fx_buf *out)
{
	for (int row = 0; row < grid->rows; row++) {
		size_t begin = out->length;

		for (int column = 0; column < grid->columns; column++) {
			const struct fx_cell *cell =
				fx_canvas_cell(grid, row, column);

			if (cell->ink)
				fx_buf_addf(out, "%s%d/%d",
					out->length > begin ? " " : "",
					cell->ink, cell->paper);
		}
		if (out->length > begin)
			fx_buf_add_char(out, '\n');
	}
}

static void
show(struct test *test, const char *what, const struct fx_canvas *grid,
	int cursor_row, int cursor_column)
{
	if (strcmp(what, "screen") == 0)
		fx_canvas_print(grid, &test->out);
	else if (strcmp(what, "roles") == 0)
		print_roles(grid, &test->out);
	else if (strcmp(what, "colors") == 0)
		print_colors(grid, &test->out);
	else if (strcmp(what, "copied") == 0)
		fx_buf_addf(&test->out, "%s\n",
			fxt_null_screen_copied(test->screen));
	else if (strcmp(what, "cursor") == 0)
		fx_buf_addf(&test->out, "%d,%d\n", cursor_row, cursor_column);
}

/* Everything typed has been handled: compare, then type more. */
static bool
on_idle(void *context, const struct fx_canvas *grid, int cursor_row,
	int cursor_column)
{
	struct test *test = context;
	char *line;

	while ((line = next_line(test))) {
		bool is_mark = fx_str_starts(line, "---- ");

		if (test->skips && !is_mark)
			continue;
		fx_buf_addf(&test->out, "%s\n", line);
		test->skips = is_mark && strcmp(line, "---- end") != 0;
		if (is_mark)
			show(test, line + 5, grid, cursor_row, cursor_column);
		if (!fx_str_starts(line, "keys "))
			continue;
		if (!fxt_null_screen_keys(test->screen, line + 5)) {
			fprintf(stderr, "unknown key in: %s\n", line);
			exit(99);
		}
		return true;
	}
	return false;
}

/* What comes before the first keys. */
static void
read_head(struct test *test)
{
	char *line;

	while ((line = next_line(test))) {
		if (fx_str_starts(line, "keys ") ||
			fx_str_starts(line, "---- ")) {
			/* Give it back. */
			line[strlen(line)] = '\n';
			test->next = line;
			break;
		}
		fx_buf_addf(&test->out, "%s\n", line);
		if (fx_str_starts(line, "> "))
			run_command(test, line + 2);
		else if (fx_str_starts(line, "size "))
			sscanf(line + 5, "%dx%d", &test->columns, &test->rows);
		else if (strcmp(line, "ascii") == 0)
			test->lines = FX_LINES_ASCII;
		else if (fx_str_starts(line, "colors "))
			sscanf(line + 7, "%d", &test->colors);
	}
}

static void
run(struct test *test)
{
	struct tui_line *line = fxt_line_plain_new(test->shell);
	struct tui_options options = { .shell = test->shell, .line = line };
	struct tui_result result;

	read_head(test);
	test->screen = fxt_null_screen(test->rows, test->columns, test->lines);
	test->screen->colors = test->colors;
	fxt_null_screen_on_idle(test->screen, on_idle, test);
	tui_run_on(test->screen, &options, &result);
	if (result.end == TUI_END_LEFT)
		fx_buf_add(&test->out, "---- left\n");
	if (result.end == TUI_END_QUIT)
		fx_buf_addf(&test->out, "---- quit %d\n", result.status);
	tui_screen_free(test->screen);
	fxt_line_plain_free(line);
}

/* TEXT, which has no screen yet, with room for one after all its keys. */
static char *
with_screens(const char *text)
{
	struct fx_buf out = { 0 };

	while (*text) {
		size_t length = strcspn(text, "\n");

		fx_buf_addf(&out, "%.*s\n", (int)length, text);
		if (fx_str_starts(text, "keys "))
			fx_buf_add(&out, "---- screen\n---- roles\n---- end\n");
		text += length + (text[length] == '\n');
	}
	return fx_buf_take(&out);
}

int
main(int argc, char **argv)
{
	const char *folder = getenv("FXDB_SRCDIR");
	struct test test = { .rows = 24, .columns = 80 };
	struct fx_session *session = fx_session_new();
	FX_AUTO_FREE char *path = argc == 2 ? realpath(argv[1], NULL) : NULL;
	FX_AUTO_FREE char *text = NULL;
	FX_AUTO_FREE char *copy = NULL;
	struct fx_error *err;
	int status = EXIT_SUCCESS;

	if (!path || (folder && chdir(folder) < 0))
		return 99;
	err = fx_file_read(path, 0, &text, NULL);
	if (err) {
		fprintf(stderr, "%s\n", fx_error_message(err));
		return 99;
	}
	if (strstr(text, "\n---- ")) {
		copy = fx_xstrdup(text);
	} else if (fxt_golden_is_updated()) {
		copy = with_screens(text);
	} else {
		fprintf(stderr,
			"%s: no ---- screen after the keys; FXDB_UPDATE=1 "
			"writes it\n",
			path);
		return 99;
	}
	test.next = copy;
	test.shell = cmd_shell_new(session);
	/* Shapes are the same everywhere, whatever libtorch there is. */
	run_command(&test, "set backend meta");
	run(&test);
	cmd_shell_free(test.shell);
	if (!fxt_is_golden(path, text, fx_buf_text(&test.out)))
		status = EXIT_FAILURE;
	fx_buf_deinit(&test.out);
	fx_session_free(session);
	fx_intern_shutdown();
	return status;
}

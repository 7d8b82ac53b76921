/* script.c - running lines from a text or a file. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "commands/out/out.h"
#include "commands/shell/shell.h"

static bool
is_blank_line(const char *line)
{
	line += strspn(line, " \t\r");
	return !*line || *line == '#';
}

/* A lecture has its words in comments: lines that follow each other are one
 * paragraph, which is said once its end has been seen.
 */
static void
say_paragraph(struct fx_buf *words, struct out *out)
{
	if (words->length)
		out_text(out, 0, fx_buf_text(words), words->length);
	fx_buf_clear(words);
}

/* A comment without words, or a line without anything, is an empty line. */
static void
add_comment(struct fx_buf *words, const char *line, struct out *out)
{
	line += strspn(line, " \t\r");
	if (*line == '#')
		line += 1 + (line[1] == ' ');
	if (*line) {
		fx_buf_addf(words, "%s%s", words->length ? " " : "", line);
		return;
	}
	say_paragraph(words, out);
	out_line(out, FX_ROLE_PLAIN, "%s", "");
}

/* For SECONDS, or until a key; 0: keys are for the lecture from here on. */
static struct fx_error *
pause_lecture(struct cmd_shell *shell, const struct cmd_source_options *options,
	double seconds)
{
	const struct front *front = shell->front;

	if (options->pace != 0 && front->pause(front->context, seconds))
		return fx_error_new(FX_ERR_INTERRUPTED, "interrupted");
	return NULL;
}

/* Run one line of a script, which began at LINE_NUMBER of FILE. */
static struct fx_error *
run_script_line(struct cmd_shell *shell, const char *file, const char *line,
	const struct cmd_source_options *options, struct out *out)
{
	int number = shell->script->line;
	struct fx_error *err;
	bool stops;

	if (options->verbose || options->is_paced)
		out_line(out, FX_ROLE_PROMPT, "(fxdb) %s", line);
	err = cmd_run(shell, line, out);
	if (!err && options->is_paced)
		err = pause_lecture(shell, options, options->pace);
	if (!err)
		return NULL;
	stops = !options->keep_going ||
		fx_error_code(err) == FX_ERR_INTERRUPTED;
	if (file)
		err = fx_error_place(err, file, number);
	if (stops)
		return err;
	cmd_shell_report(shell, err);
	out_error(out, err);
	fx_error_free(err);
	return NULL;
}

struct fx_error *
cmd_run_text(struct cmd_shell *shell, const char *file, const char *text,
	const struct cmd_source_options *options, struct out *out)
{
	struct cmd_script script = { .outer = shell->script,
		.file = file,
		.text = text,
		.is_command = options->is_command };
	FX_AUTO_BUF struct fx_buf words = { 0 };
	struct fx_error *err = NULL;

	if (options->is_paced)
		err = pause_lecture(shell, options, 0);
	shell->script = &script;
	while (!err && !shell->is_quitting) {
		FX_AUTO_FREE char *line = NULL;

		if (!*script.text || (options->ends_at_stop &&
					     shell->stop_commands.has_moved))
			break;
		line = cmd_shell_read_line(shell, "");
		if (is_blank_line(line)) {
			if (options->is_paced)
				add_comment(&words, line, out);
			continue;
		}
		say_paragraph(&words, out);
		err = run_script_line(shell, file, line, options, out);
	}
	say_paragraph(&words, out);
	shell->script = script.outer;
	return err;
}

static struct fx_error *
read_script(const char *path, char **ret)
{
	FX_AUTO_FREE char *full = fx_file_expand(path);
	FX_AUTO_FREE char *text = NULL;
	struct fx_error *err;
	size_t size;
	size_t bad;

	/* The usual way to say: no script. */
	if (!strcmp(full, "/dev/null")) {
		*ret = fx_xstrdup("");
		return NULL;
	}
	err = fx_file_read(full, 64 << 20, &text, &size);
	if (err)
		return err;
	bad = FX_MIN(fx_utf8_valid(text, size), strlen(text));
	if (bad < size)
		return fx_error_new(FX_ERR_SYNTAX,
			"%s is not text: byte 0x%02x at offset %zu", path,
			(unsigned char)text[bad], bad);
	*ret = FX_TAKE(text);
	return NULL;
}

struct fx_error *
cmd_source_with(struct cmd_shell *shell, const char *path,
	const struct cmd_source_options *options, struct out *out)
{
	FX_AUTO_FREE char *text = NULL;
	struct fx_error *err = read_script(path, &text);

	if (err)
		return err;
	return cmd_run_text(shell, path, text, options, out);
}

struct fx_error *
cmd_source(struct cmd_shell *shell, const char *path, bool keep_going,
	struct out *out)
{
	struct cmd_source_options options = { .keep_going = keep_going };

	return cmd_source_with(shell, path, &options, out);
}

/* open.c - what is this, and who reads it. */
#include <config.h>

#include "load/open.h"

#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "ir/graph.h"
#include "load/folder.h"
#include "load/fx.h"
#include "load/jsonl.h"
#include "load/paste.h"
#include "load/pt2.h"
#include "load/python.h"
#include "load/source.h"

void
fx_loaded_deinit(struct fx_loaded *loaded)
{
	fx_graph_free(loaded->graph);
	loaded->graph = NULL;
	fx_buf_deinit(&loaded->notices);
}

const char *
fx_load_name(const struct fx_load_input *input)
{
	return input->path ? input->path : "the text";
}

/* Return the format of the file which the line at TEXT tells.  TEXT begins with
 * the first word of the line.
 */
static enum fx_format
format_of_line(const char *text)
{
	static const struct {
		const char *begin;
		enum fx_format format;
	} rows[] = {
		{ "ExportedProgram:", FX_FORMAT_EXPORTED },
		{ "graph(", FX_FORMAT_LISTING },
		{ "%", FX_FORMAT_LISTING },
		{ "class ", FX_FORMAT_READABLE },
		{ "def ", FX_FORMAT_PYTHON },
		{ "import ", FX_FORMAT_PYTHON },
		{ "from ", FX_FORMAT_PYTHON },
		{ "torch.fx.", FX_FORMAT_PYTHON },
	};
	size_t i;

	for (i = 0; i < FX_ARRAY_LEN(rows); i++)
		if (fx_str_starts(text, rows[i].begin))
			return rows[i].format;
	return FX_FORMAT_UNKNOWN;
}

/* Look at the lines of a tidied text until one tells. */
static enum fx_format
format_of_lines(const char *text)
{
	int lines;

	if (fx_is_printed(text))
		return FX_FORMAT_PYTHON;
	for (lines = 0; *text && lines < 200; lines++) {
		enum fx_format format;

		text += strspn(text, " \t\n");
		format = format_of_line(text);
		if (format != FX_FORMAT_UNKNOWN)
			return format;
		text += strcspn(text, "\n");
	}
	return FX_FORMAT_UNKNOWN;
}

/* What TEXT is, by its first lines. */
static enum fx_format
format_of(const char *text, size_t length)
{
	struct fx_load_input head = { .text = text,
		.length = FX_MIN(length, (size_t)65536) };
	FX_AUTO_FREE char *tidied = NULL;
	size_t tidied_length;

	if (memchr(text, '\0', length))
		return FX_FORMAT_BINARY;
	if (fx_is_jsonl(text, length))
		return FX_FORMAT_FXG;
	tidied = fx_strip_log(&head, &tidied_length);
	return format_of_lines(tidied);
}

struct fx_error *
fx_load_inner_graph(const struct fx_load_input *input, uint32_t *total,
	struct fx_graph **ret)
{
	if (*total == UINT16_MAX)
		return fx_error_new(FX_ERR_LIMIT,
			"%s has more than %d graphs within its graph",
			fx_load_name(input), UINT16_MAX);
	*ret = fx_graph_new(input->serial + (++*total << 16));
	return NULL;
}

/* The heading of Graph.print_tabular. */
static bool
is_tabular(const char *text)
{
	static const char *const words[] = { "opcode", "name", "target", "args",
		"kwargs" };

	for (size_t i = 0; i < FX_ARRAY_LEN(words); i++) {
		text += strspn(text, " \t\n>|");
		if (!fx_str_starts(text, words[i]))
			return false;
		text += strlen(words[i]);
	}
	return true;
}

static struct fx_error *
refuse(const struct fx_load_input *input, enum fx_format format)
{
	const char *path = fx_load_name(input);
	struct fx_error *err;

	if (input->length == 0)
		return fx_error_new(FX_ERR_FORMAT, "%s is empty", path);
	if (format == FX_FORMAT_UNKNOWN && is_tabular(input->text))
		return fx_error_hint(fx_error_new(FX_ERR_FORMAT,
					     "%s is a table of "
					     "print_tabular(), which does "
					     "not say what its functions are",
					     path),
			"print(gm.graph) says all of a graph, print(gm) its "
			"modules too");
	if (format != FX_FORMAT_BINARY)
		err = fx_error_new(FX_ERR_FORMAT,
			"%s is no graph that fxdb knows", path);
	else if (fx_str_starts(input->text, "PK\003\004"))
		err = fx_error_new(FX_ERR_FORMAT,
			"%s is a zip archive, which is read from a regular "
			"file only",
			path);
	else
		err = fx_error_new(FX_ERR_FORMAT, "%s is not text", path);
	return fx_error_hint(err,
		"known: .fxg, gm.code, print_readable(), str(graph), "
		"str(ExportedProgram), a folder of to_folder, .pt2 of "
		"torch.export%s",
		format == FX_FORMAT_BINARY ? ""
					   : "; source FILE, or fxdb -x FILE, "
					     "runs commands");
}

/* Text must be UTF-8; a graph in another encoding is not read by luck. */
static struct fx_error *
check_encoding(const struct fx_load_input *input)
{
	size_t bad = fx_utf8_valid(input->text, input->length);

	if (bad == input->length)
		return NULL;
	return fx_error_new(FX_ERR_FORMAT, "%s is not UTF-8 text (byte %zu)",
		fx_load_name(input), bad);
}

/* Printed code, but not the source of a model. */
static struct fx_error *
load_code(const struct fx_load_input *input, struct fx_graph **ret)
{
	FX_AUTO_FREE char *text = NULL;
	struct fx_error *err = check_encoding(input);
	size_t length;

	if (err)
		return err;
	text = fx_strip_log(input, &length);
	if (fx_is_printed(text) && !fx_printed_modules(text))
		return fx_error_hint(fx_error_new(FX_ERR_FORMAT,
					     "%s shows modules, and not the "
					     "code of a graph",
					     fx_load_name(input)),
			"print(gm) of a GraphModule shows both; trace "
			"FILE.py:CLASS traces a model");
	err = fx_source_check(input, text);
	if (err)
		return err;
	err = fx_load_python(input, ret);
	return err ? fx_source_suspect(err, input, text) : NULL;
}

static struct fx_error *
load(const struct fx_load_input *input, enum fx_format format,
	struct fx_graph **ret)
{
	struct fx_error *err;

	switch (format) {
	case FX_FORMAT_FXG:
		return fx_load_jsonl(input, ret);
	case FX_FORMAT_PYTHON:
	case FX_FORMAT_READABLE:
	case FX_FORMAT_EXPORTED:
		return load_code(input, ret);
	case FX_FORMAT_LISTING:
		err = check_encoding(input);
		return err ? err : fx_load_fx(input, ret);
	case FX_FORMAT_UNKNOWN:
	case FX_FORMAT_BINARY:
	case FX_FORMAT_FOLDER:
	case FX_FORMAT_PT2:
	case FX_FORMAT_COUNT:
		break;
	}
	return refuse(input, format);
}

struct fx_error *
fx_open_text(const struct fx_load_input *input, struct fx_loaded *ret)
{
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	struct fx_load_input full = *input;
	FX_AUTO_FREE char *chosen = NULL;
	struct fx_error *err;

	if (input->length > FX_TEXT_LIMIT)
		return fx_error_new(FX_ERR_LIMIT,
			"the text has more than %zu bytes", FX_TEXT_LIMIT);
	full.notices = &loaded.notices;
	loaded.format = format_of(input->text, input->length);
	if (loaded.format != FX_FORMAT_BINARY &&
		loaded.format != FX_FORMAT_FXG) {
		err = fx_paste_choose(input, &chosen);
		if (err)
			return err;
		full.text = chosen;
		full.length = strlen(chosen);
		loaded.format = format_of(full.text, full.length);
	}
	err = load(&full, loaded.format, &loaded.graph);
	if (err)
		return err;
	*ret = loaded;
	memset(&loaded, 0, sizeof(loaded));
	return NULL;
}

static bool
is_folder(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

struct fx_error *
fx_open(const char *path, uint32_t serial, struct fx_loaded *ret)
{
	return fx_open_graph(path, 0, serial, ret);
}

struct fx_error *
fx_open_graph(const char *path, size_t graph, uint32_t serial,
	struct fx_loaded *ret)
{
	FX_AUTO_FREE char *expanded = fx_file_expand(path);
	FX_AUTO_FREE char *text = NULL;
	struct fx_load_input input = {
		.path = expanded, .serial = serial, .graph = graph
	};
	struct fx_error *err;

	if (is_folder(expanded))
		return fx_load_folder(expanded, serial, ret);
	if (fx_may_be_pt2(expanded))
		return fx_load_pt2(expanded, serial, ret);
	err = fx_file_read(expanded, FX_TEXT_LIMIT, &text, &input.length);
	if (err)
		return err;
	input.text = text;
	return fx_open_text(&input, ret);
}

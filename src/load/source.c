/* source.c - tells a model's own source from a printed graph. */
#include <config.h>

#include "load/source.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "load/open.h"

/* Names that an error lists. */
#define LIST_LIMIT 8

/* A piece of the text. */
struct name {
	const char *begin;
	size_t length;
};

/* What stands without indentation. */
struct survey {
	bool imports;
	bool is_printed; /* from torch.nn import * */
	bool has_init;   /* in a class */
	bool in_class;
	size_t class_count;
	size_t function_count; /* other than `forward` */
	FX_VEC(struct name) classes;
	FX_VEC(struct name) functions;
};

static struct name
name_at(const char *text)
{
	struct name name = { .begin = text };

	while (name.length < 100 && text[name.length] != '\n' &&
		text[name.length] && !strchr(" \t(:", text[name.length]))
		name.length++;
	return name;
}

static void
note_function(struct survey *survey, const char *text)
{
	struct name name = name_at(text);

	survey->in_class = false;
	if (name.length == 7 && fx_str_starts(text, "forward"))
		return;
	if (survey->function_count++ < LIST_LIMIT)
		fx_vec_push(&survey->functions, name);
}

static void
note_line(struct survey *survey, const char *line)
{
	const char *inner = line;

	while (*inner == ' ' || *inner == '\t')
		inner++;
	if (inner != line) {
		if (survey->in_class && fx_str_starts(inner, "def __init__"))
			survey->has_init = true;
	} else if (fx_str_starts(line, "class ")) {
		survey->in_class = true;
		if (survey->class_count++ < LIST_LIMIT)
			fx_vec_push(&survey->classes, name_at(line + 6));
	} else if (fx_str_starts(line, "def ")) {
		note_function(survey, line + 4);
	} else if (fx_str_starts(line, "from torch.nn import *")) {
		survey->is_printed = true;
	} else if (fx_str_starts(line, "import ") ||
		   fx_str_starts(line, "from ")) {
		survey->imports = true;
	}
}

static void
look(struct survey *survey, const char *text)
{
	while (*text) {
		note_line(survey, text);
		text = strchrnul(text, '\n');
		text += *text == '\n';
	}
}

static void
survey_deinit(struct survey *survey)
{
	fx_vec_deinit(&survey->classes);
	fx_vec_deinit(&survey->functions);
}
FX_DEFINE_DEINIT(survey, struct survey, survey_deinit);

static struct fx_error *
note_names(struct fx_error *err, const struct name *names, size_t total,
	const char *one, const char *many)
{
	FX_AUTO_BUF struct fx_buf list = { 0 };
	size_t i;

	for (i = 0; i < total && i < LIST_LIMIT; i++)
		fx_buf_addf(&list, "%s%.*s", i ? ", " : "",
			(int)names[i].length, names[i].begin);
	if (total > LIST_LIMIT)
		fx_buf_addf(&list, " (+%zu more)", total - LIST_LIMIT);
	return fx_error_note(err, "it has the %s %s", total == 1 ? one : many,
		fx_buf_text(&list));
}

struct fx_error *
fx_source_check(const struct fx_load_input *input, const char *text)
{
	const char *path = input->path ? input->path : "FILE.py";
	FX_AUTO(survey) struct survey survey = { 0 };
	struct fx_error *err;
	struct name first;

	look(&survey, text);
	if (!survey.imports || survey.is_printed ||
		!(survey.has_init || survey.class_count > 1 ||
			survey.function_count))
		return NULL;
	err = fx_error_new(FX_ERR_FORMAT,
		"%s is Python source, not a printed graph",
		fx_load_name(input));
	if (survey.class_count)
		err = note_names(err, survey.classes.items, survey.class_count,
			"class", "classes");
	else
		err = note_names(err, survey.functions.items,
			survey.function_count, "function", "functions");
	first = survey.class_count ? survey.classes.items[0]
				   : survey.functions.items[0];
	return fx_error_hint(err,
		"trace %s:%.*s traces it; in a shell fxdb %s:%.*s does", path,
		(int)first.length, first.begin, path, (int)first.length,
		first.begin);
}

struct fx_error *
fx_source_suspect(struct fx_error *err, const struct fx_load_input *input,
	const char *text)
{
	FX_AUTO(survey) struct survey survey = { 0 };

	if (fx_error_code(err) != FX_ERR_SYNTAX || fx_error_hint_text(err))
		return err;
	look(&survey, text);
	if (!survey.imports || survey.is_printed)
		return err;
	return fx_error_hint(err,
		"is it the source of a model? trace %s:NAME traces a class or "
		"a function",
		input->path ? input->path : "FILE.py");
}

/* Pasted text made plain: no colours, no carriage returns. */

/* Bytes of the colour sequence at TEXT, or 0. */
static size_t
colour_length(const char *text)
{
	size_t i = 2;

	if (text[0] != '\033' || text[1] != '[')
		return 0;
	while ((text[i] >= '0' && text[i] <= '9') || text[i] == ';')
		i++;
	return text[i] >= '@' && text[i] <= '~' ? i + 1 : 0;
}

static size_t
drop_colours(char *text, size_t length)
{
	size_t to = 0;
	size_t from = 0;

	while (from < length) {
		size_t colour = colour_length(text + from);

		if (colour > 0)
			from += colour;
		else if (text[from] == '\r')
			from++;
		else
			text[to++] = text[from++];
	}
	text[to] = '\0';
	return to;
}

/* The mark that every line with text begins with: "> " or "| "; '\0' when
 * there is none.
 */
static char
common_mark(const char *text)
{
	char mark = '\0';

	while (*text) {
		const char *line = text + strspn(text, " \t");
		const char *end = text + strcspn(text, "\n");

		if (line < end) {
			bool fits = *line == '>' || *line == '|';

			if (!fits || (mark && *line != mark))
				return '\0';
			mark = *line;
		}
		text = *end ? end + 1 : end;
	}
	return mark;
}

static void
blank_marks(char *text)
{
	while (*text) {
		char *line = text + strspn(text, " \t");
		char *end = text + strcspn(text, "\n");

		if (line < end)
			*line = ' ';
		text = *end ? end + 1 : end;
	}
}

char *
fx_strip_log(const struct fx_load_input *input, size_t *length_ret)
{
	char *text = fx_xstrndup(input->text, input->length);

	if (memchr(text, '\033', input->length) ||
		memchr(text, '\r', input->length))
		drop_colours(text, input->length);
	if (common_mark(text))
		blank_marks(text);
	*length_ret = strlen(text);
	return text;
}

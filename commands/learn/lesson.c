/* lesson.c - reading the lessons, and the list of them. */
#include <config.h>

#include "commands/learn/lesson.h"

#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/cmd.h"

extern const char fx_lessons_text[];

static const struct {
	const char *word;
	bool of_step;
	size_t offset; /* of a text in the lesson or step */
} texts[] = {
	{ "lesson", false, offsetof(struct cmd_lesson, title) },
	{ "model", false, offsetof(struct cmd_lesson, model) },
	{ "file", false, offsetof(struct cmd_lesson, file) },
	{ "class", false, offsetof(struct cmd_lesson, class_name) },
	{ "breaks", false, offsetof(struct cmd_lesson, breaks) },
	{ "aside", false, offsetof(struct cmd_lesson, aside) },
	{ "says", false, offsetof(struct cmd_lesson, says) },
	{ "end", false, offsetof(struct cmd_lesson, end) },
	{ "say", true, offsetof(struct cmd_step, say) },
	{ "do", true, offsetof(struct cmd_step, task) },
	{ "hint", true, offsetof(struct cmd_step, hint) },
	{ "line", true, offsetof(struct cmd_step, line) },
	{ "instead", true, offsetof(struct cmd_step, instead) },
	{ "done", true, offsetof(struct cmd_step, done) },
	{ "way", true, offsetof(struct cmd_step, way) },
	{ "needs", true, offsetof(struct cmd_step, needs) },
};

static const char *const checks[] = {
	[CMD_CHECK_SAID] = "said",
	[CMD_CHECK_UNSAID] = "unsaid",
	[CMD_CHECK_RAN] = "ran",
	[CMD_CHECK_AT] = "at",
	[CMD_CHECK_IS] = "is",
};

/* The I-th of the texts, in BASE. */
static const char **
text_at(void *base, size_t i)
{
	return (const char **)(void *)((char *)base + texts[i].offset);
}

static bool
begins_lesson(const char *line)
{
	return fx_str_starts(line, "lesson\t");
}

/* The text after the keyword of *LINE, which moves behind it. */
static const char *
take_text(const char **line)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	*line += strcspn(*line, "\t\n");
	while (**line == '\t') {
		if (text.length)
			fx_buf_add_char(&text, ' ');
		fx_buf_add_n(&text, *line + 1, strcspn(*line + 1, "\n"));
		*line = fx_str_next_line(*line);
	}
	if (**line == '\n')
		++*line;
	return fx_intern(fx_buf_text(&text));
}

static void
add_step(struct cmd_lesson *lesson)
{
	struct cmd_step step = { 0 };

	for (size_t i = 0; i < FX_ARRAY_LEN(texts); i++)
		if (texts[i].of_step)
			*text_at(&step, i) = "";

	fx_vec_push(&lesson->steps, step);
}

/* KEYWORD says what TEXT is; false when it says nothing here. */
static bool
put_text(struct cmd_lesson *lesson, const char *keyword, const char *text)
{
	struct cmd_step *step =
		lesson->steps.count ? &fx_vec_last(&lesson->steps) : NULL;

	for (size_t i = 0; i < FX_ARRAY_LEN(texts); i++) {
		void *base = texts[i].of_step ? (void *)step : (void *)lesson;

		if (strcmp(texts[i].word, keyword) != 0 || !base)
			continue;
		*text_at(base, i) = text;
		return true;
	}
	for (size_t i = 0; step && i < FX_ARRAY_LEN(checks); i++) {
		struct cmd_check check = { (enum cmd_check_kind)i, text };

		if (strcmp(checks[i], keyword) != 0)
			continue;
		fx_vec_push(&step->checks, check);
		return true;
	}
	return false;
}

size_t
cmd_lesson_count(void)
{
	size_t count = 0;

	for (const char *line = fx_lessons_text; *line;
		line = fx_str_next_line(line))
		count += begins_lesson(line);
	return count;
}

static void
read_line(struct cmd_lesson *lesson, const char **line)
{
	FX_AUTO_FREE char *keyword = fx_xstrndup(*line, strcspn(*line, "\t\n"));

	if (!*keyword || *keyword == '#') {
		*line = fx_str_next_line(*line);
	} else if (!strcmp(keyword, "step")) {
		add_step(lesson);
		*line = fx_str_next_line(*line);
	} else if (!put_text(lesson, keyword, take_text(line))) {
		lesson->bad_lines++;
	}
}

void
cmd_lesson_read(size_t index, struct cmd_lesson *ret)
{
	const char *line = fx_lessons_text;

	*ret = (struct cmd_lesson){ 0 };
	for (size_t i = 0; i < FX_ARRAY_LEN(texts); i++)
		if (!texts[i].of_step)
			*text_at(ret, i) = "";
	for (;; line = fx_str_next_line(line))
		if (begins_lesson(line) && !index--)
			break;
	do
		read_line(ret, &line);
	while (*line && !begins_lesson(line));
}

void
cmd_lesson_deinit(struct cmd_lesson *lesson)
{
	struct cmd_step *step;

	fx_vec_for_each (step, &lesson->steps)
		fx_vec_deinit(&step->checks);
	fx_vec_deinit(&lesson->steps);
}

struct fx_error *
cmd_lesson_list(struct cmd_ctx *ctx)
{
	static const char *const keys[] = { "lesson", "title", "steps" };

	out_table_begin(ctx->out, "lessons", FX_ARRAY_LEN(keys), keys);
	for (size_t i = 0; i < cmd_lesson_count(); i++) {
		struct cmd_lesson lesson;

		cmd_lesson_read(i, &lesson);
		out_cell_int(ctx->out, FX_ROLE_NUMBER, (int64_t)i + 1);
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s", lesson.title);
		out_cell_int(ctx->out, FX_ROLE_NUMBER,
			(int64_t)lesson.steps.count);
		cmd_lesson_deinit(&lesson);
	}
	out_table_end(ctx->out);
	return NULL;
}

/* help_topics.c - the pages of help that are no commands: those of
 * concepts.def, and the words of doc/lessons/words.txt.
 */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/str.h"
#include "commands/learn/help.h"

extern const char fx_words_text[];

static const struct cmd_help_topic concepts[] = {
#define CMD_HELP_TOPIC(word, summary, text) { word, summary, text, false },
#include "commands/learn/help_topics.def"
};

static bool
begins_word(const char *line)
{
	return fx_str_starts(line, "= ");
}

/* Lines of a paragraph are joined; what is indented stays as it is. */
static char *
read_text(const char *line)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	for (; *line && !begins_word(line); line = fx_str_next_line(line)) {
		bool joins = text.length && *line != ' ' && *line != '\n' &&
			     text.data[text.length - 1] != '\n';

		if (joins)
			fx_buf_add_char(&text, ' ');
		fx_buf_add_n(&text, line, strcspn(line, "\n"));
		if (*line == ' ')
			fx_buf_add_char(&text, '\n');
		else if (*line == '\n')
			fx_buf_add(&text, "\n\n");
	}
	while (text.length && text.data[text.length - 1] == '\n')
		fx_buf_truncate(&text, text.length - 1);
	return fx_buf_take(&text);
}

/* LINE is "= WORD: SUMMARY", and what follows is its text. */
static void
read_word(const char *line, struct cmd_help_topic *ret)
{
	const char *word = line + strlen("= ");
	size_t length = strcspn(word, ":\n");
	const char *summary = word + length + strspn(word + length, ": ");
	FX_AUTO_FREE char *text = read_text(fx_str_next_line(line));

	ret->word = fx_intern_n(word, length);
	ret->summary = fx_intern_n(summary, strcspn(summary, "\n"));
	ret->text = fx_intern(text);
	ret->is_word = true;
}

bool
cmd_help_topic_at(size_t index, struct cmd_help_topic *ret)
{
	const char *line = fx_words_text;
	size_t at = FX_ARRAY_LEN(concepts);

	if (index < at) {
		*ret = concepts[index];
		return true;
	}
	for (; *line; line = fx_str_next_line(line)) {
		if (!begins_word(line) || at++ < index)
			continue;
		read_word(line, ret);
		return true;
	}
	return false;
}

/* "node", "Nodes": a plural is the same word. */
static bool
means(const char *typed, const char *word)
{
	size_t length = strlen(word);

	return !strncasecmp(typed, word, length) &&
	       (!typed[length] || !strcmp(typed + length, "s"));
}

bool
cmd_help_topic_find(const char *typed, struct cmd_help_topic *ret)
{
	for (size_t i = 0; cmd_help_topic_at(i, ret); i++)
		if (!strcmp(ret->word, typed) ||
			(ret->is_word && means(typed, ret->word)))
			return true;
	return false;
}

/* help.c - what help says, from the tables. */
#include <config.h>

#include "commands/learn/help.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/str.h"
#include "commands/out/out.h"

static void
add_upper(struct fx_buf *out, const char *text)
{
	for (; *text; text++)
		fx_buf_add_char(out, (char)toupper((unsigned char)*text));
}

/* The placeholders of values of some types in a usage line; a value of another
 * type is shown as its own name.
 */
static const char *const value_names[CMD_ARG_REST + 1] = {
	[CMD_ARG_INT] = "N",
	[CMD_ARG_FILE] = "FILE",
	[CMD_ARG_NODE] = "NODE",
	[CMD_ARG_SPEC] = "NAME=SPEC",
};

static void
add_value_name(struct fx_buf *out, const char *name, enum cmd_arg_type type)
{
	if (value_names[type])
		fx_buf_add(out, value_names[type]);
	else
		add_upper(out, name);
}

static void
add_arg(struct fx_buf *out, const struct cmd_arg *arg)
{
	bool optional = arg->flags & CMD_OPTIONAL;

	fx_buf_add(out, optional ? " [" : " ");
	if (arg->flags & CMD_ALONE)
		fx_buf_add(out, "| ");
	if (arg->flags & CMD_KEYWORD) {
		fx_buf_add(out, arg->name);
		fx_buf_add_char(out, ' ');
		add_value_name(out,
			arg->type == CMD_ARG_CONDITION ? "condition"
			: arg->type == CMD_ARG_SET     ? "set"
			: arg->type == CMD_ARG_REST || arg->type == CMD_ARG_EXPR
				? "expression"
				: "name",
			arg->type);
	} else if (arg->choices) {
		fx_buf_add(out, arg->choices);
	} else {
		add_upper(out, arg->name);
	}
	if (arg->flags & CMD_REPEATED)
		fx_buf_add(out, "...");
	if (optional)
		fx_buf_add_char(out, ']');
}

void
cmd_usage(struct fx_buf *out, const struct cmd_entry *entry)
{
	size_t i;

	fx_buf_add(out, entry->name);
	if (entry->needs & CMD_TAKES_FORMAT)
		fx_buf_add(out, "[/FMT]");
	for (i = 0; i < FX_ARRAY_LEN(entry->args) && entry->args[i].name; i++)
		add_arg(out, &entry->args[i]);
	for (i = 0; i < FX_ARRAY_LEN(entry->flags) && entry->flags[i].name;
		i++) {
		const struct cmd_flag *flag = &entry->flags[i];

		if (flag->letter)
			fx_buf_addf(out, " [-%c", flag->letter);
		else
			fx_buf_addf(out, " [--%s", flag->name);
		if (flag->type != CMD_ARG_END) {
			fx_buf_add_char(out, ' ');
			add_value_name(out, flag->name, flag->type);
		}
		fx_buf_add_char(out, ']');
	}
}

void
cmd_flag_usage(struct fx_buf *out, const struct cmd_flag *flag)
{
	if (flag->letter)
		fx_buf_addf(out, "-%c, ", flag->letter);
	fx_buf_addf(out, "--%s", flag->name);
	if (flag->type == CMD_ARG_END)
		return;
	fx_buf_add_char(out, ' ');
	add_value_name(out, flag->name, flag->type);
}

void
cmd_say_wrapped(struct out *out, const char *text, int indent)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		if (!length)
			out_line(out, FX_ROLE_PLAIN, "%s", "");
		else if (*text == ' ')
			out_line(out, FX_ROLE_STRING, "%*s%.*s", indent, "",
				(int)length, text);
		else
			out_text(out, indent, text, length);
		text += length + (text[length] == '\n');
	}
}

/* The pages of help that are no commands: those of
 * concepts.def, and the words of doc/lessons/words.txt.
 */

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

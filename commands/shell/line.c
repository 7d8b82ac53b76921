/* line.c - the head of a line, the flags of a command, separators. */
#include <config.h>

#include "commands/shell/line.h"

#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "commands/shell/process.h"
#include "commands/shell/split.h"
#include "lang/parse.h"

/* Flags that every command has whose arguments are parsed. */
static const struct cmd_flag common_flags[] = {
	{ "json", 'j', CMD_ARG_END, "answer with one JSON object" },
	{ "output", 'o', CMD_ARG_FILE, "write the result to a file" },
	{ "quiet", 'q', CMD_ARG_END, "no notes and warnings" },
	{ "graph", 'g', CMD_ARG_GRAPH, "use another graph than the current" },
	{ "force", 'f', CMD_ARG_END, "let -o replace the file of a graph" },
};

static const struct cmd_flag listing_flags[] = {
	{ "max", 'm', CMD_ARG_INT, "show at most this many rows; 0: all" },
	{ "sort", 's', CMD_ARG_WORD,
		"sort by a column, large numbers first; -KEY: the other way" },
};

void
cmd_parsed_deinit(struct cmd_parsed *parsed)
{
	struct cmd_value *value;

	fx_vec_for_each (value, &parsed->values) {
		free(value->text);
		free(value->canonical);
		free(value->positions);
	}
	fx_vec_deinit(&parsed->values);
}

/* The head. */

static struct fx_error *
check_text(const char *line)
{
	size_t length = strlen(line);
	size_t bad;

	if (length > CMD_LINE_LIMIT)
		return fx_error_new(FX_ERR_LIMIT,
			"the line has %zu bytes, more than %d", length,
			CMD_LINE_LIMIT);
	bad = fx_utf8_valid(line, length);
	if (bad < length)
		return fx_error_new(FX_ERR_SYNTAX,
			"the line is not text: byte 0x%02x at column %zu",
			(unsigned char)line[bad], bad + 1);
	return NULL;
}

/* Add a hint to ERR: a LINE that parses as an expression may be meant for
 * `print`.
 */
static struct fx_error *
hint_print(struct fx_error *err, const char *line)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	size_t length = strlen(line);
	struct fx_ast *tree;
	FX_AUTO_ERROR struct fx_error *other = fx_parse_expression(arena, line,
		length, FX_PARSE_DESIGNATORS, &tree);

	if (*line == ':')
		return fx_error_hint(err,
			"the colon is the full screen's key: %.60s", line + 1);
	if (other || length > 60 || *line == '-')
		return fx_error_hint(err, "expressions need \"print\"");
	return fx_error_hint(err, "print %s", line);
}

static struct fx_error *
no_command(const char *line, size_t begin)
{
	size_t end = begin;
	FX_AUTO_FREE char *word = NULL;
	struct fx_error *err = cmd_refuse_python(line);

	if (err)
		return err;
	while (!cmd_ends_word(line[end]))
		end++;
	word = fx_xstrndup(line + begin, FX_MIN(end - begin, 60));
	return hint_print(fx_error_new(FX_ERR_UNKNOWN_COMMAND,
				  "unknown command \"%s\"", word),
		line + begin);
}

static const char *
shortcut(char c)
{
	switch (c) {
	case '/':
		return "search";
	case '!':
		return "shell";
	case '|':
		return "pipe";
	case '?':
		return "help";
	}
	return NULL;
}

struct fx_error *
cmd_line_head(const char *line, struct cmd_head *ret)
{
	size_t at = cmd_skip_blanks(line, 0);
	struct fx_error *err = check_text(line);

	*ret = (struct cmd_head){ .rest = at };
	if (err)
		return err;
	ret->is_comment = line[at] == '#';
	ret->is_empty = ret->is_comment || !line[at];
	if (ret->is_empty)
		return NULL;
	ret->shortcut = shortcut(line[at]);
	if (ret->shortcut) {
		ret->name = cmd_span(at, at + 1);
		ret->rest = at + 1;
		return NULL;
	}
	if (!cmd_is_letter(line[at]) && line[at] != '_')
		return no_command(line, at);
	ret->name.begin = at;
	while (cmd_is_name_char(line[at]) || line[at] == '-')
		at++;
	ret->name.end = at;
	if (line[at] == '?' &&
		cmd_ends_word(line[cmd_skip_blanks(line, at + 1)])) {
		ret->asks_help = true;
		at++;
	} else if (line[at] == '/') {
		ret->format.begin = ++at;
		while (cmd_is_name_char(line[at]))
			at++;
		ret->format.end = at;
	}
	ret->rest = at;
	return NULL;
}

/* Flags. */

/* What a flag means to a command itself comes before what it means to all. */
static bool
has_own(const struct cmd_entry *entry, size_t own, const char *name)
{
	for (size_t i = 0; i < own; i++)
		if (!strcmp(entry->flags[i].name, name))
			return true;
	return false;
}

const struct cmd_flag *
cmd_entry_flag(const struct cmd_entry *entry, size_t index)
{
	size_t own = 0;

	while (own < FX_ARRAY_LEN(entry->flags) && entry->flags[own].name)
		own++;
	if (index < own)
		return &entry->flags[index];
	index -= own;
	if (entry->needs & CMD_RAW)
		return NULL;
	if (entry->needs & CMD_LISTS) {
		if (index < FX_ARRAY_LEN(listing_flags))
			return &listing_flags[index];
		index -= FX_ARRAY_LEN(listing_flags);
	}
	for (size_t i = 0; i < FX_ARRAY_LEN(common_flags); i++)
		if (!has_own(entry, own, common_flags[i].name) && !index--)
			return &common_flags[i];
	return NULL;
}

/* Looking for separators. */

static size_t
find_apart(const char *text, const char *sign)
{
	size_t length = strlen(sign);
	size_t at = 0;
	int depth = 0;

	while (text[at]) {
		bool apart = (!at || cmd_is_blank(text[at - 1])) &&
			     !strncmp(text + at, sign, length) &&
			     cmd_ends_word(text[at + length]);

		if (apart && !depth)
			return at;
		if (text[at] == '"' || text[at] == '\'') {
			at = cmd_string_end(text, at);
			continue;
		}
		if (strchr("([{", text[at]))
			depth++;
		else if (depth && strchr(")]}", text[at]))
			depth--;
		at++;
	}
	return at;
}

size_t
cmd_line_find_dashes(const char *text)
{
	return find_apart(text, "--");
}

size_t
cmd_line_find_bar(const char *text)
{
	return find_apart(text, "|");
}

bool
cmd_line_is(const char *line, const char *word)
{
	size_t length = strlen(word);

	line += strspn(line, " \t");
	return !strncmp(line, word, length) &&
	       !line[length + strspn(line + length, " \t\r")];
}

bool
cmd_line_opens_block(const char *line)
{
	line += strspn(line, " \t");
	return fx_str_starts(line, "define ") ||
	       fx_str_starts(line, "document ") ||
	       fx_str_starts(line, "commands ") ||
	       cmd_line_is(line, "commands");
}

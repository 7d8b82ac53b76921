/* split.h - what the files that split a line share. */
#ifndef FX_COMMANDS_SHELL_SPLIT_H
#define FX_COMMANDS_SHELL_SPLIT_H

#include <stdbool.h>
#include <stddef.h>

#include "commands/shell/line.h"

struct cmd_split {
	const struct cmd_entry *entry;
	const char *line;
	size_t at;
	bool no_flags;   /* -- came */
	unsigned filled; /* bits of entry->args that have a value */
	struct cmd_parsed *parsed;
};

/* The flag of this command that stands at AT, with the end of its name; the
 * keyword argument there that has no value yet; the next positional argument
 * that wants a value.  NULL when there is none.
 */
const struct cmd_flag *cmd_split_flag_at(const struct cmd_split *split,
	size_t at, size_t *end_ret);
const struct cmd_arg *cmd_split_keyword_at(const struct cmd_split *split,
	size_t at, size_t *end_ret);
const struct cmd_arg *cmd_split_positional(const struct cmd_split *split);

/* Take what stands at split->at, which is not the end. */
FX_NODISCARD struct fx_error *cmd_split_next(struct cmd_split *split);

/* Whether what stands at AT looks like a flag: a dash and a letter. */
bool cmd_split_looks_like_flag(const struct cmd_split *split);

/* How the text of a type is read. */
struct cmd_arg_kind {
	bool is_expression; /* walked as one, rather than a word */
	bool is_query;
	bool keeps_quotes;
};
extern const struct cmd_arg_kind cmd_arg_kinds[CMD_ARG_REST + 1];

/* Small questions about characters. */
static inline bool
cmd_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' ||
	       c == '\v';
}

static inline bool
cmd_ends_word(char c)
{
	return c == '\0' || cmd_is_blank(c);
}

static inline bool
cmd_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool
cmd_is_name_char(char c)
{
	return cmd_is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

static inline size_t
cmd_skip_blanks(const char *line, size_t at)
{
	while (cmd_is_blank(line[at]))
		at++;
	return at;
}

static inline struct fx_span
cmd_span(size_t begin, size_t end)
{
	return (struct fx_span){ begin, end };
}

/* The byte behind the string whose quote stands at AT; the end of the line when
 * it has no other.
 */
size_t cmd_string_end(const char *line, size_t at);

/* split_error.c: ERR (taken) about the bytes from BEGIN to END, with where
 * to read on; no flag of the command stands at split->at; `| head` or `> file`
 * stands there; ARG has no value.
 */
FX_NODISCARD struct fx_error *cmd_split_usage(const struct cmd_split *split,
	struct fx_error *err_taken, size_t begin, size_t end);
FX_NODISCARD struct fx_error *
cmd_split_unknown_flag(const struct cmd_split *split);
/* The word at SPLIT->at, for which no argument is left. */
FX_NODISCARD struct fx_error *
cmd_split_unexpected(const struct cmd_split *split);
FX_NODISCARD struct fx_error *cmd_split_pipe(const struct cmd_split *split);
FX_NODISCARD struct fx_error *cmd_split_missing(const struct cmd_split *split,
	const struct cmd_arg *arg);

#endif /* FX_COMMANDS_SHELL_SPLIT_H */

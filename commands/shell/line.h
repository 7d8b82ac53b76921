/* line.h - a line of text to a command's name, flags and arguments.
 *
 * Only text here (COMMANDS 2): what the words mean is args.c's.
 */
#ifndef FX_COMMANDS_SHELL_LINE_H
#define FX_COMMANDS_SHELL_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/span.h"
#include "base/vec.h"
#include "commands/shell/cmd.h"

/* Longest line that is read, in bytes. */
#define CMD_LINE_LIMIT (1 << 20)

/* The beginning of a line.  `/ WORD`, `!CMD`, `| CMD` and `CMD?` are the
 * commands search, shell, pipe and help.
 */
struct cmd_head {
	bool is_empty;   /* nothing, or only a comment */
	bool is_comment; /* only a comment */
	bool asks_help;  /* CMD? */
	struct fx_span name;
	const char *shortcut; /* the command that a sign stands for, or NULL */
	struct fx_span format;
	size_t rest; /* where the arguments begin */
};

/* Read the head of LINE.  Fails when it is no text or begins with no word. */
FX_NODISCARD struct fx_error *cmd_line_head(const char *line,
	struct cmd_head *ret);

/* One argument, or one flag with its value. */
struct cmd_value {
	const char *name;
	enum cmd_arg_type type;
	bool is_flag;
	struct fx_span span; /* in the line */
	char *text;          /* quotes of words removed; NULL: flag alone */

	/* Filled by canonical.c, for the line that a script keeps. */
	char *canonical;  /* instead of the text, or NULL */
	bool is_left_out; /* the line goes without it */
	bool is_decided;  /* nobody typed it: only that line has it */

	/* Filled by cmd_args. */
	struct fx_node *node;
	size_t *positions;
	size_t count;
	int64_t integer;
};

struct cmd_parsed {
	FX_VEC(struct cmd_value) values;
};
void cmd_parsed_deinit(struct cmd_parsed *parsed);
FX_DEFINE_DEINIT(parsed, struct cmd_parsed, cmd_parsed_deinit);
#define CMD_AUTO_PARSED FX_AUTO(parsed)

/* Split LINE from byte AT into ENTRY's arguments and flags. */
FX_NODISCARD struct fx_error *cmd_line_split(const struct cmd_entry *entry,
	const char *line, size_t at, struct cmd_parsed *ret);

/* The flags that ENTRY takes, its own first, then those that all commands
 * have: the INDEXth, or NULL past the end.
 */
const struct cmd_flag *cmd_entry_flag(const struct cmd_entry *entry,
	size_t index);

/* Where ` -- ` begins and the text after it, or LENGTH; where the first ` | `
 * is.  Both at bracket depth 0 and outside strings.
 */
size_t cmd_line_find_dashes(const char *text);
size_t cmd_line_find_bar(const char *text);

/* Whether LINE is WORD alone; whether `end` has to follow it some lines on. */
bool cmd_line_is(const char *line, const char *word);
bool cmd_line_opens_block(const char *line);

/* Which argument the byte POINT of LINE belongs to, for completion: the type
 * to offer there (CMD_ARG_END: a flag or nothing), the argument (may be NULL)
 * and where its text begins.
 */
struct cmd_arg_at_cursor {
	enum cmd_arg_type type;
	const struct cmd_arg *arg;
	const struct cmd_flag *flag;
	size_t begin;
	bool in_flag; /* the word typed starts with a dash */
};
void cmd_line_place(const struct cmd_entry *entry, const char *line, size_t at,
	size_t point, struct cmd_arg_at_cursor *ret);

#endif /* FX_COMMANDS_SHELL_LINE_H */

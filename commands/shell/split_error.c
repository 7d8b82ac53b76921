/* split_error.c - what is said of a line that does not split as its command
 * wants it.
 */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "commands/shell/shell.h"
#include "commands/shell/split.h"

struct fx_error *
cmd_split_usage(const struct cmd_split *split, struct fx_error *err,
	size_t begin, size_t end)
{
	err = fx_error_at(err, split->line, cmd_span(begin, end));
	return fx_error_hint(err, "help %s", split->entry->name);
}

struct fx_error *
cmd_split_unknown_flag(const struct cmd_split *split)
{
	FX_AUTO_BUF struct fx_buf flags = { 0 };
	const struct cmd_flag *flag;
	size_t end = split->at;
	size_t i;

	while (!cmd_ends_word(split->line[end]))
		end++;
	for (i = 0; (flag = cmd_entry_flag(split->entry, i)); i++) {
		if (flag->letter)
			fx_buf_addf(&flags, " -%c", flag->letter);
		else
			fx_buf_addf(&flags, " --%s", flag->name);
	}
	return fx_error_at(fx_error_note(fx_error_new(FX_ERR_USAGE,
						 "%s: unknown flag \"%.*s\"",
						 split->entry->name,
						 (int)(end - split->at),
						 split->line + split->at),
				   "flags of %s:%s", split->entry->name,
				   fx_buf_text(&flags)),
		split->line, cmd_span(split->at, end));
}

/* Add a hint to ERR with an example of a correct line for the command. */
static FX_NODISCARD struct fx_error *
hint_example(const struct cmd_split *split, struct fx_error *err)
{
	const char *example = split->entry->examples[0].line;

	if (!example)
		return fx_error_hint(err, "help %s", split->entry->name);
	return fx_error_hint(err, "as in %s; help %s says more", example,
		split->entry->name);
}

/* NAME=SPEC where only -i takes one: say so. */
static FX_NODISCARD struct fx_error *
hint_input(const struct cmd_split *split, struct fx_error *err, size_t end)
{
	const char *word = split->line + split->at;
	int length = (int)(end - split->at);
	const struct cmd_flag *flag;

	for (size_t i = 0; (flag = cmd_entry_flag(split->entry, i)); i++)
		if (flag->type == CMD_ARG_SPEC && memchr(word, '=', length))
			return fx_error_hint(err, "-%c %.*s", flag->letter,
				length, word);
	return err;
}

/* How long the name of a node that TEXT begins with is; 0: none. */
static size_t
node_length(const char *text)
{
	size_t length = 0;

	if (isdigit((unsigned char)*text))
		return 0;
	while (isalnum((unsigned char)text[length]) ||
		(text[length] && strchr("_%@.+-", text[length])))
		length++;
	return cmd_ends_word(text[length]) ? length : 0;
}

/* run relu, run to relu: where only a flag takes a node. */
static FX_NODISCARD struct fx_error *
hint_node(const struct cmd_split *split, struct fx_error *err)
{
	const char *word = split->line + split->at;
	const struct cmd_flag *flag = NULL;
	size_t length = node_length(word);

	for (size_t i = 0; !split->entry->args[0].name &&
			   (flag = cmd_entry_flag(split->entry, i));
		i++)
		if (flag->type == CMD_ARG_NODE)
			break;
	if (!flag || !length)
		return err;
	if (strlen(flag->name) == length && !memcmp(flag->name, word, length)) {
		word += cmd_skip_blanks(word, length);
		length = node_length(word);
	}
	if (!length)
		return err;
	return fx_error_hint(err, "%s --%s %.*s", split->entry->name,
		flag->name, (int)length, word);
}

/* `bt full`, as gdb has it: the word is known with its command. */
static FX_NODISCARD struct fx_error *
hint_habit(const struct cmd_split *split, struct fx_error *err_taken,
	size_t end)
{
	FX_AUTO_FREE char *key = fx_xasprintf("%s %.*s", split->entry->name,
		(int)(end - split->at), split->line + split->at);

	return cmd_hint_word(err_taken, key);
}

struct fx_error *
cmd_split_unexpected(const struct cmd_split *split)
{
	const struct cmd_arg *first = &split->entry->args[0];
	struct fx_error *err;
	size_t end = split->at;

	while (!cmd_ends_word(split->line[end]))
		end++;
	err = fx_error_new(FX_ERR_USAGE, "%s: unexpected \"%.*s\"",
		split->entry->name, (int)(end - split->at),
		split->line + split->at);
	err = hint_habit(split, cmd_split_usage(split, err, split->at, end),
		end);
	/* A required word may be the one that is missing, as in `insert y =
	 * CALL`.
	 */
	if (first->name && !(first->flags & CMD_OPTIONAL))
		err = hint_example(split, err);
	return hint_input(split, hint_node(split, err), end);
}

struct fx_error *
cmd_split_pipe(const struct cmd_split *split)
{
	size_t at = split->at;
	bool is_pipe = split->line[at] == '|';
	size_t begin = cmd_skip_blanks(split->line, 0);
	struct fx_error *err =
		fx_error_new(FX_ERR_USAGE, "%s: \"%c\" means nothing here",
			split->entry->name, split->line[at]);

	while (at > begin && cmd_is_blank(split->line[at - 1]))
		at--;
	err = fx_error_at(err, split->line, cmd_span(split->at, split->at + 1));
	if (is_pipe)
		return fx_error_hint(err, "pipe %s", split->line + begin);
	return fx_error_hint(err, "%.*s -o FILE writes it to a file",
		(int)(at - begin), split->line + begin);
}

/* A pattern where a set is wanted reads as a product: say how sets of names
 * are written.
 */
static FX_NODISCARD struct fx_error *
hint_pattern(const struct cmd_split *split, struct fx_error *err)
{
	const char *line = split->line + cmd_skip_blanks(split->line, 0);
	const char *word = line + strcspn(line, " \t");
	size_t length;

	word += cmd_skip_blanks(word, 0);
	length = strcspn(word, " \t={\"");
	if (split->entry->args[0].type != CMD_ARG_SET ||
		!memchr(word, '*', length))
		return err;
	return fx_error_hint(err, "a set of names is written {name~\"%.*s\"}",
		(int)length, word);
}

/* Return the error for ARG, which is missing, with an example of a line that
 * has it.
 */
struct fx_error *
cmd_split_missing(const struct cmd_split *split, const struct cmd_arg *arg)
{
	struct fx_error *err = fx_error_new(FX_ERR_USAGE,
		"%s: expected %s (%s)", split->entry->name,
		arg->choices ? arg->choices : arg->name, arg->help);

	err = fx_error_at(err, split->line, cmd_span(split->at, split->at));
	return hint_pattern(split, hint_example(split, err));
}

/* python.c - lines that are Python's and no command, and what to type.
 *
 * Who knows Python types its statements at the prompt.  They are not run
 * here; each kind has a row that says what comes closest.
 */
#include <config.h>

#include "commands/shell/python.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "commands/shell/shell.h"
#include "commands/shell/split.h"

enum form {
	FORM_WORD,   /* begins with a word */
	FORM_BLOCK,  /* begins with a word and has a colon */
	FORM_ASSIGN, /* NAME =, $NAME =, NAME += */
};

static const struct {
	enum form form;
	const char *words; /* of which it begins with one */
	const char *hint;
} statements[] = {
	{ FORM_WORD, "import from",
		"torch, F, nn and math can be used as they are: print "
		"torch.relu(x); load FILE opens a model" },
	{ FORM_BLOCK, "for while if elif else try def class async",
		"print EXPR shows a value, nodes QUERY lists nodes, define "
		"NAME makes a command of several; trace FILE.py makes a graph "
		"of a model in Python" },
	{ FORM_ASSIGN, "",
		"set $NAME = EXPR keeps a value, set value NODE = EXPR is what "
		"a node gives, input NAME = EXPR gives an input, replace NODE "
		"= CALL changes a node, print EXPR shows a value" },
};

static bool
begins_with(const char *line, const char *words)
{
	return fx_str_has_word(words, ' ', line, strcspn(line, " \t:("));
}

static bool
is_assignment(const char *line)
{
	size_t at = *line == '$' || *line == '%';
	size_t begin = at;

	while (cmd_is_name_char(line[at]))
		at++;
	if (at == begin)
		return false;
	at = cmd_skip_blanks(line, at);
	if (line[at] && strchr("+-*/", line[at]))
		at++;
	return line[at] == '=' && line[at + 1] != '=';
}

static bool
is_form(const char *line, enum form form, const char *words)
{
	switch (form) {
	case FORM_WORD:
		return begins_with(line, words);
	case FORM_BLOCK:
		return begins_with(line, words) && strchr(line, ':');
	case FORM_ASSIGN:
		return is_assignment(line);
	}
	return false;
}

/* Where the name that begins at AT ends. */
static size_t
name_end(const char *line, size_t at)
{
	while (cmd_is_name_char(line[at]))
		at++;
	return at;
}

bool
cmd_is_attribute(const char *line, size_t at)
{
	return line[at] == '.' &&
	       (cmd_is_letter(line[at + 1]) || line[at + 1] == '_');
}

struct fx_error *
cmd_hint_python(struct fx_error *err_taken, const char *line)
{
	size_t begin = cmd_skip_blanks(line, 0);
	size_t at = name_end(line, begin);
	struct fx_error *err = err_taken;
	FX_AUTO_FREE char *last = NULL;

	if (fx_error_hint_text(err) || at == begin || !line[at] ||
		!strchr(".([", line[at]))
		return err;
	while (cmd_is_attribute(line, at)) {
		size_t end = name_end(line, at + 1);

		free(last);
		last = fx_xstrndup(line + at + 1, end - at - 1);
		at = end;
	}
	if (last)
		err = cmd_hint_word(err, last);
	if (fx_error_hint_text(err))
		return err;
	return fx_error_hint(err, "print %s", line + begin);
}

struct fx_error *
cmd_refuse_python(const char *line)
{
	line += cmd_skip_blanks(line, 0);
	for (size_t i = 0; i < FX_ARRAY_LEN(statements); i++)
		if (is_form(line, statements[i].form, statements[i].words))
			return fx_error_hint(
				fx_error_new(FX_ERR_UNKNOWN_COMMAND,
					"Python statements are not run here"),
				"%s", statements[i].hint);
	return NULL;
}

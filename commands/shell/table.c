/* table.c - every command, by position and by name. */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "commands/learn/help.h"
#include "commands/shell/groups.h"
#include "commands/shell/prompt.h"
#include "commands/shell/shell.h"

/* Words that are no commands here. */
static const struct habit {
	const char *word;
	const char *instead;
	bool is_later;
} habits[] = {
#define CMD_LATER(word, instead) { word, instead, true },
#define CMD_HABIT(word, instead) { word, instead, false },
#include "commands/shell/habits.def"
};

static const struct {
	const char *title;
	const struct cmd_entry *entries;
} groups[] = {
#define CMD_GROUP(symbol, title) { title, cmd_group_##symbol },
#include "commands/shell/groups.def"
};

const char *
cmd_group_title(size_t index)
{
	return index < FX_ARRAY_LEN(groups) ? groups[index].title : NULL;
}

const struct cmd_entry *
cmd_group_entries(size_t index)
{
	return index < FX_ARRAY_LEN(groups) ? groups[index].entries : NULL;
}

const struct cmd_entry *
cmd_table_at(size_t index)
{
	size_t i;

	for (i = 0; i < FX_ARRAY_LEN(groups); i++) {
		const struct cmd_entry *entry = groups[i].entries;

		for (; entry->name; entry++)
			if (!index--)
				return entry;
	}
	return NULL;
}

bool
cmd_entry_is(const struct cmd_entry *entry, const char *name)
{
	if (!strcmp(entry->name, name))
		return true;
	return entry->aliases &&
	       fx_str_has_word(entry->aliases, ' ', name, strlen(name));
}

/* The command that has NAME among its other names, or NULL. */
static const struct cmd_entry *
find_alias(const char *name)
{
	const struct cmd_entry *entry;
	size_t length = strlen(name);

	for (size_t i = 0; i < FX_ARRAY_LEN(groups); i++)
		for (entry = groups[i].entries; entry->name; entry++)
			if (entry->aliases && fx_str_has_word(entry->aliases,
						      ' ', name, length))
				return entry;
	return NULL;
}

const struct cmd_entry *
cmd_table_find(const char *name)
{
	const struct cmd_entry *entry;

	for (size_t i = 0; i < FX_ARRAY_LEN(groups); i++)
		for (entry = groups[i].entries; entry->name; entry++)
			if (!strcmp(entry->name, name))
				return entry;
	return find_alias(name);
}

static const struct habit *
find_habit(const char *word)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(habits); i++)
		if (!strcmp(habits[i].word, word))
			return &habits[i];
	return NULL;
}

/* The command called WORD, or by the singular of it: "info graphs". */
static const struct cmd_entry *
find_singular(const char *word)
{
	const struct cmd_entry *entry = cmd_table_find(word);
	size_t length = strlen(word);
	FX_AUTO_FREE char *singular = NULL;

	if (entry || length < 2 || word[length - 1] != 's')
		return entry;
	singular = fx_xstrndup(word, length - 1);
	return cmd_table_find(singular);
}

struct fx_error *
cmd_hint_word(struct fx_error *err_taken, const char *word)
{
	const struct cmd_entry *entry = find_singular(word);
	const struct habit *habit = find_habit(word);

	if (entry)
		return fx_error_hint(err_taken,
			"%s is a command of its own: %s", entry->name,
			entry->summary);
	if (habit && *habit->instead)
		return fx_error_hint(err_taken, "%s", habit->instead);
	return err_taken;
}

static FX_NODISCARD struct fx_error *
refuse_habit(const struct habit *habit)
{
	struct fx_error *err = fx_error_new(FX_ERR_UNKNOWN_COMMAND,
		habit->is_later ? "\"%s\" is not in this version of fxdb"
				: "unknown command \"%s\"",
		habit->word);

	return *habit->instead ? fx_error_hint(err, "%s", habit->instead) : err;
}

static FX_NODISCARD struct fx_error *
ambiguous(const char *name, size_t count)
{
	FX_AUTO_BUF struct fx_buf names = { 0 };
	FX_AUTO_FREE const char **found = fx_xcalloc(count, sizeof(char *));
	const struct cmd_entry *entry;
	size_t kept = 0;
	size_t i;

	for (i = 0; (entry = cmd_table_at(i)) && kept < count; i++)
		if (fx_str_starts(entry->name, name))
			found[kept++] = entry->name;
	qsort(found, kept, sizeof(char *), fx_str_compare);
	for (i = 0; i < kept && i < 8; i++)
		fx_buf_addf(&names, "%s%s", i ? ", " : "", found[i]);
	if (count > i)
		fx_buf_addf(&names, " (+%zu more)", count - i);
	return fx_error_new(FX_ERR_AMBIGUOUS, "\"%s\" is ambiguous: %s", name,
		fx_buf_text(&names));
}

/* What info shows, typed alone: `breakpoints`. */
static FX_NODISCARD struct fx_error *
hint_subject(struct fx_error *err, const char *name)
{
	const struct cmd_subject *subject;

	for (size_t i = 0; (subject = cmd_subject_at(i)); i++)
		if (!strcmp(subject->word, name))
			return fx_error_hint(err, "info %s", name);
	return err;
}

/* What may be typed instead of NAME. */
static FX_NODISCARD struct fx_error *
hint_instead(const struct cmd_shell *shell, struct fx_error *err,
	const char *name)
{
	if (cmd_prompt_decides(shell) && strchr("ynakqYNAKQ", *name))
		return fx_error_hint(err,
			"a line that is y, n, a, k or q decides");
	return hint_subject(err, name);
}

static FX_NODISCARD struct fx_error *
unknown(struct cmd_shell *shell, const char *name)
{
	FX_AUTO_BUF struct fx_buf names = { 0 };
	const struct cmd_entry *entry;
	struct cmd_user *user;
	struct fx_nearest nearest;
	int i;

	fx_nearest_init(&nearest, name);
	for (i = 0; (entry = cmd_table_at((size_t)i)); i++)
		fx_nearest_offer(&nearest, entry->name);
	fx_vec_for_each (user, &shell->users)
		fx_nearest_offer(&nearest, user->name);
	if (!nearest.count)
		return hint_instead(shell,
			fx_error_new(FX_ERR_UNKNOWN_COMMAND,
				"unknown command \"%s\"", name),
			name);
	for (i = 0; i < nearest.count; i++)
		fx_buf_addf(&names, "%s\"%s\"",
			!i                      ? ""
			: i + 1 < nearest.count ? ", "
						: " or ",
			nearest.names[i]);
	return hint_instead(shell,
		fx_error_new(FX_ERR_UNKNOWN_COMMAND,
			"unknown command \"%s\"; did you mean %s?", name,
			fx_buf_text(&names)),
		name);
}

struct fx_error *
cmd_lookup(struct cmd_shell *shell, const char *name,
	const struct cmd_entry **ret)
{
	const struct cmd_entry *entry = cmd_table_find(name);
	const struct cmd_entry *match = NULL;
	size_t count = 0;
	size_t i;

	*ret = entry;
	if (entry)
		return NULL;
	if (find_habit(name))
		return refuse_habit(find_habit(name));
	for (i = 0; (entry = cmd_table_at(i)); i++)
		if (fx_str_starts(entry->name, name)) {
			match = entry;
			count++;
		}
	if (count > 1)
		return ambiguous(name, count);
	if (!count)
		return unknown(shell, name);
	*ret = match;
	return NULL;
}

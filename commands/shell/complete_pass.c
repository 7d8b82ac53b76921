/* complete_pass.c - passes and their options as candidates. */
#include <config.h>

#include "commands/shell/complete_pass.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "pass/engine.h"

static const char python[] = "python:";

struct place {
	const char *word; /* that is typed, without what precedes it */
	void (*offer)(void *context, const char *text);
	void *context;
};

/* The pass that stands last in LINE before START; *IS_LIST_RET: what was typed
 * only shows one.
 */
static const struct fx_pass *
pass_before(const char *line, size_t start, bool *is_list_ret)
{
	const struct fx_pass *pass = NULL;
	size_t at = 0;

	*is_list_ret = false;
	while (at < start) {
		size_t length = strcspn(line + at, " \t");
		FX_AUTO_FREE char *word = fx_xstrndup(line + at, length);

		if (at + length <= start && fx_pass_find(word))
			pass = fx_pass_find(word);
		if (!strcmp(word, "list"))
			*is_list_ret = true;
		at += length + strspn(line + at + length, " \t");
	}
	return pass;
}

static void
offer_value(const struct place *place, const struct fx_pass_option *option,
	const char *value, size_t length)
{
	FX_AUTO_FREE char *text =
		fx_xasprintf("%s=%.*s", option->name, (int)length, value);

	place->offer(place->context, text);
}

static void
offer_values(const struct place *place, const struct fx_pass_option *option)
{
	const char *at = option->type == FX_PASS_OPTION_SWITCH
				 ? "on|off"
				 : option->choices;

	while (at && *at) {
		size_t length = strcspn(at, "|");

		offer_value(place, option, at, length);
		at += length + (at[length] == '|');
	}
}

static void
offer_option(const struct place *place, const struct fx_pass_option *option)
{
	const char *equals = strchr(place->word, '=');
	FX_AUTO_FREE char *name = NULL;

	if (equals) {
		offer_values(place, option);
	} else if (option->type == FX_PASS_OPTION_SWITCH) {
		place->offer(place->context, option->name);
	} else {
		name = fx_xasprintf("%s=", option->name);
		place->offer(place->context, name);
	}
}

void
cmd_complete_pass(const char *line, size_t start,
	void (*offer)(void *context, const char *text), void *context)
{
	const struct place place = { line + start, offer, context };
	bool is_list;
	const struct fx_pass *before = pass_before(line, start, &is_list),
			     *pass;
	struct fx_pass_option option;

	for (size_t i = 0; (pass = fx_pass_at(i)); i++)
		offer(context, pass->name);
	if (is_list)
		return;
	offer(context, python);
	for (size_t i = 0; before && fx_pass_option_at(before, i, &option); i++)
		offer_option(&place, &option);
}

size_t
cmd_python_pass_length(const char *word)
{
	return fx_str_starts(word, python) ? sizeof(python) - 1 : 0;
}

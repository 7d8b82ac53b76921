/* yes_no.c - questions that are answered by yes or no. */
#include <config.h>

#include "ui/yes_no.h"

#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/compiler.h"
#include "base/mem.h"
#include "base/utf8.h"

#define WANTED "(y or n) "

/* Whether QUESTION and the answer have a row: else the question is said above,
 * where it may take several.
 */
static bool
fits(const struct ui_asker *asker, const char *question)
{
	size_t wanted = strlen(" " WANTED "yes ");

	return !asker->columns ||
	       fx_utf8_text_width(question, strlen(question)) + wanted <=
		       asker->columns;
}

/* 'y', 'n', or 0: what was typed is no answer. */
static char
answer_of(const char *typed)
{
	static const char *const words[] = { "y", "yes", "n", "no" };
	size_t length;

	if (!typed)
		return 'n';
	typed += strspn(typed, " \t");
	length = strcspn(typed, " \t");
	if (typed[length + strspn(typed + length, " \t")])
		return 0;
	for (size_t i = 0; i < FX_ARRAY_LEN(words); i++)
		if (strlen(words[i]) == length &&
			!strncasecmp(words[i], typed, length))
			return words[i][0];
	return 0;
}

bool
ui_ask_yes_no(const struct ui_asker *asker, const char *question)
{
	FX_AUTO_FREE char *whole = fx_xasprintf("%s " WANTED, question);
	bool is_short = fits(asker, question);
	char answer = 0;

	if (!is_short)
		asker->say(asker->context, question);
	while (!answer) {
		FX_AUTO_FREE char *typed =
			asker->ask(asker->context, is_short ? whole : WANTED);

		answer = answer_of(typed);
		if (!answer)
			asker->say(asker->context, "Please answer y or n.");
	}
	return answer == 'y';
}

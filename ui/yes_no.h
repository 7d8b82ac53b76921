/* yes_no.h - what was typed at a yes-or-no question.
 *
 * Only y, yes, n and no are answers, in any case, as in gdb: "nodes" typed at
 * the wrong moment must not answer for its first letter.
 */
#ifndef FX_UI_YES_NO_H
#define FX_UI_YES_NO_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"

enum ui_yes_no {
	UI_ANSWER_NONE, /* ask again */
	UI_ANSWER_NO,
	UI_ANSWER_YES,
};

#define UI_ANSWER_WANTED "(y or n) "
#define UI_ANSWER_AGAIN  "Please answer y or n."

/* Whether QUESTION and the answer have a row of COLUMNS (0: any): else the
 * question is said above, where it may take several.
 */
static inline bool
ui_question_fits(const char *question, size_t columns)
{
	size_t wanted = strlen(" " UI_ANSWER_WANTED "yes ");

	return !columns ||
	       fx_utf8_text_width(question, strlen(question)) + wanted <=
		       columns;
}

/* TYPED is null at the end of input, and after Ctrl-C: no. */
static inline enum ui_yes_no
ui_yes_no_of(const char *typed)
{
	static const struct {
		const char *word;
		enum ui_yes_no answer;
	} words[] = {
		{ "y", UI_ANSWER_YES },
		{ "yes", UI_ANSWER_YES },
		{ "n", UI_ANSWER_NO },
		{ "no", UI_ANSWER_NO },
	};
	size_t length;

	if (!typed)
		return UI_ANSWER_NO;
	typed += strspn(typed, " \t");
	length = strcspn(typed, " \t");
	if (typed[length + strspn(typed + length, " \t")])
		return UI_ANSWER_NONE;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].word) == length &&
			!strncasecmp(words[i].word, typed, length))
			return words[i].answer;
	return UI_ANSWER_NONE;
}

#endif /* FX_UI_YES_NO_H */

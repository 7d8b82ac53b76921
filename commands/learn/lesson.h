/* lesson.h - lessons: doc/lessons/N-NAME.lesson, embedded as text.
 *
 * A line is a keyword, a tab and text; a line that begins with a tab goes on
 * with the text.  A line that begins with # is a comment.
 *
 *	lesson	title; begins a lesson
 *	model	the example it works on
 *	breaks	what is typed unseen, to break that
 *	file	in place of a model: a file of the examples, which is put into
 *		the current folder and which the first step opens
 *	class	of the graph that it gives; the lesson follows the current one
 *	aside	name of a graph that a step makes; it goes with the lesson
 *	says	before the first step
 *	end	after the last step
 *	step	begins a step:
 *	say	what one should know
 *	do	what to do
 *	hint	shown after a try that did not do it
 *	line	the answer
 *	instead	what leads on where the answer fails, without Python
 *	done	shown when it is done
 *	way	commands that lead there without doing it: no wrong try
 *	needs	an expression without which the step is left out, for values
 *
 * and what must be true for the step to be done, all of it:
 *
 *	said	the last command said this text
 *	unsaid	it did not say this text
 *	ran	the last command was one of these, by its full name
 *	at	execution is before this node; "end"
 *	is	a condition is true
 */
#ifndef FX_COMMANDS_LEARN_LESSON_H
#define FX_COMMANDS_LEARN_LESSON_H

#include <stddef.h>

#include "base/error.h"
#include "base/vec.h"

enum cmd_check_kind {
	CMD_CHECK_SAID,
	CMD_CHECK_UNSAID,
	CMD_CHECK_RAN,
	CMD_CHECK_AT,
	CMD_CHECK_IS,
};

/* Texts are interned; absent ones are "". */
struct cmd_check {
	enum cmd_check_kind kind;
	const char *text;
};

struct cmd_step {
	const char *say;
	const char *task;
	const char *hint;
	const char *line;
	const char *instead;
	const char *done;
	const char *way;
	const char *needs;
	FX_VEC(struct cmd_check) checks;
};

struct cmd_lesson {
	const char *title;
	const char *model;
	const char *breaks;
	const char *file;
	const char *class_name;
	const char *aside;
	const char *says;
	const char *end;
	FX_VEC(struct cmd_step) steps;
	int bad_lines; /* that have no meaning: a mistake in the file */
};

/* Return the number of lessons; read the lesson with INDEX, which counts from 0
 * and must exist, into *RET.
 */
size_t cmd_lesson_count(void);
void cmd_lesson_read(size_t index, struct cmd_lesson *ret);
void cmd_lesson_deinit(struct cmd_lesson *lesson);

/* Say what lessons there are. */
struct cmd_ctx;
FX_NODISCARD struct fx_error *cmd_lesson_list(struct cmd_ctx *ctx);

#endif /* FX_COMMANDS_LEARN_LESSON_H */

/* tutorial.h - the lesson that is on, and its graphs; private to tutorial.c
 * and tutorial_graph.c.
 */
#ifndef FX_COMMANDS_LEARN_TUTORIAL_H
#define FX_COMMANDS_LEARN_TUTORIAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "commands/learn/lesson.h"

struct cmd_shell;
struct cmd_step;
struct fx_model;
struct out;

struct cmd_tutorial {
	struct cmd_lesson lesson;
	size_t number; /* of the lesson, from 0 */
	size_t step;   /* from 0 */
	int tries;     /* at this step */
	int first;     /* number of the first graph opened for it; 0: none */
	int model;     /* number of the lesson's graph; 0: none */
	int before;    /* of the graph that was current before; 0: none */
	bool is_on;
};

/* The lesson's graph; NULL when it is closed or not opened yet.  In a lesson
 * of a file of one's own it is the current graph, once that is of the lesson's
 * class.
 */
struct fx_model *cmd_tutorial_model(struct cmd_shell *shell);

/* Whether the lesson waits for the person to open its graph. */
bool cmd_tutorial_waits_for_model(const struct cmd_tutorial *tutorial);

/* Open the graph of the lesson that begins and break it as the lesson wants;
 * or put its file into the current folder, which OUT is told, unless OUT is
 * NULL.
 */
FX_NODISCARD struct fx_error *cmd_tutorial_open(struct cmd_shell *shell,
	struct out *out);

/* Drop the graphs of the lesson and go back to the one from before. */
void cmd_tutorial_close(struct cmd_shell *shell);

/* Run the answer of STEP, or what stands in for it where that fails (without
 * Python), and drop what it says.
 */
FX_NODISCARD struct fx_error *cmd_tutorial_answer(struct cmd_shell *shell,
	const struct cmd_step *step);

#endif /* FX_COMMANDS_LEARN_TUTORIAL_H */

/* python.h - generated Python code back to a graph.
 *
 * Reads what torch.fx and torch.compile print: gm.code, print_readable (shapes
 * in annotations, source lines in comments, inner classes), print(gm) with its
 * modules, module.py of to_folder, str(ExportedProgram).  One statement is one
 * node, named as on its left; expressions that a person nested become several
 * nodes, named as tracing would name them.  The text is never executed.
 */
#ifndef FX_LOAD_PYTHON_H
#define FX_LOAD_PYTHON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct fx_graph;
struct fx_load_input;

/* The first graph of the text.  On an error the notes say how many nodes were
 * understood, and the span is in the text without colours.
 */
FX_NODISCARD struct fx_error *fx_load_python(const struct fx_load_input *input,
	struct fx_graph **ret);

/* print(gm): whether TEXT, from its first line on, begins as the repr of a
 * module; and the length of that, where the code of a graph follows, else 0.
 */
bool fx_is_printed(const char *text);
size_t fx_printed_modules(const char *text);

#endif /* FX_LOAD_PYTHON_H */

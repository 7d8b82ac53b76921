/* python.h - generated Python code back to a graph.
 *
 * Reads what torch.fx and torch.compile print: gm.code, print_readable (shapes
 * in annotations, source lines in comments, inner classes), module.py of
 * to_folder, str(ExportedProgram).  One statement is one node, named as on its
 * left; expressions that a person nested become several nodes, named as
 * tracing would name them.  The text is never executed.
 */
#ifndef FX_LOAD_PYTHON_H
#define FX_LOAD_PYTHON_H

#include "base/error.h"

struct fx_graph;
struct fx_load_input;

/* The first graph of the text.  On an error the notes say how many nodes were
 * understood, and the span is in the text without colours.
 */
FX_NODISCARD struct fx_error *fx_load_python(const struct fx_load_input *input,
	struct fx_graph **ret);

#endif /* FX_LOAD_PYTHON_H */

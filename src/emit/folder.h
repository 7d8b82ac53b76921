/* folder.h - a graph as the module.py of a to_folder folder.
 *
 * torch.fx writes constructors of a few classes and pickles all other modules.
 * Here every module is written as a constructor call, and a weights file is
 * read by the Python code itself, so that nothing is pickled.
 */
#ifndef FX_EMIT_FOLDER_H
#define FX_EMIT_FOLDER_H

#include "base/error.h"

struct fx_graph;
struct fx_weights;

/* The name of the generated class, the file with the weights beside module.py,
 * and the text of the Python code that reads that file.
 */
#define FX_FOLDER_CLASS   "FxModule"
#define FX_FOLDER_WEIGHTS "weights.safetensors"

/* Before the name of a child with a graph of its own, for the class that it is;
 * of one in a container, before its path with _ for dots.
 */
#define FX_FOLDER_GRAPH "FxGraph_"

#define FX_FOLDER_READER "weights.py"
extern const char fx_folder_reader[];

/* Begins the targets of functions that no import finds (fxdb/_whole.py). */
#define FX_FOLDER_NOWHERE "whole."

/* Append the text of module.py for GRAPH, whose storages are WEIGHTS.  DIALECT
 * is as in struct fx_emit_python.  Inputs that are flattened are taken one by
 * one.  UNSUPPORTED when a module that is called is of no class that fxdb can
 * construct, for functions that no import finds, and for inputs that are
 * flattened of a graph within.
 */
FX_NODISCARD struct fx_error *fx_emit_folder(struct fx_buf *out,
	struct fx_graph *graph, const struct fx_weights *weights,
	const char *dialect);

#endif /* FX_EMIT_FOLDER_H */

/* graph.h - the Graph object: a finished trace as Python has it. */
#ifndef FXPY_GRAPH_H
#define FXPY_GRAPH_H

#include "capture/capture.h"

struct fx_error;

struct fxpy_graph {
	PyObject_HEAD struct fx_graph *graph;
	PyObject *targets; /* dict: target text -> callable */
	PyObject *keep;    /* objects the graph speaks of */
	PyObject *root;
	struct fx_map records;    /* module -> its record, until described */
	struct fx_map parameters; /* tensor -> path ... */
	struct fx_map paths;      /* ... and those that are none */
	PyObject *places;         /* how they lie in memory; NULL: not asked */
	PyObject *kept; /* dict: what Python keeps beside, by node id or name */
	bool is_described;
};

/* ext_graph.c: read the lines that the nodes of SELF, a Graph, name, and
 * describe its tensors, if that was not done.  False with an exception.
 */
bool fxpy_graph_describe(PyObject *self);

/* ext_graph.c: set ERR as the exception that error.def names. */
void fxpy_raise(const struct fx_error *err);

/* ext_copy.c: what SOURCE, frames, and SCOPES say, into SPEC; either may be
 * None.  False with an exception.
 */
bool fxpy_copy_places(struct fx_graph *graph, PyObject *source,
	PyObject *scopes, struct fx_node_spec *spec);

/* ext_file.c: give the modules of GRAPH that are graphs their own: KEPT, of its
 * Graph, has "graphs", path -> Graph.  False with an exception.
 */
bool fxpy_add_graphs(struct fx_graph *graph, PyObject *kept);

/* ext_file.c */
int fxpy_file_ready(PyObject *module);

#endif /* FXPY_GRAPH_H */

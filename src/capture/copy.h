/* copy.h - a graph that Python has, taken node by node as it stands. */
#ifndef FXPY_COPY_H
#define FXPY_COPY_H

#include "capture/capture.h"

int fxpy_copy_ready(PyObject *module);

/* OBJECT, a named tuple, as its class and its fields. */
bool fxpy_copy_named_tuple(struct fxpy_trace *trace, PyObject *object,
	struct fx_value *ret);

/* OBJECT, which is no plain value: a function by its name, all else as it
 * shows itself.  The graph keeps the object (fxpy_graph_object).
 */
bool fxpy_copy_object(struct fxpy_trace *trace, PyObject *object,
	struct fx_value *ret);

/* ext_graph.c: what TEXT, a function or something that only Python knows, is
 * in GRAPH; borrowed, or NULL without an exception.
 */
PyObject *fxpy_graph_object(PyObject *graph, const char *text);

/* ext_graph.c: the Node of NODE, which the running TRACE has made. */
PyObject *fxpy_trace_node(struct fxpy_trace *trace, struct fx_node *node);

#endif /* FXPY_COPY_H */

/* copy.h - a graph that Python has, taken node by node as it stands. */
#ifndef FXPY_COPY_H
#define FXPY_COPY_H

#include "capture/capture.h"

int fxpy_copy_ready(PyObject *module);

/* ext_object.c: OBJECT, a member of an Enum; the graph keeps the object
 * (fxpy_graph_object).  1: done, 0: it is none, or none that this torch takes;
 * -1: exception.
 */
int fxpy_member(struct fxpy_trace *trace, PyObject *object,
	struct fx_value *ret);
/* OBJECT, a named tuple: a node that calls its class; in a copy, its fields. */
bool fxpy_named_tuple(struct fxpy_trace *trace, PyObject *object,
	struct fx_value *ret);
/* OBJECT, which is nothing that a graph has: a node that calls its class for a
 * dataclass, in a copy the object as it is, else refused.
 */
bool fxpy_object(struct fxpy_trace *trace, PyObject *object,
	struct fx_value *ret);

/* ext_graph.c: what TEXT, a function or something that only Python knows, is
 * in GRAPH; borrowed, or NULL without an exception.
 */
PyObject *fxpy_graph_object(PyObject *graph, const char *text);

/* ext_graph.c: the Graph of TRACE, which may still be filling it; borrowed. */
PyObject *fxpy_trace_graph(struct fxpy_trace *trace);

/* ext_graph.c: the node that OBJECT, a Node of TRACE, stands for; NULL with an
 * exception when it is none.
 */
struct fx_node *fxpy_object_node(struct fxpy_trace *trace, PyObject *object);

/* ext_args.c: OBJECT as it stands, without asking the tracer's create_arg; it
 * may hold Nodes of TRACE.
 */
bool fxpy_plain_arg(struct fxpy_trace *trace, PyObject *object,
	struct fx_value *ret);

/* ext_record.c: add SPEC's node, or what the tracer's own create_node gives;
 * TYPE is the annotation, or NULL.  NULL with an exception.
 */
struct fx_node *fxpy_add_node(struct fxpy_trace *trace,
	struct fx_node_spec *spec, PyObject *type);

/* ext_graph.c: the Node of NODE, which the running TRACE has made. */
PyObject *fxpy_trace_node(struct fxpy_trace *trace, struct fx_node *node);

#endif /* FXPY_COPY_H */

/* example.h - recording one real run: values have nodes, not nodes values. */
#ifndef FXPY_EXAMPLE_H
#define FXPY_EXAMPLE_H

#include "capture/capture.h"

extern struct fxpy_example {
	/* The trace that makes way for the model's own code, or NULL. */
	struct fxpy_trace *paused;
	/* Who is told of calls of modules and wrapped functions meanwhile, by
	 * its methods module() and wrapped(); or NULL.
	 */
	PyObject *hook;
} fxpy_example;

int fxpy_example_ready(PyObject *module);

/* What the hook's METHOD gives for a call of CALLABLE; KWARGS may be null. */
PyObject *fxpy_tell(const char *method, PyObject *callable, PyObject *args,
	PyObject *kwargs);

/* ext_module.c: the trace that runs; NULL with an exception. */
struct fxpy_trace *fxpy_running(void);

/* ext_record.c: record(opcode, target, args tuple, kwargs dict, candidate for
 * the name or None, whether torch.fx.wrap has it, type, factory) -> Proxy. What
 * the hook create_proxy does when nothing overrides it: it is not asked.
 */
PyObject *fxpy_record(PyObject *self, PyObject *args);
/* create_node(opcode, target, args tuple, kwargs dict, name or None) -> Node,
 * proxy(Node) -> Proxy: what these hooks do.
 */
PyObject *fxpy_create_node(PyObject *self, PyObject *args);
PyObject *fxpy_create_proxy(PyObject *self, PyObject *node);

/* ext_patch.c: the Proxy of PARAMETER, one for a trace; PARAMETER itself when
 * the traced model does not have it.  New reference.
 */
PyObject *fxpy_parameter(struct fxpy_trace *trace, PyObject *parameter);

/* ext_patch.c: what a call of MODULE gives while tracing; FORWARD is what it
 * runs when it is no leaf, NULL for its own.  KWARGS may be null.
 */
PyObject *fxpy_call_module(PyObject *module, PyObject *forward, PyObject *args,
	PyObject *kwargs);

#endif /* FXPY_EXAMPLE_H */

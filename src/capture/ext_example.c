/* ext_example.c - what recording one real run needs of the trace that it
 * drives: the trace makes way for the model's own code, and comes back for
 * each node (fxdb/_example.py).
 */
#include <config.h>

#include "capture/capture.h"
#include "capture/example.h"

#include "base/intern.h"

struct fxpy_example fxpy_example;

PyObject *
fxpy_tell(const char *method, PyObject *callable, PyObject *args,
	PyObject *kwargs)
{
	PyObject *none = kwargs ? NULL : PyDict_New();
	PyObject *recorder = fxpy_example.hook;
	PyObject *result;

	Py_INCREF(recorder);
	result = PyObject_CallMethod(recorder, method, "OOO", callable, args,
		kwargs ? kwargs : none);
	Py_DECREF(recorder);
	Py_XDECREF(none);
	return result;
}

/* enter(path, module): the module at PATH is being called. */
static PyObject *
enter(PyObject *self, PyObject *args)
{
	PyObject *module;
	const char *path;

	(void)self;
	if (!fxpy_running() || !PyArg_ParseTuple(args, "sO", &path, &module))
		return NULL;
	fx_recorder_enter(&fxpy.trace->recorder, fx_intern(path),
		fxpy_class_of(Py_TYPE(module))->name);
	Py_RETURN_NONE;
}

/* leave(): the module entered last has returned. */
static PyObject *
leave(PyObject *self, PyObject *no_args)
{
	(void)self;
	(void)no_args;
	if (!fxpy_running())
		return NULL;
	fx_recorder_leave(&fxpy.trace->recorder);
	Py_RETURN_NONE;
}

/* attribute(tensor): the Proxy of a get_attr of a parameter, buffer or plain
 * attribute of the traced model; None when the tensor is none of them.
 */
static PyObject *
attribute(PyObject *self, PyObject *tensor)
{
	struct fxpy_trace *trace = fxpy_running();
	const char *path;

	(void)self;
	if (!trace)
		return NULL;
	if (fx_map_has(&trace->parameters, (uintptr_t)tensor))
		return fxpy_parameter(trace, tensor);
	path = fx_map_get_pointer(&trace->tensors, tensor);
	if (!path)
		Py_RETURN_NONE;
	return fxpy_proxy_new(fx_recorder_attribute(&trace->recorder, path,
		fxpy_source(trace)));
}

/* count() -> how many nodes the running trace has. */
static PyObject *
count(PyObject *self, PyObject *no_args)
{
	(void)self;
	(void)no_args;
	return fxpy_running() ? PyLong_FromSize_t(fxpy.trace->recorder.graph
							  ->node_count)
			      : NULL;
}

/* pause(truth): while the trace is paused, the model's own code runs as if
 * there was none.
 */
static PyObject *
pause_trace(PyObject *self, PyObject *truth)
{
	(void)self;
	if (PyObject_IsTrue(truth)) {
		if (fxpy.trace)
			fxpy_example.paused = fxpy.trace;
		fxpy.trace = NULL;
	} else if (fxpy_example.paused) {
		fxpy.trace = fxpy_example.paused;
	}
	Py_RETURN_NONE;
}

/* hook(recorder or None): who is told of calls of modules and of wrapped
 * functions while the trace is paused, by its methods module() and wrapped().
 */
static PyObject *
hook(PyObject *self, PyObject *recorder)
{
	(void)self;
	Py_CLEAR(fxpy_example.hook);
	if (recorder != Py_None) {
		Py_INCREF(recorder);
		fxpy_example.hook = recorder;
	}
	Py_RETURN_NONE;
}

/* original_call(module, ...): torch.nn.Module.__call__ as torch has it. */
static PyObject *
original_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
	(void)self;
	return PyObject_Call(fxpy.original_call, args, kwargs);
}

/* call_module(module, forward, args tuple, kwargs dict): the default hook. */
static PyObject *
call_module(PyObject *self, PyObject *args)
{
	PyObject *module, *forward, *arguments, *keywords;

	(void)self;
	if (!fxpy_running() ||
		!PyArg_ParseTuple(args, "OOO!O!", &module, &forward,
			&PyTuple_Type, &arguments, &PyDict_Type, &keywords))
		return NULL;
	return fxpy_call_module(module, forward, arguments, keywords);
}

static PyMethodDef functions[] = {
	{ "call_module", call_module, METH_VARARGS, "Its default." },
	{ "enter", enter, METH_VARARGS, "A module is being called." },
	{ "leave", leave, METH_NOARGS, "It has returned." },
	{ "attribute", attribute, METH_O, "Record a read of a tensor." },
	{ "count", count, METH_NOARGS, "Nodes so far." },
	{ "pause", pause_trace, METH_O, "Run as if there was no trace." },
	{ "hook", hook, METH_O, "Who is told of calls meanwhile." },
	{ "original_call", (PyCFunction)(void (*)(void))original_call,
		METH_VARARGS | METH_KEYWORDS, "torch's Module.__call__." },
	{ NULL, NULL, 0, NULL },
};

int
fxpy_example_ready(PyObject *module)
{
	return PyModule_AddFunctions(module, functions);
}

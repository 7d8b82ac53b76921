/* ext_wrapped.c - functions that fx.wrap marked: recorded when a Proxy is
 * among their arguments, simply called otherwise (semantics 2.6).
 */
#include <config.h>

#include "capture/capture.h"
#include "capture/example.h"

struct fxpy_wrapped {
	PyObject_HEAD PyObject *original;
};

PyObject *
fxpy_wrapped_new(PyObject *original)
{
	struct fxpy_wrapped *wrapped =
		PyObject_New(struct fxpy_wrapped, fxpy.wrapped_type);

	if (!wrapped)
		return NULL;
	Py_INCREF(original);
	wrapped->original = original;
	return (PyObject *)wrapped;
}

static void
wrapped_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	Py_XDECREF(((struct fxpy_wrapped *)self)->original);
	PyObject_Free(self);
	Py_DECREF(type);
}

static PyObject *
wrapped_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
	PyObject *original = ((struct fxpy_wrapped *)self)->original;
	int traced = 0;

	if (!fxpy.trace && fxpy_example.hook)
		return fxpy_tell("wrapped", original, args, kwargs);
	if (fxpy.trace) {
		traced = fxpy_has_proxy(args, 0);
		if (!traced && kwargs)
			traced = fxpy_has_proxy(kwargs, 0);
	}
	if (traced < 0)
		return NULL;
	if (!traced)
		return PyObject_Call(original, args, kwargs);
	return fxpy_record_function(original, args, kwargs, true);
}

/* Everything else is the original's: __name__, __doc__, attributes. */
static PyObject *
wrapped_getattr(PyObject *self, PyObject *name)
{
	return PyObject_GetAttr(((struct fxpy_wrapped *)self)->original, name);
}

static PyType_Slot wrapped_slots[] = {
	{ Py_tp_doc, (void *)(uintptr_t) "A function whose calls with a Proxy "
					 "are recorded." },
	FXPY_SLOT(Py_tp_dealloc, wrapped_dealloc),
	FXPY_SLOT(Py_tp_call, wrapped_call),
	FXPY_SLOT(Py_tp_getattro, wrapped_getattr),
	{ 0, NULL },
};

static PyType_Spec wrapped_spec = {
	.name = "fxdb.Wrapped",
	.basicsize = sizeof(struct fxpy_wrapped),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = wrapped_slots,
};

int
fxpy_wrapped_ready(PyObject *module)
{
	PyObject *type = PyType_FromSpec(&wrapped_spec);

	if (!type)
		return -1;
	fxpy.wrapped_type = (PyTypeObject *)type;
	Py_INCREF(type);
	return PyModule_AddObject(module, "Wrapped", type);
}

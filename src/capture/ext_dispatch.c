/* ext_dispatch.c - calls of torch functions that see a Proxy: which of them are
 * methods to torch.fx, which functions (semantics 3).
 */
#include <config.h>

#include "capture/capture.h"

#include <string.h>

/* Whether torch.fx calls FUNCTION a method: it is one of Tensor's, or the
 * getter of a property.
 */
static int
is_method(PyObject *function)
{
	const char *name;
	int found = PySet_Contains(fxpy.tensor_methods, function);

	if (found)
		return found;
	name = fxpy_callable_name(function);
	if (!name) {
		PyErr_Clear();
		return 0;
	}
	return strcmp(name, "__get__") == 0;
}

static PyObject *
script_method(PyObject *method, PyObject *args, PyObject *kwargs)
{
	PyObject *owner = PyObject_GetAttr(method, fxpy_str.owner);
	PyObject *name = PyObject_GetAttr(method, fxpy_str.name);
	PyObject *all = owner ? fxpy_with_first(owner, args) : NULL;
	const char *text = all && name ? fxpy_text(name) : NULL;
	PyObject *result = text ? fxpy_record_method(text, all, kwargs) : NULL;

	Py_XDECREF(owner);
	Py_XDECREF(name);
	Py_XDECREF(all);
	return result;
}

/* torch calls this for any function that sees a Proxy among its arguments. */
PyObject *
fxpy_torch_function(PyObject *class, PyObject *call)
{
	PyObject *function, *types, *args = NULL, *kwargs = NULL;
	PyObject *result = NULL, *no_args = NULL;
	const char *name;
	int method;

	(void)class;
	if (!PyArg_ParseTuple(call, "OO|OO", &function, &types, &args, &kwargs))
		return NULL;
	if (!args && !(args = no_args = PyTuple_New(0)))
		return NULL;
	if (kwargs == Py_None)
		kwargs = NULL;
	if (fxpy.script_method_type &&
		PyObject_IsInstance(function, fxpy.script_method_type) == 1) {
		result = script_method(function, args, kwargs);
		goto done;
	}
	method = is_method(function);
	name = method < 0 ? NULL : fxpy_callable_name(function);
	if (name && method)
		result = fxpy_record_method(name, args, kwargs);
	else if (name)
		result = fxpy_record_named(function, name, args, kwargs);
done:
	Py_XDECREF(no_args);
	return result;
}

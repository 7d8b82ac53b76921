/* ext_target.c - names of callables, as torch.fx prints them (semantics 4.1):
 * the module a function says it is from, then its name; builtins and the
 * operator module by their public spelling.
 */
#include <config.h>

#include "capture/capture.h"

#include <string.h>

#include "base/intern.h"

const char *
fxpy_callable_name(PyObject *callable)
{
	PyObject *name = PyObject_GetAttr(callable, fxpy_str.__name__);
	const char *text = NULL;

	if (name && PyUnicode_Check(name))
		text = fxpy_text(name);
	if (!text) {
		PyErr_Clear();
		PyErr_Format(PyExc_RuntimeError,
			"cannot record a call of %R: it has no name", callable);
	}
	Py_XDECREF(name);
	return text;
}

/* Where a function without __module__ is found: torch or its functionals. */
static const char *
guess_module(PyObject *callable, const char *name)
{
	static const char *const places[] = { "torch", "torch.nn.functional" };

	for (size_t i = 0; i < 2; i++) {
		PyObject *module = PyImport_ImportModule(places[i]);
		PyObject *found =
			module ? PyObject_GetAttrString(module, name) : NULL;
		bool same = found == callable;

		PyErr_Clear();
		Py_XDECREF(module);
		Py_XDECREF(found);
		if (same)
			return places[i];
	}
	return NULL;
}

static const char *
qualified(PyObject *callable)
{
	const char *name = fxpy_callable_name(callable), *module = NULL;
	PyObject *from;

	if (!name)
		return NULL;
	from = PyObject_GetAttr(callable, fxpy_str.__module__);
	PyErr_Clear();
	if (from && PyUnicode_Check(from))
		module = fxpy_text(from);
	else
		module = guess_module(callable, name);
	Py_XDECREF(from);
	if (!module) {
		PyErr_Format(PyExc_RuntimeError,
			"cannot find the module of %R, so a call of it cannot "
			"be written down",
			callable);
		return NULL;
	}
	if (strcmp(module, "_operator") == 0)
		module = "operator";
	if (strncmp(module, "torch._ops", 10) == 0)
		return fx_intern_format("torch.ops%s.%s", module + 10, name);
	return fx_intern_format("%s.%s", module, name);
}

const char *
fxpy_target(struct fxpy_trace *trace, PyObject *callable)
{
	const char *name = fx_map_get_pointer(&fxpy.names, callable);

	if (!name) {
		name = qualified(callable);
		if (!name || PyList_Append(fxpy.keep, callable) < 0)
			return NULL;
		fx_map_set_pointer(&fxpy.names, callable, name);
	}
	if (trace && !fx_map_has(&trace->scanned, (uintptr_t)callable)) {
		PyObject *key = PyUnicode_FromString(name);
		int failed = !key ||
			     PyDict_SetItem(trace->targets, key, callable) < 0;

		Py_XDECREF(key);
		if (failed)
			return NULL;
		fx_map_set(&trace->scanned, (uintptr_t)callable, 1);
	}
	return name;
}

/* ext_patch.c - where calls of modules and wrapped functions are caught.
 *
 * torch.nn.Module.__call__ and __getattr__ are replaced by method descriptors
 * that pass through unless a trace runs; functions marked by fx.wrap and those
 * of the math module by Wrapped objects.  Everything is put back in reverse
 * order.
 */
#include <config.h>

#include "capture/capture.h"
#include "capture/example.h"

static PyObject *patches; /* list of (dict, name, original or None) */

/* Wrap ORIGINAL and store it as NAME in DICT, whose item of that name was
 * BEFORE, or None if DICT had none.
 */
static bool
patch_item(PyObject *dict, PyObject *name, PyObject *original, PyObject *before)
{
	PyObject *wrapped = fxpy_wrapped_new(original);
	PyObject *entry = PyTuple_Pack(3, dict, name, before);
	bool good = wrapped && entry && PyList_Append(patches, entry) == 0 &&
		    PyDict_SetItem(dict, name, wrapped) == 0;

	Py_XDECREF(wrapped);
	Py_XDECREF(entry);
	return good;
}

/* The math module's own functions, read before any is replaced. */
static bool
read_math(PyObject **dict_ret)
{
	PyObject *math = PyImport_ImportModule("math");
	PyObject *key, *value;
	Py_ssize_t at = 0;

	if (!math)
		return false;
	*dict_ret = PyModule_GetDict(math);
	if (!fxpy.math_functions.count)
		while (PyDict_Next(*dict_ret, &at, &key, &value))
			if (PyCFunction_Check(value))
				fx_map_set(&fxpy.math_functions,
					(uintptr_t)value, 1);
	Py_DECREF(math);
	return true;
}

/* Wrap what GLOBALS has of the functions in the math module. */
static bool
patch_math_in(PyObject *globals)
{
	PyObject *names = PyList_New(0), *key, *value;
	Py_ssize_t at = 0;
	bool good = names;

	while (good && PyDict_Next(globals, &at, &key, &value))
		if (PyUnicode_Check(key) &&
			fx_map_has(&fxpy.math_functions, (uintptr_t)value))
			good = PyList_Append(names, key) == 0;
	for (Py_ssize_t i = 0; good && i < PyList_Size(names); i++) {
		key = PyList_GetItem(names, i);
		value = PyDict_GetItem(globals, key);
		good = patch_item(globals, key, value, value);
	}
	Py_XDECREF(names);
	return good;
}

/* What torch.fx does first with a module it calls: math functions imported by
 * name into the globals of its forward are wrapped too.  Once a trace.
 */
bool
fxpy_patch_globals(struct fxpy_trace *trace, PyObject *function)
{
	PyObject *globals = PyObject_GetAttr(function, fxpy_str.__globals__);
	bool good = true;

	if (!globals) {
		PyErr_Clear();
		return true;
	}
	if (PyDict_Check(globals) &&
		fx_map_set(&trace->scanned, (uintptr_t)globals, 1))
		good = patch_math_in(globals);
	Py_DECREF(globals);
	return good;
}

static PyObject *
call_original(PyObject *self, PyObject *args, PyObject *kwargs)
{
	PyObject *all = fxpy_with_first(self, args), *result = NULL;

	if (all)
		result = PyObject_Call(fxpy.original_call, all, kwargs);
	Py_XDECREF(all);
	return result;
}

static const char *
path_of(struct fxpy_trace *trace, PyObject *module)
{
	const char *path = fx_map_get_pointer(&trace->modules, module);
	PyObject *answer;

	if (trace->hooks_path) {
		answer = PyObject_CallMethod(trace->tracer, "path_of_module",
			"O", module);
		path = answer ? fxpy_text(answer) : NULL;
		Py_XDECREF(answer);
		return path;
	}
	if (!path)
		PyErr_Format(PyExc_NameError,
			"module is not installed as a submodule: a %s that is "
			"called is not reachable from the traced model",
			fxpy_class_of(Py_TYPE(module))->name);
	return path;
}

/* 1, 0, or -1 with an exception. */
static int
is_leaf(struct fxpy_trace *trace, PyObject *module, const char *path)
{
	PyObject *answer;
	int truth;

	if (!trace->hooks_leaf)
		return fxpy_class_of(Py_TYPE(module))->is_leaf;
	answer = PyObject_CallMethod(trace->tracer, "is_leaf_module", "Os",
		module, path);
	truth = answer ? PyObject_IsTrue(answer) : -1;
	Py_XDECREF(answer);
	return truth;
}

/* Names that the code of MODULE's class imported, once for each class. */
static bool
patch_forward(struct fxpy_trace *trace, PyObject *module)
{
	PyObject *forward;
	bool good;

	if (!fx_map_set(&trace->scanned, (uintptr_t)Py_TYPE(module), 1))
		return true;
	forward = PyObject_GetAttr(module, fxpy_str.forward);
	good = forward && fxpy_patch_globals(trace, forward);
	Py_XDECREF(forward);
	return good;
}

PyObject *
fxpy_call_module(PyObject *module, PyObject *forward, PyObject *args,
	PyObject *kwargs)
{
	struct fxpy_trace *trace = fxpy.trace;
	const char *path = path_of(trace, module);
	int leaf = path ? is_leaf(trace, module, path) : -1;
	PyObject *result = NULL;

	if (leaf < 0 || (!leaf && !patch_forward(trace, module)))
		return NULL;
	fx_recorder_enter(&trace->recorder, path,
		fxpy_class_of(Py_TYPE(module))->name);
	if (leaf)
		result = fxpy_record_module(path, args, kwargs);
	else if (Py_EnterRecursiveCall(" in a module call") == 0) {
		result = forward ? PyObject_Call(forward, args, kwargs)
				 : call_original(module, args, kwargs);
		Py_LeaveRecursiveCall();
	}
	if (fxpy.trace == trace)
		fx_recorder_leave(&trace->recorder);
	return result;
}

/* What the tracer's own call_module gives; it gets what the module's own call
 * is, too.
 */
static PyObject *
ask_tracer(struct fxpy_trace *trace, PyObject *module, PyObject *args,
	PyObject *kwargs)
{
	PyObject *none = kwargs ? NULL : PyDict_New();
	PyObject *forward =
		PyObject_CallMethod(trace->tracer, "_forward_of", "O", module);
	PyObject *result = NULL;

	if (forward && patch_forward(trace, module))
		result = PyObject_CallMethod(trace->tracer, "call_module",
			"OOOO", module, forward, args, kwargs ? kwargs : none);
	Py_XDECREF(forward);
	Py_XDECREF(none);
	return result;
}

static PyObject *
module_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
	struct fxpy_trace *trace = fxpy.trace;

	if (!trace && fxpy_example.hook)
		return fxpy_tell("module", self, args, kwargs);
	if (!trace)
		return call_original(self, args, kwargs);
	if (trace->hooks_call)
		return ask_tracer(trace, self, args, kwargs);
	return fxpy_call_module(self, NULL, args, kwargs);
}

PyObject *
fxpy_parameter(struct fxpy_trace *trace, PyObject *value)
{
	PyObject *proxy = fx_map_get_pointer(&trace->proxies, value);
	const char *path;
	struct fx_node *node;

	if (!proxy) {
		path = fx_map_get_pointer(&trace->parameters, value);
		if (!path) {
			Py_INCREF(value);
			return value;
		}
		node = fx_recorder_parameter(&trace->recorder, path,
			fxpy_source(trace));
		proxy = fxpy_proxy_new(node);
		if (!proxy || PyList_Append(trace->keep, proxy) < 0)
			return NULL;
		Py_DECREF(proxy);
		fx_map_set_pointer(&trace->proxies, value, proxy);
	}
	Py_INCREF(proxy);
	return proxy;
}

/* What the tracer's own getattr gives for what SELF has as NAME. */
static PyObject *
ask_for_attribute(PyObject *self, PyObject *name)
{
	PyObject *found = PyObject_CallFunctionObjArgs(fxpy.original_getattr,
		self, name, NULL);
	PyObject *given = NULL;

	if (found && fxpy.trace)
		given = PyObject_CallMethod(fxpy.trace->tracer, "_attribute",
			"OO", name, found);
	Py_XDECREF(found);
	return given;
}

static PyObject *
module_getattr(PyObject *self, PyObject *name)
{
	PyObject *tables[3] = { fxpy_str._parameters, fxpy_str._buffers,
		fxpy_str._modules };
	PyObject *dict, *found = NULL;
	int where;

	if (!fxpy.trace)
		return PyObject_CallFunctionObjArgs(fxpy.original_getattr, self,
			name, NULL);
	if (fxpy.trace->hooks_getattr)
		return ask_for_attribute(self, name);
	dict = PyObject_GetAttr(self, fxpy_str.__dict__);
	if (!dict)
		return NULL;
	for (where = 0; where < 3 && !found; where++) {
		PyObject *table = PyDict_GetItem(dict, tables[where]);

		if (table)
			found = PyDict_GetItem(table, name);
	}
	Py_XINCREF(found);
	Py_DECREF(dict);
	if (!found)
		return PyObject_CallFunctionObjArgs(fxpy.original_getattr, self,
			name, NULL);
	if (where == 1 && found != Py_None) {
		PyObject *proxy = fxpy_parameter(fxpy.trace, found);

		Py_DECREF(found);
		return proxy;
	}
	return found;
}

static PyMethodDef patched_methods[] = {
	{ "__call__", (PyCFunction)(void (*)(void))module_call,
		METH_VARARGS | METH_KEYWORDS, "Call the module." },
	{ "__getattr__", module_getattr, METH_O, "Look NAME up." },
};

/* fx.wrap's registry: a list of (dict, name) in torch 1.13, a dict from
 * (id, name) to the dict in 2.x; ours is a list.
 */
static bool
patch_registered(PyObject *dict, PyObject *name)
{
	PyObject *original = PyDict_GetItem(dict, name);

	if (original && Py_TYPE(original) == fxpy.wrapped_type)
		return true;
	if (original)
		return patch_item(dict, name, original, original);
	original = PyDict_GetItem(PyEval_GetBuiltins(), name);
	return !original || patch_item(dict, name, original, Py_None);
}

static bool
patch_list(PyObject *list)
{
	bool good = true;

	for (Py_ssize_t i = 0; good && i < PyList_Size(list); i++) {
		PyObject *entry = PyList_GetItem(list, i);

		good = patch_registered(PyTuple_GetItem(entry, 0),
			PyTuple_GetItem(entry, 1));
	}
	return good;
}

static bool
patch_registry(PyObject *registry)
{
	PyObject *key, *dict;
	Py_ssize_t at = 0;

	if (PyList_Check(registry))
		return patch_list(registry);
	if (!PyDict_Check(registry))
		return true;
	while (PyDict_Next(registry, &at, &key, &dict))
		if (!patch_registered(dict, PyTuple_GetItem(key, 1)))
			return false;
	return true;
}

static bool
patch_wraps(void)
{
	PyObject *places[2] = {
		PyImport_ImportModule("torch.fx._symbolic_trace"),
		PyImport_ImportModule("fxdb")
	};
	bool good = true;

	for (int i = 0; i < 2; i++) {
		PyObject *registry = places[i]
					     ? PyObject_GetAttrString(places[i],
						       "_wrapped_fns_to_patch")
					     : NULL;

		PyErr_Clear();
		if (registry)
			good = good && patch_registry(registry);
		Py_XDECREF(registry);
		Py_XDECREF(places[i]);
	}
	return good;
}

static bool
patch_module_class(void)
{
	PyTypeObject *type = (PyTypeObject *)fxpy.module_type;

	if (!fxpy.patched_call) {
		fxpy.patched_call =
			PyDescr_NewMethod(type, &patched_methods[0]);
		fxpy.patched_getattr =
			PyDescr_NewMethod(type, &patched_methods[1]);
	}
	if (!fxpy.patched_call || !fxpy.patched_getattr)
		return false;
	fxpy.original_call =
		PyObject_GetAttrString(fxpy.module_type, "__call__");
	fxpy.original_getattr =
		PyObject_GetAttrString(fxpy.module_type, "__getattr__");
	return fxpy.original_call && fxpy.original_getattr &&
	       PyObject_SetAttrString(fxpy.module_type, "__call__",
		       fxpy.patched_call) == 0 &&
	       PyObject_SetAttrString(fxpy.module_type, "__getattr__",
		       fxpy.patched_getattr) == 0;
}

bool
fxpy_patch(void)
{
	PyObject *math;

	if (fxpy.original_call)
		return patch_wraps();
	if (!patches && !(patches = PyList_New(0)))
		return false;
	if (!patch_module_class())
		return false;
	return read_math(&math) && patch_wraps() && patch_math_in(math);
}

void
fxpy_unpatch(void)
{
	PyObject *type, *value, *trace;

	if (!fxpy.original_call)
		return;
	PyErr_Fetch(&type, &value, &trace);
	for (Py_ssize_t i = PyList_Size(patches); i-- > 0;) {
		PyObject *entry = PyList_GetItem(patches, i);
		PyObject *dict = PyTuple_GetItem(entry, 0);
		PyObject *name = PyTuple_GetItem(entry, 1);
		PyObject *original = PyTuple_GetItem(entry, 2);

		if (original == Py_None)
			PyDict_DelItem(dict, name);
		else
			PyDict_SetItem(dict, name, original);
		PyErr_Clear();
	}
	PyList_SetSlice(patches, 0, PyList_Size(patches), NULL);
	PyObject_SetAttrString(fxpy.module_type, "__call__",
		fxpy.original_call);
	PyObject_SetAttrString(fxpy.module_type, "__getattr__",
		fxpy.original_getattr);
	PyErr_Clear();
	Py_CLEAR(fxpy.original_call);
	Py_CLEAR(fxpy.original_getattr);
	PyErr_Restore(type, value, trace);
}

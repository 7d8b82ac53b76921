/* ext_object.c - arguments that are objects of Python's own: members of an
 * Enum, instances of named tuples and dataclasses, and what a graph that was
 * made elsewhere has.
 */
#include <config.h>

#include "capture/capture.h"
#include "capture/copy.h"

#include "base/arena.h"
#include "base/intern.h"

/* OBJECT as TEXT, a new reference or NULL, shows it; the graph keeps it. */
static bool
keep(struct fxpy_trace *trace, PyObject *text, PyObject *object,
	struct fx_value *ret)
{
	const char *name = text ? fxpy_text(text) : NULL;
	bool good =
		name && PyDict_SetItemString(trace->targets, name, object) == 0;

	Py_XDECREF(text);
	if (good)
		*ret = fx_value_text(FX_VALUE_OPAQUE, name);
	return good;
}

/* What the member OBJECT is besides, as fx_value_plain reads it; new or NULL.
 */
static PyObject *
plain_text(PyObject *object)
{
	PyObject *digits, *text;

	if (PyUnicode_Check(object))
		return PyUnicode_FromFormat("\x1fstr %U", object);
	if (!PyLong_Check(object))
		return PyUnicode_FromString("");
	digits = PyNumber_ToBase(object, 10);
	text = digits ? PyUnicode_FromFormat("\x1fint %U", digits) : NULL;
	Py_XDECREF(digits);
	return text;
}

/* "models:Dim.LAST"; nothing for a torch whose code shows the repr. */
static PyObject *
place_text(struct fxpy_trace *trace, PyObject *object)
{
	PyObject *class = (PyObject *)Py_TYPE(object), *text;
	PyObject *module = PyObject_GetAttr(class, fxpy_str.__module__);
	PyObject *path = PyObject_GetAttr(class, fxpy_str.__qualname__);
	PyObject *name = PyObject_GetAttr(object, fxpy_str.name);

	if (!module || !path || !name)
		text = NULL;
	else if (!trace->takes_objects)
		text = PyUnicode_FromString("");
	else
		text = PyUnicode_FromFormat("%S:%S.%S", module, path, name);
	Py_XDECREF(module);
	Py_XDECREF(path);
	Py_XDECREF(name);
	return text;
}

int
fxpy_member(struct fxpy_trace *trace, PyObject *object, struct fx_value *ret)
{
	PyObject *place, *plain, *text;

	if (!PyType_IsSubtype(Py_TYPE(object), fxpy.enum_type) ||
		(!trace->takes_objects && !PyLong_Check(object) &&
			!PyUnicode_Check(object) && !PyFloat_Check(object) &&
			!PyComplex_Check(object)))
		return 0;
	place = place_text(trace, object);
	plain = place ? plain_text(object) : NULL;
	text = plain ? PyUnicode_FromFormat("%R\x1f%S\x1f%U%U", object, object,
			       place, plain)
		     : NULL;
	Py_XDECREF(place);
	Py_XDECREF(plain);
	return keep(trace, text, object, ret) ? 1 : -1;
}

/* torch.fx records a call of OBJECT's class, with what SPEC has. */
static bool
call_of_class(struct fxpy_trace *trace, PyObject *object,
	struct fx_node_spec *spec, struct fx_value *ret)
{
	struct fx_node *node;

	spec->opcode = FX_OPCODE_CALL_FUNCTION;
	spec->target = fxpy_target(trace, (PyObject *)Py_TYPE(object));
	spec->source = fxpy_source(trace);
	node = spec->target ? fxpy_add_node(trace, spec, NULL) : NULL;
	*ret = fx_value_node(node);
	return node;
}

static bool
fields_of(struct fxpy_trace *trace, PyObject *object, struct fx_value *fields)
{
	for (Py_ssize_t i = 0; i < PyTuple_Size(object); i++)
		if (!fxpy_arg(trace, PyTuple_GetItem(object, i), &fields[i]))
			return false;
	return true;
}

bool
fxpy_named_tuple(struct fxpy_trace *trace, PyObject *object,
	struct fx_value *ret)
{
	struct fx_arena *arena = trace->recorder.graph->values;
	size_t count = (size_t)PyTuple_Size(object);
	struct fx_value *fields = FX_ARENA_ARRAY(arena, struct fx_value, count);
	struct fx_node_spec spec = { 0 };
	const char *name;

	if (!fields_of(trace, object, fields))
		return false;
	if (!trace->is_copy) {
		spec.args =
			fx_value_sequence(arena, FX_VALUE_TUPLE, fields, count);
		return call_of_class(trace, object, &spec, ret);
	}
	name = fxpy_target(trace, (PyObject *)Py_TYPE(object));
	if (name)
		*ret = fx_value_namedtuple(arena, name, fields, count);
	return name;
}

/* FIELDS: what dataclasses.fields says of OBJECT; PAIRS: a dict's items. */
static bool
values_of(struct fxpy_trace *trace, PyObject *object, PyObject *fields,
	struct fx_value *pairs)
{
	for (Py_ssize_t i = 0; i < PyTuple_Size(fields); i++) {
		PyObject *name = PyObject_GetAttr(PyTuple_GetItem(fields, i),
			fxpy_str.name);
		PyObject *value = name ? PyObject_GetAttr(object, name) : NULL;
		const char *text = value ? fxpy_name(name) : NULL;
		bool good = text && fxpy_arg(trace, value, &pairs[2 * i + 1]);

		if (good)
			pairs[2 * i] = fx_value_string(text);
		Py_XDECREF(name);
		Py_XDECREF(value);
		if (!good)
			return false;
	}
	return true;
}

static bool
data_class(struct fxpy_trace *trace, PyObject *object, struct fx_value *ret)
{
	struct fx_arena *arena = trace->recorder.graph->values;
	PyObject *module = PyImport_ImportModule("dataclasses");
	PyObject *fields =
		module ? PyObject_CallMethod(module, "fields", "O", object)
		       : NULL;
	size_t count = fields ? (size_t)PyTuple_Size(fields) : 0;
	struct fx_value *pairs =
		FX_ARENA_ARRAY(arena, struct fx_value, 2 * count);
	struct fx_node_spec spec = { 0 };
	bool good = fields && values_of(trace, object, fields, pairs);

	Py_XDECREF(module);
	Py_XDECREF(fields);
	if (good)
		spec.kwargs = fx_value_dict(arena, pairs, count);
	return good && call_of_class(trace, object, &spec, ret);
}

/* A function by its name, all else as it shows itself. */
static bool
as_it_stands(struct fxpy_trace *trace, PyObject *object, struct fx_value *ret)
{
	const char *name =
		PyCallable_Check(object) ? fxpy_target(trace, object) : NULL;

	if (name) {
		*ret = fx_value_text(FX_VALUE_FUNCTION, name);
		return true;
	}
	PyErr_Clear();
	return keep(trace, PyObject_Repr(object), object, ret);
}

bool
fxpy_object(struct fxpy_trace *trace, PyObject *object, struct fx_value *ret)
{
	if (trace->is_copy)
		return as_it_stands(trace, object, ret);
	if (trace->takes_objects && !PyType_Check(object) &&
		PyObject_HasAttr(object, fxpy_str.__dataclass_fields__))
		return data_class(trace, object, ret);
	PyErr_Format(PyExc_NotImplementedError,
		"a value of type %R is an argument of a traced call; a graph "
		"holds numbers, strings, tensors, dtypes, devices and "
		"containers of them",
		(PyObject *)Py_TYPE(object));
	return false;
}

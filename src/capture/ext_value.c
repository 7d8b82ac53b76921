/* ext_value.c - values of the graph back to Python objects. */
#include <config.h>

#include "capture/capture.h"
#include "capture/copy.h"

#include "base/dtype.h"

static PyObject *
sequence(const struct fx_value *value, PyObject *graph)
{
	PyObject *list = PyList_New(0), *result;

	for (uint32_t i = 0; list && i < value->count; i++) {
		PyObject *item = fxpy_value_object(&value->items[i], graph);

		if (!item || PyList_Append(list, item) < 0)
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	if (!list || value->kind == FX_VALUE_LIST)
		return list;
	result = PyList_AsTuple(list);
	Py_DECREF(list);
	return result;
}

static PyObject *
dictionary(const struct fx_value *value, PyObject *graph)
{
	PyObject *dict = PyDict_New();

	for (uint32_t i = 0; dict && i < value->count; i++) {
		PyObject *key = fxpy_value_object(&value->items[2 * i], graph);
		PyObject *item =
			fxpy_value_object(&value->items[2 * i + 1], graph);

		if (!key || !item || PyDict_SetItem(dict, key, item) < 0)
			Py_CLEAR(dict);
		Py_XDECREF(key);
		Py_XDECREF(item);
	}
	return dict;
}

static PyObject *
three(const struct fx_value *value, PyObject *graph)
{
	PyObject *parts[3], *result = NULL;

	for (int i = 0; i < 3; i++)
		parts[i] = fxpy_value_object(&value->items[i], graph);
	if (parts[0] && parts[1] && parts[2])
		result = value->kind == FX_VALUE_SLICE
				 ? PySlice_New(parts[0], parts[1], parts[2])
				 : PyObject_CallFunctionObjArgs(
					   (PyObject *)&PyRange_Type, parts[0],
					   parts[1], parts[2], NULL);
	for (int i = 0; i < 3; i++)
		Py_XDECREF(parts[i]);
	return result;
}

static PyObject *
torch_attribute(const char *name)
{
	PyObject *torch = PyImport_ImportModule("torch");
	PyObject *value = torch ? PyObject_GetAttrString(torch, name) : NULL;

	Py_XDECREF(torch);
	return value;
}

/* A function, a class or what only Python understands, as GRAPH has it; its
 * name when it does not.
 */
static PyObject *
known_object(const char *text, PyObject *graph)
{
	PyObject *object = graph ? fxpy_graph_object(graph, text) : NULL;

	if (!object)
		return PyUnicode_FromString(text);
	Py_INCREF(object);
	return object;
}

static PyObject *
named_tuple(const struct fx_value *value, PyObject *graph)
{
	const struct fx_value fields = { .kind = FX_VALUE_TUPLE,
		.count = value->count,
		.items = value->items + 1 };
	PyObject *class =
		graph ? fxpy_graph_object(graph, value->items[0].text) : NULL;
	PyObject *plain = sequence(&fields, graph), *result;

	if (!plain || !class)
		return plain;
	result = PyObject_CallObject(class, plain);
	Py_DECREF(plain);
	return result;
}

PyObject *
fxpy_value_object(const struct fx_value *value, PyObject *graph)
{
	switch ((enum fx_value_kind)value->kind) {
	case FX_VALUE_NONE:
		Py_RETURN_NONE;
	case FX_VALUE_BOOL:
		return PyBool_FromLong(value->truth);
	case FX_VALUE_INT:
		return PyLong_FromLongLong(value->integer);
	case FX_VALUE_BIGINT:
		return PyLong_FromString(value->text, NULL, 10);
	case FX_VALUE_FLOAT:
		return PyFloat_FromDouble(value->real);
	case FX_VALUE_COMPLEX:
		return PyComplex_FromDoubles(value->pair[0], value->pair[1]);
	case FX_VALUE_STRING:
		return PyUnicode_FromStringAndSize(value->text,
			(Py_ssize_t)value->count);
	case FX_VALUE_BYTES:
		return PyBytes_FromStringAndSize(value->text,
			(Py_ssize_t)value->count);
	case FX_VALUE_ELLIPSIS:
		Py_INCREF(Py_Ellipsis);
		return Py_Ellipsis;
	case FX_VALUE_DTYPE:
		return torch_attribute(fx_dtype_info((enum fx_dtype)
							     value->integer)
					       ->name);
	case FX_VALUE_DEVICE:
		return PyObject_CallFunction(fxpy.device_type, "s",
			value->text);
	case FX_VALUE_LAYOUT:
	case FX_VALUE_MEMORY_FORMAT:
		return torch_attribute(value->text);
	case FX_VALUE_NODE:
		return fxpy_node_object(graph, value->node);
	case FX_VALUE_SLICE:
	case FX_VALUE_RANGE:
		return three(value, graph);
	case FX_VALUE_TUPLE:
	case FX_VALUE_LIST:
	case FX_VALUE_SIZE:
		return sequence(value, graph);
	case FX_VALUE_DICT:
		return dictionary(value, graph);
	case FX_VALUE_NAMEDTUPLE:
		return named_tuple(value, graph);
	case FX_VALUE_FUNCTION:
	case FX_VALUE_OPAQUE:
		return known_object(value->text, graph);
	case FX_VALUE_TENSOR:
	case FX_VALUE_SYMBOL:
	case FX_VALUE_UNKNOWN:
	case FX_VALUE_NODE_ID:
	case FX_VALUE_HELD:
	case FX_VALUE_KIND_COUNT:
		break;
	}
	return PyUnicode_FromString(fx_value_kind_name((enum fx_value_kind)
							       value->kind));
}

/* ext_args.c - what may be an argument: torch.fx's create_arg (semantics 2.5)
 * straight into values of the graph.
 */
#include <config.h>

#include "capture/capture.h"
#include "capture/copy.h"

#include <string.h>

#include "base/arena.h"
#include "base/dtype.h"
#include "base/intern.h"

#define MAX_DEPTH 200
#define MAX_NAMES 4096

/* A value that Tracer.create_arg has converted already. */
struct argument {
	PyObject_HEAD uint64_t generation;
	struct fx_value value; /* lives in the graph's arena */
};

static bool convert(struct fxpy_trace *trace, PyObject *object, int depth,
	struct fx_value *ret);

static bool
argument_value(struct fxpy_trace *trace, PyObject *object, struct fx_value *ret)
{
	const struct argument *argument = (const struct argument *)object;

	if (argument->generation != trace->recorder.generation) {
		PyErr_SetString(PyExc_RuntimeError,
			"an argument of an earlier trace is used");
		return false;
	}
	*ret = argument->value;
	return true;
}

const char *
fxpy_text(PyObject *string)
{
	const char *text = PyUnicode_AsUTF8AndSize(string, NULL);

	return text ? fx_intern(text) : NULL;
}

const char *
fxpy_name(PyObject *name)
{
	const char *text = fx_map_get_pointer(&fxpy.texts, name);

	if (text)
		return text;
	text = fxpy_text(name);
	if (text && fxpy.texts.count < MAX_NAMES &&
		PyList_Append(fxpy.keep, name) == 0)
		fx_map_set_pointer(&fxpy.texts, name, text);
	return text;
}

/* int, also beyond 64 bits; bool and IntEnum are dealt with by the caller. */
static bool
integer(PyObject *object, struct fx_value *ret)
{
	int overflow = 0;
	long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
	PyObject *digits;

	if (!overflow) {
		*ret = fx_value_int(number);
		return !PyErr_Occurred();
	}
	digits = PyNumber_ToBase(object, 10);
	if (!digits)
		return false;
	*ret = fx_value_text(FX_VALUE_BIGINT, fxpy_text(digits));
	Py_DECREF(digits);
	return !PyErr_Occurred();
}

static bool
string(struct fx_arena *arena, PyObject *object, struct fx_value *ret)
{
	Py_ssize_t size;
	const char *text = PyUnicode_AsUTF8AndSize(object, &size);

	if (text)
		*ret = fx_value_string_n(arena, text, (size_t)size);
	return text;
}

/* torch.float32 and the like: the text after the last dot of its repr. */
static const char *
torch_word(PyObject *object)
{
	PyObject *repr = PyObject_Str(object);
	const char *text = repr ? fxpy_text(repr) : NULL;
	const char *dot = text ? strrchr(text, '.') : NULL;

	Py_XDECREF(repr);
	return dot ? dot + 1 : text;
}

static bool
device(PyObject *object, struct fx_value *ret)
{
	PyObject *text = PyObject_Str(object);

	if (!text)
		return false;
	*ret = fx_value_text(FX_VALUE_DEVICE, fxpy_text(text));
	Py_DECREF(text);
	return !PyErr_Occurred();
}

/* Leaves that are the same in arguments and in configuration.  1: done, 0: is
 * no leaf, -1: exception.
 */
static int
leaf(struct fx_arena *arena, PyObject *object, struct fx_value *ret)
{
	PyObject *type = (PyObject *)Py_TYPE(object);

	if (object == Py_None)
		*ret = fx_value_none();
	else if (PyBool_Check(object))
		*ret = fx_value_bool(object == Py_True);
	else if (PyLong_Check(object))
		return integer(object, ret) ? 1 : -1;
	else if (PyFloat_Check(object))
		*ret = fx_value_float(PyFloat_AsDouble(object));
	else if (PyUnicode_Check(object))
		return string(arena, object, ret) ? 1 : -1;
	else if (object == Py_Ellipsis)
		*ret = (struct fx_value){ .kind = FX_VALUE_ELLIPSIS };
	else if (PyComplex_Check(object))
		*ret = fx_value_complex(arena, PyComplex_RealAsDouble(object),
			PyComplex_ImagAsDouble(object));
	else if (type == fxpy.dtype_type)
		*ret = fx_value_dtype(fx_dtype_find(torch_word(object)));
	else if (type == fxpy.device_type)
		return device(object, ret) ? 1 : -1;
	else if (type == fxpy.layout_type)
		*ret = fx_value_text(FX_VALUE_LAYOUT, torch_word(object));
	else if (type == fxpy.memory_format_type)
		*ret = fx_value_text(FX_VALUE_MEMORY_FORMAT,
			torch_word(object));
	else
		return 0;
	return 1;
}

typedef bool item_fn(void *context, PyObject *object, int depth,
	struct fx_value *ret);

/* How the items of a container are converted. */
struct walker {
	item_fn *item;
	void *context;
	struct fx_arena *arena;
	int depth; /* of the items */
};

static bool
walk(const struct walker *walker, PyObject *object, struct fx_value *ret)
{
	return walker->item(walker->context, object, walker->depth, ret);
}

static bool
trace_item(void *context, PyObject *object, int depth, struct fx_value *ret)
{
	return convert(context, object, depth, ret);
}

static bool
plain_item(void *context, PyObject *object, int depth, struct fx_value *ret)
{
	return fxpy_plain(context, object, depth, ret);
}

static bool
sequence(const struct walker *walker, PyObject *object, struct fx_value *ret)
{
	bool is_tuple = PyTuple_Check(object);
	size_t count = (size_t)PySequence_Size(object);
	struct fx_value *items =
		FX_ARENA_ARRAY(walker->arena, struct fx_value, count);

	for (size_t i = 0; i < count; i++) {
		PyObject *one = is_tuple
					? PyTuple_GetItem(object, (Py_ssize_t)i)
					: PyList_GetItem(object, (Py_ssize_t)i);

		if (!one || !walk(walker, one, &items[i]))
			return false;
	}
	*ret = (struct fx_value){
		.kind = is_tuple ? FX_VALUE_TUPLE : FX_VALUE_LIST,
		.count = (uint32_t)count,
		.items = items,
	};
	return true;
}

static bool
dictionary(const struct walker *walker, PyObject *object, struct fx_value *ret)
{
	size_t count = (size_t)PyDict_Size(object), at = 0;
	struct fx_value *items =
		FX_ARENA_ARRAY(walker->arena, struct fx_value, 2 * count);
	PyObject *key, *value;
	Py_ssize_t position = 0;

	while (at < count && PyDict_Next(object, &position, &key, &value)) {
		if (!walk(walker, key, &items[2 * at]) ||
			!walk(walker, value, &items[2 * at + 1]))
			return false;
		if (items[2 * at].kind == FX_VALUE_NODE) {
			PyErr_Format(PyExc_RuntimeError,
				"a dict that is an argument has the traced "
				"value \"%s\" as a key",
				items[2 * at].node->name);
			return false;
		}
		at++;
	}
	*ret = (struct fx_value){
		.kind = FX_VALUE_DICT, .count = (uint32_t)at, .items = items
	};
	return true;
}

static bool
three(const struct walker *walker, PyObject *object, struct fx_value *ret)
{
	PyObject *names[3] = { fxpy_str.start, fxpy_str.stop, fxpy_str.step };
	struct fx_value parts[3];

	for (int i = 0; i < 3; i++) {
		PyObject *part = PyObject_GetAttr(object, names[i]);
		bool good = part && walk(walker, part, &parts[i]);

		Py_XDECREF(part);
		if (!good)
			return false;
	}
	*ret = PySlice_Check(object) ? fx_value_slice(walker->arena, parts[0],
					       parts[1], parts[2])
				     : fx_value_range(walker->arena, parts[0],
					       parts[1], parts[2]);
	return true;
}

bool
fxpy_plain(struct fx_arena *arena, PyObject *object, int depth,
	struct fx_value *ret)
{
	const struct walker walker = { plain_item, arena, arena, depth + 1 };
	int done = leaf(arena, object, ret);

	if (done)
		return done > 0;
	if (depth > 20)
		return false;
	if (PyTuple_Check(object) || PyList_Check(object))
		return sequence(&walker, object, ret);
	if (PyDict_Check(object))
		return dictionary(&walker, object, ret);
	return false;
}

/* A fresh get_attr of what lies at PATH. */
static bool
attribute(struct fxpy_trace *trace, const char *path, struct fx_value *ret)
{
	struct fx_node_spec spec = { .opcode = FX_OPCODE_GET_ATTR,
		.target = path };
	struct fx_node *node = fxpy_add_node(trace, &spec, NULL);

	*ret = fx_value_node(node);
	return node;
}

/* A tensor that the module does not have: _tensor_constantN, numbered in our
 * own table; the user's module is not written to.
 */
static bool
constant(struct fxpy_trace *trace, PyObject *object, struct fx_value *ret)
{
	const char *path =
		fx_intern_format("_tensor_constant%u", trace->constant_count);

	while (PyObject_HasAttrString(trace->root, path))
		path = fx_intern_format("_tensor_constant%u",
			++trace->constant_count);
	trace->constant_count++;
	if (PyList_Append(trace->keep, object) < 0)
		return false;
	fx_map_set_pointer(&trace->tensors, object, path);
	return attribute(trace, path, ret);
}

/* The path of OBJECT if a module has it, an object of TorchScript's; or NULL.
 */
static const char *
script_path(struct fxpy_trace *trace, PyObject *object)
{
	PyObject *path = PyDict_GetItem(trace->scripts, object);
	const char *text = path ? fxpy_text(path) : NULL;

	PyErr_Clear();
	return text;
}

/* An instance of a class made with ProxyableClassMeta, which the trace did not
 * see made: an attribute for each use, which the user's module does not get.
 */
static bool
proxyable_constant(struct fxpy_trace *trace, PyObject *object,
	struct fx_value *ret)
{
	const char *class = fxpy_callable_name((PyObject *)Py_TYPE(object));
	const char *path;
	unsigned count = 0;

	if (!class)
		return false;
	do
		path = fx_intern_format("_%s_constant_%u", class, count++);
	while (fx_map_has(&trace->constants, (uintptr_t)path) ||
		PyObject_HasAttrString(trace->root, path));
	fx_map_set(&trace->constants, (uintptr_t)path, 1);
	return PyDict_SetItemString(trace->targets, path, object) == 0 &&
	       attribute(trace, path, ret);
}

/* 1: a tensor, parameter or module, done; 0: none of them; -1: exception. */
static int
state(struct fxpy_trace *trace, PyObject *object, struct fx_value *ret)
{
	const char *path = fx_map_get_pointer(&trace->parameters, object);
	int is_tensor;

	if (!path)
		path = fx_map_get_pointer(&trace->tensors, object);
	if (!path)
		path = fx_map_get_pointer(&trace->modules, object);
	if (path)
		return attribute(trace, path, ret) ? 1 : -1;
	is_tensor = PyObject_IsInstance(object, fxpy.tensor_type);
	if (is_tensor == 0 && fxpy.script_object_type) {
		is_tensor =
			PyObject_IsInstance(object, fxpy.script_object_type);
		path = is_tensor == 1 ? script_path(trace, object) : NULL;
	}
	if (path)
		return attribute(trace, path, ret) ? 1 : -1;
	if (is_tensor <= 0)
		return is_tensor;
	if (PyObject_IsInstance(object, fxpy.parameter_type) == 1) {
		PyErr_SetString(PyExc_NameError,
			"a parameter is used that belongs to no submodule of "
			"the traced model");
		return -1;
	}
	return constant(trace, object, ret) ? 1 : -1;
}

/* Convert what __fx_create_arg__, the object's own hook, returns instead of the
 * object.
 */
static bool
convert_own(struct fxpy_trace *trace, PyObject *object, int depth,
	struct fx_value *ret)
{
	PyObject *given = PyObject_CallMethod(object, "__fx_create_arg__", "O",
		trace->tracer);
	bool good = given && convert(trace, given, depth + 1, ret);

	Py_XDECREF(given);
	return good;
}

static bool
is_named_tuple(PyObject *object)
{
	return (PyObject *)Py_TYPE(object) != (PyObject *)&PyTuple_Type &&
	       PyObject_HasAttr(object, fxpy_str._fields);
}

/* 1: a container, done; 0: none; -1: exception.  WALKER converts its items. */
static int
container(const struct walker *walker, PyObject *object, struct fx_value *ret)
{
	bool good;

	if (PyTuple_Check(object) && is_named_tuple(object))
		good = fxpy_named_tuple(walker->context, object, ret);
	else if (PyTuple_Check(object) || PyList_Check(object))
		good = sequence(walker, object, ret);
	else if (PyDict_Check(object))
		good = dictionary(walker, object, ret);
	else if (PySlice_Check(object) ||
		 (PyObject *)Py_TYPE(object) == (PyObject *)&PyRange_Type)
		good = three(walker, object, ret);
	else
		return 0;
	return good ? 1 : -1;
}

static bool
convert_with(struct fxpy_trace *trace, PyObject *object, int depth,
	item_fn *item, struct fx_value *ret)
{
	struct fx_arena *arena = trace->recorder.graph->values;
	const struct walker walker = { item, trace, arena, depth + 1 };
	struct fx_node *node;
	int done;

	if (depth > MAX_DEPTH) {
		PyErr_SetString(PyExc_RecursionError,
			"an argument is nested more than 200 levels deep");
		return false;
	}
	if (FXPY_IS_PROXY(object)) {
		node = fxpy_proxy_node(object);
		*ret = fx_value_node(node);
		return node;
	}
	if (Py_TYPE(object) == fxpy.node_type) {
		node = fxpy_object_node(trace, object);
		*ret = fx_value_node(node);
		return node;
	}
	if (Py_TYPE(object) == fxpy.argument_type)
		return argument_value(trace, object, ret);
	done = fxpy_member(trace, object, ret);
	if (!done)
		done = leaf(arena, object, ret);
	if (!done)
		done = container(&walker, object, ret);
	if (done)
		return done > 0;
	if (PyObject_HasAttr(object, fxpy_str.__fx_create_arg__))
		return convert_own(trace, object, depth, ret);
	done = state(trace, object, ret);
	if (!done && fxpy.proxyable &&
		PyDict_GetItem(fxpy.proxyable, (PyObject *)Py_TYPE(object)))
		return proxyable_constant(trace, object, ret);
	return done ? done > 0 : fxpy_object(trace, object, ret);
}

static bool
convert(struct fxpy_trace *trace, PyObject *object, int depth,
	struct fx_value *ret)
{
	return convert_with(trace, object, depth, trace_item, ret);
}

bool
fxpy_plain_arg(struct fxpy_trace *trace, PyObject *object, struct fx_value *ret)
{
	return convert(trace, object, 0, ret);
}

bool
fxpy_arg(struct fxpy_trace *trace, PyObject *object, struct fx_value *ret)
{
	PyObject *given;
	bool good;

	if (!trace->hooks_arg)
		return convert(trace, object, 0, ret);
	given = PyObject_CallMethod(trace->tracer, "create_arg", "(O)", object);
	good = given && convert(trace, given, 0, ret);
	Py_XDECREF(given);
	return good;
}

/* An item of what the tracer's create_arg was called for. */
static bool
hooked_item(void *context, PyObject *object, int depth, struct fx_value *ret)
{
	(void)depth;
	return fxpy_arg(context, object, ret);
}

PyObject *
fxpy_create_arg(struct fxpy_trace *trace, PyObject *object)
{
	struct fx_value value;
	struct argument *argument;

	if (!convert_with(trace, object, 0,
		    trace->hooks_arg ? hooked_item : trace_item, &value))
		return NULL;
	argument = PyObject_New(struct argument, fxpy.argument_type);
	if (argument) {
		argument->value = value;
		argument->generation = fxpy.generation;
	}
	return (PyObject *)argument;
}

static void
argument_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	PyObject_Free(self);
	Py_DECREF(type);
}

static PyType_Slot argument_slots[] = {
	FXPY_SLOT(Py_tp_dealloc, argument_dealloc),
	{ 0, NULL },
};

static PyType_Spec argument_spec = {
	.name = "fxdb.Argument",
	.basicsize = sizeof(struct argument),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = argument_slots,
};

int
fxpy_args_ready(void)
{
	fxpy.argument_type = (PyTypeObject *)PyType_FromSpec(&argument_spec);
	return fxpy.argument_type ? 0 : -1;
}

int
fxpy_has_proxy(PyObject *object, int depth)
{
	int found = 0;

	if (FXPY_IS_PROXY(object))
		return 1;
	if (depth > MAX_DEPTH)
		return 0;
	if (PyTuple_Check(object) || PyList_Check(object)) {
		Py_ssize_t count = PySequence_Size(object);

		for (Py_ssize_t i = 0; !found && i < count; i++) {
			PyObject *item = PySequence_GetItem(object, i);

			found = item ? fxpy_has_proxy(item, depth + 1) : -1;
			Py_XDECREF(item);
		}
	} else if (PyDict_Check(object)) {
		PyObject *key, *value;
		Py_ssize_t at = 0;

		while (!found && PyDict_Next(object, &at, &key, &value))
			found = fxpy_has_proxy(value, depth + 1);
	} else if (PySlice_Check(object)) {
		PyObject *parts =
			PyObject_CallMethod(object, "__reduce__", NULL);

		found = parts ? fxpy_has_proxy(parts, depth + 1) : -1;
		Py_XDECREF(parts);
	}
	return found;
}

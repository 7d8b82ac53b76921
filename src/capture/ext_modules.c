/* ext_modules.c - the module tree of a trace: paths, classes, configuration.
 *
 * One walk in the order of named_modules(): a module before its children, the
 * first path of a shared module or tied parameter wins (semantics 2.3, 2.4).
 * Configuration is every plain value of the instance's __dict__ that a bare
 * torch.nn.Module does not have.
 */
#include <config.h>

#include "capture/capture.h"

#include <string.h>

#include "base/arena.h"
#include "base/dtype.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "ir/module.h"
#include "ir/tensor_meta.h"

#define MAX_DEPTH   200
#define MAX_KEYS    4096
#define SKIPPED_KEY 1

static const char *
attribute_text(PyObject *object, PyObject *name)
{
	PyObject *value = PyObject_GetAttr(object, name);
	const char *text = NULL;

	if (value && PyUnicode_Check(value))
		text = fxpy_text(value);
	Py_XDECREF(value);
	PyErr_Clear();
	return text ? text : "";
}

/* torch.fx keeps torch.nn's own modules whole, Sequential excepted. */
static bool
is_leaf_class(PyTypeObject *type, const char *module)
{
	if (!fx_str_starts(module, "torch.nn") &&
		!fx_str_starts(module, "torch.ao.nn"))
		return false;
	return !PyType_IsSubtype(type, (PyTypeObject *)fxpy.sequential_type);
}

const struct fxpy_class *
fxpy_class_of(PyTypeObject *type)
{
	struct fxpy_class *class = fx_map_get_pointer(&fxpy.classes, type);
	const char *module, *name;

	if (class)
		return class;
	module = attribute_text((PyObject *)type, fxpy_str.__module__);
	name = attribute_text((PyObject *)type, fxpy_str.__qualname__);
	class = FX_NEW(struct fxpy_class);
	class->name = fx_intern_format("%s.%s", module, name);
	class->is_leaf = is_leaf_class(type, module);
	if (PyList_Append(fxpy.keep, (PyObject *)type) < 0)
		PyErr_Clear();
	fx_map_set_pointer(&fxpy.classes, type, class);
	return class;
}

static const char *
join(const char *prefix, PyObject *name)
{
	char path[512];
	const char *text = fxpy_name(name);
	size_t before = fx_intern_length(prefix);
	size_t length = text ? fx_intern_length(text) : 0;

	if (!text || !before)
		return text;
	if (before + length + 1 >= sizeof(path))
		return fx_intern_format("%s.%s", prefix, text);
	memcpy(path, prefix, before);
	path[before] = '.';
	memcpy(path + before + 1, text, length);
	return fx_intern_n(path, before + 1 + length);
}

/* The first path of a tensor counts.  It is kept alive: an address that is a
 * key must not be given to another object when the model drops the tensor.
 */
static void
map_tensor(struct fxpy_trace *trace, struct fx_map *map, PyObject *tensor,
	const char *prefix, PyObject *name)
{
	if (tensor == Py_None || !PyUnicode_Check(name) ||
		fx_map_has(map, (uintptr_t)tensor))
		return;
	fx_map_set_pointer(map, tensor, join(prefix, name));
	if (PyList_Append(trace->keep, tensor) < 0)
		PyErr_Clear();
}

/* Map the tensors of TABLE, a dict, to their paths. */
static void
map_table(struct fxpy_trace *trace, struct fx_map *map, PyObject *table,
	const char *prefix)
{
	PyObject *key, *value;
	Py_ssize_t at = 0;

	while (table && PyDict_Next(table, &at, &key, &value))
		map_tensor(trace, map, value, prefix, key);
}

/* The interned text of an attribute's name; NULL for those that every module
 * has.  Names of attributes are few and Python keeps one object for each.
 */
static const char *
config_key(PyObject *key)
{
	uintptr_t known = fx_map_get(&fxpy.keys, (uintptr_t)key, 0);
	const char *text;

	if (known)
		return known == SKIPPED_KEY ? NULL : (const char *)known;
	if (!PyUnicode_Check(key))
		return NULL;
	text = PySet_Contains(fxpy.module_keys, key) == 1 ? NULL
							  : fxpy_text(key);
	if (fxpy.keys.count < MAX_KEYS && PyList_Append(fxpy.keep, key) == 0)
		fx_map_set(&fxpy.keys, (uintptr_t)key,
			text ? (uintptr_t)text : SKIPPED_KEY);
	PyErr_Clear();
	return text;
}

static void
add_config(struct fxpy_trace *trace, const char *key, struct fx_value value)
{
	if (trace->config.count + 2 > trace->config.capacity)
		fx_vec_reserve(&trace->config, trace->config.count + 2);
	trace->config.items[trace->config.count++] = (struct fx_value){
		.kind = FX_VALUE_STRING,
		.count = (uint32_t)fx_intern_length(key),
		.text = key,
	};
	trace->config.items[trace->config.count++] = value;
}

/* Return the interned name of the code that a call of MODULE runs besides the
 * code of its class, or NULL.  DICT is the __dict__ of MODULE.
 */
static const char *
own_code(PyObject *module, PyObject *dict)
{
	PyObject *hooks = PyDict_GetItem(dict, fxpy_str._forward_hooks);
	PyObject *key, *value;
	Py_ssize_t at = 0;

	if (hooks && PyObject_IsTrue(hooks) == 1)
		return fx_intern("a forward hook");
	hooks = PyDict_GetItem(dict, fxpy_str._forward_pre_hooks);
	if (hooks && PyObject_IsTrue(hooks) == 1)
		return fx_intern("a forward pre-hook");
	while (PyDict_Next(dict, &at, &key, &value)) {
		PyObject *other;
		bool hides;

		if (!PyCallable_Check(value) || !config_key(key))
			continue;
		other = PyObject_GetAttr((PyObject *)Py_TYPE(module), key);
		hides = other && PyCallable_Check(other);
		Py_XDECREF(other);
		PyErr_Clear();
		if (hides)
			return fx_intern_format("its own %s", fxpy_name(key));
	}
	return NULL;
}

/* An object of TorchScript's at PATH: known by what it is, not by address, as
 * Python gets another object for it each time.
 */
static void
map_script(struct fxpy_trace *trace, PyObject *value, const char *path)
{
	PyObject *text = path ? PyUnicode_FromString(path) : NULL;

	if (text && PyDict_Contains(trace->scripts, value) == 0)
		PyDict_SetItem(trace->scripts, value, text);
	Py_XDECREF(text);
	PyErr_Clear();
}

/* The plain attributes of DICT as a DICT value; tensors among them are mapped
 * to their paths instead.
 */
static struct fx_value
configuration(struct fxpy_trace *trace, PyObject *dict, const char *path)
{
	struct fx_arena *arena = trace->recorder.graph->permanent;
	PyObject *key, *value;
	Py_ssize_t at = 0;
	struct fx_value plain;

	trace->config.count = 0;
	while (PyDict_Next(dict, &at, &key, &value)) {
		const char *text = config_key(key);

		if (!text)
			continue;
		if (fxpy_plain(arena, value, 0, &plain)) {
			add_config(trace, text, plain);
		} else if (PyType_IsSubtype(Py_TYPE(value),
				   (PyTypeObject *)fxpy.tensor_type))
			map_tensor(trace, &trace->tensors, value, path, key);
		else if (fxpy.script_object_type &&
			 PyObject_IsInstance(value, fxpy.script_object_type) ==
				 1)
			map_script(trace, value, join(path, key));
		else
			PyErr_Clear();
	}
	return fx_value_dict(arena, trace->config.items,
		trace->config.count / 2);
}

static struct fx_module *collect(struct fxpy_trace *trace, PyObject *module,
	const char *path, int depth);

static bool
collect_children(struct fxpy_trace *trace, PyObject *dict,
	struct fx_module *record, const char *path, int depth)
{
	PyObject *children = PyDict_GetItem(dict, fxpy_str._modules);
	PyObject *key, *value;
	Py_ssize_t at = 0;

	while (children && PyDict_Next(children, &at, &key, &value)) {
		struct fx_module *child = NULL;
		const char *name = fxpy_name(key);

		if (!name)
			return false;
		if (value != Py_None) {
			child = collect(trace, value, join(path, key),
				depth + 1);
			if (!child)
				return false;
		}
		fx_module_add_child(record, name, child);
	}
	return true;
}

static struct fx_module *
collect(struct fxpy_trace *trace, PyObject *module, const char *path, int depth)
{
	struct fx_module *record = fx_map_get_pointer(&trace->records, module);
	const struct fxpy_class *class = fxpy_class_of(Py_TYPE(module));
	PyObject *dict, *training;

	if (record)
		return record;
	if (depth > MAX_DEPTH) {
		PyErr_SetString(PyExc_RecursionError,
			"modules are nested more than 200 levels deep");
		return NULL;
	}
	dict = PyObject_GetAttr(module, fxpy_str.__dict__);
	if (!dict)
		return NULL;
	record = fx_module_new(trace->recorder.graph, class->name);
	record->is_leaf = class->is_leaf;
	training = PyDict_GetItem(dict, fxpy_str.training);
	record->training = training == Py_True;
	if (class->is_leaf)
		record->own_code = own_code(module, dict);
	fx_map_set_pointer(&trace->records, module, record);
	fx_map_set_pointer(&trace->modules, module, path);
	if (PyList_Append(trace->keep, module) < 0)
		return NULL;
	map_table(trace, &trace->parameters,
		PyDict_GetItem(dict, fxpy_str._parameters), path);
	map_table(trace, &trace->tensors,
		PyDict_GetItem(dict, fxpy_str._buffers), path);
	record->config = configuration(trace, dict, path);
	if (!collect_children(trace, dict, record, path, depth))
		record = NULL;
	Py_DECREF(dict);
	return record;
}

bool
fxpy_collect(struct fxpy_trace *trace)
{
	struct fx_module *root = collect(trace, trace->root, fx_intern(""), 0);

	if (!root)
		return false;
	trace->recorder.graph->module = root;
	trace->recorder.graph->class_name =
		fx_intern(fx_class_short_name(root->class_name));
	return true;
}

/* The integers of SEQUENCE in OUT; their number, or -1. */
static int
integers(PyObject *sequence, int64_t *out)
{
	Py_ssize_t count = sequence ? PySequence_Size(sequence) : -1;

	if (count < 0 || count > FX_RANK_LIMIT)
		return -1;
	for (Py_ssize_t i = 0; i < count; i++) {
		PyObject *item = PySequence_GetItem(sequence, i);

		out[i] = item ? PyLong_AsLongLong(item) : -1;
		Py_XDECREF(item);
	}
	return PyErr_Occurred() ? -1 : (int)count;
}

static enum fx_dtype
tensor_dtype(PyObject *tensor)
{
	PyObject *dtype = PyObject_GetAttr(tensor, fxpy_str.dtype);
	struct fx_value value = { 0 };

	if (dtype)
		fxpy_plain(NULL, dtype, 0, &value);
	Py_XDECREF(dtype);
	return value.kind == FX_VALUE_DTYPE ? (enum fx_dtype)value.integer
					    : FX_DTYPE_NONE;
}

/* What tensors lie in, while they are described. */
struct described {
	struct fx_graph *graph;
	PyObject *places;       /* borrowed: fxdb._weights.places */
	struct fx_map storages; /* what is written for them -> storage */
};

/* The storage of which OWNER is what is written; referenced by the graph. */
static struct fx_storage *
storage_of(struct described *d, PyObject *owner)
{
	struct fx_storage *storage = fx_map_get_pointer(&d->storages, owner);

	if (!storage) {
		storage = fx_storage_new(NULL);
		fx_map_set_pointer(&d->storages, owner, storage);
	}
	return storage;
}

/* Say how MADE lies in memory that it shares: PLACE has the strides too. */
static void
set_place(struct fx_graph *graph, struct fx_tensor *made, PyObject *place)
{
	PyObject *how = PyTuple_GetItem(place, 2);
	int64_t *strides;

	if (how == Py_None)
		return;
	strides = fx_arena_alloc(graph->permanent,
		FX_RANK_LIMIT * sizeof(*strides));
	integers(how, strides);
	made->strides = strides;
	made->offset = PyLong_AsLongLong(PyTuple_GetItem(place, 1));
}

/* Describe TENSOR for the graph. */
static const struct fx_tensor *
describe(struct described *d, PyObject *tensor, bool is_buffer)
{
	PyObject *shape = PyObject_GetAttr(tensor, fxpy_str.shape);
	PyObject *grad = PyObject_GetAttr(tensor, fxpy_str.requires_grad);
	PyObject *key = PyLong_FromVoidPtr(tensor);
	PyObject *place = key ? PyDict_GetItem(d->places, key) : NULL;
	int64_t sizes[FX_RANK_LIMIT];
	int rank = integers(shape, sizes);
	struct fx_tensor *made = NULL;

	PyErr_Clear();
	if (rank >= 0) {
		made = fx_tensor_new(d->graph, tensor_dtype(tensor), sizes,
			(size_t)rank,
			storage_of(d,
				place ? PyTuple_GetItem(place, 0) : tensor));
		made->is_buffer = is_buffer;
		made->is_persistent = true;
		made->requires_grad = grad == Py_True;
		if (place)
			set_place(d->graph, made, place);
	}
	Py_XDECREF(shape);
	Py_XDECREF(grad);
	Py_XDECREF(key);
	return made;
}

static bool
describe_table(struct described *d, struct fx_module *record, PyObject *table,
	bool is_buffer)
{
	PyObject *key, *value;
	Py_ssize_t at = 0;

	while (table && PyDict_Next(table, &at, &key, &value)) {
		const char *name = PyUnicode_Check(key) ? fxpy_text(key) : NULL;

		if (!name)
			return false;
		if (value == Py_None)
			fx_module_add_none(record, name,
				is_buffer ? FX_MEMBER_BUFFER
					  : FX_MEMBER_PARAMETER);
		else
			fx_module_add_tensor(record, name,
				describe(d, value, is_buffer));
	}
	return true;
}

/* The module that the tensor at PATH is an attribute of, and what it is called
 * there.
 */
static struct fx_module *
owner_of(struct fx_graph *graph, const char *path, const char **name_ret)
{
	const char *dot = strrchr(path, '.');

	*name_ret = dot ? fx_intern(dot + 1) : path;
	return dot ? fx_module_find(graph->module,
			     fx_intern_n(path, (size_t)(dot - path)))
		   : graph->module;
}

/* Constants that were met on the way, and attributes that are tensors though
 * nobody registered them, are buffers.
 */
static void
describe_others(struct described *d, const struct fx_map *tensors)
{
	struct fx_graph *graph = d->graph;
	FX_AUTO_MAP struct fx_map by_path = { 0 };
	const struct fx_node *node;
	uintptr_t tensor, path;

	for (size_t at = 0; fx_map_next(tensors, &at, &tensor, &path);)
		fx_map_set(&by_path, path, tensor);
	fx_graph_for_each_node (node, graph) {
		struct fx_module *owner;
		const char *name;

		tensor = fx_map_get(&by_path, (uintptr_t)node->target, 0);
		if (node->opcode != FX_OPCODE_GET_ATTR || !tensor)
			continue;
		owner = owner_of(graph, node->target, &name);
		if (owner && !fx_module_member(owner, name))
			fx_module_add_tensor(owner, name,
				describe(d, (PyObject *)tensor, true));
	}
}

bool
fxpy_describe_tensors(struct fx_graph *graph, const struct fx_map *records,
	const struct fx_map *tensors, PyObject *places)
{
	struct described d = { .graph = graph, .places = places };
	uintptr_t module, record, owner, storage;
	size_t at = 0;
	bool good = true;

	while (good && fx_map_next(records, &at, &module, &record)) {
		PyObject *dict =
			PyObject_GetAttr((PyObject *)module, fxpy_str.__dict__);
		struct fx_module *made = (struct fx_module *)record;

		good = dict &&
		       describe_table(&d, made,
			       PyDict_GetItem(dict, fxpy_str._parameters),
			       false) &&
		       describe_table(&d, made,
			       PyDict_GetItem(dict, fxpy_str._buffers), true);
		Py_XDECREF(dict);
	}
	if (good)
		describe_others(&d, tensors);
	for (at = 0; fx_map_next(&d.storages, &at, &owner, &storage);)
		fx_storage_unref((struct fx_storage *)storage);
	fx_map_deinit(&d.storages);
	return good;
}

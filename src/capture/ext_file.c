/* ext_file.c - graphs to files and back (fxdb/_file.py), as far as the core
 * writes and reads their text.  The lines of an .fxg file are read in Python:
 * jansson, with which the core reads them, is not linked into the extension.
 */
#include <config.h>

#include "capture/copy.h"
#include "capture/example.h"
#include "capture/graph.h"

#include <string.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/hash.h"
#include "base/intern.h"
#include "emit/weights.h"
#include "ir/clone.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/value_text.h"
#include "lang/parse.h"
#include "load/safetensors.h"
#include "load/save.h"

/* Parse TEXT in the exact style; GRAPH, which has the nodes that it names, may
 * be null.  False with an exception.
 */
static bool
parse(struct fx_arena *arena, struct fx_graph *graph, const char *text,
	struct fx_value *ret)
{
	FX_AUTO_ERROR struct fx_error *err = NULL;
	struct fx_ast *expr = NULL;

	text = fx_intern(text);
	err = fx_parse_expression(arena, text, strlen(text),
		FX_PARSE_DESIGNATORS, &expr);
	if (!err)
		err = fx_value_from_ast(arena, graph, text, expr, ret);
	if (err)
		fxpy_raise(err);
	return !err;
}

/* Append to LIST the names in VALUE that Python has to find objects for. */
static bool
add_names(PyObject *list, const struct fx_value *value)
{
	const char *text = NULL;
	PyObject *name;
	bool good;

	if (value->kind == FX_VALUE_FUNCTION || value->kind == FX_VALUE_OPAQUE)
		text = value->text;
	else if (value->kind == FX_VALUE_NAMEDTUPLE)
		text = value->items[0].text;
	for (size_t i = 0; i < fx_value_item_count(value); i++)
		if (!add_names(list, &value->items[i]))
			return false;
	if (!text)
		return true;
	name = PyUnicode_FromString(text);
	good = name && PyList_Append(list, name) == 0;
	Py_XDECREF(name);
	return good;
}

/* The texts of a node. */
struct texts {
	const char *op, *target, *args, *kwargs, *name, *type, *meta;
	int is_wrapped;
};

static bool
read_node(struct fx_graph *graph, const struct texts *texts,
	struct fx_node_spec *spec)
{
	struct fx_value *meta;

	spec->opcode = fx_opcode_find(texts->op);
	if (spec->opcode == FX_OPCODE_COUNT) {
		PyErr_Format(PyExc_ValueError, "\"%s\" is no opcode",
			texts->op);
		return false;
	}
	spec->target = fx_intern(texts->target);
	spec->name = fx_intern(texts->name);
	spec->name_is_exact = true;
	spec->type = fx_intern(texts->type);
	spec->is_wrapped = texts->is_wrapped;
	if (!parse(graph->values, graph, texts->args, &spec->args) ||
		!parse(graph->values, graph, texts->kwargs, &spec->kwargs))
		return false;
	if (spec->args.kind != FX_VALUE_TUPLE ||
		spec->kwargs.kind != FX_VALUE_DICT ||
		fx_names_is_taken(&graph->names, spec->name)) {
		PyErr_Format(PyExc_ValueError, "node \"%s\" is damaged",
			texts->name);
		return false;
	}
	if (!texts->meta)
		return true;
	meta = FX_ARENA_NEW(graph->permanent, struct fx_value);
	spec->meta = meta;
	return parse(graph->permanent, graph, texts->meta, meta);
}

/* add_text(op, target, args, kwargs, name, type or None, is_wrapped, meta or
 * None, source, scopes) -> names of what the node speaks of
 *
 * Add a node from the texts that an .fxg file has.
 */
static PyObject *
add_text(PyObject *self, PyObject *args)
{
	struct fx_node_spec spec = { .name_is_exact = true };
	struct fxpy_trace *trace = fxpy_running();
	PyObject *source, *scopes, *list;
	struct fx_graph *graph;
	struct texts texts;
	bool good;

	(void)self;
	if (!trace || !PyArg_ParseTuple(args,
			      "sssssz"
			      "pzOO",
			      &texts.op, &texts.target, &texts.args,
			      &texts.kwargs, &texts.name, &texts.type,
			      &texts.is_wrapped, &texts.meta, &source, &scopes))
		return NULL;
	graph = trace->recorder.graph;
	if (!read_node(graph, &texts, &spec) ||
		!fxpy_copy_places(graph, source, scopes, &spec))
		return NULL;
	fx_graph_append(graph, &spec);
	list = PyList_New(0);
	good = list && add_names(list, &spec.args) &&
	       add_names(list, &spec.kwargs);
	if (good && spec.opcode == FX_OPCODE_CALL_FUNCTION) {
		const struct fx_value target =
			fx_value_text(FX_VALUE_FUNCTION, spec.target);

		good = add_names(list, &target);
	}
	if (!good)
		Py_CLEAR(list);
	return list;
}

/* value(text) -> what it says, where that is plain data */
static PyObject *
value(PyObject *self, PyObject *text)
{
	struct fx_arena *arena;
	PyObject *result = NULL;
	struct fx_value parsed;
	const char *given = fxpy_text(text);

	(void)self;
	if (!given)
		return NULL;
	arena = fx_arena_new();
	if (parse(arena, NULL, given, &parsed))
		result = fxpy_value_object(&parsed, NULL);
	fx_arena_free(arena);
	return result;
}

/* digest(bytes) -> 32 digits */
static PyObject *
digest(PyObject *self, PyObject *bytes)
{
	char text[33], *data;
	Py_ssize_t size;

	(void)self;
	if (PyBytes_AsStringAndSize(bytes, &data, &size) < 0)
		return NULL;
	fx_hash_text(fx_hash_of(data, (size_t)size), text);
	return PyUnicode_FromString(text);
}

/* Lay the bytes that LIST, of (path, address, size), has over the storages of
 * GRAPH.
 */
static bool
attach(struct fx_graph *graph, PyObject *list)
{
	for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
		const struct fx_tensor *tensor;
		unsigned long long address;
		const char *path;
		Py_ssize_t size;

		if (!PyArg_ParseTuple(PyList_GetItem(list, i), "sKn", &path,
			    &address, &size))
			return false;
		tensor = fx_module_find_tensor(graph->module, path);
		if (tensor && tensor->storage && !tensor->storage->blob)
			tensor->storage->blob =
				fx_blob_wrap((void *)(uintptr_t)address,
					(size_t)size, NULL, NULL);
	}
	return true;
}

/* What attach has laid is Python's again. */
static void
detach(struct fx_weights *weights)
{
	for (size_t i = 0; i < weights->count; i++) {
		struct fx_storage *storage = weights->items[i].storage;

		fx_blob_unref(storage->blob);
		storage->blob = NULL;
		storage->has_digest = false;
	}
}

/* save(graph, path, [(path of a tensor, address, size), ...]) */
static PyObject *
save(PyObject *self, PyObject *args)
{
	FX_AUTO_WEIGHTS struct fx_weights weights = { 0 };
	FX_AUTO_ERROR struct fx_error *err = NULL;
	PyObject *object, *list;
	struct fx_graph *graph;
	const char *path;

	(void)self;
	if (!PyArg_ParseTuple(args, "O!sO!", fxpy.graph_type, &object, &path,
		    &PyList_Type, &list) ||
		!fxpy_graph_describe(object))
		return NULL;
	graph = ((struct fxpy_graph *)object)->graph;
	if (!attach(graph, list))
		return NULL;
	fx_weights_collect(&weights, graph);
	err = fx_save_with(graph, path, &weights, fx_safetensors_write);
	detach(&weights);
	if (err) {
		fxpy_raise(err);
		return NULL;
	}
	Py_RETURN_NONE;
}

/* Have MEMBER of the graph INNER, which lies at PATH in GRAPH, in the storage
 * of the same tensor there; GRAPH gets one that it has not (a constant that
 * only INNER names).
 */
static void
share(struct fx_graph *graph, struct fx_graph *inner, struct fx_member *member,
	const char *path)
{
	const struct fx_tensor *outer =
		fx_module_find_tensor(graph->module, path);
	const char *dot = strrchr(path, '.');
	struct fx_module *owner;

	if (outer && outer->storage) {
		member->tensor =
			fx_tensor_clone(inner, member->tensor, outer->storage);
		return;
	}
	owner = dot ? fx_module_find(graph->module,
			      fx_intern_n(path, (size_t)(dot - path)))
		    : NULL;
	if (owner && !fx_module_member(owner, fx_intern(dot + 1)))
		fx_module_add_tensor(owner, fx_intern(dot + 1),
			fx_tensor_clone(graph, member->tensor,
				member->tensor->storage));
}

/* The graph INNER of the module at PATH in GRAPH has the same tensors. */
static void
share_all(struct fx_graph *graph, struct fx_graph *inner, const char *path)
{
	struct fx_module_walk *walk = fx_module_walk_new(inner->module, true);
	struct fx_module *module;
	const char *below;

	while (fx_module_walk_next(walk, &module, &below)) {
		const char *at = *below ? fx_module_path(path, below) : path;

		for (size_t i = 0; i < module->member_count; i++)
			if (module->members[i].tensor)
				share(graph, inner, &module->members[i],
					fx_module_path(at,
						module->members[i].name));
		if (module->graph)
			share_all(graph, module->graph, at);
	}
	fx_module_walk_free(walk);
}

/* Give the module at PATH in GRAPH the graph of OBJECT, a Graph. */
static bool
own_graph(struct fx_graph *graph, const char *path, PyObject *object,
	uint32_t number)
{
	struct fx_module *owner = fx_module_find(graph->module, path);

	if (!fxpy_graph_describe(object))
		return false;
	if (!owner || owner->graph)
		return true;
	owner->graph = fx_graph_clone(((struct fxpy_graph *)object)->graph,
		(graph->serial & UINT16_MAX) | number << 16, NULL);
	share_all(graph, owner->graph, fx_intern(path));
	return true;
}

bool
fxpy_add_graphs(struct fx_graph *graph, PyObject *kept)
{
	PyObject *graphs = PyDict_GetItemString(kept, "graphs"), *key, *value;
	uint32_t number = 0;
	Py_ssize_t at = 0;

	while (graphs && PyDict_Next(graphs, &at, &key, &value)) {
		const char *path = fxpy_text(key);

		if (!path || !own_graph(graph, path, value, ++number))
			return false;
	}
	return true;
}

static PyMethodDef functions[] = {
	{ "add_text", add_text, METH_VARARGS, "Add a node of a file." },
	{ "value", value, METH_O, "What a text of a file says." },
	{ "digest", digest, METH_O, "Of bytes, as files have it." },
	{ "save", save, METH_VARARGS, "Write a graph and its weights." },
	{ NULL, NULL, 0, NULL },
};

int
fxpy_file_ready(PyObject *module)
{
	return PyModule_AddFunctions(module, functions);
}

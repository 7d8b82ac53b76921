/* ext_graph.c - a finished trace as Python sees it: Graph and its Nodes, to
 * read.  The graph belongs to its Graph object; a Node keeps that alive.
 */
#include <config.h>

#include "capture/capture.h"
#include "capture/copy.h"
#include "capture/graph.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "emit/fx.h"
#include "emit/jsonl.h"
#include "emit/python.h"
#include "emit/weights.h"
#include "ir/module.h"

struct fxpy_node {
	PyObject_HEAD PyObject *graph;
	struct fx_node *node;
};

static PyObject *
text_object(const char *text)
{
	if (!text)
		Py_RETURN_NONE;
	return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

PyObject *
fxpy_trace_graph(struct fxpy_trace *trace)
{
	struct fxpy_graph *object;

	if (trace->graph)
		return trace->graph;
	object = PyObject_New(struct fxpy_graph, fxpy.graph_type);
	if (!object)
		return NULL;
	object->graph = trace->recorder.graph;
	Py_INCREF(trace->targets);
	object->targets = trace->targets;
	Py_INCREF(trace->keep);
	object->keep = trace->keep;
	Py_INCREF(trace->root);
	object->root = trace->root;
	memset(&object->records, 0, sizeof(object->records));
	memset(&object->parameters, 0, sizeof(object->parameters));
	memset(&object->paths, 0, sizeof(object->paths));
	object->places = NULL;
	object->kept = PyDict_New();
	object->is_described = false;
	return trace->graph = (PyObject *)object;
}

PyObject *
fxpy_graph_new(struct fxpy_trace *trace)
{
	struct fxpy_graph *object =
		(struct fxpy_graph *)fxpy_trace_graph(trace);

	if (!object)
		return NULL;
	trace->graph = NULL;
	object->graph = fx_recorder_take_graph(&trace->recorder);
	object->records = trace->records;
	object->parameters = trace->parameters;
	object->paths = trace->tensors;
	memset(&trace->records, 0, sizeof(trace->records));
	memset(&trace->parameters, 0, sizeof(trace->parameters));
	memset(&trace->tensors, 0, sizeof(trace->tensors));
	return (PyObject *)object;
}

PyObject *
fxpy_trace_node(struct fxpy_trace *trace, struct fx_node *node)
{
	PyObject *graph = fxpy_trace_graph(trace);

	return graph ? fxpy_node_object(graph, node) : NULL;
}

static void
graph_dealloc(PyObject *self)
{
	struct fxpy_graph *object = (struct fxpy_graph *)self;
	PyTypeObject *type = Py_TYPE(self);

	fx_graph_free(object->graph);
	Py_XDECREF(object->targets);
	Py_XDECREF(object->keep);
	Py_XDECREF(object->root);
	Py_XDECREF(object->places);
	Py_XDECREF(object->kept);
	fx_map_deinit(&object->records);
	fx_map_deinit(&object->parameters);
	fx_map_deinit(&object->paths);
	PyObject_Free(self);
	Py_DECREF(type);
}

PyObject *
fxpy_node_object(PyObject *graph, struct fx_node *node)
{
	struct fxpy_node *object =
		PyObject_New(struct fxpy_node, fxpy.node_type);

	if (!object)
		return NULL;
	Py_INCREF(graph);
	object->graph = graph;
	object->node = node;
	return (PyObject *)object;
}

static void
node_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	Py_DECREF(((struct fxpy_node *)self)->graph);
	PyObject_Free(self);
	Py_DECREF(type);
}

static struct fx_node *
node_of(PyObject *self)
{
	return ((struct fxpy_node *)self)->node;
}

struct fx_node *
fxpy_object_node(struct fxpy_trace *trace, PyObject *object)
{
	if (Py_TYPE(object) == fxpy.node_type && trace->graph &&
		((struct fxpy_node *)object)->graph == trace->graph)
		return node_of(object);
	PyErr_Format(PyExc_TypeError, "%R is no Node of this trace", object);
	return NULL;
}

static PyObject *
graph_nodes(PyObject *self, void *closure)
{
	struct fx_graph *graph = ((struct fxpy_graph *)self)->graph;
	PyObject *list = PyList_New(0);
	struct fx_node *node;

	(void)closure;
	fx_graph_for_each_node (node, graph) {
		PyObject *item = list ? fxpy_node_object(self, node) : NULL;

		if (!item || PyList_Append(list, item) < 0)
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	return list;
}

static PyObject *
graph_code(PyObject *self, void *closure)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	(void)closure;
	fx_emit_python(&text, ((struct fxpy_graph *)self)->graph, NULL, NULL);
	return text_object(fx_buf_text(&text));
}

static PyObject *
graph_str(PyObject *self)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_emit_fx(&text, ((struct fxpy_graph *)self)->graph, NULL);
	return text_object(fx_buf_text(&text));
}

static PyObject *
graph_targets(PyObject *self, void *closure)
{
	(void)closure;
	Py_INCREF(((struct fxpy_graph *)self)->targets);
	return ((struct fxpy_graph *)self)->targets;
}

PyObject *
fxpy_graph_object(PyObject *graph, const char *text)
{
	return PyDict_GetItemString(((struct fxpy_graph *)graph)->targets,
		text);
}

static PyObject *
graph_member(PyObject *self, void *closure)
{
	const struct fxpy_graph *object = (const struct fxpy_graph *)self;
	PyObject *member = closure ? object->kept : object->root;

	Py_INCREF(member);
	return member;
}

/* What fxdb._weights.places says of all tensors, borrowed. */
static PyObject *
places_of(struct fxpy_graph *object)
{
	const struct fx_map *maps[2] = { &object->parameters, &object->paths };
	PyObject *weights, *list;
	uintptr_t tensor, path;

	if (object->places)
		return object->places;
	weights = PyImport_ImportModule("fxdb._weights");
	list = PyList_New(0);
	for (int i = 0; list && i < 2; i++)
		for (size_t at = 0; fx_map_next(maps[i], &at, &tensor, &path);)
			if (PyList_Append(list, (PyObject *)tensor) < 0)
				Py_CLEAR(list);
	if (weights && list)
		object->places =
			PyObject_CallMethod(weights, "places", "O", list);
	Py_XDECREF(weights);
	Py_XDECREF(list);
	return object->places;
}

static PyObject *
graph_places(PyObject *self, void *closure)
{
	PyObject *places = places_of((struct fxpy_graph *)self);

	(void)closure;
	Py_XINCREF(places);
	return places;
}

static PyObject *
graph_tensors(PyObject *self, void *closure)
{
	struct fxpy_graph *object = (struct fxpy_graph *)self;
	const struct fx_map *maps[2] = { &object->parameters, &object->paths };
	struct fx_module *root = object->graph->module;
	PyObject *table = PyDict_New();
	uintptr_t tensor, path;

	(void)closure;
	/* A trace for Python alone has not described its tensors. */
	if (root && !fx_module_has_tensors(root))
		root = NULL;
	for (int i = 0; table && i < 2; i++)
		for (size_t at = 0; fx_map_next(maps[i], &at, &tensor, &path);)
			if ((!root || fx_module_find_tensor(root,
					      (const char *)path)) &&
				PyDict_SetItemString(table, (const char *)path,
					(PyObject *)tensor) < 0)
				PyErr_Clear();
	return table;
}

static PyObject *
graph_class_name(PyObject *self, void *closure)
{
	(void)closure;
	return text_object(((struct fxpy_graph *)self)->graph->class_name);
}

/* (Not while tracing, which asks for none of it.) */
bool
fxpy_graph_describe(PyObject *self)
{
	struct fxpy_graph *object = (struct fxpy_graph *)self;

	if (!fxpy_read_lines(object->graph))
		return false;
	if (object->is_described)
		return true;
	object->is_described = true;
	return places_of(object) &&
	       fxpy_describe_tensors(object->graph, &object->records,
		       &object->paths, object->places) &&
	       fxpy_add_graphs(object->graph, object->kept);
}

void
fxpy_raise(const struct fx_error *err)
{
	PyObject *type = PyDict_GetItemString(PyEval_GetBuiltins(),
		fx_error_python(fx_error_code(err)));

	PyErr_SetString(type ? type : PyExc_RuntimeError,
		fx_error_message(err));
}

/* The .fxg text, without weights. */
static PyObject *
graph_fxg(PyObject *self, PyObject *no_args)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	FX_AUTO_WEIGHTS struct fx_weights weights = { 0 };
	struct fx_graph *graph = ((struct fxpy_graph *)self)->graph;
	FX_AUTO_ERROR struct fx_error *err = NULL;

	(void)no_args;
	if (!fxpy_graph_describe(self))
		return NULL;
	fx_weights_collect(&weights, graph);
	err = fx_emit_jsonl(&text, graph, &weights, NULL);
	if (err) {
		fxpy_raise(err);
		return NULL;
	}
	return PyBytes_FromStringAndSize(fx_buf_text(&text),
		(Py_ssize_t)text.length);
}

static PyObject *
node_get_text(PyObject *self, void *closure)
{
	const struct fx_node *node = node_of(self);

	switch ((char)(uintptr_t)closure) {
	case 'n':
		return text_object(node->name);
	case 'o':
		return text_object(fx_opcode_word(node->opcode));
	case 't':
		return text_object(node->type);
	default:
		return text_object(node->scope ? node->scope->path : "");
	}
}

static PyObject *
node_target(PyObject *self, void *closure)
{
	const struct fx_node *node = node_of(self);
	struct fxpy_graph *graph =
		(struct fxpy_graph *)((struct fxpy_node *)self)->graph;
	PyObject *found = NULL;

	(void)closure;
	if (node->opcode == FX_OPCODE_CALL_FUNCTION) {
		PyObject *key = text_object(node->target);

		found = key ? PyDict_GetItem(graph->targets, key) : NULL;
		Py_XDECREF(key);
	}
	if (!found)
		return text_object(node->target);
	Py_INCREF(found);
	return found;
}

/* The node's own dict, for as long as its Graph lives. */
static PyObject *
node_meta(PyObject *self, void *closure)
{
	PyObject *kept =
		((struct fxpy_graph *)((struct fxpy_node *)self)->graph)->kept;
	PyObject *key = PyLong_FromUnsignedLongLong(node_of(self)->id);
	PyObject *meta = key ? PyDict_GetItem(kept, key) : NULL;

	(void)closure;
	Py_XINCREF(meta);
	if (key && !meta) {
		meta = Py_BuildValue(node_of(self)->is_wrapped ? "{sO}" : "{}",
			"is_wrapped", Py_True);
		if (meta && PyDict_SetItem(kept, key, meta) < 0)
			Py_CLEAR(meta);
	}
	Py_XDECREF(key);
	return meta;
}

/* The text of an annotation is what is printed; the annotation itself is kept
 * for torch.
 */
static int
node_set_type(PyObject *self, PyObject *value, void *closure)
{
	PyObject *graph = ((struct fxpy_node *)self)->graph;
	PyObject *kept = ((struct fxpy_graph *)graph)->kept;
	PyObject *package = PyImport_ImportModule("fxdb");
	PyObject *text, *types;
	int failed;

	(void)closure;
	text = package ? PyObject_CallMethod(package, "_type_text", "O",
				 value ? value : Py_None)
		       : NULL;
	types = text ? PyObject_CallMethod(kept, "setdefault", "s{}", "types")
		     : NULL;
	failed = !types || PyDict_SetItemString(types, node_of(self)->name,
				   value ? value : Py_None) < 0;
	if (!failed)
		node_of(self)->type = text == Py_None ? NULL : fxpy_text(text);
	Py_XDECREF(package);
	Py_XDECREF(text);
	Py_XDECREF(types);
	return failed ? -1 : 0;
}

static PyObject *
node_arguments(PyObject *self, void *closure)
{
	const struct fx_node *node = node_of(self);

	return fxpy_value_object(closure ? &node->kwargs : &node->args,
		((struct fxpy_node *)self)->graph);
}

static PyObject *
node_users(PyObject *self, void *closure)
{
	PyObject *list = PyList_New(0);
	struct fx_use *use;

	(void)closure;
	fx_node_for_each_user (use, node_of(self)) {
		PyObject *item =
			list ? fxpy_node_object(((struct fxpy_node *)self)
							->graph,
				       use->user)
			     : NULL;

		if (!item || PyList_Append(list, item) < 0)
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	return list;
}

/* [(file, line, function), ...], innermost first. */
static PyObject *
node_source(PyObject *self, void *closure)
{
	const struct fx_source *source = node_of(self)->source;
	PyObject *list = PyList_New(0);

	(void)closure;
	for (size_t i = 0; list && source && i < source->count; i++) {
		PyObject *item = Py_BuildValue("(sis)", source->frames[i].file,
			source->frames[i].line, source->frames[i].function);

		if (!item || PyList_Append(list, item) < 0)
			Py_CLEAR(list);
		Py_XDECREF(item);
	}
	return list;
}

static PyObject *
node_repr(PyObject *self)
{
	return text_object(node_of(self)->name);
}

static Py_hash_t
node_hash(PyObject *self)
{
	return (Py_hash_t)node_of(self)->id;
}

static PyObject *
node_compare(PyObject *self, PyObject *other, int op)
{
	bool same;

	if (Py_TYPE(other) != fxpy.node_type || (op != Py_EQ && op != Py_NE)) {
		Py_INCREF(Py_NotImplemented);
		return Py_NotImplemented;
	}
	same = node_of(self) == node_of(other);
	return PyBool_FromLong(same == (op == Py_EQ));
}

static PyGetSetDef graph_getset[] = {
	{ "nodes", graph_nodes, NULL, "The nodes in order, a list.", NULL },
	{ "code", graph_code, NULL, "The generated Python code.", NULL },
	{ "targets", graph_targets, NULL,
		"The callables of call_function nodes by printed name.", NULL },
	{ "places", graph_places, NULL,
		"How tensors that share memory lie there, by their id.", NULL },
	{ "tensors", graph_tensors, NULL,
		"Parameters, buffers and constants by path.", NULL },
	{ "class_name", graph_class_name, NULL, "Of the traced model.", NULL },
	{ "root", graph_member, NULL, "The module that holds what nodes name.",
		NULL },
	{ "_kept", graph_member, NULL, "For fxdb/_torch.py.", (void *)1 },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyMethodDef graph_methods[] = {
	{ "fxg", graph_fxg, METH_NOARGS, "The graph in fxdb's own format." },
	{ NULL, NULL, 0, NULL },
};

static PyGetSetDef node_getset[] = {
	{ "name", node_get_text, NULL, "Unique name.", (void *)'n' },
	{ "op", node_get_text, NULL, "Opcode.", (void *)'o' },
	{ "type", node_get_text, node_set_type, "Annotation or None.",
		(void *)'t' },
	{ "scope", node_get_text, NULL, "Module path.", (void *)'s' },
	{ "target", node_target, NULL,
		"A callable for call_function, else a string.", NULL },
	{ "args", node_arguments, NULL, "Positional arguments.", NULL },
	{ "kwargs", node_arguments, NULL, "Keyword arguments.", (void *)1 },
	{ "users", node_users, NULL, "Nodes that use this one.", NULL },
	{ "meta", node_meta, NULL, "What is known of it, a dict.", NULL },
	{ "source", node_source, NULL,
		"(file, line, function) frames, innermost first.", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot graph_slots[] = {
	{ Py_tp_doc, (void *)(uintptr_t) "A traced graph, to read." },
	FXPY_SLOT(Py_tp_dealloc, graph_dealloc),
	FXPY_SLOT(Py_tp_str, graph_str),
	FXPY_SLOT(Py_tp_getset, graph_getset),
	FXPY_SLOT(Py_tp_methods, graph_methods),
	{ 0, NULL },
};

static PyType_Slot node_slots[] = {
	{ Py_tp_doc, (void *)(uintptr_t) "One operation of a Graph, which it "
					 "keeps alive." },
	FXPY_SLOT(Py_tp_dealloc, node_dealloc),
	FXPY_SLOT(Py_tp_repr, node_repr),
	FXPY_SLOT(Py_tp_hash, node_hash),
	FXPY_SLOT(Py_tp_richcompare, node_compare),
	FXPY_SLOT(Py_tp_getset, node_getset),
	{ 0, NULL },
};

static PyType_Spec graph_spec = {
	.name = "fxdb.Graph",
	.basicsize = sizeof(struct fxpy_graph),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = graph_slots,
};

static PyType_Spec node_spec = {
	.name = "fxdb.Node",
	.basicsize = sizeof(struct fxpy_node),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = node_slots,
};

int
fxpy_graph_ready(PyObject *module)
{
	PyObject *graph = PyType_FromSpec(&graph_spec);
	PyObject *node = PyType_FromSpec(&node_spec);

	if (!graph || !node)
		return -1;
	fxpy.graph_type = (PyTypeObject *)graph;
	fxpy.node_type = (PyTypeObject *)node;
	Py_INCREF(graph);
	Py_INCREF(node);
	if (PyModule_AddObject(module, "Graph", graph) < 0)
		return -1;
	return PyModule_AddObject(module, "Node", node);
}

/* ext_copy.c - a graph that Python has, node by node (fxdb/_torch.py): nothing
 * is traced, and every name, argument and piece of metadata is taken as it
 * stands.
 */
#include <config.h>

#include "capture/copy.h"
#include "capture/example.h"
#include "capture/graph.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "ir/tensor_meta.h"

bool
fxpy_set_nested(struct fx_graph *graph, PyObject *names)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_pytree *pytree =
		FX_ARENA_NEW(graph->permanent, struct fx_pytree);
	size_t count = (size_t)PyTuple_Size(names);
	const char **inputs =
		FX_ARENA_ARRAY(graph->permanent, const char *, count);

	for (size_t i = 0; i < count; i++) {
		const char *name =
			fxpy_text(PyTuple_GetItem(names, (Py_ssize_t)i));

		if (!name)
			return false;
		fx_buf_addf(&text, "%s%s", i ? ", " : "[", name);
		if (strcmp(name, "self") == 0)
			pytree->with_self = true;
		else
			inputs[pytree->input_count++] = name;
	}
	fx_buf_add(&text, "]");
	pytree->inputs = inputs;
	pytree->in_text = fx_intern(fx_buf_text(&text));
	pytree->has_outputs = true;
	graph->pytree = pytree;
	return true;
}

/* SCOPES: a sequence of (path, class), outermost first, or None. */
static bool
copy_scopes(struct fx_graph *graph, PyObject *scopes,
	const struct fx_scope **ret)
{
	Py_ssize_t count = scopes == Py_None ? 0 : PySequence_Size(scopes);

	*ret = NULL;
	for (Py_ssize_t i = 0; i < count; i++) {
		PyObject *item = PySequence_GetItem(scopes, i);
		const char *path, *class_name;
		bool good = item &&
			    PyArg_ParseTuple(item, "ss", &path, &class_name);

		if (good)
			*ret = fx_graph_scope_interned(graph, *ret,
				fx_intern(path), fx_intern(class_name));
		Py_XDECREF(item);
		if (!good)
			return false;
	}
	return count >= 0;
}

/* FRAMES: a sequence of (file, line, function, text or None), innermost first,
 * or None.
 */
static bool
copy_source(struct fx_graph *graph, PyObject *frames,
	const struct fx_source **ret)
{
	Py_ssize_t count = frames == Py_None ? 0 : PySequence_Size(frames);
	struct fx_source_frame *made = FX_ARENA_ARRAY(graph->permanent,
		struct fx_source_frame, (size_t)(count > 0 ? count : 0));

	for (Py_ssize_t i = 0; i < count; i++) {
		PyObject *item = PySequence_GetItem(frames, i);
		const char *file, *function, *text;
		int line;
		bool good = item && PyArg_ParseTuple(item, "sisz", &file, &line,
					    &function, &text);

		if (good)
			made[i] = (struct fx_source_frame){
				.file = fx_intern(file),
				.function = fx_intern(function),
				.text = fx_intern(text),
				.line = line,
			};
		Py_XDECREF(item);
		if (!good)
			return false;
	}
	*ret = count > 0 ? fx_graph_source_interned(graph, made, (size_t)count)
			 : NULL;
	return count >= 0;
}

bool
fxpy_copy_places(struct fx_graph *graph, PyObject *source, PyObject *scopes,
	struct fx_node_spec *spec)
{
	return copy_source(graph, source, &spec->source) &&
	       copy_scopes(graph, scopes, &spec->scope);
}

/* Of "f32[1, 4]": what it says; UNKNOWN of what is not understood, as of an
 * expression of sizes that fxdb has no form for.
 */
static struct fx_value
tensor_text(struct fx_arena *arena, PyObject *object)
{
	struct fx_value value = fx_value_text(FX_VALUE_UNKNOWN, "");
	Py_ssize_t length;
	const char *text = PyUnicode_AsUTF8AndSize(object, &length);
	struct fx_error *err;

	if (!text) {
		PyErr_Clear();
		return value;
	}
	err = fx_tensor_meta_parse(arena, text, (size_t)length, &value);
	fx_error_free(err);
	return value;
}

/* What is known of a result: texts as of type comments, numbers, None, and
 * tuples and lists of them.
 */
static struct fx_value
result_meta(struct fx_arena *arena, PyObject *object, int depth)
{
	struct fx_value value = fx_value_text(FX_VALUE_UNKNOWN, "");
	bool is_tuple = PyTuple_Check(object);

	if (PyUnicode_Check(object))
		return tensor_text(arena, object);
	if (depth < 20 && (is_tuple || PyList_Check(object))) {
		size_t count = (size_t)PySequence_Size(object);
		struct fx_value *items =
			FX_ARENA_ARRAY(arena, struct fx_value, count);

		for (size_t i = 0; i < count; i++) {
			PyObject *item =
				PySequence_GetItem(object, (Py_ssize_t)i);

			items[i] = item ? result_meta(arena, item, depth + 1)
					: value;
			Py_XDECREF(item);
		}
		return fx_value_sequence(arena,
			is_tuple ? FX_VALUE_TUPLE : FX_VALUE_LIST, items,
			count);
	}
	fxpy_plain(arena, object, depth, &value);
	PyErr_Clear();
	return value;
}

/* What a node is besides its arguments. */
struct about {
	PyObject *target, *source, *scopes, *meta;
};

static bool
copy_about(struct fxpy_trace *trace, const struct about *about,
	struct fx_node_spec *spec)
{
	struct fx_graph *graph = trace->recorder.graph;
	struct fx_value *meta;

	spec->target = spec->opcode == FX_OPCODE_CALL_FUNCTION
			       ? fxpy_target(trace, about->target)
			       : fxpy_text(about->target);
	if (!spec->target)
		return false;
	if (about->meta != Py_None) {
		meta = FX_ARENA_NEW(graph->permanent, struct fx_value);
		*meta = result_meta(graph->permanent, about->meta, 0);
		spec->meta = meta;
	}
	return fxpy_copy_places(graph, about->source, about->scopes, spec);
}

/* add(op, target, args tuple, kwargs dict, name, type text or None, is_wrapped,
 * (source, scopes, meta)) -> Proxy
 */
static PyObject *
add(PyObject *self, PyObject *args)
{
	struct fx_node_spec spec = { .name_is_exact = true };
	struct fxpy_trace *trace = fxpy_running();
	struct about about;
	PyObject *arguments, *keywords;
	const char *op, *name, *type;
	int wrapped;

	(void)self;
	if (!trace || !PyArg_ParseTuple(args, "sOO!O!szp(OOO)", &op,
			      &about.target, &PyTuple_Type, &arguments,
			      &PyDict_Type, &keywords, &name, &type, &wrapped,
			      &about.source, &about.scopes, &about.meta))
		return NULL;
	spec.opcode = fx_opcode_find(op);
	if (spec.opcode == FX_OPCODE_COUNT) {
		PyErr_Format(PyExc_ValueError, "\"%s\" is no opcode", op);
		return NULL;
	}
	spec.name = fx_intern(name);
	spec.type = fx_intern(type);
	spec.is_wrapped = wrapped;
	if (!fxpy_arg(trace, arguments, &spec.args) ||
		(PyDict_Size(keywords) > 0 &&
			!fxpy_arg(trace, keywords, &spec.kwargs)) ||
		!copy_about(trace, &about, &spec))
		return NULL;
	/* In the scope that it says, not in one that is open. */
	return fxpy_proxy_new(fx_graph_append(trace->recorder.graph, &spec));
}

static PyMethodDef functions[] = {
	{ "add", add, METH_VARARGS, "Add a node as it stands." },
	{ NULL, NULL, 0, NULL },
};

int
fxpy_copy_ready(PyObject *module)
{
	return PyModule_AddFunctions(module, functions);
}

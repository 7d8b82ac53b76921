/* ext_module.c - the extension's entry: what fxdb/__init__.py calls. */
#include <config.h>

#include "capture/capture.h"
#include "capture/copy.h"
#include "capture/example.h"
#include "capture/graph.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/dtype.h"
#include "base/intern.h"

struct fxpy_state fxpy;
struct fxpy_strings fxpy_str;

static void
trace_free(struct fxpy_trace *trace)
{
	fxpy_source_forget(trace);
	/* Left over where nothing else could be made; its nodes stay whole. */
	if (trace->graph)
		Py_XDECREF(fxpy_graph_new(trace));
	fx_recorder_deinit(&trace->recorder);
	fx_map_deinit(&trace->modules);
	fx_map_deinit(&trace->parameters);
	fx_map_deinit(&trace->tensors);
	fx_map_deinit(&trace->proxies);
	fx_map_deinit(&trace->records);
	fx_map_deinit(&trace->scanned);
	fx_map_deinit(&trace->constants);
	fx_vec_deinit(&trace->config);
	Py_XDECREF(trace->tracer);
	Py_XDECREF(trace->root);
	Py_XDECREF(trace->keep);
	Py_XDECREF(trace->targets);
	Py_XDECREF(trace->scripts);
	PyMem_Free(trace);
}

/* Whether the class of TRACER has its own NAME instead of BASE's. */
static bool
overrides(PyObject *tracer, PyObject *base, PyObject *name)
{
	PyObject *own = PyObject_GetAttr((PyObject *)Py_TYPE(tracer), name);
	PyObject *given = PyObject_GetAttr(base, name);
	bool differs = own != given;

	Py_XDECREF(own);
	Py_XDECREF(given);
	PyErr_Clear();
	return differs;
}

static bool
is_on(PyObject *tracer, PyObject *name)
{
	PyObject *value = PyObject_GetAttr(tracer, name);
	bool on = value && PyObject_IsTrue(value) == 1;

	Py_XDECREF(value);
	PyErr_Clear();
	return on;
}

/* Which hooks TRACER has, and what a switch of torch.fx's asks them for. */
static void
find_hooks(struct fxpy_trace *trace, PyObject *tracer, PyObject *base)
{
	trace->hooks_leaf = overrides(tracer, base, fxpy_str.is_leaf_module);
	trace->hooks_path = overrides(tracer, base, fxpy_str.path_of_module);
	trace->hooks_arg = overrides(tracer, base, fxpy_str.create_arg);
	trace->hooks_call = overrides(tracer, base, fxpy_str.call_module);
	trace->hooks_proxy = overrides(tracer, base, fxpy_str.create_proxy);
	trace->hooks_bool = overrides(tracer, base, fxpy_str.to_bool) ||
			    is_on(tracer, fxpy_str.trace_asserts);
	trace->hooks_iter = overrides(tracer, base, fxpy_str.iter);
	trace->hooks_keys = overrides(tracer, base, fxpy_str.keys);
	trace->hooks_node = overrides(tracer, base, fxpy_str.create_node) ||
			    is_on(tracer, fxpy_str.check_mutable_operations);
	trace->hooks_made = overrides(tracer, base, fxpy_str.proxy);
	trace->hooks_getattr = overrides(tracer, base, fxpy_str.getattr) ||
			       trace->hooks_proxy || trace->hooks_node ||
			       trace->hooks_made ||
			       is_on(tracer, fxpy_str.param_shapes_constant) ||
			       is_on(tracer, fxpy_str.proxy_buffer_attributes);
}

static struct fxpy_trace *
trace_new(PyObject *tracer, PyObject *base, PyObject *root)
{
	struct fxpy_trace *trace = PyMem_Malloc(sizeof(*trace));

	if (!trace)
		return NULL;
	memset(trace, 0, sizeof(*trace));
	fxpy.generation++;
	fx_recorder_init(&trace->recorder, (uint32_t)fxpy.generation,
		fxpy.generation);
	Py_INCREF(tracer);
	trace->tracer = tracer;
	Py_INCREF(root);
	trace->root = root;
	trace->keep = PyList_New(0);
	trace->targets = PyDict_New();
	trace->scripts = PyDict_New();
	find_hooks(trace, tracer, base);
	return trace;
}

static bool
begin(struct fxpy_trace *trace, PyObject *function)
{
	fxpy.asked = NULL;
	trace->is_copy = function == Py_None;
	if (!fxpy_collect(trace))
		return false;
	return trace->is_copy ||
	       (fxpy_patch() && fxpy_patch_globals(trace, function));
}

struct fxpy_trace *
fxpy_running(void)
{
	if (!fxpy.trace)
		PyErr_SetString(PyExc_RuntimeError, "no trace is running");
	return fxpy.trace;
}

/* Of "1.13.0a0+git1" the part that dialects are told by: "1.13". */
static size_t
version_length(const char *version)
{
	size_t major = strspn(version, "0123456789");

	if (version[major] != '.')
		return strlen(version);
	return major + 1 + strspn(version + major + 1, "0123456789");
}

/* The output node and everything that is known at the end.  DONE is what the
 * body gave: (result, type text or None, class name, type); a copy has its
 * output.
 */
static PyObject *
finish(struct fxpy_trace *trace, PyObject *done)
{
	struct fx_node_spec spec = { .opcode = FX_OPCODE_OUTPUT,
		.target = "output" };
	struct fx_graph *graph = trace->recorder.graph;
	const char *type, *name;
	struct fx_value item;
	PyObject *result, *note = NULL;

	if (!PyArg_ParseTuple(done, "Ozs|O", &result, &type, &name, &note) ||
		(!trace->is_copy && !fxpy_arg(trace, result, &item)))
		return NULL;
	graph->class_name = fx_intern(name);
	if (trace->is_copy)
		return fxpy_graph_new(trace);
	spec.args = fx_value_sequence(graph->values, FX_VALUE_TUPLE, &item, 1);
	spec.type = fx_intern(type);
	return fxpy_add_node(trace, &spec, note) ? fxpy_graph_new(trace) : NULL;
}

/* Keep the graph traced so far as TRACER.partial.  The pending exception stays
 * set.
 */
static void
keep_partial(struct fxpy_trace *trace)
{
	PyObject *type, *value, *where;
	PyObject *graph;

	PyErr_Fetch(&type, &value, &where);
	graph = fxpy_graph_new(trace);
	if (!graph ||
		PyObject_SetAttrString(trace->tracer, "partial", graph) < 0)
		PyErr_Clear();
	Py_XDECREF(graph);
	PyErr_Restore(type, value, where);
}

/* Set the flag with which torch.fx tells others that a symbolic trace runs.
 * Returns its former value, or NULL if there is no such flag.
 */
static PyObject *
set_tracing_flag(PyObject *flag)
{
	PyObject *place = PyImport_ImportModule("torch.fx._symbolic_trace");
	PyObject *before =
		place ? PyObject_GetAttr(place, fxpy_str._is_fx_tracing_flag)
		      : NULL;

	if (before &&
		PyObject_SetAttr(place, fxpy_str._is_fx_tracing_flag, flag) < 0)
		Py_CLEAR(before);
	PyErr_Clear();
	Py_XDECREF(place);
	return before;
}

static void
restore_tracing_flag(PyObject *before)
{
	PyObject *type, *value, *where;

	PyErr_Fetch(&type, &value, &where);
	if (before)
		Py_XDECREF(set_tracing_flag(before));
	Py_XDECREF(before);
	PyErr_Restore(type, value, where);
}

/* The collector rests: a trace makes no cycles to speak of, and looking for
 * them takes longer than the trace.  Whether it was on.
 */
static bool
stop_collector(void)
{
	PyObject *on = fxpy.gc ? PyObject_CallMethod(fxpy.gc, "isenabled", NULL)
			       : NULL;
	bool was_on = on == Py_True;

	Py_XDECREF(on);
	if (was_on)
		Py_XDECREF(PyObject_CallMethod(fxpy.gc, "disable", NULL));
	PyErr_Clear();
	return was_on;
}

static void
start_collector(void)
{
	PyObject *type, *value, *where;

	PyErr_Fetch(&type, &value, &where);
	Py_XDECREF(PyObject_CallMethod(fxpy.gc, "enable", NULL));
	PyErr_Restore(type, value, where);
}

/* run(tracer, base class, root module, function, body, torch's version,
 * unpatch)
 * -> Graph.  Without a FUNCTION nothing is traced: the body adds the nodes.
 *
 * All of a trace but the model's own code happens within this one call, so
 * that whatever ends it, Ctrl-C at any moment included, torch is put back.
 */
static PyObject *
run(PyObject *self, PyObject *args)
{
	PyObject *tracer, *base, *root, *function, *body, *flag;
	PyObject *done = NULL, *graph = NULL;
	struct fxpy_trace *trace;
	const char *version;
	bool collects;
	int unpatch;

	(void)self;
	if (!PyArg_ParseTuple(args, "OOOOOsp", &tracer, &base, &root, &function,
		    &body, &version, &unpatch))
		return NULL;
	if (fxpy.trace) {
		PyErr_SetString(PyExc_RuntimeError,
			"a trace is running already; traces do not nest");
		return NULL;
	}
	trace = trace_new(tracer, base, root);
	if (!trace)
		return PyErr_NoMemory();
	fx_graph_set_dialect(trace->recorder.graph,
		fx_intern_n(version, version_length(version)));
	trace->takes_objects = version[0] != '1';
	flag = set_tracing_flag(Py_True);
	collects = stop_collector();
	if (begin(trace, function)) {
		fxpy.trace = trace;
		done = PyObject_CallFunctionObjArgs(body, NULL);
		graph = done ? finish(trace, done) : NULL;
		if (!graph)
			keep_partial(trace);
	}
	Py_XDECREF(done);
	fxpy.trace = fxpy_example.paused = NULL;
	if (unpatch)
		fxpy_unpatch();
	restore_tracing_flag(flag);
	if (collects)
		start_collector();
	trace_free(trace);
	return graph;
}

static PyObject *
install(PyObject *self, PyObject *no_args)
{
	(void)self;
	(void)no_args;
	if (!fxpy_patch())
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *
uninstall(PyObject *self, PyObject *no_args)
{
	(void)self;
	(void)no_args;
	fxpy_unpatch();
	Py_RETURN_NONE;
}

/* asked() -> (what, node, sentence, file, line) of the last refusal, or None */
static PyObject *
asked(PyObject *self, PyObject *no_args)
{
	(void)self;
	(void)no_args;
	if (!fxpy.asked)
		Py_RETURN_NONE;
	return Py_BuildValue("(ssssi)", fxpy.asked, fxpy.asked_node,
		fxpy.asked_sentence, fxpy.asked_file, fxpy.asked_line);
}

/* node_name(proxy): of the node it stands for; None when it has none, as an
 * attribute that nobody used or a value of an earlier trace.
 */
static PyObject *
node_name(PyObject *self, PyObject *object)
{
	const struct fxpy_proxy *proxy = (const struct fxpy_proxy *)object;

	(void)self;
	if (!FXPY_IS_PROXY(object) || proxy->generation != fxpy.generation ||
		!proxy->name)
		Py_RETURN_NONE;
	return PyUnicode_FromString(proxy->name);
}

/* nested(names of the parameters, self among them): inputs were given as
 * containers that are taken apart, and so is the result.
 */
static PyObject *
nested(PyObject *self, PyObject *names)
{
	struct fxpy_trace *trace = fxpy_running();

	(void)self;
	if (!trace || !fxpy_set_nested(trace->recorder.graph, names))
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *
create_arg(PyObject *self, PyObject *object)
{
	struct fxpy_trace *trace = fxpy_running();

	(void)self;
	return trace ? fxpy_create_arg(trace, object) : NULL;
}

/* die_with_parent(bool): set whether the kernel kills this process when the
 * process that forked it ends.
 */
static PyObject *
die_with_parent(PyObject *self, PyObject *truth)
{
	int on = PyObject_IsTrue(truth);

	(void)self;
	if (on < 0)
		return NULL;
	prctl(PR_SET_PDEATHSIG, on ? SIGKILL : 0);
	Py_RETURN_NONE;
}

static PyObject *
is_leaf_module(PyObject *self, PyObject *module)
{
	(void)self;
	return PyBool_FromLong(fxpy_class_of(Py_TYPE(module))->is_leaf);
}

/* path_of_module(module): the default hook. */
static PyObject *
path_of_module(PyObject *self, PyObject *module)
{
	struct fxpy_trace *trace = fxpy_running();
	const char *path;

	(void)self;
	if (!trace)
		return NULL;
	path = fx_map_get_pointer(&trace->modules, module);
	if (path)
		return PyUnicode_FromString(path);
	PyErr_Format(PyExc_NameError,
		"module is not installed as a submodule: a %s is not reachable "
		"from the traced model",
		fxpy_class_of(Py_TYPE(module))->name);
	return NULL;
}

static PyMethodDef functions[] = {
	{ "run", run, METH_VARARGS, "A whole trace; the Graph." },
	{ "record", fxpy_record, METH_VARARGS, "Record a call." },
	{ "create_node", fxpy_create_node, METH_VARARGS, "The default." },
	{ "proxy", fxpy_create_proxy, METH_O, "The default." },
	{ "nested", nested, METH_O, "Inputs are containers, taken apart." },
	{ "create_arg", create_arg, METH_O, "The default of create_arg." },
	{ "node_name", node_name, METH_O, "What a Proxy's node is called." },
	{ "die_with_parent", die_with_parent, METH_O, "End with the parent." },
	{ "install", install, METH_NOARGS, "Patch torch and leave it so." },
	{ "uninstall", uninstall, METH_NOARGS, "Put torch back." },
	{ "asked", asked, METH_NOARGS, "What a proxy refused last." },
	{ "is_leaf_module", is_leaf_module, METH_O, "torch.fx's policy." },
	{ "path_of_module", path_of_module, METH_O, "First path of a module." },
	{ NULL, NULL, 0, NULL },
};

/* One dotted name from Python, held for ever; NULL when optional. */
static PyObject *
need(const char *module, const char *name, bool optional)
{
	PyObject *from = PyImport_ImportModule(module);
	PyObject *value = from ? PyObject_GetAttrString(from, name) : NULL;

	Py_XDECREF(from);
	if (!value && optional)
		PyErr_Clear();
	return value;
}

static bool
read_opcodes(void)
{
	PyObject *map = need("opcode", "opmap", false);
	PyObject *unpack =
		map ? PyMapping_GetItemString(map, "UNPACK_SEQUENCE") : NULL;
	PyObject *extended =
		map ? PyMapping_GetItemString(map, "EXTENDED_ARG") : NULL;

	if (unpack && extended) {
		fxpy.unpack_sequence = (int)PyLong_AsLong(unpack);
		fxpy.extended_arg = (int)PyLong_AsLong(extended);
	}
	Py_XDECREF(map);
	Py_XDECREF(unpack);
	Py_XDECREF(extended);
	return !PyErr_Occurred();
}

/* The keys that every module's __dict__ has, without `training`. */
static bool
read_module_keys(void)
{
	PyObject *bare = PyObject_CallFunctionObjArgs(fxpy.module_type, NULL);
	PyObject *dict =
		bare ? PyObject_GetAttr(bare, fxpy_str.__dict__) : NULL;

	fxpy.module_keys = dict ? PyFrozenSet_New(dict) : NULL;
	Py_XDECREF(bare);
	Py_XDECREF(dict);
	return fxpy.module_keys;
}

static bool
read_methods(void)
{
	PyObject *get = need("torch.overrides", "_get_tensor_methods", false);

	fxpy.tensor_methods =
		get ? PyObject_CallFunctionObjArgs(get, NULL) : NULL;
	Py_XDECREF(get);
	return fxpy.tensor_methods;
}

static bool
read_torch(void)
{
	static const struct {
		PyObject **where;
		const char *module, *name;
		bool optional;
	} wanted[] = {
		{ &fxpy.module_type, "torch.nn", "Module", false },
		{ &fxpy.sequential_type, "torch.nn", "Sequential", false },
		{ &fxpy.parameter_type, "torch.nn", "Parameter", false },
		{ &fxpy.tensor_type, "torch", "Tensor", false },
		{ &fxpy.dtype_type, "torch", "dtype", false },
		{ &fxpy.device_type, "torch", "device", false },
		{ &fxpy.layout_type, "torch", "layout", false },
		{ &fxpy.memory_format_type, "torch", "memory_format", false },
		{ &fxpy.script_method_type, "torch._C", "ScriptMethod", true },
		{ &fxpy.script_object_type, "torch._C", "ScriptObject", true },
		{ &fxpy.fx_proxy_type, "torch.fx", "Proxy", true },
		{ &fxpy.trace_error, "torch.fx.proxy", "TraceError", true },
		{ &fxpy.proxyable, "torch.fx._symbolic_trace",
			"_proxyable_classes", true },
		{ &fxpy.getattr_function, "builtins", "getattr", false },
		{ (PyObject **)&fxpy.enum_type, "enum", "Enum", false },
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		*wanted[i].where = need(wanted[i].module, wanted[i].name,
			wanted[i].optional);
		if (!*wanted[i].where && !wanted[i].optional)
			return false;
	}
	if (!fxpy.trace_error) {
		fxpy.trace_error = PyExc_ValueError;
		Py_INCREF(fxpy.trace_error);
	}
	return read_opcodes() && read_module_keys() && read_methods();
}

static bool
intern_names(void)
{
#define FXPY_MAKE(name) \
	if (!(fxpy_str.name = PyUnicode_InternFromString(#name))) \
		return false;
	FXPY_NAMES(FXPY_MAKE)
#undef FXPY_MAKE
	fxpy.keep = PyList_New(0);
	fxpy.gc = PyImport_ImportModule("gc");
	return fxpy.keep && fxpy.gc;
}

/* The tables NAME: what something else calls torch's dtypes, by torch's names.
 */
static bool
add_dtypes(PyObject *module, const char *name, bool is_safetensors)
{
	PyObject *table = PyDict_New();
	bool good = table;

	for (int i = 0; good && i < FX_DTYPE_COUNT; i++) {
		const struct fx_dtype_info *info =
			fx_dtype_info((enum fx_dtype)i);
		const char *text =
			is_safetensors ? info->safetensors : info->short_name;
		PyObject *word = PyUnicode_FromString(text);

		good = word && (!*text || PyDict_SetItemString(table,
						  info->name, word) == 0);
		Py_XDECREF(word);
	}
	if (good && PyModule_AddObject(module, name, table) == 0)
		return true;
	Py_XDECREF(table);
	return false;
}

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "fxdb._capture",
	.m_doc = "fxdb's tracer: see the package fxdb.",
	.m_size = -1,
	.m_methods = functions,
};

PyMODINIT_FUNC PyInit__capture(void);

__attribute__((visibility("default"))) PyMODINIT_FUNC
PyInit__capture(void)
{
	PyObject *module;

	if (!intern_names() || !read_torch())
		return NULL;
	module = PyModule_Create(&definition);
	if (!module)
		return NULL;
	if (fxpy_args_ready() < 0 || fxpy_proxy_ready(module) < 0 ||
		fxpy_wrapped_ready(module) < 0 ||
		fxpy_example_ready(module) < 0 || fxpy_copy_ready(module) < 0 ||
		fxpy_file_ready(module) < 0 || fxpy_graph_ready(module) < 0 ||
		!add_dtypes(module, "SAFETENSORS", true) ||
		!add_dtypes(module, "WORDS", false) ||
		PyModule_AddStringConstant(module, "BUILD", FX_BUILD_ID) < 0) {
		Py_DECREF(module);
		return NULL;
	}
	return module;
}

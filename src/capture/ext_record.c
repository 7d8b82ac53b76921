/* ext_record.c - calls become nodes. */
#include <config.h>

#include "capture/capture.h"
#include "capture/copy.h"
#include "capture/example.h"

#include "base/intern.h"

/* What SPEC calls or names, as torch.fx has it: functions, else text. */
static PyObject *
target_of(const struct fxpy_trace *trace, const struct fx_node_spec *spec)
{
	PyObject *target = NULL;

	if (spec->opcode == FX_OPCODE_CALL_FUNCTION)
		target = PyDict_GetItemString(trace->targets, spec->target);
	if (!target)
		return PyUnicode_FromString(spec->target);
	Py_INCREF(target);
	return target;
}

/* What the tracer's own create_proxy gives for the call that SPEC tells of. */
static PyObject *
ask_tracer(struct fxpy_trace *trace, const struct fx_node_spec *spec,
	PyObject *args, PyObject *kwargs)
{
	PyObject *target = target_of(trace, spec);
	PyObject *none = kwargs ? NULL : PyDict_New();
	struct fx_node *node = NULL;
	PyObject *result;

	result = target ? PyObject_CallMethod(trace->tracer, "create_proxy",
				  spec->name ? "sOOOs" : "sOOO",
				  fx_opcode_word(spec->opcode), target, args,
				  kwargs ? kwargs : none, spec->name)
			: NULL;
	Py_XDECREF(target);
	Py_XDECREF(none);
	if (result && FXPY_IS_PROXY(result))
		node = fxpy_proxy_node(result);
	else if (result)
		PyErr_Format(PyExc_TypeError,
			"create_proxy gave %R, which is no Proxy", result);
	if (!node)
		Py_CLEAR(result);
	else if (spec->is_wrapped)
		node->is_wrapped = true;
	return result;
}

/* What the tracer's own create_node gives for SPEC. */
static struct fx_node *
ask_for_node(struct fxpy_trace *trace, const struct fx_node_spec *spec,
	PyObject *type)
{
	PyObject *graph = fxpy_trace_graph(trace);
	PyObject *target = graph ? target_of(trace, spec) : NULL;
	PyObject *args, *kwargs, *result = NULL;
	struct fx_node *node = NULL;

	if (!target)
		return NULL;
	args = spec->args.count ? fxpy_value_object(&spec->args, graph)
				: PyTuple_New(0);
	kwargs = spec->kwargs.count ? fxpy_value_object(&spec->kwargs, graph)
				    : PyDict_New();
	if (args && kwargs)
		result = PyObject_CallMethod(trace->tracer, "create_node",
			"sOOOzO", fx_opcode_word(spec->opcode), target, args,
			kwargs, spec->name, type ? type : Py_None);
	Py_DECREF(target);
	Py_XDECREF(args);
	Py_XDECREF(kwargs);
	if (result)
		node = fxpy_object_node(trace, result);
	Py_XDECREF(result);
	if (node && !node->source)
		node->source = spec->source;
	if (node && spec->is_wrapped)
		node->is_wrapped = true;
	return node;
}

struct fx_node *
fxpy_add_node(struct fxpy_trace *trace, struct fx_node_spec *spec,
	PyObject *type)
{
	struct fx_node *node;
	PyObject *object;
	int failed;

	if (trace->hooks_node)
		return ask_for_node(trace, spec, type);
	node = fx_recorder_add(&trace->recorder, spec);
	if (!type || type == Py_None || spec->type)
		return node;
	object = fxpy_trace_node(trace, node);
	failed = !object || PyObject_SetAttrString(object, "type", type) < 0;
	Py_XDECREF(object);
	return failed ? NULL : node;
}

/* What FACTORY, or else the tracer's own `proxy`, makes of NODE. */
static PyObject *
proxy_of(struct fxpy_trace *trace, struct fx_node *node, PyObject *factory)
{
	PyObject *object, *result = NULL;

	if (!factory && !trace->hooks_made)
		return fxpy_proxy_new(node);
	object = fxpy_trace_node(trace, node);
	if (object)
		result = factory ? PyObject_CallFunctionObjArgs(factory, object,
					   NULL)
				 : PyObject_CallMethod(trace->tracer, "proxy",
					   "O", object);
	Py_XDECREF(object);
	if (result && !FXPY_IS_PROXY(result)) {
		PyErr_Format(PyExc_TypeError,
			"%R, which was made for a node, is no Proxy of fxdb's",
			result);
		Py_CLEAR(result);
	}
	return result;
}

/* Convert ARGS and KWARGS (nodes for constants are made on the way), then add
 * the node; SPEC has everything else but the TYPE.
 */
static struct fx_node *
add(struct fxpy_trace *trace, struct fx_node_spec *spec, PyObject *args,
	PyObject *kwargs, PyObject *type)
{
	if (!fxpy_arg(trace, args, &spec->args))
		return NULL;
	if (kwargs && PyDict_Size(kwargs) > 0 &&
		!fxpy_arg(trace, kwargs, &spec->kwargs))
		return NULL;
	if (spec->opcode != FX_OPCODE_PLACEHOLDER)
		spec->source = fxpy_source(trace);
	return fxpy_add_node(trace, spec, type);
}

static PyObject *
record(struct fx_node_spec *spec, PyObject *args, PyObject *kwargs)
{
	struct fxpy_trace *trace = fxpy.trace;
	struct fx_node *node;

	if (!trace) {
		PyErr_SetString(PyExc_RuntimeError,
			"a value of an earlier trace is used; no trace runs");
		return NULL;
	}
	if (trace->hooks_proxy)
		return ask_tracer(trace, spec, args, kwargs);
	node = add(trace, spec, args, kwargs, NULL);
	return node ? proxy_of(trace, node, NULL) : NULL;
}

static bool
read_target(struct fxpy_trace *trace, const char *kind, PyObject *target,
	struct fx_node_spec *spec)
{
	spec->opcode = fx_opcode_find(kind);
	if (spec->opcode == FX_OPCODE_COUNT)
		PyErr_Format(PyExc_ValueError, "\"%s\" is no opcode", kind);
	else
		spec->target = spec->opcode == FX_OPCODE_CALL_FUNCTION
				       ? fxpy_target(trace, target)
				       : fxpy_text(target);
	return spec->target;
}

PyObject *
fxpy_record(PyObject *self, PyObject *args)
{
	struct fxpy_trace *trace = fxpy_running();
	PyObject *target, *arguments, *keywords, *type = NULL, *factory = NULL;
	struct fx_node_spec spec = { 0 };
	const char *kind, *name = NULL;
	struct fx_node *node;
	int wrapped = 0;

	(void)self;
	if (!trace ||
		!PyArg_ParseTuple(args, "sOO!O!|zpOO", &kind, &target,
			&PyTuple_Type, &arguments, &PyDict_Type, &keywords,
			&name, &wrapped, &type, &factory) ||
		!read_target(trace, kind, target, &spec))
		return NULL;
	spec.name = fx_intern(name);
	spec.is_wrapped = wrapped;
	node = add(trace, &spec, arguments, keywords, type);
	return node ? proxy_of(trace, node, factory == Py_None ? NULL : factory)
		    : NULL;
}

PyObject *
fxpy_create_node(PyObject *self, PyObject *args)
{
	struct fxpy_trace *trace = fxpy_running();
	PyObject *target, *arguments, *keywords;
	struct fx_node_spec spec = { 0 };
	const char *kind, *name = NULL;

	(void)self;
	if (!trace ||
		!PyArg_ParseTuple(args, "sOO!O!|z", &kind, &target,
			&PyTuple_Type, &arguments, &PyDict_Type, &keywords,
			&name) ||
		!read_target(trace, kind, target, &spec) ||
		!fxpy_plain_arg(trace, arguments, &spec.args) ||
		(PyDict_Size(keywords) > 0 &&
			!fxpy_plain_arg(trace, keywords, &spec.kwargs)))
		return NULL;
	spec.name = fx_intern(name);
	return fxpy_trace_node(trace, fx_recorder_add(&trace->recorder, &spec));
}

PyObject *
fxpy_create_proxy(PyObject *self, PyObject *object)
{
	struct fxpy_trace *trace = fxpy_running();
	struct fx_node *node = trace ? fxpy_object_node(trace, object) : NULL;

	(void)self;
	return node ? fxpy_proxy_new(node) : NULL;
}

PyObject *
fxpy_with_first(PyObject *first, PyObject *args)
{
	PyObject *one = PyTuple_Pack(1, first);
	PyObject *all = one ? PySequence_Concat(one, args) : NULL;

	Py_XDECREF(one);
	return all;
}

PyObject *
fxpy_record_function(PyObject *callable, PyObject *args, PyObject *kwargs,
	bool wrapped)
{
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_FUNCTION,
		.is_wrapped = wrapped };

	spec.target = fxpy_target(fxpy.trace, callable);
	return spec.target ? record(&spec, args, kwargs) : NULL;
}

PyObject *
fxpy_record_named(PyObject *callable, const char *candidate, PyObject *args,
	PyObject *kwargs)
{
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_FUNCTION };

	/* torch.fx passes the name as text here, so a dunder is stripped. */
	spec.name = fx_names_candidate(FX_OPCODE_CALL_METHOD, candidate);
	spec.target = fxpy_target(fxpy.trace, callable);
	return spec.target ? record(&spec, args, kwargs) : NULL;
}

PyObject *
fxpy_record_method(const char *name, PyObject *args, PyObject *kwargs)
{
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_METHOD,
		.target = name };

	return record(&spec, args, kwargs);
}

PyObject *
fxpy_record_module(const char *path, PyObject *args, PyObject *kwargs)
{
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_MODULE,
		.target = path };

	return record(&spec, args, kwargs);
}

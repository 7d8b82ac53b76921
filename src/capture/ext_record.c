/* ext_record.c - calls become nodes. */
#include <config.h>

#include "capture/capture.h"
#include "capture/example.h"

#include "base/intern.h"

/* What the tracer's own create_proxy gives for the call that SPEC tells of,
 * asked as torch.fx asks it: names of torch's functions as text.
 */
static PyObject *
ask_tracer(struct fxpy_trace *trace, const struct fx_node_spec *spec,
	PyObject *args, PyObject *kwargs)
{
	PyObject *target = NULL, *none = kwargs ? NULL : PyDict_New();
	struct fx_node *node = NULL;
	PyObject *result;

	if (spec->opcode == FX_OPCODE_CALL_FUNCTION)
		target = PyDict_GetItemString(trace->targets, spec->target);
	if (target)
		Py_INCREF(target);
	else
		target = PyUnicode_FromString(spec->target);
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

/* Convert ARGS and KWARGS (nodes for constants are made on the way), then add
 * the node; SPEC has everything else.
 */
static PyObject *
add(struct fxpy_trace *trace, struct fx_node_spec *spec, PyObject *args,
	PyObject *kwargs)
{
	if (!fxpy_arg(trace, args, &spec->args))
		return NULL;
	if (kwargs && PyDict_Size(kwargs) > 0 &&
		!fxpy_arg(trace, kwargs, &spec->kwargs))
		return NULL;
	spec->source = fxpy_source(trace);
	return fxpy_proxy_new(fx_recorder_add(&trace->recorder, spec));
}

static PyObject *
record(struct fx_node_spec *spec, PyObject *args, PyObject *kwargs)
{
	struct fxpy_trace *trace = fxpy.trace;

	if (!trace) {
		PyErr_SetString(PyExc_RuntimeError,
			"a value of an earlier trace is used; no trace runs");
		return NULL;
	}
	return trace->hooks_proxy ? ask_tracer(trace, spec, args, kwargs)
				  : add(trace, spec, args, kwargs);
}

PyObject *
fxpy_record(PyObject *self, PyObject *args)
{
	struct fxpy_trace *trace = fxpy_running();
	PyObject *target, *arguments, *keywords;
	struct fx_node_spec spec = { 0 };
	const char *kind, *name = NULL;
	int wrapped = 0;

	(void)self;
	if (!trace || !PyArg_ParseTuple(args, "sOO!O!|zp", &kind, &target,
			      &PyTuple_Type, &arguments, &PyDict_Type,
			      &keywords, &name, &wrapped))
		return NULL;
	spec.opcode = fx_opcode_find(kind);
	spec.target = spec.opcode == FX_OPCODE_CALL_FUNCTION
			      ? fxpy_target(trace, target)
			      : fxpy_text(target);
	spec.name = fx_intern(name);
	spec.is_wrapped = wrapped;
	return spec.target ? add(trace, &spec, arguments, keywords) : NULL;
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

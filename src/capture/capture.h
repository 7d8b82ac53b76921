/* capture.h - what the files of the extension share.
 *
 * The only place that includes Python, and the only place that says which
 * part of its interface we use: the limited one of CPython 3.9, so that one
 * file loads into every later Python.
 *
 * A trace is one call of run() by fxdb/__init__.py.  Within it, calls on Proxy
 * objects and calls of modules go straight into the recorder
 * (trace/recorder.h).
 */
#ifndef FXPY_CAPTURE_H
#define FXPY_CAPTURE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>

/* In the limited interface since 3.10, and exported by 3.9 as well; the
 * official way of 3.9 makes a bytes object for each call.
 */
#if Py_LIMITED_API < 0x030a0000
PyAPI_FUNC(const char *)
	PyUnicode_AsUTF8AndSize(PyObject *string, Py_ssize_t *size);
#endif

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "capture/strings.h"
#include "capture/trace.h"
#include "trace/recorder.h"

/* What a class of modules is, asked once. */
struct fxpy_class {
	const char *name; /* interned, qualified */
	bool is_leaf;     /* torch.fx's default policy */
};

/* The extension is one per process, like the patches it makes. */
struct fxpy_state {
	struct fxpy_trace *trace; /* the running one, or NULL */
	uint64_t generation;      /* of the last trace begun */

	PyTypeObject *proxy_type;
	PyTypeObject *wrapped_type;
	PyTypeObject *graph_type;
	PyTypeObject *node_type;
	PyTypeObject *argument_type, *enum_type;

	/* From torch, held for ever. */
	PyObject *module_type, *sequential_type, *parameter_type, *tensor_type;
	PyObject *dtype_type, *device_type, *layout_type;
	PyObject *memory_format_type, *script_method_type, *script_object_type;
	PyObject *tensor_methods; /* set: what is a method or property */
	PyObject *fx_proxy_type;  /* answered by Proxy.__class__ */
	PyObject *trace_error;    /* torch.fx.proxy.TraceError */
	PyObject *proxyable;      /* dict: the classes of ProxyableClassMeta */
	PyObject *operators[64];  /* functions of the operator module */
	PyObject *getattr_function;
	PyObject *gc; /* the module */

	PyObject *original_call, *original_getattr;
	PyObject *patched_call, *patched_getattr;
	PyObject *module_keys; /* set: keys every module's __dict__ has */
	struct fx_map keys;    /* attribute name -> interned text, or 1 for
				* those of module_keys */
	struct fx_map texts;   /* str -> interned text, for fxpy_name */
	struct fx_map classes; /* type -> struct fxpy_class * */
	struct fx_map codes;   /* code -> struct code of ext_source.c */
	struct fx_map names;   /* callable -> interned qualified name */
	struct fx_map math_functions; /* the math module's own -> 1 */
	PyObject *keep;               /* list: keys of the maps above */

	int unpack_sequence, extended_arg; /* opcodes */

	/* Why the last refusal happened: for the error report. */
	const char *asked;          /* static text: "len()" */
	const char *asked_node;     /* interned name of the node */
	const char *asked_sentence; /* interned */
	const char *asked_file;     /* and line: who asked */
	int asked_line;
};

extern struct fxpy_state fxpy;

/* A traced value.  With `attr` set it is an attribute read that nobody has
 * used yet: called, it becomes a call_method, else a getattr node.
 */
struct fxpy_proxy {
	PyObject_HEAD uint64_t no_dtype : 8, generation : 56;
	struct fx_node *node; /* NULL: a lazy attribute */
	const char *name;     /* the node's; outlives it */
	PyObject *owner;      /* lazy attribute: the proxy it was read from */
	PyObject *attr;
	PyObject *dict; /* what the model stored on it, or NULL */
};

/* A row of a type's slots. */
#define FXPY_SLOT(id, function) \
	{ \
		id, (void *)(uintptr_t)(function) \
	}

#define FXPY_IS_PROXY(object) (Py_TYPE(object) == fxpy.proxy_type)

/* ext_proxy.c */
int fxpy_proxy_ready(PyObject *module);
/* New reference. */
PyObject *fxpy_proxy_new(struct fx_node *node);
/* The node of PROXY, made now if it is a lazy attribute; null with an
 * exception for a proxy of an earlier trace.
 */
struct fx_node *fxpy_proxy_node(PyObject *proxy);

/* ext_dispatch.c: torch's protocol; CALL is (function, types, args, kwargs). */
PyObject *fxpy_torch_function(PyObject *class, PyObject *call);

/* ext_wrapped.c */
int fxpy_wrapped_ready(PyObject *module);
/* A callable that records calls with proxies and passes others to ORIGINAL. */
PyObject *fxpy_wrapped_new(PyObject *original);

/* ext_args.c: torch.fx's create_arg. */
int fxpy_args_ready(void);
bool fxpy_arg(struct fxpy_trace *trace, PyObject *object, struct fx_value *ret);
/* Do what Tracer.create_arg does: convert OBJECT, and its items through the
 * tracer's own create_arg, to an Argument that fxpy_arg takes.
 */
PyObject *fxpy_create_arg(struct fxpy_trace *trace, PyObject *object);
/* A plain value as configuration keeps it; false without an exception when
 * OBJECT is none.
 */
bool fxpy_plain(struct fx_arena *arena, PyObject *object, int depth,
	struct fx_value *ret);
/* Whether a Proxy is anywhere inside: 1, 0, -1 with an exception. */
int fxpy_has_proxy(PyObject *object, int depth);
/* The interned text of a Python str; NULL with an exception. */
const char *fxpy_text(PyObject *string);
/* The same for names of attributes: known ones are found by their address. */
const char *fxpy_name(PyObject *name);

/* ext_target.c */
/* Qualified name of a callable as torch.fx prints it; interned, or NULL with
 * an exception.  Remembers the object under that name in the trace.
 */
const char *fxpy_target(struct fxpy_trace *trace, PyObject *callable);
/* The name torch.fx derives for a node that calls it. */
const char *fxpy_callable_name(PyObject *callable);

/* ext_source.c */
const struct fx_source *fxpy_source(struct fxpy_trace *trace);
/* Let the frames go that the trace holds. */
void fxpy_source_forget(struct fxpy_trace *trace);

/* ext_record.c: nodes from calls.  ARGS is a tuple, KWARGS a dict or NULL;
 * both return a new Proxy.
 */
PyObject *fxpy_record_function(PyObject *callable, PyObject *args,
	PyObject *kwargs, bool wrapped);
PyObject *fxpy_record_named(PyObject *callable, const char *candidate,
	PyObject *args, PyObject *kwargs);
PyObject *fxpy_record_method(const char *name, PyObject *args,
	PyObject *kwargs);
PyObject *fxpy_record_module(const char *path, PyObject *args,
	PyObject *kwargs);
/* A new tuple of FIRST and the items of ARGS, as a method's function gets. */
PyObject *fxpy_with_first(PyObject *first, PyObject *args);

/* ext_modules.c: the module tree and the maps of a trace. */
bool fxpy_collect(struct fxpy_trace *trace);
const struct fxpy_class *fxpy_class_of(PyTypeObject *type);
/* Describe the tensors of the collected modules (dtype, shape, ties) and the
 * constants met on the way, by the maps of a trace and fxdb._weights.places.
 */
bool fxpy_describe_tensors(struct fx_graph *graph, const struct fx_map *records,
	const struct fx_map *tensors, PyObject *places);

/* ext_patch.c */
bool fxpy_patch(void);
/* Wrap math functions that FUNCTION's module imported by name. */
bool fxpy_patch_globals(struct fxpy_trace *trace, PyObject *function);
void fxpy_unpatch(void);

/* ext_graph.c */
int fxpy_graph_ready(PyObject *module);
/* Takes the trace's graph; TARGETS and KEEP are referenced. */
PyObject *fxpy_graph_new(struct fxpy_trace *trace);
/* The Node object of NODE, a borrowed part of GRAPH (a Graph object). */
PyObject *fxpy_node_object(PyObject *graph, struct fx_node *node);
/* Inputs and result are nested; NAMES: a tuple of all parameters with self. */
bool fxpy_set_nested(struct fx_graph *graph, PyObject *names);
/* Read the texts of source lines that the nodes name, through linecache. */
bool fxpy_read_lines(struct fx_graph *graph);

/* ext_value.c: back to Python. */
PyObject *fxpy_value_object(const struct fx_value *value,
	PyObject *graph_object);

#endif /* FXPY_CAPTURE_H */

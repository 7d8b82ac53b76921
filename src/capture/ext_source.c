/* ext_source.c - which line of the model asked.
 *
 * A callback from C has no frame of its own, so the running frame is the
 * user's.  Frames inside torch and inside this package are skipped.  Line
 * texts are read when the graph is shown, not here.
 */
#include <config.h>

#include "capture/capture.h"

#include <string.h>

#include "base/intern.h"
#include "base/mem.h"

#define MAX_FRAMES 16

enum code_kind {
	CODE_SKIPPED,
	CODE_ENTRY,
	CODE_USER
};

/* What is known of a code object; asked once for each. */
struct code {
	enum code_kind kind;
	const char *file;
	const char *function;
};

static const char *
attribute(PyObject *code, PyObject *name)
{
	PyObject *value = PyObject_GetAttr(code, name);
	const char *text = value ? fxpy_text(value) : NULL;

	Py_XDECREF(value);
	PyErr_Clear();
	return text ? text : fx_intern("?");
}

static const struct code *
code_of(PyObject *object)
{
	struct code *code = fx_map_get_pointer(&fxpy.codes, object);

	if (code)
		return code;
	code = FX_NEW(struct code);
	code->file = attribute(object, fxpy_str.co_filename);
	code->function = attribute(object, fxpy_str.co_name);
	code->kind = CODE_USER;
	if (strstr(code->file, "/fxdb/__init__.py"))
		code->kind = CODE_ENTRY;
	else if (strstr(code->file, "/torch/"))
		code->kind = CODE_SKIPPED;
	if (PyList_Append(fxpy.keep, object) < 0)
		PyErr_Clear();
	fx_map_set_pointer(&fxpy.codes, object, code);
	return code;
}

const struct fx_source *
fxpy_source(struct fxpy_trace *trace)
{
	struct fx_source_frame frames[MAX_FRAMES];
	PyFrameObject *frame = PyEval_GetFrame();
	size_t count = 0;

	Py_XINCREF((PyObject *)frame);
	while (frame && count < MAX_FRAMES) {
		PyObject *object = (PyObject *)PyFrame_GetCode(frame);
		const struct code *code = code_of(object);
		PyObject *back;

		if (code->kind == CODE_USER)
			frames[count++] = (struct fx_source_frame){
				.file = code->file,
				.function = code->function,
				.line = PyFrame_GetLineNumber(frame),
			};
		Py_DECREF(object);
		if (code->kind == CODE_ENTRY)
			break;
		back = PyObject_GetAttr((PyObject *)frame, fxpy_str.f_back);
		Py_DECREF((PyObject *)frame);
		if (!back || back == Py_None) {
			Py_XDECREF(back);
			PyErr_Clear();
			frame = NULL;
			break;
		}
		frame = (PyFrameObject *)back;
	}
	Py_XDECREF((PyObject *)frame);
	if (!count)
		return NULL;
	return fx_graph_source(trace->recorder.graph, frames, count);
}

/* The text of LINE of FILE, stripped and interned; NULL when there is none. */
static const char *
line_text(PyObject *getline, const char *file, int line)
{
	PyObject *text = PyObject_CallFunction(getline, "si", file, line);
	PyObject *bare = text ? PyObject_CallMethod(text, "strip", NULL) : NULL;
	const char *result = bare ? fxpy_text(bare) : NULL;

	Py_XDECREF(text);
	Py_XDECREF(bare);
	PyErr_Clear();
	return result && *result ? result : NULL;
}

bool
fxpy_read_lines(struct fx_graph *graph)
{
	PyObject *linecache = PyImport_ImportModule("linecache");
	PyObject *getline =
		linecache ? PyObject_GetAttrString(linecache, "getline") : NULL;
	struct fx_node *node;

	Py_XDECREF(linecache);
	if (!getline)
		return false;
	fx_graph_for_each_node (node, graph) {
		const struct fx_source *source = node->source;

		for (size_t i = 0; source && i < source->count; i++) {
			/* Sources belong to the graph that is being made; the
			 * text is the one thing filled in late.
			 */
			struct fx_source_frame *frame =
				(struct fx_source_frame *)(uintptr_t)&source
					->frames[i];

			if (!frame->text)
				frame->text = line_text(getline, frame->file,
					frame->line);
		}
	}
	Py_DECREF(getline);
	return true;
}

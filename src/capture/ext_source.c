/* ext_source.c - which line of the model asked.
 *
 * A callback from C has no frame of its own, so the running frame is the
 * user's.  Frames inside torch and inside this package are skipped.  Line
 * texts are read when the graph is shown, not here.
 */
#include <config.h>

#include "capture/capture.h"

#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
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
	bool is_generator;   /* resumed from anywhere */
	struct fx_map lines; /* instruction + 2 -> line + 1 */
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

/* Generators, coroutines and asynchronous generators, by CO_* of inspect. */
static bool
is_generator(PyObject *code)
{
	PyObject *flags = PyObject_GetAttr(code, fxpy_str.co_flags);
	long bits = flags ? PyLong_AsLong(flags) : 0;

	Py_XDECREF(flags);
	PyErr_Clear();
	return bits & (0x20 | 0x80 | 0x200);
}

/* Whether FILE is of the package and runs between the model and a call. */
static bool
is_between(const char *file)
{
	static const char *const names[] = { "/fxdb/_autocast.py",
		"/fxdb/_example.py", "/fxdb/_inputs.py", "/fxdb/_numbers.py",
		"/fxdb/_unseen.py", "/fxdb/_whole.py" };

	for (size_t i = 0; i < FX_ARRAY_LEN(names); i++)
		if (strstr(file, names[i]))
			return true;
	return false;
}

static struct code *
code_of(PyObject *object)
{
	struct code *code = fx_map_get_pointer(&fxpy.codes, object);

	if (code)
		return code;
	code = FX_NEW(struct code);
	code->file = attribute(object, fxpy_str.co_filename);
	code->function = attribute(object, fxpy_str.co_name);
	code->is_generator = is_generator(object);
	code->kind = CODE_USER;
	if (strstr(code->file, "/fxdb/__init__.py") ||
		(strstr(code->file, "/fxdb/_example.py") &&
			strcmp(code->function, "body") == 0))
		code->kind = CODE_ENTRY;
	else if (is_between(code->file) || strstr(code->file, "/torch/"))
		code->kind = CODE_SKIPPED;
	if (PyList_Append(fxpy.keep, object) < 0)
		PyErr_Clear();
	fx_map_set_pointer(&fxpy.codes, object, code);
	return code;
}

/* The stack of the last node, outermost first, each frame held.  While a frame
 * is on the stack the ones outside it stand still, so only the lines of what is
 * new, and of the first frame that is not, are asked for: finding a line costs
 * more than all the rest of recording a node.
 */
struct fxpy_frame {
	PyObject *frame;
	struct code *code;
	int line;
};

static void
drop_frames(struct fxpy_trace *trace, size_t keep)
{
	while (trace->frame_count > keep)
		Py_DECREF(trace->frames[--trace->frame_count].frame);
}

void
fxpy_source_forget(struct fxpy_trace *trace)
{
	drop_frames(trace, 0);
	PyMem_Free(trace->frames);
	trace->frames = NULL;
	fx_map_deinit(&trace->sources);
	fx_arena_free(trace->source_arena);
	trace->source_arena = NULL;
}

/* The frame that called FRAME; a new reference or NULL. */
static PyObject *
caller_of(PyObject *frame)
{
	PyObject *back = PyObject_GetAttr(frame, fxpy_str.f_back);

	if (back == Py_None)
		Py_CLEAR(back);
	PyErr_Clear();
	return back;
}

/* Where FRAME stands in the stack, or -1. */
static int
find_frame(const struct fxpy_trace *trace, PyObject *frame)
{
	for (size_t i = trace->frame_count; i-- > 0;)
		if (trace->frames[i].frame == frame)
			return (int)i;
	return -1;
}

/* The line that FRAME, which runs CODE, is at.  Python walks a table of the
 * whole code for it, so each instruction is asked about once.
 */
static int
line_of(PyObject *frame, struct code *code)
{
	PyObject *last = PyObject_GetAttr(frame, fxpy_str.f_lasti);
	long at = last ? PyLong_AsLong(last) : -1;
	uintptr_t key = (uintptr_t)at + 2, line;

	Py_XDECREF(last);
	PyErr_Clear();
	line = fx_map_get(&code->lines, key, 0);
	if (!line) {
		line = 1 +
		       (uintptr_t)PyFrame_GetLineNumber((PyFrameObject *)frame);
		if (at >= 0)
			fx_map_set(&code->lines, key, line);
	}
	return (int)line - 1;
}

/* Fill NEW with the frames from FRAME (taken) outwards that are not in the
 * stack, at most MAX_FRAMES; cut the stack to those outside them.
 */
static size_t
new_frames(struct fxpy_trace *trace, PyObject *frame, struct fxpy_frame *new)
{
	size_t count = 0;
	int at = -1;

	while (frame && count < MAX_FRAMES) {
		PyObject *object =
			(PyObject *)PyFrame_GetCode((PyFrameObject *)frame);
		struct code *code = code_of(object);

		Py_DECREF(object);
		/* What resumes a generator need not stand still. */
		at = code->is_generator ? -1 : find_frame(trace, frame);
		if (at >= 0)
			break;
		new[count].code = code;
		new[count++].frame = frame;
		frame = code->kind == CODE_ENTRY ? NULL : caller_of(frame);
	}
	Py_XDECREF(frame);
	drop_frames(trace, (size_t)(at + 1));
	if (at >= 0)
		trace->frames[at].line = line_of(trace->frames[at].frame,
			trace->frames[at].code);
	return count;
}

static bool
push_frames(struct fxpy_trace *trace, const struct fxpy_frame *new,
	size_t count)
{
	struct fxpy_frame *frames = PyMem_Realloc(trace->frames,
		(trace->frame_count + count + 1) * sizeof(*frames));

	if (!frames) {
		for (size_t i = 0; i < count; i++)
			Py_DECREF(new[i].frame);
		return false;
	}
	trace->frames = frames;
	while (count-- > 0) {
		frames[trace->frame_count] = new[count];
		frames[trace->frame_count++].line =
			new[count].code->kind == CODE_USER
				? line_of(new[count].frame, new[count].code)
				: 0;
	}
	return true;
}

/* One step of a stack, and all of a stack that was seen before: models repeat
 * themselves, and looking up a few pointers is quicker than a few paths.
 */
struct step {
	const struct code *code;
	uintptr_t line;
};

struct known_source {
	const struct fx_source *source;
	size_t count;
	struct step steps[];
};

static const struct fx_source *
make_source(struct fxpy_trace *trace, const struct step *steps, size_t count)
{
	struct fx_source_frame frames[MAX_FRAMES];

	for (size_t i = 0; i < count; i++)
		frames[i] = (struct fx_source_frame){
			.file = steps[i].code->file,
			.function = steps[i].code->function,
			.line = (int)steps[i].line,
		};
	return fx_graph_source_interned(trace->recorder.graph, frames, count);
}

static const struct fx_source *
find_source(struct fxpy_trace *trace, const struct step *steps, size_t count)
{
	size_t size = count * sizeof(*steps);
	uintptr_t key = (uintptr_t)fx_hash_quick(steps, size) | 1;
	struct known_source *known =
		(struct known_source *)fx_map_get(&trace->sources, key, 0);

	if (known && known->count == count &&
		memcmp(known->steps, steps, size) == 0)
		return known->source;
	if (!trace->source_arena)
		trace->source_arena = fx_arena_new();
	known = fx_arena_alloc(trace->source_arena, sizeof(*known) + size);
	known->source = make_source(trace, steps, count);
	known->count = count;
	memcpy(known->steps, steps, size);
	fx_map_set(&trace->sources, key, (uintptr_t)known);
	return known->source;
}

const struct fx_source *
fxpy_source(struct fxpy_trace *trace)
{
	struct step steps[MAX_FRAMES];
	struct fxpy_frame new[MAX_FRAMES];
	PyObject *frame = (PyObject *)PyEval_GetFrame();
	size_t count = 0;

	Py_XINCREF(frame);
	if (!push_frames(trace, new, new_frames(trace, frame, new)))
		return NULL;
	for (size_t i = trace->frame_count; i-- > 0 && count < MAX_FRAMES;) {
		if (trace->frames[i].code->kind != CODE_USER)
			continue;
		steps[count].code = trace->frames[i].code;
		steps[count++].line = (uintptr_t)trace->frames[i].line;
	}
	return count ? find_source(trace, steps, count) : NULL;
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

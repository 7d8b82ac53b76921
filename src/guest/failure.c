/* failure.c - why a model could not be captured, as the worker reports it.
 *
 *	error: TraceError: control flow (...) asks for the truth of %gt, ...
 *	  at net.py:12 in forward: if total > 0:
 *	  gt = sum_1 > 0
 *	  sum_1 = x.sum()  at net.py:11: total = x.sum()
 *	  x is an input
 *	  hint: ...
 */
#include <config.h>

#include "guest/failure.h"

#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/map.h"
#include "emit/python.h"
#include "guest/channel.h"
#include "ir/graph.h"

/* Nodes shown on the way back from what was asked. */
#define ORIGINS 6

/* Return PATH relative to FOLDER if PATH lies in FOLDER, else PATH itself.
 * Borrowed.
 */
static const char *
from_here(const char *path, const char *folder)
{
	size_t length = folder ? strlen(folder) : 0;

	if (!path)
		return "?";
	if (length > 1 && strncmp(path, folder, length) == 0 &&
		path[length] == '/')
		return path + length + 1;
	return path;
}

/* The code that a word of error.def names. */
static enum fx_error_code
code_of(const char *word)
{
	for (int code = 0; word && code < FX_ERR_COUNT; code++)
		if (strcmp(fx_error_word((enum fx_error_code)code), word) == 0)
			return (enum fx_error_code)code;
	return FX_ERR_PYTHON;
}

/* The model's own place first, then how it was reached. */
static struct fx_error *
note_frames(struct fx_error *err, json_t *report, const char *here)
{
	json_t *frames = json_object_get(report, "frames"), *frame;
	int skipped =
		(int)json_integer_value(json_object_get(report, "skipped"));
	size_t index;

	json_array_foreach(frames, index, frame)
	{
		const char *text = fx_message_text(frame, "text");
		const char *function = fx_message_text(frame, "function");

		err = fx_error_note(err, "at %s:%d%s%s%s%s",
			from_here(fx_message_text(frame, "file"), here),
			(int)json_integer_value(json_object_get(frame, "line")),
			function && *function ? " in " : "",
			function ? function : "", text && *text ? ": " : "",
			text ? text : "");
	}
	if (skipped)
		err = fx_error_note(err, "called from %d more line%s", skipped,
			skipped == 1 ? "" : "s");
	return err;
}

static struct fx_error *
note_details(struct fx_error *err, json_t *report)
{
	json_t *details = json_object_get(report, "details"), *line;
	size_t index;

	json_array_foreach(details, index, line) if (json_string_value(line))
		err = fx_error_note(err, "%s", json_string_value(line));
	return err;
}

/* The data in which the origins of a failure are looked up, prepared once for
 * all of them.
 */
struct origins {
	struct fx_buf code;
	struct fx_emit_ranges ranges;
	struct fx_map seen;
	const char *here;
	json_t *frame; /* where it failed */
	int left;
};

/* Append the statement of NODE as generated code has it, without the part that
 * frees values.
 */
static void
add_statement(struct fx_buf *out, const struct origins *origins,
	const struct fx_node *node)
{
	const char *text = fx_buf_text(&origins->code), *end;
	size_t length = 0;

	if (node->opcode == FX_OPCODE_PLACEHOLDER) {
		if (strcmp(node->name, node->target) == 0)
			fx_buf_addf(out, "%s is an input", node->name);
		else
			fx_buf_addf(out, "%s is the input %s", node->name,
				node->target);
		return;
	}
	for (size_t i = 0; i < origins->ranges.count; i++) {
		const struct fx_emit_range *range = &origins->ranges.items[i];

		if (range->node != node->id)
			continue;
		text += range->begin;
		length = range->end - range->begin;
		break;
	}
	end = memchr(text, ';', length);
	while (end && !(end[1] == ' ' && end[2] == ' '))
		end = memchr(end + 1, ';', length - (size_t)(end + 1 - text));
	if (end)
		length = (size_t)(end - text);
	while (length && (*text == ' ' || *text == '\n'))
		text++, length--;
	fx_buf_add_n(out, text, length);
}

/* "  at FILE:LINE: TEXT" unless that is the failing line itself. */
static void
add_place(struct fx_buf *out, const struct origins *origins,
	const struct fx_node *node)
{
	const struct fx_source_frame *frame;
	const char *failed = fx_message_text(origins->frame, "file");

	if (!node->source || !node->source->count)
		return;
	frame = &node->source->frames[0];
	if (failed && strcmp(failed, frame->file) == 0 &&
		json_integer_value(json_object_get(origins->frame, "line")) ==
			frame->line)
		return;
	fx_buf_addf(out, "  at %s:%d%s%s",
		from_here(frame->file, origins->here), frame->line,
		frame->text ? ": " : "", frame->text ? frame->text : "");
}

/* NODE, then what it is computed from. */
static struct fx_error *
note_origin(struct fx_error *err, struct origins *origins, struct fx_node *node)
{
	FX_AUTO_BUF struct fx_buf line = { 0 };

	if (origins->left <= 0 ||
		!fx_map_set(&origins->seen, (uintptr_t)node->id, 1))
		return err;
	origins->left--;
	add_statement(&line, origins, node);
	add_place(&line, origins, node);
	err = fx_error_note(err, "%s", fx_buf_text(&line));
	/* At most ORIGINS deep, as each level takes one. */
	for (size_t i = 0; i < fx_node_input_count(node); i++)
		err = note_origin(err, origins, fx_node_input(node, i));
	return err;
}

static struct fx_error *
note_origins(struct fx_error *err, json_t *report, struct fx_graph *graph,
	const char *here)
{
	json_t *names = json_object_get(report, "nodes"), *name;
	struct origins origins = { .here = here,
		.frame = json_array_get(json_object_get(report, "frames"), 0),
		.left = ORIGINS };
	size_t index;

	if (!graph || !json_array_size(names))
		return err;
	fx_emit_python(&origins.code, graph, NULL, &origins.ranges);
	json_array_foreach(names, index, name)
	{
		struct fx_node *node =
			fx_graph_find(graph, json_string_value(name));

		if (node)
			err = note_origin(err, &origins, node);
	}
	fx_buf_deinit(&origins.code);
	fx_emit_ranges_deinit(&origins.ranges);
	fx_map_deinit(&origins.seen);
	return err;
}

struct fx_error *
fx_failure_note_crash(struct fx_error *err, json_t *frames)
{
	FX_AUTO_FREE char *here = getcwd(NULL, 0);
	json_t *frame;
	size_t index;

	json_array_foreach(frames, index, frame)
	{
		const char *file = json_string_value(json_array_get(frame, 0));
		const char *function =
			json_string_value(json_array_get(frame, 2));

		if (file && function)
			err = fx_error_note(err, "at %s:%d in %s",
				from_here(file, here),
				(int)json_integer_value(json_array_get(frame,
					1)),
				function);
	}
	return err;
}

struct fx_error *
fx_failure_error(json_t *report, struct fx_graph *graph)
{
	FX_AUTO_FREE char *here = getcwd(NULL, 0);
	const char *message = fx_message_text(report, "message");
	const char *hint = fx_message_text(report, "hint");
	struct fx_error *err =
		fx_error_new(code_of(fx_message_text(report, "code")), "%s",
			message ? message : "the model cannot be captured");

	err = note_details(err, report);
	err = note_frames(err, report, here);
	err = note_origins(err, report, graph, here);
	if (hint)
		err = fx_error_hint(err, "%s", hint);
	return err;
}

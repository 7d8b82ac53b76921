/* trace_reply.c - what the worker answers, read. */
#include <config.h>

#include "guest/trace_reply.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/mem.h"
#include "guest/channel.h"
#include "guest/failure.h"
#include "guest/process.h"
#include "guest/worker.h"
#include "ir/decided.h"
#include "ir/graph.h"
#include "load/open.h"

struct fx_error *
fx_trace_reply_check_build(json_t *hello, const char *package)
{
	const char *build = fx_message_text(hello, "build");
	struct fx_error *err;

	if (build && strcmp(build, FX_BUILD_ID) == 0)
		return NULL;
	err = fx_error_new(FX_ERR_VERSION,
		"the capture extension in %s is of another build (%s, not %s)",
		package, build ? build : "?", FX_BUILD_ID);
	return fx_error_hint(err, "build or install fxdb anew");
}

/* What may have ended a model's process with the wait status STATUS. */
static const char *
cause_of_end(int status)
{
	if (WIFEXITED(status))
		return "something that it imports or calls ends Python at "
		       "once, as os._exit() does";
	if (WTERMSIG(status) == SIGKILL)
		return "the system kills what takes too much memory: dmesg "
		       "says so";
	return "compiled code failed, of torch or of a package that it uses";
}

struct fx_error *
fx_trace_reply_ended(json_t *answer, pid_t pid)
{
	json_t *ended = json_object_get(answer, "ended"), *item;
	FX_AUTO_FREE char *text = NULL;
	struct fx_error *err;
	size_t index;
	int status;

	json_array_foreach(ended, index, item)
	{
		if (json_integer_value(json_array_get(item, 0)) != pid)
			continue;
		status = (int)json_integer_value(json_array_get(item, 1));
		text = fx_process_status_text(status);
		err = fx_error_new(FX_ERR_CHILD,
			"the model ended its process: %s", text);
		err = fx_failure_note_crash(err, json_array_get(item, 2));
		return fx_error_hint(err, "%s", cause_of_end(status));
	}
	return NULL;
}

static char *
dup_text(json_t *answer, const char *key)
{
	const char *text = fx_message_text(answer, key);

	return fx_xstrdup(text ? text : "");
}

void
fx_remarks_deinit(struct fx_remarks *remarks)
{
	for (size_t i = 0; i < remarks->count; i++) {
		free(remarks->items[i].file);
		free(remarks->items[i].value);
		free(remarks->items[i].text);
	}
	free(remarks->items);
	*remarks = (struct fx_remarks){ 0 };
}

void
fx_recording_free(struct fx_recording *recording)
{
	if (!recording)
		return;
	free(recording->sizes);
	free(recording->varied);
	free(recording->problem);
	free(recording->differs);
	free(recording);
}

static char *
dup_item(json_t *list, size_t index)
{
	const char *text = json_string_value(json_array_get(list, index));

	return fx_xstrdup(text ? text : "");
}

/* NOTES: [[file, line, value, text], ...] or NULL. */
static void
read_remarks(json_t *notes, struct fx_remarks *ret)
{
	json_t *note;
	size_t index;

	ret->count = json_array_size(notes);
	ret->items = fx_xcalloc(ret->count, sizeof(*ret->items));
	json_array_foreach(notes, index, note)
	{
		ret->items[index] = (struct fx_remark){
			.file = dup_item(note, 0),
			.line = (int)json_integer_value(json_array_get(note,
				1)),
			.value = dup_item(note, 2),
			.text = dup_item(note, 3),
		};
	}
}

static const char *
item_text(json_t *list, size_t index)
{
	const char *text = json_string_value(json_array_get(list, index));

	return text ? text : "";
}

/* What a run decided, for GRAPH: NOTES, [[file, line, value, text,
 * [[expression, value, after], ...]], ...].
 */
static void
read_decided(json_t *notes, struct fx_graph *graph)
{
	json_t *note, *test;
	size_t index, inner;

	json_array_foreach(notes, index, note)
	{
		json_t *line = json_array_get(note, 1);
		const struct fx_decided what = { .file = item_text(note, 0),
			.line = (int)json_integer_value(line),
			.value = item_text(note, 2),
			.text = item_text(note, 3) };
		struct fx_decided *decided = fx_graph_add_decided(graph, &what);

		json_array_foreach(json_array_get(note, 4), inner, test)
			fx_decided_add_test(graph, decided, item_text(test, 0),
				item_text(test, 1), item_text(test, 2));
	}
}

/* How the run that ANSWER tells of was recorded; NULL: it was traced. */
static struct fx_recording *
read_recording(json_t *answer)
{
	json_t *difference = json_object_get(answer, "difference");
	struct fx_recording *recording;

	if (!json_object_get(answer, "notes"))
		return NULL;
	recording = FX_NEW(struct fx_recording);
	recording->ms = json_number_value(json_object_get(answer, "record_ms"));
	recording->is_checked =
		json_is_true(json_object_get(answer, "checked"));
	recording->difference = json_is_number(difference)
					? json_number_value(difference)
					: (double)NAN;
	if (fx_message_text(answer, "sizes"))
		recording->sizes = dup_text(answer, "sizes");
	recording->varied = dup_text(answer, "varied");
	if (fx_message_text(answer, "problem"))
		recording->problem = dup_text(answer, "problem");
	if (json_object_get(answer, "differs"))
		recording->differs = dup_text(answer, "differs");
	return recording;
}

static void
read_inputs(json_t *inputs, struct fx_trace_result *ret)
{
	size_t count = json_array_size(inputs);

	if (json_is_array(inputs)) /* also of none */
		ret->inputs = fx_xcalloc(count + 1, sizeof(*ret->inputs));
	for (size_t i = 0; i < count; i++)
		ret->inputs[i] = dup_item(inputs, i);
	ret->input_count = count;
}

struct fx_error *
fx_trace_reply_read(json_t *answer, const char *text, size_t size,
	uint32_t serial, struct fx_trace_result *ret)
{
	const struct fx_load_input input = {
		.text = text, .length = size, .serial = serial
	};
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	struct fx_error *err = NULL;

	ret->build_ms = json_number_value(json_object_get(answer, "build_ms"));
	ret->trace_ms = json_number_value(json_object_get(answer, "trace_ms"));
	ret->python = dup_text(answer, "python");
	ret->path = dup_text(answer, "path");
	ret->torch = dup_text(answer, "torch");
	ret->mode = dup_text(answer, "mode");
	ret->how = dup_text(answer, "how");
	ret->sizes = dup_text(answer, "sizes_open");
	ret->stops = dup_text(answer, "stops");
	ret->remark = dup_text(answer, "remark");
	read_remarks(json_object_get(answer, "kept"), &ret->kept);
	read_remarks(json_object_get(answer, "suggested"), &ret->suggested);
	ret->recording = read_recording(answer);
	read_inputs(json_object_get(answer, "inputs"), ret);
	ret->remedy = dup_text(json_object_get(answer, "error"), "remedy");
	ret->can_record =
		json_is_true(json_object_get(json_object_get(answer, "error"),
			"can_record"));
	if (size)
		err = fx_open_text(&input, &loaded);
	if (err)
		return fx_error_note(err, "in what the tracer sent");
	ret->graph = FX_TAKE(loaded.graph);
	if (ret->graph)
		read_decided(json_object_get(answer, "notes"), ret->graph);
	if (json_is_true(json_object_get(answer, "ok")))
		return NULL;
	return fx_failure_error(json_object_get(answer, "error"), ret->graph);
}

char *
fx_trace_reply_skipped(json_t *answer)
{
	json_t *names = json_object_get(answer, "skipped"), *name;
	FX_AUTO_BUF struct fx_buf text = { 0 };
	size_t index;

	json_array_foreach(names, index, name) fx_buf_addf(&text, "%s%s",
		index ? ", " : "", json_string_value(name));
	return fx_buf_take(&text);
}

void
fx_trace_result_deinit(struct fx_trace_result *result)
{
	fx_graph_free(result->graph);
	fx_capture_free(result->capture);
	free(result->python);
	free(result->path);
	free(result->torch);
	free(result->mode);
	free(result->how);
	free(result->sizes);
	free(result->remark);
	free(result->remedy);
	free(result->stops);
	fx_remarks_deinit(&result->kept);
	fx_remarks_deinit(&result->suggested);
	fx_recording_free(result->recording);
	for (size_t i = 0; i < result->input_count; i++)
		free(result->inputs[i]);
	free(result->inputs);
	memset(result, 0, sizeof(*result));
}

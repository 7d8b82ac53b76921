/* reply.c - what the worker answers, read. */
#include <config.h>

#include "guest/reply.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "guest/worker.h"
#include "load/open.h"

static const char *
text_of(json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

struct fx_error *
fx_reply_check_build(json_t *hello, const char *package)
{
	const char *build = text_of(hello, "build");
	struct fx_error *err;

	if (build && strcmp(build, FX_BUILD_ID) == 0)
		return NULL;
	err = fx_error_new(FX_ERR_VERSION,
		"the capture extension in %s is of another build (%s, not %s)",
		package, build ? build : "?", FX_BUILD_ID);
	return fx_error_hint(err, "build or install fxdb anew");
}

bool
fx_reply_status(json_t *answer, pid_t pid, int *status_ret)
{
	json_t *ended = json_object_get(answer, "ended"), *item;
	size_t index;

	json_array_foreach(ended, index, item)
	{
		if (json_integer_value(json_array_get(item, 0)) != pid)
			continue;
		*status_ret = (int)json_integer_value(json_array_get(item, 1));
		return true;
	}
	return false;
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

static struct fx_error *
note_asked(struct fx_error *err, json_t *report)
{
	json_t *values = json_object_get(report, "values"), *value;
	FX_AUTO_BUF struct fx_buf names = { 0 };
	const char *node = text_of(report, "node");
	size_t index;

	if (node)
		err = fx_error_note(err, "asked: %s of %%%s",
			text_of(report, "asked"), node);
	json_array_foreach(values, index, value) fx_buf_addf(&names, "%s%s",
		index ? ", " : "", json_string_value(value));
	if (names.length)
		err = fx_error_note(err, "traced values on that line: %s",
			fx_buf_text(&names));
	return err;
}

/* The model's own place first, then how it was reached. */
static struct fx_error *
note_frames(struct fx_error *err, json_t *frames)
{
	size_t count = json_array_size(frames);

	for (size_t i = count; i-- > 0;) {
		json_t *frame = json_array_get(frames, i);
		const char *text = text_of(frame, "text");
		const char *function = text_of(frame, "function");

		err = fx_error_note(err, "at %s:%d%s%s%s%s",
			text_of(frame, "file"),
			(int)json_integer_value(json_object_get(frame, "line")),
			function && *function ? " in " : "",
			function ? function : "", text && *text ? ": " : "",
			text ? text : "");
	}
	return err;
}

static struct fx_error *
failure(json_t *report)
{
	const char *message = text_of(report, "message");
	const char *hint = text_of(report, "hint");
	struct fx_error *err = fx_error_new(code_of(text_of(report, "code")),
		"%s", message ? message : "the model cannot be captured");

	err = note_frames(err, json_object_get(report, "frames"));
	err = note_asked(err, report);
	if (hint)
		err = fx_error_hint(err, "%s", hint);
	return err;
}

static char *
dup_text(json_t *answer, const char *key)
{
	const char *text = text_of(answer, key);

	return fx_xstrdup(text ? text : "");
}

struct fx_error *
fx_reply_read(json_t *answer, const char *text, size_t size, uint32_t serial,
	struct fx_trace_result *ret)
{
	const struct fx_load_input input = {
		.text = text, .length = size, .serial = serial
	};
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	struct fx_error *err = NULL;

	ret->build_ms = json_number_value(json_object_get(answer, "build_ms"));
	ret->trace_ms = json_number_value(json_object_get(answer, "trace_ms"));
	ret->python = dup_text(answer, "python");
	ret->torch = dup_text(answer, "torch");
	ret->mode = dup_text(answer, "mode");
	if (size)
		err = fx_open_text(&input, &loaded);
	if (err)
		return fx_error_note(err, "in what the tracer sent");
	ret->graph = FX_TAKE(loaded.graph);
	if (json_is_true(json_object_get(answer, "ok")))
		return NULL;
	return failure(json_object_get(answer, "error"));
}

char *
fx_reply_skipped(json_t *answer)
{
	json_t *names = json_object_get(answer, "skipped"), *name;
	FX_AUTO_BUF struct fx_buf text = { 0 };
	size_t index;

	json_array_foreach(names, index, name) fx_buf_addf(&text, "%s%s",
		index ? ", " : "", json_string_value(name));
	return fx_buf_take(&text);
}

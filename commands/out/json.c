/* json.c - one JSON object a line per command (COMMANDS 3, doc/json.md).
 *
 * Commands may run inside commands (source, with), so what is being collected
 * is a stack of frames.  Commands that failed wait for their error, which
 * carries the objects out.
 */
#include <config.h>

#include "commands/out/out.h"

#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "commands/out/private.h"
#include "commands/out/record.h"

struct frame {
	char *command;
	struct fx_buf body;  /* members so far, each with a comma before it */
	struct fx_buf lines; /* lines of text, as JSON strings */
	struct fx_buf raw;
	FX_VEC(char *) keys; /* used so far */
	bool has_raw;
	bool failed;
};

struct json_sink {
	struct out_stream stream;
	FX_VEC(struct frame *) frames;
};

static void
frame_free(struct frame *frame)
{
	while (frame->keys.count)
		free(fx_vec_pop(&frame->keys));
	fx_vec_deinit(&frame->keys);
	fx_buf_deinit(&frame->body);
	fx_buf_deinit(&frame->lines);
	fx_buf_deinit(&frame->raw);
	free(frame->command);
	free(frame);
}

static bool
is_used(const struct frame *frame, const char *key)
{
	size_t i;

	for (i = 0; i < frame->keys.count; i++)
		if (!strcmp(frame->keys.items[i], key))
			return true;
	return false;
}

/* Begin member KEY of FRAME; a second one of the same name is numbered. */
static struct fx_json
member(struct frame *frame, const char *key)
{
	char *unique = fx_xstrdup(key);
	struct fx_json json;
	int i;

	for (i = 2; is_used(frame, unique); i++) {
		free(unique);
		unique = fx_xasprintf("%s_%d", key, i);
	}
	fx_vec_push(&frame->keys, unique);
	fx_buf_add_char(&frame->body, ',');
	fx_json_init(&json, &frame->body);
	fx_json_key(&json, unique);
	return json;
}

/* A size: a number if it is one, else the symbol's text. */
static void
add_size(struct fx_json *json, const char *text)
{
	char *end;
	long long number = strtoll(text, &end, 10);

	if (*text && !*end)
		fx_json_int(json, number);
	else
		fx_json_string(json, text);
}

static void
add_array(struct fx_json *json, const struct out_item *item,
	const struct out_cell *cell)
{
	const char *text = out_item_text(item, cell->list);
	uint32_t i;

	fx_json_array_begin(json);
	for (i = 0; i < cell->list_count; i++) {
		if (cell->kind == OUT_CELL_SHAPE)
			add_size(json, text);
		else
			fx_json_string(json, text);
		text += strlen(text) + 1;
	}
	fx_json_array_end(json);
}

static void
add_cell(struct fx_json *json, const struct out_item *item,
	const struct out_cell *cell)
{
	switch ((enum out_cell_kind)cell->kind) {
	case OUT_CELL_TEXT:
		fx_json_string_n(json, out_item_text(item, cell->text),
			cell->length);
		break;
	case OUT_CELL_INT:
		fx_json_int(json, cell->integer);
		break;
	case OUT_CELL_DOUBLE:
		fx_json_double(json, cell->real);
		break;
	case OUT_CELL_BOOL:
		fx_json_bool(json, cell->integer != 0);
		break;
	case OUT_CELL_LIST:
	case OUT_CELL_SHAPE:
		add_array(json, item, cell);
		break;
	case OUT_CELL_NONE:
		fx_json_null(json);
		break;
	}
}

static void
add_table(struct frame *frame, const struct out_item *item)
{
	struct fx_json json = member(frame, out_item_text(item, item->name));
	size_t i;

	fx_json_array_begin(&json);
	for (i = 0; i < item->cells.count; i++) {
		size_t column = i % item->columns;

		if (!column)
			fx_json_object_begin(&json);
		fx_json_key(&json, out_item_key(item, column, NULL));
		add_cell(&json, item, &item->cells.items[i]);
		if (column + 1 == item->columns)
			fx_json_object_end(&json);
	}
	fx_json_array_end(&json);
	if (item->more) {
		json = member(frame, "more");
		fx_json_int(&json, (int64_t)item->more);
	}
}

static void
add_record(struct frame *frame, const struct out_item *item)
{
	struct fx_json json = member(frame, out_item_text(item, item->name));
	const struct out_cell *cell;

	fx_json_object_begin(&json);
	fx_vec_for_each (cell, &item->cells) {
		const char *key = out_item_text(item, cell->key);

		fx_json_key(&json, *key == '~' ? key + 1 : key);
		add_cell(&json, item, cell);
	}
	fx_json_object_end(&json);
}

static void
add_tree(struct frame *frame, const struct out_item *item)
{
	struct fx_json json = member(frame, out_item_text(item, item->name));
	const struct out_cell *cell;

	fx_json_array_begin(&json);
	fx_vec_for_each (cell, &item->cells) {
		fx_json_object_begin(&json);
		fx_json_put_int(&json, "depth", cell->depth);
		fx_json_key(&json, "text");
		add_cell(&json, item, cell);
		fx_json_object_end(&json);
	}
	fx_json_array_end(&json);
}

static void
add_line_text(struct frame *frame, const char *text, size_t length)
{
	struct fx_json json;

	if (frame->lines.length)
		fx_buf_add_char(&frame->lines, ',');
	fx_json_init(&json, &frame->lines);
	fx_json_string_n(&json, text, length);
}

static void
add_line(struct frame *frame, const struct out_item *item)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const struct out_cell *cell;

	fx_vec_for_each (cell, &item->cells)
		fx_buf_add_n(&text, out_item_text(item, cell->text),
			cell->length);
	add_line_text(frame, fx_buf_text(&text), text.length);
}

/* A paragraph, in the lines that text has. */
static void
add_paragraph(struct frame *frame, const struct out_item *item)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const char *at;

	out_item_print(item, &text);
	for (at = fx_buf_text(&text); *at; at += strcspn(at, "\n") + 1)
		add_line_text(frame, at, strcspn(at, "\n"));
}

static void
add_error(struct frame *frame, const struct out_item *item)
{
	static const char *const keys[] = { "code", "message", "hint", "file",
		"line", "column" };
	struct fx_json json = member(frame, "error");
	const struct out_cell *cell;
	size_t i;

	fx_json_object_begin(&json);
	for (i = 0; i < FX_ARRAY_LEN(keys); i++) {
		cell = out_item_field(item, keys[i]);
		if (!cell)
			continue;
		fx_json_key(&json, keys[i]);
		add_cell(&json, item, cell);
	}
	fx_json_key(&json, "notes");
	fx_json_array_begin(&json);
	fx_vec_for_each (cell, &item->cells)
		if (!strcmp(out_item_text(item, cell->key), "note"))
			add_cell(&json, item, cell);
	fx_json_array_end(&json);
	fx_json_object_end(&json);
}

/* Write the last frame as a line and drop it. */
static void
print_frame(struct json_sink *sink, bool ok)
{
	struct frame *frame = fx_vec_pop(&sink->frames);
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_json json;

	fx_json_init(&json, &text);
	fx_json_object_begin(&json);
	fx_json_put_text(&json, "command", frame->command);
	fx_json_put_bool(&json, "ok", ok);
	fx_buf_add_n(&text, fx_buf_text(&frame->body), frame->body.length);
	if (frame->lines.length)
		fx_buf_addf(&text, ",\"lines\":[%s]", frame->lines.data);
	if (frame->has_raw) {
		fx_json_key(&json, "text");
		fx_json_string_n(&json, fx_buf_text(&frame->raw),
			frame->raw.length);
	}
	fx_json_object_end(&json);
	fx_buf_add_char(&text, '\n');
	sink->stream.write(sink->stream.context, false, text.data, text.length);
	frame_free(frame);
}

/* Write the commands that failed, the innermost first, with ERROR unless it is
 * NULL.
 */
static void
print_failed(struct json_sink *sink, const struct out_item *error)
{
	while (sink->frames.count && fx_vec_last(&sink->frames)->failed) {
		if (error)
			add_error(fx_vec_last(&sink->frames), error);
		print_frame(sink, false);
	}
}

static void
json_begin(void *context, const char *command)
{
	struct json_sink *sink = context;
	struct frame *frame = FX_NEW(struct frame);

	print_failed(sink, NULL);
	frame->command = fx_xstrdup(command ? command : "");
	fx_vec_push(&sink->frames, frame);
}

/* A command that fails inside another lies above it, which may fail, too. */
static void
json_end(void *context, bool ok)
{
	struct json_sink *sink = context;
	size_t at = sink->frames.count;

	if (ok) {
		print_failed(sink, NULL);
		print_frame(sink, true);
		return;
	}
	while (sink->frames.items[--at]->failed)
		;
	sink->frames.items[at]->failed = true;
}

static void
print_diagnostic(struct json_sink *sink, const struct out_item *item)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	out_item_print(item, &text);
	sink->stream.write(sink->stream.context, true, fx_buf_text(&text),
		text.length);
}

static void
json_error(struct json_sink *sink, const struct out_item *item)
{
	if (!sink->frames.count || !fx_vec_last(&sink->frames)->failed)
		json_begin(sink, "");
	fx_vec_last(&sink->frames)->failed = true;
	print_failed(sink, item);
}

static void
json_item(void *context, struct out_item *item)
{
	struct json_sink *sink = context;
	bool outside = !sink->frames.count;
	struct frame *frame;
	struct fx_json json;

	if (item->kind == OUT_ITEM_NOTE || item->kind == OUT_ITEM_WARNING) {
		print_diagnostic(sink, item);
		return;
	}
	if (item->kind == OUT_ITEM_ERROR) {
		json_error(sink, item);
		return;
	}
	if (outside)
		json_begin(sink, "");
	frame = fx_vec_last(&sink->frames);
	switch (item->kind) {
	case OUT_ITEM_TABLE:
		add_table(frame, item);
		break;
	case OUT_ITEM_RECORD:
		add_record(frame, item);
		break;
	case OUT_ITEM_TREE:
		add_tree(frame, item);
		break;
	case OUT_ITEM_LINE:
		add_line(frame, item);
		break;
	case OUT_ITEM_TEXT:
		add_paragraph(frame, item);
		break;
	case OUT_ITEM_RAW:
		frame->has_raw = true;
		fx_buf_add_n(&frame->raw,
			out_item_text(item, item->cells.items[0].text),
			item->cells.items[0].length);
		break;
	case OUT_ITEM_VALUE:
		json = member(frame, out_item_text(item, item->name));
		add_cell(&json, item, &item->cells.items[0]);
		break;
	case OUT_ITEM_NOTE:
	case OUT_ITEM_WARNING:
	case OUT_ITEM_ERROR:
		break;
	}
	if (outside)
		print_frame(sink, true);
}

static bool
json_more(void *context)
{
	struct json_sink *sink = context;

	return sink->stream.more(sink->stream.context);
}

static size_t
json_rows(void *context)
{
	(void)context;
	return 0;
}

static void
json_free(void *context)
{
	struct json_sink *sink = context;

	print_failed(sink, NULL);
	while (sink->frames.count)
		frame_free(fx_vec_pop(&sink->frames));
	fx_vec_deinit(&sink->frames);
	sink->stream.free(sink->stream.context);
	free(sink);
}

static const struct out_sink json_sink = {
	.begin = json_begin,
	.item = json_item,
	.end = json_end,
	.more = json_more,
	.rows = json_rows,
	.free = json_free,
	.takes_values = true,
};

const struct out_sink *
out_json_sink(void)
{
	return &json_sink;
}

struct out *
out_new_json(const struct out_stream *stream)
{
	struct json_sink *sink = FX_NEW(struct json_sink);

	sink->stream = *stream;
	return out_new(&json_sink, sink);
}

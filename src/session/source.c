/* source.c - the model's own Python, as far as it can be read. */
#include <config.h>

#include "session/source.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "session/model.h"
#include "session/position.h"

/* Largest source file that is read to show lines of it. */
#define SOURCE_LIMIT (16 << 20)

/* Whether the line of TEXT that FRAME names is still the line that was traced.
 */
static bool
has_line(const char *text, const struct fx_source_frame *frame)
{
	for (int number = 1; *text && number < frame->line; number++)
		text += strcspn(text, "\n") + (strchr(text, '\n') != NULL);
	text += strspn(text, " \t");
	return frame->text && !strncmp(text, frame->text, strlen(frame->text));
}

char *
fx_source_read(const struct fx_model *model,
	const struct fx_source_frame *frame)
{
	const char *path = fx_model_path(model);
	FX_AUTO_FREE char *base = fx_file_basename(frame->file);
	FX_AUTO_FREE char *beside = NULL;
	FX_AUTO_FREE char *text = NULL;
	struct fx_error *err;
	size_t length;

	err = fx_file_read(frame->file, SOURCE_LIMIT, &text, &length);
	if (!err)
		return FX_TAKE(text);
	fx_error_free(err);
	if (!path)
		return NULL;
	beside = fx_file_beside(path, base);
	err = fx_file_read(beside, SOURCE_LIMIT, &text, &length);
	fx_error_free(err);
	return !err && has_line(text, frame) ? FX_TAKE(text) : NULL;
}

struct fx_node *
fx_source_nearest(struct fx_node *node)
{
	struct fx_node *at;

	for (at = node; at; at = fx_graph_next(at))
		if (at->source && at->source->count)
			return at;
	for (at = node; at; at = fx_graph_previous(at))
		if (at->source && at->source->count)
			return at;
	return NULL;
}

bool
fx_source_selected(const struct fx_model *model, struct fx_source_frame *ret)
{
	struct fx_node *node = fx_position_node(model);
	FX_AUTO_FREE struct fx_location *frames = NULL;
	size_t index = fx_position_location(model);
	size_t count;

	if (!index)
		return false;
	fx_position_locations(model, node, &frames, &count);
	if (index >= count || frames[index].kind != FX_LOCATION_SOURCE)
		return false;
	*ret = (struct fx_source_frame){ .file = frames[index].detail,
		.function = frames[index].title,
		.text = frames[index].text,
		.line = frames[index].line };
	return ret->file != NULL;
}

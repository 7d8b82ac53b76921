/* break_where.c - what the text of a breakpoint's place looks like. */
#include <config.h>

#include <string.h>

#include "base/number.h"
#include "ir/control.h"
#include "session/break_private.h"

bool
fx_break_is_line(const char *text)
{
	const char *colon = strrchr(text, ':');

	if (!colon || colon == text || !colon[1] ||
		strspn(colon + 1, "0123456789") != strlen(colon + 1))
		return false;
	return !strpbrk(text, "{}@ ()'\"");
}

/* Whether FILE is what was typed, or ends with it after a slash. */
static bool
is_file(const char *file, const char *typed, size_t length)
{
	size_t whole = strlen(file);

	if (whole < length || memcmp(file + whole - length, typed, length) != 0)
		return false;
	return whole == length || file[whole - length - 1] == '/';
}

bool
fx_break_is_from(const struct fx_node *node, const char *where)
{
	const char *colon = strrchr(where, ':');
	size_t length = (size_t)(colon - where);
	int64_t line;

	if (!node->source ||
		!fx_number_parse_int(colon + 1, strlen(colon + 1), &line))
		return false;
	for (size_t i = 0; i < node->source->count; i++) {
		const struct fx_source_frame *frame = &node->source->frames[i];

		if (frame->line == line && is_file(frame->file, where, length))
			return true;
	}
	return false;
}

bool
fx_break_is_query(const char *where)
{
	if (strchr(where, '='))
		return true;
	return strchr(where, ':') &&
	       (strchr("@%.:", *where) || !strpbrk(where, "./ "));
}

bool
fx_breaks_inside(struct fx_session *session, const struct fx_model *model,
	const struct fx_node *node)
{
	for (size_t i = 0; i < session->breaks.count; i++) {
		const struct fx_break *b = session->breaks.items[i];

		if (b->shown.is_enabled && b->model == model &&
			b->shown.is_inside)
			return true;
		if (b->shown.is_enabled && b->model == model &&
			b->graph != node->graph &&
			fx_control_holds(node, b->graph))
			return true;
	}
	return false;
}

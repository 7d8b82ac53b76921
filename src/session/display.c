/* display.c - expressions shown at every stop. */
#include <config.h>

#include "session/display.h"

#include <stdlib.h>

#include "base/mem.h"
#include "session/session_private.h"

static void
display_deinit(struct fx_display *display)
{
	free(display->expression);
	free(display->format);
}

void
fx_displays_free(struct fx_session *session)
{
	for (size_t i = 0; i < session->displays.count; i++)
		display_deinit(&session->displays.items[i]);
	fx_vec_deinit(&session->displays);
}

int
fx_display_add(struct fx_session *session, const char *expression,
	const char *format)
{
	struct fx_display display = {
		.number = session->next_display++,
		.expression = fx_xstrdup(expression),
		.format = fx_xstrdup(format ? format : ""),
	};

	fx_vec_push(&session->displays, display);
	return display.number;
}

struct fx_error *
fx_display_delete(struct fx_session *session, int number)
{
	for (size_t i = 0; i < session->displays.count; i++) {
		struct fx_display *display = &session->displays.items[i];

		if (display->number != number)
			continue;
		display_deinit(display);
		fx_vec_remove(&session->displays, i);
		return NULL;
	}
	return fx_error_new(FX_ERR_NO_NAME, "there is no display %d", number);
}

size_t
fx_display_count(const struct fx_session *session)
{
	return session->displays.count;
}

bool
fx_display_at(const struct fx_session *session, size_t index, int *number_ret,
	const char **expression_ret, const char **format_ret)
{
	const struct fx_display *display;

	if (index >= session->displays.count)
		return false;
	display = &session->displays.items[index];
	*number_ret = display->number;
	*expression_ret = display->expression;
	*format_ret = display->format;
	return true;
}

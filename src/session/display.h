/* display.h - expressions shown at every stop. */
#ifndef FX_SESSION_DISPLAY_H
#define FX_SESSION_DISPLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct fx_session;

/* Show EXPRESSION from now on, as FORMAT (the letters of print/FMT, or NULL)
 * says; its number.  What it means is looked at each time.
 */
int fx_display_add(struct fx_session *session, const char *expression,
	const char *format);

/* NO_NAME when there is none of that NUMBER. */
FX_NODISCARD struct fx_error *fx_display_delete(struct fx_session *session,
	int number);

size_t fx_display_count(const struct fx_session *session);
/* The one at INDEX, in order of numbers; false past the end.  Texts are
 * borrowed until one is deleted.
 */
bool fx_display_at(const struct fx_session *session, size_t index,
	int *number_ret, const char **expression_ret, const char **format_ret);

#endif /* FX_SESSION_DISPLAY_H */

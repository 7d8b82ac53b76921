/* put.h - the pieces of a line, for what lays out items. */
#ifndef FX_COMMANDS_OUT_PUT_H
#define FX_COMMANDS_OUT_PUT_H

#include <string.h>

#include "base/compiler.h"
#include "commands/out/record.h"

/* A table, each row a line where there is room. */
void out_lay_table(const struct out_item *item,
	const struct out_layout *layout);

static inline void
out_put_n(const struct out_layout *layout, enum fx_role role, const char *text,
	size_t length)
{
	/* The one state that is not written with a letter. */
	if (layout->ascii && role == FX_ROLE_STATE && length == 2 &&
		!memcmp(text, "\u00b7", 2))
		out_put_n(layout, role, ".", 1);
	else if (length)
		layout->piece(layout->context, role, text, length);
}

static inline void
out_put(const struct out_layout *layout, enum fx_role role, const char *text)
{
	out_put_n(layout, role, text, strlen(text));
}

static inline void
out_put_blanks(const struct out_layout *layout, size_t count)
{
	static const char blanks[] = "                                ";

	while (count) {
		size_t n = FX_MIN(count, sizeof(blanks) - 1);

		out_put_n(layout, FX_ROLE_PLAIN, blanks, n);
		count -= n;
	}
}

static inline void
out_put_end(const struct out_layout *layout)
{
	layout->line_end(layout->context);
}

#endif /* FX_COMMANDS_OUT_PUT_H */

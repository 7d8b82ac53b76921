/* wrap.h - lines broken between words, for a layout of a known width.
 *
 * A layout between what lays an item out and the one that was asked for: it
 * collects the pieces of a line and hands them on as rows.
 */
#ifndef FX_COMMANDS_OUT_WRAP_H
#define FX_COMMANDS_OUT_WRAP_H

#include <stddef.h>

#include "base/buf.h"
#include "base/vec.h"
#include "commands/out/record.h"

struct out_wrap_run {
	enum fx_role role;
	size_t end; /* in text */
};

struct out_wrap {
	struct out_layout layout; /* for who lays out */
	const struct out_layout *to;
	int hang; /* columns before the rows that go on; -1: by the line */
	struct fx_buf text;
	FX_VEC(struct out_wrap_run) runs;
};

/* Rows of WIDTH columns at most (0: whole lines) for TO.  Words that are wider
 * are cut.  A line goes to TO when it ends, and what did not end is dropped.
 */
void out_wrap_init(struct out_wrap *wrap, const struct out_layout *to,
	size_t width);
void out_wrap_deinit(struct out_wrap *wrap);

#endif /* FX_COMMANDS_OUT_WRAP_H */

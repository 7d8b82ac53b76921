/* value_modes.h - a tensor shown in one of several ways: value_modes.def. */
#ifndef FX_UI_TUI_VALUE_MODES_H
#define FX_UI_TUI_VALUE_MODES_H

#include <stdbool.h>
#include <stdint.h>

#include "run/values.h"
#include "ui/tui/picture.h"
#include "ui/tui/text.h"

struct fx_ticker;

enum tui_value_mode {
#define TUI_VALUE_MODE(id, word, fits, build) TUI_VALUE_##id,
#include "ui/tui/value_modes.def"
	TUI_VALUE_MODE_COUNT
};

/* What is looked at, and where it goes. */
struct tui_value_look {
	const struct fx_datum *tensor;
	struct fx_extent extent;
	const char *name;
	uint64_t plane; /* of all but the last two dimensions; any number */
	uint32_t axis;  /* any number */
	int skip;       /* columns of numbers scrolled away */
	int rows;       /* cells of the pane */
	int columns;
	bool is_low; /* lines are cut, and the legend stands last */
	struct tui_pen pen;
	struct fx_ticker *ticker;
	struct tui_text *text;
	struct tui_picture *picture;
};

/* Whether MODE is for tensors like this one; build it.  Errors are told in the
 * text.
 */
bool tui_value_mode_fits(enum tui_value_mode mode,
	const struct fx_extent *extent);
void tui_value_mode_build(enum tui_value_mode mode,
	const struct tui_value_look *look);

/* value_axis.c: the mode "by index"; ERR instead of a picture or table. */
void tui_value_build_axis(const struct tui_value_look *look);
void tui_value_say_error(const struct tui_value_look *look,
	struct fx_error *err);

#endif /* FX_UI_TUI_VALUE_MODES_H */

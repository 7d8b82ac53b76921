/* view_source.h - the model's own Python around a node, or where `up` went. */
#ifndef FX_UI_TUI_VIEW_SOURCE_H
#define FX_UI_TUI_VIEW_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/tui/text.h"

struct tui_listing {
	struct tui_text text; /* of the file */
	const char *file;     /* interned; NULL: none was read */
	uint32_t serial;      /* of the graph that it was read for */
	int line;             /* that made the node, from 1; 0: none */
	uint64_t node;        /* what it is about: a node by its id ... */
	size_t location;      /* ... or the frame that was chosen */
	bool is_frame;
};

#endif /* FX_UI_TUI_VIEW_SOURCE_H */

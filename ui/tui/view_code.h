/* view_code.h - the generated Python, with the stop and the selected node. */
#ifndef FX_UI_TUI_VIEW_CODE_H
#define FX_UI_TUI_VIEW_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "session/node_text.h"
#include "ui/tui/text.h"

struct fx_graph;
struct tui;

/* What the code pane shows. */
struct tui_code {
	struct tui_text text;
	struct fx_code_lines line_of;
	const struct fx_graph *graph;
	uint32_t serial;
	uint64_t version;
	unsigned settings;
	uint64_t selected; /* the node it was scrolled to */
};

#endif /* FX_UI_TUI_VIEW_CODE_H */

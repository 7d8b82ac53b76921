/* jump.h - from a node to those it is connected with, and back. */
#ifndef FX_UI_TUI_JUMP_H
#define FX_UI_TUI_JUMP_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct fx_node;
struct tui;

/* The nodes that were jumped from, as in a browser. */
struct tui_jumps {
	FX_VEC(uint64_t) places; /* ids; what lies from AT on is ahead */
	size_t at;
	uint64_t origin; /* the neighbour of this node was gone to last ... */
	size_t next;     /* ... and this one comes after it */
};

/* Select NODE, and remember where from. */
void tui_jump(struct tui *tui, const struct fx_node *node);

#endif /* FX_UI_TUI_JUMP_H */

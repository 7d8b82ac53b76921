/* draw.h - what the command `draw` asks for: a graph as text or as a picture
 * file.
 */
#ifndef FX_DRAW_DRAW_H
#define FX_DRAW_DRAW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "draw/canvas.h"

struct fx_graph;

/* How many nodes were drawn, and how many the limits left out: the caller tells
 * the user.
 */
struct fx_draw_report {
	size_t drawn;
	size_t left_out;
	int fold; /* pictures: how it was folded; 0: not */
};

struct fx_draw_options {
	/* The positions of the nodes to draw, ascending.  NULL draws the whole
	 * graph, or the nodes around the centre.
	 */
	const size_t *positions;
	size_t count;
	size_t center; /* a position, or FX_DRAW_NO_CENTER */
	int hops;      /* how far around it */
	size_t limit;  /* boxes at most; text: FX_BOX_MAX at most */
	size_t hub_limit;
	/* Scopes cut to this many steps become one box; 0: none; -1: pictures
	 * of more than FX_DRAW_UNFOLDED boxes have as many steps as give fewer.
	 */
	int fold;
	bool tiny;           /* text: boxes of one line */
	enum fx_lines lines; /* text */
	int width; /* text: lower boxes, then shorter names, to fit; 0: any */

	/* Pictures: how long the helper may take, 0: fx_svg_child_timeout();
	 * and what is asked meanwhile, true: give up.  May be NULL.
	 */
	int timeout_ms;
	struct fx_draw_report *report; /* or NULL: what the limit left out */
	bool (*stop)(void *context);
	void *stop_context;
};

#define FX_DRAW_UNFOLDED  200
#define FX_DRAW_NO_CENTER ((size_t)-1)
#define FX_DRAW_DEFAULTS \
	((struct fx_draw_options){ .center = FX_DRAW_NO_CENTER, \
		.hops = 2, \
		.limit = 60, \
		.hub_limit = 8 })

/* Append GRAPH as boxes of characters to OUT. */
void fx_draw_text(struct fx_graph *graph, const struct fx_draw_options *options,
	struct fx_buf *out, struct fx_draw_report *report);

/* Append GRAPH in FORMAT (fx_draw_formats) to OUT, drawn by the helper program
 * fxdb-draw.  Large graphs are placed by us and only rendered there; "dot" is
 * text that needs neither.  VALUE for
 * an unknown format, UNSUPPORTED when fxdb was built without Graphviz, CHILD
 * when the helper fails, crashes or does not finish, INTERRUPTED.
 */
FX_NODISCARD struct fx_error *fx_draw_picture(struct fx_graph *graph,
	const struct fx_draw_options *options, const char *format,
	struct fx_buf *out);

/* Where the helper program is expected: beside this one, or installed.  The
 * caller frees.
 */
char *fx_draw_program(void);

/* "svg|dot|xdot|json|plain|ps" */
const char *fx_draw_formats(void);

#endif /* FX_DRAW_DRAW_H */

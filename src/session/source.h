/* source.h - the model's own Python, as far as it can be read. */
#ifndef FX_SESSION_SOURCE_H
#define FX_SESSION_SOURCE_H

#include <stdbool.h>

struct fx_model;
struct fx_node;
struct fx_source_frame;

/* The text of the file that FRAME names, or of one of that name beside MODEL's
 * file: a model and its graph are moved together.  The caller's; NULL when
 * neither can be read.
 */
char *fx_source_read(const struct fx_model *model,
	const struct fx_source_frame *frame);
/* The first node from NODE on that a line of source made, else the last before
 * it, else NULL.
 */
struct fx_node *fx_source_nearest(struct fx_node *node);
/* The line of Python that up or frame selected; false: none. */
bool fx_source_selected(const struct fx_model *model,
	struct fx_source_frame *ret);

#endif /* FX_SESSION_SOURCE_H */

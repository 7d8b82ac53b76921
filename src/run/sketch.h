/* sketch.h - a tensor's histogram in a few characters, from a few elements. */
#ifndef FX_RUN_SKETCH_H
#define FX_RUN_SKETCH_H

#include <stdbool.h>

struct fx_buf;
struct fx_datum;

#define FX_SKETCH_COLUMNS 8

/* Append FX_SKETCH_COLUMNS characters: how a thousand of TENSOR's finite
 * elements, from all over it, lie between the least and the greatest of them.
 * False, and nothing appended, when there are none or they cannot be read.
 */
bool fx_sketch_print(struct fx_buf *out, const struct fx_datum *tensor,
	bool is_ascii);

#endif /* FX_RUN_SKETCH_H */

/* nonfinite.h - how much of a value is NaN or infinite, and where first. */
#ifndef FX_RUN_NONFINITE_H
#define FX_RUN_NONFINITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "run/values.h"

struct fx_buf;
struct fx_datum;
struct fx_node;
struct fx_ticker;

/* Of all tensors in a value together, however deep they lie. */
struct fx_nonfinite_count {
	uint64_t elements;
	uint64_t nan;
	uint64_t inf; /* of both signs */
	/* The first NaN, or the first infinity where there is no NaN: the
	 * tensor that it stands in, as fx_datum_see_tensors writes that
	 * (interned, "" for the value itself), and its place there.
	 */
	const char *path;
	struct fx_extent extent;
	uint64_t index;
};

/* Count all elements of DATUM, which are not sampled.  INTERRUPTED when TICKER
 * (may be NULL) says so.
 */
FX_NODISCARD struct fx_error *fx_nonfinite_count(const struct fx_datum *datum,
	struct fx_ticker *ticker, struct fx_nonfinite_count *ret);

/* Append "196 NaN of 50176"; where the first stands: "[1][0,17,0,0]". */
void fx_nonfinite_print_count(struct fx_buf *out,
	const struct fx_nonfinite_count *count);
void fx_nonfinite_print_first(struct fx_buf *out,
	const struct fx_nonfinite_count *count);

/* Which infinities are no fault.  Whether NODE itself puts some where they are
 * meant: it fills with what it is given, or one stands among its arguments.
 */
bool fx_nonfinite_fills(const struct fx_node *node);
/* Whether NODE, whose value no operation computed, may hold some: an input, a
 * constant, what was set by hand; not a parameter.
 */
bool fx_nonfinite_may_hold_inf(const struct fx_node *node);

#endif /* FX_RUN_NONFINITE_H */

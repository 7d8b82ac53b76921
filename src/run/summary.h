/* summary.h - what is known of a value whose elements are gone: the statistics
 * of each tensor in it.
 */
#ifndef FX_RUN_SUMMARY_H
#define FX_RUN_SUMMARY_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "run/stats.h"

/* Tell SEE of every tensor in DATUM in order, however deep, and how it is
 * reached: "" for DATUM itself, "[1][0]", "['loss']"; borrowed for the call.
 * False ends it.
 */
typedef bool fx_part_fn(void *context, const char *path,
	const struct fx_datum *tensor);
void fx_datum_see_tensors(const struct fx_datum *datum, fx_part_fn *see,
	void *context);

struct fx_summary_part {
	char *path; /* as above; owned */
	struct fx_stats stats;
};

struct fx_summary {
	FX_VEC(struct fx_summary_part) parts;
};

/* Of DATUM's tensors; NULL when it has none, one has no values to see, or
 * TICKER (may be NULL) says to stop.
 */
struct fx_summary *fx_summary_new(const struct fx_datum *datum,
	struct fx_ticker *ticker);
/* Like fx_summary_new, but measured with fx_stats_sample, for a value that is
 * about to be dropped.
 */
struct fx_summary *fx_summary_new_sample(const struct fx_datum *datum);
struct fx_summary *fx_summary_dup(const struct fx_summary *summary);
void fx_summary_free(struct fx_summary *summary);
FX_DEFINE_CLEANUP(summary, struct fx_summary, fx_summary_free);
#define FX_AUTO_SUMMARY FX_AUTO(summary)

/* Whether a tensor of it held NaN or infinities. */
bool fx_summary_is_nonfinite(const struct fx_summary *summary);

#endif /* FX_RUN_SUMMARY_H */

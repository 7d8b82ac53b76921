/* save_later.h - a graph at once, and its weights in pieces while nobody waits.
 *
 * Until all of them are written the file at PATH is the graph without weights;
 * then it is the graph with them.  The bytes of a graph do not change, so those
 * that are written later are those of now, whatever runs meanwhile.
 */
#ifndef FX_LOAD_SAVE_LATER_H
#define FX_LOAD_SAVE_LATER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct fx_graph;
struct fx_save_later;

/* Write GRAPH to PATH, without digests of its weights, as taking them needs all
 * bytes.  *RET has to go on; NULL when there are no weights.
 */
FX_NODISCARD struct fx_error *fx_save_later_new(struct fx_graph *graph,
	const char *path, struct fx_save_later **ret);
/* Write SIZE bytes more; *DONE_RET says whether that was all. */
FX_NODISCARD struct fx_error *fx_save_later_go_on(struct fx_save_later *later,
	uint64_t size, bool *done_ret);
/* What is not whole yet is removed. */
void fx_save_later_free(struct fx_save_later *later);

#endif /* FX_LOAD_SAVE_LATER_H */

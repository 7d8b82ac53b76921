/* file_meta.h - what a file says of results that no rule tells. */
#ifndef FX_SESSION_FILE_META_H
#define FX_SESSION_FILE_META_H

#include <stddef.h>

#include "base/bitset.h"
#include "base/map.h"

struct fx_arena;
struct fx_meta_report;
struct fx_model;
struct fx_node;

/* What a file says of results that no rule tells.  It holds while nothing above
 * the node differs from the file, so that shapes depend on the graph alone and
 * not on the way that led to it.
 */
struct fx_file_meta {
	struct fx_arena *arena;   /* of the metadata; NULL: nothing is given */
	struct fx_map contents;   /* id -> digest of what it computes */
	struct fx_map metas;      /* id -> struct fx_value * */
	struct fx_map modules;    /* id of call_module or get_attr -> what stood
				   * at its target */
	struct fx_bitset changed; /* by the low half of the id */
};

/* Remember what the file says, while propagating for the first time. */
void fx_file_meta_open(struct fx_model *model, struct fx_meta_report *report);
void fx_file_meta_deinit(struct fx_file_meta *given);
/* Until END, what the file of MODEL says counts where shapes are propagated:
 * see again which of NODES (NULL: all), in order, differ from the file. Nothing
 * to do for a model without given.arena.
 */
void fx_file_meta_begin(struct fx_model *model, struct fx_node *const *nodes,
	size_t count);
void fx_file_meta_end(struct fx_model *model);

#endif /* FX_SESSION_FILE_META_H */

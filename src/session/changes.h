/* changes.h - an edit may change several graphs: nested ones, and through their
 * calls those around them.
 */
#ifndef FX_SESSION_CHANGES_H
#define FX_SESSION_CHANGES_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "session/run_private.h"

struct fx_graph;

/* What an edit changed in the graphs that it edited and in those around them,
 * the innermost first, the model's last.  GATHER_OPEN those of the open
 * transaction from SAVEPOINT on, GATHER those of transaction ID, then FINISH
 * when all are there and the graphs are as they will be.
 */
struct fx_changes {
	FX_VEC(struct fx_change) items;
};
void fx_changes_deinit(struct fx_changes *changes);
FX_DEFINE_DEINIT(changes, struct fx_changes, fx_changes_deinit);
void fx_changes_gather_open(struct fx_changes *changes, struct fx_graph *root,
	size_t savepoint);
void fx_changes_gather(struct fx_changes *changes, struct fx_graph *root,
	uint32_t id);
void fx_changes_finish(struct fx_changes *changes);
/* "block is run by %a and %b" for each nested graph among CHANGES that several
 * nodes run; the caller's, or NULL.
 */
char *fx_changes_say_shared(const struct fx_model *model,
	const struct fx_changes *changes);
/* What fx_model_reshape does, for each of CHANGES. */
void fx_changes_reshape(struct fx_model *model,
	const struct fx_changes *changes, struct fx_edit_report *ret);

/* What fx_model_invalidate does, for all of CHANGES: execution stays inside a
 * nested graph of which no earlier turn or call gives something else.
 */
void fx_changes_invalidate(struct fx_model *model,
	const struct fx_changes *changes, struct fx_edit_report *report);

#endif /* FX_SESSION_CHANGES_H */

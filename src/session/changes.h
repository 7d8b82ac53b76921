/* changes.h - what the session makes of an edit's changes. */
#ifndef FX_SESSION_CHANGES_H
#define FX_SESSION_CHANGES_H

#include "ir/changes.h"

struct fx_edit_report;
struct fx_model;

/* "block is run by %a and %b" for each nested graph among CHANGES that several
 * nodes run; the caller's, or NULL.
 */
char *fx_changes_say_shared(const struct fx_model *model,
	const struct fx_changes *changes);

/* shapes.c: propagate again over the cones of CHANGES; RET counts the nodes
 * that have become impossible, and explains the first.
 */
void fx_changes_reshape(struct fx_model *model,
	const struct fx_changes *changes, struct fx_edit_report *ret);

/* What fx_model_invalidate does, for all of CHANGES: execution stays inside a
 * nested graph of which no earlier turn or call gives something else.
 */
void fx_changes_invalidate(struct fx_model *model,
	const struct fx_changes *changes, struct fx_edit_report *report);

#endif /* FX_SESSION_CHANGES_H */

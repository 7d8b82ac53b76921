/* checkpoint.h - places in the past of a model that execution returns to.
 *
 * A checkpoint holds what determines a run: the time of the edits, the inputs,
 * the values that were set, the seed and where the run stands.  Beside that it
 * holds the values that were computed, shared with the run, as long as no node
 * writes into them in place and the record limit allows; returning to it runs
 * what is missing.
 */
#ifndef FX_SESSION_CHECKPOINT_H
#define FX_SESSION_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct fx_checkpoint;
struct fx_datum;
struct fx_edit_report;
struct fx_map;
struct fx_model;
struct fx_session;
struct fx_stop;

/* A checkpoint of MODEL as it is now, called NAME (may be NULL).  USAGE while a
 * transaction is open or a pass is stepped, or when the name is taken.
 */
FX_NODISCARD struct fx_error *fx_checkpoint_add(struct fx_session *session,
	struct fx_model *model, const char *name,
	const struct fx_checkpoint **ret);
/* By its number or name; NO_NAME when there is none. */
FX_NODISCARD struct fx_error *fx_checkpoint_find(struct fx_session *session,
	const char *text, const struct fx_checkpoint **ret);
void fx_checkpoint_delete(struct fx_session *session, int number);

/* Put the model back to where CHECKPOINT was made: REPORT says what that did to
 * the graph, RET where it stands, which is also where a node could not run or
 * Ctrl-C came.  RET->node is NULL of a run that has not started.
 */
FX_NODISCARD struct fx_error *fx_checkpoint_restart(struct fx_session *session,
	const struct fx_checkpoint *checkpoint, struct fx_edit_report *report,
	struct fx_stop *ret);

/* For listings, in the order in which they were made. */
size_t fx_checkpoint_count(const struct fx_session *session);
const struct fx_checkpoint *fx_checkpoint_at(const struct fx_session *session,
	size_t index);

struct fx_checkpoint_facts {
	int number;
	const char *name; /* interned, or NULL */
	const struct fx_model *model;
	uint32_t time; /* of the edits */
	bool is_started;
	size_t position;   /* of the innermost graph */
	const char *graph; /* nested: its path, interned; else NULL */
	const char *node;  /* stopped before this, interned; NULL: at the end */
	size_t turn;       /* of the innermost while_loop; 0: none */
	size_t kept;       /* values */
	bool is_spoilt;    /* all runs again ... */
	const char *why;   /* ... for this reason */
	uint64_t seed;     /* of the session then */
};
struct fx_checkpoint_facts
fx_checkpoint_facts(const struct fx_checkpoint *checkpoint);

/* Whether the inputs and the values that were set then are those of now. */
bool fx_checkpoint_is_as_now(const struct fx_checkpoint *checkpoint);

/* --- what the session tells ------------------------------------------------
 */

/* The STORAGES are about to be written in MODEL's run: the values in them go.
 */
void fx_checkpoints_written(struct fx_model *model,
	const struct fx_map *storages);
bool fx_checkpoints_have_values(const struct fx_model *model);
/* Tell SEE of the storages that MODEL's checkpoints keep. */
void fx_checkpoints_see_storages(const struct fx_model *model,
	bool (*see)(void *context, uintptr_t storage, size_t bytes),
	void *context);
/* The oldest one with values gives them up, and says so; false: none has. */
bool fx_checkpoints_shed(struct fx_model *model);
void fx_checkpoints_drop_model(struct fx_session *session,
	const struct fx_model *model);
void fx_checkpoints_free(struct fx_session *session);

#endif /* FX_SESSION_CHECKPOINT_H */

/* watching.h - watches while a verb of execution is carried out. */
#ifndef FX_SESSION_WATCHING_H
#define FX_SESSION_WATCHING_H

#include <stdbool.h>

#include "base/vec.h"
#include "run/observer.h"
#include "session/watch.h"

struct fx_break;
struct fx_stop;

/* What a watch saw in the result of a node, before its condition is asked. */
struct fx_pending {
	struct fx_break *b;
	struct fx_sighting sighting;
};

struct fx_watching {
	struct fx_session *session;
	struct fx_model *model;
	struct fx_nonfinite_look look;
	bool is_back;            /* going back nothing is said on the way */
	struct fx_node *node;    /* that ran, where something is pending */
	struct fx_datum *result; /* its; referenced */
	FX_VEC(struct fx_pending) pending;
};

/* Returns whether there is anything to watch in MODEL; END releases. */
bool fx_watching_begin(struct fx_watching *watching, struct fx_session *session,
	struct fx_model *model);
void fx_watching_end(struct fx_watching *watching);

/* It stops a run after a node whose result a watch looks for. */
struct fx_observer fx_watching_observer(struct fx_watching *watching);
/* Compute again what the watches that look at NODE, which ran last in PLACE,
 * need and that was not kept.
 */
void fx_watching_compute(struct fx_watching *watching,
	struct fx_activation *place, struct fx_node *node);
/* The same of NODE in PLACE, with RESULT (NULL: not held), by itself: whether
 * anything is pending.
 */
bool fx_watching_look(struct fx_watching *watching,
	const struct fx_activation *place, struct fx_node *node,
	struct fx_datum *result);
/* Between two nodes: ask the conditions of what is pending, and forget it.
 * Whether one stops; STOP is filled but for its reason.
 */
bool fx_watching_stops(struct fx_watching *watching, struct fx_stop *stop);

#endif /* FX_SESSION_WATCHING_H */

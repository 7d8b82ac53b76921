/* observer.h - who watches the nodes of a run: breakpoints and verbs, the
 * recorder, the front end's ticker; profiling and calibration come in here.
 *
 * Every node that runs passes one door (fx_interp_step), which asks before it,
 * and tells after it or that it failed.  An observer never runs nodes of the
 * run that it observes: who has to, stops, and its owner goes on later.
 */
#ifndef FX_RUN_OBSERVER_H
#define FX_RUN_OBSERVER_H

#include <stdbool.h>

struct fx_datum;
struct fx_error;
struct fx_interp;
struct fx_node;

enum fx_answer {
	FX_ANSWER_GO,
	FX_ANSWER_SKIP, /* before: do not run NODE, it has its value or needs
			 * none */
	FX_ANSWER_STOP, /* the interpreter returns before the next node runs */
};

/* Functions may be null.  The first before that does not say go decides, and
 * those behind it are not asked; after and error follow a node that ran.
 */
struct fx_observer {
	void *context;
	enum fx_answer (*before)(void *context, struct fx_interp *interp,
		struct fx_node *node);
	/* It ran with RESULT, borrowed. */
	enum fx_answer (*after)(void *context, struct fx_interp *interp,
		struct fx_node *node, struct fx_datum *result);
	/* Somebody said skip: it has its value, or needs none.  May stop. */
	enum fx_answer (*skipped)(void *context, struct fx_interp *interp,
		struct fx_node *node);
	/* It failed with ERR, borrowed. */
	void (*error)(void *context, struct fx_interp *interp,
		struct fx_node *node, const struct fx_error *err);
	/* Whether values have to stay after their last use. */
	bool records;
};

#endif /* FX_RUN_OBSERVER_H */

/* nonfinite.h - which nodes made NaN or infinities, and which passed them on.
 *
 * A node's result is looked at as the node made it, and what it read as that
 * was then: what was written in place since is put aside for the look.  So the
 * answer is the same right after the node ran and at the end of the run.
 */
#ifndef FX_SESSION_NONFINITE_H
#define FX_SESSION_NONFINITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "run/nonfinite.h"

struct fx_activation;
struct fx_buf;
struct fx_model;
struct fx_node;

enum fx_nonfinite_origin {
	FX_NONFINITE_NONE,       /* the result is finite, or not known */
	FX_NONFINITE_PRODUCED,   /* all that the node read is finite */
	FX_NONFINITE_OF_INF,     /* NaN, of infinities that it read */
	FX_NONFINITE_PROPAGATED, /* it read some: see from and parameter */
	FX_NONFINITE_GIVEN,      /* an input, a parameter, or set by the user */
	/* Infinities that a constant or a filling operator put there, as masks
	 * do, and nothing else: no fault.
	 */
	FX_NONFINITE_MEANT,
};

struct fx_nonfinite {
	const struct fx_node *node;
	enum fx_nonfinite_origin origin;
	struct fx_nonfinite_count count;
	/* PROPAGATED, OF_INF: the first that it read, a node or the path of a
	 * parameter or buffer (interned); the other is NULL.
	 */
	const struct fx_node *from;
	const char *parameter;
	size_t unseen; /* of what it read, how many values are not held */
};

/* A look at one run, while it does not change but for running on. */
struct fx_nonfinite_look {
	struct fx_model *model;
	struct fx_map last;    /* storage -> its last effect's index + 1 */
	size_t effects;        /* that `last` knows */
	size_t cursor;         /* the effect that was looked at last */
	struct fx_map origins; /* id -> origin, of nodes answered already */
};
void fx_nonfinite_look_deinit(struct fx_nonfinite_look *look);
FX_DEFINE_DEINIT(nonfinite_look, struct fx_nonfinite_look,
	fx_nonfinite_look_deinit);
#define FX_AUTO_NONFINITE_LOOK FX_AUTO(nonfinite_look)

/* Tell of NODE, which ran in PLACE.  False when its result is finite. */
bool fx_nonfinite_see(struct fx_nonfinite_look *look,
	const struct fx_activation *place, const struct fx_node *node,
	struct fx_nonfinite *ret);

/* Whether MODEL's graph has run to its end, and gave NaN or infinities. */
bool fx_nonfinite_is_result(struct fx_model *model);
/* The first node of the model's graph, above the stop, whose result has NaN or
 * infinities that are a fault; false when there is none.
 */
bool fx_nonfinite_first(struct fx_model *model, struct fx_nonfinite *ret);

/* Whether NODE's result has infinities that are meant, and nothing else that is
 * not finite.
 */
bool fx_nonfinite_is_meant(struct fx_model *model, const struct fx_node *node);

/* Append "@105 layer3_2_bn2: 196 NaN of 50176, produced here (all inputs
 * finite)"; from the count on.
 */
void fx_nonfinite_print(struct fx_buf *out, const struct fx_nonfinite *found);
void fx_nonfinite_print_facts(struct fx_buf *out,
	const struct fx_nonfinite *found);
/* "produced", "propagated" ... */
const char *fx_nonfinite_word(enum fx_nonfinite_origin origin);

#endif /* FX_SESSION_NONFINITE_H */

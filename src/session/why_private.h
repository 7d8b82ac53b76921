/* why_private.h - a question that is being answered. */
#ifndef FX_SESSION_WHY_PRIVATE_H
#define FX_SESSION_WHY_PRIVATE_H

#include "base/bitset.h"
#include "ir/pair.h"
#include "run/ticker.h"
#include "run/widen.h"
#include "session/session_private.h"
#include "session/verify_private.h"
#include "session/why.h"

/* The first element of a kind that a run met. */
struct fx_met {
	struct fx_node *node; /* NULL: none */
	size_t number;
	uint64_t element;
};

struct fx_inquiry {
	struct fx_session *session;
	struct fx_model *model;
	const struct fx_why_wish *wish;
	struct fx_backend *backend;
	bool owns_backend;
	struct fx_ticker ticker;
	struct fx_trial_inputs inputs;
	struct fx_node *end; /* the session stands before it; NULL: at the end
			      */
	struct fx_replay *replay;
	/* Which nodes have been seen to hold NaN or infinities. */
	struct fx_bitset spoiled;
	struct fx_met nan;
	struct fx_met inf;   /* that its node produced */
	struct fx_met given; /* an infinity of an input or a constant */
	struct fx_graph *reference;
	struct fx_graph *own; /* the reference, if it was made here */
	struct fx_widening widening;
	struct fx_replay *other;
	size_t arrays; /* that the reference took from a file */
	struct fx_pairs pairs;
	struct fx_node *mended; /* whose value is made finite, or NULL */
	struct fx_error *error; /* an observer's */
};

void fx_inquiry_deinit(struct fx_inquiry *a);
FX_DEFINE_DEINIT(inquiry, struct fx_inquiry, fx_inquiry_deinit);

/* A backend and inputs for it.  NOT_KNOWN without values, NO_INPUT, LIMIT. */
FX_NODISCARD struct fx_error *fx_inquiry_prepare(struct fx_inquiry *a);
/* Run the session's graph up to where the session stands, with what is mended
 * made finite; and the reference, where there is one.
 */
FX_NODISCARD struct fx_error *fx_inquiry_run(struct fx_inquiry *a);
FX_NODISCARD struct fx_error *fx_inquiry_run_reference(struct fx_inquiry *a);

/* The array of the file that is called like NODE, as one of the dtype that NODE
 * gave in the session's graph; *RET NULL: there is none.
 */
FX_NODISCARD struct fx_error *fx_inquiry_read_array(struct fx_inquiry *a,
	const struct fx_node *node, struct fx_datum **ret);

#endif /* FX_SESSION_WHY_PRIVATE_H */

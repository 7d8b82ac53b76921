/* why_private.h - a question that is being answered. */
#ifndef FX_SESSION_WHY_PRIVATE_H
#define FX_SESSION_WHY_PRIVATE_H

#include "base/bitset.h"
#include "ir/pair.h"
#include "run/draws.h"
#include "run/emulate.h"
#include "run/observer.h"
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

/* A call on the way to a nested graph, and where to stop in that. */
struct fx_way_in {
	struct fx_node *call;
	struct fx_entry entry;
	struct fx_node *end;
	bool stands; /* execution stands in it, before END; NULL: its end */
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
	/* From the graph to the nested one that is asked about: what a replay
	 * of each gives lies in INNER, of which the outermost is REPLAY.  The
	 * walk frees INNER, and OTHER_INNER, the reference's.
	 */
	FX_VEC(struct fx_way_in) ways;
	struct fx_replay *inner;
	struct fx_replay *other_inner;
	/* Which nodes have been seen to hold NaN or infinities. */
	struct fx_bitset spoiled;
	struct fx_met nan;
	struct fx_met inf;   /* that its node produced */
	struct fx_met given; /* an infinity of an input or a constant */
	struct fx_graph *reference;
	struct fx_graph *own; /* the reference, if it was made here */
	struct fx_widening widening;
	struct fx_replay *other;
	struct fx_draws draws; /* that the reference gets; of another dtype */
	struct fx_emulation emulation; /* of the reference, in half a float */
	size_t arrays;                 /* that the reference took from a file */
	struct fx_pairs pairs;
	/* The first node that parts from the reference, where the output does;
	 * its node NULL: not looked for.
	 */
	struct fx_spot first;
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

/* A reference that was made here goes: CAUSE has to be told without it. */
void fx_inquiry_forget_reference(const struct fx_inquiry *a,
	struct fx_cause *cause);

/* why_second.c: the last step on the way.  With what the cause names mended,
 * is the element wrong still, and why?  Or did another fault come earlier?
 */
const struct fx_cause_step *fx_cause_end_of_way(const struct fx_cause *cause);
FX_NODISCARD struct fx_error *fx_inquiry_find_second(struct fx_inquiry *a,
	struct fx_cause_question *question, struct fx_why *ret);
FX_NODISCARD struct fx_error *fx_inquiry_find_parted(struct fx_inquiry *a,
	struct fx_cause_question *question, struct fx_why *ret);
FX_NODISCARD struct fx_error *fx_inquiry_find_earlier(struct fx_inquiry *a,
	struct fx_cause_question *question, struct fx_why *ret);

/* why_nested.c: the way to the graph of what is asked about, or to where
 * execution stands.  NOT_RUN: a call on it, or the node, has not run.
 */
FX_NODISCARD struct fx_error *fx_inquiry_find_ways(struct fx_inquiry *a);
/* Go that way, watched by OBSERVER; in the reference, by the mates. */
FX_NODISCARD struct fx_error *fx_inquiry_enter(struct fx_inquiry *a,
	const struct fx_observer *observer);
FX_NODISCARD struct fx_error *fx_inquiry_enter_reference(struct fx_inquiry *a);
/* Out of what was entered, as far as the graph of NODE, which is then spotted.
 */
void fx_inquiry_spot(struct fx_inquiry *a, struct fx_node *node,
	struct fx_spot *spot);
/* Both are the walk's now; both are freed. */
void fx_inquiry_hand_over(struct fx_inquiry *a);
void fx_inquiry_leave(struct fx_inquiry *a);
/* Whether A lies before B, which may lie in another graph. */
bool fx_inquiry_is_before(const struct fx_node *a, const struct fx_node *b);

/* The array of the file that is called like NODE, as one of the dtype that NODE
 * gave in the session's graph; *RET NULL: there is none.
 */
FX_NODISCARD struct fx_error *fx_inquiry_read_array(struct fx_inquiry *a,
	const struct fx_node *node, struct fx_datum **ret);
/* Lets what the file has stand in for what the nodes of the reference give. */
struct fx_observer fx_inquiry_arrays_observer(struct fx_inquiry *a);
/* why_run.c: how an observer answers; takes ERR, which ends the run. */
enum fx_answer fx_inquiry_fail(struct fx_inquiry *a, struct fx_error *err);

#endif /* FX_SESSION_WHY_PRIVATE_H */

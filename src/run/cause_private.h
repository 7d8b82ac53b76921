/* cause_private.h - what the files of a walk share. */
#ifndef FX_RUN_CAUSE_PRIVATE_H
#define FX_RUN_CAUSE_PRIVATE_H

#include "run/cause.h"

struct fx_datum;

struct fx_walk {
	const struct fx_cause_question *question;
	struct fx_cause *cause;
	struct fx_spot spot;
	enum fx_fault fault;
};

/* SPOT is on the way, as ROLE; its value is read. */
FX_NODISCARD struct fx_error *fx_walk_add_step(struct fx_walk *walk,
	struct fx_spot *spot, enum fx_cause_role role);
/* NUMBER in as few digits as are the same element; the caller's. */
char *fx_walk_number_text(enum fx_dtype dtype, const double number[2]);
struct fx_cause_step *fx_walk_last_step(struct fx_walk *walk);

/* Where what stands at SPOT, the value of its node as it is now, comes from:
 * the node itself, or the last that wrote there in place.
 */
FX_NODISCARD struct fx_error *fx_walk_find_maker(const struct fx_walk *walk,
	struct fx_spot *spot);
/* To ELEMENT of what PROBE's node is given. */
FX_NODISCARD struct fx_error *fx_walk_go_to(struct fx_walk *walk,
	const struct fx_probe *probe, uint64_t element);
/* Into what its node is made of; *DONE_RET false: that is one operation, or not
 * the same in the reference.  And out of it, from input INDEX.
 */
FX_NODISCARD struct fx_error *fx_walk_enter(struct fx_walk *walk,
	bool *done_ret);
FX_NODISCARD struct fx_error *fx_walk_leave(struct fx_walk *walk, size_t index);

/* Whether the value of NODE, which may be null, was set by hand. */
bool fx_walk_is_set(const struct fx_walk *walk, const struct fx_node *node);
/* Whether SPOT's mate is called as its node is. */
bool fx_walk_is_same_call(const struct fx_spot *spot);
/* The way ends here: the node is another, or gives another dtype. */
FX_NODISCARD struct fx_error *fx_walk_end_at_difference(struct fx_walk *walk);
/* The two graphs cast to different dtypes, or one alone does: past the cast,
 * where it is not what makes the difference.  *DONE_RET: there is none, or it
 * is.
 */
FX_NODISCARD struct fx_error *fx_walk_pass_cast(struct fx_walk *walk,
	bool *done_ret);
/* Whether the dtype is all that is different about the element; and from there
 * to what is given so already.  *DONE_RET: nothing is.
 */
bool fx_walk_is_other_dtype(const struct fx_walk *walk);
FX_NODISCARD struct fx_error *fx_walk_follow_dtype(struct fx_walk *walk,
	bool *done_ret);

/* From an output beside a reference to what it passes on, of few digits too.
 * *DONE_RET false: SPOT's node is none, or the reference's is another.
 */
FX_NODISCARD struct fx_error *fx_walk_pass_output(struct fx_walk *walk,
	bool *done_ret);
/* The input of CALL, and which of its tensors, that TENSOR is. */
bool fx_walk_find_given(const struct fx_replay *replay,
	const struct fx_node *call, const struct fx_datum *tensor,
	size_t *input_ret, size_t *number_ret);

/* Out of all of them. */
void fx_walk_leave_all(struct fx_walk *walk);

/* The parameter or buffer that NODE, a placeholder of REPLAY, is, or NULL; and
 * which of the inputs.
 */
const char *fx_replay_member(const struct fx_replay *replay,
	const struct fx_node *node, size_t *index_ret);

#endif /* FX_RUN_CAUSE_PRIVATE_H */

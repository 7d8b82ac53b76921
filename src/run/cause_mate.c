/* cause_mate.c - where a walk beside a reference comes to a call that is not
 * the same there, or gives another dtype.
 */
#include <config.h>

#include "run/cause_private.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "ir/graph.h"
#include "ops/optab.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/replay.h"

bool
fx_walk_is_same_call(const struct fx_spot *spot)
{
	return spot->mate && spot->mate->opcode == spot->node->opcode &&
	       spot->mate->target == spot->node->target &&
	       fx_node_input_count(spot->mate) ==
		       fx_node_input_count(spot->node);
}

static enum fx_dtype
dtype_of(const struct fx_replay *replay, const struct fx_node *node,
	size_t number)
{
	const struct fx_datum *tensor =
		replay && node
			? fx_datum_tensor_at(fx_replay_value(replay, node),
				  number)
			: NULL;

	return tensor ? (enum fx_dtype)fx_kind_of(tensor).dtype : FX_DTYPE_NONE;
}

struct fx_error *
fx_walk_end_at_difference(struct fx_walk *walk)
{
	const struct fx_spot *spot = &walk->spot;
	const struct fx_node *mate = spot->mate;
	enum fx_dtype mine = dtype_of(spot->replay, spot->node, spot->number);
	enum fx_dtype theirs = dtype_of(spot->other, mate, spot->number);

	walk->cause->op = spot->node->op;
	fx_walk_last_step(walk)->role = FX_CAUSE_PRODUCES;
	if (!mate)
		walk->cause->detail =
			fx_xstrdup("it stands in this graph alone");
	else if (mine != theirs && mine && theirs)
		walk->cause->detail = fx_xasprintf("it gives %s, there it is "
						   "%s, %%%s, which gives %s",
			fx_dtype_info(mine)->short_name, mate->target,
			mate->name, fx_dtype_info(theirs)->short_name);
	else
		walk->cause->detail = fx_xasprintf("there it is %s, %%%s",
			mate->target, mate->name);
	return NULL;
}

/* The node that NODE only gives in another dtype, or NULL. */
static struct fx_node *
cast_of(const struct fx_node *node)
{
	return node && node->op &&
			       fx_op_info((enum fx_op)node->op)->traits &
				       FX_OP_CASTS &&
			       fx_node_input_count(node)
		       ? fx_node_input(node, 0)
		       : NULL;
}

/* Whether FAR lies about as far from what is wanted as NEAR does. */
static bool
is_as_far(const struct fx_spot *far, const struct fx_spot *near)
{
	double gap = fabs(near->value[0] - near->wanted[0]);

	return !isfinite(gap) ||
	       2 * fabs(far->value[0] - far->wanted[0]) >= gap;
}

/* The two graphs cast to different dtypes, or one does alone: past the cast,
 * where it is not what makes the difference.  *DONE_RET: there is none, or it
 * is.
 */
struct fx_error *
fx_walk_pass_cast(struct fx_walk *walk, bool *done_ret)
{
	struct fx_spot *spot = &walk->spot;
	struct fx_spot beyond = *spot;
	struct fx_node *mine = cast_of(spot->node);
	struct fx_node *theirs = cast_of(spot->mate);
	struct fx_error *err;

	*done_ret = true;
	if (!spot->mate || spot->written || (!mine && !theirs))
		return NULL;
	beyond.node = mine ? mine : spot->node;
	beyond.mate = theirs ? theirs : spot->mate;
	err = fx_spot_read(spot->replay, beyond.node, &beyond, beyond.value);
	if (!err)
		err = fx_spot_read(spot->other, beyond.mate, &beyond,
			beyond.wanted);
	if (err || !fx_spot_differs(&beyond, walk->question->rtol) ||
		!is_as_far(&beyond, spot)) {
		fx_error_free(err);
		return NULL;
	}
	*done_ret = false;
	*spot = beyond;
	return mine ? fx_walk_find_maker(walk, spot) : NULL;
}

struct fx_error *
fx_walk_pass_output(struct fx_walk *walk, bool *done_ret)
{
	struct fx_spot *spot = &walk->spot;
	struct fx_spot beyond = *spot;
	const struct fx_datum *tensor;
	size_t input;
	struct fx_error *err;

	*done_ret = false;
	if (spot->node->opcode != FX_OPCODE_OUTPUT ||
		!fx_walk_is_same_call(spot))
		return NULL;
	tensor = fx_datum_tensor_at(fx_replay_value(spot->replay, spot->node),
		spot->number);
	if (!fx_walk_find_given(spot->replay, spot->node, tensor, &input,
		    &beyond.number))
		return NULL;
	beyond.node = fx_node_input(spot->node, input);
	beyond.mate = fx_node_input(spot->mate, input);
	err = fx_spot_read(spot->other, beyond.mate, &beyond, beyond.wanted);
	/* What a file has stands for the layer, not for what is inside it. */
	if (err || memcmp(beyond.wanted, spot->wanted, sizeof(beyond.wanted))) {
		fx_error_free(err);
		return NULL;
	}
	*done_ret = true;
	*spot = beyond;
	return fx_walk_find_maker(walk, spot);
}

/* The element is the same but for its dtype: to what is given so already. */
struct fx_error *
fx_walk_follow_dtype(struct fx_walk *walk, bool *done_ret)
{
	struct fx_spot *spot = &walk->spot;
	struct fx_spot beyond = *spot;
	size_t count = fx_walk_is_same_call(spot) && !spot->written
			       ? fx_node_input_count(spot->node)
			       : 0;

	beyond.number = 0;
	for (size_t i = 0; i < count; i++) {
		struct fx_error *err;

		beyond.node = fx_node_input(spot->node, i);
		beyond.mate = fx_node_input(spot->mate, i);
		if (dtype_of(spot->replay, beyond.node, 0) ==
			dtype_of(spot->other, beyond.mate, 0))
			continue;
		err = fx_spot_read(spot->replay, beyond.node, &beyond,
			beyond.value);
		if (!err)
			err = fx_spot_read(spot->other, beyond.mate, &beyond,
				beyond.wanted);
		if (!err) {
			*spot = beyond;
			return fx_walk_find_maker(walk, spot);
		}
		fx_error_free(err);
	}
	*done_ret = true;
	return fx_walk_end_at_difference(walk);
}

/* Whether the dtype is all that is different about SPOT's element. */
bool
fx_walk_is_other_dtype(const struct fx_walk *walk)
{
	const struct fx_spot *spot = &walk->spot;

	return walk->fault == FX_FAULT_DIFFERS && !walk->question->is_widened &&
	       spot->mate && !fx_spot_differs(spot, walk->question->rtol) &&
	       dtype_of(spot->replay, spot->node, spot->number) !=
		       dtype_of(spot->other, spot->mate, spot->number);
}

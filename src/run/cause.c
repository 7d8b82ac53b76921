/* cause.c - the walk from a wrong element to what made it so. */
#include <config.h>

#include "run/cause_private.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/buf.h"
#include "base/mem.h"
#include "ir/graph.h"
#include "ir/signature.h"
#include "ir/value_text.h"
#include "ops/formula.h"
#include "ops/optab.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/nonfinite.h"
#include "run/replay.h"

/* A way that is longer is given up. */
#define STEP_LIMIT 10000
/* What is to blame is followed this far: through the turns of a loop, too. */
#define BLAME_LIMIT 300
/* Few weights are as large: a number that is comes from one that is not right,
 * or from many.
 */
#define SOME_SIZE 16.0

/* --- what is to blame ---------------------------------------------------- */

/* What the operation calls the argument that is NODE, or NULL. */
static const char *
argument_of(const struct fx_node *call, const struct fx_node *node)
{
	const struct fx_signature *signature =
		call->op ? fx_signature_of((enum fx_op)call->op) : NULL;
	size_t count = fx_value_item_count(&call->args);

	for (size_t i = 0; signature && i < count; i++)
		if (call->args.items[i].kind == FX_VALUE_NODE &&
			call->args.items[i].node == node &&
			i < signature->count)
			return signature->parameters[i].name;
	for (size_t i = 0; i + 1 < fx_value_item_count(&call->kwargs); i += 2)
		if (call->kwargs.items[i + 1].kind == FX_VALUE_NODE &&
			call->kwargs.items[i + 1].node == node)
			return call->kwargs.items[i].text;
	return NULL;
}

/* Whether what SPOT's node gives may be traced further: to one element. */
static bool
is_call(const struct fx_node *node)
{
	return node->opcode == FX_OPCODE_CALL_FUNCTION ||
	       node->opcode == FX_OPCODE_CALL_METHOD;
}

/* From a finite element that is to blame on, while each comes from one alone.
 */
static struct fx_error *
follow_blame(struct fx_walk *walk)
{
	struct fx_error *err = NULL;

	for (int i = 0; i < BLAME_LIMIT && !err; i++) {
		struct fx_spot *spot = &walk->spot;
		FX_AUTO_PROBE struct fx_probe probe = { .total = 0 };
		struct fx_probe_finding finding;
		size_t index;

		if (spot->node->opcode == FX_OPCODE_PLACEHOLDER) {
			if (!spot->replay->outer ||
				fx_replay_member(spot->replay, spot->node,
					&index))
				return NULL;
			err = fx_walk_leave(walk, index);
			/* What a turn of a loop gave is told as what gives it.
			 */
			if (!err && spot->node->opcode == FX_OPCODE_OUTPUT)
				continue;
			if (!err)
				err = fx_walk_add_step(walk, spot,
					FX_CAUSE_LEADS);
			continue;
		}
		if (!is_call(spot->node) &&
			spot->node->opcode != FX_OPCODE_OUTPUT)
			return NULL;
		fx_replay_rewind(spot->replay, spot->node);
		err = fx_probe_init(&probe, spot, FX_FAULT_CHANGES, 0);
		if (!err)
			err = fx_probe_only(&probe, &finding);
		walk->cause->calls += probe.calls;
		if (err || finding.count != 1)
			return err;
		err = fx_walk_go_to(walk, &probe, finding.elements[0]);
		if (!err)
			err = fx_walk_add_step(walk, spot, FX_CAUSE_LEADS);
	}
	return err;
}

/* From a number that is too large to what is too large above it: *DONE_RET
 * false where that is nothing.
 */
static struct fx_error *
follow_huge(struct fx_walk *walk, double limit, bool *done_ret)
{
	struct fx_error *err = NULL;

	*done_ret = false;
	for (int i = 0; i < STEP_LIMIT && !err; i++) {
		struct fx_spot *spot = &walk->spot;
		FX_AUTO_PROBE struct fx_probe probe = { .total = 0 };
		struct fx_probe_finding finding;
		bool entered;
		size_t index;

		if (spot->node->opcode == FX_OPCODE_GET_ATTR)
			return NULL;
		if (spot->node->opcode == FX_OPCODE_PLACEHOLDER) {
			if (!spot->replay->outer ||
				fx_replay_member(spot->replay, spot->node,
					&index))
				return NULL;
			err = fx_walk_leave(walk, index);
			continue;
		}
		fx_replay_rewind(spot->replay, spot->node);
		err = fx_probe_init(&probe, spot, FX_FAULT_HUGE, 0);
		probe.limit = limit;
		if (!err)
			err = fx_probe_follow(&probe, &finding);
		walk->cause->calls += probe.calls;
		if (err)
			return err;
		if (finding.answer != FX_PROBE_FOLLOWS) {
			err = fx_walk_enter(walk, &entered);
			if (err || !entered)
				return err;
			continue;
		}
		err = fx_walk_go_to(walk, &probe, finding.elements[0]);
		if (!err)
			err = fx_walk_add_step(walk, spot, FX_CAUSE_LEADS);
		*done_ret = true;
	}
	return err;
}

/* Beyond it a square is infinite: what overflowed is followed up to there. */
static double
huge_limit(const struct fx_walk *walk)
{
	const struct fx_spot *spot = &walk->spot;
	const struct fx_datum *tensor =
		fx_datum_tensor_at(fx_replay_value(spot->replay, spot->node),
			spot->number);
	struct fx_extent extent;
	FX_AUTO_ERROR struct fx_error *err =
		tensor ? fx_extent_of(tensor, &extent) : NULL;

	if (!tensor || err)
		return INFINITY;
	return extent.dtype == FX_DTYPE_F16   ? 255
	       : extent.dtype == FX_DTYPE_F64 ? 1e154
					      : 1e19;
}

/* On from what is to blame. */
static struct fx_error *
follow(struct fx_walk *walk, const struct fx_probe_finding *finding)
{
	const struct fx_cause_step *step = fx_walk_last_step(walk);
	double limit = huge_limit(walk);
	bool done = false;
	struct fx_error *err = NULL;

	/* Of a number of some size, what is half of it alone. */
	if (fabs(step->number[0]) >= SOME_SIZE)
		limit = fmin(limit, fabs(step->number[0]) / 2);
	if (finding->count && fabs(step->number[0]) > limit)
		err = follow_huge(walk, limit, &done);
	if (err || done || finding->count != 1 || finding->is_more)
		return err;
	err = follow_blame(walk);
	limit = fabs(fx_walk_last_step(walk)->number[0]) / 2;
	if (err || limit < SOME_SIZE / 2)
		return err;
	return follow_huge(walk, limit, &done);
}

struct fx_error *
fx_cause_only_interrupt(struct fx_error *err_taken)
{
	if (!err_taken || fx_error_code(err_taken) == FX_ERR_INTERRUPTED)
		return err_taken;
	fx_error_free(err_taken);
	return NULL;
}

/* Whether VALUE, which NODE is given as PARAMETER, is what goes wrong. */
static bool
is_wrong_number(const struct fx_walk *walk, const struct fx_node *node,
	const char *parameter, const struct fx_value *value)
{
	const struct fx_reason_case what = { .target = node->target,
		.parameter = parameter,
		.value = value->kind == FX_VALUE_INT ? (double)value->integer
						     : value->real,
		.result = walk->spot.value[0],
		.kind = FX_REASON_ANY };

	if (value->kind != FX_VALUE_INT && value->kind != FX_VALUE_FLOAT)
		return false;
	/* Whatever is large is too large: that is no reason of its own. */
	return !isfinite(what.value) || fabs(what.value) > FLT_MAX ||
	       (what.value == 0 && fx_reason_find(&what));
}

/* No element is to blame: it may be a number that stands in the call. */
static void
blame_number(struct fx_walk *walk, struct fx_node *node)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	const struct fx_signature *signature =
		node->op ? fx_signature_of((enum fx_op)node->op) : NULL;
	FX_AUTO_FREE struct fx_value *bound = NULL;

	if (!signature)
		return;
	bound = fx_xcalloc(signature->count + 1, sizeof(*bound));
	fx_error_free(fx_signature_bind(arena, signature,
		&(struct fx_call_values){
			node->target, node->args, node->kwargs },
		bound));
	for (size_t i = 0; i < signature->count; i++) {
		const char *name = signature->parameters[i].name;
		struct fx_cause_step step = { .role = FX_CAUSE_BLAMED,
			.node = fx_walk_last_step(walk)->node,
			.is_inside = true,
			.name = name,
			.argument = name };
		FX_AUTO_BUF struct fx_buf text = { 0 };

		if (!is_wrong_number(walk, node, name, &bound[i]))
			continue;
		step.number[0] = bound[i].kind == FX_VALUE_INT
					 ? (double)bound[i].integer
					 : bound[i].real;
		fx_value_print_as(&text, &bound[i], FX_STYLE_CODE);
		step.index = fx_xstrdup("");
		step.value = fx_xstrdup(fx_buf_text(&text));
		fx_vec_push(&walk->cause->steps, step);
		return;
	}
}

/* Whether ELEMENT of what PROBE's node is given is larger than LIMIT. */
static bool
is_huge(const struct fx_probe *probe, uint64_t element, double limit)
{
	uint64_t index;
	double number[2];
	const struct fx_leaf *leaf = fx_probe_leaf(probe, element, &index);

	fx_elements_decode(leaf->extent.dtype,
		(char *)fx_blob_data(leaf->bytes) + index * leaf->size, 1,
		&number[0], &number[1]);
	return fabs(number[0]) > limit;
}

/* Of two that together are too large, the one that is so by itself is told and
 * followed last.
 */
static void
put_huge_last(const struct fx_walk *walk, const struct fx_probe *probe,
	struct fx_probe_finding *finding)
{
	double limit = huge_limit(walk);
	uint64_t first = finding->elements[0];

	if (finding->count != 2 || is_huge(probe, first, limit) ||
		!is_huge(probe, finding->elements[1], limit))
		return;
	finding->elements[0] = finding->elements[1];
	finding->elements[1] = first;
}

/* The finite elements without which it would not have been produced. */
static struct fx_error *
blame(struct fx_walk *walk)
{
	const struct fx_spot asked = walk->spot;
	FX_AUTO_PROBE struct fx_probe probe = { .total = 0 };
	struct fx_probe_finding finding;
	struct fx_error *err = fx_probe_init(&probe, &asked, walk->fault, 0);

	if (!err)
		err = fx_probe_culprit(&probe, &finding);
	walk->cause->calls += probe.calls;
	if (err)
		return fx_cause_only_interrupt(err);
	if (!finding.count)
		blame_number(walk, asked.node);
	put_huge_last(walk, &probe, &finding);
	/* The last one is followed. */
	for (size_t i = finding.count; !err && i-- > 0;) {
		walk->spot = asked;
		err = fx_walk_go_to(walk, &probe, finding.elements[i]);
		if (!err)
			err = fx_walk_add_step(walk, &walk->spot,
				FX_CAUSE_BLAMED);
		if (err)
			break;
		fx_walk_last_step(walk)->is_more = finding.is_more;
		fx_walk_last_step(walk)->argument =
			argument_of(asked.node, walk->spot.node);
	}
	return err ? err : fx_cause_only_interrupt(follow(walk, &finding));
}

/* --- the walk ------------------------------------------------------------ */

/* SPOT's mate, or what it is inside of. */
static struct fx_node *
seen_mate(const struct fx_spot *spot)
{
	const struct fx_replay *replay = spot->other;
	struct fx_node *mate = spot->mate;

	for (; !fx_replay_is_seen(replay); replay = replay->outer)
		mate = replay->call;
	return mate;
}

bool
fx_walk_is_set(const struct fx_walk *walk, const struct fx_node *node)
{
	const struct fx_cause_question *question = walk->question;

	return question->is_set && node &&
	       question->is_set(question->context, node);
}

/* All above is right: SPOT's node made it. */
static struct fx_error *
end_at_producer(struct fx_walk *walk, const struct fx_probe *probe)
{
	struct fx_spot *spot = &walk->spot;

	walk->cause->op = spot->node->op;
	fx_walk_last_step(walk)->role = FX_CAUSE_PRODUCES;
	if (walk->fault == FX_FAULT_DIFFERS) {
		walk->cause->mate = seen_mate(spot);
		if (fx_replay_is_seen(spot->replay) &&
			fx_walk_is_set(walk, spot->mate) &&
			!walk->cause->detail)
			walk->cause->detail = fx_xstrdup("there it is set by "
							 "hand");
		walk->cause->is_given_other = fx_probe_is_given_other(probe);
		walk->cause->is_rounded = probe->step > 0;
		if (probe->lacks_reference && !walk->cause->detail)
			walk->cause->detail = fx_xstrdup("what it is given has "
							 "another form there");
		return NULL;
	}
	if (fx_nonfinite_fills(spot->node)) {
		fx_walk_last_step(walk)->role = FX_CAUSE_CONSTANT;
		return NULL;
	}
	return blame(walk);
}

/* The way ends at what cannot be asked, and ERR_TAKEN says why; it is passed on
 * if the user ended the search.
 */
static struct fx_error *
end_unasked(struct fx_walk *walk, struct fx_error *err_taken, bool *done_ret)
{
	if (fx_error_code(err_taken) == FX_ERR_INTERRUPTED)
		return err_taken;
	*done_ret = true;
	fx_walk_last_step(walk)->role = FX_CAUSE_UNASKED;
	free(walk->cause->detail);
	walk->cause->detail = fx_xasprintf("it cannot be asked further: %s",
		fx_error_message(err_taken));
	fx_error_free(err_taken);
	return NULL;
}

/* One step further.  *DONE_RET: it is the end. */
static struct fx_error *
ask(struct fx_walk *walk, bool *done_ret)
{
	struct fx_spot *spot = &walk->spot;
	FX_AUTO_PROBE struct fx_probe probe = { .total = 0 };
	struct fx_probe_finding finding;
	struct fx_error *err = NULL;
	bool entered = false;
	uint64_t element;

	if (fx_walk_is_other_dtype(walk))
		return fx_walk_follow_dtype(walk, done_ret);
	if (walk->fault == FX_FAULT_DIFFERS)
		err = fx_walk_pass_output(walk, &entered);
	if (err || entered)
		return err;
	if (walk->fault == FX_FAULT_DIFFERS && !fx_walk_is_same_call(spot)) {
		err = fx_walk_pass_cast(walk, done_ret);
		return err || !*done_ret ? err
					 : fx_walk_end_at_difference(walk);
	}
	fx_replay_rewind(spot->replay, spot->node);
	if (spot->mate)
		fx_replay_rewind(spot->other, spot->mate);
	err = fx_probe_init(&probe, spot, walk->fault, walk->question->rtol);
	if (!err)
		err = fx_probe_follow(&probe, &finding);
	walk->cause->calls += probe.calls;
	if (err)
		return end_unasked(walk, err, done_ret);
	if (finding.answer == FX_PROBE_FOLLOWS) {
		uint64_t index;
		double number[2];
		const struct fx_leaf *leaf =
			fx_probe_leaf(&probe, finding.elements[0], &index);

		fx_walk_last_step(walk)->together = finding.count - 1;
		fx_walk_last_step(walk)->is_more = finding.is_more;
		fx_elements_decode(leaf->extent.dtype,
			(char *)fx_blob_data(leaf->bytes) + index * leaf->size,
			1, &number[0], &number[1]);
		if (walk->fault == FX_FAULT_NAN &&
			!fx_fault_holds(FX_FAULT_NAN, number)) {
			fx_walk_last_step(walk)->role = FX_CAUSE_MAKES;
			walk->cause->op = spot->node->op;
			walk->fault = FX_FAULT_NONFINITE;
		}
		return fx_walk_go_to(walk, &probe, finding.elements[0]);
	}
	if (finding.answer == FX_PROBE_GONE) {
		fx_walk_last_step(walk)->role = FX_CAUSE_LOST;
		*done_ret = true;
		return NULL;
	}
	err = fx_walk_enter(walk, &entered);
	if (err || entered)
		return err;
	/* The dtype of what it is given is what makes the difference. */
	if (walk->fault == FX_FAULT_DIFFERS && !walk->question->is_widened &&
		fx_probe_cast(&probe, &element))
		return fx_walk_go_to(walk, &probe, element);
	*done_ret = true;
	return end_at_producer(walk, &probe);
}

/* What no node computes ends the way, but for inputs of a layer. */
static struct fx_error *
pass_placeholder(struct fx_walk *walk, bool *done_ret)
{
	struct fx_spot *spot = &walk->spot;
	size_t index;

	if (spot->replay->outer &&
		!fx_replay_member(spot->replay, spot->node, &index))
		return fx_walk_leave(walk, index);
	fx_walk_last_step(walk)->role =
		spot->replay->outer ? FX_CAUSE_PARAMETER : FX_CAUSE_INPUT;
	*done_ret = true;
	return NULL;
}

static struct fx_error *
go_on(struct fx_walk *walk, bool *done_ret)
{
	struct fx_spot *spot = &walk->spot;

	*done_ret = false;
	if (fx_replay_is_seen(spot->replay) &&
		fx_walk_is_set(walk, spot->node)) {
		fx_walk_last_step(walk)->role = FX_CAUSE_INPUT;
		walk->cause->detail = fx_xstrdup("set by hand");
		*done_ret = true;
		return NULL;
	}
	if (spot->node->opcode == FX_OPCODE_PLACEHOLDER)
		return pass_placeholder(walk, done_ret);
	if (spot->node->opcode == FX_OPCODE_GET_ATTR) {
		fx_walk_last_step(walk)->role = FX_CAUSE_PARAMETER;
		*done_ret = true;
		return NULL;
	}
	return ask(walk, done_ret);
}

/* Layers that the walk stands in are left. */
void
fx_walk_leave_all(struct fx_walk *walk)
{
	struct fx_replay *replays[] = { walk->spot.replay, walk->spot.other };

	for (size_t i = 0; i < FX_ARRAY_LEN(replays); i++)
		while (replays[i] && replays[i]->outer) {
			struct fx_replay *outer = replays[i]->outer;

			fx_replay_free(replays[i]);
			replays[i] = outer;
		}
}

/* Inputs of a layer are told once, as what is outside. */
static bool
is_told(const struct fx_walk *walk)
{
	const struct fx_spot *spot = &walk->spot;
	size_t index;

	if (!spot->replay->outer)
		return false;
	if (spot->node->opcode == FX_OPCODE_OUTPUT)
		return true;
	return spot->node->opcode == FX_OPCODE_PLACEHOLDER &&
	       !fx_replay_member(spot->replay, spot->node, &index);
}

struct fx_error *
fx_cause_find(const struct fx_cause_question *question, struct fx_cause *ret)
{
	struct fx_walk walk = { .question = question,
		.cause = ret,
		.spot = question->spot,
		.fault = question->fault };
	struct fx_error *err = fx_walk_find_maker(&walk, &walk.spot);
	bool done = false;

	while (!err && !done && ret->steps.count < STEP_LIMIT) {
		if (!ret->steps.count || !is_told(&walk))
			err = fx_walk_add_step(&walk, &walk.spot,
				FX_CAUSE_PASSES);
		if (!err)
			err = go_on(&walk, &done);
	}
	fx_walk_leave_all(&walk);
	return err;
}

struct fx_error *
fx_cause_look(const struct fx_cause_question *question, struct fx_cause *ret)
{
	struct fx_walk walk = { .question = question,
		.cause = ret,
		.spot = question->spot,
		.fault = question->fault };
	struct fx_error *err =
		fx_walk_add_step(&walk, &walk.spot, FX_CAUSE_PASSES);

	fx_walk_leave_all(&walk);
	return err;
}

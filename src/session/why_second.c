/* why_second.c - what else is wrong: a second cause, or an earlier one. */
#include <config.h>

#include "session/why_private.h"

#include "base/str.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "run/datum.h"
#include "run/replay.h"

const struct fx_cause_step *
fx_cause_end_of_way(const struct fx_cause *cause)
{
	const struct fx_cause_step *end = NULL;

	for (size_t i = 0; i < cause->steps.count; i++)
		if (fx_cause_is_way(&cause->steps.items[i]))
			end = &cause->steps.items[i];
	return end;
}

/* Whether A and B are one element under two names: of tied parameters. */
static bool
is_tied(const struct fx_cause_step *a, const struct fx_cause_step *b)
{
	const struct fx_tensor *mine =
		fx_module_find_tensor(a->node->graph->module, a->name);
	const struct fx_tensor *theirs =
		fx_module_find_tensor(b->node->graph->module, b->name);

	return mine && theirs && mine->storage &&
	       mine->storage == theirs->storage &&
	       mine->offset == theirs->offset &&
	       fx_str_equal(a->index, b->index);
}

/* Whether A and B end at one element. */
static bool
ends_alike(const struct fx_cause *a, const struct fx_cause *b)
{
	const struct fx_cause_step *ends[] = { fx_cause_end_of_way(a),
		fx_cause_end_of_way(b) };

	if (is_tied(ends[0], ends[1]))
		return true;
	/* A parameter may be reached by several calls. */
	return ends[0]->name == ends[1]->name &&
	       (ends[0]->node == ends[1]->node ||
		       (ends[0]->role == FX_CAUSE_PARAMETER &&
			       ends[1]->role == FX_CAUSE_PARAMETER));
}

/* Only an element that is there still at the end, and nobody's constant. */
static bool
may_have_second(const struct fx_inquiry *a, const struct fx_why *why)
{
	const struct fx_cause_step *end = fx_cause_end_of_way(&why->cause);

	return !a->other && !why->is_fine && !why->is_hidden &&
	       why->cause.steps.count && end->role != FX_CAUSE_LOST &&
	       end->role != FX_CAUSE_UNASKED &&
	       end->node != why->cause.steps.items[0].node;
}

/* Run it with what was found mended: is the element wrong still, and why? */
struct fx_error *
fx_inquiry_find_second(struct fx_inquiry *a, struct fx_cause_question *question,
	struct fx_why *ret)
{
	const struct fx_datum *tensor;
	struct fx_spot *spot = &question->spot;
	struct fx_error *err;

	if (!may_have_second(a, ret))
		return NULL;
	a->mended = fx_cause_end_of_way(&ret->cause)->node;
	err = fx_inquiry_run(a);
	/* What is mended may not suit a node behind it. */
	if (err)
		return fx_cause_only_interrupt(err);
	fx_inquiry_spot(a, spot->node, spot);
	tensor = fx_datum_tensor_at(fx_replay_value(spot->replay, spot->node),
		spot->number);
	if (tensor)
		err = fx_values_numbers(tensor, spot->element, 1,
			&spot->value[0], &spot->value[1]);
	if (err || !tensor || !fx_fault_holds(FX_FAULT_NONFINITE, spot->value))
		return err;
	if (!fx_fault_holds(question->fault, spot->value))
		question->fault = FX_FAULT_NONFINITE;
	fx_inquiry_hand_over(a);
	err = fx_cause_find(question, &ret->second);
	if (!err && ends_alike(&ret->cause, &ret->second)) {
		fx_cause_deinit(&ret->second);
		ret->second = (struct fx_cause){ .op = 0 };
	}
	return err;
}

/* Whether the way of CAUSE leads through NODE. */
static bool
leads_through(const struct fx_cause *cause, const struct fx_node *node)
{
	for (size_t i = 0; i < cause->steps.count; i++)
		if (fx_cause_is_way(&cause->steps.items[i]) &&
			cause->steps.items[i].node == node)
			return true;
	return false;
}

/* FIRST_TAKEN was found beside the cause of what was asked about: the earlier
 * of them becomes that, and the other the second.
 */
static void
put_in_order(struct fx_why *ret, struct fx_cause *first_taken)
{
	ret->is_apart = true;
	if (fx_inquiry_is_before(fx_cause_end_of_way(first_taken)->node,
		    fx_cause_end_of_way(&ret->cause)->node)) {
		ret->second = ret->cause;
		ret->cause = *first_taken;
	} else {
		ret->second = *first_taken;
	}
	*first_taken = (struct fx_cause){ .op = 0 };
}

/* Why MET is wrong, if the way did not lead there and it has another cause. */
static struct fx_error *
ask_apart(struct fx_inquiry *a, struct fx_cause_question *question,
	const struct fx_met *met, struct fx_why *ret)
{
	struct fx_node *end = a->end;
	FX_AUTO_CAUSE struct fx_cause first = { .op = 0 };
	struct fx_error *err;

	if (!met->node || leads_through(&ret->cause, met->node))
		return NULL;
	/* No further than that: what comes later may not run again. */
	a->end = met->node->graph == a->model->graph ? fx_graph_next(met->node)
						     : end;
	err = fx_inquiry_run(a);
	a->end = end;
	if (err)
		return fx_cause_only_interrupt(err);
	question->spot = (struct fx_spot){ .number = met->number,
		.element = met->element };
	fx_inquiry_spot(a, met->node, &question->spot);
	/* As it was when it was made. */
	fx_replay_rewind(question->spot.replay, fx_graph_next(met->node));
	fx_inquiry_hand_over(a);
	err = fx_cause_find(question, &first);
	if (err || !first.steps.count || ends_alike(&first, &ret->cause))
		return fx_cause_only_interrupt(err);
	put_in_order(ret, &first);
	return NULL;
}

/* Two faults: what the output shows leads to the nearest, which may not be the
 * one that came first.  An infinity that nobody meant counts beside a NaN, if
 * it came before that.
 */
struct fx_error *
fx_inquiry_find_earlier(struct fx_inquiry *a,
	struct fx_cause_question *question, struct fx_why *ret)
{
	bool wants_inf = a->wish->target == FX_WHY_INF || ret->is_inf;
	struct fx_error *err =
		ask_apart(a, question, wants_inf ? &a->inf : &a->nan, ret);

	if (err || ret->is_apart || wants_inf || !a->inf.node ||
		!fx_inquiry_is_before(a->inf.node,
			fx_cause_end_of_way(&ret->cause)->node))
		return err;
	question->fault = FX_FAULT_NONFINITE;
	return ask_apart(a, question, &a->inf, ret);
}

/* The same beside a reference: the first node that parts may lie on no way that
 * the output shows.
 */
struct fx_error *
fx_inquiry_find_parted(struct fx_inquiry *a, struct fx_cause_question *question,
	struct fx_why *ret)
{
	FX_AUTO_CAUSE struct fx_cause first = { .op = 0 };
	struct fx_spot *spot = &question->spot;
	struct fx_error *err;

	if (leads_through(&ret->cause, a->first.node) ||
		!fx_inquiry_is_before(a->first.node,
			fx_cause_end_of_way(&ret->cause)->node))
		return NULL;
	*spot = a->first;
	/* As it was when it was made: what wrote there later is on the way. */
	fx_replay_rewind(spot->replay, fx_graph_next(spot->node));
	fx_replay_rewind(spot->other, fx_graph_next(spot->mate));
	err = fx_spot_read(spot->replay, spot->node, spot, spot->value);
	if (!err)
		err = fx_spot_read(spot->other, spot->mate, spot, spot->wanted);
	if (err || !fx_spot_differs(spot, question->rtol))
		return fx_cause_only_interrupt(err);
	err = fx_cause_find(question, &first);
	if (err || !first.steps.count || ends_alike(&first, &ret->cause))
		return fx_cause_only_interrupt(err);
	put_in_order(ret, &first);
	return NULL;
}

/* explain_element.c - one element as its operation's formula has it: which
 * elements of what it is given the formula names, and their values.
 */
#include <config.h>

#include "run/cause_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "ir/graph.h"
#include "ir/signature.h"
#include "ir/value_text.h"
#include "ops/formula.h"
#include "run/datum.h"
#include "run/replay.h"

/* The element of a tensor of EXTENT that one at PLACE of WHOLE needs: the last
 * dimensions are the same, or broadcast; of channels the second one.
 */
static bool
same_element(enum fx_formula_family family, const struct fx_extent *extent,
	const struct fx_extent *whole, const int64_t *place, uint64_t *ret)
{
	bool is_channel = family == FX_FORMULA_CHANNEL && extent->rank == 1 &&
			  whole->rank > 1;

	*ret = 0;
	if (extent->rank > whole->rank)
		return false;
	for (uint32_t i = 0; i < extent->rank; i++) {
		uint32_t at = is_channel ? 1 : whole->rank - extent->rank + i;
		int64_t size = extent->sizes[i];

		if (size != 1 && size != whole->sizes[at])
			return false;
		*ret = *ret * (uint64_t)size +
		       (uint64_t)(size == 1 ? 0 : place[at]);
	}
	return true;
}

struct explaining {
	struct fx_walk *walk;
	const struct fx_formula *formula;
	struct fx_spot spot; /* of the operation */
	struct fx_extent extent;
	int64_t place[FX_RANK_LIMIT];
};

static struct fx_error *
add_tensor(struct explaining *e, struct fx_node *node, bool *done_ret)
{
	struct fx_spot spot = { .replay = e->spot.replay, .node = node };
	const struct fx_datum *datum = fx_replay_value(spot.replay, node);
	struct fx_extent extent;
	struct fx_error *err;

	*done_ret = false;
	if (!datum || datum->kind != FX_DATUM_TENSOR)
		return NULL;
	err = fx_extent_of(datum, &extent);
	if (err || !same_element(e->formula->family, &extent, &e->extent,
			   e->place, &spot.element))
		return err;
	*done_ret = true;
	return fx_walk_add_step(e->walk, &spot, FX_CAUSE_BLAMED);
}

/* What is no tensor: its text. */
static void
add_plain(struct explaining *e, const struct fx_value *value)
{
	struct fx_cause_step step = { .role = FX_CAUSE_CONSTANT,
		.node = e->spot.node };
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const struct fx_datum *datum =
		value->kind == FX_VALUE_NODE
			? fx_replay_value(e->spot.replay, value->node)
			: NULL;

	if (datum && datum->kind != FX_DATUM_VALUE)
		return;
	fx_value_print_as(&text, datum ? &datum->value : value, FX_STYLE_CODE);
	step.index = fx_xstrdup("");
	step.value = fx_xstrdup(fx_buf_text(&text));
	fx_vec_push(&e->walk->cause->steps, step);
}

static struct fx_error *
add_operand(struct explaining *e, const struct fx_parameter *parameter,
	const struct fx_value *value)
{
	size_t count = e->walk->cause->steps.count;
	bool done = false;
	struct fx_error *err = NULL;

	if (value->kind == FX_VALUE_NONE)
		return NULL;
	if (value->kind == FX_VALUE_NODE)
		err = add_tensor(e, value->node, &done);
	if (!err && !done)
		add_plain(e, value);
	if (e->walk->cause->steps.count > count)
		fx_walk_last_step(e->walk)->argument = parameter->name;
	return err;
}

static struct fx_error *
add_operands(struct explaining *e)
{
	const struct fx_node *node = e->spot.node;
	const struct fx_signature *signature =
		fx_signature_of((enum fx_op)node->op);
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_FREE struct fx_value *bound =
		fx_xcalloc(signature->count + 1, sizeof(*bound));
	struct fx_error *err = fx_signature_bind(arena, signature,
		&(struct fx_call_values){
			node->target, node->args, node->kwargs },
		bound);

	for (size_t i = 0; i < signature->count && !err; i++)
		err = add_operand(e, &signature->parameters[i], &bound[i]);
	return err;
}

/* A value that is moved: the element that it was. */
static struct fx_error *
add_moved(struct explaining *e)
{
	FX_AUTO_PROBE struct fx_probe probe = { .total = 0 };
	struct fx_probe_finding finding = { .count = 0 };
	struct fx_error *err =
		fx_probe_init(&probe, &e->spot, FX_FAULT_CHANGES, 0);

	if (!err)
		err = fx_probe_only(&probe, &finding);
	if (err || finding.count != 1)
		return err;
	err = fx_walk_go_to(e->walk, &probe, finding.elements[0]);
	if (!err)
		err = fx_walk_add_step(e->walk, &e->walk->spot,
			FX_CAUSE_BLAMED);
	if (!err)
		fx_walk_last_step(e->walk)->argument =
			fx_signature_of((enum fx_op)e->spot.node->op)
				->parameters[0]
				.name;
	return err;
}

static struct fx_error *
explain(struct fx_walk *walk, const struct fx_extent *extent)
{
	struct explaining e = {
		.walk = walk, .spot = walk->spot, .extent = *extent
	};
	struct fx_node *node = walk->spot.node;

	walk->cause->op = node->op;
	if (!node->op)
		return NULL;
	fx_walk_last_step(walk)->call = node->target;
	e.formula = fx_formula_find(node->target);
	if (!e.formula)
		return NULL;
	fx_extent_unravel(extent, walk->spot.element, e.place);
	fx_replay_rewind(walk->spot.replay, node);
	switch (e.formula->family) {
	case FX_FORMULA_ELEMENT:
	case FX_FORMULA_CHANNEL:
		return add_operands(&e);
	case FX_FORMULA_PLACE:
		return add_moved(&e);
	case FX_FORMULA_LAST:
	case FX_FORMULA_REDUCE:
	case FX_FORMULA_MATRIX:
	case FX_FORMULA_LINEAR:
	case FX_FORMULA_CONVOLUTION:
		break;
	}
	return NULL;
}

/* To the operation that gives what SPOT's layer gives. */
static struct fx_error *
go_inside(struct fx_walk *walk)
{
	struct fx_error *err = NULL;
	bool entered = true;

	while (!err && entered) {
		const struct fx_node *output;

		fx_replay_rewind(walk->spot.replay, walk->spot.node);
		err = fx_walk_enter(walk, &entered);
		if (err || !entered)
			break;
		output = walk->spot.node;
		if (output->args.items[0].kind != FX_VALUE_NODE)
			break;
		walk->spot.node = output->args.items[0].node;
		entered = walk->spot.node->opcode != FX_OPCODE_PLACEHOLDER;
	}
	return err;
}

struct fx_error *
fx_cause_explain(const struct fx_cause_question *question, struct fx_cause *ret)
{
	struct fx_walk walk = { .question = question,
		.cause = ret,
		.spot = question->spot,
		.fault = FX_FAULT_CHANGES };
	struct fx_extent extent = { .rank = 0 };
	struct fx_error *err =
		fx_walk_add_step(&walk, &walk.spot, FX_CAUSE_PASSES);

	if (!err)
		err = fx_extent_of(
			fx_datum_tensor_at(fx_replay_value(walk.spot.replay,
						   walk.spot.node),
				walk.spot.number),
			&extent);
	if (!err)
		err = go_inside(&walk);
	if (!err)
		err = explain(&walk, &extent);
	fx_walk_leave_all(&walk);
	return err;
}

/* explain_element.c - one element as its operation's formula has it: which
 * elements of what it is given the formula names, and their values.
 */
#include <config.h>

#include "run/explain_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/graph.h"
#include "ir/signature.h"
#include "ir/value_text.h"
#include "ops/formula.h"
#include "ops/optab.h"
#include "run/datum.h"
#include "run/replay.h"

/* The element of a tensor of EXTENT that one at PLACE of WHOLE needs: the last
 * dimensions are the same, or broadcast; of channels the second one.
 */
static bool
same_element(enum fx_formula_family family, const struct fx_extent *extent,
	const struct fx_extent *whole, const int64_t *place, uint64_t *ret)
{
	bool is_channel =
		(family == FX_FORMULA_CHANNEL || family == FX_FORMULA_GROUP ||
			family == FX_FORMULA_CONVOLUTION) &&
		extent->rank == 1 && whole->rank > 1;

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

static struct fx_error *
add_tensor(struct fx_explaining *e, struct fx_node *node, bool *done_ret)
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

const struct fx_value *
fx_explain_plain(const struct fx_explaining *e, const struct fx_value *value)
{
	const struct fx_datum *datum;

	if (value->kind != FX_VALUE_NODE)
		return value;
	datum = fx_replay_value(e->spot.replay, value->node);
	return datum && datum->kind == FX_DATUM_VALUE ? &datum->value : NULL;
}

const struct fx_value *
fx_explain_find(const struct fx_explaining *e, const char *name)
{
	for (size_t i = 0; i < e->signature->count; i++)
		if (!strcmp(e->signature->parameters[i].name, name))
			return fx_explain_plain(e, &e->bound[i]);
	return NULL;
}

void
fx_explain_add_text(struct fx_explaining *e, const char *argument,
	bool has_name, char *text)
{
	struct fx_cause_step step = { .role = FX_CAUSE_CONSTANT,
		.node = e->spot.node,
		.argument = argument,
		.name = has_name ? argument : NULL,
		.is_inside = true,
		.index = fx_xstrdup(""),
		.value = text };

	fx_vec_push(&e->walk->cause->steps, step);
}

/* What is no tensor: its text. */
static void
add_plain(struct fx_explaining *e, const struct fx_parameter *parameter,
	const struct fx_value *value)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const struct fx_value *plain = fx_explain_plain(e, value);

	if (!plain)
		return;
	fx_value_print_as(&text, plain, FX_STYLE_CODE);
	fx_explain_add_text(e, parameter->name, false,
		fx_xstrdup(fx_buf_text(&text)));
}

/* What None stands for: an eps, the smallest step of the numbers that are
 * computed with.
 */
static void
add_default(struct fx_explaining *e, const struct fx_parameter *parameter)
{
	if (strcmp(parameter->name, "eps") == 0)
		fx_explain_add_text(e, parameter->name, false,
			fx_xstrdup(e->extent.dtype == FX_DTYPE_F64
					   ? "2.220446049250313e-16"
					   : "1.1920929e-07"));
}

static struct fx_error *
add_operand(struct fx_explaining *e, const struct fx_parameter *parameter,
	const struct fx_value *value)
{
	size_t count = e->walk->cause->steps.count;
	bool done = false;
	struct fx_error *err = NULL;

	if (value->kind == FX_VALUE_NONE) {
		add_default(e, parameter);
		return NULL;
	}
	if (value->kind == FX_VALUE_NODE)
		err = add_tensor(e, value->node, &done);
	if (!err && !done)
		add_plain(e, parameter, value);
	if (e->walk->cause->steps.count > count)
		fx_walk_last_step(e->walk)->argument = parameter->name;
	return err;
}

static struct fx_error *
add_operands(struct fx_explaining *e)
{
	struct fx_error *err = NULL;

	for (size_t i = 0; i < e->signature->count && !err; i++)
		err = add_operand(e, &e->signature->parameters[i],
			&e->bound[i]);
	return err;
}

/* A value that is moved: the element that it was, as ARGUMENT. */
static struct fx_error *
add_moved(struct fx_explaining *e, const char *argument)
{
	FX_AUTO_PROBE struct fx_probe probe = { .total = 0 };
	struct fx_probe_finding finding = { .count = 0 };
	struct fx_error *err =
		fx_probe_init(&probe, &e->spot, FX_FAULT_CHANGES, 0);

	if (!err)
		err = fx_probe_only(&probe, &finding);
	e->walk->cause->is_constant = !err && !finding.count;
	if (err || finding.count != 1)
		return err;
	err = fx_walk_go_to(e->walk, &probe, finding.elements[0]);
	if (!err)
		err = fx_walk_add_step(e->walk, &e->walk->spot,
			FX_CAUSE_BLAMED);
	if (!err)
		fx_walk_last_step(e->walk)->argument = argument;
	return err;
}

/* The place in its dimension of what was picked, by the other tensor that the
 * operation gives; IS_PLACE: it is the one explained.
 */
static struct fx_error *
read_pick(const struct fx_explaining *e, uint64_t *ret)
{
	const struct fx_datum *result =
		fx_replay_value(e->spot.replay, e->spot.node);
	const struct fx_datum *places = fx_datum_tensor_at(result, 1);
	double number = 0;
	double imag;
	struct fx_error *err;

	/* argsort gives them alone. */
	if (!places)
		places = result;
	err = fx_values_numbers(places, e->spot.element, 1, &number, &imag);
	*ret = (uint64_t)number;
	return err;
}

/* The element of the input that was picked. */
static struct fx_error *
add_picked(struct fx_explaining *e)
{
	const struct fx_value *dim = fx_explain_find(e, "dim");
	const struct fx_value *input = &e->bound[0];
	struct fx_spot spot = { .replay = e->spot.replay };
	struct fx_extent extent;
	int64_t at = dim && dim->kind == FX_VALUE_INT ? dim->integer : -1;
	uint64_t picked;
	uint32_t k = 0;
	struct fx_error *err;

	if (input->kind != FX_VALUE_NODE || (dim && dim->kind == FX_VALUE_NONE))
		return NULL;
	spot.node = input->node;
	err = fx_extent_of(fx_replay_value(spot.replay, spot.node), &extent);
	if (err)
		return err;
	/* msort has no dimension: it is the first. */
	if (!dim && strstr(e->spot.node->target, "msort"))
		at = 0;
	at += at < 0 ? extent.rank : 0;
	err = read_pick(e, &picked);
	for (uint32_t i = 0; i < extent.rank && !err; i++) {
		bool is_gone = e->extent.rank < extent.rank && i == at;
		uint64_t place = i == at ? picked : (uint64_t)e->place[k];

		spot.element = spot.element * (uint64_t)extent.sizes[i] + place;
		k += !is_gone;
	}
	if (!err)
		err = fx_walk_add_step(e->walk, &spot, FX_CAUSE_BLAMED);
	if (!err)
		fx_walk_last_step(e->walk)->argument =
			e->signature->parameters[0].name;
	return err;
}

static bool
trains(const struct fx_explaining *e)
{
	for (size_t i = 0; i < e->signature->count; i++) {
		const struct fx_value *value =
			fx_explain_plain(e, &e->bound[i]);

		if (!strcmp(e->signature->parameters[i].name, "training") &&
			value && value->kind == FX_VALUE_BOOL)
			return value->truth;
	}
	return false;
}

static struct fx_error *
add_by_family(struct fx_explaining *e)
{
	struct fx_error *err;

	if (e->formula->family == FX_FORMULA_PLACE)
		return add_moved(e, e->signature->parameters[0].name);
	if (e->formula->family == FX_FORMULA_PICK)
		return add_picked(e);
	if (e->formula->family == FX_FORMULA_RECURRENT)
		return fx_explain_add_recurrent(e);
	/* By the batch's own statistics, not by those that are kept. */
	if (e->formula->family == FX_FORMULA_CHANNEL && trains(e))
		return NULL;
	err = add_operands(e);
	if (!err && e->formula->fold != FX_FOLD_NONE)
		err = fx_explain_add_sum(e);
	return err;
}

/* Of an operation without a formula: what it gives may be one element of what
 * it is given as that is.
 */
static struct fx_error *
explain_moved(struct fx_walk *walk, const struct fx_extent *extent)
{
	struct fx_explaining e = {
		.walk = walk, .spot = walk->spot, .extent = *extent
	};
	struct fx_cause *cause = walk->cause;
	size_t count = cause->steps.count;
	struct fx_error *err;

	fx_replay_rewind(walk->spot.replay, walk->spot.node);
	err = add_moved(&e, "1");
	if (err && fx_error_code(err) == FX_ERR_INTERRUPTED)
		return err;
	fx_error_free(err);
	if (cause->steps.count == count)
		return NULL;
	if (!fx_str_equal(fx_walk_last_step(walk)->value,
		    cause->steps.items[0].value)) {
		struct fx_cause_step *step = fx_walk_last_step(walk);

		free(step->index);
		free(step->value);
		free(step->wanted);
		cause->steps.count--;
		return NULL;
	}
	cause->op = FX_OP_NONE;
	cause->formula = fx_formula_find("torch.reshape");
	return NULL;
}

static struct fx_error *
explain(struct fx_walk *walk, const struct fx_extent *extent)
{
	struct fx_explaining e = {
		.walk = walk, .spot = walk->spot, .extent = *extent
	};
	struct fx_node *node = walk->spot.node;
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_FREE struct fx_value *bound = NULL;
	struct fx_error *err;

	walk->cause->op = node->op;
	if (node->opcode == FX_OPCODE_PLACEHOLDER ||
		node->opcode == FX_OPCODE_GET_ATTR)
		return NULL;
	fx_walk_last_step(walk)->call = node->target;
	if (!node->op)
		return explain_moved(walk, extent);
	e.formula = walk->cause->formula =
		fx_formula_find_part(node->target, walk->spot.number);
	if (!e.formula)
		return explain_moved(walk, extent);
	fx_extent_unravel(extent, walk->spot.element, e.place);
	fx_replay_rewind(walk->spot.replay, node);
	e.signature = fx_signature_of((enum fx_op)node->op);
	e.bound = bound = fx_xcalloc(e.signature->count + 1, sizeof(*bound));
	err = fx_signature_bind(arena, e.signature,
		&(struct fx_call_values){
			node->target, node->args, node->kwargs },
		bound);
	return err ? err : add_by_family(&e);
}

static bool
has_formula(const struct fx_node *node)
{
	return node->op && fx_formula_find(node->target);
}

/* Whether NODE is a tensor of several that another gives. */
static bool
is_part(const struct fx_walk *walk, const struct fx_node *node)
{
	const struct fx_value *of =
		node->op == FX_OP_GETITEM ? fx_node_arg(node, 0) : NULL;
	const struct fx_value *index = of ? fx_node_arg(node, 1) : NULL;
	const struct fx_datum *datum;

	if (!index || of->kind != FX_VALUE_NODE ||
		index->kind != FX_VALUE_INT || index->integer < 0)
		return false;
	datum = fx_replay_value(walk->spot.replay, of->node);
	/* A flat tuple: the tensors before it are as many as the index says. */
	return datum && datum->kind != FX_DATUM_TENSOR &&
	       fx_datum_tensor_at(datum, (size_t)index->integer);
}

static size_t
count_tensors(const struct fx_walk *walk, const struct fx_node *node)
{
	const struct fx_datum *datum = fx_replay_value(walk->spot.replay, node);
	size_t count = 0;

	while (datum && fx_datum_tensor_at(datum, count))
		count++;
	return count;
}

/* The node that gives tensor number SPOT.NUMBER of VALUE, and which of its own
 * that is; NULL: none.  A part of what an operation gives is of the operation.
 */
static struct fx_node *
part_of(struct fx_walk *walk, const struct fx_value *value)
{
	size_t *number = &walk->spot.number;
	struct fx_node *node = NULL;

	for (size_t i = 0; i < fx_value_item_count(value) && !node; i++)
		node = part_of(walk, &value->items[i]);
	if (value->kind == FX_VALUE_NODE) {
		size_t count = count_tensors(walk, value->node);

		if (*number < count)
			node = value->node;
		else
			*number -= count;
	}
	while (node && is_part(walk, node)) {
		*number += (size_t)fx_node_arg(node, 1)->integer;
		node = fx_node_arg(node, 0)->node;
	}
	return node;
}

/* To the operation that gives what SPOT's layer gives, or the first on the way
 * there whose formula is known.
 */
static struct fx_error *
go_inside(struct fx_walk *walk)
{
	struct fx_error *err = NULL;
	bool entered = true;

	while (!err && entered && !has_formula(walk->spot.node)) {
		struct fx_node *output;

		fx_replay_rewind(walk->spot.replay, walk->spot.node);
		err = fx_walk_enter(walk, &entered);
		if (err || !entered)
			break;
		output = walk->spot.node;
		walk->spot.node = part_of(walk, &output->args.items[0]);
		if (!walk->spot.node)
			walk->spot.node = output;
		entered = walk->spot.node != output &&
			  walk->spot.node->opcode != FX_OPCODE_PLACEHOLDER;
	}
	return err;
}

/* From the output to the node that gives it this. */
static void
go_to_giver(struct fx_walk *walk)
{
	struct fx_node *node = part_of(walk, &walk->spot.node->args.items[0]);

	if (node)
		walk->spot.node = node;
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
	if (!err && walk.spot.node->opcode == FX_OPCODE_OUTPUT)
		go_to_giver(&walk);
	ret->is_set =
		!walk.spot.written && fx_walk_is_set(&walk, walk.spot.node);
	if (!err && !ret->is_set)
		err = go_inside(&walk);
	if (!err && !ret->is_set)
		err = explain(&walk, &extent);
	fx_walk_leave_all(&walk);
	return err;
}

/* torch_plain.c - what needs no operator: sizes, tuples, Python's arithmetic.
 *
 * The rules of src/meta know all of that.  A tensor among the arguments is a
 * metadata value for them; where it comes out unchanged, as from a tuple, it
 * is that tensor again.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/vec.h"
#include "guest/torch_private.h"
#include "ir/fold.h"
#include "ir/tensor_meta.h"
#include "meta/propagate.h"

/* Which metadata stands for which datum. */
struct known {
	const struct fx_tensor_meta *meta;
	struct fx_datum *datum;
};

struct walk {
	struct fx_arena *arena;
	FX_VEC(struct known) known;
};

static struct fx_value value_of(struct walk *walk, struct fx_datum *datum);

static struct fx_value
items_value(struct walk *walk, struct fx_datum *datum)
{
	size_t count = fx_datum_item_count(datum);
	struct fx_value *items =
		FX_ARENA_ARRAY(walk->arena, struct fx_value, count);

	for (size_t i = 0; i < count; i++)
		items[i] = value_of(walk, datum->items[i]);
	switch ((enum fx_datum_kind)datum->kind) {
	case FX_DATUM_DICT:
		return fx_value_dict(walk->arena, items, datum->count);
	case FX_DATUM_LIST:
		return fx_value_sequence(walk->arena, FX_VALUE_LIST, items,
			count);
	case FX_DATUM_SIZE:
		return fx_value_sequence(walk->arena, FX_VALUE_SIZE, items,
			count);
	default:
		return fx_value_sequence(walk->arena, FX_VALUE_TUPLE, items,
			count);
	}
}

static struct fx_value
value_of(struct walk *walk, struct fx_datum *datum)
{
	struct fx_value value;

	if (fx_datum_is_sequence(datum) || datum->kind == FX_DATUM_DICT)
		return items_value(walk, datum);
	value = fx_datum_to_value(walk->arena, datum);
	if (value.kind == FX_VALUE_TENSOR) {
		struct known known = { value.tensor, datum };

		fx_vec_push(&walk->known, known);
	}
	return value;
}

static struct fx_error *datum_of(const struct walk *walk,
	const struct fx_value *value, struct fx_datum **ret);

static struct fx_error *
datum_of_items(const struct walk *walk, const struct fx_value *value,
	enum fx_datum_kind kind, struct fx_datum **ret)
{
	/* A named tuple is run as the tuple of its fields. */
	size_t skip = value->kind == FX_VALUE_NAMEDTUPLE;
	size_t count = fx_value_item_count(value) - skip;
	struct fx_datum **items = fx_xcalloc(count, sizeof(*items));
	struct fx_error *err = NULL;
	size_t done = 0;

	while (done < count && !err) {
		err = datum_of(walk, &value->items[done + skip], &items[done]);
		done += !err;
	}
	if (err)
		for (size_t i = 0; i < done; i++)
			fx_datum_unref(items[i]);
	else
		*ret = fx_datum_items_take(kind, items,
			kind == FX_DATUM_DICT ? count / 2 : count);
	free(items);
	return err;
}

static struct fx_error *
datum_of_tensor(const struct walk *walk, const struct fx_value *value,
	struct fx_datum **ret)
{
	for (size_t i = 0; i < walk->known.count; i++)
		if (walk->known.items[i].meta == value->tensor) {
			*ret = fx_datum_ref(walk->known.items[i].datum);
			return NULL;
		}
	return fx_error_new(FX_ERR_UNSUPPORTED,
		"only Python knows what tensor comes out of that");
}

static struct fx_error *
datum_of(const struct walk *walk, const struct fx_value *value,
	struct fx_datum **ret)
{
	switch (value->kind) {
	case FX_VALUE_TENSOR:
		return datum_of_tensor(walk, value, ret);
	case FX_VALUE_UNKNOWN:
		return fx_error_new(FX_ERR_UNSUPPORTED, "%s",
			value->text ? value->text : "nothing is known of it");
	case FX_VALUE_TUPLE:
	case FX_VALUE_NAMEDTUPLE:
		return datum_of_items(walk, value, FX_DATUM_TUPLE, ret);
	case FX_VALUE_LIST:
		return datum_of_items(walk, value, FX_DATUM_LIST, ret);
	case FX_VALUE_SIZE:
		return datum_of_items(walk, value, FX_DATUM_SIZE, ret);
	case FX_VALUE_DICT:
		return datum_of_items(walk, value, FX_DATUM_DICT, ret);
	default:
		*ret = fx_datum_from_value(value);
		return NULL;
	}
}

/* What an assertion or a branch must see of a tensor's value. */
static struct fx_error *
truth_of_tensors(struct walk *walk, struct fx_value *value)
{
	for (size_t i = 0; i < walk->known.count; i++) {
		const struct known *known = &walk->known.items[i];
		struct fx_error *err;
		bool truth;

		if (value->kind != FX_VALUE_TENSOR ||
			known->meta != value->tensor)
			continue;
		err = fx_datum_truth(known->datum, &truth);
		if (err)
			return err;
		*value = fx_value_bool(truth);
	}
	return NULL;
}

/* The condition is the first of ARGS, a tensor's truth read. */
static struct fx_error *
check_assertion(struct walk *walk, const struct fx_value *args)
{
	const char *why = "it is false";
	struct fx_value condition;
	struct fx_error *err;

	if (!args->count)
		return NULL;
	condition = args->items[0];
	err = truth_of_tensors(walk, &condition);
	if (err || condition.kind != FX_VALUE_BOOL || condition.truth)
		return err;
	if (args->count > 1 && args->items[1].kind == FX_VALUE_STRING)
		why = args->items[1].text;
	return fx_error_new(FX_ERR_CHECK, "an assertion of the model: %s", why);
}

static struct fx_value
keywords_of(struct walk *walk, const struct fx_torch_plan *plan,
	struct fx_datum *const *data)
{
	size_t count = plan->keyword_count;
	struct fx_value *items =
		FX_ARENA_ARRAY(walk->arena, struct fx_value, 2 * count);

	for (size_t i = 0; i < count; i++) {
		items[2 * i] = fx_value_string(plan->keywords[i]);
		items[2 * i + 1] = value_of(walk, data[i]);
	}
	return fx_value_dict(walk->arena, items, count);
}

/* Python's own answer, which leaves tensors what they are, else metadata's. */
static struct fx_error *
evaluate(struct fx_torch *torch, const struct fx_torch_plan *plan,
	const struct fx_meta_call *call, struct fx_value *ret)
{
	struct fx_arena *arena = torch->scratch;
	const struct fx_value *args = call->args.items;
	size_t count = call->args.count;
	struct fx_error *err;

	if (plan->target.way == FX_TORCH_GETITEM && count == 2)
		return fx_fold_subscript(arena, &args[0], &args[1], ret);
	for (size_t i = 0; i < count; i++)
		if (args[i].kind == FX_VALUE_TENSOR)
			return fx_meta_eval(torch->meta, arena, call, ret);
	if (plan->opcode == FX_OPCODE_CALL_METHOD || call->kwargs.count)
		return fx_meta_eval(torch->meta, arena, call, ret);
	err = fx_fold_call(arena, fx_op_info(call->op)->spelling, args, count,
		ret);
	if (!err || fx_error_code(err) != FX_ERR_UNSUPPORTED)
		return err;
	fx_error_free(err);
	return fx_meta_eval(torch->meta, arena, call, ret);
}

/* The call that PLAN and DATA are, about metadata. */
static struct fx_meta_call
call_of(struct walk *walk, const struct fx_torch_plan *plan,
	struct fx_datum *const *data)
{
	struct fx_meta_call call = {
		.opcode = plan->opcode,
		.target = plan->call_target,
		.op = fx_op_of_target(plan->opcode, plan->call_target),
		.graph = plan->graph,
	};
	size_t positional = plan->count - plan->keyword_count;
	struct fx_value *items =
		FX_ARENA_ARRAY(walk->arena, struct fx_value, positional);

	for (size_t i = 0; i < positional; i++)
		items[i] = value_of(walk, data[i]);
	call.args = fx_value_sequence(walk->arena, FX_VALUE_TUPLE, items,
		positional);
	call.kwargs = keywords_of(walk, plan, data + positional);
	return call;
}

struct fx_error *
fx_torch_plain(struct fx_torch *torch, const struct fx_torch_plan *plan,
	struct fx_datum *const *data, struct fx_datum **ret)
{
	struct walk walk = { .arena = torch->scratch };
	struct fx_meta_call call = call_of(&walk, plan, data);
	struct fx_value result;
	struct fx_error *err = NULL;

	if (fx_op_info(call.op)->traits & FX_OP_ASSERTS)
		err = check_assertion(&walk, &call.args);
	if (!err)
		err = evaluate(torch, plan, &call, &result);
	if (!err)
		err = fx_datum_check_value(&result);
	if (!err)
		err = datum_of(&walk, &result, ret);
	fx_vec_deinit(&walk.known);
	return err;
}

bool
fx_torch_is_misfit(struct fx_torch *torch, const struct fx_torch_plan *plan,
	struct fx_datum *const *data)
{
	struct walk walk = { .arena = torch->scratch };
	struct fx_meta_call call = call_of(&walk, plan, data);
	struct fx_value result;
	FX_AUTO_ERROR struct fx_error *err =
		fx_meta_eval(torch->meta, walk.arena, &call, &result);

	fx_vec_deinit(&walk.known);
	return err && fx_error_code(err) == FX_ERR_SHAPE;
}

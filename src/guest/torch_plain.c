/* torch_plain.c - what needs no operator: sizes, tuples, Python's arithmetic.
 *
 * The rules of src/meta know all of that.  A tensor among the arguments is a
 * metadata value for them; where it comes out unchanged, as from a tuple, it
 * is that tensor again.
 */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "guest/torch_private.h"
#include "ir/fold.h"
#include "ir/tensor_meta.h"
#include "ir/value_class.h"
#include "ir/value_walk.h"
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

/* A HELD leaf as metadata, and noted which. */
static struct fx_value
leaf_value(void *context, const struct fx_value *leaf)
{
	struct walk *walk = context;
	struct fx_datum *held = fx_datum_held(leaf);
	struct known known = { NULL, held };
	struct fx_value value;

	if (!held)
		return fx_value_plain(leaf);
	value = fx_datum_to_value(walk->arena, held);
	if (value.kind == FX_VALUE_TENSOR) {
		known.meta = value.tensor;
		fx_vec_push(&walk->known, known);
	}
	return value;
}

static struct fx_value
value_of(struct walk *walk, const struct fx_datum *datum)
{
	return fx_value_map(walk->arena, &datum->value, leaf_value, walk);
}

/* And back: VALUE with the tensors that it came from, in the arena; a named
 * tuple is run as the tuple of its fields.
 */
static struct fx_error *
restore(const struct walk *walk, struct fx_value *value)
{
	size_t count;
	struct fx_value *items;
	struct fx_error *err = NULL;

	for (size_t i = 0; i < walk->known.count; i++)
		if (value->kind == FX_VALUE_TENSOR &&
			walk->known.items[i].meta == value->tensor)
			*value = walk->known.items[i].datum->value;
	if (value->kind == FX_VALUE_TENSOR)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"only Python knows what tensor comes out of that");
	if (value->kind == FX_VALUE_UNKNOWN)
		return fx_error_new(FX_ERR_UNSUPPORTED, "%s",
			value->text ? fx_value_why(value)
				    : "nothing is known of it");
	if (value->kind == FX_VALUE_NAMEDTUPLE)
		*value = fx_value_sequence(walk->arena, FX_VALUE_TUPLE,
			value->items + 1, value->count);
	count = fx_value_item_count(value);
	if (!count)
		return NULL;
	items = FX_ARENA_ARRAY(walk->arena, struct fx_value, count);
	memcpy(items, value->items, count * sizeof(*items));
	for (size_t i = 0; i < count && !err; i++)
		err = restore(walk, &items[i]);
	value->items = items;
	return err;
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

/* The condition, where OP has one, is the first of ARGS, a tensor's truth read.
 */
static struct fx_error *
check_assertion(struct walk *walk, enum fx_op op, const struct fx_value *args)
{
	const char *why = "it is false";
	struct fx_value condition;
	struct fx_error *err;

	if (!args->count ||
		!fx_str_starts(fx_op_info(op)->signature, "condition"))
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

/* Compute the result as Python does, which passes tensors inside containers on
 * as they are.  If that is not possible, compute the result from metadata.
 */
static struct fx_error *
evaluate(struct fx_torch *torch, const struct fx_torch_plan *plan,
	const struct fx_meta_call *call, struct fx_value *ret)
{
	struct fx_arena *arena = torch->scratch;
	struct fx_meta *shapes = fx_backend_shapes(torch->backend);
	const struct fx_value *args = call->args.items;
	size_t count = call->args.count;
	struct fx_error *err;

	if (plan->target.way == FX_TORCH_GETITEM && count == 2)
		return fx_fold_subscript(arena, &args[0], &args[1], ret);
	for (size_t i = 0; i < count; i++)
		if (args[i].kind == FX_VALUE_TENSOR)
			return fx_meta_eval(shapes, arena, call, ret);
	if (plan->opcode == FX_OPCODE_CALL_METHOD || call->kwargs.count)
		return fx_meta_eval(shapes, arena, call, ret);
	err = fx_fold_call(arena, fx_op_info(call->op)->spelling, args, count,
		ret);
	if (!err || fx_error_code(err) != FX_ERR_UNSUPPORTED)
		return err;
	fx_error_free(err);
	return fx_meta_eval(shapes, arena, call, ret);
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

/* What only Python understands may be a tuple or a number there; of classes
 * of the user's it knows the methods.
 */
static struct fx_error *
check_known(const struct fx_torch_plan *plan, struct fx_datum *const *data)
{
	bool is_item = plan->target.way == FX_TORCH_GETITEM && plan->count &&
		       fx_datum_is(data[0], FX_VALUE_TUPLE);

	for (size_t i = 0; i < plan->count; i++)
		if (data[i]->kind == FX_DATUM_HANDLE ||
			(fx_value_is_users(&data[i]->value) && !is_item))
			return fx_error_new(FX_ERR_UNSUPPORTED,
				"only Python knows what %s gives of that",
				plan->call_target);
	return NULL;
}

struct fx_error *
fx_torch_plain(struct fx_torch *torch, const struct fx_torch_plan *plan,
	struct fx_datum *const *data, struct fx_datum **ret)
{
	struct walk walk = { .arena = torch->scratch };
	struct fx_meta_call call = call_of(&walk, plan, data);
	struct fx_value result;
	struct fx_error *err = check_known(plan, data);

	if (!err && fx_op_info(call.op)->traits & FX_OP_ASSERTS)
		err = check_assertion(&walk, call.op, &call.args);
	if (!err)
		err = evaluate(torch, plan, &call, &result);
	if (!err)
		err = fx_datum_check(&result);
	if (!err)
		err = restore(&walk, &result);
	if (!err)
		*ret = fx_datum_from_value(&result);
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
		fx_meta_eval(fx_backend_shapes(torch->backend), walk.arena,
			&call, &result);

	fx_vec_deinit(&walk.known);
	return err && fx_error_code(err) == FX_ERR_SHAPE;
}

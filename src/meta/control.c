/* control.c - the metadata of cond and while_loop: what both branches give,
 * what a turn leaves as it was.
 */
#include <config.h>

#include "meta/control.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "ir/control.h"
#include "ir/fold.h"
#include "ir/graph.h"
#include "ir/tensor_meta.h"
#include "ir/value_text.h"
#include "meta/eval_private.h"

static struct fx_value
differ(const struct fx_value *a, const struct fx_value *b)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_buf_add(&text, "it may be ");
	fx_value_print_shape(&text, a, false);
	fx_buf_add(&text, " or ");
	fx_value_print_shape(&text, b, false);
	return fx_fold_unknown(fx_intern(fx_buf_text(&text)));
}

struct fx_value
fx_meta_agree(struct fx_arena *arena, const struct fx_value *a,
	const struct fx_value *b)
{
	struct fx_value *items;

	if (a->kind == FX_VALUE_UNKNOWN)
		return *a;
	if (fx_meta_says_the_same(a, b))
		return *a;
	if (b->kind == FX_VALUE_UNKNOWN)
		return *b;
	if (!fx_value_is_sequence(a) || a->kind != b->kind ||
		a->count != b->count)
		return differ(a, b);
	items = FX_ARENA_ARRAY(arena, struct fx_value, a->count);
	for (uint32_t i = 0; i < a->count; i++)
		items[i] = fx_meta_agree(arena, &a->items[i], &b->items[i]);
	return fx_value_sequence(arena, (enum fx_value_kind)a->kind, items,
		a->count);
}

/* Whether a place that had A may have B: tensors are alike, numbers are not
 * asked, as they differ from turn to turn.
 */
static bool
fits(const struct fx_value *a, const struct fx_value *b)
{
	if (fx_value_is_sequence(a) && fx_value_is_sequence(b)) {
		for (uint32_t i = 0; i < a->count && i < b->count; i++)
			if (!fits(&a->items[i], &b->items[i]))
				return false;
		return a->count == b->count;
	}
	if (a->kind == FX_VALUE_TENSOR && b->kind == FX_VALUE_TENSOR)
		return fx_meta_says_the_same(a, b);
	return a->kind != FX_VALUE_TENSOR && b->kind != FX_VALUE_TENSOR &&
	       !fx_value_is_sequence(a) && !fx_value_is_sequence(b);
}

static bool
is_known(const struct fx_value *value)
{
	return !fx_fold_has(value, FX_VALUE_UNKNOWN);
}

/* The two results of CALL's graphs are what torch wants of them. */
static struct fx_error *
check_fits(const struct fx_meta_call *call, const struct fx_value *first,
	const struct fx_value *second)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	if (!is_known(first) || !is_known(second) || fits(first, second))
		return NULL;
	fx_value_print_shape(&text, first, false);
	fx_buf_add(&text, fx_control_loops(call->node)
				  ? ", and its body gives "
				  : " in one branch, and in the other ");
	fx_value_print_shape(&text, second, false);
	return fx_error_new(FX_ERR_SHAPE, "%s %s",
		fx_control_loops(call->node) ? "is carried" : "gives",
		fx_buf_text(&text));
}

/* What a condition gives is one bool. */
static struct fx_error *
check_condition(const struct fx_value *result)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	if (result->kind == FX_VALUE_BOOL || result->kind == FX_VALUE_SYMBOL ||
		!is_known(result))
		return NULL;
	if (result->kind == FX_VALUE_TENSOR &&
		result->tensor->dtype == FX_DTYPE_BOOL &&
		(!result->tensor->has_shape || !result->tensor->rank))
		return NULL;
	fx_value_print_shape(&text, result, false);
	return fx_error_new(FX_ERR_SHAPE,
		"its condition gives %s, which is no single bool",
		fx_buf_text(&text));
}

/* What CALL has for parameter INDEX, or NULL. */
static const struct fx_value *
given(const struct fx_meta_call *call, size_t index)
{
	if (index < call->args.count)
		return &call->args.items[index];
	if (call->kwargs.kind != FX_VALUE_DICT)
		return NULL;
	return fx_value_dict_get(&call->kwargs,
		fx_control_parameter(call->node, index));
}

/* The items of what CALL has for parameter INDEX are inputs from COUNT on;
 * false when these are not known.
 */
static bool
add_inputs(const struct fx_meta_call *call, size_t index,
	const struct fx_value **inputs, size_t *count)
{
	const struct fx_value *value = given(call, index);

	if (!value)
		return true;
	if (!fx_value_is_sequence(value))
		return false;
	for (uint32_t i = 0; i < value->count; i++)
		inputs[(*count)++] = &value->items[i];
	return true;
}

static size_t
input_count(const struct fx_meta_call *call, size_t index)
{
	const struct fx_value *value = given(call, index);

	return value && fx_value_is_sequence(value) ? value->count : 0;
}

struct fx_error *
fx_meta_eval_control(struct fx_meta *meta, struct fx_arena *arena,
	const struct fx_meta_call *call, struct fx_value *ret)
{
	bool loops = fx_control_loops(call->node);
	size_t first = loops ? FX_LOOP_CARRIED : FX_BRANCH_OPERANDS;
	size_t carried = input_count(call, first);
	const struct fx_value **inputs =
		FX_ARENA_ARRAY(arena, const struct fx_value *,
			carried + input_count(call, FX_LOOP_ADDITIONAL) + 1);
	struct fx_size_conditions *conditions = meta->conditions;
	struct fx_graph *graphs[2];
	struct fx_value results[2];
	size_t count = 0;
	struct fx_error *err = fx_control_need(call->node, graphs);

	if (err)
		return err;
	if (!add_inputs(call, first, inputs, &count) ||
		(loops && !add_inputs(call, FX_LOOP_ADDITIONAL, inputs,
				  &count))) {
		*ret = fx_fold_unknown("what the graphs are given is not "
				       "known");
		return NULL;
	}
	meta->conditions = NULL;
	for (size_t i = 0; i < 2 && !err; i++) {
		err = fx_control_check(call->node, graphs[i], count);
		if (!err)
			err = fx_meta_eval_graph(meta, arena, graphs[i], inputs,
				&results[i]);
	}
	meta->conditions = conditions;
	if (err)
		return err;
	if (loops && meta->is_strict)
		err = check_condition(&results[0]);
	if (err)
		return err;
	if (loops) {
		struct fx_value *items =
			FX_ARENA_ARRAY(arena, struct fx_value, carried);

		for (size_t i = 0; i < carried; i++)
			items[i] = *inputs[i];
		results[0] = fx_value_sequence(arena, FX_VALUE_TUPLE, items,
			carried);
		if (results[1].kind == FX_VALUE_LIST)
			results[1].kind = FX_VALUE_TUPLE;
	}
	if (meta->is_strict)
		err = check_fits(call, &results[0], &results[1]);
	if (err)
		return err;
	*ret = fx_meta_agree(arena, &results[0], &results[1]);
	return NULL;
}

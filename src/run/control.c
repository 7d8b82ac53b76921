/* control.c - cond, while_loop and what calls a graph: their arguments and
 * results, and running their graphs as one node.
 */
#include <config.h>

#include "run/control.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "ir/control.h"
#include "ir/value_text.h"
#include "meta/control.h"
#include "run/backend.h"
#include "run/interp.h"
#include "run/plan_private.h"
#include "run/values.h"

/* --- what graphs are given ------------------------------------------------ */

void
fx_operands_deinit(struct fx_operands *operands)
{
	for (size_t i = 0; i < operands->count; i++)
		fx_datum_unref(operands->items[i]);
	free(operands->items);
	*operands = (struct fx_operands){ .count = 0 };
}

struct fx_operands
fx_operands_dup(const struct fx_operands *operands)
{
	struct fx_operands copy = *operands;

	copy.items = fx_xcalloc(copy.count, sizeof(struct fx_datum *));
	for (size_t i = 0; i < copy.count; i++)
		copy.items[i] = fx_datum_ref(operands->items[i]);
	return copy;
}

static bool
is_sequence(const struct fx_datum *datum)
{
	return datum->kind == FX_DATUM_VALUE &&
	       fx_value_is_sequence(&datum->value);
}

static void
describe(struct fx_buf *out, const struct fx_datum *datum)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value value = fx_datum_to_value(arena, datum);

	if (value.kind == FX_VALUE_TENSOR)
		fx_value_print_shape(out, &value, false);
	else
		fx_buf_addf(out, "%s", fx_datum_kind_name(datum));
}

static size_t
item_count(const struct fx_datum *datum)
{
	return datum ? datum->value.count : 0;
}

struct fx_error *
fx_operands_make(const struct fx_node *node, struct fx_datum *carried,
	struct fx_datum *more, struct fx_operands *ret)
{
	struct fx_datum *lists[] = { carried, more };

	*ret = (struct fx_operands){ .count = 0 };
	for (size_t i = 0; i < 2; i++) {
		FX_AUTO_BUF struct fx_buf text = { 0 };

		if (!lists[i] || is_sequence(lists[i]))
			continue;
		describe(&text, lists[i]);
		return fx_error_new(FX_ERR_TYPE,
			"what %%%s gives its graphs has to be a tuple, it is "
			"%s",
			node->name, fx_buf_text(&text));
	}
	ret->items = fx_xcalloc(item_count(carried) + item_count(more),
		sizeof(struct fx_datum *));
	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < item_count(lists[i]); j++)
			ret->items[ret->count++] = fx_datum_part(lists[i],
				&lists[i]->value.items[j]);
	ret->carried = item_count(carried);
	return NULL;
}

struct fx_error *
fx_operands_carry(const struct fx_node *node, struct fx_operands *operands,
	struct fx_datum *result)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	if (!is_sequence(result)) {
		describe(&text, result);
		return fx_error_new(FX_ERR_TYPE,
			"the body of %%%s has to give a tuple, it gives %s",
			node->name, fx_buf_text(&text));
	}
	if (result->value.count != operands->carried)
		return fx_error_new(FX_ERR_TYPE,
			"the body of %%%s gives %u value%s, and %zu %s carried",
			node->name, result->value.count,
			result->value.count == 1 ? "" : "s", operands->carried,
			operands->carried == 1 ? "is" : "are");
	for (size_t i = 0; i < operands->carried; i++) {
		fx_datum_unref(operands->items[i]);
		operands->items[i] =
			fx_datum_part(result, &result->value.items[i]);
	}
	return NULL;
}

struct fx_error *
fx_operands_result(const struct fx_operands *operands,
	struct fx_backend *backend, bool has_turned, struct fx_datum **ret)
{
	struct fx_operands given = fx_operands_dup(operands);
	struct fx_error *err = NULL;

	for (size_t i = 0; i < given.carried && !has_turned && !err; i++)
		err = fx_datum_make_own(backend, &given.items[i]);
	if (!err)
		*ret = fx_datum_items_take(FX_VALUE_TUPLE, given.items,
			given.carried);
	for (size_t i = err ? 0 : given.carried; i < given.count; i++)
		fx_datum_unref(given.items[i]);
	free(given.items);
	return err;
}

/* --- the predicate -------------------------------------------------------- */

static bool
is_predicate(const struct fx_node *node, const struct fx_datum *datum)
{
	struct fx_extent extent;
	struct fx_error *err;

	if (fx_datum_is(datum, FX_VALUE_BOOL) ||
		fx_datum_is(datum, FX_VALUE_UNKNOWN) ||
		fx_datum_is(datum, FX_VALUE_SYMBOL))
		return true;
	if (datum->kind != FX_DATUM_TENSOR)
		return false;
	err = fx_extent_of(datum, &extent);
	fx_error_free(err);
	if (err)
		return true;
	if (fx_control_loops(node))
		return !extent.rank && extent.dtype == FX_DTYPE_BOOL;
	return extent.count == 1;
}

struct fx_error *
fx_control_truth(const struct fx_node *node, const struct fx_datum *predicate,
	bool *ret)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const char *name = node->name;

	if (is_predicate(node, predicate))
		return fx_datum_truth(predicate, ret);
	describe(&text, predicate);
	if (fx_control_loops(node))
		return fx_error_new(FX_ERR_TYPE,
			"the condition of %%%s has to give a bool or a b8[], "
			"it gives %s",
			name, fx_buf_text(&text));
	return fx_error_new(FX_ERR_TYPE,
		"the predicate of %%%s has to be a bool or a tensor of one "
		"element, it is %s",
		name, fx_buf_text(&text));
}

/* --- as one node ---------------------------------------------------------- */

/* A cond or while_loop that is called: its graphs, the plans of their nodes,
 * kept from turn to turn, and what they are given.
 */
struct control {
	const struct fx_plan_call *call;
	struct fx_graph *graphs[2];
	struct fx_plans plans[2];
	struct fx_operands operands;
};

static void
control_deinit(struct control *control)
{
	fx_operands_deinit(&control->operands);
	for (size_t i = 0; i < 2; i++)
		fx_plans_deinit(&control->plans[i]);
}
FX_DEFINE_DEINIT(control, struct control, control_deinit);

/* What CALL has for parameter INDEX, borrowed, or NULL. */
static struct fx_datum *
given(const struct fx_plan_call *call, size_t index)
{
	const struct fx_plan *plan = call->plan;
	size_t positional = plan->count - plan->keyword_count;
	const char *name = fx_control_parameter(call->node, index);

	if (index < positional)
		return call->data[index];
	for (size_t i = 0; i < plan->keyword_count; i++)
		if (plan->keywords[i] == name)
			return call->data[positional + i];
	return NULL;
}

static struct fx_error *
run_graph(struct control *control, size_t index, struct fx_datum **ret)
{
	const struct fx_plans *outer = control->call->plans;
	const struct fx_arguments arguments = {
		.items = control->operands.items,
		.count = control->operands.count,
		.watch = outer->watch,
		.plans = &control->plans[index],
		.is_nested = true,
		.ticker = outer->ticker,
	};

	return fx_interp_call(outer->backend, control->graphs[index],
		&arguments, outer->depth + 1, ret);
}

/* Where values are not known: what A and B agree on. */
static struct fx_error *
agree(struct fx_datum *a, struct fx_datum *b, struct fx_datum **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value left = fx_datum_to_value(arena, a);
	struct fx_value right = fx_datum_to_value(arena, b);
	struct fx_value both = fx_meta_agree(arena, &left, &right);

	return fx_datum_of_value(&both, ret);
}

static struct fx_error *
run_both(struct control *control, struct fx_datum **ret)
{
	FX_AUTO_DATUM struct fx_datum *yes = NULL;
	FX_AUTO_DATUM struct fx_datum *no = NULL;
	struct fx_error *err = run_graph(control, 0, &yes);

	if (!err)
		err = run_graph(control, 1, &no);
	return err ? err : agree(yes, no, ret);
}

static struct fx_error *
run_branch(struct control *control, struct fx_datum **ret)
{
	const struct fx_plan_call *call = control->call;
	struct fx_datum *predicate = given(call, FX_BRANCH_PREDICATE);
	bool truth = false;
	struct fx_error *err;

	if (!predicate)
		return fx_error_new(FX_ERR_TYPE, "%%%s has no predicate",
			call->node->name);
	err = fx_control_truth(call->node, predicate, &truth);
	if (err && fx_error_code(err) == FX_ERR_NOT_KNOWN &&
		!call->plans->backend->ops->has_values) {
		fx_error_free(err);
		return run_both(control, ret);
	}
	return err ? err : run_graph(control, !truth, ret);
}

/* One turn, if the condition holds. */
static struct fx_error *
take_turn(struct control *control, bool *holds_ret)
{
	FX_AUTO_DATUM struct fx_datum *condition = NULL;
	FX_AUTO_DATUM struct fx_datum *result = NULL;
	const struct fx_node *node = control->call->node;
	struct fx_error *err = run_graph(control, 0, &condition);

	if (!err)
		err = fx_control_truth(node, condition, holds_ret);
	if (err || !*holds_ret)
		return err;
	err = run_graph(control, 1, &result);
	return err ? err : fx_operands_carry(node, &control->operands, result);
}

static struct fx_error *
run_loop(struct control *control, struct fx_datum **ret)
{
	struct fx_backend *backend = control->call->plans->backend;
	bool holds = true;
	size_t turns = 0;

	while (holds) {
		struct fx_error *err = take_turn(control, &holds);

		if (err)
			return err;
		turns += holds;
	}
	return fx_operands_result(&control->operands, backend, turns > 0, ret);
}

/* Run one turn of a loop without values, and set *RET to what the carried
 * values before and after the turn agree on.
 */
static struct fx_error *
run_loop_once(struct control *control, struct fx_datum **ret)
{
	FX_AUTO_DATUM struct fx_datum *condition = NULL;
	FX_AUTO_DATUM struct fx_datum *before = NULL;
	FX_AUTO_DATUM struct fx_datum *after = NULL;
	FX_AUTO_DATUM struct fx_datum *result = NULL;
	struct fx_backend *backend = control->call->plans->backend;
	struct fx_error *err = run_graph(control, 0, &condition);

	if (!err)
		err = fx_operands_result(&control->operands, backend, true,
			&before);
	if (!err)
		err = run_graph(control, 1, &result);
	if (!err)
		err = fx_operands_carry(control->call->node, &control->operands,
			result);
	if (!err)
		err = fx_operands_result(&control->operands, backend, true,
			&after);
	return err ? err : agree(before, after, ret);
}

static struct fx_error *
prepare(struct control *control, const struct fx_plan_call *call)
{
	bool loops = fx_control_loops(call->node);
	struct fx_error *err = fx_control_need(call->node, control->graphs);

	control->call = call;
	if (!err)
		err = fx_operands_make(call->node,
			given(call,
				loops ? FX_LOOP_CARRIED : FX_BRANCH_OPERANDS),
			loops ? given(call, FX_LOOP_ADDITIONAL) : NULL,
			&control->operands);
	for (size_t i = 0; i < 2 && !err; i++) {
		fx_plans_init(&control->plans[i], call->plans->backend);
		err = fx_control_check(call->node, control->graphs[i],
			control->operands.count);
	}
	return err;
}

struct fx_error *
fx_plan_control(const struct fx_plan_call *call, struct fx_datum **ret)
{
	FX_AUTO(control) struct control control = { .call = NULL };
	struct fx_error *err;

	if (fx_control_calls(call->node)) {
		err = fx_control_need(call->node, control.graphs);
		return err ? err : fx_plan_nested(call, control.graphs[0], ret);
	}
	err = prepare(&control, call);
	if (err)
		return err;
	if (!fx_control_loops(call->node))
		return run_branch(&control, ret);
	return call->plans->backend->ops->has_values
		       ? run_loop(&control, ret)
		       : run_loop_once(&control, ret);
}

/* --- opened --------------------------------------------------------------- */

static struct fx_error *
open_branch(struct control *control, const struct fx_entry *entry,
	struct fx_opened *ret)
{
	const struct fx_node *node = control->call->node;
	struct fx_datum *predicate = given(control->call, FX_BRANCH_PREDICATE);
	bool truth = false;
	struct fx_error *err =
		predicate ? fx_control_truth(node, predicate, &truth) : NULL;

	if (err)
		return err;
	if (entry->graph && entry->graph != control->graphs[!truth])
		return fx_error_new(FX_ERR_NOT_RUN,
			"%%%s took its other branch", node->name);
	fx_opened_fill(ret, control->graphs[!truth], control->operands.items,
		control->operands.count);
	return NULL;
}

/* Take the turns before the one that ENTRY means; what that is given is *RET.
 */
static struct fx_error *
open_turn(struct control *control, const struct fx_entry *entry,
	struct fx_opened *ret)
{
	FX_AUTO_OPERANDS struct fx_operands last = { .count = 0 };
	bool in_condition = entry->graph && entry->graph == control->graphs[0];
	size_t turn = 1;
	bool holds = true;

	for (;;) {
		struct fx_operands now;
		struct fx_error *err;

		if (entry->turn == turn)
			break;
		now = fx_operands_dup(&control->operands);
		err = take_turn(control, &holds);
		if (err || holds) {
			fx_operands_deinit(&last);
			last = now;
		} else {
			fx_operands_deinit(&now);
		}
		if (err)
			return err;
		if (!holds)
			break;
		turn++;
	}
	/* The condition was asked once more than the body was run. */
	if (!holds && !in_condition) {
		fx_operands_deinit(&control->operands);
		control->operands = last;
		last = (struct fx_operands){ .count = 0 };
		turn--;
	}
	if (!turn)
		return entry->graph ? fx_error_new(FX_ERR_NOT_RUN,
					      "%%%s took no turn",
					      control->call->node->name)
				    : NULL;
	fx_opened_fill(ret, control->graphs[!in_condition],
		control->operands.items, control->operands.count);
	ret->turn = turn;
	ret->carried = turn > 1 ? control->operands.carried : 0;
	return NULL;
}

struct fx_error *
fx_plan_open_control(const struct fx_plan_call *call,
	const struct fx_entry *entry, struct fx_opened *ret)
{
	FX_AUTO(control) struct control control = { .call = NULL };
	struct fx_error *err;

	if (fx_control_calls(call->node)) {
		err = fx_control_need(call->node, control.graphs);
		return err ? err : fx_plan_open(call, ret);
	}
	err = prepare(&control, call);
	if (err)
		return err;
	ret->is_nested = true;
	return fx_control_loops(call->node) ? open_turn(&control, entry, ret)
					    : open_branch(&control, entry, ret);
}

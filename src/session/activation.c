/* activation.c - entering and leaving nested graphs, and what placeholders get.
 */
#include <config.h>

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "ir/control.h"
#include "ir/tensor_meta.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/fallback.h"
#include "session/activation.h"
#include "session/made_up.h"
#include "session/session_private.h"

/* --- nested graphs ------------------------------------------------------ */

/* What CALL gives GRAPH, null where a default will do. */
static struct fx_error *
gather_arguments(const struct fx_env *env, const struct fx_node *call,
	const struct fx_graph *graph, struct fx_operands *ret)
{
	size_t own = fx_control_own_count(call);
	struct fx_node *node;
	struct fx_error *err = NULL;

	ret->items = fx_xcalloc(graph->node_count, sizeof(struct fx_datum *));
	fx_graph_for_each_node (node, graph) {
		const struct fx_value *value;

		if (node->opcode != FX_OPCODE_PLACEHOLDER || err)
			continue;
		value = fx_control_operand(call, ret->count, node->target);
		if (value)
			err = fx_plan_argument(env, value,
				&ret->items[ret->count]);
		ret->count++;
	}
	if (!err && call->args.count > own + ret->count)
		err = fx_error_new(FX_ERR_TYPE,
			"%s takes %zu arguments, gets %u", call->target,
			own + ret->count, call->args.count);
	return err;
}

/* What CALL has for parameter INDEX; null when nothing. */
static struct fx_error *
argument_datum(const struct fx_env *env, const struct fx_node *call,
	size_t index, struct fx_datum **ret)
{
	const struct fx_value *value = fx_control_argument(call, index);

	return value ? fx_plan_argument(env, value, ret) : NULL;
}

/* Set *RET to the operands that CALL, a cond or while_loop, gives to its
 * graphs.
 */
static struct fx_error *
gather_operands(const struct fx_env *env, const struct fx_node *call,
	struct fx_operands *ret)
{
	FX_AUTO_DATUM struct fx_datum *first = NULL;
	FX_AUTO_DATUM struct fx_datum *more = NULL;
	bool loops = fx_control_loops(call);
	struct fx_error *err = argument_datum(env, call,
		loops ? FX_LOOP_CARRIED : FX_BRANCH_OPERANDS, &first);

	if (!err && loops)
		err = argument_datum(env, call, FX_LOOP_ADDITIONAL, &more);
	return err ? err : fx_operands_make(call, first, more, ret);
}

/* The graph that CALL, a cond, goes on in. */
static struct fx_error *
choose_branch(const struct fx_env *env, const struct fx_node *call,
	struct fx_graph *const graphs[2], struct fx_graph **ret)
{
	FX_AUTO_DATUM struct fx_datum *predicate = NULL;
	bool truth;
	struct fx_error *err =
		argument_datum(env, call, FX_BRANCH_PREDICATE, &predicate);

	if (!err && !predicate)
		err = fx_error_new(FX_ERR_TYPE, "%%%s has no predicate",
			call->name);
	if (!err)
		err = fx_control_truth(call, predicate, &truth);
	if (!err)
		*ret = graphs[!truth];
	return err;
}

/* The graph that CALL, a cond or while_loop, begins with, and what it is given;
 * GRAPHS_RET are all of them.
 */
static struct fx_error *
prepare_control(const struct fx_env *env, const struct fx_node *call,
	struct fx_graph *graphs_ret[2], struct fx_graph **ret,
	struct fx_operands *operands_ret)
{
	struct fx_error *err = fx_control_need(call, graphs_ret);

	*ret = graphs_ret[0];
	if (!err && fx_control_branches(call))
		err = choose_branch(env, call, graphs_ret, ret);
	if (!err)
		err = gather_operands(env, call, operands_ret);
	for (size_t i = 0; i < 2 && !err; i++)
		err = fx_control_check(call, graphs_ret[i],
			operands_ret->count);
	return err;
}

struct fx_error *
fx_activation_enter(struct fx_model *model, struct fx_node *call)
{
	struct fx_activation *outer = fx_run_activation(model->run);
	struct fx_graph *graph = fx_control_called(call);
	struct fx_graph *graphs[2] = { NULL };
	struct fx_operands operands = { .count = 0 };
	struct fx_activation *place;
	struct fx_error *err;

	if (graph)
		err = gather_arguments(&outer->env, call, graph, &operands);
	else
		err = prepare_control(&outer->env, call, graphs, &graph,
			&operands);
	if (err) {
		fx_operands_deinit(&operands);
		return err;
	}
	place = fx_run_push(model->run, graph, model->backend);
	place->call = call->id;
	place->operands = operands;
	if (fx_control_loops(call))
		fx_run_begin_loop(model->run, graphs[0], graphs[1]);
	return NULL;
}

struct fx_node *
fx_activation_call(const struct fx_model *model,
	const struct fx_activation *place)
{
	const struct fx_run *run = model->run;

	for (size_t i = 1; i < run->activations.count; i++)
		if (run->activations.items[i] == place)
			return fx_graph_find_id(run->activations.items[i - 1]
							->graph,
				place->call);
	return NULL;
}

/* Return a new reference to the result of the graph of PLACE, which has ended.
 */
static struct fx_datum *
result_of(const struct fx_activation *place)
{
	const struct fx_node *output = fx_graph_output(place->graph);
	struct fx_datum *result =
		output ? fx_env_get(&place->env, output->id) : NULL;

	return result ? fx_datum_ref(result) : fx_datum_none();
}

/* The innermost place goes, and RESULT is its call's. */
static void
leave_with(struct fx_model *model, struct fx_datum *result_taken)
{
	struct fx_activation *inner = fx_run_activation(model->run);
	struct fx_node *call = fx_activation_call(model, inner);
	struct fx_activation *outer =
		model->run->activations
			.items[model->run->activations.count - 2];

	fx_timeline_fold(&model->run->timeline, inner->graph, call);
	/* It may have been entered again. */
	fx_env_drop_views(&outer->env, call, NULL, NULL);
	fx_env_take(&outer->env, inner->call, result_taken);
	fx_map_erase(&model->run->timeline.finite, (uintptr_t)call->id);
	fx_run_has_value(model->run, call);
	fx_run_pop(model->run);
	fx_run_set_stop(model->run, outer, fx_graph_next(call));
}

struct fx_error *
fx_activation_is_over(const struct fx_model *model,
	const struct fx_activation *place, bool *ret)
{
	FX_AUTO_DATUM struct fx_datum *result = NULL;
	struct fx_error *err;

	*ret = !place->loop;
	if (!place->loop || place->loop->in_body)
		return NULL;
	result = result_of(place);
	err = fx_control_truth(fx_activation_call(model, place), result, ret);
	*ret = !*ret;
	return err;
}

struct fx_error *
fx_activation_leave(struct fx_model *model)
{
	struct fx_activation *place = fx_run_activation(model->run);
	struct fx_node *call = fx_activation_call(model, place);
	FX_AUTO_DATUM struct fx_datum *result = result_of(place);
	struct fx_datum *carried;
	bool is_over;
	struct fx_error *err = fx_activation_is_over(model, place, &is_over);

	if (err)
		return err;
	if (is_over && place->loop) {
		err = fx_operands_result(&place->operands, model->backend,
			place->loop->number > 1, &carried);
		if (!err)
			leave_with(model, carried);
	} else if (is_over) {
		leave_with(model, fx_datum_ref(result));
	} else {
		if (place->loop->in_body)
			err = fx_operands_carry(call, &place->operands, result);
		if (!err)
			fx_run_next_phase(model->run, call);
	}
	return err;
}

/* --- running ------------------------------------------------------------ */

/* Whether a run makes up the value of NODE: nobody gave it, and it has no
 * default.
 */
static bool
is_made_up(const struct fx_model *model, const struct fx_node *node)
{
	const struct fx_value *meta = node->meta;

	return node->opcode == FX_OPCODE_PLACEHOLDER &&
	       !fx_value_item_count(&node->args) && !fx_node_takes_rest(node) &&
	       !fx_model_has_input(model, node->id) &&
	       !fx_model_is_overridden(model, node) &&
	       (!meta || meta->kind == FX_VALUE_TENSOR ||
		       meta->kind == FX_VALUE_UNKNOWN);
}

/* Name the inputs that this run makes up, once a model and before it goes on.
 */
static void
tell_made_up(struct fx_model *model)
{
	FX_AUTO_BUF struct fx_buf names = { 0 };
	const struct fx_node *node;
	size_t count = 0;

	if (model->has_told_inputs)
		return;
	model->has_told_inputs = true;
	fx_graph_for_each_node (node, model->graph)
		if (is_made_up(model, node))
			fx_buf_addf(&names, "%s%s", count++ ? ", " : "",
				node->target);
	fx_model_tell(model,
		fx_xasprintf("%s %s not given: using random values (seed %llu)",
			fx_buf_text(&names), count == 1 ? "was" : "were",
			(unsigned long long)model->session->seed));
}

/* Nobody gave the outermost graph's PLACEHOLDER a value: one is made up of its
 * shape, and the user is told, once.
 */
static struct fx_error *
make_up_input(struct fx_model *model, const struct fx_node *placeholder,
	struct fx_datum **ret)
{
	const struct fx_backend_ops *ops = model->backend->ops;
	const struct fx_value *meta = placeholder->meta;
	struct fx_error *err;
	bool is_known = fx_value_has_numbers(meta);
	FX_AUTO_BUF struct fx_buf example = { 0 };

	if (!ops->has_values || !is_made_up(model, placeholder))
		return NULL;
	if (!is_known) {
		fx_input_add_hint(&example, placeholder);
		return fx_error_hint(fx_error_new(FX_ERR_NO_VALUE,
					     "the input %s is not given",
					     placeholder->target),
			"input %s = %s, or an expression", placeholder->target,
			fx_buf_text(&example));
	}
	err = fx_check_memory(model, meta);
	if (err)
		return err;
	tell_made_up(model);
	return fx_made_up(model->backend, placeholder, meta->tensor,
		fx_model_input_seed(model, placeholder), ret);
}

/* A shape with symbols was given, or what the meta backend computed: good for
 * shapes, not for values.
 */
static struct fx_error *
check_given(const struct fx_model *model, const struct fx_node *placeholder,
	const struct fx_datum *datum)
{
	FX_AUTO_BUF struct fx_buf example = { 0 };

	if (!fx_fallback_find_shape(model->backend, &datum->value))
		return NULL;
	fx_input_add_hint(&example, placeholder);
	return fx_error_hint(fx_error_new(FX_ERR_NO_VALUE,
				     "the input %s was given without numbers: "
				     "%s",
				     placeholder->target,
				     fx_model_input_text(model, placeholder)),
		"input %s = %s, or set backend meta", placeholder->target,
		fx_buf_text(&example));
}

/* A placeholder of the outermost graph gets what the user set; one of a nested
 * graph the argument at its place.
 */
static struct fx_error *
give_input(void *context, struct fx_node *placeholder, struct fx_datum **ret)
{
	struct fx_model *model = context;
	struct fx_activation *place =
		fx_run_activation_of(model->run, placeholder->graph);
	struct fx_node *node;
	struct fx_error *err;
	size_t index = 0;

	*ret = NULL;
	for (size_t i = 0; i < model->inputs.count; i++)
		if (model->inputs.items[i].node == placeholder->id)
			*ret = fx_datum_ref(model->inputs.items[i].datum);
	if (*ret) {
		err = check_given(model, placeholder, *ret);
		if (err) {
			fx_datum_unref(*ret);
			*ret = NULL;
		}
		return err;
	}
	if (!place)
		return NULL;
	if (placeholder->graph == model->graph)
		return make_up_input(model, placeholder, ret);
	fx_graph_for_each_node (node, place->graph) {
		if (node == placeholder)
			break;
		index += node->opcode == FX_OPCODE_PLACEHOLDER;
	}
	if (index < place->operands.count)
		*ret = fx_datum_ref(place->operands.items[index]);
	return NULL;
}

struct fx_interp
fx_activation_interp(struct fx_model *model, struct fx_activation *place)
{
	place->plans.ticker = model->run->ticker;
	return (struct fx_interp){
		.graph = place->graph,
		.backend = model->backend,
		.env = &place->env,
		.plans = &place->plans,
		.input = give_input,
		.input_context = model,
		.depth = (int)model->run->activations.count - 1,
		.next = fx_activation_stop(place),
	};
}

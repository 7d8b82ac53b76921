/* activation.c - the stack of graphs in which execution stands, and their
 * values. */
#include <config.h>

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/tensor_meta.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/fallback.h"
#include "session/activation.h"
#include "session/session_private.h"

struct fx_activation *
fx_model_activation(const struct fx_model *model)
{
	return model->places.count ? fx_vec_last(&model->places) : NULL;
}

struct fx_activation *
fx_model_activation_of(const struct fx_model *model,
	const struct fx_graph *graph)
{
	for (size_t i = model->places.count; i-- > 0;)
		if (model->places.items[i]->graph == graph)
			return model->places.items[i];
	return NULL;
}

struct fx_node *
fx_activation_stop(const struct fx_activation *place)
{
	return place->stop ? fx_graph_find_id(place->graph, place->stop) : NULL;
}

void
fx_activation_set_stop(struct fx_model *model, struct fx_activation *place,
	struct fx_node *node)
{
	fx_timeline_rewind(&model->timeline, place->graph, &place->env, node);
	place->stop = node ? node->id : 0;
	place->held = NULL;
	model->frame = 0;
	if (place == model->places.items[0])
		fx_map_set(&model->times,
			(uintptr_t)fx_journal_now(model->graph) + 1,
			(uintptr_t)place->stop + 1);
}

struct fx_activation *
fx_activation_push(struct fx_model *model, struct fx_graph *graph)
{
	struct fx_activation *place = FX_NEW(struct fx_activation);

	place->graph = graph;
	fx_plans_init(&place->plans, model->backend);
	place->plans.depth = (int)model->places.count;
	if (model->backend->ops->has_values)
		place->plans.watch = &model->timeline.watch;
	fx_vec_push(&model->places, place);
	fx_activation_set_stop(model, place, fx_graph_first(graph));
	return place;
}

/* Out of the stack, and without values. */
static struct fx_activation *
take_innermost(struct fx_model *model)
{
	struct fx_activation *place = fx_vec_pop(&model->places);

	fx_timeline_rewind(&model->timeline, place->graph, &place->env,
		fx_graph_first(place->graph));
	fx_env_clear(&place->env);
	model->frame = 0;
	return place;
}

static void
place_free(struct fx_activation *place)
{
	if (!place)
		return;
	for (size_t i = 0; i < place->argument_count; i++)
		fx_datum_unref(place->arguments[i]);
	free(place->arguments);
	fx_env_deinit(&place->env);
	fx_plans_deinit(&place->plans);
	free(place);
}

void
fx_activation_pop(struct fx_model *model)
{
	place_free(take_innermost(model));
}

struct fx_activation *
fx_activation_detach(struct fx_model *model)
{
	while (model->places.count > 1)
		fx_activation_pop(model);
	return model->places.count ? take_innermost(model) : NULL;
}

void
fx_activation_attach(struct fx_model *model, struct fx_activation *place_taken)
{
	struct fx_activation *place = place_taken;
	bool fits = place && place->graph == model->graph &&
		    place->plans.backend == model->backend;

	if (!fits) {
		place_free(place);
		fx_activation_push(model, model->graph);
		return;
	}
	fx_vec_push(&model->places, place);
	fx_activation_set_stop(model, place, fx_graph_first(place->graph));
}

/* --- nested graphs ------------------------------------------------------ */

static size_t
count_placeholders(struct fx_graph *graph)
{
	struct fx_node *node;
	size_t count = 0;

	fx_graph_for_each_node (node, graph)
		count += node->opcode == FX_OPCODE_PLACEHOLDER;
	return count;
}

/* The argument of CALL for the INDEXth placeholder, called TARGET. */
static const struct fx_value *
argument_of(const struct fx_node *call, size_t index, const char *target)
{
	const struct fx_value *value = fx_node_arg(call, index);

	return value ? value : fx_node_kwarg(call, target);
}

struct fx_error *
fx_activation_enter(struct fx_model *model, struct fx_node *call)
{
	struct fx_activation *outer = fx_model_activation(model);
	struct fx_graph *graph = fx_interp_nested(call);
	size_t count = count_placeholders(graph);
	struct fx_datum **arguments = fx_xcalloc(count, sizeof(*arguments));
	struct fx_activation *place;
	struct fx_node *node;
	struct fx_error *err = NULL;
	size_t i = 0;

	fx_graph_for_each_node (node, graph) {
		const struct fx_value *value;

		if (node->opcode != FX_OPCODE_PLACEHOLDER || err)
			continue;
		value = argument_of(call, i, node->target);
		if (value)
			err = fx_plan_argument(&outer->env, value,
				&arguments[i]);
		i++;
	}
	if (err) {
		for (i = 0; i < count; i++)
			fx_datum_unref(arguments[i]);
		free(arguments);
		return err;
	}
	place = fx_activation_push(model, graph);
	place->call = call->id;
	place->arguments = arguments;
	place->argument_count = count;
	return NULL;
}

void
fx_activation_leave(struct fx_model *model)
{
	struct fx_activation *inner = fx_model_activation(model);
	struct fx_activation *outer =
		model->places.items[model->places.count - 2];
	struct fx_node *output = fx_graph_output(inner->graph);
	struct fx_node *call = fx_graph_find_id(outer->graph, inner->call);
	struct fx_datum *result =
		output ? fx_datum_ref(fx_env_get(&inner->env, output->id))
		       : NULL;

	fx_timeline_fold(&model->timeline, inner->graph, call);
	/* It may have been entered again. */
	fx_env_drop_views(&outer->env, call, NULL, NULL);
	fx_env_take(&outer->env, inner->call,
		result ? result : fx_datum_none());
	fx_model_has_run(model, call);
	fx_activation_pop(model);
	fx_activation_set_stop(model, outer, fx_graph_next(call));
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
	       !fx_value_item_count(&node->args) &&
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
	return ops->generate(model->backend, meta->tensor,
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

	if (!fx_fallback_find_shape(model->backend, datum))
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
		fx_model_activation_of(model, placeholder->graph);
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
	if (index < place->argument_count)
		*ret = fx_datum_ref(place->arguments[index]);
	return NULL;
}

struct fx_interp
fx_activation_interp(struct fx_model *model, struct fx_activation *place)
{
	place->plans.ticker = model->ticker;
	return (struct fx_interp){
		.graph = place->graph,
		.backend = model->backend,
		.env = &place->env,
		.plans = &place->plans,
		.input = give_input,
		.input_context = model,
		.depth = (int)model->places.count - 1,
		.next = fx_activation_stop(place),
	};
}

bool
fx_activation_is_above(const struct fx_activation *place,
	const struct fx_node *node)
{
	const struct fx_node *stop = fx_activation_stop(place);

	return !stop || fx_node_is_before(node, stop);
}

struct fx_datum *
fx_activation_value(const struct fx_activation *place,
	const struct fx_node *node)
{
	return fx_activation_is_above(place, node)
		       ? fx_env_get(&place->env, node->id)
		       : NULL;
}

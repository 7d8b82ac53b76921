/* activation.c - entering and leaving nested graphs, and what placeholders get.
 */
#include <config.h>

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "ir/tensor_meta.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/fallback.h"
#include "session/activation.h"
#include "session/session_private.h"

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
	struct fx_activation *outer = fx_run_activation(model->run);
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
	place = fx_run_push(model->run, graph, model->backend);
	place->call = call->id;
	place->arguments = arguments;
	place->argument_count = count;
	return NULL;
}

void
fx_activation_leave(struct fx_model *model)
{
	struct fx_activation *inner = fx_run_activation(model->run);
	struct fx_activation *outer =
		model->run->activations
			.items[model->run->activations.count - 2];
	struct fx_node *output = fx_graph_output(inner->graph);
	struct fx_node *call = fx_graph_find_id(outer->graph, inner->call);
	struct fx_datum *result =
		output ? fx_datum_ref(fx_env_get(&inner->env, output->id))
		       : NULL;

	fx_timeline_fold(&model->run->timeline, inner->graph, call);
	/* It may have been entered again. */
	fx_env_drop_views(&outer->env, call, NULL, NULL);
	fx_env_take(&outer->env, inner->call,
		result ? result : fx_datum_none());
	fx_run_has_value(model->run, call);
	fx_run_pop(model->run);
	fx_run_set_stop(model->run, outer, fx_graph_next(call));
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
	if (index < place->argument_count)
		*ret = fx_datum_ref(place->arguments[index]);
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

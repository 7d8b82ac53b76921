/* interp.c - running nodes one after the other. */
#include <config.h>

#include "run/interp.h"

#include "ir/graph.h"
#include "ir/module.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/draw_aside.h"
#include "run/parameters.h"
#include "run/ticker.h"
#include "run/values.h"
#include "run/widen.h"

/* Modules may own graphs whose modules own graphs; a module tree cannot
 * contain itself, but a file may claim a deep one.
 */
#define DEPTH_LIMIT 100

/* Set *RET to the value of NODE, a placeholder: the input that was given, else
 * the default, which for *args and **kwargs is to be empty, else a value made
 * from the metadata of NODE.
 */
static struct fx_error *
run_placeholder(struct fx_interp *interp, struct fx_node *node,
	struct fx_datum **ret)
{
	struct fx_error *err;

	*ret = NULL;
	if (interp->input) {
		err = interp->input(interp->input_context, node, ret);
		if (err || *ret)
			return err;
	}
	if (fx_value_item_count(&node->args) > 0)
		return fx_plan_argument(interp->env, &node->args.items[0], ret);
	if (fx_node_takes_rest(node)) {
		const struct fx_value empty = {
			.kind = node->target[1] == '*' ? FX_VALUE_DICT
						       : FX_VALUE_TUPLE
		};

		*ret = fx_datum_from_value(&empty);
		return NULL;
	}
	if (node->meta && node->meta->kind == FX_VALUE_TENSOR)
		return interp->backend->ops->generate(interp->backend,
			node->meta->tensor, 0, ret);
	if (node->meta)
		*ret = fx_datum_from_value(node->meta);
	else
		*ret = fx_datum_unknown("the input is not given");
	return NULL;
}

static struct fx_error *
run_attribute(struct fx_interp *interp, struct fx_node *node,
	struct fx_datum **ret)
{
	struct fx_module *root = node->graph->module;
	const struct fx_tensor *tensor =
		fx_module_find_tensor(root, node->target);

	if (tensor)
		return fx_parameters_name_missing(
			interp->backend->ops->from_tensor(interp->backend,
				tensor, ret),
			node->target);
	if (interp->backend->ops->has_values &&
		!fx_module_find(root, node->target))
		return fx_error_new(FX_ERR_NO_VALUE, "%s is not in the file",
			node->target);
	/* What the file does not have may still have metadata. */
	if (node->meta && node->meta->kind == FX_VALUE_TENSOR)
		return interp->backend->ops->generate(interp->backend,
			node->meta->tensor, 0, ret);
	if (fx_module_find(root, node->target))
		*ret = fx_datum_unknown("a module");
	else
		*ret = fx_datum_unknown("not in the file");
	return NULL;
}

static struct fx_error *
run_node(struct fx_interp *interp, struct fx_node *node, struct fx_datum **ret)
{
	switch ((enum fx_opcode)node->opcode) {
	case FX_OPCODE_PLACEHOLDER:
		return run_placeholder(interp, node, ret);
	case FX_OPCODE_GET_ATTR:
		return run_attribute(interp, node, ret);
	case FX_OPCODE_CALL_FUNCTION:
	case FX_OPCODE_CALL_MODULE:
	case FX_OPCODE_CALL_METHOD:
		return fx_plans_call(interp->plans, interp->env, node, ret);
	case FX_OPCODE_OUTPUT:
		if (fx_value_item_count(&node->args) > 0)
			return fx_plan_argument(interp->env,
				&node->args.items[0], ret);
		break;
	case FX_OPCODE_COUNT:
		break;
	}
	*ret = fx_datum_none();
	return NULL;
}

/* Run NODE and put its result into the environment.  Errors get the note "at
 * %name", or of a fragment what was called.
 */
static struct fx_error *
run_here(struct fx_interp *interp, struct fx_node *node)
{
	struct fx_datum *result;
	struct fx_error *err;

	if (interp->instead) {
		fx_draw_aside(interp->plans, interp->env, node);
		fx_env_take(interp->env, node->id, FX_TAKE(interp->instead));
		return NULL;
	}
	err = run_node(interp, node, &result);
	if (err && interp->is_fragment)
		return fx_error_note(err, "in its call of %s", node->target);
	if (err)
		return fx_error_note(err, "at %%%s", node->name);
	fx_env_take(interp->env, node->id, result);
	interp->executed++;
	return NULL;
}

static bool
records(const struct fx_interp *interp)
{
	for (size_t i = 0; i < interp->observer_count; i++)
		if (interp->observers[i].records)
			return true;
	return false;
}

static enum fx_answer
ask_before(struct fx_interp *interp, struct fx_node *node)
{
	enum fx_answer answer = FX_ANSWER_GO;

	for (size_t i = 0; i < interp->observer_count && !answer; i++) {
		const struct fx_observer *observer = &interp->observers[i];

		if (observer->before)
			answer = observer->before(observer->context, interp,
				node);
	}
	return answer;
}

static bool
is_stopped_after(struct fx_interp *interp, struct fx_node *node)
{
	bool stop = false;

	for (size_t i = 0; i < interp->observer_count; i++) {
		const struct fx_observer *observer = &interp->observers[i];

		if (observer->after &&
			observer->after(observer->context, interp, node,
				fx_env_get(interp->env, node->id)) ==
				FX_ANSWER_STOP)
			stop = true;
	}
	return stop;
}

static bool
is_stopped_skipping(struct fx_interp *interp, struct fx_node *node)
{
	bool stop = false;

	for (size_t i = 0; i < interp->observer_count; i++) {
		const struct fx_observer *observer = &interp->observers[i];

		if (observer->skipped &&
			observer->skipped(observer->context, interp, node) ==
				FX_ANSWER_STOP)
			stop = true;
	}
	return stop;
}

static void
tell_error(struct fx_interp *interp, struct fx_node *node,
	const struct fx_error *err)
{
	for (size_t i = 0; i < interp->observer_count; i++)
		if (interp->observers[i].error)
			interp->observers[i].error(interp->observers[i].context,
				interp, node, err);
}

static inline struct fx_error *
step(struct fx_interp *interp, struct fx_node *node, enum fx_answer *ret,
	bool *ends_ret)
{
	struct fx_error *err;

	*ends_ret = false;
	*ret = ask_before(interp, node);
	if (*ret == FX_ANSWER_SKIP)
		*ends_ret = is_stopped_skipping(interp, node);
	if (*ret != FX_ANSWER_GO) {
		fx_datum_unref(FX_TAKE(interp->instead));
		return NULL;
	}
	err = run_here(interp, node);
	if (err)
		tell_error(interp, node, err);
	else
		*ends_ret = is_stopped_after(interp, node);
	return err;
}

struct fx_error *
fx_interp_step(struct fx_interp *interp, struct fx_node *node,
	enum fx_answer *ret)
{
	bool ends;

	return step(interp, node, ret, &ends);
}

/* The values that no later node uses.  The last user in graph order is found
 * by order labels: users are listed in order of assignment.
 */
static void
free_dead(struct fx_interp *interp, const struct fx_node *node)
{
	for (size_t i = 0; i < fx_node_input_count(node); i++) {
		const struct fx_node *input = fx_node_input(node, i);
		const struct fx_use *use = input->last_user;

		/* Backwards: the last one is most often it. */
		while (use && !fx_node_is_before(node, use->user))
			use = use->previous;
		if (!use)
			fx_env_drop(interp->env, input->id);
	}
	if (!node->user_count && node->opcode != FX_OPCODE_OUTPUT)
		fx_env_drop(interp->env, node->id);
}

enum fx_answer
fx_interp_give(struct fx_interp *interp, const struct fx_node *node,
	struct fx_datum *datum_taken)
{
	fx_datum_unref(FX_TAKE(interp->instead));
	if (fx_draws_aside(interp->backend, node)) {
		interp->instead = datum_taken;
		return FX_ANSWER_GO;
	}
	fx_env_take(interp->env, node->id, datum_taken);
	return FX_ANSWER_SKIP;
}

struct fx_error *
fx_interp_stand_in(struct fx_interp *interp, const struct fx_node *node,
	struct fx_datum *given, const enum fx_dtype *to, enum fx_answer *ret)
{
	struct fx_datum *mine = fx_datum_ref(given);
	struct fx_error *err = fx_datum_make_own(interp->backend, &mine);

	if (!err && to)
		err = fx_widen_datum(interp->backend, *to, &mine);
	if (err)
		fx_datum_unref(mine);
	else if (ret)
		*ret = fx_interp_give(interp, node, mine);
	else
		fx_env_take(interp->env, node->id, mine);
	return err;
}

struct fx_error *
fx_interp_run(struct fx_interp *interp, struct fx_node *end)
{
	bool keep = records(interp);

	while (interp->next && interp->next != end) {
		struct fx_node *node = interp->next;
		enum fx_answer answer;
		bool ends;
		struct fx_error *err = step(interp, node, &answer, &ends);

		if (err || answer == FX_ANSWER_STOP)
			return err;
		interp->next = fx_graph_next(node);
		if (ends)
			return NULL;
		if (!keep)
			free_dead(interp, node);
	}
	return NULL;
}

/* What the watch gives NODE, borrowed, or NULL. */
static struct fx_datum *
given(const struct fx_arguments *arguments, const struct fx_node *node)
{
	const struct fx_plan_watch *watch = arguments->watch;

	if (!arguments->is_nested || !watch || !watch->given)
		return NULL;
	return watch->given(watch->owner, node);
}

struct giving {
	const struct fx_arguments *arguments;
	size_t next;
};

static struct fx_error *
next_argument(void *context, struct fx_node *node, struct fx_datum **ret)
{
	struct giving *giving = context;
	struct fx_datum *datum = NULL;

	if (giving->next < giving->arguments->count)
		datum = giving->arguments->items[giving->next++];
	if (given(giving->arguments, node))
		datum = given(giving->arguments, node);
	*ret = fx_datum_ref(datum);
	return NULL;
}

/* Placeholders take what they are given in next_argument. */
static enum fx_answer
give(void *context, struct fx_interp *interp, struct fx_node *node)
{
	const struct fx_arguments *arguments = context;
	struct fx_datum *datum = given(arguments, node);

	if (arguments->ticker && fx_ticker_poll(arguments->ticker))
		return FX_ANSWER_STOP;
	if (!datum || node->opcode == FX_OPCODE_PLACEHOLDER)
		return FX_ANSWER_GO;
	return fx_interp_give(interp, node, fx_datum_ref(datum));
}

struct fx_error *
fx_interp_call(struct fx_backend *backend, struct fx_graph *graph,
	const struct fx_arguments *arguments, int depth, struct fx_datum **ret)
{
	FX_AUTO_ENV struct fx_env env = { .count = 0 };
	FX_AUTO_PLANS struct fx_plans own = { .depth = 0 };
	struct fx_plans *plans = arguments->plans ? arguments->plans : &own;
	struct giving giving = { .arguments = arguments };
	struct fx_node *output = fx_graph_output(graph);
	struct fx_interp interp = {
		.graph = graph,
		.backend = backend,
		.env = &env,
		.plans = plans,
		.input = next_argument,
		.input_context = &giving,
		.depth = depth,
		.is_fragment = !arguments->is_nested,
		.next = fx_graph_first(graph),
	};
	struct fx_observer observers[2] = { { 0 } };
	struct fx_error *err;

	interp.observers = observers;
	if (arguments->is_nested)
		observers[interp.observer_count++] = (struct fx_observer){
			.context = (void *)(uintptr_t)arguments,
			.before = give,
		};
	if (arguments->watch && arguments->watch->inside)
		observers[interp.observer_count++] = *arguments->watch->inside;
	if (depth > DEPTH_LIMIT)
		return fx_error_new(FX_ERR_LIMIT,
			"graphs are nested more than %d deep", DEPTH_LIMIT);
	fx_plans_init(&own, backend);
	plans->depth = depth;
	plans->watch = arguments->watch;
	plans->ticker = arguments->ticker;
	err = fx_interp_run(&interp, NULL);
	if (!err && interp.next)
		err = fx_error_new(FX_ERR_INTERRUPTED,
			"interrupted in a nested graph, at %%%s",
			interp.next->name);
	if (err)
		return err;
	*ret = output ? fx_datum_ref(fx_env_get(&env, output->id))
		      : fx_datum_none();
	return NULL;
}

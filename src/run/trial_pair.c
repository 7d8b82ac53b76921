/* trial_pair.c - two graphs side by side: their common beginning runs once.
 *
 * Where they part, the first one goes on to its end.  What that wrote and drew
 * is taken back, and the second goes on with the same values.
 */
#include <config.h>

#include "run/trial_private.h"

#include "ir/align.h"
#include "ir/graph.h"
#include "run/datum.h"
#include "run/interp.h"
#include "run/run.h"

void
fx_trial_results_deinit(struct fx_trial_results *results)
{
	for (int i = 0; i < 2; i++) {
		fx_datum_unref(results->outputs[i]);
		fx_error_free(FX_TAKE(results->errors[i]));
		results->outputs[i] = NULL;
		for (size_t j = 0; j < results->written[i].count; j++) {
			fx_datum_unref(results->written[i].items[j].value);
			fx_datum_unref(results->written[i].items[j].datum);
		}
		fx_vec_deinit(&results->written[i]);
	}
}

/* Watches one graph: dead nodes do not run, and dead values go. */
struct watching {
	const struct fx_alignment *alignment;
	int which;
	/* Low halves of nodes of the first that the second needs later. */
	const struct fx_bitset *wanted;
};

static bool
is_live(const struct watching *watching, const struct fx_node *node)
{
	return fx_bitset_has(&watching->alignment->live[watching->which],
		(uint32_t)node->id);
}

static enum fx_answer
skip_dead(void *context, struct fx_interp *interp, struct fx_node *node)
{
	(void)interp;
	return is_live(context, node) ? FX_ANSWER_GO : FX_ANSWER_SKIP;
}

static bool
is_needed_after(const void *context, const struct fx_node *input,
	const struct fx_node *node)
{
	const struct watching *watching = context;

	if (watching->wanted &&
		fx_bitset_has(watching->wanted, (uint32_t)input->id))
		return true;
	/* Backwards: the last one is most often it. */
	for (const struct fx_use *use = input->last_user; use;
		use = use->previous)
		if (fx_node_is_before(node, use->user) &&
			is_live(watching, use->user))
			return true;
	return false;
}

static enum fx_answer
free_dead(void *context, struct fx_interp *interp, struct fx_node *node,
	struct fx_datum *result)
{
	const struct watching *watching = context;

	(void)result;
	for (size_t i = 0; i < fx_node_input_count(node); i++) {
		const struct fx_node *input = fx_node_input(node, i);

		if (!is_needed_after(watching, input, node))
			fx_env_drop(interp->env, input->id);
	}
	if (node->opcode != FX_OPCODE_OUTPUT &&
		!is_needed_after(watching, node, node))
		fx_env_drop(interp->env, node->id);
	return FX_ANSWER_GO;
}

/* What the second takes of the first behind the place where they part. */
static void
find_wanted(const struct fx_alignment *alignment, struct fx_bitset *wanted)
{
	struct fx_node *node = alignment->parted[1];

	for (; node; node = fx_graph_next(node)) {
		if (!fx_bitset_has(&alignment->live[1], (uint32_t)node->id))
			continue;
		for (size_t i = 0; i < fx_node_input_count(node); i++) {
			struct fx_node *twin =
				fx_map_get_pointer(&alignment->twins,
					fx_node_input(node, i));

			if (twin)
				fx_bitset_add(wanted, (uint32_t)twin->id);
		}
	}
}

struct pair {
	const struct fx_trial_pair *pair;
	struct fx_trial_results *results;
	struct fx_run *run;
	struct fx_bitset wanted;
	struct watching watching[2];
	struct fx_observer observers[2];
};

/* Interruptions end all; other errors are graph WHICH's. */
static struct fx_error *
keep_error(struct pair *p, int which, struct fx_error *err)
{
	if (!err || fx_error_code(err) == FX_ERR_INTERRUPTED)
		return err;
	p->results->errors[which] = err;
	return NULL;
}

/* --- from comparison to comparison --------------------------------------- */

void
fx_trial_memory_deinit(struct fx_trial_memory *memory)
{
	fx_datum_unref(memory->output);
	for (size_t i = 0; i < FX_TRIAL_STOPS; i++)
		fx_env_deinit(&memory->stops[i].values);
	*memory = (struct fx_trial_memory){ .output = NULL };
}

/* Whether STOP has what the graphs need of the nodes before it. */
static bool
is_enough(const struct pair *p, const struct fx_trial_stop *stop)
{
	const struct fx_node *parted = p->pair->alignment->parted[0];
	const struct fx_node *node = fx_graph_first(p->pair->trial->graph);

	if (!stop->at || (parted && fx_node_is_before(parted, stop->at)))
		return false;
	for (; node != stop->at; node = fx_graph_next(node))
		if (fx_bitset_has(&p->wanted, (uint32_t)node->id) &&
			!fx_env_get(&stop->values, node->id))
			return false;
	return true;
}

/* The latest stop that is enough, or NULL. */
static const struct fx_trial_stop *
best_stop(const struct pair *p)
{
	const struct fx_trial_memory *memory = p->pair->memory;
	const struct fx_trial_stop *best = NULL;

	for (size_t i = 0; memory && i < FX_TRIAL_STOPS; i++)
		if (is_enough(p, &memory->stops[i]) &&
			(!best || fx_node_is_before(best->at,
					  memory->stops[i].at)))
			best = &memory->stops[i];
	return best;
}

/* Where to begin: at what is remembered, whose values ENV gets. */
static struct fx_node *
begin(struct pair *p, struct fx_trying *trying, struct fx_env *env)
{
	const struct fx_trial_stop *stop = best_stop(p);
	struct fx_node *node = fx_graph_first(trying->trial->graph);

	for (; stop && node != stop->at; node = fx_graph_next(node)) {
		struct fx_datum *value = fx_env_get(&stop->values, node->id);

		trying->next += node->opcode == FX_OPCODE_PLACEHOLDER;
		if (value)
			fx_env_take(env, node->id, fx_datum_ref(value));
	}
	return node;
}

/* Whether a run so far is seen in its values alone. */
static bool
has_no_traces(const struct fx_timeline *timeline)
{
	const struct fx_effect *effect;

	fx_vec_for_each (effect, &timeline->effects)
		if (effect->saved.count || effect->random)
			return false;
	return true;
}

static void
fill_stop(struct pair *p, const struct fx_env *env, struct fx_node *at,
	struct fx_trial_stop *stop)
{
	struct fx_node *node;

	fx_env_clear(&stop->values);
	stop->at = at;
	for (node = fx_graph_first(p->pair->trial->graph); node != at;
		node = fx_graph_next(node)) {
		struct fx_datum *value = fx_env_get(env, node->id);

		if (value)
			fx_env_take(&stop->values, node->id,
				fx_datum_ref(value));
	}
}

/* Keep the values of ENV, which are those before NODE.  What writes into them
 * from now on saves what it overwrites, and is taken back.
 */
static void
remember(struct pair *p, const struct fx_env *env, struct fx_node *at)
{
	struct fx_trial_memory *memory = p->pair->memory;
	struct fx_trial_stop *late;

	if (!memory || !at || !has_no_traces(&p->run->timeline))
		return;
	late = &memory->stops[1];
	if (!best_stop(p))
		fill_stop(p, env, at, &memory->stops[0]);
	if (!late->at || fx_node_is_before(late->at, at))
		fill_stop(p, env, at, late);
}

/* What the first graph gives, which has run unless that is remembered. */
static struct fx_error *
give_first(struct pair *p, const struct fx_trying *trying,
	const struct fx_activation *activation)
{
	struct fx_trial_memory *memory = p->pair->memory;
	struct fx_datum **ret = &p->results->outputs[0];
	struct fx_error *err;

	if (memory && memory->output) {
		*ret = fx_datum_ref(memory->output);
		return NULL;
	}
	err = fx_trying_output(trying, activation, true, ret);
	/* What it wrote elsewhere has to be seen again. */
	if (!err && memory && has_no_traces(&p->run->timeline))
		memory->output = fx_datum_ref(*ret);
	return err;
}

/* --- running ------------------------------------------------------------- */

static struct fx_error *
find_written(struct pair *p, int which)
{
	const struct fx_trial *t = p->pair->trial;
	const struct fx_written_request request = { &p->run->timeline,
		t->backend, p->pair->alignment->graphs[which],
		which ? p->pair->others : t->inputs,
		which ? p->pair->other_count : t->input_count };

	return fx_trial_find_written(&request, p->results, which);
}

/* Both to where they part, then the first to its end. */
static struct fx_error *
run_first(struct pair *p, struct fx_trying *trying,
	struct fx_activation **activation_ret, size_t *mark_ret)
{
	const struct fx_trial *t = trying->trial;
	const struct fx_alignment *alignment = p->pair->alignment;
	bool is_known = p->pair->memory && p->pair->memory->output;
	struct fx_trying_part part = { .end = alignment->parted[0],
		.also = &p->observers[0],
		.keeps = true,
		.needs = is_needed_after,
		.needs_context = &p->watching[0] };
	struct fx_error *err;

	part.activation = fx_run_push(p->run, t->graph, t->backend);
	*activation_ret = part.activation;
	part.first = begin(p, trying, &part.activation->env);
	err = fx_trying_run(trying, &part);
	*mark_ret = p->run->timeline.effects.count;
	if (!err)
		remember(p, &part.activation->env, part.end);
	if (!err && part.end && !is_known) {
		part.first = part.end;
		part.end = NULL;
		err = fx_trying_run(trying, &part);
	}
	p->results->executed[0] = part.executed;
	if (!err)
		err = give_first(p, trying, part.activation);
	if (!err)
		err = find_written(p, 0);
	return keep_error(p, 0, err);
}

/* The values of twins above the place where the graphs part. */
static void
carry_over(struct pair *p, struct fx_activation *from, struct fx_activation *to)
{
	const struct fx_alignment *alignment = p->pair->alignment;
	size_t at = 0;
	uintptr_t other;
	uintptr_t twin;

	while (fx_map_next(&alignment->twins, &at, &other, &twin)) {
		struct fx_datum *value = fx_env_get(&from->env,
			((const struct fx_node *)twin)->id);

		if (value)
			fx_env_take(&to->env,
				((const struct fx_node *)other)->id,
				fx_datum_ref(value));
	}
	fx_env_clear(&from->env);
}

static struct fx_error *
run_second(struct pair *p, struct fx_activation *from, size_t mark)
{
	const struct fx_alignment *alignment = p->pair->alignment;
	struct fx_trial trial = *p->pair->trial;
	struct fx_trying trying = { .trial = &trial,
		.timeline = &p->run->timeline };
	struct fx_trying_part part = { .first = alignment->parted[1],
		.also = &p->observers[1],
		.keeps = true,
		.needs = is_needed_after,
		.needs_context = &p->watching[1] };
	struct fx_error *err;

	while (p->run->timeline.effects.count > mark)
		fx_timeline_take_back(&p->run->timeline, NULL);
	trial.inputs = p->pair->others;
	trial.input_count = p->pair->other_count;
	/* Placeholders among the twins have theirs. */
	for (const struct fx_node *node = fx_graph_first(alignment->graphs[1]);
		node && node != part.first; node = fx_graph_next(node))
		trying.next += node->opcode == FX_OPCODE_PLACEHOLDER;
	part.activation =
		fx_run_push(p->run, alignment->graphs[1], trial.backend);
	carry_over(p, from, part.activation);
	err = part.first ? fx_trying_run(&trying, &part) : NULL;
	p->results->executed[1] = part.executed;
	if (!err)
		err = fx_trying_output(&trying, part.activation, false,
			&p->results->outputs[1]);
	if (!err)
		err = find_written(p, 1);
	p->results->is_traceless = !err && has_no_traces(&p->run->timeline);
	return keep_error(p, 1, err);
}

static struct fx_error *
try_pair(void *context, struct fx_run *run)
{
	struct pair *p = context;
	const struct fx_trial *t = p->pair->trial;
	struct fx_trying trying = { .trial = t, .timeline = &run->timeline };
	struct fx_activation *activation;
	size_t mark;
	struct fx_error *err =
		fx_timeline_start(&run->timeline, t->backend, t->seed);

	p->run = run;
	if (!err)
		err = run_first(p, &trying, &activation, &mark);
	if (err || p->results->errors[0])
		return err;
	return run_second(p, activation, mark);
}

struct fx_error *
fx_trial_run_pair(const struct fx_trial_pair *pair,
	struct fx_trial_results *ret)
{
	struct pair p = { .pair = pair, .results = ret };
	struct fx_error *err;

	*ret = (struct fx_trial_results){ .executed = { 0 } };
	find_wanted(pair->alignment, &p.wanted);
	for (int i = 0; i < 2; i++) {
		p.watching[i] = (struct watching){ pair->alignment, i,
			i ? NULL : &p.wanted };
		p.observers[i] = (struct fx_observer){
			.context = &p.watching[i],
			.before = skip_dead,
			.after = free_dead,
		};
	}
	err = fx_trying_apart(pair->trial->backend, try_pair, &p);
	fx_bitset_deinit(&p.wanted);
	if (err)
		fx_trial_results_deinit(ret);
	return err;
}

/* checkpoint.c - where a run stood, to return to.
 *
 * A run follows from the graph, the inputs, the values that were set and the
 * seed, so these are what a checkpoint has to hold; values only save the time
 * to compute them again.  They are shared, not copied: when a node is about to
 * write into one of them in place they go, and with them the others, as numbers
 * drawn in between would be others if only some nodes ran again.  What lies in
 * the storage of an input or a parameter is not held, since each run has its
 * own of these.
 */
#include <config.h>

#include "session/checkpoint_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/blob.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "ir/journal.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/storage.h"
#include "session/position_private.h"

#define CHECKPOINT_LIMIT 1000

/* --- values -------------------------------------------------------------- */

/* All is to run again, for the reason WHY. */
static void
spoil(struct fx_checkpoint *c, const char *why)
{
	fx_data_deinit(&c->values);
	fx_map_deinit(&c->storages);
	for (size_t i = 0; i < c->draws.count; i++)
		fx_blob_unref(c->draws.items[i].random);
	fx_vec_deinit(&c->draws);
	fx_blob_unref(c->random);
	c->random = NULL;
	c->why = why;
}

static bool
is_given(const struct fx_model *model, const struct fx_node *node)
{
	return !fx_position_is_computing(node) ||
	       fx_model_is_overridden(model, node);
}

static void
keep_values(struct fx_checkpoint *c, const struct fx_activation *place)
{
	FX_AUTO_MAP struct fx_map given = { 0 };
	const struct fx_node *stop = fx_activation_stop(place);
	const struct fx_node *node;

	fx_graph_for_each_node (node, place->graph) {
		struct fx_datum *datum = fx_env_get(&place->env, node->id);

		if (node == stop)
			return;
		if (!datum)
			continue;
		if (is_given(c->model, node)) {
			fx_datum_add_storages(datum, &given);
		} else if (!fx_datum_lies_in(datum, &given)) {
			fx_map_set(&c->values, (uintptr_t)node->id,
				(uintptr_t)fx_datum_ref(datum));
			fx_datum_add_storages(datum, &c->storages);
		}
	}
}

/* What was drawn above the outermost stop; then comes what drew inside, where
 * the generator was in the state that the place is entered with again.
 */
static void
keep_draws(struct fx_checkpoint *c)
{
	const struct fx_timeline *timeline = &c->model->run->timeline;
	const struct fx_graph *graph = c->places.items[0].graph;

	for (size_t i = 0; i < timeline->effects.count; i++) {
		const struct fx_effect *effect = &timeline->effects.items[i];
		struct fx_checkpoint_draw draw = { .node = effect->node };

		if (!effect->random)
			continue;
		if (effect->graph != graph) {
			c->random = fx_blob_ref(effect->random);
			return;
		}
		draw.random = fx_blob_ref(effect->random);
		fx_vec_push(&c->draws, draw);
	}
	if (timeline->random)
		c->random = fx_blob_ref(timeline->random);
}

static bool
has_written(const struct fx_timeline *timeline)
{
	for (size_t i = 0; i < timeline->effects.count; i++) {
		const struct fx_effect *effect = &timeline->effects.items[i];

		for (size_t k = 0; k < effect->saved.count; k++)
			if (!fx_saved_is_unchanged(&effect->saved.items[k]))
				return true;
	}
	return false;
}

/* Whether a node above the stop that has run lacks a value: it was dropped, or
 * left out.
 */
static bool
lacks_values(const struct fx_activation *place)
{
	const struct fx_node *stop = fx_activation_stop(place);
	const struct fx_node *node;

	fx_graph_for_each_node (node, place->graph) {
		if (node == stop)
			return false;
		if (!fx_env_get(&place->env, node->id))
			return true;
	}
	return false;
}

static void
keep_run(struct fx_checkpoint *c)
{
	const struct fx_run *run = c->model->run;

	for (size_t i = 0; i < run->activations.count; i++) {
		const struct fx_activation *at = run->activations.items[i];
		struct fx_checkpoint_place place = { at->graph, at->stop,
			at->loop ? at->loop->number : 0 };

		fx_vec_push(&c->places, place);
	}
	if (!c->places.count || !c->model->backend->ops->has_values)
		return;
	if (run->timeline.is_off) {
		c->why = "record values is off";
		return;
	}
	if (has_written(&run->timeline)) {
		c->why = "nodes wrote in place";
		return;
	}
	keep_draws(c);
	if (c->draws.count && lacks_values(run->activations.items[0]))
		spoil(c, "numbers were drawn, and values dropped");
	else
		keep_values(c, run->activations.items[0]);
}

/* --- the list ------------------------------------------------------------ */

static void
checkpoint_free(struct fx_checkpoint *c)
{
	spoil(c, NULL);
	fx_kept_inputs_deinit(&c->inputs);
	fx_data_deinit(&c->given);
	fx_vec_deinit(&c->places);
	free(c);
}

static struct fx_checkpoint *
find(const struct fx_session *session, const char *text)
{
	int64_t number = 0;

	(void)fx_number_parse_int(text, strlen(text), &number);
	for (size_t i = 0; i < session->checkpoints.count; i++) {
		struct fx_checkpoint *c = session->checkpoints.items[i];

		if (c->number == number || fx_str_equal(c->name, text))
			return c;
	}
	return NULL;
}

static struct fx_error *
check_name(const struct fx_session *session, const char *name)
{
	const struct fx_checkpoint *other;

	if (!fx_str_is_identifier(name))
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "a checkpoint is called by a "
					     "word, not \"%s\"",
					     name),
			"checkpoint pre");
	other = find(session, name);
	if (!other)
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_USAGE,
				     "checkpoint %d is called %s already",
				     other->number, name),
		"delete checkpoint %d", other->number);
}

static struct fx_checkpoint_facts
facts_now(const struct fx_checkpoint *c)
{
	const struct fx_model *model = c->model;
	const struct fx_node *node = fx_position_node(model);
	struct fx_checkpoint_facts facts = {
		.number = c->number,
		.name = c->name,
		.model = model,
		.time = c->time,
		.is_started = c->places.count > 0,
		.position = fx_position_get(model),
		.node = node ? node->name : NULL,
		.turn = fx_position_turn(model),
	};

	if (c->places.count > 1)
		facts.graph = fx_intern(fx_model_graph_path(model,
			fx_position_innermost(model)));
	return facts;
}

struct fx_error *
fx_checkpoint_add(struct fx_session *session, struct fx_model *model,
	const char *name, const struct fx_checkpoint **ret)
{
	struct fx_checkpoint *c;
	struct fx_error *err = fx_checkpoint_check_closed(model);

	if (!err && name)
		err = check_name(session, name);
	if (!err && session->checkpoints.count >= CHECKPOINT_LIMIT)
		err = fx_error_hint(fx_error_new(FX_ERR_LIMIT,
					    "there are %d checkpoints, which "
					    "is as many as can be",
					    CHECKPOINT_LIMIT),
			"delete checkpoint %d",
			session->checkpoints.items[0]->number);
	if (err)
		return err;
	c = FX_NEW(struct fx_checkpoint);
	c->number = ++session->last_checkpoint;
	c->name = name ? fx_intern(name) : NULL;
	c->model = model;
	c->time = fx_journal_now(model->graph);
	c->seed = session->seed;
	c->backend = model->backend;
	fx_kept_inputs_take(&c->inputs, model);
	fx_data_add(&c->given, &model->run->overrides);
	keep_run(c);
	c->facts = facts_now(c);
	fx_vec_push(&session->checkpoints, c);
	*ret = c;
	return NULL;
}

struct fx_error *
fx_checkpoint_find(struct fx_session *session, const char *text,
	const struct fx_checkpoint **ret)
{
	*ret = find(session, text);
	if (*ret)
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_NO_NAME,
				     "there is no checkpoint \"%s\"", text),
		session->checkpoints.count
			? "info checkpoints lists them"
			: "checkpoint makes one; run starts over, goto @N goes "
			  "to a position");
}

void
fx_checkpoint_delete(struct fx_session *session, int number)
{
	for (size_t i = 0; i < session->checkpoints.count; i++) {
		struct fx_checkpoint *c = session->checkpoints.items[i];

		if (c->number != number)
			continue;
		fx_vec_remove(&session->checkpoints, i);
		checkpoint_free(c);
		return;
	}
}

size_t
fx_checkpoint_count(const struct fx_session *session)
{
	return session->checkpoints.count;
}

const struct fx_checkpoint *
fx_checkpoint_at(const struct fx_session *session, size_t index)
{
	return session->checkpoints.items[index];
}

struct fx_checkpoint_facts
fx_checkpoint_facts(const struct fx_checkpoint *c)
{
	struct fx_checkpoint_facts facts = c->facts;

	facts.kept = c->values.count;
	facts.is_spoilt = c->why;
	facts.why = c->why;
	facts.seed = c->seed;
	return facts;
}

bool
fx_checkpoint_is_as_now(const struct fx_checkpoint *c)
{
	const struct fx_map *now = &c->model->run->overrides;
	size_t at = 0;
	uintptr_t id;
	uintptr_t datum;

	if (!fx_kept_inputs_are_given(&c->inputs, c->model) ||
		c->given.count != now->count)
		return false;
	while (fx_map_next(now, &at, &id, &datum))
		if (fx_map_get(&c->given, id, 0) != datum)
			return false;
	return true;
}

/* --- what the session tells ---------------------------------------------- */

void
fx_checkpoints_written(struct fx_model *model, const struct fx_map *storages)
{
	const struct fx_session *session = model->session;

	for (size_t i = 0; i < session->checkpoints.count; i++) {
		struct fx_checkpoint *c = session->checkpoints.items[i];
		size_t at = 0;
		uintptr_t storage;
		uintptr_t one;

		while (c->storages.count &&
			fx_map_next(storages, &at, &storage, &one))
			if (fx_map_has(&c->storages, storage)) {
				spoil(c, "nodes wrote in place");
				break;
			}
	}
}

bool
fx_checkpoints_have_values(const struct fx_model *model)
{
	const struct fx_session *session = model->session;

	for (size_t i = 0; i < session->checkpoints.count; i++)
		if (session->checkpoints.items[i]->values.count)
			return true;
	return false;
}

void
fx_checkpoints_see_storages(const struct fx_model *model,
	bool (*see)(void *context, uintptr_t storage, size_t bytes),
	void *context)
{
	const struct fx_session *session = model->session;

	for (size_t i = 0; i < session->checkpoints.count; i++) {
		const struct fx_checkpoint *c = session->checkpoints.items[i];
		size_t at = 0;
		uintptr_t id;
		uintptr_t datum;

		while (c->model == model &&
			fx_map_next(&c->values, &at, &id, &datum))
			fx_datum_see_storages((const struct fx_datum *)datum,
				see, context);
	}
}

bool
fx_checkpoints_shed(struct fx_model *model)
{
	const struct fx_session *session = model->session;

	for (size_t i = 0; i < session->checkpoints.count; i++) {
		struct fx_checkpoint *c = session->checkpoints.items[i];
		FX_AUTO_FREE char *words = NULL;

		if (c->model != model || !c->values.count)
			continue;
		words = fx_record_limit_words(session);
		spoil(c, "beyond the record limit");
		fx_model_say(model,
			fx_xasprintf("%s: the values of checkpoint %d are not "
				     "kept; restart %d computes them again",
				words, c->number, c->number));
		return true;
	}
	return false;
}

void
fx_checkpoints_drop_model(struct fx_session *session,
	const struct fx_model *model)
{
	for (size_t i = session->checkpoints.count; i-- > 0;) {
		struct fx_checkpoint *c = session->checkpoints.items[i];

		if (model && c->model != model)
			continue;
		fx_vec_remove(&session->checkpoints, i);
		checkpoint_free(c);
	}
}

void
fx_checkpoints_free(struct fx_session *session)
{
	fx_checkpoints_drop_model(session, NULL);
	fx_vec_deinit(&session->checkpoints);
}

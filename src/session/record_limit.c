/* record_limit.c - the record limit: beyond it, old values are dropped.
 *
 * Values go with all others that lie in the same storage, so that what is
 * computed again is seen by all its views.  Inputs, parameters and what nodes
 * further on still need stay; of those that go a summary does.
 */
#include <config.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "ir/tensor_meta.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/size_by_values.h"
#include "run/storage.h"
#include "session/checkpoint.h"
#include "session/position_private.h"
#include "session/session_private.h"
#include "session/settings.h"

/* Bytes of values that are kept though none are recorded: those that do not go
 * with the last node that takes them (release_dead.c).
 */
#define LITTLE (64 << 20)

/* --- counting ------------------------------------------------------------ */

static bool
count_storage(void *context, uintptr_t storage, size_t bytes)
{
	struct fx_timeline *timeline = context;

	if (fx_map_set(&timeline->storages, storage, bytes))
		timeline->held_bytes += bytes;
	return false;
}

static bool
is_given(const struct fx_model *model, const struct fx_node *node)
{
	return node->opcode == FX_OPCODE_PLACEHOLDER ||
	       node->opcode == FX_OPCODE_GET_ATTR ||
	       fx_model_is_overridden(model, node);
}

/* What undo would bring back is held too. */
static void
count_left(struct fx_timeline *timeline, const struct fx_left *left)
{
	size_t at = 0;
	uintptr_t id;
	uintptr_t datum;

	while (fx_map_next(&left->values, &at, &id, &datum))
		fx_datum_see_storages((const struct fx_datum *)datum,
			count_storage, timeline);
}

void
fx_record_limit_count(struct fx_model *model)
{
	struct fx_timeline *timeline = &model->run->timeline;

	fx_map_clear(&timeline->storages);
	timeline->held_bytes = 0;
	for (size_t i = 0; i < model->run->activations.count; i++) {
		const struct fx_activation *place =
			model->run->activations.items[i];
		const struct fx_node *node;

		fx_graph_for_each_node (node, place->graph) {
			const struct fx_datum *datum =
				fx_env_get(&place->env, node->id);

			if (datum && !is_given(model, node))
				fx_datum_see_storages(datum, count_storage,
					timeline);
		}
	}
	for (size_t i = 0; i < FX_ARRAY_LEN(model->run->left); i++)
		count_left(timeline, &model->run->left[i]);
	fx_checkpoints_see_storages(model, count_storage, timeline);
}

/* --- what may go --------------------------------------------------------- */

struct trim {
	struct fx_model *model;
	struct fx_activation *place;
	struct fx_map busy;    /* storages that must stay */
	struct fx_map doomed;  /* storages that go */
	struct fx_map sampled; /* see fx_timeline_drop */
	size_t freed;
	size_t wanted;
};

bool
fx_record_limit_needs(const struct fx_model *model,
	const struct fx_activation *place, const struct fx_node *node,
	const struct fx_node *running)
{
	const struct fx_node *stop = fx_activation_stop(place);
	const struct fx_use *use;

	if (is_given(model, node) || node->opcode == FX_OPCODE_OUTPUT ||
		node == stop)
		return true;
	/* Backwards: the last one is most often ahead. */
	for (use = node->last_user; stop && use; use = use->previous)
		if (use->user != running &&
			!fx_node_is_before(use->user, stop) &&
			!fx_env_get(&place->env, use->user->id))
			return true;
	return false;
}

static void
find_busy(struct trim *trim)
{
	const struct fx_node *node;
	size_t before;

	fx_graph_for_each_node (node, trim->place->graph) {
		struct fx_datum *datum =
			fx_env_get(&trim->place->env, node->id);

		if (datum && fx_record_limit_needs(trim->model, trim->place,
				     node, NULL))
			fx_datum_add_storages(datum, &trim->busy);
	}
	/* A tuple with one busy part keeps the others. */
	do {
		before = trim->busy.count;
		fx_graph_for_each_node (node, trim->place->graph) {
			struct fx_datum *datum =
				fx_env_get(&trim->place->env, node->id);

			if (datum && fx_datum_lies_in(datum, &trim->busy))
				fx_datum_add_storages(datum, &trim->busy);
		}
	} while (trim->busy.count != before);
}

/* --- dropping ------------------------------------------------------------ */

static bool
doom(void *context, uintptr_t storage, size_t bytes)
{
	struct trim *trim = context;

	if (fx_map_set(&trim->doomed, storage, 1))
		trim->freed += bytes;
	return false;
}

/* The oldest first, until enough is free. */
static void
find_doomed(struct trim *trim)
{
	const struct fx_node *node;
	size_t before;

	fx_graph_for_each_node (node, trim->place->graph) {
		struct fx_datum *datum =
			fx_env_get(&trim->place->env, node->id);

		if (trim->freed >= trim->wanted)
			break;
		if (datum && !fx_datum_lies_in(datum, &trim->busy))
			fx_datum_see_storages(datum, doom, trim);
	}
	/* All parts of a tuple go together. */
	do {
		before = trim->doomed.count;
		fx_graph_for_each_node (node, trim->place->graph) {
			struct fx_datum *datum =
				fx_env_get(&trim->place->env, node->id);

			if (datum && fx_datum_lies_in(datum, &trim->doomed))
				fx_datum_see_storages(datum, doom, trim);
		}
	} while (trim->doomed.count != before);
}

/* What was saved of storages that go is of no use any more. */
static void
forget_saved(struct trim *trim)
{
	struct fx_timeline *timeline = &trim->model->run->timeline;

	for (size_t i = 0; i < timeline->effects.count; i++) {
		struct fx_effect *effect = &timeline->effects.items[i];

		for (size_t j = effect->saved.count; j-- > 0;)
			if (fx_map_has(&trim->doomed,
				    effect->saved.items[j].storage))
				trim->freed +=
					fx_timeline_unsave(timeline, effect, j);
	}
}

static void
drop(struct trim *trim, const struct fx_node *node)
{
	struct fx_timeline *timeline = &trim->model->run->timeline;
	struct fx_activation *place = trim->place;
	struct fx_datum *datum = fx_env_get(&place->env, node->id);

	if (!datum || !fx_datum_lies_in(datum, &trim->doomed))
		return;
	if (fx_activation_is_above(place, node)) {
		timeline->summarised_now += fx_timeline_drop(timeline, node->id,
			datum, &trim->sampled);
		timeline->dropped_now++;
	}
	fx_env_drop(&place->env, node->id);
}

static void
trim_place(struct trim *trim)
{
	const struct fx_node *node;

	find_busy(trim);
	find_doomed(trim);
	fx_graph_for_each_node (node, trim->place->graph)
		drop(trim, node);
	forget_saved(trim);
	fx_map_deinit(&trim->busy);
	fx_map_deinit(&trim->doomed);
	fx_map_deinit(&trim->sampled);
}

/* Down to three quarters, so that it is not done at every node. */
static void
trim_all(struct fx_model *model)
{
	struct fx_timeline *timeline = &model->run->timeline;
	struct trim trim = { .model = model };
	size_t total;
	size_t target = timeline->limit / 4 * 3;

	fx_record_limit_count(model);
	if (timeline->held_bytes + timeline->saved_bytes > timeline->limit &&
		(model->run->left[0].time || model->run->left[1].time)) {
		fx_undo_cache_clear(model);
		fx_record_limit_count(model);
	}
	while (timeline->held_bytes + timeline->saved_bytes > timeline->limit &&
		fx_checkpoints_shed(model))
		fx_record_limit_count(model);
	total = timeline->held_bytes + timeline->saved_bytes;
	if (total <= timeline->limit)
		return;
	trim.wanted = total - target;
	for (size_t i = 0; i < model->run->activations.count; i++) {
		trim.place = model->run->activations.items[i];
		trim_place(&trim);
	}
	fx_record_limit_count(model);
	/* What cannot go must not be tried at every node. */
	timeline->next_trim = timeline->held_bytes + timeline->saved_bytes;
	timeline->next_trim += timeline->next_trim / 4;
}

/* The value of NODE; false where none is counted. */
static bool
count_node(struct fx_model *model, const struct fx_activation *place,
	const struct fx_node *node)
{
	const struct fx_datum *datum = fx_env_get(&place->env, node->id);

	if (!model->run->timeline.limit || !model->backend->ops->has_values ||
		!datum)
		return false;
	if (!is_given(model, node))
		fx_datum_see_storages(datum, count_storage,
			&model->run->timeline);
	return true;
}

void
fx_record_limit_after_again(struct fx_model *model,
	const struct fx_activation *place, const struct fx_node *node)
{
	(void)count_node(model, place, node);
}

void
fx_record_limit_after(struct fx_model *model, struct fx_activation *place,
	const struct fx_node *node)
{
	struct fx_timeline *timeline = &model->run->timeline;
	size_t total;

	if (!count_node(model, place, node))
		return;
	if (timeline->is_off)
		fx_record_limit_spend(model, place, node);
	total = timeline->held_bytes + timeline->saved_bytes;
	if (total > timeline->limit && total > timeline->next_trim)
		trim_all(model);
}

void
fx_record_limit_begin(struct fx_session *session, struct fx_model *model)
{
	struct fx_timeline *timeline = &model->run->timeline;

	timeline->is_off =
		!fx_settings_int(session->settings, FX_SET_RECORD_VALUES);
	timeline->limit =
		(size_t)fx_settings_int(session->settings, FX_SET_RECORD_LIMIT);
	if (timeline->is_off)
		timeline->limit = LITTLE;
	timeline->next_trim = 0;
	/* What was brought back to be looked at. */
	if (timeline->limit && model->backend->ops->has_values &&
		timeline->held_bytes + timeline->saved_bytes > timeline->limit)
		trim_all(model);
}

char *
fx_record_limit_words(const struct fx_session *session)
{
	if (!fx_settings_int(session->settings, FX_SET_RECORD_VALUES))
		return fx_xstrdup("record values off");
	return fx_xasprintf("record limit %s",
		fx_settings_text(session->settings, FX_SET_RECORD_LIMIT));
}

void
fx_record_limit_tell(struct fx_session *session, struct fx_model *model)
{
	struct fx_timeline *timeline = &model->run->timeline;
	size_t count = timeline->dropped_now;
	FX_AUTO_FREE char *words = fx_record_limit_words(session);
	FX_AUTO_BUF struct fx_buf text = { 0 };

	if (count) {
		fx_buf_addf(&text, "%s: %zu value%s not kept", words, count,
			count == 1 ? "" : "s");
		if (!timeline->is_off)
			fx_buf_addf(&text, " (summaries of %zu are)",
				timeline->summarised_now);
		fx_buf_add(&text, "; computed again when asked for");
		fx_model_say(model, fx_xstrdup(fx_buf_text(&text)));
	}
	timeline->dropped_now = 0;
	timeline->summarised_now = 0;
}

/* Whether a result would fit into memory, before it is computed.
 *
 * Linux gives out more memory than there is, and ends the process when it is
 * touched: too late for an error.
 */

/* Below this nobody asks the system. */
#define SMALL ((uint64_t)256 << 20)

/* Bytes that can be had, or UINT64_MAX when the system does not say. */
static uint64_t
available(void)
{
	static const char word[] = "MemAvailable:";
	char text[2048];
	const char *at;
	ssize_t length;
	int file = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);

	if (file < 0)
		return UINT64_MAX;
	length = read(file, text, sizeof(text) - 1);
	close(file);
	text[length > 0 ? length : 0] = '\0';
	at = strstr(text, word);
	if (!at)
		return UINT64_MAX;
	return strtoull(at + strlen(word), NULL, 10) * 1024;
}

struct fx_error *
fx_check_bytes(const char *what, uint64_t bytes)
{
	FX_AUTO_BUF struct fx_buf needed = { 0 };
	FX_AUTO_BUF struct fx_buf there = { 0 };
	uint64_t free_bytes;

	if (bytes < SMALL)
		return NULL;
	free_bytes = available();
	if (bytes <= free_bytes)
		return NULL;
	fx_number_add_bytes(&needed, bytes);
	fx_number_add_bytes(&there, free_bytes);
	return fx_error_hint(fx_error_new(FX_ERR_NO_SPACE,
				     "%s %s, and %s of memory are available",
				     what, fx_buf_text(&needed),
				     fx_buf_text(&there)),
		"set backend meta computes shapes only");
}

static struct fx_error *
check_room(const struct fx_model *model, uint64_t bytes)
{
	struct fx_error *err = fx_check_bytes("the result takes", bytes);

	if (!err || !model->session->kept_trials)
		return err;
	/* What verification keeps goes first. */
	fx_error_free(err);
	fx_verify_forget(model->session);
	return fx_check_bytes("the result takes", bytes);
}

struct fx_error *
fx_check_memory(const struct fx_model *model, const struct fx_value *meta)
{
	if (!meta || !model->backend->ops->has_values)
		return NULL;
	return check_room(model, fx_value_tensor_bytes(meta));
}

struct looked_at {
	const struct fx_env *env;
	const struct fx_node *node;
};

static struct fx_size_argument
argument_of(const void *context, size_t position, const char *name)
{
	const struct looked_at *l = context;
	const struct fx_value *given = fx_node_kwarg(l->node, name);

	if (!given)
		given = fx_node_arg(l->node, position);
	if (given && given->kind == FX_VALUE_NODE)
		return (struct fx_size_argument){
			fx_env_get(l->env, given->node->id), NULL
		};
	return (struct fx_size_argument){ NULL, given };
}

struct fx_error *
fx_check_node_memory(const struct fx_model *model, const struct fx_node *node)
{
	struct looked_at looked_at = { .node = node };
	struct fx_error *err = NULL;

	if (!fx_position_is_computing(node) ||
		(fx_may_alias(node) &&
			!fx_size_has_values((enum fx_op)node->op)))
		return NULL;
	if (!fx_may_alias(node))
		err = fx_check_memory(model, node->meta);
	if (err || !model->backend->ops->has_values)
		return err;
	/* What is known may be of other values. */
	looked_at.env = &fx_run_activation_of(model->run, node->graph)->env;
	return check_room(model, fx_size_by_values((enum fx_op)node->op,
					 argument_of, &looked_at));
}

/* replay.c - a graph run aside, and its nodes called again. */
#include <config.h>

#include "run/replay.h"

#include <string.h>

#include "base/blob.h"
#include "base/mem.h"
#include "ir/graph.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/interp.h"
#include "run/run.h"
#include "run/storage.h"
#include "run/trial_private.h"
#include "run/values.h"

/* --- running it ---------------------------------------------------------- */

static struct fx_error *
save_random(struct fx_backend *backend, struct fx_blob **ret)
{
	*ret = NULL;
	if (!backend->ops->has_values || !backend->ops->random_save)
		return NULL;
	return backend->ops->random_save(backend, ret);
}

static void
restore_random(struct fx_backend *backend, const struct fx_blob *state)
{
	if (state)
		fx_error_free(backend->ops->random_restore(backend, state));
}

/* The nodes of a nested graph that was entered: those around it are the
 * observers' business.
 */
static enum fx_answer
give(void *context, struct fx_interp *interp, struct fx_node *node)
{
	const struct fx_replay_wish *wish = context;
	struct fx_datum *given = wish->given(wish->owner, node);

	if (!given || node->opcode == FX_OPCODE_PLACEHOLDER)
		return FX_ANSWER_GO;
	return fx_interp_give(interp, node, fx_datum_ref(given));
}

static struct fx_error *
run_it(struct fx_replay *replay, const struct fx_replay_wish *wish)
{
	const struct fx_observer giver = { .context = (void *)wish,
		.before = give };
	const struct fx_trial trial = { .graph = wish->graph,
		.backend = wish->backend,
		.inputs = wish->inputs,
		.input_count = wish->input_count,
		.seed = wish->seed,
		.ticker = wish->ticker,
		.observers = wish->observers,
		.observer_count = wish->observer_count };
	struct fx_trying trying = { .trial = &trial,
		.timeline = &replay->run->timeline };
	struct fx_trying_part part = { .first = fx_graph_first(wish->graph),
		.end = wish->end,
		.also = replay->opened.is_nested && wish->given ? &giver : NULL,
		.keeps = true };
	struct fx_error *err = fx_timeline_start(&replay->run->timeline,
		wish->backend, wish->seed);

	if (err)
		return err;
	replay->run->timeline.watch.given = wish->given;
	replay->run->timeline.watch.owner = wish->owner;
	/* What was entered draws on from where the call stands. */
	if (replay->outer) {
		struct fx_timeline *timeline = &replay->run->timeline;

		restore_random(wish->backend, replay->random);
		fx_blob_unref(timeline->random);
		timeline->random = fx_blob_ref(replay->random);
	}
	replay->activation =
		fx_run_push(replay->run, wish->graph, wish->backend);
	part.activation = replay->activation;
	return fx_trying_run(&trying, &part);
}

static struct fx_error *
begin(const struct fx_replay_wish *wish, struct fx_replay *outer,
	bool is_nested, struct fx_replay **ret)
{
	FX_AUTO_REPLAY struct fx_replay *replay = FX_NEW(struct fx_replay);
	struct fx_error *err;

	replay->outer = outer;
	replay->opened.is_nested = is_nested;
	replay->graph = wish->graph;
	replay->backend = wish->backend;
	replay->ticker = wish->ticker;
	replay->run = fx_run_new();
	err = save_random(wish->backend, &replay->random);
	if (!err)
		err = run_it(replay, wish);
	if (err)
		return err;
	*ret = FX_TAKE(replay);
	return NULL;
}

struct fx_error *
fx_replay_new(const struct fx_replay_wish *wish, struct fx_replay **ret)
{
	return begin(wish, NULL, false, ret);
}

/* Run it on copies, as what is called may write into what it is given. */
static struct fx_error *
begin_on_copies(struct fx_replay_wish *wish, const struct fx_opened *opened,
	struct fx_replay *outer, struct fx_replay **ret)
{
	FX_AUTO_FREE struct fx_datum **copies =
		fx_xcalloc(opened->count + 1, sizeof(struct fx_datum *));
	struct fx_error *err = NULL;

	for (size_t i = 0; i < opened->count && !err; i++) {
		copies[i] = fx_datum_ref(opened->inputs[i]);
		if (copies[i])
			err = fx_datum_make_own(outer->backend, &copies[i]);
	}
	wish->graph = opened->graph;
	wish->inputs = copies;
	wish->input_count = opened->count;
	if (!err)
		err = begin(wish, outer, opened->is_nested, ret);
	for (size_t i = 0; i < opened->count; i++)
		fx_datum_unref(copies[i]);
	return err;
}

struct fx_error *
fx_replay_enter(struct fx_replay *outer, struct fx_node *node,
	const struct fx_replay_part *part, struct fx_replay **ret)
{
	static const struct fx_replay_part whole = { .end = NULL };
	struct fx_opened opened;
	struct fx_replay_wish wish = { .backend = outer->backend,
		.ticker = outer->ticker,
		.given = outer->run->timeline.watch.given,
		.owner = outer->run->timeline.watch.owner };
	struct fx_blob *random;
	struct fx_error *err = save_random(outer->backend, &random);

	*ret = NULL;
	if (err)
		return err;
	part = part ? part : &whole;
	wish.end = part->end;
	wish.observers = part->observers;
	wish.observer_count = part->observer_count;
	/* The turns before it in a loop draw too. */
	err = fx_plans_open(&outer->activation->plans, &outer->activation->env,
		node, &part->entry, &opened);
	if (!err && opened.graph)
		err = begin_on_copies(&wish, &opened, outer, ret);
	if (err || !opened.graph) {
		fx_opened_deinit(&opened);
		restore_random(outer->backend, random);
		fx_blob_unref(random);
		return err;
	}
	(*ret)->call = node;
	(*ret)->opened = opened;
	fx_blob_unref((*ret)->random);
	(*ret)->random = random;
	return NULL;
}

bool
fx_replay_is_seen(const struct fx_replay *replay)
{
	return !replay->outer || replay->opened.is_nested;
}

void
fx_replay_free(struct fx_replay *replay)
{
	if (!replay)
		return;
	/* The run goes first: that takes back its writes and draws. */
	fx_run_free(replay->run);
	restore_random(replay->backend, replay->random);
	fx_blob_unref(replay->random);
	fx_opened_deinit(&replay->opened);
	free(replay);
}

void
fx_replay_rewind(struct fx_replay *replay, const struct fx_node *node)
{
	fx_timeline_rewind(&replay->run->timeline, replay->graph,
		&replay->activation->env, node);
	fx_timeline_keep_random(&replay->run->timeline);
}

struct fx_datum *
fx_replay_value(const struct fx_replay *replay, const struct fx_node *node)
{
	return fx_env_get(&replay->activation->env, node->id);
}

/* --- calling a node ------------------------------------------------------ */

static struct fx_error *
call(struct fx_replay *replay, struct fx_node *node, const struct fx_env *env,
	struct fx_datum **ret)
{
	if (node->opcode == FX_OPCODE_OUTPUT)
		return fx_plan_argument(env, &node->args.items[0], ret);
	return fx_plans_call(&replay->activation->plans, env, node, ret);
}

struct fx_error *
fx_replay_call(struct fx_replay *replay, struct fx_node *node,
	struct fx_env *env, fx_replay_see_fn *see, void *context)
{
	struct fx_timeline *timeline = &replay->run->timeline;
	size_t effects = timeline->effects.count;
	FX_AUTO_DATUM struct fx_datum *result = NULL;
	struct fx_error *other;
	struct fx_error *err;

	replay->activation->plans.ticker = replay->ticker;
	fx_timeline_begin(timeline, node);
	err = call(replay, node, env, &result);
	if (err) {
		fx_timeline_fail(timeline, env);
		return err;
	}
	err = see(context, result);
	other = fx_timeline_end(timeline);
	while (timeline->effects.count > effects)
		fx_timeline_take_back(timeline, NULL);
	if (err)
		fx_error_free(other);
	return err ? err : other;
}

/* --- who wrote there ----------------------------------------------------- */

static struct fx_datum *
written_through(const struct fx_effect *effect, uintptr_t storage)
{
	for (size_t i = 0; i < effect->saved.count; i++)
		if (effect->saved.items[i].storage == storage)
			return effect->saved.items[i].tensor;
	return NULL;
}

struct fx_node *
fx_replay_writer(const struct fx_replay *replay, const struct fx_node *maker,
	const struct fx_datum *tensor, struct fx_datum **through_ret)
{
	const struct fx_timeline *timeline = &replay->run->timeline;
	uintptr_t storage = fx_datum_storage(tensor, NULL);

	for (size_t at = timeline->effects.count; storage && at-- > 0;) {
		const struct fx_effect *effect = &timeline->effects.items[at];
		struct fx_node *node =
			fx_graph_find_id(replay->graph, effect->node);

		if (!node || !fx_node_is_before(maker, node))
			return NULL;
		*through_ret = written_through(effect, storage);
		if (*through_ret)
			return node;
	}
	return NULL;
}

/* Every element of the storage is marked with a byte of its number, one byte a
 * time, and both tensors are read.
 */
struct marking {
	const struct fx_datum *a;
	uint64_t index;
	const struct fx_datum *b;
	struct fx_extent extents[2];
	size_t size; /* of an element */
	char *bytes; /* of B */
	bool *fits;  /* element of B: so far */
};

static struct fx_error *
mark_and_read(struct marking *m, size_t storage, unsigned shift)
{
	const struct fx_backend_ops *ops = m->a->backend->ops;
	char here[16];
	struct fx_blob *marks;
	struct fx_error *err = fx_blob_new(storage, &marks);

	if (err)
		return err;
	for (size_t i = 0; i < storage; i++)
		((unsigned char *)fx_blob_data(marks))[i] =
			(unsigned char)(i / m->size >> shift);
	err = ops->storage_restore(m->a->payload, marks);
	fx_blob_unref(marks);
	if (!err)
		err = fx_values_read(m->a, m->index, 1, here);
	if (!err)
		err = fx_values_read(m->b, 0, (size_t)m->extents[1].count,
			m->bytes);
	for (uint64_t i = 0; !err && i < m->extents[1].count; i++)
		m->fits[i] &= m->bytes[i * m->size] == here[0];
	return err;
}

static struct fx_error *
find_mark(struct marking *m, size_t storage)
{
	const struct fx_backend_ops *ops = m->a->backend->ops;
	struct fx_blob *saved;
	struct fx_error *err = ops->storage_save(m->a->payload, &saved);

	if (err)
		return err;
	memset(m->fits, true, (size_t)m->extents[1].count);
	for (unsigned shift = 0; !err && storage / m->size >> shift; shift += 8)
		err = mark_and_read(m, storage, shift);
	fx_error_free(ops->storage_restore(m->a->payload, saved));
	fx_blob_unref(saved);
	return err;
}

struct fx_error *
fx_replay_same_place(const struct fx_datum *a, uint64_t index,
	const struct fx_datum *b, uint64_t *ret, bool *found_ret)
{
	struct marking m = { .a = a, .index = index, .b = b };
	FX_AUTO_FREE char *bytes = NULL;
	FX_AUTO_FREE bool *fits = NULL;
	size_t storage;
	struct fx_error *err;

	*found_ret = a == b;
	*ret = index;
	if (a == b || !fx_datum_storage(a, &storage) ||
		!a->backend->ops->storage_save)
		return NULL;
	err = fx_extent_of(a, &m.extents[0]);
	if (!err)
		err = fx_extent_of(b, &m.extents[1]);
	if (err)
		return err;
	m.size = fx_dtype_info(m.extents[0].dtype)->size;
	if (m.size != fx_dtype_info(m.extents[1].dtype)->size || m.size > 16 ||
		!m.extents[1].count)
		return NULL;
	m.bytes = bytes = fx_xcalloc((size_t)m.extents[1].count, m.size);
	m.fits = fits = fx_xcalloc((size_t)m.extents[1].count, sizeof(bool));
	err = find_mark(&m, storage);
	for (uint64_t i = 0; !err && !*found_ret && i < m.extents[1].count;
		i++) {
		*found_ret = fits[i];
		*ret = i;
	}
	return err;
}

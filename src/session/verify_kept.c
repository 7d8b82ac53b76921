/* verify_kept.c - what trials gave, from one command to the next.
 *
 * Kept are the last graphs that ran, each with its inputs, what it gave and the
 * values at the place from which another one may go on; with them the backend
 * that these belong to, and the wide weights.  Nobody has to say when something
 * changes: what is kept is only taken for a graph that does the same, with
 * tensors in the same storages (whose bytes nobody writes), on inputs that are
 * made anew and hold the same bytes, by a backend that is set up alike.
 */
#include <config.h>

#include <stdlib.h>

#include "base/mem.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/difference.h"
#include "run/storage.h"
#include "session/session_private.h"
#include "session/settings.h"
#include "session/verify_private.h"

void
fx_kept_graph_deinit(struct fx_kept_graph *kept)
{
	for (size_t i = 0; i < FX_TRIAL_INPUTS; i++) {
		fx_trial_inputs_deinit(&kept->inputs[i]);
		fx_trial_memory_deinit(&kept->memory[i]);
	}
	fx_alignment_deinit(&kept->alignment);
	fx_graph_free(kept->graph);
	*kept = (struct fx_kept_graph){ .graph = NULL };
}

void
fx_kept_trials_free(struct fx_kept_trials *kept)
{
	if (!kept)
		return;
	for (size_t i = 0; i < FX_KEPT_GRAPHS; i++)
		fx_kept_graph_deinit(&kept->graphs[i]);
	fx_widening_deinit(&kept->widening);
	fx_backend_free(kept->backend);
	free(kept);
}

void
fx_verify_forget(struct fx_session *session)
{
	fx_kept_trials_free(FX_TAKE(session->kept_trials));
}

/* --- taking -------------------------------------------------------------- */

static struct fx_kept_setup
setup_of(const struct fx_model *model)
{
	return (struct fx_kept_setup){
		.fallback = model->torch->fallback,
		.confinement = model->torch->confinement,
		.threads = fx_settings_int(model->session->settings,
			FX_SET_THREADS),
		.seed = fx_session_seed(model->session),
	};
}

static bool
is_same_setup(const struct fx_kept_setup *a, const struct fx_kept_setup *b)
{
	return a->fallback == b->fallback && a->confinement == b->confinement &&
	       a->threads == b->threads && a->seed == b->seed;
}

void
fx_verify_take_kept(struct fx_verify *verify)
{
	struct fx_model *model = verify->model;
	struct fx_kept_trials *kept = FX_TAKE(verify->session->kept_trials);
	struct fx_kept_setup setup;

	if (!model->torch || model->backend != model->torch) {
		fx_kept_trials_free(kept);
		return;
	}
	setup = setup_of(model);
	if (kept && is_same_setup(&kept->setup, &setup))
		verify->kept = FX_TAKE(kept);
	fx_kept_trials_free(kept);
	verify->setup = setup;
	if (!verify->kept)
		return;
	verify->backend = FX_TAKE(verify->kept->backend);
	verify->backend->meta = model->session->meta;
	verify->owns_backend = true;
	verify->widening = verify->kept->widening;
	verify->kept->widening = (struct fx_widening){ .bytes = 0 };
}

void
fx_verify_drop_kept(struct fx_verify *verify)
{
	fx_kept_trials_free(FX_TAKE(verify->kept));
	fx_widening_deinit(&verify->widening);
	verify->widening = (struct fx_widening){ .bytes = 0 };
}

void
fx_verify_align_kept(struct fx_verify *verify)
{
	for (size_t i = 0; verify->kept && i < FX_KEPT_GRAPHS; i++) {
		struct fx_kept_graph *one = &verify->kept->graphs[i];

		if (one->graph && one->claim == verify->options.claim)
			fx_align(one->graph, verify->runs, &one->alignment);
	}
}

/* Give TO, of the second graph, the values that FROM has of the first, if the
 * graphs do the same up to there.
 */
static void
carry_stop(const struct fx_alignment *alignment,
	const struct fx_trial_stop *from, struct fx_trial_stop *to)
{
	const struct fx_node *parted = alignment->parted[0];
	size_t at = 0;
	uintptr_t other;
	uintptr_t twin;

	if (!from->at || (parted && fx_node_is_before(parted, from->at)))
		return;
	to->at = parted == from->at ? alignment->parted[1] : NULL;
	while (fx_map_next(&alignment->twins, &at, &other, &twin)) {
		const struct fx_node *node = (const struct fx_node *)twin;
		struct fx_datum *value = fx_env_get(&from->values, node->id);

		if (node == from->at)
			to->at = (struct fx_node *)other;
		if (value)
			fx_env_take(&to->values,
				((const struct fx_node *)other)->id,
				fx_datum_ref(value));
	}
	if (!to->at)
		fx_env_clear(&to->values);
}

static void
carry_stops(const struct fx_alignment *alignment,
	const struct fx_trial_memory *from, struct fx_trial_memory *to)
{
	for (size_t i = 0; i < FX_TRIAL_STOPS; i++)
		carry_stop(alignment, &from->stops[i], &to->stops[i]);
}

/* Whether STOP has all that live nodes of the second graph need from its place
 * on.
 */
static bool
is_enough(const struct fx_alignment *alignment,
	const struct fx_trial_stop *stop)
{
	struct fx_node *node = stop->at;

	for (; node; node = fx_graph_next(node)) {
		if (fx_alignment_live(alignment, 1, node) != node)
			continue;
		for (size_t i = 0; i < fx_node_input_count(node); i++) {
			const struct fx_node *input = fx_node_input(node, i);

			if (fx_node_is_before(input, stop->at) &&
				!fx_env_get(&stop->values, input->id))
				return false;
		}
	}
	return true;
}

static bool
is_same_input(const struct fx_datum *a, const struct fx_datum *b)
{
	FX_AUTO_GAP struct fx_gap gap = { .mismatch = NULL };
	struct fx_error *err;

	if (!a || !b)
		return a == b;
	err = fx_gap_compute(a, b, false, NULL, &gap);
	fx_error_free(err);
	return !err && gap.is_bit_equal;
}

static bool
has_same_inputs(const struct fx_trial_inputs *a,
	const struct fx_trial_inputs *b)
{
	bool ret = a->items && a->count == b->count;

	for (size_t i = 0; ret && i < a->count; i++)
		ret = is_same_input(a->items[i], b->items[i]);
	return ret;
}

/* The kept graph that knows most of what runs on input NUMBER, or NULL. */
static const struct fx_kept_graph *
find_best(const struct fx_verify *verify, size_t number)
{
	const struct fx_kept_graph *best = NULL;

	for (size_t i = 0; verify->kept && i < FX_KEPT_GRAPHS; i++) {
		const struct fx_kept_graph *one = &verify->kept->graphs[i];

		if (!one->alignment.shared ||
			!has_same_inputs(&one->inputs[number],
				&verify->inputs[number]))
			continue;
		if (!best ||
			(!fx_alignment_is_whole(&best->alignment) &&
				one->alignment.shared > best->alignment.shared))
			best = one;
	}
	return best;
}

static bool
see_once(void *context, uintptr_t storage, size_t bytes)
{
	(void)bytes;
	if (fx_map_has(context, storage))
		return true;
	fx_map_set(context, storage, 1);
	return false;
}

/* Whether what is written into one of INPUTS may be seen in another. */
static bool
hang_together(const struct fx_trial_inputs *inputs)
{
	FX_AUTO_MAP struct fx_map seen = { .slots = NULL };

	for (size_t i = 0; i < inputs->count; i++)
		if (inputs->items[i] && fx_datum_see_storages(inputs->items[i],
						see_once, &seen))
			return true;
	return false;
}

/* INPUTS are those that the values of KEPT were made from: their views, and
 * what is written into them, are seen there.
 */
static void
adopt(struct fx_trial_inputs *inputs, const struct fx_trial_inputs *kept)
{
	for (size_t i = 0; i < inputs->count; i++) {
		fx_datum_unref(inputs->items[i]);
		inputs->items[i] = fx_datum_ref(kept->items[i]);
	}
}

void
fx_verify_recall(struct fx_verify *verify, size_t number)
{
	struct fx_trial_memory *memory = &verify->memory[number];
	const struct fx_kept_graph *best;

	if (memory->output || memory->stops[0].at || memory->stops[1].at)
		return;
	best = hang_together(&verify->inputs[number])
		       ? NULL
		       : find_best(verify, number);
	if (!best)
		return;
	adopt(&verify->inputs[number], &best->inputs[number]);
	if (fx_alignment_is_whole(&best->alignment) &&
		best->memory[number].output)
		memory->output = fx_datum_ref(best->memory[number].output);
	carry_stops(&best->alignment, &best->memory[number], memory);
	for (size_t i = 0; i < FX_TRIAL_STOPS; i++)
		if (!is_enough(&best->alignment, &memory->stops[i])) {
			fx_env_clear(&memory->stops[i].values);
			memory->stops[i].at = NULL;
		}
}

/* --- keeping ------------------------------------------------------------- */

void
fx_verify_keep_after(struct fx_verify *verify, size_t number,
	const struct fx_alignment *alignment,
	const struct fx_trial_results *results)
{
	struct fx_trial_memory *memory = &verify->after.memory[number];
	struct fx_trial_inputs *inputs = &verify->after.inputs[number];
	struct fx_error *err;

	fx_trial_memory_deinit(memory);
	fx_trial_inputs_deinit(inputs);
	if (!verify->owns_backend || !results->is_traceless)
		return;
	inputs->items = fx_verify_match_inputs(verify, number,
		alignment->graphs[1], &inputs->count);
	for (size_t i = 0; i < inputs->count; i++)
		fx_datum_ref(inputs->items[i]);
	memory->output = fx_datum_ref(results->outputs[1]);
	err = fx_datum_make_own(verify->backend, &memory->output);
	fx_error_free(err);
	if (err)
		fx_trial_memory_deinit(memory);
	else
		carry_stops(alignment, &verify->memory[number], memory);
}

static bool
add_storage(void *context, uintptr_t storage, size_t bytes)
{
	fx_map_set(context, storage, bytes);
	return false;
}

static void
add_datum(const struct fx_datum *datum, struct fx_map *storages)
{
	if (datum)
		fx_datum_see_storages(datum, add_storage, storages);
}

static void
add_graph(const struct fx_kept_graph *one, struct fx_map *storages)
{
	const struct fx_node *node;

	for (size_t i = 0; one->graph && i < FX_TRIAL_INPUTS; i++) {
		const struct fx_trial_memory *memory = &one->memory[i];

		for (size_t j = 0; j < one->inputs[i].count; j++)
			add_datum(one->inputs[i].items[j], storages);
		add_datum(memory->output, storages);
		fx_graph_for_each_node (node, one->graph)
			for (size_t j = 0; j < FX_TRIAL_STOPS; j++)
				add_datum(fx_env_get(&memory->stops[j].values,
						  node->id),
					storages);
	}
}

/* Bytes of all that is kept. */
static uint64_t
bytes_of(const struct fx_kept_trials *kept)
{
	FX_AUTO_MAP struct fx_map storages = { 0 };
	uint64_t total = kept->widening.bytes;
	size_t at = 0;
	uintptr_t storage;
	uintptr_t bytes;

	for (size_t i = 0; i < FX_KEPT_GRAPHS; i++)
		add_graph(&kept->graphs[i], &storages);
	while (fx_map_next(&storages, &at, &storage, &bytes))
		total += bytes;
	return total;
}

/* The graph that ran before, with what belongs to it, out of VERIFY. */
static void
take_before(struct fx_verify *verify, struct fx_kept_graph *ret)
{
	ret->claim = verify->options.claim;
	ret->graph = verify->runs;
	if (verify->runs == verify->before)
		verify->before = NULL;
	verify->runs = verify->before;
	for (size_t i = 0; i < FX_TRIAL_INPUTS; i++) {
		ret->inputs[i] = verify->inputs[i];
		ret->memory[i] = verify->memory[i];
		verify->inputs[i] = (struct fx_trial_inputs){ .count = 0 };
		verify->memory[i] = (struct fx_trial_memory){ .output = NULL };
	}
}

void
fx_verify_leave(struct fx_verify *verify)
{
	struct fx_session *session = verify->session;
	struct fx_kept_trials *old = FX_TAKE(verify->kept);
	struct fx_kept_trials *kept;
	uint64_t limit = (uint64_t)fx_settings_int(session->settings,
		FX_SET_RECORD_LIMIT);
	size_t count = 0;

	if (!verify->keeps || !verify->owns_backend || verify->why ||
		!verify->runs) {
		fx_kept_trials_free(old);
		return;
	}
	fx_verify_forget(session);
	kept = FX_NEW(struct fx_kept_trials);
	kept->setup = verify->setup;
	kept->backend = FX_TAKE(verify->backend);
	kept->widening = verify->widening;
	verify->widening = (struct fx_widening){ .bytes = 0 };
	take_before(verify, &kept->graphs[count++]);
	if (verify->after.graph) {
		kept->graphs[count++] = verify->after;
		verify->after = (struct fx_kept_graph){ .graph = NULL };
	}
	for (size_t i = 0; old && i < FX_KEPT_GRAPHS; i++) {
		struct fx_kept_graph *one = &old->graphs[i];
		bool is_known = one->alignment.shared &&
				fx_alignment_is_whole(&one->alignment);

		fx_alignment_deinit(&one->alignment);
		one->alignment = (struct fx_alignment){ .shared = 0 };
		if (!one->graph || is_known || count == FX_KEPT_GRAPHS)
			continue;
		kept->graphs[count++] = *one;
		*one = (struct fx_kept_graph){ .graph = NULL };
	}
	fx_kept_trials_free(old);
	if (limit && bytes_of(kept) > limit)
		fx_kept_trials_free(kept);
	else
		session->kept_trials = kept;
}

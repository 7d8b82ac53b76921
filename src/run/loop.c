/* loop.c - the turns of a while_loop that was entered.
 *
 * A turn keeps what it was carried, so that going back needs no more than that
 * turn again.  A loop may never end: when there are many turns, or they hold
 * much, some of the older half are given up so that gaps there are alike, and
 * what lies in a gap becomes one effect.  When a gap is run again its turns are
 * kept by the same rule, beside those before it: however far back execution
 * goes, most turns run again once or twice.
 */
#include <config.h>

#include "run/loop.h"

#include <stdlib.h>

#include "base/mem.h"
#include "ir/graph.h"
#include "run/datum.h"
#include "run/run.h"
#include "run/storage.h"

/* Turns that are kept at most, and the bytes that they hold where the record
 * limit says nothing; those that are kept however large they are.
 */
#define TURNS_KEPT  256
#define BYTES_KEPT  ((size_t)1 << 30)
#define TURNS_LEAST 4

static void
turn_deinit(struct fx_loop *loop, struct fx_turn *turn)
{
	loop->bytes -= turn->bytes;
	fx_operands_deinit(&turn->operands);
}

void
fx_loop_free(struct fx_loop *loop)
{
	if (!loop)
		return;
	while (loop->turns.count)
		turn_deinit(loop, &fx_vec_pop(&loop->turns));
	fx_vec_deinit(&loop->turns);
	fx_plans_deinit(&loop->other);
	free(loop);
}

static bool
add_bytes(void *context, uintptr_t storage, size_t bytes)
{
	(void)storage;
	*(size_t *)context += bytes;
	return false;
}

/* Give up turn INDEX: its effects join those of the one before. */
static void
give_up(struct fx_run *run, struct fx_loop *loop, size_t index)
{
	struct fx_turn *turns = loop->turns.items;
	size_t first = turns[index - 1].effects;
	size_t end = index + 1 < loop->turns.count
			     ? turns[index + 1].effects
			     : run->timeline.effects.count;
	size_t gone = fx_timeline_merge(&run->timeline, first, end);

	turn_deinit(loop, &turns[index]);
	for (size_t i = index + 1; i < loop->turns.count; i++)
		turns[i].effects -= gone;
	fx_vec_remove(&loop->turns, index);
}

/* Whether the turns that may be given up are as many, or hold as much, as
 * QUARTERS of what is kept.  Half of the memory is for turns run again.
 */
static bool
is_full(const struct fx_run *run, const struct fx_loop *loop, size_t quarters)
{
	size_t limit = run->timeline.limit ? run->timeline.limit : BYTES_KEPT;
	size_t room = limit > loop->fixed ? (limit - loop->fixed) / 2 : 0;
	size_t count = loop->turns.count - loop->first;

	return count >= TURNS_KEPT / 4 * quarters ||
	       (count >= TURNS_LEAST &&
		       loop->bytes - loop->fixed > room / 4 * quarters);
}

/* Turns of the older half go where no more than STRIDE lies between others. */
static void
widen_gaps(struct fx_run *run, struct fx_loop *loop, size_t stride)
{
	size_t first = loop->first;
	size_t i = first + 1;

	while (i < first + (loop->turns.count - first) / 2) {
		const struct fx_turn *turns = loop->turns.items;

		if (turns[i + 1].number - turns[i - 1].number <= stride)
			give_up(run, loop, i);
		else
			i++;
	}
}

static void
thin_out(struct fx_run *run, struct fx_loop *loop)
{
	if (!is_full(run, loop, 4))
		return;
	for (size_t stride = 2; is_full(run, loop, 3); stride *= 2)
		widen_gaps(run, loop, stride);
}

/* The turn that begins now is kept. */
static void
keep_turn(struct fx_run *run, const struct fx_activation *activation)
{
	struct fx_loop *loop = activation->loop;
	struct fx_turn turn = {
		.number = loop->number,
		.effects = run->timeline.effects.count,
		.operands = fx_operands_dup(&activation->operands),
	};

	for (size_t i = 0; i < turn.operands.carried; i++)
		fx_datum_see_storages(turn.operands.items[i], add_bytes,
			&turn.bytes);
	if (loop->number > loop->again)
		loop->first = loop->fixed = 0;
	thin_out(run, loop);
	loop->bytes += turn.bytes;
	fx_vec_push(&loop->turns, turn);
}

/* Stand at the beginning of the condition or body. */
static void
stand_in(struct fx_run *run, struct fx_activation *activation, bool in_body)
{
	struct fx_loop *loop = activation->loop;
	struct fx_plans plans = activation->plans;

	fx_env_clear(&activation->env);
	if (in_body != loop->in_body) {
		activation->plans = loop->other;
		loop->other = plans;
	}
	loop->in_body = in_body;
	activation->graph = loop->graphs[in_body];
	fx_run_set_stop(run, activation, fx_graph_first(activation->graph));
}

void
fx_run_begin_loop(struct fx_run *run, struct fx_graph *condition,
	struct fx_graph *body)
{
	struct fx_activation *activation = fx_run_activation(run);
	struct fx_loop *loop = FX_NEW(struct fx_loop);

	loop->graphs[0] = condition;
	loop->graphs[1] = body;
	loop->number = 1;
	fx_plans_init(&loop->other, activation->plans.backend);
	loop->other.depth = activation->plans.depth;
	loop->other.watch = activation->plans.watch;
	activation->loop = loop;
	keep_turn(run, activation);
}

void
fx_run_next_phase(struct fx_run *run, struct fx_node *call)
{
	struct fx_activation *activation = fx_run_activation(run);
	struct fx_loop *loop = activation->loop;
	size_t first =
		fx_timeline_fold(&run->timeline, activation->graph, call);

	fx_env_clear(&activation->env);
	fx_timeline_prune(&run->timeline, first);
	if (loop->in_body) {
		loop->number++;
		keep_turn(run, activation);
	}
	stand_in(run, activation, !loop->in_body);
}

void
fx_run_rewind_loop(struct fx_run *run, size_t number)
{
	struct fx_activation *activation = fx_run_activation(run);
	struct fx_env *outer =
		&run->activations.items[run->activations.count - 2]->env;
	struct fx_loop *loop = activation->loop;
	const struct fx_turn *turn;

	fx_run_set_stop(run, activation, fx_graph_first(activation->graph));
	while (fx_vec_last(&loop->turns).number > number)
		turn_deinit(loop, &fx_vec_pop(&loop->turns));
	turn = &fx_vec_last(&loop->turns);
	loop->first = loop->turns.count - 1;
	loop->fixed = loop->bytes;
	loop->again = number;
	while (run->timeline.effects.count > turn->effects)
		fx_timeline_take_back(&run->timeline, outer);
	fx_operands_deinit(&activation->operands);
	activation->operands = fx_operands_dup(&turn->operands);
	loop->number = turn->number;
	stand_in(run, activation, false);
}

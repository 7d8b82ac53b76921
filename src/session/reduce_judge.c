/* reduce_judge.c - what fails in a graph, and whether a part fails alike. */
#include <config.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "ir/pair.h"
#include "ir/side_effects.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/difference.h"
#include "run/interp.h"
#include "run/nonfinite.h"
#include "run/progress.h"
#include "run/stats.h"
#include "run/trial.h"
#include "session/reduce_private.h"
#include "session/session.h"

void
fx_failing_deinit(struct fx_failing *failing)
{
	free(failing->message);
	*failing = (struct fx_failing){ .kind = FX_FAILING_NOT };
}

/* Whether A and B are equal but for the numbers in them. */
static bool
is_same_message(const char *a, const char *b)
{
	while (*a && *b) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			a += strspn(a, "0123456789");
			b += strspn(b, "0123456789");
		} else if (*a++ != *b++) {
			return false;
		}
	}
	return *a == *b;
}

bool
fx_failing_is_alike(const struct fx_failing *a, const struct fx_failing *b)
{
	if (a->kind != b->kind || a->is_nan != b->is_nan)
		return false;
	return a->kind != FX_FAILING_ERROR ||
	       (a->code == b->code && is_same_message(a->message, b->message));
}

void
fx_failing_print(struct fx_buf *out, const struct fx_failing *failing)
{
	switch (failing->kind) {
	case FX_FAILING_NOT:
		fx_buf_add(out, "nothing fails");
		return;
	case FX_FAILING_ERROR:
		fx_buf_addf(out, "%%%s %s: %s", failing->node->name,
			failing->code == FX_ERR_CHILD ? "ends the process"
						      : "fails",
			failing->message);
		return;
	case FX_FAILING_NONFINITE:
		fx_buf_addf(out, "%%%s makes %s", failing->node->name,
			failing->is_nan ? "NaN" : "an infinity");
		return;
	case FX_FAILING_VALUE:
		fx_buf_addf(out, "%%%s gives another value",
			failing->node->name);
		return;
	}
}

/* --- NaN and infinities -------------------------------------------------- */

enum {
	HAS_INF = 1,
	HAS_NAN = 2
};

static unsigned
nonfinite_in(const struct fx_datum *datum)
{
	struct fx_nonfinite_count count;
	FX_AUTO_ERROR struct fx_error *err = NULL;

	if (!datum || !fx_datum_is_nonfinite(datum))
		return 0;
	err = fx_nonfinite_count(datum, NULL, &count);
	if (err)
		return 0;
	return (count.nan ? HAS_NAN : 0u) | (count.inf ? HAS_INF : 0u);
}

/* --- one run ------------------------------------------------------------- */

struct watching {
	const struct fx_reducing *r;
	struct fx_graph *graph;
	struct fx_env *kept; /* values of GRAPH's nodes, or NULL */
	bool has_writes;
	struct fx_failing failing;
	unsigned wanted;           /* bits of what is no number, or 0 */
	const struct fx_node *end; /* the run ends before it, or NULL ... */
	bool has_ended;            /* ... and did */
	struct fx_error *error;    /* an observer's own */
};

/* Keep VALUE of NODE as it is now. */
static struct fx_error *
keep_value(struct watching *w, const struct fx_node *node,
	struct fx_datum *value)
{
	struct fx_error *err = NULL;

	value = fx_datum_ref(value);
	if (w->has_writes)
		err = fx_datum_make_own(w->r->backend, &value);
	if (err)
		fx_datum_unref(value);
	else
		fx_env_take(w->kept, node->id, value);
	return err;
}

static enum fx_answer
see_value(void *context, struct fx_interp *interp, struct fx_node *node,
	struct fx_datum *result)
{
	struct watching *w = context;

	(void)interp;
	if (node->graph != w->graph)
		return FX_ANSWER_GO;
	if (w->kept)
		w->error = keep_value(w, node, result);
	if (w->error)
		return FX_ANSWER_STOP;
	if (!w->wanted || !(nonfinite_in(result) & w->wanted))
		return FX_ANSWER_GO;
	w->failing.kind = FX_FAILING_NONFINITE;
	w->failing.is_nan = w->wanted == HAS_NAN;
	w->failing.node = node;
	return FX_ANSWER_STOP;
}

/* The inputs of NODE are kept as it sees them. */
static void
keep_inputs(struct watching *w, const struct fx_interp *interp,
	const struct fx_node *node)
{
	for (size_t i = 0; w->kept && i < fx_node_input_count(node); i++) {
		const struct fx_node *input = fx_node_input(node, i);
		struct fx_datum *value = fx_env_get(interp->env, input->id);

		if (value && !w->error)
			w->error = keep_value(w, input, value);
	}
}

static enum fx_answer
see_before(void *context, struct fx_interp *interp, struct fx_node *node)
{
	struct watching *w = context;

	if (!w->end || node != w->end)
		return FX_ANSWER_GO;
	keep_inputs(w, interp, node);
	w->has_ended = true;
	return FX_ANSWER_STOP;
}

static void
see_error(void *context, struct fx_interp *interp, struct fx_node *node,
	const struct fx_error *err)
{
	struct watching *w = context;

	if (node->graph != w->graph || w->failing.kind)
		return;
	w->failing.kind = FX_FAILING_ERROR;
	w->failing.node = node;
	w->failing.code = fx_error_code(err);
	w->failing.message = fx_xstrdup(fx_error_message(err));
	keep_inputs(w, interp, node);
}

/* An error of a node is no error of this function, but W's failing. */
static struct fx_error *
run(struct watching *w, struct fx_datum *const *inputs, size_t count,
	struct fx_datum **output_ret)
{
	struct fx_observer observer = { .context = w,
		.before = see_before,
		.after = see_value,
		.error = see_error };
	struct fx_trial trial = { .graph = w->graph,
		.backend = w->r->backend,
		.inputs = inputs,
		.input_count = count,
		.seed = fx_session_seed(w->r->session),
		.ticker = w->r->ticker,
		.observers = &observer,
		.observer_count = 1 };
	struct fx_error *err;
	const struct fx_node *node;

	fx_graph_for_each_node (node, w->graph)
		w->has_writes |= fx_side_effects(node) & FX_SIDE_EFFECT_WRITES;
	err = fx_trial_run(&trial, NULL, output_ret);
	if (w->error) {
		fx_error_free(err);
		return FX_TAKE(w->error);
	}
	/* What was seen ended it, and not a person. */
	if (err && (w->failing.kind || w->has_ended) &&
		!w->r->ticker->stopped) {
		fx_error_free(err);
		return NULL;
	}
	return err;
}

/* --- the source ---------------------------------------------------------- */

/* Where NODE's NaN (or infinity) comes from: back through inputs that have it.
 */
static struct fx_node *
find_origin(const struct fx_reducing *r, struct fx_node *node, unsigned wanted)
{
	FX_AUTO_BITSET struct fx_bitset reached = { 0 };
	struct fx_node *first = node;

	fx_bitset_add(&reached, (uint32_t)node->id);
	for (; node; node = fx_graph_previous(node)) {
		if (!fx_bitset_has(&reached, (uint32_t)node->id))
			continue;
		first = node;
		for (size_t i = 0; i < fx_node_input_count(node); i++) {
			struct fx_node *input = fx_node_input(node, i);

			if (nonfinite_in(fx_env_get(&r->kept, input->id)) &
				wanted)
				fx_bitset_add(&reached, (uint32_t)input->id);
		}
	}
	return first;
}

static void
see_nonfinite(struct fx_reducing *r)
{
	const struct fx_node *asked = r->options->node;
	struct fx_node *node = asked && asked->graph == r->source
				       ? (struct fx_node *)asked
				       : fx_graph_output(r->source);
	unsigned found =
		node ? nonfinite_in(fx_env_get(&r->kept, node->id)) : 0;

	if (!found)
		return;
	r->failing.is_nan = found & HAS_NAN;
	r->failing.kind = FX_FAILING_NONFINITE;
	r->failing.node =
		find_origin(r, node, r->failing.is_nan ? HAS_NAN : HAS_INF);
}

const struct fx_node *
fx_reduce_find_infinite(const struct fx_reducing *r)
{
	const struct fx_node *node = r->failing.node;

	for (size_t i = 0; r->failing.is_nan && i < fx_node_input_count(node);
		i++) {
		const struct fx_node *input = fx_node_input(node, i);

		if (input->opcode != FX_OPCODE_PLACEHOLDER &&
			input->opcode != FX_OPCODE_GET_ATTR &&
			nonfinite_in(fx_env_get(&r->kept, input->id)))
			return input;
	}
	return NULL;
}

/* See whether a node of R's source ends a process, which then is R's failing.
 */
static struct fx_error *
see_crash(struct fx_reducing *r)
{
	struct fx_error *err = fx_reduce_run_apart(r, r->source, r->inputs,
		r->input_count, &r->failing);

	if (r->failing.kind && r->failing.code == FX_ERR_CHILD)
		return err;
	fx_failing_deinit(&r->failing);
	return err;
}

struct fx_error *
fx_reduce_observe(struct fx_reducing *r)
{
	struct watching w = { .r = r, .graph = r->source, .kept = &r->kept };
	struct fx_error *err = r->options->isolate ? see_crash(r) : NULL;

	if (err || r->stopped)
		return err;
	w.end = r->failing.node;
	err = run(&w, r->inputs, r->input_count, NULL);
	if (w.has_ended)
		return err;
	fx_failing_deinit(&r->failing);
	r->failing = w.failing;
	if (!err && !r->failing.kind)
		see_nonfinite(r);
	return err;
}

struct fx_error *
fx_reduce_is_steady(struct fx_reducing *r, bool *ret)
{
	struct fx_failing failing = r->failing;
	struct fx_env kept = r->kept;
	struct fx_error *err;

	r->kept = (struct fx_env){ 0 };
	r->failing = (struct fx_failing){ 0 };
	err = fx_reduce_observe(r);
	*ret = !err && r->failing.node == failing.node &&
	       fx_failing_is_alike(&r->failing, &failing);
	fx_failing_deinit(&r->failing);
	fx_env_deinit(&r->kept);
	r->failing = failing;
	r->kept = kept;
	return err;
}

/* --- candidates ---------------------------------------------------------- */

static bool
may_try(struct fx_reducing *r)
{
	if (!r->stopped && *r->tries >= r->options->tries)
		r->stopped = "--tries";
	if (!r->stopped && fx_clock_ms() >= r->end)
		r->stopped = "--seconds";
	if (!r->stopped && fx_ticker_poll(r->ticker))
		r->stopped = "Ctrl-C";
	return !r->stopped;
}

static bool
is_value_wrong(const struct fx_reducing *r, const struct fx_datum *output)
{
	FX_AUTO_GAP struct fx_gap gap = { .mismatch = NULL };
	FX_AUTO_ERROR struct fx_error *err =
		fx_gap_compute(r->expected, output, false, r->ticker, &gap);

	return !err && (gap.mismatch || !(gap.max_rel <= r->options->rtol));
}

static bool
crashes(struct fx_reducing *r, const struct fx_built *built)
{
	struct fx_failing failing;
	FX_AUTO_ERROR struct fx_error *err =
		fx_reduce_run_apart(r, built->graph, built->inputs.items,
			built->inputs.count, &failing);
	bool answer = !err && failing.node == built->failing &&
		      fx_failing_is_alike(&failing, &r->failing);

	fx_failing_deinit(&failing);
	return answer;
}

static bool
fails(struct fx_reducing *r, const struct fx_built *built)
{
	struct watching w = { .r = r, .graph = built->graph };
	FX_AUTO_DATUM struct fx_datum *output = NULL;
	FX_AUTO_ERROR struct fx_error *err = NULL;
	bool answer;

	if (r->options->isolate && r->failing.kind == FX_FAILING_ERROR)
		return crashes(r, built);
	if (r->failing.kind == FX_FAILING_NONFINITE)
		w.wanted = r->failing.is_nan ? HAS_NAN : HAS_INF;
	err = run(&w, built->inputs.items, built->inputs.count,
		r->failing.kind == FX_FAILING_VALUE ? &output : NULL);
	if (r->failing.kind == FX_FAILING_VALUE)
		answer = !err && output && is_value_wrong(r, output);
	else
		answer = !err && w.failing.node == built->failing &&
			 fx_failing_is_alike(&w.failing, &r->failing);
	fx_failing_deinit(&w.failing);
	return answer;
}

bool
fx_reduce_fails(struct fx_reducing *r, const struct fx_cut *cut)
{
	FX_AUTO_BUILT struct fx_built built = { .graph = NULL };

	if (!may_try(r))
		return false;
	++*r->tries;
	fx_progress_set_part(r->ticker->progress, "try", *r->tries, 0, 1);
	return fx_reduce_build(r, cut, &built) && fails(r, &built);
}

/* --- beside another graph ------------------------------------------------ */

/* What NODE depends on up to nodes whose values the other graph has. */
static void
cut_at_known(const struct fx_reducing *r, struct fx_node *node,
	struct fx_cut *cut)
{
	struct fx_node *at = node;

	if (node->opcode != FX_OPCODE_GET_ATTR)
		fx_bitset_add(&cut->nodes, (uint32_t)node->id);
	for (; at; at = fx_graph_previous(at))
		for (size_t i = 0;
			fx_bitset_has(&cut->nodes, (uint32_t)at->id) &&
			i < fx_node_input_count(at);
			i++) {
			struct fx_node *input = fx_node_input(at, i);

			if (!fx_env_get(&r->kept, input->id) &&
				input->opcode != FX_OPCODE_GET_ATTR)
				fx_bitset_add(&cut->nodes, (uint32_t)input->id);
		}
}

/* Let R keep the values of OTHER's nodes, VALUES, for those that they are
 * paired with, and its own inputs.
 */
static void
take_values(struct fx_reducing *r, struct fx_graph *other,
	const struct fx_env *values)
{
	FX_AUTO_PAIRS struct fx_pairs pairs;
	struct fx_node *node;
	size_t input = 0;

	fx_pairs_make(r->source, other, NULL, &pairs);
	fx_graph_for_each_node (node, r->source) {
		const struct fx_node *mate = fx_pairs_mate(&pairs, node);
		struct fx_datum *value =
			mate ? fx_env_get(values, mate->id) : NULL;

		if (node->opcode == FX_OPCODE_PLACEHOLDER &&
			input < r->input_count) {
			struct fx_datum *own = r->inputs[input++];

			value = value ? value : own;
		}
		if (value)
			fx_env_take(&r->kept, node->id, fx_datum_ref(value));
	}
	fx_pairs_deinit(&pairs);
	pairs = (struct fx_pairs){ .counts = { 0 } };
}

/* Whether NODE by itself gives another value than it should. */
static bool
is_guilty(struct fx_reducing *r, struct fx_node *node)
{
	FX_AUTO_CUT struct fx_cut cut = { .dropped = 0 };

	r->expected = fx_env_get(&r->kept, node->id);
	if (!r->expected || r->expected->kind != FX_DATUM_TENSOR ||
		node->opcode == FX_OPCODE_PLACEHOLDER ||
		node->opcode == FX_OPCODE_OUTPUT)
		return false;
	r->failing.node = node;
	cut_at_known(r, node, &cut);
	if (!fx_reduce_fails(r, &cut))
		return false;
	fx_cut_copy(&r->cut, &cut);
	r->has_cut = true;
	return true;
}

/* The nodes that R's output depends on. */
static void
find_alive(const struct fx_reducing *r, struct fx_bitset *alive)
{
	struct fx_node *node = fx_graph_output(r->source);

	if (node)
		fx_bitset_add(alive, (uint32_t)node->id);
	for (; node; node = fx_graph_previous(node))
		for (size_t i = 0; fx_bitset_has(alive, (uint32_t)node->id) &&
				   i < fx_node_input_count(node);
			i++)
			fx_bitset_add(alive,
				(uint32_t)fx_node_input(node, i)->id);
}

struct fx_error *
fx_reduce_observe_other(struct fx_reducing *r, struct fx_graph *other,
	struct fx_datum *const *inputs, size_t count)
{
	FX_AUTO_ENV struct fx_env values = { 0 };
	FX_AUTO_BITSET struct fx_bitset alive = { 0 };
	struct watching w = { .r = r, .graph = other, .kept = &values };
	struct fx_error *err = run(&w, inputs, count, NULL);
	struct fx_node *node;

	fx_failing_deinit(&w.failing);
	if (err)
		return err;
	take_values(r, other, &values);
	find_alive(r, &alive);
	r->failing.kind = FX_FAILING_VALUE;
	fx_graph_for_each_node (node, r->source)
		if (fx_bitset_has(&alive, (uint32_t)node->id) &&
			is_guilty(r, node))
			break;
	if (r->has_cut) {
		fx_datum_ref(r->expected);
		return NULL;
	}
	r->failing.kind = FX_FAILING_NOT;
	r->expected = NULL;
	return NULL;
}

/* compare.c - where the values of two graphs part, node by node.
 *
 * Both run side by side, and of each pair the values are compared as soon as
 * both are there.  A value that has to wait is kept; where the first graph
 * writes in place it is a copy, as it was when its node had run.  Graphs that
 * may get in each other's way run one after the other, and all values are kept.
 */
#include <config.h>

#include "session/compare.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "ir/control.h"
#include "ir/module.h"
#include "ir/pair.h"
#include "ir/side_effects.h"
#include "ir/written.h"
#include "run/datum.h"
#include "run/draws.h"
#include "run/interp.h"
#include "session/arrays.h"
#include "session/override.h"
#include "session/session_private.h"
#include "session/verify_private.h"

void
fx_comparison_deinit(struct fx_comparison *comparison)
{
	for (size_t i = 0; i < comparison->count; i++)
		fx_gap_deinit(&comparison->rows[i].gap);
	free(comparison->rows);
	fx_error_free(comparison->left);
	free(comparison->inputs);
	fx_emulation_deinit(&comparison->emulation);
	*comparison = (struct fx_comparison){ .rows = NULL };
}

struct side {
	const struct fx_model *model;
	struct fx_graph *copy;
};

struct comparing {
	const struct fx_compare_options *options;
	struct fx_verify *verify;
	struct fx_graph *graphs[2]; /* as the session has them */
	struct fx_graph *copies[2]; /* that run; the same order of nodes */
	const struct fx_model *models[2]; /* where values of nodes are set */
	struct fx_pairs pairs;            /* of the copies */
	struct fx_env kept;               /* of the first */
	bool has_copies;                  /* the first writes in place */
	const struct fx_node *awaited;    /* of the first: compared at once */
	FX_VEC(struct fx_compare_row) rows;
	struct fx_observer observers[2][2];
	struct fx_draws draws; /* of another dtype */
	struct side sides[2];  /* where values are set within */
	struct fx_emulation *emulation;
	struct fx_error *error; /* an observer's */
	size_t executed[2];
};

/* --- one pair of values -------------------------------------------------- */

/* Take A, of NODE of the first, and B, of OTHER (may be NULL), into a row. */
static struct fx_error *
add_row(struct comparing *c, size_t node, struct fx_node *other,
	const struct fx_datum *a, const struct fx_datum *b)
{
	struct fx_compare_row row = { .node = fx_graph_at(c->graphs[0], node),
		.other = other,
		.cosine = NAN,
		.sqnr = NAN };
	struct fx_error *err =
		fx_gap_compute(a, b, c->options->dtype || c->options->arrays,
			&c->verify->ticker, &row.gap);

	if (!err && row.gap.is_bit_equal) {
		row.cosine = 1;
		row.sqnr = INFINITY;
	} else if (!err && !row.gap.mismatch) {
		row.cosine = row.gap.dot / sqrt(row.gap.squares[0]) /
			     sqrt(row.gap.squares[1]);
		row.sqnr = row.gap.noise == 0 ? INFINITY
					      : 10 * log10(row.gap.squares[0] /
							     row.gap.noise);
	}
	if (err) {
		fx_gap_deinit(&row.gap);
		return err;
	}
	row.has_parted =
		row.gap.mismatch || !(row.gap.max_rel <= c->options->rtol);
	fx_vec_push(&c->rows, row);
	return NULL;
}

/* --- the first graph ----------------------------------------------------- */

static struct fx_error *
compare_array(struct comparing *c, const struct fx_node *node,
	struct fx_datum *result)
{
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	struct fx_error *err = NULL;

	if (!fx_datum_is(result, FX_VALUE_NONE))
		err = fx_arrays_read(c->verify->backend, c->options->arrays,
			node->name, result, &datum);
	return err || !datum ? err
			     : add_row(c, fx_graph_position(c->copies[0], node),
				       NULL, result, datum);
}

/* End the trial, for the reason ERR. */
static enum fx_answer
answer(struct comparing *c, struct fx_error *err)
{
	if (!err)
		return FX_ANSWER_GO;
	fx_error_free(c->error);
	c->error = err;
	return FX_ANSWER_STOP;
}

static enum fx_answer
keep(void *context, struct fx_interp *interp, struct fx_node *node,
	struct fx_datum *result)
{
	struct comparing *c = context;
	struct fx_datum *mine;
	struct fx_error *err = NULL;

	(void)interp;
	c->executed[0]++;
	if (node->graph != c->copies[0])
		return FX_ANSWER_GO;
	if (c->options->arrays)
		return answer(c, compare_array(c, node, result));
	if (!fx_pairs_mate(&c->pairs, node))
		return FX_ANSWER_GO;
	mine = fx_datum_ref(result);
	if (c->has_copies && node != c->awaited)
		err = fx_datum_make_own(c->verify->backend, &mine);
	if (err)
		fx_datum_unref(mine);
	else
		fx_env_take(&c->kept, node->id, mine);
	return answer(c, err);
}

/* --- the second ---------------------------------------------------------- */

static enum fx_answer
see(void *context, struct fx_interp *interp, struct fx_node *node,
	struct fx_datum *result)
{
	struct comparing *c = context;
	struct fx_node *mate;
	struct fx_datum *mine;
	struct fx_error *err;

	(void)interp;
	c->executed[1]++;
	if (node->graph != c->copies[1])
		return FX_ANSWER_GO;
	mate = fx_pairs_mate(&c->pairs, node);
	mine = mate ? fx_env_get(&c->kept, mate->id) : NULL;
	if (!mine)
		return FX_ANSWER_GO;
	err = add_row(c, fx_graph_position(c->copies[0], mate),
		fx_graph_at(c->graphs[1],
			fx_graph_position(c->copies[1], node)),
		mine, result);
	fx_env_drop(&c->kept, mate->id);
	return answer(c, err);
}

/* --- the dtype that was asked for ---------------------------------------- */

/* As fx_widening has it. */
static enum fx_dtype
other_dtype(const struct comparing *c)
{
	return c->options->dtype == FX_DTYPE_F64 ? FX_DTYPE_NONE
						 : c->options->dtype;
}

/* The graph whose floats are of the dtype that was asked for. */
static int
converted(const struct comparing *c)
{
	return c->options->arrays ? 0 : 1;
}

/* --- values that the user set ------------------------------------------- */

/* What stands in for NODE of a copy, borrowed, or NULL. */
static struct fx_datum *
given_for(const struct comparing *c, const struct fx_node *node, int *which_ret)
{
	int which = fx_control_path(c->copies[1], node->graph) != NULL;
	const struct fx_model *model = c->models[which];
	const struct fx_node *mine;

	*which_ret = which;
	if (c->graphs[which] == model->graph)
		return fx_model_given_in(model, c->copies[which], node);
	/* At another time. */
	if (node->graph != c->copies[which] ||
		node->opcode == FX_OPCODE_PLACEHOLDER)
		return NULL;
	mine = fx_graph_at(c->graphs[which],
		fx_graph_position(c->copies[which], node));
	mine = fx_graph_find(model->graph, mine->name);
	return mine ? fx_run_given(model->run, mine->id) : NULL;
}

/* The same of NODE of a nested graph, as it is. */
static struct fx_datum *
given_within(void *context, const struct fx_node *node)
{
	struct side *side = context;

	return fx_model_given_in(side->model, side->copy, node);
}

static enum fx_answer
stand_in(void *context, struct fx_interp *interp, struct fx_node *node)
{
	struct comparing *c = context;
	int which;
	struct fx_datum *given = given_for(c, node, &which);
	enum fx_dtype to = other_dtype(c);
	bool is_wide = c->options->dtype && which == converted(c);
	enum fx_answer ret;
	struct fx_error *err;

	if (!given)
		return FX_ANSWER_GO;
	err = fx_interp_stand_in(interp, node, given, is_wide ? &to : NULL,
		&ret);
	return err ? answer(c, err) : ret;
}

static enum fx_answer
keep_given(void *context, struct fx_interp *interp, struct fx_node *node)
{
	return keep(context, interp, node, fx_env_get(interp->env, node->id));
}

static enum fx_answer
see_given(void *context, struct fx_interp *interp, struct fx_node *node)
{
	return see(context, interp, node, fx_env_get(interp->env, node->id));
}

/* The model that GRAPH is of; of a copy of what MODEL's was, MODEL, whose nodes
 * are found by their names.
 */
static const struct fx_model *
model_of(struct fx_session *session, const struct fx_model *model,
	const struct fx_graph *graph)
{
	const struct fx_model *own = fx_session_model_of(session, graph);

	return own ? own : model;
}

static bool
has_given(const struct comparing *c)
{
	return c->models[0]->run->overrides.count ||
	       c->models[1]->run->overrides.count;
}

/* --- running ------------------------------------------------------------- */

/* ERR, unless an observer knows better. */
static struct fx_error *
reason(struct comparing *c, struct fx_error *err)
{
	if (!c->error)
		return err;
	fx_error_free(err);
	return FX_TAKE(c->error);
}

static struct fx_trial
trial_of(struct comparing *c, int which, struct fx_datum *const *inputs,
	size_t count)
{
	return (struct fx_trial){ .graph = c->copies[which],
		.backend = c->verify->backend,
		.inputs = inputs,
		.input_count = count,
		.seed = fx_session_seed(c->verify->session),
		.ticker = &c->verify->ticker,
		.observers = c->observers[which],
		.observer_count =
			c->options->dtype && !c->options->arrays ? 2 : 1,
		.given = given_within,
		.owner = &c->sides[which] };
}

static struct fx_trial
first_trial(struct comparing *c)
{
	return trial_of(c, 0, c->verify->inputs[0].items,
		c->verify->inputs[0].count);
}

static struct fx_node *
await(void *context, const struct fx_node *node)
{
	struct comparing *c = context;
	struct fx_node *mate = fx_pairs_mate(&c->pairs, node);

	c->awaited = mate;
	return mate;
}

/* Whether what GRAPH does is seen in its own values alone. */
static bool
keeps_to_itself(struct fx_graph *graph)
{
	struct fx_written written = { .parameters = false };
	struct fx_node *node;
	bool ret = true;

	fx_written_find(&written, graph);
	fx_graph_for_each_node (node, graph) {
		unsigned effects = fx_side_effects(node);
		bool is_module = node->opcode == FX_OPCODE_CALL_MODULE;

		ret &= !(effects & FX_SIDE_EFFECT_DRAWS);
		ret &= node->opcode != FX_OPCODE_PLACEHOLDER ||
		       !fx_written_touches(&written, node);
		if (is_module && (effects & FX_SIDE_EFFECT_WRITES))
			ret &= !fx_module_has_tensors(
				fx_module_find(graph->module, node->target));
	}
	ret &= !written.parameters;
	fx_written_deinit(&written);
	return ret;
}

static struct fx_error *
check_memory(const struct comparing *c)
{
	uint64_t bytes = 0;
	const struct fx_node *node;

	fx_graph_for_each_node (node, c->copies[0])
		if (node->meta)
			bytes += fx_value_tensor_bytes(node->meta);
	return fx_check_bytes("keeping the values of a graph takes", bytes);
}

static struct fx_error *
run_graphs(struct comparing *c, struct fx_datum *const *inputs, size_t count,
	struct fx_error **left_ret)
{
	struct fx_trial first = first_trial(c);
	struct fx_trial second = trial_of(c, 1, inputs, count);
	struct fx_trial_walk walk = {
		.trials = { &first, &second }, .mate = await, .context = c
	};
	struct fx_error *err;

	if (c->options->arrays) {
		first = trial_of(c, 0, inputs, count);
		return reason(c, fx_trial_run(&first, NULL, NULL));
	}
	if (keeps_to_itself(c->copies[0]) && keeps_to_itself(c->copies[1]) &&
		!has_given(c))
		return reason(c, fx_trial_run_beside(&walk, left_ret));
	err = check_memory(c);
	if (!err)
		err = reason(c, fx_trial_run(&first, NULL, NULL));
	if (err)
		return err;
	err = reason(c, fx_trial_run(&second, NULL, NULL));
	if (err && fx_error_code(err) == FX_ERR_INTERRUPTED)
		return err;
	*left_ret = err;
	return NULL;
}

/* An input that the second graph has alone gets no value from the first. */
static struct fx_error *
check_inputs(const struct comparing *c)
{
	const struct fx_node *lone =
		c->options->arrays
			? NULL
			: fx_verify_lone_input(c->verify, c->copies[1]);

	if (!lone)
		return NULL;
	return fx_error_new(FX_ERR_NO_INPUT,
		"the second graph has an input %s, and the first, whose inputs "
		"both get, has none for it",
		lone->target);
}

/* The inputs of the graph that is converted are those of the first, by their
 * names.
 */
static struct fx_error *
run_on_inputs(struct comparing *c, struct fx_comparison *ret)
{
	int which = converted(c);
	size_t count;
	struct fx_datum **inputs =
		fx_verify_match_inputs(c->verify, 0, c->copies[which], &count);
	struct fx_error *err = NULL;

	if (!c->options->arrays)
		ret->inputs = fx_verify_tell_inputs(c->graphs[1], inputs);
	for (size_t i = 0; i < count; i++)
		fx_datum_ref(inputs[i]);
	for (size_t i = 0; c->options->dtype && i < count && !err; i++)
		if (inputs[i])
			err = fx_widen_datum(c->verify->backend, other_dtype(c),
				&inputs[i]);
	if (!err)
		err = run_graphs(c, inputs, count, &ret->left);
	for (size_t i = 0; i < count; i++)
		fx_datum_unref(inputs[i]);
	free(inputs);
	return err;
}

static struct fx_error *
run_both(struct comparing *c, struct fx_comparison *ret)
{
	struct fx_error *err = check_inputs(c);
	const struct fx_node *node;

	if (!err)
		err = fx_verify_get_inputs(c->verify);
	c->verify->widening.to = other_dtype(c);
	if (!err && c->options->dtype)
		err = fx_widen_graph(&c->verify->widening,
			c->copies[converted(c)]);
	if (err)
		return err;
	fx_graph_for_each_node (node, c->copies[0])
		c->has_copies |= fx_side_effects(node) & FX_SIDE_EFFECT_WRITES;
	/* It acts where a kernel of that dtype is missing. */
	fx_emulation_use(c->verify->backend,
		other_dtype(c) ? c->emulation : NULL);
	err = run_on_inputs(c, ret);
	fx_emulation_use(c->verify->backend, NULL);
	return err;
}

/* --- what came out ------------------------------------------------------- */

static bool
has_parted_input(const struct fx_compare_row *row, const struct fx_map *parted)
{
	const struct fx_node *node = row->other ? row->other : row->node;

	for (size_t i = 0; i < fx_node_input_count(node); i++)
		if (fx_map_has(parted, (uintptr_t)fx_node_input(node, i)))
			return true;
	return false;
}

/* A size is equal wherever the shapes are: no difference dies out in it. */
static bool
has_elements(const struct fx_compare_row *row)
{
	const struct fx_value *meta = row->node->meta;

	return !meta || meta->kind == FX_VALUE_TENSOR;
}

static void
sum_up(struct fx_comparison *ret)
{
	FX_AUTO_MAP struct fx_map parted = { 0 };

	ret->first = ret->largest = ret->dies = FX_COMPARE_NONE;
	for (size_t i = 0; i < ret->count; i++) {
		struct fx_compare_row *row = &ret->rows[i];

		if (!row->has_parted) {
			if (ret->dies == FX_COMPARE_NONE && has_elements(row) &&
				has_parted_input(row, &parted))
				ret->dies = i;
			continue;
		}
		fx_map_set_pointer(&parted, row->other ? row->other : row->node,
			row);
		ret->parted++;
		if (ret->first == FX_COMPARE_NONE)
			ret->first = i;
		if (ret->largest == FX_COMPARE_NONE ||
			row->gap.max_rel > ret->rows[ret->largest].gap.max_rel)
			ret->largest = i;
	}
}

static void
count_unpaired(const struct comparing *c, struct fx_comparison *ret)
{
	for (int s = 0; s < 2 && !c->options->arrays; s++)
		for (size_t i = 0; i < c->pairs.counts[s]; i++)
			ret->unpaired += !c->pairs.mates[s][i];
}

static void
watch(struct comparing *c)
{
	for (int i = 0; i < 2; i++)
		c->sides[i] = (struct side){ c->models[i], c->copies[i] };
	c->observers[0][0] = (struct fx_observer){ .context = c,
		.before = stand_in,
		.after = keep,
		.skipped = keep_given };
	c->observers[1][0] = (struct fx_observer){ .context = c,
		.before = stand_in,
		.after = see,
		.skipped = see_given };
	c->observers[0][1] = fx_draws_keeper(&c->draws);
	c->observers[1][1] = fx_draws_giver(&c->draws);
}

struct fx_error *
fx_compare_graphs(struct fx_session *session, struct fx_model *model,
	struct fx_graph *graph, const struct fx_compare_options *options,
	struct fx_comparison *ret)
{
	const struct fx_verify_options plain = { .claim = FX_CLAIM_EXACT,
		.graph = options->before,
		.is_copy = options->before != NULL };
	struct fx_graph *first =
		options->before ? options->before : model->graph;
	FX_AUTO_VERIFY struct fx_verify *verify =
		fx_verify_new(session, model, &plain);
	FX_AUTO_GRAPH struct fx_graph *copy =
		fx_verify_copy(session, graph ? graph : first, NULL);
	struct comparing c = { .options = options,
		.verify = verify,
		.graphs = { first, graph ? graph : first },
		.copies = { verify->before, copy },
		.models = { model_of(session, model, first),
			model_of(session, model, graph ? graph : first) } };
	const struct fx_tick tick = fx_session_ticks(session);
	struct fx_error *err;

	watch(&c);

	*ret = (struct fx_comparison){ .rows = NULL };
	err = fx_verify_ready(verify);
	if (err)
		return err;
	if (verify->why)
		return fx_error_new(FX_ERR_NOT_KNOWN, "%s", verify->why);
	ret->emulation.dtype = options->dtype;
	c.emulation = &ret->emulation;
	fx_pairs_make(verify->before, copy, &tick, &c.pairs);
	c.draws.backend = verify->backend;
	c.draws.first = verify->before;
	c.draws.pairs = &c.pairs;
	c.draws.to = other_dtype(&c);
	c.draws.error = &c.error;
	if (c.pairs.is_stopped)
		err = fx_error_new(FX_ERR_INTERRUPTED, "interrupted");
	else
		err = run_both(&c, ret);
	ret->rows = c.rows.items;
	ret->count = c.rows.count;
	ret->executed[0] = c.executed[0];
	ret->executed[1] = c.executed[1];
	sum_up(ret);
	count_unpaired(&c, ret);
	fx_pairs_deinit(&c.pairs);
	fx_env_deinit(&c.kept);
	fx_draws_deinit(&c.draws);
	if (err)
		fx_comparison_deinit(ret);
	return err;
}

/* verify_run.c - trials of a graph before and after an edit. */
#include <config.h>

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "ir/align.h"
#include "ir/module.h"
#include "run/backend.h"
#include "run/trial.h"
#include "session/capture.h"
#include "session/session_private.h"
#include "session/verify_private.h"

/* --- getting ready ------------------------------------------------------- */

static struct fx_error *
check_memory(const struct fx_verify *verify)
{
	uint64_t most = 0;
	uint64_t bytes = fx_module_bytes(verify->before->module, NULL);
	const struct fx_node *node;

	fx_graph_for_each_node (node, verify->before)
		if (node->meta)
			most = FX_MAX(most, fx_value_tensor_bytes(node->meta));
	if (verify->options.claim == FX_CLAIM_ALGEBRAIC)
		most += most < UINT64_MAX / 8 ? bytes + most : 0;
	return fx_check_bytes("a trial takes",
		most < UINT64_MAX / 8 ? 4 * most : UINT64_MAX);
}

static struct fx_error *
widen(struct fx_verify *verify)
{
	struct fx_error *err;

	verify->runs = fx_verify_copy(verify->session, verify->before, NULL);
	verify->widening.rounds = true;
	err = fx_widen_graph(&verify->widening, verify->runs);
	if (!err || !verify->kept)
		return err;
	/* Other graphs may have had the same memory in another dtype. */
	fx_error_free(err);
	fx_verify_drop_kept(verify);
	fx_graph_free(verify->runs);
	verify->runs = fx_verify_copy(verify->session, verify->before, NULL);
	verify->widening.rounds = true;
	return fx_widen_graph(&verify->widening, verify->runs);
}

/* What the trials run on. */
static struct fx_error *
choose_backend(struct fx_verify *verify)
{
	struct fx_model *model = verify->model;
	struct fx_error *err;

	if (verify->options.claim != FX_CLAIM_ALGEBRAIC ||
		model->backend != model->python)
		return fx_model_trial_backend(model, &verify->backend,
			&verify->owns_backend);
	err = fx_model_wide_backend(model, &verify->backend);
	verify->owns_backend = !err;
	return err;
}

/* Widen the copy that is run, or give the reason why nothing can be. */
static struct fx_error *
get_ready(struct fx_verify *verify)
{
	struct fx_model *model = verify->model;
	struct fx_error *err = NULL;

	if (!model->run->activations.count)
		err = fx_model_choose_backend(verify->session, model);
	if (err)
		return err;
	if (!model->backend->ops->has_values) {
		verify->why = fx_model_why_no_values(model);
		return NULL;
	}
	fx_model_ready_backend(model);
	err = check_memory(verify);
	/* What is kept goes first. */
	if (err && verify->session->kept_trials) {
		fx_error_free(err);
		fx_verify_forget(verify->session);
		err = check_memory(verify);
	}
	if (!err && verify->keeps)
		fx_verify_take_kept(verify);
	if (!err && !verify->backend)
		err = choose_backend(verify);
	verify->runs = verify->before;
	if (!err && verify->options.claim == FX_CLAIM_ALGEBRAIC)
		err = widen(verify);
	if (!err)
		fx_verify_align_kept(verify);
	return err;
}

struct fx_error *
fx_verify_ready(struct fx_verify *verify)
{
	struct fx_error *err = NULL;

	if (!verify->why && !verify->backend)
		err = get_ready(verify);
	if (!err || fx_error_code(err) == FX_ERR_INTERRUPTED)
		return err;
	verify->why = fx_xstrdup(fx_error_message(err));
	fx_error_free(err);
	return NULL;
}

/* --- running ------------------------------------------------------------- */

static struct fx_error *
make_inputs(struct fx_verify *verify, size_t number)
{
	struct fx_trial_wish wish = {
		.model = verify->model,
		.backend = verify->backend,
		.graph = verify->before,
		.ids = verify->ids.items,
		.number = number,
		.attempt = verify->attempt,
		.is_wide = verify->options.claim == FX_CLAIM_ALGEBRAIC,
		.has_nan = verify->tells_nan &&
			   number + 1 == verify->options.inputs,
	};

	if (verify->inputs[number].items)
		return NULL;
	return fx_trial_inputs_make(&wish, &verify->inputs[number]);
}

struct fx_error *
fx_verify_get_inputs(struct fx_verify *verify)
{
	fx_session_init_ticker(verify->session, &verify->ticker);
	return make_inputs(verify, 0);
}

static struct fx_error *
run_pair(struct fx_verify *verify, size_t number,
	const struct fx_alignment *alignment, struct fx_trial_results *ret)
{
	struct fx_trial trial = {
		.graph = verify->runs,
		.backend = verify->backend,
		.inputs = verify->inputs[number].items,
		.input_count = verify->inputs[number].count,
		.seed = fx_session_seed(verify->session) + number,
		.ticker = &verify->ticker,
	};
	struct fx_trial_pair pair = { .trial = &trial,
		.alignment = alignment,
		.memory = &verify->memory[number] };
	FX_AUTO_FREE struct fx_datum **others = fx_verify_match_inputs(verify,
		number, alignment->graphs[1], &pair.other_count);

	pair.others = others;
	return fx_trial_run_pair(&pair, ret);
}

/* The same, where integers that are too large may keep the graph from running:
 * smaller ones are tried.
 */
static struct fx_error *
try_number(struct fx_verify *verify, size_t number,
	const struct fx_alignment *alignment, struct fx_trial_results *ret)
{
	struct fx_error *err = make_inputs(verify, number);

	*ret = (struct fx_trial_results){ .executed = { 0 } };
	if (err) {
		ret->errors[0] = err;
		return NULL;
	}
	fx_verify_recall(verify, number);
	err = run_pair(verify, number, alignment, ret);
	while (!err && ret->errors[0] &&
		verify->attempt + 1 < FX_TRIAL_ATTEMPTS) {
		fx_trial_results_deinit(ret);
		fx_trial_inputs_deinit(&verify->inputs[number]);
		fx_trial_memory_deinit(&verify->memory[number]);
		verify->attempt++;
		err = make_inputs(verify, number);
		if (!err)
			err = run_pair(verify, number, alignment, ret);
	}
	return err;
}

/* --- telling ------------------------------------------------------------- */

/* The output's node that gives what GAP is about, or NULL. */
static const struct fx_node *
giver(const struct fx_graph *graph, const struct fx_gap *gap)
{
	const struct fx_node *output = fx_graph_output(graph);
	const struct fx_value *value = output ? fx_node_arg(output, 0) : NULL;

	for (size_t i = 0;
		value && value->kind != FX_VALUE_NODE && i < gap->depth; i++)
		value = gap->path[i] < fx_value_item_count(value)
				? &value->items[gap->path[i]]
				: NULL;
	return value && value->kind == FX_VALUE_NODE ? value->node : NULL;
}

static char *
place_of(const struct fx_verify *verify, const struct fx_gap *gap)
{
	const struct fx_model *model = verify->model;
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const struct fx_node *node = giver(verify->before, gap);

	fx_buf_addf(&text, "%s%s", node ? "%" : "",
		node ? node->name : "the output");
	/* To a person inside another graph the names are that one's. */
	if (!verify->options.graph && fx_position_graph(model) != model->graph)
		fx_buf_addf(&text, " of %s", model->name);
	if (gap->extent.rank) {
		fx_buf_add_char(&text, ' ');
		fx_gap_print_index(&text, gap);
	}
	return fx_buf_take(&text);
}

static bool
is_beyond(const struct fx_verify *verify, const struct fx_gap *gap)
{
	if (verify->options.claim == FX_CLAIM_EXACT &&
		verify->options.tolerance == 0)
		return !gap->is_bit_equal;
	/* A NaN among the options is no tolerance. */
	return !(gap->max_rel <= verify->options.tolerance);
}

static char *
place_of_written(const struct fx_trial_written *written,
	const struct fx_gap *gap)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_buf_add(&text, written->name);
	if (gap->extent.rank) {
		fx_buf_add_char(&text, ' ');
		fx_gap_print_index(&text, gap);
	}
	fx_buf_add(&text, ", which is written,");
	return fx_buf_take(&text);
}

/* Take GAP, of input NUMBER, over if it is the largest.  It is of the output,
 * or of what was WRITTEN (else NULL).
 */
static void
take_gap(struct fx_verify *verify, size_t number,
	const struct fx_trial_written *written, struct fx_gap *gap,
	struct fx_verify_result *ret)
{
	if (gap->mismatch) {
		ret->verdict = FX_VERDICT_DIFFERS;
		ret->input = number + 1;
		free(ret->why);
		ret->why = fx_xasprintf("%s is other: %s",
			written ? written->name : "the output", gap->mismatch);
		fx_gap_deinit(gap);
		return;
	}
	if (ret->inputs && gap->max_rel <= ret->gap.max_rel &&
		gap->is_bit_equal >= ret->gap.is_bit_equal)
		return;
	ret->gap = *gap;
	ret->input = number + 1;
	free(ret->place);
	ret->place = written ? place_of_written(written, gap)
			     : place_of(verify, gap);
	if (is_beyond(verify, gap))
		ret->verdict = FX_VERDICT_DIFFERS;
}

/* --- what was written ---------------------------------------------------- */

static const struct fx_trial_written *
find_written(const struct fx_trial_results *results, int which,
	const struct fx_trial_written *like)
{
	for (size_t i = 0; i < results->written[which].count; i++) {
		const struct fx_trial_written *one =
			&results->written[which].items[i];

		if (one->name == like->name && one->is_input == like->is_input)
			return one;
	}
	return NULL;
}

static bool
has_member(const struct fx_graph *graph, const struct fx_trial_written *like)
{
	return like->is_input ||
	       fx_module_find_tensor(graph->module, like->name);
}

/* What the graphs leave in ONE, an input or a buffer: SIDES. */
static struct fx_error *
see_one_written(struct fx_verify *verify, size_t number,
	const struct fx_trial_written *one,
	const struct fx_datum *const sides[2], struct fx_verify_result *ret)
{
	struct fx_gap gap;
	struct fx_error *err = fx_gap_compute(sides[0], sides[1], false,
		&verify->ticker, &gap);

	if (!err)
		take_gap(verify, number, one, &gap, ret);
	return err;
}

/* Where one of the graphs writes nothing it leaves what was there; what it has
 * not is not asked.
 */
static struct fx_error *
see_written(struct fx_verify *verify, size_t number,
	const struct fx_alignment *alignment,
	const struct fx_trial_results *results, struct fx_verify_result *ret)
{
	struct fx_error *err = NULL;

	for (int which = 0; which < 2; which++)
		for (size_t i = 0; i < results->written[which].count && !err &&
				   ret->verdict != FX_VERDICT_DIFFERS;
			i++) {
			const struct fx_trial_written *one =
				&results->written[which].items[i];
			const struct fx_trial_written *other =
				find_written(results, 1 - which, one);
			const struct fx_datum *sides[2];

			if ((which && other) ||
				!has_member(alignment->graphs[1 - which], one))
				continue;
			sides[which] = one->value;
			sides[1 - which] = other ? other->value : one->datum;
			err = see_one_written(verify, number, one, sides, ret);
		}
	return err;
}

/* VERDICT, because of ERR; a Ctrl-C is no reason and is returned. */
static FX_NODISCARD struct fx_error *
conclude(struct fx_verify_result *ret, enum fx_verdict verdict,
	const char *prefix, struct fx_error *err)
{
	if (fx_error_code(err) == FX_ERR_INTERRUPTED)
		return err;
	ret->verdict = verdict;
	free(ret->why);
	ret->why = fx_xasprintf("%s%s", prefix, fx_error_message(err));
	fx_error_free(err);
	return NULL;
}

/* Both graphs ran on input NUMBER. */
struct tried {
	struct fx_verify *verify;
	const struct fx_alignment *alignment;
	size_t number;
	struct fx_trial_results results;
};

static FX_NODISCARD struct fx_error *
compare_results(struct tried *tried, struct fx_verify_result *ret)
{
	struct fx_datum **outputs = tried->results.outputs;
	struct fx_gap gap;
	struct fx_error *err = fx_gap_compute(outputs[0], outputs[1], false,
		&tried->verify->ticker, &gap);

	if (err)
		return err;
	take_gap(tried->verify, tried->number, NULL, &gap, ret);
	ret->inputs++;
	return ret->verdict == FX_VERDICT_DIFFERS
		       ? NULL
		       : see_written(tried->verify, tried->number,
				 tried->alignment, &tried->results, ret);
}

/* Whether the trials END.  INTERRUPTED is the only error. */
static FX_NODISCARD struct fx_error *
see_results(struct tried *tried, struct fx_verify_result *ret, bool *end)
{
	struct fx_error *err = FX_TAKE(tried->results.errors[0]);

	if (!tried->number) {
		ret->executed[0] = tried->results.executed[0];
		ret->executed[1] = tried->results.executed[1];
	}
	*end = true;
	/* What ran on the session's inputs need not on others. */
	if (err && ret->inputs && fx_error_code(err) != FX_ERR_INTERRUPTED) {
		fx_error_free(err);
		return NULL;
	}
	if (err)
		return conclude(ret, FX_VERDICT_UNKNOWN, "", err);
	err = FX_TAKE(tried->results.errors[1]);
	/* What is not there was not computed wrongly. */
	if (err && fx_error_code(err) == FX_ERR_NO_VALUE)
		return conclude(ret, FX_VERDICT_UNKNOWN, "", err);
	if (err) {
		ret->input = tried->number + 1;
		return conclude(ret, FX_VERDICT_DIFFERS,
			"the graph fails: ", err);
	}
	err = compare_results(tried, ret);
	if (err)
		return conclude(ret, FX_VERDICT_UNKNOWN, "", err);
	*end = ret->verdict == FX_VERDICT_DIFFERS;
	return NULL;
}

static struct fx_error *
run_trials(struct fx_verify *verify, const struct fx_alignment *alignment,
	struct fx_verify_result *ret)
{
	struct tried tried = { .verify = verify, .alignment = alignment };
	struct fx_error *err = NULL;
	bool ends = false;

	fx_session_init_ticker(verify->session, &verify->ticker);
	while (!err && !ends && tried.number < verify->options.inputs) {
		if (fx_session_is_pressed(verify->session))
			return fx_error_new(FX_ERR_INTERRUPTED,
				"interrupted while verifying");
		fx_progress_set_part(verify->ticker.progress, "input",
			tried.number + 1, verify->options.inputs, 2);
		err = try_number(verify, tried.number, alignment,
			&tried.results);
		if (err)
			tried.results.errors[0] = err;
		fx_verify_keep_after(verify, tried.number, alignment,
			&tried.results);
		err = see_results(&tried, ret, &ends);
		fx_trial_results_deinit(&tried.results);
		tried.number++;
	}
	return err;
}

struct fx_error *
fx_verify_run(struct fx_verify *verify, struct fx_graph *copy_taken,
	struct fx_verify_result *ret)
{
	FX_AUTO_GRAPH struct fx_graph *copy = copy_taken;
	FX_AUTO_ALIGNMENT struct fx_alignment alignment = { .shared = 0 };
	const struct fx_node *lone;
	struct fx_error *err;

	lone = fx_verify_lone_input(verify, copy);
	if (lone) {
		ret->verdict = FX_VERDICT_DIFFERS;
		ret->why = fx_xasprintf("input %s stands in one graph alone",
			lone->target);
		return NULL;
	}
	verify->keeps = true;
	err = fx_verify_ready(verify);
	if (err)
		return err;
	if (verify->why) {
		ret->verdict = FX_VERDICT_UNKNOWN;
		ret->why = fx_xstrdup(verify->why);
		return NULL;
	}
	if (verify->options.claim == FX_CLAIM_ALGEBRAIC)
		err = fx_widen_graph(&verify->widening, copy);
	if (err) {
		ret->verdict = FX_VERDICT_UNKNOWN;
		ret->why = fx_xstrdup(fx_error_message(err));
		fx_error_free(err);
		return NULL;
	}
	fx_align(verify->runs, copy, &alignment);
	fx_kept_graph_deinit(&verify->after);
	err = run_trials(verify, &alignment, ret);
	verify->after.claim = verify->options.claim;
	verify->after.graph = FX_TAKE(copy);
	/* What was interrupted is not looked into. */
	verify->keeps = !err;
	return err;
}

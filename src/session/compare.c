/* compare.c - where the values of two graphs part, node by node.
 *
 * The first graph runs and its values are kept; where it writes in place they
 * are copies, as they were when their nodes had run.  While the second one runs
 * each value is compared and goes.
 */
#include <config.h>

#include "session/compare.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/mem.h"
#include "base/vec.h"
#include "ir/pair.h"
#include "ir/side_effects.h"
#include "ir/tensor_meta.h"
#include "load/npy.h"
#include "run/datum.h"
#include "run/trial.h"
#include "session/session_private.h"
#include "session/verify_private.h"

void
fx_comparison_deinit(struct fx_comparison *comparison)
{
	for (size_t i = 0; i < comparison->count; i++)
		fx_gap_deinit(&comparison->rows[i].gap);
	free(comparison->rows);
	fx_error_free(comparison->left);
	*comparison = (struct fx_comparison){ .rows = NULL };
}

struct comparing {
	const struct fx_compare_options *options;
	struct fx_verify *verify;
	struct fx_graph *graphs[2]; /* as the session has them */
	struct fx_graph *copies[2]; /* that run; the same order of nodes */
	struct fx_pairs pairs;      /* of the copies */
	struct fx_env kept;         /* of the first */
	bool has_copies;            /* the first writes in place */
	FX_VEC(struct fx_compare_row) rows;
	struct fx_error *error; /* an observer's */
	size_t executed[2];
};

/* --- one pair of values -------------------------------------------------- */

struct leaves {
	FX_VEC(struct fx_datum *) items;
};

static bool
add_leaf(void *context, struct fx_datum *held)
{
	struct leaves *leaves = context;

	if (held->kind == FX_DATUM_TENSOR)
		fx_vec_push(&leaves->items, held);
	return false;
}

struct sums {
	double dot;
	double squares[2];
	double noise;
};

static void
add_parts(struct sums *sums, const double *a, const double *b, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double by = a[i] - b[i];

		sums->dot += a[i] * b[i];
		sums->squares[0] += a[i] * a[i];
		sums->squares[1] += b[i] * b[i];
		sums->noise += by * by;
	}
}

static struct fx_error *
add_tensors(struct sums *sums, const struct fx_datum *a,
	const struct fx_datum *b, const struct fx_extent *extent)
{
	double real[2][FX_VALUES_CHUNK / 4];
	double imag[2][FX_VALUES_CHUNK / 4];
	bool is_complex = fx_dtype_info(extent->dtype)->category ==
			  FX_DTYPE_CATEGORY_COMPLEX;
	struct fx_error *err = NULL;

	for (uint64_t at = 0; at < extent->count && !err;
		at += FX_VALUES_CHUNK / 4) {
		size_t count =
			(size_t)FX_MIN(extent->count - at, FX_VALUES_CHUNK / 4);

		err = fx_values_numbers(a, at, count, real[0],
			is_complex ? imag[0] : NULL);
		if (!err)
			err = fx_values_numbers(b, at, count, real[1],
				is_complex ? imag[1] : NULL);
		if (err)
			return err;
		add_parts(sums, real[0], real[1], count);
		if (is_complex)
			add_parts(sums, imag[0], imag[1], count);
	}
	return err;
}

/* Cosine and SQNR of all tensors in A and B, which have the same form. */
static struct fx_error *
measure(const struct fx_datum *a, const struct fx_datum *b,
	struct fx_compare_row *row)
{
	struct leaves left = { .items = { 0 } };
	struct leaves right = { .items = { 0 } };
	struct sums sums = { .dot = 0 };
	struct fx_error *err = NULL;

	fx_datum_each_held(a, add_leaf, &left);
	fx_datum_each_held(b, add_leaf, &right);
	for (size_t i = 0;
		i < left.items.count && i < right.items.count && !err; i++) {
		struct fx_extent extent;

		err = fx_extent_of(left.items.items[i], &extent);
		if (!err)
			err = add_tensors(&sums, left.items.items[i],
				right.items.items[i], &extent);
	}
	row->cosine = sums.dot / sqrt(sums.squares[0]) / sqrt(sums.squares[1]);
	row->sqnr = sums.noise == 0 ? INFINITY
				    : 10 * log10(sums.squares[0] / sums.noise);
	fx_vec_deinit(&left.items);
	fx_vec_deinit(&right.items);
	return err;
}

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
		err = measure(a, b, &row);
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
	const struct fx_datum *result)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_NPY struct fx_npy array = { .rank = 0 };
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	struct fx_value meta;
	struct fx_error *err = NULL;

	if (fx_datum_is(result, FX_VALUE_NONE))
		return NULL;
	err = fx_npz_read(c->options->arrays, node->name, &array);
	if (err && fx_error_code(err) == FX_ERR_NO_NAME) {
		fx_error_free(err);
		return NULL;
	}
	if (err)
		return err;
	meta = fx_tensor_meta_ints(arena, array.dtype, array.sizes, array.rank);
	err = fx_values_write(c->verify->backend, meta.tensor,
		fx_blob_data(array.blob), &datum);
	return err ? err
		   : add_row(c, fx_graph_position(c->copies[0], node), NULL,
			     result, datum);
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
	if (c->has_copies)
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

/* --- running ------------------------------------------------------------- */

static struct fx_error *
run(struct comparing *c, int which, struct fx_datum *const *inputs,
	size_t count)
{
	struct fx_observer observer = { .context = c,
		.after = which ? see : keep };
	struct fx_trial trial = { .graph = c->copies[which],
		.backend = c->verify->backend,
		.inputs = inputs,
		.input_count = count,
		.seed = fx_session_seed(c->verify->session),
		.ticker = &c->verify->ticker,
		.observers = &observer,
		.observer_count = 1 };
	struct fx_error *err = fx_trial_run(&trial, NULL, NULL);

	if (!c->error)
		return err;
	fx_error_free(err);
	return FX_TAKE(c->error);
}

static struct fx_error *
check_memory(const struct comparing *c)
{
	uint64_t bytes = 0;
	const struct fx_node *node;

	fx_graph_for_each_node (node, c->copies[0])
		if (node->meta)
			bytes += fx_value_tensor_bytes(node->meta);
	return c->options->arrays
		       ? NULL
		       : fx_check_bytes("keeping the values of a graph takes",
				 bytes);
}

/* As fx_widening has it. */
static enum fx_dtype
other_dtype(const struct comparing *c)
{
	return c->options->dtype == FX_DTYPE_F64 ? FX_DTYPE_NONE
						 : c->options->dtype;
}

static struct fx_error *
run_second(struct comparing *c)
{
	size_t count;
	struct fx_datum **inputs =
		fx_verify_match_inputs(c->verify, 0, c->copies[1], &count);
	struct fx_error *err = NULL;

	for (size_t i = 0; i < count; i++)
		fx_datum_ref(inputs[i]);
	for (size_t i = 0; c->options->dtype && i < count && !err; i++)
		if (inputs[i])
			err = fx_widen_datum(c->verify->backend, other_dtype(c),
				&inputs[i]);
	if (!err)
		err = run(c, 1, inputs, count);
	for (size_t i = 0; i < count; i++)
		fx_datum_unref(inputs[i]);
	free(inputs);
	return err;
}

static struct fx_error *
run_both(struct comparing *c, struct fx_comparison *ret)
{
	struct fx_error *err = fx_verify_get_inputs(c->verify);
	const struct fx_node *node;

	if (!err)
		err = check_memory(c);
	c->verify->widening.to = other_dtype(c);
	if (!err && c->options->dtype)
		err = fx_widen_graph(&c->verify->widening, c->copies[1]);
	if (err)
		return err;
	fx_graph_for_each_node (node, c->copies[0])
		c->has_copies |= fx_side_effects(node) & FX_SIDE_EFFECT_WRITES;
	err = run(c, 0, c->verify->inputs[0].items, c->verify->inputs[0].count);
	if (err || c->options->arrays)
		return err;
	err = run_second(c);
	if (err && fx_error_code(err) == FX_ERR_INTERRUPTED)
		return err;
	ret->left = err;
	return NULL;
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

static void
sum_up(struct fx_comparison *ret)
{
	FX_AUTO_MAP struct fx_map parted = { 0 };

	ret->first = ret->largest = ret->dies = FX_COMPARE_NONE;
	for (size_t i = 0; i < ret->count; i++) {
		struct fx_compare_row *row = &ret->rows[i];

		if (!row->has_parted) {
			if (ret->dies == FX_COMPARE_NONE &&
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

struct fx_error *
fx_compare_graphs(struct fx_session *session, struct fx_model *model,
	struct fx_graph *graph, const struct fx_compare_options *options,
	struct fx_comparison *ret)
{
	const struct fx_verify_options plain = { .claim = FX_CLAIM_EXACT };
	FX_AUTO_VERIFY struct fx_verify *verify =
		fx_verify_new(session, model, &plain);
	FX_AUTO_GRAPH struct fx_graph *copy =
		fx_verify_copy(session, graph ? graph : model->graph, NULL);
	struct comparing c = { .options = options,
		.verify = verify,
		.graphs = { model->graph, graph ? graph : model->graph },
		.copies = { verify->before, copy } };
	struct fx_error *err;

	*ret = (struct fx_comparison){ .rows = NULL };
	if (!fx_verify_is_ready(verify))
		return fx_error_new(FX_ERR_NOT_KNOWN, "%s", verify->why);
	fx_pairs_make(verify->before, copy, &c.pairs);
	err = run_both(&c, ret);
	ret->rows = c.rows.items;
	ret->count = c.rows.count;
	ret->executed[0] = c.executed[0];
	ret->executed[1] = c.executed[1];
	sum_up(ret);
	count_unpaired(&c, ret);
	fx_pairs_deinit(&c.pairs);
	fx_env_deinit(&c.kept);
	if (err)
		fx_comparison_deinit(ret);
	return err;
}

/* explain_recurrent.c - one element of what an LSTM, GRU or RNN gives: the
 * sequence is computed again, in double, up to that step.
 */
#include <config.h>

#include "run/explain_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/blob.h"
#include "base/mem.h"
#include "ir/signature.h"
#include "run/datum.h"
#include "run/replay.h"

/* More products are not computed again. */
#define PRODUCT_LIMIT 1e9

enum {
	GATES_RNN = 1,
	GATES_GRU = 3, /* reset, update, new */
	GATES_LSTM = 4 /* input, forget, cell, output */
};

struct numbers {
	double *items; /* owned */
	struct fx_extent extent;
};

struct recurrence {
	struct fx_explaining *e;
	bool is_batch_first;
	bool has_biases;
	bool is_relu;
	size_t layers;
	size_t ways; /* 2: backwards too */
	size_t gates;
	size_t hidden;
	size_t steps;
	/* What is explained. */
	size_t layer;
	size_t way;
	size_t step;
	size_t batch;
	size_t unit;
	/* Of the unit at that step: the sums of its gates, of a GRU's last one
	 * the part of the state apart, and what it was before.
	 */
	double sums[GATES_LSTM];
	double state_sum;
	double before;
	bool is_done;
};

/* --- what it is given ----------------------------------------------------- */

static struct fx_error *
read_numbers(const struct fx_explaining *e, const struct fx_value *value,
	struct numbers *ret)
{
	struct fx_blob *bytes = NULL;
	const struct fx_datum *datum =
		value && value->kind == FX_VALUE_NODE
			? fx_replay_value(e->spot.replay, value->node)
			: NULL;
	FX_AUTO_FREE double *imag = NULL;
	struct fx_error *err;

	if (!datum || datum->kind != FX_DATUM_TENSOR)
		return fx_error_new(FX_ERR_UNSUPPORTED, "no tensor");
	err = fx_values_read_all(datum, &ret->extent, &bytes);
	if (err)
		return err;
	ret->items = fx_xcalloc(ret->extent.count + 1, sizeof(double));
	imag = fx_xcalloc(ret->extent.count + 1, sizeof(double));
	fx_elements_decode(ret->extent.dtype, fx_blob_data(bytes),
		(size_t)ret->extent.count, ret->items, imag);
	fx_blob_unref(bytes);
	return NULL;
}

static const struct fx_value *
item(const struct fx_explaining *e, const char *name, size_t index)
{
	for (size_t i = 0; i < e->signature->count; i++) {
		const struct fx_value *value = &e->bound[i];

		if (strcmp(e->signature->parameters[i].name, name) != 0)
			continue;
		if (!index && value->kind == FX_VALUE_NODE)
			return value;
		return index < fx_value_item_count(value) ? &value->items[index]
							  : NULL;
	}
	return NULL;
}

static int64_t
number(const struct fx_explaining *e, const char *name)
{
	const struct fx_value *value = fx_explain_find(e, name);

	if (!value)
		return -1;
	return value->kind == FX_VALUE_BOOL  ? value->truth
	       : value->kind == FX_VALUE_INT ? value->integer
					     : -1;
}

/* Parameter WHICH of a layer and way: both weights, both biases. */
static struct fx_error *
read_parameter(const struct recurrence *r, size_t layer, size_t way,
	size_t which, struct numbers *ret)
{
	size_t each = r->has_biases ? 4 : 2;

	return read_numbers(r->e,
		item(r->e, "params", (layer * r->ways + way) * each + which),
		ret);
}

/* --- the steps ------------------------------------------------------------ */

/* What one layer computes with, one way. */
struct layer {
	struct numbers parts[4]; /* weight_ih, weight_hh, bias_ih, bias_hh */
	size_t inputs;
	double *state; /* hidden, then of the cell */
};

static double
gate_sum(const struct recurrence *r, const struct layer *l, size_t row,
	const double *x, double *state_sum_ret)
{
	const double *ih = l->parts[0].items + row * l->inputs;
	const double *hh = l->parts[1].items + row * r->hidden;
	double sum = r->has_biases ? l->parts[2].items[row] : 0;
	double state = r->has_biases ? l->parts[3].items[row] : 0;

	for (size_t i = 0; i < l->inputs; i++)
		sum += ih[i] * x[i];
	for (size_t i = 0; i < r->hidden; i++)
		state += hh[i] * l->state[i];
	*state_sum_ret = state;
	return sum;
}

static double
sigmoid(double x)
{
	return 1 / (1 + exp(-x));
}

/* What the unit has after a step, by SUMS of its gates; *CELL (LSTM) too. */
static double
unit_after(const struct recurrence *r, const double *sums, double state_sum,
	double before, double *cell)
{
	double z;

	switch (r->gates) {
	case GATES_LSTM:
		*cell = sigmoid(sums[1]) * before +
			sigmoid(sums[0]) * tanh(sums[2]);
		return sigmoid(sums[3]) * tanh(*cell);
	case GATES_GRU:
		z = sigmoid(sums[1]);
		return (1 - z) * tanh(sums[2] + sigmoid(sums[0]) * state_sum) +
		       z * before;
	default:
		return r->is_relu ? fmax(sums[0], 0) : tanh(sums[0]);
	}
}

/* One step: the state becomes that after X.  IS_LAST: the one explained. */
static void
take_step(struct recurrence *r, struct layer *l, const double *x, bool is_last)
{
	FX_AUTO_FREE double *after = fx_xcalloc(r->hidden * 2, sizeof(double));

	for (size_t unit = 0; unit < r->hidden; unit++) {
		double before =
			l->state[r->gates == GATES_LSTM ? r->hidden + unit
							: unit];
		double sums[GATES_LSTM] = { 0 };
		double state_sum = 0;

		for (size_t g = 0; g < r->gates; g++) {
			sums[g] = gate_sum(r, l, g * r->hidden + unit, x,
				&state_sum);
			/* The new gate of a GRU resets the state's part. */
			if (r->gates != GATES_GRU || g != 2)
				sums[g] += state_sum;
		}
		after[unit] = unit_after(r, sums, state_sum, before,
			&after[r->hidden + unit]);
		if (!is_last || unit != r->unit)
			continue;
		memcpy(r->sums, sums, sizeof(sums));
		r->state_sum = state_sum;
		r->before = before;
		r->is_done = true;
	}
	memcpy(l->state, after, r->hidden * 2 * sizeof(double));
}

/* The state that a layer begins with, of hx. */
static struct fx_error *
begin_state(const struct recurrence *r, size_t layer, size_t way,
	struct layer *l)
{
	size_t count = r->gates == GATES_LSTM ? 2 : 1;

	l->state = fx_xcalloc(r->hidden * 2, sizeof(double));
	for (size_t i = 0; i < count; i++) {
		struct numbers hx = { .items = NULL };
		struct fx_error *err =
			read_numbers(r->e, item(r->e, "hx", i), &hx);
		size_t batch;

		if (err)
			return err;
		batch = hx.extent.rank == 3 ? (size_t)hx.extent.sizes[1] : 1;
		memcpy(l->state + i * r->hidden,
			hx.items +
				((layer * r->ways + way) * batch + r->batch) *
					r->hidden,
			r->hidden * sizeof(double));
		free(hx.items);
	}
	return NULL;
}

static struct fx_error *
open_layer(const struct recurrence *r, size_t layer, size_t way,
	struct layer *ret)
{
	struct fx_error *err = begin_state(r, layer, way, ret);

	for (size_t i = 0; i < (r->has_biases ? 4u : 2u) && !err; i++)
		err = read_parameter(r, layer, way, i, &ret->parts[i]);
	if (!err)
		ret->inputs = (size_t)ret->parts[0].extent.sizes[1];
	return err;
}

static void
close_layer(struct layer *l)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(l->parts); i++)
		free(l->parts[i].items);
	free(l->state);
}

/* Go through the sequence X, a row of WIDTH a step; OUT gets what WAY gives. */
static struct fx_error *
go_through(struct recurrence *r, size_t layer, size_t way, const double *x,
	double *out)
{
	struct layer l = { .state = NULL };
	struct fx_error *err = open_layer(r, layer, way, &l);
	bool is_target = layer == r->layer && way == r->way;

	for (size_t i = 0; i < r->steps && !err && !r->is_done; i++) {
		size_t t = way ? r->steps - 1 - i : i;

		take_step(r, &l, x + t * l.inputs, is_target && t == r->step);
		memcpy(out + (t * r->ways + way) * r->hidden, l.state,
			r->hidden * sizeof(double));
	}
	close_layer(&l);
	return err;
}

/* The rows of one element of the batch of the input. */
static double *
rows_of(const struct recurrence *r, const struct numbers *input)
{
	size_t width = (size_t)input->extent.sizes[2];
	size_t batch = (size_t)input->extent.sizes[r->is_batch_first ? 0 : 1];
	double *rows = fx_xcalloc(r->steps * width + 1, sizeof(double));

	for (size_t t = 0; t < r->steps; t++)
		memcpy(rows + t * width,
			input->items + (r->is_batch_first
						       ? r->batch * r->steps + t
						       : t * batch + r->batch) *
					       width,
			width * sizeof(double));
	return rows;
}

static struct fx_error *
compute(struct recurrence *r, const struct numbers *input)
{
	double *rows = rows_of(r, input);
	struct fx_error *err = NULL;

	for (size_t layer = 0; layer <= r->layer && !err && !r->is_done;
		layer++) {
		double *out = fx_xcalloc(r->steps * r->ways * r->hidden + 1,
			sizeof(double));

		for (size_t i = 0; i < r->ways && !err && !r->is_done; i++)
			err = go_through(r, layer, i, rows, out);
		free(rows);
		rows = out;
	}
	free(rows);
	return err;
}

/* --- which ---------------------------------------------------------------- */

/* Which layer, step and unit the element is of; false: of another form. */
static bool
locate(struct recurrence *r, const struct numbers *input)
{
	const int64_t *place = r->e->place;
	size_t number = r->e->spot.number;

	if (r->e->extent.rank != 3 || input->extent.rank != 3)
		return false;
	r->steps = (size_t)input->extent.sizes[r->is_batch_first ? 1 : 0];
	r->unit = (size_t)place[2] % r->hidden;
	if (!number) {
		r->layer = r->layers - 1;
		r->way = (size_t)place[2] / r->hidden;
		r->step = (size_t)place[r->is_batch_first ? 1 : 0];
		r->batch = (size_t)place[r->is_batch_first ? 0 : 1];
	} else {
		r->layer = (size_t)place[0] / r->ways;
		r->way = (size_t)place[0] % r->ways;
		r->step = r->way ? 0 : r->steps - 1;
		r->batch = (size_t)place[1];
	}
	return true;
}

/* Read the options; false for a form that is not computed again. */
static bool
read_options(struct recurrence *r, const struct numbers *first,
	const struct numbers *second)
{
	struct fx_explaining *e = r->e;
	int64_t layers = number(e, "num_layers");
	int64_t biases = number(e, "has_biases");
	size_t each;

	if (layers < 1 || biases < 0 || number(e, "bidirectional") < 0 ||
		number(e, "batch_first") < 0 || number(e, "train") ||
		first->extent.rank != 2 || second->extent.rank != 2)
		return false;
	r->layers = (size_t)layers;
	r->ways = number(e, "bidirectional") ? 2 : 1;
	r->has_biases = biases;
	r->is_batch_first = number(e, "batch_first");
	r->is_relu = strstr(e->formula->names, "relu") != NULL;
	r->hidden = (size_t)second->extent.sizes[1];
	r->gates = r->hidden ? (size_t)second->extent.sizes[0] / r->hidden : 0;
	/* A projection has one more. */
	each = r->has_biases ? 4 : 2;
	return !item(e, "params", r->layers * r->ways * each) &&
	       (r->gates == GATES_RNN || r->gates == GATES_GRU ||
		       r->gates == GATES_LSTM);
}

/* --- in words ------------------------------------------------------------- */

static void
add(struct fx_explaining *e, const char *name, double value)
{
	fx_explain_add_text(e, name, true,
		fx_walk_number_text(e->extent.dtype == FX_DTYPE_F64
					    ? FX_DTYPE_F64
					    : FX_DTYPE_F32,
			(const double[2]){ value, 0 }));
}

static void
add_gates(const struct recurrence *r)
{
	struct fx_explaining *e = r->e;

	if (r->gates == GATES_LSTM) {
		add(e, "i", sigmoid(r->sums[0]));
		add(e, "f", sigmoid(r->sums[1]));
		add(e, "g", tanh(r->sums[2]));
		add(e, "o", sigmoid(r->sums[3]));
	} else if (r->gates == GATES_GRU) {
		add(e, "z", sigmoid(r->sums[1]));
		add(e, "n",
			tanh(r->sums[2] + sigmoid(r->sums[0]) * r->state_sum));
	} else {
		add(e, "sum", r->sums[0]);
	}
	add(e, "before", r->before);
}

/* Whether what was computed again is what stands there. */
static bool
is_right(const struct recurrence *r)
{
	double cell = 0;
	double after = unit_after(r, r->sums, r->state_sum, r->before, &cell);
	double there = r->e->walk->cause->steps.items[0].number[0];

	/* The third that an LSTM gives is the cell. */
	if (r->gates == GATES_LSTM && r->e->spot.number == 2)
		after = cell;
	return fabs(after - there) <= 1e-2 * fmax(1, fabs(there));
}

struct fx_error *
fx_explain_add_recurrent(struct fx_explaining *e)
{
	struct recurrence r = { .e = e };
	struct numbers parts[3] = { { .items = NULL } };
	struct fx_error *err = read_numbers(e, item(e, "input", 0), &parts[0]);

	if (!err)
		err = read_numbers(e, item(e, "params", 0), &parts[1]);
	if (!err)
		err = read_numbers(e, item(e, "params", 1), &parts[2]);
	if (!err && read_options(&r, &parts[1], &parts[2]) &&
		locate(&r, &parts[0]) &&
		(double)r.steps * (double)r.layers *
				(double)parts[2].extent.count <
			PRODUCT_LIMIT)
		err = compute(&r, &parts[0]);
	for (size_t i = 0; i < FX_ARRAY_LEN(parts); i++)
		free(parts[i].items);
	if (err && fx_error_code(err) == FX_ERR_UNSUPPORTED) {
		fx_error_free(err);
		return NULL;
	}
	if (!err && r.is_done && is_right(&r))
		add_gates(&r);
	return err;
}

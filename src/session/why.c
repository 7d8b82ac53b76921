/* why.c - choosing the element that is asked about, and asking. */
#include <config.h>

#include "session/why_private.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "ir/control.h"
#include "ir/graph.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/difference.h"
#include "run/replay.h"
#include "run/stats.h"

bool
fx_why_has_reference(const struct fx_why_wish *wish)
{
	return wish->against || wish->dtype || wish->arrays;
}

void
fx_why_deinit(struct fx_why *why)
{
	fx_cause_deinit(&why->cause);
	fx_cause_deinit(&why->second);
	fx_emulation_deinit(&why->emulation);
}

static struct fx_error *
check_target(const struct fx_inquiry *a)
{
	const struct fx_node *node = a->wish->node;

	if (!fx_why_has_reference(a->wish) && !fx_position_is_started(a->model))
		return fx_position_not_run(a->model);
	if (!node || node->graph != a->model->graph)
		return NULL;
	if (a->end && !fx_node_is_before(node, a->end))
		return fx_error_hint(fx_error_new(FX_ERR_NOT_RUN,
					     "%%%s has not run yet",
					     node->name),
			"run --to %s", node->name);
	return NULL;
}

/* --- which element ------------------------------------------------------- */

static size_t
count_tensors(const struct fx_value *value)
{
	size_t count = fx_datum_held(value) != NULL;

	for (size_t i = 0; i < fx_value_item_count(value); i++)
		count += count_tensors(&value->items[i]);
	return count;
}

/* Which of the tensors in DATUM the COUNT numbers of INDEX before the element's
 * mean: one counts all, several one for each container, as
 * in Python.  Returns how many were used.
 */
static size_t
choose_number(const struct fx_datum *datum, const int64_t *index, size_t count,
	struct fx_spot *spot)
{
	const struct fx_value *value = &datum->value;
	size_t used = 0;

	spot->number = *index < 0 ? SIZE_MAX : (size_t)*index;
	/* split[1,0,3] is as good. */
	if (count < 2)
		return 1;
	for (spot->number = 0; fx_value_item_count(value) && used < count;) {
		size_t items = fx_value_item_count(value);

		if (index[used] < 0 || (size_t)index[used] >= items) {
			spot->number = SIZE_MAX;
			return used + 1;
		}
		for (int64_t i = 0; i < index[used]; i++)
			spot->number += count_tensors(&value->items[i]);
		value = &value->items[index[used++]];
	}
	return used;
}

/* The first NaN, else the first infinity, else what is largest; where an index
 * was given it is that of the tensor.
 */
static struct fx_error *
find_worst(struct fx_inquiry *a, const struct fx_datum *datum,
	struct fx_spot *spot)
{
	const size_t only = spot->number;
	int best = -1;
	double largest = -1;
	struct fx_datum *tensor;

	for (size_t k = 0; (tensor = fx_datum_tensor_at(datum, k)); k++) {
		struct fx_stats stats;
		struct fx_error *err;
		double size;
		int now;

		if (a->wish->count && k != only)
			continue;
		err = fx_stats_compute(tensor, &a->ticker, &stats);
		if (err)
			return err;
		size = FX_MAX(fabs(stats.min), fabs(stats.max));
		/* Of truths the first that is not. */
		if (stats.extent.dtype == FX_DTYPE_BOOL)
			stats.max_index = stats.min_index;
		now = stats.nan ? 2 : stats.plus_inf + stats.minus_inf ? 1 : 0;
		if (!stats.seen || now < best ||
			(now == best && (now || size <= largest)))
			continue;
		best = now;
		largest = size;
		spot->number = k;
		spot->element = now == 2   ? stats.nan_index
				: now == 1 ? stats.inf_index
				: fabs(stats.min) > fabs(stats.max)
					? stats.min_index
					: stats.max_index;
	}
	return NULL;
}

/* The element that lies furthest from the reference. */
static struct fx_error *
find_furthest(struct fx_inquiry *a, const struct fx_datum *datum,
	const struct fx_datum *reference, struct fx_spot *spot)
{
	const size_t only = spot->number;
	double largest = 0;
	struct fx_datum *mine;

	for (size_t k = 0; (mine = fx_datum_tensor_at(datum, k)); k++) {
		struct fx_datum *theirs = fx_datum_tensor_at(reference, k);
		FX_AUTO_GAP struct fx_gap gap = { .mismatch = NULL };
		struct fx_error *err = NULL;

		if (a->wish->count && k != only)
			continue;
		if (theirs)
			err = fx_gap_compute(mine, theirs, true, &a->ticker,
				&gap);
		if (err)
			return err;
		if (!theirs || gap.mismatch || !gap.differing ||
			!(gap.max_rel > largest))
			continue;
		largest = gap.max_rel;
		spot->number = k;
		spot->element = gap.index;
	}
	return NULL;
}

static struct fx_error *
read_index(struct fx_inquiry *a, const struct fx_datum *datum,
	struct fx_spot *spot)
{
	const struct fx_why_wish *wish = a->wish;
	const int64_t *index = wish->index;
	size_t count = wish->count;
	const struct fx_datum *tensor;
	struct fx_extent extent;
	struct fx_error *err;

	/* Of one alone the numbers before the element's may be left out. */
	if (datum->kind != FX_DATUM_TENSOR &&
		(count > wish->last || fx_datum_tensor_at(datum, 1))) {
		size_t used =
			choose_number(datum, index, count - wish->last, spot);

		index += used;
		count -= used;
	}
	tensor = fx_datum_tensor_at(datum, spot->number);
	if (!tensor)
		return fx_error_new(FX_ERR_RANGE, "%%%s has no item %lld",
			wish->node->name, (long long)wish->index[0]);
	err = fx_extent_of(tensor, &extent);
	/* output[2] of several is the third of them: any element of it. */
	if (!err && !count && extent.rank && datum->kind != FX_DATUM_TENSOR)
		return a->other && spot->mate
			       ? find_furthest(a, datum,
					 fx_replay_value(spot->other,
						 spot->mate),
					 spot)
			       : find_worst(a, datum, spot);
	if (err)
		return err;
	if (count != extent.rank)
		return fx_error_new(FX_ERR_RANGE,
			"%%%s has %u dimension%s, not %zu", wish->node->name,
			extent.rank, extent.rank == 1 ? "" : "s", count);
	for (uint32_t i = 0; i < extent.rank; i++) {
		int64_t at =
			index[i] < 0 ? index[i] + extent.sizes[i] : index[i];

		if (at < 0 || at >= extent.sizes[i])
			return fx_error_new(FX_ERR_RANGE,
				"index %lld is out of range for dimension %u "
				"of %%%s, of size %lld",
				(long long)index[i], i, wish->node->name,
				(long long)extent.sizes[i]);
		spot->element = spot->element * (uint64_t)extent.sizes[i] +
				(uint64_t)at;
	}
	return NULL;
}

/* What the reference has there, and how large it is all in all. */
static struct fx_error *
read_wanted(struct fx_inquiry *a, struct fx_spot *spot)
{
	const struct fx_datum *tensor =
		spot->mate ? fx_datum_tensor_at(fx_replay_value(spot->other,
							spot->mate),
				     spot->number)
			   : NULL;
	struct fx_extent extent;
	struct fx_stats stats;
	struct fx_error *err;

	if (!tensor)
		return fx_error_new(FX_ERR_NO_NODE,
			"the reference has nothing in the place of %%%s",
			spot->node->name);
	err = fx_extent_of(tensor, &extent);
	if (!err && spot->element >= extent.count)
		err = fx_error_new(FX_ERR_SHAPE,
			"%%%s has another shape in the reference",
			spot->node->name);
	if (!err)
		err = fx_stats_compute(tensor, &a->ticker, &stats);
	if (!err)
		err = fx_values_numbers(tensor, spot->element, 1,
			&spot->wanted[0], &spot->wanted[1]);
	if (!err)
		spot->scale = stats.finite ? FX_MAX(fabs(stats.least),
						     fabs(stats.most))
					   : 0;
	return err;
}

/* What graphs within hold is asked there. */
static struct fx_error *
hint_nested(const struct fx_inquiry *a, struct fx_error *err)
{
	const struct fx_graph *graph = a->inner->graph;
	struct fx_graph *graphs[2];
	const struct fx_node *node;

	fx_graph_for_each_node (node, graph) {
		size_t count = fx_control_graphs(node, graphs);
		const char *path = count && graphs[count - 1]
					   ? fx_control_path(a->model->graph,
						     graphs[count - 1])
					   : NULL;

		if (path)
			return fx_error_hint(err,
				"graph /%s; then ask what is within", path);
	}
	return err;
}

/* A NaN (or infinity) of the output, else the first that was there. */
static struct fx_error *
choose_fault(struct fx_inquiry *a, struct fx_spot *spot, struct fx_why *ret)
{
	bool wants_inf = a->wish->target == FX_WHY_INF;
	struct fx_met met = wants_inf ? a->inf : a->nan;
	struct fx_node *output = fx_graph_output(a->model->graph);
	const struct fx_datum *datum =
		output && !a->end ? fx_replay_value(a->replay, output) : NULL;

	ret->fault = wants_inf ? FX_FAULT_NONFINITE : FX_FAULT_NAN;
	if (!met.node && !wants_inf && a->inf.node) {
		ret->is_inf = true;
		ret->fault = FX_FAULT_NONFINITE;
		met = a->inf;
	}
	if (!met.node) {
		ret->is_inf = !wants_inf;
		ret->fault = FX_FAULT_NONFINITE;
		met = a->given;
	}
	if (!met.node)
		return hint_nested(a,
			fx_error_new(FX_ERR_NO_VALUE, "no value of what ran %s",
				wants_inf ? "is infinite, but for constants"
					  : "is NaN or infinite, but for "
					    "constants"));
	fx_inquiry_spot(a, met.node, spot);
	spot->number = met.number;
	spot->element = met.element;
	/* Then no nested graph was entered. */
	if (datum && fx_bitset_has(&a->spoiled, (uint32_t)output->id)) {
		struct fx_spot worst = { .number = 0 };
		struct fx_datum *tensor;
		double number[2];
		struct fx_error *err = find_worst(a, datum, &worst);

		tensor = fx_datum_tensor_at(datum, worst.number);
		if (!err && tensor)
			err = fx_values_numbers(tensor, worst.element, 1,
				&number[0], &number[1]);
		if (err)
			return err;
		if (tensor && fx_fault_holds(ret->fault, number)) {
			spot->node = output;
			spot->number = worst.number;
			spot->element = worst.element;
			return NULL;
		}
	}
	ret->is_hidden = output && !a->end;
	/* As it was when it was made. */
	fx_replay_rewind(spot->replay, fx_graph_next(met.node));
	return NULL;
}

static struct fx_error *
choose_element(struct fx_inquiry *a, struct fx_spot *spot)
{
	const struct fx_datum *datum =
		fx_replay_value(spot->replay, spot->node);
	const char *name = spot->node->name;

	if (datum && datum->kind == FX_DATUM_HANDLE)
		return fx_error_hint(
			fx_error_new(FX_ERR_TYPE,
				"only Python knows what %%%s gives", name),
			"nodes users(%s) lists what takes parts of it", name);
	if (!datum || !fx_datum_tensor_at(datum, 0))
		return fx_error_new(FX_ERR_TYPE, "%%%s gives no tensor", name);
	if (a->wish->count)
		return read_index(a, datum, spot);
	if (!a->other || !spot->mate)
		return find_worst(a, datum, spot);
	return find_furthest(a, datum, fx_replay_value(spot->other, spot->mate),
		spot);
}

static struct fx_error *
read_spot(struct fx_spot *spot)
{
	const struct fx_datum *tensor =
		fx_datum_tensor_at(fx_replay_value(spot->replay, spot->node),
			spot->number);

	return fx_values_numbers(tensor, spot->element, 1, &spot->value[0],
		&spot->value[1]);
}

static bool
is_truth(const struct fx_spot *spot)
{
	const struct fx_datum *tensor =
		fx_datum_tensor_at(fx_replay_value(spot->replay, spot->node),
			spot->number);

	return tensor && fx_kind_of(tensor).dtype == FX_DTYPE_BOOL;
}

/* The first node but EXCEPT that is not what it should be; *RET has no node
 * where there is none.
 */
static struct fx_error *
find_first(struct fx_inquiry *a, const struct fx_node *except,
	struct fx_spot *ret)
{
	struct fx_node *node;

	ret->node = NULL;
	fx_graph_for_each_node (node, except->graph) {
		struct fx_spot now = { .node = NULL };
		const struct fx_datum *mine;
		struct fx_error *err;

		fx_inquiry_spot(a, node, &now);
		mine = fx_replay_value(now.replay, node);
		if (node == except || !now.mate || !mine ||
			!fx_datum_tensor_at(mine, 0))
			continue;
		err = find_furthest(a, mine,
			fx_replay_value(now.other, now.mate), &now);
		if (!err)
			err = read_wanted(a, &now);
		if (!err)
			err = read_spot(&now);
		if (err && fx_error_code(err) == FX_ERR_INTERRUPTED)
			return err;
		if (err || !fx_spot_differs(&now, a->wish->rtol)) {
			fx_error_free(err);
			continue;
		}
		*ret = now;
		return NULL;
	}
	return NULL;
}

/* Where the output is as it should be, the first node that is not is asked
 * about; where it is not, that is noted: the way may not lead there.
 */
static struct fx_error *
look_for_first(struct fx_inquiry *a, struct fx_spot *spot, struct fx_why *ret)
{
	struct fx_spot first;
	struct fx_error *err = find_first(a, spot->node, &first);

	if (err || !first.node)
		return err;
	if (ret->is_fine) {
		*spot = first;
		ret->is_fine = false;
		ret->is_hidden = true;
	} else if (a->wish->against && !a->ways.count) {
		a->first = first;
	}
	return NULL;
}

static enum fx_fault
fault_of(const struct fx_spot *spot)
{
	if (is_truth(spot))
		return FX_FAULT_FALSE;
	return fx_fault_holds(FX_FAULT_NAN, spot->value) ? FX_FAULT_NAN
							 : FX_FAULT_NONFINITE;
}

/* Whether SPOT is not finite, though it is in another dtype.  What is given
 * there has no room here either, so that no call with it would do better: the
 * way is that of what is not finite.
 */
static bool
has_overflowed(const struct fx_inquiry *a, const struct fx_spot *spot)
{
	return a->wish->dtype &&
	       fx_fault_holds(FX_FAULT_NONFINITE, spot->value) &&
	       !fx_fault_holds(FX_FAULT_NONFINITE, spot->wanted);
}

static struct fx_error *
choose(struct fx_inquiry *a, struct fx_spot *spot, struct fx_why *ret)
{
	struct fx_error *err;

	*spot = (struct fx_spot){ .node = NULL };
	if (a->wish->target != FX_WHY_NODE && !a->other)
		return choose_fault(a, spot, ret);
	fx_inquiry_spot(a,
		a->wish->node ? a->wish->node
			      : fx_graph_output(a->model->graph),
		spot);
	err = choose_element(a, spot);
	if (!err && a->other)
		err = read_wanted(a, spot);
	if (err)
		return err;
	err = read_spot(spot);
	if (a->other) {
		ret->fault = FX_FAULT_DIFFERS;
		ret->is_fine = !fx_spot_differs(spot, a->wish->rtol);
		if (!err && has_overflowed(a, spot))
			ret->fault = fault_of(spot);
		if (!err && !a->wish->count &&
			spot->node == fx_graph_output(spot->node->graph))
			err = look_for_first(a, spot, ret);
		return err;
	}
	ret->fault = fault_of(spot);
	ret->is_fine = !fx_fault_holds(ret->fault, spot->value);
	return err;
}

static bool
is_set(void *context, const struct fx_node *node)
{
	struct fx_inquiry *a = context;
	const struct fx_model *there =
		fx_session_model_of(a->session, node->graph);

	return (!a->own || node->graph != a->own) &&
	       fx_run_given(there ? there->run : a->model->run, node->id);
}

/* --- asking --------------------------------------------------------------- */

/* Say in ERR that it was the second run, aside, that failed. */
static struct fx_error *
hint_run(const struct fx_inquiry *a, struct fx_error *err)
{
	if (!err || !fx_position_is_started(a->model) ||
		fx_error_code(err) == FX_ERR_INTERRUPTED)
		return err;
	err = fx_error_note(err, "while the graph was run again, aside");
	if (fx_error_hint_text(err) || a->wish->target == FX_WHY_NODE)
		return err;
	return fx_error_hint(err,
		"nodes nonfinite has what the run itself gave");
}

/* Ask for A's element: run what is needed, and choose it. */
static struct fx_error *
begin(struct fx_inquiry *a, struct fx_cause_question *question,
	struct fx_why *why)
{
	struct fx_error *err = check_target(a);

	*question = (struct fx_cause_question){ .rtol = a->wish->rtol,
		.is_widened = a->wish->dtype,
		.is_set = is_set,
		.context = a };
	if (!err)
		err = fx_inquiry_prepare(a);
	if (!err)
		err = check_target(a);
	if (!err)
		err = fx_inquiry_find_ways(a);
	if (!err)
		err = hint_run(a, fx_inquiry_run(a));
	if (!err)
		err = fx_inquiry_run_reference(a);
	/* As it was when it was made. */
	if (!err && a->wish->is_as_made)
		fx_replay_rewind(a->inner, fx_graph_next(a->wish->node));
	if (!err)
		err = choose(a, &question->spot, why);
	question->fault = why->fault;
	question->pairs = a->other ? &a->pairs : NULL;
	return err;
}

struct fx_error *
fx_why_find(struct fx_session *session, struct fx_model *model,
	const struct fx_why_wish *wish, struct fx_why *ret)
{
	FX_AUTO(inquiry)
	struct fx_inquiry a = {
		.session = session, .model = model, .wish = wish
	};
	struct fx_cause_question question;
	struct fx_error *err;

	*ret = (struct fx_why){ .fault = FX_FAULT_NAN };
	err = begin(&a, &question, ret);
	if (!err)
		fx_inquiry_hand_over(&a);
	if (!err)
		err = ret->is_fine ? fx_cause_look(&question, &ret->cause)
				   : fx_cause_find(&question, &ret->cause);
	if (!err && wish->target != FX_WHY_NODE && !a.other &&
		ret->cause.steps.count)
		err = fx_inquiry_find_earlier(&a, &question, ret);
	if (!err && a.first.node)
		err = fx_inquiry_find_parted(&a, &question, ret);
	if (!err && !ret->is_apart)
		err = fx_inquiry_find_second(&a, &question, ret);
	fx_inquiry_forget_reference(&a, &ret->cause);
	ret->emulation = a.emulation;
	a.emulation = (struct fx_emulation){ .calls = 0 };
	if (err)
		fx_why_deinit(ret);
	return err;
}

struct fx_error *
fx_why_explain(struct fx_session *session, struct fx_model *model,
	const struct fx_why_wish *wish, struct fx_cause *ret)
{
	struct fx_why_wish as_made = *wish;
	FX_AUTO(inquiry)
	struct fx_inquiry a = {
		.session = session, .model = model, .wish = &as_made
	};
	struct fx_cause_question question;
	struct fx_why why = { .is_fine = true };
	struct fx_error *err;

	as_made.is_as_made = true;
	err = begin(&a, &question, &why);
	if (!err)
		fx_inquiry_hand_over(&a);
	if (!err)
		err = fx_cause_explain(&question, ret);
	if (err)
		fx_cause_deinit(ret);
	return err;
}

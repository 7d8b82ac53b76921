/* explain_sum.c - one element that is a sum, the largest or the like of many:
 * the terms that count most, and the rest as one number.
 */
#include <config.h>

#include "run/explain_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/blob.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "ir/node.h"
#include "ir/signature.h"
#include "ops/reach.h"
#include "run/datum.h"
#include "run/replay.h"

/* Terms that are written out. */
#define SHOWN 3
/* A sum of more is not explained. */
#define TERM_LIMIT ((uint64_t)1 << 27)
/* Beyond so many an operand is read as a whole. */
#define READ_ALONE 4096
/* Of more it is not said where they lie. */
#define PLACED ((uint64_t)1 << 20)

struct term {
	double factors[FX_REACH_OPERANDS];
	uint64_t elements[FX_REACH_OPERANDS];
	uint64_t number; /* in order */
	double value;
};

/* Those along one axis that terms have: from the first to the last by STEP, 0:
 * one alone.
 */
struct places {
	int64_t first;
	int64_t last;
	int64_t step;
};

struct operand {
	const struct fx_node *node;
	const struct fx_datum *tensor;
	struct fx_extent extent;
	struct fx_blob *bytes; /* all of it, or NULL */
	size_t size;
	struct places places[FX_REACH_RANK];
};

struct sum {
	struct fx_explaining *e;
	struct fx_reach reach;
	struct operand operands[FX_REACH_OPERANDS];
	bool wants_place; /* of the largest */
	double mean;
	double largest;
	double power;
	uint64_t count; /* of terms */
	double total;
	struct term shown[SHOWN];
	size_t shown_count;
};

/* --- the elements --------------------------------------------------------- */

static struct fx_error *
read_number(const struct operand *operand, uint64_t element, double *ret)
{
	double imag;

	if (!operand->bytes)
		return fx_values_numbers(operand->tensor, element, 1, ret,
			&imag);
	fx_elements_decode(operand->extent.dtype,
		(char *)fx_blob_data(operand->bytes) + element * operand->size,
		1, ret, &imag);
	return NULL;
}

/* Term ROUND of all; *FOUND_RET false: none is there, as beyond an edge. */
static struct fx_error *
read_term(const struct sum *sum, uint64_t round, struct term *ret,
	bool *found_ret)
{
	struct fx_error *err = NULL;

	*found_ret = true;
	ret->number = round;
	for (size_t i = 0; i < sum->reach.count && *found_ret; i++)
		*found_ret = fx_reach_element(&sum->reach, round, i,
			&ret->elements[i]);
	for (size_t i = 0; i < sum->reach.count && *found_ret && !err; i++)
		err = read_number(&sum->operands[i], ret->elements[i],
			&ret->factors[i]);
	return err;
}

/* What a term adds, by what is done with it. */
static double
value_of(const struct sum *sum, const struct term *term)
{
	double x = term->factors[0];

	switch (sum->e->formula->fold) {
	case FX_FOLD_VARIANCE:
	case FX_FOLD_NORMALISE:
		return (x - sum->mean) * (x - sum->mean);
	case FX_FOLD_POWER:
		return pow(fabs(x), sum->power);
	case FX_FOLD_EXP:
		return exp(x - sum->largest);
	case FX_FOLD_NONE:
	case FX_FOLD_SUM:
	case FX_FOLD_MAX:
	case FX_FOLD_MIN:
	case FX_FOLD_PRODUCT:
		break;
	}
	for (size_t i = 1; i < sum->reach.count; i++)
		x *= term->factors[i];
	return x;
}

/* How much a term counts. */
static double
weight_of(const struct sum *sum, const struct term *term)
{
	switch (sum->e->formula->fold) {
	case FX_FOLD_MAX:
		return isnan(term->value) ? INFINITY : term->value;
	case FX_FOLD_MIN:
		return isnan(term->value) ? INFINITY : -term->value;
	case FX_FOLD_PRODUCT:
		return fabs(log(fabs(term->value)));
	case FX_FOLD_NONE:
	case FX_FOLD_SUM:
	case FX_FOLD_VARIANCE:
	case FX_FOLD_POWER:
	case FX_FOLD_EXP:
	case FX_FOLD_NORMALISE:
		break;
	}
	return isnan(term->value) ? INFINITY : fabs(term->value);
}

/* Keep TERM among those shown, the one that counts most first. */
static void
keep(struct sum *sum, const struct term *term)
{
	size_t at = sum->shown_count;

	while (at > 0 &&
		weight_of(sum, term) > weight_of(sum, &sum->shown[at - 1]))
		at--;
	if (at == SHOWN)
		return;
	sum->shown_count = FX_MIN(sum->shown_count + 1, SHOWN);
	memmove(&sum->shown[at + 1], &sum->shown[at],
		(sum->shown_count - 1 - at) * sizeof(*term));
	sum->shown[at] = *term;
}

static int64_t
common_divisor(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The places of TERM's factors join those of the terms before. */
static void
note_places(struct sum *sum, const struct term *term)
{
	for (size_t k = 0; k < sum->reach.count; k++) {
		struct operand *operand = &sum->operands[k];
		uint64_t rest = term->elements[k];

		for (uint32_t i = operand->extent.rank; i-- > 0;) {
			struct places *places = &operand->places[i];
			uint64_t size = (uint64_t)operand->extent.sizes[i];
			int64_t at = (int64_t)(rest % size);

			rest /= size;
			if (sum->count == 1)
				*places = (struct places){ at, at, 0 };
			places->step = common_divisor(places->step,
				at > places->first ? at - places->first
						   : places->first - at);
			places->first = FX_MIN(places->first, at);
			places->last = FX_MAX(places->last, at);
		}
	}
}

/* Go through all: the mean and the largest, or, IS_LAST, what is summed. */
static struct fx_error *
go_through(struct sum *sum, bool is_last)
{
	uint64_t rounds = fx_reach_rounds(&sum->reach);
	bool multiplies = sum->e->formula->fold == FX_FOLD_PRODUCT;
	double first = 0;
	double largest = -INFINITY;
	struct fx_error *err = NULL;

	sum->count = 0;
	sum->total = multiplies;
	for (uint64_t i = 0; i < rounds && !err; i++) {
		struct term term;
		bool found;

		err = read_term(sum, i, &term, &found);
		if (err || !found)
			continue;
		sum->count++;
		first += term.factors[0];
		largest = fmax(largest, term.factors[0]);
		if (!is_last)
			continue;
		if (sum->count <= PLACED)
			note_places(sum, &term);
		term.value = value_of(sum, &term);
		sum->total = multiplies ? sum->total * term.value
					: sum->total + term.value;
		keep(sum, &term);
	}
	if (is_last)
		return err;
	sum->mean = first / (double)sum->count;
	sum->largest = largest;
	return err;
}

/* --- in words ------------------------------------------------------------- */

static void
add_number(struct fx_buf *out, const struct operand *operand, double number)
{
	FX_AUTO_FREE char *text = fx_walk_number_text(operand->extent.dtype,
		(const double[2]){ number, 0 });

	fx_buf_addf(out, number < 0 ? "(%s)" : "%s", text);
}

/* A number that was computed of many: in double, shown as a float where the
 * elements are no doubles.
 */
static void
add_computed(struct fx_buf *out, const struct sum *sum, double number)
{
	enum fx_dtype dtype = sum->operands[0].extent.dtype;
	FX_AUTO_FREE char *text =
		fx_walk_number_text(dtype == FX_DTYPE_F64 ? dtype
							  : FX_DTYPE_F32,
			(const double[2]){ number, 0 });

	fx_buf_add(out, text);
}

static void
add_term(struct fx_buf *out, const struct sum *sum, const struct term *term)
{
	enum fx_formula_fold fold = sum->e->formula->fold;

	fx_buf_add(out, fold == FX_FOLD_EXP        ? "exp("
			: fold == FX_FOLD_VARIANCE ? "("
			: fold == FX_FOLD_POWER    ? "|"
						   : "");
	for (size_t i = 0; i < sum->reach.count; i++) {
		fx_buf_add(out, i ? " * " : "");
		add_number(out, &sum->operands[i], term->factors[i]);
	}
	if (fold == FX_FOLD_EXP || fold == FX_FOLD_VARIANCE) {
		fx_buf_add(out, " - ");
		add_computed(out, sum,
			fold == FX_FOLD_EXP ? sum->largest : sum->mean);
		fx_buf_add(out, fold == FX_FOLD_EXP ? ")" : ") ** 2");
	} else if (fold == FX_FOLD_POWER) {
		fx_buf_add(out, "| ** ");
		fx_number_add_double(out, sum->power);
	}
	if (sum->wants_place)
		fx_buf_addf(out, " at %llu", (unsigned long long)term->number);
}

/* "0.31 * 0.52 + ... + (61 more terms: 0.7)", "max(3.2, 1.1, 9 more)". */
static char *
terms_text(const struct sum *sum)
{
	enum fx_formula_fold fold = sum->e->formula->fold;
	bool is_choice = fold == FX_FOLD_MAX || fold == FX_FOLD_MIN;
	const char *between = is_choice                 ? ", "
			      : fold == FX_FOLD_PRODUCT ? " * "
							: " + ";
	double rest = sum->total;
	FX_AUTO_BUF struct fx_buf text = { 0 };

	if (is_choice)
		fx_buf_addf(&text, "%s%s(", sum->wants_place ? "arg" : "",
			fold == FX_FOLD_MAX ? "max" : "min");
	for (size_t i = 0; i < sum->shown_count; i++) {
		fx_buf_add(&text, i ? between : "");
		add_term(&text, sum, &sum->shown[i]);
		rest = fold == FX_FOLD_PRODUCT ? rest / sum->shown[i].value
					       : rest - sum->shown[i].value;
	}
	if (!sum->shown_count)
		fx_buf_add(&text, fold == FX_FOLD_PRODUCT ? "1" : "0");
	if (sum->count > sum->shown_count) {
		uint64_t more = sum->count - sum->shown_count;

		fx_buf_addf(&text, "%s%s%llu more", between,
			is_choice ? "" : "(", (unsigned long long)more);
		if (!is_choice) {
			fx_buf_add(&text, more == 1 ? " term: " : " terms: ");
			add_computed(&text, sum, rest);
			fx_buf_add(&text, ")");
		}
	}
	if (is_choice)
		fx_buf_add(&text, ")");
	return fx_xstrdup(fx_buf_text(&text));
}

static void
add_double(struct sum *sum, const char *argument, bool has_name, double number)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	add_computed(&text, sum, number);
	fx_explain_add_text(sum->e, argument, has_name,
		fx_xstrdup(fx_buf_text(&text)));
}

static double
correction_of(const struct fx_explaining *e)
{
	const struct fx_value *unbiased = fx_explain_find(e, "unbiased");

	return unbiased && unbiased->kind == FX_VALUE_BOOL && !unbiased->truth
		       ? 0
		       : (double)fx_explain_int(fx_explain_find(e,
							"correction"),
				 1);
}

/* The places of all terms along one axis of SIZE: ":", "3" or "1:6:2". */
static void
add_places(struct fx_buf *out, const struct places *places, int64_t size)
{
	if (size > 1 && places->step == 1 &&
		places->last - places->first == size - 1) {
		fx_buf_add(out, ":");
		return;
	}
	fx_buf_addf(out, "%lld", (long long)places->first);
	if (places->step)
		fx_buf_addf(out, ":%lld", (long long)places->last + 1);
	if (places->step > 1)
		fx_buf_addf(out, ":%lld", (long long)places->step);
}

/* The elements of operand K that are gone through, as an index. */
static char *
among_text(const struct sum *sum, size_t k)
{
	const struct fx_extent *extent = &sum->operands[k].extent;
	FX_AUTO_BUF struct fx_buf text = { 0 };

	for (uint32_t i = 0; i < extent->rank; i++) {
		fx_buf_add(&text, i ? "," : "[");
		add_places(&text, &sum->operands[k].places[i],
			extent->sizes[i]);
	}
	fx_buf_add(&text, extent->rank ? "]" : "");
	return fx_xstrdup(fx_buf_text(&text));
}

/* The factors of the terms that are shown, as elements. */
static struct fx_error *
add_elements(struct sum *sum)
{
	struct fx_error *err = NULL;

	for (size_t i = 0; i < sum->shown_count && !err; i++)
		for (size_t k = 0; k < sum->reach.count && !err; k++) {
			struct fx_spot spot = { .replay = sum->e->spot.replay,
				.node = (struct fx_node *)sum->operands[k].node,
				.element = sum->shown[i].elements[k] };

			err = fx_walk_add_step(sum->e->walk, &spot,
				FX_CAUSE_BLAMED);
			if (err)
				break;
			fx_walk_last_step(sum->e->walk)->argument = "term";
			if (!i && sum->count <= PLACED)
				fx_walk_last_step(sum->e->walk)->among =
					among_text(sum, k);
		}
	return err;
}

static struct fx_error *
add_results(struct sum *sum)
{
	uint64_t divisor =
		sum->reach.divisor ? (uint64_t)sum->reach.divisor : sum->count;
	int64_t given =
		fx_explain_int(fx_explain_find(sum->e, "divisor_override"), 0);

	fx_explain_add_text(sum->e, "+", false, terms_text(sum));
	fx_explain_add_text(sum->e, "count", false,
		fx_xasprintf("%llu", given ? (unsigned long long)given
					   : (unsigned long long)divisor));
	add_double(sum, "mean", true, sum->mean);
	add_double(sum, "largest", true, sum->largest);
	add_double(sum, "power", false, sum->power);
	add_double(sum, "ddof", false, correction_of(sum->e));
	add_double(sum, "variance", true, sum->total / (double)sum->count);
	sum->e->walk->cause->terms = sum->count;
	return add_elements(sum);
}

/* --- which operands ------------------------------------------------------- */

/* Of *operands, or of a list that is given for them, the one at INDEX. */
static const struct fx_value *
operand_value(const struct fx_explaining *e, size_t index)
{
	size_t at = fx_reach_first_operand(e->formula->family);
	const struct fx_value *value =
		at < e->signature->count ? &e->bound[at] : NULL;

	if (e->formula->family != FX_FORMULA_EINSUM)
		return at + index < e->signature->count ? &e->bound[at + index]
							: NULL;
	while (value && fx_value_item_count(value) == 1 &&
		fx_value_item_count(&value->items[0]))
		value = &value->items[0];
	return value && index < fx_value_item_count(value)
		       ? &value->items[index]
		       : NULL;
}

static size_t
count_operands(const struct fx_explaining *e)
{
	size_t count = fx_reach_operand_count(e->formula->family);

	if (count)
		return count;
	while (count < FX_REACH_OPERANDS && operand_value(e, count))
		count++;
	return operand_value(e, count) ? 0 : count;
}

static bool
open_operand(struct sum *sum, size_t i)
{
	struct fx_explaining *e = sum->e;
	struct operand *operand = &sum->operands[i];
	const struct fx_value *value = operand_value(e, i);
	struct fx_reach_operand *reach = &sum->reach.operands[i];
	const struct fx_datum *datum;
	FX_AUTO_ERROR struct fx_error *err = NULL;

	if (!value || value->kind != FX_VALUE_NODE)
		return false;
	operand->node = value->node;
	datum = fx_replay_value(e->spot.replay, value->node);
	if (!datum || datum->kind != FX_DATUM_TENSOR)
		return false;
	operand->tensor = datum;
	err = fx_extent_of(datum, &operand->extent);
	if (err || operand->extent.rank > FX_REACH_RANK ||
		fx_dtype_info(operand->extent.dtype)->category ==
			FX_DTYPE_CATEGORY_QUANTIZED ||
		fx_dtype_info(operand->extent.dtype)->category ==
			FX_DTYPE_CATEGORY_COMPLEX)
		return false;
	operand->size = fx_dtype_info(operand->extent.dtype)->size;
	reach->rank = operand->extent.rank;
	for (uint32_t k = 0; k < reach->rank; k++)
		reach->axes[k].size = operand->extent.sizes[k];
	return true;
}

/* Whether a tensor is given where a number is meant, as in max(a, b), or its
 * statistics are kept ones.
 */
static bool
is_other_form(const struct fx_explaining *e)
{
	static const char *const names[] = { "dim", "other", "ord", "p" };
	const struct fx_value *own = fx_explain_find(e, "use_input_stats");

	for (size_t i = 0; i < e->signature->count; i++)
		for (size_t k = 0; k < FX_ARRAY_LEN(names); k++)
			if (!strcmp(e->signature->parameters[i].name,
				    names[k]) &&
				!fx_explain_plain(e, &e->bound[i]))
				return e->formula->family == FX_FORMULA_REDUCE;
	return own && own->kind == FX_VALUE_BOOL && !own->truth;
}

/* The power of a norm; false for those that are none. */
static bool
read_power(struct sum *sum)
{
	const struct fx_value *p = fx_explain_find(sum->e, "p");
	const struct fx_value *ord = p ? p : fx_explain_find(sum->e, "ord");

	sum->power = 2;
	if (sum->e->formula->fold != FX_FOLD_POWER || !ord ||
		ord->kind == FX_VALUE_NONE)
		return true;
	if (ord->kind == FX_VALUE_STRING)
		return !strcmp(ord->text, "fro");
	sum->power = ord->kind == FX_VALUE_FLOAT
			     ? ord->real
			     : (double)fx_explain_int(ord, 0);
	return isfinite(sum->power) && sum->power > 0;
}

static const char *
equation_of(const struct fx_explaining *e)
{
	const struct fx_value *equation = fx_explain_find(e, "equation");

	return equation && equation->kind == FX_VALUE_STRING ? equation->text
							     : "";
}

static struct fx_error *
explain_sum(struct sum *sum)
{
	enum fx_formula_fold fold = sum->e->formula->fold;
	struct fx_reach_call call;
	struct fx_error *err = NULL;
	uint64_t rounds;

	fx_explain_read_call(sum->e, &sum->reach, &sum->operands[0].extent,
		&call);
	sum->wants_place = (fold == FX_FOLD_MAX || fold == FX_FOLD_MIN) &&
			   fx_dtype_is_integer(sum->e->extent.dtype) &&
			   !fx_dtype_is_integer(sum->operands[0].extent.dtype);
	if (sum->wants_place && sum->e->formula->family != FX_FORMULA_REDUCE)
		return NULL;
	if (sum->e->formula->family == FX_FORMULA_EINSUM &&
		!fx_reach_read_equation(equation_of(sum->e), &sum->reach,
			&call))
		return NULL;
	if (!read_power(sum) ||
		!fx_reach_fill(sum->e->formula->family, &call, &sum->reach))
		return NULL;
	rounds = fx_reach_rounds(&sum->reach);
	if (rounds > TERM_LIMIT)
		return NULL;
	for (size_t i = 0; i < sum->reach.count && !err; i++)
		if (rounds > READ_ALONE)
			err = fx_values_read_all(sum->operands[i].tensor,
				&sum->operands[i].extent,
				&sum->operands[i].bytes);
	if (!err)
		err = go_through(sum, false);
	if (!err)
		err = go_through(sum, true);
	return err ? err : add_results(sum);
}

struct fx_error *
fx_explain_add_sum(struct fx_explaining *e)
{
	struct sum sum = { .e = e };
	size_t count = count_operands(e);
	struct fx_error *err = NULL;
	bool is_open = count && !is_other_form(e);

	sum.reach.count = count;
	for (size_t i = 0; i < count && is_open; i++)
		is_open = open_operand(&sum, i);
	if (is_open)
		err = explain_sum(&sum);
	for (size_t i = 0; i < count; i++)
		fx_blob_unref(sum.operands[i].bytes);
	return err;
}

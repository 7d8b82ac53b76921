/* eval_values.c - functions of an expression that look at values. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/tensor_meta.h"
#include "meta/promote.h"
#include "run/backend.h"
#include "run/compare.h"
#include "run/eval_private.h"
#include "run/stats.h"
#include "run/tensor_file.h"
#include "run/values.h"

/* --- arguments ----------------------------------------------------------- */

/* Evaluate TREE to a tensor: a number becomes a tensor of one element. */
static struct fx_error *
tensor_argument(struct fx_evaluator *evaluator, const struct fx_ast *tree,
	struct fx_datum **ret)
{
	const struct fx_tensor_meta meta = { .dtype = FX_DTYPE_F64,
		.has_shape = true };
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	double number;
	struct fx_error *err = fx_eval_datum(evaluator, tree, &datum);

	if (err)
		return err;
	if (!fx_datum_number(&datum->value, &number)) {
		*ret = FX_TAKE(datum);
		return NULL;
	}
	return fx_values_write(evaluator->resolver->backend, &meta, &number,
		ret);
}

/* NAME looks at what TENSOR holds. */
static struct fx_error *
check_known(const char *name, const struct fx_datum *tensor)
{
	if (tensor->kind != FX_DATUM_TENSOR)
		return fx_error_new(FX_ERR_TYPE, "%s takes a tensor, not a %s",
			name, fx_datum_kind_name(tensor));
	if (fx_values_known(tensor))
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_NOT_KNOWN,
				     "%s needs values; the %s backend %s", name,
				     tensor->backend->ops->name,
				     tensor->backend->ops->has_values
					     ? "has none of this tensor"
					     : "computes shapes and dtypes "
					       "only"),
		"shape(x), dtype(x) and numel(x) are known");
}

static struct fx_error *
number_argument(struct fx_evaluator *evaluator, const struct fx_ast *tree,
	const char *name, double *ret)
{
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	struct fx_error *err = fx_eval_datum(evaluator, tree, &datum);

	if (err)
		return err;
	if (fx_datum_number(&datum->value, ret) && *ret >= 0)
		return NULL;
	return fx_error_at(fx_error_new(FX_ERR_VALUE,
				   "%s is a number of at least 0", name),
		evaluator->text, tree->span);
}

/* The third argument and those after it. */
static struct fx_error *
tolerance_arguments(struct fx_evaluator *evaluator, const struct fx_ast *call,
	struct fx_tolerance *ret)
{
	static const char *const names[] = { "rtol", "atol", "equal_nan" };

	*ret = (struct fx_tolerance){ 1e-5, 1e-8, false };
	for (uint32_t i = 3; i < call->kid_count; i++) {
		const struct fx_ast *tree = call->kids[i];
		const char *name = i < 6 ? names[i - 3] : "";
		struct fx_error *err;
		double number;

		if (tree->kind == FX_AST_KEYWORD) {
			name = tree->text;
			tree = tree->kids[0];
		}
		if (fx_str_equal(name, "equal_nan")) {
			FX_AUTO_DATUM struct fx_datum *datum = NULL;

			err = fx_eval_datum(evaluator, tree, &datum);
			if (!err)
				err = fx_datum_truth(datum, &ret->equal_nan);
		} else if (fx_str_equal(name, "rtol") ||
			   fx_str_equal(name, "atol")) {
			err = number_argument(evaluator, tree, name, &number);
			if (!err && *name == 'r')
				ret->rtol = number;
			else if (!err)
				ret->atol = number;
		} else {
			err = fx_error_new(FX_ERR_TYPE,
				"%s has no argument \"%s\"",
				call->kids[0]->text, name);
		}
		if (err)
			return err;
	}
	return NULL;
}

/* --- comparing ----------------------------------------------------------- */

/* allclose gives the truth, difference says it in words. */
struct fx_error *
fx_eval_compare(struct fx_evaluator *evaluator, const struct fx_ast *call,
	struct fx_datum **ret)
{
	bool in_words = fx_str_equal(call->kids[0]->text, "difference");
	FX_AUTO_DATUM struct fx_datum *left = NULL;
	FX_AUTO_DATUM struct fx_datum *right = NULL;
	FX_AUTO_BUF struct fx_buf words = { 0 };
	struct fx_difference difference;
	struct fx_tolerance tolerance;
	struct fx_error *err = tensor_argument(evaluator, call->kids[1], &left);

	if (!err)
		err = tensor_argument(evaluator, call->kids[2], &right);
	if (!err)
		err = check_known(call->kids[0]->text, left);
	if (!err)
		err = check_known(call->kids[0]->text, right);
	if (!err)
		err = tolerance_arguments(evaluator, call, &tolerance);
	if (!err)
		err = fx_compare(left, right, &tolerance,
			evaluator->resolver->ticker, &difference);
	if (!err && in_words)
		err = fx_difference_print(&words, &difference, &tolerance, left,
			right);
	if (err)
		return err;
	*ret = in_words ? fx_datum_string(fx_buf_text(&words), words.length)
			: fx_datum_bool(fx_difference_none(&difference));
	return NULL;
}

/* --- statistics ---------------------------------------------------------- */

static struct fx_datum *
item_at(const struct fx_datum *tensor, const struct fx_stats *stats,
	uint64_t index, double number)
{
	char bytes[16];
	struct fx_error *err;

	if (!fx_dtype_is_integer(stats->extent.dtype))
		return fx_datum_float(stats->nan ? (double)NAN : number);
	/* Exactly, where a double would round. */
	err = fx_values_read(tensor, index, 1, bytes);
	if (err) {
		fx_error_free(err);
		return fx_datum_float(number);
	}
	if (stats->extent.dtype == FX_DTYPE_U64 && number >= 0x1p63)
		return fx_datum_float(number);
	return fx_datum_int(fx_element_int(stats->extent.dtype, bytes, 0));
}

static struct fx_datum *
stats_dict(const struct fx_datum *tensor, const struct fx_stats *stats)
{
	struct {
		const char *name;
		struct fx_datum *datum;
	} entries[] = {
		{ "min", item_at(tensor, stats, stats->min_index, stats->min) },
		{ "max", item_at(tensor, stats, stats->max_index, stats->max) },
		{ "mean", fx_datum_float(fx_stats_mean(stats)) },
		{ "std", fx_datum_float(fx_stats_std(stats)) },
		{ "nan", fx_datum_int((int64_t)stats->nan) },
		{ "inf", fx_datum_int((int64_t)(stats->plus_inf +
						stats->minus_inf)) },
		{ "zeros",
			fx_datum_int((int64_t)(stats->seen - stats->nonzero)) },
	};
	struct fx_datum *items[2 * FX_ARRAY_LEN(entries)];

	for (size_t i = 0; i < FX_ARRAY_LEN(entries); i++) {
		items[2 * i] = fx_datum_string(entries[i].name,
			strlen(entries[i].name));
		items[2 * i + 1] = entries[i].datum;
	}
	return fx_datum_items_take(FX_VALUE_DICT, items, FX_ARRAY_LEN(entries));
}

static struct fx_datum *
min_of(const struct fx_datum *tensor, const struct fx_stats *stats)
{
	return item_at(tensor, stats, stats->min_index, stats->min);
}

static struct fx_datum *
max_of(const struct fx_datum *tensor, const struct fx_stats *stats)
{
	return item_at(tensor, stats, stats->max_index, stats->max);
}

static struct fx_datum *
mean_of(const struct fx_datum *tensor, const struct fx_stats *stats)
{
	(void)tensor;
	return fx_datum_float(fx_stats_mean(stats));
}

static struct fx_datum *
std_of(const struct fx_datum *tensor, const struct fx_stats *stats)
{
	(void)tensor;
	return fx_datum_float(fx_stats_std(stats));
}

static struct fx_datum *
absmax_of(const struct fx_datum *tensor, const struct fx_stats *stats)
{
	(void)tensor;
	return fx_datum_float(fx_stats_absmax(stats));
}

static const struct answer {
	const char *name;
	struct fx_datum *(*answer)(const struct fx_datum *tensor,
		const struct fx_stats *stats);
	bool needs_elements;
	bool takes_complex;
} answers[] = {
	{ "min", min_of, true, false },
	{ "max", max_of, true, false },
	{ "mean", mean_of, false, false },
	{ "std", std_of, false, false },
	{ "absmax", absmax_of, true, true },
	{ "stats", stats_dict, false, false },
};

/* The row of a function that eval_function.c sends here. */
static const struct answer *
find_answer(const char *name)
{
	size_t i = 0;

	while (!fx_str_equal(answers[i].name, name)) {
		i++;
		fx_assert(i < FX_ARRAY_LEN(answers));
	}
	return &answers[i];
}

static struct fx_error *
evaluate_stats(struct fx_evaluator *evaluator, const char *name,
	const struct fx_datum *tensor, struct fx_datum **ret)
{
	const struct answer *row = find_answer(name);
	struct fx_stats stats;
	struct fx_error *err =
		fx_stats_compute(tensor, evaluator->resolver->ticker, &stats);

	if (err)
		return err;
	if (!stats.seen && row->needs_elements)
		return fx_error_new(FX_ERR_VALUE,
			"%s of a tensor of no elements", name);
	if (fx_dtype_is_complex(stats.extent.dtype) && !row->takes_complex)
		return fx_error_hint(fx_error_new(FX_ERR_TYPE,
					     "%s of complex numbers", name),
			"%s(abs(x)) is of their absolute values", name);
	*ret = row->answer(tensor, &stats);
	return NULL;
}

struct fx_error *
fx_eval_stats(struct fx_evaluator *evaluator, const struct fx_ast *call,
	struct fx_datum **ret)
{
	const char *name = call->kids[0]->text;
	FX_AUTO_DATUM struct fx_datum *tensor = NULL;
	struct fx_error *err =
		tensor_argument(evaluator, call->kids[1], &tensor);

	if (!err)
		err = check_known(name, tensor);
	return err ? err : evaluate_stats(evaluator, name, tensor, ret);
}

struct fx_error *
fx_eval_stats_of_known(struct fx_evaluator *evaluator,
	const struct fx_ast *call, struct fx_datum **ret)
{
	FX_AUTO_DATUM struct fx_datum *tensor = NULL;
	const struct fx_ast *tree = call->kids[1];
	struct fx_error *err;

	*ret = NULL;
	/* min(a, b) and mean(x, dim) are Python's and torch's. */
	if (call->kid_count != 2 || tree->kind == FX_AST_KEYWORD)
		return NULL;
	err = fx_eval_datum(evaluator, tree, &tensor);
	if (err || !fx_values_known(tensor))
		return err;
	return evaluate_stats(evaluator, call->kids[0]->text, tensor, ret);
}

/* --- predicates ---------------------------------------------------------- */

/* How many values of all kinds were met so far. */
struct nonfinite {
	uint64_t nan;
	uint64_t inf;
};

static struct fx_error *
count_in_tensor(struct fx_evaluator *evaluator, const char *name,
	const struct fx_datum *tensor, struct nonfinite *ret)
{
	enum fx_dtype dtype = (enum fx_dtype)fx_kind_of(tensor).dtype;
	struct fx_stats stats;
	struct fx_error *err;

	if (fx_dtype_is_integer(dtype) || dtype == FX_DTYPE_BOOL)
		return NULL;
	err = check_known(name, tensor);
	if (!err)
		err = fx_stats_compute(tensor, evaluator->resolver->ticker,
			&stats);
	if (err)
		return err;
	ret->nan += stats.nan;
	ret->inf += stats.plus_inf + stats.minus_inf;
	return NULL;
}

/* In VALUE and all that is in it; what holds no real numbers has none. */
static struct fx_error *
count_nonfinite(struct fx_evaluator *evaluator, const char *name,
	const struct fx_value *value, struct nonfinite *ret)
{
	const struct fx_datum *held = fx_datum_held(value);
	bool is_complex = value->kind == FX_VALUE_COMPLEX;
	const double *numbers = is_complex ? value->pair : &value->real;
	size_t count = is_complex ? 2 : value->kind == FX_VALUE_FLOAT;
	struct fx_error *err = NULL;

	if (held && held->kind == FX_DATUM_TENSOR)
		return count_in_tensor(evaluator, name, held, ret);
	if (held || value->kind == FX_VALUE_UNKNOWN ||
		value->kind == FX_VALUE_NODE_ID) {
		FX_AUTO_DATUM struct fx_datum *datum =
			fx_datum_from_value(value);

		return check_known(name, datum);
	}
	for (size_t i = 0; i < count; i++) {
		ret->nan += isnan(numbers[i]) != 0;
		ret->inf += isinf(numbers[i]) != 0;
	}
	for (size_t i = 0; !err && i < fx_value_item_count(value); i++)
		err = count_nonfinite(evaluator, name, &value->items[i], ret);
	return err;
}

struct fx_error *
fx_eval_predicate(struct fx_evaluator *evaluator, const struct fx_ast *call,
	struct fx_datum **ret)
{
	const char *name = call->kids[0]->text;
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	struct nonfinite found = { 0, 0 };
	struct fx_error *err = fx_eval_datum(evaluator, call->kids[1], &datum);

	if (!err)
		err = count_nonfinite(evaluator, name, &datum->value, &found);
	if (err)
		return err;
	if (fx_str_equal(name, "hasnan"))
		*ret = fx_datum_bool(found.nan > 0);
	else if (fx_str_equal(name, "hasinf"))
		*ret = fx_datum_bool(found.inf > 0);
	else
		*ret = fx_datum_bool(!found.nan && !found.inf);
	return NULL;
}

struct fx_error *
fx_eval_test_number(struct fx_evaluator *evaluator, const struct fx_ast *call,
	struct fx_datum **ret)
{
	const char *name = call->kids[0]->text;
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	const struct fx_value *value;
	double real;
	double imag = 0;
	struct fx_error *err;

	*ret = NULL;
	if (call->kid_count != 2 || call->kids[1]->kind == FX_AST_KEYWORD)
		return NULL;
	err = fx_eval_datum(evaluator, call->kids[1], &datum);
	if (err)
		return err;
	value = &datum->value;
	if (value->kind == FX_VALUE_COMPLEX) {
		real = value->pair[0];
		imag = value->pair[1];
	} else if (!fx_datum_number(value, &real)) {
		return NULL;
	}
	if (fx_str_equal(name, "isnan"))
		*ret = fx_datum_bool(isnan(real) || isnan(imag));
	else if (fx_str_equal(name, "isinf"))
		*ret = fx_datum_bool(isinf(real) || isinf(imag));
	else
		*ret = fx_datum_bool(isfinite(real) && isfinite(imag));
	return NULL;
}

/* Tensors as numbers and lists of them. */

/* Most numbers that a list is made of. */
#define LIST_LIMIT 10000

/* --- bool(x), float(x) and int(x) ----------------------------------------- */

static struct fx_error *
as_integer(struct fx_datum *item, double number, struct fx_datum **ret)
{
	if (fx_datum_is(item, FX_VALUE_INT))
		*ret = fx_datum_ref(item);
	else if (fabs(number) < 0x1p63)
		*ret = fx_datum_int((int64_t)number);
	else
		return fx_error_new(FX_ERR_VALUE,
			"the value is no integer, or too large for one");
	return NULL;
}

static struct fx_error *
as_truth(const struct fx_datum *tensor, struct fx_datum **ret)
{
	bool truth;
	struct fx_error *err = fx_datum_truth(tensor, &truth);

	if (!err)
		*ret = fx_datum_bool(truth);
	return err;
}

struct fx_error *
fx_eval_item_of_known(struct fx_evaluator *evaluator, const struct fx_ast *call,
	struct fx_datum **ret)
{
	const char *name = call->kids[0]->text;
	bool is_int = fx_str_equal(name, "int");
	FX_AUTO_DATUM struct fx_datum *tensor = NULL;
	FX_AUTO_DATUM struct fx_datum *item = NULL;
	const struct fx_ast *tree = call->kids[1];
	double number;
	struct fx_error *err;

	*ret = NULL;
	if (call->kid_count != 2 || tree->kind == FX_AST_KEYWORD)
		return NULL;
	err = fx_eval_datum(evaluator, tree, &tensor);
	if (err || !fx_values_known(tensor))
		return err;
	if (fx_str_equal(name, "bool"))
		return as_truth(tensor, ret);
	err = fx_values_item(tensor, &item);
	if (err)
		return err;
	if (!fx_datum_number(&item->value, &number))
		return fx_error_new(FX_ERR_TYPE, "a complex number is no %s",
			is_int ? "int" : "float");
	if (is_int)
		return as_integer(item, number, ret);
	*ret = fx_datum_float(number);
	return NULL;
}

/* --- x.item() and x.tolist() ---------------------------------------------- */

struct fx_error *
fx_eval_plain_method(const struct fx_datum *tensor, const char *name,
	struct fx_datum **ret)
{
	struct fx_error *err;

	*ret = NULL;
	if (!fx_values_known(tensor))
		return NULL;
	if (fx_str_equal(name, "item"))
		return fx_values_item(tensor, ret);
	if (!fx_str_equal(name, "tolist"))
		return NULL;
	err = fx_values_list(tensor, LIST_LIMIT, ret);
	return err && fx_error_code(err) == FX_ERR_LIMIT
		       ? fx_error_hint(err,
				 "a slice of it can be one: x[0].tolist()")
		       : err;
}

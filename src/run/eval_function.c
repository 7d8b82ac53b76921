/* eval_function.c - the functions that a bare name calls. */
#include <config.h>

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "ir/fold.h"
#include "ir/tensor_meta.h"
#include "run/backend.h"
#include "run/eval_private.h"

typedef struct fx_error *function_fn(struct fx_evaluator *evaluator,
	const struct fx_ast *call, struct fx_datum **ret);

/* As many arguments as there are. */
#define ANY SIZE_MAX

struct function {
	struct fx_function_info info;
	size_t least; /* arguments */
	size_t most;
	function_fn *run;
};

static const struct fx_ast *
argument(const struct fx_ast *call, size_t index)
{
	return call->kids[index + 1];
}

/* len and count: of a set, a container, a tensor's first size. */
static struct fx_error *
run_length(struct fx_evaluator *evaluator, const struct fx_ast *call,
	struct fx_datum **ret)
{
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	struct fx_value value;
	struct fx_value length;
	size_t count;
	struct fx_error *err =
		fx_eval_datum(evaluator, argument(call, 0), &datum);

	if (err)
		return err;
	if (fx_eval_ids(datum, &count)) {
		*ret = fx_datum_int((int64_t)count);
		return NULL;
	}
	value = datum->kind == FX_DATUM_VALUE
			? datum->value
			: fx_datum_to_value(evaluator->arena, datum);
	err = fx_fold_length(evaluator->arena, &value, &length);
	if (!err)
		*ret = fx_datum_from_value(&length);
	return err;
}

static struct fx_error *
run_reach(struct fx_evaluator *evaluator, const struct fx_ast *call,
	struct fx_datum **ret)
{
	FX_AUTO_FREE size_t *positions = NULL;
	struct fx_trees arguments = { call->kids + 1, call->kid_count - 1 };
	size_t count;
	struct fx_error *err = fx_eval_reach(evaluator, call->kids[0]->text,
		&arguments, &positions, &count);

	if (!err)
		*ret = fx_eval_positions(evaluator, positions, count);
	return err;
}

/* shape, dtype, ndim, device: the attribute of that name. */
static struct fx_error *
run_attribute(struct fx_evaluator *evaluator, const struct fx_ast *call,
	struct fx_datum **ret)
{
	FX_AUTO_OPERAND struct fx_operand base = { 0 };
	FX_AUTO_OPERAND struct fx_operand result = { 0 };
	struct fx_error *err =
		fx_eval_operand(evaluator, argument(call, 0), &base);

	if (!err)
		err = fx_operand_step(evaluator, &base, call->kids[0]->text,
			&result);
	return err ? err : fx_operand_force(evaluator, &result, ret);
}

static struct fx_error *
run_numel(struct fx_evaluator *evaluator, const struct fx_ast *call,
	struct fx_datum **ret)
{
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	const struct fx_tensor_meta *meta;
	struct fx_value count;
	struct fx_error *err =
		fx_eval_datum(evaluator, argument(call, 0), &datum);

	if (err)
		return err;
	meta = fx_datum_meta(evaluator->arena, datum);
	if (!meta)
		return fx_error_new(FX_ERR_TYPE,
			"numel takes a tensor, not a %s",
			fx_datum_kind_name(datum));
	if (!meta->has_shape)
		return fx_error_new(FX_ERR_VALUE,
			"the shape of the tensor is not known");
	count = fx_tensor_meta_numel(evaluator->arena, meta);
	*ret = fx_datum_from_value(&count);
	return NULL;
}

static const struct function functions[] = {
	{ { "len", "len(x)",
		  "number of nodes or items; of a tensor its "
		  "first size" },
		1, 1, run_length },
	{ { "count", "count{QUERY}", "number of nodes of a set" }, 1, 1,
		run_length },
	{ { "up", "up(node, k)", "nodes it depends on, at most k edges away" },
		1, 2, run_reach },
	{ { "down", "down(node, k)",
		  "nodes that depend on it, at most k edges away" },
		1, 2, run_reach },
	{ { "path", "path(a, b)", "nodes of a shortest path from a to b" }, 2,
		2, run_reach },
	{ { "users", "users(node)", "nodes that use it" }, 1, 1, run_reach },
	{ { "inputs", "inputs(node)", "nodes it uses" }, 1, 1, run_reach },
	{ { "shape", "shape(x)", "sizes of a tensor" }, 1, 1, run_attribute },
	{ { "dtype", "dtype(x)", "element type of a tensor" }, 1, 1,
		run_attribute },
	{ { "ndim", "ndim(x)", "number of dimensions of a tensor" }, 1, 1,
		run_attribute },
	{ { "device", "device(x)", "where a tensor lies" }, 1, 1,
		run_attribute },
	{ { "numel", "numel(x)", "number of elements of a tensor" }, 1, 1,
		run_numel },
	{ { "allclose", "allclose(a, b, rtol=1e-05, atol=1e-08)",
		  "whether two tensors are nearly equal" },
		2, 5, fx_eval_compare },
	{ { "difference", "difference(a, b, rtol=1e-05, atol=1e-08)",
		  "where two tensors differ, in words" },
		2, 5, fx_eval_compare },
	{ { "absmax", "absmax(x)", "largest absolute value" }, 1, 1,
		fx_eval_stats },
	{ { "hasnan", "hasnan(x)",
		  "whether a value is NaN, also in a tuple or dict" },
		1, 1, fx_eval_predicate },
	{ { "hasinf", "hasinf(x)",
		  "whether a value is infinite, also in a tuple or dict" },
		1, 1, fx_eval_predicate },
	{ { "allfinite", "allfinite(x)",
		  "whether no value is NaN or infinite, also in a tuple or "
		  "dict" },
		1, 1, fx_eval_predicate },
	{ { "stats", "stats(x)",
		  "least, greatest and mean value and more, as "
		  "a dict" },
		1, 1, fx_eval_stats },
	{ { "min", "min(x)", "least value of a tensor, or Python's min" }, 1,
		ANY, fx_eval_stats_of_known },
	{ { "max", "max(x)", "greatest value of a tensor, or Python's max" }, 1,
		ANY, fx_eval_stats_of_known },
	{ { "mean", "mean(x)", "mean of a tensor's values, or torch.mean" }, 1,
		ANY, fx_eval_stats_of_known },
	{ { "std", "std(x)",
		  "standard deviation of a tensor's values, or "
		  "torch.std" },
		1, ANY, fx_eval_stats_of_known },
	{ { "float", "float(x)",
		  "the one value of a tensor, or Python's float" },
		1, ANY, fx_eval_item_of_known },
	{ { "int", "int(x)", "the one value of a tensor, or Python's int" }, 1,
		ANY, fx_eval_item_of_known },
	{ { "file", "file(path)", "the tensor in a .npy file" }, 1, 1,
		fx_eval_file },
};

bool
fx_eval_function_at(size_t index, struct fx_function_info *ret)
{
	if (index >= FX_ARRAY_LEN(functions))
		return false;
	*ret = functions[index].info;
	return true;
}

/* Short names are like too many others to be guessed at. */
#define SHORTEST_GUESSED 6
#define LONGEST_GUESSED  40

bool
fx_eval_function_near(const char *name, struct fx_function_info *ret)
{
	FX_AUTO_BUF struct fx_buf bare = { 0 };
	const char *wanted;

	if (strlen(name) > LONGEST_GUESSED)
		return false;
	for (; *name; name++)
		if (*name != '_')
			fx_buf_add_char(&bare,
				(char)tolower((unsigned char)*name));
	wanted = fx_buf_text(&bare);
	for (int far = 0; far <= (bare.length >= SHORTEST_GUESSED); far++)
		for (size_t i = 0; fx_eval_function_at(i, ret); i++)
			if (fx_str_distance(wanted, ret->name) <= far)
				return true;
	return false;
}

struct fx_error *
fx_eval_function(struct fx_evaluator *evaluator, const struct fx_ast *call,
	bool *found_ret, struct fx_datum **ret)
{
	const char *name = call->kids[0]->text;
	size_t count = call->kid_count - 1;
	struct fx_error *err;

	*found_ret = false;
	for (size_t i = 0; i < FX_ARRAY_LEN(functions); i++) {
		const struct function *function = &functions[i];

		if (!fx_str_equal(function->info.name, name))
			continue;
		*ret = NULL;
		*found_ret = true;
		if (count < function->least || count > function->most)
			return fx_error_new(FX_ERR_TYPE,
				"%s is called with %zu arguments; it is %s",
				name, count, function->info.signature);
		err = function->run(evaluator, call, ret);
		*found_ret = err || *ret;
		return err;
	}
	return NULL;
}

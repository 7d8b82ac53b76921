/* eval_value.c - operators, subscripts and attributes of data.
 *
 * Containers are indexed here, so that tensors in them stay what they are;
 * plain values go to ir/fold, tensors to the backend.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "ir/fold.h"
#include "ops/optab.h"
#include "run/backend.h"
#include "run/eval_private.h"
#include "run/values.h"

static bool
is_set(const struct fx_datum *datum)
{
	return datum->kind == FX_DATUM_NODE || datum->kind == FX_DATUM_NODES;
}

static struct fx_error *
fold_binary(struct fx_evaluator *evaluator, enum fx_ast_op op,
	const struct fx_datum *left, const struct fx_datum *right,
	struct fx_datum **ret)
{
	struct fx_value a = fx_datum_to_value(evaluator->arena, left);
	struct fx_value b = fx_datum_to_value(evaluator->arena, right);
	struct fx_value result;
	struct fx_error *err =
		fx_fold_binary(evaluator->arena, op, &a, &b, &result);

	if (!err)
		err = fx_datum_of_value(&result, ret);
	return err;
}

static struct fx_error *
call_operator(struct fx_evaluator *evaluator, enum fx_ast_op op,
	struct fx_datum *left, struct fx_datum *right, struct fx_datum **ret)
{
	struct fx_datum *data[2] = { left, right };
	struct fx_eval_arguments arguments = {
		.data = data,
		.count = right ? 2 : 1,
	};
	const char *target =
		fx_intern_format("operator.%s", fx_ast_op_function(op));

	return fx_eval_backend(evaluator, FX_OPCODE_CALL_FUNCTION, target,
		&arguments, ret);
}

/* --- sets of nodes ------------------------------------------------------ */

static bool
set_has(const struct fx_datum *set, uint64_t id)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->ids[i] == id)
			return true;
	return false;
}

/* The members of A that are (or are not) in the map of B's. */
static struct fx_datum *
set_filter(const struct fx_datum *a, const struct fx_datum *b, bool wanted)
{
	FX_AUTO_MAP struct fx_map members = { 0 };
	FX_AUTO_FREE uint64_t *ids = fx_xcalloc(a->count, sizeof(*ids));
	size_t count = 0;

	for (size_t i = 0; i < b->count; i++)
		fx_map_set(&members, (uintptr_t)b->ids[i], 1);
	for (size_t i = 0; i < a->count; i++)
		if (fx_map_has(&members, (uintptr_t)a->ids[i]) == wanted)
			ids[count++] = a->ids[i];
	return fx_datum_nodes(ids, count);
}

struct ordered {
	size_t position;
	uint64_t id;
};

static int
compare_position(const void *a, const void *b)
{
	const struct ordered *x = a;
	const struct ordered *y = b;

	return (x->position > y->position) - (x->position < y->position);
}

/* A and what of B is not in it, in graph order. */
static struct fx_datum *
set_union(struct fx_evaluator *evaluator, const struct fx_datum *a,
	const struct fx_datum *b)
{
	struct fx_graph *graph = evaluator->resolver->graph;
	struct fx_datum *more = set_filter(b, a, false);
	size_t count = a->count + more->count;
	FX_AUTO_FREE struct ordered *items = fx_xcalloc(count, sizeof(*items));
	FX_AUTO_FREE uint64_t *ids = fx_xcalloc(count, sizeof(*ids));

	for (size_t i = 0; i < count; i++) {
		struct fx_node *node;

		items[i].id =
			i < a->count ? a->ids[i] : more->ids[i - a->count];
		node = graph ? fx_graph_find_id(graph, items[i].id) : NULL;
		items[i].position =
			node ? fx_graph_position(graph, node) : SIZE_MAX;
	}
	fx_datum_unref(more);
	qsort(items, count, sizeof(*items), compare_position);
	for (size_t i = 0; i < count; i++)
		ids[i] = items[i].id;
	return fx_datum_nodes(ids, count);
}

static struct fx_error *
set_binary(struct fx_evaluator *evaluator, enum fx_ast_op op,
	const struct fx_datum *left, const struct fx_datum *right,
	struct fx_datum **ret)
{
	switch ((int)op) {
	case FX_AST_EQ:
	case FX_AST_IS:
		*ret = fx_datum_bool(fx_datum_equal(left, right));
		return NULL;
	case FX_AST_NE:
	case FX_AST_IS_NOT:
		*ret = fx_datum_bool(!fx_datum_equal(left, right));
		return NULL;
	case FX_AST_BITOR:
		*ret = set_union(evaluator, left, right);
		return NULL;
	case FX_AST_BITAND:
		*ret = set_filter(left, right, true);
		return NULL;
	case FX_AST_SUB:
		*ret = set_filter(left, right, false);
		return NULL;
	}
	return fx_error_hint(fx_error_new(FX_ERR_TYPE,
				     "\"%s\" does not work on sets of nodes",
				     fx_ast_op_text(op)),
		"sets know | & - in == and len()");
}

/* A set compared with a number means its size (COMMANDS 2). */
static struct fx_error *
set_size(struct fx_evaluator *evaluator, enum fx_ast_op op,
	struct fx_datum *left, struct fx_datum *right, struct fx_datum **ret)
{
	FX_AUTO_DATUM struct fx_datum *a =
		is_set(left) ? fx_datum_int((int64_t)left->count)
			     : fx_datum_ref(left);
	FX_AUTO_DATUM struct fx_datum *b =
		is_set(right) ? fx_datum_int((int64_t)right->count)
			      : fx_datum_ref(right);

	return fold_binary(evaluator, op, a, b, ret);
}

/* --- operators ---------------------------------------------------------- */

/* As torch has it: whether any element of RIGHT equals LEFT. */
static struct fx_error *
membership_of_tensor(struct fx_evaluator *evaluator, bool negated,
	struct fx_datum *left, struct fx_datum *right, struct fx_datum **ret)
{
	FX_AUTO_DATUM struct fx_datum *equal = NULL;
	FX_AUTO_DATUM struct fx_datum *any = NULL;
	const struct fx_eval_arguments arguments = { .data = &equal,
		.count = 1 };
	bool found;
	struct fx_error *err =
		call_operator(evaluator, FX_AST_EQ, right, left, &equal);

	if (!err)
		err = fx_eval_backend(evaluator, FX_OPCODE_CALL_METHOD,
			fx_intern("any"), &arguments, &any);
	if (!err)
		err = fx_datum_truth(any, &found);
	if (!err)
		*ret = fx_datum_bool(found != negated);
	return err;
}

static struct fx_error *
membership(struct fx_evaluator *evaluator, bool negated, struct fx_datum *left,
	struct fx_datum *right, struct fx_datum **ret)
{
	bool found = false;
	size_t step = right->kind == FX_DATUM_DICT ? 2 : 1;

	if (right->kind == FX_DATUM_NODES && left->kind == FX_DATUM_NODE) {
		found = set_has(right, left->ids[0]);
	} else if (fx_datum_is_sequence(right) ||
		   right->kind == FX_DATUM_DICT) {
		for (size_t i = 0; i < fx_datum_item_count(right); i += step)
			if (fx_datum_equal(right->items[i], left))
				found = true;
	} else if (right->kind == FX_DATUM_TENSOR) {
		return membership_of_tensor(evaluator, negated, left, right,
			ret);
	} else {
		return fold_binary(evaluator,
			negated ? FX_AST_NOT_IN : FX_AST_IN, left, right, ret);
	}
	*ret = fx_datum_bool(found != negated);
	return NULL;
}

/* A shape beside a list: Python calls them different, but who writes
 * shape(x) = [1, 16] asks for the numbers.
 */
static bool
is_size_and_list(const struct fx_datum *a, const struct fx_datum *b)
{
	return (a->kind == FX_DATUM_SIZE && b->kind == FX_DATUM_LIST) ||
	       (a->kind == FX_DATUM_LIST && b->kind == FX_DATUM_SIZE);
}

static bool
is_identity(enum fx_ast_op op)
{
	return op == FX_AST_IS || op == FX_AST_IS_NOT;
}

struct fx_error *
fx_eval_binary(struct fx_evaluator *evaluator, enum fx_ast_op op,
	struct fx_datum *left, struct fx_datum *right, struct fx_datum **ret)
{
	bool has_tensor =
		fx_datum_has_tensor(left) || fx_datum_has_tensor(right);

	if (op == FX_AST_IN || op == FX_AST_NOT_IN)
		return membership(evaluator, op == FX_AST_NOT_IN, left, right,
			ret);
	if (is_set(left) && is_set(right))
		return set_binary(evaluator, op, left, right, ret);
	if (is_set(left) || is_set(right))
		return set_size(evaluator, op, left, right, ret);
	if ((op == FX_AST_EQ || op == FX_AST_NE) &&
		is_size_and_list(left, right) && !has_tensor) {
		*ret = fx_datum_bool(fx_datum_equal_items(left, right) ==
				     (op == FX_AST_EQ));
		return NULL;
	}
	if (has_tensor && is_identity(op)) {
		bool same = left->kind == right->kind &&
			    fx_datum_equal(left, right);

		*ret = fx_datum_bool(same == (op == FX_AST_IS));
		return NULL;
	}
	if (has_tensor)
		return call_operator(evaluator, op, left, right, ret);
	return fold_binary(evaluator, op, left, right, ret);
}

struct fx_error *
fx_eval_unary(struct fx_evaluator *evaluator, enum fx_ast_op op,
	struct fx_datum *value, struct fx_datum **ret)
{
	struct fx_value plain;
	struct fx_value result;
	struct fx_error *err;
	bool truth;

	if (op == FX_AST_NOT) {
		err = fx_datum_truth(value, &truth);
		if (!err)
			*ret = fx_datum_bool(!truth);
		return err;
	}
	if (fx_datum_has_tensor(value))
		return call_operator(evaluator, op, value, NULL, ret);
	plain = fx_datum_to_value(evaluator->arena, value);
	err = fx_fold_unary(evaluator->arena, op, &plain, &result);
	if (!err)
		err = fx_datum_of_value(&result, ret);
	return err;
}

/* --- subscripts --------------------------------------------------------- */

static struct fx_error *
subscript_item(struct fx_datum *value, int64_t index, struct fx_datum **ret)
{
	int64_t count = (int64_t)value->count;
	int64_t at = index < 0 ? index + count : index;

	if (at < 0 || at >= count)
		return fx_error_new(FX_ERR_RANGE,
			"index %" PRId64 " is out of range: the %s has %zu "
			"items",
			index, fx_datum_kind_name(value), value->count);
	if (value->kind == FX_DATUM_NODES)
		*ret = fx_datum_node(value->ids[at]);
	else
		*ret = fx_datum_ref(value->items[at]);
	return NULL;
}

static struct fx_error *
subscript_slice(struct fx_evaluator *evaluator, struct fx_datum *value,
	struct fx_datum *slice, struct fx_datum **ret)
{
	struct fx_value plain = fx_datum_to_value(evaluator->arena, slice);
	struct fx_slice_range range;
	struct fx_error *err =
		fx_fold_slice_range(&plain, (int64_t)value->count, &range);
	bool is_nodes = value->kind == FX_DATUM_NODES;
	size_t count;

	if (err)
		return err;
	count = (size_t)range.count;
	if (is_nodes) {
		FX_AUTO_FREE uint64_t *ids = fx_xcalloc(count, sizeof(*ids));

		for (size_t i = 0; i < count; i++)
			ids[i] = value->ids[range.start +
					    (int64_t)i * range.step];
		*ret = fx_datum_nodes(ids, count);
	} else {
		FX_AUTO_FREE struct fx_datum **items =
			fx_xcalloc(count, sizeof(*items));

		for (size_t i = 0; i < count; i++)
			items[i] =
				fx_datum_ref(value->items[range.start +
							  (int64_t)i *
								  range.step]);
		*ret = fx_datum_items_take(value->kind, items, count);
	}
	return NULL;
}

static struct fx_error *
subscript_dict(struct fx_datum *value, struct fx_datum *key,
	struct fx_datum **ret)
{
	for (size_t i = 0; i < value->count; i++)
		if (fx_datum_equal(value->items[2 * i], key)) {
			*ret = fx_datum_ref(value->items[2 * i + 1]);
			return NULL;
		}
	return fx_error_new(FX_ERR_RANGE, "the dict has no such key");
}

struct fx_error *
fx_eval_subscript(struct fx_evaluator *evaluator, struct fx_datum *value,
	struct fx_datum *index, struct fx_datum **ret)
{
	struct fx_datum *data[2] = { value, index };
	struct fx_eval_arguments arguments = { .data = data, .count = 2 };
	bool is_indexed =
		fx_datum_is_sequence(value) || value->kind == FX_DATUM_NODES;
	struct fx_value plain;
	struct fx_value key;
	struct fx_value result;
	struct fx_error *err;

	if (is_indexed && index->kind == FX_DATUM_INT)
		return subscript_item(value, index->integer, ret);
	if (is_indexed && index->kind == FX_DATUM_SLICE)
		return subscript_slice(evaluator, value, index, ret);
	if (value->kind == FX_DATUM_DICT)
		return subscript_dict(value, index, ret);
	if (value->kind == FX_DATUM_TENSOR)
		return fx_eval_backend(evaluator, FX_OPCODE_CALL_FUNCTION,
			fx_intern("operator.getitem"), &arguments, ret);
	if (is_set(value))
		return fx_error_new(FX_ERR_TYPE,
			"a set of nodes is indexed with a number or a slice");
	plain = fx_datum_to_value(evaluator->arena, value);
	key = fx_datum_to_value(evaluator->arena, index);
	err = fx_fold_subscript(evaluator->arena, &plain, &key, &result);
	if (!err)
		err = fx_datum_of_value(&result, ret);
	return err;
}

/* --- attributes --------------------------------------------------------- */

/* x.mean, where x.mean() is meant. */
static struct fx_error *
hint_method(struct fx_error *err, const struct fx_datum *value,
	const char *name)
{
	if (value->kind != FX_DATUM_TENSOR ||
		!fx_op_of_target(FX_OPCODE_CALL_METHOD, name))
		return err;
	return fx_error_hint(err, "%s is a method: .%s() calls it", name, name);
}

/* What the backend's getattr gives, else ERR_TAKEN. */
static struct fx_error *
attribute_of_backend(struct fx_evaluator *evaluator, struct fx_datum *value,
	const char *name, struct fx_error *err_taken, struct fx_datum **ret)
{
	FX_AUTO_DATUM struct fx_datum *word =
		fx_datum_string(name, strlen(name));
	struct fx_datum *data[2] = { value, word };
	struct fx_eval_arguments arguments = { .data = data, .count = 2 };
	struct fx_error *err =
		fx_eval_backend(evaluator, FX_OPCODE_CALL_FUNCTION,
			fx_intern("builtins.getattr"), &arguments, ret);

	if (!err || value->kind == FX_DATUM_TENSOR) {
		fx_error_free(err_taken);
		return err;
	}
	fx_error_free(err);
	return err_taken;
}

/* Attributes whose answer is metadata, whichever backend holds the tensor;
 * else the backend's, which knows the fields of an operator's tuple too.
 */
static struct fx_error *
attribute_of_value(struct fx_evaluator *evaluator, struct fx_datum *value,
	const char *name, struct fx_datum **ret)
{
	struct fx_value plain = fx_datum_to_value(evaluator->arena, value);
	bool is_computed =
		value->kind == FX_DATUM_TENSOR || value->kind == FX_DATUM_TUPLE;
	struct fx_value result;
	struct fx_error *err;

	err = fx_fold_attribute(evaluator->arena, &plain, name, &result);
	/* x.real, x.T: a tensor with values is computed, not only told. */
	if (!err && result.kind == FX_VALUE_TENSOR && fx_values_known(value))
		err = fx_error_new(FX_ERR_UNSUPPORTED, "%s", name);
	if (!err)
		return fx_datum_of_value(&result, ret);
	if (is_computed && fx_error_code(err) == FX_ERR_UNSUPPORTED)
		err = attribute_of_backend(evaluator, value, name, err, ret);
	return err ? hint_method(err, value, name) : NULL;
}

struct fx_error *
fx_eval_attribute(struct fx_evaluator *evaluator, struct fx_datum *value,
	const char *name, struct fx_datum **ret)
{
	int64_t index;

	/* %split.1: steps that are digits index. */
	if (fx_number_parse_int(name, strlen(name), &index)) {
		FX_AUTO_DATUM struct fx_datum *number = fx_datum_int(index);

		return fx_eval_subscript(evaluator, value, number, ret);
	}
	/* %sum.kwargs.dim */
	for (size_t i = 0; value->kind == FX_DATUM_DICT && i < value->count;
		i++) {
		const struct fx_datum *key = value->items[2 * i];

		if (key->kind == FX_DATUM_STRING &&
			fx_str_equal(key->text, name)) {
			*ret = fx_datum_ref(value->items[2 * i + 1]);
			return NULL;
		}
	}
	if (is_set(value))
		return fx_error_hint(fx_error_new(FX_ERR_TYPE,
					     "a %s has no attribute \"%s\"",
					     fx_datum_kind_name(value), name),
			"len(...), [index] and \"in\" work on sets");
	return attribute_of_value(evaluator, value, name, ret);
}

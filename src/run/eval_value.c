/* eval_value.c - operators, subscripts and attributes of data.
 *
 * Values go to ir/fold, in which tensors in containers stay what they are;
 * tensors themselves go to the backend.
 */
#include <config.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/number.h"
#include "ir/fold.h"
#include "ir/value_class.h"
#include "ops/optab.h"
#include "run/backend.h"
#include "run/eval_private.h"
#include "run/values.h"

const uint64_t *
fx_eval_ids(const struct fx_datum *datum, size_t *count_ret)
{
	*count_ret = 1;
	if (fx_datum_is(datum, FX_VALUE_NODE_ID))
		return (const uint64_t *)&datum->value.integer;
	*count_ret = datum->count;
	return datum->kind == FX_DATUM_NODES ? datum->ids : NULL;
}

static bool
is_set(const struct fx_datum *datum)
{
	size_t count;

	return fx_eval_ids(datum, &count) != NULL;
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

/* The members of A that are (or are not) in B. */
static struct fx_datum *
set_filter(const struct fx_datum *a, const struct fx_datum *b, bool wanted)
{
	FX_AUTO_MAP struct fx_map members = { 0 };
	size_t count, of_b;
	const uint64_t *all = fx_eval_ids(a, &count);
	const uint64_t *others = fx_eval_ids(b, &of_b);
	FX_AUTO_FREE uint64_t *ids = fx_xcalloc(count, sizeof(*ids));
	size_t found = 0;

	for (size_t i = 0; i < of_b; i++)
		fx_map_set(&members, (uintptr_t)others[i], 1);
	for (size_t i = 0; i < count; i++)
		if (fx_map_has(&members, (uintptr_t)all[i]) == wanted)
			ids[found++] = all[i];
	return fx_datum_nodes(ids, found);
}

static bool
are_same_ids(const struct fx_datum *a, const struct fx_datum *b)
{
	size_t count, of_b;
	const uint64_t *ids = fx_eval_ids(a, &count);
	const uint64_t *others = fx_eval_ids(b, &of_b);

	return count == of_b && memcmp(ids, others, count * sizeof(*ids)) == 0;
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
	FX_AUTO_DATUM struct fx_datum *more = set_filter(b, a, false);
	size_t of_a;
	const uint64_t *first = fx_eval_ids(a, &of_a);
	size_t count = of_a + more->count;
	FX_AUTO_FREE struct ordered *items = fx_xcalloc(count, sizeof(*items));
	FX_AUTO_FREE uint64_t *ids = fx_xcalloc(count, sizeof(*ids));

	for (size_t i = 0; i < count; i++) {
		struct fx_node *node;

		items[i].id = i < of_a ? first[i] : more->ids[i - of_a];
		node = graph ? fx_graph_find_id(graph, items[i].id) : NULL;
		items[i].position =
			node ? fx_graph_position(graph, node) : SIZE_MAX;
	}
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
		*ret = fx_datum_bool(are_same_ids(left, right));
		return NULL;
	case FX_AST_NE:
	case FX_AST_IS_NOT:
		*ret = fx_datum_bool(!are_same_ids(left, right));
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

/* LEFT OP RIGHT by ir/fold; null where only a backend knows what tensors in
 * containers say.
 */
static struct fx_error *
fold_binary(struct fx_evaluator *evaluator, enum fx_ast_op op,
	const struct fx_datum *left, const struct fx_datum *right,
	struct fx_datum **ret)
{
	size_t of_left, of_right;
	bool left_is_set = fx_eval_ids(left, &of_left) != NULL;
	bool right_is_set = fx_eval_ids(right, &of_right) != NULL;
	/* A set compared with a number means its size (COMMANDS 2). */
	struct fx_value a =
		left_is_set ? fx_value_int((int64_t)of_left) : left->value;
	struct fx_value b =
		right_is_set ? fx_value_int((int64_t)of_right) : right->value;
	struct fx_value result;
	struct fx_error *err;

	/* A shape beside a list: Python calls them different, but who writes
	 * shape(x) = [1, 16] asks for the numbers.
	 */
	if ((a.kind == FX_VALUE_SIZE && b.kind == FX_VALUE_LIST) ||
		(a.kind == FX_VALUE_LIST && b.kind == FX_VALUE_SIZE))
		if (op == FX_AST_EQ || op == FX_AST_NE)
			a.kind = b.kind = FX_VALUE_TUPLE;
	*ret = NULL;
	err = fx_fold_binary(evaluator->arena, op, &a, &b, &result);
	if (err)
		return err;
	if ((left->has_held || right->has_held) &&
		result.kind == FX_VALUE_UNKNOWN)
		return NULL;
	return fx_datum_of_value(&result, ret);
}

static bool
is_object(const struct fx_datum *datum)
{
	return fx_datum_is(datum, FX_VALUE_DICT) &&
	       fx_value_is_users(&datum->value);
}

/* Of an object that is a dict here Python knows what it does. */
static bool
is_payload(const struct fx_datum *datum)
{
	return datum->kind == FX_DATUM_TENSOR ||
	       datum->kind == FX_DATUM_HANDLE || is_object(datum);
}

struct fx_error *
fx_eval_binary(struct fx_evaluator *evaluator, enum fx_ast_op op,
	struct fx_datum *left, struct fx_datum *right, struct fx_datum **ret)
{
	bool is_identity = op == FX_AST_IS || op == FX_AST_IS_NOT;
	bool is_membership = op == FX_AST_IN || op == FX_AST_NOT_IN;
	struct fx_error *err;

	if (is_membership && right->kind == FX_DATUM_NODES &&
		fx_datum_is(left, FX_VALUE_NODE_ID)) {
		FX_AUTO_DATUM struct fx_datum *found =
			set_filter(left, right, op == FX_AST_IN);

		*ret = fx_datum_bool(found->count != 0);
		return NULL;
	}
	if (is_membership && right->kind == FX_DATUM_TENSOR)
		return membership_of_tensor(evaluator, op == FX_AST_NOT_IN,
			left, right, ret);
	if (is_set(left) && is_set(right) && !is_membership)
		return set_binary(evaluator, op, left, right, ret);
	if (is_identity && (left->has_held || right->has_held)) {
		*ret = fx_datum_bool((left == right) == (op == FX_AST_IS));
		return NULL;
	}
	if (is_membership ? is_payload(right) && !is_object(right)
			  : is_payload(left) || is_payload(right))
		return call_operator(evaluator, op, left, right, ret);
	err = fold_binary(evaluator, op, left, right, ret);
	return err || *ret ? err
			   : call_operator(evaluator, op, left, right, ret);
}

struct fx_error *
fx_eval_unary(struct fx_evaluator *evaluator, enum fx_ast_op op,
	struct fx_datum *value, struct fx_datum **ret)
{
	struct fx_value result;
	struct fx_error *err;
	bool truth;

	if (op == FX_AST_NOT) {
		err = fx_datum_truth(value, &truth);
		if (!err)
			*ret = fx_datum_bool(!truth);
		return err;
	}
	if (is_payload(value))
		return call_operator(evaluator, op, value, NULL, ret);
	err = fx_fold_unary(evaluator->arena, op, &value->value, &result);
	if (!err)
		err = fx_datum_of_value(&result, ret);
	return err;
}

/* --- subscripts --------------------------------------------------------- */

/* What numbers and slices select of a set, by way of the list of its ids. */
static struct fx_error *
subscript_set(struct fx_evaluator *evaluator, const struct fx_datum *set,
	const struct fx_value *index, struct fx_datum **ret)
{
	struct fx_value *items =
		FX_ARENA_ARRAY(evaluator->arena, struct fx_value, set->count);
	FX_AUTO_FREE uint64_t *ids = NULL;
	struct fx_value all, result;
	struct fx_error *err;

	if (set->kind != FX_DATUM_NODES ||
		(index->kind != FX_VALUE_INT && index->kind != FX_VALUE_SLICE))
		return fx_error_new(FX_ERR_TYPE,
			"a set of nodes is indexed with a number or a slice");
	for (size_t i = 0; i < set->count; i++)
		items[i] = (struct fx_value){ .kind = FX_VALUE_NODE_ID,
			.integer = (int64_t)set->ids[i] };
	all = fx_value_sequence(evaluator->arena, FX_VALUE_LIST, items,
		set->count);
	err = fx_fold_subscript(evaluator->arena, &all, index, &result);
	if (err)
		return err;
	if (result.kind == FX_VALUE_NODE_ID) {
		*ret = fx_datum_from_value(&result);
		return NULL;
	}
	ids = fx_xcalloc(result.count, sizeof(*ids));
	for (size_t i = 0; i < result.count; i++)
		ids[i] = (uint64_t)result.items[i].integer;
	*ret = fx_datum_nodes(ids, result.count);
	return NULL;
}

struct fx_error *
fx_eval_subscript(struct fx_evaluator *evaluator, struct fx_datum *value,
	struct fx_datum *index, struct fx_datum **ret)
{
	struct fx_datum *data[2] = { value, index };
	struct fx_eval_arguments arguments = { .data = data, .count = 2 };
	struct fx_value result;
	struct fx_error *err;

	if (is_payload(value))
		return fx_eval_backend(evaluator, FX_OPCODE_CALL_FUNCTION,
			fx_intern("operator.getitem"), &arguments, ret);
	if (is_set(value))
		return subscript_set(evaluator, value, &index->value, ret);
	err = fx_fold_subscript(evaluator->arena, &value->value, &index->value,
		&result);
	if (err)
		return err;
	if (fx_datum_is(index, FX_VALUE_SLICE))
		return fx_datum_of_value(&result, ret);
	*ret = fx_datum_part(value, &result);
	return NULL;
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

	/* Of an object Python says what it has. */
	if (!err || value->kind != FX_DATUM_VALUE ||
		fx_value_is_users(&value->value)) {
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
		is_payload(value) || fx_datum_is(value, FX_VALUE_TUPLE);
	struct fx_value result;
	struct fx_error *err;

	err = fx_fold_attribute(evaluator->arena, &plain, name, &result);
	/* x.real, x.T: a tensor with values is computed, not only told. */
	if (!err && result.kind == FX_VALUE_TENSOR && fx_values_known(value))
		err = fx_error_new(FX_ERR_UNSUPPORTED, "%s", name);
	if (!err)
		return fx_datum_of_value(&result, ret);
	if (is_computed && (fx_error_code(err) == FX_ERR_UNSUPPORTED ||
				   value->kind == FX_DATUM_HANDLE ||
				   fx_value_is_users(&value->value)))
		err = attribute_of_backend(evaluator, value, name, err, ret);
	return err ? hint_method(err, value, name) : NULL;
}

struct fx_error *
fx_eval_attribute(struct fx_evaluator *evaluator, struct fx_datum *value,
	const char *name, struct fx_datum **ret)
{
	const struct fx_value *item;
	int64_t index;

	/* %split.1: steps that are digits index. */
	if (fx_number_parse_int(name, strlen(name), &index)) {
		FX_AUTO_DATUM struct fx_datum *number = fx_datum_int(index);

		return fx_eval_subscript(evaluator, value, number, ret);
	}
	/* %sum.kwargs.dim */
	item = fx_value_dict_get(&value->value, name);
	if (item) {
		*ret = fx_datum_part(value, item);
		return NULL;
	}
	if (is_set(value))
		return fx_error_hint(fx_error_new(FX_ERR_TYPE,
					     "a %s has no attribute \"%s\"",
					     fx_datum_kind_name(value), name),
			"len(...), [index] and \"in\" work on sets");
	return attribute_of_value(evaluator, value, name, ret);
}

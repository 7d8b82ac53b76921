/* decompose_eval.c - expressions of layers.py and functionals.py.
 *
 * What is constant is folded; what involves a node of the fragment is folded
 * too if the node's metadata decide it (a rank, a dtype), else it becomes
 * another node.
 */
#include <config.h>

#include <math.h>
#include <string.h>

#include "base/dtype.h"
#include "base/intern.h"
#include "base/str.h"
#include "ir/decompose_private.h"
#include "ir/fold.h"
#include "ir/value_read.h"
#include "ir/value_walk.h"
#include "lang/ast.h"

static bool
stop_at_node(void *context, struct fx_node *node)
{
	(void)context;
	(void)node;
	return false;
}

bool
fx_partial_has_node(const struct fx_value *value)
{
	return !fx_value_visit_nodes(value, stop_at_node, NULL);
}

static struct fx_value
meta_of_leaf(void *context, const struct fx_value *leaf)
{
	(void)context;
	if (leaf->kind != FX_VALUE_NODE)
		return *leaf;
	return leaf->node->meta ? *leaf->node->meta
				: fx_fold_unknown("a result");
}

struct fx_value
fx_partial_meta(struct fx_partial *partial, const struct fx_value *value)
{
	return fx_value_map(partial->arena, value, meta_of_leaf, NULL);
}

/* Whether nothing in VALUE has to wait for a run. */
static bool
is_constant(const struct fx_value *value)
{
	return !fx_fold_has(value, FX_VALUE_TENSOR) &&
	       !fx_fold_has(value, FX_VALUE_SYMBOL) &&
	       !fx_fold_has(value, FX_VALUE_UNKNOWN) &&
	       !fx_partial_has_node(value);
}

struct fx_value
fx_partial_emit(struct fx_partial *partial, enum fx_opcode opcode,
	const char *target, struct fx_value args, struct fx_value kwargs)
{
	struct fx_node_spec spec = { .opcode = opcode,
		.target = target,
		.args = args,
		.kwargs = kwargs };
	struct fx_node *node = fx_graph_append(partial->graph, &spec);

	fx_expander_learn(partial->expander, node);
	return fx_value_node(node);
}

struct fx_error *
fx_partial_emit_function(struct fx_partial *partial, const char *target,
	const struct fx_value *items, size_t count, struct fx_object *ret)
{
	if (!partial->expander)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"a constructor computes with tensors");
	*ret = fx_object_value(fx_partial_emit(partial, FX_OPCODE_CALL_FUNCTION,
		target,
		fx_value_sequence(partial->arena, FX_VALUE_TUPLE, items, count),
		fx_value_none()));
	return NULL;
}

struct fx_error *
fx_partial_value(const struct fx_object *object, struct fx_value *ret)
{
	if (object->kind == FX_OBJECT_VALUE) {
		*ret = object->value;
		return NULL;
	}
	if (object->kind == FX_OBJECT_NAME) {
		*ret = fx_value_text(FX_VALUE_FUNCTION,
			fx_str_starts(object->name, "builtins.")
				? object->name + 9
				: object->name);
		return NULL;
	}
	return fx_error_new(FX_ERR_UNSUPPORTED,
		"a module is used as an argument");
}

struct fx_error *
fx_partial_truth(struct fx_partial *partial, const struct fx_object *object,
	bool *ret)
{
	struct fx_value meta;

	*ret = true;
	if (object->kind != FX_OBJECT_VALUE)
		return NULL;
	meta = fx_partial_meta(partial, &object->value);
	if (fx_fold_truth(&meta, ret))
		return NULL;
	return fx_error_new(FX_ERR_UNSUPPORTED,
		"a condition depends on sizes or data that are known only "
		"when running");
}

/* Names that mean a package under another name. */
static const char *
canonical_name(const char *name)
{
	if (strcmp(name, "F") == 0)
		return "torch.nn.functional";
	if (strcmp(name, "nn") == 0)
		return "torch.nn";
	return name;
}

static struct fx_error *
eval_name(struct fx_location *frame, const struct fx_ast *expr,
	struct fx_object *ret)
{
	for (size_t i = frame->variables.count; i-- > 0;)
		if (frame->variables.items[i].name == expr->text) {
			*ret = frame->variables.items[i].object;
			return NULL;
		}
	*ret = (struct fx_object){ .kind = FX_OBJECT_NAME,
		.name = canonical_name(expr->text) };
	return NULL;
}

/* PACKAGE.STEP: a constant, a dtype, or a longer name. */
static struct fx_object
name_attribute(const char *package, const char *step)
{
	enum fx_dtype dtype = strcmp(package, "torch") == 0
				      ? fx_dtype_find(step)
				      : FX_DTYPE_NONE;

	if (dtype)
		return fx_object_value(fx_value_dtype(dtype));
	if (strcmp(package, "math") == 0 && strcmp(step, "pi") == 0)
		return fx_object_value(fx_value_float(M_PI));
	if (strcmp(package, "math") == 0 && strcmp(step, "inf") == 0)
		return fx_object_value(fx_value_float(INFINITY));
	return (struct fx_object){ .kind = FX_OBJECT_NAME,
		.name = fx_intern_format("%s.%s", package, step) };
}

static struct fx_error *
value_attribute(struct fx_partial *partial, const struct fx_value *value,
	const char *name, struct fx_object *ret)
{
	struct fx_value meta = fx_partial_meta(partial, value);
	struct fx_value pair[2] = { *value, fx_value_string(name) };
	struct fx_value result;
	struct fx_error *err =
		fx_fold_attribute(partial->arena, &meta, name, &result);

	if (!err && (is_constant(&result) || value->kind != FX_VALUE_NODE)) {
		*ret = fx_object_value(result);
		return NULL;
	}
	if (value->kind != FX_VALUE_NODE)
		return err;
	fx_error_free(err);
	return fx_partial_emit_function(partial, "builtins.getattr", pair, 2,
		ret);
}

static struct fx_error *
eval_attribute(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *expr, struct fx_object *ret)
{
	struct fx_object object;
	struct fx_error *err =
		fx_partial_eval(partial, frame, expr->kids[0], &object);

	if (err)
		return err;
	if (object.kind == FX_OBJECT_NAME) {
		*ret = name_attribute(object.name, expr->text);
		return NULL;
	}
	if (object.kind == FX_OBJECT_MODULE)
		return fx_partial_attribute(partial, &object, expr->text, ret);
	if (object.kind != FX_OBJECT_VALUE)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"an attribute of something that has none");
	return value_attribute(partial, &object.value, expr->text, ret);
}

static struct fx_error *
eval_value(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *expr, struct fx_value *ret)
{
	struct fx_object object;
	struct fx_error *err = fx_partial_eval(partial, frame, expr, &object);

	return err ? err : fx_partial_value(&object, ret);
}

static struct fx_error *
eval_slice(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *expr, struct fx_object *ret)
{
	struct fx_value parts[3];

	for (int i = 0; i < 3; i++) {
		struct fx_error *err = NULL;

		parts[i] = fx_value_none();
		if (expr->kids[i])
			err = eval_value(partial, frame, expr->kids[i],
				&parts[i]);
		if (err)
			return err;
	}
	*ret = fx_object_value(fx_value_slice(partial->arena, parts[0],
		parts[1], parts[2]));
	return NULL;
}

static struct fx_error *
eval_subscript(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *expr, struct fx_object *ret)
{
	struct fx_value pair[2];
	struct fx_value meta;
	struct fx_value result;
	struct fx_error *err =
		eval_value(partial, frame, expr->kids[0], &pair[0]);

	if (!err)
		err = eval_value(partial, frame, expr->kids[1], &pair[1]);
	if (err)
		return err;
	if (pair[0].kind != FX_VALUE_NODE) {
		err = fx_fold_subscript(partial->arena, &pair[0], &pair[1],
			&result);
		*ret = fx_object_value(result);
		return err;
	}
	meta = fx_partial_meta(partial, &pair[0]);
	if (meta.kind != FX_VALUE_TENSOR && meta.kind != FX_VALUE_UNKNOWN &&
		!fx_partial_has_node(&pair[1])) {
		err = fx_fold_subscript(partial->arena, &meta, &pair[1],
			&result);
		if (err)
			return err;
		*ret = fx_object_value(result);
		if (is_constant(&result))
			return NULL;
	}
	return fx_partial_emit_function(partial, "operator.getitem", pair, 2,
		ret);
}

/* Fold the COUNT (1 or 2) operands of OP by their metadata. */
static bool
fold_metas(struct fx_partial *partial, enum fx_ast_op op,
	const struct fx_value *operands, size_t count, struct fx_value *ret)
{
	struct fx_value metas[2];
	struct fx_error *err;

	for (size_t i = 0; i < count; i++) {
		metas[i] = fx_partial_meta(partial, &operands[i]);
		/* A result of a call is never None. */
		if ((op == FX_AST_IS || op == FX_AST_IS_NOT) &&
			operands[i].kind == FX_VALUE_NODE &&
			metas[i].kind == FX_VALUE_UNKNOWN)
			metas[i] = fx_value_text(FX_VALUE_OPAQUE, "result");
	}
	err = count == 1 ? fx_fold_unary(partial->arena, op, &metas[0], ret)
			 : fx_fold_binary(partial->arena, op, &metas[0],
				   &metas[1], ret);
	if (err) {
		fx_error_free(err);
		return false;
	}
	return is_constant(ret);
}

/* OP on operands of which at least one holds a node. */
static struct fx_error *
operate_nodes(struct fx_partial *partial, enum fx_ast_op op,
	const struct fx_value *operands, size_t count, struct fx_object *ret)
{
	const char *function = fx_ast_op_function(op);
	struct fx_value result;

	if (fold_metas(partial, op, operands, count, &result)) {
		*ret = fx_object_value(result);
		return NULL;
	}
	if (!*function || op == FX_AST_IS || op == FX_AST_IS_NOT)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"\"%s\" depends on what only running can tell",
			fx_ast_op_text(op));
	return fx_partial_emit_function(partial,
		fx_intern_format("operator.%s", function), operands, count,
		ret);
}

static struct fx_error *
operate(struct fx_partial *partial, enum fx_ast_op op,
	const struct fx_value *operands, size_t count, struct fx_object *ret)
{
	struct fx_value result;
	struct fx_error *err;

	for (size_t i = 0; i < count; i++)
		if (operands[i].kind == FX_VALUE_NODE ||
			(fx_partial_has_node(&operands[i]) &&
				op != FX_AST_ADD && op != FX_AST_MUL))
			return operate_nodes(partial, op, operands, count, ret);
	err = count == 1
		      ? fx_fold_unary(partial->arena, op, &operands[0], &result)
		      : fx_fold_binary(partial->arena, op, &operands[0],
				&operands[1], &result);
	*ret = fx_object_value(result);
	return err;
}

static struct fx_error *
eval_operator(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *expr, struct fx_object *ret)
{
	struct fx_value operands[2];
	size_t count = expr->kind == FX_AST_UNARY ? 1 : 2;

	for (size_t i = 0; i < count; i++) {
		struct fx_error *err =
			eval_value(partial, frame, expr->kids[i], &operands[i]);

		if (err)
			return err;
	}
	return operate(partial, expr->op, operands, count, ret);
}

/* One side of a comparison.  A module is compared with None at most: something
 * that is not None does.
 */
static struct fx_error *
eval_compared(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *expr, struct fx_value *ret)
{
	struct fx_object object;
	struct fx_error *err = fx_partial_eval(partial, frame, expr, &object);

	if (err || object.kind != FX_OBJECT_MODULE)
		return err ? err : fx_partial_value(&object, ret);
	*ret = fx_value_text(FX_VALUE_OPAQUE, "module");
	return NULL;
}

/* a < b < c: stops at the first that is false. */
static struct fx_error *
eval_compare(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *expr, struct fx_object *ret)
{
	struct fx_value operands[2];
	struct fx_error *err =
		eval_compared(partial, frame, expr->kids[0], &operands[0]);

	for (uint32_t i = 1; !err && i < expr->kid_count; i++) {
		bool truth;

		err = eval_compared(partial, frame, expr->kids[i],
			&operands[1]);
		if (!err)
			err = operate(partial, expr->ops[i - 1], operands, 2,
				ret);
		if (err || expr->kid_count == 2)
			return err;
		err = fx_partial_truth(partial, ret, &truth);
		if (err || !truth)
			return err;
		operands[0] = operands[1];
	}
	return err;
}

static struct fx_error *
eval_boolean(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *expr, struct fx_object *ret)
{
	for (uint32_t i = 0; i < expr->kid_count; i++) {
		bool truth;
		struct fx_error *err =
			fx_partial_eval(partial, frame, expr->kids[i], ret);

		if (err || i + 1 == expr->kid_count)
			return err;
		err = fx_partial_truth(partial, ret, &truth);
		if (err || truth == (expr->op == FX_AST_OR))
			return err;
	}
	return NULL;
}

static struct fx_error *
eval_conditional(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *expr, struct fx_object *ret)
{
	struct fx_object test;
	bool truth;
	struct fx_error *err =
		fx_partial_eval(partial, frame, expr->kids[0], &test);

	if (!err)
		err = fx_partial_truth(partial, &test, &truth);
	if (err)
		return err;
	return fx_partial_eval(partial, frame, expr->kids[truth ? 1 : 2], ret);
}

/* Items being collected; a vector of vec.h. */
struct values {
	struct fx_value *items;
	size_t count;
	size_t capacity;
};

static struct fx_error *
add_item(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *expr, struct values *items)
{
	bool is_starred = expr->kind == FX_AST_STARRED;
	struct fx_value value;
	const struct fx_value *more;
	size_t count;
	struct fx_error *err = eval_value(partial, frame,
		is_starred ? expr->kids[0] : expr, &value);

	if (err)
		return err;
	if (!is_starred) {
		fx_vec_push(items, value);
		return NULL;
	}
	err = fx_partial_iterate(partial, &value, &more, &count);
	for (size_t i = 0; !err && i < count; i++)
		fx_vec_push(items, more[i]);
	return err;
}

static struct fx_error *
eval_display(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *expr, struct fx_object *ret)
{
	struct values items = { 0 };
	struct fx_error *err = NULL;

	for (uint32_t i = 0; !err && i < expr->kid_count; i++)
		err = add_item(partial, frame, expr->kids[i], &items);
	if (!err && expr->kind == FX_AST_DICT)
		*ret = fx_object_value(fx_value_dict(partial->arena,
			items.items, items.count / 2));
	else if (!err)
		*ret = fx_object_value(fx_value_sequence(partial->arena,
			expr->kind == FX_AST_LIST ? FX_VALUE_LIST
						  : FX_VALUE_TUPLE,
			items.items, items.count));
	fx_vec_deinit(&items);
	return err;
}

/* [element for target in iterable if condition] */
static struct fx_error *
eval_comprehension(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *expr, struct fx_object *ret)
{
	struct values out = { 0 };
	struct fx_value iterable;
	const struct fx_value *items;
	size_t count;
	struct fx_error *err =
		eval_value(partial, frame, expr->kids[2], &iterable);

	if (!err)
		err = fx_partial_iterate(partial, &iterable, &items, &count);
	for (size_t i = 0; !err && i < count; i++) {
		struct fx_object item = fx_object_value(items[i]);
		struct fx_object test = fx_object_value(fx_value_bool(true));
		bool wanted = true;

		err = fx_partial_bind(partial, frame, expr->kids[1], &item);
		if (!err && expr->kids[3])
			err = fx_partial_eval(partial, frame, expr->kids[3],
				&test);
		if (!err)
			err = fx_partial_truth(partial, &test, &wanted);
		if (!err && wanted)
			err = add_item(partial, frame, expr->kids[0], &out);
	}
	if (!err)
		*ret = fx_object_value(fx_value_sequence(partial->arena,
			FX_VALUE_LIST, out.items, out.count));
	fx_vec_deinit(&out);
	return err;
}

static struct fx_error *
unsupported(const struct fx_location *frame, const struct fx_ast *expr)
{
	return fx_error_at(fx_error_new(FX_ERR_UNSUPPORTED,
				   "this expression is not evaluated"),
		frame->text, expr->span);
}

struct fx_error *
fx_partial_eval(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *expr, struct fx_object *ret)
{
	*ret = fx_object_value(fx_value_none());
	if (fx_value_read_literal(partial->arena, expr, &ret->value))
		return NULL;
	switch (expr->kind) {
	case FX_AST_NAME:
		return eval_name(frame, expr, ret);
	case FX_AST_ATTR:
		return eval_attribute(partial, frame, expr, ret);
	case FX_AST_SUBSCRIPT:
		return eval_subscript(partial, frame, expr, ret);
	case FX_AST_SLICE:
		return eval_slice(partial, frame, expr, ret);
	case FX_AST_CALL:
		return fx_partial_call(partial, frame, expr, ret);
	case FX_AST_UNARY:
	case FX_AST_BINARY:
		return eval_operator(partial, frame, expr, ret);
	case FX_AST_BOOLEAN:
		return eval_boolean(partial, frame, expr, ret);
	case FX_AST_COMPARE:
		return eval_compare(partial, frame, expr, ret);
	case FX_AST_CONDITIONAL:
		return eval_conditional(partial, frame, expr, ret);
	case FX_AST_TUPLE:
	case FX_AST_LIST:
	case FX_AST_DICT:
		return eval_display(partial, frame, expr, ret);
	case FX_AST_COMPREHENSION:
		return eval_comprehension(partial, frame, expr, ret);
	default:
		return unsupported(frame, expr);
	}
}

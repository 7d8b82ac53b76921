/* eval_call.c - calls: functions by name, methods, modules, the backend. */
#include <config.h>

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/fold.h"
#include "ir/value_class.h"
#include "ops/layertab.h"
#include "ops/optab.h"
#include "run/backend.h"
#include "run/eval_private.h"
#include "run/fallback.h"
#include "run/plan.h"

static void
arguments_deinit(struct fx_eval_arguments *arguments)
{
	for (size_t i = 0; i < arguments->count; i++)
		fx_datum_unref(arguments->data[i]);
	free(arguments->data);
	free(arguments->keywords);
}
FX_DEFINE_DEINIT(arguments, struct fx_eval_arguments, arguments_deinit);

/* The arguments of CALL after an optional RECEIVER (referenced). */
static struct fx_error *
read_arguments(struct fx_evaluator *evaluator, const struct fx_ast *call,
	struct fx_datum *receiver, struct fx_eval_arguments *ret)
{
	ret->data = fx_xcalloc(call->kid_count + 1, sizeof(*ret->data));
	ret->keywords = fx_xcalloc(call->kid_count, sizeof(*ret->keywords));
	if (receiver)
		ret->data[ret->count++] = fx_datum_ref(receiver);
	for (uint32_t i = 1; i < call->kid_count; i++) {
		const struct fx_ast *kid = call->kids[i];
		struct fx_error *err;

		if (kid->kind == FX_AST_KEYWORD) {
			ret->keywords[ret->keyword_count++] = kid->text;
			kid = kid->kids[0];
		} else if (ret->keyword_count) {
			return fx_error_at(fx_error_new(FX_ERR_SYNTAX,
						   "a positional argument "
						   "follows a "
						   "keyword argument"),
				evaluator->text, kid->span);
		}
		err = fx_eval_datum(evaluator, kid, &ret->data[ret->count]);
		if (err)
			return err;
		ret->count++;
	}
	return NULL;
}

/* Whether one of ARGUMENTS is itself what only a backend understands. */
static bool
has_tensor(const struct fx_eval_arguments *arguments)
{
	for (size_t i = 0; i < arguments->count; i++)
		if (arguments->data[i]->kind == FX_DATUM_TENSOR ||
			arguments->data[i]->kind == FX_DATUM_HANDLE)
			return true;
	return false;
}

/* The context of look_only, which lets a call read values but not change them.
 */
struct onlooker {
	struct fx_evaluator *evaluator;
	const char *target;
	bool on_copies; /* what is written is ours */
	bool is_refused;
};

/* The first draw of random numbers is noted for the resolver, which puts the
 * generator back.
 */
static struct fx_error *
look_only(void *context, struct fx_datum *const *data, uint64_t writes,
	bool may_draw)
{
	struct onlooker *onlooker = context;
	const struct fx_resolver *resolver = onlooker->evaluator->resolver;
	struct fx_backend *backend = resolver->backend;

	(void)data;
	if (writes && !onlooker->on_copies) {
		onlooker->is_refused = true;
		return fx_error_hint(fx_error_new(FX_ERR_VALUE,
					     "%s would change a value in "
					     "place; expressions "
					     "do not",
					     onlooker->target),
			"\"set value x = x + 1\" replaces one");
	}
	if (!may_draw || !resolver->random || *resolver->random ||
		!backend->ops->random_save)
		return NULL;
	return backend->ops->random_save(backend, resolver->random);
}

static struct fx_error *
call_looking(struct onlooker *onlooker, const struct fx_call_site *site,
	const struct fx_eval_arguments *arguments, struct fx_datum **ret)
{
	const struct fx_resolver *resolver = onlooker->evaluator->resolver;
	const struct fx_plan_watch watch = { .context = onlooker,
		.before = look_only };
	FX_AUTO_PLANS struct fx_plans plans = { .watch = &watch,
		.backend = resolver->backend,
		.ticker = resolver->ticker };

	return fx_plans_call_once(&plans, site, arguments->data, ret);
}

/* Copies of the tensors among ARGUMENTS, the rest as it is; false where the
 * backend cannot copy.
 */
static bool
copy_arguments(const struct fx_call_site *site, struct fx_backend *backend,
	const struct fx_eval_arguments *arguments,
	struct fx_eval_arguments *ret)
{
	ret->data = fx_xcalloc(arguments->count, sizeof(*ret->data));
	for (size_t i = 0; i < arguments->count; i++, ret->count++) {
		struct fx_kind kind = fx_kind_of(arguments->data[i]);
		const struct fx_call_site clone = {
			.opcode = FX_OPCODE_CALL_METHOD,
			.target = fx_intern("clone"),
			.graph = site->graph,
			.kinds = &kind,
			.count = 1,
		};
		FX_AUTO_PLANS struct fx_plans plans = { .backend = backend };
		FX_AUTO_ERROR struct fx_error *err = NULL;

		if (kind.kind != FX_VALUE_TENSOR)
			ret->data[i] = fx_datum_ref(arguments->data[i]);
		else
			err = fx_plans_call_once(&plans, &clone,
				&arguments->data[i], &ret->data[i]);
		if (err)
			return false;
	}
	return true;
}

/* Not where a module may write its buffers, or tensors in a list. */
static bool
can_copy(enum fx_opcode opcode, const struct fx_eval_arguments *arguments)
{
	if (opcode == FX_OPCODE_CALL_MODULE)
		return false;
	for (size_t i = 0; i < arguments->count; i++)
		if (arguments->data[i]->kind != FX_DATUM_TENSOR &&
			fx_datum_has_tensor(arguments->data[i]))
			return false;
	return true;
}

/* SHAPE, an operand of TARGET, is all that there is. */
static struct fx_error *
only_a_shape(const struct fx_value *value, const char *target)
{
	FX_AUTO_DATUM struct fx_datum *shape = fx_datum_from_value(value);
	static const struct fx_datum_printer brief = { .format = "",
		.is_brief = true };
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_error *err = fx_datum_print(&text, shape, &brief);

	if (err)
		return err;
	return fx_error_hint(
		fx_error_new(FX_ERR_NO_VALUE,
			"%s takes numbers, and an operand has none: %s%s",
			target,
			shape->kind == FX_DATUM_TENSOR ? "it is a shape, " : "",
			fx_buf_text(&text)),
		"the meta backend made it; \"run\" and \"print\" make another "
		"now");
}

/* ARGUMENTS with their tensors in the backend: the user may have values that
 * another one made.
 */
static struct fx_error *
move_arguments(struct fx_backend *backend, const char *target,
	const struct fx_eval_arguments *arguments,
	struct fx_eval_arguments *ret)
{
	struct fx_error *err = NULL;

	ret->data = fx_xcalloc(arguments->count, sizeof(*ret->data));
	for (size_t i = 0; i < arguments->count && !err; i++) {
		struct fx_datum *datum = arguments->data[i];
		const struct fx_value *shape =
			fx_fallback_find_shape(backend, &datum->value);

		if (shape)
			err = only_a_shape(shape, target);
		else if (backend->ops->has_values)
			err = fx_fallback_move(backend, datum, &ret->data[i]);
		else
			ret->data[i] = fx_datum_ref(datum);
		ret->count += !err;
	}
	return err;
}

struct fx_error *
fx_eval_backend(struct fx_evaluator *evaluator, enum fx_opcode opcode,
	const char *target, const struct fx_eval_arguments *arguments,
	struct fx_datum **ret)
{
	struct fx_backend *backend = evaluator->resolver->backend;
	FX_AUTO_FREE struct fx_kind *kinds =
		fx_xcalloc(arguments->count, sizeof(*kinds));
	struct fx_call_site site = {
		.opcode = opcode,
		.target = target,
		.graph = evaluator->resolver->graph,
		.kinds = kinds,
		.count = arguments->count,
		.keywords = arguments->keywords,
		.keyword_count = arguments->keyword_count,
	};
	struct onlooker onlooker = { .evaluator = evaluator, .target = target };
	FX_AUTO(arguments) struct fx_eval_arguments moved = { 0 };
	FX_AUTO(arguments) struct fx_eval_arguments copies = { 0 };
	struct fx_error *err =
		move_arguments(backend, target, arguments, &moved);

	if (err)
		return err;
	for (size_t i = 0; i < moved.count; i++)
		kinds[i] = fx_kind_of(moved.data[i]);
	err = fx_eval_check_cost(evaluator, &site, &moved);
	if (err)
		return err;
	err = call_looking(&onlooker, &site, &moved, ret);
	if (!err || !onlooker.is_refused || !can_copy(opcode, &moved) ||
		!copy_arguments(&site, backend, &moved, &copies))
		return err;
	fx_error_free(err);
	onlooker.on_copies = true;
	return call_looking(&onlooker, &site, &copies, ret);
}

/* --- functions ---------------------------------------------------------- */

static struct fx_error *
no_function(const char *name)
{
	struct fx_nearest nearest;
	struct fx_error *err;

	fx_nearest_init(&nearest, name);
	for (int i = FX_OP_NONE + 1; i < FX_OP_COUNT; i++)
		fx_nearest_offer(&nearest, fx_op_info((enum fx_op)i)->spelling);
	for (size_t i = 0; fx_functional_at(i); i++)
		fx_nearest_offer(&nearest, fx_functional_at(i)->name);
	err = fx_error_new(FX_ERR_NO_NAME, "no function \"%s\" is known", name);
	return fx_nearest_note(&nearest, err);
}

static bool
is_known(const char *target)
{
	return fx_op_find(target) != FX_OP_NONE || fx_functional_find(target);
}

/* Return a tuple of ARGUMENTS as values: containers with their items, and
 * tensors as their metadata.
 */
static struct fx_value
argument_values(struct fx_evaluator *evaluator,
	const struct fx_eval_arguments *arguments)
{
	struct fx_value *values = FX_ARENA_ARRAY(evaluator->arena,
		struct fx_value, arguments->count);

	for (size_t i = 0; i < arguments->count; i++) {
		const struct fx_datum *datum = arguments->data[i];

		values[i] =
			datum->kind == FX_DATUM_VALUE
				? datum->value
				: fx_datum_to_value(evaluator->arena, datum);
	}
	return fx_value_sequence(evaluator->arena, FX_VALUE_TUPLE, values,
		arguments->count);
}

/* Set *RET to the datum of RESULT, which ir/fold computed for a call with
 * ARGUMENTS, or return ERR_TAKEN, with which ir/fold failed.  *RET is null if
 * ir/fold does not know the result, because it depends on values of tensors for
 * example.
 */
static struct fx_error *
take_folded(struct fx_error *err_taken, const struct fx_value *result,
	const struct fx_eval_arguments *arguments, struct fx_datum **ret)
{
	bool has_held = false;

	*ret = NULL;
	for (size_t i = 0; i < arguments->count; i++)
		has_held = has_held || arguments->data[i]->has_held;
	if (err_taken && fx_error_code(err_taken) != FX_ERR_UNSUPPORTED)
		return err_taken;
	if (!err_taken && !(has_held && fx_fold_has(result, FX_VALUE_UNKNOWN)))
		return fx_datum_of_value(result, ret);
	fx_error_free(err_taken);
	return NULL;
}

/* A function of plain values; null when fold has none. */
static struct fx_error *
call_folded(struct fx_evaluator *evaluator, const char *target,
	const struct fx_eval_arguments *arguments, struct fx_datum **ret)
{
	struct fx_value values = argument_values(evaluator, arguments);
	struct fx_value result;
	struct fx_error *err = fx_fold_call(evaluator->arena, target,
		values.items, arguments->count, &result);

	return take_folded(err, &result, arguments, ret);
}

/* A backend with values may have operators that no row tells of. */
static struct fx_error *
call_backend(struct fx_evaluator *evaluator, enum fx_opcode opcode,
	const char *target, const struct fx_eval_arguments *arguments,
	struct fx_datum **ret)
{
	bool is_method = opcode == FX_OPCODE_CALL_METHOD;
	const char *name =
		is_method ? fx_intern_format("Tensor.%s", target) : target;
	bool has_row =
		is_method ? fx_op_find(name) != FX_OP_NONE : is_known(target);
	struct fx_error *err;

	if (!has_row && !evaluator->resolver->backend->ops->has_values)
		return no_function(name);
	err = fx_eval_backend(evaluator, opcode, target, arguments, ret);
	if (!err || has_row || fx_error_code(err) != FX_ERR_UNSUPPORTED)
		return err;
	fx_error_free(err);
	return no_function(name);
}

/* TARGET, or what Python itself calls NAME (may be NULL) where that has an
 * answer.
 */
static struct fx_error *
call_target(struct fx_evaluator *evaluator, const char *name,
	const char *target, const struct fx_ast *call, struct fx_datum **ret)
{
	FX_AUTO(arguments) struct fx_eval_arguments arguments = { 0 };
	struct fx_error *err =
		read_arguments(evaluator, call, NULL, &arguments);

	*ret = NULL;
	if (!err && !arguments.keyword_count &&
		(!has_tensor(&arguments) || fx_fold_is_of_metadata(name)))
		err = call_folded(evaluator, name ? name : target, &arguments,
			ret);
	if (err || *ret)
		return err;
	if (!target)
		return fx_error_new(FX_ERR_TYPE,
			"%s() takes no such arguments here", name);
	return call_backend(evaluator, FX_OPCODE_CALL_FUNCTION, target,
		&arguments, ret);
}

/* A bare name in calling position: one of ours, Python's, torch's, F's. */
static struct fx_error *
call_name(struct fx_evaluator *evaluator, const struct fx_ast *call,
	struct fx_datum **ret)
{
	static const char *const spaces[] = { "builtins", "torch",
		"torch.nn.functional", "math" };
	const char *name = call->kids[0]->text;
	const struct fx_resolver *resolver = evaluator->resolver;
	const char *builtin = fx_fold_is_builtin(name) ? name : NULL;
	const char *target = NULL;
	struct fx_node *node;
	bool found;
	struct fx_error *err = fx_eval_function(evaluator, call, &found, ret);

	if (err || found)
		return err;
	for (size_t i = 0; i < FX_ARRAY_LEN(spaces) && !target; i++) {
		target = fx_intern_format("%s.%s", spaces[i], name);
		if (!is_known(target))
			target = NULL;
	}
	if (target || builtin)
		return call_target(evaluator, builtin, target, call, ret);
	node = resolver->graph ? fx_graph_find(resolver->graph, name) : NULL;
	if (!node)
		return no_function(name);
	err = fx_error_new(FX_ERR_TYPE, "%%%s is a node and cannot be called",
		name);
	if (node->opcode == FX_OPCODE_CALL_MODULE)
		return fx_error_hint(err, "self.%s(...)", node->target);
	return err;
}

/* --- methods and modules ------------------------------------------------ */

static struct fx_error *
call_method(struct fx_evaluator *evaluator, struct fx_datum *receiver,
	const struct fx_ast *call, struct fx_datum **ret)
{
	const char *name = call->kids[0]->text;
	FX_AUTO(arguments) struct fx_eval_arguments arguments = { 0 };
	bool is_of_python = receiver->kind == FX_DATUM_HANDLE ||
			    fx_value_is_users(&receiver->value);
	struct fx_error *err;
	struct fx_value values;
	struct fx_value result;

	*ret = NULL;
	err = read_arguments(evaluator, call, receiver, &arguments);
	if (!err && arguments.count == 1)
		err = fx_eval_plain_method(receiver, name, ret);
	if (err || *ret)
		return err;
	values = argument_values(evaluator, &arguments);
	if (!arguments.keyword_count && !is_of_python) {
		struct fx_value rest = fx_value_sequence(evaluator->arena,
			FX_VALUE_TUPLE, values.items + 1, values.count - 1);

		err = fx_fold_method(evaluator->arena, &values.items[0], name,
			&rest, &result);
		if (receiver->kind != FX_DATUM_TENSOR)
			return err ? err : fx_datum_of_value(&result, ret);
		err = take_folded(err, &result, &arguments, ret);
		if (err || *ret)
			return err;
	}
	return call_backend(evaluator, FX_OPCODE_CALL_METHOD, name, &arguments,
		ret);
}

static struct fx_error *
call_module(struct fx_evaluator *evaluator, const char *path,
	const struct fx_ast *call, struct fx_datum **ret)
{
	FX_AUTO(arguments) struct fx_eval_arguments arguments = { 0 };
	struct fx_error *err =
		read_arguments(evaluator, call, NULL, &arguments);

	if (err)
		return err;
	return fx_eval_backend(evaluator, FX_OPCODE_CALL_MODULE, path,
		&arguments, ret);
}

/* getattr(self, "0"): torch.fx prints paths with digits so. */
static struct fx_error *
call_getattr(struct fx_evaluator *evaluator, const struct fx_ast *call,
	struct fx_operand *ret)
{
	FX_AUTO_OPERAND struct fx_operand base = { 0 };
	FX_AUTO_DATUM struct fx_datum *name = NULL;
	struct fx_error *err;

	if (call->kid_count != 3)
		return fx_error_new(FX_ERR_TYPE, "getattr takes 2 arguments");
	err = fx_eval_operand(evaluator, call->kids[1], &base);
	if (!err)
		err = fx_eval_datum(evaluator, call->kids[2], &name);
	if (err)
		return err;
	if (!fx_datum_is(name, FX_VALUE_STRING))
		return fx_error_new(FX_ERR_TYPE,
			"getattr takes a name as text");
	return fx_operand_step(evaluator, &base, fx_intern(name->value.text),
		ret);
}

static struct fx_error *
call_operand(struct fx_evaluator *evaluator, const struct fx_operand *base,
	const struct fx_ast *call, struct fx_datum **ret)
{
	switch (base->kind) {
	case FX_OPERAND_FUNCTION:
		return call_target(evaluator, NULL, base->text, call, ret);
	case FX_OPERAND_PATH:
		return call_module(evaluator, base->text, call, ret);
	case FX_OPERAND_NODE:
		return fx_error_new(FX_ERR_TYPE,
			"%%%s is a node and cannot be called",
			base->node->name);
	case FX_OPERAND_DATUM:
		break;
	}
	return fx_error_new(FX_ERR_TYPE, "a %s cannot be called",
		fx_datum_kind_name(base->datum));
}

/* BASE.name(...): a function of a name space, a module, or a method. */
static struct fx_error *
call_attribute(struct fx_evaluator *evaluator, const struct fx_ast *call,
	struct fx_datum **ret)
{
	const struct fx_ast *function = call->kids[0];
	FX_AUTO_OPERAND struct fx_operand base = { 0 };
	FX_AUTO_OPERAND struct fx_operand callee = { 0 };
	FX_AUTO_DATUM struct fx_datum *receiver = NULL;
	struct fx_error *err =
		fx_eval_operand(evaluator, function->kids[0], &base);

	if (err)
		return err;
	if (base.kind == FX_OPERAND_FUNCTION || base.kind == FX_OPERAND_PATH) {
		err = fx_operand_step(evaluator, &base, function->text,
			&callee);
		return err ? err : call_operand(evaluator, &callee, call, ret);
	}
	err = fx_operand_force(evaluator, &base, &receiver);
	if (err)
		return err;
	return call_method(evaluator, receiver, call, ret);
}

struct fx_error *
fx_eval_call(struct fx_evaluator *evaluator, const struct fx_ast *tree,
	struct fx_operand *ret)
{
	const struct fx_ast *function = tree->kids[0];
	FX_AUTO_OPERAND struct fx_operand callee = { 0 };
	struct fx_datum *result;
	struct fx_error *err;

	if (function->kind == FX_AST_NAME &&
		fx_str_equal(function->text, "getattr"))
		return call_getattr(evaluator, tree, ret);
	if (function->kind == FX_AST_NAME) {
		err = call_name(evaluator, tree, &result);
	} else if (function->kind == FX_AST_ATTR) {
		err = call_attribute(evaluator, tree, &result);
	} else {
		err = fx_eval_operand(evaluator, function, &callee);
		if (!err)
			err = call_operand(evaluator, &callee, tree, &result);
	}
	if (err)
		return err;
	*ret = (struct fx_operand){
		.kind = FX_OPERAND_DATUM,
		.datum = result,
	};
	return NULL;
}

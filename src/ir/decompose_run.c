/* decompose_run.c - statements of layers.py and functionals.py. */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "ir/decompose_private.h"
#include "ir/fold.h"
#include "lang/ast.h"

void
fx_location_set(struct fx_location *frame, const char *name,
	const struct fx_object *object)
{
	struct fx_variable variable = { name, *object };

	for (size_t i = 0; i < frame->variables.count; i++)
		if (frame->variables.items[i].name == name) {
			frame->variables.items[i].object = *object;
			return;
		}
	fx_vec_push(&frame->variables, variable);
}

static struct fx_error *
unpack(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *targets, const struct fx_object *object)
{
	const struct fx_value *items;
	size_t count;
	struct fx_error *err;

	if (object->kind != FX_OBJECT_VALUE)
		return fx_error_new(FX_ERR_UNSUPPORTED, "a module is unpacked");
	err = fx_partial_iterate(partial, &object->value, &items, &count);
	if (err)
		return err;
	if (count != targets->kid_count)
		return fx_error_new(FX_ERR_VALUE,
			"%zu values are unpacked to %u names", count,
			targets->kid_count);
	for (size_t i = 0; !err && i < count; i++) {
		struct fx_object item = fx_object_value(items[i]);

		err = fx_partial_bind(partial, frame, targets->kids[i], &item);
	}
	return err;
}

struct fx_error *
fx_partial_bind(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *target, const struct fx_object *object)
{
	struct fx_object owner;
	struct fx_error *err;

	if (target->kind == FX_AST_NAME) {
		fx_location_set(frame, target->text, object);
		return NULL;
	}
	if (target->kind == FX_AST_TUPLE || target->kind == FX_AST_LIST)
		return unpack(partial, frame, target, object);
	if (target->kind != FX_AST_ATTR)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"only names and attributes are assigned to");
	err = fx_partial_eval(partial, frame, target->kids[0], &owner);
	if (err)
		return err;
	if (owner.kind != FX_OBJECT_MODULE)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"only attributes of modules are assigned to");
	return fx_partial_assign(partial, &owner, target->text, object);
}

static struct fx_error *
run_assign(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *statement)
{
	uint32_t last = statement->kid_count - 1;
	struct fx_object object;
	struct fx_error *err =
		fx_partial_eval(partial, frame, statement->kids[last], &object);

	for (uint32_t i = 0; !err && i < last; i++)
		err = fx_partial_bind(partial, frame, statement->kids[i],
			&object);
	return err;
}

struct fx_error *
fx_partial_iterate(struct fx_partial *partial, const struct fx_value *value,
	const struct fx_value **items_ret, size_t *count_ret)
{
	struct fx_value meta;
	struct fx_value *items;

	if (value->kind != FX_VALUE_NODE)
		return fx_fold_iterate(partial->arena, value, items_ret,
			count_ret);
	meta = fx_partial_meta(partial, value);
	if (!fx_value_is_sequence(&meta))
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"the length of what is iterated over is not known");
	items = FX_ARENA_ARRAY(partial->arena, struct fx_value, meta.count);
	for (uint32_t i = 0; i < meta.count; i++) {
		struct fx_value pair[2] = { *value, fx_value_int(i) };
		struct fx_object item;
		struct fx_error *err = fx_partial_emit_function(partial,
			"operator.getitem", pair, 2, &item);

		if (err)
			return err;
		items[i] = item.value;
	}
	*items_ret = items;
	*count_ret = meta.count;
	return NULL;
}

/* x += 1 is x = x + 1 here: nothing aliases. */
static struct fx_error *
run_augmented(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *statement)
{
	struct fx_ast binary = *statement;
	struct fx_object object;
	struct fx_error *err;

	binary.kind = FX_AST_BINARY;
	err = fx_partial_eval(partial, frame, &binary, &object);
	return err ? err
		   : fx_partial_bind(partial, frame, statement->kids[0],
			     &object);
}

static struct fx_error *
run_if(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *statement)
{
	const struct fx_ast *block;
	struct fx_object test;
	bool truth;
	struct fx_error *err =
		fx_partial_eval(partial, frame, statement->kids[0], &test);

	if (!err)
		err = fx_partial_truth(partial, &test, &truth);
	if (err)
		return err;
	block = statement->kids[truth ? 1 : 2];
	return block ? fx_partial_run(partial, frame, block) : NULL;
}

/* for child in self.children(): the modules in order. */
static struct fx_error *
run_for_children(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *statement, const struct fx_object *children)
{
	const struct fx_module *module = children->module;
	struct fx_error *err = NULL;

	for (size_t i = 0; !err && i < module->member_count; i++) {
		struct fx_object child;

		if (module->members[i].kind != FX_MEMBER_CHILD ||
			!module->members[i].child)
			continue;
		err = fx_partial_attribute(partial, children,
			module->members[i].name, &child);
		if (!err)
			err = fx_partial_bind(partial, frame,
				statement->kids[0], &child);
		if (!err)
			err = fx_partial_run(partial, frame,
				statement->kids[2]);
		if (frame->has_returned)
			break;
	}
	return err;
}

static struct fx_error *
run_for(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *statement)
{
	struct fx_object iterable;
	struct fx_value value;
	const struct fx_value *items;
	size_t count;
	struct fx_error *err =
		fx_partial_eval(partial, frame, statement->kids[1], &iterable);

	if (err)
		return err;
	if (iterable.kind == FX_OBJECT_CHILDREN)
		return run_for_children(partial, frame, statement, &iterable);
	err = fx_partial_value(&iterable, &value);
	if (!err)
		err = fx_partial_iterate(partial, &value, &items, &count);
	for (size_t i = 0; !err && i < count && !frame->has_returned; i++) {
		struct fx_object item = fx_object_value(items[i]);

		err = fx_partial_bind(partial, frame, statement->kids[0],
			&item);
		if (!err)
			err = fx_partial_run(partial, frame,
				statement->kids[2]);
	}
	return err;
}

/* The plain text of a message, or a fallback. */
static const char *
message_of(const struct fx_ast *expr)
{
	if (expr && expr->kind == FX_AST_STRING)
		return expr->string;
	if (expr && expr->kind == FX_AST_CALL && expr->kid_count > 1 &&
		expr->kids[1]->kind == FX_AST_STRING)
		return expr->kids[1]->string;
	return "a condition of the layer does not hold";
}

/* What cannot be decided yet is left to the run. */
static struct fx_error *
run_assert(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *statement)
{
	struct fx_object test;
	bool truth;
	struct fx_error *err =
		fx_partial_eval(partial, frame, statement->kids[0], &test);

	if (err)
		return err;
	err = fx_partial_truth(partial, &test, &truth);
	if (err) {
		fx_error_free(err);
		return NULL;
	}
	if (truth)
		return NULL;
	return fx_error_new(FX_ERR_VALUE, "%s", message_of(statement->kids[1]));
}

static struct fx_error *
run_return(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *statement)
{
	struct fx_error *err = NULL;

	frame->result = fx_object_value(fx_value_none());
	if (statement->kid_count && statement->kids[0])
		err = fx_partial_eval(partial, frame, statement->kids[0],
			&frame->result);
	frame->has_returned = true;
	return err;
}

static struct fx_error *
run_one(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *statement)
{
	struct fx_object ignored;

	if (++partial->steps > FX_PARTIAL_STEPS)
		return fx_error_new(FX_ERR_LIMIT,
			"a layer takes more than %d steps", FX_PARTIAL_STEPS);
	switch (statement->kind) {
	case FX_AST_ASSIGN:
		return run_assign(partial, frame, statement);
	case FX_AST_AUGMENTED:
		return run_augmented(partial, frame, statement);
	case FX_AST_RETURN:
		return run_return(partial, frame, statement);
	case FX_AST_IF:
		return run_if(partial, frame, statement);
	case FX_AST_FOR:
		return run_for(partial, frame, statement);
	case FX_AST_ASSERT:
		return run_assert(partial, frame, statement);
	case FX_AST_RAISE:
		return fx_error_new(FX_ERR_VALUE, "%s",
			message_of(statement->kid_count ? statement->kids[0]
							: NULL));
	case FX_AST_EXPRESSION:
		/* A bare string is documentation. */
		if (statement->kids[0]->kind == FX_AST_STRING)
			return NULL;
		return fx_partial_eval(partial, frame, statement->kids[0],
			&ignored);
	case FX_AST_PASS:
		return NULL;
	default:
		return fx_error_at(fx_error_new(FX_ERR_UNSUPPORTED,
					   "this statement is not evaluated"),
			frame->text, statement->span);
	}
}

struct fx_error *
fx_partial_run(struct fx_partial *partial, struct fx_location *frame,
	const struct fx_ast *block)
{
	struct fx_error *err = NULL;

	for (uint32_t i = 0;
		!err && i < block->kid_count && !frame->has_returned; i++)
		err = run_one(partial, frame, block->kids[i]);
	return err;
}

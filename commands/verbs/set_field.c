/* set_field.c - set %n.args[1] = 2: one field of a node. */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "commands/verbs/edit.h"
#include "commands/verbs/set.h"
#include "ir/edit.h"
#include "lang/ast.h"
#include "lang/parse.h"
#include "ops/optab.h"
#include "session/resolve.h"
#include "session/session.h"

/* Deepest place in an argument tree. */
#define STEP_LIMIT 50

/* One step into arguments: [2], .dim, ["dim"]. */
struct step {
	const char *key; /* interned, or NULL */
	int64_t index;
};

struct field {
	struct fx_node *node;
	const char *field; /* args kwargs target name type op; interned */
	struct step steps[STEP_LIMIT];
	size_t step_count;
	const char *place; /* as typed: %add.args[1] */
	const char *text;  /* what it becomes */
};

/* The left-hand side: a designator, a field of it, steps. */

static FX_NODISCARD struct fx_error *
bad_place(const char *text)
{
	return fx_error_hint(fx_error_new(FX_ERR_SYNTAX,
				     "set: \"%s\" names no field of a node",
				     text),
		"set %%add.args[1] = 2, .kwargs.dim, .target, .name, .type, "
		".op");
}

static FX_NODISCARD struct fx_error *
read_index(const char *text, const struct fx_ast *index, struct step *ret)
{
	const struct fx_ast *number = index;
	bool negative = false;

	if (index->kind == FX_AST_UNARY && index->op == FX_AST_NEG) {
		number = index->kids[0];
		negative = true;
	}
	if (index->kind == FX_AST_STRING) {
		ret->key = fx_intern_n(index->string, index->length);
		return NULL;
	}
	if (number->kind != FX_AST_INT || number->text)
		return bad_place(text);
	ret->index = negative ? -number->integer : number->integer;
	return NULL;
}

/* Walk down to the designator; steps come out outermost last. */
static FX_NODISCARD struct fx_error *
read_place(struct cmd_ctx *ctx, const char *text, const struct fx_ast *tree,
	struct field *ret)
{
	struct fx_error *err = NULL;
	struct step steps[STEP_LIMIT];
	FX_AUTO_FREE char *name = NULL;
	size_t count = 0;

	while (!err &&
		(tree->kind == FX_AST_ATTR || tree->kind == FX_AST_SUBSCRIPT)) {
		if (count == STEP_LIMIT)
			return bad_place(text);
		steps[count] = (struct step){ .key = tree->text };
		if (tree->kind == FX_AST_SUBSCRIPT)
			err = read_index(text, tree->kids[1], &steps[count]);
		count++;
		tree = tree->kids[0];
	}
	if (err)
		return err;
	if (!count || !steps[count - 1].key)
		return bad_place(text);
	name = fx_xstrndup(text + tree->span.begin,
		tree->span.end - tree->span.begin);
	err = fx_resolve_node(ctx->session, ctx->model, name, &ret->node);
	if (err)
		return err;
	ret->field = steps[--count].key;
	while (count)
		ret->steps[ret->step_count++] = steps[--count];
	return NULL;
}

/* Setting arguments: VALUE with what stands at the steps replaced. */

static FX_NODISCARD struct fx_error *
no_item(const struct field *field, const struct step *step)
{
	if (step->key)
		return fx_error_new(FX_ERR_RANGE, "%%%s has no %s \"%s\" there",
			field->node->name, field->field, step->key);
	return fx_error_new(FX_ERR_RANGE, "%%%s has no %s[%lld] there",
		field->node->name, field->field, (long long)step->index);
}

static FX_NODISCARD struct fx_error *put(const struct field *field, size_t at,
	const struct fx_value *value, const struct fx_value *new,
	struct fx_value *ret);

static FX_NODISCARD struct fx_error *
put_item(const struct field *field, size_t at, const struct fx_value *value,
	const struct fx_value *new, struct fx_value *ret)
{
	struct fx_arena *arena = field->node->graph->values;
	const struct step *step = &field->steps[at];
	FX_AUTO_FREE struct fx_value *items = NULL;
	int64_t index = step->index;
	struct fx_error *err;

	if (index < 0)
		index += value->count;
	if (!fx_value_is_sequence(value) || step->key || index < 0 ||
		index >= (int64_t)value->count)
		return no_item(field, step);
	items = fx_xcalloc(value->count, sizeof(*items));
	memcpy(items, value->items, value->count * sizeof(*items));
	err = put(field, at + 1, &value->items[index], new, &items[index]);
	if (err)
		return err;
	*ret = fx_value_sequence(arena, value->kind, items, value->count);
	return NULL;
}

/* A key that is not there yet is added. */
static FX_NODISCARD struct fx_error *
put_key(const struct field *field, size_t at, const struct fx_value *value,
	const struct fx_value *new, struct fx_value *ret)
{
	struct fx_arena *arena = field->node->graph->values;
	const struct step *step = &field->steps[at];
	struct fx_value none = fx_value_none();
	FX_AUTO_FREE struct fx_value *items = NULL;
	uint32_t count = value->count;
	struct fx_error *err;
	uint32_t i;

	if (!step->key)
		return no_item(field, step);
	items = fx_xcalloc(2 * (size_t)count + 2, sizeof(*items));
	if (count)
		memcpy(items, value->items, 2 * count * sizeof(*items));
	for (i = 0; i < count; i++)
		if (fx_value_is_string(&items[2 * i], step->key))
			break;
	if (i == count) {
		items[2 * i] = fx_value_string(step->key);
		items[2 * i + 1] = none;
		count++;
	}
	err = put(field, at + 1, &items[2 * i + 1], new, &items[2 * i + 1]);
	if (err)
		return err;
	*ret = fx_value_dict(arena, items, count);
	return NULL;
}

static struct fx_error *
put(const struct field *field, size_t at, const struct fx_value *value,
	const struct fx_value *new, struct fx_value *ret)
{
	if (at == field->step_count) {
		*ret = *new;
		return NULL;
	}
	if (value->kind == FX_VALUE_DICT)
		return put_key(field, at, value, new, ret);
	return put_item(field, at, value, new, ret);
}

static FX_NODISCARD struct fx_error *
set_arguments(struct cmd_ctx *ctx, const struct field *field, bool keywords)
{
	struct fx_node *node = field->node;
	struct fx_value *old = keywords ? &node->kwargs : &node->args;
	struct fx_value new;
	struct fx_value whole;
	struct fx_error *err;

	err = cmd_edit_value(ctx, field->text, &new);
	if (!err)
		err = put(field, 0, old, &new, &whole);
	if (err)
		return err;
	if (whole.kind != (keywords ? FX_VALUE_DICT : FX_VALUE_TUPLE))
		return fx_error_new(FX_ERR_TYPE,
			"%s of a node is a %s, not a %s", field->field,
			keywords ? "dict" : "tuple",
			fx_value_kind_name(whole.kind));
	return fx_edit_set_args(node, keywords ? node->args : whole,
		keywords ? whole : node->kwargs);
}

/* Other fields. */

/* F.relu and nn.functional.relu in full; what the table knows by another name
 * by its own.
 */
static const char *
full_target(const char *text)
{
	enum fx_op op = fx_op_find(text);

	if (op != FX_OP_NONE)
		return fx_op_info(op)->spelling;
	if (fx_str_starts(text, "F."))
		return fx_intern_format("torch.nn.functional.%s", text + 2);
	if (fx_str_starts(text, "nn."))
		return fx_intern_format("torch.%s", text);
	return text;
}

static FX_NODISCARD struct fx_error *
set_target(const struct field *field)
{
	FX_AUTO_FREE char *text = fx_xstrdup(field->text);
	size_t length = strlen(text);

	/* A quoted target is meant literally. */
	if (length > 1 && strchr("\"'", *text) && text[length - 1] == *text) {
		text[length - 1] = '\0';
		return fx_edit_set_target(field->node, text + 1);
	}
	if (field->node->opcode == FX_OPCODE_CALL_FUNCTION)
		return fx_edit_set_target(field->node, full_target(text));
	if (fx_str_starts(text, "self."))
		return fx_edit_set_target(field->node, text + 5);
	return fx_edit_set_target(field->node, text);
}

static FX_NODISCARD struct fx_error *
set_opcode(const struct field *field)
{
	enum fx_opcode opcode = fx_opcode_find(field->text);

	if (opcode == FX_OPCODE_COUNT)
		return fx_error_note(fx_error_new(FX_ERR_NO_OPCODE,
					     "no opcode \"%s\"", field->text),
			"one of: placeholder get_attr call_function "
			"call_method call_module output");
	if (opcode == FX_OPCODE_CALL_FUNCTION &&
		opcode != field->node->opcode &&
		!strchr(field->node->target, '.'))
		return fx_error_hint(
			fx_error_new(FX_ERR_VALUE,
				"%%%s cannot become a call_function: its "
				"target \"%s\" is no function",
				field->node->name, field->node->target),
			"replace %s = torch.FUNCTION(...) puts one there",
			field->node->name);
	return fx_edit_set_opcode(field->node, opcode, field->node->target);
}

static FX_NODISCARD struct fx_error *
set_plain_field(const struct field *field)
{
	bool none = !strcmp(field->text, "None");

	if (!strcmp(field->field, "target"))
		return set_target(field);
	if (!strcmp(field->field, "name"))
		return fx_edit_set_name(field->node, field->text);
	if (!strcmp(field->field, "type"))
		return fx_edit_set_type(field->node, none ? NULL : field->text);
	if (!strcmp(field->field, "op"))
		return set_opcode(field);
	return fx_error_note(fx_error_new(FX_ERR_NO_NAME,
				     "a node has no field \"%s\" that can be "
				     "set",
				     field->field),
		"one of: args kwargs target name type op");
}

static struct fx_error *
field_edit(struct cmd_ctx *ctx, void *data, struct fx_buf *script)
{
	struct field *field = data;
	bool args = !strcmp(field->field, "args");
	bool keywords = !strcmp(field->field, "kwargs");
	FX_AUTO_FREE char *text = NULL;
	FX_AUTO_FREE char *place = NULL;
	FX_AUTO_FREE char *words = NULL;
	struct fx_error *err;

	(void)script;
	err = cmd_canonical_expression(ctx, field->place, "%", &place);
	if (err)
		return err;
	if (args || keywords) {
		err = cmd_canonical_expression(ctx, field->text, "%", &text);
		if (err)
			return err;
	}
	words = fx_xasprintf("%s = %s", place, text ? text : field->text);
	cmd_canonical_set(ctx, "what", words);
	if (args || keywords)
		return set_arguments(ctx, field, keywords);
	if (field->step_count)
		return bad_place(field->place);
	return set_plain_field(field);
}

/* The place before `=` and what comes after it. */
struct fx_error *
cmd_set_split(const char *text, char **place_ret, const char **rest_ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_parse_range range = { text, strlen(text), 0, strlen(text) };
	struct fx_ast *tree;
	struct fx_error *err;
	size_t end;
	size_t at;

	err = fx_parse_expression_in(arena, &range, FX_PARSE_DESIGNATORS, &tree,
		&end);
	if (err)
		return err;
	at = end + strspn(text + end, " \t");
	if (text[at] != '=')
		return fx_error_at(fx_error_new(FX_ERR_SYNTAX,
					   "set: expected ="),
			text, (struct fx_span){ at, at });
	*place_ret = fx_xstrndup(text, end);
	*rest_ret = text + at + 1 + strspn(text + at + 1, " \t");
	if (!**rest_ret)
		return fx_error_new(FX_ERR_SYNTAX,
			"set: expected a value after =");
	return NULL;
}

struct fx_error *
cmd_set_check(struct cmd_ctx *ctx)
{
	struct fx_model *model;

	if (!ctx->model)
		return fx_session_need_model(ctx->session, &model);
	return fx_session_need_writable(ctx->session);
}

struct fx_error *
cmd_set_field(struct cmd_ctx *ctx, const char *text)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_FREE char *place = NULL;
	struct field field = { 0 };
	struct fx_ast *tree;
	struct fx_error *err = cmd_set_check(ctx);
	bool is_function;

	if (!err)
		err = cmd_set_split(text, &place, &field.text);
	if (err)
		return err;
	err = fx_parse_expression(arena, place, strlen(place),
		FX_PARSE_DESIGNATORS, &tree);
	if (!err)
		err = read_place(ctx, place, tree, &field);
	if (err)
		return err;
	field.place = place;
	is_function = field.node->opcode == FX_OPCODE_CALL_FUNCTION;
	err = cmd_edit(ctx, "edit", field_edit, &field);
	if (!err && is_function && !strcmp(field.field, "target") &&
		!strchr("\"'", *field.text))
		cmd_note_function(ctx, full_target(field.text));
	return err;
}

/* Set module PATH = nn.X(...): one submodule. */

/* set module PATH = nn.X(...). */

struct module_edit {
	const char *path;
	const char *text;
	struct fx_fragment fragment;
};

static struct fx_error *
module_edit(struct cmd_ctx *ctx, void *data, struct fx_buf *script)
{
	struct module_edit *edit = data;
	struct fx_graft graft = { &edit->fragment, cmd_edit_fill, ctx };
	FX_AUTO_FREE char *words =
		fx_xasprintf("module %s = %s", edit->path, edit->text);
	FX_AUTO_FREE char *seed = cmd_edit_seed(ctx, &edit->fragment);

	(void)script;
	cmd_canonical_set(ctx, "what", words);
	cmd_canonical_set(ctx, "seed", seed);
	return fx_graft_module(&graft, edit->path);
}

/* PATH = ..., which need not be an expression: a name may begin with a digit.
 */
bool
cmd_set_split_path(const char *text, char **path_ret, const char **rest_ret)
{
	size_t length = strcspn(text, " \t=");
	const char *sign = text + length + strspn(text + length, " \t");

	if (!length || *sign != '=')
		return false;
	*rest_ret = sign + 1 + strspn(sign + 1, " \t");
	if (!**rest_ret)
		return false;
	*path_ret = fx_xstrndup(text, length);
	return true;
}

struct fx_error *
cmd_set_module(struct cmd_ctx *ctx, const char *text)
{
	FX_AUTO_FREE char *path = NULL;
	struct module_edit edit = { 0 };
	struct fx_error *err = cmd_set_check(ctx);

	if (!err && !cmd_set_split_path(text, &path, &edit.text))
		err = cmd_set_split(text, &path, &edit.text);
	if (err)
		return err;
	edit.path = fx_str_starts(path, "self.") ? path + 5 : path;
	err = fx_resolve_layer(ctx->session, ctx->model, edit.text,
		&edit.fragment);
	if (!err)
		err = cmd_edit(ctx, "edit", module_edit, &edit);
	fx_fragment_deinit(&edit.fragment);
	return err;
}

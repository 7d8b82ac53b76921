/* cmd_set.c - the command set: a node's field, a submodule, a user variable, a
 * setting.
 */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "commands/cmd_edit.h"
#include "commands/cmd_shell.h"
#include "commands/cmd_show.h"
#include "commands/groups.h"
#include "commands/out.h"
#include "ir/clone.h"
#include "ir/edit.h"
#include "ir/graph.h"
#include "ir/journal.h"
#include "ir/module.h"
#include "ir/value_text.h"
#include "lang/ast.h"
#include "lang/parse.h"
#include "ops/optab.h"
#include "run/datum.h"
#include "session/model.h"
#include "session/resolve.h"
#include "session/session.h"
#include "session/settings.h"

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
		return fx_error_note(fx_error_new(FX_ERR_VALUE,
					     "no opcode \"%s\"", field->text),
			"one of: placeholder get_attr call_function "
			"call_method call_module output");
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
	struct fx_error *err;

	err = cmd_edit_canonical(ctx, field->place, "%", &place);
	if (err)
		return err;
	if (args || keywords) {
		err = cmd_edit_canonical(ctx, field->text, "%", &text);
		if (err)
			return err;
	}
	fx_buf_addf(script, "set %s = %s", place, text ? text : field->text);
	if (args || keywords)
		return set_arguments(ctx, field, keywords);
	if (field->step_count)
		return bad_place(field->place);
	return set_plain_field(field);
}

/* The place before `=` and what comes after it. */
static FX_NODISCARD struct fx_error *
split_equals(const char *text, char **place_ret, const char **rest_ret)
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

static FX_NODISCARD struct fx_error *
need_writable_graph(struct cmd_ctx *ctx)
{
	struct fx_model *model;

	if (!ctx->model)
		return fx_session_need_model(ctx->session, &model);
	if (fx_session_is_read_only(ctx->session))
		return fx_error_new(FX_ERR_READ_ONLY,
			"read-only session (--readonly)");
	return NULL;
}

static FX_NODISCARD struct fx_error *
set_field(struct cmd_ctx *ctx, const char *text)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_FREE char *place = NULL;
	struct field field = { 0 };
	struct fx_ast *tree;
	struct fx_error *err = need_writable_graph(ctx);

	if (!err)
		err = split_equals(text, &place, &field.text);
	if (err)
		return err;
	err = fx_parse_expression(arena, place, strlen(place),
		FX_PARSE_DESIGNATORS, &tree);
	if (!err)
		err = read_place(ctx, place, tree, &field);
	if (err)
		return err;
	field.place = place;
	return cmd_edit(ctx, "edit", field_edit, &field);
}

/* set module PATH = nn.X(...). */

struct module_edit {
	const char *path;
	const char *text;
	struct cmd_statement statement;
};

static struct fx_error *
module_edit(struct cmd_ctx *ctx, void *data, struct fx_buf *script)
{
	struct module_edit *edit = data;
	struct fx_graph *graph = fx_model_graph(ctx->model);
	struct fx_module *module = fx_module_find(edit->statement.graph->module,
		edit->statement.module_name);

	if (!module)
		return fx_error_new(FX_ERR_NO_MODULE, "\"%s\" is no module",
			edit->text);
	fx_buf_addf(script, "set module %s = %s", edit->path, edit->text);
	return fx_edit_set_module(graph, edit->path,
		fx_module_clone(graph, module));
}

static FX_NODISCARD struct fx_error *
no_module_made(const char *text)
{
	return fx_error_hint(fx_error_new(FX_ERR_TYPE,
				     "\"%s\" creates no module", text),
		"set module layer1.0.relu = nn.GELU()");
}

/* The statement reader makes modules of calls, so the module is called on
 * nothing.
 */
static FX_NODISCARD struct fx_error *
set_module(struct cmd_ctx *ctx, const char *text)
{
	FX_AUTO_FREE char *path = NULL;
	FX_AUTO_FREE char *call = NULL;
	struct module_edit edit = { 0 };
	struct fx_error *err = need_writable_graph(ctx);

	if (!err)
		err = split_equals(text, &path, &edit.text);
	if (err)
		return err;
	edit.path = fx_str_starts(path, "self.") ? path + 5 : path;
	if (!fx_str_starts(edit.text, "nn.") &&
		!fx_str_starts(edit.text, "torch.nn."))
		return no_module_made(edit.text);
	call = fx_xasprintf("%s(None)", edit.text);
	err = cmd_statement_read(ctx, "module", call, &edit.statement);
	if (!err && !edit.statement.module_name)
		err = no_module_made(edit.text);
	if (!err)
		err = cmd_edit(ctx, "edit", module_edit, &edit);
	cmd_statement_deinit(&edit.statement);
	return err;
}

/* Variables and settings. */

static FX_NODISCARD struct fx_error *
set_variable(struct cmd_ctx *ctx, const char *text)
{
	size_t length = strcspn(text + 1, " \t=") + 1;
	size_t at = length + strspn(text + length, " \t");
	FX_AUTO_FREE char *name = fx_xstrndup(text + 1, length - 1);
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	struct fx_error *err;

	if (!fx_str_is_identifier(name))
		return fx_error_new(FX_ERR_BAD_NAME,
			"\"$%s\" is no name of a variable", name);
	if (text[at] != '=')
		return fx_error_new(FX_ERR_SYNTAX, "set: expected = after $%s",
			name);
	err = cmd_evaluate(ctx, text + at + 1, &datum);
	if (err)
		return err;
	fx_session_set_variable(ctx->session, name, datum);
	return NULL;
}

static FX_NODISCARD struct fx_error *
unknown_setting(const char *text, bool ambiguous)
{
	struct fx_nearest nearest;
	FX_AUTO_BUF struct fx_buf names = { 0 };
	size_t i;

	fx_nearest_init(&nearest, text);
	for (i = 0; i < fx_settings_count(); i++) {
		const char *name = fx_settings_info(i)->name;

		if (!ambiguous)
			fx_nearest_offer(&nearest, name);
		else if (fx_str_starts(name, text))
			fx_buf_addf(&names, "%s%s", names.length ? ", " : "",
				name);
	}
	if (ambiguous)
		return fx_error_new(FX_ERR_AMBIGUOUS,
			"setting \"%s\" is ambiguous: %s", text,
			fx_buf_text(&names));
	fx_nearest_print(&nearest, &names);
	return fx_error_hint(fx_error_new(FX_ERR_SETTING,
				     "no setting \"%s\"%s%s", text,
				     names.length ? "; nearest: " : "",
				     fx_buf_text(&names)),
		"show lists them");
}

struct fx_error *
cmd_find_setting(const char *text, int *index_ret, const char **rest_ret)
{
	*index_ret = fx_settings_match(text, rest_ret);
	if (*index_ret >= 0)
		return NULL;
	return unknown_setting(text, *index_ret == -2);
}

static FX_NODISCARD struct fx_error *
set_setting(struct cmd_ctx *ctx, const char *text)
{
	const char *rest;
	struct fx_error *err;
	FX_AUTO_FREE char *value = NULL;
	size_t length;
	int index;

	err = cmd_find_setting(text, &index, &rest);
	if (err)
		return err;
	rest += strspn(rest, " \t");
	if (*rest == '=')
		rest += 1 + strspn(rest + 1, " \t");
	length = strlen(rest);
	if (length > 1 && strchr("\"'", *rest) && rest[length - 1] == *rest) {
		rest++;
		length -= 2;
	}
	value = fx_xstrndup(rest, length);
	if (!length && fx_settings_info((size_t)index)->type == FX_SETTING_BOOL)
		return fx_settings_set(fx_session_settings(ctx->session), index,
			"on");
	return fx_settings_set(fx_session_settings(ctx->session), index, value);
}

/* Whether TEXT begins with WORD; *REST_RET is behind it. */
static bool
takes_word(const char *text, const char *word, const char **rest_ret)
{
	size_t length = strlen(word);

	if (strncmp(text, word, length) != 0 ||
		(text[length] != ' ' && text[length] != '\t'))
		return false;
	*rest_ret = text + length + strspn(text + length, " \t");
	return true;
}

struct fx_error *
cmd_set_exec(struct cmd_ctx *ctx)
{
	const char *text = cmd_arg_text(ctx, "what");
	const char *rest;

	if (!text)
		return cmd_say_settings(ctx);
	if (takes_word(text, "value", &rest))
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"set value: this version computes shapes, not values");
	if (takes_word(text, "module", &rest))
		return set_module(ctx, rest);
	if (*text == '$')
		return set_variable(ctx, text);
	if (strchr("%@.", *text))
		return set_field(ctx, text);
	return set_setting(ctx, text);
}

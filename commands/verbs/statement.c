/* statement.c - one right-hand side of Python to nodes of the graph.
 *
 * What torch.fx prints for a node is read by the loader, which knows all of
 * its spellings: the text becomes the body of a small function whose
 * parameters are the nodes it mentions.  The nodes of the graph that comes out
 * are then created, one by one, in the graph that is edited.
 */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "commands/verbs/edit.h"
#include "ir/module.h"
#include "lang/ast.h"
#include "lang/parse.h"
#include "load/open.h"
#include "ops/layertab.h"
#include "ops/optab.h"
#include "session/model.h"
#include "session/resolve.h"
#include "session/session.h"

#define HEIGHT_LIMIT 1000
#define RESULT       "fxdb_result_"

void
cmd_statement_deinit(struct cmd_statement *statement)
{
	fx_graph_free(statement->graph);
	free(statement->text);
	free(statement->module_name);
	free(statement->module_text);
	free(statement->call_text);
}

struct reading {
	struct cmd_ctx *ctx;
	const char *unknown; /* the first name that is no node, or NULL */
	bool is_called;      /* that name */
	struct fx_span unknown_span;
	struct fx_graph *graph;
	const char *text;
	FX_VEC(const char *) names;     /* nodes mentioned, each once */
	const struct fx_ast *construct; /* nn.X(...) that is called, or NULL */
	const char *argument;           /* of the statement */
};

static void
mention(struct reading *reading, const char *name)
{
	size_t i;

	for (i = 0; i < reading->names.count; i++)
		if (reading->names.items[i] == name)
			return;
	fx_vec_push(&reading->names, name);
}

/* Names that stand for modules and values of Python, not for nodes. */
static bool
is_global(const char *name)
{
	static const char *const names[] = { "torch", "operator", "math", "F",
		"nn", "self", "inf", "nan", "device", "None", "True", "False" };
	size_t i;

	for (i = 0; i < FX_ARRAY_LEN(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return fx_str_is_builtin(name);
}

/* Whether TREE is nn.Dropout or torch.nn.Dropout. */
static bool
is_layer_class(const struct reading *reading, const struct fx_ast *tree)
{
	const char *text = reading->text + tree->span.begin;

	return tree->kind == FX_AST_ATTR && tree->text[0] >= 'A' &&
	       tree->text[0] <= 'Z' &&
	       (fx_str_starts(text, "nn.") || fx_str_starts(text, "torch.nn."));
}

/* Append a call of BEFORE and NAME after what OUT names already. */
static void
offer(const struct reading *reading, struct fx_buf *out, const char *before,
	const char *name)
{
	fx_buf_addf(out, "%s%s%s(%s)", out->length ? " or " : "", before, name,
		reading->argument);
}

/* The full names under which NAME is known; nothing is made up. */
static void
add_full(const struct reading *reading, const char *name, struct fx_buf *ret)
{
	static const char *const homes[] = { "torch.", "torch.nn.functional.",
		"operator.", "math." };

	for (size_t i = 0; i < FX_ARRAY_LEN(homes); i++) {
		FX_AUTO_FREE char *full = fx_xasprintf("%s%s", homes[i], name);

		if (fx_op_find(full) != FX_OP_NONE)
			offer(reading, ret, homes[i], name);
	}
	if (fx_module_find(reading->graph->module, name))
		offer(reading, ret, "self.", name);
	if (fx_layer_find(name))
		fx_buf_addf(ret, "%snn.%s(...)(%s)", ret->length ? " or " : "",
			name, reading->argument);
}

static FX_NODISCARD struct fx_error *
hint_full(const struct reading *reading, struct fx_error *err, const char *name)
{
	FX_AUTO_BUF struct fx_buf names = { 0 };

	add_full(reading, name, &names);
	if (!names.length)
		return fx_error_hint(err,
			"none in torch, torch.nn.functional, operator or math "
			"is known by this name, and no module of the model");
	return fx_error_hint(err, "write it in full: %s", fx_buf_text(&names));
}

static FX_NODISCARD struct fx_error *
refuse_call(const struct reading *reading, const struct fx_ast *function)
{
	struct fx_node *node = fx_graph_find(reading->graph, function->text);
	struct fx_error *err =
		fx_error_at(fx_error_new(FX_ERR_TYPE,
				    "%%%s is a node and cannot be called",
				    node->name),
			reading->text, function->span);

	if (node->opcode != FX_OPCODE_CALL_MODULE)
		return hint_full(reading, err, node->name);
	return fx_error_hint(err, "self.%s(%s) calls the module", node->target,
		reading->argument);
}

static FX_NODISCARD struct fx_error *
unknown_layer(const struct reading *reading, const struct fx_ast *class_tree)
{
	struct fx_nearest nearest;
	const struct fx_layer *layer;
	struct fx_error *err;
	size_t i;

	fx_nearest_init(&nearest, class_tree->text);
	for (i = 0; (layer = fx_layer_at(i)); i++)
		fx_nearest_offer(&nearest, layer->name);
	err = fx_error_at(fx_error_new(FX_ERR_NO_NAME,
				  "fxdb knows no layer nn.%s",
				  class_tree->text),
		reading->text, class_tree->span);
	return fx_nearest_note(&nearest, err);
}

/* nn.GELU() makes a layer, and nothing calls it. */
static FX_NODISCARD struct fx_error *
refuse_layer(const struct reading *reading, const struct fx_ast *call)
{
	struct fx_error *err = fx_error_at(fx_error_new(FX_ERR_TYPE,
						   "a new layer is not called"),
		reading->text, call->span);

	return fx_error_hint(err, "nn.%s(%s)(%s)", call->kids[0]->text,
		call->kid_count > 1 ? "..." : "", reading->argument);
}

static void
note_unknown(struct reading *reading, const struct fx_ast *tree, bool is_called)
{
	if (reading->unknown || is_global(tree->text))
		return;
	reading->unknown = tree->text;
	reading->unknown_span = tree->span;
	reading->is_called = is_called;
}

/* `replace relu = gelu`: a function is meant, and nothing calls it. */
static FX_NODISCARD struct fx_error *
hint_call(const struct reading *reading, struct fx_error *err)
{
	FX_AUTO_BUF struct fx_buf names = { 0 };

	add_full(reading, reading->unknown, &names);
	if (!names.length || strcmp(reading->text, reading->unknown) != 0)
		return err;
	return fx_error_hint(err, "a function is called: %s",
		fx_buf_text(&names));
}

/* The first name that nothing is called by, with the nearest ones. */
static FX_NODISCARD struct fx_error *
refuse_unknown(const struct reading *reading)
{
	struct fx_error *err;
	struct fx_node *node;

	if (reading->is_called) {
		err = fx_error_new(FX_ERR_NO_NAME,
			"\"%s\" is no function that fxdb knows",
			reading->unknown);
		err = hint_full(reading, err, reading->unknown);
	} else {
		err = fx_resolve_node(reading->ctx->session,
			reading->ctx->model, reading->unknown, &node);
		if (err)
			err = hint_call(reading, err);
	}
	if (!err)
		err = fx_error_new(FX_ERR_NO_NAME, "\"%s\" is not defined",
			reading->unknown);
	return cmd_edit_retell(err, reading->text, reading->unknown_span);
}

static FX_NODISCARD struct fx_error *
scan(struct reading *reading, const struct fx_ast *tree)
{
	struct fx_error *err;
	uint32_t i = 0;

	if (!tree)
		return NULL;
	if (tree->kind == FX_AST_NAME &&
		fx_graph_find(reading->graph, tree->text))
		mention(reading, tree->text);
	else if (tree->kind == FX_AST_NAME)
		note_unknown(reading, tree, false);
	if (tree->kind == FX_AST_CALL) {
		const struct fx_ast *function = tree->kids[0];

		if (function->kind == FX_AST_NAME &&
			!fx_graph_find(reading->graph, function->text)) {
			note_unknown(reading, function, true);
			i = 1;
		}
		if (function->kind == FX_AST_NAME &&
			fx_graph_find(reading->graph, function->text))
			return refuse_call(reading, function);
		if (function->kind == FX_AST_CALL &&
			is_layer_class(reading, function->kids[0])) {
			if (reading->construct)
				return fx_error_new(FX_ERR_UNSUPPORTED,
					"one new module at a time");
			if (!fx_layer_find(function->kids[0]->text))
				return unknown_layer(reading,
					function->kids[0]);
			reading->construct = function;
			i = 1;
		} else if (is_layer_class(reading, function) &&
			   fx_layer_find(function->text)) {
			return refuse_layer(reading, tree);
		}
	}
	for (; i < tree->kid_count; i++) {
		err = scan(reading, tree->kids[i]);
		if (err)
			return err;
	}
	return NULL;
}

/* A path for the new module: NAME, or numbered when something stands there. */
static char *
free_path(struct fx_graph *graph, const char *name)
{
	char *path = fx_xstrdup(name);
	int i;

	for (i = 1; fx_module_find(graph->module, path) ||
		    fx_module_find_tensor(graph->module, path);
		i++) {
		free(path);
		path = fx_xasprintf("%s_%d", name, i);
	}
	return path;
}

/* NAME, or the class in lower case as the attributes of models are named. */
static char *
module_name(const struct reading *reading, const char *name)
{
	FX_AUTO_FREE char *lower =
		fx_xstrdup(reading->construct->kids[0]->text);

	for (char *c = lower; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c - 'A' + 'a');
	return free_path(reading->graph, name ? name : lower);
}

/* "Dropout(0.5)" of "nn.Dropout(0.5)". */
static char *
construct_text(const struct reading *reading)
{
	const struct fx_ast *tree = reading->construct;
	const char *text = reading->text + tree->span.begin;
	size_t length = tree->span.end - tree->span.begin;
	size_t skip = fx_str_starts(text, "torch.nn.") ? 9 : 3;

	return fx_xstrndup(text + skip, length - skip);
}

static char *
program(const struct reading *reading, const struct cmd_statement *statement)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };
	const struct fx_ast *construct = reading->construct;
	size_t at = 0;
	size_t i;

	fx_buf_add(&out, "import torch\nfrom torch.nn import *\n\n"
			 "class Statement(torch.nn.Module):\n"
			 "    def __init__(self):\n"
			 "        super().__init__()\n");
	if (construct) {
		FX_AUTO_FREE char *layer = construct_text(reading);

		fx_buf_addf(&out, "        self.%s = %s\n",
			statement->module_name, layer);
	}
	fx_buf_add(&out, "\n    def forward(self");
	for (i = 0; i < reading->names.count; i++)
		fx_buf_addf(&out, ", %s", reading->names.items[i]);
	fx_buf_add(&out, "):\n        " RESULT " = ");
	if (construct) {
		fx_buf_add_n(&out, reading->text, construct->span.begin);
		fx_buf_addf(&out, "self.%s", statement->module_name);
		at = construct->span.end;
	}
	fx_buf_add(&out, reading->text + at);
	fx_buf_add(&out, "\n        return " RESULT "\n");
	return fx_buf_take(&out);
}

/* Where in what the user typed an error about the program is, when the text
 * stands there as it was typed.
 */
static FX_NODISCARD struct fx_error *
point_at(struct fx_error *told, const struct fx_error *err,
	const struct reading *reading)
{
	const char *code = fx_error_text(err);
	const char *begin = code ? strstr(code, RESULT " = ") : NULL;
	struct fx_span span = fx_error_span(err);
	size_t offset;

	if (!begin || reading->construct)
		return told;
	offset = (size_t)(begin - code) + strlen(RESULT " = ");
	if (span.begin < offset || span.end > offset + strlen(reading->text))
		return told;
	return fx_error_at(told, reading->text,
		(struct fx_span){ span.begin - offset, span.end - offset });
}

/* Of a line of the loader's, without the place in the text it read. */
static size_t
told_length(const char *message)
{
	const char *place = strstr(message, " (line ");
	size_t length = strcspn(message, "\n");

	return place ? FX_MIN(length, (size_t)(place - message)) : length;
}

/* The loader's error is about a text that the user never saw: keep what it
 * says, and where only within what the user typed.
 */
static FX_NODISCARD struct fx_error *
retell(struct fx_error *err, const struct reading *reading)
{
	const char *message = fx_error_message(err);
	struct fx_error *told = fx_error_new(fx_error_code(err), "%.*s",
		(int)told_length(message), message);

	if (fx_error_hint_text(err))
		told = fx_error_hint(told, "%s", fx_error_hint_text(err));
	told = point_at(told, err, reading);
	fx_error_free(err);
	return told;
}

/* The loader makes do with a module without parameters when a layer refuses
 * its arguments; who types them wants to know.
 */
static FX_NODISCARD struct fx_error *
check_construct(const struct reading *reading, const char *notices)
{
	static const char said[] = ": not constructed, ";
	const char *reason = reading->construct ? strstr(notices, said) : NULL;

	if (!reason)
		return NULL;
	reason += sizeof(said) - 1;
	return fx_error_at(fx_error_new(FX_ERR_TYPE, "%.*s",
				   (int)told_length(reason), reason),
		reading->text, reading->construct->span);
}

static FX_NODISCARD struct fx_error *
load_program(const struct reading *reading, const char *text,
	struct fx_graph **ret)
{
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	struct fx_load_input input = { .text = text,
		.length = strlen(text),
		.serial = fx_session_serial(reading->ctx->session) };
	struct fx_error *err = fx_open_text(&input, &loaded);

	if (err)
		return retell(err, reading);
	err = check_construct(reading, fx_buf_text(&loaded.notices));
	if (err)
		return err;
	*ret = FX_TAKE(loaded.graph);
	return NULL;
}

/* The right-hand side without a trailing `;  x = None`. */
static char *
without_release(const char *text)
{
	size_t end = strlen(text);
	const char *semicolon = strrchr(text, ';');

	if (semicolon && strstr(semicolon, "= None") &&
		!strpbrk(semicolon, "\"'()[]"))
		end = (size_t)(semicolon - text);
	while (end && (text[end - 1] == ' ' || text[end - 1] == '\t'))
		end--;
	return fx_xstrndup(text, end);
}

static void
split_construct(const struct reading *reading, struct cmd_statement *ret)
{
	FX_AUTO_FREE char *layer = construct_text(reading);
	const struct fx_ast *tree = reading->construct;

	ret->module_text =
		fx_xasprintf("set module %s = nn.%s", ret->module_name, layer);
	ret->call_text = fx_xasprintf("%.*sself.%s%s", (int)tree->span.begin,
		reading->text, ret->module_name,
		reading->text + tree->span.end);
}

struct fx_error *
cmd_statement_read(struct cmd_ctx *ctx, const char *name, const char *text,
	struct cmd_statement *ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct reading reading = { .ctx = ctx,
		.graph = fx_model_graph(ctx->model) };
	FX_AUTO_FREE char *wanted = without_release(text);
	FX_AUTO_FREE char *named = NULL;
	FX_AUTO_FREE char *code = NULL;
	struct fx_ast *tree;
	struct fx_error *err;

	if (!ret->argument)
		ret->argument = "...";
	reading.argument = ret->argument;
	ret->model = ctx->model;
	ret->seed = (uint64_t)cmd_flag_int(ctx, "seed",
		(int64_t)fx_session_seed(ctx->session));
	err = cmd_canonical_expression(ctx, wanted, "%", &ret->text);
	if (!err)
		err = cmd_canonical_expression(ctx, wanted, "", &named);
	if (err)
		return err;
	reading.text = named;
	err = fx_parse_expression(arena, named, strlen(named), 0, &tree);
	if (!err && tree->height > HEIGHT_LIMIT)
		err = fx_error_new(FX_ERR_LIMIT,
			"the expression is nested too deep");
	if (!err)
		err = scan(&reading, tree);
	if (!err && reading.construct)
		ret->module_name = module_name(&reading, name);
	if (!err && reading.construct)
		split_construct(&reading, ret);
	else if (!err)
		ret->call_text = fx_xstrdup(ret->text);
	if (!err) {
		code = program(&reading, ret);
		err = load_program(&reading, code, &ret->graph);
	}
	if (err && fx_error_code(err) == FX_ERR_NO_NAME && reading.unknown) {
		fx_error_free(err);
		err = refuse_unknown(&reading);
	}
	fx_vec_deinit(&reading.names);
	return err;
}

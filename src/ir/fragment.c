/* fragment.c - the right-hand side of an edit, read once. */
#include <config.h>

#include "ir/fragment.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/build.h"
#include "ir/decompose.h"
#include "ir/module.h"
#include "lang/parse.h"
#include "ops/layertab.h"
#include "ops/optab.h"

void
fx_fragment_deinit(struct fx_fragment *fragment)
{
	fx_graph_free(fragment->graph);
	fx_vec_deinit(&fragment->inputs);
	fx_vec_deinit(&fragment->designations);
	free(fragment->name);
	free(fragment->text);
	free(fragment->made);
}

struct reading {
	struct fx_builder build; /* first */
	const struct fx_fragment_reader *reader;
	struct fx_fragment *fragment;
	struct fx_map values; /* node of the target, or $v -> its value */
};

/* --- words --------------------------------------------------------------- */

/* Return a copy of the arguments of CALL as the user typed them.  If CALL has
 * none, return the text that the fragment names for its argument.
 */
static char *
arguments_of(const struct reading *reading, const struct fx_ast *call)
{
	const struct fx_ast *last =
		call ? call->kids[call->kid_count - 1] : NULL;
	size_t begin;

	if (!call || call->kid_count == 1)
		return fx_xstrdup(reading->fragment->argument);
	begin = call->kids[1]->span.begin;
	return fx_xstrndup(reading->build.text + begin, last->span.end - begin);
}

/* Append the calls of NAME, each under a full name; nothing is made up. */
static void
add_full(const struct reading *reading, const char *name,
	const struct fx_ast *call, struct fx_buf *ret)
{
	static const char *const homes[] = { "torch.", "torch.nn.functional.",
		"operator.", "math." };
	FX_AUTO_FREE char *arguments = arguments_of(reading, call);
	const char * or = "";

	for (size_t i = 0; i < FX_ARRAY_LEN(homes); i++) {
		FX_AUTO_FREE char *full = fx_xasprintf("%s%s", homes[i], name);

		if (fx_op_find(full) == FX_OP_NONE)
			continue;
		fx_buf_addf(ret, "%s%s(%s)", or, full, arguments);
		or = " or ";
	}
	if (fx_module_find(reading->build.root, name)) {
		fx_buf_addf(ret, "%sself.%s(%s)", or, name, arguments);
		or = " or ";
	}
	if (fx_layer_find(name))
		fx_buf_addf(ret, "%snn.%s(...)(%s)", or, name, arguments);
}

static FX_NODISCARD struct fx_error *
hint_full(const struct reading *reading, struct fx_error *err,
	const struct fx_ast *call)
{
	FX_AUTO_BUF struct fx_buf names = { 0 };

	add_full(reading, call->kids[0]->text, call, &names);
	if (!names.length)
		return fx_error_hint(err,
			"none in torch, torch.nn.functional, operator or math "
			"is known by this name, and no module of the model");
	return fx_error_hint(err, "write it in full: %s", fx_buf_text(&names));
}

/* `act(x)`: CALL calls a node. */
static FX_NODISCARD struct fx_error *
not_callable(const struct reading *reading, const struct fx_ast *call)
{
	const char *name = call->kids[0]->text;
	struct fx_node *node = fx_graph_find(reading->reader->graph, name);
	FX_AUTO_FREE char *arguments = arguments_of(reading, call);
	struct fx_error *err = fx_build_error(&reading->build, call->kids[0],
		FX_ERR_TYPE, "%%%s is a node and cannot be called", name);

	if (!node || node->opcode != FX_OPCODE_CALL_MODULE)
		return hint_full(reading, err, call);
	return fx_error_hint(err, "self.%s(%s) calls the module", node->target,
		arguments);
}

/* `nosuch`, or `gelu` where a call was meant. */
static FX_NODISCARD struct fx_error *
undefined(const struct reading *reading, const struct fx_ast *tree)
{
	const struct fx_fragment_reader *reader = reading->reader;
	const char *text = reading->build.text;
	FX_AUTO_BUF struct fx_buf names = { 0 };
	struct fx_node *node;
	struct fx_error *err = reader->node(reader->context, text, tree, &node);

	if (!err)
		err = fx_error_new(FX_ERR_NO_NAME, "\"%s\" is not defined",
			tree->text);
	if (!strcmp(reading->fragment->text, tree->text))
		add_full(reading, tree->text, NULL, &names);
	if (names.length)
		err = fx_error_hint(err, "a function is called: %s",
			fx_buf_text(&names));
	return fx_error_at(err, text, tree->span);
}

static struct fx_error *
refuse(struct fx_builder *builder, enum fx_build_problem problem,
	const struct fx_ast *tree)
{
	struct reading *reading = (struct reading *)builder;

	switch (problem) {
	case FX_BUILD_UNDEFINED:
		return undefined(reading, tree);
	case FX_BUILD_NOT_CALLABLE:
		return not_callable(reading, tree);
	case FX_BUILD_NO_FUNCTION:
		break;
	}
	return hint_full(reading,
		fx_build_error(builder, tree->kids[0], FX_ERR_NO_NAME,
			"\"%s\" is no function that fxdb knows",
			tree->kids[0]->text),
		tree);
}

static FX_NODISCARD struct fx_error *
unknown_layer(const struct reading *reading, const struct fx_ast *class_tree)
{
	struct fx_nearest nearest;
	const struct fx_layer *layer;
	struct fx_error *err = fx_build_error(&reading->build, class_tree,
		FX_ERR_NO_NAME, "fxdb knows no layer nn.%s", class_tree->text);

	fx_nearest_init(&nearest, class_tree->text);
	for (size_t i = 0; (layer = fx_layer_at(i)); i++)
		fx_nearest_offer(&nearest, layer->name);
	return fx_nearest_note(&nearest, err);
}

/* nn.GELU() makes a layer, and nothing calls it. */
static FX_NODISCARD struct fx_error *
uncalled_layer(const struct reading *reading, const struct fx_ast *call)
{
	return fx_error_hint(fx_build_error(&reading->build, call, FX_ERR_TYPE,
				     "a new layer is not called"),
		"nn.%s(%s)(%s)", call->kids[0]->text,
		call->kid_count > 1 ? "..." : "", reading->fragment->argument);
}

struct fx_error *
fx_fragment_no_operation(const struct fx_fragment *fragment)
{
	const char *text = fragment->text;
	struct fx_error *err = fx_error_new(FX_ERR_TYPE,
		"\"%s\" is a value, not an operation", text);

	if (!strchr(text, '.') || (*text >= '0' && *text <= '9') ||
		strpbrk(text, " ()[]{},'\""))
		return err;
	return fx_error_hint(err, "%s%s(%s) calls it", text,
		fx_layer_find(strrchr(text, '.') + 1) ? "(...)" : "",
		fragment->argument);
}

/* --- the environment ----------------------------------------------------- */

static struct fx_node *
emit(struct fx_builder *builder, const struct fx_build_left *left,
	struct fx_node_spec *spec)
{
	(void)left;
	return fx_graph_append(builder->graph, spec);
}

/* The placeholder for NODE of the target, or (null) for $v. */
static const struct fx_value *
input(struct reading *reading, struct fx_node *node)
{
	struct fx_graph *graph = reading->build.graph;
	const void *key = node ? (const void *)node : (const void *)reading;
	struct fx_value *value = fx_map_get_pointer(&reading->values, key);
	struct fx_node_spec spec = { .opcode = FX_OPCODE_PLACEHOLDER,
		.target = node ? node->name : "v" };

	if (value)
		return value;
	value = FX_ARENA_NEW(graph->values, struct fx_value);
	*value = fx_value_node(fx_graph_append(graph, &spec));
	fx_map_set_pointer(&reading->values, key, value);
	fx_vec_push(&reading->fragment->inputs, node);
	return value;
}

static const struct fx_value *
find(struct fx_builder *builder, const char *name)
{
	struct reading *reading = (struct reading *)builder;
	struct fx_node *node = fx_graph_find(reading->reader->graph, name);

	return node ? input(reading, node) : NULL;
}

static struct fx_error *
designator(struct fx_builder *builder, const struct fx_ast *tree,
	struct fx_value *ret)
{
	struct reading *reading = (struct reading *)builder;
	const struct fx_fragment_reader *reader = reading->reader;
	struct fx_designation found = { .span = tree->span };
	struct fx_node *node = NULL;
	struct fx_error *err;

	if (reader->has_input && tree->kind == FX_AST_VARIABLE &&
		!strcmp(tree->text, "v")) {
		*ret = *input(reading, NULL);
		return NULL;
	}
	err = reader->node(reader->context, builder->text, tree, &node);
	if (err)
		return err;
	found.node = node;
	fx_vec_push(&reading->fragment->designations, found);
	*ret = *input(reading, node);
	return NULL;
}

/* Make the module of CALL, nn.X(...), with the mode of the target. */
static FX_NODISCARD struct fx_error *
make_module(struct reading *reading, const struct fx_ast *call)
{
	struct fx_fragment *fragment = reading->fragment;
	const char *name = call->kids[0]->text;
	struct fx_graph *graph = reading->build.graph;
	FX_AUTO_FREE char *path = fx_xstrdup(name);
	struct fx_value args;
	struct fx_value kwargs;
	struct fx_error *told;
	struct fx_error *err;

	graph->module->training = fragment->target->module->training;
	err = fx_build_layer_arguments(&reading->build, call, &args, &kwargs);
	if (err)
		return err;
	err = fx_layer_construct(graph, name, &args, &kwargs,
		&fragment->module);
	if (err) {
		told = fx_error_new(fx_error_code(err), "%s",
			fx_error_message(err));
		fx_error_free(err);
		return fx_error_at(told, reading->build.text, call->span);
	}
	/* Attributes of models are named in lower case. */
	for (char *c = path; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c - 'A' + 'a');
	fragment->path = fx_intern(path);
	fragment->construct = call->span;
	fx_module_add_child(graph->module, path, fragment->module);
	return NULL;
}

/* Whether TREE is nn.Dropout or torch.nn.Dropout. */
static bool
is_layer_class(struct reading *reading, const struct fx_ast *tree)
{
	const char *name;

	if (tree->kind != FX_AST_ATTR || tree->text[0] < 'A' ||
		tree->text[0] > 'Z')
		return false;
	name = fx_build_dotted(&reading->build, tree);
	return name && fx_str_starts(name, "torch.nn.") &&
	       !strchr(name + strlen("torch.nn."), '.');
}

static struct fx_error *
construct(struct fx_builder *builder, const struct fx_ast *call, bool is_called,
	const char **ret)
{
	struct reading *reading = (struct reading *)builder;
	const struct fx_ast *class_tree = call->kids[0];
	bool is_known;
	struct fx_error *err;

	if (!is_layer_class(reading, class_tree))
		return NULL;
	is_known = fx_layer_find(class_tree->text);
	if (!is_called)
		return is_known ? uncalled_layer(reading, call) : NULL;
	if (reading->fragment->module)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"one new module at a time");
	if (!is_known)
		return unknown_layer(reading, class_tree);
	err = make_module(reading, call);
	*ret = reading->fragment->path;
	return err;
}

static const struct fx_build_environment environment = {
	.find = find,
	.designator = designator,
	.refuse = refuse,
	.emit = emit,
	.construct = construct,
};

/* --- reading ------------------------------------------------------------- */

/* Whether TEXT is nothing, or `;  x = None`, as torch.fx frees values. */
static bool
is_release(const char *text)
{
	text += strspn(text, " \t");
	return !*text || (*text == ';' && fx_str_ends(text, "= None"));
}

/* Parse the expression at the start of TEXT into *RET.  The whole of TEXT has
 * to be that expression, except for the statement that frees names after it.
 */
static FX_NODISCARD struct fx_error *
parse(struct fx_arena *arena, const char *text, struct fx_ast **ret,
	size_t *end_ret)
{
	size_t length = strlen(text);
	struct fx_parse_range range = { text, length, 0, length };
	struct fx_error *err = fx_parse_expression_in(arena, &range,
		FX_PARSE_DESIGNATORS, ret, end_ret);

	if (!err && !is_release(text + *end_ret))
		err = fx_parse_expression(arena, text, length,
			FX_PARSE_DESIGNATORS, ret);
	if (!err && (*ret)->height > FX_BUILD_HEIGHT)
		err = fx_error_new(FX_ERR_LIMIT,
			"the expression is nested too deep");
	return err;
}

/* The nodes of TREE and, at the end, the output. */
static FX_NODISCARD struct fx_error *
build(struct reading *reading, const struct fx_ast *tree)
{
	static const struct fx_build_left nameless;
	struct fx_builder *builder = &reading->build;
	struct fx_node_spec output = { .opcode = FX_OPCODE_OUTPUT,
		.target = "output" };
	struct fx_value value = fx_value_none();
	struct fx_node *node;
	struct fx_error *err;

	if (fx_build_is_operation(builder, tree)) {
		err = fx_build_operation(builder, tree, &nameless, &node);
		if (!err)
			value = fx_value_node(node);
	} else {
		err = fx_build_value(builder, tree, &value);
	}
	if (err)
		return err;
	output.args = fx_value_sequence(builder->graph->values, FX_VALUE_TUPLE,
		&value, 1);
	fx_graph_append(builder->graph, &output);
	reading->fragment->made = fx_xcalloc(builder->graph->node_count + 1,
		sizeof(struct fx_node *));
	return NULL;
}

static FX_NODISCARD struct fx_error *
build_module(struct reading *reading, const struct fx_ast *tree)
{
	const char *text = reading->fragment->text;

	if (tree->kind != FX_AST_CALL ||
		!is_layer_class(reading, tree->kids[0]))
		return fx_error_hint(
			fx_error_new(FX_ERR_TYPE,
				"\"%s\" is no module: write nn.X(...)", text),
			"set module layer1.0.relu = nn.GELU()");
	if (!fx_layer_find(tree->kids[0]->text))
		return unknown_layer(reading, tree->kids[0]);
	return make_module(reading, tree);
}

struct fx_error *
fx_fragment_take_name(const char **text, char **name_ret)
{
	const char *begin = *text + (**text == '%');
	const char *end = *text + strcspn(*text, " \t=(");
	const char *sign = end + strspn(end, " \t");

	*name_ret = NULL;
	if (*sign != '=' || sign[1] == '=' || end == *text)
		return NULL;
	*name_ret = fx_xstrndup(begin, (size_t)(end - begin));
	*text = sign + 1 + strspn(sign + 1, " \t");
	if (!**text)
		return fx_error_new(FX_ERR_SYNTAX,
			"expected an expression after =");
	return NULL;
}

static FX_NODISCARD struct fx_error *
read_by(const struct fx_fragment_reader *reader, const char *text,
	struct fx_error *(*read)(struct reading *reading,
		const struct fx_ast *tree),
	struct fx_fragment *ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct reading reading = { .build = { .environment = &environment,
					   .root = reader->graph->module,
					   .text = text,
					   .known_builtins = true },
		.reader = reader,
		.fragment = ret };
	struct fx_ast *tree;
	struct fx_error *err;
	size_t end;

	ret->target = reader->graph;
	ret->argument = reader->has_input ? "$v" : "...";
	ret->graph = fx_graph_new(0);
	reading.build.graph = ret->graph;
	err = parse(arena, text, &tree, &end);
	if (err)
		return err;
	ret->text = fx_xstrndup(text, end);
	err = read(&reading, tree);
	fx_map_deinit(&reading.values);
	return err;
}

struct fx_error *
fx_fragment_read(const struct fx_fragment_reader *reader, const char *text,
	struct fx_fragment *ret)
{
	struct fx_error *err = NULL;

	if (reader->has_name)
		err = fx_fragment_take_name(&text, &ret->name);
	return err ? err : read_by(reader, text, build, ret);
}

struct fx_error *
fx_fragment_read_module(const struct fx_fragment_reader *reader,
	const char *text, struct fx_fragment *ret)
{
	return read_by(reader, text, build_module, ret);
}

const struct fx_node *
fx_fragment_result(const struct fx_fragment *fragment)
{
	const struct fx_node *output = fx_graph_last(fragment->graph);
	const struct fx_value *result = &output->args.items[0];

	return result->kind == FX_VALUE_NODE ? result->node : NULL;
}

bool
fx_fragment_is_node(const struct fx_fragment *fragment)
{
	const struct fx_node *result = fx_fragment_result(fragment);

	return result && result->opcode == FX_OPCODE_PLACEHOLDER;
}

/* --- printing ------------------------------------------------------------ */

static int
compare_designations(const void *a, const void *b)
{
	const struct fx_designation *left = a;
	const struct fx_designation *right = b;

	return (left->span.begin > right->span.begin) -
	       (left->span.begin < right->span.begin);
}

void
fx_fragment_print(const struct fx_fragment *fragment, const char *path,
	struct fx_buf *out)
{
	const char *text = fragment->text;
	size_t count = fragment->designations.count;
	struct fx_designation *items = fragment->designations.items;
	bool is_path_due = path;
	size_t at = 0;

	if (count)
		qsort(items, count, sizeof(*items), compare_designations);
	for (size_t i = 0; i <= count; i++) {
		if (is_path_due &&
			(i == count || items[i].span.begin >=
					       fragment->construct.begin)) {
			fx_buf_add_n(out, text + at,
				fragment->construct.begin - at);
			fx_buf_addf(out, "self.%s", path);
			at = fragment->construct.end;
			is_path_due = false;
		}
		if (i == count)
			break;
		fx_buf_add_n(out, text + at, items[i].span.begin - at);
		fx_buf_addf(out, "%%%s", items[i].node->name);
		at = items[i].span.end;
	}
	fx_buf_add(out, text + at);
}

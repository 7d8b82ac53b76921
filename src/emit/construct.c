/* construct.c - a module as the call that constructs it.
 *
 * Arguments whose names are also names in the configuration have those values.
 * What else is there and true or false (bias=) only shows in the parameters
 * that it makes, so the other way than its default is tried too; what comes
 * out is compared with the module before anything is written.
 */
#include <config.h>

#include "emit/construct.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/str.h"
#include "emit/code_names.h"
#include "ir/decompose.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/value_text.h"
#include "lang/ast.h"
#include "ops/dialect.h"
#include "ops/layertab.h"

enum {
	ARGUMENT_LIMIT = 40,
	SWITCH_LIMIT = 4, /* arguments that are tried both ways */
};

struct call {
	struct fx_value pairs[2 * ARGUMENT_LIMIT];
	size_t count;
	const struct fx_ast *switches[SWITCH_LIMIT]; /* parameters */
	size_t switch_count;
};

static bool
is_same_tensor(const struct fx_tensor *a, const struct fx_tensor *b)
{
	return a->dtype == b->dtype && a->rank == b->rank &&
	       memcmp(a->sizes, b->sizes, a->rank * sizeof(*a->sizes)) == 0;
}

/* Whether every setting of MADE has the same value in MODULE.  A captured
 * MODULE may have more settings, and may lack those whose names begin with "_".
 */
static bool
is_same_config(const struct fx_module *made, const struct fx_module *module)
{
	for (size_t i = 0; i < made->config.count; i++) {
		const struct fx_value *key = &made->config.items[2 * i];
		const struct fx_value *other =
			key->kind == FX_VALUE_STRING
				? fx_value_dict_get(&module->config, key->text)
				: NULL;

		if (!other && key->kind == FX_VALUE_STRING && *key->text == '_')
			continue;
		if (!other || !fx_value_equal(key + 1, other))
			return false;
	}
	return true;
}

static bool
is_same(const struct fx_module *made, const struct fx_module *module)
{
	if (made->class_name != module->class_name || module->graph ||
		made->member_count != module->member_count ||
		!is_same_config(made, module))
		return false;
	for (size_t i = 0; i < made->member_count; i++) {
		const struct fx_member *a = &made->members[i];
		const struct fx_member *b = fx_module_member(module, a->name);

		/* Of which kind a None is, not every file says rightly. */
		if (!b || !a->child != !b->child || !a->tensor != !b->tensor ||
			(a->tensor && a->kind != b->kind) ||
			(a->tensor && !is_same_tensor(a->tensor, b->tensor)) ||
			(a->child && !is_same(a->child, b->child)))
			return false;
	}
	return true;
}

static void
add_pair(struct call *call, const char *name, struct fx_value value)
{
	if (call->count == ARGUMENT_LIMIT)
		return;
	call->pairs[2 * call->count] = fx_value_string(name);
	call->pairs[2 * call->count++ + 1] = value;
}

/* The dtype of the first parameter, if it is no f32. */
static void
add_dtype(struct call *call, const struct fx_module *module)
{
	for (size_t i = 0; i < module->member_count; i++) {
		const struct fx_tensor *tensor = module->members[i].tensor;

		if (!tensor || tensor->is_buffer)
			continue;
		if (tensor->dtype != FX_DTYPE_F32)
			add_pair(call, "dtype",
				fx_value_dtype((int)tensor->dtype));
		return;
	}
}

static void
add_parameter(struct call *call, const struct fx_ast *parameter,
	const struct fx_module *module)
{
	const char *name = fx_intern(parameter->text);
	const struct fx_value *value = fx_value_dict_get(&module->config, name);
	const struct fx_ast *initial = parameter->kids[1];

	if (!strcmp(name, "dtype"))
		add_dtype(call, module);
	else if (value)
		add_pair(call, name, *value);
	else if (initial && initial->kind == FX_AST_BOOL &&
		 call->switch_count < SWITCH_LIMIT)
		call->switches[call->switch_count++] = parameter;
}

/* The call with the switches that are bits of WHICH turned over; what it
 * makes, or NULL.
 */
static struct fx_module *
construct(struct fx_graph *graph, const struct fx_module *module,
	struct call *call, unsigned which)
{
	struct fx_value args = { .kind = FX_VALUE_TUPLE };
	size_t count = call->count;
	struct fx_module *made = NULL;
	struct fx_value kwargs;
	struct fx_error *err;
	bool is_made;

	for (size_t i = 0; i < call->switch_count; i++)
		if (which >> i & 1)
			add_pair(call, call->switches[i]->text,
				fx_value_bool(!call->switches[i]
						       ->kids[1]
						       ->integer));
	kwargs = fx_value_dict(graph->permanent, call->pairs, call->count);
	err = fx_layer_construct(graph, module->class_name, &args, &kwargs,
		&made);
	is_made = !err && is_same(made, module);
	fx_error_free(err);
	if (is_made)
		return made;
	call->count = count;
	return NULL;
}

/* Whether VALUE is what the parameter NAME of INIT has anyway. */
static bool
is_default(struct fx_graph *graph, const char *text, const struct fx_ast *init,
	const char *name, const struct fx_value *value)
{
	const struct fx_ast *initial = NULL;
	struct fx_value missing;
	FX_AUTO_ERROR struct fx_error *err = NULL;

	for (uint32_t i = 1; i + 2 < init->kid_count; i++)
		if (!strcmp(init->kids[i]->text, name))
			initial = init->kids[i]->kids[1];
	if (!initial)
		return false;
	err = fx_value_from_ast(graph->permanent, NULL, text, initial,
		&missing);
	return !err && fx_value_equal(&missing, value);
}

/* What MADE does not remember and is the default need not be written: not
 * every torch remembers it either.
 */
static void
print_call(struct fx_buf *out, struct fx_graph *graph,
	const struct fx_module *made, const struct call *call)
{
	const struct fx_layer *layer = fx_layer_find(made->class_name);
	const char *text;
	const struct fx_ast *init = fx_layer_method(layer, "__init__", &text);
	const char *separator = "";

	fx_buf_addf(out, "%s(", fx_class_short_name(made->class_name));
	for (size_t i = 0; i < call->count; i++) {
		const char *name = call->pairs[2 * i].text;
		const struct fx_value *value = &call->pairs[2 * i + 1];

		if (!fx_value_dict_get(&made->config, name) &&
			is_default(graph, text, init, name, value))
			continue;
		fx_buf_addf(out, "%s%s=", separator, name);
		fx_value_print_as(out, value, FX_STYLE_CODE);
		separator = ", ";
	}
	fx_buf_add_char(out, ')');
}

bool
fx_emit_construct(struct fx_buf *out, struct fx_graph *graph,
	const struct fx_module *module)
{
	const struct fx_layer *layer = fx_layer_find(module->class_name);
	const struct fx_ast *init =
		layer ? fx_layer_method(layer, "__init__", NULL) : NULL;
	struct call call = { .count = 0 };

	if (!init)
		return false;
	/* The first is self; the last two kids are no parameters. */
	for (uint32_t i = 1; i + 2 < init->kid_count; i++)
		if (!init->kids[i]->op)
			add_parameter(&call, init->kids[i], module);
	for (unsigned which = 0; which < 1u << call.switch_count; which++) {
		const struct fx_module *made =
			construct(graph, module, &call, which);

		if (made) {
			print_call(out, graph, made, &call);
			return true;
		}
	}
	return false;
}

/* Annotations as generated code spells them.
 *
 * A node's type is kept as Python shows it (typing.Optional[torch.Tensor]);
 * code has no imports but one identifier a global, so torch.fx prints
 * typing_Union[torch.Tensor,NoneType] (semantics 6.7).  The text is read as
 *
 * 	type:  name | name '[' type, ... ']' | '[' type, ... ']' | type '|' type
 *
 * and what does not fit becomes one identifier.
 */

#define DEPTH_LIMIT 50

struct typer {
	struct fx_code_names *names;
	struct fx_buf *out;
	bool is_modern;
	int depth;
};

static void print_type(struct typer *t, const char *text, size_t length);

/* Offset of WANTED outside all brackets and quotes, or LENGTH. */
static size_t
find_outside(const char *text, size_t length, char wanted)
{
	char quote = 0;
	int depth = 0;

	for (size_t i = 0; i < length; i++) {
		char c = text[i];

		if (quote) {
			quote = c == quote ? 0 : quote;
			continue;
		}
		if (c == wanted && depth == 0)
			return i;
		if (c == '\'' || c == '"')
			quote = c;
		else if (c == '[' || c == '(')
			depth++;
		else if (c == ']' || c == ')')
			depth--;
	}
	return length;
}

/* Names that Python shows below typing but that live in collections.abc. */
static bool
is_abstract(const char *name)
{
	static const char *const names[] = { "Sequence", "Iterable", "Iterator",
		"Mapping", "MutableMapping", "MutableSequence", "MutableSet",
		"Collection", "Callable", "Generator", "Container", "Hashable",
		"Sized", "Reversible", "KeysView", "ValuesView", "ItemsView",
		"MappingView", "Awaitable", "Coroutine", "AsyncIterable",
		"AsyncIterator", "AsyncGenerator", "ByteString" };

	for (size_t i = 0; i < FX_ARRAY_LEN(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* What NAME is short for: typing.Sequence is collections.abc.Sequence. */
static const char *
origin_of(const char *name)
{
	static const char *const others[][2] = { { "Type", "builtins.type" },
		{ "Deque", "collections.deque" },
		{ "DefaultDict", "collections.defaultdict" },
		{ "OrderedDict", "collections.OrderedDict" },
		{ "Counter", "collections.Counter" },
		{ "ChainMap", "collections.ChainMap" },
		{ "AbstractSet", "collections.abc.Set" },
		{ "ContextManager", "contextlib.AbstractContextManager" },
		{ "Pattern", "re.Pattern" }, { "Match", "re.Match" } };
	/* Objects that show themselves by a shorter name. */
	static const char *const shown[][2] = {
		{ "TensorType", "torch.fx.tensor_type.TensorType" },
		{ "Dyn", "torch.fx.tensor_type._DynType" }
	};
	const char *step = name + strlen("typing.");

	for (size_t i = 0; i < FX_ARRAY_LEN(shown); i++)
		if (strcmp(name, shown[i][0]) == 0)
			return shown[i][1];
	if (!fx_str_starts(name, "typing."))
		return name;
	if (is_abstract(step))
		return fx_intern_format("collections.abc.%s", step);
	for (size_t i = 0; i < FX_ARRAY_LEN(others); i++)
		if (strcmp(step, others[i][0]) == 0)
			return others[i][1];
	return name;
}

/* Containers by both names.  Older versions of torch print the first before
 * brackets and alone, newer ones what stands there, and the second alone.
 */
static const char *const containers[][2] = { { "typing.List", "list" },
	{ "typing.Dict", "dict" }, { "typing.Set", "set" },
	{ "typing.FrozenSet", "frozenset" }, { "typing.Tuple", "tuple" } };

/* The qualified name of what stands before a bracket. */
static const char *
generic_of(const struct typer *t, const char *name)
{
	if (strcmp(name, "typing.Optional") == 0)
		return "typing.Union";
	for (size_t i = 0; !t->is_modern && i < FX_ARRAY_LEN(containers); i++)
		if (strcmp(name, containers[i][1]) == 0)
			return containers[i][0];
	return origin_of(name);
}

static void
print_name(struct typer *t, const char *name)
{
	if (strcmp(name, "None") == 0)
		name = "NoneType";
	else if (strcmp(name, "Ellipsis") == 0)
		name = "...";
	for (size_t i = 0; t->is_modern && i < FX_ARRAY_LEN(containers); i++)
		if (strcmp(name, containers[i][0]) == 0)
			name = containers[i][1];
	fx_buf_add(t->out,
		fx_code_names_global(t->names, fx_intern(origin_of(name))));
}

/* Types separated by SEPARATOR in TEXT, joined by it without blanks. */
static void
print_parts(struct typer *t, const char *text, size_t length, char separator)
{
	for (;;) {
		size_t part = find_outside(text, length, separator);

		print_type(t, text, part);
		if (part == length)
			return;
		fx_buf_add_char(t->out, separator);
		text += part + 1;
		length -= part + 1;
	}
}

static void
print_generic(struct typer *t, const char *text, size_t open, size_t length)
{
	const char *name = fx_intern_n(text, open);
	const char *origin = generic_of(t, name);

	fx_buf_add(t->out, fx_code_names_global(t->names, fx_intern(origin)));
	text += open + 1;
	length -= open + 2;
	if (length == 2 && strncmp(text, "()", 2) == 0)
		return;
	fx_buf_add_char(t->out, '[');
	print_parts(t, text, length, ',');
	if (strcmp(name, "typing.Optional") == 0)
		fx_buf_add(t->out, ",NoneType");
	fx_buf_add_char(t->out, ']');
}

static void
print_type(struct typer *t, const char *text, size_t length)
{
	size_t open;

	while (length && *text == ' ') {
		text++;
		length--;
	}
	while (length && text[length - 1] == ' ')
		length--;
	open = find_outside(text, length, '[');
	if (++t->depth > DEPTH_LIMIT)
		print_name(t, fx_intern_n(text, length));
	else if (open == 0 && length > 2 && text[length - 1] == ']')
		print_parts(t, text + 1, length - 2, ','); /* of a Callable */
	else if (length > 3 && *text == '(' && text[length - 1] == ')')
		print_parts(t, text + 1, length - 2 - (text[length - 2] == ','),
			',');
	else if (find_outside(text, length, '|') < length && t->is_modern)
		print_parts(t, text, length, '|');
	else if (open > 0 && open < length && text[length - 1] == ']' &&
		 find_outside(text, length, '|') == length)
		print_generic(t, text, open, length);
	else
		print_name(t, fx_intern_n(text, length));
	t->depth--;
}

/* An annotation that stands as a string already ("f32[2, 3]" of a dump). */
static bool
is_quoted(const char *type)
{
	size_t length = strlen(type);

	return length > 1 && type[0] == '"' && type[length - 1] == '"';
}

void
fx_code_names_type(struct fx_code_names *names, const char *type,
	unsigned dialect, struct fx_buf *out)
{
	struct typer t = { .names = names, .out = out };

	t.is_modern = fx_dialect_is_newer(dialect, FX_DIALECT_MODERN_TYPES);
	if (is_quoted(type))
		fx_buf_add(out, type);
	else
		print_type(&t, type, strlen(type));
}

/* python_repr.c - repr(module): Class(configuration, (name): child ...).
 *
 * The configuration is what the class's extra_repr writes, which for torch's
 * layers are arguments of its constructor.
 */
#include <config.h>

#include <limits.h>
#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/str.h"
#include "ir/module.h"
#include "lang/parse.h"
#include "load/python_private.h"

/* Modules within modules are read to this depth. */
#define DEPTH 100
/* Equal children are joined, "(0-999999): 1000000 x Linear()", and read anew
 * for each: so many characters in all, of which a module is worth some.
 */
#define BUDGET      50000000
#define MODULE_COST 500

struct repr {
	struct fx_py *py;
	const char *at;
	int depth;
	size_t left; /* of the budget */
};

static const struct {
	const char *name;
	const char *qualified;
} containers[] = {
	{ "Module", "torch.nn.modules.module.Module" },
	{ "Sequential", "torch.nn.modules.container.Sequential" },
	{ "ModuleList", "torch.nn.modules.container.ModuleList" },
	{ "ModuleDict", "torch.nn.modules.container.ModuleDict" },
	{ "GraphModule", "torch.fx.graph_module.GraphModule" },
};

static struct fx_module *read_module(struct repr *repr);

static const char *
qualified(const char *name)
{
	size_t i;

	for (i = 0; i < FX_ARRAY_LEN(containers); i++)
		if (!strcmp(name, containers[i].name))
			return containers[i].qualified;
	return name;
}

static size_t
name_length(const char *text)
{
	return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvw"
			    "xyz0123456789_.");
}

/* Length of "(name): " at TEXT, or 0.  2.x joins equal children: "(0-3): ". */
static size_t
child_head(const char *text)
{
	size_t length;

	if (*text != '(')
		return 0;
	length = name_length(text + 1);
	if (text[1 + length] == '-')
		length += 1 + name_length(text + 2 + length);
	if (length == 0 || strncmp(text + 1 + length, "): ", 3) != 0 ||
		memchr(text, '.', length))
		return 0;
	return length + 4;
}

/* Pass the configuration: up to the bracket that closes the module or the
 * first child.
 */
static const char *
skip_configuration(const char *text)
{
	int open = 0;

	for (; *text; text++) {
		if (open == 0 && (*text == ')' || child_head(text) > 0))
			break;
		if (strchr("([{", *text))
			open++;
		else if (strchr(")]}", *text))
			open--;
	}
	return text;
}

/* Append CONFIGURATION with quotes around words that have none, as in
 * padding_mode=circular of a convolution.
 */
static void
add_configuration(struct fx_buf *out, const char *configuration, size_t length)
{
	const char *end = configuration + length;
	const char *at = configuration;

	while (at < end) {
		size_t word =
			*at == '=' ? strspn(at + 1, "abcdefghijklmnopqrstuvwxyz"
						    "_")
				   : 0;

		fx_buf_add_char(out, *at++);
		if (!word || at + word > end ||
			(at[word] != ',' && at + word != end))
			continue;
		fx_buf_addf(out, "'%.*s'", (int)word, at);
		at += word;
	}
}

/* A module of class NAME with the constructor's arguments in CONFIGURATION. */
static struct fx_module *
construct(struct repr *repr, const char *name, const char *configuration,
	size_t length)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_py py = *repr->py;
	struct fx_ast *call;
	struct fx_error *err;

	fx_buf_addf(&text, "%s(", name);
	add_configuration(&text, configuration, length);
	fx_buf_add_char(&text, ')');
	err = fx_parse_expression(arena, text.data, text.length,
		FX_PARSE_PYTHON, &call);
	if (err || call->kind != FX_AST_CALL ||
		call->height > FX_BUILD_HEIGHT) {
		fx_error_free(err);
		return fx_module_new(repr->py->build.graph, name);
	}
	py.build.text = text.data;
	return fx_py_construct(&py, call);
}

static void
add_children(struct repr *repr, struct fx_module *module, const char *head)
{
	size_t length = strcspn(head + 1, ")-");
	const char *dash = head[1 + length] == '-' ? head + 2 + length : NULL;
	long first = strtol(head + 1, NULL, 10);
	long last = dash ? strtol(dash, NULL, 10) : first;
	const char *begin;

	if (dash) {
		repr->at += strspn(repr->at, "0123456789");
		if (fx_str_starts(repr->at, " x "))
			repr->at += 3;
	}
	begin = repr->at;
	if (!dash) {
		fx_module_add_child(module, fx_intern_n(head + 1, length),
			read_module(repr));
		if (repr->at == begin)
			repr->at += name_length(begin);
		return;
	}
	/* LONG_MAX is what any larger number is read as. */
	for (; first <= last && first < LONG_MAX; first++) {
		struct fx_module *child;

		repr->at = begin;
		child = read_module(repr);
		if (!child)
			return;
		fx_module_add_child(module, fx_intern_format("%ld", first),
			child);
	}
}

/* Take what a module of LENGTH characters costs; false when that is too much.
 */
static bool
spend(struct repr *repr, size_t length)
{
	bool enough = repr->left >= length + MODULE_COST;

	repr->left -= enough ? length + MODULE_COST : repr->left;
	if (!enough)
		fx_build_notice(&repr->py->build,
			"__init__: a module that is described "
			"in a comment is too large to read");
	return enough;
}

/* NULL when there is no module, as at "None", or too deep, or too many. */
static struct fx_module *
read_module(struct repr *repr)
{
	size_t length = name_length(repr->at);
	const char *name = fx_intern_n(repr->at, length);
	struct fx_module *module = NULL;
	const char *configuration;
	const char *end;
	size_t head;

	if (length == 0 || repr->at[length] != '(' || repr->depth == DEPTH ||
		repr->left == 0)
		return NULL;
	configuration = repr->at + length + 1;
	configuration += strspn(configuration, " ");
	end = skip_configuration(configuration);
	if (!spend(repr, (size_t)(end - repr->at)))
		return NULL;
	repr->depth++;
	repr->at = end;
	if (child_head(end) == 0 && qualified(name) == name)
		module = construct(repr, name, configuration,
			(size_t)(end - configuration));
	if (!module)
		module = fx_module_new(repr->py->build.graph, qualified(name));
	while ((head = child_head(repr->at)) > 0) {
		const char *at = repr->at;

		repr->at += head;
		add_children(repr, module, at);
		repr->at += strspn(repr->at, " ");
	}
	if (*repr->at == ')')
		repr->at++;
	repr->depth--;
	return module;
}

struct fx_module *
fx_py_repr(struct fx_py *py, const char *text)
{
	struct repr repr = { .py = py, .at = text, .left = BUDGET };

	return read_module(&repr);
}

/* type_text.c - annotations as generated code spells them.
 *
 * A node's type is kept as Python shows it (typing.Optional[torch.Tensor]);
 * code has no imports but one identifier a global, so torch.fx prints
 * typing_Union[torch.Tensor,NoneType] (semantics 6.7).  The text is read as
 *
 *	type:  name | name '[' type, ... ']' | '[' type, ... ']' | type '|' type
 *
 * and what does not fit becomes one identifier.
 */
#include <config.h>

#include "emit/code_names.h"

#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/str.h"
#include "ops/dialect.h"

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
	const char *step = name + strlen("typing.");

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

/* python_meta.c - what verbose code says beside the statements: shapes in
 * annotations, source lines in comments.
 */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "ir/tensor_meta.h"
#include "load/python_private.h"

/* What is known of "Sym(u0 >= 0)" or "Sym(2.5)": no sizes, but their type. */
static bool
read_symbolic(const char *text, struct fx_value *ret)
{
	static const char head[] = "Sym(";
	size_t length = strlen(text);
	double real;

	if (!fx_str_starts(text, head) || text[length - 1] != ')')
		return false;
	text += sizeof(head) - 1;
	length -= sizeof(head);
	if (fx_number_parse_double(text, length, &real))
		*ret = fx_value_float(real);
	else if (strcspn(text, "<>=") < length)
		*ret = fx_value_text(FX_VALUE_UNKNOWN,
			fx_intern_format("bool %.*s", (int)length, text));
	else
		return false;
	return true;
}

const struct fx_value *
fx_py_meta(struct fx_py *py, const struct fx_ast *annotation)
{
	struct fx_value *meta;
	struct fx_error *err;

	if (!annotation || annotation->kind != FX_AST_STRING)
		return NULL;
	if (!py->dialect)
		py->dialect = "2.x";
	meta = FX_ARENA_NEW(py->build.graph->values, struct fx_value);
	err = fx_tensor_meta_parse(py->build.graph->values, annotation->string,
		annotation->length, meta);
	if (!err)
		return meta;
	fx_error_free(err);
	if (read_symbolic(annotation->string, meta))
		return meta;
	fx_build_notice(&py->build, "the annotation \"%s\" is not understood",
		annotation->string);
	return NULL;
}

/* The number at TEXT, up to a blank or comma; 0 when there is none. */
static int
line_number(const char *text)
{
	int64_t number;

	if (!fx_number_parse_int(text, strspn(text, "0123456789"), &number) ||
		number > INT32_MAX)
		return 0;
	return (int)number;
}

/* "path:12 in forward, code: y = x" after "File: "; LENGTH bytes. */
static void
read_place(struct fx_py *py, const char *text, size_t length)
{
	FX_AUTO_FREE char *line = fx_xstrndup(text, length);
	char *code = strstr(line, ", code: ");
	struct fx_source_frame frame = { 0 };
	char *colon;
	char *function;

	if (code) {
		*code = '\0';
		frame.text = fx_intern(code + strlen(", code: "));
	}
	for (colon = line + strlen(line); colon > line; colon--)
		if (*colon == ':' && line_number(colon + 1) > 0)
			break;
	if (*colon != ':')
		return;
	function = strstr(colon, " in ");
	if (function)
		frame.function = fx_intern(function + strlen(" in "));
	if (!py->dialect)
		py->dialect = function ? "2.x" : "1.13";
	frame.line = line_number(colon + 1);
	frame.file = fx_intern_n(line, (size_t)(colon - line));
	py->source = fx_graph_source(py->build.graph, &frame, 1);
}

static void
read_comment(struct fx_py *py, const char *line, size_t length)
{
	static const char none[] = "# No stacktrace found";
	size_t i;

	if (length >= sizeof(none) - 1 &&
		!strncmp(line, none, sizeof(none) - 1)) {
		py->source = NULL;
		if (!py->dialect)
			py->dialect = line[length - 1] == ' ' ? "1.13" : "2.x";
		return;
	}
	for (i = 0; i + 6 < length; i++) {
		if (!strncmp(line + i, "File: ", 6)) {
			read_place(py, line + i + 6, length - i - 6);
			return;
		}
	}
}

void
fx_py_comments(struct fx_py *py, const struct fx_ast *statement)
{
	const char *at = statement->comment_above;

	while (at && *at) {
		size_t length = strcspn(at, "\n");

		read_comment(py, at, length);
		at += length;
		at += *at == '\n';
	}
}

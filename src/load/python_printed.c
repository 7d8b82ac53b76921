/* python_printed.c - print(gm): the modules, as repr writes them, and the code.
 */
#include <config.h>

#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "load/python.h"
#include "load/python_private.h"

static size_t
name_length(const char *text)
{
	return strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvw"
			    "xyz0123456789_");
}

/* Where the bracket that TEXT begins with is closed, or NULL. */
static const char *
find_close(const char *text)
{
	size_t open = 0;

	for (; *text; text++) {
		if (strchr("([{", *text))
			open++;
		else if (strchr(")]}", *text) && --open == 0)
			return text;
	}
	return NULL;
}

bool
fx_is_printed(const char *text)
{
	text += strspn(text, " \t\n");
	text += name_length(text);
	return fx_str_starts(text, "(\n") || fx_str_starts(text, "()\n");
}

size_t
fx_printed_modules(const char *text)
{
	const char *begin = text + strspn(text, " \t\n");
	size_t name = name_length(begin);
	const char *end;
	const char *code;

	if (!name || begin[name] != '(')
		return 0;
	end = find_close(begin + name);
	if (!end || end[1] != '\n')
		return 0;
	code = end + 1 + strspn(end + 1, " \t\n");
	return fx_str_starts(code, "def ") || fx_str_starts(code, "torch.fx.")
		       ? (size_t)(end + 1 - text)
		       : 0;
}

/* The LENGTH bytes of TEXT on one line; the caller's. */
static char *
one_line(const char *text, size_t length)
{
	char *line = fx_xmalloc(length + 1);
	size_t to = 0;

	for (size_t i = 0; i < length; i++) {
		line[to++] = text[i] == '\n' ? ' ' : text[i];
		if (text[i] == '\n')
			i += strspn(text + i + 1, " \t");
	}
	line[to] = '\0';
	return line;
}

bool
fx_py_printed(struct fx_py *py, char *text)
{
	size_t length = fx_printed_modules(text);
	size_t blank = strspn(text, " \t\n");
	FX_AUTO_FREE char *line = NULL;
	struct fx_module *module;

	if (!length)
		return false;
	line = one_line(text + blank, length - blank);
	py->build.graph->class_name = fx_intern_n(line, name_length(line));
	py->build.root->class_name = py->build.graph->class_name;
	/* "Net()" has no children, and is no layer to be made. */
	module = fx_str_ends(line, "()") ? NULL : fx_py_repr(py, line);
	for (size_t i = 0; module && i < module->member_count; i++)
		fx_module_add_child(py->build.root, module->members[i].name,
			module->members[i].child);
	/* Lines keep their numbers. */
	for (size_t i = 0; i < length; i++)
		if (text[i] != '\n')
			text[i] = ' ';
	return true;
}

void
fx_py_note_parameters(struct fx_py *py)
{
	struct fx_module *root = py->build.root;
	struct fx_node *node;
	size_t count = 0;

	fx_graph_for_each_node (node, py->build.graph)
		count += node->opcode == FX_OPCODE_GET_ATTR &&
			 !fx_module_find_tensor(root, node->target);
	if (count)
		fx_build_notice(&py->build,
			"print(gm) shows no parameters but those of layers: "
			"%zu that the code gets %s not described",
			count, count == 1 ? "is" : "are");
}

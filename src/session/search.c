/* search.c - finding nodes by what a person remembers of them. */
#include <config.h>

#include "session/search.h"

#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/node.h"
#include "ir/value_text.h"

static bool
is_glob(const char *text)
{
	return strpbrk(text, "*?[") && !strchr(text, ',');
}

/* The last part of the class: all of torch's have "torch" and "modules". */
static bool
class_has(const struct fx_node *node, const char *text)
{
	const struct fx_module *module;
	const char *dot;

	if (node->opcode != FX_OPCODE_CALL_MODULE)
		return false;
	module = fx_module_find(node->graph->module, node->target);
	if (!module || !module->class_name)
		return false;
	dot = strrchr(module->class_name, '.');
	return fx_str_has(dot ? dot + 1 : module->class_name, text);
}

static bool
shape_has(const struct fx_node *node, const char *text)
{
	FX_AUTO_BUF struct fx_buf shape = { 0 };

	if (!node->meta)
		return false;
	fx_value_print_shape(&shape, node->meta, false);
	return fx_str_has(fx_buf_text(&shape), text);
}

bool
fx_search_row(const struct fx_node *node, const char *text)
{
	if (is_glob(text) && (fx_str_glob(text, node->name) ||
				     fx_str_glob(text, node->target)))
		return true;
	return fx_str_has(node->name, text) || fx_str_has(node->target, text) ||
	       class_has(node, text) || shape_has(node, text);
}

const char *
fx_search_source(const struct fx_node *node, const char *text)
{
	for (size_t i = 0; node->source && i < node->source->count; i++) {
		const char *line = node->source->frames[i].text;

		if (line && fx_str_has(line, text))
			return line;
	}
	return NULL;
}

bool
fx_search(const struct fx_node *node, const char *text)
{
	return fx_search_row(node, text) || fx_search_source(node, text);
}

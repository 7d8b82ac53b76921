/* brief.c - a node in a few words. */
#include <config.h>

#include "session/brief.h"

#include <string.h>

#include "base/buf.h"
#include "emit/edits.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/module_text.h"
#include "ops/meaning.h"

static bool
is_number(const char *text, size_t length)
{
	return length && strspn(text, "0123456789") >= length;
}

/* One part of a configuration, "kernel_size=(3, 3)", shorter: numbers in
 * parentheses as 3x3, for the first of them without the name.
 */
static void
add_part(struct fx_buf *out, const char *part, size_t length, const char *times,
	bool *has_tuple)
{
	const char *open = memchr(part, '(', length);
	const char *at = open ? open + 1 : NULL;

	if (!open || part[length - 1] != ')' ||
		strspn(at, "0123456789, ") + 1 < (size_t)(part + length - at)) {
		fx_buf_add_n(out, part, length);
		return;
	}
	if (*has_tuple)
		fx_buf_add_n(out, part, (size_t)(open - part));
	*has_tuple = true;
	for (; at < part + length - 1; at++) {
		if (*at == ' ')
			continue;
		if (*at != ',')
			fx_buf_add_char(out, *at);
		else if (at[1] != ')')
			fx_buf_add(out, times);
	}
}

/* The length of the part that TEXT begins with: up to a comma outside of
 * parentheses.
 */
static size_t
part_length(const char *text)
{
	int depth = 0;
	size_t i = 0;

	for (; text[i] && (depth || text[i] != ','); i++)
		depth += (text[i] == '(') - (text[i] == ')');
	return i;
}

/* "64, 128, kernel_size=(3, 3)" as "64 -> 128 3x3". */
static void
add_config(struct fx_buf *out, const char *text, bool is_ascii)
{
	const char *arrow = is_ascii ? "->" : "\u2192";
	bool has_tuple = false;
	bool was_number = false;

	while (*text) {
		size_t length = part_length(text);
		bool is_plain = is_number(text, length);

		if (was_number && is_plain)
			fx_buf_add(out, arrow);
		else
			fx_buf_add_char(out, ' ');
		add_part(out, text, length, is_ascii ? "x" : "\u00d7",
			&has_tuple);
		was_number = is_plain;
		text += length;
		text += strspn(text, ", ");
	}
}

static struct fx_module *
module_of(const struct fx_node *node)
{
	return node->opcode == FX_OPCODE_CALL_MODULE && node->graph->module
		       ? fx_module_find(node->graph->module, node->target)
		       : NULL;
}

void
fx_brief_print(struct fx_buf *out, const struct fx_node *node, bool is_ascii)
{
	const struct fx_module *module = module_of(node);
	FX_AUTO_BUF struct fx_buf config = { 0 };
	const char *word;
	size_t length;

	if (module) {
		fx_buf_add(out, fx_class_short_name(module->class_name));
		fx_module_print_config(&config, module);
		add_config(out, fx_buf_text(&config), is_ascii);
	} else if (node->opcode == FX_OPCODE_CALL_FUNCTION) {
		word = fx_meaning_word(node->target, &length);
		if (strncmp(node->name, word, length) != 0)
			fx_buf_add_n(out, word, length);
	}
}

uint64_t
fx_brief_parameters(const struct fx_node *node)
{
	struct fx_module *module = module_of(node);

	return module ? (uint64_t)fx_module_parameter_count(module) : 0;
}

bool
fx_brief_replace(struct fx_buf *out, const struct fx_node *node)
{
	FX_AUTO_BUF struct fx_buf expression = { 0 };

	if (!fx_emit_expression(&expression, node))
		return false;
	fx_buf_addf(out, "replace %%%s = %s", node->name,
		fx_buf_text(&expression));
	return true;
}

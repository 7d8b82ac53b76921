/* dot.c - a graph in Graphviz's language.
 *
 * Boxes, not records: in a box's label only the backslash, the quote and the
 * ampersand need care, while records read braces, bars and angle brackets.
 * Colours are those of torch's own drawer.
 */
#include <config.h>

#include "emit/dot.h"

#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/value_text.h"

/* Longer label lines are cut: Graphviz refuses strings beyond 16 KB. */
#define LINE_LIMIT 120

/* TEXT within quotes; bytes that are no UTF-8 and control characters are made
 * visible first, as Graphviz would read the label anew as Latin-1.
 */
void
fx_emit_dot_text(struct fx_buf *out, const char *text, size_t length)
{
	FX_AUTO_BUF struct fx_buf safe = { 0 };

	fx_utf8_add_visible(&safe, text, length);
	for (const char *c = fx_buf_text(&safe); *c; c++) {
		if (*c == '"' || *c == '\\')
			fx_buf_add_char(out, '\\');
		if (*c == '&')
			fx_buf_add(out, "&amp;");
		else
			fx_buf_add_char(out, *c);
	}
}

/* One line of a label, flushed left. */
static void
add_line(struct fx_buf *out, const char *text, size_t length)
{
	size_t fits = fx_utf8_fit(text, length, LINE_LIMIT);

	fx_emit_dot_text(out, text, fits);
	if (fits < length)
		fx_buf_add(out, "...");
	fx_buf_add(out, "\\l");
}

static const char *
fill_colour(const struct fx_node *node)
{
	switch ((enum fx_opcode)node->opcode) {
	case FX_OPCODE_PLACEHOLDER:
		return "AliceBlue";
	case FX_OPCODE_GET_ATTR:
		return "LightGrey";
	case FX_OPCODE_CALL_FUNCTION:
		return "DarkSeaGreen1";
	case FX_OPCODE_CALL_MODULE:
		return "LemonChiffon1";
	case FX_OPCODE_CALL_METHOD:
		return "Khaki1";
	case FX_OPCODE_OUTPUT:
		return "PowderBlue";
	case FX_OPCODE_COUNT:
		break;
	}
	return "White";
}

static void
add_name(struct fx_buf *out, const struct fx_node *node)
{
	fx_buf_add_char(out, '"');
	fx_emit_dot_text(out, node->name, strlen(node->name));
	fx_buf_add_char(out, '"');
}

/* Which kind of module a path leads to, as the path seldom says. */
static void
add_class(struct fx_buf *out, const struct fx_node *node)
{
	const struct fx_module *module = NULL;
	const char *name;

	if (node->opcode == FX_OPCODE_CALL_MODULE)
		module = fx_module_find(node->graph->module, node->target);
	if (!module || !module->class_name)
		return;
	name = fx_class_short_name(module->class_name);
	add_line(out, name, strlen(name));
}

static void
add_node(struct fx_buf *out, const struct fx_node *node)
{
	FX_AUTO_BUF struct fx_buf line = { 0 };

	fx_buf_add(out, "  ");
	add_name(out, node);
	fx_buf_add(out, " [label=\"");
	fx_buf_addf(&line, "%%%s", node->name);
	add_line(out, fx_buf_text(&line), line.length);
	fx_buf_clear(&line);
	fx_buf_add(&line, fx_opcode_word((enum fx_opcode)node->opcode));
	if (node->opcode != FX_OPCODE_OUTPUT) {
		fx_buf_add_char(&line, ' ');
		fx_buf_add(&line, node->target);
	}
	add_line(out, fx_buf_text(&line), line.length);
	add_class(out, node);
	if (node->meta) {
		fx_buf_clear(&line);
		fx_value_print_shape(&line, node->meta, true);
		add_line(out, fx_buf_text(&line), line.length);
	}
	fx_buf_addf(out, "\", fillcolor=\"%s\"];\n", fill_colour(node));
}

static void
add_edges(struct fx_buf *out, const struct fx_node *node)
{
	for (uint32_t i = 0; i < node->use_count; i++) {
		fx_buf_add(out, "  ");
		add_name(out, node->uses[i].input);
		fx_buf_add(out, " -> ");
		add_name(out, node);
		fx_buf_add(out, ";\n");
	}
}

static void
add_header(struct fx_buf *out, const struct fx_graph *graph)
{
	const char *name = graph->class_name;

	if (!name)
		name = graph->name ? graph->name : "graph";
	fx_buf_add(out, "digraph \"");
	fx_emit_dot_text(out, name, strlen(name));
	fx_buf_add(out, "\" {\n  rankdir=TB;\n  node [shape=box, "
			"style=\"filled,rounded\", fontsize=10, "
			"fontname=\"Courier\"];\n");
}

void
fx_emit_dot(struct fx_buf *out, const struct fx_graph *graph)
{
	const struct fx_node *node;

	add_header(out, graph);
	fx_graph_for_each_node (node, graph)
		add_node(out, node);
	fx_graph_for_each_node (node, graph)
		add_edges(out, node);
	fx_buf_add(out, "}\n");
}

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

struct drawer {
	struct fx_buf *out;
	struct fx_graph *graph;
	const struct fx_emit_dot *options;
};

static bool
is_drawn(const struct drawer *d, const struct fx_node *node)
{
	return !d->options->wants ||
	       d->options->wants(d->options->context, node);
}

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

static bool
is_long(struct drawer *d, const struct fx_node *from, const struct fx_node *to)
{
	size_t limit = d->options->edge_limit;

	return limit && fx_graph_position(d->graph, to) >
				fx_graph_position(d->graph, from) + limit;
}

/* Lines that stand for edges which are not drawn. */
static void
add_long_edges(struct drawer *d, const struct fx_node *node)
{
	FX_AUTO_BUF struct fx_buf line = { 0 };
	const struct fx_use *use;

	for (uint32_t i = 0; i < node->use_count; i++) {
		if (!is_long(d, node->uses[i].input, node))
			continue;
		fx_buf_clear(&line);
		fx_buf_addf(&line, "<- %%%s", node->uses[i].input->name);
		add_line(d->out, fx_buf_text(&line), line.length);
	}
	fx_node_for_each_user (use, node) {
		if (!is_long(d, node, use->user))
			continue;
		fx_buf_clear(&line);
		fx_buf_addf(&line, "-> %%%s", use->user->name);
		add_line(d->out, fx_buf_text(&line), line.length);
	}
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
add_class(struct drawer *d, const struct fx_node *node)
{
	const struct fx_module *module = NULL;
	const char *name;

	if (node->opcode == FX_OPCODE_CALL_MODULE)
		module = fx_module_find(node->graph->module, node->target);
	if (!module || !module->class_name)
		return;
	name = fx_class_short_name(module->class_name);
	add_line(d->out, name, strlen(name));
}

static void
add_node(struct drawer *d, const struct fx_node *node)
{
	FX_AUTO_BUF struct fx_buf line = { 0 };

	fx_buf_add(d->out, "  ");
	add_name(d->out, node);
	fx_buf_add(d->out, " [label=\"");
	fx_buf_addf(&line, "%%%s", node->name);
	add_line(d->out, fx_buf_text(&line), line.length);
	fx_buf_clear(&line);
	fx_buf_add(&line, fx_opcode_word((enum fx_opcode)node->opcode));
	if (node->opcode != FX_OPCODE_OUTPUT) {
		fx_buf_add_char(&line, ' ');
		fx_buf_add(&line, node->target);
	}
	add_line(d->out, fx_buf_text(&line), line.length);
	add_class(d, node);
	if (node->meta) {
		fx_buf_clear(&line);
		fx_value_print_shape(&line, node->meta, true);
		add_line(d->out, fx_buf_text(&line), line.length);
	}
	if (d->options->edge_limit)
		add_long_edges(d, node);
	fx_buf_addf(d->out, "\", fillcolor=\"%s\"];\n", fill_colour(node));
}

static void
add_edges(struct drawer *d, const struct fx_node *node)
{
	for (uint32_t i = 0; i < node->use_count; i++) {
		const struct fx_node *input = node->uses[i].input;

		if (!is_drawn(d, input) || is_long(d, input, node))
			continue;
		fx_buf_add(d->out, "  ");
		add_name(d->out, input);
		fx_buf_add(d->out, " -> ");
		add_name(d->out, node);
		fx_buf_add(d->out, ";\n");
	}
}

static void
add_header(struct drawer *d)
{
	const char *name = d->graph->class_name;

	if (!name)
		name = d->graph->name ? d->graph->name : "graph";
	fx_buf_add(d->out, "digraph \"");
	fx_emit_dot_text(d->out, name, strlen(name));
	fx_buf_add(d->out, "\" {\n  rankdir=TB;\n  node [shape=box, "
			   "style=\"filled,rounded\", fontsize=10, "
			   "fontname=\"Courier\"];\n");
}

void
fx_emit_dot(struct fx_buf *out, struct fx_graph *graph,
	const struct fx_emit_dot *options)
{
	static const struct fx_emit_dot everything = { 0 };
	struct drawer d = { out, graph, options ? options : &everything };
	const struct fx_node *node;

	add_header(&d);
	fx_graph_for_each_node (node, graph)
		if (is_drawn(&d, node))
			add_node(&d, node);
	fx_graph_for_each_node (node, graph)
		if (is_drawn(&d, node))
			add_edges(&d, node);
	fx_buf_add(out, "}\n");
}

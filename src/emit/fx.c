/* fx.c - a graph as torch.fx lists it: str(graph), Node.format_node. */
#include <config.h>

#include "emit/fx.h"

#include "base/buf.h"
#include "base/intern.h"
#include "ir/graph.h"
#include "ir/value_text.h"
#include "ops/dialect.h"

static void
add_interned(struct fx_buf *out, const char *text)
{
	fx_buf_add_n(out, text, fx_intern_length(text));
}

void
fx_emit_str(struct fx_buf *out, const struct fx_value *value)
{
	if (value->kind == FX_VALUE_STRING)
		fx_buf_add_n(out, value->text, value->count);
	else if (value->kind == FX_VALUE_DEVICE)
		fx_buf_add(out, value->text);
	else
		fx_value_print_as(out, value, FX_STYLE_PLAIN);
}

/* "%x : type [#users=1] = opcode[target=x]" */
static void
print_left(struct fx_buf *out, const struct fx_node *node,
	const char *users_word)
{
	fx_buf_add_char(out, '%');
	add_interned(out, node->name);
	fx_buf_add(out, " : ");
	if (node->type) {
		add_interned(out, node->type);
		fx_buf_add_char(out, ' ');
	}
	fx_buf_add_char(out, '[');
	fx_buf_add(out, users_word);
	fx_buf_add_char(out, '=');
	fx_buf_add_int(out, node->user_count);
	fx_buf_add(out, "] = ");
	fx_buf_add(out, fx_opcode_word((enum fx_opcode)node->opcode));
	fx_buf_add(out, "[target=");
	add_interned(out, node->target);
	fx_buf_add_char(out, ']');
}

static void
print_default(struct fx_buf *out, const struct fx_node *node)
{
	if (node->args.count == 0)
		return;
	fx_buf_add(out, "(default=");
	fx_emit_str(out, &node->args.items[0]);
	fx_buf_add_char(out, ')');
}

static void
print_arguments(struct fx_buf *out, const struct fx_node *node)
{
	static const struct fx_value_printer printer = {
		.style = FX_STYLE_LISTING,
	};

	fx_buf_add(out, "(args = ");
	fx_value_print(out, &node->args, &printer);
	fx_buf_add(out, ", kwargs = ");
	fx_value_print(out, &node->kwargs, &printer);
	fx_buf_add_char(out, ')');
}

static void
print_return(struct fx_buf *out, const struct fx_node *node)
{
	static const struct fx_value nothing = { .kind = FX_VALUE_NONE };

	fx_buf_add(out, "return ");
	fx_emit_str(out, node->args.count ? &node->args.items[0] : &nothing);
}

static void
print_node(struct fx_buf *out, const struct fx_node *node, const char *users)
{
	switch ((enum fx_opcode)node->opcode) {
	case FX_OPCODE_PLACEHOLDER:
		print_left(out, node, users);
		print_default(out, node);
		return;
	case FX_OPCODE_GET_ATTR:
		print_left(out, node, users);
		return;
	case FX_OPCODE_CALL_FUNCTION:
	case FX_OPCODE_CALL_MODULE:
	case FX_OPCODE_CALL_METHOD:
		print_left(out, node, users);
		print_arguments(out, node);
		return;
	case FX_OPCODE_OUTPUT:
		print_return(out, node);
		return;
	case FX_OPCODE_COUNT:
		return;
	}
}

void
fx_emit_fx_node(struct fx_buf *out, const struct fx_node *node,
	const char *dialect)
{
	unsigned version = fx_dialect_choose(dialect, node->graph->dialect);

	print_node(out, node, fx_dialect_text(version, FX_DIALECT_USERS));
}

void
fx_emit_fx(struct fx_buf *out, const struct fx_graph *graph,
	const char *dialect)
{
	unsigned version = fx_dialect_choose(dialect, graph->dialect);
	const char *users = fx_dialect_text(version, FX_DIALECT_USERS);
	const struct fx_node *node;

	fx_buf_reserve(out, 100 * graph->node_count);
	fx_buf_add(out, "graph():");
	fx_graph_for_each_node (node, graph) {
		fx_buf_add(out, "\n    ");
		print_node(out, node, users);
	}
}

/* edits_call.c - a node as an expression that insert and replace take.
 *
 * The expression is read back where it would be read; where that gives
 * anything else than the node, a plain node is inserted and its fields are
 * set one by one, which can say all that a graph can hold.
 */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "emit/edits_private.h"
#include "ir/edit.h"
#include "ir/fragment.h"
#include "ir/graft.h"
#include "ir/value_text.h"
#include "ir/value_walk.h"
#include "lang/ast.h"
#include "ops/optab.h"

/* --- the text ------------------------------------------------------------ */

static void
add_value(struct fx_buf *text, const struct fx_value *value)
{
	fx_value_print_as(text, value, FX_STYLE_EXACT);
}

static void
add_arguments(struct fx_buf *text, const struct fx_node *node, size_t first)
{
	const char *comma = "";

	fx_buf_add_char(text, '(');
	for (size_t i = first; i < node->args.count; i++) {
		fx_buf_add(text, comma);
		add_value(text, &node->args.items[i]);
		comma = ", ";
	}
	for (size_t i = 0; i < node->kwargs.count; i++) {
		fx_buf_addf(text, "%s%s=", comma,
			node->kwargs.items[2 * i].text);
		add_value(text, &node->kwargs.items[2 * i + 1]);
		comma = ", ";
	}
	fx_buf_add_char(text, ')');
}

/* "%x + 1", where the operator says all that the node does. */
static bool
add_infix(struct fx_buf *text, const struct fx_node *node)
{
	const struct fx_infix *infix = fx_infix_find(node->target);
	size_t wanted = 0;

	if (!infix || infix->is_in_place || node->kwargs.count)
		return false;
	for (const char *f = infix->format; *f; f++)
		wanted += *f == '{';
	if (node->args.count != wanted)
		return false;
	for (const char *f = infix->format; *f; f++) {
		if (*f != '{') {
			fx_buf_add_char(text, *f);
			continue;
		}
		add_value(text, &node->args.items[f[1] - '0']);
		f += 2;
	}
	return true;
}

static void
add_function(struct fx_buf *text, const struct fx_node *node)
{
	if (!strcmp(node->target, "builtins.getattr") &&
		node->args.count == 2 && !node->kwargs.count &&
		node->args.items[0].kind == FX_VALUE_NODE &&
		node->args.items[1].kind == FX_VALUE_STRING) {
		add_value(text, &node->args.items[0]);
		fx_buf_addf(text, ".%s", node->args.items[1].text);
		return;
	}
	if (add_infix(text, node))
		return;
	fx_buf_add(text, node->target);
	add_arguments(text, node, 0);
}

bool
fx_emit_expression(struct fx_buf *text, const struct fx_node *node)
{
	switch ((enum fx_opcode)node->opcode) {
	case FX_OPCODE_GET_ATTR:
		fx_buf_addf(text, "self.%s", node->target);
		return true;
	case FX_OPCODE_CALL_MODULE:
		fx_buf_addf(text, "self.%s", node->target);
		add_arguments(text, node, 0);
		return true;
	case FX_OPCODE_CALL_METHOD:
		if (!node->args.count)
			return false;
		add_value(text, &node->args.items[0]);
		fx_buf_addf(text, ".%s", node->target);
		add_arguments(text, node, 1);
		return true;
	case FX_OPCODE_CALL_FUNCTION:
		add_function(text, node);
		return true;
	case FX_OPCODE_PLACEHOLDER:
	case FX_OPCODE_OUTPUT:
	case FX_OPCODE_COUNT:
		break;
	}
	return false;
}

/* --- reading it back ----------------------------------------------------- */

static struct fx_error *
find_node(void *context, const char *text, const struct fx_ast *tree,
	struct fx_node **ret)
{
	const struct fx_edits *e = context;
	size_t begin = tree->span.begin + (text[tree->span.begin] == '%');
	FX_AUTO_BUF struct fx_buf name = { 0 };

	fx_buf_add_n(&name, text + begin, tree->span.end - begin);
	*ret = fx_graph_find(e->copy, fx_buf_text(&name));
	if (*ret)
		return NULL;
	return fx_error_new(FX_ERR_NO_NODE, "no node \"%s\"",
		fx_buf_text(&name));
}

/* The node of the copy that an input of the fragment stands for. */
static struct fx_value
stood_for(void *context, const struct fx_value *leaf)
{
	const struct fx_fragment *fragment = context;

	if (leaf->kind != FX_VALUE_NODE)
		return *leaf;
	return fx_value_node(fragment->inputs
				     .items[fx_graph_position(fragment->graph,
					     leaf->node)]);
}

static void
add_read(struct fx_buf *text, const struct fx_fragment *fragment,
	const struct fx_value *value)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value read =
		fx_value_map(arena, value, stood_for, (void *)fragment);

	add_value(text, &read);
}

/* Whether the one operation of FRAGMENT is NODE, of the copy. */
static bool
is_same(const struct fx_fragment *fragment, const struct fx_node *node)
{
	const struct fx_node *result = fx_fragment_result(fragment);
	FX_AUTO_BUF struct fx_buf read = { 0 };
	FX_AUTO_BUF struct fx_buf wanted = { 0 };

	if (!result || fragment->module || fx_fragment_is_node(fragment) ||
		fragment->graph->node_count != fragment->inputs.count + 2)
		return false;
	if (result->opcode != node->opcode || result->target != node->target ||
		result->is_wrapped != node->is_wrapped)
		return false;
	add_read(&read, fragment, &result->args);
	fx_buf_add_char(&read, '\n');
	add_read(&read, fragment, &result->kwargs);
	add_value(&wanted, &node->args);
	fx_buf_add_char(&wanted, '\n');
	add_value(&wanted, &node->kwargs);
	return fx_str_equal(fx_buf_text(&read), fx_buf_text(&wanted));
}

/* Whether TEXT is read as NODE in the copy. */
static bool
reads_back(struct fx_edits *e, const char *text, const struct fx_node *node)
{
	const struct fx_fragment_reader reader = {
		.graph = e->copy, .node = find_node, .context = e
	};
	FX_AUTO_FRAGMENT struct fx_fragment fragment = { .graph = NULL };
	struct fx_error *err = fx_fragment_read(&reader, text, &fragment);
	bool is_read = !err && is_same(&fragment, node);

	fx_error_free(err);
	return is_read;
}

/* --- edits --------------------------------------------------------------- */

static struct fx_node_spec
spec_of(struct fx_edits *e, const struct fx_node *node)
{
	return (struct fx_node_spec){ .opcode = (enum fx_opcode)node->opcode,
		.target = node->target,
		.name = node->name,
		.name_is_exact = true,
		.args = fx_edits_import(e, &node->args),
		.kwargs = fx_edits_import(e, &node->kwargs),
		.is_wrapped = node->is_wrapped };
}

/* A node of this opcode and target that reads next to nothing, as an
 * expression; NEAR is any node.
 */
static void
add_stub(struct fx_buf *text, const struct fx_node *node,
	const struct fx_node *near)
{
	if (node->opcode == FX_OPCODE_CALL_FUNCTION)
		fx_buf_add(text, "torch.relu(None)");
	else if (node->opcode == FX_OPCODE_CALL_MODULE)
		fx_buf_addf(text, "self.%s()", node->target);
	else if (node->opcode == FX_OPCODE_GET_ATTR)
		fx_buf_addf(text, "self.%s", node->target);
	else
		fx_buf_addf(text, "%%%s.%s()", near->name, node->target);
}

/* The fields that make a stub NODE. */
static void
say_fields(struct fx_edits *e, const struct fx_node *node)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	if (node->opcode == FX_OPCODE_CALL_FUNCTION)
		fx_edits_say(e, "set %%%s.target = \"%s\"", node->name,
			node->target);
	else if (node->opcode == FX_OPCODE_PLACEHOLDER ||
		 node->opcode == FX_OPCODE_OUTPUT)
		fx_edits_say(e, "set %%%s.op = %s", node->name,
			fx_opcode_word((enum fx_opcode)node->opcode));
	add_value(&text, &node->args);
	fx_edits_say(e, "set %%%s.args = %s", node->name, fx_buf_text(&text));
	fx_buf_clear(&text);
	if (!node->kwargs.count)
		return;
	add_value(&text, &node->kwargs);
	fx_edits_say(e, "set %%%s.kwargs = %s", node->name, fx_buf_text(&text));
}

/* Append NODE as an expression, or a stub.  Whether fields have to be set. */
static bool
add_said(struct fx_edits *e, struct fx_buf *text, const struct fx_node *node,
	const struct fx_node *near)
{
	if (fx_emit_expression(text, node) &&
		reads_back(e, fx_buf_text(text), node))
		return false;
	fx_buf_clear(text);
	add_stub(text, node, near);
	return true;
}

/* With the default, else with the shape if it is known. */
static void
say_new_input(struct fx_edits *e, const struct fx_node *node)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	if (fx_value_item_count(&node->args))
		add_value(&text, &node->args.items[0]);
	else if (node->meta && node->meta->kind == FX_VALUE_TENSOR)
		fx_value_print_shape(&text, node->meta, false);
	fx_edits_say(e, "insert input %s%s%s", node->target,
		text.length ? " = " : "", fx_buf_text(&text));
	if (strcmp(node->target, node->name) != 0)
		fx_edits_say(e, "rename %%%s %s", node->target, node->name);
}

/* Give MADE, an input like NODE, its name, and arguments that only .fxg has. */
static FX_NODISCARD struct fx_error *
finish_input(struct fx_edits *e, const struct fx_node *node,
	struct fx_node *made)
{
	struct fx_value kwargs = fx_edits_import(e, &node->kwargs);
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_error *err = fx_edit_set_name(made, node->name);

	if (err || !kwargs.count)
		return err;
	add_value(&text, &kwargs);
	fx_edits_say(e, "set %%%s.kwargs = %s", node->name, fx_buf_text(&text));
	return fx_edit_set_args(made, made->args, kwargs);
}

/* Create NODE as `insert input` does, behind the other inputs: it is moved to
 * its place later.  False when it is no such input.
 */
static bool
create_input(struct fx_edits *e, const struct fx_node *node)
{
	size_t count = fx_value_item_count(&node->args);
	struct fx_value fallback;
	struct fx_node *made;
	struct fx_error *err;

	if (node->opcode != FX_OPCODE_PLACEHOLDER || count > 1)
		return false;
	if (count)
		fallback = fx_edits_import(e, &node->args.items[0]);
	err = fx_edit_create_input(e->copy, node->target,
		count ? &fallback : NULL, NULL, &made);
	if (err) {
		fx_error_free(err);
		return false;
	}
	say_new_input(e, node);
	fx_map_set_pointer(&e->after, node, made);
	err = finish_input(e, node, made);
	if (err)
		fx_edits_cannot(e, err, "%s cannot be such an input",
			node->name);
	return true;
}

void
fx_edits_create(struct fx_edits *e, const struct fx_node *node,
	struct fx_node *near, bool is_after)
{
	const char *word = is_after ? "after" : "before";
	struct fx_node_spec spec = spec_of(e, node);
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_node *before = is_after ? fx_graph_next(near) : near;
	struct fx_node *made;
	bool has_fields;
	struct fx_error *err;

	if (create_input(e, node))
		return;
	err = fx_edit_create(e->copy, &spec, before, &made);
	if (err) {
		fx_edits_cannot(e, err, "%s cannot be inserted", node->name);
		return;
	}
	fx_map_set_pointer(&e->after, node, made);
	has_fields = add_said(e, &text, made, near);
	/* A stub may read what it is near to. */
	fx_edits_say(e, "insert %s %%%s : %s = %s", has_fields ? "after" : word,
		near->name, node->name, fx_buf_text(&text));
	if (has_fields)
		say_fields(e, made);
	if (has_fields && !is_after)
		fx_edits_say(e, "move %%%s before %%%s", node->name,
			near->name);
}

int
fx_edits_lines_replaced(const struct fx_node *node)
{
	return 1 + (node->type != NULL);
}

void
fx_edits_replace(struct fx_edits *e, const struct fx_node *node,
	struct fx_node *old)
{
	struct fx_node_spec spec = spec_of(e, node);
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_node *made = NULL;
	const struct fx_node *near = fx_graph_previous(old);
	struct fx_value value;
	bool has_fields = false;
	struct fx_error *err;

	spec.name = NULL;
	spec.name_is_exact = false;
	spec.heir_of = old;
	if (!near)
		near = fx_graph_next(old);
	err = fx_edit_create(e->copy, &spec, old, &made);
	value = fx_value_node(made);
	if (!err) {
		has_fields = add_said(e, &text, made, near);
		err = fx_edit_replace_uses(old, &value, NULL, NULL, NULL);
	}
	if (!err)
		err = fx_edit_erase(old);
	if (err) {
		fx_edits_cannot(e, err, "%s cannot be replaced", node->name);
		return;
	}
	fx_map_set_pointer(&e->after, node, made);
	fx_edits_say(e, "replace %%%s = %s", node->name, fx_buf_text(&text));
	if (has_fields)
		say_fields(e, made);
}

/* python.c - a graph as the Python code that torch.fx generates for it.
 *
 * The frame: signature, body, frees, `# File:` lines, inner classes.  The
 * signature is known only when the body has been written, as names are given
 * in the order of the nodes; so both are written apart and joined.
 */
#include <config.h>

#include "emit/python.h"

#include <string.h>

#include "base/intern.h"
#include "base/vec.h"
#include "emit/python_private.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ops/dialect.h"

/* Levels of graphs within graphs that are printed as inner classes. */
#define CLASS_DEPTH_LIMIT 50

/* If a node has at most this many users, its last user is searched for each
 * time.  For other nodes the last user is cached.
 */
#define FEW_USERS 8

void
fx_emit_ranges_deinit(struct fx_emit_ranges *ranges)
{
	fx_vec_deinit(ranges);
}

static bool
is_newer(const struct fx_coder *c, enum fx_dialect row)
{
	return fx_dialect_is_newer(c->dialect, row);
}

static const struct fx_node *
find_last_user(const struct fx_node *input)
{
	const struct fx_node *last = input->first_user->user;
	const struct fx_use *use;

	fx_node_for_each_user (use, input)
		if (fx_node_is_before(last, use->user))
			last = use->user;
	return last;
}

/* Whether NODE, which uses INPUT, is the last to do so.  Of many users the last
 * is looked for once.
 */
static bool
is_last_user(struct fx_coder *c, const struct fx_node *node,
	const struct fx_node *input)
{
	const struct fx_node *last;

	if (input->user_count <= FEW_USERS)
		return find_last_user(input) == node;
	last = fx_map_get_pointer(&c->last_users, input);
	if (!last) {
		last = find_last_user(input);
		fx_map_set_pointer(&c->last_users, input, last);
	}
	return last == node;
}

static void
add_name(struct fx_coder *c, const struct fx_node *node)
{
	const char *name = fx_code_names_of(&c->names, node);

	fx_buf_add_n(&c->body, name, fx_intern_length(name));
}

static void
add_free(struct fx_coder *c, const struct fx_node *node, bool *has_any)
{
	fx_buf_add_n(&c->body, *has_any ? " = " : ";  ", 3);
	*has_any = true;
	add_name(c, node);
}

/* ";  a = b = None" for the values that NODE used last, and for its own when
 * nothing uses it.
 */
static void
print_frees(struct fx_coder *c, const struct fx_node *node)
{
	bool has_any = false;

	for (uint32_t i = 0; i < node->use_count; i++)
		if (is_last_user(c, node, node->uses[i].input))
			add_free(c, node->uses[i].input, &has_any);
	if (node->user_count == 0 && is_newer(c, FX_DIALECT_FREES_UNUSED))
		add_free(c, node, &has_any);
	if (has_any)
		fx_buf_add_n(&c->body, " = None", 7);
}

/* ID 0 says that the place is known only when the signature is written. */
static void
add_range(struct fx_coder *c, uint64_t id, size_t begin, size_t end)
{
	if (c->ranges)
		fx_vec_push(c->ranges,
			((struct fx_emit_range){ id, begin, end }));
}

static const char *
without_stars(const char *target)
{
	while (*target == '*')
		target++;
	return target;
}

/* "x : torch.Tensor = 2.0", and the line "x_1 = x" when the parameter may not
 * be called as the node is.
 */
static void
print_placeholder(struct fx_coder *c, const struct fx_node *node)
{
	const char *raw = without_stars(node->target);
	const char *name;
	size_t begin;

	fx_buf_add(&c->parameters, node->target);
	fx_code_annotation(c, node, &c->parameters);
	if (node->args.count) {
		fx_buf_add_n(&c->parameters, " = ", 3);
		fx_value_print(&c->parameters, &node->args.items[0],
			&c->printer);
	}
	name = fx_code_names_assign(&c->names, node);
	if (c->names.renamed.count)
		c->printer.name = fx_code_names_of;
	if (strcmp(raw, name) == 0) {
		add_range(c, 0, 0, 0);
	} else {
		fx_buf_add_repeat(&c->body, ' ', c->indent);
		begin = c->body.length;
		fx_buf_addf(&c->body, "%s = %s", name, raw);
		add_range(c, node->id, begin, c->body.length);
		fx_buf_add_char(&c->body, '\n');
	}
	fx_buf_add_char(&c->parameters, '\n');
}

static void
print_output(struct fx_coder *c, const struct fx_node *node)
{
	const struct fx_pytree *pytree = c->pytree;
	static const struct fx_value nothing = { .kind = FX_VALUE_NONE };

	if (node->type) {
		fx_buf_clear(&c->returns);
		fx_buf_add(&c->returns, " -> ");
		fx_code_names_type(&c->names, node->type, c->dialect,
			&c->returns);
	}
	fx_buf_add(&c->body, pytree && pytree->has_outputs
				     ? "return pytree.tree_unflatten("
				     : "return ");
	fx_value_print(&c->body,
		node->args.count ? &node->args.items[0] : &nothing,
		&c->printer);
	if (pytree && pytree->has_outputs)
		fx_buf_add(&c->body, ", self._out_spec)");
}

static void
print_node(struct fx_coder *c, const struct fx_node *node)
{
	size_t begin;

	if (node->opcode == FX_OPCODE_PLACEHOLDER) {
		print_placeholder(c, node);
		return;
	}
	if (c->options->verbose && node->opcode != FX_OPCODE_OUTPUT)
		fx_code_source(c, node);
	fx_buf_add_repeat(&c->body, ' ', c->indent);
	begin = c->body.length;
	if (node->opcode == FX_OPCODE_OUTPUT) {
		print_output(c, node);
	} else {
		fx_code_statement(c, node);
		print_frees(c, node);
	}
	add_range(c, node->id, begin, c->body.length);
	fx_buf_add_char(&c->body, '\n');
}

static void
print_body(struct fx_coder *c)
{
	struct fx_node *node;

	fx_graph_for_each_node (node, c->graph)
		print_node(c, node);
	if (c->body.length == 0) {
		fx_buf_add_repeat(&c->body, ' ', c->indent);
		fx_buf_add(&c->body, "pass\n");
	}
}

/* The signature. */

/* Write one parameter of LENGTH bytes and note where it stands. */
static void
print_part(struct fx_coder *c, const char *text, size_t length,
	struct fx_buf *out)
{
	fx_vec_push(&c->parts, ((struct fx_emit_range){
				       0, out->length, out->length + length }));
	fx_buf_add_n(out, text, length);
}

/* The parameters of TEXT, each ended by a newline there, on one line or one a
 * line.
 */
static void
print_parameters(struct fx_coder *c, const char *text, struct fx_buf *out)
{
	bool has_self = strncmp(text, "self\n", 5) == 0;
	bool expanded = c->options->verbose && c->options->expanded;
	FX_AUTO_BUF struct fx_buf separator = { 0 };

	fx_buf_add(&separator, expanded ? ",\n" : ", ");
	if (expanded) {
		fx_buf_add_repeat(&separator, ' ', c->indent);
		fx_buf_add_char(out, '\n');
		fx_buf_add_repeat(out, ' ', c->indent);
	}
	if (!has_self)
		fx_buf_add(out, "self");
	while (*text) {
		size_t length = strcspn(text, "\n");

		if (!has_self)
			fx_buf_add_n(out, separator.data, separator.length);
		has_self = false;
		print_part(c, text, length, out);
		text += length + 1;
	}
	if (expanded) {
		fx_buf_add(out, ",\n");
		fx_buf_add_repeat(out, ' ', c->indent - 4);
	}
}

/* How much of the parameter at TEXT stands among the flattened inputs.  2.x
 * cuts at the colon (a blank stays); a default value or, before 2.x, a type is
 * wrong code there.
 */
static size_t
flattened_length(const struct fx_coder *c, const char *text)
{
	size_t length = strcspn(text, "\n");
	size_t colon = strcspn(text, ":\n");

	if (is_newer(c, FX_DIALECT_PYTREE_TYPES) && colon < length)
		return colon;
	return c->options->exact ? length : strcspn(text, ": =\n");
}

/* The names before "= fx_pytree...". */
static void
print_flattened(struct fx_coder *c, struct fx_buf *out)
{
	const char *text = fx_buf_text(&c->parameters);
	const char *separator = "";

	if (c->pytree->with_self) {
		fx_buf_add(out, "self");
		separator = ", ";
	}
	while (*text) {
		size_t length = strcspn(text, "\n");

		fx_buf_add(out, separator);
		print_part(c, text, flattened_length(c, text), out);
		separator = ", ";
		text += length + 1;
	}
}

/* 2.x declares the types of flattened inputs on a line before. */
static void
print_declarations(struct fx_coder *c, struct fx_buf *out)
{
	const char *text = fx_buf_text(&c->parameters);
	bool has_any = false;

	while (*text) {
		size_t length = strcspn(text, "\n");
		size_t colon = strcspn(text, ":\n");

		if (colon < length) {
			if (!has_any)
				fx_buf_add_repeat(out, ' ', c->indent);
			has_any = true;
			fx_buf_add_n(out, text, length);
			fx_buf_add(out, "; ");
		}
		text += length + 1;
	}
	if (has_any)
		fx_buf_add(out, "\n\n");
}

static void
print_pytree_lines(struct fx_coder *c, struct fx_buf *out)
{
	const struct fx_pytree *pytree = c->pytree;

	if (!pytree->with_self && c->parameters.length == 0)
		return;
	if (is_newer(c, FX_DIALECT_PYTREE_TYPES))
		print_declarations(c, out);
	fx_buf_add_repeat(out, ' ', c->indent);
	print_flattened(c, out);
	fx_buf_add(out, ", = fx_pytree.tree_flatten_spec(");
	fx_buf_add(out, pytree->in_text ? pytree->in_text : "[]");
	fx_buf_add(out, ", self._in_spec)\n");
}

static void
print_pytree_parameters(struct fx_coder *c, struct fx_buf *out)
{
	const struct fx_pytree *pytree = c->pytree;
	FX_AUTO_BUF struct fx_buf names = { 0 };

	for (size_t i = 0; i < pytree->input_count; i++) {
		fx_buf_add(&names, pytree->inputs[i]);
		fx_buf_add_char(&names, '\n');
	}
	print_parameters(c, fx_buf_text(&names), out);
	fx_vec_clear(&c->parts);
}

/* Offsets into `body` become offsets into OUT, where the body starts at START;
 * parameters without an alias line were noted as they were written.
 */
static void
move_ranges(struct fx_coder *c, size_t first, size_t start)
{
	struct fx_emit_range *range = c->ranges->items;
	struct fx_node *node;
	size_t part = 0;

	if (range)
		range += first;
	fx_graph_for_each_node (node, c->graph) {
		bool is_placeholder = node->opcode == FX_OPCODE_PLACEHOLDER;

		if (is_placeholder && !range->node) {
			range->begin = c->parts.items[part].begin;
			range->end = c->parts.items[part].end;
		} else {
			range->begin += start;
			range->end += start;
		}
		range->node = node->id;
		range++;
		part += is_placeholder;
	}
}

static void
print_wraps(struct fx_coder *c, struct fx_buf *out)
{
	const char *text = fx_buf_text(&c->wraps);

	while (*text) {
		size_t length = strcspn(text, "\n");

		fx_buf_add_repeat(out, ' ', c->indent - 4);
		fx_buf_add_n(out, text, length + 1);
		text += length + 1;
	}
	if (c->wraps.length == 0)
		return;
	if (c->options->verbose && !is_newer(c, FX_DIALECT_STRIPS_BLANKS))
		fx_buf_add_repeat(out, ' ', c->indent - 4);
	fx_buf_add_char(out, '\n');
}

/* Everything above the body. */
static void
print_head(struct fx_coder *c, struct fx_buf *out)
{
	print_wraps(c, out);
	fx_buf_add_repeat(out, ' ', c->indent - 4);
	fx_buf_add(out, "def forward(");
	if (c->pytree)
		print_pytree_parameters(c, out);
	else
		print_parameters(c, fx_buf_text(&c->parameters), out);
	fx_buf_add_char(out, ')');
	fx_buf_add(out, fx_buf_text(&c->returns));
	fx_buf_add(out, ":\n");
	if (c->pytree)
		print_pytree_lines(c, out);
}

/* Join the parts to OUT; FIRST is the index of the graph's first range.  The
 * body of a large graph is moved within its own memory, as fresh memory costs
 * more than moving.
 */
static void
print_function(struct fx_coder *c, struct fx_buf *out, size_t first)
{
	print_head(c, out);
	if (c->ranges)
		move_ranges(c, first, out->length);
	if (out->length > c->body.length) {
		fx_buf_add_n(out, fx_buf_text(&c->body), c->body.length);
		return;
	}
	fx_buf_insert(&c->body, 0, fx_buf_text(out), out->length);
	fx_buf_deinit(out);
	*out = c->body;
	c->body = (struct fx_buf){ 0 };
}

static void
coder_deinit(struct fx_coder *c)
{
	fx_code_names_deinit(&c->names);
	fx_buf_deinit(&c->parameters);
	fx_buf_deinit(&c->body);
	fx_buf_deinit(&c->returns);
	fx_buf_deinit(&c->wraps);
	fx_map_deinit(&c->wrapped);
	fx_map_deinit(&c->last_users);
	fx_vec_deinit(&c->parts);
}

static void
coder_init(struct fx_coder *c, struct fx_graph *graph,
	const struct fx_emit_python *options, size_t indent)
{
	c->graph = graph;
	c->options = options;
	c->pytree = options->flat ? NULL : graph->pytree;
	c->dialect = fx_dialect_choose(options->dialect, graph->dialect);
	fx_names_set_version(&c->names.space, c->dialect);
	c->indent = indent;
	c->printer.style = FX_STYLE_CODE;
	c->printer.context = &c->names;
	c->printer.global = fx_code_names_global;
	c->printer.global_context = &c->names;
}

static void
print_graph(struct fx_buf *out, struct fx_coder *c)
{
	size_t first = c->ranges ? c->ranges->count : 0;

	fx_buf_reserve(&c->body, 60 * c->graph->node_count);
	print_body(c);
	print_function(c, out, first);
}

/* Classes. */

static void print_class(struct fx_buf *out, struct fx_graph *graph,
	const struct fx_emit_python *options, const char *name, size_t indent);

static void
print_inner_classes(struct fx_buf *out, struct fx_graph *graph,
	const struct fx_emit_python *options, size_t indent)
{
	const struct fx_module *module = graph->module;
	FX_AUTO_MAP struct fx_map seen = { 0 };

	if (indent > 4 * CLASS_DEPTH_LIMIT)
		return;
	for (size_t i = 0; i < module->member_count; i++) {
		const struct fx_member *member = &module->members[i];

		/* A child of two names is one class, as of named_children. */
		if (!member->child || !member->child->graph ||
			!fx_map_set(&seen, (uintptr_t)member->child, 1))
			continue;
		fx_buf_add_char(out, '\n');
		print_class(out, member->child->graph, options, member->name,
			indent);
	}
}

/* How print_readable of old versions ends: with the indentation of a line
 * that is not there.
 */
static void
print_class(struct fx_buf *out, struct fx_graph *graph,
	const struct fx_emit_python *options, const char *name, size_t indent)
{
	struct fx_coder c = { 0 };

	coder_init(&c, graph, options, indent + 8);
	fx_buf_add_repeat(out, ' ', indent);
	fx_buf_addf(out, "class %s(torch.nn.Module):\n", name);
	print_graph(out, &c);
	if (!is_newer(&c, FX_DIALECT_STRIPS_BLANKS))
		fx_buf_add_repeat(out, ' ', indent + 8);
	coder_deinit(&c);
	print_inner_classes(out, graph, options, indent + 4);
}

static void
print_outer_class(struct fx_buf *out, struct fx_coder *c)
{
	const char *name = c->options->class_name;

	if (!name)
		name = c->graph->class_name;
	fx_buf_addf(out, "class %s(torch.nn.Module):\n",
		name ? name : "GraphModule");
	print_graph(out, c);
	if (!is_newer(c, FX_DIALECT_STRIPS_BLANKS))
		fx_buf_add_repeat(out, ' ', c->indent);
	print_inner_classes(out, c->graph, c->options, 4);
	if (!is_newer(c, FX_DIALECT_STRIPS_BLANKS))
		fx_buf_add_char(out, '\n');
}

void
fx_emit_python(struct fx_buf *out, struct fx_graph *graph,
	const struct fx_emit_python *options, struct fx_emit_ranges *ranges)
{
	static const struct fx_emit_python defaults = { 0 };
	struct fx_coder c = { 0 };
	size_t first = ranges ? ranges->count : 0;

	if (!options)
		options = &defaults;
	coder_init(&c, graph, options, options->verbose ? 8 : 4);
	c.ranges = ranges;
	if (options->verbose) {
		print_outer_class(out, &c);
	} else {
		fx_buf_add(out, "\n");
		print_body(&c);
		if (c.wraps.length == 0)
			fx_buf_add(out, "\n\n");
		print_function(&c, out, first);
		fx_buf_add(out, "    ");
	}
	if (options->imports)
		fx_code_names_imports(&c.names, options->imports);
	coder_deinit(&c);
}

/* pt2_graph.c - the nodes of .pt2 archives. */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/graph.h"
#include "load/pt2_private.h"

#define HIGHER_ORDER "torch.ops.higher_order."
/* As torch.fx calls the modules that hold such graphs. */
#define GRAPH_CLASS "torch.fx.graph_module.GraphModule"

static const struct {
	const char *spec;
	const char *field;
} written[] = {
#define FX_PT2_WRITTEN(spec, field) { spec, field },
#include "load/pt2.def"
};

static const struct {
	const char *spec;
	const char *field;
} lifted[] = {
#define FX_PT2_LIFTED(spec, field, kind) { spec, field },
#include "load/pt2.def"
};

void
fx_pt2_graph_deinit(struct fx_pt2_graph *g)
{
	fx_names_deinit(&g->taken);
	fx_map_deinit(&g->names);
	fx_map_deinit(&g->members);
	fx_map_deinit(&g->sources);
	fx_map_deinit(&g->scopes);
}

size_t
fx_pt2_enter(struct fx_jsonl *r, const char *key, size_t index)
{
	size_t mark = r->place.length;

	if (key)
		fx_buf_addf(&r->place, "%s%s", mark ? "." : "", key);
	else
		fx_buf_addf(&r->place, "[%zu]", index);
	return mark;
}

void
fx_pt2_leave(struct fx_jsonl *r, size_t mark)
{
	fx_buf_truncate(&r->place, mark);
}

/* Nodes. */

/* NAME of the file is the node called NODE from now on. */
static void
set_name(struct fx_pt2_graph *g, const char *name, const char *node)
{
	fx_map_set_pointer(&g->names, fx_intern(name), fx_intern(node));
}

/* Add NODE with what METADATA and the file's value VALUE, or null, say. */
FX_NODISCARD static struct fx_error *
add_node(struct fx_pt2_graph *g, struct fx_jsonl_node *node,
	const json_t *metadata, const char *value)
{
	FX_AUTO_BUF struct fx_buf meta = { 0 };

	if (value && !node->meta && fx_pt2_meta(g, value, &meta))
		node->meta = fx_buf_text(&meta);
	if (value)
		set_name(g, value, node->name);
	node->source = fx_pt2_source(g, metadata);
	node->scope = fx_pt2_scope(g, metadata);
	return fx_jsonl_node(g->r, node);
}

/* A name for a node of TARGET that the file gives none. */
static const char *
make_name(struct fx_pt2_graph *g, enum fx_opcode opcode, const char *target)
{
	return fx_names_create(&g->taken, fx_names_candidate(opcode, target));
}

/* The name of what OUTPUT gives, an argument or an item of a list; NULL when it
 * gives several or nothing.
 */
static const char *
output_name(const json_t *output)
{
	const char *name = json_string_value(json_object_get(output, "name"));
	json_t *value = NULL;

	if (name || !fx_pt2_union(output, &value))
		return name;
	name = json_string_value(json_object_get(value, "name"));
	if (!name)
		name = json_string_value(json_object_get(value, "as_name"));
	return name;
}

FX_NODISCARD static struct fx_error *add_items(struct fx_pt2_graph *g,
	const char *node, const json_t *outputs, const json_t *metadata);

/* Item INDEX of what the node called NODE gives: a getitem, which is not in
 * the file.
 */
FX_NODISCARD static struct fx_error *
add_item(struct fx_pt2_graph *g, const char *node, size_t index,
	const json_t *output, const json_t *metadata)
{
	FX_AUTO_FREE char *args = fx_xasprintf("(%%%s, %zu)", node, index);
	struct fx_jsonl_node item = { .op = "call_function",
		.target = "operator.getitem",
		.args = args };
	json_t *value = NULL;
	const char *kind = fx_pt2_union(output, &value);
	const char *name = output_name(output);
	struct fx_error *err;

	item.name =
		name ? name
		: fx_str_equal(kind, "as_none")
			? fx_names_create(&g->taken, "as_none")
			: make_name(g, FX_OPCODE_CALL_FUNCTION, item.target);
	err = add_node(g, &item, metadata, name);
	if (!err && !name && json_is_array(value))
		err = add_items(g, item.name, value, metadata);
	return err;
}

FX_NODISCARD static struct fx_error *
add_items(struct fx_pt2_graph *g, const char *node, const json_t *outputs,
	const json_t *metadata)
{
	struct fx_error *err = NULL;

	for (size_t i = 0; !err && i < json_array_size(outputs); i++)
		err = add_item(g, node, i, json_array_get(outputs, i),
			metadata);
	return err;
}

/* Append the metas of OUTPUTS as a tuple; false when one is not known. */
static bool
add_metas(struct fx_pt2_graph *g, const json_t *outputs, struct fx_buf *out)
{
	fx_buf_add(out, "(");
	for (size_t i = 0; i < json_array_size(outputs); i++) {
		const char *name = output_name(json_array_get(outputs, i));

		if (!name || !fx_pt2_meta(g, name, out))
			return false;
		fx_buf_add(out, ", ");
	}
	fx_buf_add(out, ")");
	return true;
}

/* What several outputs are items of: the list itself, where there is one list.
 */
static const json_t *
items_of(const json_t *json)
{
	const json_t *outputs = json_object_get(json, "outputs");
	const char *target = json_string_value(json_object_get(json, "target"));
	json_t *value = NULL;

	if (json_array_size(outputs) > 1)
		return outputs;
	if (json_array_size(outputs) == 0)
		return NULL;
	if (fx_pt2_union(json_array_get(outputs, 0), &value) &&
		json_is_array(value))
		return value;
	if (target && fx_str_starts(target, HIGHER_ORDER) &&
		json_is_false(json_object_get(json,
			"is_hop_single_tensor_return")) &&
		output_name(json_array_get(outputs, 0)))
		return outputs;
	return NULL;
}

FX_NODISCARD static struct fx_error *
add_outputs(struct fx_pt2_graph *g, const json_t *json,
	struct fx_jsonl_node *node)
{
	const json_t *metadata = json_object_get(json, "metadata");
	const json_t *items = items_of(json);
	const json_t *only =
		json_array_get(json_object_get(json, "outputs"), 0);
	const char *value = items ? NULL : output_name(only);
	FX_AUTO_BUF struct fx_buf meta = { 0 };
	json_t *ignored;
	struct fx_error *err;

	node->name = json_string_value(json_object_get(json, "name"));
	if (!node->name)
		node->name = value;
	if (!items && fx_str_equal(fx_pt2_union(only, &ignored), "as_none"))
		node->name = fx_names_create(&g->taken,
			fx_intern_format("%s_unused",
				fx_names_candidate(FX_OPCODE_CALL_FUNCTION,
					node->target)));
	if (!node->name)
		node->name =
			make_name(g, FX_OPCODE_CALL_FUNCTION, node->target);
	if (items && add_metas(g, items, &meta))
		node->meta = fx_buf_text(&meta);
	err = add_node(g, node, metadata, value);
	return err || !items ? err : add_items(g, node->name, items, metadata);
}

/* The graph ARGUMENT of a higher-order call: a module of its own, and the node
 * that gets it.
 */
FX_NODISCARD static struct fx_error *
add_inner(struct fx_pt2_graph *g, const json_t *argument,
	const json_t *metadata)
{
	FX_AUTO_PT2_GRAPH struct fx_pt2_graph inner = { .r = g->r,
		.json = json_object_get(argument, "graph") };
	const char *name = json_string_value(json_object_get(argument, "name"));
	FX_AUTO_JSON json_t *module = NULL;
	FX_AUTO_JSON json_t *graph = NULL;
	FX_AUTO_JSON json_t *end = NULL;
	struct fx_jsonl_node node = {
		.name = name, .op = "get_attr", .target = name, .args = "()"
	};
	struct fx_error *err;

	if (!name || strchr(name, '.'))
		return fx_jsonl_error(g->r, FX_ERR_FORMAT,
			"a graph has no name");
	module = json_pack("{ssss}", "module", name, "class", GRAPH_CLASS);
	graph = json_pack("{ssssss}", "graph", name, "class", GRAPH_CLASS,
		"dialect", fx_jsonl_section(g->r)->graph->dialect);
	end = json_pack("{ss}", "end_graph", name);
	err = fx_jsonl_module(g->r, module);
	if (!err)
		err = fx_jsonl_graph(g->r, graph);
	if (!err)
		err = fx_pt2_graph(&inner);
	if (!err)
		err = fx_jsonl_graph_end(g->r, end);
	return err ? err : add_node(g, &node, metadata, name);
}

/* Graphs among the arguments come before the call. */
FX_NODISCARD static struct fx_error *
add_inner_graphs(struct fx_pt2_graph *g, const json_t *json)
{
	const json_t *inputs = json_object_get(json, "inputs");
	struct fx_error *err = NULL;

	for (size_t i = 0; !err && i < json_array_size(inputs); i++) {
		const json_t *graph =
			json_object_get(json_object_get(json_array_get(inputs,
								i),
						"arg"),
				"as_graph");
		size_t mark = fx_pt2_enter(g->r, "inputs", 0);

		fx_pt2_enter(g->r, NULL, i);
		fx_pt2_enter(g->r, "as_graph.graph", 0);
		if (graph)
			err = add_inner(g, graph,
				json_object_get(json, "metadata"));
		fx_pt2_leave(g->r, mark);
	}
	return err;
}

/* Whether INPUT, the one at INDEX of TARGET's call, is given by its name.
 * Before 2.6 the file does not say: then only the first is not, as others may
 * have been left out before it.
 */
static bool
is_keyword(const json_t *input, size_t index, const char *target)
{
	const char *name = json_string_value(json_object_get(input, "name"));
	const json_t *kind = json_object_get(input, "kind");

	if (json_is_integer(kind))
		return json_integer_value(kind) == 2;
	return index > 0 && name && *name && fx_str_starts(target, "torch.");
}

FX_NODISCARD static struct fx_error *
add_arguments(struct fx_pt2_graph *g, const json_t *json, const char *target,
	struct fx_buf *args, struct fx_buf *kwargs)
{
	const json_t *inputs = json_object_get(json, "inputs");

	fx_buf_add(args, "(");
	fx_buf_add(kwargs, "{");
	for (size_t i = 0; i < json_array_size(inputs); i++) {
		const json_t *input = json_array_get(inputs, i);
		const char *name =
			json_string_value(json_object_get(input, "name"));
		bool by_name = is_keyword(input, i, target);
		struct fx_buf *out = by_name ? kwargs : args;
		size_t mark = fx_pt2_enter(g->r, "inputs", 0);
		struct fx_error *err;

		fx_pt2_enter(g->r, NULL, i);
		if (by_name && (!name || !fx_str_is_identifier(name)))
			return fx_jsonl_error(g->r, FX_ERR_FORMAT,
				"an argument has no name");
		if (by_name)
			fx_buf_addf(out, "'%s': ", name);
		err = fx_pt2_argument(g, json_object_get(input, "arg"), out);
		if (err)
			return err;
		fx_buf_add(out, ", ");
		fx_pt2_leave(g->r, mark);
	}
	fx_buf_add(args, ")");
	fx_buf_add(kwargs, "}");
	return NULL;
}

FX_NODISCARD static struct fx_error *
read_node(struct fx_pt2_graph *g, const json_t *json, size_t index)
{
	const char *target = json_string_value(json_object_get(json, "target"));
	FX_AUTO_BUF struct fx_buf args = { 0 };
	FX_AUTO_BUF struct fx_buf kwargs = { 0 };
	struct fx_jsonl_node node = { .op = "call_function" };
	struct fx_error *err;

	(void)index;
	if (!target)
		return fx_jsonl_error(g->r, FX_ERR_FORMAT,
			"a node has no target");
	if (*target == '#')
		return fx_jsonl_error(g->r, FX_ERR_UNSUPPORTED,
			"the target %.100s needs an extension of torch.export",
			target);
	node.target = *target == '_' ? target + 1 : target;
	if (!fx_str_starts(node.target, "operator."))
		node.target = target;
	err = add_inner_graphs(g, json);
	if (!err)
		err = add_arguments(g, json, target, &args, &kwargs);
	if (err)
		return err;
	node.args = fx_buf_text(&args);
	node.kwargs = kwargs.length > 2 ? fx_buf_text(&kwargs) : NULL;
	return add_outputs(g, json, &node);
}

/* Inputs and results. */

/* The path of the member that input SPEC is, or NULL. */
static const char *
lifted_path(const json_t *spec)
{
	json_t *value = NULL;
	const char *kind = fx_pt2_union(spec, &value);

	for (size_t i = 0; kind && i < FX_ARRAY_LEN(lifted); i++)
		if (!strcmp(lifted[i].spec, kind))
			return json_string_value(json_object_get(value,
				lifted[i].field));
	return NULL;
}

static const json_t *
spec_of(const struct fx_pt2_graph *g, const char *key, size_t index)
{
	return json_array_get(json_object_get(g->signature, key), index);
}

/* A value that the program was exported with is the input's default, where no
 * input without one comes after it: from this index on.
 */
static size_t
first_default(const struct fx_pt2_graph *g)
{
	const json_t *inputs = json_object_get(g->json, "inputs");
	size_t index = json_array_size(inputs);

	while (index > 0 &&
		(lifted_path(spec_of(g, "input_specs", index - 1)) ||
			!output_name(json_array_get(inputs, index - 1))))
		index--;
	return index;
}

/* An input that is a constant: it has its name in the signature only. */
FX_NODISCARD static struct fx_error *
read_constant(struct fx_pt2_graph *g, const json_t *input, size_t index)
{
	const char *name = json_string_value(json_object_get(
		json_object_get(spec_of(g, "input_specs", index),
			"constant_input"),
		"name"));
	FX_AUTO_BUF struct fx_buf args = { 0 };
	struct fx_jsonl_node node = { .op = "placeholder" };
	struct fx_error *err = NULL;

	node.name = name && *name ? name : fx_intern_format("arg%zu", index);
	node.target = node.name;
	fx_buf_add(&args, "(");
	if (index >= g->first_default)
		err = fx_pt2_argument(g, input, &args);
	if (err)
		return err;
	fx_buf_add(&args, args.length > 1 ? ",)" : ")");
	node.args = fx_buf_text(&args);
	return add_node(g, &node, NULL, NULL);
}

FX_NODISCARD static struct fx_error *
read_input(struct fx_pt2_graph *g, const json_t *input, size_t index)
{
	const char *path = lifted_path(spec_of(g, "input_specs", index));
	const char *name = output_name(input);
	struct fx_jsonl_node node = {
		.op = "placeholder", .name = name, .target = name, .args = "()"
	};
	json_t *value = NULL;
	struct fx_error *err;

	if (!fx_pt2_union(input, &value))
		return fx_jsonl_error(g->r, FX_ERR_FORMAT,
			"an input says not what it is");
	if (!name)
		return read_constant(g, input, index);
	if (!path)
		return add_node(g, &node, NULL, name);
	node.op = "get_attr";
	node.target = path;
	node.name = make_name(g, FX_OPCODE_GET_ATTR, path);
	err = add_node(g, &node, NULL, name);
	fx_map_set_pointer(&g->members, fx_intern(path), node.name);
	return err;
}

/* The file's name of what the result at INDEX is written into, or NULL. */
static const char *
written_name(const struct fx_pt2_graph *g, size_t index)
{
	json_t *value = NULL;
	const char *kind =
		fx_pt2_union(spec_of(g, "output_specs", index), &value);

	for (size_t i = 0; kind && i < FX_ARRAY_LEN(written); i++)
		if (!strcmp(written[i].spec, kind))
			return json_string_value(json_object_get(value,
				written[i].field));
	return NULL;
}

/* The result at INDEX is written where the program wrote it. */
FX_NODISCARD static struct fx_error *
write_back(struct fx_pt2_graph *g, const json_t *output, size_t index)
{
	FX_AUTO_FREE char *args = NULL;
	struct fx_jsonl_node node = { .op = "call_function",
		.target = "torch.ops.aten.copy_.default" };
	const char *name = written_name(g, index);
	const char *into = fx_map_get_pointer(&g->members, fx_intern(name));
	const char *from;
	struct fx_error *err = into ? NULL : fx_pt2_node_of(g, name, &into);

	if (!err)
		err = fx_pt2_node_of(g, output_name(output), &from);
	if (err)
		return err;
	args = fx_xasprintf("(%%%s, %%%s)", into, from);
	node.args = args;
	node.name = make_name(g, FX_OPCODE_CALL_FUNCTION, node.target);
	/* Where the result is returned too, what is returned is the copy. */
	return add_node(g, &node, NULL, output_name(output));
}

FX_NODISCARD static struct fx_error *
read_outputs(struct fx_pt2_graph *g)
{
	const json_t *outputs = json_object_get(g->json, "outputs");
	bool is_single = json_is_true(json_object_get(g->json,
		"is_single_tensor_return"));
	FX_AUTO_BUF struct fx_buf args = { 0 };
	struct fx_jsonl_node node = {
		.name = "output", .op = "output", .target = "output"
	};
	struct fx_error *err = NULL;
	size_t count = json_array_size(outputs);

	for (size_t i = 0; !err && i < count; i++)
		if (written_name(g, i))
			err = write_back(g, json_array_get(outputs, i), i);
	fx_buf_add(&args, is_single ? "(" : "((");
	for (size_t i = 0; !err && i < count; i++) {
		size_t mark;

		if (written_name(g, i) ||
			json_object_get(spec_of(g, "output_specs", i), "token"))
			continue;
		mark = fx_pt2_enter(g->r, "outputs", 0);
		fx_pt2_enter(g->r, NULL, i);
		err = fx_pt2_argument(g, json_array_get(outputs, i), &args);
		fx_buf_add(&args, ", ");
		fx_pt2_leave(g->r, mark);
	}
	fx_buf_add(&args, is_single ? ")" : "),)");
	node.args = fx_buf_text(&args);
	return err ? err : add_node(g, &node, NULL, NULL);
}

static void
take(struct fx_pt2_graph *g, const char *name)
{
	if (name)
		fx_names_take(&g->taken, fx_intern(name));
}

/* Names that the file gives are no others'. */
static void
take_names(struct fx_pt2_graph *g)
{
	const json_t *inputs = json_object_get(g->json, "inputs");
	const json_t *nodes = json_object_get(g->json, "nodes");

	for (size_t i = 0; i < json_array_size(inputs); i++)
		take(g, output_name(json_array_get(inputs, i)));
	for (size_t i = 0; i < json_array_size(nodes); i++) {
		const json_t *node = json_array_get(nodes, i);
		const json_t *items = items_of(node);

		take(g, json_string_value(json_object_get(node, "name")));
		take(g, output_name(json_array_get(json_object_get(node,
							   "outputs"),
				0)));
		for (size_t j = 0; j < json_array_size(items); j++)
			take(g, output_name(json_array_get(items, j)));
	}
}

/* All items of field KEY of G's JSON, each by READ. */
FX_NODISCARD static struct fx_error *
read_items(struct fx_pt2_graph *g, const char *key,
	struct fx_error *(*read)(struct fx_pt2_graph *g, const json_t *item,
		size_t index))
{
	const json_t *items = json_object_get(g->json, key);
	struct fx_arena_mark mark = fx_arena_mark(g->r->scratch);
	size_t place = fx_pt2_enter(g->r, key, 0);

	if (!json_is_array(items))
		return fx_jsonl_error(g->r, FX_ERR_FORMAT, "it is no list");
	for (size_t i = 0; i < json_array_size(items); i++) {
		size_t item = fx_pt2_enter(g->r, NULL, i);
		struct fx_error *err = read(g, json_array_get(items, i), i);

		if (err)
			return err;
		fx_arena_rollback(g->r->scratch, mark);
		fx_pt2_leave(g->r, item);
	}
	fx_pt2_leave(g->r, place);
	return NULL;
}

struct fx_error *
fx_pt2_graph(struct fx_pt2_graph *g)
{
	struct fx_error *err;

	take_names(g);
	g->first_default = first_default(g);
	err = read_items(g, "inputs", read_input);
	if (!err)
		err = read_items(g, "nodes", read_node);
	return err ? err : read_outputs(g);
}

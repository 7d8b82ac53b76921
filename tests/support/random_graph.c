/* random_graph.c - random graphs. */
#include <config.h>

#include "tests/support/random_graph.h"

#include <string.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/intern.h"
#include "base/vec.h"
#include "ir/module.h"
#include "ir/note.h"
#include "ir/tensor_meta.h"

struct maker {
	struct fxt_random random;
	const struct fxt_graph_options *options;
	struct fx_graph *graph;
	FX_VEC(struct fx_node *) nodes; /* usable as arguments */
	FX_VEC(const char *) modules;   /* paths */
	FX_VEC(const char *) attributes;
};

/* Functions and how many arguments they take: the operators exactly so many,
 * the first a node, without keywords.
 */
static const struct {
	const char *target;
	size_t count;
	bool is_operator;
} functions[] = {
	{ "torch.relu", 1, false },
	{ "torch.cat", 2, false },
	{ "torch.nn.functional.dropout", 3, false },
	{ "torch._C._nn.linear", 3, false },
	{ "torch.ops.aten.add.Tensor", 2, false },
	{ "torch.add", 2, false },
	{ "operator.add", 2, true },
	{ "operator.mul", 2, true },
	{ "operator.matmul", 2, true },
	{ "operator.getitem", 2, true },
	{ "operator.neg", 1, true },
	{ "operator.eq", 2, true },
};

static const char *const methods[] = { "view", "add_", "__getitem__", "size",
	"relu", "toBFloat16", "permute" };

static struct fx_node *
any_node(struct maker *m)
{
	/* Mostly a recent one, so that graphs are deep as well as wide. */
	size_t count = m->nodes.count;
	size_t recent = FX_MIN(count, (size_t)8);

	if (fxt_random_chance(&m->random, 70))
		return m->nodes.items[count - 1 -
				      fxt_random_below(&m->random, recent)];
	return m->nodes.items[fxt_random_below(&m->random, count)];
}

static struct fx_value
node_value(struct maker *m)
{
	return fx_value_node(any_node(m));
}

/* An argument: often a node, sometimes nodes inside containers. */
static struct fx_value
argument(struct maker *m)
{
	struct fx_arena *arena = m->graph->values;
	struct fx_value items[3];

	if (fxt_random_chance(&m->random, 50))
		return node_value(m);
	if (fxt_random_chance(&m->random, 70))
		return fxt_random_value(&m->random, arena, 3,
			m->options->only_python);
	for (size_t i = 0; i < FX_ARRAY_LEN(items); i++)
		items[i] = fxt_random_chance(&m->random, 50)
				   ? node_value(m)
				   : fxt_random_value(&m->random, arena, 1,
					     m->options->only_python);
	switch (fxt_random_below(&m->random, 4)) {
	case 0:
		return fx_value_sequence(arena, FX_VALUE_LIST, items, 3);
	case 1:
		return fx_value_sequence(arena, FX_VALUE_TUPLE, items,
			1 + fxt_random_below(&m->random, 3));
	case 2:
		return fx_value_slice(arena, fx_value_none(), node_value(m),
			fx_value_int(2));
	default:
		items[0] = fx_value_string("key");
		return fx_value_dict(arena, items, 1);
	}
}

static void
annotate(struct maker *m, struct fx_node *node)
{
	const struct fx_source_frame frame = { .file = "model.py",
		.function = "forward",
		.text = "y = self.l(x)",
		.line = 1 + (int)fxt_random_below(&m->random, 5) };
	const int64_t sizes[2] = { 2,
		(int64_t)fxt_random_below(&m->random, 9) };
	struct fx_value meta;

	if (m->options->no_annotations)
		return;
	if (fxt_random_chance(&m->random, 30))
		node->source = fx_graph_source(m->graph, &frame, 1);
	if (fxt_random_chance(&m->random, 30))
		node->scope = fx_graph_scope(m->graph, NULL, "layer1",
			"my.models.Block");
	if (fxt_random_chance(&m->random, 20))
		fx_graph_set_note(node, "why", "it's\n\"odd\"");
	if (fxt_random_chance(&m->random, 30)) {
		meta = fx_tensor_meta_ints(m->graph->values, FX_DTYPE_F32,
			sizes, 2);
		fx_graph_set_meta(node, &meta);
	}
}

static void
add(struct maker *m, struct fx_node_spec *spec)
{
	static const char *const names[] = { "y", "y_3", "y_3", "class", "abs",
		"layer1.0.conv", "T" };
	struct fx_node *node;

	if (!spec->name && fxt_random_chance(&m->random, 15))
		spec->name = names[fxt_random_below(&m->random,
			FX_ARRAY_LEN(names))];
	if (!spec->type && fxt_random_chance(&m->random, 10))
		spec->type = "torch.Tensor";
	node = fx_graph_append(m->graph, spec);
	if (spec->opcode != FX_OPCODE_OUTPUT)
		fx_vec_push(&m->nodes, node);
	annotate(m, node);
}

static struct fx_value
tuple(struct maker *m, const struct fx_value *items, size_t count)
{
	return fx_value_sequence(m->graph->values, FX_VALUE_TUPLE, items,
		count);
}

static void
add_placeholders(struct maker *m)
{
	static const char *const targets[] = { "x", "input", "mask", "n" };
	size_t count = 1 + fxt_random_below(&m->random, FX_ARRAY_LEN(targets));
	bool has_default = false;

	for (size_t i = 0; i < count; i++) {
		struct fx_node_spec spec = { .opcode = FX_OPCODE_PLACEHOLDER,
			.target = targets[i] };
		struct fx_value value;

		/* Once one has a default, those after it have too. */
		if (i > 0 && fxt_random_chance(&m->random, 30))
			has_default = true;
		if (has_default) {
			value = fxt_random_value(&m->random, m->graph->values,
				1, m->options->only_python);
			spec.args = tuple(m, &value, 1);
		}
		/* Python has no place for another name than this. */
		if (m->options->only_python)
			spec.name = targets[i];
		add(m, &spec);
	}
}

static void
add_kwargs(struct maker *m, struct fx_node_spec *spec)
{
	static const char *const keys[] = { "dim", "inplace", "dtype" };
	struct fx_value items[2 * FX_ARRAY_LEN(keys)];
	size_t count = fxt_random_below(&m->random, FX_ARRAY_LEN(keys) + 1);

	for (size_t i = 0; i < count; i++) {
		items[2 * i] = fx_value_string(keys[i]);
		items[2 * i + 1] = argument(m);
	}
	spec->kwargs = fx_value_dict(m->graph->values, items, count);
}

static void
add_function(struct maker *m)
{
	size_t which = fxt_random_below(&m->random, FX_ARRAY_LEN(functions));
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_FUNCTION,
		.target = functions[which].target };
	struct fx_value args[4];
	size_t count = functions[which].count;

	for (size_t i = 0; i < count; i++)
		args[i] = i == 0 ? node_value(m) : argument(m);
	/* 2 ** x and the like need no care, but an operand may: -1 ** x. */
	if (functions[which].is_operator && count == 2 &&
		m->options->only_python &&
		strcmp(spec.target, "operator.getitem") != 0)
		args[1] = fxt_random_chance(&m->random, 50) ? node_value(m)
							    : fx_value_int(3);
	spec.args = tuple(m, args, count);
	if (!functions[which].is_operator)
		add_kwargs(m, &spec);
	if (!m->options->only_python && fxt_random_chance(&m->random, 5)) {
		spec.target = "math.floor";
		spec.is_wrapped = true;
	}
	add(m, &spec);
}

static void
add_getattr(struct maker *m)
{
	const struct fx_value args[2] = { node_value(m),
		fx_value_string("shape") };
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_FUNCTION,
		.target = "builtins.getattr",
		.args = tuple(m, args, 2) };

	add(m, &spec);
}

static void
add_method(struct maker *m)
{
	const struct fx_value args[2] = { node_value(m), argument(m) };
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_METHOD,
		.target = methods[fxt_random_below(&m->random,
			FX_ARRAY_LEN(methods))],
		.args = tuple(m, args, 1 + fxt_random_below(&m->random, 2)) };

	add_kwargs(m, &spec);
	add(m, &spec);
}

static void
add_module_call(struct maker *m)
{
	const struct fx_value args[1] = { node_value(m) };
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_MODULE,
		.args = tuple(m, args, 1) };

	spec.target =
		m->modules
			.items[fxt_random_below(&m->random, m->modules.count)];
	add_kwargs(m, &spec);
	add(m, &spec);
}

static void
add_attribute(struct maker *m)
{
	struct fx_node_spec spec = { .opcode = FX_OPCODE_GET_ATTR };

	spec.target = m->attributes.items[fxt_random_below(&m->random,
		m->attributes.count)];
	add(m, &spec);
}

static void
add_output(struct maker *m)
{
	const struct fx_value value = argument(m);
	struct fx_node_spec spec = { .opcode = FX_OPCODE_OUTPUT,
		.target = "output",
		.name = "output",
		.args = tuple(m, &value, 1) };

	add(m, &spec);
}

static void
add_any(struct maker *m)
{
	switch (fxt_random_below(&m->random, 8)) {
	case 0:
	case 1:
		add_module_call(m);
		break;
	case 2:
		add_attribute(m);
		break;
	case 3:
		add_method(m);
		break;
	case 4:
		add_getattr(m);
		break;
	default:
		add_function(m);
		break;
	}
}

/* The root's members, and the paths of everything in the tree. */
static void
add_modules(struct maker *m)
{
	static const char *const names[] = { "conv1", "layer1", "0", "fc" };
	struct fx_module *root = m->graph->module;
	struct fx_module_walk *walk;
	struct fx_module *module;
	const char *path;

	for (size_t i = 0; i < FX_ARRAY_LEN(names); i++)
		fx_module_add_child(root, names[i],
			fxt_random_module(&m->random, m->graph, 2));
	fx_module_add_tensor(root, "scale",
		fx_tensor_new(m->graph, FX_DTYPE_F32, NULL, 0, NULL));
	walk = fx_module_walk_new(root, false);
	while (fx_module_walk_next(walk, &module, &path)) {
		if (*path)
			fx_vec_push(&m->modules, path);
		for (size_t i = 0; i < module->member_count; i++)
			if (module->members[i].tensor)
				fx_vec_push(&m->attributes,
					fx_intern_format("%s%s%s", path,
						*path ? "." : "",
						module->members[i].name));
	}
	fx_module_walk_free(walk);
}

static void
name_paths(struct maker *m)
{
	static const char *const paths[] = { "conv1", "layer1.0.conv", "fc" };

	for (size_t i = 0; i < FX_ARRAY_LEN(paths); i++) {
		fx_vec_push(&m->modules, paths[i]);
		fx_vec_push(&m->attributes,
			fx_intern_format("%s.weight", paths[i]));
	}
}

struct fx_graph *
fxt_random_graph(const struct fxt_graph_options *options)
{
	struct maker m = { .random = fxt_random_seed(options->seed),
		.options = options,
		.graph = fx_graph_new(1) };
	size_t count = options->node_count;

	if (count == 0)
		count = 3 + fxt_random_below(&m.random, 38);
	m.graph->name = fx_intern("random");
	if (options->no_modules)
		name_paths(&m);
	else
		add_modules(&m);
	add_placeholders(&m);
	while (m.graph->node_count + 1 < count)
		add_any(&m);
	add_output(&m);
	fx_vec_deinit(&m.nodes);
	fx_vec_deinit(&m.modules);
	fx_vec_deinit(&m.attributes);
	return m.graph;
}

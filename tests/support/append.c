/* append.c - graphs node by node, for tests. */
#include <config.h>

#include "tests/support/append.h"

#include "ir/tensor_meta.h"

struct fx_value
fxt_args(struct fx_graph *graph, struct fx_node *a, struct fx_node *b)
{
	const struct fx_value items[2] = { fx_value_node(a), fx_value_node(b) };

	return fx_value_sequence(graph->values, FX_VALUE_TUPLE, items,
		b ? 2 : 1);
}

struct fx_node *
fxt_append(struct fx_graph *graph, enum fx_opcode opcode, const char *target,
	struct fx_node *a, struct fx_node *b)
{
	struct fx_node_spec spec = { .opcode = opcode, .target = target };

	if (a)
		spec.args = fxt_args(graph, a, b);
	return fx_graph_append(graph, &spec);
}

struct fx_node *
fxt_call(struct fx_graph *graph, const char *target, struct fx_node *a,
	struct fx_node *b)
{
	return fxt_append(graph, FX_OPCODE_CALL_FUNCTION, target, a, b);
}

struct fx_graph *
fxt_chain(size_t count)
{
	static const int64_t sizes[] = { 2, 3 };
	struct fx_graph *graph = fx_graph_new(7);
	struct fx_value meta =
		fx_tensor_meta_ints(graph->values, FX_DTYPE_F32, sizes, 2);
	struct fx_node *node =
		fxt_append(graph, FX_OPCODE_PLACEHOLDER, "x", NULL, NULL);

	fx_graph_set_meta(node, &meta);
	for (size_t i = 0; i < count; i++)
		node = fxt_call(graph, "torch.relu", node, NULL);
	fxt_append(graph, FX_OPCODE_OUTPUT, "output", node, NULL);
	return graph;
}

struct fx_graph *
fxt_joined_chain(uint32_t serial, size_t count, size_t skip)
{
	struct fx_graph *graph = fx_graph_new(serial);
	struct fx_node *node =
		fxt_append(graph, FX_OPCODE_PLACEHOLDER, "x", NULL, NULL);

	for (size_t i = 1; i < count; i++) {
		bool joins = i > skip && i % skip == 0;

		node = fxt_call(graph, joins ? "operator.add" : "torch.relu",
			node, joins ? fx_graph_at(graph, i - skip) : NULL);
	}
	return graph;
}

const char *
fxt_next_name(const struct fx_names *names, const char *candidate)
{
	struct fx_names copy = { 0 };
	const char *name;

	fx_names_set_like(&copy, names);
	fx_map_copy(&copy.taken, &names->taken);
	fx_map_copy(&copy.hints, &names->hints);
	name = fx_names_create(&copy, candidate);
	fx_names_deinit(&copy);
	return name;
}

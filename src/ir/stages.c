/* stages.c - which operation of a graph is in which part. */
#include <config.h>

#include <inttypes.h>

#include "base/intern.h"
#include "ir/part.h"

static bool
is_operation(const struct fx_node *node)
{
	return node->opcode != FX_OPCODE_PLACEHOLDER &&
	       node->opcode != FX_OPCODE_GET_ATTR &&
	       node->opcode != FX_OPCODE_OUTPUT;
}

/* The highest stage among what NODE reads, at least LEAST. */
static int64_t
highest_read(const struct fx_map *stages, const struct fx_node *node,
	int64_t least)
{
	for (size_t i = 0; i < fx_node_input_count(node); i++) {
		int64_t stage = (int64_t)fx_map_get(stages,
			(uintptr_t)fx_node_input(node, i), 0);

		least = stage > least ? stage : least;
	}
	return least;
}

/* Parts for STAGES, numbers from 1, which are counted anew where IS_DENSE. */
static FX_NODISCARD struct fx_error *
give_parts(struct fx_partition *partition, const struct fx_map *stages,
	const char *prefix, bool is_dense)
{
	struct fx_map parts = { 0 }; /* stage -> index of its part + 1 */
	struct fx_error *err = NULL;
	struct fx_node *node;

	fx_graph_for_each_node (node, partition->graph) {
		uintptr_t stage = fx_map_get(stages, (uintptr_t)node, 0);
		uintptr_t part = stage ? fx_map_get(&parts, stage, 0) : 0;

		if (!stage || err)
			continue;
		if (!part) {
			int64_t number = is_dense ? (int64_t)parts.count
						  : (int64_t)stage - 1;

			part = fx_partition_add(partition,
				       fx_intern_format("%s_%" PRId64, prefix,
					       number)) +
			       1;
			fx_map_set(&parts, stage, part);
		}
		err = fx_partition_give(partition, part - 1, node);
	}
	fx_map_deinit(&parts);
	return err;
}

struct fx_error *
fx_partition_by_set(struct fx_partition *partition, const struct fx_map *set,
	const char *prefix)
{
	struct fx_map stages = { 0 };
	struct fx_error *err;
	struct fx_node *node;

	fx_graph_for_each_node (node, partition->graph) {
		int64_t stage = highest_read(&stages, node, 1);
		bool is_in = fx_map_has(set, (uintptr_t)node);

		if (!is_operation(node))
			continue;
		/* Odd stages are outside of the set, even ones inside. */
		stage += stage % 2 != !is_in;
		fx_map_set(&stages, (uintptr_t)node, (uintptr_t)stage);
	}
	err = give_parts(partition, &stages, prefix, true);
	fx_map_deinit(&stages);
	return err;
}

struct fx_error *
fx_partition_by_stage(struct fx_partition *partition,
	const struct fx_map *given, const char *prefix)
{
	struct fx_map stages = { 0 };
	struct fx_error *err;
	struct fx_node *node;

	fx_graph_for_each_node (node, partition->graph) {
		uintptr_t stage = fx_map_get(given, (uintptr_t)node, 0);

		if (!stage)
			stage = (uintptr_t)highest_read(&stages, node, 1);
		if (is_operation(node))
			fx_map_set(&stages, (uintptr_t)node, stage);
	}
	err = give_parts(partition, &stages, prefix, false);
	fx_map_deinit(&stages);
	return err;
}

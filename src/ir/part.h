/* part.h - sets of nodes as graphs of their own.
 *
 * A partition gives some nodes of a graph to parts.  What a part reads from
 * outside becomes its inputs, what others read of it its results, both in the
 * order of first use, as torch.fx's split_module has them.  ir/outline.h puts
 * such graphs in the place of the nodes.
 */
#ifndef FX_IR_PART_H
#define FX_IR_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/map.h"
#include "base/vec.h"
#include "ir/graph.h"

struct fx_module;

struct fx_part {
	const char *name; /* of its module; interned */
	FX_VEC(struct fx_node *) nodes;
	FX_VEC(struct fx_node *) inputs;
	FX_VEC(struct fx_node *) results;
	struct fx_map is_input; /* node -> 1 */
};

struct fx_partition {
	struct fx_graph *graph;
	FX_VEC(struct fx_part) parts; /* by their first node */
	struct fx_map of;             /* node -> index of its part + 1 */
	struct fx_map is_result;      /* node -> 1 */
	struct fx_map is_carried;     /* node that parts have copies of -> 1 */
	/* Parameters that a part reads are read in it, and what nobody reads is
	 * a result: for a graph that stands alone.
	 */
	bool is_apart;
};
void fx_partition_deinit(struct fx_partition *partition);
FX_DEFINE_DEINIT(partition, struct fx_partition, fx_partition_deinit);
#define FX_AUTO_PARTITION FX_AUTO(partition)

/* A new part called NAME; its index. */
size_t fx_partition_add(struct fx_partition *partition, const char *name);

/* Give NODE to the part INDEX.  Nodes come in graph order.  Inputs, outputs and
 * what reads parameters belong to none: VALUE for an input or output, unless
 * the partition stands apart; for a parameter nothing is done.
 */
FX_NODISCARD struct fx_error *fx_partition_give(struct fx_partition *partition,
	size_t index, struct fx_node *node);

/* Give all operations to parts called PREFIX_0, PREFIX_1, ...: what is in SET
 * (node -> 1) and what is not by turns, as few as their dependences allow
 * (stages.c).
 */
FX_NODISCARD struct fx_error *
fx_partition_by_set(struct fx_partition *partition, const struct fx_map *set,
	const char *prefix);
/* Give all operations to parts PREFIX_N where STAGES (node -> N + 1) says so.
 * An operation that is not in it goes with what it reads, the highest stage of
 * that, or with stage 0.
 */
FX_NODISCARD struct fx_error *
fx_partition_by_stage(struct fx_partition *partition,
	const struct fx_map *stages, const char *prefix);

/* Find the inputs and results of all parts. */
void fx_partition_find(struct fx_partition *partition);

/* The part that NODE belongs to, or NULL. */
struct fx_part *fx_partition_part(const struct fx_partition *partition,
	const struct fx_node *node);

/* Fill COPY, an empty graph, with PART.  With OWNER, a module of the
 * partition's graph, both have the modules that the part calls, the very same,
 * by names without dots; without, COPY has copies of them at the same paths.
 * Nodes keep their names or, with RENAMES, get those that torch.fx gives them.
 */
void fx_part_build(const struct fx_partition *partition,
	const struct fx_part *part, struct fx_graph *copy,
	struct fx_module *owner, bool renames);

/* After loading: let the graph of OWNER have the very modules that OWNER has by
 * the same names, where they are equal.
 */
void fx_part_share(struct fx_module *owner);

#endif /* FX_IR_PART_H */

/* become_private.h - what the files of becoming share. */
#ifndef FX_IR_BECOME_PRIVATE_H
#define FX_IR_BECOME_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/map.h"
#include "ir/diff.h"
#include "ir/pair.h"

struct fx_graph;
struct fx_node;

struct fx_becoming {
	struct fx_graph *graph;
	struct fx_graph *other;
	struct fx_map nodes;   /* of OTHER -> of GRAPH, those that are there */
	struct fx_map modules; /* of OTHER -> the copy in GRAPH */
	struct fx_map paths;   /* that were seen */
	struct fx_pairs pairs;
	struct fx_change *rows;
	size_t count;
	/* By row: the number of its group; NO_GROUP: nothing changes there.
	 * NULL: not divided yet.
	 */
	size_t *groups;
	size_t group_count;
	/* Rows by their groups: those of GROUP from BEGINS[GROUP] on. */
	size_t *sorted;
	size_t *begins;
	bool *is_made;  /* by row */
	bool has_begun; /* what is made is known */
};

#endif /* FX_IR_BECOME_PRIVATE_H */

/* append.h - graphs node by node, for tests. */
#ifndef FX_TESTS_SUPPORT_APPEND_H
#define FX_TESTS_SUPPORT_APPEND_H

#include <stddef.h>
#include <stdint.h>

#include "ir/graph.h"

/* The tuple of the nodes A and B in GRAPH's arena; of A alone without B. */
struct fx_value fxt_args(struct fx_graph *graph, struct fx_node *a,
	struct fx_node *b);

/* A node at the end of GRAPH that reads A and B; both may be null. */
struct fx_node *fxt_append(struct fx_graph *graph, enum fx_opcode opcode,
	const char *target, struct fx_node *a, struct fx_node *b);

/* The same, a call of the function TARGET. */
struct fx_node *fxt_call(struct fx_graph *graph, const char *target,
	struct fx_node *a, struct fx_node *b);

/* COUNT operations in a row, each relu of the one before, and an output. */
struct fx_graph *fxt_chain(size_t count);

/* A chain of COUNT nodes, of whose ids SERIAL is; each SKIP-th also reads the
 * one so far before it.
 */
struct fx_graph *fxt_joined_chain(uint32_t serial, size_t count, size_t skip);

/* What fx_names_create would return, registering nothing. */
const char *fxt_next_name(const struct fx_names *names, const char *candidate);

#endif /* FX_TESTS_SUPPORT_APPEND_H */

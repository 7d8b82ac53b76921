/* verify_match.c - which input of one graph is which of another. */
#include <config.h>

#include <stdlib.h>

#include "base/arena.h"
#include "base/bitset.h"
#include "base/buf.h"
#include "base/mem.h"
#include "ir/tensor_meta.h"
#include "ir/value_text.h"
#include "run/datum.h"
#include "run/values.h"
#include "session/verify_private.h"

/* The place of the placeholder of GRAPH with TARGET, or SIZE_MAX. */
static size_t
place_of_input(const struct fx_graph *graph, const char *target)
{
	const struct fx_node *node;
	size_t at = 0;

	fx_graph_for_each_node (node, graph) {
		if (node->opcode != FX_OPCODE_PLACEHOLDER)
			continue;
		if (node->target == target)
			return at;
		at++;
	}
	return SIZE_MAX;
}

size_t *
fx_verify_pair_inputs(const struct fx_verify *verify,
	const struct fx_graph *graph, size_t *count_ret)
{
	FX_AUTO_BITSET struct fx_bitset taken = { 0 };
	size_t *ret = fx_xcalloc(graph->node_count + 1, sizeof(*ret));
	const struct fx_node *node;
	size_t count = 0;
	size_t all = 0;
	size_t next = 0;

	fx_graph_for_each_node (node, graph)
		if (node->opcode == FX_OPCODE_PLACEHOLDER) {
			ret[count] =
				place_of_input(verify->before, node->target);
			if (ret[count] != SIZE_MAX)
				fx_bitset_add(&taken, (uint32_t)ret[count]);
			count++;
		}
	fx_graph_for_each_node (node, verify->before)
		all += node->opcode == FX_OPCODE_PLACEHOLDER;
	for (size_t i = 0; i < count; i++) {
		if (ret[i] != SIZE_MAX)
			continue;
		while (next < all && fx_bitset_has(&taken, (uint32_t)next))
			next++;
		if (next < all)
			ret[i] = next++;
	}
	*count_ret = count;
	return ret;
}

const struct fx_node *
fx_verify_lone_input(const struct fx_verify *verify,
	const struct fx_graph *graph)
{
	size_t count;
	FX_AUTO_FREE size_t *places =
		fx_verify_pair_inputs(verify, graph, &count);
	const struct fx_node *node;
	size_t at = 0;

	fx_graph_for_each_node (node, graph)
		if (node->opcode == FX_OPCODE_PLACEHOLDER &&
			places[at++] == SIZE_MAX && node->user_count &&
			!fx_value_item_count(&node->args))
			return node;
	return NULL;
}

struct fx_datum **
fx_verify_match_inputs(const struct fx_verify *verify, size_t number,
	const struct fx_graph *graph, size_t *count_ret)
{
	const struct fx_trial_inputs *inputs = &verify->inputs[number];
	FX_AUTO_FREE size_t *places =
		fx_verify_pair_inputs(verify, graph, count_ret);
	struct fx_datum **ret =
		fx_xcalloc(*count_ret + 1, sizeof(struct fx_datum *));

	for (size_t i = 0; i < *count_ret; i++)
		ret[i] = places[i] < inputs->count ? inputs->items[places[i]]
						   : NULL;
	return ret;
}

/* Whether META is of a tensor of the dtype and the sizes of EXTENT. */
static bool
is_of(const struct fx_value *meta, const struct fx_extent *extent)
{
	const struct fx_tensor_meta *tensor = meta->tensor;

	if (tensor->dtype != extent->dtype || tensor->rank != extent->rank)
		return false;
	for (uint32_t i = 0; i < extent->rank; i++)
		if (tensor->sizes[i].integer != extent->sizes[i])
			return false;
	return true;
}

/* A line where INPUT, of the second graph, was given something of another shape
 * or dtype than GIVEN, which both get.
 */
static void
tell_input(const struct fx_node *input, const struct fx_datum *given,
	struct fx_buf *out)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_ERROR struct fx_error *err = NULL;
	struct fx_extent extent;
	struct fx_value is;

	if (!given || given->kind != FX_DATUM_TENSOR ||
		!fx_value_has_numbers(input->meta))
		return;
	err = fx_extent_of(given, &extent);
	if (err || is_of(input->meta, &extent))
		return;
	is = fx_tensor_meta_ints(arena, extent.dtype, extent.sizes,
		extent.rank);
	fx_buf_addf(out, "input %s: both get ", input->target);
	fx_value_print_shape(out, &is, 0);
	fx_buf_add(out, ", and the second had ");
	fx_value_print_shape(out, input->meta, 0);
	fx_buf_add_char(out, '\n');
}

char *
fx_verify_tell_inputs(const struct fx_graph *graph,
	struct fx_datum *const *inputs)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const struct fx_node *node;

	fx_graph_for_each_node (node, graph)
		if (node->opcode == FX_OPCODE_PLACEHOLDER)
			tell_input(node, *inputs++, &text);
	return text.length ? fx_buf_take(&text) : NULL;
}

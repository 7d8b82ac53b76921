/* become_groups.c - what changes between two graphs, in groups that do not need
 * each other.
 */
#include <config.h>

#include "ir/become.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "ir/become_private.h"
#include "ir/edit.h"
#include "ir/graph.h"
#include "ir/likeness.h"
#include "ir/module.h"

#define NO_GROUP SIZE_MAX

/* Nodes of a group that are named. */
#define PRINTED_NODES 6

/* What stands at the path that NODE names. */
static const void *
at_path(const struct fx_graph *graph, const struct fx_node *node)
{
	const void *module;

	if (node->opcode != FX_OPCODE_CALL_MODULE &&
		node->opcode != FX_OPCODE_GET_ATTR)
		return NULL;
	module = fx_module_find(graph->module, node->target);
	return module ? module
		      : fx_module_find_tensor(graph->module, node->target);
}

/* Whether a module or tensor that NODE, of the other graph, reads changes. */
static bool
changes_target(const struct fx_becoming *b, const struct fx_node *node)
{
	struct fx_module *module;

	if (!at_path(b->other, node))
		return false;
	module = fx_module_find(b->other->module, node->target);
	if (module)
		return fx_likeness_of_modules(fx_module_find(b->graph->module,
						      node->target),
			       module) != FX_LIKENESS_SAME;
	return fx_likeness_of_tensors(fx_module_find_tensor(b->graph->module,
					      node->target),
		       fx_module_find_tensor(b->other->module, node->target)) !=
	       FX_LIKENESS_SAME;
}

/* The rows form a forest: each knows one above it, or itself. */
static size_t
root_of(size_t *above, size_t row)
{
	while (above[row] != row)
		row = above[row] = above[above[row]];
	return row;
}

static void
join(size_t *above, size_t a, size_t b)
{
	a = root_of(above, a);
	b = root_of(above, b);
	/* The first one of a group names it. */
	above[a > b ? a : b] = a > b ? b : a;
}

/* Whether BEFORE and AFTER, arguments of one node, differ by nodes alone that
 * came or went.
 */
static bool
is_rewired_value(const struct fx_becoming *b, const struct fx_value *before,
	const struct fx_value *after)
{
	size_t count = fx_value_item_count(before);

	if (before->kind != after->kind || count != fx_value_item_count(after))
		return false;
	if (before->kind == FX_VALUE_NODE)
		return fx_pairs_mate(&b->pairs, before->node) == after->node ||
		       !fx_pairs_mate(&b->pairs, before->node) ||
		       !fx_pairs_mate(&b->pairs, after->node);
	for (size_t i = 0; i < count; i++)
		if (!is_rewired_value(b, &before->items[i], &after->items[i]))
			return false;
	return count || fx_value_equal(before, after);
}

/* Whether all that changes at ROW is that an input has another in its place:
 * what it does is as before.
 */
static bool
is_rewired(const struct fx_becoming *b, size_t row)
{
	const struct fx_change *change = &b->rows[row];
	const unsigned allowed =
		FX_DIFFERS_ARGS | FX_DIFFERS_KWARGS | FX_DIFFERS_NAME;

	return change->kind == FX_CHANGE_CHANGED && !change->has_moved &&
	       !(change->differs & ~allowed) &&
	       is_rewired_value(b, &change->before->args,
		       &change->after->args) &&
	       is_rewired_value(b, &change->before->kwargs,
		       &change->after->kwargs);
}

/* Rows while they are divided. */
struct dividing {
	const struct fx_becoming *b;
	size_t *above;      /* the forest */
	bool *is_rewired;   /* by row */
	struct fx_map rows; /* a node, or what it reads -> its row + 1 */
};

/* Join ROW, of NODE, with those of its inputs that change too.  One that is
 * rewired does what it did, and is between changes as others that stay.
 */
static void
join_inputs(struct dividing *d, size_t row, const struct fx_node *node)
{
	for (size_t i = 0; node && i < fx_node_input_count(node); i++) {
		const struct fx_node *input = fx_node_input(node, i);
		size_t other = fx_map_get(&d->rows, (uintptr_t)input, 0);

		if (!other || d->is_rewired[other - 1] ||
			(d->is_rewired[row] &&
				fx_pairs_mate(&d->b->pairs, input)))
			continue;
		join(d->above, row, other - 1);
	}
}

/* Rows that change, by their nodes and what these read. */
static void
find_changing(struct dividing *d)
{
	const struct fx_becoming *b = d->b;

	for (size_t i = 0; i < b->count; i++) {
		const struct fx_change *row = &b->rows[i];
		const void *read =
			row->after ? at_path(b->other, row->after) : NULL;
		bool reads = row->after && changes_target(b, row->after);
		size_t other;

		d->above[i] = i;
		if (row->kind == FX_CHANGE_SAME && !reads)
			continue;
		d->is_rewired[i] = !reads && is_rewired(b, i);
		if (row->before)
			fx_map_set(&d->rows, (uintptr_t)row->before, i + 1);
		if (row->after)
			fx_map_set(&d->rows, (uintptr_t)row->after, i + 1);
		if (!reads)
			continue;
		other = fx_map_get(&d->rows, (uintptr_t)read, 0);
		if (other)
			join(d->above, i, other - 1);
		else
			fx_map_set(&d->rows, (uintptr_t)read, i + 1);
	}
}

/* Join ROW with the node that has its name, and another one afterwards. */
static void
join_name(struct dividing *d, size_t row)
{
	const struct fx_change *change = &d->b->rows[row];
	const struct fx_node *named =
		change->after ? fx_graph_find(d->b->graph, change->after->name)
			      : NULL;
	size_t other = named && named != change->before
			       ? fx_map_get(&d->rows, (uintptr_t)named, 0)
			       : 0;

	if (other)
		join(d->above, row, other - 1);
}

/* By group, in their order. */
static void
sort_rows(struct fx_becoming *b)
{
	FX_AUTO_FREE size_t *next = NULL;

	b->begins = fx_xcalloc(b->group_count + 1, sizeof(*b->begins));
	for (size_t i = 0; i < b->count; i++)
		if (b->groups[i] != NO_GROUP)
			b->begins[b->groups[i] + 1]++;
	for (size_t i = 0; i < b->group_count; i++)
		b->begins[i + 1] += b->begins[i];
	next = fx_xcalloc(b->group_count + 1, sizeof(*next));
	memcpy(next, b->begins, b->group_count * sizeof(*next));
	b->sorted = fx_xcalloc(b->count + 1, sizeof(*b->sorted));
	for (size_t i = 0; i < b->count; i++)
		if (b->groups[i] != NO_GROUP)
			b->sorted[next[b->groups[i]]++] = i;
}

static const struct fx_node *
node_of(const struct fx_change *row)
{
	return row->after ? row->after : row->before;
}

/* By row, from the forest. */
static void
number_groups(struct fx_becoming *b, struct dividing *d)
{
	for (size_t i = 0; i < b->count; i++) {
		size_t root = root_of(d->above, i);

		if (!fx_map_has(&d->rows, (uintptr_t)node_of(&b->rows[i])))
			b->groups[i] = NO_GROUP;
		else
			b->groups[i] =
				root == i ? b->group_count++ : b->groups[root];
	}
}

size_t
fx_becoming_divide(struct fx_becoming *b)
{
	struct dividing d = { .b = b };

	if (b->groups)
		return b->group_count;
	d.above = fx_xcalloc(b->count + 1, sizeof(*d.above));
	d.is_rewired = fx_xcalloc(b->count + 1, sizeof(*d.is_rewired));
	b->groups = fx_xcalloc(b->count + 1, sizeof(*b->groups));
	find_changing(&d);
	for (size_t i = 0; i < b->count; i++) {
		const struct fx_change *row = &b->rows[i];

		if (!fx_map_has(&d.rows, (uintptr_t)node_of(row)))
			continue;
		join_inputs(&d, i, row->before);
		join_inputs(&d, i, row->after);
		join_name(&d, i);
	}
	number_groups(b, &d);
	sort_rows(b);
	fx_map_deinit(&d.rows);
	free(d.is_rewired);
	free(d.above);
	return b->group_count;
}

const struct fx_node *
fx_becoming_node(const struct fx_becoming *b, size_t group)
{
	for (size_t i = b->begins[group]; i < b->begins[group + 1]; i++)
		if (b->rows[b->sorted[i]].before)
			return b->rows[b->sorted[i]].before;
	return NULL;
}

const char *
fx_becoming_key(const struct fx_becoming *b, size_t group)
{
	const struct fx_node *node = fx_becoming_node(b, group);

	return node ? node->name
		    : b->rows[b->sorted[b->begins[group]]].after->name;
}

void
fx_becoming_print(const struct fx_becoming *b, size_t group, struct fx_buf *out)
{
	static const char signs[] = { [FX_CHANGE_ADDED] = '+',
		[FX_CHANGE_REMOVED] = '-',
		[FX_CHANGE_CHANGED] = '~',
		[FX_CHANGE_RENAMED] = '=',
		[FX_CHANGE_MOVED] = '~',
		[FX_CHANGE_SAME] = '~' };
	size_t count = b->begins[group + 1] - b->begins[group];

	for (size_t i = 0; i < count && i < PRINTED_NODES; i++) {
		const struct fx_change *row =
			&b->rows[b->sorted[b->begins[group] + i]];

		fx_buf_addf(out, "%s%c%%%s", i ? " " : "", signs[row->kind],
			node_of(row)->name);
		if (row->kind == FX_CHANGE_RENAMED)
			fx_buf_addf(out, " (was %%%s)", row->before->name);
	}
	if (count > PRINTED_NODES)
		fx_buf_addf(out, " and %zu more", count - PRINTED_NODES);
}

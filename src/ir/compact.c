/* compact.c - giving back what neither the graph nor its journal reaches.
 *
 * The value arena is copied: arguments, metadata and edges of the nodes that
 * are in the graph or in an entry, and the other sides of the entries.  Edges
 * point at each other, also at ones that have left their list (ir/uses.h), so
 * they are forwarded: a copied edge has no user any more and its `input` leads
 * to the copy.  Nodes do not move; a slab without a reachable node is freed.
 *
 * Copying costs as much as what is kept, so it is worth it once the arena has
 * four times the size that it had after the last time.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/map.h"
#include "ir/graph_private.h"
#include "ir/journal_private.h"
#include "ir/module.h"
#include "ir/value_walk.h"

enum {
	MARK_LIVE = 8,
	/* Below this size nothing is worth the trouble. */
	SMALL_ARENA = 1 << 16,
};

typedef void entry_fn(struct fx_graph *graph, struct fx_entry *entry);

static void
for_each_entry(struct fx_graph *graph, entry_fn *visit)
{
	struct fx_journal *journal = graph->journal;

	for (size_t i = 0; journal && i < journal->records.count; i++) {
		struct fx_record *record = &journal->records.items[i];
		struct fx_entry *entry;

		fx_vec_for_each (entry, &record->entries)
			if (fx_entry_graph(entry) == graph)
				visit(graph, entry);
	}
}

static void
mark_entry(struct fx_graph *graph, struct fx_entry *entry)
{
	(void)graph;
	if (entry->node)
		entry->node->mark |= MARK_LIVE;
}

static bool
is_live(const struct fx_node *node)
{
	return node->is_in_graph || (node->mark & MARK_LIVE);
}

/* A copy of COUNT edges in ARENA, with forwarding left behind. */
static struct fx_use *
copy_uses(struct fx_arena *arena, struct fx_use *uses, uint32_t count)
{
	struct fx_use *copy;

	if (count == 0)
		return NULL;
	copy = fx_arena_alloc(arena, count * sizeof(*copy));
	memcpy(copy, uses, count * sizeof(*copy));
	for (uint32_t i = 0; i < count; i++) {
		uses[i].user = NULL;
		uses[i].input = (struct fx_node *)(void *)&copy[i];
	}
	return copy;
}

/* Where the edge USE is now; null for one that nothing needs. */
static struct fx_use *
forwarded(const struct fx_use *use)
{
	if (!use || use->user)
		return NULL;
	return (struct fx_use *)(void *)use->input;
}

static void
forward_uses(struct fx_use *uses, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uses[i].previous = forwarded(uses[i].previous);
		uses[i].next = forwarded(uses[i].next);
	}
}

/* GRAPH->values is the new arena by now. */
static void
copy_node(struct fx_graph *graph, struct fx_node *node)
{
	struct fx_arena *arena = graph->values;

	node->args = fx_value_clone(arena, &node->args);
	node->kwargs = fx_value_clone(arena, &node->kwargs);
	node->uses = copy_uses(arena, node->uses, node->use_count);
	fx_graph_set_meta(node, node->meta);
}

/* Whether some node is about to go. */
static bool
copy_nodes(struct fx_graph *graph)
{
	bool some_go = false;

	for (uint32_t i = 1; i <= graph->private_->made; i++) {
		struct fx_node *node = fx_graph_slot(graph, i);

		if (node && is_live(node))
			copy_node(graph, node);
		else
			some_go = some_go || (node && node->id);
	}
	return some_go;
}

static void
copy_entry(struct fx_graph *graph, struct fx_entry *entry)
{
	struct fx_arena *arena = graph->values;
	struct fx_entry_args *args = &entry->args;

	if (entry->kind != FX_EDIT_ARGS)
		return;
	args->args = fx_value_clone(arena, &args->args);
	args->kwargs = fx_value_clone(arena, &args->kwargs);
	args->uses = copy_uses(arena, args->uses, args->use_count);
}

/* Wipe NODE if nothing reaches it. */
static void
finish_node(struct fx_node *node)
{
	if (!is_live(node)) {
		memset(node, 0, sizeof(*node));
		return;
	}
	node->mark &= (uint8_t)~MARK_LIVE;
	forward_uses(node->uses, node->use_count);
	node->first_user = forwarded(node->first_user);
	node->last_user = forwarded(node->last_user);
}

static void
finish_nodes(struct fx_graph *graph)
{
	for (uint32_t i = 1; i <= graph->private_->made; i++) {
		struct fx_node *node = fx_graph_slot(graph, i);

		if (node)
			finish_node(node);
	}
}

static void
forward_entry(struct fx_graph *graph, struct fx_entry *entry)
{
	(void)graph;
	if (entry->kind == FX_EDIT_ARGS)
		forward_uses(entry->args.uses, entry->args.use_count);
}

static void
copy_configurations(struct fx_graph *graph)
{
	struct fx_graph_private *p = graph->private_;

	for (size_t i = 0; i < p->modules.count; i++) {
		struct fx_module *module = p->modules.items[i];

		module->config = fx_value_clone(graph->values, &module->config);
	}
}

/* A name that leads to a node which is about to go leads nowhere. */
static void
forget_owner(uintptr_t *owner)
{
	if (*owner > 1 && !is_live((struct fx_node *)*owner))
		*owner = 1;
}

static void
forget_entry_owner(struct fx_graph *graph, struct fx_entry *entry)
{
	(void)graph;
	if (entry->kind == FX_EDIT_CREATE || entry->kind == FX_EDIT_NAME)
		forget_owner(&entry->name.before);
}

static void
forget_owners(struct fx_graph *graph)
{
	struct fx_map *taken = &graph->names.taken;

	for (size_t i = 0; i < taken->capacity; i++)
		if (taken->slots[2 * i])
			forget_owner(&taken->slots[2 * i + 1]);
	for_each_entry(graph, forget_entry_owner);
}

static bool
has_live(const struct fx_node *slab)
{
	for (size_t i = 0; i < FX_SLAB_NODES; i++)
		if (slab[i].id)
			return true;
	return false;
}

/* Free slabs without nodes, except the one that is being filled. */
static void
free_slabs(struct fx_graph *graph)
{
	struct fx_graph_private *p = graph->private_;

	for (size_t i = 0; i + 1 < p->slabs.count; i++) {
		const struct fx_node *slab = p->slabs.items[i];

		if (slab && !has_live(slab))
			fx_graph_free_slab(graph, i);
	}
}

static void
compact_values(struct fx_graph *graph)
{
	struct fx_arena *old = graph->values;
	bool some_go;

	graph->values = fx_arena_new();
	for_each_entry(graph, mark_entry);
	some_go = copy_nodes(graph);
	for_each_entry(graph, copy_entry);
	copy_configurations(graph);
	if (some_go)
		forget_owners(graph);
	finish_nodes(graph);
	for_each_entry(graph, forward_entry);
	free_slabs(graph);
	fx_arena_free(old);
}

void
fx_graph_compact(struct fx_graph *graph, bool force)
{
	struct fx_graph_private *p = graph->private_;
	size_t size = fx_arena_size(graph->values);

	if (fx_journal_is_open(graph))
		return;
	if (!force && (size < SMALL_ARENA || size / 4 < p->compacted_size))
		return;
	if (graph->journal)
		fx_graph_collect_modules(graph);
	compact_values(graph);
	p->compacted_size = fx_arena_size(graph->values);
}

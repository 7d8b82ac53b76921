/* changed_nodes.c - whose results a transaction may have changed. */
#include <config.h>

#include "ir/changed_nodes.h"

#include <string.h>

#include "base/intern.h"
#include "base/map.h"
#include "ir/control.h"
#include "ir/journal_private.h"

/* Members that were replaced: their names and their modules (-> 1) for a quick
 * look, and the entries for the precise one.
 */
struct replaced {
	struct fx_map names;
	struct fx_map modules;
	const struct fx_entry *entries;
	size_t count;
};

static bool
is_replaced(const struct replaced *replaced, const struct fx_module *module,
	const char *name)
{
	if (!fx_map_has(&replaced->names, (uintptr_t)name) ||
		!fx_map_has(&replaced->modules, (uintptr_t)module))
		return false;
	for (size_t i = 0; i < replaced->count; i++) {
		const struct fx_entry *entry = &replaced->entries[i];

		if (entry->kind == FX_EDIT_MEMBER &&
			entry->member->module == module &&
			entry->member->member.name == name)
			return true;
	}
	return false;
}

/* Whether an edit replaced a member of MODULE, or of a module below MODULE. */
static bool
is_replaced_below(const struct replaced *replaced, struct fx_module *module)
{
	struct fx_module_walk *walk;
	const char *path;
	bool found = false;

	if (!module)
		return false;
	walk = fx_module_walk_new(module, true);
	while (!found && fx_module_walk_next(walk, &module, &path))
		found = fx_map_has(&replaced->modules, (uintptr_t)module);
	fx_module_walk_free(walk);
	return found;
}

/* Whether the way to TARGET leads through a replaced member, or one lies below
 * it.
 */
static bool
leads_through(const struct replaced *replaced, struct fx_module *module,
	const char *target)
{
	while (module && *target) {
		const char *dot = strchr(target, '.');
		size_t length = dot ? (size_t)(dot - target) : strlen(target);
		const char *name = fx_intern_n(target, length);
		const struct fx_member *member;

		if (is_replaced(replaced, module, name))
			return true;
		member = fx_module_member(module, name);
		module = member ? member->child : NULL;
		target += length + (dot != NULL);
	}
	return is_replaced_below(replaced, module);
}

/* FIRST: the first entry of COUNT that replaces a member. */
static void
add_users_of_modules(struct fx_graph *graph, const struct fx_entry *entries,
	size_t first, size_t count, struct fx_bitset *ids)
{
	struct replaced replaced = { .entries = entries, .count = count };
	struct fx_node *node;

	for (size_t i = first; i < count; i++) {
		const struct fx_entry_member *place = entries[i].member;

		if (entries[i].kind != FX_EDIT_MEMBER || place->graph != graph)
			continue;
		fx_map_set(&replaced.names, (uintptr_t)place->member.name, 1);
		fx_map_set(&replaced.modules, (uintptr_t)place->module, 1);
	}
	if (replaced.names.count)
		fx_graph_for_each_node (node, graph)
			if ((node->opcode == FX_OPCODE_CALL_MODULE ||
				    node->opcode == FX_OPCODE_GET_ATTR) &&
				leads_through(&replaced, graph->module,
					node->target))
				fx_bitset_add(ids, (uint32_t)node->id);
	fx_map_deinit(&replaced.names);
	fx_map_deinit(&replaced.modules);
}

static void
add(struct fx_graph *graph, const struct fx_entry *entries, size_t count,
	struct fx_bitset *ids, struct fx_bitset *moved)
{
	size_t member = count;

	for (size_t i = 0; i < count; i++) {
		fx_entry_prefetch(entries, i, count);
		if (fx_entry_graph(&entries[i]) != graph)
			continue;
		switch ((enum fx_edit_kind)entries[i].kind) {
		case FX_EDIT_CREATE:
		case FX_EDIT_ERASE: /* undone, it is back */
		case FX_EDIT_ARGS:
		case FX_EDIT_TARGET:
			fx_bitset_add(ids, (uint32_t)entries[i].node->id);
			break;
		case FX_EDIT_MOVE:
			fx_bitset_add(moved, (uint32_t)entries[i].node->id);
			break;
		case FX_EDIT_MEMBER:
			member = FX_MIN(member, i);
			break;
		case FX_EDIT_NAME:
		case FX_EDIT_TYPE:
			break;
		}
	}
	if (member < count)
		add_users_of_modules(graph, entries, member, count, ids);
}

/* GRAPH and those it is nested in. */
static void
add_graph(struct fx_graphs *graphs, struct fx_graph *graph)
{
	for (; graph; graph = graph->outer) {
		size_t i = 0;

		while (i < graphs->count && graphs->items[i] != graph)
			i++;
		if (i < graphs->count)
			return;
		fx_vec_push(graphs, graph);
	}
}

static void
add_graphs(struct fx_graph *graph, const struct fx_entry *entries, size_t count,
	struct fx_graphs *ret)
{
	const struct fx_graph *last = graph;

	add_graph(ret, graph);
	if (!graph->journal->is_shared)
		return;
	for (size_t i = 0; i < count; i++) {
		struct fx_graph *of = fx_entry_graph(&entries[i]);

		if (of != last)
			add_graph(ret, of);
		last = of;
	}
}

void
fx_changed_calls(struct fx_graph *graph, const struct fx_graphs *graphs,
	struct fx_bitset *ids)
{
	struct fx_node *node;

	for (size_t i = 0; i < graphs->count; i++)
		if (graphs->items[i]->outer == graph)
			fx_graph_for_each_node (node, graph)
				if (fx_control_runs(node, graphs->items[i]))
					fx_bitset_add(ids, (uint32_t)node->id);
}

static const struct fx_record *
record_of(const struct fx_graph *graph, uint32_t id)
{
	return &graph->journal->records.items[id];
}

void
fx_changed_nodes_of(struct fx_graph *graph, uint32_t id, struct fx_bitset *ids,
	struct fx_bitset *moved)
{
	const struct fx_record *record = record_of(graph, id);

	add(graph, record->entries.items, record->entries.count, ids, moved);
}

void
fx_changed_graphs_of(struct fx_graph *graph, uint32_t id, struct fx_graphs *ret)
{
	const struct fx_record *record = record_of(graph, id);

	add_graphs(graph, record->entries.items, record->entries.count, ret);
}

/* The entries of the open transaction from SAVEPOINT on. */
static size_t
open_entries(const struct fx_graph *graph, size_t savepoint,
	const struct fx_entry **ret)
{
	const struct fx_record *open = &graph->journal->open;

	*ret = NULL;
	if (open->entries.count <= savepoint)
		return 0;
	*ret = open->entries.items + savepoint;
	return open->entries.count - savepoint;
}

void
fx_changed_nodes_open(struct fx_graph *graph, size_t savepoint,
	struct fx_bitset *ids, struct fx_bitset *moved)
{
	const struct fx_entry *entries;
	size_t count = open_entries(graph, savepoint, &entries);

	add(graph, entries, count, ids, moved);
}

void
fx_changed_graphs_open(struct fx_graph *graph, size_t savepoint,
	struct fx_graphs *ret)
{
	const struct fx_entry *entries;
	size_t count = open_entries(graph, savepoint, &entries);

	add_graphs(graph, entries, count, ret);
}

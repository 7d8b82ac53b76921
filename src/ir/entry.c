/* entry.c - applying primitive edits, both ways.
 *
 * Everything that changes a graph with a journal ends here.
 */
#include <config.h>

#include "ir/journal_private.h"

#include "base/compiler.h"
#include "ir/graph_private.h"
#include "ir/uses.h"
#include "ops/optab.h"

#define SWAP(a, b) \
	do { \
		__typeof__(a) swapped_ = (a); \
		(a) = (b); \
		(b) = swapped_; \
	} while (0)

/* NAME leads again where it led before ENTRY. */
static void
give_back_name(struct fx_graph *graph, const struct fx_entry *entry,
	const char *name)
{
	struct fx_map *taken = &graph->names.taken;

	if (entry->name.before)
		fx_map_set(taken, (uintptr_t)name, entry->name.before);
	else
		fx_map_erase(taken, (uintptr_t)name);
}

static void
create(struct fx_graph *graph, struct fx_entry *entry, bool forward)
{
	struct fx_node *node = entry->node;

	if (forward) {
		fx_graph_link(graph, node, node->previous);
		fx_graph_own_name(graph, node->name, node);
		fx_uses_append(node);
	} else {
		fx_uses_retract(node);
		fx_graph_unlink(graph, node);
		give_back_name(graph, entry, node->name);
	}
}

static void
erase(struct fx_graph *graph, struct fx_entry *entry, bool forward)
{
	struct fx_node *node = entry->node;

	if (forward) {
		fx_uses_remove(node);
		fx_graph_unlink(graph, node);
	} else {
		fx_graph_link(graph, node, node->previous);
		fx_uses_restore(node);
	}
}

static void
move(struct fx_graph *graph, struct fx_entry *entry)
{
	struct fx_node *node = entry->node;
	struct fx_node *previous = entry->previous;

	entry->previous = node->previous;
	fx_graph_unlink(graph, node);
	fx_graph_link(graph, node, previous);
}

static void
set_args(struct fx_entry *entry, bool forward)
{
	struct fx_node *node = entry->node;
	struct fx_entry_args *other = &entry->args;

	if (forward)
		fx_uses_remove(node);
	else
		fx_uses_retract(node);
	SWAP(node->args, other->args);
	SWAP(node->kwargs, other->kwargs);
	SWAP(node->uses, other->uses);
	SWAP(node->use_count, other->use_count);
	if (forward)
		fx_uses_append(node);
	else
		fx_uses_restore(node);
}

static void
set_name(struct fx_graph *graph, struct fx_entry *entry, bool forward)
{
	struct fx_node *node = entry->node;

	/* As in torch.fx, the old name stays taken. */
	if (!forward)
		give_back_name(graph, entry, node->name);
	SWAP(node->name, entry->name.text);
	if (forward)
		fx_graph_own_name(graph, node->name, node);
}

static void
set_target(struct fx_entry *entry)
{
	struct fx_node *node = entry->node;

	SWAP(node->opcode, entry->opcode);
	SWAP(node->target, entry->text);
	node->op = (uint16_t)fx_op_of_target(node->opcode, node->target);
}

static void
set_member(struct fx_entry_member *place)
{
	struct fx_module *module = place->module;
	struct fx_member *members = module->members;
	struct fx_member wanted = place->member;
	bool is_wanted = place->is_present;

	/* Inserting one makes the other side absent, and the reverse. */
	place->is_present =
		place->index < module->member_count &&
		(!is_wanted || members[place->index].name == wanted.name);
	if (place->is_present)
		place->member = members[place->index];
	if (place->is_present && is_wanted)
		members[place->index] = wanted;
	else if (is_wanted)
		fx_module_insert_member(module, place->index, &wanted);
	else
		fx_module_remove_member(module, place->index);
}

/* Exchange the graph's state and ENTRY's. */
static void
cross(struct fx_entry *entry, bool forward)
{
	struct fx_graph *graph = fx_entry_graph(entry);

	switch ((enum fx_edit_kind)entry->kind) {
	case FX_EDIT_CREATE:
		create(graph, entry, forward);
		break;
	case FX_EDIT_ERASE:
		erase(graph, entry, forward);
		break;
	case FX_EDIT_MOVE:
		move(graph, entry);
		break;
	case FX_EDIT_ARGS:
		set_args(entry, forward);
		break;
	case FX_EDIT_NAME:
		set_name(graph, entry, forward);
		break;
	case FX_EDIT_TARGET:
		set_target(entry);
		break;
	case FX_EDIT_TYPE:
		SWAP(entry->node->type, entry->text);
		break;
	case FX_EDIT_MEMBER:
		set_member(entry->member);
		break;
	}
	if (entry->node)
		SWAP(entry->node->touched, entry->touched);
	for (; graph; graph = graph->outer)
		graph->version++;
}

/* Count ENTRY of the open transaction, which is about to be applied or (BY is
 * -1) was taken back just now: each node once, and not at all one that comes
 * and goes within it.
 */
static void
count(struct fx_record *open, const struct fx_entry *entry, int by)
{
	struct fx_edit_counts *counts = &open->shown.counts;
	const struct fx_node *node = entry->node;
	bool is_own = node && node->born == open->shown.id;
	bool is_first = node && node->touched != open->shown.id;
	size_t one = (size_t)by;

	counts->modules += one * (entry->kind == FX_EDIT_MEMBER);
	counts->rewired +=
		one * (entry->kind == FX_EDIT_ARGS && entry->is_rewiring);
	if (entry->kind == FX_EDIT_CREATE) {
		counts->created += one;
	} else if (entry->kind == FX_EDIT_ERASE) {
		counts->created -= one * is_own;
		counts->erased += one * !is_own;
		counts->changed -= one * (!is_own && !is_first);
	} else {
		counts->changed += one * (!is_own && is_first);
	}
}

void
fx_journal_apply(struct fx_graph *graph, struct fx_entry *entry)
{
	struct fx_journal *journal = graph->journal;

	fx_assert(!journal || journal->nesting > 0);
	entry->touched = fx_journal_open_id(graph);
	if (journal)
		count(&journal->open, entry, 1);
	cross(entry, true);
	if (journal)
		fx_vec_push(&journal->open.entries, *entry);
}

void
fx_journal_take_back(struct fx_graph *graph)
{
	struct fx_record *open = &graph->journal->open;
	struct fx_entry *entry = &fx_vec_pop(&open->entries);

	fx_entry_undo(entry);
	count(open, entry, -1);
}

void
fx_entry_undo(struct fx_entry *entry)
{
	cross(entry, false);
	if (entry->kind == FX_EDIT_CREATE)
		fx_names_swap_hint(&entry->node->graph->names,
			&entry->name.hint);
}

void
fx_entry_redo(struct fx_entry *entry)
{
	if (entry->kind == FX_EDIT_CREATE)
		fx_names_swap_hint(&entry->node->graph->names,
			&entry->name.hint);
	cross(entry, true);
}

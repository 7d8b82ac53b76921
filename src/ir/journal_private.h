/* journal_private.h - the primitive edits and how they are kept.
 *
 * An entry holds one primitive edit together with the state on its other side:
 * the old one while the edit is applied, the new one while it is undone.
 * Applying an entry exchanges the two, so going back and forth is the same
 * function.  Entries are only ever undone in reverse order, which lets links
 * that left a list stay where they were (ir/uses.h).
 */
#ifndef FX_IR_JOURNAL_PRIVATE_H
#define FX_IR_JOURNAL_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "ir/journal.h"
#include "ir/module.h"
#include "ir/names.h"

/* An end of a node's arguments and the edges that belong to them. */
struct fx_entry_args {
	struct fx_value args;
	struct fx_value kwargs;
	struct fx_use *uses;
	uint32_t use_count;
};

/* A name that a node gets.  NAME: the name on the other side; both: what the
 * name's entry in the namespace was before (0: none), and CREATE: the hint of
 * its candidate on the other side.
 */
struct fx_entry_name {
	const char *text;
	uintptr_t before;
	struct fx_names_undo hint;
};

/* A place in a module that holds a member or nothing. */
struct fx_entry_member {
	struct fx_graph *graph; /* in whose tree MODULE is */
	struct fx_module *module;
	size_t index;
	bool is_present; /* on the other side */
	struct fx_member member;
};

struct fx_entry {
	uint8_t kind;         /* enum fx_edit_kind */
	uint8_t opcode;       /* TARGET */
	bool is_rewiring;     /* ARGS: done by replace_uses */
	uint32_t touched;     /* what node->touched is on the other side */
	struct fx_node *node; /* NULL for MEMBER */
	union {
		struct fx_entry_name name; /* CREATE, NAME */
		struct fx_node *previous;  /* MOVE */
		struct fx_entry_args args;
		const char *text;               /* TARGET, TYPE */
		struct fx_entry_member *member; /* in its graph's arena */
	};
};

/* Large edits have many entries, and each is a line of the cache. */
_Static_assert(sizeof(struct fx_entry) <= 64, "an entry has 64 bytes");

/* The graph that ENTRY edits: the journal's own or one nested in it. */
static inline struct fx_graph *
fx_entry_graph(const struct fx_entry *entry)
{
	return entry->node ? entry->node->graph : entry->member->graph;
}

/* Who walks COUNT entries of a large edit and is at I will ask for the node of
 * one that comes soon, which lies anywhere.
 */
static inline void
fx_entry_prefetch(const struct fx_entry *entries, size_t i, size_t count)
{
	if (i + 16 < count)
		__builtin_prefetch(entries[i + 16].node);
}

/* A transaction, and the entries that undo or redo it. */
struct fx_record {
	struct fx_transaction shown;
	FX_VEC(struct fx_entry) entries;
	uint32_t depth;        /* edges to the origin */
	uint32_t newest_child; /* id, or 0 */
	bool is_forgotten;     /* cannot be reached any more */
	size_t bytes;
	struct fx_hash hash; /* the graph hash after it; in hard mode */
};

struct fx_journal {
	FX_VEC(struct fx_record) records; /* by id */
	FX_VEC(uint32_t) path; /* ids from the origin to now, by depth */
	uint32_t now;
	uint32_t base; /* the oldest id that can be reached */

	struct fx_record open;
	int nesting;    /* 0: no transaction is open */
	bool is_shared; /* graphs nested in the one that it is of have it */
	bool is_relaxed;
	size_t values_before; /* size of the value arena at begin */

	size_t bytes;
	size_t limit; /* 0: none */
};

/* Whether uses before definitions are allowed for now. */
bool fx_journal_is_relaxed(const struct fx_graph *graph);

/* Let the graphs of MODULE and below, which is in GRAPH's tree or comes into
 * it, share GRAPH's journal.
 */
void fx_journal_share(struct fx_graph *graph, struct fx_module *module);

/* The open transaction of GRAPH gets COUNT entries more, about. */
void fx_journal_reserve(struct fx_graph *graph, size_t count);

/* The id that the open transaction will have; 0 while building. */
uint32_t fx_journal_open_id(const struct fx_graph *graph);

/* Apply ENTRY of GRAPH, whose other side is the wanted state, and add ENTRY to
 * the open transaction.
 */
void fx_journal_apply(struct fx_graph *graph, struct fx_entry *entry);
/* Take back the last entry of the open transaction, and forget it. */
void fx_journal_take_back(struct fx_graph *graph);

/* edit.c: give NODE other arguments, already checked. */
void fx_edit_apply_args(struct fx_node *node, struct fx_value args,
	struct fx_value kwargs, bool is_rewiring);

/* Cross ENTRY, back or forth again. */
void fx_entry_undo(struct fx_entry *entry);
void fx_entry_redo(struct fx_entry *entry);

/* journal_report.c: forget the oldest transactions while the journal is over
 * its limit.
 */
void fx_journal_forget(struct fx_graph *graph);

#endif /* FX_IR_JOURNAL_PRIVATE_H */

/* journal.h - transactions: undo, redo, dry run, provenance, script.
 *
 * The graphs within a graph share its journal: a transaction may edit any of
 * them.  One command is one transaction.  Transactions form a tree: undo walks
 * to the parent, redo to the newest child, goto anywhere.  All are readings of
 * the recorded primitive edits; nothing has an inverse of its own.
 */
#ifndef FX_IR_JOURNAL_H
#define FX_IR_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/hash.h"
#include "ir/graph.h"

/* What a transaction did, in numbers, for the report line. */
struct fx_edit_counts {
	size_t created;
	size_t erased;
	size_t changed; /* nodes with other fields or arguments, or moved */
	size_t rewired; /* users whose arguments were replaced */
	size_t modules; /* modules and tensors set */
};

struct fx_transaction {
	uint32_t id;     /* time index: t0 is the origin */
	uint32_t parent; /* id; 0 for children of the origin and the origin */
	const char *command; /* as typed, or what made the graph; interned */
	const char *script;  /* canonical words, or NULL: not scriptable */
	const char *maker;   /* "edit", or the pass's name; interned */
	struct fx_edit_counts counts;
};

/* Open the journal of a freshly built graph: transaction t0, "origin". */
void fx_journal_open(struct fx_graph *graph, const char *origin);

/* Begin a transaction; nested calls join the outer one (its command stays).
 * COMMAND is what the user typed.
 */
void fx_journal_begin(struct fx_graph *graph, const char *command);
/* Say what the open transaction is called in a script, and what makes it. */
void fx_journal_describe(struct fx_graph *graph, const char *script,
	const char *maker);
/* End it.  An empty transaction leaves no trace.  In hard mode, and after
 * fx_edit_relax, the graph is verified first; on failure it is aborted and the
 * error returned.  *COUNTS_RET may be NULL.
 */
FX_NODISCARD struct fx_error *fx_journal_commit(struct fx_graph *graph,
	struct fx_edit_counts *counts_ret);
/* Take everything since begin back (the outermost one). */
void fx_journal_abort(struct fx_graph *graph);
bool fx_journal_is_open(const struct fx_graph *graph);
/* What the open transaction did so far. */
struct fx_edit_counts fx_journal_counts(const struct fx_graph *graph);

/* Walk.  NO_UNDO when there is nothing more in that direction (nothing
 * changes then).
 */
FX_NODISCARD struct fx_error *fx_journal_undo(struct fx_graph *graph,
	size_t count);
FX_NODISCARD struct fx_error *fx_journal_redo(struct fx_graph *graph,
	size_t count);
FX_NODISCARD struct fx_error *fx_journal_goto(struct fx_graph *graph,
	uint32_t id);

/* Where we are, how far undo and redo go, and the records (borrowed until the
 * next edit).
 */
uint32_t fx_journal_now(const struct fx_graph *graph);
size_t fx_journal_undo_count(const struct fx_graph *graph);
size_t fx_journal_redo_count(const struct fx_graph *graph);
size_t fx_journal_count(const struct fx_graph *graph);
const struct fx_transaction *fx_journal_get(const struct fx_graph *graph,
	uint32_t id);
/* Id of the transaction on the way from the origin to now that comes after ID;
 * 0 at the end.
 */
uint32_t fx_journal_after(const struct fx_graph *graph, uint32_t id);

/* Ids of nodes that transaction ID created, erased or changed, each once, in
 * the order they were touched; the caller frees.
 */
enum fx_touch {
	FX_TOUCH_CREATED = 1,
	FX_TOUCH_ERASED = 2,
	FX_TOUCH_CHANGED = 4,
};
struct fx_touched {
	uint64_t node;
	const char *name; /* interned; the last it had */
	unsigned how;     /* fx_touch bits */
};
void fx_journal_touched(const struct fx_graph *graph, uint32_t id,
	struct fx_touched **ret, size_t *count_ret);
/* The same for the open transaction (or nothing). */
void fx_journal_touched_open(const struct fx_graph *graph,
	struct fx_touched **ret, size_t *count_ret);

/* The nodes that the open transaction created and has not erased, one a call,
 * then NULL; AT begins with 0.
 */
struct fx_node *fx_journal_created_next(const struct fx_graph *graph,
	size_t *at);

/* The last transaction once more, one primitive edit after the other: VISIT is
 * called after each, with the graph as it was then.  Nothing has changed in the
 * end.  Not while a transaction is open.
 */
enum fx_edit_kind {
	FX_EDIT_CREATE,
	FX_EDIT_ERASE,
	FX_EDIT_MOVE,
	FX_EDIT_ARGS,
	FX_EDIT_NAME,
	FX_EDIT_TARGET, /* and opcode */
	FX_EDIT_TYPE,
	FX_EDIT_MEMBER, /* of a module */
};
struct fx_member;
struct fx_edit_step {
	enum fx_edit_kind kind;
	struct fx_graph *graph;         /* edited: this one or a nested one */
	const struct fx_node *node;     /* as it is now; NULL for MEMBER */
	const char *old_name;           /* what NODE was called before */
	const struct fx_module *module; /* MEMBER: whose */
	const char *member_name;        /* interned */
	const struct fx_member *member; /* NULL: it went */
};
typedef void fx_edit_step_fn(void *context, const struct fx_edit_step *change);
void fx_journal_replay(struct fx_graph *graph, fx_edit_step_fn *visit,
	void *context);

/* Limit the memory of old tensors and entries: beyond it the oldest
 * transactions are forgotten.  0: none.
 */
void fx_journal_set_limit(struct fx_graph *graph, size_t bytes);

#endif /* FX_IR_JOURNAL_H */

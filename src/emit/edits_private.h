/* edits_private.h - the files of emit/edits: what is said, and in which order.
 *
 * Each line is tried at once on a copy of the first graph, so that it is known
 * to be accepted where it stands.
 */
#ifndef FX_EMIT_EDITS_PRIVATE_H
#define FX_EMIT_EDITS_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/map.h"
#include "base/vec.h"
#include "emit/edits.h"
#include "ir/graph.h"

struct fx_change;
struct fx_pairs;

/* When nodes of the first graph are outlined that a new graph of the second one
 * has: when they have become those of it, before they are edited, or the new
 * graph is made from nothing.
 */
enum fx_edits_when {
	FX_EDITS_LAST,
	FX_EDITS_FIRST,
	FX_EDITS_NEVER,
	FX_EDITS_WHEN_COUNT
};

struct fx_edits_line {
	char *text;
	bool is_edit; /* no comment, and no way to another graph */
};

/* All that is said, of a graph and those nested in it. */
struct fx_edits_text {
	const struct fx_edits_options *options;
	FX_VEC(struct fx_edits_line) lines;
	size_t edit_count;
	size_t unsaid;
	size_t kept;  /* ids, of nodes that read the same in both graphs */
	bool parts;   /* pairs that cost more lines than two nodes */
	bool inlines; /* all calls that the second graph has not */
	enum fx_edits_when outlining;
	bool has_declined; /* a call that might be inlined */
	bool has_outlined;
	const char *path;   /* of the graph that the lines so far lead to */
	struct fx_map done; /* where graphs are nested that are done early */
	struct fx_map told; /* where graphs are nested of which something is
			     * unsaid, interned */
	bool is_stopped;
};

/* How one graph becomes another. */
struct fx_edits {
	struct fx_edits_text *text;
	const char *path; /* where it is nested; interned, "" for nowhere */
	bool is_rough;    /* what cannot be said is seen to later */
	const struct fx_pairs *pairs;
	struct fx_graph *copy; /* of the first graph, edited on the way */
	struct fx_map before;  /* node of the first graph -> of the copy */
	struct fx_map after;   /* node of the second graph -> of the copy */
	struct fx_change *rows;
	size_t row_count;
};

/* E, which says what and where already, for PAIRS and COPY, which is equal to
 * the first graph.
 */
void fx_edits_begin(struct fx_edits *e, const struct fx_pairs *pairs,
	struct fx_graph *copy);
void fx_edits_end(struct fx_edits *e);
/* Say all edits of the graph itself. */
void fx_edits_run(struct fx_edits *e);

/* Add a line; one that changes what is computed may need -f. */
FX_PRINTF(2, 3)
void fx_edits_say(struct fx_edits *e, const char *format, ...);
/* Add a comment on what cannot be said.  ERR, taken, may be null. */
FX_PRINTF(3, 4)
void fx_edits_cannot(struct fx_edits *e, struct fx_error *err,
	const char *format, ...);

/* Add a comment on what makes no difference to what is computed. */
FX_PRINTF(2, 3)
void fx_edits_remark(struct fx_edits *e, const char *format, ...);

/* The node of the copy that is to become NODE, of the second graph. */
static inline struct fx_node *
fx_edits_copied(const struct fx_edits *e, const struct fx_node *node)
{
	return fx_map_get_pointer(&e->after, node);
}

/* VALUE of the second graph, in the copy. */
struct fx_value fx_edits_import(struct fx_edits *e,
	const struct fx_value *value);

/* Move NODE of the copy to before BEFORE, which is to say WORD ANCHOR. */
void fx_edits_move(struct fx_edits *e, struct fx_node *node,
	struct fx_node *before, const char *word, const struct fx_node *anchor);

/* A name like WANTED that no node of the copy has, nor of OTHER (may be null).
 * The caller frees.
 */
char *fx_edits_free_name(const struct fx_edits *e, const char *wanted,
	const struct fx_graph *other);

/* Modules and tensors; names; nodes, in the order of the second graph; what
 * goes, and places.
 */
void fx_edits_modules(struct fx_edits *e);
void fx_edits_names(struct fx_edits *e);
void fx_edits_nodes(struct fx_edits *e);
void fx_edits_order(struct fx_edits *e);

/* edits_call.c: create what NODE, of the second graph, is, before or after NEAR
 * of the copy, or in the place of OLD.
 */
void fx_edits_create(struct fx_edits *e, const struct fx_node *node,
	struct fx_node *near, bool is_after);
void fx_edits_replace(struct fx_edits *e, const struct fx_node *node,
	struct fx_node *old);

/* How many lines that takes, where the node is an expression. */
int fx_edits_lines_replaced(const struct fx_node *node);

/* edits_nested.c: put a module with a graph, of any contents, at PATH. */
void fx_edits_create_graph(struct fx_edits *e, const char *path);
/* Turn COPY, nested at PATH, into AFTER, and the graphs in it.  BEFORE is equal
 * to COPY, or null.
 */
void fx_edits_graph(struct fx_edits_text *text, const char *path,
	struct fx_graph *before, struct fx_graph *copy, struct fx_graph *after);

/* edits_part.c: take pairs apart that cost more lines than two nodes. */
void fx_edits_part(struct fx_pairs *pairs);

/* edits_judge.c: add a comment for COPY if it is not AFTER though nothing is
 * unsaid of it, and for the graphs in it.
 */
void fx_edits_judge(struct fx_edits_text *text, const struct fx_graph *copy,
	const struct fx_graph *after);

#endif /* FX_EMIT_EDITS_PRIVATE_H */

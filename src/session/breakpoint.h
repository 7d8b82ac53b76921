/* breakpoint.h - where execution stops. */
#ifndef FX_SESSION_BREAKPOINT_H
#define FX_SESSION_BREAKPOINT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct fx_buf;
struct fx_model;
struct fx_node;
struct fx_session;
struct fx_stop;

enum fx_stop_kind {
	FX_STOP_KIND_BREAK,   /* before a node */
	FX_STOP_KIND_WATCH,   /* after a node with such a result */
	FX_STOP_KIND_CATCH,   /* where something happens */
	FX_STOP_KIND_DPRINTF, /* says something after a node, and goes on */
};

/* All kinds of stops are one list with one set of numbers. */
struct fx_breakpoint {
	int number;
	enum fx_stop_kind kind;
	const char *where; /* as typed: add, {query}, resnet.py:92, layer1; ""
			    * of what is not about some nodes: all of them */
	const char *what;  /* CATCH: "error", "pass", ...; DPRINTF: what it
			    * says; WATCH: its expression, if it has one */
	const char *condition; /* text or NULL */
	const char *commands;  /* lines to run when it stops, or NULL */
	bool is_temporary;
	bool is_enabled;
	bool is_inside;  /* WATCH: enters the graphs that nodes run */
	bool is_set;     /* WHERE is a query: it may match more after edits */
	bool is_pending; /* matches nothing now */
	size_t match_count; /* nodes it matches now */
	size_t hit_count;
	size_t ignore_count;
	size_t enable_count; /* it is disabled after as many hits; 0: not */
};

/* "break", "watch"...; "Breakpoint", "Watch" ... */
const char *fx_stop_kind_word(enum fx_stop_kind kind);
const char *fx_stop_kind_title(enum fx_stop_kind kind);

/* Set one: WHERE is a designator, a set, a scope (its first node) or
 * FILE.py:LINE.  When nothing matches: NO_NODE unless IS_PENDING.  NO_VALUE
 * when the condition asks for a value that is not there at any of the nodes.
 */
struct fx_breakpoint_spec {
	enum fx_stop_kind kind;
	/* WATCH: what is typed after the word; CATCH: the event; DPRINTF: what
	 * it says.
	 */
	const char *what;
	const char *where;     /* not BREAK: or NULL, all nodes */
	const char *condition; /* or NULL */
	bool is_temporary;
	bool is_pending;
	bool is_inside; /* WATCH of all nodes: of nested graphs too */
};
FX_NODISCARD struct fx_error *fx_breakpoint_add(struct fx_session *session,
	struct fx_model *model, const struct fx_breakpoint_spec *spec,
	const struct fx_breakpoint **ret);
/* By number: NO_NAME when there is none.  A condition that is null or empty
 * always holds; IGNORE lets the next COUNT hits pass.
 */
FX_NODISCARD struct fx_error *fx_breakpoint_delete(struct fx_session *session,
	int number);
/* Delete the breakpoints that stand on a node of WHERE: NUMBERS_RET gets "1 3".
 * NO_NAME when none does.
 */
FX_NODISCARD struct fx_error *fx_breakpoint_clear(struct fx_session *session,
	struct fx_model *model, const char *where, struct fx_buf *numbers_ret);
void fx_breakpoint_delete_all(struct fx_session *session);
FX_NODISCARD struct fx_error *fx_breakpoint_enable(struct fx_session *session,
	int number, bool on);
FX_NODISCARD struct fx_error *
fx_breakpoint_set_condition(struct fx_session *session, int number,
	const char *condition);
FX_NODISCARD struct fx_error *fx_breakpoint_ignore(struct fx_session *session,
	int number, size_t count);
/* Lines to run when it stops; null or empty: none. */
FX_NODISCARD struct fx_error *
fx_breakpoint_set_commands(struct fx_session *session, int number,
	const char *commands);
/* Enabled, it is disabled after COUNT hits, or deleted (IS_TEMPORARY) after
 * the first.
 */
FX_NODISCARD struct fx_error *
fx_breakpoint_enable_for(struct fx_session *session, int number, size_t count,
	bool is_temporary);
/* The number of the one that was set last; 0: none was. */
int fx_breakpoint_last(const struct fx_session *session);

/* The graph in which BREAKPOINT was set, as the word graph takes it behind the
 * name of *MODEL_RET: "/turn", or "" of the model's own.  Interned.
 */
const char *fx_breakpoint_graph(const struct fx_breakpoint *breakpoint,
	const struct fx_model **model_ret);
/* "first.act": NODE of BREAKPOINT's model, as it is named from outside. */
const char *fx_breakpoint_place(const struct fx_breakpoint *breakpoint,
	const struct fx_node *node);
/* Append the line that sets BREAKPOINT, without its condition. */
void fx_breakpoint_print(const struct fx_session *session,
	const struct fx_breakpoint *breakpoint, struct fx_buf *out);
/* Append what a list says of it: "on, once, ignores 2", and its place, or the
 * whole line of one that is no breakpoint.
 */
void fx_breakpoint_print_state(const struct fx_breakpoint *breakpoint,
	struct fx_buf *out);
void fx_breakpoint_print_place(const struct fx_session *session,
	const struct fx_breakpoint *breakpoint, struct fx_buf *out);
/* Whether an enabled CATCH of the event WHAT, whose pattern, if it has one,
 * fits NAME (may be NULL), stops there: *RET has its number and commands, for
 * the caller to deinit; the hit is counted.
 */
bool fx_breakpoint_catch(struct fx_session *session, const char *what,
	const char *name, struct fx_stop *ret);

size_t fx_breakpoint_count(const struct fx_session *session);
const struct fx_breakpoint *fx_breakpoint_at(const struct fx_session *session,
	size_t index);
const struct fx_breakpoint *fx_breakpoint_find(const struct fx_session *session,
	int number);
/* The node whose value the condition of BREAKPOINT asks for though it has not
 * run at the first of its nodes, *AT_RET; NULL when all is there.
 */
struct fx_node *fx_breakpoint_late(struct fx_session *session,
	const struct fx_breakpoint *breakpoint, struct fx_node **at_ret);
/* The nodes it matches, in order, if it is one of the current model: of the
 * graph in which execution stood when it was set.  The caller frees *RET.
 */
void fx_breakpoint_nodes(struct fx_session *session,
	const struct fx_breakpoint *breakpoint, struct fx_node ***ret,
	size_t *count_ret);

#endif /* FX_SESSION_BREAKPOINT_H */

/* break_private.h - breakpoints as the session keeps and runs them. */
#ifndef FX_SESSION_BREAK_PRIVATE_H
#define FX_SESSION_BREAK_PRIVATE_H

#include "session/session_private.h"
#include "session/watch.h"

enum fx_break_kind {
	FX_BREAK_NODE,  /* one node by id */
	FX_BREAK_SET,   /* a query, looked up again after edits */
	FX_BREAK_SCOPE, /* the first node of a module path */
	FX_BREAK_SOURCE,
	FX_BREAK_ALL, /* every node, of nested graphs too */
};

/* A stop of any kind, and what it matched when the graph had VERSION. */
struct fx_break {
	struct fx_breakpoint shown;
	enum fx_break_kind kind;
	struct fx_model *model;
	struct fx_graph *graph; /* of the nodes that it matches */
	struct fx_graph *home;  /* of NODE, which may have moved */
	uint64_t node;          /* NODE */
	uint64_t first;         /* the node that it was set on */
	uint64_t from;       /* what NODE was in the graph around HOME, or 0 */
	const char *name;    /* that it had last, interned */
	const char *path;    /* SCOPE */
	struct fx_map nodes; /* id -> 1 */
	uint64_t version;
	bool is_fresh;
	bool is_matching; /* its set may ask for breakpoints: {state=B} */
	bool is_done;     /* temporary, hit: deleted at the stop */

	struct fx_watch watch; /* of a WATCH, and of a CATCH of shapes */
	bool is_watch;         /* it is looked at after nodes */
	bool has_raised;       /* its expression did, and was told */
};

/* breakpoint.c: one in no list. */
FX_NODISCARD struct fx_error *fx_break_new(struct fx_session *session,
	struct fx_model *model, const struct fx_breakpoint_spec *spec,
	struct fx_break **ret);
void fx_break_free(struct fx_break *b);

/* break_hit.c: whether B stands on NODE of MODEL, enabled. */
bool fx_break_stands_on(struct fx_session *session, struct fx_break *b,
	const struct fx_model *model, const struct fx_node *node);
/* Its condition and ignore count; STOP learns of it, and of an error. */
bool fx_break_hits(struct fx_session *session, struct fx_model *model,
	struct fx_break *b, struct fx_stop *stop);

/* Whether an enabled breakpoint stops before NODE now: counts hits, honours
 * ignore counts and conditions.  STOP gets its number, its condition, and as
 * error that a condition could not be evaluated, which stops too.
 */
bool fx_breaks_hit(struct fx_session *session, struct fx_model *model,
	struct fx_node *node, struct fx_stop *stop);
/* fx_breaks_has says whether an enabled breakpoint stands on NODE;
 * fx_breaks_inside, whether one stands on a node of the graphs that NODE runs,
 * or of a graph nested in those, or a watch looks inside.
 */
bool fx_breaks_has(struct fx_session *session, struct fx_model *model,
	const struct fx_node *node);
bool fx_breaks_inside(struct fx_session *session, const struct fx_model *model,
	const struct fx_node *node);
/* Whether an enabled one of any kind is about NODE, and not about all nodes or
 * what is written into a value.
 */
bool fx_breaks_name(struct fx_session *session, struct fx_model *model,
	const struct fx_node *node);
/* An enabled CATCH of WHAT (see fx_breakpoint_catch): STOP is filled with it.
 */
bool fx_breaks_catch(struct fx_session *session, const char *what,
	const char *name, struct fx_stop *stop);
/* What MODEL's stops and skips match is looked up again: {tagged}. */
void fx_breaks_forget(const struct fx_model *model);
/* After an edit: say which ones have lost their node, or have it again. */
void fx_breaks_tell(struct fx_model *model);
/* Delete temporary ones that were hit. */
void fx_breaks_sweep(struct fx_session *session);
void fx_breaks_drop_model(struct fx_session *session, struct fx_model *model);
void fx_breaks_free(struct fx_session *session);

/* Look B's nodes up again if the graph has changed. */
void fx_break_refresh(struct fx_session *session, struct fx_break *b);

/* break_match.c: look its nodes up. */
FX_NODISCARD struct fx_error *fx_break_match(struct fx_session *session,
	struct fx_break *b);

/* break_where.c: whether WHERE is a line as in resnet.py:92: word, colon,
 * digits (COMMANDS 2); whether NODE is from that line.
 */
bool fx_break_is_line(const char *where);
bool fx_break_is_from(const struct fx_node *node, const char *where);
/* Whether what names no node looks like a query without its braces:
 * op=call_module, @2:@4 or fc1:fc2, but not net.py:all.
 */
bool fx_break_is_query(const char *where);

/* condition.c: NO_VALUE when CONDITION asks for a value that is there at none
 * of B's nodes, as execution stops before them.
 */
FX_NODISCARD struct fx_error *fx_condition_check(struct fx_session *session,
	struct fx_break *b, const char *condition);

#endif /* FX_SESSION_BREAK_PRIVATE_H */

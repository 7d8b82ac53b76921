/* position_private.h - one verb of execution while it is carried out. */
#ifndef FX_SESSION_POSITION_PRIVATE_H
#define FX_SESSION_POSITION_PRIVATE_H

#include "session/activation.h"
#include "session/session_private.h"
#include "session/watching.h"

struct fx_request {
	struct fx_session *session;
	struct fx_model *model;
	struct fx_stop *stop;
	struct fx_ticker ticker;
	struct fx_recorder recorder;
	struct fx_watching watching;
	bool has_watches;

	size_t count;      /* steps still to do; 0: no limit */
	bool enters;       /* step: into nested graphs */
	const char *scope; /* a unit or finish: until out of it; NULL */
	bool by_scope;     /* step-unit scope */
	bool leaves;       /* finish: out of the nested graph */
	uint64_t target;   /* stop before it; 0: none */
	const struct fx_graph *inside;  /* the target's: entered; NULL */
	const struct fx_bitset *needed; /* run --to: these positions; NULL */
	bool ignores_breaks;            /* goto */
	bool to_computing;              /* start */

	bool is_first;   /* no node has been passed yet */
	bool is_stopped; /* stop is filled */
	/* Of the node ahead: a breakpoint stands on it; it is a nested graph to
	 * enter.
	 */
	bool at_break;
	bool enters_now;
	uint64_t passed; /* the last node whose stops were looked at */
	size_t depth;    /* places when it began */
	size_t rerun_before;
	long long began; /* fx_clock_ms */
};

/* position.c */
struct fx_request fx_request_new(struct fx_session *session,
	struct fx_model *model, struct fx_stop *stop);
void fx_request_stop(struct fx_request *request, enum fx_stop_reason reason);
/* Real operators are slow: ask the front end between any two. */
void fx_request_tick(struct fx_request *request);
/* Look for a breakpoint on NODE, and stop there. */
bool fx_request_breaks(struct fx_request *request, struct fx_node *node);
/* NODE could not run. */
void fx_request_fail(struct fx_request *request, struct fx_node *node,
	struct fx_error *err_taken);
/* Run until something stops; then fill the stop. */
void fx_request_drive(struct fx_request *request);
void fx_request_finish(struct fx_request *request);
/* Whether NODE runs graphs that can be stood in: without values nobody knows
 * which of a cond's, and how often.
 */
bool fx_position_can_enter(const struct fx_model *model,
	const struct fx_node *node);
/* Into the nested graph ahead: its placeholders have their values at once; so
 * at the beginning of each turn of a loop.
 */
void fx_request_enter(struct fx_request *request);
void fx_request_begin_graph(struct fx_request *request);
/* The innermost graph has ended: out of it, or on in the loop. */
void fx_request_leave(struct fx_request *request);
/* Whether NODE, or before it all there is, opens a nested graph: placeholders
 * and parameters, which are passed as it is entered unless something stands on
 * one.
 */
bool fx_position_is_opening(const struct fx_model *model,
	const struct fx_node *node);
/* Go on: run, or do what the node ahead asks for. */
void fx_request_advance(struct fx_request *request);
/* The whole module that begins with NODE: the outermost scope that the node
 * before is not in; NULL when none begins.
 */
const char *fx_position_unit(const struct fx_node *node);
/* Whether NODE was called in the module PATH or below. */
bool fx_position_is_inside(const struct fx_node *node, const char *path);
/* Neither a placeholder nor a get_attr. */
bool fx_position_is_computing(const struct fx_node *node);

/* position_run.c: drop everything and stand before the first node. */
FX_NODISCARD struct fx_error *fx_position_begin(struct fx_session *session,
	struct fx_model *model);

/* explain.c: ERR with the sizes that NODE was given as notes. */
struct fx_error *fx_explain_failure(struct fx_model *model,
	const struct fx_node *node, struct fx_error *err_taken);

/* position_back.c */
void fx_request_back(struct fx_request *request, enum fx_move move,
	size_t count);

#endif /* FX_SESSION_POSITION_PRIVATE_H */

/* position.h - the verbs of execution, onwards and back in time. */
#ifndef FX_SESSION_POSITION_H
#define FX_SESSION_POSITION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "ir/graph.h"
#include "session/breakpoint.h"
#include "session/nonfinite.h"

struct fx_model;
struct fx_session;

enum fx_stop_reason {
	FX_STOP_STEP,       /* the steps asked for are done */
	FX_STOP_BREAKPOINT, /* breakpoint NUMBER */
	FX_STOP_WATCH,      /* watch or catchpoint NUMBER, after a node */
	FX_STOP_TARGET,     /* the node asked for (until, goto, run --to) */
	FX_STOP_END,        /* past the last node; see stayed */
	FX_STOP_BEGIN,      /* at the beginning, going back */
	FX_STOP_ERROR,      /* a node could not run: see error */
	FX_STOP_INTERRUPT,
};

struct fx_stop {
	enum fx_stop_reason reason;
	int number;             /* of the breakpoint; 0: none */
	enum fx_stop_kind kind; /* of it */
	bool is_temporary;      /* the breakpoint: it is deleted now */
	const char *condition;  /* of the breakpoint: interned, or NULL */
	char *commands;         /* of all that were hit, as lines; or NULL */
	char *others; /* "Breakpoint 3, Watch 4": hit as well; or NULL */
	/* WATCH: */
	const char *what;              /* "nonfinite", interned */
	const struct fx_node *watched; /* after it, or before it going back */
	char *says;                    /* what was seen in its result */
	struct fx_nonfinite nonfinite; /* if that was what was seen */
	bool is_back;

	size_t position;        /* stopped before @position; count at the end */
	struct fx_node *node;   /* NULL at the end */
	size_t executed;        /* nodes run by this command */
	size_t again;           /* of them: they were dirty */
	bool stayed;            /* END: it stood there before */
	double seconds;         /* that it took */
	struct fx_error *error; /* ERROR: owned by the receiver */
	struct fx_node *failed; /* ERROR: which node */
};
void fx_stop_deinit(struct fx_stop *stop);
FX_DEFINE_DEINIT(stop, struct fx_stop, fx_stop_deinit);
#define FX_AUTO_STOP FX_AUTO(stop)

enum fx_move {
	FX_MOVE_STEP, /* into nested graphs */
	FX_MOVE_NEXT,
	FX_MOVE_CONTINUE,
	FX_MOVE_FINISH, /* out of the current scope or nested graph */
};

/* Whether execution has started; where it stands (stopped before this; the
 * node count at the end).
 */
bool fx_position_is_started(const struct fx_model *model);
/* NOT_RUN: what to say where it has to have. */
FX_NODISCARD struct fx_error *fx_position_not_run(const struct fx_model *model);
size_t fx_position_get(const struct fx_model *model);
/* The number of the breakpoint, watch or catch that the last verb ended at; 0:
 * none.  It may be deleted since.
 */
int fx_position_stopped_by(const struct fx_model *model);
/* The position in the model's graph, of the call of nested ones. */
size_t fx_position_outermost(const struct fx_model *model);
/* The same in GRAPH, the model's or a nested one; false: execution does not
 * stand in it.
 */
bool fx_position_in(const struct fx_model *model, const struct fx_graph *graph,
	size_t *ret);
struct fx_node *fx_position_node(const struct fx_model *model);
/* The scope in which one stands before NODE: that of the selected frame, else
 * the innermost one; a module that NODE calls has not been entered.  Borrowed,
 * "" for the whole graph.
 */
const char *fx_position_scope(struct fx_model *model, struct fx_node *node);
/* The value of NODE if it is held and lies above the stop, borrowed; else NULL.
 * Nothing runs.
 */
struct fx_datum *fx_position_value(const struct fx_model *model,
	const struct fx_node *node);
/* Return the first node that wrote in place into the value of NODE after NODE
 * made it, or NULL if no such node is known.  Before the writer, the value is
 * still the one that NODE made.
 */
const struct fx_node *fx_position_writer(const struct fx_model *model,
	const struct fx_node *node);
/* fx_position_summary returns the statistics of NODE's value, which the record
 * limit dropped: borrowed until something runs, or NULL. fx_position_is_dropped
 * says whether NODE has a value that is computed again when asked for.
 */
struct fx_summary;
const struct fx_summary *fx_position_summary(const struct fx_model *model,
	const struct fx_node *node);
bool fx_position_is_dropped(const struct fx_model *model,
	const struct fx_node *node);
/* The graph that execution stands in, the model's or a nested one, and how many
 * nested graphs deep that is; the graph of the frame selected, in which names
 * and positions are looked up, what that is called, and the node it stands at
 * (NULL at the end).
 */
struct fx_graph *fx_position_innermost(const struct fx_model *model);
struct fx_graph *fx_position_graph(const struct fx_model *model);
const char *fx_position_graph_name(const struct fx_model *model);
const struct fx_node *fx_position_selected(const struct fx_model *model);
size_t fx_position_depth(const struct fx_model *model);
/* The frame in which the graph around that one is, as `frame` takes it; 0:
 * there is none.
 */
size_t fx_position_outer_frame(const struct fx_model *model);
/* Where GRAPH is nested in MODEL's (ir/control.h): "" for that. */
const char *fx_model_graph_path(const struct fx_model *model,
	const struct fx_graph *graph);
/* The turn of the innermost while_loop in which execution stands, from 1; 0:
 * in none.
 */
size_t fx_position_turn(const struct fx_model *model);

/* Start over: drop values, stop before the first computing node. */
FX_NODISCARD struct fx_error *fx_position_start(struct fx_session *session,
	struct fx_model *model, struct fx_stop *ret);
/* From the start to the first stop; TO (may be NULL): run only what it needs
 * and stop after it.
 */
FX_NODISCARD struct fx_error *fx_position_run(struct fx_session *session,
	struct fx_model *model, struct fx_node *to, struct fx_stop *ret);
/* COUNT moves onwards or, BACK, in time.  NOT_RUN before start (continue
 * starts).
 */
struct fx_movement {
	enum fx_move how;
	bool back;
	size_t count; /* 0: once */
};
FX_NODISCARD struct fx_error *fx_position_move(struct fx_session *session,
	struct fx_model *model, const struct fx_movement *movement,
	struct fx_stop *ret);
/* until: run on to before NODE, breakpoints count; RANGE if it has run.  goto:
 * jump either way, breakpoints do not.
 */
FX_NODISCARD struct fx_error *fx_position_until(struct fx_session *session,
	struct fx_model *model, struct fx_node *node, struct fx_stop *ret);
FX_NODISCARD struct fx_error *fx_position_goto(struct fx_session *session,
	struct fx_model *model, size_t position, struct fx_stop *ret);
/* Drop all values; not started after. */
void fx_position_kill(struct fx_model *model);

/* How many nodes were executed since the model was opened (info record). */
size_t fx_position_executed(const struct fx_model *model);

/* How much was run, and how much of it is kept (info record, info coverage). */
struct fx_run_stats {
	size_t values;      /* nodes whose value is held */
	size_t held_bytes;  /* of the storages they lie in */
	size_t saved_bytes; /* of what was written in place */
	size_t effects;     /* nodes that wrote or drew random numbers */
	size_t dropped;     /* values that are computed again when asked for */
	size_t summarised;  /* of them, those whose summary is shown */
	size_t recomputed;  /* that were */
	size_t rerun;       /* nodes that ran again after edits */
	size_t ran;         /* computing nodes with a value */
	size_t by_python;   /* of them, by the python backend */
	size_t failed;
};
void fx_position_stats(struct fx_model *model, struct fx_run_stats *ret);

/* Frames of the place where execution stands, innermost first: nested graphs,
 * module scopes, then the Python stack (COMMANDS `where`).
 */
enum fx_location_kind {
	FX_LOCATION_GRAPH,
	FX_LOCATION_SCOPE,
	FX_LOCATION_SOURCE,
};
struct fx_location {
	enum fx_location_kind kind;
	const char *title;  /* graph name, module path, function */
	const char *detail; /* class, file */
	int line;
	const char *text;
	const struct fx_node *node;
};
/* The caller frees *RET; texts are borrowed. */
void fx_position_locations(const struct fx_model *model,
	const struct fx_node *node, struct fx_location **ret,
	size_t *count_ret);
/* The frame selected by up, down, frame: 0 innermost; reset by each stop. */
size_t fx_position_location(const struct fx_model *model);
void fx_position_set_location(struct fx_model *model, size_t index);

#endif /* FX_SESSION_POSITION_H */

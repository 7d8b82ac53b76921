/* session_private.h - what the files of the session share. */
#ifndef FX_SESSION_SESSION_PRIVATE_H
#define FX_SESSION_SESSION_PRIVATE_H

#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "run/progress.h"
#include "run/run.h"
#include "run/ticker.h"
#include "session/breakpoint.h"
#include "session/file_meta.h"
#include "session/model.h"
#include "session/position.h"
#include "session/run_private.h"
#include "session/session.h"

struct fx_break;
struct fx_capture;
struct fx_checkpoint;
struct fx_child_tree;
struct fx_decisions;
struct fx_kept_trials;
struct fx_meta_report;
struct fx_passing;

struct fx_input {
	uint64_t node;
	struct fx_input_given given; /* the text is owned */
	struct fx_datum *datum;
};

/* The `python` backend of a model and what the backend needs.  It lives as long
 * as the session, since values of the backend may live as long.
 */
struct fx_child_run {
	struct fx_backend *backend;
	struct fx_child_tree *tree;
	struct fx_capture *capture; /* NULL while it is the model's */
};

/* An edit between begin and end. */
struct fx_open_edit {
	size_t savepoint;
	const char *command; /* interned */
	bool has_inner;      /* an edit inside it has ended ... */
	bool has_moved_stop; /* ... and nobody else moved it since */
	uintptr_t stop;      /* where it was: as in fx_run.stops */
};

struct fx_model {
	struct fx_session *session;
	struct fx_graph *graph;
	const char *name; /* interned */
	int number;
	char *path;
	uint32_t saved; /* time index that the file has */
	const char *scope;
	const char *entered; /* path of a nested graph, interned, or NULL */

	struct fx_capture *capture; /* process with the weights, or NULL */
	unsigned capture_copy; /* of a copy that shares it, its number there */
	struct fx_traced *traced;       /* how it was captured, or NULL */
	struct fx_decisions *decisions; /* of its recording, or NULL */
	bool is_trusted; /* traced here, where its code ran, or a copy of it */
	/* Whose torch it runs on, interned; NULL: the one that is loaded, or
	 * else the one that fxdb was built for.
	 */
	const char *torch_python;
	struct fx_child_tree *tree; /* what it has, or NULL */
	bool has_weights;           /* they were fetched from it */
	const char *left_behind;    /* tensors that had no form; interned */
	struct fx_file_meta given;
	struct fx_map problems; /* id -> char *: no possible shape */
	struct fx_kept_conditions *conditions; /* or NULL */
	struct fx_map tags;                    /* id -> 1 */
	struct fx_map looked; /* id -> interned shape that is run */
	FX_VEC(struct fx_input) inputs;

	struct fx_backend *meta_backend; /* the model's own */
	struct fx_backend *python;       /* over the capture, or NULL */
	struct fx_backend *torch;        /* its own, or NULL */
	struct fx_backend *backend;      /* one of these or the session's */
	size_t fallback_before;          /* calls of it when this run began */
	bool has_told_meta;
	bool has_told_inputs;
	struct fx_run *run; /* the current one */

	FX_VEC(struct fx_open_edit) edits; /* the outermost first */

	/* Before and after the passes that were refused last, and the sentence;
	 * or NULL (refuse.c).
	 */
	struct fx_graph *refused[2];
	char *refusal;
};

struct fx_variable {
	const char *name; /* interned */
	struct fx_datum *datum;
};

struct fx_display {
	int number;
	char *expression;
	char *format;
};

struct fx_session {
	struct fx_passing *passing;         /* that is stepped, or NULL */
	struct fx_kept_trials *kept_trials; /* of verifications, or NULL */
	bool is_over_limit;   /* the last expression was refused for it */
	bool is_limit_lifted; /* the user said so */
	fx_tick_fn *tick;
	void *tick_context;
	struct fx_progress progress; /* of the command */
	fx_before_edit_fn *before_edit;
	void *before_edit_context;
	/* A guest was told of Ctrl-C; what it ran may have ended just then. */
	bool is_pressed;
	int prepared; /* number of the model that was prepared last */
	fx_output_fn *output;
	void *output_context;
	fx_notice_fn *notice;
	void *notice_context;
	char *python;             /* asked for, or NULL */
	struct fx_worker *worker; /* or NULL: not started */
	struct fx_settings *settings;
	struct fx_meta *meta; /* all shapes and expansions of layers */
	FX_VEC(struct fx_model *) models;
	struct fx_model *current;
	int next_number;
	uint32_t next_serial;
	FX_VEC(struct fx_datum *) history;
	FX_VEC(struct fx_variable) variables;
	struct fx_datum *examined; /* $_, or NULL */
	uint64_t seed;
	bool is_read_only;
	FX_VEC(struct fx_backend *) backends; /* of tests */
	bool has_seeded_torch;
	FX_VEC(struct fx_child_run) child_runs;
	char *no_torch;                 /* why there is no libtorch, or NULL */
	const char *no_torch_python;    /* ... for models that run on it */
	struct fx_datum *value_at_hand; /* borrowed: $v, or NULL ... */
	const struct fx_node *node_at_hand; /* ... and `.` of watch expr */
	fx_dprintf_fn *say_dprintf;
	void *dprintf_context;
	FX_VEC(struct fx_break *) breaks;
	int next_break;
	FX_VEC(struct fx_checkpoint *) checkpoints;
	int last_checkpoint; /* its number; 0: none was made */
	FX_VEC(struct fx_break *) skips;
	int last_skip; /* the same */
	FX_VEC(struct fx_display) displays;
	int next_display;
};

/* verify_kept.c: forget what was kept of verifications. */
void fx_verify_forget(struct fx_session *session);

/* display.c */
void fx_displays_free(struct fx_session *session);

/* session.c: fails with LIMIT when as many graphs are open as may be. */
FX_NODISCARD struct fx_error *
fx_session_need_room(const struct fx_session *session);

/* model.c */
struct fx_model *fx_model_new(struct fx_session *session,
	struct fx_graph *graph_taken);
void fx_model_free(struct fx_model *model);
/* MODEL is made of FROM: what holds for the origin holds for it. */
void fx_model_descend(struct fx_model *model, const struct fx_model *from);

/* shapes.c */
void fx_model_propagate_at_open(struct fx_model *model);
void fx_model_forget_problem(struct fx_model *model, uint64_t id);
void fx_model_clear_problems(struct fx_model *model);

/* noted_input.c: give MODEL, just opened, the inputs that its graph brings
 * (FX_NOTE_INPUT).
 */
void fx_model_take_noted_inputs(struct fx_session *session,
	struct fx_model *model);

/* input.c */
bool fx_model_has_input(const struct fx_model *model, uint64_t node);
/* What the generator starts from for the input NODE. */
uint64_t fx_model_input_seed(const struct fx_model *model,
	const struct fx_node *node);

#endif /* FX_SESSION_SESSION_PRIVATE_H */

/* passing_private.h - what the files of passing share. */
#ifndef FX_SESSION_PASSING_PRIVATE_H
#define FX_SESSION_PASSING_PRIVATE_H

#include "base/buf.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/vec.h"
#include "run/ticker.h"
#include "session/passing.h"

struct fx_passing_step {
	const struct fx_pass *pass;
	char *options;
	void *data;
	char *prefix; /* of its keys, where there are several; or NULL */
};

struct fx_passing {
	struct fx_session *session;
	struct fx_model *model;
	struct fx_graph *graph;
	FX_VEC(struct fx_passing_step) steps;
	size_t step;  /* whose work it is; COUNT at the end */
	char *name;   /* "dce cse" */
	char *title;  /* "pass dce cse" */
	char *lister; /* or NULL */
	char *command;
	enum fx_passing_verify policy;
	struct fx_map only; /* interned keys that did not come up yet */
	bool chooses;       /* others are left out */
	bool force;
	bool dry_run;
	bool is_stepped;
	bool is_quiet;
	bool is_brief; /* nobody needs decisions and keys, not even itself */
	bool is_busy;  /* it edits just now */
	struct fx_verify *verify; /* NULL: it is off */
	/* Steps from GROUP_BEGIN to before GROUP_END are verified together;
	 * what was decided and applied before them, and what is said of that.
	 */
	size_t group_begin;
	size_t group_end;
	size_t group_decisions;
	size_t group_applied;
	struct fx_buf verified;
	bool is_taken_back; /* it was refused */
	struct fx_pass_work *work;
	bool has_candidate;
	const char *key; /* interned; of the candidate at hand */
	FX_VEC(struct fx_decision) decisions;
	struct fx_map marks; /* id -> enum fx_passing_mark; while stepped */
	size_t decided;
	size_t applied;
	size_t left_out;
	size_t total;
	size_t ticks;
	struct fx_pass_world world; /* made for the first pass that computes */
	struct fx_ticker ticker;
	bool owns_backend;
};

/* The pass whose candidate is at hand, as it was begun. */
struct fx_pass_step fx_passing_step_at_hand(const struct fx_passing *passing);

/* What the node with ID is to PASSING; 0 is none. */
void fx_passing_set_mark(struct fx_passing *passing, uint64_t id,
	enum fx_passing_mark mark);

/* One with the same passes and choice, for a try inside an edit of the caller's
 * that is taken back.
 */
struct fx_passing *fx_passing_again(const struct fx_passing *of);
/* The work ends; the edit, if there is one, is not taken back. */
void fx_passing_free(struct fx_passing *passing);
FX_NODISCARD struct fx_error *fx_passing_take_all(struct fx_passing *passing);

/* passing_begin.c: one that is not begun, no edit is open for it. */
struct fx_passing *fx_passing_new(struct fx_session *session,
	struct fx_model *model, const struct fx_passing_request *request);
size_t fx_passing_group_end(const struct fx_passing *passing, size_t first);
/* Verify what the step at hand and those like it do. */
void fx_passing_begin_group(struct fx_passing *passing);
/* refuse.c: of the candidates that P applied, by TEST or, where it is null, by
 * verification; nothing of it is in the graph now.
 */
FX_NODISCARD struct fx_error *fx_passing_blame(struct fx_passing *p,
	const struct fx_blame_test *test, struct fx_passing_blamed *ret);
/* Whether RESULT, which may know nothing, is not enough. */
bool fx_passing_is_refused(const struct fx_passing *passing,
	const struct fx_verify_result *result);
/* Take all back, find the candidate that is to blame, and say so: the error.
 * The refused change is kept for `pass diff`.
 */
FX_NODISCARD struct fx_error *fx_passing_refuse(struct fx_passing *passing,
	const struct fx_verify_result *result);
void fx_model_forget_refused(struct fx_model *model);

#endif /* FX_SESSION_PASSING_PRIVATE_H */

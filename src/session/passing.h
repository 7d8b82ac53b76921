/* passing.h - passes over a model: chosen candidates, verified, one edit.
 *
 * Several passes in a row are one edit.  It may stay open between commands:
 * then every candidate that is applied is an edit inside it, so that shapes,
 * values and the position are right at the prompt, and nobody else may edit the
 * model.  However it fails, the graph is as it was before.
 *
 *	fx_passing_begin(session, model, &request, &passing);
 *	while (!err && fx_passing_next(passing, &err))
 *		err = fx_passing_take(passing, true);
 *	... fx_passing_finish, or fx_passing_abort
 */
#ifndef FX_SESSION_PASSING_H
#define FX_SESSION_PASSING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "pass/engine.h"
#include "session/blame.h"
#include "session/model.h"
#include "session/verify.h"

struct fx_passing;

/* What becomes of a result that computes something else. */
enum fx_passing_verify {
	FX_PASSING_VERIFY_AS_SET,  /* refused, by `set verify` */
	FX_PASSING_VERIFY_SAME,    /* refused, also if nothing is known */
	FX_PASSING_VERIFY_MEASURE, /* kept; how far it is off is told,
				    * unless `set verify` is off */
	FX_PASSING_VERIFY_NOT,     /* kept; nothing runs */
};

struct fx_passing_request {
	const struct fx_pass_step *steps;
	size_t step_count;
	const char *command; /* as typed */
	/* Keys separated by commas: only these candidates; NULL: all. */
	const char *only;
	const char *lister; /* with -n it lists the keys; NULL: pass run */
	enum fx_passing_verify verify;
	bool is_stepped; /* the edit stays open between commands */
	bool is_quiet;   /* nobody asks for the decisions */
	bool force;      /* impossible shapes are allowed */
	bool dry_run;    /* nothing is verified, all is taken back */
};

/* What became of a candidate. */
struct fx_decision {
	const char *pass; /* its name */
	uint64_t node;
	const char *key; /* interned */
	char *text;
	bool is_applied;
};

/* Everything is copied but passes and their data.  NO_NAME: a key that no
 * candidate has, which shows at the end.  USAGE: an option that a pass does not
 * have; MODEL or another one is being stepped.
 */
FX_NODISCARD struct fx_error *fx_passing_begin(struct fx_session *session,
	struct fx_model *model, const struct fx_passing_request *request,
	struct fx_passing **ret);

/* Go to the next candidate that was asked for; false at the end, and with *ERR
 * when a pass or the user stopped it.
 */
FX_NODISCARD bool fx_passing_next(struct fx_passing *passing,
	struct fx_error **err);
/* Apply the candidate at hand, or skip it. */
FX_NODISCARD struct fx_error *fx_passing_take(struct fx_passing *passing,
	bool applies);

/* NO_NAME where a key was asked for that no candidate had, when all came. */
FX_NODISCARD struct fx_error *
fx_passing_check_only(const struct fx_passing *passing);

/* Keep what was applied, if verification has nothing against it (of a dry run:
 * take it back).  SCRIPT (may be NULL) is told what the edit is called in a
 * script before it ends.  *VERIFIED_RET and *REPORT_RET are for the caller to
 * deinit, also after an error.  PASSING ends, whatever happens.
 */
struct fx_passing_ending {
	void (*describe)(void *context, struct fx_passing *passing);
	void *context;
};
FX_NODISCARD struct fx_error *
fx_passing_finish(struct fx_passing *passing_taken,
	const struct fx_passing_ending *ending,
	struct fx_verify_result *verified_ret,
	struct fx_edit_report *report_ret);
/* Take all back; null is allowed. */
void fx_passing_abort(struct fx_passing *passing_taken);

/* The one that is stepped in SESSION, or NULL. */
struct fx_passing *fx_session_passing(const struct fx_session *session);

/* --- asking -------------------------------------------------------------- */

struct fx_model *fx_passing_model(const struct fx_passing *passing);
/* The graph that is passed over: MODEL's or one nested in it. */
struct fx_graph *fx_passing_graph(const struct fx_passing *passing);
/* What runs, as errors call it: "pass dce cse". */
const char *fx_passing_title(const struct fx_passing *passing);
/* The pass whose candidate is at hand, or the last one. */
const struct fx_pass *fx_passing_pass(const struct fx_passing *passing);
/* The candidate at hand, or NULL; its key among those of all steps. */
const struct fx_candidate *
fx_passing_candidate(const struct fx_passing *passing);
const char *fx_passing_key(const struct fx_passing *passing);
/* Decisions so far, in order: of one that is quiet and neither chooses nor is
 * verified only their number is kept.  How many candidates there are if all are
 * applied; 0: not counted.
 */
const struct fx_decision *fx_passing_decisions(const struct fx_passing *passing,
	size_t *count_ret);
size_t fx_passing_decided(const struct fx_passing *passing);
size_t fx_passing_total(const struct fx_passing *passing);
size_t fx_passing_applied(const struct fx_passing *passing);
/* Append where it stands among its candidates: "3/17", "3/?". */
void fx_passing_print_place(const struct fx_passing *passing,
	struct fx_buf *out);
/* Whether what it did is compared with what was; what is said of steps that
 * were verified on their own before the last ones: lines, or "".
 */
bool fx_passing_is_verified(const struct fx_passing *passing);
const char *fx_passing_verified_before(const struct fx_passing *passing);
/* What the node with ID is to the pass. */
enum fx_passing_mark {
	FX_PASSING_NONE,
	FX_PASSING_WAITS, /* a candidate not come to yet */
	FX_PASSING_AT_HAND,
	FX_PASSING_APPLIED,
	FX_PASSING_SKIPPED,
};
enum fx_passing_mark fx_passing_mark(const struct fx_passing *passing,
	uint64_t id);

/* Two copies of the graph, for the caller: as it is, and with the candidate at
 * hand applied.  Both are NULL where none is at hand, or where the pass, begun
 * again on the copy, does not come to it.
 */
FX_NODISCARD struct fx_error *
fx_passing_preview(const struct fx_passing *passing, struct fx_graph *ret[2]);

/* Append "a,b": the keys that were applied.  False, and nothing, if no
 * candidate was skipped or left out, so that a script needs none.
 */
bool fx_passing_print_only(const struct fx_passing *passing,
	struct fx_buf *out);

/* --- who is to blame ----------------------------------------------------- */

/* The candidate of the shortest beginning that fails. */
struct fx_passing_blamed {
	const char *key; /* interned; NULL: nothing was applied */
	char *place;     /* "first at @23 layer2_0_bn2"; the caller's */
	bool is_alone;   /* it fails without those before it */
};

/* Go over MODEL's graph as REQUEST says, inside an edit that is taken back, and
 * find who is to blame for what TEST says of the whole.  A key of NULL where
 * that does not fail.
 */
FX_NODISCARD struct fx_error *fx_passing_find_guilty(struct fx_session *session,
	struct fx_model *model, const struct fx_passing_request *request,
	const struct fx_blame_test *test, struct fx_passing_blamed *ret);

/* --- what was refused ---------------------------------------------------- */

/* The graphs before and after the passes that verification refused last, if
 * nothing was passed since: borrowed; the sentence, or NULL.
 */
const char *fx_model_refused(const struct fx_model *model,
	struct fx_graph *ret[2]);

#endif /* FX_SESSION_PASSING_H */

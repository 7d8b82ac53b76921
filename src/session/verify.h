/* verify.h - whether an edited graph computes what it computed before.
 *
 * Begin before the edit, which takes a copy; then ask, as often as wanted, how
 * far a graph lies from it: inside the edit's open transaction, after it, or
 * for another graph altogether.
 *
 *	verify = fx_verify_new(session, model, &options);
 *	... fx_model_edit_begin, the edit ...
 *	err = fx_verify_graph(verify, fx_model_graph(model), &result);
 *	if (result.verdict == FX_VERIFY_DIFFERS) ... refuse, or say how much
 *
 * Both graphs run as trials (run/trial.h) on the session's inputs and on others
 * like them.  What they do alike from the beginning on runs once, and two
 * graphs that do the same altogether need no run and no values.  Asked again,
 * for a graph that parts no earlier, only what is new in that runs; and the
 * next verification of the session begins with what this one knows.  The
 * session's run, its generator and its values are as before.
 */
#ifndef FX_SESSION_VERIFY_H
#define FX_SESSION_VERIFY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "run/difference.h"

struct fx_buf;
struct fx_graph;
struct fx_model;
struct fx_session;
struct fx_verify;

/* What `set verify` says. */
enum fx_verify_mode {
	FX_VERIFY_MODE_OFF,
	FX_VERIFY_MODE_ON,
	FX_VERIFY_MODE_STRICT, /* what cannot be verified is refused */
};
enum fx_verify_mode fx_verify_mode(const struct fx_session *session);

/* Most inputs that are tried. */
#define FX_VERIFY_INPUTS 16

struct fx_verify_options {
	/* EXACT: in the graph's own dtypes, bit for bit.  ALGEBRAIC: floats run
	 * as f64, and TOLERANCE times the largest element of an output is
	 * allowed.
	 */
	enum fx_claim claim;
	size_t inputs;          /* 0: three */
	double tolerance;       /* 0: the claim's own; INFINITY: only measure */
	struct fx_graph *graph; /* one nested in the model's; NULL: that */
	bool is_copy;           /* no: the model's at another time */
};

enum fx_verdict {
	FX_VERDICT_SAME,    /* on the inputs that were tried */
	FX_VERDICT_DIFFERS, /* GAP or WHY says how */
	FX_VERDICT_UNKNOWN, /* nothing could be tried: WHY */
};

struct fx_verify_result {
	enum fx_verdict verdict;
	enum fx_claim claim;
	double tolerance;
	bool is_same_graph; /* nothing had to run */
	size_t wanted;      /* inputs that were asked for */
	size_t inputs;      /* that were tried without a failure */
	size_t input;       /* the one with the largest gap, from 1 */
	struct fx_gap gap;  /* the largest one */
	char *place;        /* where: "%fc [0,411]"; or NULL */
	/* Why nothing is known, or what differs but is no number: a dtype, a
	 * shape, an error; or NULL.
	 */
	char *why;
	/* Nodes that ran for the first input: of the graph before, and of the
	 * one after once more.
	 */
	size_t executed[2];
};
void fx_verify_result_deinit(struct fx_verify_result *result);
FX_DEFINE_DEINIT(verify_result, struct fx_verify_result,
	fx_verify_result_deinit);
#define FX_AUTO_VERIFY_RESULT FX_AUTO(verify_result)

/* Remember the graph as it is; OPTIONS are copied. */
struct fx_verify *fx_verify_new(struct fx_session *session,
	struct fx_model *model, const struct fx_verify_options *options);
void fx_verify_free(struct fx_verify *verify);
FX_DEFINE_CLEANUP(verify, struct fx_verify, fx_verify_free);
#define FX_AUTO_VERIFY FX_AUTO(verify)

/* The copy, borrowed: without journal. */
struct fx_graph *fx_verify_before(struct fx_verify *verify);

/* Compare GRAPH with the one that was remembered.  Whatever keeps it from being
 * known is told in *RET; INTERRUPTED is the only error.
 */
FX_NODISCARD struct fx_error *fx_verify_graph(struct fx_verify *verify,
	struct fx_graph *graph, struct fx_verify_result *ret);

/* Append, by the verdict: "verified on 3 inputs in f64: max rel 1.8e-15 at %fc
 * [0,411]"; "max rel 3.1e-02 at %fc [0,12] on input 2 of 3 in f64 (tolerance
 * 1e-12)"; "not verified: %x has no shape".
 */
void fx_verify_print(struct fx_buf *out, const struct fx_verify_result *result);

#endif /* FX_SESSION_VERIFY_H */

/* reduce.h - the smallest graph that fails as a graph does.
 *
 * The graph runs once, as a trial (run/trial.h), and the values of its nodes
 * are kept.  A candidate is some of its nodes; what they read of the others
 * becomes inputs with the kept values.  It begins with the node that fails
 * alone, and takes in more and more of what that depends on until the failure
 * is there again; then nodes go out, by halves, quarters and at last one by
 * one, as in delta debugging.  Each candidate is judged by a trial.  The
 * session's run, its values and its generator are as before.
 */
#ifndef FX_SESSION_REDUCE_H
#define FX_SESSION_REDUCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/error.h"

struct fx_buf;
struct fx_graph;
struct fx_model;
struct fx_node;
struct fx_session;

enum fx_failing_kind {
	FX_FAILING_NOT,
	FX_FAILING_ERROR,     /* a node cannot run */
	FX_FAILING_NONFINITE, /* a node makes NaN or infinities */
	FX_FAILING_VALUE,     /* a node gives another value than elsewhere */
};

/* A failure is the same again when it is of the same kind and of the same node:
 * for an error with its code and its message (whatever numbers stand in it).
 */
struct fx_failing {
	enum fx_failing_kind kind;
	struct fx_node *node;    /* that fails */
	enum fx_error_code code; /* ERROR */
	char *message;           /* ERROR; the owner's */
	bool is_nan;             /* NONFINITE: not only infinities */
};

struct fx_reduce_options {
	const struct fx_node *node; /* its value is to be finite; NULL: the
				     * output's */
	struct fx_model *against;   /* whose values are right, or NULL */
	double rtol;    /* AGAINST: no more than this is right too */
	bool isolate;   /* tries run in processes of their own */
	size_t tries;   /* at most so many candidates */
	double seconds; /* in at most this time */
};

struct fx_reduction {
	struct fx_graph *graph; /* the owner's: without journal */
	char *what;             /* fails, a sentence */
	enum fx_failing_kind kind;
	bool is_nan;      /* NONFINITE: not only infinities */
	const char *node; /* that fails, in both graphs; interned */
	const char
		*infinite;   /* NONFINITE: an input that makes NaN of infinities
			      * had them from this node; interned, or NULL */
	size_t nodes_before; /* of the graph that was reduced */
	size_t tries;
	bool comes_and_goes; /* a second run did not fail like the first */
	const char *stopped; /* by what, before nothing more could go; or NULL
			      */
};
void fx_reduction_deinit(struct fx_reduction *reduction);
FX_DEFINE_DEINIT(reduction, struct fx_reduction, fx_reduction_deinit);
#define FX_AUTO_REDUCTION FX_AUTO(reduction)

/* Reduce MODEL's graph.  CHECK: nothing fails in it, or not twice alike;
 * NO_INPUT, LIMIT beyond the memory; INTERRUPTED before a candidate failed:
 * later, what was found so far is *RET.
 *
 * The inputs of the graph have notes (FX_NOTE_INPUT) with where their values
 * lie, "kept.x_value"; beside them, what VALUE should be.
 */
FX_NODISCARD struct fx_error *fx_reduce(struct fx_session *session,
	struct fx_model *model, const struct fx_reduce_options *options,
	struct fx_reduction *ret);

/* Open REDUCTION's graph, of MODEL's, as a model of its own with its inputs; it
 * becomes current.
 */
struct fx_opening;
struct fx_model *fx_reduction_open(struct fx_session *session,
	const struct fx_model *model, struct fx_reduction *reduction,
	const struct fx_opening *as);

#define FX_KEPT_EXPECTED "kept.expected_value"

#endif /* FX_SESSION_REDUCE_H */

/* reduce_private.h - what the files of reducing share. */
#ifndef FX_SESSION_REDUCE_PRIVATE_H
#define FX_SESSION_REDUCE_PRIVATE_H

#include "base/bitset.h"
#include "base/map.h"
#include "base/vec.h"
#include "run/env.h"
#include "run/ticker.h"
#include "session/reduce.h"

struct fx_backend;
struct fx_datum;

/* Some nodes of the source, by the low halves of their ids: calls alone, as
 * inputs and parameters come along where they are read.
 */
struct fx_cut {
	struct fx_bitset nodes;
	struct fx_map bypassed; /* low id -> the node that is read instead */
	uint64_t dropped; /* items of lists that the failing node is given, in
			   * order */
};
#define FX_CUT_ITEMS 64
void fx_cut_deinit(struct fx_cut *cut);
FX_DEFINE_DEINIT(cut, struct fx_cut, fx_cut_deinit);
#define FX_AUTO_CUT FX_AUTO(cut)
void fx_cut_copy(struct fx_cut *to, const struct fx_cut *from);

/* The graph of a cut. */
struct fx_built {
	struct fx_graph *graph; /* with the source's modules, borrowed */
	struct fx_module *own;  /* its own: empty */
	struct fx_node *failing;
	FX_VEC(struct fx_datum *) inputs; /* in order */
};
void fx_built_deinit(struct fx_built *built);
FX_DEFINE_DEINIT(built, struct fx_built, fx_built_deinit);
#define FX_AUTO_BUILT FX_AUTO(built)

/* One graph that is reduced: the model's, or one that its failing node runs. */
struct fx_reducing {
	struct fx_session *session;
	struct fx_backend *backend;
	const struct fx_reduce_options *options;
	struct fx_ticker *ticker;
	struct fx_graph *source;
	struct fx_datum **inputs; /* of its placeholders */
	size_t input_count;
	struct fx_env kept; /* what its nodes gave */
	struct fx_failing failing;
	struct fx_datum *expected; /* VALUE: what the node should give */
	struct fx_cut cut;         /* the smallest so far that fails */
	bool has_cut;
	size_t *tries; /* so far */
	long long end; /* of the time, in milliseconds */
	const char *stopped;
};
void fx_reducing_deinit(struct fx_reducing *reducing);
FX_DEFINE_DEINIT(reducing, struct fx_reducing, fx_reducing_deinit);
#define FX_AUTO_REDUCING FX_AUTO(reducing)

/* reduce_build.c: the graph of CUT.  False when what was kept of a node is
 * nothing that a graph may be given.
 */
bool fx_reduce_build(const struct fx_reducing *r, const struct fx_cut *cut,
	struct fx_built *ret);
/* Give BUILT's graph modules of its own and its inputs. */
FX_NODISCARD struct fx_error *fx_reduce_finish(const struct fx_reducing *r,
	struct fx_built *built);

/* reduce_judge.c: run the source, keep what its nodes give, and see what
 * fails.
 */
FX_NODISCARD struct fx_error *fx_reduce_observe(struct fx_reducing *r);
/* The same against the options' other graph, whose values are kept: the cut is
 * found too.
 */
FX_NODISCARD struct fx_error *fx_reduce_observe_other(struct fx_reducing *r,
	struct fx_graph *other, struct fx_datum *const *inputs, size_t count);
/* reduce_apart.c: run GRAPH in a process of its own, and tell how it fails: by
 * an error or, with the code CHILD, by ending the process.
 */
FX_NODISCARD struct fx_error *fx_reduce_run_apart(struct fx_reducing *r,
	struct fx_graph *graph, struct fx_datum *const *inputs, size_t count,
	struct fx_failing *ret);
/* Whether the source, run once more, fails alike. */
FX_NODISCARD struct fx_error *fx_reduce_is_steady(struct fx_reducing *r,
	bool *ret);
/* Whether CUT fails as the source does.  False too when no candidate may be
 * tried any more, which R->stopped says.
 */
bool fx_reduce_fails(struct fx_reducing *r, const struct fx_cut *cut);
/* An input of the failing node, which makes NaN, that holds infinities and was
 * computed; or NULL.
 */
const struct fx_node *fx_reduce_find_infinite(const struct fx_reducing *r);
bool fx_failing_is_alike(const struct fx_failing *a,
	const struct fx_failing *b);
/* Append: "torch.matmul fails at %mm: ...". */
void fx_failing_print(struct fx_buf *out, const struct fx_failing *failing);
void fx_failing_deinit(struct fx_failing *failing);

#endif /* FX_SESSION_REDUCE_PRIVATE_H */

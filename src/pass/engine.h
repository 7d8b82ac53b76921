/* engine.h - running passes: the list, the loop, the report.
 *
 * A pass is two functions: `plan` yields the next candidate, `apply` edits
 * inside a transaction that the engine opened.  Stepping, asking, dry runs,
 * verifying and counting are done here, once, for all passes.
 */
#ifndef FX_PASS_ENGINE_H
#define FX_PASS_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "ir/graph.h"
#include "ir/journal.h"
#include "run/difference.h"

struct fx_pass_ctx;

/* Something a pass would do: the node it is about, and a sentence. */
struct fx_candidate {
	uint64_t node;
	const char *text; /* valid until the next plan; "erase %x: unused" */
};

struct fx_pass {
	const char *name;    /* "dce" */
	const char *summary; /* one line, lower case */
	const char *options; /* words it takes, separated by blanks; "" */
	/* What it says of its result, which verification holds it to. */
	enum fx_claim claim;
	bool needs_weights; /* it reads parameters and buffers */
	/* Begin and end: allocate and free ctx->state. */
	struct fx_error *(*open)(struct fx_graph *graph,
		struct fx_pass_ctx *ctx);
	void (*close)(struct fx_graph *graph, struct fx_pass_ctx *ctx);
	/* The next candidate; false when there are no more.  It must not come
	 * up with one it yielded before.
	 */
	bool (*plan)(struct fx_graph *graph, struct fx_pass_ctx *ctx,
		struct fx_candidate *ret);
	struct fx_error *(*apply)(struct fx_graph *graph,
		struct fx_pass_ctx *ctx, const struct fx_candidate *candidate);
};

struct fx_pass_ctx {
	const char *options; /* as given: words separated by blanks; or NULL */
	void *state;
};

/* Passes in the order of passes.def; NULL past the end; NULL when unknown. */
const struct fx_pass *fx_pass_at(size_t index);
const struct fx_pass *fx_pass_find(const char *name);

/* Whether OPTION is among ctx->options. */
bool fx_pass_has_option(const struct fx_pass_ctx *ctx, const char *option);

/* What to do with a candidate when asked. */
enum fx_pass_answer {
	FX_PASS_APPLY,
	FX_PASS_SKIP,
	FX_PASS_REST,  /* apply this one and all that follow */
	FX_PASS_QUIT,  /* keep what was done, stop here */
	FX_PASS_ABORT, /* take everything back */
};

struct fx_pass_run {
	const struct fx_pass *pass;
	const char *options;
	/* -s: called for each candidate; null applies all. */
	enum fx_pass_answer (*ask)(void *context,
		const struct fx_candidate *candidate);
	/* Called for each candidate with whether it was applied; may be null:
	 * for listings.
	 */
	void (*show)(void *context, const struct fx_candidate *candidate,
		bool applied);
	/* Called now and then; true stops with INTERRUPTED and takes all back;
	 * may be null.
	 */
	bool (*tick)(void *context);
	void *context;
	bool no_verify; /* do not verify the graph after it */

	/* Results. */
	size_t candidates;
	size_t applied;
	size_t skipped;
};

/* Run RUN->pass over GRAPH inside the open transaction (the caller's: it
 * commits, or aborts for a dry run; see fx_model_edit_begin), telling the
 * journal its maker.  When the pass fails, verification fails or ABORT is
 * answered, the error says so and the caller aborts.
 */
FX_NODISCARD struct fx_error *fx_pass_apply(struct fx_graph *graph,
	struct fx_pass_run *run);

#endif /* FX_PASS_ENGINE_H */

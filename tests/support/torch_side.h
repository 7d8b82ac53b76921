/* torch_side.h - graphs of a few lines on one backend, for tests that compare
 * backends or look at what one of them does.
 */
#ifndef FX_TESTS_SUPPORT_TORCH_SIDE_H
#define FX_TESTS_SUPPORT_TORCH_SIDE_H

#include <stdbool.h>

#include "base/error.h"
#include "run/env.h"
#include "run/plan.h"

struct fx_backend;
struct fx_datum;
struct fx_graph;
struct fx_node;

struct fxt_side {
	struct fx_backend *backend;
	struct fx_env env;
	struct fx_plans plans;
	const char *inputs; /* specs, separated by blanks */
};

/* Whether this build has the shim of a libtorch; it is not loaded. */
bool fxt_has_torch(void);
/* The backend of libtorch; the test ends where there is none. */
struct fx_backend *fxt_torch_new(void);

/* BODY as the statements of forward(self, PARAMS); the caller frees. */
struct fx_graph *fxt_side_load(const char *params, const char *body);

/* Run GRAPH, keeping every value, with inputs made up from the specs INPUTS. */
FX_NODISCARD struct fx_error *fxt_side_run(struct fxt_side *side,
	struct fx_graph *graph, const char *inputs);
/* The next of the specs, made up: an fx_input_fn on a side. */
struct fx_error *fxt_side_give(void *context, struct fx_node *node,
	struct fx_datum **ret);
/* Its backend goes too. */
void fxt_side_deinit(struct fxt_side *side);

#endif /* FX_TESTS_SUPPORT_TORCH_SIDE_H */

/* run_world.h - sessions that run on real values, for tests of going back.
 *
 * A fresh copy of the graph, run from its start, says what values must be.
 */
#ifndef FX_TESTS_SUPPORT_RUN_WORLD_H
#define FX_TESTS_SUPPORT_RUN_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/support/session_text.h"

struct fx_backend;

/* A world on the backend "real" of doubles, or on "torch"; of the former
 * *BACKEND_RET (may be null) is the backend.
 */
struct fxt_world fxt_run_world(const char *text, const char *name,
	struct fx_backend **backend_ret);

/* A backend with values that models run on with `set backend auto`, instead of
 * libtorch, or by its name.
 */
void fxt_add_backend(struct fxt_world *w, struct fx_backend *backend_taken);

/* The value of node NAME, or why there is none. */
const char *fxt_value(struct fxt_world *w, const char *name);
/* "dirty N". */
const char *fxt_set_value(struct fxt_world *w, const char *name,
	const char *expression);

/* What the user set, which a copy of the graph does not have. */
struct fxt_overrides {
	struct {
		uint64_t node;
		const char *expression;
	} items[64];
	size_t count;
};

/* Whether all values that can be seen are those of a fresh run to the same
 * place.
 */
bool fxt_is_as_fresh(struct fxt_world *w,
	const struct fxt_overrides *overrides);

/* Graphs that write in place, that have two arms, that draw. */
extern const char fxt_text_in_place[];
extern const char fxt_text_two_arms[];
extern const char fxt_text_drawing[];

#endif /* FX_TESTS_SUPPORT_RUN_WORLD_H */

/* planted_passes.h - passes that are wrong, each in its way, for tests of
 * verification: the product has none of them.
 */
#ifndef FX_TESTS_SUPPORT_PLANTED_PASSES_H
#define FX_TESTS_SUPPORT_PLANTED_PASSES_H

#include "pass/engine.h"

struct fxt_planted {
	struct fx_pass pass;
	/* Statements of forward(self, x) that the pass has candidates in;
	 * self.w is f32[3].
	 */
	const char *body;
	const char *x;      /* the input's shape */
	const char *guilty; /* the key of the candidate that is wrong */
};

/* The one at INDEX; false past the end. */
bool fxt_planted_at(size_t index, struct fxt_planted *ret);

#endif /* FX_TESTS_SUPPORT_PLANTED_PASSES_H */

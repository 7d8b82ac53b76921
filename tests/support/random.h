/* random.h - numbers by lot, the same for the same seed on every machine.
 */
#ifndef FX_TESTS_SUPPORT_RANDOM_H
#define FX_TESTS_SUPPORT_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A generator of its own, so that results do not depend on the C library. */
struct fxt_random {
	uint64_t state;
};

struct fxt_random fxt_random_seed(uint64_t seed);
uint64_t fxt_random_word(struct fxt_random *random);
/* From 0 to BOUND - 1; BOUND is not 0. */
size_t fxt_random_below(struct fxt_random *random, size_t bound);
bool fxt_random_chance(struct fxt_random *random, int percent);

#endif /* FX_TESTS_SUPPORT_RANDOM_H */

/* random.c - numbers by lot. */
#include <config.h>

#include "base/random.h"
#include "tests/support/random.h"

struct fxt_random
fxt_random_seed(uint64_t seed)
{
	return (struct fxt_random){ seed };
}

uint64_t
fxt_random_word(struct fxt_random *random)
{
	return fx_random_bits(&random->state);
}

size_t
fxt_random_below(struct fxt_random *random, size_t bound)
{
	return (size_t)(fxt_random_word(random) % bound);
}

bool
fxt_random_chance(struct fxt_random *random, int percent)
{
	return fxt_random_below(random, 100) < (size_t)percent;
}

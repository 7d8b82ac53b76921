/* random.c - numbers by lot. */
#include <config.h>

#include "tests/support/random.h"

struct fxt_random
fxt_random_seed(uint64_t seed)
{
	return (struct fxt_random){ seed };
}

/* splitmix64 */
uint64_t
fxt_random_word(struct fxt_random *random)
{
	uint64_t word = random->state += UINT64_C(0x9e3779b97f4a7c15);

	word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
	return word ^ word >> 31;
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

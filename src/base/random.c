/* random.c - numbers by lot. */
#include <config.h>

#include "base/random.h"

#include <math.h>

uint64_t
fx_random_bits(uint64_t *state)
{
	uint64_t bits = *state += UINT64_C(0x9e3779b97f4a7c15);

	bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
	return bits ^ bits >> 31;
}

double
fx_random_uniform(uint64_t *state)
{
	return ((double)(fx_random_bits(state) >> 11) + 1) * 0x1p-53;
}

/* By Box and Muller; the other of the pair is not kept. */
double
fx_random_normal(uint64_t *state)
{
	double radius = sqrt(-2 * log(fx_random_uniform(state)));

	return radius * cos(2 * acos(-1) * fx_random_uniform(state));
}

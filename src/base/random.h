/* random.h - numbers by lot, the same for the same seed on every machine. */
#ifndef FX_BASE_RANDOM_H
#define FX_BASE_RANDOM_H

#include <stdint.h>

/* The next 64 bits of STATE, which begins as any seed (splitmix64). */
uint64_t fx_random_bits(uint64_t *state);

/* Uniform, above 0 and at most 1; normal of mean 0 and deviation 1. */
double fx_random_uniform(uint64_t *state);
double fx_random_normal(uint64_t *state);

#endif /* FX_BASE_RANDOM_H */

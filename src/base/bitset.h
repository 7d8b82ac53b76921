/* bitset.h - a set of small numbers. */
#ifndef FX_BASE_BITSET_H
#define FX_BASE_BITSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct fx_bitset {
	uint64_t *words;
	size_t word_count;
};

/* A set that is all zero is empty, and a set grows as needed. */
void fx_bitset_deinit(struct fx_bitset *set);

FX_DEFINE_DEINIT(bitset, struct fx_bitset, fx_bitset_deinit);
#define FX_AUTO_BITSET FX_AUTO(bitset)

bool fx_bitset_has(const struct fx_bitset *set, size_t number);
void fx_bitset_add(struct fx_bitset *set, size_t number);
void fx_bitset_remove(struct fx_bitset *set, size_t number);
size_t fx_bitset_count(const struct fx_bitset *set);
/* The smallest number in SET from *NUMBER on, put there; false: none. */
bool fx_bitset_next(const struct fx_bitset *set, size_t *number);

#endif /* FX_BASE_BITSET_H */

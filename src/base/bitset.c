/* bitset.c - a set of small numbers. */
#include <config.h>

#include "base/bitset.h"

#include <string.h>

#include "base/compiler.h"
#include "base/mem.h"

void
fx_bitset_deinit(struct fx_bitset *set)
{
	free(set->words);
	set->words = NULL;
	set->word_count = 0;
}

bool
fx_bitset_has(const struct fx_bitset *set, size_t number)
{
	size_t word = number / 64;

	return word < set->word_count &&
	       (set->words[word] >> (number % 64) & 1) != 0;
}

static void
grow(struct fx_bitset *set, size_t wanted)
{
	size_t count = FX_MAX(set->word_count * 2, wanted);

	set->words = fx_xrealloc(set->words, count * sizeof(*set->words));
	memset(set->words + set->word_count, 0,
		(count - set->word_count) * sizeof(*set->words));
	set->word_count = count;
}

void
fx_bitset_add(struct fx_bitset *set, size_t number)
{
	size_t word = number / 64;

	if (word >= set->word_count)
		grow(set, word + 1);
	set->words[word] |= (uint64_t)1 << (number % 64);
}

void
fx_bitset_remove(struct fx_bitset *set, size_t number)
{
	size_t word = number / 64;

	if (word < set->word_count)
		set->words[word] &= ~((uint64_t)1 << (number % 64));
}

size_t
fx_bitset_count(const struct fx_bitset *set)
{
	size_t count = 0;

	for (size_t i = 0; i < set->word_count; i++)
		count += (size_t)__builtin_popcountll(set->words[i]);
	return count;
}

bool
fx_bitset_next(const struct fx_bitset *set, size_t *number)
{
	size_t word = *number / 64;
	uint64_t bits;

	if (word >= set->word_count)
		return false;
	bits = set->words[word] & (UINT64_MAX << *number % 64);
	while (!bits && ++word < set->word_count)
		bits = set->words[word];
	if (!bits)
		return false;
	*number = word * 64 + (size_t)__builtin_ctzll(bits);
	return true;
}

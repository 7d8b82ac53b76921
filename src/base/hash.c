/* hash.c - digests: XXH3 of 128 bits, compiled in from its header.
 *
 * Not linked, so that the capture extension needs no library beside Python.
 */
#include <config.h>

#include "base/hash.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/compiler.h"

static struct fx_hash
from_xxh(XXH128_hash_t hash)
{
	return (struct fx_hash){ .low = hash.low64, .high = hash.high64 };
}

/* The state is too large, and too strictly aligned, to lie in the open. */
struct fx_hasher {
	XXH3_state_t state;
};

struct fx_hasher *
fx_hasher_new(void)
{
	struct fx_hasher *hasher = (struct fx_hasher *)XXH3_createState();

	fx_assert(hasher);
	(void)XXH3_128bits_reset(&hasher->state);
	return hasher;
}

void
fx_hasher_add(struct fx_hasher *hasher, const void *data, size_t size)
{
	if (size)
		(void)XXH3_128bits_update(&hasher->state, data, size);
}

void
fx_hasher_add_text(struct fx_hasher *hasher, const char *text)
{
	fx_hasher_add(hasher, text, strlen(text) + 1);
}

struct fx_hash
fx_hasher_free(struct fx_hasher *hasher)
{
	struct fx_hash hash = from_xxh(XXH3_128bits_digest(&hasher->state));

	(void)XXH3_freeState(&hasher->state);
	return hash;
}

struct fx_hash
fx_hash_of(const void *data, size_t size)
{
	return from_xxh(XXH3_128bits(data, size));
}

uint64_t
fx_hash_quick(const void *data, size_t size)
{
	return XXH3_64bits(data, size);
}

bool
fx_hash_equal(struct fx_hash a, struct fx_hash b)
{
	return a.low == b.low && a.high == b.high;
}

static void
hex_word(uint64_t word, char *out)
{
	for (int i = 0; i < 16; i++)
		out[i] = "0123456789abcdef"[word >> (60 - 4 * i) & 15];
}

void
fx_hash_text(struct fx_hash hash, char out[33])
{
	hex_word(hash.high, out);
	hex_word(hash.low, out + 16);
	out[32] = '\0';
}

static bool
parse_word(const char *text, uint64_t *ret)
{
	uint64_t word = 0;

	for (int i = 0; i < 16; i++) {
		char c = text[i];

		if (c >= '0' && c <= '9')
			word = word << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			word = word << 4 | (uint64_t)(c - 'a' + 10);
		else
			return false;
	}
	*ret = word;
	return true;
}

bool
fx_hash_parse(const char *text, struct fx_hash *ret)
{
	struct fx_hash hash;

	if (!parse_word(text, &hash.high) || !parse_word(text + 16, &hash.low))
		return false;
	if (text[32])
		return false;
	*ret = hash;
	return true;
}

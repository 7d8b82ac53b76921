/* hash.c - digests.
 *
 * Two 64-bit states take in sixteen bytes at a time.  Each step is an
 * invertible map of the states for given bytes, and of the bytes for given
 * states: xor, multiplication by an odd constant, rotation, addition.  So no
 * step loses anything, and two inputs of one length that differ in one block
 * never meet by losing information.  The end mixes in the length, and both
 * states into each other.
 */
#include <config.h>

#include "base/hash.h"

#include <endian.h>
#include <string.h>

#define BLOCK 16u

/* Odd, without structure: from the square roots of 2, 3, 5 and 7. */
#define K0 UINT64_C(0x6a09e667f3bcc909)
#define K1 UINT64_C(0xbb67ae8584caa73b)
#define K2 UINT64_C(0x3c6ef372fe94f82b)
#define K3 UINT64_C(0xa54ff53a5f1d36f1)

__extension__ typedef unsigned __int128 fx_uint128;

static uint64_t
rotate(uint64_t word, unsigned bits)
{
	return word << bits | word >> (64 - bits);
}

static uint64_t
load(const unsigned char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return le64toh(word);
}

static void
take_in(uint64_t state[2], const unsigned char *block)
{
	uint64_t a = (state[0] ^ load(block)) * K0;
	uint64_t b = (state[1] ^ load(block + 8)) * K1;

	a = rotate(a, 29) + state[1];
	state[0] = a;
	state[1] = rotate(b, 37) + a;
}

void
fx_hasher_init(struct fx_hasher *hasher)
{
	*hasher = (struct fx_hasher){ .state = { K2, K3 } };
}

/* Fill the tail; the number of bytes used. */
static size_t
fill_tail(struct fx_hasher *hasher, const unsigned char *bytes, size_t size)
{
	size_t wanted = BLOCK - hasher->tail_size;

	if (wanted > size)
		wanted = size;
	memcpy(hasher->tail + hasher->tail_size, bytes, wanted);
	hasher->tail_size += (unsigned)wanted;
	if (hasher->tail_size == BLOCK) {
		take_in(hasher->state, hasher->tail);
		hasher->tail_size = 0;
	}
	return wanted;
}

void
fx_hasher_add(struct fx_hasher *hasher, const void *data, size_t size)
{
	const unsigned char *bytes = data;
	uint64_t state[2];
	size_t used;

	if (!size)
		return;
	hasher->length += size;
	if (hasher->tail_size) {
		used = fill_tail(hasher, bytes, size);
		bytes += used;
		size -= used;
	}
	state[0] = hasher->state[0];
	state[1] = hasher->state[1];
	for (; size >= BLOCK; size -= BLOCK, bytes += BLOCK)
		take_in(state, bytes);
	hasher->state[0] = state[0];
	hasher->state[1] = state[1];
	if (size)
		fill_tail(hasher, bytes, size);
}

void
fx_hasher_add_text(struct fx_hasher *hasher, const char *text)
{
	fx_hasher_add(hasher, text, strlen(text) + 1);
}

/* Every bit of WORD into every bit of the result, invertibly. */
static uint64_t
scatter(uint64_t word)
{
	word ^= word >> 32;
	word *= UINT64_C(0xd6e8feb86659fd93);
	word ^= word >> 29;
	word *= UINT64_C(0xa0761d6478bd642f);
	word ^= word >> 32;
	return word;
}

struct fx_hash
fx_hasher_end(struct fx_hasher *hasher)
{
	struct fx_hash hash;
	uint64_t a;
	uint64_t b;

	if (hasher->tail_size) {
		memset(hasher->tail + hasher->tail_size, 0,
			BLOCK - hasher->tail_size);
		take_in(hasher->state, hasher->tail);
		hasher->tail_size = 0;
	}
	a = scatter(hasher->state[0] ^ hasher->length);
	b = scatter(hasher->state[1] + a);
	a = scatter(a + b);
	hash.low = a;
	hash.high = b + rotate(a, 23);
	return hash;
}

struct fx_hash
fx_hash_of(const void *data, size_t size)
{
	struct fx_hasher hasher;

	fx_hasher_init(&hasher);
	fx_hasher_add(&hasher, data, size);
	return fx_hasher_end(&hasher);
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

/* The product of both, its halves folded together. */
static uint64_t
fold(uint64_t a, uint64_t b)
{
	fx_uint128 product = (fx_uint128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* The last SIZE (at most 8) bytes, as a number. */
static uint64_t
load_part(const unsigned char *bytes, size_t size)
{
	uint32_t low;
	uint32_t high;

	if (size >= 4) {
		memcpy(&low, bytes, 4);
		memcpy(&high, bytes + size - 4, 4);
		return (uint64_t)high << 32 | low;
	}
	if (!size)
		return 0;
	return (uint64_t)bytes[0] << 16 | (uint64_t)bytes[size / 2] << 8 |
	       bytes[size - 1];
}

uint64_t
fx_hash_quick(const void *data, size_t size)
{
	const unsigned char *bytes = data;
	uint64_t state = K2 ^ size;
	uint64_t word;

	for (; size > 16; size -= 16, bytes += 16) {
		memcpy(&word, bytes, 8);
		state ^= word ^ K0;
		memcpy(&word, bytes + 8, 8);
		state = fold(state, word ^ K1);
	}
	if (size > 8) {
		memcpy(&word, bytes, 8);
		state = fold(state ^ word ^ K0, K3);
		bytes += 8;
		size -= 8;
	}
	return fold(state ^ load_part(bytes, size) ^ K1, K0);
}

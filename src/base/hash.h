/* hash.h - digests.
 *
 * A 128-bit digest of bytes (XXH3), for comparing graphs and noticing damage,
 * not against an attacker.  Stable over machines and versions, because files
 * keep it.
 */
#ifndef FX_BASE_HASH_H
#define FX_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fx_hash {
	uint64_t low;
	uint64_t high;
};

struct fx_hasher;

/* Begin; add bytes, in pieces of any size without changing the digest; the
 * digest, which ends the hasher.
 */
struct fx_hasher *fx_hasher_new(void);
void fx_hasher_add(struct fx_hasher *hasher, const void *data, size_t size);
struct fx_hash fx_hasher_free(struct fx_hasher *hasher);

/* Add TEXT and its final NUL byte, so that "ab", "c" hashes differently from
 * "a", "bc".
 */
void fx_hasher_add_text(struct fx_hasher *hasher, const char *text);

/* The digest of DATA alone. */
struct fx_hash fx_hash_of(const void *data, size_t size);
bool fx_hash_equal(struct fx_hash a, struct fx_hash b);

/* 32 lower-case hexadecimal digits and a NUL. */
void fx_hash_text(struct fx_hash hash, char out[33]);

/* Read what fx_hash_text wrote; false if TEXT is anything else. */
bool fx_hash_parse(const char *text, struct fx_hash *ret);

/* A fast 64-bit hash for tables; it may change between versions. */
uint64_t fx_hash_quick(const void *data, size_t size);

#endif /* FX_BASE_HASH_H */

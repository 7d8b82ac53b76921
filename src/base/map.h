/* map.h - a hash map from a word to a word.
 *
 * Keys are non-zero uintptr_t: pointers (interned strings among them) or ids.
 * Open addressing; insertion order is not kept.
 */
#ifndef FX_BASE_MAP_H
#define FX_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct fx_map {
	uintptr_t *slots; /* key, value, key, value...; key 0 is empty */
	size_t count;
	size_t capacity; /* slots, a power of two, or 0 */
};

/* All zero is an empty map. */
void fx_map_deinit(struct fx_map *map);

FX_DEFINE_DEINIT(map, struct fx_map, fx_map_deinit);
#define FX_AUTO_MAP FX_AUTO(map)

/* Copy the entries of FROM to TO, which must be empty. */
void fx_map_copy(struct fx_map *to, const struct fx_map *from);

/* The value of KEY, or MISSING. */
uintptr_t fx_map_get(const struct fx_map *map, uintptr_t key,
	uintptr_t missing);
bool fx_map_has(const struct fx_map *map, uintptr_t key);

/* Set KEY to VALUE.  True if the key is new. */
bool fx_map_set(struct fx_map *map, uintptr_t key, uintptr_t value);

/* Remove KEY.  True if it was there. */
bool fx_map_erase(struct fx_map *map, uintptr_t key);

void fx_map_clear(struct fx_map *map);

/* Walk: *AT starts at 0; false at the end.  The map must not change. */
bool fx_map_next(const struct fx_map *map, size_t *at, uintptr_t *key_ret,
	uintptr_t *value_ret);

/* The same with pointers on both sides. */
static inline void *
fx_map_get_pointer(const struct fx_map *map, const void *key)
{
	return (void *)fx_map_get(map, (uintptr_t)key, 0);
}

static inline bool
fx_map_set_pointer(struct fx_map *map, const void *key, const void *value)
{
	return fx_map_set(map, (uintptr_t)key, (uintptr_t)value);
}

#endif /* FX_BASE_MAP_H */

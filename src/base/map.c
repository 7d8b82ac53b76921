/* map.c - open addressing with linear probing.
 *
 * A removed key leaves no tombstone: the entries after it move back, so that a
 * map that is filled and emptied for hours stays as fast as a fresh one.
 */
#include <config.h>

#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/mem.h"

#define FIRST_CAPACITY 16

/* Of a key and its value. */
#define SLOT_SIZE (2 * sizeof(uintptr_t))

/* Up to this many slots half of them stay empty, which makes a search short;
 * larger maps are filled to three quarters.
 */
#define SPARSE_CAPACITY 4096

/* Keys that are larger are pointers, to pieces of sixteen bytes or more. */
#define LARGEST_ID_BITS 44

/* Where KEY would like to be.  Four neighbours, ids or pointers, share a cache
 * line of slots, so that a walk in the order of making finds the cache warm.
 * The multiplication spreads such groups evenly over the map: groups that
 * follow each other hardly ever overlap, whereas longer ones that overlap make
 * a search pass all of them.
 */
static size_t
home(const struct fx_map *map, uintptr_t key)
{
	uint64_t place = (uint64_t)key >> LARGEST_ID_BITS ? (uint64_t)key >> 4
							  : (uint64_t)key;
	uint64_t mixed = (place >> 2) * UINT64_C(0x9e3779b97f4a7c15);
	int shift = __builtin_clzll(map->capacity) + 1;

	return ((size_t)(mixed >> shift) & ~(size_t)3) | (place & 3);
}

/* The slot of KEY, or the empty one where it belongs. */
static size_t
seek(const struct fx_map *map, uintptr_t key)
{
	size_t at = home(map, key);

	while (map->slots[2 * at] && map->slots[2 * at] != key)
		at = (at + 1) & (map->capacity - 1);
	return at;
}

void
fx_map_deinit(struct fx_map *map)
{
	free(map->slots);
	*map = (struct fx_map){ 0 };
}

void
fx_map_copy(struct fx_map *to, const struct fx_map *from)
{
	fx_assert(!to->slots);
	*to = *from;
	if (!from->slots)
		return;
	to->slots = fx_xmalloc_large(from->capacity * SLOT_SIZE);
	memcpy(to->slots, from->slots, from->capacity * SLOT_SIZE);
}

uintptr_t
fx_map_get(const struct fx_map *map, uintptr_t key, uintptr_t missing)
{
	size_t at;

	if (!map->count || !key)
		return missing;
	at = seek(map, key);
	return map->slots[2 * at] ? map->slots[2 * at + 1] : missing;
}

bool
fx_map_has(const struct fx_map *map, uintptr_t key)
{
	return map->count && key && map->slots[2 * seek(map, key)] != 0;
}

/* How many keys the slots are for. */
static size_t
limit(const struct fx_map *map)
{
	if (map->capacity <= SPARSE_CAPACITY)
		return map->capacity / 2;
	return map->capacity - map->capacity / 4;
}

static void
grow(struct fx_map *map)
{
	struct fx_map old = *map;
	size_t at;

	map->capacity = FX_MAX(old.capacity * 2, (size_t)FIRST_CAPACITY);
	map->slots = fx_xcalloc_large(map->capacity, SLOT_SIZE);
	for (size_t i = 0; i < old.capacity; i++) {
		if (!old.slots[2 * i])
			continue;
		at = seek(map, old.slots[2 * i]);
		map->slots[2 * at] = old.slots[2 * i];
		map->slots[2 * at + 1] = old.slots[2 * i + 1];
	}
	free(old.slots);
}

bool
fx_map_set(struct fx_map *map, uintptr_t key, uintptr_t value)
{
	size_t at;
	bool is_new;

	fx_assert(key != 0);
	if (map->count >= limit(map))
		grow(map);
	at = seek(map, key);
	is_new = !map->slots[2 * at];
	map->slots[2 * at] = key;
	map->slots[2 * at + 1] = value;
	map->count += is_new;
	return is_new;
}

/* Whether the entry at AT, whose home is HOME, may move into the hole: the
 * hole lies on its way from home.
 */
static bool
may_move(const struct fx_map *map, size_t hole, size_t at, size_t from)
{
	size_t mask = map->capacity - 1;

	return ((at - from) & mask) >= ((at - hole) & mask);
}

bool
fx_map_erase(struct fx_map *map, uintptr_t key)
{
	size_t hole;
	size_t at;

	if (!map->count || !key)
		return false;
	hole = seek(map, key);
	if (!map->slots[2 * hole])
		return false;
	at = hole;
	for (;;) {
		at = (at + 1) & (map->capacity - 1);
		if (!map->slots[2 * at])
			break;
		if (!may_move(map, hole, at, home(map, map->slots[2 * at])))
			continue;
		map->slots[2 * hole] = map->slots[2 * at];
		map->slots[2 * hole + 1] = map->slots[2 * at + 1];
		hole = at;
	}
	map->slots[2 * hole] = 0;
	map->count--;
	return true;
}

void
fx_map_clear(struct fx_map *map)
{
	if (map->count)
		memset(map->slots, 0, map->capacity * SLOT_SIZE);
	map->count = 0;
}

bool
fx_map_next(const struct fx_map *map, size_t *at, uintptr_t *key_ret,
	uintptr_t *value_ret)
{
	while (*at < map->capacity) {
		size_t i = (*at)++;

		if (!map->slots[2 * i])
			continue;
		if (key_ret)
			*key_ret = map->slots[2 * i];
		if (value_ret)
			*value_ret = map->slots[2 * i + 1];
		return true;
	}
	return false;
}

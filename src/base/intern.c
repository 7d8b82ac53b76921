/* intern.c - names once.
 *
 * An open table of hash and entry, the entries in an arena with their length
 * before the text, so that a name alone is enough to find it.
 */
#include <config.h>

#include "base/intern.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/mem.h"

#define FIRST_CAPACITY 1024

struct entry {
	size_t length;
	char text[];
};

struct slot {
	uint64_t hash;
	struct entry *entry;
};

/* This table is one of the few globals (scripts/check-words lists them): names
 * are compared by pointer everywhere, so there can only be one table.
 */
static struct {
	struct fx_arena *arena;
	struct slot *slots;
	size_t count;
	size_t capacity;
} table;

/* Names that differ in their last letter only (relu_10, relu_11) are neighbours
 * in the table: they are made and looked for one after the other, and then the
 * cache has them already.
 */
static uint64_t
hash_of(const char *text, size_t length)
{
	if (!length)
		return 0;
	return fx_hash_quick(text, length - 1) +
	       (unsigned char)text[length - 1];
}

/* The slot of TEXT, or the empty one where it belongs. */
static struct slot *
seek(const char *text, size_t length, uint64_t hash)
{
	size_t at = (size_t)hash & (table.capacity - 1);

	for (;; at = (at + 1) & (table.capacity - 1)) {
		struct slot *slot = &table.slots[at];

		if (!slot->entry)
			return slot;
		if (slot->hash == hash && slot->entry->length == length &&
			memcmp(slot->entry->text, text, length) == 0)
			return slot;
	}
}

static void
grow(void)
{
	struct slot *old = table.slots;
	size_t old_capacity = table.capacity;
	size_t at;

	table.capacity = FX_MAX(old_capacity * 2, (size_t)FIRST_CAPACITY);
	table.slots = fx_xcalloc_large(table.capacity, sizeof(*table.slots));
	for (size_t i = 0; i < old_capacity; i++) {
		if (!old[i].entry)
			continue;
		at = (size_t)old[i].hash & (table.capacity - 1);
		while (table.slots[at].entry)
			at = (at + 1) & (table.capacity - 1);
		table.slots[at] = old[i];
	}
	free(old);
}

const char *
fx_intern_n(const char *text, size_t length)
{
	uint64_t hash;
	struct slot *slot;

	if (!text)
		return NULL;
	if (!table.arena)
		table.arena = fx_arena_new();
	if (table.count >= table.capacity / 2)
		grow();
	hash = hash_of(text, length);
	slot = seek(text, length, hash);
	if (slot->entry)
		return slot->entry->text;
	slot->entry =
		fx_arena_alloc(table.arena, sizeof(struct entry) + length + 1);
	slot->entry->length = length;
	memcpy(slot->entry->text, text, length);
	slot->entry->text[length] = '\0';
	slot->hash = hash;
	table.count++;
	return slot->entry->text;
}

const char *
fx_intern(const char *text)
{
	return text ? fx_intern_n(text, strlen(text)) : NULL;
}

const char *
fx_intern_format(const char *format, ...)
{
	char text[256];
	FX_AUTO_FREE char *long_text = NULL;
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (length >= 0 && (size_t)length < sizeof(text))
		return fx_intern_n(text, (size_t)length);
	va_start(args, format);
	long_text = fx_xvasprintf(format, args);
	va_end(args);
	return fx_intern(long_text);
}

const char *
fx_intern_find(const char *text)
{
	size_t length;
	struct slot *slot;

	if (!text || !table.count)
		return NULL;
	length = strlen(text);
	slot = seek(text, length, hash_of(text, length));
	return slot->entry ? slot->entry->text : NULL;
}

size_t
fx_intern_length(const char *interned)
{
	const struct entry *entry =
		(const void *)(interned - offsetof(struct entry, text));

	return entry->length;
}

void
fx_intern_shutdown(void)
{
	fx_arena_free(table.arena);
	free(table.slots);
	memset(&table, 0, sizeof(table));
}

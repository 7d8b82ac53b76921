/* arena.h - memory that is released all at once, or back to a mark. */
#ifndef FX_BASE_ARENA_H
#define FX_BASE_ARENA_H

#include <stddef.h>

#include "base/cleanup.h"

struct fx_arena;

struct fx_arena_mark {
	void *chunk;
	size_t used;
	size_t total;
};

struct fx_arena *fx_arena_new(void);
void fx_arena_free(struct fx_arena *arena);

FX_DEFINE_CLEANUP(arena, struct fx_arena, fx_arena_free);
#define FX_AUTO_ARENA FX_AUTO(arena)

/* SIZE bytes aligned for any type (16), not cleared.  Size 0 gives a valid
 * pointer.
 */
void *fx_arena_alloc(struct fx_arena *arena, size_t size);
void *fx_arena_calloc(struct fx_arena *arena, size_t count, size_t size);
char *fx_arena_strndup(struct fx_arena *arena, const char *text, size_t length);

#define FX_ARENA_NEW(arena, type) \
	((type *)fx_arena_calloc((arena), 1, sizeof(type)))
#define FX_ARENA_ARRAY(arena, type, count) \
	((type *)fx_arena_calloc((arena), (count), sizeof(type)))

/* Remember where the arena stands, and release everything allocated since. */
struct fx_arena_mark fx_arena_mark(struct fx_arena *arena);
void fx_arena_rollback(struct fx_arena *arena, struct fx_arena_mark mark);

/* Bytes handed out and not rolled back. */
size_t fx_arena_size(const struct fx_arena *arena);

#endif /* FX_BASE_ARENA_H */

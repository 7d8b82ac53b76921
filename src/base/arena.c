/* arena.c - chunks of memory, the newest first, released together.
 *
 * A chunk is filled from its start; what does not fit begins a new chunk, each
 * twice the size of the one before it up to a limit.  Under the address
 * sanitizer what is not handed out is poisoned, and so is a gap after every
 * piece, so that running over the end of a piece is noticed.
 */
#include <config.h>

#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/mem.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN
#endif

#ifdef WITH_ASAN
#include <sanitizer/asan_interface.h>
#define GAP                    16
#define poison(memory, size)   __asan_poison_memory_region(memory, size)
#define unpoison(memory, size) __asan_unpoison_memory_region(memory, size)
#else
#define GAP                    0
#define poison(memory, size)   ((void)(memory), (void)(size))
#define unpoison(memory, size) ((void)(memory), (void)(size))
#endif

#define ALIGNMENT ((size_t)16)
/* Of chunks with their heads: doubled, they become huge pages. */
#define FIRST_CHUNK ((size_t)4096)
#define LAST_CHUNK  (2 * FX_HUGE_PAGE)
/* The next one is a huge page, which costs less than its half in small ones. */
#define LAST_SMALL (FX_HUGE_PAGE / 8)

struct chunk {
	struct chunk *older;
	size_t size; /* of data */
	_Alignas(16) char data[];
};

struct fx_arena {
	struct chunk *newest;
	struct chunk *spare; /* rolled back, or null */
	size_t used;         /* bytes of the newest chunk */
	size_t total;
	size_t next_size; /* of a chunk with its head */
};

struct fx_arena *
fx_arena_new(void)
{
	struct fx_arena *arena = FX_NEW(struct fx_arena);

	arena->next_size = FIRST_CHUNK;
	return arena;
}

/* SIZE bytes at MEMORY are somebody's from now on. */
static void *
hand_out(char *memory, size_t size)
{
	unpoison(memory, size);
#ifdef FX_HARD_MODE
	memset(memory, 0xa5, size);
#endif
	return memory;
}

/* They are nobody's any more. */
static void
take_back(char *memory, size_t size)
{
	unpoison(memory, size);
#ifdef FX_HARD_MODE
	memset(memory, 0xdd, size);
#endif
	poison(memory, size);
}

static void
free_chunk(struct chunk *chunk)
{
	if (!chunk)
		return;
	take_back(chunk->data, chunk->size);
	unpoison(chunk->data, chunk->size);
	free(chunk);
}

/* The larger of it and the spare one stays: what is rolled back once is often
 * so at the same place again.
 */
static void
drop_newest(struct fx_arena *arena)
{
	struct chunk *chunk = arena->newest;

	arena->newest = chunk->older;
	if (arena->spare && arena->spare->size > chunk->size) {
		free_chunk(chunk);
		return;
	}
	free_chunk(arena->spare);
	arena->spare = chunk;
	take_back(chunk->data, chunk->size);
}

void
fx_arena_free(struct fx_arena *arena)
{
	if (!arena)
		return;
	while (arena->newest)
		drop_newest(arena);
	free_chunk(arena->spare);
	free(arena);
}

static struct chunk *
new_chunk(struct fx_arena *arena, size_t least)
{
	size_t size = FX_MAX(arena->next_size - sizeof(struct chunk), least);
	struct chunk *chunk = arena->spare;

	arena->spare = NULL;
	if (chunk && chunk->size >= least)
		return chunk;
	free_chunk(chunk);
	chunk = fx_xmalloc_large(sizeof(*chunk) + size);
	chunk->size = size;
	arena->next_size = arena->next_size == LAST_SMALL
				   ? FX_HUGE_PAGE
				   : FX_MIN(arena->next_size * 2, LAST_CHUNK);
	return chunk;
}

static void *
alloc_in_new_chunk(struct fx_arena *arena, size_t size, size_t rounded)
{
	struct chunk *chunk = new_chunk(arena, rounded);

	chunk->older = arena->newest;
	arena->newest = chunk;
	arena->used = rounded;
	arena->total += rounded - GAP;
	poison(chunk->data, chunk->size);
	return hand_out(chunk->data, size);
}

void *
fx_arena_alloc(struct fx_arena *arena, size_t size)
{
	struct chunk *chunk = arena->newest;
	size_t rounded;
	char *memory;

	/* Beyond this the rounding could overflow; nobody has the memory. */
	fx_assert(size < SIZE_MAX / 2);
	rounded = (size + GAP + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
	if (!chunk || rounded > chunk->size - arena->used)
		return alloc_in_new_chunk(arena, size, rounded);
	memory = chunk->data + arena->used;
	arena->used += rounded;
	arena->total += rounded - GAP;
	return hand_out(memory, size);
}

void *
fx_arena_calloc(struct fx_arena *arena, size_t count, size_t size)
{
	void *memory;

	fx_assert(size == 0 || count < SIZE_MAX / 2 / size);
	memory = fx_arena_alloc(arena, count * size);
	memset(memory, 0, count * size);
	return memory;
}

char *
fx_arena_strndup(struct fx_arena *arena, const char *text, size_t length)
{
	char *copy = fx_arena_alloc(arena, length + 1);

	if (length)
		memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

struct fx_arena_mark
fx_arena_mark(struct fx_arena *arena)
{
	return (struct fx_arena_mark){
		.chunk = arena->newest,
		.used = arena->used,
		.total = arena->total,
	};
}

void
fx_arena_rollback(struct fx_arena *arena, struct fx_arena_mark mark)
{
	while (arena->newest != mark.chunk)
		drop_newest(arena);
	arena->used = mark.used;
	arena->total = mark.total;
	if (arena->newest)
		take_back(arena->newest->data + mark.used,
			arena->newest->size - mark.used);
}

size_t
fx_arena_size(const struct fx_arena *arena)
{
	return arena->total;
}

/* vec.c - what the macros of vec.h call. */
#include <config.h>

#include "base/vec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/mem.h"

#ifdef FX_HARD_MODE
/* Always to new memory, with no room to spare, spoiling the old. */
static void *
regrow(void *items, size_t count, size_t wanted, size_t item_size)
{
	char *moved = fx_xmalloc(wanted * item_size);

	memset(moved, 0xa5, wanted * item_size);
	if (count) {
		memcpy(moved, items, count * item_size);
		memset(items, 0xdd, count * item_size);
	}
	free(items);
	return moved;
}
#endif

#ifndef FX_HARD_MODE
/* From here on in huge pages: what is new then costs less than what is copied,
 * and a huge page less than the small ones of half of it.
 */
#define LARGE (FX_HUGE_PAGE / 2)

static void *
regrow_large(void *items, size_t count, size_t item_size, size_t *grown)
{
	size_t bytes = *grown * item_size + FX_HUGE_PAGE - 1;
	void *moved;

	bytes -= bytes % FX_HUGE_PAGE;
	*grown = bytes / item_size;
	moved = fx_xmalloc_large(bytes);
	if (count)
		memcpy(moved, items, count * item_size);
	free(items);
	return moved;
}
#endif

void *
fx_vec_grow(void *items, size_t count, size_t wanted, size_t item_size,
	size_t *capacity)
{
	size_t grown;

	if (wanted <= *capacity)
		return items;
	fx_assert(wanted < SIZE_MAX / 4 / item_size);
#ifdef FX_HARD_MODE
	grown = wanted <= 1024 ? wanted : wanted + wanted / 4;
	items = regrow(items, count, grown, item_size);
#else
	grown = FX_MAX(FX_MAX(*capacity * 2, wanted), 4);
	if (grown * item_size < LARGE)
		items = fx_xrealloc(items, grown * item_size);
	else
		items = regrow_large(items, count, item_size, &grown);
#endif
	*capacity = grown;
	return items;
}

void
fx_vec_close_gap(void *items, size_t *count, size_t index, size_t item_size)
{
	char *at = (char *)items + index * item_size;

	fx_assert(index < *count);
	--*count;
	memmove(at, at + item_size, (*count - index) * item_size);
}

void
fx_vec_open_gap(void *items, size_t *count, size_t index, size_t item_size)
{
	char *at = (char *)items + index * item_size;

	fx_assert(index <= *count);
	memmove(at + item_size, at, (*count - index) * item_size);
	++*count;
}

void
fx_vec_release(void **items, size_t *count, size_t *capacity)
{
	free(*items);
	*items = NULL;
	*count = 0;
	*capacity = 0;
}

/* vec.h - growable arrays of any type.
 *
 *	FX_VEC(int) numbers = { 0 };
 *	fx_vec_push(&numbers, 7);
 *	fx_vec_deinit(&numbers);
 *
 * In hard mode (FX_HARD_MODE) a vector grows by one up to 1024 items (beyond,
 * that would take quadratic time), always to new memory.
 */
#ifndef FX_BASE_VEC_H
#define FX_BASE_VEC_H

#include <stddef.h>

#define FX_VEC(type) \
	struct { \
		type *items; \
		size_t count; \
		size_t capacity; \
	}

/* Make room for WANTED items in all. */
#define fx_vec_reserve(vec, wanted) \
	((vec)->items = fx_vec_grow((vec)->items, (vec)->count, (wanted), \
		 sizeof(*(vec)->items), &(vec)->capacity))

#define fx_vec_push(vec, item) \
	do { \
		if ((vec)->count == (vec)->capacity) \
			fx_vec_reserve((vec), (vec)->count + 1); \
		(vec)->items[(vec)->count++] = (item); \
	} while (0)

#define fx_vec_pop(vec)   ((vec)->items[--(vec)->count])
#define fx_vec_last(vec)  ((vec)->items[(vec)->count - 1])
#define fx_vec_clear(vec) ((vec)->count = 0)

/* Remove the item at INDEX, keeping order. */
#define fx_vec_remove(vec, index) \
	fx_vec_close_gap((vec)->items, &(vec)->count, (index), \
		sizeof(*(vec)->items))

/* Insert ITEM before INDEX. */
#define fx_vec_insert(vec, index, item) \
	do { \
		fx_vec_reserve((vec), (vec)->count + 1); \
		fx_vec_open_gap((vec)->items, &(vec)->count, (index), \
			sizeof(*(vec)->items)); \
		(vec)->items[index] = (item); \
	} while (0)

#define fx_vec_deinit(vec) \
	fx_vec_release((void **)&(vec)->items, &(vec)->count, &(vec)->capacity)

#define fx_vec_for_each(item, vec) \
	for ((item) = (vec)->items; \
		(item) && (item) < (vec)->items + (vec)->count; (item)++)

/* What the macros call. */
void *fx_vec_grow(void *items, size_t count, size_t wanted, size_t item_size,
	size_t *capacity);
void fx_vec_close_gap(void *items, size_t *count, size_t index,
	size_t item_size);
void fx_vec_open_gap(void *items, size_t *count, size_t index,
	size_t item_size);
void fx_vec_release(void **items, size_t *count, size_t *capacity);

#endif /* FX_BASE_VEC_H */

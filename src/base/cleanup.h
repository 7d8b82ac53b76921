/* cleanup.h - locals that release themselves, and handing them over. */
#ifndef FX_BASE_CLEANUP_H
#define FX_BASE_CLEANUP_H

#include <stdlib.h>

/* Hand over a self-releasing local: evaluates to its value and clears it. */
#define FX_TAKE(pointer) \
	(__extension__({ \
		__typeof__(pointer) fx_taken_ = (pointer); \
		(pointer) = NULL; \
		fx_taken_; \
	}))

/* Define fx_cleanup_<NAME>(TYPE **) calling FREE, for FX_AUTO(NAME). */
#define FX_DEFINE_CLEANUP(name, type, free_function) \
	static inline void fx_cleanup_##name(type **pointer) \
	{ \
		if (*pointer) \
			free_function(*pointer); \
	} \
	struct fx_cleanup_##name##_semicolon

/* The same for an object held by value: DEINIT gets its address. */
#define FX_DEFINE_DEINIT(name, type, deinit_function) \
	static inline void fx_cleanup_##name(type *object) \
	{ \
		deinit_function(object); \
	} \
	struct fx_cleanup_##name##_semicolon

#define FX_AUTO(name) __attribute__((cleanup(fx_cleanup_##name)))

static inline void
fx_cleanup_free(void *pointer)
{
	free(*(void **)pointer);
}

/* char * and other plain malloc memory. */
#define FX_AUTO_FREE __attribute__((cleanup(fx_cleanup_free)))

#endif /* FX_BASE_CLEANUP_H */

/* tick.h - asking now and then whether to go on: Ctrl-C. */
#ifndef FX_BASE_TICK_H
#define FX_BASE_TICK_H

#include <stdbool.h>

/* What long work asks; null members, or a null pointer to it: nobody. */
struct fx_tick {
	bool (*is_pressed)(void *context);
	void *context;
};

static inline bool
fx_tick_is_pressed(const struct fx_tick *tick)
{
	return tick && tick->is_pressed && tick->is_pressed(tick->context);
}

#endif /* FX_BASE_TICK_H */

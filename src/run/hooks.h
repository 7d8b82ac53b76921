/* hooks.h - what watches the interpreter: breakpoints, recording, ticking.
 *
 * The interpreter's loop knows nothing of debugging; it calls every hook
 * before and after a node.
 */
#ifndef FX_RUN_HOOKS_H
#define FX_RUN_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct fx_datum;
struct fx_interp;
struct fx_node;

enum fx_hook_answer {
	FX_HOOK_GO,
	FX_HOOK_SKIP, /* before: NODE has its value, do not run it */
	FX_HOOK_STOP, /* the interpreter returns before the next node runs */
};

struct fx_hook {
	void *context;
	/* Before NODE runs; may be null. */
	enum fx_hook_answer (*before)(void *context, struct fx_interp *interp,
		struct fx_node *node);
	/* After it ran with RESULT (borrowed); may be null. */
	enum fx_hook_answer (*after)(void *context, struct fx_interp *interp,
		struct fx_node *node, struct fx_datum *result);
	/* Whether the hook needs values to stay after their last use. */
	bool records;
};

/* A hook that calls TICK at most every 30 ms and stops when it answers true;
 * then STOPPED is true.  Where nodes are slow EVERY is to be set to 0.
 */
struct fx_ticker {
	bool (*tick)(void *context);
	void *context;
	bool stopped;
	long long last;     /* milliseconds */
	unsigned every;     /* nodes the clock is not looked at between */
	unsigned countdown; /* nodes until it is */
};
void fx_ticker_init(struct fx_ticker *ticker, bool (*tick)(void *context),
	void *context);
struct fx_hook fx_ticker_hook(struct fx_ticker *ticker);
/* Milliseconds of a clock that only goes forward. */
long long fx_clock_ms(void);
/* The same for loops that are no interpreter: true when it is to stop. */
bool fx_ticker_poll(struct fx_ticker *ticker);
/* The same before NODE runs.  Where nodes are slow, one that looks long is not
 * waited 30 ms for: a screen is not to show it under the name of another.
 */
bool fx_ticker_poll_before(struct fx_ticker *ticker,
	const struct fx_node *node);
/* The same for loops over elements: INTERRUPTED after DONE of TOTAL.  TICKER
 * may be NULL.
 */
FX_NODISCARD struct fx_error *fx_ticker_check(struct fx_ticker *ticker,
	uint64_t done, uint64_t total);

#endif /* FX_RUN_HOOKS_H */

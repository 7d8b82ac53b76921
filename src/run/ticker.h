/* ticker.h - asking the front end now and then, between nodes or elements. */
#ifndef FX_RUN_TICKER_H
#define FX_RUN_TICKER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "run/observer.h"

struct fx_progress;

/* Calls TICK at most every INTERVAL ms (30) and stops when it answers true;
 * then STOPPED is true.  Where nodes take less than a look at the clock, EVERY
 * is to be set.
 */
struct fx_ticker {
	bool (*tick)(void *context);
	void *context;
	bool stopped;
	long long last;     /* milliseconds */
	unsigned every;     /* nodes the clock is not looked at between: 0 */
	unsigned countdown; /* nodes until it is */
	unsigned interval;  /* milliseconds */
	struct fx_progress *progress; /* told of the node at work; or NULL */
};
#define FX_TICKER_CHEAP 16 /* nodes on the meta backend */
void fx_ticker_init(struct fx_ticker *ticker, bool (*tick)(void *context),
	void *context);
struct fx_observer fx_ticker_observer(struct fx_ticker *ticker);
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

#endif /* FX_RUN_TICKER_H */

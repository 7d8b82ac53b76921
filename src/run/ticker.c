/* ticker.c - the observer that asks the front end between nodes. */
#include <config.h>

#include "run/ticker.h"

#include <inttypes.h>
#include <time.h>

#include "ir/node.h"
#include "ir/tensor_meta.h"
#include "run/progress.h"

#define TICK_MILLISECONDS 30

/* What reads and writes as much may take long: some milliseconds at least. */
#define LONG_BYTES ((uint64_t)8 << 20)

long long
fx_clock_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (long long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

void
fx_ticker_init(struct fx_ticker *ticker, bool (*tick)(void *context),
	void *context)
{
	*ticker = (struct fx_ticker){
		.tick = tick,
		.context = context,
		.last = fx_clock_ms(),
		.interval = TICK_MILLISECONDS,
	};
}

/* NODE: that the run is before, or NULL. */
static bool
poll_at(struct fx_ticker *ticker, const struct fx_node *node)
{
	long long time;

	if (ticker->stopped || !ticker->tick)
		return ticker->stopped;
	if (ticker->countdown) {
		ticker->countdown--;
		return false;
	}
	ticker->countdown = ticker->every;
	time = fx_clock_ms();
	if (time - ticker->last < ticker->interval)
		return false;
	ticker->last = time;
	if (node && ticker->progress &&
		time - ticker->progress->began >= ticker->progress->delay)
		fx_progress_see(ticker->progress, node, time);
	ticker->stopped = ticker->tick(ticker->context);
	return ticker->stopped;
}

bool
fx_ticker_poll(struct fx_ticker *ticker)
{
	return poll_at(ticker, NULL);
}

static bool
is_long(const struct fx_node *node)
{
	uint64_t bytes = node->meta ? fx_value_tensor_bytes(node->meta) : 0;

	for (size_t i = 0; i < fx_node_input_count(node); i++) {
		const struct fx_value *meta = fx_node_input(node, i)->meta;

		if (bytes >= LONG_BYTES)
			break;
		if (meta && __builtin_add_overflow(bytes,
				    fx_value_tensor_bytes(meta), &bytes))
			return true;
	}
	return bytes >= LONG_BYTES;
}

struct fx_error *
fx_ticker_check(struct fx_ticker *ticker, uint64_t done, uint64_t total)
{
	if (!ticker || !fx_ticker_poll(ticker))
		return NULL;
	return fx_error_new(FX_ERR_INTERRUPTED,
		"interrupted after %" PRIu64 " of %" PRIu64 " elements", done,
		total);
}

bool
fx_ticker_poll_before(struct fx_ticker *ticker, const struct fx_node *node)
{
	if (ticker->progress)
		ticker->progress->at = node->name;
	if (!ticker->every && is_long(node))
		ticker->last = 0;
	return poll_at(ticker, node);
}

static enum fx_answer
tick_before(void *context, struct fx_interp *interp, struct fx_node *node)
{
	(void)interp;
	return fx_ticker_poll_before(context, node) ? FX_ANSWER_STOP
						    : FX_ANSWER_GO;
}

/* A run begins. */
struct fx_observer
fx_ticker_observer(struct fx_ticker *ticker)
{
	fx_progress_begin_run(ticker->progress);
	return (struct fx_observer){ .context = ticker, .before = tick_before };
}

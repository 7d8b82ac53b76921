/* worker_private.h - what the two ends of a capture share: the server, and
 * the exchange with one of its children.
 */
#ifndef FX_GUEST_WORKER_PRIVATE_H
#define FX_GUEST_WORKER_PRIVATE_H

#include <jansson.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "guest/channel.h"
#include "guest/python.h"
#include "guest/worker.h"

struct fx_worker {
	struct fx_python *pythons; /* candidates ... */
	size_t python_count;
	size_t python_at;    /* ... and the one that runs */
	struct fx_buf tried; /* why not those before it */
	char *package;

	pid_t pid; /* 0: none */
	struct fx_channel control;
	int errors;         /* read end of its standard error */
	struct fx_buf said; /* what came from there */
	bool is_ready;
};

struct fx_capture {
	struct fx_channel channel;
	int output; /* read end of what the model prints */
	pid_t pid;
	bool is_program;    /* the user's own, which goes on when we leave it */
	bool is_asked;      /* and has not answered yet */
	unsigned asked;     /* how often */
	unsigned sharers;   /* beside the first; each frees it once */
	unsigned copies;    /* that were ever numbered */
	const char *device; /* interned; NULL: the processor */
};

/* Wait at most 30 ms for one of FDS, calling REQUEST's tick (it and its tick
 * may be null).
 */
enum fx_worker_wait {
	FX_WORKER_DATA,
	FX_WORKER_NOTHING,
	FX_WORKER_INTERRUPTED
};
enum fx_worker_wait fx_worker_wait(struct pollfd *fds, nfds_t count,
	const struct fx_trace_request *request);

/* Wait until the server has torch and can fork, trying one Python after the
 * other.
 */
FX_NODISCARD struct fx_error *fx_worker_make_ready(struct fx_worker *worker,
	const struct fx_trace_request *request);

/* One line from the server, within TIMEOUT_MS; the caller decrefs. */
FX_NODISCARD struct fx_error *fx_worker_line(struct fx_worker *worker,
	const struct fx_trace_request *request, int timeout_ms, json_t **ret);

#endif /* FX_GUEST_WORKER_PRIVATE_H */

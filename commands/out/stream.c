/* stream.c - where text goes: the standard files, or a buffer. */
#include <config.h>

#include "commands/out/out.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

/* The two standard files, written without stdio so that order is kept and a
 * closed pipe is seen at once.
 */
struct standard {
	bool closed; /* the reader of standard output is gone */
	int failure; /* errno when it failed otherwise: a full disk */
};

static void
standard_write(void *context, bool error, const char *text, size_t size)
{
	struct standard *standard = context;

	while (size && !(standard->closed && !error)) {
		ssize_t n = write(error ? STDERR_FILENO : STDOUT_FILENO, text,
			size);

		if (n >= 0) {
			text += n;
			size -= (size_t)n;
		} else if (errno == EAGAIN) {
			struct pollfd wait = { .fd = error ? STDERR_FILENO
							   : STDOUT_FILENO,
				.events = POLLOUT };

			poll(&wait, 1, -1);
		} else if (errno != EINTR) {
			if (error)
				return;
			standard->closed = true;
			if (errno != EPIPE)
				standard->failure = errno;
			return;
		}
	}
}

static bool
standard_more(void *context)
{
	struct standard *standard = context;

	return !standard->closed;
}

struct out_stream
out_stream_standard(void)
{
	return (struct out_stream){ .context = FX_NEW(struct standard),
		.write = standard_write,
		.more = standard_more,
		.free = free };
}

int
out_stream_failure(const struct out_stream *standard)
{
	return ((const struct standard *)standard->context)->failure;
}

static void
buffer_write(void *context, bool error, const char *text, size_t size)
{
	(void)error;
	fx_buf_add_n(context, text, size);
}

static void
buffer_write_results(void *context, bool error, const char *text, size_t size)
{
	if (!error)
		fx_buf_add_n(context, text, size);
}

static bool
buffer_more(void *context)
{
	(void)context;
	return true;
}

static void
buffer_free(void *context)
{
	(void)context;
}

struct out_stream
out_stream_buffer(struct fx_buf *buf, bool with_errors)
{
	return (struct out_stream){ .context = buf,
		.write = with_errors ? buffer_write : buffer_write_results,
		.more = buffer_more,
		.free = buffer_free };
}

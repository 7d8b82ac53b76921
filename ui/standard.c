/* standard.c - the standard files, where the program's text goes. */
#include <config.h>

#include "ui/standard.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

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
ui_standard_stream(void)
{
	return (struct out_stream){ .context = FX_NEW(struct standard),
		.write = standard_write,
		.more = standard_more,
		.free = free };
}

int
ui_standard_failure(const struct out_stream *standard)
{
	return ((const struct standard *)standard->context)->failure;
}

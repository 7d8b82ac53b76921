/* stream.c - text that goes to a buffer. */
#include <config.h>

#include "commands/out/out.h"

#include "base/buf.h"

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

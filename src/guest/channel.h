/* channel.h - JSON lines over a socket to a process of the user's Python
 * (capture/fxdb/_worker.py is the other end).
 */
#ifndef FX_GUEST_CHANNEL_H
#define FX_GUEST_CHANNEL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

/* What arrived and is not yet taken. */
struct fx_channel {
	int fd;
	struct fx_buf pending;
	int received_fd; /* a descriptor that came along, or -1 */
	bool closed;     /* the other side is gone */
};

void fx_channel_init(struct fx_channel *channel, int fd_taken);
void fx_channel_deinit(struct fx_channel *channel);

/* The text at KEY of MESSAGE, or NULL.  Borrowed. */
const char *fx_message_text(const json_t *message, const char *key);

/* Send MESSAGE as a line, with descriptors FDS. */
FX_NODISCARD struct fx_error *fx_channel_send(struct fx_channel *channel,
	json_t *message, const int *fds, int fd_count);

/* Read what is there without waiting. */
void fx_channel_read(struct fx_channel *channel);

/* The next whole line, parsed (the caller decrefs), or NULL when there is none
 * yet; a line that is no JSON object closes the channel.
 */
json_t *fx_channel_line(struct fx_channel *channel);

/* The next SIZE bytes, or NULL when they are not all there; the caller's. */
char *fx_channel_bytes(struct fx_channel *channel, size_t size);

#endif /* FX_GUEST_CHANNEL_H */

/* channel.c - JSON lines over a socket. */
#include <config.h>

#include "guest/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"

/* More than any message of ours; a worker that sends more is broken. */
#define PENDING_LIMIT ((size_t)1 << 31)

void
fx_channel_init(struct fx_channel *channel, int fd_taken)
{
	memset(channel, 0, sizeof(*channel));
	channel->fd = fd_taken;
	channel->received_fd = -1;
}

void
fx_channel_deinit(struct fx_channel *channel)
{
	if (channel->fd >= 0)
		close(channel->fd);
	if (channel->received_fd >= 0)
		close(channel->received_fd);
	fx_buf_deinit(&channel->pending);
	channel->fd = -1;
	channel->received_fd = -1;
}

const char *
fx_message_text(const json_t *message, const char *key)
{
	return json_string_value(json_object_get(message, key));
}

static void
attach(struct msghdr *message, char *space, const int *fds, int count)
{
	struct cmsghdr *header;

	message->msg_control = space;
	message->msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)count);
	header = CMSG_FIRSTHDR(message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)count);
	memcpy(CMSG_DATA(header), fds, sizeof(int) * (size_t)count);
}

struct fx_error *
fx_channel_send(struct fx_channel *channel, json_t *message, const int *fds,
	int fd_count)
{
	FX_AUTO_FREE char *text = json_dumps(message, JSON_COMPACT);
	FX_AUTO_FREE char *line = fx_xasprintf("%s\n", text ? text : "{}");
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(sizeof(int) * 4)] = {
		0
	};
	size_t length = strlen(line), sent = 0;

	while (sent < length) {
		struct iovec part = { line + sent, length - sent };
		struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1 };
		ssize_t size;

		if (sent == 0 && fd_count)
			attach(&header, space, fds, fd_count);
		size = sendmsg(channel->fd, &header, MSG_NOSIGNAL);
		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0)
			return fx_error_new(FX_ERR_CHILD,
				"the Python process is gone: %s",
				strerror(errno));
		sent += (size_t)size;
	}
	return NULL;
}

static void
take_fd(struct fx_channel *channel, struct msghdr *message)
{
	struct cmsghdr *header = CMSG_FIRSTHDR(message);

	if (!header || header->cmsg_type != SCM_RIGHTS)
		return;
	if (channel->received_fd >= 0)
		close(channel->received_fd);
	memcpy(&channel->received_fd, CMSG_DATA(header), sizeof(int));
}

void
fx_channel_read(struct fx_channel *channel)
{
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(sizeof(int))];

	while (!channel->closed) {
		struct iovec part;
		struct msghdr message = { .msg_iov = &part,
			.msg_iovlen = 1,
			.msg_control = space,
			.msg_controllen = sizeof(space) };
		ssize_t size;

		fx_buf_reserve(&channel->pending, 65536);
		part.iov_base = channel->pending.data + channel->pending.length;
		part.iov_len = 65536;
		size = recvmsg(channel->fd, &message,
			MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		if (size <= 0 || channel->pending.length > PENDING_LIMIT) {
			channel->closed = true;
			return;
		}
		channel->pending.length += (size_t)size;
		channel->pending.data[channel->pending.length] = 0;
		take_fd(channel, &message);
	}
}

/* Drop the first SIZE bytes. */
static void
consume(struct fx_channel *channel, size_t size)
{
	struct fx_buf *pending = &channel->pending;

	memmove(pending->data, pending->data + size, pending->length - size);
	fx_buf_truncate(pending, pending->length - size);
}

json_t *
fx_channel_line(struct fx_channel *channel)
{
	struct fx_buf *pending = &channel->pending;
	char *end = pending->length
			    ? memchr(pending->data, '\n', pending->length)
			    : NULL;
	json_t *message;

	if (!end)
		return NULL;
	message = json_loadb(pending->data, (size_t)(end - pending->data), 0,
		NULL);
	consume(channel, (size_t)(end - pending->data) + 1);
	if (!json_is_object(message)) {
		json_decref(message);
		channel->closed = true;
		return NULL;
	}
	return message;
}

char *
fx_channel_bytes(struct fx_channel *channel, size_t size)
{
	char *bytes;

	if (channel->pending.length < size)
		return NULL;
	bytes = fx_xmalloc(size + 1);
	if (size)
		memcpy(bytes, channel->pending.data, size);
	bytes[size] = 0;
	if (size)
		consume(channel, size);
	return bytes;
}

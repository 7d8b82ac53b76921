/* memory.c - whether a result would fit into memory, before it is computed.
 *
 * Linux gives out more memory than there is, and ends the process when it is
 * touched: too late for an error.
 */
#include <config.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/number.h"
#include "ir/tensor_meta.h"
#include "run/backend.h"
#include "session/position_private.h"

/* Below this nobody asks the system. */
#define SMALL ((uint64_t)256 << 20)

/* Bytes that can be had, or UINT64_MAX when the system does not say. */
static uint64_t
available(void)
{
	static const char word[] = "MemAvailable:";
	char text[2048];
	const char *at;
	ssize_t length;
	int file = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);

	if (file < 0)
		return UINT64_MAX;
	length = read(file, text, sizeof(text) - 1);
	close(file);
	text[length > 0 ? length : 0] = '\0';
	at = strstr(text, word);
	if (!at)
		return UINT64_MAX;
	return strtoull(at + strlen(word), NULL, 10) * 1024;
}

struct fx_error *
fx_check_bytes(const char *what, uint64_t bytes)
{
	FX_AUTO_BUF struct fx_buf needed = { 0 };
	FX_AUTO_BUF struct fx_buf there = { 0 };
	uint64_t free_bytes;

	if (bytes < SMALL)
		return NULL;
	free_bytes = available();
	if (bytes <= free_bytes)
		return NULL;
	fx_number_add_bytes(&needed, bytes);
	fx_number_add_bytes(&there, free_bytes);
	return fx_error_hint(fx_error_new(FX_ERR_NO_SPACE,
				     "%s %s, and %s of memory are available",
				     what, fx_buf_text(&needed),
				     fx_buf_text(&there)),
		"set backend meta computes shapes only");
}

struct fx_error *
fx_check_memory(const struct fx_model *model, const struct fx_value *meta)
{
	if (!meta || !model->backend->ops->has_values)
		return NULL;
	return fx_check_bytes("the result takes", fx_value_tensor_bytes(meta));
}

struct fx_error *
fx_check_node_memory(const struct fx_model *model, const struct fx_node *node)
{
	if (!fx_position_is_computing(node) || fx_may_alias(node))
		return NULL;
	return fx_check_memory(model, node->meta);
}

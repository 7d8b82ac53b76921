/* trace_reply.h - what the worker answers, read. */
#ifndef FX_GUEST_TRACE_REPLY_H
#define FX_GUEST_TRACE_REPLY_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct fx_trace_result;

/* The extension is of this build?  VERSION otherwise. */
FX_NODISCARD struct fx_error *fx_trace_reply_check_build(json_t *hello,
	const char *package);

/* How PID ended, by ANSWER (to "status"), with the line where it crashed; null
 * when ANSWER does not know of it.
 */
FX_NODISCARD struct fx_error *fx_trace_reply_ended(json_t *answer, pid_t pid);

/* The answer to "trace" and the .fxg text that came with it.  A failed trace
 * gives the error, and in RET what there is of the graph.
 */
FX_NODISCARD struct fx_error *fx_trace_reply_read(json_t *answer,
	const char *text, size_t size, uint32_t serial,
	struct fx_trace_result *ret);

/* The names of tensors without a safetensors form, "a, b"; the caller's. */
char *fx_trace_reply_skipped(json_t *answer);

#endif /* FX_GUEST_TRACE_REPLY_H */

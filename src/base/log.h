/* log.h - debug topics, switched on by FXDB_DEBUG=topic,topic or "all".
 * Written to standard error unless a sink is set.
 */
#ifndef FX_BASE_LOG_H
#define FX_BASE_LOG_H

#include <stdbool.h>

#include "base/compiler.h"

typedef void fx_log_fn(void *context, const char *topic, const char *line);

bool fx_log_on(const char *topic);
FX_PRINTF(2, 3) void fx_log(const char *topic, const char *format, ...);
void fx_log_set_sink(fx_log_fn *sink, void *context);

#endif /* FX_BASE_LOG_H */

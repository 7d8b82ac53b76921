/* log.h - debug topics, switched on by FXDB_DEBUG=topic,topic or "all".
 * Written to standard error unless a sink is set.
 */
#ifndef FX_BASE_LOG_H
#define FX_BASE_LOG_H

#include <stdbool.h>

#include "base/compiler.h"

typedef void fx_log_fn(void *context, const char *topic, const char *line);

/* Whether TOPIC is switched on; write a line under it if so. */
bool fx_log_on(const char *topic);
FX_PRINTF(2, 3)
void fx_log(const char *topic, const char *format, ...);

/* Send lines to WRITE from now on; null: to standard error. */
void fx_log_set_sink(fx_log_fn *writer, void *context);

#endif /* FX_BASE_LOG_H */

/* log.h - debug topics, switched on by FXDB_DEBUG=topic,topic or "all". */
#ifndef FX_BASE_LOG_H
#define FX_BASE_LOG_H

#include "base/compiler.h"

/* Write a line to standard error if TOPIC is switched on. */
FX_PRINTF(2, 3)
void fx_log(const char *topic, const char *format, ...);

#endif /* FX_BASE_LOG_H */

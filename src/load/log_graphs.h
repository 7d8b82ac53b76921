/* log_graphs.h - the graphs in a log of TORCH_LOGS. */
#ifndef FX_LOAD_LOG_GRAPHS_H
#define FX_LOAD_LOG_GRAPHS_H

#include "load/open.h"

/* If INPUT is a log with graphs under titles (" ===== Forward graph 0 ====="),
 * have *TEXT_RET be the one that INPUT->graph says, the caller's; otherwise it
 * is NULL.  FORMAT, with the titles, when there are several and none is said;
 * RANGE when there is none of that number.
 */
FX_NODISCARD struct fx_error *
fx_log_graphs_choose(const struct fx_load_input *input, char **text_ret);

#endif /* FX_LOAD_LOG_GRAPHS_H */

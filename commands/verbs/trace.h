/* trace.h - the trace command: a model of the user's Python as a graph. */
#ifndef FX_COMMANDS_VERBS_TRACE_H
#define FX_COMMANDS_VERBS_TRACE_H

#include "commands/shell/cmd.h"

FX_NODISCARD struct fx_error *cmd_trace_exec(struct cmd_ctx *ctx);

/* A traced model knows no shapes before its inputs are given: of MODEL the
 * first that is not, and how to give it; nothing when none is missing.
 */
void cmd_trace_say_missing_input(struct out *out, struct fx_model *model);

/* Fields of a record: how the current graph was captured, nothing when it was
 * not; and which process still holds its weights, if one does.
 */
void cmd_trace_say_capture(struct cmd_ctx *ctx);
void cmd_trace_say_process(struct cmd_ctx *ctx);
/* A new input of a recorded graph may want other decisions than it has. */
void cmd_trace_say_fixed(struct cmd_ctx *ctx);
/* The table of what a recorded run decided by values and sizes. */
void cmd_trace_say_specialisations(struct cmd_ctx *ctx);

#endif /* FX_COMMANDS_VERBS_TRACE_H */

/* trace.h - the trace command: a model of the user's Python as a graph. */
#ifndef FX_COMMANDS_VERBS_TRACE_H
#define FX_COMMANDS_VERBS_TRACE_H

#include "commands/shell/cmd.h"

FX_NODISCARD struct fx_error *cmd_trace_exec(struct cmd_ctx *ctx);

struct fx_model;
struct fx_trace_result;

/* Say what became of a capture: "resnet18: 71 nodes, 11.69 M parameters, traced
 * in 2 ms (...)".
 */
void cmd_trace_say_report(struct cmd_ctx *ctx, struct fx_model *model,
	const struct fx_trace_result *report);

/* Give MODEL the inputs of the flag -i NAME=SPEC, which may be repeated. */
FX_NODISCARD struct fx_error *cmd_trace_set_inputs(struct cmd_ctx *ctx,
	struct fx_model *model);

/* attach: the graph that a program of the user's hands over. */
FX_NODISCARD struct fx_error *cmd_attach_exec(struct cmd_ctx *ctx);

/* A traced model knows no shapes before its inputs are given: of MODEL the
 * first that is not, and how to give it; nothing when none is missing.
 */
void cmd_trace_say_missing_input(struct out *out, struct fx_model *model);

/* Fields of a record: how the current graph was captured, nothing when it was
 * not; and which process still holds its weights, if one does.
 */
void cmd_trace_say_capture(struct cmd_ctx *ctx);
void cmd_trace_say_process(struct cmd_ctx *ctx);
/* How many decisions of a recorded run the graph of MODEL has. */
size_t cmd_trace_count_fixed(const struct fx_model *model);
/* A new input of a recorded graph may want other decisions than it has. */
void cmd_trace_say_fixed(struct cmd_ctx *ctx);
/* Tables: what a recorded run decided by values and sizes, and which modules a
 * trace kept whole.
 */
void cmd_trace_say_remarks(struct cmd_ctx *ctx);

#endif /* FX_COMMANDS_VERBS_TRACE_H */

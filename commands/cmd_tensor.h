/* cmd_tensor.h - tensors that are shown, as rows of numbers beside the text.
 *
 * A tensor's summary is a line for people; answers in JSON have its numbers
 * as the table "tensors", a row a tensor in the order of the text.
 */
#ifndef FX_COMMANDS_CMD_TENSOR_H
#define FX_COMMANDS_CMD_TENSOR_H

#include "base/vec.h"
#include "commands/cmd.h"
#include "run/stats.h"

struct fx_buf;

struct cmd_tensor {
	struct fx_datum *datum; /* referenced */
	bool is_known;          /* else there are no statistics */
	struct fx_stats stats;
};

struct cmd_tensors {
	FX_VEC(struct cmd_tensor) list;
};

void cmd_tensors_deinit(struct cmd_tensors *tensors);
FX_DEFINE_DEINIT(tensors, struct cmd_tensors, cmd_tensors_deinit);

/* As cmd_print_datum; what is shown by its summary is added to TENSORS. */
FX_NODISCARD struct fx_error *cmd_print_tensors(struct cmd_ctx *ctx,
	const struct fx_datum *datum, struct fx_buf *text,
	struct cmd_tensors *tensors);
void cmd_say_tensors(struct out *out, const struct cmd_tensors *tensors);

#endif /* FX_COMMANDS_CMD_TENSOR_H */

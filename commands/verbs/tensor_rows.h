/* tensor_rows.h - tensors that are shown, as rows of numbers beside the
 * text.
 *
 * A tensor's summary is a line for people; answers in JSON have its numbers
 * as the table "tensors", a row a tensor in the order of the text.
 */
#ifndef FX_COMMANDS_VERBS_TENSOR_ROWS_H
#define FX_COMMANDS_VERBS_TENSOR_ROWS_H

#include "base/vec.h"
#include "commands/shell/cmd.h"
#include "run/stats.h"

struct fx_summary;

struct cmd_tensor_row {
	struct fx_datum *datum; /* referenced */
	bool is_known;          /* else there are no statistics */
	struct fx_stats stats;
};

struct cmd_tensor_rows {
	FX_VEC(struct cmd_tensor_row) list;
};

void cmd_tensor_rows_deinit(struct cmd_tensor_rows *tensors);
FX_DEFINE_DEINIT(tensors, struct cmd_tensor_rows, cmd_tensor_rows_deinit);

/* Like cmd_print_datum, but a tensor that is shown by its summary is added to
 * TENSORS.
 */
FX_NODISCARD struct fx_error *cmd_print_tensors(struct cmd_ctx *ctx,
	const struct fx_datum *datum, struct fx_buf *text,
	struct cmd_tensor_rows *tensors);
void cmd_say_tensors(struct out *out, const struct cmd_tensor_rows *tensors);

/* What is known of a node's value: SUMMARY, NULL where nothing is. */
struct cmd_known {
	const struct fx_summary *summary;
	struct fx_summary *made; /* owned: of a value that is held */
};

struct cmd_known cmd_known_of(struct cmd_ctx *ctx, const struct fx_node *node);
void cmd_known_deinit(struct cmd_known *known);
FX_DEFINE_DEINIT(known, struct cmd_known, cmd_known_deinit);
#define FX_AUTO_KNOWN FX_AUTO(known)

/* A note when another node wrote over NODE's value in place. */
void cmd_say_writer(struct cmd_ctx *ctx, const struct fx_node *node);

/* The field "value": in one line, without the shape; the tensors of a tuple, a
 * row each.
 */
void cmd_say_known(struct cmd_ctx *ctx, const struct cmd_known *known);
void cmd_say_elements(struct cmd_ctx *ctx, const struct fx_node *node,
	const struct cmd_known *known);

#endif /* FX_COMMANDS_VERBS_TENSOR_ROWS_H */

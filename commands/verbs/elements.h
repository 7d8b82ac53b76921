/* elements.h - what commands that look at elements share: the tensor that an
 * expression gives, with values, and cells about it.
 */
#ifndef FX_COMMANDS_VERBS_ELEMENTS_H
#define FX_COMMANDS_VERBS_ELEMENTS_H

#include <stdint.h>

#include "base/dtype.h"
#include "commands/shell/cmd.h"

struct fx_datum;
struct fx_statistic;
struct fx_stats;

/* What the argument "expression" says; "$", the last value, without one. */
const char *cmd_elements_expression(const struct cmd_ctx *ctx);
/* TYPE when DATUM, which EXPRESSION gave, is no tensor; NOT_KNOWN when its
 * values are not known.
 */
FX_NODISCARD struct fx_error *cmd_elements_check(const struct fx_datum *datum,
	const char *expression);
/* The tensor that EXPRESSION gives, with values; the caller unrefs *RET. */
FX_NODISCARD struct fx_error *cmd_elements_of(struct cmd_ctx *ctx,
	const char *expression, struct fx_datum **ret);

/* The cell for element INDEX of TENSOR, and for one statistic of it. */
void cmd_cell_element(struct out *out, const struct fx_datum *tensor,
	enum fx_dtype dtype, uint64_t index);
void cmd_cell_statistic(struct out *out, const struct fx_datum *tensor,
	const struct fx_stats *stats, const struct fx_statistic *statistic);
/* A cell with a bar that is as long as COUNT is of MOST. */
void cmd_cell_bar(struct cmd_ctx *ctx, uint64_t count, uint64_t most);

/* heat_map.c: TENSOR, which has values, as a picture. */
FX_NODISCARD struct fx_error *cmd_say_map(struct cmd_ctx *ctx,
	const struct fx_datum *tensor);

#endif /* FX_COMMANDS_VERBS_ELEMENTS_H */

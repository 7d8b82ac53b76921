/* diff.h - what the files of the command diff share. */
#ifndef FX_COMMANDS_VERBS_DIFF_H
#define FX_COMMANDS_VERBS_DIFF_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cmd_ctx;
struct fx_graph;
struct fx_model;
struct fx_pairs;

/* The model that NAME means; "." is the current one. */
FX_NODISCARD struct fx_error *cmd_find_model(struct cmd_ctx *ctx,
	const char *name, struct fx_model **ret);
/* Take the current graph to TIME for a look, outside of transactions; the
 * caller takes it back to *NOW_RET with fx_journal_goto.
 */
FX_NODISCARD struct fx_error *cmd_time_enter(struct cmd_ctx *ctx, uint32_t time,
	uint32_t *now_ret);
/* A copy of the current graph as it was at TIME; *RET is the caller's. */
FX_NODISCARD struct fx_error *cmd_graph_at_time(struct cmd_ctx *ctx,
	uint32_t time, struct fx_graph **ret);
/* compare.c: the values of MODEL's graph beside those of GRAPH or, where that
 * is null, the arrays of a file; flags --rtol and --dtype.
 */
FX_NODISCARD struct fx_error *cmd_compare_models(struct cmd_ctx *ctx,
	struct fx_model *model, struct fx_graph *graph, const char *arrays);

/* Write the commands that turn the first graph of PAIRS into the second.
 * Returns the number of differences that no command makes.
 */
size_t cmd_diff_script(struct cmd_ctx *ctx, const struct fx_pairs *pairs);
/* Report COUNT of them: a note for a person, a failed check in a script. */
FX_NODISCARD struct fx_error *cmd_diff_unsaid(struct cmd_ctx *ctx,
	size_t count);

#endif /* FX_COMMANDS_VERBS_DIFF_H */

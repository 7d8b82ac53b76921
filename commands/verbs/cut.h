/* cut.h - edits that make nested graphs, verified. */
#ifndef FX_COMMANDS_VERBS_CUT_H
#define FX_COMMANDS_VERBS_CUT_H

#include "base/error.h"
#include "session/verify.h"

struct cmd_ctx;

/* An edit that has to leave what the graph computes as it is, bit by bit. */
struct cmd_cut {
	struct fx_error *(*edit)(struct cmd_ctx *ctx);
	struct fx_verify *verify;
	struct fx_verify_result verified;
};

/* Run CUT's edit as one transaction, verify it as `set verify` says, and report
 * both.
 */
FX_NODISCARD struct fx_error *cmd_cut_edit(struct cmd_ctx *ctx,
	struct cmd_cut *cut);

/* split. */
FX_NODISCARD struct fx_error *cmd_split_exec(struct cmd_ctx *ctx);

#endif /* FX_COMMANDS_VERBS_CUT_H */

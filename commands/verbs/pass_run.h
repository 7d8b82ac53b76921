/* pass_run.h - the command pass run. */
#ifndef FX_COMMANDS_VERBS_PASS_RUN_H
#define FX_COMMANDS_VERBS_PASS_RUN_H

#include <stdbool.h>

#include "base/error.h"

struct cmd_ctx;
struct cmd_passed;
struct cmd_stepped;
struct fx_passing_request;
struct fx_transaction;

/* There is no pass NAME. */
FX_NODISCARD struct fx_error *cmd_pass_unknown(const char *name);
/* pass run WHAT...: at once, or with -s to the first candidate. */
FX_NODISCARD struct fx_error *cmd_pass_run(struct cmd_ctx *ctx);

/* What `pass run` asks of all passes: *REQUEST but for its steps and lister,
 * *KEEPS but for its kind and data.
 */
void cmd_pass_request(struct cmd_ctx *ctx, struct fx_passing_request *request,
	struct cmd_stepped *keeps);
/* Behind the report: how it was verified; as struct cmd_passing_kind has it. */
void cmd_tell_pass(struct cmd_ctx *ctx, void *data,
	const struct cmd_passed *passed);

struct fx_verify;
struct fx_verify_result;
/* Inside an edit, after the pass NAME: CHECK where the graph computes something
 * else than the one that VERIFY remembers, or by `set verify strict` where that
 * is not known.
 */
FX_NODISCARD struct fx_error *cmd_verify_pass(struct cmd_ctx *ctx,
	const char *name, struct fx_verify *verify,
	struct fx_verify_result *ret);
/* How it was verified; VERIFIED is null when it was not. */
void cmd_say_verified(struct cmd_ctx *ctx,
	const struct fx_verify_result *verified);

/* Whether it did T, or another command that goes over candidates, or Python. */
bool cmd_made_by_pass(const struct fx_transaction *t);

#endif /* FX_COMMANDS_VERBS_PASS_RUN_H */

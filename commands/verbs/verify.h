/* verify.h - what verify and bisect share. */
#ifndef FX_COMMANDS_VERBS_VERIFY_H
#define FX_COMMANDS_VERBS_VERIFY_H

#include <stdint.h>

#include "base/error.h"
#include "session/verify.h"

struct cmd_ctx;

/* By --inputs and --rtol: in the graphs' own dtypes, else in f64. */
FX_NODISCARD struct fx_error *cmd_verify_options(struct cmd_ctx *ctx,
	struct fx_verify_options *ret);
/* What the model's graph was at TIME, to be compared with. */
FX_NODISCARD struct fx_error *cmd_verify_begin(struct cmd_ctx *ctx,
	uint32_t time, const struct fx_verify_options *options,
	struct fx_verify **ret);

#endif /* FX_COMMANDS_VERBS_VERIFY_H */

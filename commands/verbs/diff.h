/* diff.h - what the files of the command diff share. */
#ifndef FX_COMMANDS_VERBS_DIFF_H
#define FX_COMMANDS_VERBS_DIFF_H

#include <stddef.h>

#include "base/error.h"

struct cmd_ctx;
struct fx_pairs;

/* Write the commands that turn the first graph of PAIRS into the second.
 * Returns the number of differences that no command makes.
 */
size_t cmd_diff_script(struct cmd_ctx *ctx, const struct fx_pairs *pairs);
/* Report COUNT of them: a note for a person, a failed check in a script. */
FX_NODISCARD struct fx_error *cmd_diff_unsaid(struct cmd_ctx *ctx,
	size_t count);

#endif /* FX_COMMANDS_VERBS_DIFF_H */

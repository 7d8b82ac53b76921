/* rewrite.h - what match and rewrite share. */
#ifndef FX_COMMANDS_VERBS_REWRITE_H
#define FX_COMMANDS_VERBS_REWRITE_H

#include "commands/shell/cmd.h"
#include "ir/match.h"
#include "pass/rules.h"

/* The rules that were typed, or those of the file after -r. */
FX_NODISCARD struct fx_error *cmd_read_rules(struct cmd_ctx *ctx,
	struct fx_rules *ret);
/* As a table. */
void cmd_say_matches(struct cmd_ctx *ctx, const struct fx_pattern *pattern,
	const struct fx_matches *matches);
/* Why there is no match of RULE, to follow "0 matches"; its condition was false
 * of DECLINED.
 */
void cmd_print_no_match(struct fx_buf *out, struct fx_graph *graph,
	const struct fx_rule *rule, size_t declined);

/* rewrite.c: the command. */
FX_NODISCARD struct fx_error *cmd_rewrite_exec(struct cmd_ctx *ctx);

#endif /* FX_COMMANDS_VERBS_REWRITE_H */

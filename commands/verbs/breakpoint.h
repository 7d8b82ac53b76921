/* breakpoint.h - what the commands about stops share. */
#ifndef FX_COMMANDS_VERBS_BREAKPOINT_H
#define FX_COMMANDS_VERBS_BREAKPOINT_H

#include "base/error.h"

struct cmd_ctx;

/* Do ACT with each of the breakpoints that the argument "numbers" says. */
typedef struct fx_error *cmd_number_fn(struct cmd_ctx *ctx, int number);
FX_NODISCARD struct fx_error *cmd_do_numbers(struct cmd_ctx *ctx,
	cmd_number_fn *act);
/* Whether they are all there. */
FX_NODISCARD struct fx_error *cmd_check_numbers(struct cmd_ctx *ctx);

/* A condition, or NULL, is evaluated at each hit; that it can be read is seen
 * now.
 */
FX_NODISCARD struct fx_error *cmd_check_condition(const char *text);
/* Warn when TEXT, a condition or NULL, cannot be tested. */
void cmd_warn_of_condition(struct cmd_ctx *ctx, const char *text);
/* The same of the WHAT ("condition") of a stop after nodes, in which $v is the
 * result, for names that are nothing.
 */
void cmd_warn_of_names(struct cmd_ctx *ctx, const char *what, const char *text);
/* Whether TEXT, as printf takes it, can be read; WHOSE command it is. */
FX_NODISCARD struct fx_error *cmd_check_format(struct cmd_ctx *ctx,
	const char *whose, const char *text);
/* Warn of names in its arguments that are nothing. */
void cmd_warn_of_arguments(struct cmd_ctx *ctx, const char *text);
/* Set a breakpoint at WHERE; its condition is the argument "if". */
FX_NODISCARD struct fx_error *cmd_break_at(struct cmd_ctx *ctx,
	const char *where);

#endif /* FX_COMMANDS_VERBS_BREAKPOINT_H */

/* set.h - what the files of the command set share. */
#ifndef FX_COMMANDS_VERBS_SET_H
#define FX_COMMANDS_VERBS_SET_H

#include "commands/shell/cmd.h"

struct fx_node;

/* set %n.args[1] = TEXT; set module PATH = nn.X(...). */
FX_NODISCARD struct fx_error *cmd_set_field(struct cmd_ctx *ctx,
	const char *text);
FX_NODISCARD struct fx_error *cmd_set_module(struct cmd_ctx *ctx,
	const char *text);

/* set value PLACE = TEXT: a node's result, a parameter or a buffer. */
FX_NODISCARD struct fx_error *cmd_set_value(struct cmd_ctx *ctx,
	const char *text);
FX_NODISCARD struct fx_error *cmd_unset_exec(struct cmd_ctx *ctx);

/* Whether PLACE ends with an index of numbers and slices: then in *BASE_RET
 * what stands before it, and in *EXPRESSION_RET the new value of all of that,
 * in which $v is its value before, if EXPRESSION is to stand at the index. Both
 * are the caller's.
 */
bool cmd_set_element(const char *place, const char *expression, char **base_ret,
	char **expression_ret);

/* Refuse elements at INDEX of what NODE gave, if that is no tensor: the hint
 * is how they can be EXPRESSION.  The other takes a whole PLACE, and refuses
 * nothing where that is no part of a node's value.
 */
FX_NODISCARD struct fx_error *cmd_set_check_element(struct cmd_ctx *ctx,
	const struct fx_node *node, const char *index, const char *expression);
FX_NODISCARD struct fx_error *cmd_set_check_place(struct cmd_ctx *ctx,
	const char *place);

/* The place before `=` in TEXT, the caller's, and what comes after it. */
FX_NODISCARD struct fx_error *cmd_set_split(const char *text, char **place_ret,
	const char **rest_ret);

/* The same where the place is a path, of which a name may begin with a digit.
 */
bool cmd_set_split_path(const char *text, char **path_ret,
	const char **rest_ret);

/* Fail if no graph is open, or if the graph may not be changed. */
FX_NODISCARD struct fx_error *cmd_set_check(struct cmd_ctx *ctx);

#endif /* FX_COMMANDS_VERBS_SET_H */

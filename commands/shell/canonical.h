/* canonical.h - a command in canonical words, made of its parsed arguments.
 *
 * What a transaction keeps for `dump script` is made here and nowhere else, for
 * every command alike: the full name, the arguments in the order of the table,
 * then the flags.  Such a line, parsed again, has the same arguments.
 */
#ifndef FX_COMMANDS_SHELL_CANONICAL_H
#define FX_COMMANDS_SHELL_CANONICAL_H

#include "base/error.h"
#include "commands/shell/line.h"

/* Append ENTRY with FORMAT ("" for none) and what was PARSED. */
void cmd_canonical_print(struct fx_buf *out, const struct cmd_entry *entry,
	const char *format, const struct cmd_parsed *parsed);
/* Resolve CTX's command (below) and return its text, which the caller frees. */
char *cmd_canonical_line(struct cmd_ctx *ctx);
/* Append TEXT as one word of a line, in quotes if the word needs them. */
void cmd_canonical_add_word(struct fx_buf *out, const char *text);
/* Append LINE with FLAG, which stands before the dashes after which nothing is
 * one.
 */
void cmd_canonical_add_flagged(struct fx_buf *out, const char *line,
	const char *flag);

/* Give the arguments of CTX the words that a script needs: nodes by the names
 * that they have now, sets as typed or, where they depend on more than the
 * graph, as the nodes in them, expressions without @N and `.`. Flags about the
 * answer (-j, -o, -g, -n, -f) are left out.  Before an edit; once is enough.
 */
void cmd_canonical_resolve(struct cmd_ctx *ctx);

/* In the line of CTX's command the argument or flag NAME reads TEXT, whatever
 * was typed: the command decided it.  NULL leaves it out.
 */
void cmd_canonical_set(struct cmd_ctx *ctx, const char *name, const char *text);

/* TEXT, an expression, with every designator (@N . $_ %name) as the node's
 * name, after SIGN ("%" or ""); the caller's.  TEXT is checked for syntax.
 */
FX_NODISCARD struct fx_error *cmd_canonical_expression(struct cmd_ctx *ctx,
	const char *text, const char *sign, char **ret);

#endif /* FX_COMMANDS_SHELL_CANONICAL_H */

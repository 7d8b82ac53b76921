/* edit.h - what commands that change a graph share. */
#ifndef FX_COMMANDS_VERBS_EDIT_H
#define FX_COMMANDS_VERBS_EDIT_H

#include "base/buf.h"
#include "commands/shell/canonical.h"
#include "commands/shell/cmd.h"
#include "ir/fragment.h"
#include "ir/graft.h"
#include "ir/graph.h"
#include "session/position.h"

/* Changes the graph inside an open transaction.  A script has the command in
 * canonical words (shell/canonical.h), in which the edit may set what it
 * decided; SCRIPT gets the lines that a script needs before that one.
 */
typedef struct fx_error *cmd_edit_fn(struct cmd_ctx *ctx, void *data,
	struct fx_buf *script);

/* Run EDIT as one transaction (or inside the one that `begin` opened), with -n
 * and -f, and report it.  MAKER is "edit" or a pass's name.
 */
FX_NODISCARD struct fx_error *cmd_edit(struct cmd_ctx *ctx, const char *maker,
	cmd_edit_fn *edit, void *data);

/* The parts of that, for edits that do not end with their command.  CHECK: no
 * transaction of another graph is open.  DESCRIBE the open edit of GRAPH by its
 * SCRIPT, or add that to the transaction's.  PLACE: add the lines around SCRIPT
 * that enter GRAPH, if it is a nested one, and leave it.  COMPLETE the SCRIPT
 * of an edit of GRAPH: that, and -f in its lines where the edit had it (FORCE)
 * or there are impossible shapes.  TAKE_AWAY what was BEFORE.
 */
struct fx_edit_counts;
FX_NODISCARD struct fx_error *cmd_edit_check(const struct cmd_ctx *ctx);
void cmd_edit_describe(struct cmd_ctx *ctx, struct fx_graph *graph,
	const char *script, const char *maker);
void cmd_edit_place(const struct fx_model *model, const struct fx_graph *graph,
	struct fx_buf *script);
void cmd_edit_complete(const struct fx_model *model,
	const struct fx_graph *graph, struct fx_buf *script, bool force);
void cmd_edit_take_away(struct fx_edit_counts *counts,
	const struct fx_edit_counts *before);

/* TEXT as a value for the graph's arguments. */
FX_NODISCARD struct fx_error *cmd_edit_value(struct cmd_ctx *ctx,
	const char *text, struct fx_value *ret);

/* The fill of an fx_graft, with the cmd_ctx as CONTEXT: a module that is made
 * gets its numbers by --seed or the session's.
 */
FX_NODISCARD struct fx_error *cmd_edit_fill(void *context,
	struct fx_module *module, const char *path);
/* The seed of the same numbers for a script, the caller's, or NULL when the
 * fragment makes nothing that has some.
 */
char *cmd_edit_seed(const struct cmd_ctx *ctx,
	const struct fx_fragment *fragment);

/* That seed in any case. */
char *cmd_edit_seed_text(const struct cmd_ctx *ctx);

/* Say that no rule is known for the function TARGET, which may be NULL, if that
 * is so.
 */
void cmd_note_function(struct cmd_ctx *ctx, const char *target);

/* recover.c: the command. */
FX_NODISCARD struct fx_error *cmd_recover(struct cmd_ctx *ctx);

/* breakpoint.c: whether a catchpoint waits for EVENT of NAME (may be NULL); it
 * is said.
 */
bool cmd_caught(struct cmd_ctx *ctx, const char *event, const char *name);

#endif /* FX_COMMANDS_VERBS_EDIT_H */

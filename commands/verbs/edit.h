/* edit.h - what commands that change a graph share. */
#ifndef FX_COMMANDS_VERBS_EDIT_H
#define FX_COMMANDS_VERBS_EDIT_H

#include <stdbool.h>

#include "base/buf.h"
#include "commands/shell/canonical.h"
#include "commands/shell/cmd.h"
#include "ir/graph.h"

struct fx_ast;

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

/* TEXT as a value for the graph's arguments. */
FX_NODISCARD struct fx_error *cmd_edit_value(struct cmd_ctx *ctx,
	const char *text, struct fx_value *ret);

/* A right-hand side read as Python (insert, replace): a graph of its own whose
 * placeholders stand for nodes of the target graph.
 */
struct cmd_statement {
	/* What stands for arguments where a hint shows a call; the caller's, or
	 * NULL: "...".
	 */
	const char *argument;
	struct fx_graph *graph;
	char *text;        /* as given, designators as %name */
	char *module_name; /* nn.X(...) was called: its name, or NULL */
	/* The same in two steps that a script can say whatever name the result
	 * got: the module's making, or NULL, and the text that calls it.
	 */
	char *module_text;
	char *call_text;
	const struct fx_model *model; /* that it is for; borrowed */
	uint64_t seed;                /* of the new module's numbers */
};
void cmd_statement_deinit(struct cmd_statement *statement);
FX_DEFINE_DEINIT(statement, struct cmd_statement, cmd_statement_deinit);
#define CMD_AUTO_STATEMENT FX_AUTO(statement)

/* NAME: what the result will be called, or NULL.  *RET holds zeros, or its
 * argument alone.
 */
FX_NODISCARD struct fx_error *cmd_statement_read(struct cmd_ctx *ctx,
	const char *name, const char *text, struct cmd_statement *ret);

/* Whether the text only names a node that is there. */
bool cmd_statement_is_node(const struct cmd_statement *statement);

/* Put the module that is called, with new numbers, at PATH of GRAPH.  For the
 * script: the seed of the same numbers, the caller's, or NULL when it has none;
 * and the line that makes the module, if one is made.
 */
FX_NODISCARD struct fx_error *
cmd_statement_set_module(const struct cmd_statement *statement,
	struct fx_graph *graph, const char *path);
char *cmd_statement_seed(const struct cmd_statement *statement);
void cmd_statement_add_module(const struct cmd_statement *statement,
	struct fx_buf *script);

/* How the nodes of a statement go into the graph. */
struct cmd_placing {
	struct fx_node *before; /* NULL: at the end */
	const char *name;       /* of the result, or NULL: from its target */
	bool fresh;             /* number the name if it is taken */
	const struct fx_scope *scope;
	const struct fx_scope *outer; /* what a new module's lies in */
};
/* Create them before PLACING->before; *FIRST_RET and *RET are the first and
 * the result.  Both are the same existing node when the text only names one.
 */
FX_NODISCARD struct fx_error *
cmd_statement_place(const struct cmd_statement *statement,
	struct fx_graph *graph, const struct cmd_placing *placing,
	struct fx_node **first_ret, struct fx_node **ret);

/* Give what used OLD to RESULT: all users, or with FIRST those outside the new
 * nodes from FIRST to RESULT.
 */
FX_NODISCARD struct fx_error *cmd_edit_redirect(struct fx_node *old,
	struct fx_node *first, struct fx_node *result);
/* What NODE lies in, other than the module that it calls itself. */
const struct fx_scope *cmd_edit_scope_around(const struct fx_node *node);

/* ERR (freed) once more, about SPAN of TEXT instead of what it was about. */
FX_NODISCARD struct fx_error *cmd_edit_retell(struct fx_error *err,
	const char *text, struct fx_span span);

/* edit_function.c: say that no rule is known for the function TARGET, if
 * that is so.
 */
void cmd_note_function(struct cmd_ctx *ctx, const char *target);
/* The target of the first function among the nodes that GRAPH's open
 * transaction made that no rule is known for, interned; or NULL.
 */
const char *cmd_edit_function(struct fx_graph *graph);

#endif /* FX_COMMANDS_VERBS_EDIT_H */

/* recovery.h - the session journal: what `recover` reopens after a session
 * died.
 *
 * A folder a session under $XDG_STATE_HOME/fxdb/sessions/, made by the first
 * command that may change a graph, removed at a clean end.  The file `journal`
 * holds JSON lines; one write after each command:
 *
 *   {"session":1,"pid":...}             the format, who writes
 *   {"graph":1,"name":...,"file":...}   graph 1 as it was before its first edit
 *   {"edit":3,"graph":1,"bytes":900}    transaction t3: as many bytes of lines
 *                                       follow (emit/delta.h)
 *   {"open":1,"graph":1,"bytes":90}     what follows began and did not end yet
 *                                       (0: it did)
 *   {"now":2,"graph":1}                 undo, redo, goto
 *   {"closed":1}
 *   {"setup":"..."}                     inputs, seed, breakpoints, displays and
 *                                       settings, as commands
 *   {"done":7,"command":"..."}          all of the 7th command stands above
 *
 * What comes after the last {"done"} is not used: a session comes back as it
 * was after a command, whole.  The writer holds a lock on the file, so that a
 * session which still runs is not taken for a dead one.
 */
#ifndef FX_COMMANDS_SHELL_RECOVERY_H
#define FX_COMMANDS_SHELL_RECOVERY_H

#include "base/vec.h"
#include "commands/shell/cmd.h"

/* Of the format. */
#define CMD_RECOVERY_VERSION 1

struct cmd_recovery;

/* MODEL is about to be edited for the first time, maybe: how it is now is kept.
 * CONTEXT is the shell (fx_session_set_before_edit).
 */
void cmd_recovery_before_edit(void *context, struct fx_model *model);
/* Write what the command of CTX changed. */
void cmd_recovery_after(struct cmd_ctx *ctx);
/* Nobody types: write some more of the weights that are kept, so little that it
 * is not noticed.  Whether there are more.
 */
bool cmd_recovery_work(struct cmd_shell *shell);
bool cmd_recovery_has_work(const struct cmd_shell *shell);
/* The session ends: what it kept goes, unless KEEP. */
void cmd_recovery_end(struct cmd_shell *shell, bool keep);

/* Go on writing the journal of a session that was reopened. */
struct cmd_recovered {
	struct fx_model *model;
	int number; /* in the journal */
};
struct cmd_reopened {
	const char *folder;
	int file;    /* its journal, locked, to append to; taken */
	size_t done; /* commands so far */
	const struct cmd_recovered *models;
	size_t count;
};
void cmd_recovery_adopt(struct cmd_shell *shell,
	const struct cmd_reopened *from);
/* What is done from now on is written: before, the session is being made. */
void cmd_recovery_resume(struct cmd_shell *shell);

/* The folder of this session; NULL without one.  Safe in a signal handler. */
const char *cmd_recovery_place(const struct cmd_recovery *recovery);

/* The folder of all sessions, made if it is missing; NULL when there can be
 * none; the caller's.
 */
char *cmd_recovery_folder(void);
/* Remove a session's FOLDER and all in it; those in the folder ALL of dead
 * sessions that are old, or too many.
 */
void cmd_recovery_remove(const char *folder);
void cmd_recovery_remove_old(const char *all);

/* Results that the user set, on disk. */
struct cmd_kept_value {
	int model;
	uint64_t node;
	const struct fx_datum *datum; /* compared only */
	char *text;                   /* an expression; NULL: it is not kept */
};
struct cmd_kept_values {
	FX_VEC(struct cmd_kept_value) items;
	const char *folder; /* borrowed */
	uint64_t limit;
	uint64_t bytes;
	size_t numbers; /* of files */
};
void cmd_kept_values_deinit(struct cmd_kept_values *kept);
/* Append the commands that set those of MODEL again. */
void cmd_kept_values_add(struct cmd_kept_values *kept,
	const struct fx_model *model, struct fx_buf *text);

/* Weights of graphs that are not all written yet: the first is. */
struct cmd_kept_weights {
	struct fx_save_later **items;
	size_t count;
	size_t capacity;
};
void cmd_kept_weights_deinit(struct cmd_kept_weights *kept);
/* Write one piece more. */
FX_NODISCARD struct fx_error *
cmd_kept_weights_go_on(struct cmd_kept_weights *kept);

/* Settings, inputs of MODELS and what was set there, breakpoints and displays
 * as the commands that bring them back; the caller's.  Lines with "# " say what
 * does not come back.
 */
char *cmd_recovery_setup(struct fx_session *session,
	struct fx_model *const *models, size_t count,
	struct cmd_kept_values *values);

/* The lines of SETUP as written above, the caller's.  A file may hold any: the
 * others, what no file may decide, and whole lists of what a breakpoint runs
 * that do more than look, set results and go on, are appended to REFUSED, each
 * with a newline.
 */
char *cmd_recovery_check(const char *setup, struct fx_buf *refused);

/* How many sessions died that could be recovered. */
size_t cmd_recovery_count(void);

#endif /* FX_COMMANDS_SHELL_RECOVERY_H */

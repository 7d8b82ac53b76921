/* shell.h - what the files of the command layer share: the shell's state. */
#ifndef FX_COMMANDS_SHELL_SHELL_H
#define FX_COMMANDS_SHELL_SHELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "commands/out/record.h"
#include "commands/shell/cmd.h"
#include "commands/shell/crash.h"
#include "commands/shell/front.h"
#include "commands/shell/line.h"
#include "commands/shell/overwrite_guard.h"
#include "commands/shell/prompt.h"
#include "commands/shell/stop_commands.h"
#include "commands/shell/value_log.h"
#include "emit/python.h"
#include "session/settings.h"

/* Commands inside commands. */
#define CMD_DEPTH_LIMIT 50

struct cmd_alias {
	char *name;
	char *expansion;
};

/* Made by `define`: lines with $arg0 ... $argc. */
struct cmd_user {
	char *name;
	char *body;
	char *document; /* or NULL */
};

/* The text that block commands read their lines from: a script that runs. */
struct cmd_script {
	struct cmd_script *outer;
	const char *file;
	const char *text; /* what has not been read yet */
	int line;         /* number of the line that was read last */
	bool is_command;  /* not a file */
};

struct cmd_log;
struct cmd_tutorial;

/* The Python code that was listed last; kept until the graph is edited. */
struct cmd_code {
	const struct fx_graph *graph; /* NULL: none; compared only */
	uint32_t serial;
	uint64_t version;
	const char *dialect;
	struct fx_buf text;
	struct fx_emit_ranges ranges;
};
void cmd_code_deinit(struct cmd_code *code);
struct cmd_shell {
	struct fx_session *session;
	struct fx_settings *settings; /* the session's */
	const struct front *front;    /* or one that answers no to all */
	FX_VEC(struct cmd_alias) aliases;
	FX_VEC(struct cmd_user) users;
	FX_VEC(char *) history; /* lines of the outermost level */
	struct cmd_recent recent;
	char *repeat; /* what the empty line runs, or NULL */
	struct cmd_script *script;
	struct cmd_model_stdout *printed; /* of the line that runs, or NULL */
	struct fx_buf notices;            /* lines to be told after it */
	struct cmd_stop_commands stop_commands;
	int depth;
	int status;        /* the worst exit status so far */
	bool is_repeating; /* the line that runs came from `repeat` */
	bool is_quitting;
	bool restricted;                    /* no files, no programs: fuzzing */
	bool says_objects;                  /* JSON throughout */
	const struct fx_error *model_error; /* compared only */
	bool in_transaction;                /* begin ... commit: */
	int transaction_model;              /* for which graph, */
	struct fx_buf transaction;          /* the commands so far */
	struct cmd_stepped stepped;
	FX_VEC(struct cmd_value_log) decided; /* in the order they were typed */
	struct cmd_files files;
	/* What the last command said, for expect; where commands are logged. */
	struct out_recording *last;
	struct out *last_out;
	bool is_recorded;    /* a command that runs has its output kept */
	struct cmd_log *log; /* or NULL; log.h */
	struct cmd_recovery *recovery; /* or NULL: nothing is kept yet */
	char *dead; /* sessions as recover listed them, a line each; or NULL */
	const struct cmd_entry *ran;
	struct cmd_tutorial *tutorial;

	/* Where a listing or search goes on when it is repeated. */
	size_t list_next; /* position after the last line listed */
	size_t list_first;
	bool has_listed;
	char list_form; /* p f t: of the last listing */
	struct cmd_code code;
	size_t search_next;
	uint64_t examine_next; /* unit or node that x goes on with */
	char *search_text;
	char *asserted; /* by the assertion that failed: "fc[0,3]"; or NULL */
	size_t rows_shown; /* by the listing that may be repeated */
};
/* The next line of a block: from the script that runs, else from the front end.
 * NULL at the end; the caller frees.
 */
char *cmd_shell_read_line(struct cmd_shell *shell, const char *prompt);
struct cmd_alias *cmd_shell_find_alias(struct cmd_shell *shell,
	const char *name);
struct cmd_user *cmd_shell_find_user(struct cmd_shell *shell, const char *name);

/* Read lines up to `end` into *RET, the caller's; nested blocks are kept.
 * SYNTAX when it is missing, LIMIT when there is no end of them.
 */
FX_NODISCARD struct fx_error *cmd_read_block(struct cmd_shell *shell,
	const char *what, char **ret);

/* Run the lines of TEXT as those of FILE (may be NULL: no place in errors). */
struct cmd_source_options {
	bool keep_going;
	bool verbose;
	bool is_paced;     /* a lecture: lines and comments are shown */
	double pace;       /* seconds after each line; negative: until a key */
	bool is_command;   /* the lines of a user command, not of a file */
	bool ends_at_stop; /* of a breakpoint: not on after a run stopped */
};
FX_NODISCARD struct fx_error *cmd_run_text(struct cmd_shell *shell,
	const char *file, const char *text,
	const struct cmd_source_options *options, struct out *out);
FX_NODISCARD struct fx_error *cmd_read_pace(const char *text, double *ret);
FX_NODISCARD struct fx_error *cmd_source_with(struct cmd_shell *shell,
	const char *path, const struct cmd_source_options *options,
	struct out *out);

/* See whether LINE, which just ran, with ERR or NULL, did what the lesson asks
 * for; say what comes next, or how it is done.  Returns ERR, maybe with a note.
 */
FX_NODISCARD struct fx_error *cmd_tutorial_see(struct cmd_shell *shell,
	struct out *out, const char *line, struct fx_error *err);
void cmd_tutorial_free(struct cmd_tutorial *tutorial);
/* Whether MODEL is the lesson's, which can be made again at any time. */
bool cmd_tutorial_owns(const struct cmd_shell *shell,
	const struct fx_model *model);

/* Append the last command's output to SAID; whether TEXT, a part of that output
 * or a glob, is in it.
 */
void cmd_shell_add_said(const struct cmd_shell *shell, struct fx_buf *said);
bool cmd_shell_has_said(const struct cmd_shell *shell, const char *text);

/* value.c: the value of EXPRESSION; the caller unrefs *RET. */
struct fx_datum;
FX_NODISCARD struct fx_error *cmd_evaluate(struct cmd_ctx *ctx,
	const char *expression, struct fx_datum **ret);

/* Turn the texts of CTX->parsed into what they mean, by type. */
FX_NODISCARD struct fx_error *cmd_args_resolve(struct cmd_ctx *ctx);

/* Commands by typed name: exact, alias, unambiguous prefix.  The error says
 * what could have been meant.
 */
FX_NODISCARD struct fx_error *cmd_lookup(struct cmd_shell *shell,
	const char *name, const struct cmd_entry **ret);

/* ERR with the hint that WORD, which was typed where it means nothing, is a
 * command, or what does here what it does in gdb, pdb or PyTorch.
 */
FX_NODISCARD struct fx_error *cmd_hint_word(struct fx_error *err_taken,
	const char *word);

/* Say that ERR means a model could not be opened: exit status 3. */
FX_NODISCARD struct fx_error *cmd_model_failed(struct cmd_ctx *ctx,
	struct fx_error *err);

/* Whether a person typed what runs, and reads the answer. */
bool cmd_is_typed(const struct cmd_ctx *ctx);

/* Leave the program with the exit status of STATUS, a text, "" for 0. */
FX_NODISCARD struct fx_error *cmd_leave(struct cmd_ctx *ctx,
	const char *status);

/* The open graph of that name or number, borrowed; NO_GRAPH names the open
 * ones.
 */
FX_NODISCARD struct fx_error *cmd_find_graph(struct fx_session *session,
	const char *name, struct fx_model **ret);

/* Forget that `begin` was typed. */
void cmd_transaction_end(struct cmd_shell *shell);
/* Close MODEL, and the transaction and listing that were about it. */
void cmd_shell_drop(struct cmd_shell *shell, struct fx_model *model);

/* Ask; `set confirm off` answers yes, a front end without anybody no. */
bool cmd_confirm(struct cmd_ctx *ctx, const char *question);

#endif /* FX_COMMANDS_SHELL_SHELL_H */

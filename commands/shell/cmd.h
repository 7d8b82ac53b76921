/* cmd.h - what a command is: one table row and one function.
 *
 * Dispatch, parsing, checking, completion, help, the manual and the JSON
 * description of commands are all derived from the rows.
 */
#ifndef FX_COMMANDS_SHELL_CMD_H
#define FX_COMMANDS_SHELL_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

struct cmd_entry;
struct cmd_parsed;
struct cmd_shell;
struct front;
struct fx_model;
struct fx_node;
struct fx_session;
struct out;

enum cmd_arg_type {
	CMD_ARG_END,      /* no more arguments */
	CMD_ARG_NODE,     /* designator */
	CMD_ARG_SET,      /* query, designator, range, path */
	CMD_ARG_LOCATION, /* the same, or FILE.py:LINE; not looked up yet */
	CMD_ARG_QUERY,    /* a set, not looked up yet */
	CMD_ARG_EXPR,     /* expression up to a keyword of the command */
	CMD_ARG_CONDITION,
	CMD_ARG_SPEC, /* model SPEC or NAME=SPEC */
	CMD_ARG_FILE,
	CMD_ARG_INT,
	CMD_ARG_WORD, /* one word, maybe one of `choices` */
	CMD_ARG_TARGET,
	CMD_ARG_SCOPE,
	CMD_ARG_GRAPH,
	CMD_ARG_PASS,
	CMD_ARG_SETTING,
	CMD_ARG_COMMAND,
	CMD_ARG_FORMAT,  /* of a picture */
	CMD_ARG_NUMBERS, /* 1-3 5: breakpoint numbers */
	CMD_ARG_REST,    /* the rest of the line as it is */
};

enum cmd_arg_flags {
	CMD_OPTIONAL = 1,
	CMD_REPEATED = 2,
	CMD_KEYWORD = 4, /* follows the literal word `name`: if, to, as, only */
	CMD_FROM_ONE = 8, /* an INT that is not 0 */
	CMD_ALONE = 16,   /* a KEYWORD at the front, instead of all others */
};

/* OFFER is called with each word that may be typed. */
typedef void cmd_words_fn(void (*offer)(void *context, const char *word),
	void *context);

struct cmd_arg {
	const char *name; /* key for cmd_arg_*; for KEYWORD the word itself */
	enum cmd_arg_type type;
	unsigned flags;
	const char *help;
	const char *choices; /* WORD: "after|before" */
};

/* -n, --splice, -o FILE.  LETTER 0: only long.  TYPE END: takes nothing. */
struct cmd_flag {
	const char *name;
	char letter;
	enum cmd_arg_type type;
	const char *help;
};

enum cmd_need {
	CMD_NEED_GRAPH = 1,
	CMD_NEED_STARTED = 2,
	CMD_NEED_WRITABLE = 4,   /* edits: refused in a read-only session */
	CMD_REPEATS = 8,         /* the empty line repeats it */
	CMD_TAKES_FORMAT = 16,   /* /FMT */
	CMD_RAW = 32,            /* arguments are not parsed: REST alone */
	CMD_LISTS = 64,          /* takes -m -s -j as a listing */
	CMD_KEEPS_OUTPUT = 128,  /* `expect` after it sees the one before */
	CMD_CHANGES_FILES = 256, /* writes files or runs programs */
	CMD_OWN_OUTPUT = 512,    /* -o is the command's business */
	CMD_REACHES_OUT = 1024,  /* beyond the session: not when read-only */
	CMD_ASIDE = 2048,        /* no try at what a lesson asks for */
	CMD_RUNS_INTO = 4096,    /* its node may be a nested graph's, by path */
	CMD_LOOKS = 8192,        /* or goes on: a journal may run it */
};

struct cmd_ctx {
	struct cmd_shell *shell;
	struct fx_session *session;
	struct fx_model *model; /* the current one or that of -g; NULL */
	struct out *out;
	const struct front *front;
	const char *line;   /* the whole line as typed */
	const char *format; /* after the slash, or "" */
	bool is_repeat;     /* the empty line repeats this command */
	const struct cmd_entry *entry;
	struct cmd_parsed *parsed;
	const char *remark;      /* exec: what to say of a file that -o wrote */
	struct cmd_blame *blame; /* verbs/passing.h: only find it; or NULL */
};

struct cmd_example {
	const char *line;
	const char *says; /* what it shows, one phrase */
};

struct cmd_entry {
	const char *name;
	const char *aliases;  /* short names, separated by blanks */
	const char *summary;  /* one line, lower case, no full stop */
	const char *help;     /* a paragraph */
	const char *synonyms; /* words apropos finds it by */
	const char *also;     /* further words for a choice: "edits=undo" */
	unsigned needs;
	cmd_words_fn *words;      /* what its WORD may be, or NULL */
	cmd_words_fn *sort_words; /* LISTS: what -s takes, or NULL */
	struct cmd_arg args[6];
	struct cmd_flag flags[12];
	struct cmd_example examples[4];
	struct fx_error *(*exec)(struct cmd_ctx *ctx);
	int variant; /* tells commands with the same EXEC apart */
};

/* Parsed arguments of the running command.  NULL: absent; "": a bare flag. */
const char *cmd_arg_text(const struct cmd_ctx *ctx, const char *name);
int64_t cmd_arg_int(const struct cmd_ctx *ctx, const char *name,
	int64_t missing);
struct fx_node *cmd_arg_node(const struct cmd_ctx *ctx, const char *name);
/* Positions of a SET or QUERY argument; false when absent. */
bool cmd_arg_set(const struct cmd_ctx *ctx, const char *name,
	const size_t **positions_ret, size_t *count_ret);
size_t cmd_arg_count(const struct cmd_ctx *ctx, const char *name);
const char *cmd_arg_text_at(const struct cmd_ctx *ctx, const char *name,
	size_t index);
const char *cmd_flag(const struct cmd_ctx *ctx, const char *name);
const char *cmd_flag_at(const struct cmd_ctx *ctx, const char *name,
	size_t index);
struct fx_node *cmd_flag_node(const struct cmd_ctx *ctx, const char *name);
int64_t cmd_flag_int(const struct cmd_ctx *ctx, const char *name,
	int64_t missing);

/* The shell holds the session, user-defined commands, aliases, the last command
 * and the state of scripts.  A program has one, which its front end owns.
 */
struct cmd_shell *cmd_shell_new(struct fx_session *session);
void cmd_shell_free(struct cmd_shell *shell);
struct fx_session *cmd_shell_session(struct cmd_shell *shell);
void cmd_shell_set_front(struct cmd_shell *shell, const struct front *front);
const struct front *cmd_shell_front(const struct cmd_shell *shell);

/* The worst exit status of the errors that were shown so far; 0 none.  Front
 * ends report what they show.
 */
int cmd_shell_status(const struct cmd_shell *shell);
void cmd_shell_report(struct cmd_shell *shell, const struct fx_error *err);
/* A run stopped because a node failed: no command did, but not all is well. */
void cmd_shell_report_stop(struct cmd_shell *shell);
/* Whether `quit` or `close` asked to leave, and with which status. */
bool cmd_shell_is_quitting(const struct cmd_shell *shell);
/* Output is JSON throughout: what programs of the shell say is wrapped too. */
void cmd_shell_say_objects(struct cmd_shell *shell);
/* Neither files nor programs from now on (fuzzing). */
void cmd_shell_restrict(struct cmd_shell *shell);
/* What the last command said; borrowed until the next. */
struct out_recording;
const struct out_recording *cmd_shell_said(const struct cmd_shell *shell);
/* LINE was typed. */
void cmd_shell_history_add(struct cmd_shell *shell, const char *line);

/* Run one line.  Output goes to OUT; the error is the caller's to show (with
 * out_error) and to free.  The empty line repeats where that is allowed.
 */
FX_NODISCARD struct fx_error *cmd_run(struct cmd_shell *shell, const char *line,
	struct out *out);

/* Run a file of commands, with KEEP_GOING past errors (FILE:LINE). */
FX_NODISCARD struct fx_error *cmd_source(struct cmd_shell *shell,
	const char *path, bool keep_going, struct out *out);

/* Exit status for an error: 1 a check failed, 2 usage, 3 no model. */
int cmd_exit_status(const struct fx_error *err);

/* Candidates for completing LINE at byte POINT; START_RET is where the word
 * to replace begins.  The caller frees the strings and the array (ended by
 * NULL).
 */
char **cmd_complete(struct cmd_shell *shell, const char *line, size_t point,
	size_t *start_ret);

/* The table: every command in the order of help; NULL past the end. */
const struct cmd_entry *cmd_table_at(size_t index);
const struct cmd_entry *cmd_table_find(const char *name);

#endif /* FX_COMMANDS_SHELL_CMD_H */

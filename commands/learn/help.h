/* help.h - help, apropos and the generated documents, from the tables. */
#ifndef FX_COMMANDS_LEARN_HELP_H
#define FX_COMMANDS_LEARN_HELP_H

#include <stdbool.h>
#include <stddef.h>

#include "commands/shell/cmd.h"

/* Pages that are no commands: the INDEXth; false past the end.  A word is one
 * of the eleven that need no command to be explained.
 */
struct cmd_help_topic {
	const char *word;
	const char *summary;
	const char *text; /* paragraphs are lines; indented lines are shown */
	bool is_word;
};
bool cmd_help_topic_at(size_t index, struct cmd_help_topic *ret);
/* The page called TYPED; false when there is none. */
bool cmd_help_topic_find(const char *typed, struct cmd_help_topic *ret);

/* Pages of help that are tables, "functions": the INDEXth; NULL past the end.
 */
const char *cmd_topic_at(size_t index);

/* List what the words of the argument ARG are about: commands, pages, settings,
 * subjects of info, options; how many there are.  HEADING, or NULL, stands
 * above them.
 */
size_t cmd_say_about(struct cmd_ctx *ctx, const char *arg, const char *heading);

/* What info can show: the INDEXth; NULL past the end. */
struct cmd_subject {
	const char *word;
	const char *help;
	bool needs_graph;
	struct fx_error *(*say)(struct cmd_ctx *ctx);
};
const struct cmd_subject *cmd_subject_at(size_t index);

/* Append how ENTRY is typed: "break [WHERE] [if CONDITION] [-p]". */
void cmd_usage(struct fx_buf *out, const struct cmd_entry *entry);

/* Append "-o FILE, --output FILE". */
void cmd_flag_usage(struct fx_buf *out, const struct cmd_flag *flag);

/* Print TEXT, in which each line is one paragraph, wrapped.  An indented line
 * is printed as it is.
 */
void cmd_say_wrapped(struct out *out, const char *text, int indent);

/* Documents as raw text: doc/commands.md, doc/fxdb.1, doc/json.md. */
void cmd_document_markdown(struct fx_buf *out);
void cmd_document_man(struct fx_buf *out);
void cmd_document_json(struct fx_buf *out);

#endif /* FX_COMMANDS_LEARN_HELP_H */

/* value_log.h - what set value decided, kept for dump script. */
#ifndef FX_COMMANDS_SHELL_VALUE_LOG_H
#define FX_COMMANDS_SHELL_VALUE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

struct cmd_ctx;
struct cmd_shell;
struct fx_buf;
struct fx_graph;
struct fx_input_given;
struct fx_node;

struct cmd_value_log {
	int model;        /* its number */
	uint64_t node;    /* whose result; 0: it is an edit of a parameter */
	uint32_t time;    /* after which edit it was typed */
	uint32_t edit;    /* that it is; 0: none, or a part of the next */
	uint64_t seed;    /* of the session then */
	bool from_before; /* it reads $v */
	char *where;      /* execution stood there, as goto takes it, or NULL:
			   * nothing was read
			   */
	char *inputs;     /* of a script: those then, if something was read */
	uint64_t inputs_seed; /* that they leave */
	char *line;           /* of a script, or NULL: the edit has its own */
};
void cmd_value_log_deinit(struct cmd_value_log *decided);
FX_DEFINE_DEINIT(decided, struct cmd_value_log, cmd_value_log_deinit);
#define CMD_AUTO_VALUE_LOG FX_AUTO(decided)

/* What CTX's command, set value, decides now: EXPRESSION for the result of
 * NODE, or (NULL) for a parameter or buffer.  To be kept once it is done, or
 * else freed.
 */
struct cmd_value_log cmd_value_log_begin(struct cmd_ctx *ctx,
	const struct fx_node *node, const char *expression);
void cmd_value_log_keep(struct cmd_shell *shell,
	struct cmd_value_log *decided_taken, const struct fx_graph *graph);

/* Append the lines of a script that give an input. */
void cmd_add_input_line(struct fx_buf *text,
	const struct fx_input_given *given);

/* Forget what was decided for NODE of the graph MODEL, or (0) for all of it. */
void cmd_value_log_forget(struct cmd_shell *shell, int model, uint64_t node);

#endif /* FX_COMMANDS_SHELL_VALUE_LOG_H */

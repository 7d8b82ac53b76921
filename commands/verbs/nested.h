/* nested.h - the graphs within a graph: listed and entered. */
#ifndef FX_COMMANDS_VERBS_NESTED_H
#define FX_COMMANDS_VERBS_NESTED_H

#include "base/error.h"

struct cmd_ctx;

/* The graphs within the current one as a table, if there are some. */
void cmd_say_nested(struct cmd_ctx *ctx);
/* `graph /PATH` of the current graph, `graph NAME/PATH` of another one. */
FX_NODISCARD struct fx_error *cmd_enter_graph(struct cmd_ctx *ctx,
	const char *what);

#endif /* FX_COMMANDS_VERBS_NESTED_H */

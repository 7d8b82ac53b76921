/* graphs.h - the open graphs and those within them: listed, copied, entered. */
#ifndef FX_COMMANDS_VERBS_GRAPHS_H
#define FX_COMMANDS_VERBS_GRAPHS_H

#include "base/error.h"

struct cmd_ctx;
struct fx_model;

/* `graph` alone: the open graphs, then those within the current one. */
FX_NODISCARD struct fx_error *cmd_list_graphs(struct cmd_ctx *ctx);
/* `graph copy MODEL as NAME`. */
FX_NODISCARD struct fx_error *cmd_copy_graph(struct cmd_ctx *ctx,
	struct fx_model *model);
/* `graph /PATH` of the current graph, `graph NAME/PATH` of another one. */
FX_NODISCARD struct fx_error *cmd_enter_graph(struct cmd_ctx *ctx,
	const char *what);

#endif /* FX_COMMANDS_VERBS_GRAPHS_H */

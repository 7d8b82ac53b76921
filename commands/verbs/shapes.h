/* shapes.h - the command shapes. */
#ifndef FX_COMMANDS_VERBS_SHAPES_H
#define FX_COMMANDS_VERBS_SHAPES_H

#include "base/error.h"

struct cmd_ctx;

FX_NODISCARD struct fx_error *cmd_shapes_exec(struct cmd_ctx *ctx);

#endif /* FX_COMMANDS_VERBS_SHAPES_H */

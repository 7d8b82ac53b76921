/* write_tensors.h - the tensors of a value in a file. */
#ifndef FX_COMMANDS_VERBS_WRITE_TENSORS_H
#define FX_COMMANDS_VERBS_WRITE_TENSORS_H

#include "base/error.h"

struct cmd_ctx;
struct fx_datum;

/* Write DATUM to PATH, whose ending says how: a tensor, called "tensor" where
 * the file has names; those of a tuple or dict, by their places or keys; of a
 * set what its nodes gave, by their names.  Says what the file has.
 */
FX_NODISCARD struct fx_error *cmd_write_tensors(struct cmd_ctx *ctx,
	struct fx_datum *datum, const char *path);

#endif /* FX_COMMANDS_VERBS_WRITE_TENSORS_H */

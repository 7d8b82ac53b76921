/* overwrite_guard.h - what may be written over. */
#ifndef FX_COMMANDS_SHELL_OVERWRITE_GUARD_H
#define FX_COMMANDS_SHELL_OVERWRITE_GUARD_H

#include <stddef.h>

#include "commands/shell/cmd.h"

/* The file of a SPEC like FILE.py:EXPR, "" where it has none; the caller's. */
char *cmd_spec_file(const char *spec);

/* Python and listings that graphs are from, and what -o wrote. */
struct cmd_paths {
	char **items;
	size_t count;
	size_t capacity;
};

struct cmd_files {
	struct cmd_paths traced;
	struct cmd_paths loaded;
	struct cmd_paths written;
};
void cmd_files_deinit(struct cmd_files *files);

/* READ_ONLY where files may not be written. */
FX_NODISCARD struct fx_error *cmd_overwrite_guard_allowed(struct cmd_ctx *ctx);

/* An error when writing to PATH would replace the Python file of a model, or
 * the file of a graph without -f.
 */
FX_NODISCARD struct fx_error *cmd_overwrite_guard_check(struct cmd_ctx *ctx,
	const char *path);

/* Like cmd_overwrite_guard_check, for a graph that is saved to PATH: it may
 * also replace the file of another graph.
 */
FX_NODISCARD struct fx_error *
cmd_overwrite_guard_check_save(struct cmd_ctx *ctx, const char *path);

/* Whether writing to PATH may go on: an existing file that is neither the
 * model's own nor was written before is asked about, where somebody can answer.
 */
bool cmd_overwrite_guard_may_replace(struct cmd_ctx *ctx, const char *path);

/* Say that the answer was no. */
struct fx_error *cmd_overwrite_guard_not_written(struct cmd_ctx *ctx);

/* The command wrote PATH, and may do so again. */
void cmd_overwrite_guard_written(struct cmd_ctx *ctx, const char *path);

/* Python and listings that graphs are from: SPEC of trace, or a file that was
 * loaded.
 */
void cmd_overwrite_guard_traced(struct cmd_ctx *ctx, const char *spec);
void cmd_overwrite_guard_loaded(struct cmd_ctx *ctx, const char *path);

#endif /* FX_COMMANDS_SHELL_OVERWRITE_GUARD_H */

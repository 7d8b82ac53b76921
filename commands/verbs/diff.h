/* diff.h - what the files of the command diff share. */
#ifndef FX_COMMANDS_VERBS_DIFF_H
#define FX_COMMANDS_VERBS_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/role.h"
#include "ir/diff.h"

struct cmd_ctx;
struct fx_buf;
struct fx_comparison;
struct fx_emulation;
struct fx_graph;
struct fx_model;
struct fx_passing;
struct fx_tick;
struct front;

/* The model that NAME means; "." is the current one. */
FX_NODISCARD struct fx_error *cmd_find_model(struct cmd_ctx *ctx,
	const char *name, struct fx_model **ret);
/* Take the current graph to TIME for a look, outside of transactions; the
 * caller takes it back to *NOW_RET with fx_journal_goto.
 */
FX_NODISCARD struct fx_error *cmd_time_enter(struct cmd_ctx *ctx, uint32_t time,
	uint32_t *now_ret);
/* A copy of the current graph as it was at TIME; *RET is the caller's. */
FX_NODISCARD struct fx_error *cmd_graph_at_time(struct cmd_ctx *ctx,
	uint32_t time, struct fx_graph **ret);
/* verify.c: whether TEXT is a time, "t3"; whether FIRST and SECOND (may be
 * null) are two, of which one may be ".", now; the one that the argument NAME
 * says, MISSING without it.  RANGE when there is none.
 */
bool cmd_is_time(const char *text, int64_t *ret);
bool cmd_are_times(const char *first, const char *second);
FX_NODISCARD struct fx_error *cmd_time_argument(const struct cmd_ctx *ctx,
	const char *name, uint32_t missing, uint32_t *ret);

/* compare.c: the values of the first graph, MODEL's as it is or was, beside
 * those of the second or, where that is null, the arrays of a file; flags
 * --rtol and --dtype.
 */
struct cmd_compared {
	struct fx_graph *graphs[2];
	const char *names[2];
	const char *arrays;
};
FX_NODISCARD struct fx_error *cmd_compare_models(struct cmd_ctx *ctx,
	struct fx_model *model, const struct cmd_compared *what);

/* Which operators were computed in f32 and rounded, if any were. */
void cmd_say_emulated(struct cmd_ctx *ctx,
	const struct fx_emulation *emulation);

/* Hand two graphs with their names to a front end that shows them beside each
 * other, if this is one; COMPARISON (may be null) says how far the values lie
 * apart.
 */
void cmd_beside_graphs(struct cmd_ctx *ctx, struct fx_graph *const graphs[2],
	const char *const names[2], const struct fx_comparison *comparison);
/* The same: the graph, and what the candidate at hand would make of it. */
void cmd_beside_candidate(const struct front *front,
	const struct fx_passing *passing);

/* How a change is written: the sign before it, a word, its role. */
struct cmd_change_look {
	const char *sign;
	const char *word;
	enum fx_role role;
};
const struct cmd_change_look *cmd_change_look(enum fx_change_kind kind);

/* Write the commands that turn BEFORE into AFTER, and count the differences
 * that no command makes.  INTERRUPTED is the only error.
 */
FX_NODISCARD struct fx_error *cmd_diff_script(struct cmd_ctx *ctx,
	struct fx_graph *before, struct fx_graph *after, size_t *unsaid_ret);
FX_NODISCARD struct fx_error *cmd_diff_stopped(void);
/* Report COUNT of them: a note for a person, a failed check in a script. */
FX_NODISCARD struct fx_error *cmd_diff_unsaid(struct cmd_ctx *ctx,
	size_t count);

/* diff_replay.c: type the lines TEXT at a copy of BEFORE.  Where one is
 * refused, or, if all IS_SAID, the result is not AFTER, a comment is added to
 * TEXT, and this is false.
 */
bool cmd_diff_replay(struct fx_buf *text, const struct fx_graph *before,
	const struct fx_graph *after, const struct fx_tick *tick, bool is_said);

/* Whether an input of MODEL was given. */
bool cmd_has_input(const struct fx_model *model);

#endif /* FX_COMMANDS_VERBS_DIFF_H */

/* passing.h - commands that go over candidates, at once or step by step.
 *
 * `pass run` and `rewrite` begin a passing (session/passing.h) here; while it
 * is stepped, what it needs in the end is kept in the shell, and the answers of
 * a person (y n a k q) come here too.
 */
#ifndef FX_COMMANDS_VERBS_PASSING_H
#define FX_COMMANDS_VERBS_PASSING_H

#include "base/error.h"
#include "commands/shell/prompt.h"
#include "session/passing.h"

struct cmd_ctx;
struct fx_verify_result;

/* What a passing did, in the end. */
struct cmd_passed {
	size_t applied;
	bool dry_run;
	const struct fx_verify_result *verified; /* NULL: nothing ran */
	const char *verified_before; /* lines about earlier passes, or "" */
};

/* What differs between commands; DATA is the command's own, members may be
 * NULL.
 */
struct cmd_passing_kind {
	/* Before the edit ends: an error takes all back. */
	struct fx_error *(*check)(void *data, const struct fx_passing *passing);
	/* Behind the report of the edit. */
	void (*tell)(struct cmd_ctx *ctx, void *data,
		const struct cmd_passed *passed);
	void (*free)(void *data);
};

/* Begin REQUEST and go over all of it, or to the first candidate.  KEEPS: the
 * words in a script without what is chosen, the kind and its data; it is taken,
 * whatever happens.
 */
FX_NODISCARD struct fx_error *cmd_passing_run(struct cmd_ctx *ctx,
	const struct fx_passing_request *request,
	struct cmd_stepped *keeps_taken);

/* Which candidate is to blame, as a command that would go over them finds it.
 */
struct cmd_blame {
	const struct fx_blame_test *test;
	struct fx_passing_blamed found;
};
/* Of LINE, a command in canonical words. */
FX_NODISCARD struct fx_error *cmd_passing_blame(struct cmd_ctx *ctx,
	const char *line, struct cmd_blame *blame);

/* pass yes|no|all|keep|quit: ACTION for the candidate at hand. */
FX_NODISCARD struct fx_error *cmd_passing_answer(struct cmd_ctx *ctx,
	const char *action);

#endif /* FX_COMMANDS_VERBS_PASSING_H */

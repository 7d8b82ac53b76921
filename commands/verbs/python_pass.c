/* python_pass.c - `pass run python:...`: a pass of the user's Python. */
#include <config.h>

#include "commands/verbs/python_pass.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "commands/shell/shell.h"
#include "commands/verbs/edit.h"
#include "commands/verbs/pass_run.h"
#include "commands/verbs/passing.h"
#include "ir/journal.h"
#include "pass/becoming.h"
#include "session/capture.h"
#include "session/model.h"
#include "session/python_pass.h"
#include "session/session.h"
#include "session/verify.h"

static const char prefix[] = "python:";

/* Parameters that a pass computed, in the dtype that they have, differ from
 * what they would be in f64.
 */
#define PARAMETER_TOLERANCE 1e-5

bool
cmd_is_python_pass(const char *name)
{
	return strncmp(name, prefix, sizeof(prefix) - 1) == 0;
}

/* What is needed until its changes are decided. */
struct python_run {
	struct fx_python_made made;
	struct fx_becoming_what what;
	struct fx_pass pass;
	struct fx_pass_step step;
	size_t modules; /* changed before it */
};

static void
free_run(void *data)
{
	struct python_run *run = data;

	fx_python_made_deinit(&run->made);
	free(run);
}

/* A program of the user's goes on with nodes alone: parameters and modules are
 * its own.
 */
static struct fx_error *
check_program(void *data, const struct fx_passing *passing)
{
	const struct python_run *run = data;
	const struct fx_model *model = fx_passing_model(passing);

	if (!fx_model_is_of_program(model) ||
		fx_journal_counts(fx_model_graph(model)).modules ==
			run->modules)
		return NULL;
	return fx_error_new(FX_ERR_UNSUPPORTED,
		"%s changes modules or parameters, and the program that goes "
		"on with the graph keeps its own",
		run->pass.name + sizeof(prefix) - 1);
}

static const struct cmd_passing_kind python_kind = {
	.check = check_program, .tell = cmd_tell_pass, .free = free_run
};

static FX_NODISCARD struct fx_error *
check_words(struct cmd_ctx *ctx, const char *spec)
{
	if (!*spec)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "pass run python: expected a "
					     "function after the colon"),
			"pass run python:FILE.py:FUNCTION");
	if (cmd_arg_count(ctx, "what") > 1)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "a pass of Python runs alone, and "
					     "takes no options here"),
			"an expression may make it: "
			"pass run python:FILE.py:MAKE(3)");
	return cmd_edit_check(ctx);
}

/* The pass as it is verified. */
static FX_NODISCARD struct fx_error *
make_pass(struct cmd_ctx *ctx, const char *name, struct python_run *run)
{
	bool is_verified = fx_verify_mode(ctx->session) != FX_VERIFY_MODE_OFF &&
			   !cmd_flag(ctx, "dry-run");
	bool is_new = false;
	struct fx_error *err = NULL;

	run->what = (struct fx_becoming_what){ .other = run->made.graph,
		.renamed = &run->made.renamed };
	run->pass = fx_pass_becoming(fx_intern(name));
	run->step =
		(struct fx_pass_step){ .pass = &run->pass, .data = &run->what };
	if (is_verified)
		err = fx_python_made_is_new(ctx->model, &run->made, &is_new);
	if (is_new)
		run->pass.tolerance = PARAMETER_TOLERANCE;
	return err;
}

struct fx_error *
cmd_python_pass(struct cmd_ctx *ctx, const char *name)
{
	const char *spec = name + sizeof(prefix) - 1;
	struct fx_passing_request request;
	struct cmd_stepped keeps;
	struct python_run *run;
	struct fx_error *err = check_words(ctx, spec);

	if (err)
		return err;
	run = FX_NEW(struct python_run);
	run->modules = fx_journal_counts(fx_model_graph(ctx->model)).modules;
	err = fx_model_python_pass(ctx->model, spec, &run->made);
	if (!err)
		err = make_pass(ctx, name, run);
	if (err) {
		free_run(run);
		return err;
	}
	cmd_pass_request(ctx, &request, &keeps);
	request.steps = &run->step;
	request.step_count = 1;
	request.lister = keeps.script;
	keeps.kind = &python_kind;
	keeps.data = run;
	return cmd_passing_run(ctx, &request, &keeps);
}

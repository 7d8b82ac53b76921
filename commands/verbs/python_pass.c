/* python_pass.c - `pass run python:...`: a pass of the user's Python. */
#include <config.h>

#include "commands/verbs/python_pass.h"

#include <string.h>

#include "commands/shell/cmd.h"
#include "commands/shell/shell.h"
#include "commands/verbs/edit.h"
#include "guest/pass_request.h"
#include "ir/clone.h"
#include "ir/graph.h"
#include "ir/journal.h"
#include "ir/module.h"
#include "session/model.h"
#include "session/position.h"
#include "session/python_pass.h"
#include "session/session.h"
#include "session/verify.h"

static const char prefix[] = "python:";

bool
cmd_is_python_pass(const char *name)
{
	return strncmp(name, prefix, sizeof(prefix) - 1) == 0;
}

/* Parameters that a pass computed, in the dtype that they have, differ from
 * what they would be in f64.
 */
#define PARAMETER_TOLERANCE 1e-5

struct python_edit {
	const char *spec;
	/* For passes that leave parameters alone, and for those that do not;
	 * NULL: it is off, or nothing is kept.
	 */
	struct fx_verify *verify[2];
	struct fx_verify_result verified;
	struct fx_verify *used; /* of them */
	struct fx_python_passed passed;
	struct fx_graph *refused; /* what it would have made; or NULL */
	bool has_changed;
};

static void
python_edit_deinit(struct python_edit *edit)
{
	fx_verify_free(edit->verify[0]);
	fx_verify_free(edit->verify[1]);
	fx_verify_result_deinit(&edit->verified);
	fx_python_passed_deinit(&edit->passed);
	fx_graph_free(edit->refused);
}
FX_DEFINE_DEINIT(python_edit, struct python_edit, python_edit_deinit);

static void
add_storages(struct fx_graph *graph, struct fx_map *ret)
{
	struct fx_module_walk *walk = fx_module_walk_new(graph->module, true);
	struct fx_module *module;
	const char *path;

	while (fx_module_walk_next(walk, &module, &path))
		for (size_t i = 0; i < module->member_count; i++)
			if (module->members[i].tensor)
				fx_map_set_pointer(ret,
					module->members[i].tensor->storage,
					module);
	fx_module_walk_free(walk);
}

/* Whether GRAPH has parameters that BEFORE has not. */
static bool
has_new_parameters(struct fx_graph *before, struct fx_graph *graph)
{
	FX_AUTO_MAP struct fx_map old = { 0 };
	FX_AUTO_MAP struct fx_map all = { 0 };

	add_storages(before, &old);
	fx_map_copy(&all, &old);
	add_storages(graph, &all);
	return all.count > old.count;
}

static struct fx_error *
python_edit(struct cmd_ctx *ctx, void *data, struct fx_buf *script)
{
	struct python_edit *edit = data;
	struct fx_graph *graph = fx_position_graph(ctx->model);
	uint64_t version = graph->version;
	struct fx_error *err =
		fx_model_python_pass(ctx->model, edit->spec, &edit->passed);

	(void)script;
	edit->has_changed = graph->version != version;
	if (err || !edit->verify[0] || !edit->has_changed)
		return err;
	edit->used =
		edit->verify
			[has_new_parameters(fx_verify_before(edit->verify[0]),
				graph)];
	err = cmd_verify_pass(ctx, edit->spec, edit->used, &edit->verified);
	if (err && edit->verified.verdict == FX_VERDICT_DIFFERS)
		edit->refused = fx_graph_clone(graph,
			fx_session_serial(ctx->session), NULL);
	return err;
}

/* ERR by verification, after the edit was taken back: with the part of the
 * change that is to blame.
 */
FX_NODISCARD static struct fx_error *
refuse(struct cmd_ctx *ctx, struct python_edit *edit, struct fx_error *err)
{
	const struct fx_python_refusal refusal = { .spec = edit->spec,
		.passed = &edit->passed,
		.verify = edit->used,
		.result = &edit->verified,
		.after_taken = edit->refused };

	if (!err || !edit->refused)
		return err;
	fx_error_free(err);
	edit->refused = NULL;
	return fx_model_refuse_python(ctx->model, &refusal);
}

/* Verified where it is not only tried; its floats may be reordered. */
FX_NODISCARD static struct fx_error *
run_edit(struct cmd_ctx *ctx, const char *name, const char *spec)
{
	FX_AUTO(python_edit) struct python_edit edit = { .spec = spec };
	struct fx_error *err;

	for (size_t i = 0; i < 2; i++)
		if (fx_verify_mode(ctx->session) != FX_VERIFY_MODE_OFF &&
			!cmd_flag(ctx, "dry-run"))
			edit.verify[i] = fx_verify_new(ctx->session, ctx->model,
				&(struct fx_verify_options){
					.claim = FX_CLAIM_ALGEBRAIC,
					.graph = fx_position_graph(ctx->model),
					.tolerance =
						i ? PARAMETER_TOLERANCE : 0 });
	err = refuse(ctx, &edit, cmd_edit(ctx, name, python_edit, &edit));
	if (!err && edit.has_changed)
		cmd_say_verified(ctx, edit.verify[0] ? &edit.verified : NULL);
	return err;
}

struct fx_error *
cmd_python_pass(struct cmd_ctx *ctx, const char *name)
{
	const char *spec = name + sizeof(prefix) - 1;

	if (!*spec)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "pass run python: expected a "
					     "function after the colon"),
			"pass run python:FILE.py:FUNCTION");
	if (cmd_flag(ctx, "step"))
		return fx_error_new(FX_ERR_USAGE,
			"a pass of Python has no steps: it gives its result "
			"as a whole");
	if (cmd_arg_count(ctx, "what") > 1)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "a pass of Python takes no "
					     "options here"),
			"an expression may make it: "
			"pass run python:FILE.py:MAKE(3)");
	return run_edit(ctx, name, spec);
}

/* python_pass.c - passes that are written in Python. */
#include <config.h>

#include "session/python_pass.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "guest/pass_request.h"
#include "ir/become.h"
#include "ir/clone.h"
#include "ir/edit.h"
#include "session/capture.h"
#include "session/narrow.h"
#include "session/passing_private.h"
#include "session/session_private.h"

/* By what was the name of each: a pass may have renamed nodes. */
FX_NODISCARD static struct fx_error *
rename_all(struct fx_graph *graph, json_t *renamed)
{
	json_t *pair;
	size_t i;

	json_array_foreach(renamed, i, pair)
	{
		const char *from = json_string_value(json_array_get(pair, 0));
		const char *to = json_string_value(json_array_get(pair, 1));
		struct fx_node *node = from ? fx_graph_find(graph, from) : NULL;
		struct fx_error *err = NULL;

		if (node && to && !fx_graph_find(graph, to))
			err = fx_edit_set_name(node, to);
		if (err)
			return err;
	}
	return NULL;
}

/* Whether the process that traced MODEL can be asked. */
static bool
has_process(const struct fx_model *model)
{
	return model->capture && model->tree &&
	       fx_capture_process(model->capture) > 0;
}

FX_NODISCARD static struct fx_error *
run_in(struct fx_model *model, struct fx_capture *capture,
	const struct fx_child_tree *tree, const char *spec,
	struct fx_python_passed *ret)
{
	struct fx_session *session = model->session;
	struct fx_graph *graph = fx_position_graph(model);
	const struct fx_python_pass pass = {
		.spec = spec,
		.graph = graph,
		.capture = capture,
		.tree = tree,
		.seed = session->seed,
		.serial = fx_session_serial(session),
		.tick = fx_session_tick,
		.output = fx_session_output,
		.context = session,
	};
	struct fx_error *err = fx_python_pass_run(&pass, ret);

	if (!err)
		err = rename_all(graph, ret->renamed);
	return err ? err : fx_graph_become(graph, ret->graph);
}

/* A program of the user's goes on with nodes alone: parameters and modules are
 * its own.
 */
FX_NODISCARD static struct fx_error *
check_program(const struct fx_model *model, size_t modules, const char *spec)
{
	if (!fx_model_is_of_program(model) ||
		fx_journal_counts(model->graph).modules == modules)
		return NULL;
	return fx_error_new(FX_ERR_UNSUPPORTED,
		"%s changes modules or parameters, and the program that goes "
		"on with the graph keeps its own",
		spec);
}

FX_NODISCARD static struct fx_error *
run_in_new(struct fx_model *model, const char *spec,
	struct fx_python_passed *ret)
{
	struct fx_capture *capture;
	struct fx_error *err = fx_session_host(model->session, &capture);

	if (err)
		return err;
	err = run_in(model, capture, NULL, spec, ret);
	fx_capture_free(capture);
	return err;
}

struct fx_error *
fx_model_python_pass(struct fx_model *model, const char *spec,
	struct fx_python_passed *ret)
{
	FX_AUTO_FREE char *skipped = NULL;
	size_t modules = fx_journal_counts(model->graph).modules;
	struct fx_error *err;

	*ret = (struct fx_python_passed){ .graph = NULL };
	if (!has_process(model))
		return run_in_new(model, spec, ret);
	/* What comes back is compared with what is there. */
	err = fx_model_fetch_weights(model, &skipped);
	/* The process does not know where the modules of a nested graph are. */
	if (!err && fx_position_graph(model) != model->graph)
		err = run_in_new(model, spec, ret);
	else if (!err)
		err = run_in(model, model->capture, model->tree, spec, ret);
	return err ? err : check_program(model, modules, spec);
}

/* --- what is refused ----------------------------------------------------- */

static struct fx_error *
prepare(void *context, struct fx_graph *graph)
{
	const struct fx_python_refusal *refusal = context;

	return rename_all(graph, refusal->passed->renamed);
}

static struct fx_error *
fails(void *context, struct fx_graph *graph, bool *ret)
{
	const struct fx_python_refusal *refusal = context;
	FX_AUTO_VERIFY_RESULT struct fx_verify_result result = { .why = NULL };
	struct fx_error *err = fx_verify_graph(refusal->verify, graph, &result);

	*ret = result.verdict == FX_VERDICT_DIFFERS;
	return err;
}

struct fx_error *
fx_model_refuse_python(struct fx_model *model,
	const struct fx_python_refusal *refusal)
{
	const struct fx_blame_test test = { .fails = fails,
		.context = (void *)refusal };
	const struct fx_narrowing narrowing = { .session = model->session,
		.model = model,
		.command = refusal->spec,
		.graph = fx_position_graph(model),
		.other = refusal->passed->graph,
		.prepare = prepare,
		.context = (void *)refusal,
		.test = &test };
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_error *err;

	fx_buf_addf(&text, "refused: %s changed output: ", refusal->spec);
	fx_verify_print(&text, refusal->result);
	fx_buf_add(&text, ", ");
	err = fx_narrow(&narrowing, &text);
	fx_buf_add(&text, "; graph kept");
	fx_model_forget_refused(model);
	model->refused[0] = fx_graph_clone(fx_verify_before(refusal->verify),
		fx_session_serial(model->session), NULL);
	model->refused[1] = refusal->after_taken;
	model->refusal = fx_xstrdup(fx_buf_text(&text));
	if (err)
		return err;
	return fx_error_hint(fx_error_new(FX_ERR_CHECK, "%s",
				     fx_buf_text(&text)),
		"pass diff");
}

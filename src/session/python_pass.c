/* python_pass.c - passes that are written in Python. */
#include <config.h>

#include "session/python_pass.h"

#include "base/intern.h"
#include "base/mem.h"
#include "guest/pass_request.h"
#include "ir/become.h"
#include "ir/module.h"
#include "session/capture.h"
#include "session/session_private.h"

void
fx_python_made_deinit(struct fx_python_made *made)
{
	fx_graph_free(made->graph);
	fx_map_deinit(&made->renamed);
	*made = (struct fx_python_made){ .graph = NULL };
}

static void
read_names(const json_t *renamed, struct fx_map *ret)
{
	json_t *pair;
	size_t i;

	json_array_foreach(renamed, i, pair)
	{
		const char *from = json_string_value(json_array_get(pair, 0));
		const char *to = json_string_value(json_array_get(pair, 1));

		if (from && to)
			fx_map_set(ret, (uintptr_t)fx_intern(from),
				(uintptr_t)fx_intern(to));
	}
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
	struct fx_python_made *ret)
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
	struct fx_python_passed passed;
	struct fx_error *err;

	/* Perhaps while weights were fetched, which does not end that. */
	if (fx_session_is_pressed(session))
		return fx_error_new(FX_ERR_INTERRUPTED, "%s was interrupted",
			spec);
	err = fx_python_pass_run(&pass, &passed);
	if (err)
		return err;
	read_names(passed.renamed, &ret->renamed);
	ret->graph = FX_TAKE(passed.graph);
	fx_python_passed_deinit(&passed);
	return NULL;
}

FX_NODISCARD static struct fx_error *
run_in_new(struct fx_model *model, const char *spec, struct fx_python_made *ret)
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
	struct fx_python_made *ret)
{
	FX_AUTO_FREE char *skipped = NULL;
	struct fx_error *err;

	*ret = (struct fx_python_made){ .graph = NULL };
	if (!has_process(model))
		return run_in_new(model, spec, ret);
	/* What comes back is compared with what is there. */
	err = fx_model_fetch_weights(model, &skipped);
	if (err)
		return err;
	/* The process does not know where the modules of a nested graph are. */
	if (fx_position_graph(model) != model->graph)
		return run_in_new(model, spec, ret);
	return run_in(model, model->capture, model->tree, spec, ret);
}

/* --- parameters ---------------------------------------------------------- */

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

/* What is taken over of MADE is known when it is taken over. */
struct fx_error *
fx_python_made_is_new(struct fx_model *model, const struct fx_python_made *made,
	bool *ret)
{
	struct fx_graph *graph = fx_position_graph(model);
	FX_AUTO_MAP struct fx_map storages = { 0 };
	struct fx_error *err =
		fx_model_edit_begin(model->session, model, "try");
	size_t count;

	*ret = false;
	if (err)
		return err;
	add_storages(graph, &storages);
	count = storages.count;
	err = fx_graph_become(graph, made->graph, &made->renamed);
	add_storages(graph, &storages);
	*ret = storages.count > count;
	fx_model_edit_abort(model);
	return err;
}

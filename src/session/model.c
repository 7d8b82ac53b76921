/* model.c - an open graph: facts, tags, states. */
#include <config.h>

#include "session/model.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/mem.h"
#include "run/backend.h"
#include "run/datum.h"
#include "session/activation.h"
#include "session/break_private.h"
#include "session/capture.h"
#include "session/passing_private.h"
#include "session/session_private.h"
#include "session/size_conditions.h"

struct fx_model *
fx_model_new(struct fx_session *session, struct fx_graph *graph_taken)
{
	struct fx_model *model = FX_NEW(struct fx_model);

	model->session = session;
	model->graph = graph_taken;
	model->run = fx_run_new();
	model->scope = fx_intern("");
	model->meta_backend = fx_backend_meta_new();
	model->meta_backend->meta = session->meta;
	model->backend = model->meta_backend;
	return model;
}

void
fx_model_descend(struct fx_model *model, const struct fx_model *from)
{
	model->is_trusted = from->is_trusted;
	model->torch_python = from->torch_python;
}

void
fx_model_free(struct fx_model *model)
{
	if (!model)
		return;
	if (model->session->passing &&
		fx_passing_model(model->session->passing) == model)
		fx_passing_free(model->session->passing);
	fx_model_forget_refused(model);
	fx_run_free(model->run);
	for (size_t i = 0; i < model->inputs.count; i++) {
		free(model->inputs.items[i].given.text);
		fx_datum_unref(model->inputs.items[i].datum);
	}
	fx_vec_deinit(&model->inputs);
	fx_model_leave_capture(model);
	fx_decisions_free(model->decisions);
	fx_traced_free(model->traced);
	fx_model_clear_problems(model);
	fx_map_deinit(&model->problems);
	fx_map_deinit(&model->tags);
	fx_map_deinit(&model->looked);
	fx_vec_deinit(&model->edits);
	fx_backend_free(model->meta_backend);
	fx_backend_free(model->torch);
	fx_file_meta_deinit(&model->given);
	fx_kept_conditions_free(model->conditions);
	fx_graph_free(model->graph);
	free(model->path);
	free(model);
}

/* --- facts -------------------------------------------------------------- */

struct fx_graph *
fx_model_graph(const struct fx_model *model)
{
	return model->graph;
}

const char *
fx_model_name(const struct fx_model *model)
{
	return model->name;
}

int
fx_model_number(const struct fx_model *model)
{
	return model->number;
}

const char *
fx_model_path(const struct fx_model *model)
{
	return model->path;
}

void
fx_model_set_path(struct fx_model *model, const char *path)
{
	char *copy = path ? fx_xstrdup(path) : NULL;

	free(model->path);
	model->path = copy;
}

/* What a pass that is being stepped has done ends with it. */
bool
fx_model_is_unsaved(const struct fx_model *model)
{
	const struct fx_passing *passing = model->session->passing;

	return fx_journal_now(model->graph) != model->saved ||
	       (passing && fx_passing_model(passing) == model &&
		       fx_passing_applied(passing) > 0);
}

void
fx_model_count_as_saved(struct fx_model *model)
{
	model->saved = fx_journal_now(model->graph);
}

const char *
fx_model_scope(const struct fx_model *model)
{
	return model->scope;
}

void
fx_model_set_scope(struct fx_model *model, const char *path)
{
	model->scope = fx_intern(path);
}

bool
fx_model_is_tagged(const struct fx_model *model, uint64_t node_id)
{
	return fx_map_has(&model->tags, (uintptr_t)node_id);
}

void
fx_model_set_tag(struct fx_model *model, uint64_t node_id, bool is_tagged)
{
	if (is_tagged)
		fx_map_set(&model->tags, (uintptr_t)node_id, 1);
	else
		fx_map_erase(&model->tags, (uintptr_t)node_id);
	fx_breaks_forget(model);
}

bool
fx_model_has_values(const struct fx_model *model)
{
	return model->backend->ops->has_values;
}

bool
fx_model_has_breakpoint(const struct fx_model *model,
	const struct fx_node *node)
{
	return fx_breaks_has(model->session, (struct fx_model *)model, node);
}

/* The letters are those of COMMANDS 3.  Problems come before the state of the
 * value.
 */
const char *
fx_model_state(const struct fx_model *model, const struct fx_node *node)
{
	const struct fx_activation *place =
		fx_run_activation_of(model->run, node->graph);
	uintptr_t id = (uintptr_t)node->id;

	if (fx_map_has(&model->problems, id) ||
		fx_map_has(&model->run->failures, id))
		return "E";
	if (fx_map_has(&model->run->dirty, id))
		return "D";
	if (place &&
		fx_model_is_nonfinite((struct fx_model *)model, place, node))
		return "N";
	if (fx_model_is_overridden(model, node))
		return "O";
	if (place && fx_activation_value(place, node))
		return fx_model_has_values(model) ? "V" : "M";
	if (fx_position_is_dropped(model, node))
		return fx_position_summary(model, node) ? "S" : "R";
	return fx_model_has_breakpoint(model, node) ? "B" : "·";
}

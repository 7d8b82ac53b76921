/* model.c - an open graph: facts, tags, states, inputs. */
#include <config.h>

#include "session/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "guest/worker.h"
#include "ir/tensor_meta.h"
#include "ir/value_text.h"
#include "meta/propagate.h"
#include "run/backend.h"
#include "run/datum.h"
#include "session/break_private.h"
#include "session/place.h"
#include "session/resolve.h"
#include "session/session_private.h"

struct fx_model *
fx_model_new(struct fx_session *session, struct fx_graph *graph_taken)
{
	struct fx_model *model = FX_NEW(struct fx_model);

	model->session = session;
	model->graph = graph_taken;
	model->scope = fx_intern("");
	model->meta = fx_meta_new();
	model->backend = fx_backend_meta_new();
	return model;
}

static void
free_problems(struct fx_model *model)
{
	size_t at = 0;
	uintptr_t id;
	uintptr_t text;

	while (fx_map_next(&model->problems, &at, &id, &text))
		free((char *)text);
	fx_map_deinit(&model->problems);
}

void
fx_model_free(struct fx_model *model)
{
	if (!model)
		return;
	while (model->places.count)
		fx_place_pop(model);
	fx_vec_deinit(&model->places);
	for (size_t i = 0; i < model->inputs.count; i++) {
		free(model->inputs.items[i].text);
		fx_datum_unref(model->inputs.items[i].datum);
	}
	fx_vec_deinit(&model->inputs);
	fx_capture_free(model->capture);
	free_problems(model);
	fx_map_deinit(&model->failures);
	fx_map_deinit(&model->dirty);
	fx_map_deinit(&model->tags);
	fx_map_deinit(&model->times);
	fx_vec_deinit(&model->edits);
	fx_backend_free(model->backend);
	fx_meta_free(model->meta);
	fx_given_deinit(&model->given);
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

bool
fx_model_is_unsaved(const struct fx_model *model)
{
	return fx_journal_now(model->graph) != model->saved;
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
fx_model_tag(struct fx_model *model, uint64_t node_id, bool on)
{
	if (on)
		fx_map_set(&model->tags, (uintptr_t)node_id, 1);
	else
		fx_map_erase(&model->tags, (uintptr_t)node_id);
}

bool
fx_model_has_breakpoint(const struct fx_model *model,
	const struct fx_node *node)
{
	return fx_breaks_has(model->session, (struct fx_model *)model, node);
}

/* COMMANDS 3.  What is wrong comes before what is there. */
const char *
fx_model_state(const struct fx_model *model, const struct fx_node *node)
{
	const struct fx_place *place = fx_model_place_of(model, node->graph);
	uintptr_t id = (uintptr_t)node->id;

	if (fx_map_has(&model->problems, id) ||
		fx_map_has(&model->failures, id))
		return "E";
	if (fx_map_has(&model->dirty, id))
		return "D";
	if (place && fx_place_value(place, node))
		return "V";
	return fx_model_has_breakpoint(model, node) ? "B" : "·";
}

/* --- inputs ------------------------------------------------------------- */

static struct fx_input *
find_input(const struct fx_model *model, uint64_t node)
{
	for (size_t i = 0; i < model->inputs.count; i++)
		if (model->inputs.items[i].node == node)
			return &model->inputs.items[i];
	return NULL;
}

bool
fx_model_has_input(const struct fx_model *model, uint64_t node)
{
	return find_input(model, node) != NULL;
}

const char *
fx_model_input_text(const struct fx_model *model, const struct fx_node *node)
{
	const struct fx_input *input = find_input(model, node->id);

	return input ? input->text : NULL;
}

/* By target first, then by name (COMMANDS 2). */
static struct fx_error *
find_placeholder(struct fx_model *model, const char *name, struct fx_node **ret)
{
	FX_AUTO_BUF struct fx_buf names = { 0 };
	struct fx_node *node;

	*ret = NULL;
	if (*name == '%')
		name++;
	fx_graph_for_each_node (node, model->graph) {
		if (node->opcode != FX_OPCODE_PLACEHOLDER)
			continue;
		fx_buf_addf(&names, "%s%s", names.length ? ", " : "",
			node->target);
		if (fx_str_equal(node->target, name)) {
			*ret = node;
			return NULL;
		}
		if (!*ret && fx_str_equal(node->name, name))
			*ret = node;
	}
	if (*ret)
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_NO_NODE,
				     "%s has no input \"%s\"", model->name,
				     name),
		"inputs: %s", names.length ? fx_buf_text(&names) : "none");
}

/* "f32[1,3]" or an expression. */
static struct fx_error *
read_input(struct fx_session *session, struct fx_model *model, const char *text,
	struct fx_datum **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value value;
	struct fx_error *err =
		fx_tensor_meta_parse(arena, text, strlen(text), &value);

	if (err) {
		fx_error_free(err);
		return fx_resolve_expression(session, model, text, false, ret);
	}
	if (value.kind != FX_VALUE_TENSOR) {
		*ret = fx_datum_from_value(&value);
		return NULL;
	}
	return model->backend->ops->generate(model->backend, value.tensor,
		fx_session_seed(session), ret);
}

static void
keep_input(struct fx_model *model, struct fx_node *node, const char *text,
	struct fx_datum *datum_taken)
{
	struct fx_input *input = find_input(model, node->id);
	struct fx_input fresh = { .node = node->id };
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value meta = fx_datum_to_value(arena, datum_taken);

	if (!input) {
		fx_vec_push(&model->inputs, fresh);
		input = &fx_vec_last(&model->inputs);
	}
	free(input->text);
	fx_datum_unref(input->datum);
	input->text = fx_xstrdup(text);
	input->datum = datum_taken;
	fx_graph_set_meta(node, &meta);
}

struct fx_error *
fx_model_set_input(struct fx_session *session, struct fx_model *model,
	const char *name, const char *text)
{
	FX_AUTO_MAP struct fx_map ids = { 0 };
	FX_AUTO_FREE struct fx_node **cone = NULL;
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { .position = 0 };
	FX_AUTO(reshape) struct fx_reshape reshape = { 0 };
	struct fx_datum *datum;
	struct fx_node *node;
	struct fx_use *use;
	size_t count;
	struct fx_error *err = find_placeholder(model, name, &node);

	if (!err)
		err = read_input(session, model, text, &datum);
	if (err)
		return err;
	keep_input(model, node, text, datum);
	/* Its own metadata is new already, so the users are where it begins. */
	fx_map_set(&ids, (uintptr_t)node->id, 1);
	fx_node_for_each_user (use, node)
		fx_map_set(&ids, (uintptr_t)use->user->id, 1);
	fx_model_cone(model, &ids, &cone, &count);
	reshape = fx_model_reshape(model, &ids, cone, count);
	fx_model_make_stale(model, &ids, cone, count, &report);
	return NULL;
}

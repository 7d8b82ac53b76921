/* input.c - what the user gives a graph's placeholders. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "ir/tensor_meta.h"
#include "ir/value_text.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/fallback.h"
#include "session/changes.h"
#include "session/input_file.h"
#include "session/kept_inputs.h"
#include "session/made_up.h"
#include "session/resolve.h"

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

const struct fx_input_given *
fx_model_input_given(const struct fx_model *model, const struct fx_node *node)
{
	const struct fx_input *input = find_input(model, node->id);

	return input ? &input->given : NULL;
}

const char *
fx_model_input_text(const struct fx_model *model, const struct fx_node *node)
{
	const struct fx_input_given *given = fx_model_input_given(model, node);

	return given ? given->text : NULL;
}

/* TEXT was neither a shape (SPEC says why) nor an expression: the one that it
 * looks like is explained.
 */
static struct fx_error *
no_input(const struct fx_model *model, const char *text, struct fx_error *spec,
	struct fx_error *expression)
{
	size_t word = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789");
	enum fx_error_code code = fx_error_code(expression);
	bool is_unknown = code == FX_ERR_NO_NODE || code == FX_ERR_NO_NAME;
	bool is_spec = is_unknown && word && text[word] == '[';
	struct fx_error *err = is_spec ? spec : expression;

	fx_error_free(is_spec ? expression : spec);
	err = fx_input_hint_file(err, text);
	return is_unknown && !fx_error_hint_text(err)
		       ? fx_input_hint_form(model, text, err)
		       : err;
}

/* The first input has what torch.manual_seed(SEED) gives, the next another. */
static uint64_t
seed_of(const struct fx_node *node, uint64_t seed)
{
	const struct fx_node *other = node;

	while ((other = fx_graph_previous(other)))
		seed += other->opcode == FX_OPCODE_PLACEHOLDER;
	return seed;
}

uint64_t
fx_model_input_seed(const struct fx_model *model, const struct fx_node *node)
{
	return seed_of(node, fx_session_seed(model->session));
}

/* Evaluate TEXT with the generator at SEED, so that the same input is the same
 * whenever and wherever it is made: what torch.manual_seed(seed) and the
 * expression give.  What runs goes on with the generator as it was.
 */
static struct fx_error *
evaluate_seeded(struct fx_session *session, struct fx_model *model,
	const char *text, uint64_t seed, struct fx_datum **ret)
{
	struct fx_backend *backend = model->backend;
	struct fx_blob *state = NULL;
	struct fx_error *err = NULL;
	struct fx_error *other;

	if (!backend->ops->seed)
		return fx_resolve_expression(session, model, text, false, ret);
	err = backend->ops->random_save(backend, &state);
	if (err)
		return err;
	backend->ops->seed(backend, seed);
	err = fx_resolve_expression(session, model, text, false, ret);
	other = state ? backend->ops->random_restore(backend, state) : NULL;
	fx_blob_unref(state);
	if (!other)
		return err;
	if (!err) {
		fx_datum_unref(*ret);
		*ret = NULL;
	}
	fx_error_free(err);
	return other;
}

/* What an expression gave in *DATUM, for the backend of now; what has no
 * numbers stays, and is refused where it is run.
 */
static struct fx_error *
move_value(const struct fx_model *model, struct fx_datum **datum)
{
	FX_AUTO_DATUM struct fx_datum *before = *datum;
	struct fx_error *err;

	if (!model->backend->ops->has_values ||
		fx_fallback_find_shape(model->backend, &before->value)) {
		before = NULL;
		return NULL;
	}
	err = fx_fallback_move(model->backend, before, datum);
	if (err)
		before = NULL;
	return err;
}

/* The input NODE as TEXT says it, "f32[1,3]" or an expression; numbers at
 * random follow from SEED.
 */
static struct fx_error *
read_input(struct fx_model *model, const struct fx_node *node, uint64_t seed,
	const char *text, struct fx_datum **ret)
{
	struct fx_session *session = model->session;
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value value;
	struct fx_error *err =
		fx_tensor_meta_parse(arena, text, strlen(text), &value);

	if (err) {
		struct fx_error *other =
			evaluate_seeded(session, model, text, seed, ret);

		if (other)
			return no_input(model, text, err, other);
		fx_error_free(err);
		err = fx_check_is_value(*ret);
		if (!err)
			err = fx_input_check_string(text, *ret);
		if (!err)
			err = move_value(model, ret);
		if (err) {
			fx_datum_unref(*ret);
			*ret = NULL;
		}
		return err;
	}
	/* Symbols make shapes, not values. */
	if (!fx_value_has_numbers(&value)) {
		*ret = fx_datum_from_value(&value);
		return NULL;
	}
	err = fx_check_memory(model, &value);
	if (err)
		return err;
	return fx_made_up(model->backend, node, value.tensor, seed, ret);
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
	free(input->given.text);
	fx_datum_unref(input->datum);
	input->given = (struct fx_input_given){
		.name = *node->target == '*' ? node->name : node->target,
		.text = fx_xstrdup(text),
		.seed = fx_session_seed(model->session),
		.time = fx_journal_now(model->graph),
	};
	input->datum = datum_taken;
	fx_map_erase(&model->looked, (uintptr_t)node->id);
	fx_graph_set_meta(node, &meta);
}

/* Set *RET to the value of INPUT on the present backend.  The text of INPUT is
 * read again only if its numbers cannot be copied, because the names in the
 * text may mean something else by now.
 */
static struct fx_error *
carry_input(struct fx_model *model, const struct fx_input *input,
	struct fx_datum **ret)
{
	struct fx_node *node = fx_graph_find_id(model->graph, input->node);
	struct fx_error *err;

	*ret = NULL;
	if (!node)
		return NULL;
	*ret = fx_datum_ref(input->datum);
	err = fx_datum_make_own(model->backend, ret);
	if (!err)
		return NULL;
	fx_datum_unref(*ret);
	*ret = NULL;
	if (input->given.is_held)
		return fx_error_note(err, "in the input %s", input->given.text);
	fx_error_free(err);
	err = read_input(model, node, seed_of(node, input->given.seed),
		input->given.text, ret);
	if (!err)
		return NULL;
	*ret = NULL;
	return fx_error_note(err, "in the input %s", input->given.text);
}

struct fx_error *
fx_model_carry_inputs(struct fx_model *model)
{
	size_t count = model->inputs.count;
	FX_AUTO_FREE struct fx_datum **fresh =
		fx_xcalloc(count, sizeof(struct fx_datum *));
	struct fx_error *err = NULL;

	for (size_t i = 0; i < count && !err; i++)
		err = carry_input(model, &model->inputs.items[i], &fresh[i]);
	for (size_t i = 0; i < count; i++) {
		struct fx_input *input = &model->inputs.items[i];
		struct fx_datum *before = input->datum;

		if (!err && fresh[i]) {
			input->datum = fresh[i];
			fresh[i] = before;
		}
		fx_datum_unref(fresh[i]);
	}
	return err;
}

/* The metadata of NODE is new: so are the shapes of what reads it. */
static void
spread_shape(struct fx_model *model, struct fx_node *node,
	struct fx_changes *changes)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { .position = 0 };
	struct fx_graph_change change = { .graph = model->graph };
	struct fx_use *use;

	fx_bitset_add(&change.ids, (uint32_t)node->id);
	fx_node_for_each_user (use, node)
		fx_bitset_add(&change.ids, (uint32_t)use->user->id);
	fx_vec_push(&changes->items, change);
	fx_changes_finish(changes);
	fx_changes_reshape(model, changes, &report);
}

/* Whether SHAPE for NODE is only looked at: something else can be run. */
static bool
is_look(const struct fx_model *model, const struct fx_node *node,
	const struct fx_value *shape)
{
	bool can_run = fx_map_has(&model->looked, (uintptr_t)node->id) ||
		       fx_value_has_numbers(node->meta);

	return can_run && shape->kind == FX_VALUE_TENSOR &&
	       (!fx_value_has_numbers(shape) ||
		       fx_model_has_input(model, node->id));
}

struct fx_error *
fx_model_look(struct fx_session *session, struct fx_model *model,
	const char *name, const char *text)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO(changes) struct fx_changes changes = { .items = { 0 } };
	FX_AUTO_BUF struct fx_buf before = { 0 };
	FX_AUTO_ERROR struct fx_error *no_spec = NULL;
	struct fx_value shape;
	struct fx_node *node;
	struct fx_error *err = fx_model_find_input(model, name, &node);

	if (err)
		return err;
	no_spec = fx_tensor_meta_parse(arena, text, strlen(text), &shape);
	if (no_spec || !is_look(model, node, &shape))
		return fx_model_set_input(session, model, name, text);
	if (!fx_map_has(&model->looked, (uintptr_t)node->id)) {
		fx_value_print_shape(&before, node->meta, false);
		fx_map_set(&model->looked, (uintptr_t)node->id,
			(uintptr_t)fx_intern(fx_buf_text(&before)));
	}
	fx_graph_set_meta(node, &shape);
	spread_shape(model, node, &changes);
	return NULL;
}

void
fx_model_set_input_meta(struct fx_model *model, struct fx_node *node,
	const struct fx_value *meta)
{
	FX_AUTO(changes) struct fx_changes changes = { .items = { 0 } };

	fx_map_erase(&model->looked, (uintptr_t)node->id);
	fx_graph_set_meta(node, meta);
	spread_shape(model, node, &changes);
}

/* NODE has the shape of what it is given, or the one BEFORE it was looked. */
static void
return_to(struct fx_model *model, struct fx_node *node, const char *before)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO(changes) struct fx_changes changes = { .items = { 0 } };
	FX_AUTO_ERROR struct fx_error *err = NULL;
	const struct fx_input *input = find_input(model, node->id);
	struct fx_value meta;

	if (input)
		meta = fx_datum_to_value(arena, input->datum);
	else
		err = fx_tensor_meta_parse(arena, before, strlen(before),
			&meta);
	if (err)
		return;
	fx_graph_set_meta(node, &meta);
	spread_shape(model, node, &changes);
	fx_model_say(model, fx_xasprintf("%s runs as %s: shapes only looks",
				    node->name, before));
}

void
fx_model_end_look(struct fx_model *model)
{
	FX_AUTO_MAP struct fx_map looked = { 0 };
	size_t at = 0;
	uintptr_t id;
	uintptr_t before;

	if (!model->backend->ops->has_values)
		return;
	looked = model->looked;
	model->looked = (struct fx_map){ 0 };
	while (fx_map_next(&looked, &at, &id, &before)) {
		struct fx_node *node = fx_graph_find_id(model->graph, id);

		if (node)
			return_to(model, node, (const char *)before);
	}
}

struct fx_error *
fx_model_set_input(struct fx_session *session, struct fx_model *model,
	const char *name, const char *text)
{
	FX_AUTO(changes) struct fx_changes changes = { .items = { 0 } };
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { .position = 0 };
	FX_AUTO_FREE char *file = NULL;
	FX_AUTO_EDIT_REPORT struct fx_edit_report unset = { .position = 0 };
	struct fx_datum *datum = NULL;
	struct fx_node *node;
	struct fx_error *err = fx_model_find_input(model, name, &node);

	if (!err)
		err = fx_model_choose_backend(session, model);
	if (!err)
		file = fx_input_file_call(model, text, node);
	if (file)
		text = file;
	if (!err)
		err = read_input(model, node, fx_model_input_seed(model, node),
			text, &datum);
	/* The newer word counts. */
	if (!err && fx_run_given(model->run, node->id))
		err = fx_model_unset_value(model, node, &unset);
	if (err) {
		fx_datum_unref(datum);
		return err;
	}
	keep_input(model, node, text, datum);
	spread_shape(model, node, &changes);
	fx_model_invalidate(model, &changes.items.items[0], &report);
	fx_decisions_review(model);
	return NULL;
}

struct fx_error *
fx_model_give_input(struct fx_model *model, struct fx_node *node,
	const struct fx_model *other, struct fx_datum *datum)
{
	FX_AUTO(changes) struct fx_changes changes = { .items = { 0 } };
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { .position = 0 };
	FX_AUTO_FREE char *text =
		fx_xasprintf("what %s held of %%%s", other->name, node->target);
	struct fx_datum *own = fx_datum_ref(datum);
	struct fx_error *err = fx_model_choose_backend(model->session, model);

	if (!err)
		err = fx_datum_make_own(model->backend, &own);
	if (err) {
		fx_datum_unref(own);
		return err;
	}
	keep_input(model, node, text, own);
	find_input(model, node->id)->given.is_held = true;
	spread_shape(model, node, &changes);
	fx_model_invalidate(model, &changes.items.items[0], &report);
	return NULL;
}

void
fx_model_share_inputs(struct fx_model *copy, const struct fx_model *model,
	const struct fx_map *nodes)
{
	struct fx_node *node;

	fx_graph_for_each_node (node, model->graph) {
		const struct fx_input *input = find_input(model, node->id);
		const struct fx_node *same = fx_map_get_pointer(nodes, node);
		uintptr_t before =
			fx_map_get(&model->looked, (uintptr_t)node->id, 0);
		struct fx_input shared;

		if (before)
			fx_map_set(&copy->looked, (uintptr_t)same->id, before);
		if (!input)
			continue;
		shared = *input;
		shared.node = same->id;
		shared.given.text = fx_xstrdup(input->given.text);
		shared.given.time = fx_journal_now(copy->graph);
		shared.datum = fx_datum_ref(input->datum);
		fx_vec_push(&copy->inputs, shared);
	}
}

/* override.c - results, parameters and buffers that the user sets. */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/edit.h"
#include "ir/module.h"
#include "ir/value_text.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/values.h"
#include "session/activation.h"
#include "session/capture.h"
#include "session/resolve.h"
#include "session/session_private.h"

struct fx_datum *
fx_model_given_value(void *context, const struct fx_node *node)
{
	const struct fx_model *model = context;

	return fx_run_given(model->run, node->id);
}

bool
fx_model_is_overridden(const struct fx_model *model, const struct fx_node *node)
{
	return fx_map_has(&model->run->overrides, (uintptr_t)node->id);
}

/* --- values -------------------------------------------------------------- */

/* EXPRESSION, in which $v is BEFORE (NULL: not known). */
static struct fx_error *
evaluate(struct fx_session *session, struct fx_model *model,
	struct fx_datum *before, const char *expression, struct fx_datum **ret)
{
	struct fx_error *err = fx_resolve_expression_of(session, model, before,
		expression, ret);

	if (err)
		return err;
	err = fx_check_is_value(*ret);
	if (err) {
		fx_datum_unref(*ret);
		*ret = NULL;
	}
	return err;
}

/* Whether A and B, of one kind, have the same parts by number or by key. */
static bool
has_parts_of(const struct fx_value *a, const struct fx_value *b)
{
	if (a->kind != b->kind || a->count != b->count)
		return false;
	for (uint32_t i = 0; a->kind == FX_VALUE_DICT && i < a->count; i++)
		if (!fx_value_equal(&a->items[2 * i], &b->items[2 * i]))
			return false;
	return true;
}

/* A tuple or dict that is set in the place of an object is one of its class. */
static void
take_class(const struct fx_datum *before, struct fx_datum **datum)
{
	struct fx_value value = (*datum)->value;
	struct fx_datum *made;

	if (!before || !before->value.class_number || value.class_number ||
		!has_parts_of(&value, &before->value))
		return;
	value.class_number = before->value.class_number;
	made = fx_datum_part(*datum, &value);
	fx_datum_unref(*datum);
	*datum = made;
}

/* --- a node's result ----------------------------------------------------- */

/* It need not run: its value is there at once, and execution stands behind it
 * if it stood behind it before.
 */
static void
pass_over(struct fx_model *model, struct fx_node *node,
	struct fx_edit_report *report)
{
	struct fx_activation *place = fx_run_activation(model->run);

	if (!place || fx_activation_stop(place) != node ||
		!report->position_moved)
		return;
	if (!fx_activation_give(model, place, node))
		return;
	fx_run_set_stop(model->run, place, fx_graph_next(node));
	report->position = fx_position_get(model);
	report->dirty = fx_model_dirty_count(model);
}

/* Say so if SET, the value set for NODE, has another shape than NODE gives.
 * The value is accepted all the same.
 */
static void
say_other_shape(struct fx_model *model, const struct fx_node *node,
	const struct fx_value *set, const struct fx_datum *datum)
{
	FX_AUTO_BUF struct fx_buf known = { 0 };
	FX_AUTO_BUF struct fx_buf found = { 0 };

	if (!fx_value_has_numbers(node->meta))
		return;
	fx_value_print_shape(&known, node->meta, false);
	if (set->kind == FX_VALUE_TENSOR)
		fx_value_print_shape(&found, set, false);
	else
		fx_buf_add(&found, fx_datum_kind_name(datum));
	if (!fx_str_equal(fx_buf_text(&known), fx_buf_text(&found)))
		fx_model_say(model,
			fx_xasprintf("%%%s had %s, and is set to %s",
				node->name, fx_buf_text(&known),
				fx_buf_text(&found)));
}

struct fx_error *
fx_model_set_value(struct fx_session *session, struct fx_model *model,
	struct fx_node *node, const char *expression,
	struct fx_edit_report *ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_activation *place;
	struct fx_datum *before, *datum;
	struct fx_value meta;
	struct fx_error *err;

	*ret = (struct fx_edit_report){ .position = 0 };
	if (node->graph != fx_position_innermost(model))
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"%%%s is in another graph than execution", node->name);
	if (!model->run->activations.count) {
		err = fx_model_choose_backend(session, model);
		if (err)
			return err;
	}
	place = fx_run_activation(model->run);
	before = place ? fx_activation_value(place, node) : NULL;
	err = evaluate(session, model, before, expression, &datum);
	if (err)
		return err;
	take_class(before, &datum);
	meta = fx_datum_to_value(arena, datum);
	err = fx_check_memory(model, &meta);
	if (!err)
		err = fx_datum_make_own(model->backend, &datum);
	if (err) {
		fx_datum_unref(datum);
		return err;
	}
	if (session->before_edit)
		session->before_edit(session->before_edit_context, model);
	say_other_shape(model, node, &meta, datum);
	fx_run_give(model->run, node->id, datum);
	fx_model_invalidate_value(model, node, ret);
	pass_over(model, node, ret);
	return NULL;
}

struct fx_error *
fx_model_unset_value(struct fx_model *model, struct fx_node *node,
	struct fx_edit_report *ret)
{
	*ret = (struct fx_edit_report){ .position = 0 };
	if (node->graph != fx_position_innermost(model) ||
		!fx_model_is_overridden(model, node))
		return fx_error_new(FX_ERR_NO_VALUE,
			"the value of %%%s was not set", node->name);
	fx_run_give(model->run, node->id, NULL);
	fx_model_invalidate_value(model, node, ret);
	return NULL;
}

void
fx_model_carry_overrides(struct fx_model *model)
{
	struct fx_map before = model->run->overrides;
	size_t at = 0;
	uintptr_t id;
	uintptr_t entry;

	model->run->overrides = (struct fx_map){ 0 };
	while (fx_map_next(&before, &at, &id, &entry)) {
		struct fx_datum *datum = (struct fx_datum *)entry;
		struct fx_error *err =
			fx_datum_make_own(model->backend, &datum);
		const struct fx_node *node = fx_graph_find_id(model->graph, id);

		if (!err) {
			fx_run_give(model->run, id, datum);
			continue;
		}
		fx_model_say(model,
			fx_xasprintf("what %s%s was set to is gone, as %s "
				     "cannot have it: %s",
				node ? "%" : "a node", node ? node->name : "",
				model->backend->ops->name,
				fx_error_message(err)));
		fx_error_free(err);
		fx_datum_unref(datum);
	}
	fx_map_deinit(&before);
}

/* --- a parameter or buffer ----------------------------------------------- */

/* "f32[2, 8]" */
static void
add_kind(struct fx_buf *out, const struct fx_extent *extent)
{
	fx_buf_add(out, fx_dtype_info(extent->dtype)->short_name);
	fx_extent_print(out, extent);
}

static struct fx_error *
check_like(const char *path, const struct fx_tensor *tensor,
	const struct fx_extent *extent)
{
	FX_AUTO_BUF struct fx_buf wanted = { 0 };
	FX_AUTO_BUF struct fx_buf found = { 0 };
	struct fx_extent own = { .dtype = tensor->dtype };

	if (tensor->rank <= FX_RANK_LIMIT)
		own.rank = tensor->rank;
	for (uint32_t i = 0; i < own.rank; i++)
		own.sizes[i] = tensor->sizes[i];
	add_kind(&wanted, &own);
	add_kind(&found, extent);
	if (fx_str_equal(fx_buf_text(&wanted), fx_buf_text(&found)))
		return NULL;
	return fx_error_new(FX_ERR_SHAPE,
		"%s takes a tensor like its own, %s, found %s", path,
		fx_buf_text(&wanted), fx_buf_text(&found));
}

/* A number is no tensor, though it would make one. */
static struct fx_error *
not_a_tensor(const char *path, const char *expression,
	const struct fx_datum *datum)
{
	struct fx_error *err = fx_error_new(FX_ERR_TYPE,
		"%s takes a tensor, found %s", path, fx_datum_kind_name(datum));

	if (!fx_datum_is(datum, FX_VALUE_INT) &&
		!fx_datum_is(datum, FX_VALUE_FLOAT))
		return err;
	return fx_error_hint(err, "set value %s = $v * 0 + %s fills it", path,
		expression);
}

/* The elements FROM, in row-major order, where TENSOR has them in BYTES. */
static void
scatter(const struct fx_tensor *tensor, const char *from, char *bytes)
{
	size_t size = fx_dtype_info(tensor->dtype)->size;
	int64_t at[FX_RANK_LIMIT] = { 0 };
	int64_t place = tensor->offset;

	if (!tensor->strides) {
		memcpy(bytes + (size_t)place * size, from,
			fx_tensor_bytes(tensor));
		return;
	}
	for (int64_t left = fx_tensor_numel(tensor); left > 0; left--) {
		uint32_t i = tensor->rank;

		memcpy(bytes + (size_t)place * size, from, size);
		from += size;
		while (i-- > 0) {
			place += tensor->strides[i];
			if (++at[i] < tensor->sizes[i])
				break;
			place -= tensor->sizes[i] * tensor->strides[i];
			at[i] = 0;
		}
	}
}

/* The tensors of a module tree that lie in one storage. */
struct sharing {
	FX_VEC(const char *) paths; /* interned */
	uint64_t reach;             /* bytes of the storage */
};

static bool
shares(const struct fx_tensor *tensor, const struct fx_tensor *other)
{
	return tensor == other ||
	       (tensor && tensor->storage && tensor->storage == other->storage);
}

static void
find_sharing(struct fx_module *root, const struct fx_tensor *tensor,
	struct sharing *ret)
{
	struct fx_module_walk *walk = fx_module_walk_new(root, true);
	struct fx_module *module;
	const char *path;

	*ret = (struct sharing){ .reach = 0 };
	while (fx_module_walk_next(walk, &module, &path))
		for (size_t i = 0; i < module->member_count; i++) {
			const struct fx_member *member = &module->members[i];
			uint64_t reach;

			if (!shares(member->tensor, tensor))
				continue;
			fx_vec_push(&ret->paths,
				fx_module_path(path, member->name));
			if (fx_tensor_reach(member->tensor, &reach))
				ret->reach = FX_MAX(ret->reach, reach);
		}
	fx_module_walk_free(walk);
}

/* What the storage of OLD holds, with the elements of DATUM instead of OLD's.
 */
static struct fx_error *
storage_of(const struct sharing *sharing, const char *path,
	const struct fx_tensor *old, const struct fx_datum *datum,
	struct fx_storage **ret)
{
	const struct fx_blob *before = old->storage ? old->storage->blob : NULL;
	size_t size = before ? fx_blob_size(before) : (size_t)sharing->reach;
	struct fx_extent extent;
	struct fx_blob *elements = NULL;
	struct fx_blob *bytes = NULL;
	struct fx_error *err = fx_extent_of(datum, &extent);

	if (!err)
		err = check_like(path, old, &extent);
	if (!err)
		err = fx_values_read_all(datum, &extent, &elements);
	if (!err)
		err = fx_blob_new(size, &bytes);
	if (!err && before)
		err = fx_blob_read(before, 0, size, fx_blob_data(bytes));
	if (!err)
		scatter(old, fx_blob_data(elements), fx_blob_data(bytes));
	fx_blob_unref(elements);
	if (err)
		fx_blob_unref(bytes);
	else
		*ret = fx_storage_new(bytes);
	return err;
}

/* All of SHARING lie in STORAGE from now on: tied parameters stay tied, and
 * views see what is set at PATH, which is said.
 */
static struct fx_error *
bind_all(struct fx_model *model, const struct sharing *sharing,
	const char *path, struct fx_storage *storage)
{
	struct fx_graph *graph = fx_position_graph(model);
	FX_AUTO_MAP struct fx_map clones = { 0 };
	FX_AUTO_BUF struct fx_buf others = { 0 };
	struct fx_error *err = NULL;

	for (size_t i = 0; i < sharing->paths.count && !err; i++) {
		const char *one = sharing->paths.items[i];
		const struct fx_tensor *tensor =
			fx_module_find_tensor(graph->module, one);
		struct fx_tensor *clone = fx_map_get_pointer(&clones, tensor);

		if (!clone)
			clone = fx_tensor_clone(graph, tensor, storage);
		fx_map_set_pointer(&clones, tensor, clone);
		err = fx_edit_bind_tensor(graph, one, clone);
		if (!fx_str_equal(one, path))
			fx_buf_addf(&others, "%s%s", others.length ? ", " : "",
				one);
	}
	if (!err && others.length)
		fx_model_say(model,
			fx_xasprintf("%s shares its values with %s: set too",
				path, fx_buf_text(&others)));
	return err;
}

/* What the process has that traced the model is fetched: the rest of the
 * storage stays as it is.
 */
static struct fx_error *
need_bytes(struct fx_model *model, const struct fx_tensor *tensor)
{
	FX_AUTO_FREE char *skipped = NULL;

	if (!tensor->storage || tensor->storage->blob)
		return NULL;
	return fx_model_fetch_weights(model, &skipped);
}

struct fx_error *
fx_model_set_tensor(struct fx_model *model, const char *path,
	const char *expression, const char *line, struct fx_edit_report *ret)
{
	FX_AUTO_DATUM struct fx_datum *before = NULL;
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	struct fx_session *session = model->session;
	const struct fx_tensor *old =
		fx_module_find_tensor(fx_position_graph(model)->module, path);
	struct fx_storage *storage = NULL;
	struct sharing sharing;
	struct fx_error *err = NULL;

	*ret = (struct fx_edit_report){ .position = 0 };
	if (!fx_position_is_started(model))
		err = fx_model_choose_backend(session, model);
	if (!err)
		err = model->backend->ops->from_tensor(model->backend, old,
			&before);
	if (!err)
		err = evaluate(session, model, before, expression, &datum);
	if (!err && datum->kind != FX_DATUM_TENSOR)
		err = not_a_tensor(path, expression, datum);
	if (!err)
		err = need_bytes(model, old);
	if (err)
		return err;
	find_sharing(fx_position_graph(model)->module, old, &sharing);
	err = storage_of(&sharing, path, old, datum, &storage);
	if (!err)
		err = fx_model_edit_begin(session, model, line);
	if (!err) {
		fx_journal_describe(model->graph, line, "edit");
		err = bind_all(model, &sharing, path, storage);
		if (err)
			fx_model_edit_abort(model);
		else
			err = fx_model_edit_end(model, false, false, ret);
	}
	fx_vec_deinit(&sharing.paths);
	fx_storage_unref(storage);
	return err;
}

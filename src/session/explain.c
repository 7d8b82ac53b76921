/* explain.c - what a node that could not run was given: sizes, who set them,
 * and what might help.
 */
#include <config.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/dtype.h"
#include "base/map.h"
#include "base/str.h"
#include "ir/module.h"
#include "ir/tensor_meta.h"
#include "ir/value_text.h"
#include "ops/optab.h"
#include "run/datum.h"
#include "session/position_private.h"

/* Inputs beyond these are not listed. */
#define INPUT_LIMIT 8

static const char *
word_for(const struct fx_tensor *tensor)
{
	return tensor && tensor->is_buffer ? "buffer" : "parameter";
}

static void
add_origin(struct fx_buf *text, const struct fx_node *input)
{
	switch (input->opcode) {
	case FX_OPCODE_PLACEHOLDER:
		fx_buf_addf(text, "input %s", input->target);
		break;
	case FX_OPCODE_GET_ATTR:
		fx_buf_addf(text, "%s %s",
			word_for(fx_module_find_tensor(input->graph->module,
				input->target)),
			input->target);
		break;
	default:
		fx_buf_addf(text, "set by @%zu %s",
			fx_graph_position(input->graph, input), input->name);
	}
}

static struct fx_error *
note_input(struct fx_error *err, const struct fx_model *model,
	const struct fx_node *input)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const struct fx_activation *place =
		fx_run_activation_of(model->run, input->graph);
	const struct fx_datum *datum = fx_env_get(&place->env, input->id);
	bool is_set = fx_model_is_overridden(model, input);
	struct fx_value value;

	if (!datum)
		return err;
	value = fx_datum_to_value(arena, datum);
	fx_value_print_shape(&text, &value, false);
	if (!text.length)
		return err;
	fx_buf_add(&text, "  ");
	if (is_set)
		fx_buf_add(&text, "by set value");
	else
		add_origin(&text, input);
	err = fx_error_note(err, "%%%s  %s", input->name, fx_buf_text(&text));
	if (!is_set || fx_error_hint_text(err))
		return err;
	return fx_error_hint(err, "unset value %s takes it back", input->name);
}

/* Return the only graph input that NODE depends on, if NODE reads that input
 * through other nodes only; else NULL.
 */
static const struct fx_node *
far_input(const struct fx_node *node)
{
	FX_AUTO_MAP struct fx_map needed = { 0 };
	const struct fx_node *found = NULL;

	fx_map_set(&needed, (uintptr_t)node->id, 1);
	for (const struct fx_node *at = node; at; at = fx_graph_previous(at)) {
		if (!fx_map_has(&needed, (uintptr_t)at->id))
			continue;
		if (at->opcode == FX_OPCODE_PLACEHOLDER && found)
			return NULL;
		if (at->opcode == FX_OPCODE_PLACEHOLDER)
			found = at;
		for (size_t i = 0; i < fx_node_input_count(at); i++)
			fx_map_set(&needed, (uintptr_t)fx_node_input(at, i)->id,
				1);
	}
	for (size_t i = 0; i < fx_node_input_count(node); i++)
		if (fx_node_input(node, i) == found)
			return NULL;
	return found;
}

static struct fx_error *
note_members(struct fx_error *err, const struct fx_node *node)
{
	const struct fx_module *module =
		fx_module_find(node->graph->module, node->target);

	for (size_t i = 0;
		module && i < module->member_count && i < INPUT_LIMIT; i++) {
		FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
		FX_AUTO_BUF struct fx_buf text = { 0 };
		const struct fx_member *member = &module->members[i];
		struct fx_value value;

		if (!member->tensor)
			continue;
		value = fx_tensor_meta_ints(arena, member->tensor->dtype,
			member->tensor->sizes, member->tensor->rank);
		fx_value_print_shape(&text, &value, false);
		err = fx_error_note(err, "%s.%s  %s  %s", node->target,
			member->name, fx_buf_text(&text),
			word_for(member->tensor));
	}
	return err;
}

static const struct fx_tensor_meta *
matrix(const struct fx_activation *place, const struct fx_node *node,
	struct fx_arena *arena, size_t index)
{
	const struct fx_value *arg = fx_node_arg(node, index);
	const struct fx_tensor_meta *meta = NULL;

	if (arg && arg->kind == FX_VALUE_NODE) {
		const struct fx_datum *datum =
			fx_env_get(&place->env, arg->node->id);

		meta = datum ? fx_datum_meta(arena, datum) : NULL;
	}
	return meta && meta->has_shape && meta->rank >= 2 ? meta : NULL;
}

/* A product that would fit if the second factor were turned. */
static struct fx_error *
hint_product(struct fx_error *err, const struct fx_activation *place,
	const struct fx_node *node)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	const struct fx_tensor_meta *a = matrix(place, node, arena, 0);
	const struct fx_tensor_meta *b = matrix(place, node, arena, 1);
	const struct fx_node *second;
	long long inner;

	if (!a || !b || b->rank != 2 || fx_error_hint_text(err) ||
		!(fx_op_info((enum fx_op)node->op)->traits & FX_OP_MATRICES))
		return err;
	inner = (long long)a->sizes[a->rank - 1].integer;
	if (inner == b->sizes[0].integer || inner != b->sizes[1].integer)
		return err;
	second = fx_node_arg(node, 1)->node;
	return fx_error_hint(err, "%%%s.t() has shape [%lld,%lld]",
		second->name, inner, (long long)b->sizes[0].integer);
}

static bool
is_float(enum fx_dtype dtype)
{
	return fx_dtype_info(dtype)->category == FX_DTYPE_CATEGORY_FLOAT;
}

/* That of the first parameter or buffer of the called module, else none. */
static enum fx_dtype
dtype_of_members(const struct fx_node *node)
{
	const struct fx_module *module =
		node->opcode == FX_OPCODE_CALL_MODULE
			? fx_module_find(node->graph->module, node->target)
			: NULL;

	for (size_t i = 0; module && i < module->member_count; i++)
		if (module->members[i].tensor)
			return module->members[i].tensor->dtype;
	return FX_DTYPE_NONE;
}

/* An input of another precision than what it meets, as numpy's are. */
static struct fx_error *
hint_dtype(struct fx_error *err, const struct fx_activation *place,
	const struct fx_node *node)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	enum fx_dtype wanted = dtype_of_members(node);

	for (size_t i = 0; i < fx_node_input_count(node); i++) {
		const struct fx_node *input = fx_node_input(node, i);
		const struct fx_datum *datum =
			fx_env_get(&place->env, input->id);
		const struct fx_tensor_meta *meta =
			datum ? fx_datum_meta(arena, datum) : NULL;

		if (!meta || input->opcode != FX_OPCODE_PLACEHOLDER ||
			fx_error_hint_text(err) || meta->dtype == wanted ||
			!is_float(meta->dtype) || !is_float(wanted))
			continue;
		err = fx_error_hint(err, "input %s = (...).to(torch.%s)",
			input->target, fx_dtype_info(wanted)->name);
	}
	return err;
}

struct fx_error *
fx_explain_failure(struct fx_model *model, const struct fx_node *node,
	struct fx_error *err_taken)
{
	const struct fx_activation *place =
		fx_run_activation_of(model->run, node->graph);
	const char *problem = (const char *)fx_map_get(&model->problems,
		(uintptr_t)node->id, 0);
	size_t count = fx_node_input_count(node);
	struct fx_error *err = err_taken;

	if (!place || fx_error_code(err) == FX_ERR_NO_VALUE)
		return err;
	/* The problem that shape propagation reported before is often plainer,
	 * so it is added as a note.  A missing shape says nothing once there
	 * are values.
	 */
	if (problem && !fx_str_equal(problem, fx_error_message(err)))
		err = fx_error_note(err, "%s", problem);
	for (size_t i = 0; i < count && i < INPUT_LIMIT; i++)
		err = note_input(err, model, fx_node_input(node, i));
	if (node->opcode == FX_OPCODE_CALL_MODULE)
		err = note_members(err, node);
	if (far_input(node))
		err = note_input(err, model, far_input(node));
	return hint_dtype(hint_product(err, place, node), place, node);
}

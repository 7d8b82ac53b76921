/* file_meta.c - what a file says of results that no rule tells. */
#include <config.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/intern.h"
#include "ir/module.h"
#include "ir/value_text.h"
#include "ir/value_walk.h"
#include "meta/propagate.h"
#include "session/session_private.h"

void
fx_file_meta_deinit(struct fx_file_meta *given)
{
	fx_arena_free(given->arena);
	fx_map_deinit(&given->metas);
	fx_map_deinit(&given->modules);
	fx_map_deinit(&given->contents);
	fx_bitset_deinit(&given->changed);
}

/* The first time: what a node has is what the file says. */
static const struct fx_value *
remember(void *context, const struct fx_node *node)
{
	struct fx_model *model = context;
	struct fx_file_meta *given = &model->given;
	struct fx_value *copy;

	if (!node->meta || node->meta->kind == FX_VALUE_UNKNOWN)
		return NULL;
	if (!given->arena)
		given->arena = fx_arena_new();
	copy = FX_ARENA_NEW(given->arena, struct fx_value);
	*copy = fx_value_clone(given->arena, node->meta);
	fx_map_set(&given->metas, (uintptr_t)node->id, (uintptr_t)copy);
	return copy;
}

static bool
is_changed(const struct fx_file_meta *given, const struct fx_node *node)
{
	return fx_bitset_has(&given->changed, (uint32_t)node->id);
}

/* Later: only below what is as it was. */
static const struct fx_value *
recall(void *context, const struct fx_node *node)
{
	struct fx_model *model = context;

	if (is_changed(&model->given, node))
		return NULL;
	return (const struct fx_value *)fx_map_get(&model->given.metas,
		(uintptr_t)node->id, 0);
}

static const void *
at_target(const struct fx_node *node)
{
	struct fx_module *root = node->graph->module;
	const void *tensor = fx_module_find_tensor(root, node->target);

	return tensor ? tensor : fx_module_find(root, node->target);
}

static bool
has_module_target(const struct fx_node *node)
{
	return node->opcode == FX_OPCODE_CALL_MODULE ||
	       node->opcode == FX_OPCODE_GET_ATTR;
}

/* --- what a node computes, as a number ----------------------------------- */

/* Inputs all look the same in the text, as their names may change ... */
static const char *
any_name(void *context, const struct fx_node *node)
{
	(void)node;
	return *(const char **)context;
}

/* ... and their ids follow, one for each mention. */
static bool
add_id(void *context, struct fx_node *node)
{
	fx_buf_add_n(context, (const char *)&node->id, sizeof(node->id));
	return true;
}

static uint64_t
contents(struct fx_buf *text, const struct fx_node *node)
{
	const char *name = fx_intern("x");
	const struct fx_value_printer printer = {
		.style = FX_STYLE_EXACT,
		.name = any_name,
		.context = &name,
	};

	fx_buf_clear(text);
	fx_buf_addf(text, "%u %s ", node->opcode, node->target);
	fx_value_print(text, &node->args, &printer);
	fx_value_print(text, &node->kwargs, &printer);
	fx_value_visit_nodes(&node->args, add_id, text);
	fx_value_visit_nodes(&node->kwargs, add_id, text);
	/* 0 is for absent ones. */
	return fx_hash_quick(text->data, text->length) | 1;
}

void
fx_file_meta_open(struct fx_model *model, struct fx_meta_report *report)
{
	struct fx_file_meta *given = &model->given;
	struct fx_meta *meta = model->session->meta;
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_node *node;

	fx_meta_set_given(meta, remember, model);
	fx_meta_propagate(meta, model->graph, false, report);
	fx_file_meta_end(model);
	if (!given->arena)
		return;
	fx_graph_for_each_node (node, model->graph) {
		fx_map_set(&given->contents, (uintptr_t)node->id,
			(uintptr_t)contents(&text, node));
		if (has_module_target(node))
			fx_map_set(&given->modules, (uintptr_t)node->id,
				(uintptr_t)at_target(node));
	}
}

static bool
differs(const struct fx_model *model, struct fx_buf *text,
	const struct fx_node *node)
{
	const struct fx_file_meta *given = &model->given;

	/* Most nodes were never touched: no need to look closer. */
	if (node->born || (node->touched && fx_map_get(&given->contents,
						    (uintptr_t)node->id,
						    0) != contents(text, node)))
		return true;
	if (node->opcode == FX_OPCODE_PLACEHOLDER)
		return fx_model_has_input(model, node->id) ||
		       fx_map_has(&model->looked, (uintptr_t)node->id);
	if (has_module_target(node) &&
		fx_map_get(&given->modules, (uintptr_t)node->id, 0) !=
			(uintptr_t)at_target(node))
		return true;
	for (size_t i = 0; i < fx_node_input_count(node); i++)
		if (is_changed(given, fx_node_input(node, i)))
			return true;
	return false;
}

static void
review(struct fx_model *model, struct fx_buf *text, const struct fx_node *node)
{
	size_t index = (uint32_t)node->id;

	if (differs(model, text, node))
		fx_bitset_add(&model->given.changed, index);
	else
		fx_bitset_remove(&model->given.changed, index);
}

void
fx_file_meta_begin(struct fx_model *model, struct fx_node *const *nodes,
	size_t count)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_node *node;

	if (!model->given.arena)
		return;
	fx_meta_set_given(model->session->meta, recall, model);
	for (size_t i = 0; nodes && i < count; i++)
		review(model, &text, nodes[i]);
	if (!nodes)
		fx_graph_for_each_node (node, model->graph)
			review(model, &text, node);
}

void
fx_file_meta_end(struct fx_model *model)
{
	fx_meta_set_given(model->session->meta, NULL, NULL);
}

/* kept_inputs.c - what placeholders are given, kept to be given again. */
#include <config.h>

#include "session/kept_inputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "ir/tensor_meta.h"
#include "ir/value_text.h"
#include "run/datum.h"

static struct fx_input
dup_input(const struct fx_input *input)
{
	struct fx_input dup = *input;

	dup.given.text = fx_xstrdup(input->given.text);
	dup.datum = fx_datum_ref(input->datum);
	return dup;
}

static void
input_deinit(struct fx_input *input)
{
	free(input->given.text);
	if (input->datum)
		fx_datum_unref(input->datum);
}

static struct fx_input *
find(const struct fx_model *model, uint64_t node)
{
	struct fx_input *input;

	fx_vec_for_each (input, &model->inputs)
		if (input->node == node)
			return input;
	return NULL;
}

void
fx_kept_inputs_take(struct fx_kept_inputs *kept, const struct fx_model *model)
{
	const struct fx_node *node;

	fx_graph_for_each_node (node, model->graph) {
		const struct fx_input *input = find(model, node->id);
		struct fx_kept_input one = { .input = { .node = node->id } };
		FX_AUTO_BUF struct fx_buf shape = { 0 };

		if (node->opcode != FX_OPCODE_PLACEHOLDER)
			continue;
		if (input) {
			one.input = dup_input(input);
		} else {
			fx_value_print_shape(&shape, node->meta, false);
			one.shape = fx_xstrdup(fx_buf_text(&shape));
		}
		fx_vec_push(&kept->items, one);
	}
}

bool
fx_kept_inputs_are_given(const struct fx_kept_inputs *kept,
	const struct fx_model *model)
{
	for (size_t i = 0; i < kept->items.count; i++) {
		const struct fx_input *then = &kept->items.items[i].input;
		const struct fx_input *now = find(model, then->node);

		if ((now ? now->datum : NULL) != then->datum)
			return false;
	}
	return true;
}

/* NODE was given nothing, and is given nothing again. */
static void
take_away(struct fx_model *model, struct fx_node *node, const char *shape)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_input *input = find(model, node->id);
	struct fx_value meta;
	struct fx_error *err;

	if (!input)
		return;
	input_deinit(input);
	fx_vec_remove(&model->inputs, (size_t)(input - model->inputs.items));
	err = fx_tensor_meta_parse(arena, shape, strlen(shape), &meta);
	if (!err)
		fx_model_set_input_meta(model, node, &meta);
	fx_error_free(err);
}

static void
give(struct fx_model *model, struct fx_node *node, const struct fx_input *kept)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_input *input = find(model, node->id);
	struct fx_value meta;

	if (input && input->datum == kept->datum)
		return;
	if (input) {
		input_deinit(input);
		*input = dup_input(kept);
	} else {
		fx_vec_push(&model->inputs, dup_input(kept));
	}
	meta = fx_datum_to_value(arena, kept->datum);
	fx_model_set_input_meta(model, node, &meta);
}

void
fx_kept_inputs_give(const struct fx_kept_inputs *kept, struct fx_model *model)
{
	const struct fx_kept_input *one;

	fx_vec_for_each (one, &kept->items) {
		struct fx_node *node =
			fx_graph_find_id(model->graph, one->input.node);

		if (!node || !node->is_in_graph)
			continue;
		if (one->input.datum)
			give(model, node, &one->input);
		else
			take_away(model, node, one->shape);
	}
	fx_decisions_review(model);
}

void
fx_kept_inputs_deinit(struct fx_kept_inputs *kept)
{
	struct fx_kept_input *one;

	fx_vec_for_each (one, &kept->items) {
		input_deinit(&one->input);
		free(one->shape);
	}
	fx_vec_deinit(&kept->items);
}

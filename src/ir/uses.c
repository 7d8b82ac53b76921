/* uses.c - the edges of a graph. */
#include <config.h>

#include "ir/uses.h"

#include "base/arena.h"
#include "base/vec.h"
#include "ir/value_walk.h"

enum {
	MARK_SEEN = 1
};

struct inputs {
	FX_VEC(struct fx_node *) nodes;
	struct fx_node *first[8]; /* most nodes have few */
	size_t count;
};

static struct fx_node *
input_at(const struct inputs *inputs, size_t index)
{
	size_t few = FX_ARRAY_LEN(inputs->first);

	return index < few ? inputs->first[index]
			   : inputs->nodes.items[index - few];
}

static bool
collect(void *context, struct fx_node *node)
{
	struct inputs *inputs = context;

	if (node->mark & MARK_SEEN)
		return true;
	node->mark |= MARK_SEEN;
	if (inputs->count < FX_ARRAY_LEN(inputs->first))
		inputs->first[inputs->count] = node;
	else
		fx_vec_push(&inputs->nodes, node);
	inputs->count++;
	return true;
}

void
fx_uses_build(struct fx_graph *graph, struct fx_node *node)
{
	struct inputs inputs = { .count = 0 };

	fx_value_visit_nodes(&node->args, collect, &inputs);
	fx_value_visit_nodes(&node->kwargs, collect, &inputs);
	node->use_count = (uint32_t)inputs.count;
	node->uses = NULL;
	if (inputs.count > 0)
		node->uses = fx_arena_alloc(graph->values,
			inputs.count * sizeof(*node->uses));
	for (size_t i = 0; i < inputs.count; i++) {
		struct fx_node *input = input_at(&inputs, i);

		input->mark &= (uint8_t)~MARK_SEEN;
		node->uses[i] = (struct fx_use){ .user = node, .input = input };
	}
	fx_vec_deinit(&inputs.nodes);
}

void
fx_uses_append(struct fx_node *node)
{
	for (size_t i = 0; i < node->use_count; i++) {
		struct fx_use *use = &node->uses[i];
		struct fx_node *input = use->input;

		use->previous = input->last_user;
		use->next = NULL;
		if (input->last_user)
			input->last_user->next = use;
		else
			input->first_user = use;
		input->last_user = use;
		input->user_count++;
	}
}

static void
leave(struct fx_use *use)
{
	struct fx_node *input = use->input;

	if (use->previous)
		use->previous->next = use->next;
	else
		input->first_user = use->next;
	if (use->next)
		use->next->previous = use->previous;
	else
		input->last_user = use->previous;
	input->user_count--;
}

static void
rejoin(struct fx_use *use)
{
	struct fx_node *input = use->input;

	if (use->previous)
		use->previous->next = use;
	else
		input->first_user = use;
	if (use->next)
		use->next->previous = use;
	else
		input->last_user = use;
	input->user_count++;
}

void
fx_uses_retract(struct fx_node *node)
{
	for (size_t i = node->use_count; i-- > 0;)
		leave(&node->uses[i]);
}

void
fx_uses_remove(struct fx_node *node)
{
	for (size_t i = 0; i < node->use_count; i++)
		leave(&node->uses[i]);
}

void
fx_uses_restore(struct fx_node *node)
{
	for (size_t i = node->use_count; i-- > 0;)
		rejoin(&node->uses[i]);
}

/* dag.c - a graph reduced to what a drawing needs. */
#include <config.h>

#include "draw/dag.h"

#include <stdlib.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "base/vec.h"

struct fx_dag *
fx_dag_new(void)
{
	return FX_NEW(struct fx_dag);
}

void
fx_dag_free(struct fx_dag *dag)
{
	if (!dag)
		return;
	free(dag->nodes);
	free(dag->inputs);
	free(dag);
}

void
fx_dag_reserve(struct fx_dag *dag, size_t count)
{
	dag->nodes = fx_vec_grow(dag->nodes, dag->count, count,
		sizeof(*dag->nodes), &dag->node_capacity);
}

struct fx_dag_node *
fx_dag_add(struct fx_dag *dag, enum fx_dag_kind kind, const char *name)
{
	struct fx_dag_node *node;

	dag->nodes = fx_vec_grow(dag->nodes, dag->count, dag->count + 1,
		sizeof(*dag->nodes), &dag->node_capacity);
	node = &dag->nodes[dag->count];
	*node = (struct fx_dag_node){ .name = name,
		.label = name,
		.first_input = (uint32_t)dag->input_count,
		.origin = (uint32_t)dag->count,
		.folded = 1,
		.kind = (uint8_t)kind };
	dag->count++;
	return node;
}

void
fx_dag_add_input(struct fx_dag *dag, uint32_t input)
{
	struct fx_dag_node *node = &dag->nodes[dag->count - 1];

	fx_assert(input < dag->count - 1);
	if (dag->nodes[input].last_user == dag->count)
		return;
	dag->nodes[input].last_user = (uint32_t)dag->count;
	dag->nodes[input].user_count++;
	dag->inputs =
		fx_vec_grow(dag->inputs, dag->input_count, dag->input_count + 1,
			sizeof(*dag->inputs), &dag->input_capacity);
	dag->inputs[dag->input_count++] = input;
	node->input_count++;
}

/* Mark the nodes of PART that are used by nodes outside it. */
static void
mark_users(const struct fx_dag *dag, const uint32_t *map, struct fx_dag *part)
{
	for (size_t i = 0; i < dag->count; i++) {
		if (map[i])
			continue;
		for (uint32_t k = 0; k < dag->nodes[i].input_count; k++) {
			uint32_t input = map[fx_dag_inputs(dag, i)[k]];

			if (input)
				part->nodes[input - 1].hides_users = true;
		}
	}
}

struct fx_dag *
fx_dag_part(const struct fx_dag *dag, const size_t *numbers, size_t count)
{
	struct fx_dag *part = fx_dag_new();
	uint32_t *map = fx_xcalloc(dag->count + 1, sizeof(*map));

	for (size_t i = 0; i < count; i++) {
		const struct fx_dag_node *from = &dag->nodes[numbers[i]];
		struct fx_dag_node *to = fx_dag_add(part,
			(enum fx_dag_kind)from->kind, from->name);

		to->label = from->label;
		to->node = from->node;
		to->folded = from->folded;
		to->origin = (uint32_t)numbers[i];
		map[numbers[i]] = (uint32_t)i + 1;
		for (uint32_t k = 0; k < from->input_count; k++) {
			uint32_t input = fx_dag_inputs(dag, numbers[i])[k];

			if (map[input])
				fx_dag_add_input(part, map[input] - 1);
			else if (dag->nodes[input].kind != FX_DAG_PARAMETER)
				to->hides_inputs = true;
		}
	}
	mark_users(dag, map, part);
	free(map);
	return part;
}

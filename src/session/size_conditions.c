/* size_conditions.c - conditions on symbolic sizes, kept until sizes are given.
 *
 * With them stand the metadata that the inputs had, as what a symbol is follows
 * from what stands in its place later.
 */
#include <config.h>

#include "session/size_conditions.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "ir/journal.h"
#include "ir/size.h"
#include "ir/tensor_meta.h"
#include "ir/value_walk.h"
#include "meta/size_conditions.h"
#include "session/session_private.h"

struct symbolic_input {
	uint64_t id; /* of the placeholder */
	struct fx_value meta;
};

struct fx_kept_conditions {
	struct fx_size_conditions *list;
	uint32_t time; /* of the graph then */
	FX_VEC(struct symbolic_input) inputs;
};

void
fx_kept_conditions_free(struct fx_kept_conditions *kept)
{
	if (!kept)
		return;
	fx_size_conditions_free(kept->list);
	fx_vec_deinit(&kept->inputs);
	free(kept);
}

static bool
is_symbolic(const struct fx_value *meta)
{
	if (!meta || meta->kind != FX_VALUE_TENSOR)
		return meta && meta->kind == FX_VALUE_SYMBOL;
	for (uint32_t i = 0; i < meta->tensor->rank; i++)
		if (meta->tensor->sizes[i].kind == FX_VALUE_SYMBOL)
			return true;
	return false;
}

static bool
has_symbols(const struct fx_model *model)
{
	struct fx_node *node;

	fx_graph_for_each_node (node, model->graph)
		if (node->opcode == FX_OPCODE_PLACEHOLDER &&
			is_symbolic(node->meta))
			return true;
	return false;
}

const struct fx_size_conditions *
fx_model_size_conditions(const struct fx_model *model)
{
	const struct fx_kept_conditions *kept = model->conditions;

	return kept && kept->time == fx_journal_now(model->graph) &&
			       has_symbols(model)
		       ? kept->list
		       : NULL;
}

void
fx_model_keep_conditions(struct fx_model *model,
	struct fx_size_conditions *conditions_taken)
{
	struct fx_kept_conditions *kept;
	struct fx_node *node;

	if (!has_symbols(model)) {
		fx_size_conditions_free(conditions_taken);
		return;
	}
	kept = FX_NEW(struct fx_kept_conditions);
	kept->list = conditions_taken;
	kept->time = fx_journal_now(model->graph);
	fx_graph_for_each_node (node, model->graph)
		if (node->opcode == FX_OPCODE_PLACEHOLDER &&
			is_symbolic(node->meta))
			fx_vec_push(&kept->inputs,
				((struct symbolic_input){ node->id,
					fx_value_clone(kept->list->arena,
						node->meta) }));
	fx_kept_conditions_free(model->conditions);
	model->conditions = kept;
}

/* What the symbols are now: facts of kind IS whose values are numbers. */
struct bindings {
	struct fx_arena *arena;
	FX_VEC(struct fx_size_fact) facts;
};

static struct fx_value
put_in(const struct bindings *bindings, struct fx_value size)
{
	const struct fx_size_fact *fact;

	fx_vec_for_each (fact, &bindings->facts)
		size = fx_size_substitute(bindings->arena, size, fact->name,
			fact->value);
	return size;
}

static void
bind_size(struct bindings *bindings, struct fx_value size, struct fx_value now)
{
	struct fx_size_fact fact;

	size = put_in(bindings, size);
	if (size.kind != FX_VALUE_SYMBOL || now.kind != FX_VALUE_INT)
		return;
	fx_size_solve(bindings->arena, size, now, &fact);
	if (fact.kind == FX_SIZE_IS && fact.value.kind == FX_VALUE_INT)
		fx_vec_push(&bindings->facts, fact);
}

static void
bind_input(struct bindings *bindings, const struct fx_value *meta,
	const struct fx_value *now)
{
	if (meta->kind != now->kind) {
		if (meta->kind == FX_VALUE_SYMBOL)
			bind_size(bindings, *meta, *now);
		return;
	}
	if (meta->kind != FX_VALUE_TENSOR ||
		meta->tensor->rank != now->tensor->rank)
		return;
	for (uint32_t i = 0; i < meta->tensor->rank; i++)
		bind_size(bindings, meta->tensor->sizes[i],
			now->tensor->sizes[i]);
}

/* "needs K = 4, not K = 5" */
static char *
broken_text(const struct bindings *bindings,
	const struct fx_size_condition *condition)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const struct fx_size_fact *fact;
	const char *before = ", not ";

	fx_buf_add(&text, "needs ");
	fx_size_print(&text, condition->left);
	fx_buf_add(&text, " = ");
	fx_size_print(&text, condition->right);
	fx_vec_for_each (fact, &bindings->facts) {
		if (!fx_size_mentions(condition->left, fact->name) &&
			!fx_size_mentions(condition->right, fact->name))
			continue;
		fx_buf_add(&text, before);
		fx_size_fact_print(&text, fact);
		before = ", ";
	}
	return fx_xstrdup(fx_buf_text(&text));
}

static char *
find_broken(const struct bindings *bindings,
	const struct fx_size_conditions *list, uint64_t id)
{
	const struct fx_size_condition *item;

	fx_vec_for_each (item, &list->items)
		if (item->node == id &&
			fx_size_differs(put_in(bindings, item->left),
				put_in(bindings, item->right)))
			return broken_text(bindings, item);
	return NULL;
}

char *
fx_model_broken_condition(const struct fx_model *model, uint64_t id)
{
	const struct fx_kept_conditions *kept = model->conditions;
	FX_AUTO_ARENA struct fx_arena *arena = NULL;
	struct bindings bindings = { NULL, { 0 } };
	const struct symbolic_input *input;
	char *text;

	if (!kept || kept->time != fx_journal_now(model->graph))
		return NULL;
	bindings.arena = arena = fx_arena_new();
	fx_vec_for_each (input, &kept->inputs) {
		const struct fx_node *node =
			fx_graph_find_id(model->graph, input->id);

		if (node && node->meta)
			bind_input(&bindings, &input->meta, node->meta);
	}
	text = find_broken(&bindings, kept->list, id);
	fx_vec_deinit(&bindings.facts);
	return text;
}

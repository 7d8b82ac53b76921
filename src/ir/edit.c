/* edit.c - the edits of nodes: each checks, then applies one entry. */
#include <config.h>

#include "ir/edit.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "base/intern.h"
#include "ir/edit_check.h"
#include "ir/graph_private.h"
#include "ir/journal_private.h"
#include "ir/tensor_meta.h"
#include "ir/uses.h"
#include "ir/value_walk.h"

enum {
	/* Users named in a message. */
	USERS_NAMED = 5,
};

/* Where a node goes that is put before BEFORE: the node after it, which is the
 * root at the very end.
 */
static struct fx_node *
place_before(struct fx_graph *graph, const struct fx_node *node,
	enum fx_opcode opcode, struct fx_node *before)
{
	struct fx_node *last = graph->root.previous;

	if (before)
		return before;
	if (opcode != FX_OPCODE_OUTPUT && last != node &&
		last->opcode == FX_OPCODE_OUTPUT)
		return last;
	return &graph->root;
}

/* Whether NODE does not stand before PLACE. */
static bool
is_at_or_after(const struct fx_node *node, const struct fx_node *place)
{
	if (place->opcode == FX_OPCODE_COUNT)
		return false;
	return !fx_node_is_before(node, place);
}

struct too_late {
	const struct fx_node *place;
	const struct fx_node *found;
};

static bool
is_before_place(void *context, struct fx_node *node)
{
	struct too_late *late = context;

	if (!is_at_or_after(node, late->place))
		return true;
	late->found = node;
	return false;
}

/* The inputs of what SPEC makes stand before PLACE. */
static struct fx_error *
check_inputs(const struct fx_graph *graph, const struct fx_node_spec *spec,
	const struct fx_node *place)
{
	struct too_late late = { .place = place };

	if (fx_journal_is_relaxed(graph))
		return NULL;
	if (fx_value_visit_nodes(&spec->args, is_before_place, &late) &&
		fx_value_visit_nodes(&spec->kwargs, is_before_place, &late))
		return NULL;
	return fx_error_new(FX_ERR_ORDER,
		"%%%s would be used before it is defined", late.found->name);
}

/* Take the name that SPEC asks for, remembering how to give it back. */
static const char *
take_name(struct fx_graph *graph, const struct fx_node_spec *spec,
	struct fx_entry *entry)
{
	const char *candidate = spec->name;

	if (candidate && spec->name_is_exact) {
		if (!spec->heir_of) {
			candidate = fx_intern(candidate);
			fx_names_count(&graph->names, candidate,
				&entry->name.hint);
		}
		entry->name.before = fx_map_get(&graph->names.taken,
			(uintptr_t)candidate, 0);
		return candidate;
	}
	if (!candidate)
		candidate = fx_names_candidate(spec->opcode, spec->target);
	return fx_names_create_undoable(&graph->names, candidate,
		&entry->name.hint);
}

/* A node may be put before BEFORE, which may be NULL. */
static struct fx_error *
check_before(const struct fx_graph *graph, const struct fx_node *before)
{
	if (!before || before->graph == graph)
		return before ? fx_check_present(before) : NULL;
	return fx_error_new(FX_ERR_VALUE, "%%%s belongs to another graph",
		before->name);
}

struct fx_error *
fx_edit_create(struct fx_graph *graph, const struct fx_node_spec *asked,
	struct fx_node *before, struct fx_node **ret)
{
	struct fx_entry entry = { .kind = FX_EDIT_CREATE };
	struct fx_node_spec spec = *asked;
	struct fx_node *place;
	struct fx_error *err;

	if (!spec.target && spec.opcode == FX_OPCODE_OUTPUT)
		spec.target = "output";
	if (spec.heir_of) {
		spec.name = spec.heir_of->name;
		spec.name_is_exact = true;
	}
	spec.target = spec.like ? spec.like->target : fx_intern(spec.target);
	err = spec.like ? NULL
			: fx_check_target(graph, spec.opcode, spec.target);
	if (!err && spec.name && spec.name_is_exact && !spec.heir_of)
		err = fx_check_name(graph, spec.name);
	if (!err)
		err = fx_check_args(graph, &spec.args, &spec.kwargs);
	if (!err)
		err = check_before(graph, before);
	if (err)
		return err;
	place = place_before(graph, NULL, spec.opcode, before);
	err = check_inputs(graph, &spec, place);
	if (err)
		return err;
	entry.node = fx_graph_make_node(graph, &spec,
		take_name(graph, &spec, &entry));
	entry.node->previous = place->previous;
	entry.node->born = fx_journal_open_id(graph);
	fx_journal_apply(graph, &entry);
	if (ret)
		*ret = entry.node;
	return NULL;
}

struct fx_node *
fx_edit_input_place(struct fx_graph *graph)
{
	struct fx_node *place = fx_graph_first(graph);
	struct fx_node *node;

	fx_graph_for_each_node (node, graph)
		if (node->opcode == FX_OPCODE_PLACEHOLDER &&
			*node->target != '*')
			place = fx_graph_next(node);
	return place;
}

/* An input of TARGET may be put before PLACE. */
static struct fx_error *
check_input(struct fx_graph *graph, const char *target, bool has_fallback,
	const struct fx_node *place)
{
	const struct fx_node *node = fx_graph_first(graph);
	const struct fx_node *fallback = NULL;
	bool is_above = true;

	for (; node; node = fx_graph_next(node)) {
		is_above &= node != place;
		if (node->opcode != FX_OPCODE_PLACEHOLDER)
			continue;
		if (!strcmp(node->target + strspn(node->target, "*"), target))
			return fx_error_new(FX_ERR_NAME_TAKEN,
				"%%%s is an input called \"%s\" already",
				node->name, target);
		if (is_above && fx_value_item_count(&node->args))
			fallback = node;
	}
	if (!fallback || has_fallback)
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_ORDER,
				     "the input %s needs a default, as %s "
				     "before it has one",
				     target, fallback->target),
		"insert input %s = None", target);
}

struct fx_error *
fx_edit_create_input(struct fx_graph *graph, const char *name,
	const struct fx_value *fallback, const struct fx_value *meta,
	struct fx_node **ret)
{
	struct fx_node *place = fx_edit_input_place(graph);
	struct fx_node_spec spec = { .opcode = FX_OPCODE_PLACEHOLDER,
		.target = name,
		.name = name,
		.name_is_exact = true,
		.meta = meta };
	struct fx_error *err = fx_check_name(graph, name);

	if (!err && graph->pytree)
		err = fx_error_new(FX_ERR_UNSUPPORTED,
			"the inputs of this graph are leaves of nested ones, "
			"whose structure is fixed");
	if (!err)
		err = check_input(graph, name, fallback, place);
	if (err)
		return err;
	if (fallback)
		spec.args = fx_value_sequence(graph->values, FX_VALUE_TUPLE,
			fallback, 1);
	return fx_edit_create(graph, &spec, place, ret);
}

/* Whether the users of NODE could take INPUT instead, judged by the kinds,
 * dtypes and shapes of the two values.  True if one of them is not known.
 */
static bool
fits(const struct fx_node *node, const struct fx_node *input)
{
	const struct fx_value *had = node->meta;
	const struct fx_value *has = input->meta;

	if (!had || !has || had->kind == FX_VALUE_UNKNOWN ||
		has->kind == FX_VALUE_UNKNOWN)
		return true;
	if (had->kind != FX_VALUE_TENSOR || has->kind != FX_VALUE_TENSOR)
		return had->kind == has->kind;
	if (!had->tensor->has_shape || !has->tensor->has_shape)
		return true;
	if (had->tensor->dtype != has->tensor->dtype ||
		had->tensor->rank != has->tensor->rank)
		return false;
	for (uint32_t i = 0; i < had->tensor->rank; i++)
		if (!fx_value_equal(&had->tensor->sizes[i],
			    &has->tensor->sizes[i]))
			return false;
	return true;
}

static struct fx_error *
in_use(const struct fx_node *node)
{
	FX_AUTO_BUF struct fx_buf users = { 0 };
	struct fx_error *err;
	struct fx_use *use;
	unsigned named = 0;

	fx_node_for_each_user (use, node) {
		if (named++ == USERS_NAMED)
			break;
		fx_buf_addf(&users, "%s%%%s ", named > 1 ? ", " : "",
			use->user->name);
		fx_check_print_place(&users, use->user, node);
	}
	if (node->user_count > USERS_NAMED)
		fx_buf_addf(&users, " (+%u more)",
			node->user_count - USERS_NAMED);
	err = fx_error_new(FX_ERR_IN_USE, "%%%s still has %u user%s: %s",
		node->name, node->user_count, node->user_count == 1 ? "" : "s",
		fx_buf_text(&users));
	for (uint32_t i = 0; i < node->use_count; i++)
		if (fits(node, node->uses[i].input))
			return fx_error_hint(err, "erase %%%s --to %%%s",
				node->name, node->uses[i].input->name);
	return err;
}

struct fx_error *
fx_edit_erase(struct fx_node *node)
{
	struct fx_entry entry = { .kind = FX_EDIT_ERASE, .node = node };
	struct fx_error *err = fx_check_present(node);

	if (err)
		return err;
	if (node->user_count > 0)
		return in_use(node);
	fx_journal_apply(node->graph, &entry);
	return NULL;
}

/* Return the error which says that NODE cannot move, because USER uses INPUT.
 * NODE is one of these two.
 */
static struct fx_error *
blocked(const struct fx_node *node, const struct fx_node *user,
	const struct fx_node *input)
{
	FX_AUTO_BUF struct fx_buf place = { 0 };

	fx_check_print_place(&place, user, input);
	return fx_error_new(FX_ERR_ORDER,
		"%%%s cannot move there: %%%s uses %%%s (%s)", node->name,
		user->name, input->name, fx_buf_text(&place));
}

static struct fx_error *
check_move(struct fx_node *node, const struct fx_node *place)
{
	struct fx_use *use;

	if (fx_journal_is_relaxed(node->graph))
		return NULL;
	for (size_t i = 0; i < node->use_count; i++)
		if (is_at_or_after(node->uses[i].input, place))
			return blocked(node, node, node->uses[i].input);
	fx_node_for_each_user (use, node)
		if (!is_at_or_after(use->user, place))
			return blocked(node, use->user, node);
	return NULL;
}

struct fx_error *
fx_edit_move(struct fx_node *node, struct fx_node *before)
{
	struct fx_graph *graph = node->graph;
	struct fx_entry entry = { .kind = FX_EDIT_MOVE, .node = node };
	struct fx_error *err = fx_check_present(node);
	struct fx_node *place;

	if (!err)
		err = check_before(graph, before);
	if (err)
		return err;
	place = place_before(graph, node, (enum fx_opcode)node->opcode, before);
	if (place == node || place == node->next)
		return NULL;
	err = check_move(node, place);
	if (err)
		return err;
	entry.previous = place->previous;
	fx_journal_apply(graph, &entry);
	return NULL;
}

struct edges {
	struct fx_node *node;
	struct fx_error *err;
};

static bool
check_edge(void *context, struct fx_node *input)
{
	struct edges *edges = context;

	edges->err = fx_check_edge("set", edges->node, input);
	return !edges->err;
}

void
fx_edit_apply_args(struct fx_node *node, struct fx_value args,
	struct fx_value kwargs, bool is_rewiring)
{
	struct fx_graph *graph = node->graph;
	struct fx_node scratch = { .args = args, .kwargs = kwargs };
	struct fx_entry entry = { .kind = FX_EDIT_ARGS,
		.is_rewiring = is_rewiring,
		.node = node,
		.args = { .args = args, .kwargs = kwargs } };

	fx_uses_build(graph, &scratch);
	for (size_t i = 0; i < scratch.use_count; i++)
		scratch.uses[i].user = node;
	entry.args.uses = scratch.uses;
	entry.args.use_count = scratch.use_count;
	fx_journal_apply(graph, &entry);
}

struct fx_error *
fx_edit_set_args(struct fx_node *node, struct fx_value args,
	struct fx_value kwargs)
{
	struct fx_graph *graph = node->graph;
	struct edges edges = { .node = node };
	struct fx_error *err = fx_check_present(node);

	if (!err)
		err = fx_check_args(graph, &args, &kwargs);
	if (err)
		return err;
	if (args.kind == FX_VALUE_NONE)
		args = fx_value_sequence(graph->values, FX_VALUE_TUPLE, NULL,
			0);
	if (kwargs.kind == FX_VALUE_NONE)
		kwargs = fx_value_dict(graph->values, NULL, 0);
	if (!fx_journal_is_relaxed(graph) &&
		!(fx_value_visit_nodes(&args, check_edge, &edges) &&
			fx_value_visit_nodes(&kwargs, check_edge, &edges)))
		return edges.err;
	fx_edit_apply_args(node, args, kwargs, false);
	return NULL;
}

struct fx_error *
fx_edit_set_name(struct fx_node *node, const char *name)
{
	struct fx_graph *graph = node->graph;
	struct fx_entry entry = { .kind = FX_EDIT_NAME, .node = node };
	struct fx_error *err = fx_check_present(node);

	if (err)
		return err;
	entry.name.text = fx_intern(name);
	if (entry.name.text == node->name)
		return NULL;
	err = fx_check_name(graph, name);
	if (err)
		return err;
	entry.name.before =
		fx_map_get(&graph->names.taken, (uintptr_t)entry.name.text, 0);
	fx_journal_apply(graph, &entry);
	return NULL;
}

struct fx_error *
fx_edit_set_opcode(struct fx_node *node, enum fx_opcode opcode,
	const char *target)
{
	struct fx_graph *graph = node->graph;
	struct fx_entry entry = {
		.kind = FX_EDIT_TARGET, .node = node, .opcode = (uint8_t)opcode
	};
	struct fx_error *err = fx_check_present(node);

	entry.text = fx_intern(target);
	if (!err)
		err = fx_check_target(graph, opcode, entry.text);
	if (err)
		return err;
	if (entry.text == node->target && entry.opcode == node->opcode)
		return NULL;
	fx_journal_apply(graph, &entry);
	return NULL;
}

struct fx_error *
fx_edit_set_target(struct fx_node *node, const char *target)
{
	return fx_edit_set_opcode(node, (enum fx_opcode)node->opcode, target);
}

struct fx_error *
fx_edit_set_type(struct fx_node *node, const char *type)
{
	struct fx_entry entry = { .kind = FX_EDIT_TYPE, .node = node };
	struct fx_error *err = fx_check_present(node);

	if (err)
		return err;
	entry.text = fx_intern(type);
	if (entry.text != node->type)
		fx_journal_apply(node->graph, &entry);
	return NULL;
}

void
fx_edit_relax(struct fx_graph *graph)
{
	if (graph->journal)
		graph->journal->is_relaxed = true;
}

/* Taking back a part of the open transaction. */

size_t
fx_savepoint_get(const struct fx_graph *graph)
{
	return graph->journal->open.entries.count;
}

void
fx_savepoint_rollback(struct fx_graph *graph, size_t savepoint)
{
	struct fx_journal *journal = graph->journal;

	fx_assert(fx_journal_is_open(graph) && journal->nesting > 1);
	while (journal->open.entries.count > savepoint)
		fx_journal_take_back(graph);
	journal->nesting--;
}

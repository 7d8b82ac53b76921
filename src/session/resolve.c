/* resolve.c - what names mean in a session: fills the evaluator's resolver. */
#include <config.h>

#include "session/resolve.h"

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/control.h"
#include "ir/fragment.h"
#include "ir/module.h"
#include "lang/ast.h"
#include "lang/parse.h"
#include "lang/query.h"
#include "run/backend.h"
#include "run/datum.h"
#include "session/activation.h"
#include "session/resolve_private.h"

/* --- the resolver ------------------------------------------------------- */

static struct fx_error *
no_value(const struct fx_model *model, const struct fx_activation *place,
	struct fx_node *node)
{
	struct fx_node *stop = fx_activation_stop(place);

	if (fx_map_has(&model->run->failures, (uintptr_t)node->id))
		return fx_error_new(FX_ERR_NO_VALUE,
			"%%%s has no value: it could not run", node->name);
	if (stop && fx_map_has(&model->run->failures, (uintptr_t)stop->id))
		return fx_error_new(FX_ERR_NO_VALUE,
			"%%%s has no value yet: %%%s, @%zu, could not run",
			node->name, stop->name,
			fx_graph_position(place->graph, stop));
	return fx_error_new(FX_ERR_NO_VALUE,
		"%%%s has no value yet (stopped before @%zu, %%%s is @%zu); "
		"\"run --to %%%s\" computes it",
		node->name,
		stop ? fx_graph_position(place->graph, stop)
		     : place->graph->node_count,
		node->name, fx_graph_position(place->graph, node), node->name);
}

/* NODE is of a graph in which execution does not stand. */
static struct fx_error *
not_there(const struct fx_model *model, const struct fx_node *node)
{
	if (!fx_position_is_started(model))
		return fx_position_not_run(model);
	return fx_error_new(FX_ERR_NO_VALUE,
		"%%%s has no value: execution does not stand in /%s; "
		"\"run --to %%%s\" computes it, if that graph runs",
		node->name, fx_model_graph_path(model, node->graph),
		node->name);
}

static struct fx_error *
resolve_value(void *context, struct fx_node *node, struct fx_datum **ret)
{
	struct fx_model *model = ((struct fx_resolve_context *)context)->model;
	struct fx_activation *place =
		fx_run_activation_of(model->run, node->graph);
	struct fx_error *err = NULL;

	if (!place)
		return not_there(model, node);
	if (!fx_activation_is_above(place, node))
		return no_value(model, place, node);
	if (!fx_env_get(&place->env, node->id))
		err = fx_activation_compute(model, place, node);
	if (!err)
		*ret = fx_datum_ref(fx_env_get(&place->env, node->id));
	return err;
}

/* The node looked at last, $_, if it is one of MODEL. */
static struct fx_node *
examined(const struct fx_resolve_context *context)
{
	FX_AUTO_DATUM struct fx_datum *last =
		fx_session_variable(context->session, "_");

	if (!last || !fx_datum_is(last, FX_VALUE_NODE_ID))
		return NULL;
	return fx_graph_find_id(fx_position_graph(context->model),
		(uint64_t)last->value.integer);
}

/* Set *POSITION_RET to the position at which the model is stopped or, before
 * the start, to that of the node that the user examines.
 */
static struct fx_error *
resolve_here(void *context, size_t *position_ret)
{
	const struct fx_resolve_context *at = context;
	struct fx_model *model = at->model;
	const struct fx_node *node = at->session->node_at_hand;

	if (!node || node->graph != fx_position_graph(model))
		node = fx_position_selected(model);
	if (fx_run_activation_of(model->run, fx_position_graph(model))) {
		*position_ret = node ? fx_graph_position(node->graph, node)
				     : fx_position_get(model);
		return NULL;
	}
	node = examined(context);
	if (!node && fx_position_is_started(model))
		return fx_error_new(FX_ERR_NOT_RUN,
			"execution does not stand in %s",
			fx_position_graph_name(model));
	if (!node)
		return fx_position_not_run(model);
	*position_ret = fx_graph_position(node->graph, node);
	return NULL;
}

static struct fx_error *
resolve_variable(void *context, const char *name, struct fx_datum **ret)
{
	struct fx_session *session =
		((struct fx_resolve_context *)context)->session;
	const struct fx_model *model;

	if (fx_str_equal(name, "v") && session->value_at_hand)
		*ret = fx_datum_ref(session->value_at_hand);
	else
		*ret = fx_session_variable(session, name);
	model = ((struct fx_resolve_context *)context)->model;
	if (!*ret && model && fx_str_equal(name, "turn"))
		*ret = fx_datum_int((int64_t)fx_position_turn(model));
	if (*ret)
		return NULL;
	if (fx_str_equal(name, "v"))
		return fx_error_new(FX_ERR_NO_NAME,
			"$v is the value at hand inside set value, replace and "
			"watch; "
			"at a stop .-1 is the value computed last");
	return fx_error_hint(fx_error_new(FX_ERR_NO_NAME,
				     "there is no variable $%s", name),
		"set $%s = EXPRESSION makes it", name);
}

static struct fx_error *
resolve_history(void *context, int64_t number, struct fx_datum **ret)
{
	struct fx_session *session =
		((struct fx_resolve_context *)context)->session;
	int64_t count = fx_session_history_count(session);
	int64_t index = number <= 0 ? count + number : number;

	*ret = index >= 1 && index <= count
		       ? fx_session_history(session, (int)index)
		       : NULL;
	if (*ret)
		return NULL;
	if (!count)
		return fx_error_new(FX_ERR_NO_NAME,
			"the value history is empty");
	return fx_error_new(FX_ERR_NO_NAME,
		"there is no $%" PRId64 " in the value history: it has %" PRId64
		" values",
		index, count);
}

static bool
resolve_tagged(void *context, const struct fx_node *node)
{
	return fx_model_is_tagged(((struct fx_resolve_context *)context)->model,
		node->id);
}

static bool
resolve_dirty(void *context, const struct fx_node *node)
{
	return fx_map_has(&((struct fx_resolve_context *)context)
				   ->model->run->dirty,
		(uintptr_t)node->id);
}

static const char *
resolve_state(void *context, const struct fx_node *node)
{
	return fx_model_state(((struct fx_resolve_context *)context)->model,
		node);
}

void
fx_resolver_init(struct fx_resolver *resolver,
	struct fx_resolve_context *context)
{
	struct fx_model *model = context->model;

	*resolver = (struct fx_resolver){
		.context = context,
		.variable = resolve_variable,
		.history = resolve_history,
	};
	if (!model)
		return;
	resolver->graph = fx_position_graph(model);
	resolver->backend = model->backend;
	resolver->graph_name = resolver->graph == model->graph
				       ? model->name
				       : fx_position_graph_name(model);
	resolver->scope = model->scope;
	resolver->value = resolve_value;
	resolver->local = fx_resolve_local;
	resolver->here = resolve_here;
	resolver->is_tagged = resolve_tagged;
	resolver->is_dirty = resolve_dirty;
	resolver->is_nonfinite = fx_resolve_nonfinite;
	resolver->has_shapes_only = model->run->activations.count &&
				    !model->backend->ops->has_values;
	resolver->state = resolve_state;
}

/* --- nodes -------------------------------------------------------------- */

static bool
is_designator(const struct fx_ast *tree)
{
	return tree->kind == FX_AST_NAME || tree->kind == FX_AST_NODE ||
	       tree->kind == FX_AST_POSITION || tree->kind == FX_AST_HERE ||
	       tree->kind == FX_AST_VARIABLE || tree->kind == FX_AST_HISTORY;
}

static struct fx_error *
not_a_designator(struct fx_model *model, const char *text,
	const struct fx_ast *tree)
{
	struct fx_error *err = fx_error_new(FX_ERR_NO_NODE,
		"no node \"%s\" in %s", text, model->name);

	if (tree->kind == FX_AST_INT && !tree->text)
		return fx_error_hint(err, "a position is written @%" PRId64,
			tree->integer);
	return err;
}

struct fx_error *
fx_resolve_node(struct fx_session *session, struct fx_model *model,
	const char *text, struct fx_node **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_resolve_context context = { session, model };
	struct fx_resolver resolver;
	struct fx_ast *tree;
	struct fx_error *err = fx_parse_expression(arena, text, strlen(text),
		FX_PARSE_DESIGNATORS, &tree);

	if (err)
		return err;
	if (!is_designator(tree) && fx_control_find(model->graph, text))
		return fx_error_hint(
			fx_error_new(FX_ERR_UNSUPPORTED,
				"%s is in a nested graph: it can be stood on, "
				"but not looked at or edited from outside",
				text),
			"graph /%s, or tbreak %s",
			fx_model_graph_path(model,
				fx_control_find(model->graph, text)->graph),
			text);
	if (!is_designator(tree))
		return not_a_designator(model, text, tree);
	fx_resolver_init(&resolver, &context);
	err = fx_eval_node(&resolver, text, tree, ret);
	if (err)
		return err;
	fx_session_examine(session, *ret);
	return NULL;
}

/* --- edits -------------------------------------------------------------- */

static struct fx_error *
resolve_operand(void *context, const char *text, const struct fx_ast *tree,
	struct fx_node **ret)
{
	struct fx_resolver resolver;

	fx_resolver_init(&resolver, context);
	return fx_eval_node(&resolver, text, tree, ret);
}

struct fx_error *
fx_resolve_fragment(struct fx_session *session, struct fx_model *model,
	const char *text, bool has_input, struct fx_fragment *ret)
{
	struct fx_resolve_context context = { session, model };
	struct fx_fragment_reader reader = { .graph = fx_position_graph(model),
		.node = resolve_operand,
		.context = &context,
		.has_input = has_input,
		.has_name = !has_input };

	return fx_fragment_read(&reader, text, ret);
}

struct fx_error *
fx_resolve_layer(struct fx_session *session, struct fx_model *model,
	const char *text, struct fx_fragment *ret)
{
	struct fx_resolve_context context = { session, model };
	struct fx_fragment_reader reader = { .graph = fx_position_graph(model),
		.node = resolve_operand,
		.context = &context };

	return fx_fragment_read_module(&reader, text, ret);
}

/* --- sets --------------------------------------------------------------- */

/* @10,@30: both included, in either order. */
static struct fx_error *
resolve_range(const struct fx_resolver *resolver, const char *text,
	const struct fx_ast *tree, size_t **positions_ret, size_t *count_ret)
{
	struct fx_graph *graph = resolver->graph;
	size_t ends[2];
	size_t first;

	for (size_t i = 0; i < 2; i++) {
		struct fx_node *node;
		struct fx_error *err =
			fx_eval_node(resolver, text, tree->kids[i], &node);

		if (err)
			return err;
		ends[i] = fx_graph_position(graph, node);
	}
	first = FX_MIN(ends[0], ends[1]);
	*count_ret = FX_MAX(ends[0], ends[1]) - first + 1;
	*positions_ret = fx_xcalloc(*count_ret, sizeof(**positions_ret));
	for (size_t i = 0; i < *count_ret; i++)
		(*positions_ret)[i] = first + i;
	return NULL;
}

/* layer1.0 as a set: all nodes inside, if no node has that name. */
static bool
read_scope(struct fx_model *model, const char *text, const struct fx_ast *tree,
	struct fx_query *ret)
{
	struct fx_graph *graph = fx_position_graph(model);
	struct fx_error *err;
	const char *path;

	if (tree->kind != FX_AST_NAME && tree->kind != FX_AST_ATTR)
		return false;
	if (tree->kind == FX_AST_NAME && fx_graph_find(graph, tree->text))
		return false;
	err = fx_resolve_scope(model, text, &path);
	if (err) {
		fx_error_free(err);
		return false;
	}
	*ret = (struct fx_query){ .kind = FX_QUERY_INSIDE, .text = path };
	return true;
}

static struct fx_error *
resolve_tree(struct fx_resolve_context *context, const char *text,
	const struct fx_ast *tree, size_t **positions_ret, size_t *count_ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_resolver resolver;
	struct fx_query scope;
	struct fx_query *query = &scope;
	struct fx_error *err = NULL;

	fx_model_ready_backend(context->model);
	fx_resolver_init(&resolver, context);
	if (tree->kind == FX_AST_TUPLE && tree->kid_count == 2)
		return resolve_range(&resolver, text, tree, positions_ret,
			count_ret);
	if (!read_scope(context->model, text, tree, &scope))
		err = fx_query_read(arena, text, tree, &query);
	if (err)
		return err;
	return fx_eval_query(&resolver, text, query, positions_ret, count_ret);
}

static void
remember_set(struct fx_session *session, struct fx_graph *graph,
	const size_t *positions, size_t count)
{
	FX_AUTO_FREE uint64_t *ids = fx_xcalloc(count, sizeof(*ids));
	FX_AUTO_DATUM struct fx_datum *set = NULL;

	for (size_t i = 0; i < count; i++)
		ids[i] = fx_graph_at(graph, positions[i])->id;
	set = fx_datum_nodes(ids, count);
	fx_session_set_variable(session, "_", set);
}

struct fx_error *
fx_resolve_set_quietly(struct fx_session *session, struct fx_model *model,
	const char *text, size_t **positions_ret, size_t *count_ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_resolve_context context = { session, model };
	unsigned flags = FX_PARSE_DESIGNATORS | FX_PARSE_QUERY;
	struct fx_query all = { .kind = FX_QUERY_ALL };
	struct fx_resolver resolver;
	struct fx_ast *tree;
	struct fx_error *err;

	if (strspn(text, " \t") == strlen(text)) {
		fx_resolver_init(&resolver, &context);
		err = fx_eval_query(&resolver, text, &all, positions_ret,
			count_ret);
	} else {
		err = fx_parse_expression(arena, text, strlen(text), flags,
			&tree);
		if (!err)
			err = resolve_tree(&context, text, tree, positions_ret,
				count_ret);
	}
	return err;
}

struct fx_error *
fx_resolve_set(struct fx_session *session, struct fx_model *model,
	const char *text, size_t **positions_ret, size_t *count_ret)
{
	struct fx_error *err = fx_resolve_set_quietly(session, model, text,
		positions_ret, count_ret);

	if (!err)
		remember_set(session, fx_position_graph(model), *positions_ret,
			*count_ret);
	return err;
}

static bool
is_steady_operand(const struct fx_ast *tree)
{
	if (!tree)
		return true;
	if (tree->kind == FX_AST_HERE || tree->kind == FX_AST_HISTORY ||
		tree->kind == FX_AST_VARIABLE || tree->kind == FX_AST_QUERY ||
		tree->height > FX_PARSE_DEPTH)
		return false;
	for (uint32_t i = 0; i < tree->kid_count; i++)
		if (!is_steady_operand(tree->kids[i]))
			return false;
	return true;
}

static bool
is_steady(const struct fx_query *query, bool is_scoped)
{
	static const unsigned steady =
		1U << FX_QUERY_OP | 1U << FX_QUERY_TARGET |
		1U << FX_QUERY_NAME | 1U << FX_QUERY_USERS |
		1U << FX_QUERY_INPUTS | 1U << FX_QUERY_MODULE |
		1U << FX_QUERY_SCOPE;
	bool has_field = query->kind == FX_QUERY_COMPARE ||
			 query->kind == FX_QUERY_TRUTH;

	if ((query->kind == FX_QUERY_INSIDE && is_scoped) ||
		(has_field && !(steady >> query->field & 1)) ||
		!is_steady_operand(query->operand) ||
		!is_steady_operand(query->first) ||
		!is_steady_operand(query->last))
		return false;
	for (int i = 0; i < query->argument_count; i++)
		if (!is_steady_operand(query->arguments[i]))
			return false;
	for (int i = 0; i < query->kid_count; i++)
		if (!is_steady(query->kids[i], is_scoped))
			return false;
	return true;
}

bool
fx_resolve_is_steady(const struct fx_model *model, const char *text)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_query *query = NULL;
	struct fx_ast *tree;
	struct fx_error *err = fx_parse_expression(arena, text, strlen(text),
		FX_PARSE_DESIGNATORS | FX_PARSE_QUERY, &tree);

	if (!err && tree->kind == FX_AST_QUERY)
		err = fx_query_read(arena, text, tree, &query);
	fx_error_free(err);
	return query && is_steady(query, *model->scope);
}

/* --- scopes ------------------------------------------------------------- */

void
fx_resolve_scope_paths(struct fx_graph *graph, struct fx_scope_paths *ret)
{
	FX_AUTO_MAP struct fx_map seen = { 0 };
	const struct fx_scope *last = NULL;
	struct fx_node *node;

	*ret = (struct fx_scope_paths){ .count = 0 };
	fx_graph_for_each_node (node, graph) {
		const struct fx_scope *scope = node->scope;

		if (scope == last)
			continue;
		last = scope;
		for (; scope; scope = scope->parent)
			if (*scope->path &&
				fx_map_set_pointer(&seen, scope->path, ""))
				fx_vec_push(ret, scope->path);
	}
}

static bool
is_scope_of_nodes(struct fx_graph *graph, const char *path)
{
	struct fx_scope_paths paths;
	bool found = false;

	fx_resolve_scope_paths(graph, &paths);
	for (size_t i = 0; i < paths.count && !found; i++)
		found = fx_str_equal(paths.items[i], path);
	fx_vec_deinit(&paths);
	return found;
}

static bool
is_scope(struct fx_graph *graph, const char *path)
{
	return fx_module_find(graph->module, path) ||
	       is_scope_of_nodes(graph, path);
}

static struct fx_error *
no_scope(struct fx_model *model, struct fx_graph *graph, const char *text)
{
	struct fx_nearest nearest;
	struct fx_module_walk *walk = fx_module_walk_new(graph->module, false);
	struct fx_scope_paths paths;
	struct fx_module *module;
	const char *path;
	struct fx_error *err;

	fx_nearest_init(&nearest, text);
	while (fx_module_walk_next(walk, &module, &path))
		if (*path)
			fx_nearest_offer(&nearest, path);
	fx_module_walk_free(walk);
	fx_resolve_scope_paths(graph, &paths);
	for (size_t i = 0; i < paths.count; i++)
		if (!fx_module_find(graph->module, paths.items[i]))
			fx_nearest_offer(&nearest, paths.items[i]);
	fx_vec_deinit(&paths);
	err = fx_error_new(FX_ERR_NO_MODULE, "no module \"%s\" in %s", text,
		model->name);
	return fx_nearest_note(&nearest, err);
}

static const char *
parent_scope(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? fx_intern_n(path, (size_t)(dot - path)) : fx_intern("");
}

struct fx_error *
fx_resolve_scope(struct fx_model *model, const char *text, const char **ret)
{
	struct fx_graph *graph = fx_position_graph(model);
	const char *scope = model->scope;
	const char *below;

	if (fx_str_equal(text, "..")) {
		*ret = parent_scope(scope);
		return NULL;
	}
	if (fx_str_equal(text, ".")) {
		*ret = scope;
		return NULL;
	}
	if (fx_str_equal(text, "self"))
		text = "";
	else if (fx_str_starts(text, "self."))
		text += 5;
	below = *scope ? fx_intern_format("%s.%s", scope, text) : NULL;
	if (below && *text && is_scope(graph, below))
		*ret = below;
	else if (!*text || is_scope(graph, text))
		*ret = fx_intern(text);
	else
		return no_scope(model, graph, text);
	return NULL;
}

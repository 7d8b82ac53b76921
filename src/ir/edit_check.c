/* edit_check.c - what edits refuse, and in which words. */
#include <config.h>

#include "ir/edit_check.h"

#include "base/buf.h"
#include "base/intern.h"
#include "base/str.h"
#include "ir/graph_private.h"
#include "ir/module.h"
#include "ir/order.h"
#include "ir/targets.h"
#include "ir/value_walk.h"

struct foreign {
	const struct fx_graph *graph;
	const struct fx_node *found;
};

static bool
is_at_home(void *context, struct fx_node *node)
{
	struct foreign *foreign = context;

	if (node->graph == foreign->graph && node->is_in_graph)
		return true;
	foreign->found = node;
	return false;
}

struct fx_error *
fx_check_present(const struct fx_node *node)
{
	if (node->is_in_graph)
		return NULL;
	return fx_error_new(FX_ERR_NO_NODE, "%%%s was erased", node->name);
}

struct fx_error *
fx_check_value(const struct fx_graph *graph, const struct fx_value *value)
{
	struct foreign foreign = { .graph = graph };

	if (fx_value_depth(value) > FX_DEPTH_LIMIT)
		return fx_error_new(FX_ERR_LIMIT,
			"an argument is nested more than %d levels deep",
			FX_DEPTH_LIMIT);
	if (fx_value_visit_nodes(value, is_at_home, &foreign))
		return NULL;
	if (foreign.found->graph == graph)
		return fx_check_present(foreign.found);
	return fx_error_new(FX_ERR_VALUE, "%%%s belongs to another graph",
		foreign.found->name);
}

static struct fx_error *
check_keys(const struct fx_value *kwargs)
{
	for (size_t i = 0; i < kwargs->count; i++) {
		const struct fx_value *key = &kwargs->items[2 * i];

		if (key->kind != FX_VALUE_STRING)
			return fx_error_new(FX_ERR_TYPE,
				"a keyword is a string, not %s",
				fx_value_kind_name((enum fx_value_kind)
							   key->kind));
		if (!fx_str_is_identifier(key->text))
			return fx_error_new(FX_ERR_BAD_NAME,
				"the keyword \"%s\" is no identifier",
				key->text);
		if (fx_value_dict_get(kwargs, key->text) != key + 1)
			return fx_error_new(FX_ERR_VALUE,
				"the keyword %s is given twice", key->text);
	}
	return NULL;
}

struct fx_error *
fx_check_args(const struct fx_graph *graph, const struct fx_value *args,
	const struct fx_value *kwargs)
{
	struct fx_error *err = NULL;

	if (args->kind != FX_VALUE_TUPLE && args->kind != FX_VALUE_NONE)
		return fx_error_new(FX_ERR_TYPE, "args is a tuple, not %s",
			fx_value_kind_name((enum fx_value_kind)args->kind));
	if (kwargs->kind != FX_VALUE_DICT && kwargs->kind != FX_VALUE_NONE)
		return fx_error_new(FX_ERR_TYPE, "kwargs is a dict, not %s",
			fx_value_kind_name((enum fx_value_kind)kwargs->kind));
	if (kwargs->kind == FX_VALUE_DICT)
		err = check_keys(kwargs);
	if (!err)
		err = fx_check_value(graph, args);
	if (!err)
		err = fx_check_value(graph, kwargs);
	return err;
}

/* Return the error for TARGET, a path with no module or attribute there.  The
 * error names the paths nearest to TARGET.
 */
static struct fx_error *
no_such_path(const struct fx_graph *graph, enum fx_opcode opcode,
	const char *target)
{
	bool is_module = opcode == FX_OPCODE_CALL_MODULE;
	struct fx_module_walk *walk = fx_module_walk_new(graph->module, true);
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	struct fx_nearest nearest;
	struct fx_module *module;
	const char *path;
	struct fx_error *err;

	fx_nearest_init(&nearest, target);
	while (fx_module_walk_next(walk, &module, &path)) {
		if (is_module && *path)
			fx_nearest_offer(&nearest, path);
		for (size_t i = 0; !is_module && i < module->member_count; i++)
			fx_nearest_offer(&nearest,
				fx_module_path(path, module->members[i].name));
	}
	fx_module_walk_free(walk);
	err = fx_error_new(FX_ERR_NO_MODULE, "no %s \"%s\"%s%s",
		is_module ? "module" : "attribute", target,
		graph->name ? " in " : "", graph->name ? graph->name : "");
	fx_nearest_print(&nearest, &buf);
	if (buf.length > 0)
		err = fx_error_hint(err, "nearest: %s", fx_buf_text(&buf));
	return err;
}

struct fx_error *
fx_check_target(const struct fx_graph *graph, enum fx_opcode opcode,
	const char *target)
{
	const char *word = fx_opcode_word(opcode);

	switch (fx_target_check(graph, opcode, target)) {
	case FX_TARGET_OK:
		return NULL;
	case FX_TARGET_EMPTY:
		return fx_error_new(FX_ERR_BAD_TARGET, "%s needs a target",
			word);
	case FX_TARGET_MALFORMED:
		return fx_error_new(FX_ERR_BAD_TARGET,
			"\"%s\" is no target for %s", target, word);
	case FX_TARGET_MISSING:
		return no_such_path(graph, opcode, target);
	case FX_TARGET_NOT_MODULE:
		return fx_error_new(FX_ERR_NO_MODULE,
			"\"%s\" leads to something that is no module", target);
	}
	return NULL;
}

struct fx_error *
fx_check_name(const struct fx_graph *graph, const char *name)
{
	if (!fx_str_is_identifier(name))
		return fx_error_new(FX_ERR_BAD_NAME,
			"\"%s\" is no name of a node: ASCII letters, digits "
			"and _, no digit first",
			name);
	if (fx_str_is_keyword(name))
		return fx_error_new(FX_ERR_BAD_NAME,
			"\"%s\" is a Python keyword", name);
	if (fx_names_is_illegal(name))
		return fx_error_new(FX_ERR_BAD_NAME,
			"\"%s\" means something else in generated code", name);
	if (fx_graph_find(graph, name))
		return fx_error_new(FX_ERR_NAME_TAKEN,
			"the name \"%s\" is taken", name);
	return NULL;
}

/* "%a -> %b -> %a": from NODE down to INPUT, which NODE would use. */
static struct fx_error *
cycle(const char *word, struct fx_node *node, struct fx_node *input)
{
	FX_AUTO_FREE struct fx_node **path = NULL;
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	size_t count;

	fx_order_path(node, input, &path, &count);
	for (size_t i = 0; i < count; i++) {
		if (count > 12 && i == 5) {
			fx_buf_add(&buf, "... -> ");
			i = count - 5;
		}
		fx_buf_addf(&buf, "%%%s -> ", path[i]->name);
	}
	return fx_error_new(FX_ERR_CYCLE,
		"%s would make a cycle: %s%%%s; nothing changed", word,
		fx_buf_text(&buf), node->name);
}

struct fx_error *
fx_check_edge(const char *word, struct fx_node *node, struct fx_node *input)
{
	if (fx_node_is_before(input, node))
		return NULL;
	if (input == node || fx_order_depends(input, node))
		return cycle(word, node, input);
	return fx_error_hint(fx_error_new(FX_ERR_ORDER,
				     "%%%s stands after %%%s, which would use "
				     "it",
				     input->name, node->name),
		"move %%%s before %%%s", input->name, node->name);
}

struct mention {
	const struct fx_node *node;
};

static bool
is_other(void *context, struct fx_node *node)
{
	return node != ((const struct mention *)context)->node;
}

void
fx_check_print_place(struct fx_buf *out, const struct fx_node *user,
	const struct fx_node *node)
{
	struct mention mention = { node };

	for (size_t i = 0; i < user->args.count; i++)
		if (!fx_value_visit_nodes(&user->args.items[i], is_other,
			    &mention)) {
			fx_buf_addf(out, "arg %zu", i);
			return;
		}
	for (size_t i = 0; i < user->kwargs.count; i++)
		if (!fx_value_visit_nodes(&user->kwargs.items[2 * i + 1],
			    is_other, &mention)) {
			fx_buf_addf(out, "kwarg %s",
				user->kwargs.items[2 * i].text);
			return;
		}
}

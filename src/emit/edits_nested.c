/* edits_nested.c - the commands that turn one graph into another: graphs within
 * graphs.
 *
 * First the calls of nested graphs come to be those of the second graph.  One
 * that it lacks, though it has the nodes, is inlined.  One that is new there is
 * outlined where the first graph has the nodes: the rest is edited as if the
 * second graph had them inlined, and then the nodes move with their modules and
 * values.  Any other new one, a branch of cond too, begins as an outlined node
 * that computes nothing of interest.
 * Nested graphs that stand at one path are then edited inside.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "emit/edits_private.h"
#include "ir/clone.h"
#include "ir/control.h"
#include "ir/decompose.h"
#include "ir/edit.h"
#include "ir/graph_hash.h"
#include "ir/inline.h"
#include "ir/module.h"
#include "ir/outline.h"
#include "ir/pair.h"

/* --- a graph of any contents --------------------------------------------- */

/* Put a node that reads nothing before the output. */
static FX_NODISCARD struct fx_error *
create_stub(struct fx_edits *e, const char *path, struct fx_node **ret)
{
	FX_AUTO_FREE char *wanted = fx_xasprintf("%s_stub", path);
	FX_AUTO_FREE char *name =
		fx_edits_free_name(e, wanted, e->pairs->graphs[1]);
	struct fx_node *near = fx_graph_last(e->copy);
	struct fx_value sizes =
		fx_value_sequence(e->copy->values, FX_VALUE_TUPLE, NULL, 0);
	struct fx_node_spec spec = {
		.opcode = FX_OPCODE_CALL_FUNCTION,
		.target = "torch.zeros",
		.name = name,
		.name_is_exact = true,
		.args = fx_value_sequence(e->copy->values, FX_VALUE_TUPLE,
			&sizes, 1),
	};
	bool is_before = near && near->opcode == FX_OPCODE_OUTPUT;
	struct fx_error *err;

	if (!near)
		return fx_error_new(FX_ERR_NO_NODE, "there is no node");
	err = fx_edit_create(e->copy, &spec, is_before ? near : NULL, ret);
	if (!err)
		fx_edits_say(e, "insert %s %%%s : %s = torch.zeros(())",
			is_before ? "before" : "after", near->name, name);
	return err;
}

/* Whether GRAPH calls what stands below PATH. */
static bool
reaches_into(const struct fx_graph *graph, const char *path)
{
	size_t length = strlen(path);
	const struct fx_node *node;

	fx_graph_for_each_node (node, graph)
		if ((node->opcode == FX_OPCODE_CALL_MODULE ||
			    node->opcode == FX_OPCODE_GET_ATTR) &&
			fx_str_is_below(node->target, path) &&
			node->target[length])
			return true;
	return false;
}

/* The path of what stands at BELOW in the graph of E. */
static const char *
whole_path(const struct fx_edits *e, const char *below)
{
	return *e->path ? fx_module_path(e->path, below) : fx_intern(below);
}

/* Make the graph at PATH that of the second graph, if that calls what stands
 * in it: it has to be there first.
 */
static void
edit_first(struct fx_edits *e, const char *path)
{
	const struct fx_graph *after = e->pairs->graphs[1];
	const struct fx_module *mine = fx_module_find(e->copy->module, path);
	const struct fx_module *module = fx_module_find(after->module, path);
	const char *whole = whole_path(e, path);

	if (!reaches_into(after, path) || !mine->graph || !module->graph)
		return;
	fx_map_set_pointer(&e->text->done, whole, whole);
	fx_edits_graph(e->text, whole, NULL, mine->graph, module->graph);
}

void
fx_edits_create_graph(struct fx_edits *e, const char *path)
{
	struct fx_node *node;
	struct fx_node *call;
	struct fx_error *err = NULL;

	/* The same commands would not be accepted. */
	if (!fx_str_is_identifier(path) ||
		fx_module_member(e->copy->module, fx_intern(path))) {
		fx_edits_cannot(e, NULL, "no command makes the graph %s", path);
		return;
	}
	err = create_stub(e, path, &node);
	if (!err) {
		fx_edits_say(e, "outline %%%s as %s", node->name, path);
		err = fx_outline(e->copy, &node, 1, path, &call);
	}
	if (!err) {
		fx_edits_say(e, "erase %%%s", call->name);
		err = fx_edit_erase(call);
	}
	if (err)
		fx_edits_cannot(e, err, "%s cannot be made", path);
	else
		edit_first(e, path);
}

/* --- inlining ------------------------------------------------------------ */

struct shared {
	size_t found;
	size_t count;
};

/* Whether NODE takes a call of a graph apart, which comes with the call. */
static bool
is_item(const struct fx_node *node)
{
	return node->op == FX_OP_GETITEM && node->use_count == 1 &&
	       fx_control_owned(node->uses[0].input);
}

/* Count the operations of INNER, and those that GRAPH has by the same names;
 * instead of calls that it does not have, those of what they call.
 */
static void
count_shared(const struct fx_graph *graph, const struct fx_graph *inner,
	struct shared *shared)
{
	const struct fx_node *node;

	fx_graph_for_each_node (node, inner) {
		bool is_found = fx_graph_find(graph, node->name);
		const struct fx_graph *below = fx_control_owned(node);

		if (node->opcode == FX_OPCODE_PLACEHOLDER ||
			node->opcode == FX_OPCODE_GET_ATTR ||
			node->opcode == FX_OPCODE_OUTPUT || is_item(node))
			continue;
		if (below && !is_found) {
			count_shared(graph, below, shared);
			continue;
		}
		shared->found += is_found;
		shared->count++;
	}
}

/* Whether GRAPH has most operations of INNER by the same names. */
static bool
has_most(const struct fx_graph *graph, const struct fx_graph *inner)
{
	struct shared shared = { .count = 0 };

	count_shared(graph, inner, &shared);
	return shared.count && 2 * shared.found >= shared.count;
}

/* Whether a node of GRAPH runs the graph at PATH. */
static bool
runs(const struct fx_graph *graph, const char *path)
{
	const struct fx_node *node;

	fx_graph_for_each_node (node, graph)
		if (node->target == path && fx_control_owned(node))
			return true;
	return false;
}

/* Inline NODE of the copy, unless that is refused. */
static bool
inline_call(struct fx_edits *e, struct fx_node *node)
{
	FX_AUTO_EXPANDER struct fx_expander *expander = fx_expander_new();
	FX_AUTO_GRAPH struct fx_graph *trial = fx_graph_clone(e->copy, 0, NULL);
	FX_AUTO_FREE char *name = fx_xstrdup(node->name);
	struct fx_error *err;

	err = fx_inline(expander, fx_graph_find(trial, name));
	if (!err)
		err = fx_inline(expander, node);
	if (err) {
		fx_error_free(err);
		return false;
	}
	fx_edits_say(e, "inline %%%s", name);
	return true;
}

/* Whether to inline a call of INNER, which AFTER does not call there. */
static bool
is_inlined(struct fx_edits *e, const struct fx_graph *inner,
	const struct fx_graph *after)
{
	if (!has_most(e->copy, inner) && has_most(after, inner))
		return true;
	e->text->has_declined = true;
	return e->text->inlines;
}

/* Inline the calls that AFTER does not have.  Whether there were any. */
static bool
inline_calls(struct fx_edits *e, const struct fx_graph *after)
{
	struct fx_node *last = NULL;
	struct fx_node *node;
	bool has_inlined = false;

	while ((node = last ? fx_graph_next(last) : fx_graph_first(e->copy))) {
		const struct fx_graph *inner = fx_control_owned(node);

		if (inner && !runs(after, node->target) &&
			is_inlined(e, inner, after) && inline_call(e, node))
			has_inlined = true;
		else
			last = node;
	}
	return has_inlined;
}

/* --- outlining ----------------------------------------------------------- */

/* A graph that is new in the second graph, and what it is made of in a copy of
 * that: nodes, and calls of other new graphs by their index.
 */
struct outlined {
	const char *path;
	FX_VEC(struct fx_node *) nodes;
	FX_VEC(size_t) inner;
	struct fx_node *made; /* the call, in the copy of the first graph */
};

struct outlining {
	const struct fx_graph *copy;
	struct fx_graph *inlined; /* the second graph without those calls */
	struct fx_expander *expander;
	FX_VEC(struct outlined) calls; /* what is called after who calls it */
	struct fx_map refused;         /* path (interned) -> 1 */
};

static void
forget_calls(struct outlining *o)
{
	for (size_t i = 0; i < o->calls.count; i++) {
		fx_vec_deinit(&o->calls.items[i].nodes);
		fx_vec_deinit(&o->calls.items[i].inner);
	}
	fx_vec_clear(&o->calls);
	fx_graph_free(o->inlined);
	o->inlined = NULL;
}

/* Whether NODE, of the second graph, calls what can be outlined. */
static bool
is_outlined(const struct outlining *o, const struct fx_node *node)
{
	const struct fx_graph *inner = fx_control_owned(node);

	return inner && fx_str_is_identifier(node->target) &&
	       !fx_module_member(o->copy->module, node->target) &&
	       !fx_map_has(&o->refused, (uintptr_t)node->target) &&
	       has_most(o->copy, inner);
}

/* What INNER gives is one node with this name, or NULL. */
static const char *
result_name(const struct fx_graph *inner)
{
	const struct fx_node *output = fx_graph_output(inner);
	const struct fx_value *result = output ? fx_node_arg(output, 0) : NULL;

	return result && result->kind == FX_VALUE_NODE &&
			       result->node->opcode != FX_OPCODE_PLACEHOLDER
		       ? result->node->name
		       : NULL;
}

/* Inline NODE; what gave the result has its own name again.  The node before
 * it stays: the first of those that were made is next to that.
 */
static bool
unfold(struct outlining *o, struct fx_node *node)
{
	const char *call_name = node->name;
	const char *name = result_name(fx_control_owned(node));
	struct fx_error *err = fx_inline(o->expander, node);
	bool is_done = !err;
	struct fx_node *result;

	if (err) {
		fx_error_free(err);
		return false;
	}
	result = name ? fx_graph_find(o->inlined, call_name) : NULL;
	if (result && !fx_graph_find(o->inlined, name))
		err = fx_edit_set_name(result, name);
	fx_error_free(err);
	return is_done;
}

static struct fx_node *
node_after(const struct outlining *o, struct fx_node *node)
{
	return node ? fx_graph_next(node) : fx_graph_first(o->inlined);
}

/* Nodes that are made later have higher ids. */
static uint64_t
newest_id(const struct outlining *o)
{
	const struct fx_node *node;
	uint64_t newest = 0;

	fx_graph_for_each_node (node, o->inlined)
		newest = FX_MAX(newest, node->id);
	return newest;
}

/* The last of the nodes behind LAST that are newer than ID. */
static struct fx_node *
skip_new(const struct outlining *o, struct fx_node *last, uint64_t id)
{
	struct fx_node *next;

	while ((next = node_after(o, last)) && next->id > id)
		last = next;
	return last;
}

/* Remove what is left at PATH; false when it has what nodes need. */
static bool
remove_module(struct fx_graph *graph, const char *path)
{
	const struct fx_node *node;
	struct fx_error *err;

	fx_graph_for_each_node (node, graph)
		if ((node->opcode == FX_OPCODE_CALL_MODULE ||
			    node->opcode == FX_OPCODE_GET_ATTR) &&
			fx_str_is_below(node->target, path))
			return false;
	if (!fx_module_find(graph->module, path))
		return true;
	err = fx_edit_set_module(graph, path, NULL);
	fx_error_free(err);
	return !err;
}

/* Inline NODE, a call of a new graph, and what that calls of new ones; false
 * when that cannot be undone by outlines.
 */
static bool
take_apart(struct outlining *o, struct fx_node *node)
{
	struct outlined call = { .path = node->target };
	size_t index = o->calls.count;
	struct fx_node *last = fx_graph_previous(node);
	uint64_t id = newest_id(o);
	bool is_done = unfold(o, node);
	struct fx_node *at;

	fx_vec_push(&o->calls, call);
	while (is_done && (at = node_after(o, last)) && at->id > id) {
		if (fx_control_owned(at) &&
			fx_str_is_below(at->target, call.path)) {
			/* That is outlined inside, later. */
			is_done = unfold(o, at);
		} else if (is_outlined(o, at)) {
			uint64_t inner = newest_id(o);

			fx_vec_push(&o->calls.items[index].inner,
				o->calls.count);
			is_done = take_apart(o, at);
			last = skip_new(o, last, inner);
		} else {
			fx_vec_push(&o->calls.items[index].nodes, at);
			last = at;
		}
	}
	return is_done && remove_module(o->inlined, call.path);
}

/* Make O's copy of SECOND; false when there is nothing to outline. */
static bool
find_calls(struct outlining *o, const struct fx_graph *second)
{
	struct fx_node *last = NULL;
	struct fx_node *node;

	forget_calls(o);
	o->inlined = fx_graph_clone(second, 0, NULL);
	while ((node = node_after(o, last))) {
		const char *path = node->target;
		uint64_t id;

		if (!is_outlined(o, node)) {
			last = node;
			continue;
		}
		id = newest_id(o);
		if (!take_apart(o, node)) {
			fx_map_set_pointer(&o->refused, path, path);
			return find_calls(o, second);
		}
		last = skip_new(o, last, id);
	}
	return o->calls.count > 0;
}

static void
add_named(struct fx_buf *names, struct fx_node *node, struct fx_node **nodes,
	size_t *count)
{
	if (!node || node->opcode == FX_OPCODE_GET_ATTR)
		return;
	fx_buf_addf(names, "%sname=%s", *count ? " or " : "", node->name);
	nodes[(*count)++] = node;
}

/* Outline what has become CALL's nodes in the copy. */
static void
outline(struct fx_edits *e, struct outlining *o, struct outlined *call)
{
	FX_AUTO_FREE struct fx_node **nodes =
		fx_xcalloc(call->nodes.count + call->inner.count + 1,
			sizeof(*nodes));
	FX_AUTO_BUF struct fx_buf names = { 0 };
	struct fx_error *err;
	size_t count = 0;

	for (size_t i = 0; i < call->nodes.count; i++)
		add_named(&names, fx_edits_copied(e, call->nodes.items[i]),
			nodes, &count);
	for (size_t i = 0; i < call->inner.count; i++)
		add_named(&names, o->calls.items[call->inner.items[i]].made,
			nodes, &count);
	err = fx_outline(e->copy, nodes, count, call->path, &call->made);
	if (!err)
		fx_edits_say(e, "outline {%s} as %s", fx_buf_text(&names),
			call->path);
	else
		call->made = NULL;
	/* It is made from nothing then. */
	fx_error_free(err);
}

/* Outline the graphs that are new in SECOND; FIRST is equal to the copy.
 * Whether there were any.
 */
static bool
outline_calls(struct fx_edits *e, struct fx_graph *first, struct fx_graph *copy,
	const struct fx_graph *second)
{
	struct outlining o = { .copy = copy, .expander = fx_expander_new() };
	FX_AUTO_PAIRS struct fx_pairs pairs = { .counts = { 0 } };
	bool has_any = find_calls(&o, second);

	e->text->has_outlined |= has_any;
	if (has_any) {
		fx_pairs_make(first, o.inlined, e->text->options->tick, &pairs);
		if (e->text->parts)
			fx_edits_part(&pairs);
		fx_edits_begin(e, &pairs, copy);
		e->is_rough = true;
		if (e->text->outlining == FX_EDITS_LAST)
			fx_edits_run(e);
		for (size_t i = o.calls.count; i-- > 0;)
			outline(e, &o, &o.calls.items[i]);
		fx_edits_end(e);
	}
	forget_calls(&o);
	fx_vec_deinit(&o.calls);
	fx_map_deinit(&o.refused);
	fx_expander_free(o.expander);
	return has_any;
}

/* --- all of it ----------------------------------------------------------- */

/* Turn the graphs nested in the copy of E into those of AFTER. */
static void
edit_inside(const struct fx_edits *e, struct fx_graph *after)
{
	struct fx_module_walk *walk = fx_module_walk_new(after->module, true);
	struct fx_module *module;
	const char *below;

	while (fx_module_walk_next(walk, &module, &below)) {
		const struct fx_module *mine;
		const char *whole = whole_path(e, below);

		if (!module->graph ||
			fx_map_has(&e->text->done, (uintptr_t)whole))
			continue;
		mine = fx_module_find(e->copy->module, below);
		if (mine && mine->graph)
			fx_edits_graph(e->text, whole, NULL, mine->graph,
				module->graph);
	}
	fx_module_walk_free(walk);
}

void
fx_edits_graph(struct fx_edits_text *text, const char *path,
	struct fx_graph *before, struct fx_graph *copy, struct fx_graph *after)
{
	FX_AUTO_GRAPH struct fx_graph *own = NULL;
	FX_AUTO_PAIRS struct fx_pairs pairs = { .counts = { 0 } };
	struct fx_edits e = { .text = text, .path = path, .copy = copy };

	if (inline_calls(&e, after) || !before)
		before = own = fx_graph_clone(copy, 0, NULL);
	if (text->outlining != FX_EDITS_NEVER &&
		outline_calls(&e, before, copy, after)) {
		fx_graph_free(own);
		before = own = fx_graph_clone(copy, 0, NULL);
	}
	e = (struct fx_edits){ .text = text, .path = path };
	fx_pairs_make(before, after, text->options->tick, &pairs);
	if (text->parts)
		fx_edits_part(&pairs);
	fx_edits_begin(&e, &pairs, copy);
	fx_edits_run(&e);
	if (!text->is_stopped)
		edit_inside(&e, after);
	fx_edits_end(&e);
}

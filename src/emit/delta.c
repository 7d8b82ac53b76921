/* delta.c - a transaction as text: JSON lines, one a primitive edit. */
#include <config.h>

#include "emit/delta.h"

#include "base/buf.h"
#include "base/json.h"
#include "emit/jsonl.h"
#include "emit/weights.h"
#include "ir/control.h"
#include "ir/graph.h"
#include "ir/journal.h"
#include "ir/module.h"
#include "ir/value_text.h"

struct delta {
	struct fx_buf *out;
	struct fx_graph *root; /* whose journal it is */
	struct fx_graph
		*graph; /* that the lines are about: it or a nested one */
	struct fx_json json;
	struct fx_buf text; /* a value, before it is quoted */
	fx_delta_key_fn *key_of;
	void *context;
};

static void
put_value(struct delta *d, const char *key, const struct fx_value *value)
{
	fx_emit_json_value(&d->json, &d->text, key, value);
}

static void
put_id(struct delta *d, const struct fx_node *node)
{
	fx_json_put_int(&d->json, "id", (uint32_t)node->id);
}

static void
put_arguments(struct delta *d, const struct fx_node *node)
{
	put_value(d, "args", &node->args);
	if (node->kwargs.count)
		put_value(d, "kwargs", &node->kwargs);
}

/* Who comes next; absent at the end. */
static void
put_place(struct delta *d, const struct fx_node *node)
{
	const struct fx_node *next = fx_graph_next(node);

	if (next)
		fx_json_put_text(&d->json, "before", next->name);
}

static void
put_source(struct delta *d, const struct fx_source *source)
{
	if (!source)
		return;
	fx_json_key(&d->json, "frames");
	fx_emit_jsonl_frames(&d->json, source);
}

/* Outermost first: paths and classes in turn. */
static void
put_scope_steps(struct delta *d, const struct fx_scope *scope)
{
	if (scope->parent)
		put_scope_steps(d, scope->parent);
	fx_json_array_begin(&d->json);
	fx_json_string(&d->json, scope->path);
	if (scope->class_name)
		fx_json_string(&d->json, scope->class_name);
	fx_json_array_end(&d->json);
}

static void
put_scope(struct delta *d, const struct fx_scope *scope)
{
	if (!scope)
		return;
	fx_json_key(&d->json, "scope");
	fx_json_array_begin(&d->json);
	put_scope_steps(d, scope);
	fx_json_array_end(&d->json);
}

/* Ids, as in the field "id"; nodes of nested graphs have none here. */
static void
put_derived(struct delta *d, const struct fx_node *node)
{
	uint32_t count;
	const uint64_t *ids = fx_graph_derived(node, &count);
	bool has_some = false;

	for (uint32_t i = 0; i < count; i++) {
		if ((uint32_t)(ids[i] >> 32) != node->graph->serial)
			continue;
		if (!has_some) {
			fx_json_key(&d->json, "from");
			fx_json_array_begin(&d->json);
		}
		has_some = true;
		fx_json_int(&d->json, (uint32_t)ids[i]);
	}
	if (has_some)
		fx_json_array_end(&d->json);
}

static void
put_create(struct delta *d, const struct fx_node *node)
{
	put_id(d, node);
	fx_json_put_text(&d->json, "op",
		fx_opcode_word((enum fx_opcode)node->opcode));
	fx_json_put_text(&d->json, "target", node->target);
	put_arguments(d, node);
	fx_json_put_text(&d->json, "type", node->type);
	if (node->is_wrapped) {
		fx_json_put_bool(&d->json, "wrapped", true);
	}
	/* Nothing else tells the shape of an input. */
	if (node->opcode == FX_OPCODE_PLACEHOLDER && node->meta)
		put_value(d, "meta", node->meta);
	put_place(d, node);
	put_derived(d, node);
	put_source(d, node->source);
	put_scope(d, node->scope);
}

/* The path of MODULE in the tree; NULL when it is in none. */
static const char *
path_of(struct fx_graph *graph, const struct fx_module *module)
{
	struct fx_module_walk *walk = fx_module_walk_new(graph->module, true);
	struct fx_module *at;
	const char *path;
	const char *found = NULL;

	while (!found && fx_module_walk_next(walk, &at, &path))
		if (at == module)
			found = path;
	fx_module_walk_free(walk);
	return found;
}

static void
add_weight(struct delta *d, struct fx_weights *weights, struct fx_storage *s)
{
	struct fx_weight weight = { .storage = s };

	if (!s || fx_weights_find(weights, s))
		return;
	weight.key = d->key_of ? d->key_of(d->context, s) : NULL;
	if (!weight.key)
		return;
	fx_vec_push(weights, weight);
	fx_map_set(&weights->index, (uintptr_t)s, weights->count);
}

static void
collect_weights(struct delta *d, struct fx_weights *weights,
	const struct fx_member *member)
{
	struct fx_module_walk *walk;
	struct fx_module *at;
	const char *path;

	if (member->tensor)
		add_weight(d, weights, member->tensor->storage);
	if (!member->child)
		return;
	walk = fx_module_walk_new(member->child, true);
	while (fx_module_walk_next(walk, &at, &path))
		for (size_t i = 0; i < at->member_count; i++)
			if (at->members[i].tensor)
				add_weight(d, weights,
					at->members[i].tensor->storage);
	fx_module_walk_free(walk);
}

static void
write_member(struct delta *d, const struct fx_edit_step *step)
{
	FX_AUTO_WEIGHTS struct fx_weights weights = { 0 };
	const char *above = path_of(d->graph, step->module);
	const char *path = fx_module_path(above, step->member_name);
	struct fx_error *err;

	fx_json_object_begin(&d->json);
	fx_json_put_text(&d->json, "member", path);
	fx_json_put_bool(&d->json, "gone", !step->member);
	fx_json_object_end(&d->json);
	fx_buf_add_char(d->out, '\n');
	if (!step->member)
		return;
	collect_weights(d, &weights, step->member);
	err = fx_emit_jsonl_member(d->out, d->graph, step->member, path,
		&weights);
	/* Edits allow no deeper trees than the format does. */
	fx_error_free(err);
	fx_buf_add(d->out, "{\"end_member\":true}\n");
}

static void
put_fields(struct delta *d, const struct fx_edit_step *step)
{
	const struct fx_node *node = step->node;

	switch (step->kind) {
	case FX_EDIT_CREATE:
		fx_json_put_text(&d->json, "create", node->name);
		put_create(d, node);
		break;
	case FX_EDIT_ERASE:
		/* Its heir may have its name already. */
		fx_json_put_text(&d->json, "erase", node->name);
		put_id(d, node);
		break;
	case FX_EDIT_MOVE:
		fx_json_put_text(&d->json, "move", node->name);
		put_place(d, node);
		break;
	case FX_EDIT_ARGS:
		fx_json_put_text(&d->json, "set_args", node->name);
		put_arguments(d, node);
		break;
	case FX_EDIT_NAME:
		fx_json_put_text(&d->json, "rename", step->old_name);
		fx_json_put_text(&d->json, "to", node->name);
		break;
	case FX_EDIT_TARGET:
		fx_json_put_text(&d->json, "set_target", node->name);
		fx_json_put_text(&d->json, "op",
			fx_opcode_word((enum fx_opcode)node->opcode));
		fx_json_put_text(&d->json, "target", node->target);
		break;
	case FX_EDIT_TYPE:
		fx_json_put_text(&d->json, "set_type", node->name);
		fx_json_put_text(&d->json, "type", node->type);
		break;
	case FX_EDIT_MEMBER:
		break;
	}
}

/* What follows is about GRAPH. */
static void
write_graph(struct delta *d, struct fx_graph *graph)
{
	d->graph = graph;
	fx_json_object_begin(&d->json);
	fx_json_put_text(&d->json, "in", fx_control_path(d->root, graph));
	fx_json_object_end(&d->json);
	fx_buf_add_char(d->out, '\n');
	fx_json_init(&d->json, d->out);
}

static void
write_step(void *context, const struct fx_edit_step *step)
{
	struct delta *d = context;

	fx_json_init(&d->json, d->out);
	if (step->graph != d->graph)
		write_graph(d, step->graph);
	if (step->kind == FX_EDIT_MEMBER) {
		write_member(d, step);
		return;
	}
	fx_json_object_begin(&d->json);
	put_fields(d, step);
	fx_json_object_end(&d->json);
	fx_buf_add_char(d->out, '\n');
}

void
fx_emit_delta(struct fx_buf *out, struct fx_graph *graph,
	fx_delta_key_fn *key_of, void *context)
{
	struct delta d = { .out = out,
		.root = graph,
		.graph = graph,
		.key_of = key_of,
		.context = context };

	fx_journal_replay(graph, write_step, &d);
	fx_buf_deinit(&d.text);
}

/* delta.c - the text of a transaction applied to a graph. */
#include <config.h>

#include "load/delta.h"

#include <string.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/intern.h"
#include "ir/control.h"
#include "ir/edit.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "load/jsonl.h"
#include "load/jsonl_private.h"

struct delta {
	struct fx_jsonl *r;
	struct fx_graph *root;
	struct fx_graph *graph; /* that is edited: it, or one nested in it */
	/* A member that is being read: where it goes, and what holds it until
	 * it is whole.
	 */
	const char *path; /* interned; NULL: none */
	struct fx_module *holder;
};

FX_NODISCARD static struct fx_error *
find_node(struct delta *d, const json_t *object, const char *key,
	struct fx_node **ret)
{
	const char *name = fx_jsonl_text(object, key);

	*ret = name ? fx_graph_find(d->graph, name) : NULL;
	if (*ret)
		return NULL;
	return fx_jsonl_error(d->r, FX_ERR_FORMAT, "no node \"%.100s\"",
		name ? name : "");
}

/* The node that OBJECT's comes before; NULL at the end. */
FX_NODISCARD static struct fx_error *
find_before(struct delta *d, const json_t *object, struct fx_node **ret)
{
	*ret = NULL;
	if (!json_object_get(object, "before"))
		return NULL;
	return find_node(d, object, "before", ret);
}

FX_NODISCARD static struct fx_error *
read_arguments(struct delta *d, const json_t *object, struct fx_value *args_ret,
	struct fx_value *kwargs_ret)
{
	const char *args = fx_jsonl_text(object, "args");
	const char *kwargs = fx_jsonl_text(object, "kwargs");
	struct fx_error *err;

	*kwargs_ret = (struct fx_value){ .kind = FX_VALUE_NONE };
	if (!args)
		return fx_jsonl_error(d->r, FX_ERR_FORMAT, "no arguments");
	err = fx_jsonl_value(d->r, d->graph->values, args, args_ret);
	if (!err && kwargs)
		err = fx_jsonl_value(d->r, d->graph->values, kwargs,
			kwargs_ret);
	return err ? fx_jsonl_at(d->r, err) : NULL;
}

/* Paths and classes from the outermost module in. */
FX_NODISCARD static struct fx_error *
read_scope(struct delta *d, const json_t *steps, const struct fx_scope **ret)
{
	size_t i;
	json_t *step;

	json_array_foreach((json_t *)steps, i, step)
	{
		const char *path = json_string_value(json_array_get(step, 0));

		if (!path)
			return fx_jsonl_error(d->r, FX_ERR_FORMAT,
				"a scope has no path");
		*ret = fx_graph_scope(d->graph, *ret, path,
			json_string_value(json_array_get(step, 1)));
	}
	return NULL;
}

/* Ids of this graph's nodes, in the line's memory. */
static void
read_derived(struct delta *d, const json_t *ids, struct fx_node_spec *spec)
{
	size_t count = json_array_size(ids);
	uint64_t *copy = FX_ARENA_ARRAY(d->r->scratch, uint64_t, count);

	for (size_t i = 0; i < count; i++)
		copy[i] = (uint64_t)d->graph->serial << 32 |
			  (uint32_t)json_integer_value(json_array_get(ids, i));
	spec->derived = copy;
	spec->derived_count = (uint32_t)count;
}

/* The shape of an input, if OBJECT has one, into *VALUE. */
FX_NODISCARD static struct fx_error *
read_meta(struct delta *d, const json_t *object, struct fx_value *value,
	struct fx_node_spec *spec)
{
	const char *text = fx_jsonl_text(object, "meta");
	struct fx_error *err;

	if (!text)
		return NULL;
	err = fx_jsonl_value(d->r, d->r->scratch, text, value);
	if (err)
		return fx_jsonl_at(d->r, err);
	spec->meta = value;
	return NULL;
}

FX_NODISCARD static struct fx_error *
create(struct delta *d, const json_t *object)
{
	const char *op = fx_jsonl_text(object, "op");
	const json_t *frames = json_object_get(object, "frames");
	int64_t id = fx_jsonl_int(object, "id", 0);
	struct fx_node_spec spec = {
		.opcode = op ? fx_opcode_find(op) : FX_OPCODE_COUNT,
		.name = fx_jsonl_text(object, "create"),
		.name_is_exact = true,
		.target = fx_jsonl_text(object, "target"),
		.type = fx_jsonl_text(object, "type"),
		.is_wrapped = fx_jsonl_bool(object, "wrapped", false),
	};
	struct fx_node *before = NULL;
	struct fx_value meta;
	struct fx_error *err;

	if (spec.opcode == FX_OPCODE_COUNT || !spec.name || !spec.target)
		return fx_jsonl_error(d->r, FX_ERR_FORMAT,
			"a new node needs name, op and target");
	if (id < 1 || id > FX_JSONL_NODE_LIMIT ||
		!fx_graph_reserve_ids(d->graph, (uint32_t)id))
		return fx_jsonl_error(d->r, FX_ERR_FORMAT,
			"the id of %%%s is taken", spec.name);
	/* A name that somebody has is left to an heir. */
	spec.heir_of = fx_graph_find(d->graph, spec.name);
	read_derived(d, json_object_get(object, "from"), &spec);
	err = read_arguments(d, object, &spec.args, &spec.kwargs);
	if (!err)
		err = read_meta(d, object, &meta, &spec);
	if (!err)
		err = find_before(d, object, &before);
	if (!err && frames)
		err = fx_jsonl_frames(d->r, frames, &spec.source);
	if (!err)
		err = read_scope(d, json_object_get(object, "scope"),
			&spec.scope);
	return err ? err : fx_edit_create(d->graph, &spec, before, NULL);
}

FX_NODISCARD static struct fx_error *
erase(struct delta *d, const json_t *object)
{
	uint64_t id = (uint32_t)fx_jsonl_int(object, "id", 0);
	struct fx_node *node = fx_graph_find_id(d->graph,
		(uint64_t)d->graph->serial << 32 | id);

	if (node)
		return fx_edit_erase(node);
	return fx_jsonl_error(d->r, FX_ERR_FORMAT,
		"a node is erased that is not there");
}

FX_NODISCARD static struct fx_error *
move(struct delta *d, const json_t *object)
{
	struct fx_node *node;
	struct fx_node *before;
	struct fx_error *err = find_node(d, object, "move", &node);

	if (!err)
		err = find_before(d, object, &before);
	return err ? err : fx_edit_move(node, before);
}

FX_NODISCARD static struct fx_error *
set_args(struct delta *d, const json_t *object)
{
	struct fx_node *node;
	struct fx_value args;
	struct fx_value kwargs;
	struct fx_error *err = find_node(d, object, "set_args", &node);

	if (!err)
		err = read_arguments(d, object, &args, &kwargs);
	return err ? err : fx_edit_set_args(node, args, kwargs);
}

/* The text KEY, which has to be there. */
FX_NODISCARD static struct fx_error *
need_text(struct delta *d, const json_t *object, const char *key,
	const char **ret)
{
	*ret = fx_jsonl_text(object, key);
	return *ret ? NULL
		    : fx_jsonl_error(d->r, FX_ERR_FORMAT, "no field \"%s\"",
			      key);
}

FX_NODISCARD static struct fx_error *
rename_node(struct delta *d, const json_t *object)
{
	const char *name;
	struct fx_node *node;
	struct fx_error *err = find_node(d, object, "rename", &node);

	if (!err)
		err = need_text(d, object, "to", &name);
	return err ? err : fx_edit_set_name(node, name);
}

FX_NODISCARD static struct fx_error *
set_target(struct delta *d, const json_t *object)
{
	const char *op;
	const char *target;
	struct fx_node *node;
	struct fx_error *err = find_node(d, object, "set_target", &node);

	if (!err)
		err = need_text(d, object, "op", &op);
	if (!err)
		err = need_text(d, object, "target", &target);
	if (!err && fx_opcode_find(op) == FX_OPCODE_COUNT)
		err = fx_jsonl_error(d->r, FX_ERR_FORMAT,
			"no opcode \"%.100s\"", op);
	return err ? err : fx_edit_set_opcode(node, fx_opcode_find(op), target);
}

FX_NODISCARD static struct fx_error *
set_type(struct delta *d, const json_t *object)
{
	struct fx_node *node;
	struct fx_error *err = find_node(d, object, "set_type", &node);

	return err ? err
		   : fx_edit_set_type(node, fx_jsonl_text(object, "type"));
}

/* What stands at PATH: a module, or a tensor. */
FX_NODISCARD static struct fx_error *
remove_member(struct delta *d, const char *path)
{
	if (fx_module_find_tensor(d->graph->module, path))
		return fx_edit_bind_tensor(d->graph, path, NULL);
	return fx_edit_set_module(d->graph, path, NULL);
}

/* Lines up to end_member fill a module of its own. */
FX_NODISCARD static struct fx_error *
begin_member(struct delta *d, const json_t *object)
{
	struct fx_jsonl *r = d->r;
	const char *path;
	struct fx_error *err = need_text(d, object, "member", &path);

	if (err)
		return err;
	if (d->path)
		return fx_jsonl_error(r, FX_ERR_FORMAT,
			"a member stands within another");
	if (fx_jsonl_bool(object, "gone", false))
		return remove_member(d, path);
	d->path = fx_intern(path);
	d->holder = fx_module_new(d->graph, "torch.nn.Module");
	r->sections[++r->depth] = (struct fx_jsonl_section){
		.graph = d->graph,
		.root = d->holder,
	};
	return NULL;
}

FX_NODISCARD static struct fx_error *
end_member(struct delta *d, const json_t *object)
{
	struct fx_jsonl_section *s = fx_jsonl_section(d->r);
	const struct fx_member *member = d->holder ? d->holder->members : NULL;
	const char *path = d->path;

	(void)object;
	if (!path || d->r->depth != 1 || d->holder->member_count != 1)
		return fx_jsonl_error(d->r, FX_ERR_FORMAT,
			"no member to end here");
	fx_vec_deinit(&s->sources);
	fx_vec_deinit(&s->scopes);
	d->r->depth--;
	d->path = NULL;
	if (member->kind == FX_MEMBER_CHILD)
		return fx_edit_set_module(d->graph, path, member->child);
	return fx_edit_bind_tensor(d->graph, path, member->tensor);
}

/* What follows is about the graph nested there. */
FX_NODISCARD static struct fx_error *
enter_graph(struct delta *d, const json_t *object)
{
	const char *path;
	struct fx_error *err = need_text(d, object, "in", &path);
	struct fx_graph *graph =
		err ? NULL : fx_control_graph_at(d->root, path);

	if (err)
		return err;
	if (!graph)
		return fx_jsonl_error(d->r, FX_ERR_FORMAT,
			"no graph \"%.100s\" to edit", path);
	d->graph = graph;
	d->r->sections[0].graph = graph;
	d->r->sections[0].root = graph->module;
	return NULL;
}

/* Edits by their first field. */
static const struct {
	const char *key;
	struct fx_error *(*apply)(struct delta *d, const json_t *object);
} changes[] = {
	{ "create", create },
	{ "erase", erase },
	{ "move", move },
	{ "set_args", set_args },
	{ "rename", rename_node },
	{ "set_target", set_target },
	{ "set_type", set_type },
	{ "member", begin_member },
	{ "end_member", end_member },
	{ "in", enter_graph },
};

FX_NODISCARD static struct fx_error *
apply_line(struct delta *d, const char *line, size_t length)
{
	json_t *object = NULL;
	struct fx_error *err;
	size_t i = 0;

	if (d->path && !fx_jsonl_is_record(line, length, "end_member"))
		return fx_jsonl_record(d->r, line, length);
	err = fx_jsonl_parse(d->r, line, length, &object);
	if (err)
		return err;
	while (i < FX_ARRAY_LEN(changes) &&
		!json_object_get(object, changes[i].key))
		i++;
	if (i < FX_ARRAY_LEN(changes))
		err = changes[i].apply(d, object);
	else
		err = fx_jsonl_error(d->r, FX_ERR_FORMAT, "no such edit");
	json_decref(object);
	return err;
}

FX_NODISCARD static struct fx_error *
apply_lines(struct delta *d, const char *text, const char *end)
{
	struct fx_arena_mark mark = fx_arena_mark(d->r->scratch);
	struct fx_error *err = NULL;

	fx_edit_relax(d->root);
	while (text < end && !err) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));

		if (!newline)
			newline = end;
		d->r->line++;
		if (newline > text)
			err = apply_line(d, text, (size_t)(newline - text));
		fx_arena_rollback(d->r->scratch, mark);
		text = newline + 1;
	}
	if (!err && d->path)
		err = fx_jsonl_error(d->r, FX_ERR_FORMAT,
			"the member \"%.100s\" does not end", d->path);
	return err;
}

struct fx_error *
fx_load_delta(struct fx_graph *graph, const char *text, size_t length,
	fx_delta_find_fn *find, void *context)
{
	struct fx_load_input input = {
		.text = text, .length = length, .serial = graph->serial
	};
	struct fx_jsonl *r = fx_jsonl_new(&input, graph);
	struct delta d = { .r = r, .root = graph, .graph = graph };
	struct fx_error *err;

	r->graph_total = fx_control_highest_number(graph);
	r->find_storage = find;
	r->find_context = context;
	err = apply_lines(&d, text, text + length);
	fx_jsonl_free(r);
	return err;
}

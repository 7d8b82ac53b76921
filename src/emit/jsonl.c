/* jsonl.c - a graph as .fxg text: JSON lines, lossless (doc/fxg.md).
 *
 * One record a line: what it is about comes first, so that grep and diff work,
 * and fields stand in one order.  Members of modules are written in the order
 * in which they are registered, so that reading them back gives it again.
 */
#include <config.h>

#include "emit/jsonl.h"

#include <string.h>

#include "base/blob.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "emit/weights.h"
#include "ir/decided.h"
#include "ir/graph.h"
#include "ir/graph_hash.h"
#include "ir/module.h"
#include "ir/note.h"
#include "ir/value_text.h"

struct writer {
	struct fx_buf *out;
	struct fx_json json;
	const struct fx_weights *weights;
	const struct fx_emit_jsonl *options;
	struct fx_buf text; /* a value, before it is quoted */
	int graph_depth;
	size_t lines;
};

/* One graph's own numbering. */
struct section {
	struct fx_graph *graph;
	struct fx_map sources; /* struct fx_source * -> number + 1 */
	struct fx_map scopes;
	struct fx_map modules; /* struct fx_module * -> interned path */
	struct fx_map tensors; /* struct fx_tensor * -> interned path */
	struct fx_map others;  /* both, outside of the member that is written */
};

void
fx_emit_json_value(struct fx_json *json, struct fx_buf *scratch,
	const char *key, const struct fx_value *value)
{
	static const struct fx_value_printer exact = {
		.style = FX_STYLE_EXACT,
	};

	fx_buf_clear(scratch);
	fx_value_print(scratch, value, &exact);
	fx_json_key(json, key);
	fx_json_string_n(json, fx_buf_text(scratch), scratch->length);
}

static void
line_begin(struct writer *w)
{
	fx_json_init(&w->json, w->out);
	fx_json_object_begin(&w->json);
}

static void
line_end(struct writer *w)
{
	fx_json_object_end(&w->json);
	fx_buf_add_char(w->out, '\n');
	w->lines++;
}

static void
put_value(struct writer *w, const char *key, const struct fx_value *value)
{
	fx_emit_json_value(&w->json, &w->text, key, value);
}

static void
put_hash(struct writer *w, const char *key, struct fx_hash hash)
{
	char text[33];

	fx_hash_text(hash, text);
	fx_json_put_text(&w->json, key, text);
}

static void
put_ints(struct writer *w, const char *key, const int64_t *numbers,
	size_t count)
{
	fx_json_key(&w->json, key);
	fx_json_array_begin(&w->json);
	for (size_t i = 0; i < count; i++)
		fx_json_int(&w->json, numbers[i]);
	fx_json_array_end(&w->json);
}

/* Modules. */

static void
put_storage(struct writer *w, const struct fx_tensor *tensor)
{
	struct fx_storage *storage = tensor->storage;
	const struct fx_weight *weight =
		storage ? fx_weights_find(w->weights, storage) : NULL;

	if (!weight)
		return;
	fx_json_put_text(&w->json, "storage", weight->key);
	if (storage->blob && w->options->weights_file)
		fx_json_put_int(&w->json, "bytes",
			(int64_t)fx_blob_size(storage->blob));
	if (!w->options->leaves_digests_out)
		fx_storage_compute_digest(storage);
	if (storage->has_digest)
		put_hash(w, "digest", storage->digest);
}

static void
put_tensor_fields(struct writer *w, const struct fx_tensor *tensor)
{
	fx_json_put_text(&w->json, "dtype", fx_dtype_info(tensor->dtype)->name);
	put_ints(w, "shape", tensor->sizes, tensor->rank);
	if (tensor->strides)
		put_ints(w, "strides", tensor->strides, tensor->rank);
	if (tensor->offset)
		fx_json_put_int(&w->json, "offset", tensor->offset);
	if (tensor->requires_grad)
		fx_json_put_bool(&w->json, "grad", true);
	if (tensor->is_persistent != tensor->is_buffer)
		fx_json_put_bool(&w->json, "persistent", tensor->is_persistent);
	put_storage(w, tensor);
}

static void
write_tensor(struct writer *w, struct section *s, const struct fx_member *m,
	const char *path)
{
	const char *same = NULL;

	line_begin(w);
	fx_json_put_text(&w->json, "tensor", path);
	fx_json_put_text(&w->json, "kind",
		m->kind == FX_MEMBER_PARAMETER ? "parameter" : "buffer");
	if (m->tensor)
		same = fx_map_get_pointer(&s->tensors, m->tensor);
	if (!m->tensor) {
		fx_json_put_bool(&w->json, "none", true);
	} else if (same) {
		fx_json_put_text(&w->json, "same", same);
	} else if (fx_map_has(&s->others, (uintptr_t)m->tensor)) {
		fx_json_put_text(&w->json, "other",
			fx_map_get_pointer(&s->others, m->tensor));
	} else {
		fx_map_set_pointer(&s->tensors, m->tensor, path);
		put_tensor_fields(w, m->tensor);
	}
	line_end(w);
}

FX_NODISCARD static struct fx_error *write_graph(struct writer *w,
	struct fx_graph *graph);

FX_NODISCARD static struct fx_error *
write_inner_graph(struct writer *w, struct fx_module *module, const char *path)
{
	struct fx_graph *graph = module->graph;
	struct fx_error *err;

	if (++w->graph_depth > FX_FXG_GRAPH_LIMIT)
		return fx_error_new(FX_ERR_LIMIT,
			"graphs nest more than %d levels deep at \"%s\"",
			FX_FXG_GRAPH_LIMIT, path);
	line_begin(w);
	fx_json_put_text(&w->json, "graph", path);
	fx_json_put_text(&w->json, "name", graph->name);
	fx_json_put_text(&w->json, "class", graph->class_name);
	fx_json_put_text(&w->json, "dialect", graph->dialect);
	fx_json_put_text(&w->json, "origin", graph->origin);
	line_end(w);
	err = write_graph(w, graph);
	if (err)
		return err;
	line_begin(w);
	fx_json_put_text(&w->json, "end_graph", path);
	line_end(w);
	w->graph_depth--;
	return NULL;
}

static void
write_module_line(struct writer *w, struct section *s, struct fx_module *module,
	const char *path)
{
	const char *same =
		module ? fx_map_get_pointer(&s->modules, module) : NULL;

	line_begin(w);
	fx_json_put_text(&w->json, "module", path);
	if (!module) {
		fx_json_put_bool(&w->json, "none", true);
	} else if (same) {
		fx_json_put_text(&w->json, "same", same);
	} else if (fx_map_has(&s->others, (uintptr_t)module)) {
		fx_json_put_text(&w->json, "other",
			fx_map_get_pointer(&s->others, module));
	} else {
		fx_json_put_text(&w->json, "class", module->class_name);
		fx_json_put_bool(&w->json, "leaf", module->is_leaf);
		fx_json_put_bool(&w->json, "training", module->training);
		if (module->own_code)
			fx_json_put_text(&w->json, "own_code",
				module->own_code);
		if (module->config.count)
			put_value(w, "config", &module->config);
	}
	line_end(w);
}

/* Depth first; recursion is bounded by the path's length. */
FX_NODISCARD static struct fx_error *
write_module(struct writer *w, struct section *s, struct fx_module *module,
	const char *path, int depth)
{
	bool is_new = module && !fx_map_has(&s->modules, (uintptr_t)module) &&
		      !fx_map_has(&s->others, (uintptr_t)module);
	struct fx_error *err = NULL;

	if (depth > FX_FXG_PATH_LIMIT)
		return fx_error_new(FX_ERR_LIMIT,
			"modules nest more than %d levels deep",
			FX_FXG_PATH_LIMIT);
	write_module_line(w, s, module, path);
	if (!is_new)
		return NULL;
	fx_map_set_pointer(&s->modules, module, path);
	for (size_t i = 0; i < module->member_count && !err; i++) {
		const struct fx_member *m = &module->members[i];
		const char *inner = fx_module_path(path, m->name);

		if (m->kind == FX_MEMBER_CHILD)
			err = write_module(w, s, m->child, inner, depth + 1);
		else
			write_tensor(w, s, m, inner);
	}
	if (!err && module->graph)
		err = write_inner_graph(w, module, path);
	return err;
}

/* Nodes. */

void
fx_emit_jsonl_frames(struct fx_json *json, const struct fx_source *source)
{
	fx_json_array_begin(json);
	for (size_t i = 0; i < source->count; i++) {
		const struct fx_source_frame *frame = &source->frames[i];

		fx_json_object_begin(json);
		fx_json_put_text(json, "file", frame->file);
		fx_json_put_int(json, "line", frame->line);
		fx_json_put_text(json, "function", frame->function);
		fx_json_put_text(json, "text", frame->text);
		fx_json_object_end(json);
	}
	fx_json_array_end(json);
}

/* The number of SOURCE, which gets a line of its own when it is new. */
static int64_t
source_number(struct writer *w, struct section *s,
	const struct fx_source *source)
{
	uintptr_t number = fx_map_get(&s->sources, (uintptr_t)source, 0);

	if (number)
		return (int64_t)number - 1;
	number = s->sources.count + 1;
	fx_map_set(&s->sources, (uintptr_t)source, number);
	line_begin(w);
	fx_json_put_int(&w->json, "source", (int64_t)number - 1);
	fx_json_key(&w->json, "frames");
	fx_emit_jsonl_frames(&w->json, source);
	line_end(w);
	return (int64_t)number - 1;
}

static void
write_scope(struct writer *w, struct section *s, const struct fx_scope *scope)
{
	uintptr_t number = s->scopes.count + 1;

	line_begin(w);
	fx_json_put_int(&w->json, "scope", (int64_t)number - 1);
	if (scope->parent)
		fx_json_put_int(&w->json, "parent",
			(int64_t)fx_map_get(&s->scopes,
				(uintptr_t)scope->parent, 1) -
				1);
	fx_json_put_text(&w->json, "path", scope->path);
	fx_json_put_text(&w->json, "class", scope->class_name);
	line_end(w);
	fx_map_set(&s->scopes, (uintptr_t)scope, number);
}

static int64_t
scope_number(struct writer *w, struct section *s, const struct fx_scope *scope)
{
	/* Outermost first; a chain as long as a module path. */
	while (!fx_map_has(&s->scopes, (uintptr_t)scope)) {
		const struct fx_scope *top = scope;

		while (top->parent &&
			!fx_map_has(&s->scopes, (uintptr_t)top->parent))
			top = top->parent;
		write_scope(w, s, top);
	}
	return (int64_t)fx_map_get(&s->scopes, (uintptr_t)scope, 1) - 1;
}

static void
put_notes(struct writer *w, const struct fx_node *node)
{
	FX_AUTO_BUF struct fx_buf derived = { 0 };
	const char *key;
	const char *text;

	fx_graph_print_derived(node, &derived);
	if (!node->note_count && !derived.length)
		return;
	fx_json_key(&w->json, "notes");
	fx_json_object_begin(&w->json);
	for (size_t i = 0; fx_graph_note_at(node, i, &key, &text); i++)
		fx_json_put_text(&w->json, key, text);
	/* Ids are not kept. */
	if (derived.length)
		fx_json_put_text(&w->json, FX_NOTE_DERIVED,
			fx_buf_text(&derived));
	fx_json_object_end(&w->json);
}

static void
write_node(struct writer *w, struct section *s, const struct fx_node *node)
{
	int64_t source = node->source ? source_number(w, s, node->source) : -1;
	int64_t scope = node->scope ? scope_number(w, s, node->scope) : -1;

	line_begin(w);
	fx_json_put_text(&w->json, "node", node->name);
	fx_json_put_text(&w->json, "op",
		fx_opcode_word((enum fx_opcode)node->opcode));
	fx_json_put_text(&w->json, "target", node->target);
	put_value(w, "args", &node->args);
	if (node->kwargs.count)
		put_value(w, "kwargs", &node->kwargs);
	fx_json_put_text(&w->json, "type", node->type);
	if (node->is_wrapped)
		fx_json_put_bool(&w->json, "wrapped", true);
	if (node->meta)
		put_value(w, "meta", node->meta);
	if (source >= 0)
		fx_json_put_int(&w->json, "source", source);
	if (scope >= 0)
		fx_json_put_int(&w->json, "scope", scope);
	put_notes(w, node);
	line_end(w);
}

static void
write_pytree(struct writer *w, const struct fx_pytree *pytree)
{
	line_begin(w);
	fx_json_key(&w->json, "pytree");
	fx_json_array_begin(&w->json);
	for (size_t i = 0; i < pytree->input_count; i++)
		fx_json_string(&w->json, pytree->inputs[i]);
	fx_json_array_end(&w->json);
	fx_json_put_bool(&w->json, "self", pytree->with_self);
	fx_json_put_bool(&w->json, "kwargs", pytree->with_kwargs);
	fx_json_put_text(&w->json, "in", pytree->in_text);
	fx_json_put_bool(&w->json, "outputs", pytree->has_outputs);
	line_end(w);
}

static void
put_test(struct writer *w, const struct fx_graph *graph,
	const struct fx_decided_test *test)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const struct fx_node *after = fx_graph_find_id(graph, test->after);

	if (!fx_decided_print(&text, test, graph))
		return;
	fx_json_object_begin(&w->json);
	fx_json_put_text(&w->json, "expression", fx_buf_text(&text));
	fx_json_put_text(&w->json, "value", test->value);
	fx_json_put_text(&w->json, "after", after ? after->name : NULL);
	fx_json_object_end(&w->json);
}

static void
write_decided(struct writer *w, const struct fx_graph *graph)
{
	const struct fx_decided *at;

	for (at = fx_graph_decided(graph); at; at = at->next) {
		line_begin(w);
		fx_json_put_text(&w->json, "decided", at->file);
		fx_json_put_int(&w->json, "line", at->line);
		fx_json_put_text(&w->json, "text", at->text);
		fx_json_put_text(&w->json, "value", at->value);
		fx_json_key(&w->json, "tests");
		fx_json_array_begin(&w->json);
		for (const struct fx_decided_test *test = at->tests; test;
			test = test->next)
			put_test(w, graph, test);
		fx_json_array_end(&w->json);
		line_end(w);
	}
}

static void
section_deinit(struct section *s)
{
	fx_map_deinit(&s->sources);
	fx_map_deinit(&s->scopes);
	fx_map_deinit(&s->modules);
	fx_map_deinit(&s->tensors);
	fx_map_deinit(&s->others);
}

FX_NODISCARD static struct fx_error *
write_graph(struct writer *w, struct fx_graph *graph)
{
	struct section s = { .graph = graph };
	struct fx_error *err = write_module(w, &s, graph->module, "", 0);
	const struct fx_node *node;

	if (!err && graph->pytree)
		write_pytree(w, graph->pytree);
	if (!err)
		fx_graph_for_each_node (node, graph)
			write_node(w, &s, node);
	if (!err)
		write_decided(w, graph);
	section_deinit(&s);
	return err;
}

static void
write_header(struct writer *w, struct fx_graph *graph)
{
	line_begin(w);
	fx_json_put_int(&w->json, "fxg", FX_FXG_MAJOR);
	fx_json_put_int(&w->json, "minor",
		fx_graph_decided(graph) ? FX_FXG_MINOR : 0);
	fx_json_put_text(&w->json, "name", graph->name);
	fx_json_put_text(&w->json, "class", graph->class_name);
	fx_json_put_text(&w->json, "dialect", graph->dialect);
	fx_json_put_text(&w->json, "origin", graph->origin);
	fx_json_put_int(&w->json, "nodes", (int64_t)graph->node_count);
	put_hash(w, "hash", fx_graph_hash(graph));
	if (w->options->weights_file) {
		fx_json_put_text(&w->json, "weights", w->options->weights_file);
		fx_json_put_int(&w->json, "weights_size",
			(int64_t)w->options->weights_size);
	}
	line_end(w);
}

/* The last line has a digest of all bytes before it. */
static void
write_trailer(struct writer *w, size_t start)
{
	struct fx_hash hash =
		fx_hash_of(w->out->data + start, w->out->length - start);

	line_begin(w);
	fx_json_put_int(&w->json, "end", (int64_t)w->lines);
	put_hash(w, "hash", hash);
	line_end(w);
}

struct fx_error *
fx_emit_jsonl(struct fx_buf *out, struct fx_graph *graph,
	const struct fx_weights *weights, const struct fx_emit_jsonl *options)
{
	static const struct fx_emit_jsonl defaults = { 0 };
	struct writer w = { .out = out, .weights = weights };
	size_t start = out->length;
	struct fx_error *err;

	w.options = options ? options : &defaults;
	fx_buf_reserve(out, 150 * graph->node_count);
	write_header(&w, graph);
	err = write_graph(&w, graph);
	if (err)
		fx_buf_truncate(out, start);
	else
		write_trailer(&w, start);
	fx_buf_deinit(&w.text);
	return err;
}

/* Whether PATH is OUTER or below it. */
static bool
is_below(const char *path, const char *outer)
{
	size_t length = strlen(outer);

	return !strncmp(path, outer, length) &&
	       (!path[length] || path[length] == '.');
}

static bool
is_below_any(const char *path, const char *const *outer, size_t count)
{
	while (count-- > 0)
		if (is_below(path, outer[count]))
			return true;
	return false;
}

static void
add_other(struct section *s, const void *what, const char *path)
{
	if (what && !fx_map_has(&s->others, (uintptr_t)what))
		fx_map_set_pointer(&s->others, what, path);
}

/* What stands in the tree outside of MEMBER, which stands at PATH: not where
 * its module stands at a second path either, as that is the same place.
 */
static void
collect_others(struct section *s, const struct fx_member *member,
	const char *path)
{
	struct fx_module *root = s->graph->module;
	FX_AUTO_FREE char *above =
		fx_xstrndup(path, strlen(path) - strlen(member->name));
	struct fx_module_walk *walk = fx_module_walk_new(root, false);
	FX_VEC(const char *) places = { 0 };
	const struct fx_module *holder;
	struct fx_module *at;

	if (*above)
		above[strlen(above) - 1] = '\0';
	holder = fx_module_find(root, above);
	while (fx_module_walk_next(walk, &at, &path)) {
		if (at == holder)
			fx_vec_push(&places,
				fx_module_path(path, member->name));
		if (is_below_any(path, places.items, places.count))
			continue;
		add_other(s, at, path);
		for (size_t i = 0; i < at->member_count; i++) {
			const struct fx_member *m = &at->members[i];

			if (at != holder || m->name != member->name)
				add_other(s, m->tensor,
					fx_module_path(path, m->name));
		}
	}
	fx_module_walk_free(walk);
	fx_vec_deinit(&places);
}

struct fx_error *
fx_emit_jsonl_member(struct fx_buf *out, struct fx_graph *graph,
	const struct fx_member *member, const char *path,
	const struct fx_weights *weights)
{
	static const struct fx_emit_jsonl options = { 0 };
	struct writer w = {
		.out = out, .weights = weights, .options = &options
	};
	struct section s = { .graph = graph };
	struct fx_error *err = NULL;

	collect_others(&s, member, path);
	if (member->kind == FX_MEMBER_CHILD)
		err = write_module(&w, &s, member->child, member->name, 0);
	else
		write_tensor(&w, &s, member, member->name);
	section_deinit(&s);
	fx_buf_deinit(&w.text);
	return err;
}

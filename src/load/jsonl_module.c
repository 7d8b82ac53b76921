/* jsonl_module.c - modules, tensors and inner graphs, from .fxg. */
#include <config.h>

#include "load/jsonl_private.h"

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/intern.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/part.h"
#include "ir/tensor_meta.h"
#include "load/safetensors.h"

/* Split PATH at its last dot: the module before it (the root when there is
 * none), and the name.  NULL when there is no such module.
 */
static struct fx_module *
find_parent(struct fx_jsonl *r, const char *path, const char **name_ret)
{
	struct fx_module *root = fx_jsonl_section(r)->root;
	const char *dot = strrchr(path, '.');

	*name_ret = fx_intern(dot ? dot + 1 : path);
	if (!dot)
		return root;
	return fx_module_find(root, fx_intern_n(path, (size_t)(dot - path)));
}

/* The parent of what PATH is to name, checked. */
FX_NODISCARD static struct fx_error *
open_place(struct fx_jsonl *r, const char *path, struct fx_module **parent_ret,
	const char **name_ret)
{
	int dots = 0;

	if (!path)
		return fx_jsonl_error(r, FX_ERR_FORMAT, "a path is no text");
	for (const char *c = path; *c; c++)
		dots += *c == '.';
	if (dots >= FX_FXG_PATH_LIMIT)
		return fx_jsonl_error(r, FX_ERR_LIMIT,
			"modules nest more than %d levels deep",
			FX_FXG_PATH_LIMIT);
	*parent_ret = find_parent(r, path, name_ret);
	if (!*parent_ret || !**name_ret)
		return fx_jsonl_error(r, FX_ERR_FORMAT,
			"\"%.100s\" stands below no module", path);
	if (fx_module_member(*parent_ret, *name_ret))
		return fx_jsonl_error(r, FX_ERR_FORMAT,
			"\"%.100s\" stands twice", path);
	return NULL;
}

FX_NODISCARD static struct fx_error *
fill_module(struct fx_jsonl *r, const json_t *object, struct fx_module *module)
{
	static const char *const known[] = { "module", "class", "leaf",
		"training", "own_code", "config", NULL };
	const char *config = fx_jsonl_text(object, "config");
	struct fx_error *err;

	fx_jsonl_check_fields(r, object, known);
	module->class_name = fx_intern(fx_jsonl_text(object, "class"));
	if (!module->class_name)
		return fx_jsonl_error(r, FX_ERR_FORMAT,
			"a module has no class");
	module->is_leaf = fx_jsonl_bool(object, "leaf", false);
	module->training = fx_jsonl_bool(object, "training", false);
	module->own_code = fx_intern(fx_jsonl_text(object, "own_code"));
	if (!config)
		return NULL;
	err = fx_jsonl_value(r, fx_jsonl_section(r)->graph->permanent, config,
		&module->config);
	if (!err && module->config.kind != FX_VALUE_DICT)
		err = fx_error_new(FX_ERR_FORMAT, "it is no dict");
	if (!err)
		return NULL;
	return fx_jsonl_at(r,
		fx_error_note(err, "in the configuration of module \"%s\"",
			fx_jsonl_text(object, "module")));
}

/* A second path below ROOT of a module: one that does not stand above it. */
FX_NODISCARD static struct fx_error *
find_same(struct fx_jsonl *r, struct fx_module *root, struct fx_module *parent,
	const char *same, struct fx_module **ret)
{
	*ret = *same ? fx_module_find(root, same) : NULL;
	if (!*ret)
		return fx_jsonl_error(r, FX_ERR_FORMAT, "no module \"%.100s\"",
			same);
	if (fx_module_contains(*ret, parent))
		return fx_jsonl_error(r, FX_ERR_FORMAT,
			"module \"%.100s\" contains itself", same);
	return NULL;
}

struct fx_error *
fx_jsonl_module(struct fx_jsonl *r, const json_t *object)
{
	struct fx_graph *graph = fx_jsonl_section(r)->graph;
	const char *path = fx_jsonl_text(object, "module");
	const char *same = fx_jsonl_text(object, "same");
	const char *other = fx_jsonl_text(object, "other");
	struct fx_module *parent = NULL;
	struct fx_module *module = NULL;
	const char *name = NULL;
	struct fx_error *err;

	if (path && !*path)
		return fill_module(r, object, fx_jsonl_section(r)->root);
	err = open_place(r, path, &parent, &name);
	if (err)
		return err;
	if (same)
		err = find_same(r, fx_jsonl_section(r)->root, parent, same,
			&module);
	else if (other)
		err = find_same(r, graph->module, parent, other, &module);
	else if (!fx_jsonl_bool(object, "none", false))
		module = fx_module_new(graph, "torch.nn.Module");
	if (!err && module && !same && !other)
		err = fill_module(r, object, module);
	if (!err)
		fx_module_add_child(parent, name, module);
	return err;
}

/* Tensors. */

FX_NODISCARD static struct fx_error *
read_ints(struct fx_jsonl *r, const json_t *object, const char *key,
	int64_t *numbers, size_t *count_ret)
{
	const json_t *array = json_object_get(object, key);
	size_t count = json_array_size(array);

	if (count > FX_RANK_LIMIT)
		return fx_jsonl_error(r, FX_ERR_LIMIT, "%s has %zu dimensions",
			key, count);
	for (size_t i = 0; i < count; i++) {
		const json_t *number = json_array_get(array, i);

		if (!json_is_integer(number) || json_integer_value(number) < 0)
			return fx_jsonl_error(r, FX_ERR_FORMAT,
				"%s has what is no size", key);
		numbers[i] = json_integer_value(number);
	}
	*count_ret = count;
	return NULL;
}

/* The bytes of storage KEY from the weights file. */
FX_NODISCARD static struct fx_error *
attach_bytes(struct fx_jsonl *r, const char *key, uint64_t size,
	struct fx_storage *storage)
{
	const struct fx_safetensors_entry *entry;

	if (!r->weights)
		return NULL;
	entry = fx_safetensors_find(r->weights, key);
	if (!entry)
		return fx_jsonl_error(r, FX_ERR_FORMAT,
			"weights file \"%s\" has no tensor \"%.100s\"",
			r->weights->path, key);
	if (entry->end - entry->begin != size)
		return fx_jsonl_error(r, FX_ERR_FORMAT,
			"weights file \"%s\" has %" PRIu64 " bytes of "
			"\"%.100s\", expected %" PRIu64,
			r->weights->path, entry->end - entry->begin, key, size);
	storage->blob = fx_safetensors_blob(r->weights, entry);
	return NULL;
}

/* The storage that OBJECT names, made at its first mention. */
FX_NODISCARD static struct fx_error *
find_storage(struct fx_jsonl *r, const json_t *object, struct fx_storage **ret)
{
	const char *key = fx_intern(fx_jsonl_text(object, "storage"));
	const char *digest = fx_jsonl_text(object, "digest");
	int64_t size = fx_jsonl_int(object, "bytes", -1);
	struct fx_storage *storage;

	*ret = NULL;
	if (!key)
		return NULL;
	storage = fx_map_get_pointer(&r->storages, key);
	if (storage) {
		*ret = storage;
		return NULL;
	}
	if (r->find_storage)
		storage = r->find_storage(r->find_context, key);
	if (!storage)
		storage = fx_storage_new(NULL);
	storage->key = key;
	fx_map_set_pointer(&r->storages, key, storage);
	*ret = storage;
	if (digest && !r->has_old_digests) {
		if (!fx_hash_parse(digest, &storage->digest))
			return fx_jsonl_error(r, FX_ERR_FORMAT,
				"a digest is damaged");
		storage->has_digest = true;
	}
	return size < 0 ? NULL : attach_bytes(r, key, (uint64_t)size, storage);
}

FX_NODISCARD static struct fx_error *
check_reach(struct fx_jsonl *r, const struct fx_tensor *tensor)
{
	uint64_t bytes;

	if (!fx_tensor_reach(tensor, &bytes))
		return fx_jsonl_error(r, FX_ERR_LIMIT,
			"a tensor has an absurd size");
	if (tensor->storage && tensor->storage->blob &&
		bytes > fx_blob_size(tensor->storage->blob))
		return fx_jsonl_error(r, FX_ERR_FORMAT,
			"a tensor needs %" PRIu64 " bytes of storage \"%s\", "
			"which has %zu",
			bytes, tensor->storage->key,
			fx_blob_size(tensor->storage->blob));
	return NULL;
}

FX_NODISCARD static struct fx_error *
make_tensor(struct fx_jsonl *r, const json_t *object, struct fx_tensor **ret)
{
	struct fx_graph *graph = fx_jsonl_section(r)->graph;
	const char *dtype = fx_jsonl_text(object, "dtype");
	int64_t sizes[FX_RANK_LIMIT];
	int64_t strides[FX_RANK_LIMIT];
	size_t rank = 0;
	size_t stride_count = 0;
	struct fx_storage *storage = NULL;
	struct fx_error *err = read_ints(r, object, "shape", sizes, &rank);

	if (!err)
		err = read_ints(r, object, "strides", strides, &stride_count);
	if (!err && (!dtype || fx_dtype_find(dtype) == FX_DTYPE_NONE))
		err = fx_jsonl_error(r, FX_ERR_FORMAT, "no dtype \"%.100s\"",
			dtype ? dtype : "");
	if (!err)
		err = find_storage(r, object, &storage);
	if (err)
		return err;
	*ret = fx_tensor_new(graph, fx_dtype_find(dtype), sizes, rank, storage);
	if (stride_count == rank && rank) {
		int64_t *copy = FX_ARENA_ARRAY(graph->permanent, int64_t, rank);

		memcpy(copy, strides, rank * sizeof(*copy));
		(*ret)->strides = copy;
	}
	(*ret)->offset = fx_jsonl_int(object, "offset", 0);
	if ((*ret)->offset < 0)
		return fx_jsonl_error(r, FX_ERR_FORMAT,
			"an offset is negative");
	return check_reach(r, *ret);
}

struct fx_error *
fx_jsonl_tensor(struct fx_jsonl *r, const json_t *object)
{
	static const char *const known[] = { "tensor", "kind", "none", "same",
		"other", "dtype", "shape", "strides", "offset", "grad",
		"persistent", "storage", "bytes", "digest", NULL };
	const char *path = fx_jsonl_text(object, "tensor");
	const char *same = fx_jsonl_text(object, "same");
	const char *other = fx_jsonl_text(object, "other");
	const char *kind = fx_jsonl_text(object, "kind");
	struct fx_module *parent = NULL;
	struct fx_tensor *tensor = NULL;
	const struct fx_tensor *found = NULL;
	const char *name = NULL;
	struct fx_error *err = open_place(r, path, &parent, &name);

	fx_jsonl_check_fields(r, object, known);
	if (err)
		return err;
	if (same || other) {
		found = fx_module_find_tensor(same ? fx_jsonl_section(r)->root
						   : fx_jsonl_section(r)
							      ->graph->module,
			same ? same : other);
		if (!found)
			return fx_jsonl_error(r, FX_ERR_FORMAT,
				"no tensor \"%.100s\"", same ? same : other);
	} else if (!fx_jsonl_bool(object, "none", false)) {
		err = make_tensor(r, object, &tensor);
		if (err)
			return err;
		tensor->is_buffer = kind && strcmp(kind, "buffer") == 0;
		tensor->is_persistent =
			fx_jsonl_bool(object, "persistent", tensor->is_buffer);
		tensor->requires_grad = fx_jsonl_bool(object, "grad", false);
		found = tensor;
	}
	fx_module_add_tensor(parent, name, found);
	fx_module_member(parent, name)->kind =
		kind && strcmp(kind, "buffer") == 0 ? FX_MEMBER_BUFFER
						    : FX_MEMBER_PARAMETER;
	return NULL;
}

/* Inner graphs. */

void
fx_jsonl_describe(struct fx_graph *graph, const json_t *object)
{
	graph->name = fx_intern(fx_jsonl_text(object, "name"));
	graph->class_name = fx_intern(fx_jsonl_text(object, "class"));
	fx_graph_set_dialect(graph,
		fx_intern(fx_jsonl_text(object, "dialect")));
	graph->origin = fx_intern(fx_jsonl_text(object, "origin"));
}

struct fx_error *
fx_jsonl_graph(struct fx_jsonl *r, const json_t *object)
{
	static const char *const known[] = { "graph", "name", "class",
		"dialect", "origin", NULL };
	const char *path = fx_jsonl_text(object, "graph");
	struct fx_module *owner = NULL;
	struct fx_jsonl_section *s;
	struct fx_error *err;

	fx_jsonl_check_fields(r, object, known);
	if (path)
		owner = fx_module_find(fx_jsonl_section(r)->root, path);
	if (!owner || owner->graph)
		return fx_jsonl_error(r, FX_ERR_FORMAT,
			"no module to hold the graph \"%.100s\"",
			path ? path : "");
	if (r->depth >= FX_FXG_GRAPH_LIMIT)
		return fx_jsonl_error(r, FX_ERR_LIMIT,
			"graphs nest more than %d levels deep",
			FX_FXG_GRAPH_LIMIT);
	err = fx_load_inner_graph(r->input, &r->graph_total, &owner->graph);
	if (err)
		return fx_jsonl_at(r, err);
	fx_jsonl_describe(owner->graph, object);
	s = &r->sections[++r->depth];
	*s = (struct fx_jsonl_section){ .graph = owner->graph,
		.root = owner->graph->module,
		.path = fx_intern(path) };
	return NULL;
}

struct fx_error *
fx_jsonl_graph_end(struct fx_jsonl *r, const json_t *object)
{
	const char *path = fx_intern(fx_jsonl_text(object, "end_graph"));
	struct fx_jsonl_section *s = fx_jsonl_section(r);

	if (r->depth == 0 || s->path != path)
		return fx_jsonl_error(r, FX_ERR_FORMAT, "no such graph to end");
	fx_vec_deinit(&s->sources);
	fx_vec_deinit(&s->scopes);
	r->depth--;
	fx_part_share(fx_module_find(fx_jsonl_section(r)->root, path));
	return NULL;
}

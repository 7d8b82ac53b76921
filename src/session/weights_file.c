/* weights_file.c - values for parameters and buffers, from a file.
 *
 * Names are those of a state dict; as load_state_dict of torch, strict in
 * shapes, and unlike it in dtypes: nothing is converted.
 */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/edit.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "load/safetensors.h"
#include "session/capture.h"
#include "session/session_private.h"

struct filling {
	struct fx_graph *graph;
	const struct fx_safetensors *file;
	struct fx_map made; /* a storage or tensor -> one with values */
	struct fx_weights_report *report;
};

static void
add_shape(struct fx_buf *out, enum fx_dtype dtype, const int64_t *sizes,
	uint32_t rank)
{
	fx_buf_addf(out, "%s[",
		dtype == FX_DTYPE_NONE ? "?"
				       : fx_dtype_info(dtype)->short_name);
	for (uint32_t i = 0; i < rank; i++)
		fx_buf_addf(out, "%s%lld", i ? "," : "", (long long)sizes[i]);
	fx_buf_add(out, "]");
}

/* The file's values under NAME can be those of TENSOR. */
FX_NODISCARD static struct fx_error *
check(const struct fx_safetensors_entry *entry, const struct fx_tensor *tensor,
	const char *name)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	if (entry->dtype == tensor->dtype && entry->rank == tensor->rank &&
		!memcmp(entry->sizes, tensor->sizes,
			tensor->rank * sizeof(*tensor->sizes)))
		return NULL;
	add_shape(&text, entry->dtype, entry->sizes, entry->rank);
	fx_buf_add(&text, " in the file, ");
	add_shape(&text, tensor->dtype, tensor->sizes, tensor->rank);
	return fx_error_new(FX_ERR_SHAPE, "%s is %s in the graph", name,
		fx_buf_text(&text));
}

/* What all tensors over the same bytes have in common. */
static uintptr_t
key_of(const struct fx_tensor *tensor)
{
	return tensor->storage ? (uintptr_t)tensor->storage : (uintptr_t)tensor;
}

/* What stands for TENSOR from now on, so that what is tied stays so; NULL. */
static const struct fx_tensor *
made_for(struct filling *f, const struct fx_tensor *tensor)
{
	const struct fx_tensor *made =
		(const struct fx_tensor *)fx_map_get(&f->made, key_of(tensor),
			0);

	if (!made || tensor->offset || !fx_tensor_is_contiguous(tensor) ||
		fx_tensor_bytes(tensor) != fx_tensor_bytes(made))
		return NULL;
	return fx_tensor_clone(f->graph, tensor, made->storage);
}

/* Make what stands for TENSOR, at PATH, if the file has it. */
FX_NODISCARD static struct fx_error *
make(struct filling *f, const struct fx_tensor *tensor, const char *path)
{
	const struct fx_safetensors_entry *entry =
		fx_safetensors_find(f->file, path);
	struct fx_storage *storage;
	struct fx_error *err;

	if (!entry)
		return NULL;
	f->report->used++;
	err = check(entry, tensor, path);
	if (err || made_for(f, tensor))
		return err;
	storage = fx_storage_new(fx_safetensors_blob(f->file, entry));
	fx_map_set(&f->made, key_of(tensor),
		(uintptr_t)fx_tensor_new_like(f->graph, tensor, storage));
	fx_storage_unref(storage);
	return NULL;
}

FX_NODISCARD static struct fx_error *
bind(struct filling *f, const struct fx_tensor *tensor, const char *path)
{
	const struct fx_tensor *made = made_for(f, tensor);

	if (made) {
		f->report->filled++;
		return fx_edit_bind_tensor(f->graph, path, made);
	}
	f->report->missing++;
	if (!f->report->first_missing)
		f->report->first_missing = path;
	return NULL;
}

/* Paths of members that have a tensor, and those: before any is changed. */
struct places {
	FX_VEC(const char *) paths;
	FX_VEC(const struct fx_tensor *) tensors;
};

static void
collect(struct fx_graph *graph, struct places *ret)
{
	struct fx_module_walk *walk = fx_module_walk_new(graph->module, false);
	struct fx_module *module;
	const char *path;

	while (fx_module_walk_next(walk, &module, &path))
		for (size_t i = 0; i < module->member_count; i++) {
			const struct fx_member *member = &module->members[i];

			if (!member->tensor)
				continue;
			fx_vec_push(&ret->paths,
				fx_module_path(path, member->name));
			fx_vec_push(&ret->tensors, member->tensor);
		}
	fx_module_walk_free(walk);
}

/* First what the file has is made: one tensor may have several names, and the
 * file one of them.
 */
FX_NODISCARD static struct fx_error *
fill(struct filling *f)
{
	struct places places = { .paths = { 0 } };
	struct fx_error *err = NULL;

	collect(f->graph, &places);
	for (size_t i = 0; !err && i < places.paths.count; i++)
		err = make(f, places.tensors.items[i], places.paths.items[i]);
	for (size_t i = 0; !err && i < places.paths.count; i++)
		err = bind(f, places.tensors.items[i], places.paths.items[i]);
	fx_vec_deinit(&places.paths);
	fx_vec_deinit(&places.tensors);
	return err;
}

/* What nodes get by names of the file and nothing is at, as print(gm) and bare
 * code leave it: parameters, and buffers of what has no gradients.
 */
FX_NODISCARD static struct fx_error *
add_named(struct filling *f)
{
	struct fx_module *root = f->graph->module;
	struct fx_node *node;
	struct fx_error *err = NULL;

	fx_graph_for_each_node (node, f->graph) {
		const struct fx_safetensors_entry *entry =
			node->opcode == FX_OPCODE_GET_ATTR
				? fx_safetensors_find(f->file, node->target)
				: NULL;
		struct fx_storage *storage;
		struct fx_tensor *made;

		if (!entry || entry->dtype == FX_DTYPE_NONE ||
			fx_module_find(root, node->target) ||
			fx_module_find_tensor(root, node->target))
			continue;
		storage = fx_storage_new(fx_safetensors_blob(f->file, entry));
		made = fx_tensor_new(f->graph, entry->dtype, entry->sizes,
			entry->rank, storage);
		fx_storage_unref(storage);
		made->is_buffer = made->is_persistent =
			fx_dtype_info(entry->dtype)->category <
			FX_DTYPE_CATEGORY_FLOAT;
		err = fx_edit_bind_tensor(f->graph, node->target, made);
		if (err)
			return err;
		f->report->used++;
		f->report->filled++;
	}
	return NULL;
}

/* Whether torch.save may have written the file at PATH: a zip archive, or a
 * pickle as before torch 1.6.
 */
static bool
is_pickle(const char *path)
{
	char begin[5] = "";
	FILE *file = fopen(path, "rbe");
	size_t count = file ? fread(begin, 1, 4, file) : 0;

	if (file)
		fclose(file);
	return fx_str_starts(begin, "PK\003\004") ||
	       (count == 4 && (unsigned char)begin[0] == 0x80);
}

struct fx_error *
fx_model_file_weights(struct fx_model *model, const char *path,
	struct fx_weights_report *ret)
{
	FX_AUTO_SAFETENSORS struct fx_safetensors *file = NULL;
	struct filling filling = { .graph = fx_model_graph(model),
		.report = ret };
	struct fx_error *err = is_pickle(path)
				       ? fx_session_read_file(model->session,
						 path, "state", &file)
				       : fx_safetensors_open(path, &file);

	*ret = (struct fx_weights_report){ 0 };
	if (err && fx_error_code(err) != FX_ERR_IO && !fx_error_hint_text(err))
		err = fx_error_hint(err,
			"weights are read from .safetensors files, and from "
			"what torch.save writes of a state_dict()");
	if (err)
		return err;
	filling.file = file;
	err = fill(&filling);
	if (!err)
		err = add_named(&filling);
	fx_map_deinit(&filling.made);
	ret->unused = file->count - ret->used;
	if (err || ret->filled)
		return err;
	return fx_error_hint(fx_error_new(FX_ERR_VALUE,
				     "no name in %s is a parameter's or "
				     "buffer's",
				     path),
		"the file has %s; the graph %s",
		file->count ? file->entries[0].name : "none",
		ret->first_missing ? ret->first_missing : "none");
}

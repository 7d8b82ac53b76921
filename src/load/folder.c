/* folder.c - module.py of a to_folder folder, and the weights beside it. */
#include <config.h>

#include "load/folder.h"

#include <string.h>
#include <unistd.h>

#include "base/blob.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "emit/folder.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "load/open.h"
#include "load/safetensors.h"

struct attaching {
	struct fx_graph *graph;
	struct fx_safetensors *file;
	struct fx_map made; /* tensor without values -> the one with */
	size_t missing;
};

static bool
fits(const struct fx_tensor *tensor, const struct fx_safetensors_entry *entry)
{
	return entry && entry->dtype == tensor->dtype &&
	       entry->rank == tensor->rank &&
	       memcmp(entry->sizes, tensor->sizes,
		       tensor->rank * sizeof(*tensor->sizes)) == 0;
}

/* Return a copy of TENSOR, which stands at PATH, with the values in the file;
 * TENSOR itself if the file has none for it.
 */
static const struct fx_tensor *
with_values(struct attaching *a, const struct fx_tensor *tensor,
	const char *path)
{
	const struct fx_safetensors_entry *entry;
	struct fx_tensor *made = fx_map_get_pointer(&a->made, tensor);
	struct fx_storage *storage;

	if (made || tensor->storage)
		return made ? made : tensor;
	entry = fx_safetensors_find(a->file, path);
	if (!fits(tensor, entry)) {
		a->missing++;
		return tensor;
	}
	storage = fx_storage_new(fx_safetensors_blob(a->file, entry));
	storage->key = fx_intern(path);
	made = fx_tensor_new_like(a->graph, tensor, storage);
	fx_storage_unref(storage);
	fx_map_set_pointer(&a->made, tensor, made);
	return made;
}

static void
attach_members(struct attaching *a, struct fx_module *module, const char *path)
{
	for (size_t i = 0; i < module->member_count; i++) {
		struct fx_member *m = &module->members[i];

		if (m->tensor)
			m->tensor = with_values(a, m->tensor,
				fx_module_path(path, m->name));
	}
}

/* Of GRAPH, nested at OUTER or "", and those within it. */
static void
attach(struct attaching *a, struct fx_graph *graph, const char *outer)
{
	struct fx_module_walk *walk = fx_module_walk_new(graph->module, true);
	struct fx_module *module;
	const char *path;

	while (fx_module_walk_next(walk, &module, &path)) {
		if (*outer)
			path = *path ? fx_module_path(outer, path) : outer;
		attach_members(a, module, path);
		if (module->graph)
			attach(a, module->graph, path);
	}
	fx_module_walk_free(walk);
}

/* Attach the weights that fx_folder_write wrote beside the code, if their file
 * exists.
 */
FX_NODISCARD static struct fx_error *
attach_weights(struct fx_loaded *loaded, const char *folder)
{
	FX_AUTO_FREE char *path =
		fx_xasprintf("%s/%s", folder, FX_FOLDER_WEIGHTS);
	FX_AUTO_SAFETENSORS struct fx_safetensors *file = NULL;
	struct attaching attaching = { .graph = loaded->graph };
	struct fx_error *err;

	if (access(path, F_OK) < 0)
		return NULL;
	err = fx_safetensors_open(path, &file);
	if (err)
		return err;
	attaching.file = file;
	attach(&attaching, attaching.graph, "");
	fx_map_deinit(&attaching.made);
	if (attaching.missing)
		fx_buf_addf(&loaded->notices,
			"%zu tensor%s without values in %s\n",
			attaching.missing, attaching.missing == 1 ? "" : "s",
			path);
	return NULL;
}

struct fx_error *
fx_load_folder(const char *path, uint32_t serial, struct fx_loaded *ret)
{
	FX_AUTO_FREE char *file = fx_xasprintf("%s/module.py", path);
	FX_AUTO_FREE char *text = NULL;
	FX_AUTO_LOADED struct fx_loaded loaded = { 0 };
	struct fx_load_input input = { .path = file, .serial = serial };
	struct fx_error *err;

	err = fx_file_read(file, FX_TEXT_LIMIT, &text, &input.length);
	if (err)
		return fx_error_note(err, "while loading the folder %s", path);
	input.text = text;
	err = fx_open_text(&input, &loaded);
	if (!err)
		err = attach_weights(&loaded, path);
	if (err)
		return err;
	loaded.format = FX_FORMAT_FOLDER;
	*ret = loaded;
	memset(&loaded, 0, sizeof(loaded));
	return NULL;
}

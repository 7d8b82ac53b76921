/* folder_write.c - a graph to a folder that Python imports. */
#include <config.h>

#include "load/folder.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "emit/folder.h"
#include "emit/weights.h"
#include "load/safetensors.h"

/* The files of a folder: all appear, or none. */
struct files {
	const char *folder;
	struct fx_file_writer *items[4];
	size_t count;
};

FX_NODISCARD static struct fx_error *
add(struct files *files, const char *name, const char *text, size_t length)
{
	FX_AUTO_FREE char *path = fx_xasprintf("%s/%s", files->folder, name);
	struct fx_error *err = fx_file_writer_begin(path, text, length,
		&files->items[files->count]);

	files->count += !err;
	return err;
}

FX_NODISCARD static struct fx_error *
add_weights(struct files *files, const struct fx_weights *weights,
	uint64_t *size_ret)
{
	FX_AUTO_FREE char *path =
		fx_xasprintf("%s/%s", files->folder, FX_FOLDER_WEIGHTS);
	struct fx_error *err = fx_safetensors_write(path, weights, size_ret,
		&files->items[files->count]);

	files->count += !err;
	if (err)
		return err;
	return add(files, FX_FOLDER_READER, fx_folder_reader,
		strlen(fx_folder_reader));
}

struct fx_error *
fx_folder_write(struct fx_graph *graph, const char *path, const char *dialect,
	uint64_t *weights_ret)
{
	static const char init[] = "from .module import *\n";
	FX_AUTO_WEIGHTS struct fx_weights weights = { 0 };
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct files files = { .folder = path };
	struct fx_error *err;
	bool is_new;

	*weights_ret = 0;
	fx_weights_collect(&weights, graph);
	err = fx_emit_folder(&text, graph, &weights, dialect);
	if (err)
		return err;
	is_new = mkdir(path, 0777) == 0;
	if (!is_new && errno != EEXIST)
		return fx_file_error("make", path, errno);
	if (fx_weights_have_bytes(&weights))
		err = add_weights(&files, &weights, weights_ret);
	if (!err)
		err = add(&files, "module.py", text.data, text.length);
	if (!err)
		err = add(&files, "__init__.py", init, strlen(init));
	if (!err)
		err = fx_file_writers_commit(files.items, files.count);
	else
		while (files.count)
			fx_file_writer_abort(files.items[--files.count]);
	if (err && is_new)
		rmdir(path);
	return err;
}

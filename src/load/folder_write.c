/* folder_write.c - a graph to a folder that Python imports. */
#include <config.h>

#include "load/folder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "emit/folder.h"
#include "emit/weights.h"
#include "ir/module.h"
#include "load/safetensors.h"

FX_NODISCARD static struct fx_error *
write_in(const char *folder, const char *name, const char *text, size_t length)
{
	FX_AUTO_FREE char *path = fx_xasprintf("%s/%s", folder, name);

	return fx_file_write(path, text, length);
}

struct fx_error *
fx_folder_write(struct fx_graph *graph, const char *path, const char *dialect,
	uint64_t *weights_ret)
{
	static const char init[] = "from .module import *\n";
	FX_AUTO_WEIGHTS struct fx_weights weights = { 0 };
	FX_AUTO_BUF struct fx_buf text = { 0 };
	FX_AUTO_FREE char *file =
		fx_xasprintf("%s/%s", path, FX_FOLDER_WEIGHTS);
	struct fx_error *err;

	*weights_ret = 0;
	fx_weights_collect(&weights, graph);
	err = fx_emit_folder(&text, graph, &weights, dialect);
	if (err)
		return err;
	if (mkdir(path, 0777) < 0 && errno != EEXIST)
		return fx_file_error("make", path, errno);
	if (fx_weights_have_bytes(&weights))
		err = fx_safetensors_write(file, &weights, weights_ret);
	if (!err && *weights_ret)
		err = write_in(path, FX_FOLDER_READER, fx_folder_reader,
			strlen(fx_folder_reader));
	if (!err)
		err = write_in(path, "module.py", text.data, text.length);
	if (!err)
		err = write_in(path, "__init__.py", init, strlen(init));
	return err;
}

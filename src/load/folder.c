/* folder.c - module.py of a to_folder folder. */
#include <config.h>

#include "load/folder.h"

#include "base/file.h"
#include "base/mem.h"
#include "load/open.h"
#include "load/python.h"

struct fx_error *
fx_load_folder(const char *path, uint32_t serial, struct fx_buf *notices,
	struct fx_graph **ret)
{
	FX_AUTO_FREE char *file = fx_xasprintf("%s/module.py", path);
	FX_AUTO_FREE char *text = NULL;
	struct fx_load_input input = {
		.path = file, .serial = serial, .notices = notices
	};
	struct fx_error *err;

	err = fx_file_read(file, FX_TEXT_LIMIT, &text, &input.length);
	if (err)
		return fx_error_note(err, "while loading the folder %s", path);
	input.text = text;
	return fx_load_python(&input, ret);
}

/* folder.h - a folder that torch.fx's to_folder wrote. */
#ifndef FX_LOAD_FOLDER_H
#define FX_LOAD_FOLDER_H

#include <stdint.h>

#include "base/error.h"

struct fx_buf;
struct fx_graph;

/* Read PATH/module.py.  Weights in .pt files are not read. */
FX_NODISCARD struct fx_error *fx_load_folder(const char *path, uint32_t serial,
	struct fx_buf *notices, struct fx_graph **ret);

#endif /* FX_LOAD_FOLDER_H */

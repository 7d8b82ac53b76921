/* folder_reader.c - the Python code that reads the weights of a folder. */
#include <config.h>

#include "emit/folder.h"

const char fx_folder_reader[] =
	"\"\"\"Tensors of a safetensors file, with torch alone.\"\"\"\n"
	"import json\n"
	"import os\n"
	"\n"
	"import torch\n"
	"\n"
	"DTYPES = {\n"
#define FX_DTYPE(id, name, short_name, safetensors, size, category, rank, \
	numpy, part) \
	"    '" safetensors "': '" name "',\n"
#include "base/dtypes.def"
	"}\n"
	"\n"
	"\n"
	"def read_weights():\n"
	"    \"\"\"The tensors beside this file, by name.\"\"\"\n"
	"    folder = os.path.dirname(os.path.abspath(__file__))\n"
	"    with open(os.path.join(folder, '" FX_FOLDER_WEIGHTS "'), 'rb') "
	"as file:\n"
	"        size = int.from_bytes(file.read(8), 'little')\n"
	"        entries = json.loads(file.read(size))\n"
	"        data = bytearray(file.read())\n"
	"    if data:\n"
	"        data = torch.frombuffer(data, dtype=torch.uint8)\n"
	"    else:\n"
	"        data = torch.empty(0, dtype=torch.uint8)\n"
	"    found = {}\n"
	"    for name, entry in entries.items():\n"
	"        begin, end = entry['data_offsets']\n"
	"        dtype = getattr(torch, DTYPES[entry['dtype']])\n"
	"        found[name] = "
	"data[begin:end].view(dtype).reshape(entry['shape'])\n"
	"    return found\n";

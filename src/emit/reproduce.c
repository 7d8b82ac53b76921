/* reproduce.c - the Python program that shows a failure. */
#include <config.h>

#include "emit/reproduce.h"

#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "ir/graph.h"
#include "ir/note.h"
#include "ir/tensor_meta.h"

static const char head[] =
	"import importlib.util\n"
	"import os\n"
	"import sys\n"
	"\n"
	"import torch\n"
	"\n"
	"folder = os.path.dirname(os.path.abspath(__file__))\n"
	"spec = importlib.util.spec_from_file_location(\n"
	"    'reduced', os.path.join(folder, '__init__.py'),\n"
	"    submodule_search_locations=[folder])\n"
	"reduced = importlib.util.module_from_spec(spec)\n"
	"sys.modules['reduced'] = reduced\n"
	"spec.loader.exec_module(reduced)\n"
	"\n"
	"\n";

static const char checks[] =
	"def tensors(value):\n"
	"    \"\"\"All tensors in a result.\"\"\"\n"
	"    if isinstance(value, torch.Tensor):\n"
	"        return [value]\n"
	"    if isinstance(value, dict):\n"
	"        value = list(value.values())\n"
	"    if isinstance(value, (tuple, list)):\n"
	"        return [one for part in value for one in tensors(part)]\n"
	"    return []\n"
	"\n"
	"\n"
	"def has_nan(value):\n"
	"    return any(bool(torch.isnan(one).any()) for one in "
	"tensors(value))\n"
	"\n"
	"\n"
	"def has_inf(value):\n"
	"    return any(bool(torch.isinf(one).any()) for one in "
	"tensors(value))\n"
	"\n"
	"\n"
	"def is_far(value, expected, rtol):\n"
	"    \"\"\"Whether it differs by more than this of the largest "
	"element.\"\"\"\n"
	"    if value.shape != expected.shape or value.dtype != "
	"expected.dtype:\n"
	"        return True\n"
	"    by = (value.double() - expected.double()).abs().max()\n"
	"    return not bool(by <= rtol * expected.double().abs().max())\n"
	"\n"
	"\n";

/* What PLACEHOLDER is given: what was kept, else what has its shape. */
static void
add_input(struct fx_buf *out, const struct fx_node *placeholder)
{
	const struct fx_value *meta = placeholder->meta;
	const char *path = fx_graph_note(placeholder, FX_NOTE_INPUT);

	if (path) {
		fx_buf_addf(out, "module.%s", path);
		return;
	}
	if (!fx_value_has_numbers(meta)) {
		fx_buf_add(out, "None");
		return;
	}
	fx_buf_add(out, "torch.zeros([");
	for (uint32_t i = 0; i < meta->tensor->rank; i++)
		fx_buf_addf(out, "%s%lld", i ? ", " : "",
			(long long)meta->tensor->sizes[i].integer);
	fx_buf_addf(out, "], dtype=torch.%s)",
		fx_dtype_info(meta->tensor->dtype)->name);
}

static void
add_call(struct fx_buf *out, const struct fx_graph *graph)
{
	const struct fx_node *node;
	const char *comma = "";

	fx_buf_add(out, "with torch.no_grad():\n    result = module(");
	fx_graph_for_each_node (node, graph) {
		if (node->opcode != FX_OPCODE_PLACEHOLDER)
			continue;
		fx_buf_add(out, comma);
		add_input(out, node);
		comma = ", ";
	}
	fx_buf_add(out, ")\n");
}

void
fx_emit_reproduce(struct fx_buf *out, const struct fx_graph *graph,
	const struct fx_reproduce *how)
{
	fx_buf_add(out, "# What fails, as small as it became.  Needs torch "
			"alone; status 1: it fails.\n");
	fx_buf_add(out, head);
	if (how->fails)
		fx_buf_add(out, checks);
	fx_buf_add(out, "what = ");
	fx_str_python_repr(out, how->what, strlen(how->what));
	fx_buf_addf(out, "\ntorch.manual_seed(%llu)\n",
		(unsigned long long)how->seed);
	fx_buf_add(out, "module = reduced.FxModule()\n");
	add_call(out, graph);
	if (how->expected)
		fx_buf_addf(out, "expected = module.%s\nrtol = %.17g\n",
			how->expected, how->rtol);
	if (how->fails)
		fx_buf_addf(out,
			"if %s:\n    print(what)\n    print(result)\n"
			"    sys.exit(1)\n",
			how->fails);
	fx_buf_add(out, "print('it does not fail:', what)\n");
}

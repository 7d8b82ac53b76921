/* recovery_values.c - results that the user set, as commands that set them
 * again: plain values as text, tensors as files beside the journal.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "commands/shell/recovery.h"
#include "ir/graph.h"
#include "ir/value_text.h"
#include "run/datum.h"
#include "run/tensor_file.h"
#include "run/values.h"
#include "session/model.h"
#include "session/override.h"

void
cmd_kept_values_deinit(struct cmd_kept_values *kept)
{
	for (size_t i = 0; i < kept->items.count; i++)
		free(kept->items.items[i].text);
	fx_vec_deinit(&kept->items);
}

static struct fx_error *
give(void *context, uint64_t first, size_t count, void *bytes)
{
	return fx_values_read(context, first, count, bytes);
}

/* Where nothing is yet; the caller's. */
static char *
new_path(struct cmd_kept_values *kept)
{
	char *path = NULL;

	do {
		free(path);
		path = fx_xasprintf("%s/v%zu.safetensors", kept->folder,
			++kept->numbers);
	} while (access(path, F_OK) == 0);
	return path;
}

/* The call that reads TENSOR back from a file in the folder of KEPT, the
 * caller's; NULL when it cannot be written or is too large.
 */
static char *
keep_tensor(struct cmd_kept_values *kept, struct fx_datum *tensor)
{
	FX_AUTO_FREE char *path = new_path(kept);
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_npy_entry entry = { .name = "tensor", .context = tensor };
	struct fx_extent extent;
	struct fx_error *err = fx_extent_of(tensor, &extent);
	uint64_t size = 0;

	if (!err) {
		entry.array.dtype = extent.dtype;
		entry.array.rank = extent.rank;
		entry.array.count = extent.count;
		memcpy(entry.array.sizes, extent.sizes, sizeof(extent.sizes));
		size = extent.count * fx_dtype_info(extent.dtype)->size;
	}
	if (!err && size <= kept->limit - FX_MIN(kept->bytes, kept->limit)) {
		err = fx_tensor_file_write(path, &entry, 1, give);
		kept->bytes += size;
		fx_buf_add(&text, "file(");
		fx_str_python_repr(&text, path, strlen(path));
		fx_buf_add(&text, ", \"tensor\")");
	}
	(void)chmod(path, 0600);
	if (err)
		fx_buf_clear(&text);
	fx_error_free(err);
	return text.length ? fx_buf_take(&text) : NULL;
}

/* DATUM as an expression, the caller's; NULL when it is not kept. */
static char *
keep_datum(struct cmd_kept_values *kept, struct fx_datum *datum)
{
	static const struct fx_value_printer exact = {
		.style = FX_STYLE_EXACT,
	};
	FX_AUTO_BUF struct fx_buf text = { 0 };

	if (datum->kind == FX_DATUM_TENSOR)
		return keep_tensor(kept, datum);
	if (datum->kind != FX_DATUM_VALUE || fx_datum_has_tensor(datum))
		return NULL;
	fx_value_print(&text, &datum->value, &exact);
	return fx_buf_take(&text);
}

/* That of NODE of the graph MODEL, new if need be. */
static struct cmd_kept_value *
find(struct cmd_kept_values *kept, int model, uint64_t node)
{
	struct cmd_kept_value fresh = { .model = model, .node = node };
	struct cmd_kept_value *value;

	fx_vec_for_each (value, &kept->items)
		if (value->model == model && value->node == node)
			return value;
	fx_vec_push(&kept->items, fresh);
	return &fx_vec_last(&kept->items);
}

/* What MODEL has no more: memory where it was may hold something else. */
static void
forget_unset(struct cmd_kept_values *kept, const struct fx_model *model)
{
	for (size_t i = kept->items.count; i-- > 0;) {
		struct cmd_kept_value *value = &kept->items.items[i];
		const struct fx_node *node =
			fx_graph_find_id(fx_model_graph(model), value->node);

		if (value->model != fx_model_number(model) ||
			(node && fx_model_get_override(model, node)))
			continue;
		free(value->text);
		fx_vec_remove(&kept->items, i);
	}
}

void
cmd_kept_values_add(struct cmd_kept_values *kept, const struct fx_model *model,
	struct fx_buf *text)
{
	int number = fx_model_number(model);
	size_t left = fx_model_count_overrides(model);
	const struct fx_node *node;

	forget_unset(kept, model);
	if (!left)
		return;
	fx_graph_for_each_node (node, fx_model_graph(model)) {
		struct fx_datum *datum = fx_model_get_override(model, node);
		struct cmd_kept_value *value;

		if (!datum)
			continue;
		left--;
		value = find(kept, number, node->id);
		if (value->datum != datum) {
			free(value->text);
			value->text = keep_datum(kept, datum);
			value->datum = datum;
		}
		if (value->text)
			fx_buf_addf(text, "set value %%%s = %s\n", node->name,
				value->text);
		else
			fx_buf_addf(text,
				"# %s: what %%%s was set to is lost\n",
				fx_model_name(model), node->name);
	}
	if (left)
		fx_buf_addf(text,
			"# %s: what was set in graphs within it is lost: %zu "
			"values\n",
			fx_model_name(model), left);
}

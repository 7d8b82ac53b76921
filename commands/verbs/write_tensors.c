/* write_tensors.c - the tensors of a value in a file. */
#include <config.h>

#include "commands/verbs/write_tensors.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/vec.h"
#include "commands/out/out.h"
#include "commands/shell/front.h"
#include "commands/shell/shell.h"
#include "ir/graph.h"
#include "run/datum.h"
#include "run/tensor_file.h"
#include "run/ticker.h"
#include "run/values.h"
#include "session/position.h"

struct source {
	char *name;
	struct fx_datum *tensor; /* referenced */
	struct fx_ticker *ticker;
};

/* The tensors of one file, each under a name of its own. */
struct tensors {
	struct fx_ticker ticker;
	FX_VEC(struct fx_npy_entry) entries;
	FX_VEC(struct source *) sources; /* of the entries */
	size_t others;                   /* what is no tensor */
};

static void
tensors_deinit(struct tensors *tensors)
{
	for (size_t i = 0; i < tensors->sources.count; i++) {
		fx_datum_unref(tensors->sources.items[i]->tensor);
		free(tensors->sources.items[i]->name);
		free(tensors->sources.items[i]);
	}
	fx_vec_deinit(&tensors->sources);
	fx_vec_deinit(&tensors->entries);
}

static struct fx_error *
give(void *context, uint64_t first, size_t count, void *bytes)
{
	struct source *source = context;

	if (fx_ticker_poll(source->ticker))
		return fx_error_new(FX_ERR_INTERRUPTED,
			"interrupted; no file is written");
	return fx_values_read(source->tensor, first, count, bytes);
}

static struct fx_error *
add_tensor(struct tensors *tensors, const char *name, struct fx_datum *tensor)
{
	struct fx_npy_entry entry = { .name = NULL };
	struct source *source;
	struct fx_extent extent;
	struct fx_error *err = fx_extent_of(tensor, &extent);

	/* Before a file is begun. */
	if (!err)
		err = fx_values_read(tensor, 0, 0, NULL);
	if (err)
		return err;
	entry.array.dtype = extent.dtype;
	entry.array.rank = extent.rank;
	entry.array.count = extent.count;
	memcpy(entry.array.sizes, extent.sizes, sizeof(entry.array.sizes));
	source = FX_NEW(struct source);
	source->name = fx_xstrdup(name);
	source->tensor = fx_datum_ref(tensor);
	source->ticker = &tensors->ticker;
	entry.name = source->name;
	entry.context = source;
	fx_vec_push(&tensors->sources, source);
	fx_vec_push(&tensors->entries, entry);
	return NULL;
}

/* The name of item INDEX of what is called NAME. */
static char *
item_name(const char *name, const struct fx_value *key, size_t index)
{
	const char *dot = *name ? "." : "";

	return key && key->kind == FX_VALUE_STRING
		       ? fx_xasprintf("%s%s%s", name, dot, key->text)
		       : fx_xasprintf("%s%s%zu", name, dot, index);
}

/* Add DATUM, or the tensors in it, which is called NAME. */
static struct fx_error *
add_datum(struct tensors *tensors, const char *name, struct fx_datum *datum)
{
	const struct fx_value *value = &datum->value;
	bool is_dict = value->kind == FX_VALUE_DICT;
	size_t first = value->kind == FX_VALUE_NAMEDTUPLE;
	size_t width = is_dict ? 2 : 1;
	struct fx_error *err = NULL;

	if (datum->kind == FX_DATUM_TENSOR)
		return add_tensor(tensors, *name ? name : "tensor", datum);
	if (!fx_datum_has_tensor(datum)) {
		tensors->others++;
		return NULL;
	}
	for (size_t i = first; !err && i < fx_value_item_count(value);
		i += width) {
		const struct fx_value *item = &value->items[i + width - 1];
		FX_AUTO_FREE char *part_name = item_name(name,
			is_dict ? &value->items[i] : NULL, (i - first) / width);
		FX_AUTO_DATUM struct fx_datum *part =
			fx_datum_part(datum, item);

		err = add_datum(tensors, part_name, part);
	}
	return err;
}

static struct fx_error *
add_nodes(struct cmd_ctx *ctx, struct tensors *tensors,
	const struct fx_datum *set)
{
	struct fx_error *err = NULL;

	for (size_t i = 0; i < set->count && !err; i++) {
		const struct fx_node *node =
			fx_graph_find_id(fx_position_graph(ctx->model),
				set->ids[i]);
		FX_AUTO_DATUM struct fx_datum *value = NULL;
		FX_AUTO_FREE char *text = NULL;

		if (!node)
			continue;
		text = fx_xasprintf("%%%s", node->name);
		err = cmd_evaluate(ctx, text, &value);
		if (!err)
			err = add_datum(tensors, node->name, value);
	}
	return err;
}

static void
tell(struct cmd_ctx *ctx, const struct tensors *tensors, const char *path)
{
	const struct fx_npy_entry *only = tensors->entries.items;
	struct source *source = only->context;
	FX_AUTO_BUF struct fx_buf shape = { 0 };
	struct fx_extent extent;

	out_value_text(ctx->out, "file", path);
	if (tensors->entries.count > 1) {
		out_line(ctx->out, FX_ROLE_PLAIN, "%s: %zu tensors", path,
			tensors->entries.count);
	} else {
		fx_error_free(fx_extent_of(source->tensor, &extent));
		fx_extent_print(&shape, &extent);
		out_line(ctx->out, FX_ROLE_PLAIN, "%s: %s%s", path,
			fx_dtype_info(extent.dtype)->short_name,
			fx_buf_text(&shape));
	}
	if (tensors->others)
		out_note(ctx->out, "%zu value%s no tensor%s left out",
			tensors->others, tensors->others == 1 ? " is" : "s are",
			tensors->others == 1 ? " and is" : "s and are");
}

/* The tensors that DATUM is, or has, or that its nodes gave. */
static struct fx_error *
collect(struct cmd_ctx *ctx, struct fx_datum *datum, struct tensors *ret)
{
	struct fx_error *err;

	fx_ticker_init(&ret->ticker, ctx->front->tick, ctx->front->context);
	err = datum->kind == FX_DATUM_NODES ? add_nodes(ctx, ret, datum)
					    : add_datum(ret, "", datum);
	if (err || ret->entries.count)
		return err;
	if (fx_value_is_sequence(&datum->value) ||
		fx_datum_is(datum, FX_VALUE_DICT))
		return fx_error_new(FX_ERR_TYPE,
			fx_value_item_count(&datum->value)
				? "the %s has no tensor"
				: "the %s is empty: there is no tensor to "
				  "write",
			fx_datum_kind_name(datum));
	return fx_error_new(FX_ERR_TYPE, "expected a tensor, found %s",
		fx_datum_kind_name(datum));
}

struct fx_error *
cmd_write_tensors(struct cmd_ctx *ctx, struct fx_datum *datum, const char *path)
{
	struct tensors tensors = { .others = 0 };
	struct fx_error *err = collect(ctx, datum, &tensors);

	if (!err)
		err = fx_tensor_file_write(path, tensors.entries.items,
			tensors.entries.count, give);
	if (!err)
		tell(ctx, &tensors, path);
	tensors_deinit(&tensors);
	return err;
}

/* parameters.c - params: parameters and buffers with what they hold. */
#include <config.h>

#include "base/mem.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/front.h"
#include "commands/shell/groups.h"
#include "commands/verbs/elements.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "run/datum.h"
#include "run/stats.h"
#include "run/ticker.h"
#include "session/model.h"

static const char *const told[] = { "min", "max", "mean", "norm", "nan" };

struct params {
	struct cmd_ctx *ctx;
	struct fx_ticker ticker;
	size_t limit; /* of rows, 0: none */
	size_t rows;
};

/* What the parameter at PATH holds; false when that is not known. */
static bool
measure(struct params *params, const char *path, struct fx_datum **ret,
	struct fx_stats *stats_ret)
{
	FX_AUTO_FREE char *expression = fx_xasprintf("self.%s", path);
	struct fx_error *err = cmd_elements_of(params->ctx, expression, ret);

	if (!err)
		err = fx_stats_compute(*ret, &params->ticker, stats_ret);
	if (!err)
		return true;
	fx_error_free(err);
	return false;
}

static void
cells_of_values(struct params *params, const char *path)
{
	struct out *out = params->ctx->out;
	FX_AUTO_DATUM struct fx_datum *tensor = NULL;
	struct fx_stats stats;
	bool is_known = !params->ticker.stopped &&
			measure(params, path, &tensor, &stats);

	for (size_t i = 0; i < FX_ARRAY_LEN(told); i++)
		if (is_known)
			cmd_cell_statistic(out, tensor, &stats,
				fx_statistic_find(told[i]));
		else
			out_cell_none(out, "");
}

static void
params_row(struct params *params, const char *path,
	const struct fx_tensor *tensor)
{
	struct out *out = params->ctx->out;

	out_cell(out, FX_ROLE_PATH, "%s", path);
	out_cell(out, FX_ROLE_PLAIN, "%s",
		tensor->is_buffer ? "buffer" : "parameter");
	out_cell(out, FX_ROLE_DTYPE, "%s", fx_dtype_info(tensor->dtype)->name);
	cmd_cell_sizes(out, tensor->sizes, tensor->rank);
	out_cell_int(out, FX_ROLE_NUMBER, fx_tensor_numel(tensor));
	out_cell_int(out, FX_ROLE_NUMBER, (int64_t)fx_tensor_bytes(tensor));
	cells_of_values(params, path);
}

static void
params_of(struct params *params, const char *path,
	const struct fx_module *module)
{
	for (size_t i = 0; i < module->member_count; i++) {
		const struct fx_member *member = &module->members[i];

		if (!member->tensor)
			continue;
		params->rows++;
		if (!params->limit || params->rows <= params->limit)
			params_row(params, fx_module_path(path, member->name),
				member->tensor);
	}
}

struct fx_error *
cmd_params_exec(struct cmd_ctx *ctx)
{
	static const char *const keys[] = { "+name", "3kind", "2dtype", "shape",
		"1elements", "bytes", "min", "max", "mean", "norm", "nan" };
	struct params params = { .ctx = ctx, .limit = cmd_row_limit(ctx) };
	struct fx_module_walk *walk;
	struct fx_module *module;
	const char *scope;
	const char *path;
	struct fx_error *err = cmd_scope_argument(ctx, &scope);

	if (err)
		return err;
	fx_ticker_init(&params.ticker, ctx->front->tick, ctx->front->context);
	out_table_begin(ctx->out, "params", FX_ARRAY_LEN(keys), keys);
	walk = fx_module_walk_new(fx_model_graph(ctx->model)->module, true);
	while (fx_module_walk_next(walk, &module, &path))
		if (fx_str_is_below(path, scope))
			params_of(&params, path, module);
	fx_module_walk_free(walk);
	if (params.limit && params.rows > params.limit)
		out_table_more(ctx->out, params.rows - params.limit,
			"-m 0 shows all");
	out_table_end(ctx->out);
	if (!params.rows)
		out_line(ctx->out, FX_ROLE_PLAIN, "No parameters or buffers.");
	return NULL;
}

/* weights.c - weights: values for parameters that have none. */
#include <config.h>

#include <inttypes.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/verbs/edit.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "session/model.h"
#include "session/session.h"

static struct fx_error *
make_random(struct cmd_ctx *ctx, void *data, struct fx_buf *script)
{
	const uint64_t *seed = data;
	FX_AUTO_FREE char *text = fx_xasprintf("%" PRIu64, *seed);

	(void)script;
	cmd_canonical_set(ctx, "seed", text);
	return fx_model_random_weights(ctx->model, *seed);
}

/* Code alone names modules: what stands in them only a model or a file says. */
static bool
names_modules_only(struct fx_graph *graph)
{
	const struct fx_node *node;

	if (fx_module_parameter_count(graph->module))
		return false;
	fx_graph_for_each_node (node, graph)
		if (node->opcode == FX_OPCODE_CALL_MODULE)
			return true;
	return false;
}

static void
say_nothing_to_do(struct cmd_ctx *ctx)
{
	if (names_modules_only(fx_model_graph(ctx->model)))
		out_line(ctx->out, FX_ROLE_PLAIN,
			"No parameters are described: trace the model, or load "
			"what save or dump folder wrote of it.");
	else
		out_line(ctx->out, FX_ROLE_PLAIN,
			"Every parameter and buffer has values.");
}

struct from_file {
	char *path;
	struct fx_weights_report report;
};

static struct fx_error *
read_file(struct cmd_ctx *ctx, void *data, struct fx_buf *script)
{
	struct from_file *from = data;

	(void)script;
	return fx_model_file_weights(ctx->model, from->path, &from->report);
}

static struct fx_error *
from_file(struct cmd_ctx *ctx, const char *name)
{
	FX_AUTO_FREE char *path = fx_file_expand(name);
	struct from_file from = { .path = path };
	const struct fx_weights_report *report = &from.report;
	struct fx_error *err;

	if (cmd_flag(ctx, "seed"))
		return fx_error_new(FX_ERR_USAGE,
			"--seed is of random weights, not of a file");
	err = cmd_edit(ctx, "edit", read_file, &from);
	if (err || cmd_flag(ctx, "dry-run"))
		return err;
	out_value_int(ctx->out, "count", (int64_t)report->filled);
	out_line(ctx->out, FX_ROLE_PLAIN,
		"%zu parameters and buffers have the values of %s",
		report->filled, name);
	if (report->missing)
		out_note(ctx->out, "%zu it does not name: %s%s",
			report->missing, report->first_missing,
			report->missing > 1 ? " and others" : "");
	if (report->unused)
		out_note(ctx->out, "%zu name%s in it %s no parameter's",
			report->unused, report->unused == 1 ? "" : "s",
			report->unused == 1 ? "is" : "are");
	return NULL;
}

static struct fx_error *
made_up(struct cmd_ctx *ctx)
{
	size_t count = fx_model_count_weightless(ctx->model);
	uint64_t seed = (uint64_t)cmd_flag_int(ctx, "seed",
		(int64_t)fx_session_seed(ctx->session));
	struct fx_error *err;

	out_value_int(ctx->out, "count", (int64_t)count);
	if (!count) {
		say_nothing_to_do(ctx);
		return NULL;
	}
	err = cmd_edit(ctx, "edit", make_random, &seed);
	if (err || cmd_flag(ctx, "dry-run"))
		return err;
	out_line(ctx->out, FX_ROLE_PLAIN,
		"%zu parameters and buffers are made up: seed %llu", count,
		(unsigned long long)seed);
	return NULL;
}

struct fx_error *
cmd_weights_exec(struct cmd_ctx *ctx)
{
	const char *values = cmd_arg_text(ctx, "values");

	return fx_str_equal(values, "random") ? made_up(ctx)
					      : from_file(ctx, values);
}

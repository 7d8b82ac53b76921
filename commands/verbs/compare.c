/* compare.c - the command compare: where the values of two graphs part. */
#include <config.h>

#include "session/compare.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/number.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/diff.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "ir/journal.h"
#include "session/model.h"
#include "session/session.h"

static const char *
name_of(const struct fx_compare_row *row)
{
	return row->other ? row->other->name : row->node->name;
}

static void
row_cells(struct cmd_ctx *ctx, const struct fx_compare_row *row)
{
	bool is_renamed = row->other && row->other->name != row->node->name;

	out_cell_int(ctx->out, FX_ROLE_NUMBER,
		(int64_t)fx_graph_position(row->node->graph, row->node));
	out_cell(ctx->out, FX_ROLE_NODE, "%s", row->node->name);
	out_cell(ctx->out, FX_ROLE_NODE, "%s",
		is_renamed ? row->other->name : "");
	cmd_cell_shape(ctx->out, row->node->meta);
	if (row->gap.mismatch) {
		for (int i = 0; i < 5; i++)
			out_cell_none(ctx->out, "");
	} else {
		out_cell_double(ctx->out, FX_ROLE_NUMBER, row->gap.max_abs);
		out_cell_double(ctx->out, FX_ROLE_NUMBER, row->gap.max_rel);
		out_cell_double(ctx->out, FX_ROLE_NUMBER, row->gap.max_ulp);
		out_cell_double(ctx->out, FX_ROLE_NUMBER, row->cosine);
		out_cell_double(ctx->out, FX_ROLE_NUMBER, row->sqnr);
	}
	out_cell(ctx->out, FX_ROLE_WARNING, "%s",
		row->gap.mismatch ? row->gap.mismatch : "");
}

static const char *const keys[] = { "index", "node", "other", "shape",
	"max_abs", "max_rel", "ulp", "cosine", "sqnr", "mismatch" };

void
cmd_compare_sort_words(void (*offer)(void *context, const char *word),
	void *context)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(keys); i++)
		offer(context, keys[i]);
}

static void
say_rows(struct cmd_ctx *ctx, const struct fx_comparison *comparison)
{
	size_t limit = cmd_row_limit(ctx);
	size_t shown = 0;

	out_table_begin(ctx->out, "gaps", FX_ARRAY_LEN(keys), keys);
	for (size_t i = 0; i < comparison->count; i++) {
		if (!comparison->rows[i].has_parted)
			continue;
		if (!limit || shown < limit)
			row_cells(ctx, &comparison->rows[i]);
		shown++;
	}
	if (limit && shown > limit)
		out_table_more(ctx->out, shown - limit, "-m 0 shows all");
	out_table_end(ctx->out);
}

static void
say_row(struct cmd_ctx *ctx, const char *word, const char *key,
	const struct fx_comparison *comparison, size_t at)
{
	const struct fx_compare_row *row = &comparison->rows[at];
	FX_AUTO_BUF struct fx_buf place = { 0 };

	out_value_text(ctx->out, key, name_of(row));
	if (row->gap.mismatch) {
		out_line(ctx->out, FX_ROLE_CHANGED, "%s: %%%s  %s", word,
			name_of(row), row->gap.mismatch);
		return;
	}
	fx_gap_print_index(&place, &row->gap);
	out_line(ctx->out, FX_ROLE_CHANGED,
		"%s: %%%s  max rel %.1e, max abs %.1e at %s", word,
		name_of(row), row->gap.max_rel, row->gap.max_abs,
		place.length ? fx_buf_text(&place) : "its number");
}

void
cmd_say_emulated(struct cmd_ctx *ctx, const struct fx_emulation *emulation)
{
	static const char *const operators[] = { "operator", "calls" };

	if (!emulation->calls)
		return;
	out_line(ctx->out, FX_ROLE_WARNING,
		"computed in f32 and rounded to %s, as the backend has no "
		"kernel: %zu call%s",
		fx_dtype_info(emulation->dtype)->short_name, emulation->calls,
		emulation->calls == 1 ? "" : "s");
	out_table_begin(ctx->out, "emulated", FX_ARRAY_LEN(operators),
		operators);
	for (size_t i = 0; i < emulation->operators.count; i++) {
		const struct fx_emulated *one = &emulation->operators.items[i];

		out_cell(ctx->out, FX_ROLE_OP, "%s", one->target);
		out_cell_int(ctx->out, FX_ROLE_NUMBER, (int64_t)one->calls);
	}
	out_table_end(ctx->out);
}

static void
say_summary(struct cmd_ctx *ctx, const struct fx_comparison *comparison)
{
	out_value_int(ctx->out, "compared", (int64_t)comparison->count);
	out_value_int(ctx->out, "parted", (int64_t)comparison->parted);
	out_value_int(ctx->out, "unpaired", (int64_t)comparison->unpaired);
	if (comparison->parted) {
		say_row(ctx, "first", "first", comparison, comparison->first);
		say_row(ctx, "largest", "largest", comparison,
			comparison->largest);
	}
	if (comparison->dies != FX_COMPARE_NONE) {
		const struct fx_compare_row *row =
			&comparison->rows[comparison->dies];

		out_value_text(ctx->out, "dies_out", name_of(row));
		out_line(ctx->out, FX_ROLE_PLAIN,
			"dies out: %%%s has an input that parted, and gives "
			"the same",
			name_of(row));
	}
	for (const char *line = comparison->inputs; line && *line;
		line += strcspn(line, "\n") + 1)
		out_line(ctx->out, FX_ROLE_WARNING, "%.*s",
			(int)strcspn(line, "\n"), line);
	if (comparison->left)
		out_line(ctx->out, FX_ROLE_WARNING, "the second stopped: %s",
			fx_error_message(comparison->left));
	if (comparison->unpaired)
		out_line(ctx->out, FX_ROLE_PLAIN,
			"%zu node%s in one graph alone", comparison->unpaired,
			comparison->unpaired == 1 ? " stands" : "s stand");
	out_line(ctx->out, FX_ROLE_PLAIN, "%zu of %zu nodes parted.",
		comparison->parted, comparison->count);
}

static FX_NODISCARD struct fx_error *
read_options(struct cmd_ctx *ctx, struct fx_compare_options *ret)
{
	const char *dtype = cmd_flag(ctx, "dtype");
	const char *rtol = cmd_flag(ctx, "rtol");

	*ret = (struct fx_compare_options){ .rtol = dtype ? 1e-5 : 0 };
	if (dtype)
		ret->dtype = fx_dtype_find_short(dtype);
	if (dtype &&
		fx_dtype_info(ret->dtype)->category != FX_DTYPE_CATEGORY_FLOAT)
		return fx_error_hint(fx_error_new(FX_ERR_UNSUPPORTED,
					     "--dtype %s: graphs run in their "
					     "own dtypes, or with other floats",
					     dtype),
			"compare %s --dtype f64", cmd_arg_text(ctx, "before"));
	if (rtol && (!fx_number_parse_double(rtol, strlen(rtol), &ret->rtol) ||
			    !(ret->rtol >= 0)))
		return fx_error_new(FX_ERR_VALUE,
			"--rtol takes a number that is not negative, not "
			"\"%s\"",
			rtol);
	return NULL;
}

struct fx_error *
cmd_compare_models(struct cmd_ctx *ctx, struct fx_model *model,
	const struct cmd_compared *what)
{
	FX_AUTO_COMPARISON struct fx_comparison comparison = { .rows = NULL };
	struct fx_compare_options options;
	struct fx_error *err = read_options(ctx, &options);

	options.arrays = what->arrays;
	options.before = what->graphs[0];
	if (!err)
		err = fx_compare_graphs(ctx->session, model, what->graphs[1],
			&options, &comparison);
	if (err)
		return err;
	if (what->arrays && !comparison.count)
		return fx_error_new(FX_ERR_NO_NAME,
			"%s: no array is called like a node", what->arrays);
	say_rows(ctx, &comparison);
	cmd_say_emulated(ctx, &comparison.emulation);
	say_summary(ctx, &comparison);
	if (what->graphs[1])
		cmd_beside_graphs(ctx, what->graphs, what->names, &comparison);
	if ((comparison.parted || comparison.left) && !cmd_is_typed(ctx))
		return fx_error_new(FX_ERR_CHECK, "%s%zu of %zu nodes parted",
			comparison.left ? "the second stopped, and " : "",
			comparison.parted, comparison.count);
	return NULL;
}

/* The graph of now at two times of its own, or at one and as it is; or beside
 * the arrays of a file.
 */
static FX_NODISCARD struct fx_error *
compare_times(struct cmd_ctx *ctx, const char *arrays)
{
	FX_AUTO_GRAPH struct fx_graph *before = NULL;
	FX_AUTO_GRAPH struct fx_graph *after = NULL;
	uint32_t now = fx_journal_now(fx_model_graph(ctx->model));
	uint32_t times[2] = { now, now };
	char names[2][16];
	struct cmd_compared what = { .arrays = arrays };
	struct fx_error *err = cmd_time_argument(ctx, "before", 0, &times[0]);

	if (!err && !arrays)
		err = cmd_time_argument(ctx, "after", now, &times[1]);
	if (!err)
		err = cmd_graph_at_time(ctx, times[0], &before);
	if (!err && !arrays)
		err = cmd_graph_at_time(ctx, times[1], &after);
	if (err)
		return err;
	for (int i = 0; i < 2; i++) {
		snprintf(names[i], sizeof(names[i]), "t%u", times[i]);
		what.names[i] = names[i];
	}
	what.graphs[0] = before;
	what.graphs[1] = after;
	if (!arrays && !cmd_flag(ctx, "dtype") && times[0] == times[1])
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "t%u and t%u are the same graph",
					     times[0], times[1]),
			"info undo lists the times");
	return cmd_compare_models(ctx, ctx->model, &what);
}

static bool
is_array_file(const char *text)
{
	return text && (fx_str_ends(text, ".npz") || fx_str_ends(text, ".npy"));
}

bool
cmd_has_input(const struct fx_model *model)
{
	const struct fx_node *node;

	fx_graph_for_each_node (node, fx_model_graph(model))
		if (node->opcode == FX_OPCODE_PLACEHOLDER &&
			fx_model_input_given(model, node))
			return true;
	return false;
}

struct fx_error *
cmd_compare_exec(struct cmd_ctx *ctx)
{
	const char *first = cmd_arg_text(ctx, "before");
	const char *second = cmd_arg_text(ctx, "after");
	FX_AUTO_FREE char *path =
		is_array_file(second) ? fx_file_expand(second) : NULL;
	struct cmd_compared what = { .arrays = path };
	struct fx_model *models[2] = { ctx->model, ctx->model };
	struct fx_error *err;

	cmd_say_whole(ctx);
	if (cmd_are_times(first, path ? NULL : second))
		return compare_times(ctx, path);
	/* One graph is compared with the current one. */
	if (!second && !cmd_flag(ctx, "dtype"))
		second = ".";
	err = cmd_find_model(ctx, first, &models[0]);
	models[1] = models[0];
	if (!err && second && !path)
		err = cmd_find_model(ctx, second, &models[1]);
	if (err)
		return err;
	for (int i = 0; i < 2; i++) {
		what.names[i] = fx_model_name(models[i]);
		what.graphs[i] = fx_model_graph(models[i]);
	}
	if (path)
		what.graphs[1] = NULL;
	err = cmd_compare_models(ctx, models[0], &what);
	if (err && fx_error_code(err) == FX_ERR_NO_INPUT &&
		models[1] != models[0] && cmd_has_input(models[1]))
		err = fx_error_hint(err,
			"the inputs are those of the first graph: "
			"compare %s %s",
			what.names[1], what.names[0]);
	return err;
}

/* diff.c - the command diff: graphs and times compared node by node. */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "base/dtype.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/diff.h"
#include "commands/verbs/show.h"
#include "emit/construct.h"
#include "ir/clone.h"
#include "ir/diff.h"
#include "ir/journal.h"
#include "ir/module.h"
#include "ir/pair_nested.h"
#include "session/capture.h"
#include "session/model.h"
#include "session/session.h"

static void
add_node_line(struct fx_buf *text, const struct fx_node *node)
{
	fx_buf_addf(text, "%s = ", node->name);
	cmd_add_call(text, node);
}

static const struct cmd_change_look kinds[] = {
	[FX_CHANGE_ADDED] = { "+", "added", FX_ROLE_ADDED },
	[FX_CHANGE_REMOVED] = { "-", "removed", FX_ROLE_REMOVED },
	[FX_CHANGE_CHANGED] = { "~", "changed", FX_ROLE_CHANGED },
	[FX_CHANGE_RENAMED] = { "=", "renamed", FX_ROLE_CHANGED },
	[FX_CHANGE_MOVED] = { ">", "moved", FX_ROLE_CHANGED },
	[FX_CHANGE_SAME] = { " ", "same", FX_ROLE_PLAIN },
};

const struct cmd_change_look *
cmd_change_look(enum fx_change_kind kind)
{
	return &kinds[kind];
}

/* Print one change in whole lines, because a table would cut them.  JSON gets
 * tables instead.
 */
static void
say_change(struct cmd_ctx *ctx, const struct cmd_change_look *kind,
	const char *now, const char *was)
{
	out_line(ctx->out, kind->role, "%s %s", kind->sign, now);
	if (was)
		out_line(ctx->out, FX_ROLE_REMOVED, "  was %s", was);
}

static void
say_node_change(struct cmd_ctx *ctx, const struct fx_change *change,
	const char *before, const char *after, const char *fields)
{
	const struct cmd_change_look *kind = &kinds[change->kind];
	FX_AUTO_BUF struct fx_buf was = { 0 };

	if (change->kind == FX_CHANGE_RENAMED)
		fx_buf_addf(&was, "%s", change->before->name);
	else if (change->kind == FX_CHANGE_CHANGED)
		fx_buf_addf(&was, "%s", before);
	if (was.length && strcmp(fields, "name") != 0)
		fx_buf_addf(&was, "  (%s)", fields);
	say_change(ctx, kind, change->after ? after : before,
		was.length ? fx_buf_text(&was) : NULL);
}

/* Above the first row of a nested graph: where it is. */
static void
say_graph(struct cmd_ctx *ctx, const struct fx_nested_pair *pair)
{
	const char *const *paths = pair->paths;

	if (!*paths[1])
		return;
	if (paths[0] == paths[1])
		out_line(ctx->out, FX_ROLE_PATH, "/%s", paths[1]);
	else
		out_line(ctx->out, FX_ROLE_PATH, "/%s  was /%s", paths[1],
			paths[0]);
}

/* "/yes"; "" for the outermost graph. */
static void
graph_cell(struct cmd_ctx *ctx, const struct fx_nested_pair *pair)
{
	out_cell(ctx->out, FX_ROLE_PATH, "%s%s", *pair->paths[1] ? "/" : "",
		pair->paths[1]);
}

static void
change_cells(struct cmd_ctx *ctx, const struct fx_pairs *pairs,
	const struct fx_change *change)
{
	FX_AUTO_BUF struct fx_buf before = { 0 };
	FX_AUTO_BUF struct fx_buf after = { 0 };
	FX_AUTO_BUF struct fx_buf fields = { 0 };
	const struct cmd_change_look *kind = &kinds[change->kind];
	enum fx_role role = kind->role;
	const char *now;

	if (change->before)
		add_node_line(&before, change->before);
	if (change->after)
		add_node_line(&after, change->after);
	fx_change_print_fields(&fields, pairs, change);
	say_node_change(ctx, change, fx_buf_text(&before), fx_buf_text(&after),
		fx_buf_text(&fields));
	now = fx_buf_text(change->after ? &after : &before);
	out_cell(ctx->out, role, "%s", kind->sign);
	out_cell(ctx->out, role, "%s", kind->word);
	out_cell(ctx->out, FX_ROLE_NODE, "%s",
		change->after ? change->after->name : change->before->name);
	out_cell(ctx->out, FX_ROLE_NODE, "%s",
		change->before ? change->before->name : "");
	out_cell(ctx->out, role, "%s", fx_buf_text(&fields));
	if (change->kind == FX_CHANGE_CHANGED)
		out_cell(ctx->out, role, "%s  was  %s", now,
			fx_buf_text(&before));
	else
		out_cell(ctx->out, role, "%s", now);
	out_cell(ctx->out, FX_ROLE_REMOVED, "%s", fx_buf_text(&before));
	out_cell(ctx->out, FX_ROLE_ADDED, "%s", fx_buf_text(&after));
}

struct fx_error *
cmd_diff_stopped(void)
{
	return fx_error_new(FX_ERR_INTERRUPTED, "interrupted");
}

/* The rows of one graph, which are counted. */
static FX_NODISCARD struct fx_error *
say_nodes_of(struct cmd_ctx *ctx, const struct fx_nested_pair *pair,
	size_t *rows)
{
	const struct fx_tick tick = fx_session_ticks(ctx->session);
	FX_AUTO_FREE struct fx_change *changes = NULL;
	bool has_any = false;
	size_t count;

	fx_graph_diff(&pair->pairs, &changes, &count);
	for (size_t i = 0; i < count; i++) {
		if (changes[i].kind == FX_CHANGE_SAME)
			continue;
		if (fx_tick_is_pressed(&tick))
			return cmd_diff_stopped();
		if (!has_any)
			say_graph(ctx, pair);
		has_any = true;
		change_cells(ctx, &pair->pairs, &changes[i]);
		graph_cell(ctx, pair);
		(*rows)++;
	}
	return NULL;
}

static FX_NODISCARD struct fx_error *
say_nodes(struct cmd_ctx *ctx, const struct fx_nested_pairs *pairs,
	size_t *rows)
{
	static const char *const keys[] = { "~sign", "~kind", "~name", "~was",
		"~fields", "~node", "~before", "~after", "~graph" };
	struct fx_error *err = NULL;

	out_table_begin(ctx->out, "changes", FX_ARRAY_LEN(keys), keys);
	for (size_t i = 0; i < pairs->count && !err; i++)
		err = say_nodes_of(ctx, &pairs->items[i], rows);
	out_table_end(ctx->out);
	return err;
}

/* "Linear(in_features=4, out_features=8)", or the class alone. */
static void
add_module(struct fx_buf *text, const struct fx_module *module)
{
	FX_AUTO_GRAPH struct fx_graph *scratch = fx_graph_new(0);

	if (!fx_emit_construct(text, scratch, module))
		fx_buf_add(text,
			module->class_name
				? fx_class_short_name(module->class_name)
				: "Module");
	if (module->training)
		fx_buf_add(text, " in training mode");
	if (module->own_code)
		fx_buf_addf(text, " with %s", module->own_code);
}

static void
add_tensor(struct fx_buf *text, const struct fx_tensor *tensor)
{
	fx_buf_add(text, fx_dtype_info(tensor->dtype)->short_name);
	fx_buf_add_char(text, '[');
	for (uint32_t i = 0; i < tensor->rank; i++)
		fx_buf_addf(text, "%s%lld", i ? "," : "",
			(long long)tensor->sizes[i]);
	fx_buf_add_char(text, ']');
	if (!tensor->is_buffer && !tensor->requires_grad)
		fx_buf_add(text, " without grad");
	if (tensor->is_buffer && !tensor->is_persistent)
		fx_buf_add(text, " not persistent");
}

static void
add_side(struct fx_buf *text, const struct fx_module *module,
	const struct fx_tensor *tensor)
{
	if (module)
		add_module(text, module);
	else if (tensor)
		add_tensor(text, tensor);
}

static void
say_module(struct cmd_ctx *ctx, const char *path,
	const struct cmd_change_look *kind, const char *now, const char *was)
{
	FX_AUTO_BUF struct fx_buf line = { 0 };

	fx_buf_addf(&line, "%s: %s", *path ? path : "self", now);
	say_change(ctx, kind, fx_buf_text(&line), was);
}

static void
module_cells(struct cmd_ctx *ctx, const struct fx_module_change *change)
{
	FX_AUTO_BUF struct fx_buf before = { 0 };
	FX_AUTO_BUF struct fx_buf after = { 0 };
	FX_AUTO_BUF struct fx_buf now = { 0 };
	const struct cmd_change_look *kind = &kinds[change->kind];
	bool is_tensor = change->old || change->new;
	const char *was = NULL;

	add_side(&before, change->before, change->old);
	add_side(&after, change->after, change->new);
	fx_buf_add(&now, fx_buf_text(after.length ? &after : &before));
	if (change->kind == FX_CHANGE_CHANGED &&
		strcmp(fx_buf_text(&before), fx_buf_text(&after)) != 0)
		was = fx_buf_text(&before);
	else if (change->kind == FX_CHANGE_CHANGED)
		fx_buf_addf(&now, " with other %s",
			is_tensor ? "values" : "attributes");
	say_module(ctx, change->path, kind, fx_buf_text(&now), was);
	out_cell(ctx->out, kind->role, "%s", kind->sign);
	out_cell(ctx->out, kind->role, "%s", kind->word);
	out_cell(ctx->out, FX_ROLE_SCOPE, "%s", change->path);
	out_cell(ctx->out, kind->role, "%s%s%s", fx_buf_text(&now),
		was ? "  was  " : "", was ? was : "");
	out_cell(ctx->out, FX_ROLE_REMOVED, "%s", fx_buf_text(&before));
	out_cell(ctx->out, FX_ROLE_ADDED, "%s", fx_buf_text(&after));
}

/* What differs, in numbers. */
struct difference {
	size_t nodes;
	size_t modules;
	size_t tensors;
	bool is_script; /* it was asked for as commands */
	size_t unsaid;  /* what no command can say */
};

/* Graphs may have modules of the graphs around them: each is TOLD once. */
static bool
is_new(struct fx_map *told, const struct fx_module_change *change)
{
	const void *sides[] = { change->after, change->new, change->before,
		change->old };
	size_t i = 0;

	while (!sides[i])
		i++;
	return fx_map_set_pointer(told, sides[i], sides[i]);
}

static void
say_modules_of(struct cmd_ctx *ctx, const struct fx_nested_pair *pair,
	struct fx_map *told, struct difference *ret)
{
	struct fx_graph *const *graphs = pair->pairs.graphs;
	FX_AUTO_FREE struct fx_module_change *changes = NULL;
	size_t rows = 0;
	size_t count;

	fx_module_diff(graphs[0]->module, graphs[1]->module, &changes, &count);
	for (size_t i = 0; i < count; i++) {
		if (!is_new(told, &changes[i]))
			continue;
		if (!rows++)
			say_graph(ctx, pair);
		module_cells(ctx, &changes[i]);
		graph_cell(ctx, pair);
		if (changes[i].before || changes[i].after)
			ret->modules++;
		else
			ret->tensors++;
	}
}

static void
say_modules(struct cmd_ctx *ctx, const struct fx_nested_pairs *pairs,
	struct difference *ret)
{
	static const char *const keys[] = { "~sign", "~kind", "~module", "~is",
		"~before", "~after", "~graph" };
	FX_AUTO_MAP struct fx_map told = { 0 };

	out_table_begin(ctx->out, "modules", FX_ARRAY_LEN(keys), keys);
	for (size_t i = 0; i < pairs->count; i++)
		say_modules_of(ctx, &pairs->items[i], &told, ret);
	out_table_end(ctx->out);
}

static FX_NODISCARD struct fx_error *
say_diff(struct cmd_ctx *ctx, struct fx_graph *const graphs[2],
	const char *const names[2], struct difference *ret)
{
	const struct fx_tick tick = fx_session_ticks(ctx->session);
	FX_AUTO_NESTED_PAIRS struct fx_nested_pairs pairs = { .count = 0 };
	struct fx_error *err;

	*ret = (struct difference){ .is_script =
					    cmd_flag(ctx, "script") != NULL };
	if (ret->is_script)
		return cmd_diff_script(ctx, graphs[0], graphs[1], &ret->unsaid);
	fx_nested_pairs_make(graphs[0], graphs[1], &tick, &pairs);
	if (pairs.is_stopped)
		return cmd_diff_stopped();
	cmd_beside_graphs(ctx, graphs, names, NULL);
	err = say_nodes(ctx, &pairs, &ret->nodes);
	if (err)
		return err;
	say_modules(ctx, &pairs, ret);
	if (!ret->nodes && !ret->modules && !ret->tensors)
		out_line(ctx->out, FX_ROLE_PLAIN, "No differences.");
	return NULL;
}

struct fx_error *
cmd_time_enter(struct cmd_ctx *ctx, uint32_t time, uint32_t *now_ret)
{
	struct fx_graph *graph = fx_model_graph(ctx->model);

	*now_ret = fx_journal_now(graph);
	if (ctx->shell->in_transaction)
		return fx_error_new(FX_ERR_USAGE, "%s: a transaction is open",
			ctx->entry->name);
	return fx_journal_goto(graph, time);
}

struct fx_error *
cmd_graph_at_time(struct cmd_ctx *ctx, uint32_t time, struct fx_graph **ret)
{
	struct fx_graph *graph = fx_model_graph(ctx->model);
	uint32_t now;
	struct fx_error *err = cmd_time_enter(ctx, time, &now);

	if (err)
		return err;
	*ret = fx_graph_clone(graph, fx_session_serial(ctx->session), NULL);
	return fx_journal_goto(graph, now);
}

static FX_NODISCARD struct fx_error *
diff_times(struct cmd_ctx *ctx, uint32_t before, uint32_t after,
	struct difference *ret)
{
	struct fx_graph *graphs[2] = { NULL, NULL };
	char then[16];
	char now[16];
	const char *const names[] = { then, now };
	struct fx_error *err = cmd_graph_at_time(ctx, before, &graphs[0]);

	snprintf(then, sizeof(then), "t%u", before);
	snprintf(now, sizeof(now), "t%u", after);
	if (!err)
		err = cmd_graph_at_time(ctx, after, &graphs[1]);
	if (!err)
		err = say_diff(ctx, graphs, names, ret);
	fx_graph_free(graphs[0]);
	fx_graph_free(graphs[1]);
	return err;
}

struct fx_error *
cmd_diff_times(struct cmd_ctx *ctx, uint32_t before, uint32_t after)
{
	struct difference rows;

	return diff_times(ctx, before, after, &rows);
}

struct fx_error *
cmd_diff_graphs(struct cmd_ctx *ctx, struct fx_graph *const graphs[2])
{
	static const char *const names[] = { "before", "after" };
	struct difference rows;

	return say_diff(ctx, graphs, names, &rows);
}

/* diff: two graphs, a graph and the current one, or a time and now. */

/* Report that there are differences: as a line for a person, who asked for it,
 * and as a failure in a script, which checks for it.
 */
static FX_NODISCARD struct fx_error *
differ(struct cmd_ctx *ctx, struct difference rows)
{
	const struct {
		size_t count;
		const char *word;
	} parts[] = { { rows.nodes, "node" }, { rows.modules, "module" },
		{ rows.tensors, "tensor" } };
	FX_AUTO_BUF struct fx_buf text = { 0 };
	size_t total = rows.nodes + rows.modules + rows.tensors;

	for (size_t i = 0; i < FX_ARRAY_LEN(parts); i++) {
		if (!parts[i].count)
			continue;
		if (text.length)
			fx_buf_add(&text, ", ");
		cmd_add_count(&text, parts[i].count, parts[i].word);
	}
	if (rows.is_script)
		return cmd_diff_unsaid(ctx, rows.unsaid);
	if (!total)
		return NULL;
	fx_buf_addf(&text, " differ%s", total == 1 ? "s" : "");
	if (!cmd_is_typed(ctx))
		return fx_error_new(FX_ERR_CHECK, "%s", fx_buf_text(&text));
	out_line(ctx->out, FX_ROLE_PLAIN, "%s.", fx_buf_text(&text));
	return NULL;
}

/* The weights of a traced model come when it first runs: one of two graphs has
 * them, and the other shall too.  Without them what misses them says so.
 */
static void
fetch_weights(struct fx_model *model)
{
	FX_AUTO_FREE char *skipped = NULL;

	fx_error_free(fx_model_fetch_weights(model, &skipped));
}

struct fx_error *
cmd_find_model(struct cmd_ctx *ctx, const char *name, struct fx_model **ret)
{
	struct fx_error *err = NULL;

	*ret = ctx->model;
	if (strcmp(name, ".") != 0)
		err = cmd_find_graph(ctx->session, name, ret);
	if (err && strstr(name, ".py:"))
		err = fx_error_hint(err,
			"trace %s as other opens it; graph %s goes back to "
			"this one",
			name, fx_model_name(ctx->model));
	else if (err && strlen(name) > 3 &&
		 strcmp(name + strlen(name) - 3, ".py") == 0)
		err = fx_error_hint(err,
			"trace %s:MODEL as other opens a model of it; graph %s "
			"goes back to this one",
			name, fx_model_name(ctx->model));
	if (err)
		return err;
	fetch_weights(*ret);
	if (ctx->model)
		fetch_weights(ctx->model);
	return NULL;
}

struct fx_error *
cmd_diff_exec(struct cmd_ctx *ctx)
{
	const char *first = cmd_arg_text(ctx, "before");
	const char *second = cmd_arg_text(ctx, "after");
	struct fx_graph *graph = fx_model_graph(ctx->model);
	struct fx_model *before;
	struct fx_model *after = ctx->model;
	struct fx_error *err = NULL;
	uint32_t from;
	uint32_t to;
	struct cmd_compared compared = { .arrays = NULL };
	struct difference rows;

	if (!first || cmd_are_times(first, second)) {
		err = cmd_time_argument(ctx, "before", 0, &from);
		if (!err)
			err = cmd_time_argument(ctx, "after",
				fx_journal_now(graph), &to);
		if (!err)
			err = diff_times(ctx, from, to, &rows);
		if (!err && cmd_flag(ctx, "values"))
			return fx_error_hint(fx_error_new(FX_ERR_USAGE,
						     "--values compares two "
						     "graphs that are open"),
				"compare t%u t%u", from, to);
		return err ? err : differ(ctx, rows);
	}
	err = cmd_find_model(ctx, first, &before);
	if (!err && second)
		err = cmd_find_model(ctx, second, &after);
	if (err)
		return err;
	compared.names[0] = fx_model_name(before);
	compared.names[1] = fx_model_name(after);
	compared.graphs[0] = fx_model_graph(before);
	compared.graphs[1] = fx_model_graph(after);
	err = say_diff(ctx, compared.graphs, compared.names, &rows);
	if (err)
		return err;
	if (cmd_flag(ctx, "values"))
		return cmd_compare_models(ctx, before, &compared);
	return differ(ctx, rows);
}

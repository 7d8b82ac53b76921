/* set_value.c - set value PLACE = EXPR and unset value: results, parameters
 * and buffers that the user decides.
 */
#include <config.h>

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/shell.h"
#include "commands/verbs/edit.h"
#include "commands/verbs/set.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "session/locals.h"
#include "session/model.h"
#include "session/position.h"
#include "session/resolve.h"
#include "session/session.h"

/* What has to run again because of it. */
static void
say_dirty(struct cmd_ctx *ctx, const struct fx_edit_report *report)
{
	out_value_int(ctx->out, "dirty", (int64_t)report->dirty);
	if (report->dirty)
		out_piece(ctx->out, FX_ROLE_PLAIN, "dirty: %zu node%s",
			report->dirty, report->dirty == 1 ? "" : "s");
	else if (!report->position_moved)
		out_piece(ctx->out, FX_ROLE_PLAIN, "nothing runs again");
	if (report->position_moved)
		out_piece(ctx->out, FX_ROLE_PLAIN,
			report->dirty ? ", first @%zu" : "goes on at @%zu",
			report->position);
}

/* The path of a parameter or buffer that PLACE means, or NULL: then it is a
 * node.  `self.0.weight` is a path as torch.fx prints it.
 */
static const char *
tensor_path(const struct cmd_ctx *ctx, const char *place)
{
	struct fx_graph *graph = fx_position_graph(ctx->model);
	bool is_self = fx_str_starts(place, "self.");

	if (is_self)
		place += 5;
	else if (strchr("%@.$", *place) || fx_graph_find(graph, place))
		return NULL;
	return fx_module_find_tensor(graph->module, place) ? place : NULL;
}

/* EXPRESSION with its designators as names, if it can be read; the caller's. */
static char *
canonical(struct cmd_ctx *ctx, const char *expression)
{
	char *text;
	struct fx_error *err =
		cmd_canonical_expression(ctx, expression, "%", &text);

	if (!err)
		return text;
	/* It is told by who evaluates it. */
	fx_error_free(err);
	return fx_xstrdup(expression);
}

/* The command's words: the value of PLACE, which is taken, is EXPRESSION. */
static void
decide(struct cmd_ctx *ctx, char *place_taken, const char *expression)
{
	FX_AUTO_FREE char *place = place_taken;
	FX_AUTO_FREE char *words =
		fx_xasprintf("value %s = %s", place, expression);

	cmd_canonical_set(ctx, "what", words);
}

/* The lines of a script for LINE, which is taken; the caller's. */
static char *
placed(struct cmd_ctx *ctx, char *line_taken)
{
	FX_AUTO_FREE char *line = line_taken;
	struct fx_buf lines = { 0 };

	fx_buf_add(&lines, line);
	cmd_edit_place(ctx->model, fx_position_graph(ctx->model), &lines);
	return fx_buf_take(&lines);
}

static FX_NODISCARD struct fx_error *
set_tensor(struct cmd_ctx *ctx, const char *path, const char *expression)
{
	FX_AUTO_FREE char *line = placed(ctx, cmd_canonical_line(ctx));
	CMD_AUTO_VALUE_LOG struct cmd_value_log decided =
		cmd_value_log_begin(ctx, NULL, expression);
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };
	const struct fx_tensor *tensor =
		fx_module_find_tensor(fx_position_graph(ctx->model)->module,
			path);
	bool is_buffer = tensor->is_buffer;
	struct fx_error *err = fx_model_set_tensor(ctx->model, path, expression,
		line, &report);

	if (err)
		return err;
	cmd_value_log_keep(ctx->shell, &decided, fx_model_graph(ctx->model));
	/* Of several edits, commit tells the script what each was. */
	if (ctx->shell->in_transaction &&
		ctx->shell->transaction_model == fx_model_number(ctx->model))
		fx_buf_addf(&ctx->shell->transaction, "%s\n", line);
	out_piece(ctx->out, FX_ROLE_PLAIN, "1 %s changed; ",
		is_buffer ? "buffer" : "parameter");
	say_dirty(ctx, &report);
	out_value_int(ctx->out, "undo", (int64_t)report.undo_count);
	out_piece(ctx->out, FX_ROLE_PLAIN, "; undo: %zu", report.undo_count);
	out_line_end(ctx->out);
	return NULL;
}

/* PLACE is no node, as ERR says: whether it is something else. */
static FX_NODISCARD struct fx_error *
no_place(struct cmd_ctx *ctx, const char *place, struct fx_error *err_taken)
{
	struct fx_error *err = err_taken;
	const char *path;
	struct fx_error *no_scope;

	if (strchr(place, '[')) {
		struct fx_error *part = cmd_set_check_place(ctx, place);

		if (part) {
			fx_error_free(err);
			return part;
		}
		return fx_error_hint(err,
			"set value takes a node, parameter or buffer, or "
			"numbers and slices of one; $v is the value before");
	}
	no_scope = fx_resolve_scope(ctx->model, place, &path);
	if (no_scope) {
		fx_error_free(no_scope);
		return err;
	}
	fx_error_free(err);
	return fx_error_hint(fx_error_new(FX_ERR_NO_NODE,
				     "%s is a module, neither a node nor a "
				     "parameter or buffer",
				     path),
		"info params %s lists what it has", path);
}

/* The node that TEXT means. */
static FX_NODISCARD struct fx_error *
find_place(struct cmd_ctx *ctx, const char *text, struct fx_node **ret)
{
	struct fx_error *err =
		fx_locals_resolve(ctx->session, ctx->model, text, ret);

	if (err && fx_error_code(err) == FX_ERR_NO_NODE)
		return no_place(ctx, text, err);
	return err;
}

static FX_NODISCARD struct fx_error *
set_result(struct cmd_ctx *ctx, struct fx_node *node, const char *expression)
{
	CMD_AUTO_VALUE_LOG struct cmd_value_log decided =
		cmd_value_log_begin(ctx, node, expression);
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };
	const struct fx_node *writer = fx_position_writer(ctx->model, node);
	struct fx_error *err = fx_model_set_value(ctx->session, ctx->model,
		node, expression, &report);

	if (err)
		return err;
	cmd_value_log_keep(ctx->shell, &decided, fx_model_graph(ctx->model));
	out_piece(ctx->out, FX_ROLE_PLAIN, "%%%s is set; ", node->name);
	say_dirty(ctx, &report);
	out_line_end(ctx->out);
	if (writer)
		out_note(ctx->out,
			"that is what %%%s gives; %%%s, which wrote into it in "
			"place, does so again",
			node->name, writer->name);
	return NULL;
}

static bool
is_place(struct cmd_ctx *ctx, const char *text)
{
	struct fx_node *node;
	FX_AUTO_ERROR struct fx_error *err = NULL;

	if (tensor_path(ctx, text))
		return true;
	err = fx_locals_resolve(ctx->session, ctx->model, text, &node);
	return !err;
}

struct fx_error *
cmd_set_value(struct cmd_ctx *ctx, const char *text)
{
	FX_AUTO_FREE char *place = NULL;
	FX_AUTO_FREE char *expression = NULL;
	FX_AUTO_FREE char *base = NULL;
	FX_AUTO_FREE char *scattered = NULL;
	const char *index = "";
	const char *whole;
	const char *value;
	const char *typed;
	const char *path;
	struct fx_node *node;
	struct fx_error *err = cmd_set_check(ctx);

	if (!err && !(*text >= '0' && *text <= '9' &&
			    cmd_set_split_path(text, &place, &typed)))
		err = cmd_set_split(text, &place, &typed);
	if (err)
		return err;
	expression = canonical(ctx, typed);
	/* A place that is there whole, or elements of one. */
	whole = place;
	value = expression;
	if (!is_place(ctx, place) &&
		cmd_set_element(place, expression, &base, &scattered) &&
		is_place(ctx, base)) {
		whole = base;
		index = place + strlen(base);
		value = scattered;
	}
	path = tensor_path(ctx, whole);
	if (path) {
		decide(ctx, fx_xasprintf("%s%s", path, index), expression);
		return set_tensor(ctx, path, value);
	}
	err = find_place(ctx, whole, &node);
	if (err)
		return err;
	if (*index)
		err = cmd_set_check_element(ctx, node, index, expression);
	if (err)
		return err;
	decide(ctx, fx_xasprintf("%%%s%s", node->name, index), expression);
	return set_result(ctx, node, value);
}

struct fx_error *
cmd_unset_exec(struct cmd_ctx *ctx)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };
	const char *text = cmd_arg_text(ctx, "what");
	struct fx_node *node;
	struct fx_error *err = cmd_set_check(ctx);

	if (err)
		return err;
	if (fx_str_starts(text, "value") && strchr(" \t", text[5]))
		text += strlen("value");
	text += strspn(text, " \t");
	if (!*text)
		return fx_error_new(FX_ERR_USAGE, "unset value: which node?");
	err = fx_locals_resolve(ctx->session, ctx->model, text, &node);
	if (!err)
		err = fx_model_unset_value(ctx->model, node, &report);
	if (err)
		return err;
	cmd_value_log_forget(ctx->shell, fx_model_number(ctx->model), node->id);
	out_piece(ctx->out, FX_ROLE_PLAIN, "%%%s is computed; ", node->name);
	say_dirty(ctx, &report);
	out_line_end(ctx->out);
	return NULL;
}

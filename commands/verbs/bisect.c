/* bisect.c - bisect: since which edit do two graphs not give the same. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/diff.h"
#include "commands/verbs/pass_run.h"
#include "commands/verbs/passing.h"
#include "commands/verbs/python_pass.h"
#include "commands/verbs/verify.h"
#include "ir/clone.h"
#include "session/narrow.h"
#include "session/nested.h"
#include "session/resolve.h"
#include "session/session.h"

struct bisection {
	struct cmd_ctx *ctx;
	struct fx_verify *verify; /* against the first time, or NULL */
	const char *condition;    /* that holds at the first, or NULL */
	FX_VEC(uint32_t) times;   /* from the first to the last */
	size_t tries;
};

/* The way from FROM to TO, which is later on one branch. */
static FX_NODISCARD struct fx_error *
find_way(struct bisection *b, uint32_t from, uint32_t to)
{
	const struct fx_graph *graph = fx_model_graph(b->ctx->model);
	uint32_t time = to;

	while (time != from) {
		const struct fx_transaction *t = fx_journal_get(graph, time);

		if (!time || !t)
			return fx_error_new(FX_ERR_USAGE,
				"t%u does not come before t%u", from, to);
		fx_vec_insert(&b->times, 0, time);
		time = t->parent;
	}
	fx_vec_insert(&b->times, 0, from);
	return NULL;
}

/* Whether what is checked fails; TEXT (may be null) gets how. */
static FX_NODISCARD struct fx_error *
check_graph(struct bisection *b, struct fx_graph *graph, bool *fails_ret,
	struct fx_buf *text)
{
	FX_AUTO_VERIFY_RESULT struct fx_verify_result result = { .inputs = 0 };
	struct fx_error *err = fx_verify_graph(b->verify, graph, &result);

	if (err)
		return err;
	*fails_ret = result.verdict == FX_VERDICT_DIFFERS;
	fx_buf_clear(text);
	fx_verify_print(text, &result);
	if (result.verdict == FX_VERDICT_UNKNOWN)
		return fx_error_new(FX_ERR_CHECK, "bisect: %s",
			fx_buf_text(text));
	return NULL;
}

static FX_NODISCARD struct fx_error *
check_condition(struct bisection *b, bool *fails_ret, struct fx_buf *text)
{
	bool truth = false;
	struct fx_error *err = fx_resolve_condition(b->ctx->session,
		b->ctx->model, b->condition, &truth);

	*fails_ret = !truth;
	fx_buf_clear(text);
	fx_buf_addf(text, "%s is false", b->condition);
	return err;
}

static FX_NODISCARD struct fx_error *
check_at(struct bisection *b, uint32_t time, bool *fails_ret,
	struct fx_buf *text)
{
	struct fx_graph *graph = fx_model_graph(b->ctx->model);
	uint32_t now = fx_journal_now(graph);
	FX_AUTO_GRAPH struct fx_graph *copy = NULL;
	struct fx_error *err;
	struct fx_error *back;

	b->tries++;
	fx_session_set_part(b->ctx->session, "try", b->tries, 0);
	if (b->verify) {
		err = cmd_graph_at_time(b->ctx, time, &copy);
		return err ? err : check_graph(b, copy, fails_ret, text);
	}
	err = fx_journal_goto(graph, time);
	if (err)
		return err;
	err = check_condition(b, fails_ret, text);
	back = fx_journal_goto(graph, now);
	if (!err)
		return back;
	fx_error_free(back);
	return fx_error_note(err, "at t%u", time);
}

/* --- which candidate, which part ----------------------------------------- */

/* As check_at, of the graph as it is. */
static struct fx_error *
fails_now(void *context, struct fx_graph *graph, bool *ret)
{
	struct bisection *b = context;
	FX_AUTO_BUF struct fx_buf text = { 0 };
	FX_AUTO_GRAPH struct fx_graph *copy = NULL;

	(void)graph;
	b->tries++;
	if (!b->verify)
		return check_condition(b, ret, &text);
	copy = fx_graph_clone(fx_model_graph(b->ctx->model),
		fx_session_serial(b->ctx->session), NULL);
	return check_graph(b, copy, ret, &text);
}

/* The line of SCRIPT that is a pass or a rewrite, in a graph that lines before
 * and after it enter and leave; NULL: it is several commands.  The caller frees
 * both.
 */
static char *
line_of(const char *script, char **place_ret)
{
	static const char enter[] = "graph /";
	const char *line = script;
	size_t length;

	*place_ret = NULL;
	if (fx_str_starts(script, enter)) {
		length = strcspn(script, "\n");
		*place_ret = fx_xstrndup(script + sizeof(enter) - 1,
			length - (sizeof(enter) - 1));
		line = script + length + (script[length] != 0);
	}
	length = strcspn(line, "\n");
	if (line[length] && !fx_str_equal(line + length + 1, "graph /"))
		return NULL;
	return fx_xstrndup(line, length);
}

/* Before T, the candidate that makes it fail. */
static FX_NODISCARD struct fx_error *
find_candidate(struct bisection *b, const struct fx_transaction *t,
	const struct fx_blame_test *test, struct fx_buf *out)
{
	struct fx_model *model = b->ctx->model;
	struct cmd_blame blame = { .test = test };
	FX_AUTO_FREE char *place = NULL;
	FX_AUTO_FREE char *line = line_of(t->script, &place);
	FX_AUTO_FREE char *back = fx_xstrdup(fx_model_entered_path(model));
	struct fx_error *err = NULL;

	if (!line)
		return NULL;
	if (place || *back)
		err = fx_model_enter(model, place ? place : "");
	if (!err)
		err = cmd_passing_blame(b->ctx, line, &blame);
	if (place || *back)
		fx_error_free(fx_model_enter(model, back));
	if (!err && blame.found.key) {
		out_value_text(b->ctx->out, "key", blame.found.key);
		fx_buf_add(out, blame.found.place);
	}
	free(blame.found.place);
	return err;
}

/* Of an edit that has no candidates: the part of it that makes it fail. */
static FX_NODISCARD struct fx_error *
find_part(struct bisection *b, const struct fx_blame_test *test,
	struct fx_graph *after, struct fx_buf *out)
{
	const struct fx_narrowing narrowing = { .session = b->ctx->session,
		.model = b->ctx->model,
		.command = b->ctx->line,
		.graph = fx_model_graph(b->ctx->model),
		.other = after,
		.test = test };

	return fx_narrow(&narrowing, out);
}

/* What in the transaction at TIME it is, appended to OUT; nothing where that
 * cannot be told.
 */
static FX_NODISCARD struct fx_error *
narrow(struct bisection *b, uint32_t time, struct fx_buf *out)
{
	struct cmd_ctx *ctx = b->ctx;
	struct fx_graph *graph = fx_model_graph(ctx->model);
	const struct fx_transaction *t = fx_journal_get(graph, time);
	const struct fx_blame_test test = { fails_now, b };
	FX_AUTO_GRAPH struct fx_graph *after = NULL;
	struct fx_error *err = cmd_graph_at_time(ctx, time, &after);
	struct fx_error *back;
	uint32_t now;

	if (!err)
		err = cmd_time_enter(ctx, t->parent, &now);
	if (err)
		return err;
	(void)fx_model_propagate(ctx->model);
	if (t->script && cmd_made_by_pass(t) && !cmd_is_python_pass(t->maker))
		err = find_candidate(b, t, &test, out);
	else if (!t->script || strchr(t->script, '\n') ||
		 cmd_is_python_pass(t->maker))
		err = find_part(b, &test, after, out);
	back = fx_journal_goto(graph, now);
	(void)fx_model_propagate(ctx->model);
	if (!err)
		return back;
	fx_error_free(back);
	return err;
}

static void
tell_guilty(struct bisection *b, uint32_t time, const char *how,
	const char *part)
{
	struct cmd_ctx *ctx = b->ctx;
	const struct fx_transaction *t =
		fx_journal_get(fx_model_graph(ctx->model), time);

	out_value_int(ctx->out, "time", time);
	out_value_text(ctx->out, "did", t->command ? t->command : "");
	out_value_text(ctx->out, "maker", t->maker ? t->maker : "");
	out_value_int(ctx->out, "tries", (int64_t)b->tries);
	out_line(ctx->out, FX_ROLE_CHANGED, "t%u: %s", time,
		t->command ? t->command : "an edit");
	out_line(ctx->out, FX_ROLE_PLAIN, "  %s", how);
	if (*part)
		out_line(ctx->out, FX_ROLE_PLAIN, "  %s", part);
	out_line(ctx->out, FX_ROLE_PLAIN,
		"  %zu times tried; t%u is the last good one", b->tries,
		t->parent);
}

/* The first is good and the last is not: halve what lies between. */
static FX_NODISCARD struct fx_error *
search(struct bisection *b)
{
	FX_AUTO_BUF struct fx_buf how = { 0 };
	FX_AUTO_BUF struct fx_buf text = { 0 };
	size_t good = 0;
	size_t bad = b->times.count - 1;
	bool fails = false;
	struct fx_error *err = check_at(b, b->times.items[bad], &fails, &how);

	if (err)
		return err;
	if (!fails) {
		out_line(b->ctx->out, FX_ROLE_PLAIN, "t%u is good: %s",
			b->times.items[bad],
			b->verify ? fx_buf_text(&how) : b->condition);
		return NULL;
	}
	if (b->condition) {
		err = check_at(b, b->times.items[0], &fails, &text);
		if (err)
			return err;
		if (fails)
			return fx_error_new(FX_ERR_CHECK,
				"%s is false at t%u already", b->condition,
				b->times.items[0]);
	}
	while (bad - good > 1) {
		size_t middle = good + (bad - good) / 2;

		err = check_at(b, b->times.items[middle], &fails, &text);
		if (err)
			return err;
		if (fails) {
			bad = middle;
			fx_buf_clear(&how);
			fx_buf_add(&how, fx_buf_text(&text));
		} else {
			good = middle;
		}
	}
	fx_buf_clear(&text);
	err = narrow(b, b->times.items[bad], &text);
	if (err && fx_error_code(err) == FX_ERR_INTERRUPTED)
		return err;
	/* What cannot be told is left out. */
	fx_error_free(err);
	tell_guilty(b, b->times.items[bad], fx_buf_text(&how),
		fx_buf_text(&text));
	return NULL;
}

struct fx_error *
cmd_bisect_exec(struct cmd_ctx *ctx)
{
	struct bisection b = { .ctx = ctx,
		.condition = cmd_arg_text(ctx, "if") };
	struct fx_verify_options options;
	uint32_t from;
	uint32_t to;
	struct fx_error *err = cmd_verify_options(ctx, &options);

	if (!err && ctx->shell->in_transaction)
		err = fx_error_new(FX_ERR_USAGE,
			"bisect: a transaction is open");
	if (!err)
		err = cmd_time_argument(ctx, "from", 0, &from);
	if (!err)
		err = cmd_time_argument(ctx, "to",
			fx_journal_now(fx_model_graph(ctx->model)), &to);
	if (!err)
		err = find_way(&b, from, to);
	if (!err && b.times.count < 2)
		err = fx_error_new(FX_ERR_USAGE,
			"bisect: no edit lies between t%u and t%u", from, to);
	if (!err && !b.condition)
		err = cmd_verify_begin(ctx, from, &options, &b.verify);
	if (!err)
		err = search(&b);
	fx_verify_free(b.verify);
	fx_vec_deinit(&b.times);
	return err;
}

/* verify.c - verify and bisect: do two graphs give the same, and since when
 * not.
 */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/vec.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/diff.h"
#include "commands/verbs/show.h"
#include "ir/journal.h"
#include "session/model.h"
#include "session/resolve.h"
#include "session/session.h"
#include "session/verify.h"

/* --- what both take ------------------------------------------------------ */

/* By --rtol in the graphs' own dtypes, else in f64. */
static FX_NODISCARD struct fx_error *
read_options(struct cmd_ctx *ctx, struct fx_verify_options *ret)
{
	const char *rtol = cmd_flag(ctx, "rtol");
	int64_t inputs = cmd_flag_int(ctx, "inputs", 3);

	if (inputs < 1 || inputs > FX_VERIFY_INPUTS)
		return fx_error_new(FX_ERR_RANGE,
			"--inputs takes a number from 1 to %d",
			FX_VERIFY_INPUTS);
	*ret = (struct fx_verify_options){ .claim = FX_CLAIM_ALGEBRAIC,
		.inputs = (size_t)inputs };
	if (!rtol)
		return NULL;
	ret->claim = FX_CLAIM_EXACT;
	if (!fx_number_parse_double(rtol, strlen(rtol), &ret->tolerance) ||
		!(ret->tolerance >= 0))
		return fx_error_new(FX_ERR_VALUE,
			"--rtol takes a number that is not negative, not "
			"\"%s\"",
			rtol);
	return NULL;
}

bool
cmd_is_time(const char *text, int64_t *ret)
{
	return *text == 't' &&
	       fx_number_parse_int(text + 1, strlen(text + 1), ret);
}

struct fx_error *
cmd_time_argument(const struct cmd_ctx *ctx, const char *name, uint32_t missing,
	uint32_t *ret)
{
	const char *text = cmd_arg_text(ctx, name);
	int64_t time = missing;

	if (text && !cmd_is_time(text, &time))
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "\"%s\" is no time", text),
			"info undo");
	if (time < 0 || time > UINT32_MAX ||
		!fx_journal_get(fx_model_graph(ctx->model), (uint32_t)time))
		return fx_error_hint(fx_error_new(FX_ERR_RANGE,
					     "there is no time \"%s\"", text),
			"info undo lists them");
	*ret = (uint32_t)time;
	return NULL;
}

/* What MODEL's graph was at TIME, to be compared with. */
static FX_NODISCARD struct fx_error *
begin_at(struct cmd_ctx *ctx, uint32_t time,
	const struct fx_verify_options *options, struct fx_verify **ret)
{
	uint32_t now;
	struct fx_error *err = cmd_time_enter(ctx, time, &now);

	if (err)
		return err;
	*ret = fx_verify_new(ctx->session, ctx->model, options);
	return fx_journal_goto(fx_model_graph(ctx->model), now);
}

/* --- verify -------------------------------------------------------------- */

static void
say_gap(struct cmd_ctx *ctx, const struct fx_gap *gap)
{
	FX_AUTO_FREE char *rel = fx_xasprintf("%.17g", gap->max_rel);
	FX_AUTO_FREE char *abs = fx_xasprintf("%.17g", gap->max_abs);

	out_value_text(ctx->out, "max_rel", rel);
	out_value_text(ctx->out, "max_abs", abs);
}

static void
say_values(struct cmd_ctx *ctx, const struct fx_verify_result *result)
{
	static const char *const words[] = {
		[FX_VERDICT_SAME] = "same",
		[FX_VERDICT_DIFFERS] = "differs",
		[FX_VERDICT_UNKNOWN] = "unknown",
	};

	out_value_text(ctx->out, "verdict", words[result->verdict]);
	out_value_int(ctx->out, "inputs", (int64_t)result->inputs);
	out_value_text(ctx->out, "place", result->place ? result->place : "");
	if (result->verdict != FX_VERDICT_UNKNOWN)
		say_gap(ctx, &result->gap);
}

static FX_NODISCARD struct fx_error *
tell(struct cmd_ctx *ctx, const struct fx_verify_result *result)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	bool is_same = result->verdict == FX_VERDICT_SAME;

	say_values(ctx, result);
	if (result->verdict == FX_VERDICT_DIFFERS)
		fx_buf_add(&text, "they differ: ");
	fx_verify_print(&text, result);
	if (!is_same && !cmd_is_typed(ctx))
		return fx_error_new(FX_ERR_CHECK, "%s", fx_buf_text(&text));
	out_line(ctx->out, is_same ? FX_ROLE_PLAIN : FX_ROLE_WARNING, "%s",
		fx_buf_text(&text));
	return NULL;
}

struct fx_error *
cmd_verify_exec(struct cmd_ctx *ctx)
{
	const char *first = cmd_arg_text(ctx, "before");
	const char *second = cmd_arg_text(ctx, "after");
	FX_AUTO_VERIFY struct fx_verify *verify = NULL;
	FX_AUTO_VERIFY_RESULT struct fx_verify_result result = { .inputs = 0 };
	struct fx_verify_options options;
	struct fx_model *before = ctx->model;
	struct fx_model *after = ctx->model;
	struct fx_error *err = read_options(ctx, &options);
	int64_t time = 0;

	if (err)
		return err;
	if (!first || (!second && cmd_is_time(first, &time))) {
		uint32_t at;

		err = cmd_time_argument(ctx, "before", 0, &at);
		if (!err)
			err = begin_at(ctx, at, &options, &verify);
	} else {
		err = cmd_find_model(ctx, first, &before);
		if (!err && second)
			err = cmd_find_model(ctx, second, &after);
		if (!err)
			verify = fx_verify_new(ctx->session, before, &options);
	}
	if (!err)
		err = fx_verify_graph(verify, fx_model_graph(after), &result);
	return err ? err : tell(ctx, &result);
}

/* --- bisect -------------------------------------------------------------- */

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

static void
tell_guilty(struct bisection *b, uint32_t time, const char *how)
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
	tell_guilty(b, b->times.items[bad], fx_buf_text(&how));
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
	struct fx_error *err = read_options(ctx, &options);

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
		err = begin_at(ctx, from, &options, &b.verify);
	if (!err)
		err = search(&b);
	fx_verify_free(b.verify);
	fx_vec_deinit(&b.times);
	return err;
}

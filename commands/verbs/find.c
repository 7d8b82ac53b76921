/* find.c - find EXPR COND: where the elements of a tensor meet a condition.
 *
 * The condition is evaluated once, with $v as the whole tensor, and gives a
 * truth for each element.  What Python asks of one number only (`and`, `not`,
 * a chain of comparisons) is evaluated for one element after the other, up to a
 * limit, with the same answer.
 */
#include <config.h>

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/front.h"
#include "commands/shell/groups.h"
#include "commands/verbs/elements.h"
#include "commands/verbs/show.h"
#include "lang/ast.h"
#include "lang/lex.h"
#include "lang/parse.h"
#include "run/datum.h"
#include "run/ticker.h"
#include "run/values.h"
#include "session/resolve.h"

/* Elements that a condition is evaluated for one by one. */
#define SINGLE_LIMIT ((uint64_t)1 << 16)

/* Rows that are collected to be sorted. */
#define SORTED_LIMIT ((size_t)1 << 20)

/* --- the two expressions of the line ------------------------------------- */

static bool
is_expression(const char *text, size_t length)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_ast *tree;
	FX_AUTO_ERROR struct fx_error *err = fx_parse_expression(arena, text,
		length, FX_PARSE_DESIGNATORS | FX_PARSE_EQUAL_COMPARES, &tree);

	return !err;
}

/* Whether $v stands in TEXT. */
static bool
asks_for_elements(const char *text)
{
	struct fx_lexer lexer;
	struct fx_token token;

	fx_lexer_init(&lexer, text, strlen(text), FX_LEX_DESIGNATORS);
	while ((token = fx_lexer_next(&lexer)).kind != FX_TOKEN_END)
		if (token.end - token.begin == 2 &&
			!strncmp(text + token.begin, "$v", 2))
			return true;
	return false;
}

/* Where the condition begins in TEXT: at the first blank before which an
 * expression ends and behind which one with $v begins.  NULL: nowhere.
 */
static const char *
find_condition(const char *text)
{
	for (const char *at = text; *at; at++)
		if (*at == ' ' && at[1] != ' ' &&
			is_expression(text, (size_t)(at - text)) &&
			asks_for_elements(at + 1) &&
			is_expression(at + 1, strlen(at + 1)))
			return at + 1;
	return NULL;
}

/* --- what meets it ------------------------------------------------------- */

struct search {
	struct cmd_ctx *ctx;
	const char *condition;
	struct fx_datum *tensor; /* borrowed */
	struct fx_extent extent;
	struct fx_ticker ticker;
	size_t limit; /* of rows */
	uint64_t matches;
};

static void
add_match(struct search *search, uint64_t index)
{
	struct out *out = search->ctx->out;
	int64_t at[FX_RANK_LIMIT];

	if (search->matches++ >= search->limit)
		return;
	fx_extent_unravel(&search->extent, index, at);
	cmd_cell_sizes(out, at, search->extent.rank);
	cmd_cell_element(out, search->tensor, search->extent.dtype, index);
}

/* TRUTHS has an element for each of the tensor's. */
static struct fx_error *
see_truths(struct search *search, const struct fx_datum *truths)
{
	double real[FX_VALUES_CHUNK];
	double imag[FX_VALUES_CHUNK];
	uint64_t total = search->extent.count;
	struct fx_error *err = NULL;

	for (uint64_t first = 0; !err && first < total;) {
		size_t count = (size_t)FX_MIN(total - first,
			(uint64_t)FX_VALUES_CHUNK);

		err = fx_values_numbers(truths, first, count, real, imag);
		for (size_t i = 0; !err && i < count; i++)
			if (real[i] != 0 || imag[i] != 0)
				add_match(search, first + i);
		first += count;
		if (!err)
			err = fx_ticker_check(&search->ticker, first, total);
	}
	return err;
}

/* Whether element INDEX meets the condition. */
static struct fx_error *
ask_one(struct search *search, uint64_t index, bool *ret)
{
	FX_AUTO_DATUM struct fx_datum *element = NULL;
	FX_AUTO_DATUM struct fx_datum *answer = NULL;
	struct fx_error *err =
		fx_values_item_at(search->tensor, index, &element);

	if (!err)
		err = fx_resolve_condition_of(search->ctx->session,
			search->ctx->model, element, search->condition,
			&answer);
	return err ? err : fx_datum_truth(answer, ret);
}

static struct fx_error *
see_singles(struct search *search)
{
	struct fx_error *err = NULL;

	for (uint64_t i = 0; !err && i < search->extent.count; i++) {
		bool is_met = false;

		err = ask_one(search, i, &is_met);
		if (is_met)
			add_match(search, i);
		if (!err)
			err = fx_ticker_check(&search->ticker, i,
				search->extent.count);
	}
	return err;
}

/* Whether TRUTHS has a known truth for each element. */
static bool
fits(const struct search *search, const struct fx_datum *truths)
{
	struct fx_extent extent;
	FX_AUTO_ERROR struct fx_error *err =
		truths->kind == FX_DATUM_TENSOR ? fx_extent_of(truths, &extent)
						: NULL;

	return truths->kind == FX_DATUM_TENSOR && !err &&
	       fx_extent_same_sizes(&extent, &search->extent) &&
	       fx_values_known(truths);
}

static struct fx_error *
too_many(const struct search *search)
{
	return fx_error_hint(fx_error_new(FX_ERR_LIMIT,
				     "%s is no condition on all elements at "
				     "once, and there are %" PRIu64
				     " to ask one by one (at most %" PRIu64 ")",
				     search->condition, search->extent.count,
				     SINGLE_LIMIT),
		"& | ~ join conditions on tensors, as in ($v > 0) & ($v < 1)");
}

/* Rows for all elements that meet the condition, up to the limit. */
static struct fx_error *
see_all(struct search *search)
{
	FX_AUTO_DATUM struct fx_datum *truths = NULL;
	struct fx_error *err = fx_resolve_condition_of(search->ctx->session,
		search->ctx->model, search->tensor, search->condition, &truths);

	if (!err && fits(search, truths))
		return see_truths(search, truths);
	if (err && fx_error_code(err) == FX_ERR_INTERRUPTED)
		return err;
	/* What is wrong for the whole may be right for one number, or is told
	 * by the first of them.
	 */
	fx_error_free(err);
	if (search->extent.count > SINGLE_LIMIT)
		return too_many(search);
	return see_singles(search);
}

static struct fx_error *
say_matches(struct search *search)
{
	static const char *const keys[] = { "index", "value" };
	struct out *out = search->ctx->out;
	struct fx_error *err;

	out_table_begin(out, "elements", FX_ARRAY_LEN(keys), keys);
	err = see_all(search);
	if (!err && search->matches > search->limit)
		out_table_more(out, (size_t)(search->matches - search->limit),
			"-m 0 shows all");
	out_table_end(out);
	if (err && fx_error_code(err) == FX_ERR_TYPE &&
		fx_dtype_info(search->extent.dtype)->category ==
			FX_DTYPE_CATEGORY_COMPLEX &&
		!fx_error_hint_text(err))
		return fx_error_hint(err,
			"abs($v) and $v.real are numbers in an order");
	if (err)
		return err;
	out_value_int(out, "matches", (int64_t)search->matches);
	out_line(out, FX_ROLE_PLAIN, "%" PRIu64 " of %" PRIu64 " element%s",
		search->matches, search->extent.count,
		search->extent.count == 1 ? "" : "s");
	return NULL;
}

struct fx_error *
cmd_find_exec(struct cmd_ctx *ctx)
{
	const char *text = cmd_arg_text(ctx, "expression");
	const char *condition = find_condition(text);
	size_t limit = cmd_element_limit(ctx);
	FX_AUTO_FREE char *expression = NULL;
	FX_AUTO_DATUM struct fx_datum *tensor = NULL;
	struct search search = { .ctx = ctx, .condition = condition };
	struct fx_error *err;

	if (!condition)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "find: expected a tensor and a "
					     "condition on $v, its elements"),
			"find %s isnan($v)",
			strcspn(text, " ") == strlen(text) ? text : "x");
	expression = fx_xstrndup(text, (size_t)(condition - text - 1));
	err = cmd_elements_of(ctx, expression, &tensor);
	if (!err)
		err = fx_extent_of(tensor, &search.extent);
	if (err)
		return err;
	search.tensor = tensor;
	search.limit = out_sorts(ctx->out) ? SORTED_LIMIT
		       : limit             ? limit
					   : SIZE_MAX;
	fx_ticker_init(&search.ticker, ctx->front->tick, ctx->front->context);
	return say_matches(&search);
}

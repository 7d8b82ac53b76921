/* why.c - the command why: from a wrong value to what made it so. */
#include <config.h>

#include "commands/verbs/why.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/diff.h"
#include "session/model.h"
#include "session/position.h"
#include "session/resolve.h"
#include "session/session.h"
#include "session/why.h"

/* --- what is asked ------------------------------------------------------- */

/* How much of the largest element rounding may take, all in all. */
static double
room_of(const struct fx_why_wish *wish)
{
	switch (wish->dtype) {
	case FX_DTYPE_NONE:
		return wish->arrays ? 1e-5 : 0;
	case FX_DTYPE_F16:
		return 5e-3;
	case FX_DTYPE_BF16:
		return 4e-2;
	default:
		return 1e-5;
	}
}

/* PATH_RET is the caller's. */
static struct fx_error *
read_reference(struct cmd_ctx *ctx, struct fx_why_wish *wish, char **path_ret)
{
	const char *against = cmd_flag(ctx, "against");
	const char *rtol = cmd_flag(ctx, "rtol");
	struct fx_model *model;
	struct fx_error *err;

	if (against && fx_str_ends(against, ".npz"))
		wish->arrays = *path_ret = fx_file_expand(against);
	else if (against)
		wish->dtype = fx_dtype_find_short(against);
	if (fx_dtype_info(wish->dtype)->category != FX_DTYPE_CATEGORY_FLOAT)
		wish->dtype = FX_DTYPE_NONE;
	wish->rtol = room_of(wish);
	if (rtol && (!against ||
			    !fx_number_parse_double(rtol, strlen(rtol),
				    &wish->rtol) ||
			    !(wish->rtol >= 0)))
		return fx_error_new(FX_ERR_VALUE,
			"--rtol takes a number that is not negative, beside "
			"--against");
	if (!against || wish->dtype || wish->arrays)
		return NULL;
	err = cmd_find_model(ctx, against, &model);
	if (!err)
		wish->against = fx_model_graph(model);
	else if (strpbrk(against, "./"))
		err = fx_error_hint(err,
			"a file that is compared with is FILE.npz, with arrays "
			"by the names of nodes; a saved graph is opened first: "
			"load FILE as base");
	return err;
}

/* Whether TEXT, which may be null, is an element still. */
static bool
is_there(struct cmd_ctx *ctx, const char *text)
{
	struct cmd_element element;
	struct fx_error *err =
		text ? cmd_read_element(ctx, text, &element) : NULL;

	fx_error_free(err);
	return text && !err;
}

static struct fx_error *
read_wish(struct cmd_ctx *ctx, struct cmd_element *element,
	struct fx_why_wish *ret, char **path_ret)
{
	const char *what = cmd_arg_text(ctx, "what");
	struct fx_error *err;

	*ret = (struct fx_why_wish){ .target = FX_WHY_NODE };
	err = read_reference(ctx, ret, path_ret);
	if (err)
		return err;
	/* An assertion that failed is what is asked about. */
	if (!what && is_there(ctx, ctx->shell->asserted))
		what = ctx->shell->asserted;
	if (what && !strcmp(what, "inf"))
		ret->target = FX_WHY_INF;
	else if (what && strcmp(what, "nan") != 0)
		err = cmd_read_element(ctx, what, element);
	else if (what || !fx_why_has_reference(ret))
		ret->target = FX_WHY_NAN;
	if (ret->target != FX_WHY_NODE && fx_why_has_reference(ret))
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "--against goes with a node"),
			"why output --against %s", cmd_flag(ctx, "against"));
	ret->node = element->node;
	ret->index = element->index;
	ret->count = element->count;
	ret->last = element->last;
	return err;
}

/* Nothing is NaN, where a node could not run: what else there is to ask. */
static FX_NODISCARD struct fx_error *
hint_failed(struct cmd_ctx *ctx, struct fx_error *err_taken)
{
	const struct fx_node *node = fx_position_node(ctx->model);
	size_t count = fx_session_model_count(ctx->session);

	for (size_t i = 0; err_taken && i < count; i++) {
		struct fx_model *other = fx_session_model_at(ctx->session, i);

		if (fx_error_code(err_taken) == FX_ERR_NO_INPUT &&
			other != ctx->model && cmd_has_input(other))
			return fx_error_hint(err_taken,
				"the graph that is asked about is %s; graph %s "
				"goes to one that has an input",
				fx_model_name(ctx->model),
				fx_model_name(other));
	}
	if (!err_taken || fx_error_code(err_taken) != FX_ERR_NO_VALUE ||
		!node || strcmp(fx_model_state(ctx->model, node), "E") != 0)
		return err_taken;
	return fx_error_hint(err_taken,
		"%%%s could not run: node %s has its arguments; shapes with "
		"letters, as x=f32[N,3,H,W], says which sizes fit",
		node->name, node->name);
}

/* Nothing is NaN, and the node at the stop could not run for a truth that it
 * was given: torch._assert.  Then WISH is that truth.
 */
static bool
asks_of_assertion(struct cmd_ctx *ctx, const struct fx_error *err,
	struct fx_why_wish *wish)
{
	const struct fx_node *node = fx_position_node(ctx->model);
	struct fx_node *given = node && fx_node_input_count(node)
					? fx_node_input(node, 0)
					: NULL;

	if (!err || fx_error_code(err) != FX_ERR_NO_VALUE || !given ||
		cmd_arg_text(ctx, "what") ||
		strcmp(fx_model_state(ctx->model, node), "E") != 0 ||
		!given->meta || given->meta->kind != FX_VALUE_TENSOR ||
		given->meta->tensor->dtype != FX_DTYPE_BOOL)
		return false;
	wish->target = FX_WHY_NODE;
	wish->node = given;
	wish->count = 0;
	return true;
}

static const char *
second_title(const struct fx_why *why)
{
	const struct fx_cause *second = &why->second;
	size_t way = cmd_way_length(second);

	if (!why->is_apart)
		return "With that mended it is wrong still:";
	return second->steps.items[way - 1].role == FX_CAUSE_UNASKED
		       ? "The way from the output ends before that:"
		       : "And apart from that:";
}

struct fx_error *
cmd_why_exec(struct cmd_ctx *ctx)
{
	struct cmd_element element = { .node = NULL };
	struct fx_why_wish wish;
	FX_AUTO(why) struct fx_why why = { .is_fine = false };
	FX_AUTO_FREE char *path = NULL;
	struct fx_error *err = read_wish(ctx, &element, &wish, &path);

	if (!err)
		err = fx_why_find(ctx->session, ctx->model, &wish, &why);
	if (asks_of_assertion(ctx, err, &wish)) {
		fx_error_free(err);
		err = fx_why_find(ctx->session, ctx->model, &wish, &why);
	}
	err = hint_failed(ctx, err);
	if (err)
		return err;
	if (why.is_inf)
		out_line(ctx->out, FX_ROLE_PLAIN,
			"Nothing is NaN; the first infinity:");
	if (why.is_fine) {
		cmd_say_no_fault(ctx, &why);
		cmd_say_emulated(ctx, &why.emulation);
		return NULL;
	}
	cmd_say_cause_values(ctx, &why.cause, cmd_way_length(&why.cause));
	cmd_say_cause(ctx, &why.cause);
	if (why.is_hidden)
		out_line(ctx->out, FX_ROLE_PLAIN,
			"  The output does not show it.");
	cmd_say_way(ctx, &why.cause);
	cmd_say_emulated(ctx, &why.emulation);
	if (why.second.steps.count) {
		out_line(ctx->out, FX_ROLE_PLAIN, "%s", second_title(&why));
		cmd_say_cause(ctx, &why.second);
	}
	fx_session_examine(ctx->session,
		why.cause.steps.items[cmd_way_length(&why.cause) - 1].node);
	return NULL;
}

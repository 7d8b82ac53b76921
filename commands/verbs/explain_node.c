/* explain_node.c - explain NODE: what it computes, what its layer is made of.
 */
#include <config.h>

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "commands/out/out.h"
#include "commands/verbs/show.h"
#include "commands/verbs/why.h"
#include "emit/edits.h"
#include "ir/graph.h"
#include "ir/inline.h"
#include "ir/signature.h"
#include "meta/propagate.h"
#include "ops/formula.h"
#include "ops/optab.h"

static bool
is_call(const struct fx_node *node)
{
	return node->opcode != FX_OPCODE_PLACEHOLDER &&
	       node->opcode != FX_OPCODE_OUTPUT;
}

/* The one operator that GRAPH has, or NULL. */
static const struct fx_node *
only_call(const struct fx_graph *graph)
{
	const struct fx_node *found = NULL;
	const struct fx_node *node;

	fx_graph_for_each_node (node, graph) {
		if (!is_call(node))
			continue;
		if (found)
			return NULL;
		found = node;
	}
	return found;
}

/* Whether the operator CALL is given something for the parameter of the LENGTH
 * bytes of NAME.
 */
static bool
is_given(const struct fx_node *call, const char *name, size_t length)
{
	const struct fx_signature *signature =
		fx_signature_of((enum fx_op)call->op);
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value *bound =
		FX_ARENA_ARRAY(arena, struct fx_value, signature->count + 1);
	struct fx_error *err = fx_signature_bind(arena, signature,
		&(struct fx_call_values){ .name = call->target,
			.args = call->args,
			.kwargs = call->kwargs },
		bound);

	for (size_t i = 0; i < signature->count && !err; i++)
		if (strlen(signature->parameters[i].name) == length &&
			!strncmp(signature->parameters[i].name, name, length))
			return bound[i].kind != FX_VALUE_NONE;
	fx_error_free(err);
	return true;
}

void
cmd_add_formula(struct fx_buf *out, const char *target,
	const struct fx_node *call)
{
	const struct fx_formula *formula =
		target ? fx_formula_find(target) : NULL;

	for (const char *at = formula ? formula->text : ""; *at; at++) {
		const char *name = *at == '[' ? strchr(at, '{') + 1 : NULL;

		if (name && call && !is_given(call, name, strcspn(name, "}"))) {
			at = strchr(at, ']');
		} else if (*at == '{' && at[1] >= '1' && at[1] <= '9' &&
			   at[2] == '}') {
			fx_buf_add_char(out, "xyzuvw"[(at[1] - '1') % 6]);
			at += 2;
		} else if (*at == '{' && at[1] == '+') {
			at++;
		} else if (!strchr("{}[]", *at)) {
			fx_buf_add_char(out, *at);
		}
	}
}

static const char *
shape_rule(const struct fx_node *node)
{
	const char *rule =
		node->op ? fx_op_info((enum fx_op)node->op)->shape : "none";

	return strcmp(rule, "none") != 0 ? rule : NULL;
}

/* The operators of INSIDE, which a layer or composite function is made of. */
static void
say_made_of(struct cmd_ctx *ctx, const struct fx_graph *inside)
{
	static const char *const keys[] = { "name", "made_of", "shape_rule" };
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const struct fx_node *node;
	size_t limit = cmd_row_limit(ctx);
	size_t count = 0;

	out_table_begin(ctx->out, "made_of", FX_ARRAY_LEN(keys), keys);
	fx_graph_for_each_node (node, inside) {
		if (!is_call(node) || (count++ >= limit && limit))
			continue;
		fx_buf_clear(&text);
		if (!fx_emit_expression(&text, node))
			fx_buf_add(&text, node->target);
		out_cell(ctx->out, FX_ROLE_NODE, "%s", node->name);
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s", fx_buf_text(&text));
		out_cell(ctx->out, FX_ROLE_MUTED, "%s",
			shape_rule(node) ? shape_rule(node) : "");
	}
	if (limit && count > limit)
		out_table_more(ctx->out, count - limit, "-m 0 shows all");
	out_table_end(ctx->out);
}

void
cmd_explain_node(struct cmd_ctx *ctx, struct fx_node *node)
{
	FX_AUTO_META struct fx_meta *meta = fx_meta_new();
	FX_AUTO_BUF struct fx_buf formula = { 0 };
	const struct fx_graph *inside = NULL;

	/* An operator, or a layer that nobody knows, has no inside. */
	fx_error_free(fx_inline_open(fx_meta_expander(meta), node, &inside));
	cmd_say_what_node_does(ctx, node);
	cmd_add_formula(&formula, cmd_formula_name(node),
		inside ? only_call(inside) : node);
	out_value_text(ctx->out, "node", node->name);
	out_value_text(ctx->out, "formula",
		formula.length ? fx_buf_text(&formula) : NULL);
	if (formula.length)
		out_line(ctx->out, FX_ROLE_PLAIN, "  = %s",
			fx_buf_text(&formula));
	if (shape_rule(node))
		out_line(ctx->out, FX_ROLE_PLAIN, "  shape: by the rule %s",
			shape_rule(node));
	if (inside)
		say_made_of(ctx, inside);
	out_line(ctx->out, FX_ROLE_MUTED,
		"explain %s[i,...] has the numbers of one element", node->name);
}

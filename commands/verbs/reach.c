/* reach.c - slice, path, dom: sets of nodes along the edges, as queries. */
#include <config.h>

#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/verbs/show.h"
#include "ir/graph.h"
#include "session/position.h"
#include "session/resolve.h"

/* List the set that QUERY, which is taken, selects; it is $_ then. */
static struct fx_error *
say_set(struct cmd_ctx *ctx, char *query_taken, const char *none)
{
	FX_AUTO_FREE char *query = query_taken;
	FX_AUTO_FREE size_t *positions = NULL;
	size_t count;
	struct fx_error *err = fx_resolve_set(ctx->session, ctx->model, query,
		&positions, &count);

	if (err)
		return err;
	out_value_text(ctx->out, "query", query);
	if (!count)
		out_line(ctx->out, FX_ROLE_PLAIN, "%s", none);
	return cmd_say_nodes_sorted(ctx, positions, count);
}

struct fx_error *
cmd_slice_exec(struct cmd_ctx *ctx)
{
	const struct fx_node *node = cmd_arg_node(ctx, "node");

	return say_set(ctx,
		fx_xasprintf("%s(%%%s, %lld)",
			cmd_flag(ctx, "users") ? "down" : "up", node->name,
			(long long)cmd_flag_int(ctx, "depth", INT32_MAX)),
		"");
}

struct fx_error *
cmd_path_exec(struct cmd_ctx *ctx)
{
	const char *from = cmd_arg_node(ctx, "from")->name;
	const char *to = cmd_arg_node(ctx, "target")->name;
	FX_AUTO_FREE char *none =
		fx_xasprintf("%%%s does not depend on %%%s.", to, from);

	return say_set(ctx,
		fx_xasprintf(cmd_flag(ctx, "all") ? "down(%%%s) and up(%%%s)"
						  : "path(%%%s, %%%s)",
			from, to),
		none);
}

struct fx_error *
cmd_dom_exec(struct cmd_ctx *ctx)
{
	return say_set(ctx,
		fx_xasprintf("%s(%%%s)",
			cmd_flag(ctx, "users") ? "postdom" : "dom",
			cmd_arg_node(ctx, "node")->name),
		"");
}

/* beside.c - two graphs made into rows, for a front end that shows them beside
 * each other.
 */
#include <config.h>

#include "commands/shell/beside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "commands/shell/shell.h"
#include "commands/verbs/diff.h"
#include "commands/verbs/show.h"
#include "ir/pair_nested.h"
#include "session/compare.h"
#include "session/passing.h"

void
beside_free(struct beside *beside)
{
	if (!beside)
		return;
	for (size_t i = 0; i < beside->rows.count; i++) {
		free(beside->rows.items[i].texts[0]);
		free(beside->rows.items[i].texts[1]);
	}
	fx_vec_deinit(&beside->rows);
	free(beside->titles[0]);
	free(beside->titles[1]);
	free(beside);
}

static char *
text_of(const struct fx_node *node)
{
	FX_AUTO_BUF struct fx_buf call = { 0 };
	const char *text;

	if (!node)
		return NULL;
	cmd_add_call(&call, node);
	text = fx_buf_text(&call);
	/* Half a screen is narrow, and brackets say that it is a call. */
	if (node->opcode == FX_OPCODE_CALL_FUNCTION ||
		node->opcode == FX_OPCODE_CALL_METHOD ||
		node->opcode == FX_OPCODE_CALL_MODULE)
		text += strcspn(text, " ") + 1;
	return fx_xasprintf("%s = %s", node->name, text);
}

/* The rows of COMPARISON by the node of the first graph. */
static void
index_gaps(const struct fx_comparison *comparison, struct fx_map *ret)
{
	for (size_t i = 0; comparison && i < comparison->count; i++)
		fx_map_set_pointer(ret, comparison->rows[i].node,
			&comparison->rows[i]);
}

static double
gap_of(const struct fx_map *gaps, const struct fx_change *change)
{
	const struct fx_compare_row *row =
		change->before ? fx_map_get_pointer(gaps, change->before)
			       : NULL;

	if (!row)
		return NAN;
	return row->gap.mismatch ? INFINITY : row->gap.max_rel;
}

static struct beside_row
make_row(const struct fx_nested_pair *pair, const struct fx_change *change,
	const struct fx_map *gaps)
{
	const struct cmd_change_look *look = cmd_change_look(change->kind);
	const struct fx_node *before = change->before;
	const struct fx_node *after = change->after;

	return (struct beside_row){ .sign = look->sign,
		.role = look->role,
		.texts = { text_of(before), text_of(after) },
		.names = { before ? before->name : NULL,
			after ? after->name : NULL },
		.paths = { pair->paths[0], pair->paths[1] },
		.gap = gap_of(gaps, change) };
}

/* Above the rows of a nested graph. */
static struct beside_row
make_heading(const struct fx_nested_pair *pair)
{
	return (struct beside_row){ .sign = "/",
		.role = FX_ROLE_PATH,
		.texts = { fx_xasprintf("/%s", pair->paths[0]),
			fx_xasprintf("/%s", pair->paths[1]) },
		.paths = { pair->paths[0], pair->paths[1] },
		.gap = NAN };
}

static bool
have_differences(const struct fx_change *changes, size_t count)
{
	size_t i = 0;

	while (i < count && changes[i].kind == FX_CHANGE_SAME)
		i++;
	return i < count;
}

/* The rows of PAIR; nested graphs that are the same have none. */
static void
add_rows(struct beside *beside, const struct fx_nested_pair *pair,
	const struct fx_map *gaps)
{
	FX_AUTO_FREE struct fx_change *changes = NULL;
	bool is_nested = *pair->paths[1] != '\0';
	size_t count;

	fx_graph_diff(&pair->pairs, &changes, &count);
	if (is_nested && !have_differences(changes, count))
		return;
	if (is_nested)
		fx_vec_push(&beside->rows, make_heading(pair));
	for (size_t i = 0; i < count; i++)
		fx_vec_push(&beside->rows, make_row(pair, &changes[i], gaps));
}

static struct beside *
make_beside(struct fx_graph *const graphs[2], const char *const names[2],
	const struct fx_comparison *comparison)
{
	struct beside *beside = FX_NEW(struct beside);
	FX_AUTO_NESTED_PAIRS struct fx_nested_pairs pairs = { .count = 0 };
	FX_AUTO_MAP struct fx_map gaps = { .slots = NULL };

	index_gaps(comparison, &gaps);
	fx_nested_pairs_make(graphs[0], graphs[1], NULL, &pairs);
	for (size_t i = 0; i < pairs.count; i++)
		add_rows(beside, &pairs.items[i], &gaps);
	beside->titles[0] = fx_xstrdup(names[0]);
	beside->titles[1] = fx_xstrdup(names[1]);
	beside->has_gaps = comparison != NULL;
	return beside;
}

void
cmd_beside_graphs(struct cmd_ctx *ctx, struct fx_graph *const graphs[2],
	const char *const names[2], const struct fx_comparison *comparison)
{
	if (ctx->front->beside)
		ctx->front->beside(ctx->front->context,
			make_beside(graphs, names, comparison));
}

void
cmd_beside_candidate(const struct front *front,
	const struct fx_passing *passing)
{
	static const char *const names[] = { "as it is", "with the candidate" };
	struct fx_graph *graphs[2];
	struct beside *beside;
	struct fx_error *err;

	if (!front->beside)
		return;
	err = fx_passing_preview(passing, graphs);
	/* Should it fail, applying it says so. */
	fx_error_free(err);
	if (!graphs[0])
		return;
	beside = make_beside(graphs, names, NULL);
	beside->is_candidate = true;
	front->beside(front->context, beside);
	fx_graph_free(graphs[0]);
	fx_graph_free(graphs[1]);
}

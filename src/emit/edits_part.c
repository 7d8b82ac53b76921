/* edits_part.c - the commands that turn one graph into another: pairs that
 * cost more lines than two nodes that have nothing to do with each other.
 */
#include <config.h>

#include <stdlib.h>

#include "emit/edits_private.h"
#include "ir/diff.h"
#include "ir/pair.h"

struct parting {
	struct fx_pairs *pairs;
	struct fx_map rows; /* node of the second graph -> its row */
	bool has_erased;    /* one more name in that line costs nothing */
};

static int
count_bits(unsigned bits)
{
	int count = 0;

	for (; bits; bits &= bits - 1)
		count++;
	return count;
}

/* Lines that make ROW's first node the second. */
static int
lines_of_pair(const struct fx_change *row)
{
	const unsigned fields = FX_DIFFERS_TARGET | FX_DIFFERS_ARGS |
				FX_DIFFERS_KWARGS | FX_DIFFERS_TYPE;
	int lines = row->differs & FX_DIFFERS_OPCODE
			    ? 1
			    : count_bits(row->differs & fields);

	lines = FX_MIN(lines, fx_edits_lines_replaced(row->after));
	return lines + 2 * row->has_moved +
	       ((row->differs & FX_DIFFERS_NAME) != 0);
}

/* Whether a user of ROW's nodes reads all that it read, so that it would have
 * to be told.
 */
static bool
is_read_on(const struct parting *p, const struct fx_change *row)
{
	const struct fx_use *use;

	fx_node_for_each_user (use, row->after) {
		const struct fx_change *user =
			fx_map_get_pointer(&p->rows, use->user);

		if (user && user->before &&
			!(user->differs & (FX_DIFFERS_ARGS | FX_DIFFERS_KWARGS |
						  FX_DIFFERS_OPCODE)))
			return true;
	}
	return false;
}

static bool
is_apart(const struct parting *p, const struct fx_change *row)
{
	int lines = 1 + (row->after->type != NULL) + !p->has_erased +
		    is_read_on(p, row);

	if (!row->before || !row->after || !(row->differs & FX_DIFFERS_NAME) ||
		row->after->opcode == FX_OPCODE_PLACEHOLDER ||
		row->before->opcode == FX_OPCODE_PLACEHOLDER ||
		row->after->opcode == FX_OPCODE_OUTPUT ||
		row->before->opcode == FX_OPCODE_OUTPUT)
		return false;
	return lines_of_pair(row) > lines;
}

static void
part(struct parting *p, const struct fx_change *row)
{
	struct fx_pairs *pairs = p->pairs;

	pairs->mates[0][fx_graph_position(pairs->graphs[0], row->before)] =
		NULL;
	pairs->mates[1][fx_graph_position(pairs->graphs[1], row->after)] = NULL;
}

void
fx_edits_part(struct fx_pairs *pairs)
{
	struct parting p = { .pairs = pairs };
	struct fx_change *rows;
	size_t count;

	if (pairs->is_stopped)
		return;
	fx_graph_diff(pairs, &rows, &count);
	for (size_t i = 0; i < count; i++) {
		p.has_erased |= rows[i].kind == FX_CHANGE_REMOVED;
		if (rows[i].after)
			fx_map_set_pointer(&p.rows, rows[i].after, &rows[i]);
	}
	for (size_t i = 0; i < count; i++)
		if (rows[i].before && rows[i].after && is_apart(&p, &rows[i])) {
			part(&p, &rows[i]);
			p.has_erased = true;
		}
	fx_map_deinit(&p.rows);
	free(rows);
}

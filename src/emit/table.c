/* table.c - a graph as torch.fx's print_tabular shows it.
 *
 * The layout is that of the tabulate package's "simple" format (semantics 5):
 * a column is as wide as its longest cell, and at least two wider than its
 * head; two blanks stand between columns, none at the ends of lines.
 */
#include <config.h>

#include "emit/table.h"

#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "ir/graph.h"
#include "ir/value_text.h"

#define COLUMNS 5

static const char *const heads[COLUMNS] = { "opcode", "name", "target", "args",
	"kwargs" };

/* The end and the width of a cell.  The texts of all cells follow one another
 * in one buffer.
 */
struct cell {
	size_t end;
	size_t width;
};

struct table {
	struct fx_buf text;
	FX_VEC(struct cell) cells;
	size_t widths[COLUMNS];
};

static void
end_cell(struct table *t)
{
	size_t begin = t->cells.count ? fx_vec_last(&t->cells).end : 0;
	size_t column = t->cells.count % COLUMNS;
	struct cell cell = { .end = t->text.length };

	cell.width = cell.end == begin
			     ? 0
			     : fx_utf8_text_width(t->text.data + begin,
				       cell.end - begin);
	fx_vec_push(&t->cells, cell);
	t->widths[column] = FX_MAX(t->widths[column], cell.width);
}

static void
add_node(struct table *t, const struct fx_node *node)
{
	fx_buf_add(&t->text, fx_opcode_word((enum fx_opcode)node->opcode));
	end_cell(t);
	fx_buf_add(&t->text, node->name);
	end_cell(t);
	fx_buf_add(&t->text, node->target);
	end_cell(t);
	fx_value_print_as(&t->text, &node->args, FX_STYLE_PLAIN);
	end_cell(t);
	fx_value_print_as(&t->text, &node->kwargs, FX_STYLE_PLAIN);
	end_cell(t);
}

/* PENDING blanks are written only when something follows on the line. */
static void
print_cell(struct fx_buf *out, const char *text, size_t length, size_t *pending)
{
	if (length == 0)
		return;
	fx_buf_add_repeat(out, ' ', *pending);
	*pending = 0;
	fx_buf_add_n(out, text, length);
}

static void
print_head(struct fx_buf *out, const struct table *t)
{
	size_t pending = 0;

	for (size_t i = 0; i < COLUMNS; i++) {
		size_t length = strlen(heads[i]);

		print_cell(out, heads[i], length, &pending);
		pending += t->widths[i] - length + 2;
	}
	fx_buf_add_char(out, '\n');
	for (size_t i = 0; i < COLUMNS; i++) {
		if (i)
			fx_buf_add(out, "  ");
		fx_buf_add_repeat(out, '-', t->widths[i]);
	}
	fx_buf_add_char(out, '\n');
}

static void
print_rows(struct fx_buf *out, const struct table *t)
{
	size_t begin = 0;
	size_t pending = 0;

	for (size_t i = 0; i < t->cells.count; i++) {
		const struct cell *cell = &t->cells.items[i];

		print_cell(out, fx_buf_text(&t->text) + begin,
			cell->end - begin, &pending);
		pending += t->widths[i % COLUMNS] - cell->width + 2;
		begin = cell->end;
		if (i % COLUMNS == COLUMNS - 1) {
			fx_buf_add_char(out, '\n');
			pending = 0;
		}
	}
}

void
fx_emit_table(struct fx_buf *out, const struct fx_graph *graph)
{
	struct table t = { 0 };
	const struct fx_node *node;

	for (size_t i = 0; i < COLUMNS; i++)
		t.widths[i] = strlen(heads[i]) + 2;
	fx_graph_for_each_node (node, graph)
		add_node(&t, node);
	print_head(out, &t);
	print_rows(out, &t);
	fx_buf_deinit(&t.text);
	fx_vec_deinit(&t.cells);
}

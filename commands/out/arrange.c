/* arrange.c - the rows of a table sorted and cut, as -s and -m ask. */
#include <config.h>

#include "commands/out/out.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "commands/out/private.h"

struct row {
	const struct out_item *item;
	const struct out_cell *cell; /* that it is sorted by */
	size_t index;                /* where it stood */
	bool reverse;
};

static bool
is_number(const struct out_cell *cell)
{
	return cell->kind == OUT_CELL_INT || cell->kind == OUT_CELL_DOUBLE;
}

static double
number(const struct out_cell *cell)
{
	return cell->kind == OUT_CELL_DOUBLE ? cell->real
					     : (double)cell->integer;
}

/* Sort large numbers first, because those are what the user looks for. */
static int
compare(const void *first, const void *second)
{
	const struct row *a = first;
	const struct row *b = second;
	int order;

	if (is_number(a->cell) && is_number(b->cell))
		order = (number(a->cell) < number(b->cell)) -
			(number(a->cell) > number(b->cell));
	else
		order = strcmp(out_item_text(a->item, a->cell->text),
			out_item_text(b->item, b->cell->text));
	if (a->reverse)
		order = -order;
	return order ? order : (a->index > b->index) - (a->index < b->index);
}

static void
sort(struct out_item *item, size_t column, bool reverse)
{
	size_t columns = item->columns;
	size_t count = item->cells.count / columns;
	struct row *rows;
	struct out_cell *cells;

	if (count == 0)
		return;
	rows = fx_xcalloc(count, sizeof(*rows));
	cells = fx_xcalloc(item->cells.count, sizeof(*item->cells.items));
	for (size_t i = 0; i < count; i++)
		rows[i] = (struct row){ item,
			&item->cells.items[i * columns + column], i, reverse };
	qsort(rows, count, sizeof(*rows), compare);
	for (size_t i = 0; i < count; i++)
		memcpy(cells + i * columns,
			item->cells.items + rows[i].index * columns,
			columns * sizeof(*cells));
	memcpy(item->cells.items, cells, item->cells.count * sizeof(*cells));
	free(cells);
	free(rows);
}

static FX_NODISCARD struct fx_error *
unknown_column(const struct out_item *item, const char *key)
{
	FX_AUTO_BUF struct fx_buf names = { 0 };

	for (size_t i = 0; i < item->columns; i++)
		fx_buf_addf(&names, "%s%s", i ? " " : "",
			out_item_key(item, i, NULL));
	return fx_error_note(fx_error_new(FX_ERR_USAGE,
				     "cannot sort %s by \"%s\"",
				     out_item_text(item, item->name), key),
		"one of: %s; -KEY sorts the other way", fx_buf_text(&names));
}

void
out_arrange(struct out *out, const char *key, size_t rows)
{
	fx_error_free(out->unsorted);
	out->unsorted = NULL;
	out->sort = key;
	out->row_limit = rows;
	if (key)
		out->unsorted = fx_error_new(FX_ERR_USAGE,
			"there is no table to sort by \"%s\"", key);
}

struct fx_error *
out_arranged(struct out *out, struct fx_error *err_taken)
{
	struct fx_error *err = err_taken ? err_taken : FX_TAKE(out->unsorted);

	out_arrange(out, NULL, 0);
	return err;
}

bool
out_sorts(const struct out *out)
{
	return out->sort != NULL;
}

/* False: ITEM has no such column. */
bool
out_arrange_table(struct out *out, struct out_item *item)
{
	const char *key = out->sort ? out->sort : "";
	bool reverse = *key == '-';
	size_t column = 0;
	size_t most = out->row_limit * item->columns;

	while (*key && column < item->columns &&
		strcmp(out_item_key(item, column, NULL), key + reverse) != 0)
		column++;
	if (*key) {
		fx_error_free(out->unsorted);
		out->unsorted = NULL;
		if (column == item->columns) {
			out->unsorted = unknown_column(item, key + reverse);
			return false;
		}
		sort(item, column, reverse);
	}
	if (most && item->cells.count > most) {
		item->more += (item->cells.count - most) / item->columns;
		item->cells.count = most;
		if (!item->hint)
			item->hint = out_item_add_text(item, "-m 0 shows all");
	}
	return true;
}

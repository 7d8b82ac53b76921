/* error.c - an error as an item. */
#include <config.h>

#include "commands/out/out.h"

#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/span.h"
#include "commands/out/private.h"

static void
add_error_field(struct out_item *item, const char *key, const char *text)
{
	size_t at = out_item_add_text(item, key);

	out_item_add_cell(item, text ? OUT_CELL_TEXT : OUT_CELL_NONE,
		FX_ROLE_ERROR, text)
		->key = at;
}

static void
add_caret(struct out_item *item, const struct fx_error *err)
{
	FX_AUTO_BUF struct fx_buf caret = { 0 };
	struct fx_span span = fx_error_span(err);

	/* Carets under all of a text say nothing that the message does not. */
	if (!fx_error_text(err) ||
		(!span.begin && span.end >= strlen(fx_error_text(err))))
		return;
	fx_span_print(&caret, fx_error_text(err), span, 2);
	add_error_field(item, "caret", fx_buf_text(&caret));
	out_item_add_cell(item, OUT_CELL_INT, FX_ROLE_ERROR, NULL)->integer =
		fx_span_column(fx_error_text(err), span.begin);
	fx_vec_last(&item->cells).key = out_item_add_text(item, "column");
}

struct out_item *
out_item_of_error(const struct fx_error *err)
{
	struct out_item *item = out_item_new(OUT_ITEM_ERROR, "error");
	const char *help = fx_error_help(fx_error_code(err));
	size_t i;
	size_t key;

	add_error_field(item, "code", fx_error_word(fx_error_code(err)));
	add_error_field(item, "message", fx_error_message(err));
	add_error_field(item, "hint", fx_error_hint_text(err));
	if (*help)
		add_error_field(item, "help", help);
	add_error_field(item, "file", fx_error_file(err));
	key = out_item_add_text(item, "line");
	out_item_add_cell(item,
		fx_error_line(err) > 0 ? OUT_CELL_INT : OUT_CELL_NONE,
		FX_ROLE_ERROR, NULL)
		->integer = fx_error_line(err);
	fx_vec_last(&item->cells).key = key;
	add_caret(item, err);
	for (i = 0; i < fx_error_note_count(err); i++)
		add_error_field(item, "note", fx_error_note_text(err, i));
	return item;
}

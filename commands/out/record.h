/* record.h - output as stored items: what sinks receive and views show.
 *
 * out.c collects each line, table, record or tree into one item and hands it
 * to the sink when it is complete.  Items are counted and never change, so the
 * recording sink keeps them and the full screen lays them out anew at each
 * width.
 */
#ifndef FX_COMMANDS_OUT_RECORD_H
#define FX_COMMANDS_OUT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/role.h"
#include "base/vec.h"

enum out_item_kind {
	OUT_ITEM_LINE,    /* cells are the pieces of one line */
	OUT_ITEM_TEXT,    /* one cell: a paragraph, its depth the indent */
	OUT_ITEM_TABLE,   /* cells row by row */
	OUT_ITEM_RECORD,  /* cells with keys */
	OUT_ITEM_TREE,    /* cells with depths */
	OUT_ITEM_RAW,     /* one cell: text to pass on unchanged */
	OUT_ITEM_VALUE,   /* one cell with a key: for JSON, never shown */
	OUT_ITEM_NOTE,    /* one cell; this and the next two are diagnostics */
	OUT_ITEM_WARNING, /* one cell */
	OUT_ITEM_ERROR,   /* cells code message hint help file line caret
			   * notes
			   */
};

enum out_cell_kind {
	OUT_CELL_TEXT,
	OUT_CELL_INT,
	OUT_CELL_DOUBLE,
	OUT_CELL_BOOL,
	OUT_CELL_LIST,  /* list: texts */
	OUT_CELL_SHAPE, /* list: integers or symbols as text; NONE if unknown */
	OUT_CELL_NONE,  /* JSON null; shown as its text */
};

struct out_cell {
	uint8_t kind; /* enum out_cell_kind */
	uint8_t role; /* enum fx_role */
	uint16_t depth;
	uint32_t list_count;
	size_t key;  /* offsets into the item's text */
	size_t text; /* what is shown */
	size_t length;
	size_t list; /* list_count texts, one behind the other */
	union {
		int64_t integer;
		double real;
	};
};

struct out_item {
	unsigned references;
	enum out_item_kind kind;
	size_t name;    /* of the table, record or tree */
	size_t columns; /* TABLE; the keys stand one behind the other at keys */
	size_t keys;
	size_t more; /* TABLE: rows left out */
	size_t hint; /* TABLE: how to see them */
	FX_VEC(struct out_cell) cells;
	struct fx_buf text;
};

static inline struct out_item *
out_item_ref(struct out_item *item)
{
	item->references++;
	return item;
}
void out_item_unref(struct out_item *item);

/* Texts of ITEM; borrowed from it. */
static inline const char *
out_item_text(const struct out_item *item, size_t offset)
{
	return item->text.data + offset;
}
/* The key of column INDEX, without its mark (out_table_begin), which MARK_RET
 * (may be NULL) is: '~' a detail, which texts leave out, a digit, or 0.
 */
const char *out_item_key(const struct out_item *item, size_t index,
	char *mark_ret);
/* The cell of a RECORD or ERROR that has KEY, or NULL. */
const struct out_cell *out_item_field(const struct out_item *item,
	const char *key);

/* Lay ITEM out as lines of pieces.  PIECE gets a run of one role (control
 * characters made visible; RAW unchanged), LINE_END ends the line.  What is
 * wider than WIDTH goes on in an indented row; in tables it is cut first, but
 * for a last column of sentences.
 */
struct out_layout {
	size_t width; /* columns; 0: every line is whole, but for paragraphs */
	bool ascii;   /* no box drawing or ellipsis characters */
	void *context;
	void (*piece)(void *context, enum fx_role role, const char *text,
		size_t length);
	void (*line_end)(void *context);
};
void out_item_lay(const struct out_item *item, const struct out_layout *layout);

/* The same as plain text, appended to BUF. */
void out_item_print(const struct out_item *item, struct fx_buf *buf);

/* A recording: the items of some commands, in order. */
struct out_recording;
struct out;

struct out_recording *out_recording_new(void);
void out_recording_free(struct out_recording *recording);
void out_recording_clear(struct out_recording *recording);
/* Keep the last LIMIT items only; 0: all. */
void out_recording_set_limit(struct out_recording *recording, size_t limit);
size_t out_recording_count(const struct out_recording *recording);
struct out_item *out_recording_at(const struct out_recording *recording,
	size_t index);
/* Items that came and went since the beginning, so that a reader notices. */
size_t out_recording_total(const struct out_recording *recording);

/* Make a struct out which writes its items to RECORDING.  RECORDING must
 * outlive it.
 */
struct out *out_new_recording(struct out_recording *recording);

#endif /* FX_COMMANDS_OUT_RECORD_H */

/* out.h - what commands say; sinks decide how it looks.
 *
 * Kinds: lines of text made of pieces with roles, paragraphs, tables, records,
 * trees, raw text (what `dump` writes), notices.  Plain, terminal, JSON and
 * record sinks; nothing asks which one it is.
 */
#ifndef FX_COMMANDS_OUT_OUT_H
#define FX_COMMANDS_OUT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/role.h"

struct fx_error;
struct out;

/* A table: BEGIN with its stable name and column keys, then cells row by row,
 * then END.  Columns of numbers are aligned right.  Widths are the sink's
 * business.  A key that starts with '~' is a detail: in JSON (without the
 * mark) but not in text.  One that starts with a digit may go where lines are
 * too narrow, 1 first; from 4 on it is not cut before those went, nor one that
 * starts with '+', which stays: rows are told apart by it.  KEYS are copied.
 */
void out_table_begin(struct out *out, const char *name, size_t columns,
	const char *const *keys);
FX_PRINTF(3, 4)
void out_cell(struct out *out, enum fx_role role, const char *format, ...);
void out_cell_int(struct out *out, enum fx_role role, int64_t number);
void out_cell_double(struct out *out, enum fx_role role, double number);
void out_cell_digits(struct out *out, enum fx_role role, double n, int digits);
/* A cell without a value: null in JSON, TEXT elsewhere. */
void out_cell_none(struct out *out, const char *text);
void out_cell_bool(struct out *out, enum fx_role role, bool truth);
/* A cell that is a list: JSON gets an array, text gets "a, b". */
void out_cell_list(struct out *out, enum fx_role role, const char *const *items,
	size_t count);
/* A cell of sizes: JSON gets an array, text gets "[1, 64]"; SIZES are texts of
 * integers or symbols.
 */
void out_cell_shape(struct out *out, const char *text, const char *const *sizes,
	size_t count, bool known);
/* Rows that were left out because of a maximum. */
void out_table_more(struct out *out, size_t more, const char *hint);
void out_table_end(struct out *out);

/* Until out_arranged: tables are sorted by the column KEY, large numbers first
 * ("-KEY": the other way; null: not at all; borrowed), and keep ROWS rows (0:
 * all).
 */
void out_arrange(struct out *out, const char *key, size_t rows);
/* Whether rows are to be given all, as they will be sorted. */
bool out_sorts(const struct out *out);
/* The end of it: ERR, else USAGE when nothing had that column. */
FX_NODISCARD struct fx_error *out_arranged(struct out *out,
	struct fx_error *err_taken);

/* A record: names and values, one a line. */
void out_record_begin(struct out *out, const char *name);
FX_PRINTF(4, 5)
void out_field(struct out *out, const char *key, enum fx_role role,
	const char *format, ...);
void out_field_int(struct out *out, const char *key, enum fx_role role,
	int64_t number);
void out_field_list(struct out *out, const char *key, enum fx_role role,
	const char *const *items, size_t count);
void out_field_bool(struct out *out, const char *key, enum fx_role role,
	bool truth);
/* Like out_cell_shape, for a record. */
struct out_shape {
	const char *text;
	const char *const *sizes;
	size_t count;
	bool known;
};
void out_field_shape(struct out *out, const char *key,
	const struct out_shape *shape);
void out_record_end(struct out *out);

/* A line of pieces. */
FX_PRINTF(3, 4)
void out_piece(struct out *out, enum fx_role role, const char *format, ...);
void out_line_end(struct out *out);
/* A whole line of one role. */
FX_PRINTF(3, 4)
void out_line(struct out *out, enum fx_role role, const char *format, ...);

/* A paragraph, broken into lines of 78 columns, or of the terminal's where
 * that has fewer; INDENT blanks before each.
 */
void out_text(struct out *out, int indent, const char *text, size_t length);

/* A tree: each item at its DEPTH, in order; drawn with branches. */
void out_tree_begin(struct out *out, const char *name);
FX_PRINTF(4, 5)
void out_tree_item(struct out *out, int depth, enum fx_role role,
	const char *format, ...);
void out_tree_end(struct out *out);

/* Text that must arrive exactly as it is (dump): to standard output without
 * decoration; JSON wraps it as {"text": ...}.
 */
void out_raw(struct out *out, const char *text, size_t length);

/* Named values beside the text, for JSON only: "key": value. */
void out_value_int(struct out *out, const char *key, int64_t number);
void out_value_text(struct out *out, const char *key, const char *text);
void out_value_bool(struct out *out, const char *key, bool truth);

/* Progress, notices and warnings: standard error, never part of a result. */
FX_PRINTF(2, 3)
void out_note(struct out *out, const char *format, ...);
FX_PRINTF(2, 3)
void out_warning(struct out *out, const char *format, ...);
/* An error, once, by the front end. */
void out_error(struct out *out, const struct fx_error *err);

/* One command's output begins and ends (JSON: one object a line). */
void out_command_begin(struct out *out, const char *command);
void out_command_end(struct out *out, bool ok);

/* False once the reader has had enough (pipe, pager): long producers stop. */
bool out_more(struct out *out);
/* Rows a listing may have by default; 0: no limit (not a terminal). */
size_t out_default_rows(struct out *out);

/* Sinks.  A struct of functions, all required.  ITEM may be referenced
 * (record.h).  A sink may not call back into commands.
 */
struct out_item;
struct out_sink {
	void (*begin)(void *context, const char *command);
	void (*item)(void *context, struct out_item *item);
	void (*end)(void *context, bool ok);
	bool (*more)(void *context);
	size_t (*rows)(void *context);
	void (*free)(void *context);
	bool takes_values; /* else they are not made */
};

struct out *out_new(const struct out_sink *sink, void *context);
void out_free(struct out *out);
/* Send to ANOTHER as well (log session, expect); NULL ends it.  Borrowed. */
void out_tee(struct out *out, struct out *another);
/* Replace the sink of OUT by another out for a while (pipe, -o FILE, with
 * output json); returns the earlier target.  Borrowed; NULL is OUT's own sink.
 */
struct out *out_redirect(struct out *out, struct out *target);
/* The running command's output, up to its end or its error, becomes one JSON
 * object, which then passes through OUT as text (-j).
 */
void out_as_json(struct out *out);
/* Drop notes and warnings until the command ends (-q). */
void out_be_quiet(struct out *out);

/* Where the text sinks write: results, and (ERROR) everything else. */
struct out_stream {
	void *context;
	void (*write)(void *context, bool error, const char *text, size_t size);
	bool (*more)(void *context);
	void (*free)(void *context);
};

/* Text without decoration. */
struct out *out_new_plain(const struct out_stream *stream);
/* One JSON object a line per command. */
struct out *out_new_json(const struct out_stream *stream);
/* Text with colours, fitted to a width.  Where HAS_STYLES (may be NULL) says
 * so, STYLE gives the escape sequence that begins ROLE, "" for none.  Colours
 * and sizes are asked for once a command, outside of commands for each item.
 * ERROR: of the stream that diagnostics go to, which need not be a terminal
 * too.
 */
struct out_term {
	void *context;
	bool (*has_styles)(void *context, bool error);
	const char *(*style)(void *context, enum fx_role role);
	const char *reset;
	size_t (*width)(void *context, bool error);
	size_t (*rows)(void *context); /* default rows of listings, 0: all */
	bool ascii;
};
struct out *out_new_term(const struct out_stream *stream,
	const struct out_term *term);

/* To a buffer (diagnostics too when WITH_ERRORS, else they are dropped). */
struct fx_buf;
struct out_stream out_stream_buffer(struct fx_buf *buf, bool with_errors);

#endif /* FX_COMMANDS_OUT_OUT_H */

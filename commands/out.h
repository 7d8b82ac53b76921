/* out.h - what commands say; sinks decide how it looks.
 *
 * Kinds: lines of text made of pieces with roles, tables, records, trees,
 * raw text (what `dump` writes), notices.  Plain, terminal, JSON and record
 * sinks; nothing asks which one it is.
 */
#ifndef FX_COMMANDS_OUT_H
#define FX_COMMANDS_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/role.h"

struct fx_error;
struct out;

/* A table: BEGIN with its stable name and column keys, then cells row by row,
 * then END.  Columns of numbers are aligned right.  Widths are the sink's
 * business.
 */
void out_table_begin(struct out *out, const char *name, size_t columns,
	const char *const *keys);
FX_PRINTF(3, 4)
void out_cell(
	struct out *out, enum fx_role role, const char *format, ...);
void out_cell_int(struct out *out, enum fx_role role, int64_t number);
void out_cell_double(struct out *out, enum fx_role role, double number);
/* A cell that is a list: JSON gets an array, text gets "a, b". */
void out_cell_list(struct out *out, enum fx_role role,
	const char *const *items, size_t count);
/* A cell of sizes: JSON gets an array, text gets "[1, 64]"; SIZES are texts of
 * integers or symbols.
 */
void out_cell_shape(
	struct out *out, const char *text, const char *const *sizes,
	size_t count, bool known);
/* Rows that were left out because of a maximum. */
void out_table_more(struct out *out, size_t more, const char *hint);
void out_table_end(struct out *out);

/* A record: names and values, one a line. */
void out_record_begin(struct out *out, const char *name);
FX_PRINTF(4, 5)
void out_field(struct out *out, const char *key, enum fx_role role,
	const char *format, ...);
void out_field_int(struct out *out, const char *key, enum fx_role role,
	int64_t number);
void out_field_list(struct out *out, const char *key, enum fx_role role,
	const char *const *items, size_t count);
void out_record_end(struct out *out);

/* A line of pieces. */
FX_PRINTF(3, 4)
void out_piece(
	struct out *out, enum fx_role role, const char *format, ...);
void out_line_end(struct out *out);
/* A whole line of one role. */
FX_PRINTF(3, 4)
void out_line(struct out *out, enum fx_role role, const char *format, ...);

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

/* Named values beside the text, for JSON only: {"command":..., "key": value}. */
void out_value_int(struct out *out, const char *key, int64_t number);
void out_value_text(struct out *out, const char *key, const char *text);
void out_value_bool(struct out *out, const char *key, bool truth);

/* Progress, notices and warnings: standard error, never part of a result. */
FX_PRINTF(2, 3) void out_note(struct out *out, const char *format, ...);
FX_PRINTF(2, 3) void out_warning(struct out *out, const char *format, ...);
/* An error, once, by the front end. */
void out_error(struct out *out, const struct fx_error *err);

/* One command's output begins and ends (JSON: one object a line). */
void out_command_begin(struct out *out, const char *command);
void out_command_end(struct out *out, bool ok);

/* False once the reader has had enough (closed pipe, pager quit): long
 * producers stop.
 */
bool out_more(struct out *out);
/* Rows a listing may have by default; 0: no limit (not a terminal). */
size_t out_default_rows(struct out *out);

/* Sinks.  A struct of functions, all required. */
struct out_sink;
struct out *out_new(const struct out_sink *sink, void *context);
void out_free(struct out *out);
/* Send to ANOTHER as well (log session, expect); NULL ends it. */
void out_tee(struct out *out, struct out *another);
/* Replace the sink of OUT by another out for a while (pipe, -o FILE, with
 * output json); returns the earlier target.
 */
struct out *out_redirect(struct out *out, struct out *target);

#endif /* FX_COMMANDS_OUT_H */

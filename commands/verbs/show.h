/* show.h - showing nodes, stops and edits the same way everywhere. */
#ifndef FX_COMMANDS_VERBS_SHOW_H
#define FX_COMMANDS_VERBS_SHOW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/role.h"
#include "commands/shell/cmd.h"

struct fx_datum;
struct fx_datum_printer;
struct fx_edit_report;
struct fx_nonfinite;
struct fx_stop;
struct fx_ticker;
struct fx_value;

/* "f32[1,64]" of NODE's result, "" when nothing is known. */
void cmd_add_shape(struct fx_buf *out, const struct fx_node *node);

/* Cells (or, with KEYS, fields) for a result: its dtype ("float32") and its
 * shape; JSON gets the sizes.
 */
void cmd_cell_dtype(struct out *out, const struct fx_value *meta);
void cmd_cell_shape(struct out *out, const struct fx_value *meta);
void cmd_field_shape(struct out *out, const char *key,
	const struct fx_value *meta);
/* The same for the sizes of a parameter. */
void cmd_cell_sizes(struct out *out, const int64_t *sizes, size_t rank);

/* The names of NODE's users or inputs as a list: a cell, or the field KEY. */
void cmd_say_names(struct out *out, const char *key, const struct fx_node *node,
	bool users);

/* "layer1.0", or "". */
const char *cmd_node_scope(const struct fx_node *node);
/* "resnet.py:97" of NODE's innermost frame, or ""; WHOLE: with folders. */
void cmd_add_source(struct fx_buf *out, const struct fx_node *node, bool whole);

/* "call_module layer1.0.conv1(%x)": how NODE is called. */
void cmd_add_call(struct fx_buf *out, const struct fx_node *node);

/* One line: mark, position, state, name, call, shape. */
void cmd_say_node(struct cmd_ctx *ctx, struct fx_node *node, bool current);
/* Append ": CONDITION, .-1 is %mul": a condition that made execution stop, and
 * the nodes that it names by their distance from there.
 */
void cmd_add_condition(struct cmd_ctx *ctx, const char *condition,
	struct fx_buf *text);
/* CONDITION as it may stand after "if", the caller's: a function that is not
 * called ("has_nan") is, of the value made last; NULL gives an example.
 */
char *cmd_usual_condition(struct cmd_ctx *ctx, const char *condition);

/* Fail unless TEXT can be read as an expression. */
FX_NODISCARD struct fx_error *cmd_check_expression(const char *text);

/* A table of nodes at POSITIONS, cut to a maximum (-m, or the sink's). */
FX_NODISCARD struct fx_error *cmd_say_nodes(struct cmd_ctx *ctx,
	const size_t *positions, size_t count);

/* The same, in the order that -s asks for; CHOSEN null: the first COUNT. */
FX_NODISCARD struct fx_error *cmd_say_nodes_sorted(struct cmd_ctx *ctx,
	const size_t *chosen, size_t count);

/* Everything about NODE; who uses it and for which argument. */
FX_NODISCARD struct fx_error *cmd_say_node_full(struct cmd_ctx *ctx,
	struct fx_node *node);
void cmd_say_users(struct cmd_ctx *ctx, const struct fx_node *node);
/* What NODE does, in one plain sentence. */
void cmd_say_what_node_does(struct cmd_ctx *ctx, const struct fx_node *node);

/* The node execution is stopped before; NOT_RUN, or NO_NODE at the end. */
FX_NODISCARD struct fx_error *cmd_here(struct cmd_ctx *ctx,
	struct fx_node **ret);

/* info record, info coverage. */
FX_NODISCARD struct fx_error *cmd_say_record(struct cmd_ctx *ctx);
FX_NODISCARD struct fx_error *cmd_say_coverage(struct cmd_ctx *ctx);

/* info locals. */
FX_NODISCARD struct fx_error *cmd_say_locals(struct cmd_ctx *ctx);

/* How data are printed by the settings; TICKER is made for it. */
struct fx_datum_printer cmd_datum_printer(struct cmd_ctx *ctx,
	struct fx_ticker *ticker);
/* Append DATUM as FORMAT (of print) shows it. */
FX_NODISCARD struct fx_error *cmd_print_datum(struct cmd_ctx *ctx,
	const struct fx_datum *datum, const char *format, struct fx_buf *text);
/* End the line that was begun with TEXT, or, when it is more than one line,
 * say it below.
 */
void cmd_say_value(struct cmd_ctx *ctx, enum fx_role role, const char *text);

/* "Breakpoint", or "Temporary breakpoint". */
const char *cmd_breakpoint_kind(bool is_temporary);

/* What a movement came to; takes the error out of STOP: a node that cannot
 * run is shown, not an error.
 */
void cmd_say_stop(struct cmd_ctx *ctx, struct fx_stop *stop);
/* FOUND in a line that begins with TITLE, and where the first stands. */
void cmd_say_nonfinite(struct cmd_ctx *ctx, const char *title,
	const struct fx_nonfinite *found);
/* Of a run whose result has NaN or infinities: the first node with some. */
void cmd_say_first_nonfinite(struct cmd_ctx *ctx);

/* context: what surrounds the stop, as the setting wants it; SIZE lines of the
 * source and nodes of the graph, those of the frame selected.
 */
void cmd_say_context(struct cmd_ctx *ctx);
void cmd_say_source_around(struct cmd_ctx *ctx, size_t size);
void cmd_say_code_around(struct cmd_ctx *ctx, size_t before, size_t after);

/* "1: .-1 (%act) = ...": a display and its value; FORMAT may be NULL. */
void cmd_say_display(struct cmd_ctx *ctx, int number, const char *expression,
	const char *format);

/* "+1 -0 ~3 nodes; users rewired 2; undo: 14", and what else happened. */
void cmd_say_edit(struct cmd_ctx *ctx, const struct fx_edit_report *report);

/* Inside a nested graph: that what follows is of the whole one. */
void cmd_say_whole(struct cmd_ctx *ctx);

/* The rows of a listing: what -m says, else the sink's default. */
size_t cmd_row_limit(const struct cmd_ctx *ctx);
/* The same of elements: of text that goes to no terminal print elements. */
size_t cmd_element_limit(const struct cmd_ctx *ctx);

/* "1 node", "2 nodes": appends COUNT and WORD with an s where needed. */
void cmd_add_count(struct fx_buf *out, size_t count, const char *word);

/* A line that traces anew, where FAILED has an input of a traced model that
 * nobody gave and whose default is None.
 */
void cmd_say_default(struct cmd_ctx *ctx, const struct fx_node *failed);

#endif /* FX_COMMANDS_VERBS_SHOW_H */

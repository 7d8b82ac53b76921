/* random_lines.h - a session that commands are typed into, and random ones that
 * edit its graph.
 */
#ifndef FX_TESTS_SUPPORT_RANDOM_LINES_H
#define FX_TESTS_SUPPORT_RANDOM_LINES_H

#include "base/error.h"
#include "tests/support/random.h"

struct cmd_shell;
struct fx_buf;
struct fx_graph;
struct fx_session;
struct out;
struct out_recording;

/* A shell and what hangs from it. */
struct fxt_seat {
	struct fx_session *session;
	struct cmd_shell *shell;
	struct out_recording *recording;
	struct out *out;
};

struct fxt_seat fxt_seat_new(void);
void fxt_seat_free(struct fxt_seat *seat);

/* The current model's graph; the one that commands are about, which may be
 * nested in that.
 */
struct fx_graph *fxt_seat_graph(const struct fxt_seat *seat);
struct fx_graph *fxt_seat_position(const struct fxt_seat *seat);

FX_NODISCARD struct fx_error *fxt_seat_type(struct fxt_seat *seat,
	const char *line);

/* Append a command; many are refused. */
typedef void fxt_line_fn(struct fxt_seat *seat, struct fxt_random *random,
	struct fx_buf *out);

/* One that edits the graph where one is, or undo or redo. */
void fxt_line_add(struct fxt_seat *seat, struct fxt_random *random,
	struct fx_buf *out);
/* The same, one that goes to another nested graph, or makes or inlines one. */
void fxt_line_add_nested(struct fxt_seat *seat, struct fxt_random *random,
	struct fx_buf *out);
/* One of these, or a rewrite. */
void fxt_line_add_rewrite(struct fxt_seat *seat, struct fxt_random *random,
	struct fx_buf *out);
/* Parts of it: "graph /PATH"; "outline {...}" of up to four nodes. */
void fxt_line_add_way(struct fxt_seat *seat, struct fxt_random *random,
	struct fx_buf *out);
void fxt_line_add_outline(struct fxt_seat *seat, struct fxt_random *random,
	struct fx_buf *out);

#endif /* FX_TESTS_SUPPORT_RANDOM_LINES_H */

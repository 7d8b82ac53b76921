/* session_text.h - a session with a graph read from Python text, for tests. */
#ifndef FX_TESTS_SUPPORT_SESSION_TEXT_H
#define FX_TESTS_SUPPORT_SESSION_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "run/datum.h"
#include "session/model.h"
#include "session/position.h"
#include "session/resolve.h"
#include "session/session.h"

struct fxt_world {
	struct fx_session *session;
	struct fx_model *model;
	struct fx_graph *graph;
};

/* A session with the graph that TEXT, Python code, prints; it is called "net"
 * and runs on the meta backend.  The test fails when the text does not load.
 */
struct fxt_world fxt_world_new(const char *text);
/* The same; PREPARE may change the graph before it belongs to the session. */
struct fxt_world fxt_world_prepared(const char *text,
	void (*prepare)(struct fx_graph *graph));
void fxt_world_free(struct fxt_world *world);

/* As the command set: "record limit 1G". */
void fxt_set(struct fxt_world *world, const char *text);

/* A small graph whose shapes are known: six nodes.
 *
 *	x f32[2,3] -> relu -> neg, both -> add -> mul -> output
 */
extern const char fxt_small[];

/* Two inputs of one shape, which %add and %mul read, and %z of another, which
 * nobody does.
 */
extern const char fxt_two_inputs[];

/* The node called NAME; it must exist. */
struct fx_node *fxt_node(struct fxt_world *world, const char *name);

/* What EXPRESSION prints, or "error: ..."; valid until the next call. */
const char *fxt_print(struct fxt_world *world, const char *expression);

/* The names that SET selects, joined by blanks, or "error: ...". */
const char *fxt_select(struct fxt_world *world, const char *set);

/* States of all nodes in order: "VV·D". */
const char *fxt_states(struct fxt_world *w);

/* "@3 neg step 1": position, node (or "end"), reason, nodes executed. */
const char *fxt_stop(struct fx_stop *stop);

/* The verbs; what fxt_stop says of where they led. */
const char *fxt_start(struct fxt_world *w);
const char *fxt_run_to(struct fxt_world *w, struct fx_node *to);
const char *fxt_move(struct fxt_world *w, enum fx_move how, bool back,
	size_t count);
const char *fxt_jump(struct fxt_world *w, struct fx_model *model,
	size_t position);

/* Edits: begin one, try to end it, commit it and say "+1 -0 ~2, position". */
void fxt_edit_begin(struct fxt_world *w, const char *command);
struct fx_error *fxt_edit_finish(struct fxt_world *w, bool dry_run, bool force,
	struct fx_edit_report *report);
const char *fxt_edit_end(struct fxt_world *w);

#endif /* FX_TESTS_SUPPORT_SESSION_TEXT_H */

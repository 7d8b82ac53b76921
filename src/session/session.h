/* session.h - the debugger: open graphs, the current one, what the user set.
 *
 * Everything mutable hangs from here.  No terminal, no printing: front ends
 * and commands ask, events tell.
 */
#ifndef FX_SESSION_SESSION_H
#define FX_SESSION_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/span.h"
#include "base/tick.h"
#include "ir/graph.h"

struct fx_model;
struct fx_progress;
struct fx_save_later;
struct fx_session;
struct fx_settings;
struct fx_ticker;

/* Called between two nodes, at most every 30 ms; true: stop, the user wants
 * it (Ctrl-C).
 */
typedef bool fx_tick_fn(void *context);

struct fx_session *fx_session_new(void);
void fx_session_free(struct fx_session *session);
/* Instead of that, just before the program ends: what runs beside it ends, and
 * the memory is left to the system, which is sooner done with it.
 */
void fx_session_leave(struct fx_session *session);

FX_DEFINE_CLEANUP(session, struct fx_session, fx_session_free);
#define FX_AUTO_SESSION FX_AUTO(session)

void fx_session_set_tick(struct fx_session *session, fx_tick_fn *tick,
	void *context);
/* A Ctrl-C that is known of was for the command before. */
void fx_session_begin_command(struct fx_session *session);
/* How far the command is; which of its parts, of so many (progress.h). */
struct fx_progress *fx_session_progress(struct fx_session *session);
void fx_session_set_part(struct fx_session *session, const char *what,
	size_t number, size_t parts);
/* A ticker that tells it. */
void fx_session_init_ticker(struct fx_session *session,
	struct fx_ticker *ticker);
/* Whether Ctrl-C was pressed since, for what takes long. */
struct fx_tick fx_session_ticks(struct fx_session *session);
/* What a dprintf says, BREAKPOINT, after NODE ran; $v is its result. */
struct fx_breakpoint;
struct fx_node;
typedef void fx_dprintf_fn(void *context,
	const struct fx_breakpoint *breakpoint, const struct fx_node *node);
void fx_session_set_dprintf(struct fx_session *session, fx_dprintf_fn *say,
	void *context);
/* Called with what the user's Python prints, while it traces and while it runs
 * nodes; of no bytes when that is over, so that a line without an end is whole.
 * False: nobody hears it now.
 */
typedef bool fx_output_fn(void *context, const char *text, size_t length);
void fx_session_set_output(struct fx_session *session, fx_output_fn *output,
	void *context);
/* Called with a line to be told after the command that runs. */
typedef void fx_notice_fn(void *context, const char *line);
void fx_session_set_notice(struct fx_session *session, fx_notice_fn *notice,
	void *context);
/* Called when an edit of MODEL is about to begin. */
typedef void fx_before_edit_fn(void *context, struct fx_model *model);
void fx_session_set_before_edit(struct fx_session *session,
	fx_before_edit_fn *before, void *context);
struct fx_settings *fx_session_settings(struct fx_session *session);

/* Models: a graph and the state of debugging it (model.h), as gdb's inferiors.
 * Numbered from 1 in order of arrival; names are unique ("resnet18",
 * "resnet18-2").
 */

/* A serial for a new graph's node ids. */
uint32_t fx_session_serial(struct fx_session *session);
/* Take GRAPH, open its journal (ORIGIN: the command), propagate the shapes it
 * brings, make it current.
 */
struct fx_model *fx_session_add_graph(struct fx_session *session,
	struct fx_graph *graph_taken, const char *name, const char *origin);
/* The current one or NULL; by number or name; by index from 0. */
struct fx_model *fx_session_model(struct fx_session *session);
struct fx_model *fx_session_find_model(struct fx_session *session,
	const char *name_or_number);
size_t fx_session_model_count(const struct fx_session *session);
struct fx_model *fx_session_model_at(struct fx_session *session, size_t index);
/* The one whose graph GRAPH is, or NULL: a nested one, a copy. */
struct fx_model *fx_session_model_of(struct fx_session *session,
	const struct fx_graph *graph);
void fx_session_switch(struct fx_session *session, struct fx_model *model);
/* Free MODEL and its breakpoints; the newest one left becomes current. */
void fx_session_drop(struct fx_session *session, struct fx_model *model);
/* Copy MODEL's graph under a new name (no values, no undo history). */
struct fx_opening;
FX_NODISCARD struct fx_error *fx_session_copy(struct fx_session *session,
	struct fx_model *model, const struct fx_opening *as,
	struct fx_model **ret);

/* Copy the COUNT nodes NODES of MODEL, and the parameters that they read, as a
 * graph of its own under a new name.  What they read else are its inputs, and
 * have the values that are held; what is read outside or by nobody it gives.
 * VALUE as for fx_outline; NAME_TAKEN.
 */
FX_NODISCARD struct fx_error *fx_model_extract(struct fx_model *model,
	struct fx_node *const *nodes, size_t count, const struct fx_opening *as,
	struct fx_model **ret);

/* How a model is opened.  NAME is the model's name, NULL for the name of its
 * file or class; LINE is the command that a script opens it with.
 */
struct fx_opening {
	const char *name;
	const char *line;
	/* Of a trace, that one where the model's own file gives inputs; or
	 * NULL.
	 */
	const char *line_with_inputs;
	size_t graph; /* of a log with several the one, from 1; 0: not said */
};
/* Load PATH (load/open) as a new model; *NOTICES_RET (may be null) gets lines
 * to show, one each, or NULL; the caller frees it.
 */
FX_NODISCARD struct fx_error *fx_session_load(struct fx_session *session,
	const char *path, const struct fx_opening *as, struct fx_model **ret,
	char **notices_ret);
/* What saving wrote: names within the graph's folder, or NULL, and bytes. */
struct fx_save_report {
	uint64_t size;
	char *weights; /* the file beside it */
	uint64_t weights_size;
	char *removed; /* that of before, which nothing needs now */
};
void fx_save_report_deinit(struct fx_save_report *saved);
/* Save MODEL's graph (emit/jsonl).  *RET is for the caller to deinit, also
 * after a failure.
 */
FX_NODISCARD struct fx_error *fx_session_save(struct fx_session *session,
	struct fx_model *model, const char *path, struct fx_save_report *ret);

/* Keep MODEL's graph in FOLDER as PATH: its weights too when they lie in a
 * file, which is linked.  If they have no more than LIMIT bytes *LATER_RET is
 * to write them (load/save_later.h), the caller's; else NULL: they are left
 * out.
 */
FX_NODISCARD struct fx_error *fx_model_keep(struct fx_model *model,
	const char *folder, const char *path, uint64_t limit,
	struct fx_save_later **later_ret);

/* READ_ONLY where edits and files are refused (below). */
FX_NODISCARD struct fx_error *
fx_session_need_writable(const struct fx_session *session);
/* The current model, or the error NO_GRAPH: no graph is open. */
FX_NODISCARD struct fx_error *fx_session_need_model(struct fx_session *session,
	struct fx_model **ret);

/* Values of the user: $1 $2 ... (history), $name, $_ (last node or value
 * examined).  Datums are referenced.
 */
int fx_session_remember(struct fx_session *session, struct fx_datum *datum);
struct fx_datum *fx_session_history(struct fx_session *session, int number);
int fx_session_history_count(const struct fx_session *session);
void fx_session_set_variable(struct fx_session *session, const char *name,
	struct fx_datum *datum);
struct fx_datum *fx_session_variable(struct fx_session *session,
	const char *name);
/* Iterate user variables; NULL at the end. */
const char *fx_session_variable_at(const struct fx_session *session,
	size_t index);
/* $_ as a node: its id. */
void fx_session_examine(struct fx_session *session, const struct fx_node *node);

/* The seed of random operations and generated data. */
uint64_t fx_session_seed(const struct fx_session *session);
void fx_session_set_seed(struct fx_session *session, uint64_t seed);

/* Open early what the current model will run on, where that takes no more than
 * opening a library: half a second, which the first run is spared.
 */
void fx_session_prepare(struct fx_session *session);

/* --readonly: edits and saves are refused with READ_ONLY. */
bool fx_session_is_read_only(const struct fx_session *session);
void fx_session_set_read_only(struct fx_session *session, bool read_only);

#endif /* FX_SESSION_SESSION_H */

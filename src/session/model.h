/* model.h - one open graph and the state of debugging it. */
#ifndef FX_SESSION_MODEL_H
#define FX_SESSION_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "ir/graph.h"
#include "ir/journal.h"

struct fx_model;
struct fx_session;

struct fx_graph *fx_model_graph(const struct fx_model *model);
const char *fx_model_name(const struct fx_model *model);
int fx_model_number(const struct fx_model *model);
/* File it was loaded from or last saved to, or NULL. */
const char *fx_model_path(const struct fx_model *model);
void fx_model_set_path(struct fx_model *model, const char *path);
/* Whether there are edits that `save` has not written. */
bool fx_model_is_unsaved(const struct fx_model *model);
/* From now on only later edits count as not saved: those so far are nobody's
 * work.
 */
void fx_model_count_as_saved(struct fx_model *model);

/* The module scope entered with `scope`; "" is the root.  Interned. */
const char *fx_model_scope(const struct fx_model *model);
void fx_model_set_scope(struct fx_model *model, const char *path);

/* Edits: begin a transaction for COMMAND, and finish it: commit (or, for a dry
 * run, take back), propagate shapes over the dirty cone, drop what is stale,
 * move the position back if the edit lies above the stop.  On failure nothing
 * has changed.
 */
struct fx_edit_report {
	struct fx_edit_counts counts;
	size_t undo_count; /* steps that undo can go now */
	bool dry_run;
	const char *unknown;  /* a function that was put in and that no rule is
			       * known for, or NULL */
	size_t bad_shapes;    /* nodes that have impossible shapes now */
	char *bad_shape_text; /* the first one, explained; may be NULL */
	bool position_moved;  /* the stop went back ... */
	size_t position;      /* ... to this node */
	bool has_left_graph;  /* out of a nested one for it */
	char *shared;         /* nested graphs that several nodes run and
			       * that were edited, with those; or NULL */
	size_t dirty;         /* nodes that have to run again */
	struct fx_touched *touched; /* what changed, for a dry run's listing */
	size_t touched_count;
	char **touched_code; /* of a dry run: statements, NULL if erased */
};
void fx_edit_report_deinit(struct fx_edit_report *report);
FX_DEFINE_DEINIT(edit_report, struct fx_edit_report, fx_edit_report_deinit);
#define FX_AUTO_EDIT_REPORT FX_AUTO(edit_report)

FX_NODISCARD struct fx_error *fx_model_edit_begin(struct fx_session *session,
	struct fx_model *model, const char *command);
/* FORCE allows impossible shapes (nodes become E); otherwise such an edit is
 * refused with SHAPE and taken back.
 */
FX_NODISCARD struct fx_error *fx_model_edit_end(struct fx_model *model,
	bool dry_run, bool force, struct fx_edit_report *ret);
void fx_model_edit_abort(struct fx_model *model);

/* USAGE while a pass is stepped, which alone edits MODEL then. */
FX_NODISCARD struct fx_error *
fx_model_check_edits(const struct fx_model *model);

/* undo, redo, goto tN with the same care for shapes and position. */
FX_NODISCARD struct fx_error *fx_model_undo(struct fx_model *model,
	size_t count, struct fx_edit_report *ret);
FX_NODISCARD struct fx_error *fx_model_redo(struct fx_model *model,
	size_t count, struct fx_edit_report *ret);
FX_NODISCARD struct fx_error *fx_model_goto_time(struct fx_model *model,
	uint32_t time, struct fx_edit_report *ret);

/* Inputs of placeholders: a metadata SPEC ("f32[1,3,224,224]") or a value.
 * NAME answers to a placeholder's target first, then its node name.
 */
FX_NODISCARD struct fx_error *fx_model_set_input(struct fx_session *session,
	struct fx_model *model, const char *name, const char *text);
/* The same for shapes alone: where the placeholder has something to run with,
 * that stays for the next start, and only shapes follow from TEXT.  A shape
 * with numbers where no input was given is given.
 */
FX_NODISCARD struct fx_error *fx_model_look(struct fx_session *session,
	struct fx_model *model, const char *name, const char *text);
/* The placeholder that NAME means there. */
FX_NODISCARD struct fx_error *fx_model_find_input(struct fx_model *model,
	const char *name, struct fx_node **ret);
/* Append how an input of PLACEHOLDER could be written: by its own shape or that
 * of layers that use it, else `f32[...]` and words, or false and nothing.
 */
void fx_input_add_hint(struct fx_buf *out, const struct fx_node *placeholder);
bool fx_input_add_form(struct fx_buf *out, const struct fx_node *placeholder);
/* Whether TEXT, "x=f32[N,4]", has a letter for a size. */
bool fx_input_has_letters(const char *text);
/* ERR, with how an input is written that was typed as TEXT and is not known. */
FX_NODISCARD struct fx_error *fx_input_hint_form(const struct fx_model *model,
	const char *text, struct fx_error *err);
/* How input of placeholder NODE was given, borrowed, or NULL. */
struct fx_input_given {
	const char *name; /* that it answered to then; interned */
	char *text;
	bool is_held;  /* TEXT only says where the value is from */
	uint64_t seed; /* of the session then */
	uint32_t time; /* after which edit */
};
const struct fx_input_given *fx_model_input_given(const struct fx_model *model,
	const struct fx_node *node);
const char *fx_model_input_text(const struct fx_model *model,
	const struct fx_node *node);

/* Values set by the user.  EXPRESSION may mention $v, the value before; the
 * result stands for NODE until it is unset.  Of a parameter or buffer at PATH
 * it is an edit.
 */
FX_NODISCARD struct fx_error *fx_model_set_value(struct fx_session *session,
	struct fx_model *model, struct fx_node *node, const char *expression,
	struct fx_edit_report *ret);
FX_NODISCARD struct fx_error *fx_model_unset_value(struct fx_model *model,
	struct fx_node *node, struct fx_edit_report *ret);
/* LINE is the command that a script has for it. */
FX_NODISCARD struct fx_error *fx_model_set_tensor(struct fx_model *model,
	const char *path, const char *expression, const char *line,
	struct fx_edit_report *ret);
/* How many parameters and buffers have no values. */
size_t fx_model_count_weightless(const struct fx_model *model);
/* Give the tensors of MODULE, which is made for PATH and lies in GRAPH but in
 * no tree, what PyTorch gives a new layer's, by SEED and their paths.  Nothing
 * where the model's own have no values, or for very large layers.
 */
FX_NODISCARD struct fx_error *fx_model_fill_fresh(const struct fx_model *model,
	struct fx_graph *graph, struct fx_module *module, const char *path,
	uint64_t seed);
/* Inside an edit: give those some that follow from SEED and their paths. */
FX_NODISCARD struct fx_error *fx_model_random_weights(struct fx_model *model,
	uint64_t seed);
/* What fx_model_file_weights did. */
struct fx_weights_report {
	size_t filled;             /* parameters and buffers, by their paths */
	size_t missing;            /* those that the file does not name */
	const char *first_missing; /* interned, or NULL */
	size_t used;               /* names of the file */
	size_t unused;
};
/* Inside an edit: give parameters and buffers the values of the safetensors
 * file at PATH, by name; those it does not name keep theirs.  SHAPE where a
 * shape or dtype differs, VALUE where no name fits; FORMAT, IO.
 */
FX_NODISCARD struct fx_error *fx_model_file_weights(struct fx_model *model,
	const char *path, struct fx_weights_report *ret);
bool fx_model_is_overridden(const struct fx_model *model,
	const struct fx_node *node);

/* "meta", "torch"...: what ran it last, or would. */
const char *fx_model_backend_name(const struct fx_model *model);
/* Whether that computes values, and not shapes alone. */
bool fx_model_has_values(const struct fx_model *model);
/* Whether it computes shapes though nobody asked for the meta backend. */
bool fx_model_lacks_values(const struct fx_model *model);
/* Propagate shapes over the whole graph from the inputs, and over the nested
 * one that names are of; returns the number of nodes there with a shape,
 * without, and with an impossible one.
 */
struct fx_shape_report {
	size_t known;
	size_t unknown;
	size_t bad;
};
struct fx_shape_report fx_model_propagate(struct fx_model *model);
/* Why NODE has no shape or an impossible one, or NULL. */
const char *fx_model_shape_problem(const struct fx_model *model,
	const struct fx_node *node);
/* State letter of COMMANDS 3 for NODE: ' '-free UTF-8 text, "·" "V" "E" ... */
const char *fx_model_state(const struct fx_model *model,
	const struct fx_node *node);
bool fx_model_has_breakpoint(const struct fx_model *model,
	const struct fx_node *node);

/* Tags (screen: Space), for {tagged}. */
bool fx_model_is_tagged(const struct fx_model *model, uint64_t node_id);
void fx_model_set_tag(struct fx_model *model, uint64_t node_id, bool is_tagged);

#endif /* FX_SESSION_MODEL_H */

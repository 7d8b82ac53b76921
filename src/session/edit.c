/* edit.c - edits of a model: transactions with care for shapes, values and
 * the position.
 *
 * Metadata is no edit and has no journal, so what an edit that is taken back
 * overwrote is kept aside and put back.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "emit/python.h"
#include "ir/edit.h"
#include "ops/layertab.h"
#include "run/datum.h"
#include "session/break_private.h"
#include "session/changes.h"
#include "session/nested.h"
#include "session/passing_private.h"
#include "session/session_private.h"
#include "session/settings.h"

#ifdef FX_HARD_MODE
#define IS_HARD true
#else
#define IS_HARD false
#endif

void
fx_edit_report_deinit(struct fx_edit_report *report)
{
	for (size_t i = 0; report->touched_code && i < report->touched_count;
		i++)
		free(report->touched_code[i]);
	free(report->touched_code);
	free(report->bad_shape_text);
	free(report->shared);
	report->shared = NULL;
	free(report->touched);
	report->touched_code = NULL;
	report->bad_shape_text = NULL;
	report->touched = NULL;
}

/* --- values and position ------------------------------------------------ */

/* Before the graph changes: a node that is erased is no longer found by id,
 * but it keeps its neighbours.
 */
static void
hold_stop(struct fx_model *model)
{
	struct fx_run *run = model->run;

	for (size_t i = 0; i < run->activations.count; i++)
		run->activations.items[i]->held =
			fx_activation_stop(run->activations.items[i]);
}

/* The graph is as it was. */
static void
let_go_of_stop(struct fx_model *model)
{
	struct fx_run *run = model->run;

	for (size_t i = 0; i < run->activations.count; i++)
		run->activations.items[i]->held = NULL;
}

/* Return the position at which execution stands, in the form of fx_run.stops; 0
 * if the model is not started.
 */
static uintptr_t
stop_now(const struct fx_model *model)
{
	return model->run->activations.count
		       ? (uintptr_t)model->run->activations.items[0]->stop + 1
		       : 0;
}

/* Stand before what STOP says, running what has no value on the way. */
static struct fx_error *
return_to_stop(struct fx_model *model, uintptr_t stop)
{
	FX_AUTO_STOP struct fx_stop reached = { .number = 0 };
	size_t position = model->graph->node_count;
	const char *entered = model->entered;
	struct fx_node *node;
	struct fx_error *err;

	if (!stop || !model->run->activations.count)
		return NULL;
	if (stop > 1) {
		node = fx_graph_find_id(model->graph, stop - 1);
		if (!node || !node->is_in_graph)
			return NULL;
		position = fx_graph_position(model->graph, node);
	}
	err = fx_position_goto(model->session, model, position, &reached);
	model->entered = entered;
	return err;
}

/* --- begin -------------------------------------------------------------- */

struct fx_error *
fx_model_check_edits(const struct fx_model *model)
{
	const struct fx_passing *passing = model->session->passing;

	if (!passing || passing->model != model || passing->is_busy)
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_USAGE,
				     "%s is being stepped, which alone edits "
				     "%s",
				     passing->title, model->name),
		"q");
}

static struct fx_error *
check_editable(const struct fx_model *model)
{
	struct fx_error *err = fx_session_need_writable(model->session);

	if (!err && model->session->passing)
		err = fx_model_check_edits(model);
	return err;
}

/* The first of those that lie in each other is about to begin. */
static void
begin_outermost(struct fx_session *session, struct fx_model *model)
{
	struct fx_graph *graph = fx_position_graph(model);

	if (session->before_edit)
		session->before_edit(session->before_edit_context, model);
	if (graph->outer)
		(void)fx_model_shape_nested(model, graph);
	fx_journal_set_limit(model->graph,
		(size_t)fx_settings_int(session->settings, FX_SET_UNDO_LIMIT));
}

struct fx_error *
fx_model_edit_begin(struct fx_session *session, struct fx_model *model,
	const char *command)
{
	struct fx_open_edit edit = { .command = fx_intern(command) };
	struct fx_error *err = check_editable(model);

	if (err)
		return err;
	if (model->edits.count)
		edit.savepoint = fx_savepoint_get(model->graph);
	else
		begin_outermost(session, model);
	hold_stop(model);
	edit.stop = stop_now(model);
	fx_vec_push(&model->edits, edit);
	fx_journal_begin(model->graph, command);
	return NULL;
}

/* Take back what the innermost edit did. */
static void
take_back(struct fx_model *model)
{
	struct fx_open_edit edit = fx_vec_pop(&model->edits);

	if (model->edits.count)
		fx_savepoint_rollback(model->graph, edit.savepoint);
	else
		fx_journal_abort(model->graph);
}

/* --- shapes that were ---------------------------------------------------- */

struct old_meta {
	struct fx_node *node;
	const struct fx_value *meta;
};

struct old_problem {
	uint64_t id;
	char *text;
};

struct before {
	FX_VEC(struct old_meta) metas;
	FX_VEC(struct old_problem) problems;
};

static void
before_deinit(struct before *before)
{
	for (size_t i = 0; i < before->problems.count; i++)
		free(before->problems.items[i].text);
	fx_vec_deinit(&before->problems);
	fx_vec_deinit(&before->metas);
}
FX_DEFINE_DEINIT(before, struct before, before_deinit);

static void
remember_one(const struct fx_model *model, struct fx_node *node,
	struct before *ret)
{
	const char *problem = (const char *)fx_map_get(&model->problems,
		(uintptr_t)node->id, 0);

	fx_vec_push(&ret->metas, ((struct old_meta){ node, node->meta }));
	if (problem)
		fx_vec_push(&ret->problems, ((struct old_problem){ node->id,
						    fx_xstrdup(problem) }));
}

static void
remember(const struct fx_model *model, const struct fx_changes *changes,
	struct before *ret)
{
	const struct fx_graph_change *change;
	size_t count = 0;

	fx_vec_for_each (change, &changes->items)
		count += change->count;
	fx_vec_reserve(&ret->metas, count);
	fx_vec_for_each (change, &changes->items)
		for (size_t i = 0; i < change->count; i++)
			remember_one(model, change->cone[i], ret);
}

static void
put_back(struct fx_model *model, struct before *before)
{
	const struct old_meta *old;
	struct old_problem *problem;

	fx_vec_for_each (old, &before->metas) {
		fx_model_forget_problem(model, old->node->id);
		if (old->node->is_in_graph && old->node->meta != old->meta)
			fx_graph_set_meta(old->node, old->meta);
	}
	fx_vec_for_each (problem, &before->problems)
		fx_map_set(&model->problems, (uintptr_t)problem->id,
			(uintptr_t)FX_TAKE(problem->text));
}

/* --- end ---------------------------------------------------------------- */

static struct fx_error *
refusal(const char *command, const struct fx_edit_report *report)
{
	size_t bad = report->bad_shapes;
	size_t word;

	command += strspn(command, " \t");
	word = strcspn(command, " \t/");
	return fx_error_new(FX_ERR_SHAPE,
		"%.*s leaves %zu node%s with %simpossible shape%s, first %s; "
		"nothing changed (-f to allow, nodes become E)",
		(int)word, command, bad, bad == 1 ? "" : "s",
		bad == 1 ? "an " : "", bad == 1 ? "" : "s",
		report->bad_shape_text);
}

/* TEXT without what it releases: `;  x = None`. */
static char *
statement(const char *text, size_t length)
{
	const char *release = NULL;
	size_t i;

	if (length > 8 && !strncmp(text + length - 7, " = None", 7))
		for (i = 0; i + 3 < length; i++)
			if (!strncmp(text + i, ";  ", 3))
				release = text + i;
	return fx_xstrndup(text, release ? (size_t)(release - text) : length);
}

/* Fill in the statements that GRAPH has for the nodes that were touched. */
static void
add_touched_code(struct fx_graph *graph, struct fx_edit_report *ret)
{
	FX_AUTO_BUF struct fx_buf code = { 0 };
	struct fx_emit_ranges ranges = { 0 };

	fx_emit_python(&code, graph, NULL, &ranges);
	for (size_t i = 0; i < ret->touched_count; i++) {
		struct fx_node *node =
			fx_graph_find_id(graph, ret->touched[i].node);
		const struct fx_emit_range *range;

		if (!node || !node->is_in_graph)
			continue;
		range = &ranges.items[fx_graph_position(graph, node)];
		ret->touched_code[i] =
			statement(fx_buf_text(&code) + range->begin,
				range->end - range->begin);
	}
	fx_emit_ranges_deinit(&ranges);
}

/* List the nodes that a dry run touched, each with the statement that the
 * edited graph would print for it.
 */
static void
fill_touched(struct fx_graph *root, const struct fx_changes *changes,
	struct fx_edit_report *ret)
{
	const struct fx_graph_change *change;

	fx_journal_touched_open(root, &ret->touched, &ret->touched_count);
	ret->touched_code =
		fx_xcalloc(ret->touched_count + 1, sizeof(*ret->touched_code));
	fx_vec_for_each (change, &changes->items)
		add_touched_code(change->graph, ret);
}

/* Values may be of no time that has an index. */
#define NO_TIME UINT32_MAX

/* Values that the CHANGES made stale; of the time FROM some may come back. */
static void
invalidate(struct fx_model *model, uint32_t from,
	const struct fx_changes *changes, struct fx_edit_report *ret)
{
	if (from != NO_TIME)
		fx_undo_cache_leave(model, from);
	fx_changes_invalidate(model, changes, ret);
	if (from != NO_TIME)
		fx_undo_cache_arrive(model, fx_journal_now(model->graph));
	ret->dirty = fx_model_dirty_count(model);
}

static void
finish_edit(struct fx_model *model, uint32_t from,
	const struct fx_changes *changes, struct fx_edit_report *ret)
{
	bool is_open = fx_journal_is_open(model->graph);

	if (model->run->activations.count)
		invalidate(model, is_open ? NO_TIME : from, changes, ret);
	if (model->session->breaks.count)
		fx_breaks_tell(model);
	ret->undo_count = fx_journal_undo_count(model->graph);
	if (is_open)
		return;
	/* From the model's on: with modules, graphs within may go. */
	for (size_t i = changes->items.count; i-- > 0;)
		fx_graph_compact(changes->items.items[i].graph, IS_HARD);
}

/* The target of the first function that the open transaction put into GRAPH and
 * no rule is known for, or NULL.  torch.fx can call anything, but no shape
 * comes after that.
 */
static const char *
unknown_function(const struct fx_graph *graph)
{
	const struct fx_node *node;
	size_t at = 0;

	while ((node = fx_journal_created_next(graph, &at)))
		if (node->opcode == FX_OPCODE_CALL_FUNCTION &&
			node->op == FX_OP_NONE &&
			!fx_functional_find(node->target))
			return node->target;
	return NULL;
}

struct fx_error *
fx_model_edit_end(struct fx_model *model, bool dry_run, bool force,
	struct fx_edit_report *ret)
{
	FX_AUTO(changes) struct fx_changes changes = { .items = { 0 } };
	FX_AUTO(before) struct before before = { .metas = { 0 } };
	struct fx_open_edit edit = fx_vec_last(&model->edits);
	uint32_t from = fx_journal_now(model->graph);
	struct fx_error *err = NULL;

	*ret = (struct fx_edit_report){ .dry_run = dry_run,
		.unknown = unknown_function(fx_position_graph(model)) };
	fx_changes_gather_open(&changes, model->graph, edit.savepoint);
	fx_changes_finish(&changes);
	remember(model, &changes, &before);
	fx_changes_reshape(model, &changes, ret);
	if (changes.items.count > 1)
		ret->shared = fx_changes_say_shared(model, &changes);
	if (ret->bad_shapes && !force) {
		err = refusal(edit.command, ret);
		fx_edit_report_deinit(ret);
	}
	ret->counts = fx_journal_counts(model->graph);
	if (!err && dry_run)
		fill_touched(model->graph, &changes, ret);
	if (err || dry_run) {
		if (edit.has_inner) {
			fx_model_edit_abort(model);
		} else {
			take_back(model);
			let_go_of_stop(model);
			put_back(model, &before);
		}
		ret->undo_count = fx_journal_undo_count(model->graph);
		return err;
	}
	if (model->refused[0])
		fx_model_forget_refused(model);
	(void)fx_vec_pop(&model->edits);
	err = fx_journal_commit(model->graph, NULL);
	if (err) {
		let_go_of_stop(model);
		put_back(model, &before);
		return err;
	}
	finish_edit(model, edit.has_inner ? NO_TIME : from, &changes, ret);
	if (model->edits.count) {
		struct fx_open_edit *outer = &fx_vec_last(&model->edits);

		outer->has_inner = true;
		outer->has_moved_stop |=
			ret->position_moved || edit.has_moved_stop;
	}
	return NULL;
}

/* The stop goes back to where it was, unless somebody has moved it since. */
void
fx_model_edit_abort(struct fx_model *model)
{
	FX_AUTO(changes) struct fx_changes changes = { .items = { 0 } };
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { .position = 0 };
	struct fx_open_edit edit;

	if (!model->edits.count)
		return;
	edit = fx_vec_last(&model->edits);
	if (!edit.has_inner) {
		take_back(model);
		let_go_of_stop(model);
		return;
	}
	/* Edits inside it have propagated already: once more, backwards. */
	fx_changes_gather_open(&changes, model->graph, edit.savepoint);
	hold_stop(model);
	take_back(model);
	fx_changes_finish(&changes);
	fx_changes_reshape(model, &changes, &report);
	fx_changes_invalidate(model, &changes, &report);
	if (edit.has_moved_stop)
		fx_error_free(return_to_stop(model, edit.stop));
}

/* --- walking the journal ------------------------------------------------ */

/* Ids of transactions from ID up to the origin. */
static void
ancestors(struct fx_graph *graph, uint32_t id, struct fx_map *ret)
{
	while (id) {
		const struct fx_transaction *record = fx_journal_get(graph, id);

		fx_map_set(ret, (uintptr_t)id, 1);
		id = record ? record->parent : 0;
	}
}

/* Told of each transaction ID that lies between two times; IS_UNDONE: on the
 * way back from the first.
 */
typedef void between_fn(void *context, struct fx_graph *graph, uint32_t id,
	bool is_undone);

static void
go_between(struct fx_graph *graph, uint32_t from, uint32_t to, between_fn *see,
	void *context)
{
	FX_AUTO_MAP struct fx_map a = { 0 };
	FX_AUTO_MAP struct fx_map b = { 0 };
	const struct fx_map *maps[2] = { &a, &b };

	ancestors(graph, from, &a);
	ancestors(graph, to, &b);
	for (size_t i = 0; i < 2; i++) {
		size_t at = 0;
		uintptr_t id;
		uintptr_t one;

		while (fx_map_next(maps[i], &at, &id, &one))
			if (!fx_map_has(maps[1 - i], id))
				see(context, graph, (uint32_t)id, i == 0);
	}
}

static void
collect_effects(void *context, struct fx_graph *graph, uint32_t id,
	bool is_undone)
{
	struct fx_changes *changes = context;

	(void)is_undone;
	fx_changes_gather(changes, graph, id);
}

/* What is undone counts the other way round. */
static void
sum_counts(void *context, struct fx_graph *graph, uint32_t id, bool is_undone)
{
	const struct fx_edit_counts *counts =
		&fx_journal_get(graph, id)->counts;
	struct fx_edit_counts *sum = context;

	sum->created += is_undone ? counts->erased : counts->created;
	sum->erased += is_undone ? counts->created : counts->erased;
	sum->changed += counts->changed;
	sum->rewired += counts->rewired;
	sum->modules += counts->modules;
}

/* After the journal went FROM somewhere. */
static void
arrive(struct fx_model *model, uint32_t from, struct fx_edit_report *ret)
{
	FX_AUTO(changes) struct fx_changes changes = { .items = { 0 } };
	uint32_t to = fx_journal_now(model->graph);

	go_between(model->graph, from, to, collect_effects, &changes);
	go_between(model->graph, from, to, sum_counts, &ret->counts);
	fx_changes_finish(&changes);
	fx_changes_reshape(model, &changes, ret);
	finish_edit(model, from, &changes, ret);
}

/* COUNT steps of the journal by WALK, the one or the other way. */
static struct fx_error *
walk_journal(struct fx_model *model, size_t count,
	struct fx_error *(*walk)(struct fx_graph *graph, size_t count),
	struct fx_edit_report *ret)
{
	uint32_t from = fx_journal_now(model->graph);
	struct fx_error *err = fx_session_need_writable(model->session);

	*ret = (struct fx_edit_report){ .position = 0 };
	if (!err)
		err = fx_model_check_edits(model);
	hold_stop(model);
	if (!err)
		err = walk(model->graph, count);
	if (err)
		let_go_of_stop(model);
	else
		arrive(model, from, ret);
	return err;
}

struct fx_error *
fx_model_undo(struct fx_model *model, size_t count, struct fx_edit_report *ret)
{
	return walk_journal(model, count, fx_journal_undo, ret);
}

struct fx_error *
fx_model_redo(struct fx_model *model, size_t count, struct fx_edit_report *ret)
{
	return walk_journal(model, count, fx_journal_redo, ret);
}

/* `goto tN` sets edits and position (COMMANDS 4): the position is where
 * execution last stood at that time, if it did.
 */
struct fx_error *
fx_model_goto_time(struct fx_model *model, uint32_t time,
	struct fx_edit_report *ret)
{
	uint32_t from = fx_journal_now(model->graph);
	struct fx_error *err = fx_session_need_writable(model->session);
	uintptr_t remembered =
		fx_map_get(&model->run->stops, (uintptr_t)time + 1, 0);

	*ret = (struct fx_edit_report){ .position = 0 };
	if (!err)
		err = fx_model_check_edits(model);
	hold_stop(model);
	if (!err)
		err = fx_journal_goto(model->graph, time);
	if (err) {
		let_go_of_stop(model);
		return err;
	}
	arrive(model, from, ret);
	return return_to_stop(model, remembered);
}

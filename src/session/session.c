/* session.c - the session: its models, what the user set and remembers. */
#include <config.h>

#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "guest/worker.h"
#include "ir/clone.h"
#include "meta/propagate.h"
#include "run/datum.h"
#include "session/break_private.h"
#include "session/capture.h"
#include "session/checkpoint.h"
#include "session/session_private.h"
#include "session/settings.h"
#include "session/skip.h"

/* Graphs that may be open at once: serials, and patience, come to an end. */
#define MODELS_MOST 1000

struct fx_session *
fx_session_new(void)
{
	struct fx_session *session = FX_NEW(struct fx_session);

	session->settings = fx_settings_new();
	session->meta = fx_meta_new();
	session->next_number = 1;
	session->next_break = 1;
	session->next_display = 1;
	fx_session_begin_command(session);
	return session;
}

static void
free_values(struct fx_session *session)
{
	for (size_t i = 0; i < session->history.count; i++)
		fx_datum_unref(session->history.items[i]);
	for (size_t i = 0; i < session->variables.count; i++)
		fx_datum_unref(session->variables.items[i].datum);
	fx_datum_unref(session->examined);
	fx_vec_deinit(&session->history);
	fx_vec_deinit(&session->variables);
}

void
fx_session_free(struct fx_session *session)
{
	if (!session)
		return;
	/* Whom it would ask may be gone already. */
	session->tick = NULL;
	fx_breaks_free(session);
	fx_checkpoints_free(session);
	fx_skips_free(session);
	fx_displays_free(session);
	/* Its process takes as long to end as all of this. */
	fx_worker_dismiss(session->worker);
	/* First, as they need no copies of what the models take back now. */
	free_values(session);
	fx_verify_forget(session);
	while (session->models.count) {
		struct fx_model *model = session->models.items[0];

		fx_vec_remove(&session->models, 0);
		fx_model_free(model);
	}
	fx_vec_deinit(&session->models);
	fx_session_free_backends(session);
	fx_worker_free(session->worker);
	free(session->python);
	fx_meta_free(session->meta);
	fx_settings_free(session->settings);
	free(session);
}

void
fx_session_leave(struct fx_session *session)
{
	fx_worker_dismiss(session->worker);
	for (size_t i = 0; i < session->models.count; i++)
		if (session->models.items[i]->capture)
			fx_capture_kill(session->models.items[i]->capture);
	for (size_t i = 0; i < session->child_runs.count; i++)
		if (session->child_runs.items[i].capture)
			fx_capture_kill(session->child_runs.items[i].capture);
	fx_worker_leave(session->worker);
}

void
fx_session_set_tick(struct fx_session *session, fx_tick_fn *tick, void *context)
{
	session->tick = tick;
	session->tick_context = context;
}

void
fx_session_set_before_edit(struct fx_session *session,
	fx_before_edit_fn *before, void *context)
{
	session->before_edit = before;
	session->before_edit_context = context;
}

void
fx_session_set_dprintf(struct fx_session *session, fx_dprintf_fn *say,
	void *context)
{
	session->say_dprintf = say;
	session->dprintf_context = context;
}

void
fx_session_set_output(struct fx_session *session, fx_output_fn *output,
	void *context)
{
	session->output = output;
	session->output_context = context;
}

void
fx_session_set_notice(struct fx_session *session, fx_notice_fn *notice,
	void *context)
{
	session->notice = notice;
	session->notice_context = context;
}

void
fx_session_begin_command(struct fx_session *session)
{
	session->is_pressed = false;
	fx_progress_begin(&session->progress,
		fx_settings_int(session->settings, FX_SET_PROGRESS_DELAY));
}

struct fx_progress *
fx_session_progress(struct fx_session *session)
{
	return &session->progress;
}

void
fx_session_set_part(struct fx_session *session, const char *what, size_t number,
	size_t parts)
{
	fx_progress_set_part(&session->progress, what, number, parts, 0);
}

void
fx_session_init_ticker(struct fx_session *session, struct fx_ticker *ticker)
{
	fx_ticker_init(ticker, fx_session_is_pressed, session);
	ticker->progress = &session->progress;
	/* Asked to show all, it shows each node. */
	if (!session->progress.delay)
		ticker->interval = 0;
}

bool
fx_session_tick(void *context)
{
	struct fx_session *session = context;
	bool is_pressed = session->tick && session->tick(session->tick_context);

	session->is_pressed |= is_pressed;
	return is_pressed;
}

struct fx_tick
fx_session_ticks(struct fx_session *session)
{
	return (struct fx_tick){ fx_session_is_pressed, session };
}

bool
fx_session_is_pressed(void *context)
{
	struct fx_session *session = context;

	return session->is_pressed || fx_session_tick(session);
}

void
fx_session_output(void *context, const char *text, size_t length)
{
	const struct fx_session *session = context;

	if (session->output)
		(void)session->output(session->output_context, text, length);
}

struct fx_settings *
fx_session_settings(struct fx_session *session)
{
	return session->settings;
}

/* --- models ------------------------------------------------------------- */

static bool
is_serial_used(const struct fx_session *session, uint32_t serial)
{
	for (size_t i = 0; i < session->models.count; i++)
		if (session->models.items[i]->graph->serial == serial)
			return true;
	return false;
}

struct fx_error *
fx_session_need_room(const struct fx_session *session)
{
	if (session->models.count < MODELS_MOST)
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_LIMIT,
				     "%d graphs are open, which is the most",
				     MODELS_MOST),
		"close drops the current one");
}

/* Nested graphs use the upper half (load), so numbers come round again:
 * graphs that only lived for one command have them too.
 */
uint32_t
fx_session_serial(struct fx_session *session)
{
	_Static_assert(MODELS_MOST < UINT16_MAX - 1, "serials do not suffice");
	do {
		session->next_serial = session->next_serial % UINT16_MAX + 1;
	} while (is_serial_used(session, session->next_serial));
	return session->next_serial;
}

static const char *
unique_name(struct fx_session *session, const char *wanted)
{
	const char *name = fx_intern(wanted && *wanted ? wanted : "graph");
	const char *base = name;

	for (int i = 2; fx_session_find_model(session, name); i++)
		name = fx_intern_format("%s-%d", base, i);
	return name;
}

struct fx_model *
fx_session_add_graph(struct fx_session *session, struct fx_graph *graph_taken,
	const char *name, const char *origin)
{
	struct fx_model *model;

	name = unique_name(session, name ? name : graph_taken->name);
	graph_taken->name = name;
	if (!graph_taken->origin)
		graph_taken->origin = fx_intern(origin);
	model = fx_model_new(session, graph_taken);
	model->name = name;
	model->number = session->next_number++;
	if (!graph_taken->journal)
		fx_journal_open(graph_taken, origin);
	fx_model_propagate_at_open(model);
	fx_vec_push(&session->models, model);
	session->current = model;
	fx_decisions_open(model);
	fx_model_take_noted_inputs(session, model);
	return model;
}

struct fx_model *
fx_session_model(struct fx_session *session)
{
	return session->current;
}

struct fx_model *
fx_session_find_model(struct fx_session *session, const char *name_or_number)
{
	int64_t number;
	bool is_number = fx_number_parse_int(name_or_number,
		strlen(name_or_number), &number);

	for (size_t i = 0; i < session->models.count; i++) {
		struct fx_model *model = session->models.items[i];

		if (fx_str_equal(model->name, name_or_number))
			return model;
	}
	for (size_t i = 0; is_number && i < session->models.count; i++)
		if (session->models.items[i]->number == number)
			return session->models.items[i];
	return NULL;
}

size_t
fx_session_model_count(const struct fx_session *session)
{
	return session->models.count;
}

struct fx_model *
fx_session_model_at(struct fx_session *session, size_t index)
{
	return index < session->models.count ? session->models.items[index]
					     : NULL;
}

struct fx_model *
fx_session_model_of(struct fx_session *session, const struct fx_graph *graph)
{
	struct fx_model **model;

	fx_vec_for_each (model, &session->models)
		if ((*model)->graph == graph)
			return *model;
	return NULL;
}

void
fx_session_switch(struct fx_session *session, struct fx_model *model)
{
	session->current = model;
}

void
fx_session_drop(struct fx_session *session, struct fx_model *model)
{
	for (size_t i = 0; i < session->models.count; i++)
		if (session->models.items[i] == model) {
			fx_vec_remove(&session->models, i);
			break;
		}
	fx_breaks_drop_model(session, model);
	fx_checkpoints_drop_model(session, model);
	fx_skips_drop_model(session, model);
	if (session->current == model)
		session->current = session->models.count
					   ? fx_vec_last(&session->models)
					   : NULL;
	fx_model_free(model);
}

struct fx_error *
fx_session_copy(struct fx_session *session, struct fx_model *model,
	const struct fx_opening *as, struct fx_model **ret)
{
	FX_AUTO_MAP struct fx_map nodes = { .slots = NULL };
	FX_AUTO_FREE char *skipped = NULL;
	struct fx_error *err = fx_session_need_room(session);
	struct fx_graph *copy;

	if (!err && fx_session_find_model(session, as->name))
		err = fx_error_new(FX_ERR_NAME_TAKEN,
			"there is a graph \"%s\" already", as->name);
	if (!err)
		err = fx_model_fetch_weights(model, &skipped);
	if (err)
		return err;
	copy = fx_graph_clone(model->graph, fx_session_serial(session), &nodes);
	copy->origin = NULL;
	*ret = fx_session_add_graph(session, copy, as->name, as->line);
	fx_model_descend(*ret, model);
	fx_model_share_capture(*ret, model);
	fx_model_share_inputs(*ret, model, &nodes);
	return NULL;
}

struct fx_error *
fx_session_need_writable(const struct fx_session *session)
{
	if (!session->is_read_only)
		return NULL;
	return fx_error_new(FX_ERR_READ_ONLY, "read-only session (--readonly)");
}

struct fx_error *
fx_session_need_model(struct fx_session *session, struct fx_model **ret)
{
	if (!session->current)
		return fx_error_hint(fx_error_new(FX_ERR_NO_GRAPH,
					     "no graph is open"),
			"load FILE opens one");
	*ret = session->current;
	return NULL;
}

/* --- values of the user ------------------------------------------------- */

int
fx_session_remember(struct fx_session *session, struct fx_datum *datum)
{
	fx_vec_push(&session->history, fx_datum_ref(datum));
	return (int)session->history.count;
}

struct fx_datum *
fx_session_history(struct fx_session *session, int number)
{
	if (number < 1 || (size_t)number > session->history.count)
		return NULL;
	return fx_datum_ref(session->history.items[number - 1]);
}

int
fx_session_history_count(const struct fx_session *session)
{
	return (int)session->history.count;
}

/* Where the value of the variable NAME is, or NULL. */
static struct fx_datum **
find_variable(struct fx_session *session, const char *name)
{
	if (fx_str_equal(name, "_"))
		return &session->examined;
	for (size_t i = 0; i < session->variables.count; i++)
		if (fx_str_equal(session->variables.items[i].name, name))
			return &session->variables.items[i].datum;
	return NULL;
}

void
fx_session_set_variable(struct fx_session *session, const char *name,
	struct fx_datum *datum)
{
	struct fx_datum **place = find_variable(session, name);

	if (!place) {
		fx_vec_push(&session->variables,
			((struct fx_variable){ .name = fx_intern(name) }));
		place = &fx_vec_last(&session->variables).datum;
	}
	fx_datum_ref(datum);
	fx_datum_unref(*place);
	*place = datum;
}

struct fx_datum *
fx_session_variable(struct fx_session *session, const char *name)
{
	struct fx_datum **place = find_variable(session, name);

	return place && *place ? fx_datum_ref(*place) : NULL;
}

const char *
fx_session_variable_at(const struct fx_session *session, size_t index)
{
	if (session->examined && !index--)
		return "_";
	return index < session->variables.count
		       ? session->variables.items[index].name
		       : NULL;
}

void
fx_session_examine(struct fx_session *session, const struct fx_node *node)
{
	fx_datum_unref(session->examined);
	session->examined = fx_datum_node(node->id);
}

uint64_t
fx_session_seed(const struct fx_session *session)
{
	return session->seed;
}

void
fx_session_set_seed(struct fx_session *session, uint64_t seed)
{
	session->seed = seed;
	fx_session_seed_backends(session);
}

bool
fx_session_is_read_only(const struct fx_session *session)
{
	return session->is_read_only;
}

void
fx_session_set_read_only(struct fx_session *session, bool read_only)
{
	session->is_read_only = read_only;
}

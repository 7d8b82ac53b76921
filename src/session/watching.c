/* watching.c - the observer of watches: what each result is looked at for.
 *
 * Looking runs nothing, so it is done where the node has just run and what it
 * read is still there.  Conditions and expressions may run nodes; they are
 * asked between two nodes, as those of breakpoints are.
 */
#include <config.h>

#include "session/watching.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "run/datum.h"
#include "session/activation.h"
#include "session/break_private.h"

bool
fx_watching_begin(struct fx_watching *watching, struct fx_session *session,
	struct fx_model *model)
{
	*watching = (struct fx_watching){
		.session = session,
		.model = model,
		.look = { .model = model },
	};
	for (size_t i = 0; i < session->breaks.count; i++) {
		const struct fx_break *b = session->breaks.items[i];

		if (b->is_watch && b->shown.is_enabled && b->model == model)
			return true;
	}
	return false;
}

static void
forget(struct fx_watching *watching)
{
	for (size_t i = 0; i < watching->pending.count; i++)
		fx_buf_deinit(&watching->pending.items[i].sighting.text);
	fx_vec_clear(&watching->pending);
	fx_datum_unref(watching->result);
	watching->result = NULL;
	watching->node = NULL;
}

void
fx_watching_end(struct fx_watching *watching)
{
	forget(watching);
	fx_vec_deinit(&watching->pending);
	fx_nonfinite_look_deinit(&watching->look);
}

/* --- looking ---------------------------------------------------------------
 */

static bool
is_about_bytes(const struct fx_break *b)
{
	return b->shown.kind == FX_STOP_KIND_WATCH &&
	       b->watch.kind == FX_WATCH_bytes;
}

/* Whether B looks at the result of NODE; of bytes, at any that writes. */
static bool
looks_at(struct fx_watching *watching, struct fx_break *b,
	const struct fx_node *node)
{
	if (!b->is_watch)
		return false;
	if (is_about_bytes(b))
		return b->shown.is_enabled && b->model == watching->model;
	return fx_break_stands_on(watching->session, b, watching->model, node);
}

static const struct fx_node *
target_of(struct fx_watching *watching, struct fx_break *b)
{
	if (!is_about_bytes(b) || b->watch.text)
		return NULL;
	fx_break_refresh(watching->session, b);
	return b->shown.is_pending ? NULL : fx_graph_find_id(b->graph, b->node);
}

static bool
wrote_last(const struct fx_watching *watching, const struct fx_node *node)
{
	const struct fx_timeline *timeline = &watching->model->run->timeline;
	const struct fx_effect *last =
		timeline->effects.count ? &fx_vec_last(&timeline->effects)
					: NULL;

	return last && last->node == node->id && last->graph == node->graph;
}

/* What fails has no value to look at. */
static void
compute(struct fx_watching *watching, struct fx_activation *place,
	const struct fx_node *node)
{
	if (node && !fx_env_get(&place->env, node->id))
		fx_error_free(fx_activation_compute(watching->model, place,
			fx_graph_find_id(place->graph, node->id)));
}

void
fx_watching_compute(struct fx_watching *watching, struct fx_activation *place,
	struct fx_node *node)
{
	struct fx_session *session = watching->session;

	for (size_t i = 0; i < session->breaks.count; i++) {
		struct fx_break *b = session->breaks.items[i];
		const struct fx_node *target;

		if (!looks_at(watching, b, node) ||
			b->shown.kind == FX_STOP_KIND_DPRINTF ||
			(is_about_bytes(b) && !wrote_last(watching, node)))
			continue;
		target = target_of(watching, b);
		compute(watching, place, node);
		if (target && target->graph == place->graph &&
			fx_node_is_before(target, node))
			compute(watching, place, target);
	}
}

bool
fx_watching_look(struct fx_watching *watching,
	const struct fx_activation *place, struct fx_node *node,
	struct fx_datum *result)
{
	struct fx_session *session = watching->session;
	struct fx_watched watched = {
		.session = session,
		.model = watching->model,
		.place = place,
		.node = node,
		.result = result,
		.look = &watching->look,
	};

	forget(watching);
	for (size_t i = 0; result && i < session->breaks.count; i++) {
		struct fx_break *b = session->breaks.items[i];
		bool is_said = b->shown.kind == FX_STOP_KIND_DPRINTF;
		struct fx_pending pending = { .b = b };

		if (!looks_at(watching, b, node) ||
			(is_said && watching->is_back))
			continue;
		watched.target = target_of(watching, b);
		if (is_said ||
			fx_watch_see(&b->watch, &watched, &pending.sighting))
			fx_vec_push(&watching->pending, pending);
	}
	if (!watching->pending.count)
		return false;
	watching->node = node;
	watching->result = fx_datum_ref(result);
	return true;
}

/* --- the observer ----------------------------------------------------------
 */

static enum fx_answer
watch_after(void *context, struct fx_interp *interp, struct fx_node *node,
	struct fx_datum *result)
{
	struct fx_watching *watching = context;
	const struct fx_activation *place =
		fx_run_activation_of(watching->model->run, node->graph);

	(void)interp;
	return place && fx_watching_look(watching, place, node, result)
		       ? FX_ANSWER_STOP
		       : FX_ANSWER_GO;
}

/* A value that was there already, as one went back and on again. */
static enum fx_answer
watch_skipped(void *context, struct fx_interp *interp, struct fx_node *node)
{
	struct fx_watching *watching = context;
	const struct fx_activation *place =
		fx_run_activation_of(watching->model->run, node->graph);

	return place && fx_watching_look(watching, place, node,
				fx_env_get(interp->env, node->id))
		       ? FX_ANSWER_STOP
		       : FX_ANSWER_GO;
}

struct fx_observer
fx_watching_observer(struct fx_watching *watching)
{
	return (struct fx_observer){
		.context = watching,
		.after = watch_after,
		.skipped = watch_skipped,
	};
}

/* --- whether they stop -----------------------------------------------------
 */

/* An expression that raises stops once, and is told. */
static bool
expression_holds(struct fx_watching *watching, struct fx_break *b,
	struct fx_stop *stop)
{
	bool truth = false;
	struct fx_error *err;

	if (b->shown.kind != FX_STOP_KIND_WATCH ||
		b->watch.kind != FX_WATCH_expr)
		return true;
	watching->session->node_at_hand = watching->node;
	err = fx_watch_test(&b->watch, watching->session, watching->model,
		watching->result, &truth);
	watching->session->node_at_hand = NULL;
	if (!err)
		return truth;
	if (b->has_raised || stop->error) {
		fx_error_free(err);
		return false;
	}
	b->has_raised = true;
	stop->error = fx_error_note(err,
		"in the expression of watch %d, which stops for that once",
		b->shown.number);
	return true;
}

static void
say_dprintf(struct fx_watching *watching, const struct fx_break *b)
{
	struct fx_session *session = watching->session;
	struct fx_datum *before = session->value_at_hand;

	session->value_at_hand = watching->result;
	if (session->say_dprintf)
		session->say_dprintf(session->dprintf_context, &b->shown,
			watching->node);
	session->value_at_hand = before;
}

static bool
stops(struct fx_watching *watching, struct fx_pending *pending,
	struct fx_stop *stop)
{
	struct fx_session *session = watching->session;
	struct fx_break *b = pending->b;
	bool is_first = !stop->says;
	FX_AUTO_BUF struct fx_buf what = { 0 };

	if (!expression_holds(watching, b, stop))
		return false;
	session->value_at_hand = watching->result;
	if (!fx_break_hits(session, watching->model, b, stop)) {
		session->value_at_hand = NULL;
		return false;
	}
	session->value_at_hand = NULL;
	if (b->shown.kind == FX_STOP_KIND_DPRINTF) {
		say_dprintf(watching, b);
		return false;
	}
	if (!is_first || stop->number != b->shown.number)
		return true;
	fx_watch_print(&what, &b->watch,
		is_about_bytes(b) ? b->shown.where : "");
	stop->what = fx_intern(fx_buf_text(&what));
	stop->says = fx_buf_take(&pending->sighting.text);
	stop->nonfinite = pending->sighting.nonfinite;
	stop->watched = watching->node;
	return true;
}

bool
fx_watching_stops(struct fx_watching *watching, struct fx_stop *stop)
{
	bool is_stop = false;

	for (size_t i = 0; i < watching->pending.count; i++)
		if (stops(watching, &watching->pending.items[i], stop))
			is_stop = true;
	forget(watching);
	return is_stop;
}

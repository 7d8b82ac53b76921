/* passing.c - passes over a model, candidate by candidate. */
#include <config.h>

#include "session/passing.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/verify.h"
#include "run/backend.h"
#include "session/capture.h"
#include "session/passing_private.h"
#include "session/session_private.h"

/* The clock is looked at after so many candidates. */
#define TICK_EVERY 64

void
fx_passing_abort(struct fx_passing *p)
{
	if (!p)
		return;
	/* A pass at work sees its graph until it ends. */
	fx_pass_end(FX_TAKE(p->work));
	p->is_busy = true;
	if (!p->is_taken_back)
		fx_model_edit_abort(p->model);
	fx_passing_free(p);
}

/* --- candidates ---------------------------------------------------------- */

static bool
is_wanted(const struct fx_passing *p)
{
	return !p->chooses || fx_map_has(&p->only, (uintptr_t)p->key);
}

static void
decide(struct fx_passing *p, bool is_applied)
{
	const struct fx_candidate *candidate = fx_pass_candidate(p->work);
	struct fx_decision decision;

	p->decided++;
	p->applied += is_applied;
	if (p->is_brief)
		return;
	decision = (struct fx_decision){
		.pass = p->steps.items[p->step].pass->name,
		.node = candidate->node,
		.key = p->key,
		.text = p->is_quiet ? NULL : fx_xstrdup(candidate->text),
		.is_applied = is_applied,
	};

	fx_vec_push(&p->decisions, decision);
	if (p->is_stepped)
		fx_passing_set_mark(p, decision.node,
			is_applied ? FX_PASSING_APPLIED : FX_PASSING_SKIPPED);
}

/* Now and then it is asked, and where a pass has looked at all of the graph. */
static bool
is_pressed(struct fx_passing *p, bool is_end)
{
	return (is_end || ++p->ticks % TICK_EVERY == 0) &&
	       fx_session_is_pressed(p->session);
}

/* What a pass may compute with, once. */
static FX_NODISCARD struct fx_error *
make_world(struct fx_passing *p, const struct fx_pass *pass)
{
	struct fx_model *model = p->model;
	FX_AUTO_FREE char *why = NULL;
	struct fx_error *err = NULL;

	if (p->world.backend)
		return NULL;
	if (!model->run->activations.count)
		err = fx_model_choose_backend(p->session, model);
	if (err)
		return err;
	if (!model->backend->ops->has_values) {
		why = fx_model_why_no_values(model);
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"pass %s needs values: %s", pass->name, why);
	}
	fx_model_ready_backend(model);
	fx_session_init_ticker(p->session, &p->ticker);
	p->world.ticker = &p->ticker;
	return fx_model_trial_backend(model, &p->world.backend,
		&p->owns_backend);
}

static FX_NODISCARD struct fx_error *
enter(struct fx_passing *p, const struct fx_pass *pass)
{
	struct fx_error *err = pass->computes ? make_world(p, pass) : NULL;

	return err ? err : fx_pass_enter(p->work, &p->world);
}

/* The next candidate of the pass at work; false: it has no more. */
static bool
next_here(struct fx_passing *p, struct fx_error **err)
{
	const struct fx_passing_step *step = &p->steps.items[p->step];
	const struct fx_candidate *candidate;

	*err = enter(p, step->pass);
	while (!*err) {
		*err = fx_pass_next(p->work, &candidate);
		if (!*err && is_pressed(p, !candidate))
			*err = fx_error_new(FX_ERR_INTERRUPTED,
				"%s was interrupted; nothing changed",
				p->title);
		if (*err || !candidate)
			break;
		p->key = step->prefix && candidate->key
				 ? fx_intern_format("%s%s", step->prefix,
					   candidate->key)
				 : candidate->key;
		fx_progress_set_counted(&p->session->progress, step->pass->name,
			p->decided + 1);
		if (is_wanted(p)) {
			fx_map_erase(&p->only, (uintptr_t)p->key);
			return true;
		}
		p->left_out++;
	}
	return false;
}

/* Compare what the group did with what was before it. */
static FX_NODISCARD struct fx_error *
verify_group(struct fx_passing *p, struct fx_verify_result *ret)
{
	struct fx_error *err = NULL;

	*ret = (struct fx_verify_result){ .is_same_graph = true };
	/* Rules have no edits of their own that could be wrong. */
	if (p->applied && !p->steps.items[0].pass->is_command)
		err = fx_verify_error(p->graph);
	if (err || !p->verify || p->applied == p->group_applied)
		return err;
	err = fx_verify_graph(p->verify, p->graph, ret);
	if (!err && fx_passing_is_refused(p, ret))
		err = fx_passing_refuse(p, ret);
	return err;
}

/* The next step is of another kind. */
static FX_NODISCARD struct fx_error *
end_group(struct fx_passing *p)
{
	FX_AUTO_VERIFY_RESULT struct fx_verify_result result = { .why = NULL };
	bool has_applied = p->applied > p->group_applied;
	struct fx_error *err = verify_group(p, &result);

	if (err)
		return err;
	if (has_applied) {
		for (size_t i = p->group_begin; i < p->step; i++)
			fx_buf_addf(&p->verified, "%s%s",
				p->steps.items[i].pass->name,
				i + 1 < p->step ? " " : ": ");
		fx_verify_print(&p->verified, &result);
		fx_buf_add_char(&p->verified, '\n');
	}
	fx_passing_begin_group(p);
	return NULL;
}

bool
fx_passing_next(struct fx_passing *p, struct fx_error **err)
{
	*err = NULL;
	p->has_candidate = false;
	while (p->step < p->steps.count) {
		const struct fx_pass_step step = fx_passing_step_at_hand(p);

		if (p->verify && p->step == p->group_end)
			*err = end_group(p);
		if (*err)
			return false;
		if (!p->work)
			*err = fx_pass_begin(p->graph, &step, &p->work);
		if (*err)
			return false;
		p->has_candidate = next_here(p, err);
		if (p->has_candidate || *err)
			return p->has_candidate;
		fx_pass_end(FX_TAKE(p->work));
		p->step++;
	}
	return false;
}

/* A node that a candidate put in the place of the one it was about has its
 * name.
 */
static void
mark_heir(struct fx_passing *p, const char *name)
{
	const struct fx_node *heir = fx_graph_find(p->graph, name);

	if (heir)
		fx_passing_set_mark(p, heir->id, FX_PASSING_APPLIED);
}

/* The candidate is an edit of its own, inside the one that is open. */
static FX_NODISCARD struct fx_error *
apply_stepped(struct fx_passing *p)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { .position = 0 };
	const struct fx_node *node =
		fx_graph_find_id(p->graph, fx_pass_candidate(p->work)->node);
	const char *name = node ? node->name : NULL;
	struct fx_error *err =
		fx_model_edit_begin(p->session, p->model, p->command);

	if (err)
		return err;
	err = fx_pass_apply_next(p->work);
	if (err)
		fx_model_edit_abort(p->model);
	else
		err = fx_model_edit_end(p->model, false, p->force, &report);
	if (!err && name)
		mark_heir(p, name);
	return err;
}

struct fx_error *
fx_passing_take(struct fx_passing *p, bool applies)
{
	struct fx_error *err = NULL;

	decide(p, applies);
	p->has_candidate = false;
	if (!applies)
		return NULL;
	if (!p->is_stepped)
		return fx_pass_apply_next(p->work);
	p->is_busy = true;
	err = apply_stepped(p);
	p->is_busy = false;
	return err;
}

struct fx_error *
fx_passing_take_all(struct fx_passing *p)
{
	struct fx_error *err = NULL;

	while (!err && fx_passing_next(p, &err))
		err = fx_passing_take(p, true);
	return err;
}

/* --- the end ------------------------------------------------------------- */

struct fx_error *
fx_passing_check_only(const struct fx_passing *p)
{
	size_t at = 0;
	uintptr_t key;
	uintptr_t one;

	/* One that was stopped did not come to all keys. */
	if (p->step < p->steps.count || !fx_map_next(&p->only, &at, &key, &one))
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_NO_NAME,
				     "%s has no candidate \"%s\"", p->name,
				     (const char *)key),
		"%s%s -n", p->lister ? "" : "pass run ",
		p->lister ? p->lister : p->name);
}

static struct fx_error *
end_edit(struct fx_passing *p, struct fx_edit_report *report_ret)
{
	struct fx_error *err;

	p->is_busy = true;
	err = fx_model_edit_end(p->model, p->dry_run, p->force, report_ret);
	if (!err && !p->dry_run)
		fx_model_forget_refused(p->model);
	fx_passing_free(p);
	return err;
}

struct fx_error *
fx_passing_finish(struct fx_passing *p, const struct fx_passing_ending *ending,
	struct fx_verify_result *verified_ret,
	struct fx_edit_report *report_ret)
{
	struct fx_error *err = fx_passing_check_only(p);

	*verified_ret = (struct fx_verify_result){ .why = NULL };
	*report_ret = (struct fx_edit_report){ .position = 0 };
	/* Who paints while this is verified finds none at hand. */
	p->has_candidate = false;
	fx_pass_end(FX_TAKE(p->work));
	if (!err)
		err = verify_group(p, verified_ret);
	if (err) {
		fx_passing_abort(p);
		return err;
	}
	if (ending)
		ending->describe(ending->context, p);
	return end_edit(p, report_ret);
}

/* --- asking -------------------------------------------------------------- */

struct fx_passing *
fx_session_passing(const struct fx_session *session)
{
	return session->passing;
}

struct fx_model *
fx_passing_model(const struct fx_passing *passing)
{
	return passing->model;
}

struct fx_graph *
fx_passing_graph(const struct fx_passing *passing)
{
	return passing->graph;
}

const char *
fx_passing_title(const struct fx_passing *passing)
{
	return passing->title;
}

const struct fx_pass *
fx_passing_pass(const struct fx_passing *passing)
{
	size_t last = passing->steps.count - 1;

	return passing->steps.items[FX_MIN(passing->step, last)].pass;
}

const struct fx_candidate *
fx_passing_candidate(const struct fx_passing *passing)
{
	return passing->has_candidate ? fx_pass_candidate(passing->work) : NULL;
}

const char *
fx_passing_key(const struct fx_passing *passing)
{
	return passing->key;
}

const struct fx_decision *
fx_passing_decisions(const struct fx_passing *passing, size_t *count_ret)
{
	*count_ret = passing->decisions.count;
	return passing->decisions.items;
}

enum fx_passing_mark
fx_passing_mark(const struct fx_passing *passing, uint64_t id)
{
	const struct fx_candidate *candidate = fx_passing_candidate(passing);

	if (candidate && candidate->node == id)
		return FX_PASSING_AT_HAND;
	return (enum fx_passing_mark)fx_map_get(&passing->marks, (uintptr_t)id,
		FX_PASSING_NONE);
}

void
fx_passing_print_place(const struct fx_passing *passing, struct fx_buf *out)
{
	size_t at = passing->decided + 1;

	fx_buf_addf(out, "%zu/", at);
	if (passing->total)
		fx_buf_addf(out, "%zu", FX_MAX(at, passing->total));
	else
		fx_buf_add_char(out, '?');
}

const char *
fx_passing_verified_before(const struct fx_passing *passing)
{
	return fx_buf_text(&passing->verified);
}

bool
fx_passing_is_verified(const struct fx_passing *passing)
{
	return passing->verify != NULL;
}

size_t
fx_passing_total(const struct fx_passing *passing)
{
	return passing->total;
}

size_t
fx_passing_decided(const struct fx_passing *passing)
{
	return passing->decided;
}

size_t
fx_passing_applied(const struct fx_passing *passing)
{
	return passing->applied;
}

bool
fx_passing_print_only(const struct fx_passing *passing, struct fx_buf *out)
{
	bool is_first = true;

	if (!passing->left_out && passing->step >= passing->steps.count &&
		passing->applied == passing->decided)
		return false;
	for (size_t i = 0; i < passing->decisions.count; i++) {
		const struct fx_decision *decision =
			&passing->decisions.items[i];

		if (!decision->is_applied)
			continue;
		fx_buf_addf(out, "%s%s", is_first ? "" : ",", decision->key);
		is_first = false;
	}
	return true;
}

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

/* --- the request --------------------------------------------------------- */

static void
copy_steps(struct fx_passing *p, const struct fx_passing_request *request)
{
	FX_AUTO_BUF struct fx_buf name = { 0 };

	for (size_t i = 0; i < request->step_count; i++) {
		struct fx_passing_step step = {
			.pass = request->steps[i].pass
		};
		size_t before = 1;

		for (size_t j = 0; j < i; j++)
			before += request->steps[j].pass == step.pass;
		if (request->steps[i].options)
			step.options = fx_xstrdup(request->steps[i].options);
		if (request->step_count > 1)
			step.prefix =
				before == 1
					? fx_xasprintf("%s/", step.pass->name)
					: fx_xasprintf("%s.%zu/",
						  step.pass->name, before);
		fx_vec_push(&p->steps, step);
		fx_buf_addf(&name, "%s%s", i ? " " : "", step.pass->name);
	}
	p->name = fx_buf_take(&name);
}

static void
copy_only(struct fx_passing *p, const char *only)
{
	p->chooses = only != NULL;
	while (only && *only) {
		size_t length = strcspn(only, ",");

		if (length)
			fx_map_set(&p->only,
				(uintptr_t)fx_intern_n(only, length), 1);
		only += length;
		only += *only == ',';
	}
}

static struct fx_error *
check_free(const struct fx_session *session)
{
	const struct fx_passing *other = session->passing;

	if (!other)
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_USAGE,
				     "pass %s is being stepped in %s",
				     other->name, other->model->name),
		"q");
}

/* What is computed is rounded, which f64 tells. */
static struct fx_error *
check_claims(const struct fx_passing_request *request)
{
	const struct fx_pass *computes = NULL;
	const struct fx_pass *algebraic = NULL;

	for (size_t i = 0; i < request->step_count; i++) {
		const struct fx_pass *pass = request->steps[i].pass;

		computes = pass->computes ? pass : computes;
		algebraic =
			pass->claim == FX_CLAIM_ALGEBRAIC ? pass : algebraic;
	}
	if (!computes || !algebraic)
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_USAGE,
				     "%s computes in the graph's own dtypes "
				     "and %s is verified in f64: not in one "
				     "run",
				     computes->name, algebraic->name),
		"pass run %s, and then the other", computes->name);
}

static struct fx_error *
check_steps(const struct fx_passing_request *request)
{
	struct fx_error *err = NULL;

	for (size_t i = 0; !err && i < request->step_count; i++)
		err = fx_pass_check_options(request->steps[i].pass,
			request->steps[i].options);
	return err ? err : check_claims(request);
}

void
fx_passing_free(struct fx_passing *p)
{
	if (p->session->passing == p)
		p->session->passing = NULL;
	fx_pass_end(p->work);
	for (size_t i = 0; i < p->steps.count; i++) {
		free(p->steps.items[i].options);
		free(p->steps.items[i].prefix);
	}
	fx_vec_deinit(&p->steps);
	for (size_t i = 0; i < p->decisions.count; i++) {
		free(p->decisions.items[i].key);
		free(p->decisions.items[i].text);
	}
	fx_vec_deinit(&p->decisions);
	fx_map_deinit(&p->only);
	fx_map_deinit(&p->marks);
	fx_verify_free(p->verify);
	if (p->owns_backend)
		fx_backend_free(p->world.backend);
	free(p->name);
	free(p->key);
	free(p->command);
	free(p);
}

/* Algebraic, if one of the passes is. */
static struct fx_verify_options
options_of(const struct fx_passing *p)
{
	struct fx_verify_options options = { .claim = FX_CLAIM_EXACT,
		.graph = p->graph };

	for (size_t i = 0; i < p->steps.count; i++)
		if (p->steps.items[i].pass->claim == FX_CLAIM_ALGEBRAIC)
			options.claim = FX_CLAIM_ALGEBRAIC;
	return options;
}

struct fx_passing *
fx_passing_again(const struct fx_passing *of)
{
	struct fx_passing *p = FX_NEW(struct fx_passing);

	p->session = of->session;
	p->model = of->model;
	p->graph = of->graph;
	p->name = fx_xstrdup(of->name);
	p->chooses = of->chooses;
	fx_map_copy(&p->only, &of->only);
	for (size_t i = 0; i < of->steps.count; i++) {
		struct fx_passing_step step = of->steps.items[i];

		step.options = step.options ? fx_xstrdup(step.options) : NULL;
		step.prefix = step.prefix ? fx_xstrdup(step.prefix) : NULL;
		fx_vec_push(&p->steps, step);
	}
	return p;
}

static void
set_mark(struct fx_passing *p, uint64_t id, enum fx_passing_mark mark)
{
	if (id)
		fx_map_set(&p->marks, (uintptr_t)id, mark);
}

/* How many candidates there are when all are applied; they are marked. */
static struct fx_error *
count_candidates(struct fx_passing *p, size_t *ret)
{
	struct fx_passing *try = fx_passing_again(p);
	struct fx_error *err =
		fx_model_edit_begin(p->session, p->model, p->command);

	if (!err) {
		err = fx_passing_take_all(try);
		*ret = try->decisions.count;
		for (size_t i = 0; i < *ret; i++)
			set_mark(p, try->decisions.items[i].node,
				FX_PASSING_WAITS);
		fx_passing_free(try);
		fx_model_edit_abort(p->model);
		return err;
	}
	fx_passing_free(try);
	return err;
}

struct fx_error *
fx_passing_begin(struct fx_session *session, struct fx_model *model,
	const struct fx_passing_request *request, struct fx_passing **ret)
{
	struct fx_error *err = check_free(session);
	struct fx_verify_options options;
	struct fx_passing *p;

	*ret = NULL;
	if (!err)
		err = check_steps(request);
	if (err)
		return err;
	p = FX_NEW(struct fx_passing);
	p->session = session;
	p->model = model;
	p->graph = fx_position_graph(model);
	p->command = fx_xstrdup(request->command);
	p->force = request->force;
	p->dry_run = request->dry_run;
	copy_steps(p, request);
	copy_only(p, request->only);
	if (request->is_stepped)
		err = count_candidates(p, &p->total);
	options = options_of(p);
	if (!err && !p->dry_run &&
		fx_verify_mode(session) != FX_VERIFY_MODE_OFF)
		p->verify = fx_verify_new(session, model, &options);
	if (!err)
		err = fx_model_edit_begin(session, model, p->command);
	if (err) {
		fx_passing_free(p);
		return err;
	}
	p->is_stepped = request->is_stepped;
	if (p->is_stepped)
		session->passing = p;
	*ret = p;
	return NULL;
}

void
fx_passing_abort(struct fx_passing *p)
{
	if (!p)
		return;
	/* A pass at work sees its graph until it ends. */
	fx_pass_end(FX_TAKE(p->work));
	p->is_busy = true;
	fx_model_edit_abort(p->model);
	fx_passing_free(p);
}

/* --- candidates ---------------------------------------------------------- */

static bool
is_wanted(const struct fx_passing *p)
{
	return !p->chooses ||
	       fx_map_has(&p->only, (uintptr_t)fx_intern(p->key));
}

static void
decide(struct fx_passing *p, bool is_applied)
{
	const struct fx_candidate *candidate = fx_pass_candidate(p->work);
	struct fx_decision decision = {
		.pass = p->steps.items[p->step].pass->name,
		.node = candidate->node,
		.key = fx_xstrdup(p->key),
		.text = fx_xstrdup(candidate->text),
		.is_applied = is_applied,
	};

	fx_vec_push(&p->decisions, decision);
	p->applied += is_applied;
	if (p->is_stepped)
		set_mark(p, decision.node,
			is_applied ? FX_PASSING_APPLIED : FX_PASSING_SKIPPED);
}

static bool
is_interrupted(void *context)
{
	struct fx_session *session = context;

	return session->is_pressed || fx_session_tick(session);
}

static bool
is_pressed(struct fx_passing *p)
{
	return ++p->ticks % TICK_EVERY == 0 && is_interrupted(p->session);
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
	fx_ticker_init(&p->ticker, is_interrupted, p->session);
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
	while (!*err && (candidate = fx_pass_next(p->work))) {
		free(p->key);
		p->key = fx_xasprintf("%s%s", step->prefix ? step->prefix : "",
			candidate->key);
		if (is_pressed(p)) {
			*err = fx_error_new(FX_ERR_INTERRUPTED,
				"pass %s was interrupted; nothing changed",
				p->name);
			return false;
		}
		if (is_wanted(p)) {
			fx_map_erase(&p->only, (uintptr_t)fx_intern(p->key));
			return true;
		}
		p->left_out++;
	}
	return false;
}

bool
fx_passing_next(struct fx_passing *p, struct fx_error **err)
{
	*err = NULL;
	p->has_candidate = false;
	while (p->step < p->steps.count) {
		const struct fx_passing_step *step = &p->steps.items[p->step];

		if (!p->work)
			*err = fx_pass_begin(p->graph, step->pass,
				step->options, &p->work);
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

struct fx_error *
fx_passing_take(struct fx_passing *p, bool applies)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { .position = 0 };
	struct fx_error *err = NULL;

	decide(p, applies);
	p->has_candidate = false;
	if (!applies)
		return NULL;
	if (!p->is_stepped)
		return fx_pass_apply_next(p->work);
	p->is_busy = true;
	err = fx_model_edit_begin(p->session, p->model, p->command);
	if (!err) {
		err = fx_pass_apply_next(p->work);
		if (err)
			fx_model_edit_abort(p->model);
		else
			err = fx_model_edit_end(p->model, false, p->force,
				&report);
	}
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

/* Keys that were asked for and that no candidate had. */
static struct fx_error *
check_only(const struct fx_passing *p)
{
	size_t at = 0;
	uintptr_t key;
	uintptr_t one;

	if (!fx_map_next(&p->only, &at, &key, &one))
		return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_NO_NAME,
				     "%s has no candidate \"%s\"", p->name,
				     (const char *)key),
		"pass run %s -n", p->name);
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
	/* One that was stopped did not come to all keys. */
	struct fx_error *err = p->step < p->steps.count ? NULL : check_only(p);

	*verified_ret = (struct fx_verify_result){ .why = NULL };
	*report_ret = (struct fx_edit_report){ .position = 0 };
	fx_pass_end(FX_TAKE(p->work));
	if (!err && p->applied)
		err = fx_verify_error(p->graph);
	if (!err && p->applied && p->verify) {
		err = fx_verify_graph(p->verify, p->graph, verified_ret);
		if (!err && (verified_ret->verdict == FX_VERDICT_DIFFERS ||
				    fx_passing_is_too_little(p, verified_ret)))
			return fx_passing_refuse(p, verified_ret);
	}
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

size_t
fx_passing_total(const struct fx_passing *passing)
{
	return passing->total;
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

	for (size_t i = 0; i < passing->decisions.count; i++) {
		const struct fx_decision *decision =
			&passing->decisions.items[i];

		if (!decision->is_applied)
			continue;
		fx_buf_addf(out, "%s%s", is_first ? "" : ",", decision->key);
		is_first = false;
	}
	return passing->left_out || passing->step < passing->steps.count ||
	       passing->applied < passing->decisions.count;
}

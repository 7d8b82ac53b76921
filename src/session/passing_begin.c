/* passing_begin.c - what is asked of a passing, and its begin. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "run/backend.h"
#include "session/passing_private.h"
#include "session/session_private.h"

/* --- the request --------------------------------------------------------- */

static void
copy_steps(struct fx_passing *p, const struct fx_passing_request *request)
{
	FX_AUTO_BUF struct fx_buf name = { 0 };

	for (size_t i = 0; i < request->step_count; i++) {
		struct fx_passing_step step = { .pass = request->steps[i].pass,
			.data = request->steps[i].data };
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
	p->title = p->steps.items[0].pass->is_command
			   ? fx_xstrdup(p->name)
			   : fx_xasprintf("pass %s", p->name);
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
				     "%s is being stepped in %s", other->title,
				     other->model->name),
		"q");
}

static struct fx_error *
check_steps(const struct fx_passing_request *request)
{
	struct fx_error *err = NULL;

	for (size_t i = 0; !err && i < request->step_count; i++)
		err = fx_pass_check_options(request->steps[i].pass,
			request->steps[i].options);
	return err;
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
	for (size_t i = 0; i < p->decisions.count; i++)
		free(p->decisions.items[i].text);
	fx_vec_deinit(&p->decisions);
	fx_map_deinit(&p->only);
	fx_map_deinit(&p->marks);
	fx_verify_free(p->verify);
	fx_buf_deinit(&p->verified);
	if (p->owns_backend)
		fx_backend_free(p->world.backend);
	free(p->name);
	free(p->title);
	free(p->lister);
	free(p->command);
	free(p);
}

/* What a pass computes is rounded, which f64 tells: steps from FIRST on until
 * one of the other kind are verified together, by the weaker claim.
 */
size_t
fx_passing_group_end(const struct fx_passing *p, size_t first)
{
	bool computes = false;
	bool is_algebraic = false;
	size_t end = first;

	for (; end < p->steps.count; end++) {
		const struct fx_pass *pass = p->steps.items[end].pass;

		computes |= pass->computes;
		is_algebraic |=
			fx_pass_claim(pass, p->graph) == FX_CLAIM_ALGEBRAIC;
		if (computes && is_algebraic)
			break;
	}
	return end;
}

/* The graph as it is now is what the next group is compared with. */
void
fx_passing_begin_group(struct fx_passing *p)
{
	struct fx_verify_options options = { .claim = FX_CLAIM_EXACT,
		.graph = p->graph };
	size_t end = fx_passing_group_end(p, p->step);

	p->group_begin = p->step;
	p->group_end = end;
	p->group_decisions = p->decisions.count;
	p->group_applied = p->applied;
	for (size_t i = p->step; i < end; i++) {
		const struct fx_pass *pass = p->steps.items[i].pass;

		if (fx_pass_claim(pass, p->graph) != FX_CLAIM_ALGEBRAIC)
			continue;
		options.claim = FX_CLAIM_ALGEBRAIC;
		options.tolerance = FX_MAX(options.tolerance, pass->tolerance);
	}
	fx_verify_free(p->verify);
	p->verify = fx_verify_new(p->session, p->model, &options);
}

struct fx_passing *
fx_passing_again(const struct fx_passing *of)
{
	struct fx_passing *p = FX_NEW(struct fx_passing);

	p->session = of->session;
	p->model = of->model;
	p->graph = of->graph;
	p->is_quiet = true;
	p->name = fx_xstrdup(of->name);
	p->title = fx_xstrdup(of->title);
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

struct fx_pass_step
fx_passing_step_at_hand(const struct fx_passing *p)
{
	const struct fx_passing_step *step = &p->steps.items[p->step];

	return (struct fx_pass_step){ .pass = step->pass,
		.options = step->options,
		.data = step->data,
		.is_quiet = p->is_quiet,
		.is_keyless = p->is_brief };
}

void
fx_passing_set_mark(struct fx_passing *p, uint64_t id,
	enum fx_passing_mark mark)
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
		/* One that never ends alone can be stepped all the same. */
		if (err && fx_error_code(err) == FX_ERR_LIMIT)
			fx_error_free(FX_TAKE(err));
		else
			*ret = try->decisions.count;
		for (size_t i = 0; i < *ret; i++)
			fx_passing_set_mark(p, try->decisions.items[i].node,
				FX_PASSING_WAITS);
		fx_passing_free(try);
		fx_model_edit_abort(p->model);
		return err;
	}
	fx_passing_free(try);
	return err;
}

static bool
is_verified(const struct fx_passing *p)
{
	if (p->dry_run || p->policy == FX_PASSING_VERIFY_NOT)
		return false;
	return p->policy == FX_PASSING_VERIFY_SAME ||
	       fx_verify_mode(p->session) != FX_VERIFY_MODE_OFF;
}

struct fx_passing *
fx_passing_new(struct fx_session *session, struct fx_model *model,
	const struct fx_passing_request *request)
{
	struct fx_passing *p = FX_NEW(struct fx_passing);

	p->session = session;
	p->model = model;
	p->graph = fx_position_graph(model);
	p->command = fx_xstrdup(request->command);
	p->lister = request->lister ? fx_xstrdup(request->lister) : NULL;
	p->policy = request->verify;
	p->force = request->force;
	p->dry_run = request->dry_run;
	copy_steps(p, request);
	copy_only(p, request->only);
	return p;
}

struct fx_error *
fx_passing_begin(struct fx_session *session, struct fx_model *model,
	const struct fx_passing_request *request, struct fx_passing **ret)
{
	struct fx_error *err = check_free(session);
	struct fx_passing *p;

	*ret = NULL;
	if (!err)
		err = check_steps(request);
	if (err)
		return err;
	p = fx_passing_new(session, model, request);
	if (request->is_stepped)
		err = count_candidates(p, &p->total);
	if (!err && is_verified(p))
		fx_passing_begin_group(p);
	if (!err)
		err = fx_model_edit_begin(session, model, p->command);
	if (err) {
		fx_passing_free(p);
		return err;
	}
	p->is_stepped = request->is_stepped;
	p->is_quiet = request->is_quiet && !p->is_stepped;
	p->is_brief = p->is_quiet && !p->chooses && !p->verify;
	if (p->is_stepped)
		session->passing = p;
	*ret = p;
	return NULL;
}

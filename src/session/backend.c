/* backend.c - which backend runs a model.
 *
 * Shapes need none; running chooses: `set backend`, and for auto libtorch
 * where it can be had and the parameters have values, else metadata alone.
 * Each model has backends of its own, as they hold what a run made of the
 * model's parameters; values need none, or one that outlives the model.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "guest/backend_python.h"
#include "guest/child_tree.h"
#include "guest/shim.h"
#include "ir/module.h"
#include "ops/world.h"
#include "run/backend.h"
#include "run/datum.h"
#include "session/capture.h"
#include "session/own_code.h"
#include "session/session_private.h"
#include "session/settings.h"

void
fx_session_free_backends(struct fx_session *session)
{
	for (size_t i = 0; i < session->child_runs.count; i++) {
		struct fx_child_run *run = &session->child_runs.items[i];

		fx_backend_free(run->backend);
		fx_child_tree_free(run->tree);
		fx_capture_free(run->capture);
	}
	fx_vec_deinit(&session->child_runs);
	for (size_t i = 0; i < session->backends.count; i++)
		fx_backend_free(session->backends.items[i]);
	fx_vec_deinit(&session->backends);
	free(session->no_torch);
	session->no_torch = NULL;
}

void
fx_model_say(struct fx_model *model, char *text_taken)
{
	const struct fx_session *session = model->session;
	FX_AUTO_FREE char *text = text_taken;
	FX_AUTO_BUF struct fx_buf line = { 0 };

	if (!session->notice)
		return;
	fx_utf8_add_visible(&line, text, strlen(text));
	session->notice(session->notice_context, fx_buf_text(&line));
}

void
fx_model_tell(struct fx_model *model, char *text_taken)
{
	struct fx_session *session = model->session;
	FX_AUTO_FREE char *text = text_taken;

	/* An empty write ends the line that the model's Python left open. */
	if (!session->output ||
		!session->output(session->output_context, "", 0)) {
		fx_model_say(model, FX_TAKE(text));
		return;
	}
	fx_session_output(session, text, strlen(text));
	fx_session_output(session, "", 0);
}

/* --- libtorch ------------------------------------------------------------ */

static struct fx_backend *
find(const struct fx_session *session, const char *name)
{
	for (size_t i = 0; i < session->backends.count; i++) {
		struct fx_backend *backend = session->backends.items[i];

		if (!name || fx_str_equal(backend->ops->name, name))
			return backend;
	}
	return NULL;
}

static void
tell(void *context, const char *line)
{
	fx_model_tell(context, fx_xstrdup(line));
}

/* Why MODEL has no libtorch; NULL: it has, or nobody tried. */
static const char *
why_no_torch(const struct fx_model *model)
{
	const struct fx_session *session = model->session;

	return !model->torch && session->no_torch_python == model->torch_python
		       ? session->no_torch
		       : NULL;
}

/* The Python whose torch MODEL runs on: that traced it, else that the user
 * named; NULL: the libtorch that is there.
 */
static const char *
whose_torch(const struct fx_model *model)
{
	return model->torch_python ? model->torch_python
				   : model->session->python;
}

/* MODEL's own over the torch of the Python that traced it; that there is none
 * is kept, as trying takes long.
 */
static struct fx_error *
need_torch(struct fx_session *session, struct fx_model *model,
	struct fx_backend **ret)
{
	struct fx_shim_options options = {
		.python = whose_torch(model),
		.tell = tell,
		.context = model,
	};
	struct fx_error *err = NULL;

	if (why_no_torch(model))
		return fx_error_new(FX_ERR_UNSUPPORTED, "%s",
			why_no_torch(model));
	if (!model->torch)
		err = fx_backend_torch_new(&options, &model->torch);
	/* Nobody says that a named Python has torch. */
	if (err && !model->torch_python && options.python) {
		fx_error_free(err);
		options.python = NULL;
		err = fx_backend_torch_new(&options, &model->torch);
	}
	if (model->torch)
		model->torch->meta = session->meta;
	if (err) {
		free(session->no_torch);
		session->no_torch = fx_xstrdup(fx_error_message(err));
		session->no_torch_python = model->torch_python;
		return err;
	}
	*ret = model->torch;
	/* All of them have one generator. */
	if (!session->has_seeded_torch)
		model->torch->ops->seed(model->torch, session->seed);
	session->has_seeded_torch = true;
	return NULL;
}

void
fx_session_prepare(struct fx_session *session)
{
	const char *name = fx_settings_text(session->settings, FX_SET_BACKEND);
	const struct fx_model *model = session->current;
	bool is_wanted =
		fx_str_equal(name, "auto") || fx_str_equal(name, "torch");
	struct fx_shim_options options = { .is_built = true };
	struct fx_backend *backend = NULL;

	if (!model || model->number == session->prepared || !is_wanted ||
		model->torch || session->backends.count || session->no_torch)
		return;
	session->prepared = model->number;
	options.python = whose_torch(model);
	/* The library stays when its backend goes. */
	fx_error_free(fx_backend_torch_new(&options, &backend));
	fx_backend_free(backend);
}

struct fx_backend *
fx_session_value_backend(struct fx_session *session, struct fx_model *model)
{
	const char *name = fx_settings_text(session->settings, FX_SET_BACKEND);
	struct fx_backend *backend = NULL;

	if (fx_str_equal(name, "auto"))
		backend = find(session, NULL);
	else if (!fx_str_equal(name, "torch"))
		return NULL;
	if (!backend && model)
		fx_error_free(need_torch(session, model, &backend));
	return backend;
}

void
fx_session_seed_backends(struct fx_session *session)
{
	for (size_t i = 0; i < session->backends.count; i++) {
		struct fx_backend *backend = session->backends.items[i];

		if (backend->ops->seed)
			backend->ops->seed(backend, session->seed);
	}
	session->has_seeded_torch = false;
	for (size_t i = 0; i < session->models.count; i++) {
		struct fx_backend *torch = session->models.items[i]->torch;

		if (!torch || session->has_seeded_torch)
			continue;
		torch->ops->seed(torch, session->seed);
		session->has_seeded_torch = true;
	}
}

/* --- the process that traced it ------------------------------------------ */

/* A graph of a file has no Python to run in. */
static struct fx_error *
no_process(const struct fx_model *model)
{
	struct fx_error *err = fx_error_new(FX_ERR_UNSUPPORTED,
		"the process that traced %s is not there", model->name);

	return model->traced
		       ? fx_error_hint(err, "trace %s begins another",
				 model->traced->spec)
		       : fx_error_hint(err,
				 "a model has one where it is opened by trace "
				 "FILE.py:EXPR; set backend auto runs graphs "
				 "of files");
}

static struct fx_error *
need_python(struct fx_session *session, struct fx_model *model,
	struct fx_backend **ret)
{
	const struct fx_python_run options = {
		.capture = model->capture,
		.tree = model->tree,
		.copy = model->capture_copy,
		.tick = fx_session_tick,
		.output = fx_session_output,
		.context = session,
	};
	struct fx_child_run run = { .tree = model->tree };

	if (!model->capture || !model->tree)
		return no_process(model);
	if (!model->python) {
		model->python = fx_backend_python_new(&options);
		model->python->meta = session->meta;
		run.backend = model->python;
		fx_vec_push(&session->child_runs, run);
	}
	*ret = model->python;
	return NULL;
}

bool
fx_session_retire_capture(struct fx_session *session, struct fx_model *model)
{
	for (size_t i = 0; i < session->child_runs.count; i++) {
		struct fx_child_run *run = &session->child_runs.items[i];

		if (!model->python || run->backend != model->python)
			continue;
		fx_backend_python_retire(run->backend);
		run->capture = FX_TAKE(model->capture);
		model->tree = NULL; /* the run's */
		if (model->backend == model->python)
			model->backend = model->meta_backend;
		if (model->torch)
			model->torch->fallback = NULL;
		model->python = NULL;
		return true;
	}
	return false;
}

char *
fx_model_why_no_values(struct fx_model *model)
{
	char *why;

	if (fx_str_equal(fx_settings_text(model->session->settings,
				 FX_SET_BACKEND),
		    "meta"))
		return fx_xstrdup("set backend meta computes no values");
	why = why_no_torch(model) ? fx_xstrdup(why_no_torch(model))
				  : fx_model_why_no_weights(model);
	return why ? why : fx_xstrdup("there are no values");
}

struct fx_error *
fx_model_trial_backend(struct fx_model *model, struct fx_backend **ret,
	bool *is_own_ret)
{
	const struct fx_shim_options options = {
		.python = model->torch_python,
	};
	struct fx_error *err = NULL;

	*is_own_ret = model->backend == model->torch;
	*ret = model->backend;
	if (*is_own_ret)
		err = fx_backend_torch_new(&options, ret);
	if (err)
		return err;
	/* A new one has set libtorch's number of threads. */
	fx_model_ready_backend(model);
	if (*is_own_ret) {
		(*ret)->meta = model->session->meta;
		(*ret)->fallback = model->torch->fallback;
		(*ret)->confinement = model->torch->confinement;
	}
	return NULL;
}

static enum fx_confinement
confinement_of(const struct fx_model *model)
{
	if (model->session->is_read_only)
		return FX_CONFINED_READ_ONLY;
	if (model->is_trusted ||
		fx_settings_int(model->session->settings, FX_SET_TRUST_FILES))
		return FX_CONFINED_NOT;
	return FX_CONFINED_FILE;
}

struct fx_error *
fx_model_wide_backend(struct fx_model *model, struct fx_backend **ret)
{
	const struct fx_shim_options options = {
		.python = whose_torch(model),
	};
	FX_AUTO_FREE char *why = NULL;
	struct fx_error *err = NULL;

	if (!fx_capture_device(model->capture))
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"only Python runs it, which has no f64 parameters");
	why = fx_model_why_no_weights(model);
	if (why)
		return fx_error_new(FX_ERR_NO_VALUE, "%s", why);
	err = fx_backend_torch_new(&options, ret);
	if (err)
		return err;
	(*ret)->meta = model->session->meta;
	(*ret)->confinement = (uint8_t)confinement_of(model);
	return NULL;
}

/* --- choosing ------------------------------------------------------------ */

static void
use(struct fx_model *model, struct fx_backend *backend)
{
	model->backend = backend;
	if (backend == model->torch)
		backend->fallback = NULL;
}

static void
use_meta(struct fx_model *model, const char *why)
{
	if (!model->has_told_meta)
		fx_model_say(model,
			fx_xasprintf("running on meta: shapes only; %s", why));
	model->has_told_meta = true;
	use(model, model->meta_backend);
}

static struct fx_error *
use_python(struct fx_session *session, struct fx_model *model, const char *why)
{
	struct fx_backend *backend;
	struct fx_error *err = need_python(session, model, &backend);

	if (err)
		return err;
	if (model->backend != backend)
		fx_model_say(model, fx_xasprintf("running in Python; %s", why));
	use(model, backend);
	return NULL;
}

static struct fx_error *
choose_named(struct fx_session *session, struct fx_model *model,
	const char *name)
{
	FX_AUTO_FREE char *why = NULL;
	struct fx_backend *backend = find(session, name);
	struct fx_error *err = NULL;

	if (fx_str_equal(name, "python")) {
		err = need_python(session, model, &backend);
		if (!err)
			use(model, backend);
		return err;
	}
	if (!backend && fx_str_equal(name, "torch"))
		err = need_torch(session, model, &backend);
	else if (!backend)
		err = fx_error_hint(fx_error_new(FX_ERR_UNSUPPORTED,
					    "this fxdb is built without the %s "
					    "backend",
					    name),
			"set backend auto");
	if (err)
		return err;
	why = fx_model_why_no_weights(model);
	if (why && !fx_model_has_some_weights(model))
		return fx_error_hint(fx_error_new(FX_ERR_NO_VALUE,
					     "%s cannot run on %s: %s",
					     model->name, name, why),
			"set backend meta computes shapes only");
	use(model, backend);
	return NULL;
}

/* Whether Python has no values of MODEL's tensors either: they lie on meta. */
static bool
is_on_meta(const struct fx_model *model)
{
	return model->has_weights && !fx_model_left_behind(model) &&
	       !fx_model_has_some_weights(model);
}

static struct fx_error *
choose_auto(struct fx_session *session, struct fx_model *model)
{
	FX_AUTO_ERROR struct fx_error *err = NULL;
	FX_AUTO_FREE char *why = NULL;
	struct fx_backend *backend = find(session, NULL);
	struct fx_backend *python = NULL;

	/* What a program computes, it computes itself. */
	if (fx_capture_is_program(model->capture))
		return choose_named(session, model, "python");
	/* Another libtorch than the model's own computes on no device. */
	if (fx_capture_device(model->capture) && model->tree) {
		why = fx_xasprintf("only it computes on %s",
			fx_capture_device(model->capture));
		return use_python(session, model, why);
	}
	if (!backend)
		err = need_torch(session, model, &backend);
	if (err && !model->capture) {
		use_meta(model, fx_error_message(err));
		return NULL;
	}
	if (err)
		return use_python(session, model, fx_error_message(err));
	if (model->capture && model->tree) {
		err = need_python(session, model, &python);
		if (err)
			return FX_TAKE(err);
	}
	why = model->capture ? fx_model_why_python(model, python) : NULL;
	if (why)
		return use_python(session, model, why);
	why = fx_model_why_no_weights(model);
	if (why && model->capture && !is_on_meta(model))
		return use_python(session, model, why);
	if (why && !fx_model_has_some_weights(model)) {
		use_meta(model, why);
		return NULL;
	}
	if (why && model->backend != backend)
		fx_model_say(model, FX_TAKE(why));
	use(model, backend);
	/* Where it has no kernel, the process that traced the graph helps. */
	if (python)
		backend->fallback = python;
	return NULL;
}

struct fx_error *
fx_model_choose_backend(struct fx_session *session, struct fx_model *model)
{
	const char *name = fx_settings_text(session->settings, FX_SET_BACKEND);
	struct fx_backend *before = model->backend;
	struct fx_error *err = NULL;

	if (fx_str_equal(name, "meta"))
		use(model, model->meta_backend);
	else if (fx_str_equal(name, "auto"))
		err = choose_auto(session, model);
	else
		err = choose_named(session, model, name);
	if (err || model->backend == before)
		return err;
	/* Values that were computed and inputs that were given belong to the
	 * other backend.
	 */
	fx_position_kill(model);
	err = fx_model_carry_inputs(model);
	if (err)
		use(model, before);
	else
		fx_model_carry_overrides(model);
	return err;
}

void
fx_model_ready_backend(struct fx_model *model)
{
	struct fx_backend *backend = model->backend;
	int threads =
		(int)fx_settings_int(model->session->settings, FX_SET_THREADS);

	for (; backend; backend = backend->fallback) {
		backend->confinement = (uint8_t)confinement_of(model);
		if (backend->ops->set_threads)
			backend->ops->set_threads(backend, threads);
	}
}

bool
fx_model_lacks_values(const struct fx_model *model)
{
	return !fx_model_has_values(model) &&
	       !fx_str_equal(fx_settings_text(model->session->settings,
				     FX_SET_BACKEND),
		       "meta");
}

const char *
fx_model_backend_name(const struct fx_model *model)
{
	return model->backend->ops->name;
}

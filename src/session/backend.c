/* backend.c - which backend runs a model.
 *
 * Shapes need none; running chooses: `set backend`, and for auto libtorch
 * where it can be had and the parameters have values, else metadata alone.
 * Backends with values belong to the session, as values outlive models.
 */
#include <config.h>

#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "ir/module.h"
#include "run/backend.h"
#include "run/datum.h"
#include "session/capture.h"
#include "session/session_private.h"
#include "session/settings.h"

void
fx_session_add_backend(struct fx_session *session,
	struct fx_backend *backend_taken)
{
	fx_vec_push(&session->backends, backend_taken);
}

void
fx_session_free_backends(struct fx_session *session)
{
	for (size_t i = 0; i < session->backends.count; i++)
		fx_backend_free(session->backends.items[i]);
	fx_vec_deinit(&session->backends);
	free(session->no_torch);
	session->no_torch = NULL;
}

void
fx_model_say(struct fx_model *model, char *text_taken)
{
	FX_AUTO_FREE char *text = text_taken;
	FX_AUTO_FREE char *before = model->notice;

	model->notice =
		before ? fx_xasprintf("%s\n%s", before, text) : FX_TAKE(text);
}

char *
fx_model_take_notice(struct fx_model *model)
{
	return FX_TAKE(model->notice);
}

/* --- libtorch ------------------------------------------------------------- */

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

static struct fx_error *
need_torch(struct fx_session *session, struct fx_model *model,
	struct fx_backend **ret)
{
	(void)model;
	*ret = find(session, "torch");
	if (*ret)
		return NULL;
	return fx_error_new(FX_ERR_UNSUPPORTED,
		"this fxdb is built without libtorch");
}

/* --- parameters ----------------------------------------------------------- */

/* The path of a parameter or buffer that a node needs and that has no values;
 * the caller's, or NULL.
 */
static char *
find_empty(const struct fx_model *model)
{
	struct fx_module_walk *walk =
		fx_module_walk_new(model->graph->module, true);
	struct fx_module *module;
	const char *path;
	char *found = NULL;

	while (!found && fx_module_walk_next(walk, &module, &path))
		for (size_t i = 0; i < module->member_count && !found; i++) {
			const struct fx_member *member = &module->members[i];
			const struct fx_tensor *tensor = member->tensor;

			if (tensor && fx_tensor_numel(tensor) &&
				!(tensor->storage && tensor->storage->blob))
				found = fx_xasprintf("%s%s%s", path,
					*path ? "." : "", member->name);
		}
	fx_module_walk_free(walk);
	return found;
}

/* Why the parameters of MODEL have no values, or NULL. */
static char *
why_not_weights(struct fx_model *model)
{
	FX_AUTO_FREE char *skipped = NULL;
	FX_AUTO_FREE char *empty = NULL;
	FX_AUTO_ERROR struct fx_error *err =
		fx_model_fetch_weights(model, &skipped);

	if (err)
		return fx_xstrdup(fx_error_message(err));
	empty = find_empty(model);
	return empty ? fx_xasprintf("%s has no values", empty) : NULL;
}

/* --- choosing ---------------------------------------------------------------
 */

static void
use(struct fx_model *model, struct fx_backend *backend)
{
	model->backend = backend;
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
choose_auto(struct fx_session *session, struct fx_model *model)
{
	FX_AUTO_ERROR struct fx_error *err = NULL;
	FX_AUTO_FREE char *why = NULL;
	struct fx_backend *backend = find(session, NULL);

	if (!backend)
		err = need_torch(session, model, &backend);
	if (err) {
		use_meta(model, fx_error_message(err));
		return NULL;
	}
	why = why_not_weights(model);
	if (why)
		use_meta(model, why);
	else
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
	why = why_not_weights(model);
	if (why)
		return fx_error_hint(fx_error_new(FX_ERR_NO_VALUE,
					     "%s cannot run on %s: %s",
					     model->name, name, why),
			"set backend meta computes shapes only");
	use(model, backend);
	return NULL;
}

struct fx_error *
fx_model_choose_backend(struct fx_session *session, struct fx_model *model)
{
	const char *name = fx_settings_word(session->settings, "backend");
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
	/* What was run and given belongs to the other one. */
	fx_position_kill(model);
	fx_model_clear_overrides(model);
	return fx_model_read_inputs_again(session, model);
}

const char *
fx_model_backend_name(const struct fx_model *model)
{
	return model->backend->ops->name;
}

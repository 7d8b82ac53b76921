/* evaluate.c - expressions and conditions of a session: what is looked at stays
 * as it is, and long looks can be interrupted.
 */
#include <config.h>

#include "base/blob.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/summary.h"
#include "run/ticker.h"
#include "run/values.h"
#include "session/activation.h"
#include "session/capture.h"
#include "session/locals.h"
#include "session/resolve.h"
#include "session/resolve_private.h"
#include "session/session_private.h"
#include "session/settings.h"

/* Of what has run; the meta backend has no values, so none of them is NaN. */
bool
fx_resolve_nonfinite(void *context, const struct fx_node *node)
{
	struct fx_model *model = ((struct fx_resolve_context *)context)->model;
	struct fx_activation *place =
		fx_run_activation_of(model->run, node->graph);

	return place && fx_model_is_nonfinite(model, place, node);
}

struct fx_node *
fx_resolve_local(void *context, const char *name)
{
	return fx_position_local(((struct fx_resolve_context *)context)->model,
		name);
}

struct evaluation {
	struct fx_resolve_context *context;
	const char *text;
	bool is_condition;
	bool *is_before_first; /* it asked for a node before the first */
};

static struct fx_error *
read_file(void *context, const char *path, const char *as,
	struct fx_safetensors **ret)
{
	const struct fx_resolve_context *wanted = context;

	return fx_session_read_file(wanted->session, path, as, ret);
}

/* On BACKEND, or (NULL) the model's. */
static struct fx_error *
evaluate_on(const struct evaluation *evaluation, struct fx_backend *other,
	struct fx_datum **ret)
{
	struct fx_resolve_context *context = evaluation->context;
	struct fx_session *session = context->session;
	struct fx_model *model = context->model;
	struct fx_backend *backend = NULL;
	struct fx_resolver resolver;
	struct fx_ticker ticker;
	struct fx_blob *random = NULL;
	struct fx_error *err;

	if (model)
		fx_model_ready_backend(model);
	fx_resolver_init(&resolver, context);
	resolver.read = read_file;
	resolver.is_before_first = evaluation->is_before_first;
	resolver.is_over_limit = &session->is_over_limit;
	if (!session->is_limit_lifted)
		resolver.limit = (uint64_t)fx_settings_int(session->settings,
			FX_SET_EXPRESSION_LIMIT);
	/* Looking does not change what comes after the stop. */
	if (other || (model && fx_position_is_started(model)))
		resolver.random = &random;
	if (other)
		resolver.backend = other;
	fx_ticker_init(&ticker, session->tick, session->tick_context);
	resolver.ticker = &ticker;
	if (!resolver.backend) {
		resolver.backend = backend = fx_backend_meta_new();
		backend->meta = session->meta;
	}
	if (!resolver.backend->ops->has_values)
		ticker.every = FX_TICKER_CHEAP;
	err = fx_eval_text(&resolver, evaluation->text,
		evaluation->is_condition, ret);
	if (random)
		fx_error_free(resolver.backend->ops
				      ->random_restore(resolver.backend,
					      random));
	fx_blob_unref(random);
	fx_backend_free(backend);
	return err;
}

static bool
has_values(void *context, const char *path, const struct fx_datum *tensor)
{
	bool *is_whole = context;
	FX_AUTO_ERROR struct fx_error *err = fx_values_read(tensor, 0, 0, NULL);

	(void)path;
	*is_whole &= !err;
	return *is_whole;
}

/* Whether ERR, or a tensor of DATUM, says only that nothing computes values. */
static bool
lacks_values(const struct fx_error *err, const struct fx_datum *datum)
{
	bool is_whole = err || !fx_datum_is(datum, FX_VALUE_UNKNOWN);

	if (err)
		return fx_error_code(err) == FX_ERR_NO_VALUE ||
		       fx_error_code(err) == FX_ERR_NOT_KNOWN;
	fx_datum_see_tensors(datum, has_values, &is_whole);
	return !is_whole;
}

/* Before anything ran, shapes are enough for most of what is asked, and
 * libtorch takes its time to open: it comes when the answer needs it.
 */
static struct fx_error *
evaluate(const struct evaluation *evaluation, struct fx_datum **ret)
{
	struct fx_session *session = evaluation->context->session;
	struct fx_model *model = evaluation->context->model;
	struct fx_error *err = evaluate_on(evaluation, NULL, ret);
	bool has_run = model && (fx_position_is_started(model) ||
					model->backend->ops->has_values);
	FX_AUTO_FREE char *skipped = NULL;
	struct fx_backend *backend;

	if (has_run || !lacks_values(err, err ? NULL : *ret))
		return err;
	backend = fx_session_value_backend(session, model);
	if (!backend)
		return err;
	/* A weight that cannot be fetched is no error here: the node that needs
	 * it reports it.
	 */
	if (model)
		fx_error_free(fx_model_fetch_weights(model, &skipped));
	if (!err)
		fx_datum_unref(FX_TAKE(*ret));
	fx_error_free(err);
	return evaluate_on(evaluation, backend, ret);
}

bool
fx_session_is_over_limit(const struct fx_session *session)
{
	return session->is_over_limit;
}

void
fx_session_lift_limit(struct fx_session *session, bool is_lifted)
{
	session->is_limit_lifted = is_lifted;
}

struct fx_error *
fx_check_is_value(const struct fx_datum *datum)
{
	if (datum->kind != FX_DATUM_NODES)
		return NULL;
	return fx_error_new(FX_ERR_TYPE, "a set of nodes is no value");
}

struct fx_error *
fx_resolve_expression(struct fx_session *session, struct fx_model *model,
	const char *text, bool condition, struct fx_datum **ret)
{
	struct fx_resolve_context context = { session, model };

	session->is_over_limit = false;
	return evaluate(&(struct evaluation){ &context, text, condition, NULL },
		ret);
}

/* The value of TEXT, in which $v is VALUE. */
static struct fx_error *
resolve_of(struct fx_resolve_context context, struct fx_datum *value,
	const char *text, bool is_condition, struct fx_datum **ret)
{
	struct fx_error *err;

	context.session->value_at_hand = value;
	err = fx_resolve_expression(context.session, context.model, text,
		is_condition, ret);
	context.session->value_at_hand = NULL;
	return err;
}

struct fx_error *
fx_resolve_expression_of(struct fx_session *session, struct fx_model *model,
	struct fx_datum *value, const char *text, struct fx_datum **ret)
{
	return resolve_of((struct fx_resolve_context){ session, model }, value,
		text, false, ret);
}

struct fx_error *
fx_resolve_condition_of(struct fx_session *session, struct fx_model *model,
	struct fx_datum *value, const char *text, struct fx_datum **ret)
{
	return resolve_of((struct fx_resolve_context){ session, model }, value,
		text, true, ret);
}

struct fx_error *
fx_resolve_condition(struct fx_session *session, struct fx_model *model,
	const char *text, bool *ret)
{
	struct fx_resolve_context context = { session, model };
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	bool is_before_first = false;
	struct evaluation evaluation = { &context, text, true,
		&is_before_first };
	struct fx_error *err = evaluate(&evaluation, &datum);

	if (!err || !is_before_first)
		return err ? err : fx_datum_truth(datum, ret);
	fx_error_free(err);
	*ret = false;
	return NULL;
}

/* evaluate.c - expressions and conditions of a session: what is looked at stays
 * as it is, and long looks can be interrupted.
 */
#include <config.h>

#include "base/blob.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/stats.h"
#include "run/ticker.h"
#include "session/activation.h"
#include "session/resolve.h"
#include "session/resolve_private.h"
#include "session/session_private.h"

/* Of what has run; the meta backend has no values, so none of them is NaN. */
bool
fx_resolve_nonfinite(void *context, const struct fx_node *node)
{
	struct fx_model *model = ((struct fx_resolve_context *)context)->model;
	struct fx_activation *place =
		fx_run_activation_of(model->run, node->graph);

	return place && fx_model_is_nonfinite(model, place, node);
}

/* TEXT in MODEL; *IS_BEFORE_FIRST: it asked for a node before the first. */
static struct fx_error *
evaluate(struct fx_resolve_context *context, const char *text, bool condition,
	bool *is_before_first, struct fx_datum **ret)
{
	struct fx_session *session = context->session;
	struct fx_model *model = context->model;
	struct fx_backend *backend = NULL;
	struct fx_resolver resolver;
	struct fx_ticker ticker;
	struct fx_blob *random = NULL;
	struct fx_error *err;

	fx_resolver_init(&resolver, context);
	resolver.is_before_first = is_before_first;
	/* Looking does not change what comes after the stop. */
	if (model && fx_position_is_started(model))
		resolver.random = &random;
	fx_ticker_init(&ticker, session->tick, session->tick_context);
	resolver.ticker = &ticker;
	if (!resolver.backend)
		resolver.backend = backend = fx_backend_meta_new();
	/* Nodes of a nested graph may be slow. */
	if (resolver.backend->ops->has_values)
		ticker.every = 0;
	err = fx_eval_text(&resolver, text, condition, ret);
	if (random)
		fx_error_free(resolver.backend->ops
				      ->random_restore(resolver.backend,
					      random));
	fx_blob_unref(random);
	fx_backend_free(backend);
	return err;
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

	return evaluate(&context, text, condition, NULL, ret);
}

struct fx_error *
fx_resolve_condition(struct fx_session *session, struct fx_model *model,
	const char *text, bool *ret)
{
	struct fx_resolve_context context = { session, model };
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	bool is_before_first = false;
	struct fx_error *err =
		evaluate(&context, text, true, &is_before_first, &datum);

	if (!err || !is_before_first)
		return err ? err : fx_datum_truth(datum, ret);
	fx_error_free(err);
	*ret = false;
	return NULL;
}

/* resolve_private.h - an evaluator's resolver over a session and a model. */
#ifndef FX_SESSION_RESOLVE_PRIVATE_H
#define FX_SESSION_RESOLVE_PRIVATE_H

#include <stdbool.h>

#include "run/eval.h"

struct fx_model;
struct fx_session;

struct fx_resolve_context {
	struct fx_session *session;
	struct fx_model *model; /* may be NULL */
};

/* Fill RESOLVER, whose context is CONTEXT; both are borrowed by it.  Who
 * evaluates more than names readies the model's backend.
 */
void fx_resolver_init(struct fx_resolver *resolver,
	struct fx_resolve_context *context);

/* evaluate.c, for the resolver: whether NODE's value has NaN or infinities. */
bool fx_resolve_nonfinite(void *context, const struct fx_node *node);

/* The node that the model's own name NAME stands for at the stop, or NULL. */
struct fx_node *fx_resolve_local(void *context, const char *name);

#endif /* FX_SESSION_RESOLVE_PRIVATE_H */

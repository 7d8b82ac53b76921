/* skip.h - nodes that step, next and their reverses go through without
 * stopping.
 *
 * Skips are matched as breakpoints are, with numbers of their own: a node by
 * its id, a set anew after edits.
 */
#ifndef FX_SESSION_SKIP_H
#define FX_SESSION_SKIP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct fx_breakpoint;
struct fx_model;
struct fx_node;
struct fx_session;

/* WHERE is a designator, a set, a scope, all of it, or FILE.py:LINE; with
 * IS_FILE the name of a file of the model's source.
 */
FX_NODISCARD struct fx_error *fx_skip_add(struct fx_session *session,
	struct fx_model *model, const char *where, bool is_file,
	const struct fx_breakpoint **ret);
/* NO_NAME when there is none. */
FX_NODISCARD struct fx_error *fx_skip_delete(struct fx_session *session,
	int number);
FX_NODISCARD struct fx_error *fx_skip_enable(struct fx_session *session,
	int number, bool on);

size_t fx_skip_count(const struct fx_session *session);
const struct fx_breakpoint *fx_skip_at(struct fx_session *session,
	size_t index);

/* Whether an enabled one has NODE. */
bool fx_skips_have(struct fx_session *session, const struct fx_model *model,
	const struct fx_node *node);
/* MODEL may be NULL: all of them. */
void fx_skips_drop_model(struct fx_session *session,
	const struct fx_model *model);
void fx_skips_free(struct fx_session *session);

#endif /* FX_SESSION_SKIP_H */

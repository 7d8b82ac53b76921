/* breakpoint.h - where execution stops. */
#ifndef FX_SESSION_BREAKPOINT_H
#define FX_SESSION_BREAKPOINT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct fx_model;
struct fx_node;
struct fx_session;

struct fx_breakpoint {
	int number;
	const char *where; /* as typed: add, {query}, resnet.py:92, layer1 */
	const char *condition; /* text or NULL */
	bool is_temporary;
	bool is_enabled;
	bool is_set;     /* WHERE is a query: it may match more after edits */
	bool is_pending; /* matches nothing now */
	size_t match_count; /* nodes it matches now */
	size_t hit_count;
	size_t ignore_count;
};

/* Set one: WHERE is a designator, a set, a scope (its first node) or
 * FILE.py:LINE.  When nothing matches: NO_NODE unless IS_PENDING.  NO_VALUE
 * when the condition asks for a value that is not there at any of the nodes.
 */
struct fx_breakpoint_spec {
	const char *where;
	const char *condition; /* or NULL */
	bool is_temporary;
	bool is_pending;
};
FX_NODISCARD struct fx_error *fx_breakpoint_add(struct fx_session *session,
	struct fx_model *model, const struct fx_breakpoint_spec *spec,
	const struct fx_breakpoint **ret);
/* By number: NO_NAME when there is none.  A condition that is null or empty
 * always holds; IGNORE lets the next COUNT hits pass.
 */
FX_NODISCARD struct fx_error *fx_breakpoint_delete(struct fx_session *session,
	int number);
void fx_breakpoint_delete_all(struct fx_session *session);
FX_NODISCARD struct fx_error *fx_breakpoint_enable(struct fx_session *session,
	int number, bool on);
FX_NODISCARD struct fx_error *
fx_breakpoint_set_condition(struct fx_session *session, int number,
	const char *condition);
FX_NODISCARD struct fx_error *fx_breakpoint_ignore(struct fx_session *session,
	int number, size_t count);

size_t fx_breakpoint_count(const struct fx_session *session);
const struct fx_breakpoint *fx_breakpoint_at(const struct fx_session *session,
	size_t index);
const struct fx_breakpoint *fx_breakpoint_find(const struct fx_session *session,
	int number);
/* The node whose value the condition of BREAKPOINT asks for though it has not
 * run at the first of its nodes, *AT_RET; NULL when all is there.
 */
struct fx_node *fx_breakpoint_late(struct fx_session *session,
	const struct fx_breakpoint *breakpoint, struct fx_node **at_ret);
/* The nodes it matches, in order, if it is one of the current model: of the
 * graph in which execution stood when it was set.  The caller frees *RET.
 */
void fx_breakpoint_nodes(struct fx_session *session,
	const struct fx_breakpoint *breakpoint, struct fx_node ***ret,
	size_t *count_ret);

#endif /* FX_SESSION_BREAKPOINT_H */

/* match_where.h - the condition over what a pattern binds.
 *
 * `users(x) = 1 and in layer2`: parts between `and` that name something of the
 * pattern are asked of each match, with its nodes and values for the names; the
 * others are queries about the match's last node, asked once.
 */
#ifndef FX_SESSION_MATCH_WHERE_H
#define FX_SESSION_MATCH_WHERE_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "base/error.h"

struct fx_buf;
struct fx_matches;
struct fx_model;
struct fx_node;
struct fx_pattern;
struct fx_rule;
struct fx_session;
struct fx_value;

struct fx_match_where;

/* TEXT for matches of PATTERN in MODEL's graph as it is now. */
FX_NODISCARD struct fx_error *fx_match_where_new(struct fx_session *session,
	struct fx_model *model, const struct fx_pattern *pattern,
	const char *text, struct fx_match_where **ret);
void fx_match_where_free(struct fx_match_where *where);
FX_DEFINE_CLEANUP(match_where, struct fx_match_where, fx_match_where_free);
#define FX_AUTO_MATCH_WHERE FX_AUTO(match_where)

/* The holds of an fx_match_filter, with an fx_match_where as CONTEXT. */
FX_NODISCARD struct fx_error *fx_match_where_holds(void *context,
	const struct fx_value *values, bool *ret);

/* Where RULE is to be applied in MODEL's graph, the one that is entered: its
 * pattern stands there and its condition holds, with OVERLAPS also those that
 * share operations with an earlier one.  Ctrl-C ends it.
 */
FX_NODISCARD struct fx_error *fx_model_find_matches(struct fx_session *session,
	struct fx_model *model, const struct fx_rule *rule, bool overlaps,
	struct fx_matches **ret);

/* Why RULE is not applied at NODE, in a phrase: its pattern does not stand
 * there, its condition is false, or an earlier match has one of its operations.
 * "" when it is.
 */
FX_NODISCARD struct fx_error *fx_model_why_not(struct fx_session *session,
	struct fx_model *model, const struct fx_rule *rule,
	struct fx_node *node, struct fx_buf *ret);

#endif /* FX_SESSION_MATCH_WHERE_H */

/* match.h - where in a graph a pattern stands.
 *
 * A pattern (ir/pattern.h) is a graph whose placeholders are names.  All its
 * matches are found in one walk before anything is edited:
 *
 *	struct fx_pattern *pattern;
 *	struct fx_matches *matches;
 *
 *	err = fx_pattern_read("nn.BatchNorm2d(conv)", ..., &pattern);
 *	err = fx_matches_find(graph, pattern, NULL, &matches);
 *	for (size_t i = 0; i < fx_matches_count(matches); i++)
 *		... fx_matches_at(matches, i)[fx_pattern_slot(pattern, "x")]
 *
 * Each operation and each name of a pattern has a slot; a match says what
 * stands in each: the node of an operation, the node or plain value of a name.
 * Matches come in the order of their last nodes in the graph, and none has an
 * operation in common with an earlier one unless that is asked for.
 */
#ifndef FX_IR_MATCH_H
#define FX_IR_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "ir/graph.h"
#include "ir/pattern.h"

struct fx_buf;
struct fx_ticker;

struct fx_matches;

/* What beside the pattern decides; null members do not. */
struct fx_match_filter {
	/* Whether the match VALUES (by slot) counts; an error ends the search.
	 */
	struct fx_error *(*holds)(void *context, const struct fx_value *values,
		bool *ret);
	/* Asked now and then: true ends the search with INTERRUPTED. */
	bool (*tick)(void *context);
	void *context;
	/* Also matches that share operations with earlier ones: to look at, not
	 * to be replaced.
	 */
	bool overlaps;
	const struct fx_node *at; /* only those with this last node; or NULL */
};

/* All matches of PATTERN in GRAPH.  LIMIT when they overlap and are too many.
 */
FX_NODISCARD struct fx_error *fx_matches_find(struct fx_graph *graph,
	const struct fx_pattern *pattern, const struct fx_match_filter *filter,
	struct fx_matches **ret);
void fx_matches_free(struct fx_matches *matches);
FX_DEFINE_CLEANUP(matches, struct fx_matches, fx_matches_free);
#define FX_AUTO_MATCHES FX_AUTO(matches)

size_t fx_matches_count(const struct fx_matches *matches);
/* What stands in the slots of match INDEX: one value a slot. */
const struct fx_value *fx_matches_at(const struct fx_matches *matches,
	size_t index);
/* How many fit but are used from outside, and why the first of them does not
 * count: "%conv1 is also used by %add"; NULL when there is none.
 */
size_t fx_matches_refused(const struct fx_matches *matches);
const char *fx_matches_refusal(const struct fx_matches *matches);

/* Of how many HOLDS was false. */
size_t fx_matches_declined(const struct fx_matches *matches);

/* Where no match can be: a class of layers that nobody knows, "no layer class
 * "Nosuch" is known", or a path at which there is nothing.  False: neither.
 */
bool fx_match_unknown(struct fx_graph *graph, const struct fx_pattern *pattern,
	struct fx_buf *ret);

/* Where no match was found: the node that fits the pattern's last operation
 * whose inputs fit best, and what is wrong with it, "@10 %add has 2 users".
 * False when no node fits the last operation at all.
 */
bool fx_match_closest(struct fx_graph *graph, const struct fx_pattern *pattern,
	struct fx_buf *ret);

/* Why PATTERN does not stand at NODE, as its last operation: the first thing
 * that does not fit, in a phrase, "%bn1 is no add".  False when it does.
 */
bool fx_match_why_not(const struct fx_pattern *pattern, struct fx_node *node,
	struct fx_buf *ret);

#endif /* FX_IR_MATCH_H */

/* rewriting.h - rules put wherever their patterns stand, as a pass.
 *
 * A match is a candidate: it can be stepped, chosen by its key, shown
 * beforehand and blamed like any other.
 */
#ifndef FX_PASS_REWRITING_H
#define FX_PASS_REWRITING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "ir/rewrite.h"
#include "pass/engine.h"
#include "pass/rules.h"

struct fx_buf;
struct fx_matches;
struct fx_value;

/* What fx_pass_rewriting is told: the data of its step. */
struct fx_rewriting {
	const struct fx_rules *rules; /* each with a replacement */
	bool is_fixpoint;             /* on until nothing matches */
	/* Where RULE is to be applied in GRAPH as it is now. */
	struct fx_error *(*find)(void *context, struct fx_graph *graph,
		const struct fx_rule *rule, struct fx_matches **ret);
	fx_rewrite_fill_fn *fill; /* of new modules */
	void *context;
	/* The pass says: how often all rules were gone through. */
	size_t rounds;
};

/* Candidates are matches, about the nodes of their first results.  LIMIT for
 * rules that never end.
 */
extern const struct fx_pass fx_pass_rewriting;

/* Append what the names of PATTERN stand for in a match: "x=%a k=2". */
void fx_rewriting_print_names(struct fx_buf *out,
	const struct fx_pattern *pattern, const struct fx_value *values);

#endif /* FX_PASS_REWRITING_H */

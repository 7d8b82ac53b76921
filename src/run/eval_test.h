/* eval_test.h - a query prepared for testing nodes, one after the other. */
#ifndef FX_RUN_EVAL_TEST_H
#define FX_RUN_EVAL_TEST_H

#include "base/bitset.h"
#include "base/map.h"
#include "run/eval_private.h"

/* A prepared part of a query; kids as in the query. */
struct fx_test {
	const struct fx_query *query;
	struct fx_matcher *matcher; /* COMPARE of text */
	struct fx_bitset members;   /* RANGE, ITEM, CALL; of an operand */
	bool has_members;
	int64_t number;        /* COMPARE of a count */
	struct fx_map insides; /* INSIDE: scope -> 1 outside, 2 inside */
	const char *below;     /* INSIDE: the path below the scope, or NULL */
	struct fx_test *kids;
	size_t kid_count;
};

void fx_test_deinit(struct fx_test *test);
FX_DEFINE_DEINIT(test, struct fx_test, fx_test_deinit);

/* Whether NODE, which stands at POSITION, passes TEST. */
bool fx_test_node(struct fx_evaluator *evaluator, struct fx_test *test,
	const struct fx_node *node, size_t position);

/* Whether NODE lies inside the path of an INSIDE test. */
bool fx_test_inside(struct fx_test *test, const struct fx_node *node);

#endif /* FX_RUN_EVAL_TEST_H */

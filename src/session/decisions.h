/* decisions.h - whether what a recorded run decided holds for the inputs of
 * now.
 *
 * A recorded graph is right where the model would decide the same.  Each
 * decision comes with expressions of nodes and the values that they had
 * (struct fx_remark_test); what shapes tell is known when an input is set, the
 * rest when the run has passed the node after which the model asked.
 */
#ifndef FX_SESSION_DECISIONS_H
#define FX_SESSION_DECISIONS_H

#include <stddef.h>

struct fx_model;

enum fx_decision_state {
	FX_DECISION_UNTESTED, /* nothing says what it depends on */
	FX_DECISION_UNKNOWN,  /* values decide, and it has not run so far */
	FX_DECISION_HOLDS,
	FX_DECISION_BROKEN
};
const char *fx_decision_word(enum fx_decision_state state);

/* What there is to test in the recording of MODEL, whose nodes may be renamed
 * from now on; nothing for a model that was traced.
 */
struct fx_decisions;
void fx_decisions_open(struct fx_model *model);
void fx_decisions_free(struct fx_decisions *decisions);

/* Of the INDEXth decision of the recording; where it is broken *TEST_RET is
 * the expression of now and *NOW_RET its value, borrowed, else NULL.
 */
enum fx_decision_state fx_decisions_state(const struct fx_model *model,
	size_t index, const char **test_ret, const char **now_ret);

#endif /* FX_SESSION_DECISIONS_H */

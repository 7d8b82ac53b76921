/* decisions.h - whether what a recorded run decided holds for the inputs of
 * now.
 *
 * A recorded graph is right where the model would decide the same.  Each
 * decision comes with expressions of nodes and the values that they had
 * (ir/decided.h); what shapes tell is known when an input is set, the
 * rest when the run has passed the node after which the model asked.
 */
#ifndef FX_SESSION_DECISIONS_H
#define FX_SESSION_DECISIONS_H

struct fx_decided;
struct fx_model;

enum fx_decision_state {
	FX_DECISION_UNTESTED, /* nothing says what it depends on */
	FX_DECISION_UNKNOWN,  /* values decide, and it has not run so far */
	FX_DECISION_HOLDS,
	FX_DECISION_BROKEN
};
const char *fx_decision_word(enum fx_decision_state state);

/* Of DECISION, which is the graph's; where it is broken *TEST_RET is the
 * expression of now and *NOW_RET its value, borrowed, else NULL.
 */
enum fx_decision_state fx_decisions_state(const struct fx_model *model,
	const struct fx_decided *decision, const char **test_ret,
	const char **now_ret);

#endif /* FX_SESSION_DECISIONS_H */

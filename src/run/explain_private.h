/* explain_private.h - what the files that explain one element share. */
#ifndef FX_RUN_EXPLAIN_PRIVATE_H
#define FX_RUN_EXPLAIN_PRIVATE_H

#include "ops/formula.h"
#include "run/cause_private.h"

struct fx_reach;
struct fx_reach_call;
struct fx_value;

struct fx_explaining {
	struct fx_walk *walk;
	const struct fx_formula *formula;
	struct fx_spot spot; /* of the operation */
	struct fx_extent extent;
	int64_t place[FX_RANK_LIMIT];
	const struct fx_signature *signature;
	const struct fx_value *bound; /* what its parameters are given */
};

/* VALUE, or what the node that it is gave, if that is no tensor; else NULL. */
const struct fx_value *fx_explain_plain(const struct fx_explaining *e,
	const struct fx_value *value);
/* The same of what parameter NAME is given. */
const struct fx_value *fx_explain_find(const struct fx_explaining *e,
	const char *name);
/* VALUE, an int or a bool, as a number. */
int64_t fx_explain_int(const struct fx_value *value, int64_t otherwise);
/* What the call of a sum says: INPUT is its first operand's. */
void fx_explain_read_call(const struct fx_explaining *e,
	const struct fx_reach *reach, const struct fx_extent *input,
	struct fx_reach_call *call);
/* An operand that was computed here: TEXT, which is taken, for ARGUMENT; in the
 * formula it is called so (HAS_NAME), or by its value.
 */
void fx_explain_add_text(struct fx_explaining *e, const char *argument,
	bool has_name, char *text);
/* The operands of a sum or the like: its terms, their mean and so on.  None
 * where what it is given does not fit.
 */
FX_NODISCARD struct fx_error *fx_explain_add_sum(struct fx_explaining *e);

/* The gates of a step of an LSTM, GRU or RNN, computed again. */
FX_NODISCARD struct fx_error *fx_explain_add_recurrent(struct fx_explaining *e);

#endif /* FX_RUN_EXPLAIN_PRIVATE_H */

/* verify_text.c - what came out of verification, in a sentence. */
#include <config.h>

#include "session/verify.h"

#include "base/buf.h"

/* "max rel 1.8e-15 at %fc [0,411]" */
static void
print_gap(struct fx_buf *out, const struct fx_verify_result *result)
{
	if (result->gap.differing)
		fx_buf_addf(out, "max rel %.1e at %s", result->gap.max_rel,
			result->place);
	else
		fx_buf_add(out, result->gap.is_bit_equal
					? "bit for bit"
					: "equal but for signs of zeros");
}

void
fx_verify_print(struct fx_buf *out, const struct fx_verify_result *result)
{
	bool is_wide = result->claim == FX_CLAIM_ALGEBRAIC;

	if (result->is_same_graph) {
		fx_buf_add(out, "verified: it does the same");
		return;
	}
	switch (result->verdict) {
	case FX_VERDICT_UNKNOWN:
		fx_buf_addf(out, "not verified: %s", result->why);
		return;
	case FX_VERDICT_SAME:
		fx_buf_addf(out, "verified on %zu input%s%s: ", result->inputs,
			result->inputs == 1 ? "" : "s",
			is_wide ? " in f64" : "");
		print_gap(out, result);
		return;
	case FX_VERDICT_DIFFERS:
		break;
	}
	if (result->why) {
		fx_buf_add(out, result->why);
		return;
	}
	print_gap(out, result);
	fx_buf_addf(out, " on input %zu of %zu%s", result->input,
		result->wanted, is_wide ? " in f64" : "");
	if (result->tolerance > 0)
		fx_buf_addf(out, " (tolerance %.0e)", result->tolerance);
}

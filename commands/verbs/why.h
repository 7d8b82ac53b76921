/* why.h - what why and explain share. */
#ifndef FX_COMMANDS_VERBS_WHY_H
#define FX_COMMANDS_VERBS_WHY_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "ir/tensor_meta.h"

struct cmd_ctx;
struct fx_buf;
struct fx_cause;
struct fx_cause_step;
struct fx_node;
struct fx_why;

/* A node, and the place of one of its elements: %fc[0,3]. */
struct cmd_element {
	struct fx_node *node;
	int64_t index[FX_RANK_LIMIT + 1];
	size_t count; /* 0: no place was given */
	size_t last;  /* of them in the last brackets */
};
/* read_element.c: what TEXT, "fc[0,3]" or "out['loss'][]", says. */
FX_NODISCARD struct fx_error *cmd_read_element(struct cmd_ctx *ctx,
	const char *text, struct cmd_element *ret);

/* say_cause.c: how many steps of CAUSE are the way, before what is to blame;
 * the way, its end and what is to blame in words; every step as a table, in
 * text with --path alone; the same for JSON.
 */
size_t cmd_way_length(const struct fx_cause *cause);
void cmd_say_cause(struct cmd_ctx *ctx, const struct fx_cause *cause);
void cmd_say_way(struct cmd_ctx *ctx, const struct fx_cause *cause);
void cmd_say_cause_values(struct cmd_ctx *ctx, const struct fx_cause *cause,
	size_t way);
/* "%fc[0,3]"; the formula of TARGET, an operation or class, with x and y for
 * its parameters, or nothing, without what the operator CALL (may be null) is
 * not given; what that is found by, of NODE.
 */
void cmd_add_element(struct cmd_ctx *ctx, struct fx_buf *out,
	const struct fx_cause_step *step);
void cmd_add_formula(struct fx_buf *out, const char *target,
	const struct fx_node *call);
const char *cmd_formula_name(const struct fx_node *node);
/* What NODE computes, by which rule its shape, what it is made of. */
void cmd_explain_node(struct cmd_ctx *ctx, struct fx_node *node);
/* Nothing is wrong with the element. */
void cmd_say_no_fault(struct cmd_ctx *ctx, const struct fx_why *why);

#endif /* FX_COMMANDS_VERBS_WHY_H */

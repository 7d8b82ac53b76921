/* reach.h - which elements of what an operation is given one element of its
 * result is a sum, or the largest, of.
 *
 * A small function for each family fills in loops over the elements: every
 * dimension of an operand is at a fixed place, or follows one of the loops.
 */
#ifndef FX_OPS_REACH_H
#define FX_OPS_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/formula.h"

#define FX_REACH_RANK     16
#define FX_REACH_OPERANDS 4
#define FX_REACH_SPATIAL  3

/* The place along a dimension: (offset + step * its loop) / divisor, where that
 * is whole and inside; elsewhere nothing is there.
 */
struct fx_reach_axis {
	int64_t size;
	int64_t offset;
	int64_t step; /* 0: of no loop */
	uint32_t loop;
	int64_t divisor;
};

struct fx_reach_operand {
	uint32_t rank;
	struct fx_reach_axis axes[FX_REACH_RANK];
};

struct fx_reach {
	struct fx_reach_operand operands[FX_REACH_OPERANDS];
	size_t count; /* of operands that are multiplied */
	uint32_t loops;
	int64_t counts[FX_REACH_RANK];
	int64_t divisor; /* of a mean, or 0: the number of elements */
};

/* What a call says besides its operands; spatial ones for each dimension. */
struct fx_reach_call {
	int64_t place[FX_REACH_RANK]; /* of the result's element */
	uint32_t rank;
	uint32_t dims; /* bits of those of the first operand that are gone
			* through */
	bool keeps;    /* these stay in the result, with size 1 */
	int64_t kernel[FX_REACH_SPATIAL];
	int64_t stride[FX_REACH_SPATIAL];
	int64_t padding[FX_REACH_SPATIAL];
	int64_t dilation[FX_REACH_SPATIAL];
	int64_t output[FX_REACH_SPATIAL]; /* sizes of the result */
	int64_t groups;
	bool is_transposed;
	bool counts_padding;
	/* Of einsum: what each dimension is called, of the operands and of the
	 * result.
	 */
	uint8_t labels[FX_REACH_OPERANDS][FX_REACH_RANK];
	uint8_t result[FX_REACH_RANK];
};

/* Fill in the loops of FAMILY; the ranks and sizes of RET's operands are given,
 * and how many there are, where the call says it.
 * False where the sizes do not fit, or the family is none of sums.
 */
bool fx_reach_fill(enum fx_formula_family family,
	const struct fx_reach_call *call, struct fx_reach *ret);
/* How many operands a sum of FAMILY has (0: the call says), and which parameter
 * is its first. */
size_t fx_reach_operand_count(enum fx_formula_family family);
size_t fx_reach_first_operand(enum fx_formula_family family);

/* The labels that EQUATION, of an einsum, gives RET's operands and the result
 * of CALL, which has a rank.  False where it does not fit them.
 */
bool fx_reach_read_equation(const char *equation, const struct fx_reach *reach,
	struct fx_reach_call *call);

/* How many rounds the loops have; which element of operand I is met in ROUND,
 * false where none is.
 */
uint64_t fx_reach_rounds(const struct fx_reach *reach);
bool fx_reach_element(const struct fx_reach *reach, uint64_t round, size_t i,
	uint64_t *ret);

#endif /* FX_OPS_REACH_H */

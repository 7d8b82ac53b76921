/* reach_einsum.c - what the equation of an einsum calls dimensions. */
#include <config.h>

#include <string.h>

#include "ops/reach.h"

/* The names of the dimensions of one operand of an einsum, or of its result, up
 * to the end of TEXT or what ends it: "..." is as many as RANK has more than
 * names, counted from the last.  False where that does not fit.
 */
static bool
read_labels(const char *text, uint32_t rank, uint8_t *labels)
{
	size_t length = strcspn(text, ",-");
	uint32_t names = 0;
	uint32_t at = 0;
	uint32_t more;

	for (size_t i = 0; i < length; i++)
		names += text[i] != ' ' && text[i] != '.';
	if (names > rank)
		return false;
	more = rank - names;
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '.') {
			for (; more; more--)
				labels[at++] = (uint8_t)(128 + more);
			i += 2;
		} else if (text[i] != ' ') {
			labels[at++] = (uint8_t)text[i];
		}
	}
	return at == rank;
}

/* Without an arrow: what stands once, in alphabetical order, behind "...". */
static bool
imply_result(const struct fx_reach *reach, struct fx_reach_call *call)
{
	unsigned counts[UINT8_MAX + 1] = { 0 };
	uint32_t at = 0;

	for (size_t k = 0; k < reach->count; k++)
		for (uint32_t i = 0; i < reach->operands[k].rank; i++)
			counts[call->labels[k][i]]++;
	for (int label = UINT8_MAX; label >= 128; label--)
		if (counts[label] && at < call->rank)
			call->result[at++] = (uint8_t)label;
	for (int label = 0; label < 128; label++)
		if (counts[label] == 1 && at < call->rank)
			call->result[at++] = (uint8_t)label;
	return at == call->rank;
}

bool
fx_reach_read_equation(const char *equation, const struct fx_reach *reach,
	struct fx_reach_call *call)
{
	const char *arrow = strstr(equation, "->");
	const char *at = equation;

	for (size_t k = 0; k < reach->count; k++) {
		if (!read_labels(at, reach->operands[k].rank, call->labels[k]))
			return false;
		at += strcspn(at, ",-");
		at += *at == ',';
	}
	return arrow ? read_labels(arrow + 2, call->rank, call->result)
		     : imply_result(reach, call);
}

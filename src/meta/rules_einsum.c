/* rules_einsum.c - sums of products by Einstein's notation. */
#include <config.h>

#include <string.h>

#include "ir/size.h"
#include "meta/shape.h"

/* einsum: letters have sizes; "..." stands for broadcast dimensions. */
struct einsum {
	struct fx_value sizes[52];
	bool is_known[52];
	unsigned uses[52];
	struct fx_shape ellipsis;
};

static int
letter_index(char c)
{
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	return c >= 'A' && c <= 'Z' ? c - 'A' : -1;
}

/* Number of letters in TERM (LENGTH bytes); -1 when it is malformed. */
static int
count_letters(const char *term, size_t length)
{
	int count = 0;
	bool dots = false;

	for (size_t i = 0; i < length; i++) {
		if (term[i] == ' ')
			continue;
		if (term[i] == '.') {
			if (dots || length - i < 3 ||
				strncmp(term + i, "...", 3) != 0)
				return -1;
			dots = true;
			i += 2;
		} else if (letter_index(term[i]) < 0) {
			return -1;
		} else {
			count++;
		}
	}
	return count;
}

static bool
bind_letter(struct fx_shape_call *call, struct einsum *e, char c,
	struct fx_value size)
{
	int at = letter_index(c);

	e->uses[at]++;
	if (!e->is_known[at] || fx_size_is_int(e->sizes[at], 1)) {
		e->is_known[at] = true;
		e->sizes[at] = size;
		return true;
	}
	if (fx_size_is_int(size, 1) ||
		!fx_rule_differs(call, "sizes of one subscript", e->sizes[at],
			size))
		return true;
	return fx_rule_fail(call, FX_ERR_SHAPE, "subscript %c has two sizes",
		c);
}

static bool
bind_term(struct fx_shape_call *call, struct einsum *e, const char *term,
	size_t length, const struct fx_tensor_meta *operand)
{
	int letters = count_letters(term, length);
	size_t dim = 0;

	if (letters < 0)
		return fx_rule_fail(call, FX_ERR_VALUE,
			"\"%.*s\" is no list of subscripts", (int)length, term);
	for (size_t i = 0; i < length; i++) {
		if (term[i] == ' ')
			continue;
		if (term[i] == '.') {
			size_t rest = operand->rank - (uint32_t)letters;

			if ((uint32_t)letters > operand->rank)
				break;
			if (!fx_rule_broadcast(call, &e->ellipsis,
				    operand->sizes + dim, rest))
				return false;
			dim += rest;
			i += 2;
			continue;
		}
		if (dim >= operand->rank)
			break;
		if (!bind_letter(call, e, term[i], operand->sizes[dim++]))
			return false;
	}
	if (dim != operand->rank || ((uint32_t)letters > operand->rank))
		return fx_rule_fail(call, FX_ERR_SHAPE,
			"subscripts \"%.*s\" do not fit %s", (int)length, term,
			fx_rule_text(call, operand));
	return true;
}

static bool
push_ellipsis(struct fx_shape_call *call, const struct einsum *e,
	struct fx_shape *shape)
{
	for (size_t i = 0; i < e->ellipsis.rank; i++)
		if (!fx_rule_push(call, shape, e->ellipsis.sizes[i]))
			return false;
	return true;
}

/* The result: what stands after the arrow, or the letters used once in order.
 */
static bool
einsum_result(struct fx_shape_call *call, const struct einsum *e,
	const char *arrow, struct fx_shape *ret)
{
	ret->rank = 0;
	if (!arrow) {
		if (!push_ellipsis(call, e, ret))
			return false;
		for (size_t i = 0; i < FX_ARRAY_LEN(e->uses); i++)
			if (e->uses[i] == 1 &&
				!fx_rule_push(call, ret, e->sizes[i]))
				return false;
		return true;
	}
	for (const char *c = arrow + 2; *c; c++) {
		int at = letter_index(*c);

		if (*c == ' ')
			continue;
		if (strncmp(c, "...", 3) == 0) {
			if (!push_ellipsis(call, e, ret))
				return false;
			c += 2;
			continue;
		}
		if (at < 0 || !e->is_known[at] || strchr(c + 1, *c))
			return fx_rule_fail(call, FX_ERR_VALUE,
				"\"%s\" is no result of these subscripts",
				arrow + 2);
		if (!fx_rule_push(call, ret, e->sizes[at]))
			return false;
	}
	return true;
}

void
fx_shape_einsum(struct fx_shape_call *call)
{
	const char *equation = fx_arg_text(call, "equation");
	const struct fx_value *operands = fx_arg(call, "operands");
	const char *arrow = strstr(equation, "->");
	const char *end = arrow ? arrow : equation + strlen(equation);
	struct einsum e = { .ellipsis = { .rank = 0 } };
	struct fx_promotion promotion = { 0 };
	struct fx_shape shape;
	uint32_t i = 0;

	if (!*equation || !operands->count) {
		fx_rule_give_up(call, "the equation is not a plain string");
		return;
	}
	for (const char *term = equation; i < operands->count; i++) {
		const struct fx_tensor_meta *operand;
		size_t length = strcspn(term, ",");

		if (term > end)
			break;
		length = FX_MIN(length, (size_t)(end - term));
		if (!fx_arg_as_tensor(call, &operands->items[i], "an operand",
			    &operand) ||
			!bind_term(call, &e, term, length, operand))
			return;
		fx_promote_add(&promotion, &operands->items[i]);
		term += length + 1;
		if (i + 1 == operands->count && term <= end) {
			i = operands->count + 1;
			break;
		}
	}
	if (i != operands->count) {
		fx_rule_fail(call, FX_ERR_VALUE,
			"\"%s\" does not name %u operands", equation,
			operands->count);
		return;
	}
	if (einsum_result(call, &e, arrow, &shape))
		fx_rule_give(call, fx_promote_result(&promotion), &shape);
}

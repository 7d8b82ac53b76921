/* set_element.c - set value PLACE[INDEX] = EXPR, as an expression for the whole
 * of PLACE: torch.select_scatter and slice_scatter of the value before.
 */
#include <config.h>

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "commands/shell/shell.h"
#include "commands/verbs/set.h"
#include "ir/node.h"
#include "run/datum.h"
#include "session/locals.h"
#include "session/position.h"

#define RANK_LIMIT 16
/* Of more items no line to type is made. */
#define ITEM_LIMIT 8

/* One of the numbers and slices between the brackets. */
struct item {
	const char *text;
	size_t length;
	const char *colons[2]; /* of a slice, as many as it has */
	size_t colon_count;
};

struct element {
	struct item items[RANK_LIMIT];
	size_t count;
	const char *expression;
};

/* "$v[:, 2, 0:4]": what the first COUNT items, as far as they are no whole
 * dimensions, leave.
 */
static void
add_part(struct fx_buf *out, const struct element *element, size_t count)
{
	fx_buf_add(out, "$v");
	for (size_t i = 0; i < count; i++) {
		const struct item *item = &element->items[i];

		fx_buf_add(out, i ? ", " : "[");
		fx_buf_add_n(out, item->text, item->length);
	}
	if (count)
		fx_buf_add(out, "]");
}

/* EXPRESSION with the part in place of $v. */
static void
add_expression(struct fx_buf *out, const struct element *element)
{
	const char *at = element->expression;

	for (; *at; at++) {
		if (at[0] != '$' || at[1] != 'v' ||
			isalnum((unsigned char)at[2]) || at[2] == '_') {
			fx_buf_add_n(out, at, 1);
			continue;
		}
		add_part(out, element, element->count);
		at++;
	}
}

/* One bound of a slice, or None. */
static void
add_bound(struct fx_buf *out, const char *begin, const char *end)
{
	while (begin < end && *begin == ' ')
		begin++;
	fx_buf_add(out, ", ");
	if (begin == end)
		fx_buf_add(out, "None");
	else
		fx_buf_add_n(out, begin, (size_t)(end - begin));
}

/* From item INDEX on, which is along dimension DIM of what is left. */
static void
add_scatter(struct fx_buf *out, const struct element *element, size_t index,
	size_t dim)
{
	const struct item *item;

	if (index == element->count) {
		fx_buf_add(out, "torch.zeros_like(");
		add_part(out, element, index);
		fx_buf_add(out, ") + (");
		add_expression(out, element);
		fx_buf_add(out, ")");
		return;
	}
	item = &element->items[index];
	if (item->colon_count && item->length == 1) {
		add_scatter(out, element, index + 1, dim + 1);
		return;
	}
	fx_buf_addf(out, "torch.%s_scatter(",
		item->colon_count ? "slice" : "select");
	add_part(out, element, index);
	fx_buf_add(out, ", ");
	add_scatter(out, element, index + 1, dim + (item->colon_count > 0));
	fx_buf_addf(out, ", %zu", dim);
	if (!item->colon_count) {
		fx_buf_add(out, ", ");
		fx_buf_add_n(out, item->text, item->length);
	} else {
		const char *end = item->text + item->length;
		const char *second =
			item->colon_count > 1 ? item->colons[1] : end;

		add_bound(out, item->text, item->colons[0]);
		add_bound(out, item->colons[0] + 1, second);
		if (second < end - 1)
			add_bound(out, second + 1, end);
	}
	fx_buf_add(out, ")");
}

/* The item up to END, which is a number, or numbers with colons between. */
static bool
read_item(const char *begin, const char *end, struct item *ret)
{
	while (begin < end && *begin == ' ')
		begin++;
	while (end > begin && end[-1] == ' ')
		end--;
	*ret = (struct item){ .text = begin, .length = (size_t)(end - begin) };
	for (const char *at = begin; at < end; at++) {
		if (*at == ':' && ret->colon_count < 2)
			ret->colons[ret->colon_count++] = at;
		else if (!isdigit((unsigned char)*at) && *at != '-' &&
			 *at != ' ')
			return false;
	}
	return begin < end;
}

bool
cmd_set_element(const char *place, const char *expression, char **base_ret,
	char **expression_ret)
{
	struct element element = { .expression = expression };
	const char *open = strrchr(place, '[');
	const char *end = place + strlen(place) - 1;
	struct fx_buf out = { 0 };

	if (!open || open == place || *end != ']')
		return false;
	for (const char *at = open + 1; at <= end;) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const char *stop = comma ? comma : end;

		if (element.count == RANK_LIMIT ||
			!read_item(at, stop, &element.items[element.count]))
			return false;
		element.count++;
		at = stop + 1;
	}
	add_scatter(&out, &element, 0, 0);
	*expression_ret = fx_buf_take(&out);
	*base_ret = fx_xstrndup(place, (size_t)(open - place));
	return true;
}

/* $v, or TEXT in its place in another container. */
static void
add_item(struct fx_buf *out, size_t index, int64_t at, const char *text)
{
	if (index)
		fx_buf_add(out, ", ");
	if ((int64_t)index == at)
		fx_buf_add(out, text);
	else
		fx_buf_addf(out, "$v[%zu]", index);
}

/* What says how item INDEX, "[0]", of the sequence that NODE gave can be
 * EXPRESSION.
 */
static FX_NODISCARD struct fx_error *
hint_whole(const struct fx_node *node, const struct fx_value *value,
	const char *index, const char *expression, struct fx_error *err_taken)
{
	size_t count = fx_value_item_count(value);
	bool is_list = value->kind == FX_VALUE_LIST;
	FX_AUTO_BUF struct fx_buf text = { 0 };
	int64_t at;

	if (!fx_value_is_sequence(value) || count > ITEM_LIMIT ||
		strstr(expression, "$v") ||
		!fx_number_parse_int(index + 1, strcspn(index + 1, "]"), &at))
		return fx_error_hint(err_taken,
			"set value %s = ... takes all of it, where $v is the "
			"value before",
			node->name);
	at += at < 0 ? (int64_t)count : 0;
	if (at < 0 || at >= (int64_t)count)
		return err_taken;
	for (size_t i = 0; i < count; i++)
		add_item(&text, i, at, expression);
	return fx_error_hint(err_taken, "set value %s = %s%s%s%s", node->name,
		is_list ? "[" : "(", fx_buf_text(&text),
		count == 1 && !is_list ? "," : "", is_list ? "]" : ")");
}

struct fx_error *
cmd_set_check_element(struct cmd_ctx *ctx, const struct fx_node *node,
	const char *index, const char *expression)
{
	const struct fx_datum *value = fx_position_value(ctx->model, node);

	if (!value)
		return fx_error_hint(fx_error_new(FX_ERR_NO_VALUE,
					     "%%%s has no value yet, of which "
					     "%s could be another",
					     node->name, index),
			"run --to %s", node->name);
	if (value->kind == FX_DATUM_TENSOR)
		return NULL;
	return hint_whole(node, &value->value, index, expression,
		fx_error_new(FX_ERR_TYPE,
			"%%%s gives a %s, of which no part is set alone",
			node->name, fx_datum_kind_name(value)));
}

struct fx_error *
cmd_set_check_place(struct cmd_ctx *ctx, const char *place)
{
	const char *open = strchr(place, '[');
	FX_AUTO_FREE char *base =
		open ? fx_xstrndup(place, (size_t)(open - place)) : NULL;
	FX_AUTO_ERROR struct fx_error *missing = NULL;
	struct fx_node *node;

	if (!base)
		return NULL;
	missing = fx_locals_resolve(ctx->session, ctx->model, base, &node);
	return missing || !fx_position_value(ctx->model, node)
		       ? NULL
		       : cmd_set_check_element(ctx, node, open, "$v");
}

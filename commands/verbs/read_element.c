/* read_element.c - a node and the place of an element, as they are typed. */
#include <config.h>

#include "commands/verbs/why.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "commands/shell/shell.h"
#include "ir/value_text.h"
#include "session/locals.h"
#include "session/model.h"

/* Of the tensors in a value, the one whose place begins TEXT, which has no
 * quotes any more, or the first one where TEXT is null.
 */
struct place {
	const char *text;
	int64_t number;     /* of tensors before it */
	struct fx_buf path; /* without quotes */
	struct fx_buf code; /* as Python has it */
	const struct fx_value *found;
};

static void
add_key(struct place *place, const struct fx_value *key)
{
	fx_buf_add(&place->path, "[");
	fx_buf_add(&place->code, "[");
	if (key->kind == FX_VALUE_STRING)
		fx_buf_add(&place->path, key->text);
	else
		fx_value_print_as(&place->path, key, FX_STYLE_CODE);
	fx_value_print_as(&place->code, key, FX_STYLE_CODE);
	fx_buf_add(&place->path, "]");
	fx_buf_add(&place->code, "]");
}

static void
find_place(struct place *place, const struct fx_value *value)
{
	bool is_dict = value->kind == FX_VALUE_DICT;
	size_t step = is_dict ? 2 : 1;
	/* Its class stands before its items. */
	size_t first = value->kind == FX_VALUE_NAMEDTUPLE;
	size_t length = place->path.length;
	size_t code = place->code.length;

	if (value->kind == FX_VALUE_TENSOR &&
		(!place->text ||
			fx_str_starts(place->text, fx_buf_text(&place->path))))
		place->found = value;
	else
		place->number += value->kind == FX_VALUE_TENSOR;
	for (size_t i = first; i < fx_value_item_count(value) && !place->found;
		i += step) {
		struct fx_value number = fx_value_int((int64_t)(i - first));

		add_key(place, is_dict ? &value->items[i] : &number);
		find_place(place, &value->items[i + step - 1]);
		if (place->found)
			break;
		fx_buf_truncate(&place->path, length);
		fx_buf_truncate(&place->code, code);
	}
}

static void
place_deinit(struct place *place)
{
	fx_buf_deinit(&place->path);
	fx_buf_deinit(&place->code);
}

/* output['a'][0,3]: *AT goes behind what names the tensor, whose number is
 * kept.
 */
static void
read_names(const char **at, struct cmd_element *ret)
{
	struct place place = { .text = *at };

	if (ret->node->meta && ret->node->meta->kind != FX_VALUE_TENSOR)
		find_place(&place, ret->node->meta);
	if (place.found) {
		*at += place.path.length;
		ret->index[ret->count++] = place.number;
	}
	place_deinit(&place);
}

/* "%output['a'][0,0]": what would do. */
static struct fx_error *
hint_place(struct cmd_ctx *ctx, const struct fx_node *node,
	struct fx_error *err)
{
	struct place place = { .text = NULL };
	size_t rank;

	if (node->meta)
		find_place(&place, node->meta);
	if (!place.found || !place.found->tensor->has_shape ||
		!place.found->tensor->rank) {
		place_deinit(&place);
		return err;
	}
	rank = place.found->tensor->rank;
	for (size_t i = 0; i < rank; i++)
		fx_buf_add(&place.code, i ? ",0" : "[0");
	err = fx_error_hint(err, "%s %s%s]", ctx->entry->name, node->name,
		fx_buf_text(&place.code));
	place_deinit(&place);
	return err;
}

/* ".inner.mean[0,0]" as "[inner][mean][0,0]", owned. */
static char *
fields_as_keys(const char *fields)
{
	FX_AUTO_BUF struct fx_buf keys = { 0 };

	while (*fields == '.') {
		size_t length = strcspn(++fields, ".[");

		fx_buf_addf(&keys, "[%.*s]", (int)length, fields);
		fields += length;
	}
	fx_buf_add(&keys, fields);
	return fx_buf_take(&keys);
}

/* The node that TEXT begins with; *REST_RET, owned or null, is what stands
 * behind it, fields as keys.
 */
static struct fx_error *
read_node(struct cmd_ctx *ctx, const char *text, struct fx_node **ret,
	char **rest_ret)
{
	size_t length = strcspn(text, "[");
	size_t point = strcspn(text, ".");
	FX_AUTO_FREE char *name = fx_xstrndup(text, length);
	FX_AUTO_FREE char *owner = fx_xstrndup(text, point);
	struct fx_error *err =
		fx_locals_resolve(ctx->session, ctx->model, name, ret);
	struct fx_error *again;

	*rest_ret = NULL;
	if (!err && text[length])
		*rest_ret = fx_xstrdup(text + length);
	if (!err || point >= length)
		return err;
	again = fx_locals_resolve(ctx->session, ctx->model, owner, ret);
	if (again) {
		fx_error_free(again);
		return err;
	}
	fx_error_free(err);
	*rest_ret = fields_as_keys(text + point);
	return NULL;
}

struct fx_error *
cmd_read_element(struct cmd_ctx *ctx, const char *text, struct cmd_element *ret)
{
	FX_AUTO_FREE char *rest = NULL;
	struct fx_error *err = read_node(ctx, text, &ret->node, &rest);
	const char *bracket = rest;

	ret->count = ret->last = 0;
	/* [] is the one element of a tensor without dimensions. */
	if (err || !bracket || !strcmp(bracket, "[]"))
		return err;
	read_names(&bracket, ret);
	for (const char *at = bracket; *at;) {
		size_t length = strcspn(++at, "],");

		ret->last = at[-1] == '[' ? 1 : ret->last + 1;
		if (!strcmp(at, "]")) {
			ret->last = 0;
			return NULL;
		}
		if (ret->count == FX_ARRAY_LEN(ret->index) || !at[length] ||
			!fx_number_parse_int(at, length,
				&ret->index[ret->count]))
			return hint_place(ctx, ret->node,
				fx_error_new(FX_ERR_SYNTAX,
					"\"%s\" is no place of an element",
					bracket));
		ret->count++;
		at += length;
		if (*at == ']' && at[1] != '[') {
			if (!at[1])
				return NULL;
			return fx_error_new(FX_ERR_SYNTAX,
				"\"%s\" stands behind the element", at + 1);
		}
		if (*at == ']')
			at++;
	}
	return NULL;
}

/* eval_plain.c - tensors as numbers and lists of them. */
#include <config.h>

#include <math.h>

#include "base/mem.h"
#include "base/str.h"
#include "run/eval_private.h"
#include "run/values.h"

/* Most numbers that a list is made of. */
#define LIST_LIMIT 10000

/* --- float(x) and int(x) -------------------------------------------------- */

static struct fx_error *
as_integer(struct fx_datum *item, double number, struct fx_datum **ret)
{
	if (fx_datum_is(item, FX_VALUE_INT))
		*ret = fx_datum_ref(item);
	else if (fabs(number) < 0x1p63)
		*ret = fx_datum_int((int64_t)number);
	else
		return fx_error_new(FX_ERR_VALUE,
			"the value is no integer, or too large for one");
	return NULL;
}

struct fx_error *
fx_eval_item_of_known(struct fx_evaluator *evaluator, const struct fx_ast *call,
	struct fx_datum **ret)
{
	bool is_int = fx_str_equal(call->kids[0]->text, "int");
	FX_AUTO_DATUM struct fx_datum *tensor = NULL;
	FX_AUTO_DATUM struct fx_datum *item = NULL;
	const struct fx_ast *tree = call->kids[1];
	double number;
	struct fx_error *err;

	*ret = NULL;
	if (call->kid_count != 2 || tree->kind == FX_AST_KEYWORD)
		return NULL;
	err = fx_eval_datum(evaluator, tree, &tensor);
	if (err || !fx_values_known(tensor))
		return err;
	err = fx_values_item(tensor, &item);
	if (err)
		return err;
	if (!fx_datum_number(&item->value, &number))
		return fx_error_new(FX_ERR_TYPE, "a complex number is no %s",
			is_int ? "int" : "float");
	if (is_int)
		return as_integer(item, number, ret);
	*ret = fx_datum_float(number);
	return NULL;
}

/* --- x.item() and x.tolist() ---------------------------------------------- */

/* The part from DIMENSION on whose elements begin at *BYTES, which moves.  As
 * deep as a tensor has dimensions.
 */
static struct fx_datum *
nested_list(const struct fx_extent *extent, uint32_t dimension,
	const char **bytes)
{
	FX_AUTO_FREE struct fx_datum **items = NULL;
	const char *at = *bytes;
	size_t count;

	if (dimension == extent->rank) {
		*bytes += fx_dtype_info(extent->dtype)->size;
		return fx_element_datum(extent->dtype, at);
	}
	count = (size_t)extent->sizes[dimension];
	items = fx_xcalloc(count, sizeof(*items));
	for (size_t i = 0; i < count; i++)
		items[i] = nested_list(extent, dimension + 1, bytes);
	return fx_datum_items_take(FX_VALUE_LIST, items, count);
}

/* Numbers of a list, or lists in it where there are no numbers: sizes before a
 * 0 may be huge.
 */
static uint64_t
list_size(const struct fx_extent *extent)
{
	uint64_t size = 1;

	for (uint32_t i = 0; i < extent->rank && extent->sizes[i]; i++) {
		if ((uint64_t)extent->sizes[i] > LIST_LIMIT)
			return UINT64_MAX;
		size *= (uint64_t)extent->sizes[i];
		if (size > LIST_LIMIT)
			break;
	}
	return size;
}

static struct fx_error *
to_list(const struct fx_datum *tensor, struct fx_datum **ret)
{
	FX_AUTO_FREE char *bytes = NULL;
	const char *at;
	struct fx_extent extent;
	struct fx_error *err = fx_extent_of(tensor, &extent);

	if (err)
		return err;
	if (list_size(&extent) > LIST_LIMIT)
		return fx_error_hint(fx_error_new(FX_ERR_LIMIT,
					     "a list of more than %d numbers "
					     "is too long",
					     LIST_LIMIT),
			"a slice of it can be one: x[0].tolist()");
	bytes = fx_xcalloc((size_t)extent.count + 1,
		fx_dtype_info(extent.dtype)->size);
	at = bytes;
	err = fx_values_read(tensor, 0, (size_t)extent.count, bytes);
	if (!err)
		*ret = nested_list(&extent, 0, &at);
	return err;
}

struct fx_error *
fx_eval_plain_method(const struct fx_datum *tensor, const char *name,
	struct fx_datum **ret)
{
	*ret = NULL;
	if (!fx_values_known(tensor))
		return NULL;
	if (fx_str_equal(name, "item"))
		return fx_values_item(tensor, ret);
	return fx_str_equal(name, "tolist") ? to_list(tensor, ret) : NULL;
}

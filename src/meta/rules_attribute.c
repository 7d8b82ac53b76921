/* rules_attribute.c - questions about tensors, and other dtypes of them. */
#include <config.h>

#include <string.h>

#include "ir/fold.h"
#include "meta/shape.h"

/* Operations whose row names no rule. */
void
fx_shape_none(struct fx_shape_call *call)
{
	fx_rule_give_up(call, "there is no shape rule for %s", call->name);
}

/* Called for what it does: checks, prints. */
void
fx_shape_nothing(struct fx_shape_call *call)
{
	call->result = fx_value_none();
}

/* _assert_tensor_metadata: of what it checks, the dtype. */
void
fx_shape_metadata(struct fx_shape_call *call)
{
	const struct fx_value *a = fx_arg(call, "a");
	enum fx_dtype wanted;

	call->result = fx_value_none();
	if (!fx_arg_dtype(call, "dtype", FX_DTYPE_NONE, &wanted) ||
		wanted == FX_DTYPE_NONE || a->kind != FX_VALUE_TENSOR ||
		a->tensor->dtype == FX_DTYPE_NONE || a->tensor->dtype == wanted)
		return;
	fx_rule_fail(call, FX_ERR_TYPE, "the tensor is %s, and not %s",
		fx_dtype_info(a->tensor->dtype)->name,
		fx_dtype_info(wanted)->name);
}

/* A mark: what Python computes alone goes to ir/fold and not to a rule. */
void
fx_shape_python(struct fx_shape_call *call)
{
	fx_shape_none(call);
}

/* Take over what folding says; what it does not know is not known. */
static void
give_folded(struct fx_shape_call *call, struct fx_error *err,
	struct fx_value value)
{
	if (!err) {
		call->result = value;
	} else if (fx_error_code(err) == FX_ERR_UNSUPPORTED) {
		fx_rule_give_up(call, "%s", fx_error_message(err));
		fx_error_free(err);
	} else {
		call->error = err;
	}
}

void
fx_shape_getattr(struct fx_shape_call *call)
{
	const char *name = fx_arg_text(call, "name");
	struct fx_value value = fx_value_none();
	struct fx_error *err = fx_fold_attribute(call->arena,
		fx_arg_at(call, 0), name, &value);

	give_folded(call, err, value);
}

static void
give_method(struct fx_shape_call *call, const char *name,
	const struct fx_value *arg)
{
	struct fx_value args = { .kind = FX_VALUE_TUPLE, .items = arg };
	struct fx_value value = fx_value_none();
	struct fx_error *err;

	args.count = arg != NULL;
	err = fx_fold_method(call->arena, fx_arg_at(call, 0), name, &args,
		&value);
	give_folded(call, err, value);
}

void
fx_shape_size(struct fx_shape_call *call)
{
	give_method(call, "size", fx_arg(call, "dim"));
}

void
fx_shape_size0(struct fx_shape_call *call)
{
	give_method(call, "__len__", NULL);
}

void
fx_shape_dim(struct fx_shape_call *call)
{
	give_method(call, "dim", NULL);
}

void
fx_shape_numel(struct fx_shape_call *call)
{
	give_method(call, "numel", NULL);
}

/* A Python number of the tensor's kind, of unknown value. */
void
fx_shape_item(struct fx_shape_call *call)
{
	const struct fx_value *value = fx_arg_at(call, 0);
	const struct fx_tensor_meta *input;
	struct fx_value count;

	if (fx_fold_is_number(value)) {
		call->result = *value;
		return;
	}
	if (!fx_arg_first(call, &input))
		return;
	count = fx_tensor_meta_numel(call->arena, input);
	if (count.kind == FX_VALUE_INT && count.integer != 1) {
		fx_rule_fail(call, FX_ERR_VALUE, "%s has not just one element",
			fx_rule_text(call, input));
		return;
	}
	call->result =
		fx_fold_unknown(input->dtype == FX_DTYPE_BOOL        ? "bool"
				: fx_dtype_is_integral(input->dtype) ? "int"
				: fx_dtype_is_float(input->dtype)
					? "float"
					: "a complex number");
}

static void
give_truth(struct fx_shape_call *call, bool (*question)(enum fx_dtype))
{
	const struct fx_value *value = fx_arg_at(call, 0);

	if (value->kind != FX_VALUE_TENSOR || !value->tensor->dtype)
		call->result = fx_fold_unknown("bool");
	else
		call->result = fx_value_bool(question(value->tensor->dtype));
}

void
fx_shape_is_floating_point(struct fx_shape_call *call)
{
	give_truth(call, fx_dtype_is_float);
}

void
fx_shape_is_complex(struct fx_shape_call *call)
{
	give_truth(call, fx_dtype_is_complex);
}

void
fx_shape_is_tensor(struct fx_shape_call *call)
{
	call->result =
		fx_value_bool(fx_arg_at(call, 0)->kind == FX_VALUE_TENSOR);
}

/* Give a tensor like the first argument but of DTYPE.  The shape of the
 * argument need not be known.
 */
static void
give_dtype(struct fx_shape_call *call, enum fx_dtype dtype)
{
	const struct fx_value *value = fx_arg_at(call, 0);
	const struct fx_tensor_meta *input;

	if (value->kind == FX_VALUE_TENSOR && !value->tensor->has_shape)
		call->result = fx_tensor_meta_shapeless(call->arena, dtype);
	else if (fx_arg_first(call, &input))
		fx_rule_give_same(call, input, dtype);
}

/* x.half(), x.long(): the method names the dtype. */
void
fx_shape_cast(struct fx_shape_call *call)
{
	static const struct {
		const char *method;
		enum fx_dtype dtype;
	} casts[] = {
		{ "float", FX_DTYPE_F32 },
		{ "double", FX_DTYPE_F64 },
		{ "half", FX_DTYPE_F16 },
		{ "bfloat16", FX_DTYPE_BF16 },
		{ "chalf", FX_DTYPE_C32 },
		{ "cfloat", FX_DTYPE_C64 },
		{ "cdouble", FX_DTYPE_C128 },
		{ "int", FX_DTYPE_I32 },
		{ "long", FX_DTYPE_I64 },
		{ "short", FX_DTYPE_I16 },
		{ "char", FX_DTYPE_I8 },
		{ "byte", FX_DTYPE_U8 },
		{ "bool", FX_DTYPE_BOOL },
	};

	for (size_t i = 0; i < FX_ARRAY_LEN(casts); i++)
		if (strcmp(casts[i].method, call->name) == 0) {
			give_dtype(call, casts[i].dtype);
			return;
		}
	fx_shape_none(call);
}

/* x.to(dtype | device | other, ...). */
void
fx_shape_to(struct fx_shape_call *call)
{
	const struct fx_value *args = fx_arg(call, "args");
	const struct fx_value *other = fx_arg(call, "other");
	const struct fx_value *input = fx_arg_at(call, 0);
	enum fx_dtype dtype = input->kind == FX_VALUE_TENSOR
				      ? input->tensor->dtype
				      : FX_DTYPE_NONE;

	for (uint32_t i = 0; i < args->count; i++) {
		if (args->items[i].kind == FX_VALUE_DTYPE)
			dtype = (enum fx_dtype)args->items[i].integer;
		else if (args->items[i].kind == FX_VALUE_TENSOR)
			other = &args->items[i];
		else if (args->items[i].kind == FX_VALUE_UNKNOWN)
			dtype = FX_DTYPE_NONE;
	}
	if (other->kind == FX_VALUE_TENSOR)
		dtype = other->tensor->dtype;
	if (fx_arg_dtype(call, "dtype", dtype, &dtype))
		give_dtype(call, dtype);
}

/* x.type(dtype), or a name like "torch.FloatTensor". */
void
fx_shape_type(struct fx_shape_call *call)
{
	const struct fx_value *wanted = fx_arg(call, "dtype");

	if (wanted->kind == FX_VALUE_NONE || wanted->kind == FX_VALUE_STRING)
		fx_rule_give_up(call, "names of tensor types are not followed");
	else
		fx_shape_to_dtype(call);
}

void
fx_shape_to_dtype(struct fx_shape_call *call)
{
	const struct fx_value *input = fx_arg_at(call, 0);
	enum fx_dtype dtype = input->kind == FX_VALUE_TENSOR
				      ? input->tensor->dtype
				      : FX_DTYPE_NONE;

	if (fx_arg_dtype(call, "dtype", dtype, &dtype))
		give_dtype(call, dtype);
}

void
fx_shape_type_as(struct fx_shape_call *call)
{
	const struct fx_value *other = fx_arg(call, "other");

	if (other->kind == FX_VALUE_TENSOR)
		give_dtype(call, other->tensor->dtype);
	else
		fx_rule_give_up(call, "other is not known");
}

void
fx_shape_result_type(struct fx_shape_call *call)
{
	struct fx_promotion promotion = { 0 };
	enum fx_dtype dtype;

	fx_promote_add(&promotion, fx_arg_at(call, 0));
	fx_promote_add(&promotion, fx_arg_at(call, 1));
	dtype = fx_promote_result(&promotion);
	if (dtype)
		call->result = fx_value_dtype(dtype);
	else
		fx_rule_give_up(call, "a dtype is not known");
}

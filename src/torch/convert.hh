/* convert.hh - values of the host to those of libtorch and back. */
#ifndef FX_TORCH_CONVERT_HH
#define FX_TORCH_CONVERT_HH

#include "torch/private.hh"
#include "torch/tensor.hh"

namespace fxs
{

/* What a schema wants for an argument, found once. */
struct Want {
	c10::TypeKind kind; /* of an item if a list */
	c10::TypePtr item;  /* its type */
	bool is_optional;
	bool is_list;
	bool has_optional_items;
	int repeat; /* one value stands for so many; 0: it does not */
};

inline c10::TypePtr
without_optional(const c10::TypePtr &type, bool *is_optional)
{
	*is_optional = type->kind() == c10::TypeKind::OptionalType;
	return *is_optional
		       ? type->castRaw<c10::OptionalType>()->getElementType()
		       : type;
}

inline Want
want_of(const c10::Argument &argument)
{
	Want want = {};
	c10::TypePtr type =
		without_optional(argument.real_type(), &want.is_optional);

	if (type->kind() == c10::TypeKind::ListType) {
		want.is_list = true;
		type = without_optional(type->castRaw<c10::ListType>()
						->getElementType(),
			&want.has_optional_items);
		if (argument.N())
			want.repeat = *argument.N();
	}
	want.item = type;
	want.kind = type->kind();
	if (want.kind == c10::TypeKind::SymIntType)
		want.kind = c10::TypeKind::IntType;
	return want;
}

/* How far a conversion is from the exact kind; the overload with the least
 * sum is taken.
 */
enum penalty {
	NEVER = -1,
	EXACT = 0,
	AS_SCALAR = 1,
	WIDENED = 2,
	FOLDED = 2,
	REPEATED = 3,
	FROM_TENSOR = 4,
	TO_TENSOR = 5,
	ANY = 6,
};

inline bool
is_number(const fxs_value &value)
{
	return value.tag == FXS_BOOL || value.tag == FXS_INT ||
	       value.tag == FXS_FLOAT || value.tag == FXS_COMPLEX;
}

inline bool
is_sequence(const fxs_value &value)
{
	return value.tag == FXS_LIST || value.tag == FXS_TUPLE;
}

/* A plain number as it is. */
inline IValue
number(const fxs_value &value)
{
	switch (value.tag) {
	case FXS_BOOL:
		return IValue(value.integer != 0);
	case FXS_INT:
		return IValue(value.integer);
	case FXS_FLOAT:
		return IValue(value.real);
	default:
		return IValue(c10::complex<double>(value.real,
			value.imaginary));
	}
}

/* The number in a tensor of no dimensions, or NEVER. */
inline int
number_of_tensor(const fxs_value &value, fxs_value *ret)
{
	const c10::TensorImpl *impl = impl_of(value.tensor);

	if (impl->dim() != 0)
		return NEVER;
	return item(value.tensor, ret) ? FROM_TENSOR : NEVER;
}

inline int
to_int(const fxs_value &value, IValue *ret)
{
	fxs_value plain;

	if (value.tag == FXS_TENSOR) {
		if (number_of_tensor(value, &plain) < 0 ||
			(plain.tag != FXS_INT && plain.tag != FXS_BOOL))
			return NEVER;
		*ret = IValue(plain.integer);
		return FROM_TENSOR;
	}
	if (value.tag != FXS_INT && value.tag != FXS_BOOL)
		return NEVER;
	*ret = IValue(value.integer);
	return value.tag == FXS_INT ? EXACT : WIDENED;
}

inline int
to_float(const fxs_value &value, IValue *ret)
{
	fxs_value plain = value;
	int penalty = value.tag == FXS_FLOAT ? EXACT : WIDENED;

	if (value.tag == FXS_TENSOR)
		penalty = number_of_tensor(value, &plain);
	if (penalty < 0 || !is_number(plain) || plain.tag == FXS_COMPLEX)
		return NEVER;
	*ret = IValue(plain.tag == FXS_FLOAT
			      ? plain.real
			      : static_cast<double>(plain.integer));
	return penalty;
}

inline int
to_scalar(const fxs_value &value, IValue *ret)
{
	fxs_value plain = value;
	int penalty = AS_SCALAR;

	if (value.tag == FXS_TENSOR)
		penalty = number_of_tensor(value, &plain);
	if (penalty < 0 || !is_number(plain))
		return NEVER;
	*ret = number(plain);
	return penalty;
}

inline int
to_tensor(const fxs_value &value, IValue *ret)
{
	if (value.tag == FXS_TENSOR) {
		*ret = IValue(borrow(value.tensor));
		return EXACT;
	}
	if (!is_number(value))
		return NEVER;
	*ret = IValue(wrapped_number(value));
	return TO_TENSOR;
}

inline int
to_device(const fxs_value &value, IValue *ret)
{
	if (value.tag != FXS_DEVICE && value.tag != FXS_STRING)
		return NEVER;
	try {
		c10::Device device(std::string(value.text, value.count));

		/* Here the processor is all that computes. */
		*ret = IValue(device.is_meta() ? device
					       : c10::Device(c10::kCPU));
	} catch (const std::exception &) {
		return NEVER;
	}
	return value.tag == FXS_DEVICE ? EXACT : AS_SCALAR;
}

/* The widest kind of number in VALUE, whose lists may have others too. */
inline uint8_t
widest_number(const fxs_value &value)
{
	uint8_t widest = is_number(value) ? value.tag : uint8_t(FXS_NONE);

	if (is_sequence(value))
		for (uint32_t i = 0; i < value.count; i++)
			widest =
				std::max(widest, widest_number(value.items[i]));
	return widest;
}

/* VALUE as a number of the wider kind TAG. */
inline IValue
widened(const fxs_value &value, uint8_t tag)
{
	fxs_value wide = value;

	wide.tag = tag;
	if (value.tag != FXS_FLOAT && value.tag != FXS_COMPLEX &&
		(tag == FXS_FLOAT || tag == FXS_COMPLEX))
		wide.real = static_cast<double>(value.integer);
	if (value.tag != FXS_COMPLEX)
		wide.imaginary = 0.0;
	return number(wide);
}

inline IValue any(const fxs_value &value, uint8_t tag, bool *fits);

/* A list whose items are all of one type, as torch.tensor takes it. */
inline IValue
any_list(const fxs_value &value, uint8_t tag, bool *fits)
{
	std::vector<IValue> items;
	c10::TypePtr type = c10::FloatType::get(); /* torch.tensor([]) */

	for (uint32_t i = 0; i < value.count; i++)
		items.push_back(any(value.items[i], tag, fits));
	if (*fits && !items.empty())
		type = items[0].type();
	c10::impl::GenericList list(type);

	for (IValue &one : items) {
		if (*fits && !(*one.type() == *type))
			*fits = false;
		list.push_back(std::move(one));
	}
	return IValue(list);
}

/* VALUE, the numbers in it of the kind TAG. */
inline IValue
any(const fxs_value &value, uint8_t tag, bool *fits)
{
	if (is_number(value))
		return widened(value, tag);
	if (is_sequence(value))
		return any_list(value, tag, fits);
	if (value.tag == FXS_TENSOR)
		return IValue(borrow(value.tensor));
	*fits = false;
	return IValue();
}

/* VALUE as one item of KIND; the penalty. */
inline int
to_item(c10::TypeKind kind, const fxs_value &value, IValue *ret)
{
	bool fits = true;

	switch (kind) {
	case c10::TypeKind::TensorType:
		return to_tensor(value, ret);
	case c10::TypeKind::IntType:
		return to_int(value, ret);
	case c10::TypeKind::FloatType:
		return to_float(value, ret);
	case c10::TypeKind::NumberType:
		return to_scalar(value, ret);
	case c10::TypeKind::BoolType:
		*ret = IValue(value.integer != 0);
		return value.tag == FXS_BOOL ? EXACT : NEVER;
	case c10::TypeKind::ComplexType:
		*ret = IValue(c10::complex<double>(value.real,
			value.imaginary));
		return value.tag == FXS_COMPLEX ? EXACT : NEVER;
	case c10::TypeKind::StringType:
		if (value.tag != FXS_STRING)
			return NEVER;
		*ret = IValue(std::string(value.text, value.count));
		return EXACT;
	case c10::TypeKind::DeviceObjType:
		return to_device(value, ret);
	case c10::TypeKind::ScalarTypeType:
		*ret = IValue(value.integer);
		return value.tag == FXS_DTYPE ? EXACT : NEVER;
	case c10::TypeKind::LayoutType:
		*ret = IValue(value.integer);
		return value.tag == FXS_LAYOUT ? EXACT : NEVER;
	case c10::TypeKind::MemoryFormatType:
		*ret = IValue(value.integer);
		return value.tag == FXS_MEMORY_FORMAT ? EXACT : NEVER;
	case c10::TypeKind::VarType:
	case c10::TypeKind::AnyType:
		*ret = any(value, widest_number(value), &fits);
		return fits ? ANY : NEVER;
	default:
		return NEVER;
	}
}

/* Lists of COUNT VALUES; each kind has its own type in libtorch. */
template <typename T>
int
typed_list(const Want &want, const fxs_value *values, size_t count, IValue *ret)
{
	c10::List<T> list;
	int worst = EXACT;
	IValue one;

	list.reserve(count);
	for (size_t i = 0; i < count; i++) {
		int penalty = to_item(want.kind, values[i], &one);

		if (penalty < 0)
			return NEVER;
		worst = std::max(worst, penalty);
		list.push_back(std::move(one).to<T>());
	}
	*ret = IValue(std::move(list));
	return worst;
}

inline int
generic_list(const Want &want, const fxs_value *values, size_t count,
	IValue *ret)
{
	c10::TypePtr type = want.has_optional_items
				    ? c10::OptionalType::create(want.item)
				    : want.item;
	c10::impl::GenericList list(type);
	int worst = EXACT;
	IValue one;

	for (size_t i = 0; i < count; i++) {
		int penalty = EXACT;

		if (want.has_optional_items && values[i].tag == FXS_NONE)
			one = IValue();
		else
			penalty = to_item(want.kind, values[i], &one);
		if (penalty < 0)
			return NEVER;
		worst = std::max(worst, penalty);
		list.push_back(std::move(one));
	}
	*ret = IValue(std::move(list));
	return worst;
}

inline int
to_list(const Want &want, const fxs_value *values, size_t count, IValue *ret)
{
	bool fits = true;
	fxs_value list = {};

	if (want.has_optional_items)
		return generic_list(want, values, count, ret);
	switch (want.kind) {
	case c10::TypeKind::IntType:
		return typed_list<int64_t>(want, values, count, ret);
	case c10::TypeKind::FloatType:
		return typed_list<double>(want, values, count, ret);
	case c10::TypeKind::BoolType:
		return typed_list<bool>(want, values, count, ret);
	case c10::TypeKind::TensorType:
		/* Numbers are no tensors in a list. */
		for (size_t i = 0; i < count; i++)
			if (values[i].tag != FXS_TENSOR)
				return NEVER;
		return typed_list<at::Tensor>(want, values, count, ret);
	case c10::TypeKind::VarType:
		list.tag = FXS_LIST;
		list.count = static_cast<uint32_t>(count);
		list.items = const_cast<fxs_value *>(values);
		*ret = any_list(list, widest_number(list), &fits);
		return fits ? ANY : NEVER;
	default:
		return generic_list(want, values, count, ret);
	}
}

/* VALUE as WANT says; the penalty, or NEVER. */
inline int
convert(const Want &want, const fxs_value &value, IValue *ret)
{
	int penalty;

	if (value.tag == FXS_NONE && want.is_optional) {
		*ret = IValue();
		return EXACT;
	}
	if (!want.is_list)
		return to_item(want.kind, value, ret);
	if (is_sequence(value))
		return to_list(want, value.items, value.count, ret);
	if (!want.repeat)
		return NEVER;
	std::vector<fxs_value> copies(static_cast<size_t>(want.repeat), value);

	penalty = to_list(want, copies.data(), copies.size(), ret);
	return penalty < 0 ? NEVER : penalty + REPEATED;
}

/* --- results ------------------------------------------------------------ */

inline void from_ivalue(IValue &&from, bool is_dtype, fxs_value *ret);

inline void
from_items(std::vector<IValue> &&items, enum fxs_tag tag, fxs_value *ret)
{
	ret->tag = tag;
	ret->count = static_cast<uint32_t>(items.size());
	ret->items = new fxs_value[items.size()]();
	for (size_t i = 0; i < items.size(); i++)
		from_ivalue(std::move(items[i]), false, &ret->items[i]);
}

inline void
from_text(const std::string &text, enum fxs_tag tag, fxs_value *ret)
{
	char *copy = new char[text.size() + 1];

	memcpy(copy, text.c_str(), text.size() + 1);
	ret->tag = tag;
	ret->count = static_cast<uint32_t>(text.size());
	ret->text = copy;
}

inline void
from_ivalue(IValue &&from, bool is_dtype, fxs_value *ret)
{
	*ret = fxs_value();
	if (from.isTensor()) {
		at::Tensor tensor = std::move(from).toTensor();

		if (!tensor.defined())
			return;
		ret->tag = FXS_TENSOR;
		ret->tensor = hand_out(std::move(tensor));
	} else if (from.isInt()) {
		ret->tag = is_dtype ? FXS_DTYPE : FXS_INT;
		ret->integer = from.toInt();
	} else if (from.isBool()) {
		ret->tag = FXS_BOOL;
		ret->integer = from.toBool();
	} else if (from.isDouble()) {
		ret->tag = FXS_FLOAT;
		ret->real = from.toDouble();
	} else if (from.isComplexDouble()) {
		ret->tag = FXS_COMPLEX;
		ret->real = from.toComplexDouble().real();
		ret->imaginary = from.toComplexDouble().imag();
	} else if (from.isString()) {
		from_text(from.toStringRef(), FXS_STRING, ret);
	} else if (from.isDevice()) {
		from_text(from.toDevice().str(), FXS_DEVICE, ret);
	} else if (from.isTuple()) {
		auto elements = from.toTupleRef().elements();
		std::vector<IValue> items(elements.begin(), elements.end());

		from_items(std::move(items), FXS_TUPLE, ret);
	} else if (from.isList()) {
		auto list = from.toListRef();
		std::vector<IValue> items(list.begin(), list.end());

		from_items(std::move(items), FXS_LIST, ret);
	} else if (!from.isNone()) {
		ret->tag = FXS_OTHER;
	}
}

inline void
free_value(fxs_value *value)
{
	if (value->tag == FXS_STRING || value->tag == FXS_DEVICE)
		delete[] value->text;
	if (value->tag != FXS_LIST && value->tag != FXS_TUPLE)
		return;
	for (uint32_t i = 0; i < value->count; i++)
		free_value(&value->items[i]);
	delete[] value->items;
}

} // namespace fxs

#endif // FX_TORCH_CONVERT_HH

/* literal.hh - tensors of numbers that stand in the code: torch.tensor.
 *
 * TorchScript's operator first makes a tensor of the default dtype, float32, of
 * what is no whole number, and casts that.  Python casts the numbers, so they
 * stay doubles here until then.
 */
#ifndef FX_TORCH_LITERAL_HH
#define FX_TORCH_LITERAL_HH

#include <c10/core/DefaultDtype.h>

#include "torch/private.hh"

namespace fxs
{

/* As the default dtype, while it lives. */
class DoubleDefault
{
      public:
	DoubleDefault() : before(c10::get_default_dtype())
	{
		c10::set_default_dtype(caffe2::TypeMeta::Make<double>());
	}

	~DoubleDefault()
	{
		c10::set_default_dtype(before);
	}

	DoubleDefault(const DoubleDefault &) = delete;
	DoubleDefault &operator=(const DoubleDefault &) = delete;

      private:
	caffe2::TypeMeta before;
};

/* Whether SCHEMA makes a tensor of numbers, and has their dtype second. */
inline bool
is_literal(const c10::FunctionSchema &schema)
{
	const auto &arguments = schema.arguments();

	return (schema.name() == "aten::tensor" ||
		       schema.name() == "aten::as_tensor") &&
	       arguments.size() > 1 && arguments[1].name() == "dtype" &&
	       arguments[0].type()->kind() != c10::TypeKind::TensorType;
}

/* RESULT, made without a dtype, in that which Python would have chosen. */
inline void
narrow(IValue *result)
{
	c10::ScalarType usual =
		c10::typeMetaToScalarType(c10::get_default_dtype());
	at::Tensor tensor = result->toTensor();

	if (tensor.scalar_type() == c10::ScalarType::Double)
		*result = tensor.toType(usual);
	else if (tensor.scalar_type() == c10::ScalarType::ComplexDouble)
		*result = tensor.toType(c10::toComplexType(usual));
}

/* Whether VALUE is a list, of lists or not, of complex numbers. */
inline bool
is_complex_list(const IValue &value)
{
	return value.isList() && !value.toListRef().empty() &&
	       (value.toListRef()[0].isComplexDouble() ||
		       is_complex_list(value.toListRef()[0]));
}

/* The real parts of such a list, or the imaginary ones. */
inline IValue
part_of(const IValue &value, bool is_real)
{
	std::vector<IValue> parts;

	if (!value.isList()) {
		c10::complex<double> whole = value.toComplexDouble();

		return IValue(is_real ? whole.real() : whole.imag());
	}
	for (const IValue &each : value.toListRef())
		parts.push_back(part_of(each, is_real));
	c10::impl::GenericList list(parts.empty() ? c10::FloatType::get()
						  : parts[0].type());

	for (IValue &part : parts)
		list.push_back(std::move(part));
	return IValue(list);
}

/* The operator takes no lists of complex numbers: it makes a tensor of the real
 * parts and one of the others.
 */
template <typename Run>
void
run_complex(Stack &stack, Run run)
{
	IValue dtype = stack[1];
	Stack real = stack;
	Stack imaginary = stack;

	TORCH_CHECK(dtype.isNone() || c10::isComplexType(dtype.toScalarType()),
		"a complex number does not fit a tensor of dtype ",
		dtype.isNone() ? "" : c10::toString(dtype.toScalarType()));
	real[0] = part_of(stack[0], true);
	imaginary[0] = part_of(stack[0], false);
	real[1] = imaginary[1] = IValue();
	run(real);
	run(imaginary);
	stack = { real[0], imaginary[0] };
	c10::Dispatcher::singleton()
		.findSchemaOrThrow("aten::complex", "")
		.callBoxed(&stack);
	if (!dtype.isNone())
		stack[0] = stack[0].toTensor().toType(dtype.toScalarType());
}

/* Run RUN, such an operator, on the arguments on STACK. */
template <typename Run>
void
run_literal(Stack &stack, Run run)
{
	bool is_free = stack.size() > 1 && stack[1].isNone();

	{
		DoubleDefault lasts;

		if (is_complex_list(stack[0]))
			run_complex(stack, run);
		else
			run(stack);
	}
	if (is_free && stack.size() == 1 && stack[0].isTensor())
		narrow(&stack[0]);
}

} // namespace fxs

#endif // FX_TORCH_LITERAL_HH

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

/* Run RUN, such an operator, on the arguments on STACK. */
template <typename Run>
void
run_literal(Stack &stack, Run run)
{
	bool is_free = stack.size() > 1 && stack[1].isNone();

	{
		DoubleDefault lasts;

		run(stack);
	}
	if (is_free && stack.size() == 1 && stack[0].isTensor())
		narrow(&stack[0]);
}

} // namespace fxs

#endif // FX_TORCH_LITERAL_HH

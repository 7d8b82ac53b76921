/* bounds.hh - tensors that lie within their storage.
 *
 * Some operators lay a tensor over a storage as they are told and check
 * nothing (_reshape_alias): what reads or writes the result would touch memory
 * of others.  So results are looked at before anybody gets them, and for those
 * that read at once (_reshape_alias_copy) what they are told.
 */
#ifndef FX_TORCH_BOUNDS_HH
#define FX_TORCH_BOUNDS_HH

#include <sstream>

#include "torch/tensor.hh"

namespace fxs
{

__extension__ typedef __int128 Wide; /* of sizes times strides */

/* Whether elements laid so have all their bytes in BYTE_COUNT. */
inline bool
lies_within(c10::IntArrayRef sizes, c10::IntArrayRef strides, int64_t offset,
	size_t element_size, size_t byte_count)
{
	Wide room = static_cast<Wide>(byte_count / element_size);
	Wide first = offset;
	Wide last = offset;

	for (int64_t size : sizes)
		if (size == 0)
			return true;
	for (size_t i = 0; i < sizes.size(); i++) {
		Wide reach = static_cast<Wide>(sizes[i] - 1) * strides[i];

		(reach < 0 ? first : last) += reach;
		/* Sums of many such would not fit either. */
		if (sizes[i] < 0 || first < 0 || last >= room)
			return false;
	}
	return first >= 0 && last < room;
}

[[noreturn]] inline void
refuse_bounds(c10::IntArrayRef sizes, c10::IntArrayRef strides, int64_t offset,
	size_t byte_count)
{
	std::ostringstream text;

	text << "a tensor of sizes " << sizes << " with strides " << strides
	     << " from element " << offset << " does not lie in its storage of "
	     << byte_count << " bytes";
	throw std::out_of_range(text.str());
}

inline void
check_tensor(const at::Tensor &tensor)
{
	c10::TensorImpl *impl = tensor.unsafeGetTensorImpl();
	size_t element_size;

	if (!tensor.defined() || !has_elements(impl) || !impl->numel())
		return;
	element_size = impl->itemsize();
	/* Most are one element after the other. */
	if (impl->is_contiguous() && impl->storage_offset() >= 0 &&
		(Wide(impl->storage_offset()) + impl->numel()) *
				static_cast<Wide>(element_size) <=
			static_cast<Wide>(impl->storage().nbytes()))
		return;
	if (!element_size || lies_within(impl->sizes(), impl->strides(),
				     impl->storage_offset(), element_size,
				     impl->storage().nbytes()))
		return;
	std::vector<int64_t> sizes = impl->sizes().vec();
	std::vector<int64_t> strides = impl->strides().vec();
	int64_t offset = impl->storage_offset();

	/* It may be an argument too: then it is of no elements from now on. */
	if (impl->allow_tensor_metadata_change()) {
		impl->set_storage_offset(0);
		impl->set_sizes_contiguous({ 0 });
	}
	refuse_bounds(sizes, strides, offset, impl->storage().nbytes());
}

inline void
check_bounds(const IValue &value)
{
	if (value.isTensor()) {
		check_tensor(value.toTensor());
	} else if (value.isTensorList()) {
		for (const at::Tensor &tensor : value.toTensorVector())
			check_tensor(tensor);
	} else if (value.isList()) {
		for (const IValue &item : value.toListRef())
			check_bounds(item);
	} else if (value.isTuple()) {
		for (const IValue &item : value.toTupleRef().elements())
			check_bounds(item);
	}
}

/* Whether an operator copies what it finds at sizes and strides it is told. */
inline bool
copies_as_told(const c10::FunctionSchema &schema)
{
	const std::string &name = schema.name();
	const auto &arguments = schema.arguments();

	return arguments.size() >= 3 && name.size() > 5 &&
	       !name.compare(name.size() - 5, 5, "_copy") &&
	       arguments[1].name() == "size" && arguments[2].name() == "stride";
}

/* Of such an operator, with its arguments on STACK. */
inline void
check_told(const Stack &stack)
{
	const at::Tensor &tensor = stack[0].toTensor();
	std::vector<int64_t> sizes = stack[1].toIntVector();
	std::vector<int64_t> strides = stack[2].toIntVector();
	c10::TensorImpl *impl = tensor.unsafeGetTensorImpl();
	int64_t offset = impl->storage_offset();

	if (stack.size() > 3 && stack[3].isInt())
		offset = stack[3].toInt();
	if (sizes.size() == strides.size() && has_elements(impl) &&
		!lies_within(sizes, strides, offset, impl->itemsize(),
			impl->storage().nbytes()))
		refuse_bounds(sizes, strides, offset, impl->storage().nbytes());
}

} // namespace fxs

#endif // FX_TORCH_BOUNDS_HH

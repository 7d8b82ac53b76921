/* apart.hh - writing in place without losing what was there.
 *
 * A debugger that goes back has to keep the bytes that an operator overwrites.
 * Instead of copying them first, the operator that gives a new tensor is run
 * (relu for relu_), and the storage takes over the new memory: all its views
 * see the new values, and the old memory is what is kept.
 */
#ifndef FX_TORCH_APART_HH
#define FX_TORCH_APART_HH

#include "torch/match.hh"

namespace fxs
{

/* Whether both take the same, and APART writes and shares none of it. */
inline bool
is_apart(const c10::FunctionSchema &in_place, const c10::FunctionSchema &apart)
{
	const auto &arguments = apart.arguments();

	if (arguments.size() != in_place.arguments().size() ||
		apart.returns().size() != 1 || apart.returns()[0].alias_info())
		return false;
	for (size_t i = 0; i < arguments.size(); i++) {
		const c10::Argument &other = in_place.arguments()[i];
		auto kind = arguments[i].real_type()->kind();

		if (arguments[i].name() != other.name() ||
			!(*arguments[i].type() == *other.type()) ||
			arguments[i].alias_info() ||
			is_written(other) != (i == 0) ||
			kind == c10::TypeKind::GeneratorType)
			return false;
	}
	return true;
}

/* The operator that gives what the one of SCHEMA writes, or null. */
inline OperatorPtr
apart_of(const c10::FunctionSchema &schema)
{
	std::string name = schema.name();

	if (name.back() != '_' || schema.returns().size() != 1)
		return nullptr;
	name.pop_back();
	for (const OperatorPtr &one : operators_of(name.c_str()))
		if (is_apart(schema, one->schema()))
			return one;
	return nullptr;
}

/* Whether TENSOR is all of its storage, whose memory may be exchanged. */
inline bool
fills_storage(const at::Tensor &tensor)
{
	const c10::TensorImpl *impl = tensor.unsafeGetTensorImpl();
	size_t bytes =
		static_cast<size_t>(impl->numel()) * impl->dtype().itemsize();

	return impl->layout() == c10::kStrided && impl->has_storage() &&
	       impl->device().is_cpu() && impl->storage_offset() == 0 &&
	       bytes && impl->is_non_overlapping_and_dense() &&
	       impl->storage().nbytes() == bytes &&
	       !impl->key_set().has(c10::DispatchKey::Conjugate) &&
	       !impl->key_set().has(c10::DispatchKey::Negative);
}

/* Who refers to the tensor, or to its storage by another one. */
inline size_t
holders_of(const c10::TensorImpl *impl)
{
	size_t own = c10::raw::intrusive_ptr::use_count(const_cast<
		c10::TensorImpl *>(impl));

	if (!impl->has_storage())
		return SIZE_MAX;
	return own + impl->storage().use_count() - 1;
}

/* Whether the memory of FRESH, which nobody else has, can be TENSOR's. */
inline bool
can_replace(const at::Tensor &tensor, const at::Tensor &fresh)
{
	return fresh.defined() && fresh.dtype() == tensor.dtype() &&
	       fills_storage(fresh) &&
	       holders_of(fresh.unsafeGetTensorImpl()) == 1 &&
	       fresh.sizes() == tensor.sizes() &&
	       fresh.strides() == tensor.strides();
}

/* The storage gets MEMORY; its own becomes KEPT. */
inline void
exchange(c10::Storage storage, c10::DataPtr &&memory, struct fxs_memory *kept)
{
	c10::DataPtr old = storage.set_data_ptr(std::move(memory));

	kept->byte_count = storage.nbytes();
	kept->bytes = old.get();
	kept->release = old.get_deleter();
	kept->context = old.release_context();
}

/* What lies in memory of the host's gets a copy of its own. */
inline void
own_memory(const at::Tensor &tensor, struct fxs_memory *kept)
{
	if (!has_elements(tensor.unsafeGetTensorImpl()) ||
		!is_of_host(tensor.storage()) || !tensor.storage().nbytes())
		return;
	c10::Storage storage = tensor.storage();
	size_t bytes = storage.nbytes();
	c10::DataPtr memory = storage.allocator()->allocate(bytes);

	memcpy(memory.get(), storage.data_ptr().get(), bytes);
	exchange(std::move(storage), std::move(memory), kept);
}

} // namespace fxs

#endif // FX_TORCH_APART_HH

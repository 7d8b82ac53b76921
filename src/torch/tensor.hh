/* tensor.hh - tensors in and out, and the random generator. */
#ifndef FX_TORCH_TENSOR_HH
#define FX_TORCH_TENSOR_HH

#include <cstring>

#include "torch/private.hh"

namespace fxs
{

inline int
dtype_of(const c10::TensorImpl *impl)
{
	return static_cast<int>(c10::typeMetaToScalarType(impl->dtype()));
}

inline bool
is_known_dtype(int dtype)
{
	if (dtype < 0 || dtype >= static_cast<int>(c10::ScalarType::NumOptions))
		return false;
	return !c10::isQIntType(static_cast<c10::ScalarType>(dtype)) &&
	       static_cast<c10::ScalarType>(dtype) !=
		       c10::ScalarType::Undefined;
}

/* Of sizes that the host checked not to overflow. */
inline std::vector<int64_t>
contiguous_strides(const int64_t *sizes, size_t rank)
{
	std::vector<int64_t> strides(rank);
	int64_t step = 1;

	for (size_t i = rank; i-- > 0;) {
		strides[i] = step;
		step *= std::max<int64_t>(sizes[i], 1);
	}
	return strides;
}

inline at::Tensor
in_storage(c10::Storage &&storage, c10::ScalarType dtype,
	c10::IntArrayRef sizes, c10::IntArrayRef strides, int64_t offset)
{
	at::Tensor tensor =
		at::detail::make_tensor<c10::TensorImpl>(std::move(storage),
			c10::DispatchKeySet(c10::DispatchKey::CPU),
			caffe2::TypeMeta::fromScalarType(dtype));
	c10::TensorImpl *impl = tensor.unsafeGetTensorImpl();

	impl->set_sizes_and_strides(sizes, strides);
	impl->set_storage_offset(offset);
	return tensor;
}

inline at::Tensor
empty(c10::ScalarType dtype, const int64_t *sizes, size_t rank)
{
	std::vector<int64_t> strides = contiguous_strides(sizes, rank);
	size_t bytes = c10::elementSize(dtype);

	for (size_t i = 0; i < rank; i++)
		bytes *= static_cast<size_t>(sizes[i]);
	c10::Allocator *allocator = c10::GetCPUAllocator();
	c10::Storage storage(c10::Storage::use_byte_size_t(), bytes,
		allocator->allocate(bytes), allocator, true);

	return in_storage(std::move(storage), dtype,
		c10::IntArrayRef(sizes, rank), strides, 0);
}

inline void *
first_byte(const at::Tensor &tensor)
{
	char *base = static_cast<char *>(tensor.storage().data_ptr().get());

	return base + tensor.storage_offset() *
			      static_cast<int64_t>(tensor.dtype().itemsize());
}

/* A number as Python's arithmetic with tensors takes it: a tensor of no
 * dimensions that does not decide the dtype.
 */
inline at::Tensor
wrapped_number(const fxs_value &value)
{
	c10::ScalarType dtype = value.tag == FXS_BOOL  ? c10::ScalarType::Bool
				: value.tag == FXS_INT ? c10::ScalarType::Long
				: value.tag == FXS_FLOAT
					? c10::ScalarType::Double
					: c10::ScalarType::ComplexDouble;
	at::Tensor tensor = empty(dtype, nullptr, 0);
	void *to = first_byte(tensor);

	if (value.tag == FXS_BOOL)
		*static_cast<bool *>(to) = value.integer != 0;
	else if (value.tag == FXS_INT)
		*static_cast<int64_t *>(to) = value.integer;
	else if (value.tag == FXS_FLOAT)
		*static_cast<double *>(to) = value.real;
	else
		*static_cast<c10::complex<double> *>(to) =
			c10::complex<double>(value.real, value.imaginary);
	tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
	return tensor;
}

/* Elements can be read from where the storage begins. */
inline bool
has_elements(const c10::TensorImpl *impl)
{
	return impl->layout() == c10::kStrided && impl->has_storage() &&
	       impl->device().is_cpu();
}

template <typename T>
T
element(const at::Tensor &tensor)
{
	T value;

	memcpy(&value, first_byte(tensor), sizeof(value));
	return value;
}

/* The one element of a tensor as a plain number. */
inline bool
item(const struct fxs_tensor *handle, fxs_value *ret)
{
	at::Tensor tensor = borrow(handle);
	double real = 0.0;

	if (!has_elements(impl_of(handle)) || tensor.numel() != 1 ||
		tensor.is_conj() || tensor.is_neg())
		return false;
	*ret = fxs_value();
	ret->tag = FXS_INT;
	switch (tensor.scalar_type()) {
	case c10::ScalarType::Bool:
		ret->tag = FXS_BOOL;
		ret->integer = element<uint8_t>(tensor) != 0;
		return true;
	case c10::ScalarType::Byte:
		ret->integer = element<uint8_t>(tensor);
		return true;
	case c10::ScalarType::Char:
		ret->integer = element<int8_t>(tensor);
		return true;
	case c10::ScalarType::Short:
		ret->integer = element<int16_t>(tensor);
		return true;
	case c10::ScalarType::Int:
		ret->integer = element<int32_t>(tensor);
		return true;
	case c10::ScalarType::Long:
		ret->integer = element<int64_t>(tensor);
		return true;
	case c10::ScalarType::Half:
		real = static_cast<float>(element<c10::Half>(tensor));
		break;
	case c10::ScalarType::BFloat16:
		real = static_cast<float>(element<c10::BFloat16>(tensor));
		break;
	case c10::ScalarType::Float:
		real = element<float>(tensor);
		break;
	case c10::ScalarType::Double:
		real = element<double>(tensor);
		break;
	default:
		return false;
	}
	ret->tag = FXS_FLOAT;
	ret->real = real;
	return true;
}

/* The result of an operator with one tensor in and one out. */
inline at::Tensor
apply(const char *name, Stack &&stack)
{
	auto operators = torch::jit::
		getAllOperatorsFor(c10::Symbol::fromQualString(name));

	for (const auto &one : operators) {
		if (one->schema().arguments().size() != stack.size())
			continue;
		one->getOperation()(stack);
		return std::move(stack[0]).toTensor();
	}
	throw std::runtime_error(std::string("no operator ") + name);
}

/* Steps of two dimensions, in bytes. */
struct Steps {
	int64_t row;
	int64_t column;
};

/* ROWS x COLUMNS elements one after another.  The shorter step runs in the
 * inner loop, so that what is read lies together.
 */
template <size_t Size>
void
copy_block(const char *from, int64_t rows, int64_t columns, Steps steps,
	char *to)
{
	constexpr int64_t size = Size;

	if (steps.row < steps.column) {
		for (int64_t column = 0; column < columns; column++)
			for (int64_t row = 0; row < rows; row++)
				memcpy(to + (row * columns + column) * size,
					from + row * steps.row +
						column * steps.column,
					Size);
		return;
	}
	for (int64_t row = 0; row < rows; row++)
		for (int64_t column = 0; column < columns; column++)
			memcpy(to + (row * columns + column) * size,
				from + row * steps.row + column * steps.column,
				Size);
}

/* A walk over a tensor in row-major order. */
struct Walk {
	c10::IntArrayRef sizes;
	c10::IntArrayRef strides;
	std::vector<int64_t> at;

	Walk(const at::Tensor &tensor, uint64_t first)
	    : sizes(tensor.sizes()), strides(tensor.strides()), at(sizes.size())
	{
		for (size_t i = sizes.size(); i-- > 0;) {
			uint64_t length = static_cast<uint64_t>(sizes[i]);

			at[i] = static_cast<int64_t>(first % length);
			first /= length;
		}
	}

	int64_t offset() const
	{
		int64_t sum = 0;

		for (size_t i = 0; i < at.size(); i++)
			sum += at[i] * strides[i];
		return sum;
	}

	/* By STEP in the dimension I, which that may fill up. */
	void advance(size_t i, int64_t step)
	{
		at[i] += step;
		while (i > 0 && at[i] >= sizes[i]) {
			at[i] = 0;
			at[--i]++;
		}
	}
};

/* Row-major copies of COUNT elements from FIRST: blocks of the last two
 * dimensions, or what is there of a row.
 */
template <size_t Size>
void
copy_elements(const at::Tensor &tensor, uint64_t first, size_t count,
	char *bytes)
{
	constexpr int64_t size = Size;
	const char *base = static_cast<const char *>(first_byte(tensor));
	Walk walk(tensor, first);
	size_t last = walk.sizes.size() - 1;
	int64_t columns = walk.sizes[last];
	Steps steps = { 0, walk.strides[last] * size };

	if (last > 0)
		steps.row = walk.strides[last - 1] * size;
	while (count > 0) {
		const char *from = base + walk.offset() * size;
		int64_t left = static_cast<int64_t>(count);
		int64_t rows = 1;
		int64_t run = std::min(left, columns - walk.at[last]);

		if (last > 0 && run == columns)
			rows = std::min(left / columns,
				walk.sizes[last - 1] - walk.at[last - 1]);
		copy_block<Size>(from, rows, run, steps, bytes);
		if (rows > 1)
			walk.advance(last - 1, rows);
		else
			walk.advance(last, run);
		bytes += rows * run * size;
		count -= static_cast<size_t>(rows * run);
	}
}

inline void
copy_strided(const at::Tensor &tensor, uint64_t first, size_t count,
	char *bytes)
{
	switch (tensor.dtype().itemsize()) {
	case 1:
		return copy_elements<1>(tensor, first, count, bytes);
	case 2:
		return copy_elements<2>(tensor, first, count, bytes);
	case 4:
		return copy_elements<4>(tensor, first, count, bytes);
	case 8:
		return copy_elements<8>(tensor, first, count, bytes);
	case 16:
		return copy_elements<16>(tensor, first, count, bytes);
	default:
		throw std::runtime_error("elements of an unknown size");
	}
}

inline void *
read_elements(const struct fxs_tensor *handle, uint64_t first, size_t count,
	void *bytes)
{
	at::Tensor tensor = borrow(handle);
	uint64_t numel;

	if (!has_elements(impl_of(handle)))
		return failed(FXS_NO_DATA,
			"only dense tensors on the CPU can be read");
	if (tensor.is_conj())
		tensor = apply("aten::resolve_conj", { tensor });
	if (tensor.is_neg())
		tensor = apply("aten::resolve_neg", { tensor });
	numel = static_cast<uint64_t>(tensor.numel());
	if (first > numel || count > numel - first)
		return failed(FXS_NO_DATA, "there are fewer elements");
	if (!count)
		return nullptr;
	if (tensor.is_contiguous())
		memcpy(bytes,
			static_cast<char *>(first_byte(tensor)) +
				first * tensor.dtype().itemsize(),
			count * tensor.dtype().itemsize());
	else
		copy_strided(tensor, first, count, static_cast<char *>(bytes));
	return nullptr;
}

inline void *
new_tensor(int dtype, const int64_t *sizes, size_t rank, const void *bytes,
	struct fxs_tensor **ret)
{
	if (!is_known_dtype(dtype))
		return failed(FXS_NO_DATA, "this libtorch lacks the dtype");
	at::Tensor tensor =
		empty(static_cast<c10::ScalarType>(dtype), sizes, rank);
	size_t size = tensor.storage().nbytes();

	if (size && bytes)
		memcpy(first_byte(tensor), bytes, size);
	else if (size)
		memset(first_byte(tensor), 0, size);
	*ret = hand_out(std::move(tensor));
	return nullptr;
}

inline void *
random_tensor(int dtype, const int64_t *sizes, size_t rank, uint64_t seed,
	struct fxs_tensor **ret)
{
	c10::ScalarType type = static_cast<c10::ScalarType>(dtype);
	void *err = new_tensor(dtype, sizes, rank, nullptr, ret);

	if (err || (!c10::isFloatingType(type) && !c10::isComplexType(type)))
		return err;
	at::Tensor tensor = borrow(*ret);

	try {
		apply("aten::normal_",
			{ tensor, 0.0, 1.0,
				at::detail::createCPUGenerator(seed) });
	} catch (...) {
		c10::raw::intrusive_ptr::decref(impl_of(*ret));
		throw;
	}
	return nullptr;
}

struct Lease {
	void (*release)(void *context);
	void *context;
};

inline void
end_lease(void *pointer)
{
	Lease *lease = static_cast<Lease *>(pointer);

	if (lease->release)
		lease->release(lease->context);
	delete lease;
}

/* Whether the memory is the host's, not to be written. */
inline bool
is_of_host(const c10::Storage &storage)
{
	return storage.data_ptr().get_deleter() == end_lease;
}

/* The storage that MEMORY says, and its lease; null where another tensor has
 * both already.
 */
inline c10::Storage
storage_of_memory(const struct fxs_memory *memory, Lease **lease_ret)
{
	c10::Allocator *allocator = c10::GetCPUAllocator();

	*lease_ret = nullptr;
	if (memory->beside)
		return borrow(memory->beside).storage();
	*lease_ret = new Lease{ nullptr, memory->context };
	return c10::Storage(c10::Storage::use_byte_size_t(), memory->byte_count,
		c10::DataPtr(memory->bytes, *lease_ret, end_lease,
			c10::Device(c10::DeviceType::CPU)),
		allocator, true);
}

inline void *
tensor_in_memory(const struct fxs_memory *memory, struct fxs_tensor **ret)
{
	std::vector<int64_t> strides;

	if (!is_known_dtype(memory->dtype))
		return failed(FXS_NO_DATA, "this libtorch lacks the dtype");
	if (memory->strides)
		strides.assign(memory->strides, memory->strides + memory->rank);
	else
		strides = contiguous_strides(memory->sizes, memory->rank);
	Lease *lease;
	c10::Storage storage = storage_of_memory(memory, &lease);

	at::Tensor tensor = in_storage(std::move(storage),
		static_cast<c10::ScalarType>(memory->dtype),
		c10::IntArrayRef(memory->sizes, memory->rank), strides,
		memory->offset);

	/* Some operators choose a kernel by it, linear in 2.x among them. */
	if (memory->requires_grad && tensor.is_floating_point())
		tensor.set_requires_grad(true);
	*ret = hand_out(std::move(tensor));
	/* From here on it is the tensor that owns. */
	if (lease)
		lease->release = memory->release;
	return nullptr;
}

} // namespace fxs

#endif // FX_TORCH_TENSOR_HH

/* private.hh - what the parts of the shim share.
 *
 * Headers are chosen for their size: torch/script.h or torch/torch.h would
 * double the time and memory that compiling takes.
 */
#ifndef FX_TORCH_PRIVATE_HH
#define FX_TORCH_PRIVATE_HH

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/jit_type.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/GradMode.h>
#include <c10/core/ScalarTypeToTypeMeta.h>
#include <c10/util/Exception.h>
#include <torch/csrc/jit/runtime/operator.h>
#include <torch/version.h>

#include <string>
#include <vector>

#include "torch/shim.h"

namespace fxs
{

using c10::IValue;
using Stack = std::vector<IValue>;

extern const struct fxs_host *host;

/* A handle is a TensorImpl with one reference counted for it. */
inline c10::TensorImpl *
impl_of(const struct fxs_tensor *handle)
{
	return reinterpret_cast<
		c10::TensorImpl *>(const_cast<struct fxs_tensor *>(handle));
}

/* A tensor that shares what HANDLE stands for. */
inline at::Tensor
borrow(const struct fxs_tensor *handle)
{
	return at::Tensor(c10::intrusive_ptr<c10::TensorImpl,
		c10::UndefinedTensorImpl>::
			unsafe_reclaim_from_nonowning(impl_of(handle)));
}

inline struct fxs_tensor *
hand_out(at::Tensor tensor)
{
	return reinterpret_cast<
		struct fxs_tensor *>(tensor.unsafeReleaseTensorImpl());
}

/* The first line that says something. */
inline void *
failed(enum fxs_failure failure, const std::string &text)
{
	size_t begin = text.find_first_not_of(" \n");
	size_t end;

	if (begin == std::string::npos)
		return host->error_new(failure, "no reason given", 15);
	end = text.find('\n', begin);
	if (end == std::string::npos)
		end = text.size();
	return host->error_new(failure, text.data() + begin, end - begin);
}

inline bool
is_about_memory(const std::string &text)
{
	return text.find("can't allocate memory") != std::string::npos;
}

/* Run BODY, which returns null or an error; no exception comes out. */
template <typename Body>
void *
guarded(Body body) noexcept
{
	try {
		return body();
	} catch (const std::bad_alloc &) {
		return failed(FXS_NO_MEMORY, "out of memory");
	} catch (const c10::Error &error) {
		std::string text = error.what_without_backtrace();

		return failed(is_about_memory(text) ? FXS_NO_MEMORY
						    : FXS_RAISED,
			text);
	} catch (const std::exception &error) {
		return failed(FXS_RAISED, error.what());
	} catch (...) {
		return failed(FXS_RAISED, "an unknown exception");
	}
}

/* Whether BODY ran to its end, where nobody is told of a failure. */
template <typename Body>
bool
tried(Body body) noexcept
{
	try {
		body();
		return true;
	} catch (...) {
		return false;
	}
}

} // namespace fxs

#endif // FX_TORCH_PRIVATE_HH

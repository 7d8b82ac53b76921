/* shim.cc - libtorch's operators by name, as plain C functions.
 *
 * One source for every libtorch from 1.13 on.  Operators are found by name
 * and called boxed; nothing here knows any operator.
 */
#include "torch/shim.h"

#include <chrono>

#include "torch/apart.hh"
#include "torch/convert.hh"
#include "torch/match.hh"
#include "torch/memory.hh"
#include "torch/plan.hh"
#include "torch/private.hh"
#include "torch/tensor.hh"

#ifndef FXS_SOURCE_ID
#define FXS_SOURCE_ID "unknown"
#endif

const struct fxs_host *fxs::host;

using fxs::failed;
using fxs::guarded;
using fxs::host;
using fxs::tried;

namespace
{

/* Of the call that runs, kept for its memory: calls do not nest. */
fxs::Stack stack;

/* --- operators ---------------------------------------------------------- */

bool
has(const char *name)
{
	bool found = false;

	return tried([&] { found = !fxs::operators_of(name).empty(); }) &&
	       found;
}

void
schemas(const char *name, fxs_schema_fn *each, void *context)
{
	(void)tried([&] {
		for (const auto &one : fxs::operators_of(name)) {
			std::string text = toString(one->schema());

			each(context, text.data(), text.size());
		}
	});
}

uint64_t
writes(const struct fxs_site *site)
{
	uint64_t bits = 0;

	(void)tried([&] {
		for (const auto &one : fxs::operators_of(site->name))
			if (fxs::is_overload(one->schema(), site->overload))
				bits |= fxs::written_by(one->schema(), site);
	});
	return bits;
}

void *
match(const struct fxs_site *site, struct fxs_plan **ret)
{
	return guarded([&]() -> void * {
		auto operators = fxs::operators_of(site->name);
		fxs::Match found;
		fxs::OperatorPtr best;

		if (operators.empty())
			return failed(FXS_NO_OPERATOR,
				std::string("torch " TORCH_VERSION
					    " has no operator ") +
					site->name);
		best = fxs::best_overload(operators, site, &found);
		if (!best)
			return failed(FXS_NO_MATCH,
				fxs::no_match_text(site, operators));
		std::unique_ptr<fxs_plan> plan(new fxs_plan(best));

		plan->fills = std::move(found.fills);
		plan->last.resize(plan->fills.size());
		plan->positional = site->count - site->keyword_count;
		const auto &returns = best->schema().returns();

		plan->returns_dtype = returns.size() == 1 &&
				      returns[0].real_type()->kind() ==
					      c10::TypeKind::ScalarTypeType;
		*ret = plan.release();
		return nullptr;
	});
}

void
plan_free(struct fxs_plan *plan)
{
	delete plan;
}

void
plan_schema(const struct fxs_plan *plan, fxs_schema_fn *each, void *context)
{
	(void)tried([&] {
		std::string text = toString(plan->found->schema());

		each(context, text.data(), text.size());
	});
}

/* --- calls -------------------------------------------------------------- */

/* Whether anything in VALUES is new: else what was converted last is good. */
bool
is_same(const fxs_value *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (values[i].tag != FXS_SAME)
			return false;
	return true;
}

/* Whether one of VALUES holds a tensor, which would live as long as the plan.
 * What holds none may come as FXS_SAME the next time, whatever the operator
 * takes: torch.tensor([1, 2]) takes anything.
 */
bool
holds_tensor(const fxs_value *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (values[i].tag == FXS_TENSOR ||
			((values[i].tag == FXS_LIST ||
				 values[i].tag == FXS_TUPLE) &&
				holds_tensor(values[i].items, values[i].count)))
			return true;
	return false;
}

bool
push_converted(struct fxs_plan *plan, size_t i, const struct fxs_value *values)
{
	const fxs::Fill &fill = plan->fills[i];
	const fxs_value &value = values[fill.source];
	size_t count = fill.is_folded ? plan->positional - i : 1;
	c10::IValue converted;
	int penalty;

	if (fill.is_folded) {
		if (is_same(values + i, count)) {
			stack.push_back(plan->last[i]);
			return true;
		}
		/* One alone may be the list itself the next time. */
		penalty =
			fxs::to_list(fill.want, values + i, count, &converted);
	} else if (value.tag == FXS_SAME) {
		stack.push_back(plan->last[i]);
		return true;
	} else {
		penalty = fxs::convert(fill.want, value, &converted);
	}
	if (penalty < 0)
		return false;
	if (!holds_tensor(fill.is_folded ? values + i : &value, count))
		plan->last[i] = converted;
	stack.push_back(std::move(converted));
	return true;
}

/* The arguments on the stack; false if the values need another match. */
bool
fill_stack(struct fxs_plan *plan, const struct fxs_value *values)
{
	stack.clear();
	for (size_t i = 0; i < plan->fills.size(); i++) {
		const fxs::Fill &fill = plan->fills[i];

		if (fill.source < 0) {
			stack.push_back(fill.constant);
			continue;
		}
		const fxs_value &value = values[fill.source];

		if (value.tag == FXS_TENSOR && fill.is_tensor)
			stack.emplace_back(fxs::borrow(value.tensor));
		else if (!push_converted(plan, i, values))
			return false;
	}
	return true;
}

void
take_results(struct fxs_plan *plan, struct fxs_value *ret)
{
	if (stack.size() == 1) {
		fxs::from_ivalue(std::move(stack[0]), plan->returns_dtype, ret);
	} else if (stack.empty()) {
		*ret = fxs_value();
	} else {
		std::vector<c10::IValue>
			items(std::make_move_iterator(stack.begin()),
				std::make_move_iterator(stack.end()));

		fxs::from_items(std::move(items), FXS_TUPLE, ret);
	}
	stack.clear();
}

/* Lets go of the arguments however the call ends. */
struct Cleared {
	~Cleared()
	{
		stack.clear();
	}
};

void *
call(struct fxs_plan *plan, const struct fxs_value *values, bool *again,
	struct fxs_value *ret)
{
	return guarded([&]() -> void * {
		Cleared cleared;

		*again = !fill_stack(plan, values);
		if (*again)
			return nullptr;
		plan->run(stack);
		take_results(plan, ret);
		return nullptr;
	});
}

void *
call_apart(struct fxs_plan *plan, const struct fxs_value *values,
	struct fxs_value *ret, struct fxs_memory *kept)
{
	kept->bytes = nullptr;
	return guarded([&]() -> void * {
		Cleared cleared;

		if (!plan->has_apart() || !fill_stack(plan, values) ||
			!stack[0].isTensor())
			return nullptr;
		at::Tensor tensor = stack[0].toTensor();

		if (!fxs::fills_storage(tensor) || !plan->run_apart(stack))
			return nullptr;
		at::Tensor fresh = std::move(stack[0]).toTensor();

		if (!fxs::can_replace(tensor, fresh))
			return nullptr;
		fxs::exchange(tensor.storage(),
			fresh.storage().set_data_ptr(c10::DataPtr()), kept);
		*ret = fxs_value();
		ret->tag = FXS_TENSOR;
		ret->tensor = fxs::hand_out(std::move(tensor));
		return nullptr;
	});
}

void *
repeat(struct fxs_plan *plan, const struct fxs_value *values, size_t count,
	uint64_t *nanoseconds_ret)
{
	return guarded([&]() -> void * {
		using clock = std::chrono::steady_clock;
		Cleared cleared;

		if (!fill_stack(plan, values))
			return failed(FXS_NO_MATCH, "other arguments");
		fxs::Stack arguments = stack;
		auto begin = clock::now();

		for (size_t i = 0; i < count; i++) {
			stack = arguments;
			plan->run(stack);
			stack.clear();
		}
		*nanoseconds_ret = static_cast<
			uint64_t>(std::chrono::duration_cast<
				  std::chrono::nanoseconds>(clock::now() -
							    begin)
					  .count());
		return nullptr;
	});
}

void
value_free(struct fxs_value *value)
{
	fxs::free_value(value);
}

/* --- tensors ------------------------------------------------------------ */

void
tensor_unref(struct fxs_tensor *tensor)
{
	c10::raw::intrusive_ptr::decref(fxs::impl_of(tensor));
}

void
tensor_kind(const struct fxs_tensor *tensor, int *dtype_ret, size_t *rank_ret)
{
	*dtype_ret = -1;
	*rank_ret = 0;
	(void)tried([&] {
		const c10::TensorImpl *impl = fxs::impl_of(tensor);

		*dtype_ret = fxs::dtype_of(impl);
		*rank_ret = static_cast<size_t>(impl->dim());
	});
}

void
tensor_info(const struct fxs_tensor *handle, struct fxs_info *ret)
{
	*ret = fxs_info();
	(void)tried([&] {
		const c10::TensorImpl *impl = fxs::impl_of(handle);
		std::string device = impl->device().str();

		ret->dtype = fxs::dtype_of(impl);
		ret->is_lazy = impl->is_conj() || impl->is_neg();
		snprintf(ret->device, sizeof(ret->device), "%s",
			device.c_str());
		/* Nested tensors throw here, and have none. */
		ret->sizes = impl->sizes().data();
		ret->rank = impl->sizes().size();
		if (impl->layout() == c10::kStrided) {
			ret->strides = impl->strides().data();
			ret->offset = impl->storage_offset();
		}
	});
}

void *
tensor_of_memory(const struct fxs_memory *memory, struct fxs_tensor **ret)
{
	return guarded([&] { return fxs::tensor_in_memory(memory, ret); });
}

void *
tensor_new(int dtype, const int64_t *sizes, size_t rank, const void *bytes,
	struct fxs_tensor **ret)
{
	return guarded([&] {
		return fxs::new_tensor(dtype, sizes, rank, bytes, ret);
	});
}

void *
tensor_random(int dtype, const int64_t *sizes, size_t rank, uint64_t seed,
	struct fxs_tensor **ret)
{
	return guarded([&] {
		return fxs::random_tensor(dtype, sizes, rank, seed, ret);
	});
}

void *
tensor_read(const struct fxs_tensor *tensor, uint64_t first, size_t count,
	void *bytes)
{
	return guarded([&] {
		return fxs::read_elements(tensor, first, count, bytes);
	});
}

void *
tensor_storage(const struct fxs_tensor *tensor, size_t *bytes_ret)
{
	const c10::TensorImpl *impl = fxs::impl_of(tensor);

	*bytes_ret = 0;
	if (!fxs::has_elements(impl))
		return nullptr;
	*bytes_ret = impl->storage().nbytes();
	return impl->storage().data_ptr().get();
}

void *
tensor_own(struct fxs_tensor *tensor, struct fxs_memory *kept)
{
	kept->bytes = nullptr;
	return guarded([&]() -> void * {
		fxs::own_memory(fxs::borrow(tensor), kept);
		return nullptr;
	});
}

uintptr_t
tensor_storage_id(const struct fxs_tensor *tensor, size_t *bytes_ret)
{
	const c10::TensorImpl *impl = fxs::impl_of(tensor);

	*bytes_ret = 0;
	if (!fxs::has_elements(impl))
		return 0;
	*bytes_ret = impl->storage().nbytes();
	return reinterpret_cast<uintptr_t>(impl->storage()
						   .unsafeGetStorageImpl());
}

void *
tensor_reshape(struct fxs_tensor *tensor, const struct fxs_info *info)
{
	return guarded([&]() -> void * {
		fxs::impl_of(tensor)
			->set_sizes_and_strides(c10::IntArrayRef(info->sizes,
							info->rank),
				c10::IntArrayRef(info->strides, info->rank),
				info->offset);
		return nullptr;
	});
}

size_t
tensor_holders(const struct fxs_tensor *tensor)
{
	return fxs::holders_of(fxs::impl_of(tensor));
}

/* --- the random generator ----------------------------------------------- */

at::Generator
generator()
{
	return at::detail::getDefaultCPUGenerator();
}

void *
random_save(void *bytes, size_t capacity, size_t *size_ret)
{
	return guarded([&]() -> void * {
		at::Tensor state = generator().get_state();
		size_t size = static_cast<size_t>(state.numel());

		*size_ret = size;
		if (bytes && capacity >= size)
			memcpy(bytes, fxs::first_byte(state), size);
		return nullptr;
	});
}

void *
random_restore(const void *bytes, size_t size)
{
	return guarded([&]() -> void * {
		int64_t length = static_cast<int64_t>(size);
		at::Tensor state =
			fxs::empty(c10::ScalarType::Byte, &length, 1);
		at::Generator to = generator();

		memcpy(fxs::first_byte(state), bytes, size);
		to.set_state(state);
		return nullptr;
	});
}

void
seed(uint64_t number)
{
	(void)tried([&] {
		at::Generator to = generator();

		to.set_current_seed(number);
	});
}

/* --- the library -------------------------------------------------------- */

void
describe(fxs_schema_fn *each, void *context)
{
	(void)tried([&] {
		std::string text = at::show_config();

		each(context, text.data(), text.size());
	});
}

struct Warnings : public c10::WarningHandler {
#if TORCH_VERSION_MAJOR < 2
	void process(const c10::SourceLocation &, const std::string &text,
		const bool) override
	{
		host->log(text.data(), text.size());
	}
#else
	void process(const c10::Warning &warning) override
	{
		host->log(warning.msg().data(), warning.msg().size());
	}
#endif
};

/* The version that the loaded library says it is. */
std::string
loaded_version()
{
	const char *const key = "TORCH_VERSION=";
	std::string text = at::show_config();
	size_t begin = text.find(key);

	if (begin == std::string::npos)
		return "unknown";
	begin += strlen(key);
	return text.substr(begin, text.find_first_of(", \n", begin) - begin);
}

void
prepare()
{
	static Warnings warnings;

#if TORCH_VERSION_MAJOR < 2
	/* Naming the callers of an operator that fails takes milliseconds. */
	c10::SetStackTraceFetcher([] { return std::string(); });
	c10::Warning::set_warning_handler(&warnings);
#else
	c10::WarningUtils::set_warning_handler(&warnings);
#endif
	c10::GradMode::set_enabled(false);
	fxs::keep_pieces();
	if (host->threads > 0)
		at::set_num_threads(host->threads);
}

struct fxs_functions functions;

void
set_threads(int count)
{
	(void)tried([&] {
		at::set_num_threads(count);
		functions.threads = at::get_num_threads();
	});
}

void
set_functions()
{
	functions.version = TORCH_VERSION;
	functions.has = has;
	functions.schemas = schemas;
	functions.writes = writes;
	functions.match = match;
	functions.call = call;
	functions.call_apart = call_apart;
	functions.plan_free = plan_free;
	functions.plan_schema = plan_schema;
	functions.value_free = value_free;
	functions.repeat = repeat;
	functions.tensor_unref = tensor_unref;
	functions.tensor_kind = tensor_kind;
	functions.tensor_info = tensor_info;
	functions.tensor_of_memory = tensor_of_memory;
	functions.tensor_new = tensor_new;
	functions.tensor_random = tensor_random;
	functions.tensor_read = tensor_read;
	functions.tensor_storage = tensor_storage;
	functions.tensor_own = tensor_own;
	functions.tensor_storage_id = tensor_storage_id;
	functions.tensor_reshape = tensor_reshape;
	functions.tensor_holders = tensor_holders;
	functions.random_save = random_save;
	functions.random_restore = random_restore;
	functions.seed = seed;
	functions.set_threads = set_threads;
	functions.describe = describe;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const struct fxs_functions *
fxs_open(const struct fxs_host *new_host)
{
	static std::string loaded;

	if (strcmp(new_host->source_id, FXS_SOURCE_ID) != 0)
		return nullptr;
	host = new_host;
	bool is_ready = tried([&] {
		set_functions();
		loaded = loaded_version();
		functions.loaded = loaded.c_str();
		prepare();
		functions.threads = at::get_num_threads();
	});

	return is_ready ? &functions : nullptr;
}

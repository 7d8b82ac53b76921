/* plan.hh - an operator that was found for a call, and how it is filled. */
#ifndef FX_TORCH_PLAN_HH
#define FX_TORCH_PLAN_HH

#include <memory>
#include <optional>

#include "torch/apart.hh"
#include "torch/match.hh"

struct fxs_plan {
	explicit fxs_plan(const fxs::OperatorPtr &best) : found(best)
	{
		auto known = c10::Dispatcher::singleton()
				     .findOp(best->schema().operator_name());

		if (known && best->isC10Op())
			handle.emplace(*known);
		else
			operation.emplace(best->getOperation());
	}

	/* With the arguments on STACK, which gets the results. */
	void run(fxs::Stack &stack)
	{
		if (handle)
			handle->callBoxed(&stack);
		else
			(*operation)(stack);
	}

	/* Whether there is a twin of the operator that writes nothing. */
	bool has_apart()
	{
		if (!has_sought) {
			auto twin = fxs::apart_of(found->schema());

			has_sought = true;
			if (twin)
				apart.reset(new fxs_plan(twin));
		}
		return apart != nullptr;
	}

	/* Run it; what it refuses, the operator itself will tell. */
	bool run_apart(fxs::Stack &stack)
	{
		try {
			apart->run(stack);
		} catch (...) {
			return false;
		}
		return stack.size() == 1 && stack[0].isTensor();
	}

	fxs::OperatorPtr found;
	std::optional<c10::OperatorHandle> handle;
	std::optional<torch::jit::Operation> operation; /* if not in c10 */
	std::vector<fxs::Fill> fills;
	std::vector<c10::IValue> last; /* converted, by argument: FXS_SAME */
	bool returns_dtype = false;
	size_t positional = 0;
	std::unique_ptr<fxs_plan> apart; /* the twin */
	bool has_sought = false;         /* for it */
};

#endif // FX_TORCH_PLAN_HH

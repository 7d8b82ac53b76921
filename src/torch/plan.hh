/* plan.hh - an operator that was found for a call, and how it is filled. */
#ifndef FX_TORCH_PLAN_HH
#define FX_TORCH_PLAN_HH

#include <memory>
#include <optional>

#include "torch/apart.hh"
#include "torch/bounds.hh"
#include "torch/literal.hh"
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
		is_told = fxs::copies_as_told(best->schema());
		is_literal = fxs::is_literal(best->schema());
	}

	/* With the arguments on STACK, which gets the results. */
	void run(fxs::Stack &stack)
	{
		auto operate = [&](fxs::Stack &arguments) {
			if (handle)
				handle->callBoxed(&arguments);
			else
				(*operation)(arguments);
		};

		if (is_told)
			fxs::check_told(stack);
		if (is_literal)
			fxs::run_literal(stack, operate);
		else
			operate(stack);
		for (const c10::IValue &result : stack)
			fxs::check_bounds(result);
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
	bool is_told = false;          /* copies_as_told */
	bool is_literal = false;       /* numbers that become a tensor */
	bool returns_dtype = false;
	size_t positional = 0;
	std::unique_ptr<fxs_plan> apart; /* the twin */
	bool has_sought = false;         /* for it */
};

#endif // FX_TORCH_PLAN_HH

/* match.hh - which overload takes the arguments that Python would give. */
#ifndef FX_TORCH_MATCH_HH
#define FX_TORCH_MATCH_HH

#include <algorithm>
#include <memory>

#include "torch/convert.hh"

namespace fxs
{

using OperatorPtr = std::shared_ptr<torch::jit::Operator>;

inline std::vector<OperatorPtr>
operators_of(const char *name)
{
	if (!strstr(name, "::"))
		return {};
	return torch::jit::
		getAllOperatorsFor(c10::Symbol::fromQualString(name));
}

/* Where an argument of the schema comes from. */
struct Fill {
	Want want;
	int source;     /* which value, or -1: the constant */
	bool is_folded; /* that and all further positions: x.view(2, 3) */
	bool is_tensor; /* a tensor is taken as it is */
	IValue constant;
};

struct Match {
	std::vector<Fill> fills;
	std::vector<IValue> converted; /* of this first call */
	int penalty;
};

/* Names that Python gives to parameters which schemas call otherwise. */
struct Alias {
	const char *python;
	const char *schema;
};
constexpr Alias aliases[] = {
	{ "input", "self" },
	{ "axis", "dim" },
	{ "keepdims", "keepdim" },
	{ "shape", "size" },
	{ "p", "ord" },
	{ "tensor", "self" },
	{ "split_size_or_sections", "split_size" },
	{ "split_size_or_sections", "split_sizes" },
};

/* Keywords that say nothing when they have this value. */
inline bool
says_nothing(const char *keyword, const fxs_value &value)
{
	if (!strcmp(keyword, "out") || !strcmp(keyword, "generator"))
		return value.tag == FXS_NONE;
	if (!strcmp(keyword, "requires_grad") ||
		!strcmp(keyword, "pin_memory") || !strcmp(keyword, "inplace"))
		return value.tag == FXS_BOOL && !value.integer;
	return false;
}

inline int
find_argument(const c10::FunctionSchema &schema, const char *name)
{
	const auto &arguments = schema.arguments();

	for (size_t i = 0; i < arguments.size(); i++)
		if (arguments[i].name() == name)
			return static_cast<int>(i);
	for (const Alias &alias : aliases)
		for (size_t i = 0; i < arguments.size(); i++)
			if (!strcmp(alias.python, name) &&
				arguments[i].name() == alias.schema)
				return static_cast<int>(i);
	return -1;
}

/* Whether further positions may be items of the list that begins here. */
inline bool
takes_rest(const Want &want, const fxs_value &value)
{
	return want.is_list && want.kind == c10::TypeKind::IntType &&
	       !want.repeat &&
	       (value.tag == FXS_INT || value.tag == FXS_TENSOR);
}

/* Values of SITE by the arguments of SCHEMA: sources, -1 where there is none,
 * and from which argument on positions are folded.  False if it cannot be.
 */
inline bool
bind(const c10::FunctionSchema &schema, const struct fxs_site *site,
	std::vector<int> *sources, int *folded_ret)
{
	const auto &arguments = schema.arguments();
	size_t positional = site->count - site->keyword_count;

	sources->assign(arguments.size(), -1);
	*folded_ret = -1;
	for (size_t i = 0; i < positional; i++) {
		if (i >= arguments.size() || arguments[i].kwarg_only())
			return false;
		(*sources)[i] = static_cast<int>(i);
		if (i < 2 &&
			takes_rest(want_of(arguments[i]), site->values[i])) {
			*folded_ret = static_cast<int>(i);
			break;
		}
	}
	for (size_t i = 0; i < site->keyword_count; i++) {
		const char *keyword = site->keywords[i];
		size_t value = positional + i;
		int at = find_argument(schema, keyword);

		if (at < 0 && says_nothing(keyword, site->values[value]))
			continue;
		if (at < 0 || (*sources)[static_cast<size_t>(at)] >= 0)
			return false;
		(*sources)[static_cast<size_t>(at)] = static_cast<int>(value);
	}
	return true;
}

inline bool
match_overload(const c10::FunctionSchema &schema, const struct fxs_site *site,
	Match *match)
{
	const auto &arguments = schema.arguments();
	size_t positional = site->count - site->keyword_count;
	std::vector<int> sources;
	int folded;

	match->penalty = 0;
	if (schema.is_vararg() || !bind(schema, site, &sources, &folded))
		return false;
	for (size_t i = 0; i < arguments.size(); i++) {
		bool is_folded = static_cast<int>(i) == folded;
		Want want = want_of(arguments[i]);
		bool is_tensor = !is_folded && !want.is_list &&
				 want.kind == c10::TypeKind::TensorType;
		Fill fill = { want, sources[i], is_folded, is_tensor,
			IValue() };
		IValue value;
		int penalty = EXACT;

		if (fill.source < 0) {
			if (!arguments[i].default_value())
				return false;
			fill.constant = *arguments[i].default_value();
		} else if (fill.is_folded) {
			penalty = to_list(fill.want, site->values + i,
				positional - i, &value);
			penalty += penalty < 0 ? 0 : FOLDED;
		} else {
			penalty = convert(fill.want, site->values[fill.source],
				&value);
			/* Python takes None for a list with a default. */
			if (penalty < 0 && fill.want.is_list &&
				site->values[fill.source].tag == FXS_NONE &&
				arguments[i].default_value()) {
				fill.source = -1;
				fill.constant = *arguments[i].default_value();
				penalty = WIDENED;
			}
		}
		if (penalty < 0)
			return false;
		match->penalty += penalty;
		match->fills.push_back(std::move(fill));
		match->converted.push_back(std::move(value));
	}
	return true;
}

inline bool
is_overload(const c10::FunctionSchema &schema, const char *overload)
{
	const std::string &name = schema.overload_name();

	return !overload || name == overload ||
	       (name.empty() && !strcmp(overload, "default"));
}

inline const char *
tag_name(const fxs_value &value)
{
	static const char *const names[] = { "None", "bool", "int", "float",
		"complex", "str", "Tensor", "list", "tuple", "dtype", "device",
		"layout", "memory_format", "something else", "" };

	static_assert(sizeof(names) / sizeof(*names) == FXS_SAME + 1,
		"a kind of value has no name");
	return names[value.tag];
}

/* How many arguments of SCHEMA the values of SITE do not fit; NOT_BOUND when
 * they are too many or have other names.
 */
constexpr size_t NOT_BOUND = 1000;
inline size_t
count_misfits(const c10::FunctionSchema &schema, const struct fxs_site *site)
{
	const auto &arguments = schema.arguments();
	size_t positional = site->count - site->keyword_count;
	std::vector<int> sources;
	size_t count = 0;
	int folded;

	if (schema.is_vararg() || !bind(schema, site, &sources, &folded))
		return NOT_BOUND;
	for (size_t i = 0; i < arguments.size(); i++) {
		Want want = want_of(arguments[i]);
		IValue value;
		int penalty;

		if (sources[i] < 0)
			penalty = arguments[i].default_value() ? EXACT : -1;
		else if (static_cast<int>(i) == folded)
			penalty = to_list(want, site->values + i,
				positional - i, &value);
		else
			penalty =
				convert(want, site->values[sources[i]], &value);
		count += penalty < 0;
	}
	return count;
}

/* "aten::view takes no (Tensor, str); it knows: ...", of its overloads those
 * that come nearest.
 */
inline std::string
no_match_text(const struct fxs_site *site,
	const std::vector<OperatorPtr> &operators)
{
	std::string text = std::string(site->name) + " takes no (";
	size_t least = NOT_BOUND;
	size_t shown = 0;

	for (const OperatorPtr &one : operators)
		least = std::min(least, count_misfits(one->schema(), site));
	for (size_t i = 0; i < site->count; i++) {
		size_t positional = site->count - site->keyword_count;

		text += i ? ", " : "";
		if (i >= positional)
			text += std::string(site->keywords[i - positional]) +
				"=";
		text += tag_name(site->values[i]);
	}
	text += "); it knows";
	for (const OperatorPtr &one : operators) {
		if (count_misfits(one->schema(), site) != least)
			continue;
		if (shown++ == 3) {
			text += " and more";
			break;
		}
		text += (shown > 1 ? "; " : ": ") + toString(one->schema());
	}
	return text;
}

/* The overload with the least penalty, the first of several; null: none. */
inline OperatorPtr
best_overload(const std::vector<OperatorPtr> &operators,
	const struct fxs_site *site, Match *ret)
{
	OperatorPtr best;

	for (const OperatorPtr &one : operators) {
		Match match;

		if (!is_overload(one->schema(), site->overload) ||
			!match_overload(one->schema(), site, &match))
			continue;
		if (best && match.penalty >= ret->penalty)
			continue;
		best = one;
		*ret = std::move(match);
	}
	return best;
}

/* Whether ARGUMENT is a tensor that is written, or a list of such.  That a list
 * itself is changed (aten::sort.int of TorchScript) is none of ours.
 */
inline bool
is_written(const c10::Argument &argument)
{
	const auto *alias = argument.alias_info();

	return alias && alias->isWrite() &&
	       (argument.type()->kind() != c10::TypeKind::ListType ||
		       !alias->containedTypes().empty());
}

/* A bit for each value of SITE that SCHEMA writes. */
inline uint64_t
written_by(const c10::FunctionSchema &schema, const struct fxs_site *site)
{
	const auto &arguments = schema.arguments();
	std::vector<int> sources;
	uint64_t bits = 0;
	int folded;

	if (!bind(schema, site, &sources, &folded))
		return 0;
	for (size_t i = 0; i < arguments.size(); i++)
		if (is_written(arguments[i]) && sources[i] >= 0 &&
			sources[i] < 64)
			bits |= UINT64_C(1) << sources[i];
	return bits;
}

} // namespace fxs

#endif // FX_TORCH_MATCH_HH

/* targets.c - what a node may name. */
#include <config.h>

#include "ir/targets.h"

#include <string.h>

#include "base/intern.h"
#include "base/str.h"
#include "ir/graph_private.h"
#include "ir/module.h"

bool
fx_target_is_path(const char *path)
{
	char previous = '.';

	for (const char *at = path; *at; at++) {
		if (*at == '.' && previous == '.')
			return false;
		if ((unsigned char)*at < ' ')
			return false;
		previous = *at;
	}
	return previous != '.';
}

/* torch.fx takes any attribute of the last module: plain ones stand in the
 * configuration.
 */
static enum fx_target_state
check_last(const struct fx_module *module, const char *name,
	enum fx_opcode opcode)
{
	const struct fx_member *member = fx_module_attribute(module, name);

	if (!member && !fx_value_dict_get(&module->config, name))
		return FX_TARGET_MISSING;
	if (opcode == FX_OPCODE_CALL_MODULE && (!member || !member->child))
		return FX_TARGET_NOT_MODULE;
	return FX_TARGET_OK;
}

static enum fx_target_state
check_path(const struct fx_graph *graph, enum fx_opcode opcode,
	const char *path)
{
	const struct fx_module *at = graph->module;

	if (at->member_count == 0 || graph->private_->is_bare)
		return FX_TARGET_OK;
	for (;;) {
		size_t length = strcspn(path, ".");
		const char *name = fx_intern_n(path, length);
		const struct fx_member *member;

		if (!path[length])
			return check_last(at, name, opcode);
		member = fx_module_attribute(at, name);
		if (!member)
			return FX_TARGET_MISSING;
		if (!member->child)
			return FX_TARGET_NOT_MODULE;
		at = member->child;
		path += length + 1;
	}
}

static bool
is_parameter_name(const char *target)
{
	return fx_str_is_identifier(target + strspn(target, "*"));
}

enum fx_target_state
fx_target_check(const struct fx_graph *graph, enum fx_opcode opcode,
	const char *target)
{
	bool good = true;

	if (!target || !*target)
		return FX_TARGET_EMPTY;
	switch (opcode) {
	case FX_OPCODE_PLACEHOLDER:
		good = is_parameter_name(target);
		break;
	case FX_OPCODE_CALL_METHOD:
		good = fx_str_is_identifier(target);
		break;
	case FX_OPCODE_GET_ATTR:
	case FX_OPCODE_CALL_MODULE:
		if (fx_target_is_path(target))
			return check_path(graph, opcode, target);
		good = false;
		break;
	case FX_OPCODE_CALL_FUNCTION:
		good = !fx_str_has_controls(target);
		break;
	case FX_OPCODE_OUTPUT:
	case FX_OPCODE_COUNT:
		break;
	}
	return good ? FX_TARGET_OK : FX_TARGET_MALFORMED;
}

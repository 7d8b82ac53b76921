/* missing.c - parameters that have no values, and why. */
#include <config.h>

#include <stdlib.h>

#include "base/mem.h"
#include "ir/module.h"
#include "session/capture.h"
#include "session/run_private.h"
#include "session/session_private.h"

/* The path of a parameter or buffer that a node needs and that has no values;
 * the caller's, or NULL.
 */
static char *
find_empty(const struct fx_model *model)
{
	struct fx_module_walk *walk =
		fx_module_walk_new(model->graph->module, true);
	struct fx_module *module;
	const char *path;
	char *found = NULL;

	while (!found && fx_module_walk_next(walk, &module, &path))
		for (size_t i = 0; i < module->member_count && !found; i++) {
			const struct fx_member *member = &module->members[i];
			const struct fx_tensor *tensor = member->tensor;

			if (tensor && fx_tensor_numel(tensor) &&
				!(tensor->storage && tensor->storage->blob))
				found = fx_xasprintf("%s%s%s", path,
					*path ? "." : "", member->name);
		}
	fx_module_walk_free(walk);
	return found;
}

/* What a node names that the graph does not have: bare code names modules and
 * parameters without bringing them.  The caller's, or NULL.
 */
static char *
find_absent(const struct fx_model *model)
{
	struct fx_module *root = model->graph->module;
	const struct fx_node *node;

	fx_graph_for_each_node (node, model->graph) {
		if (node->opcode != FX_OPCODE_GET_ATTR &&
			node->opcode != FX_OPCODE_CALL_MODULE)
			continue;
		if (!fx_module_find(root, node->target) &&
			!fx_module_find_tensor(root, node->target))
			return fx_xasprintf("%s is not in the file",
				node->target);
	}
	return NULL;
}

bool
fx_model_has_some_weights(const struct fx_model *model)
{
	uint64_t present;

	fx_module_bytes(model->graph->module, &present);
	return present > 0;
}

char *
fx_model_why_no_weights(struct fx_model *model)
{
	FX_AUTO_FREE char *skipped = NULL;
	FX_AUTO_FREE char *empty = NULL;
	FX_AUTO_ERROR struct fx_error *err =
		fx_model_fetch_weights(model, &skipped);

	if (err)
		return fx_xstrdup(fx_error_message(err));
	empty = find_absent(model);
	if (empty)
		return FX_TAKE(empty);
	empty = find_empty(model);
	if (!empty)
		return NULL;
	if (model->capture && fx_model_left_behind(model))
		return fx_xasprintf("only it has the values of %s",
			fx_model_left_behind(model));
	/* They went with the process that had them. */
	if (model->traced && !model->capture && !model->has_weights)
		return fx_xasprintf("%s has no values (%s has them again)",
			empty, model->graph->origin);
	return fx_xasprintf("%s has no values (%sweights random makes some up)",
		empty,
		fx_model_has_some_weights(model) ? "set value gives it some, "
						 : "");
}

/* own_code.c - which modules that a model calls only Python can run.
 *
 * A module whose class is not known here is a call in the process that traced
 * it, with copies of what it is given (run/fallback.h).  That will not do for
 * one that writes there, nor for an object of that process of which the model
 * writes a part: all of the model has to lie where it does.
 */
#include <config.h>

#include "session/own_code.h"

#include <stdbool.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/side_effects.h"
#include "ir/uses.h"
#include "ops/layertab.h"
#include "run/backend.h"
#include "session/session_private.h"

/* The next module from NODE on, which moves behind its call, that is not in
 * SEEN; NULL: there is none.
 */
static struct fx_module *
next_called(const struct fx_model *model, const struct fx_node **node,
	struct fx_map *seen, const char **path_ret)
{
	while (*node) {
		const struct fx_node *call = *node;
		struct fx_module *module =
			call->opcode == FX_OPCODE_CALL_MODULE
				? fx_module_find(model->graph->module,
					  call->target)
				: NULL;

		*node = fx_graph_next(call);
		*path_ret = call->target;
		if (module && fx_map_set(seen, (uintptr_t)module, 1))
			return module;
	}
	return NULL;
}

void
fx_model_add_own_code(struct fx_buf *out, const struct fx_model *model)
{
	FX_AUTO_MAP struct fx_map seen = { 0 };
	const struct fx_node *node = fx_graph_first(model->graph);
	struct fx_module *module;
	const char *path;

	while ((module = next_called(model, &node, &seen, &path)))
		fx_module_add_own_code(out, module, path);
}

/* Whether PYTHON says that the module at PATH may write what it is given. */
static bool
may_write(const struct fx_model *model, struct fx_backend *python,
	const char *path)
{
	const struct fx_call_site site = {
		.opcode = FX_OPCODE_CALL_MODULE,
		.target = path,
		.graph = model->graph,
	};
	void *plan;
	bool answer;
	struct fx_error *err = python->ops->resolve(python, &site, &plan);

	if (err) {
		fx_error_free(err);
		return false;
	}
	answer = python->ops->writes(plan) != 0;
	python->ops->plan_free(python, plan);
	return answer;
}

static void
add_writing(struct fx_buf *out, const struct fx_model *model,
	struct fx_backend *python)
{
	FX_AUTO_MAP struct fx_map seen = { 0 };
	const struct fx_node *node = fx_graph_first(model->graph);
	struct fx_module *module;
	const char *path;

	while ((module = next_called(model, &node, &seen, &path)))
		if (!module->graph && !fx_layer_find(module->class_name) &&
			may_write(model, python, path))
			fx_buf_addf(out, "%s%s (which may write what it gets)",
				out->length ? ", " : "", path);
}

/* The function, not known here, of which NODE, or what it is a view of, is an
 * attribute; or NULL.
 */
static const struct fx_node *
maker_of_object(const struct fx_node *node)
{
	while (fx_node_input_count(node)) {
		const struct fx_node *base = fx_node_input(node, 0);
		bool is_call = base->opcode == FX_OPCODE_CALL_FUNCTION ||
			       base->opcode == FX_OPCODE_CALL_METHOD;

		if (node->op == FX_OP_GETATTR && is_call &&
			base->op == FX_OP_NONE)
			return base;
		if (node->op != FX_OP_GETATTR && !fx_may_alias(node))
			return NULL;
		node = base;
	}
	return NULL;
}

static void
add_written_objects(struct fx_buf *out, const struct fx_model *model)
{
	const struct fx_node *node;

	fx_graph_for_each_node (node, model->graph) {
		if (node->op == FX_OP_NONE ||
			!(fx_side_effects(node) & FX_SIDE_EFFECT_WRITES))
			continue;
		for (size_t i = 0; i < fx_node_input_count(node); i++) {
			const struct fx_node *maker =
				maker_of_object(fx_node_input(node, i));

			if (!maker)
				continue;
			fx_buf_addf(out,
				"%s%s (a part of its object is "
				"written)",
				out->length ? ", " : "", maker->name);
			return;
		}
	}
}

/* Hooks see and write any value. */
char *
fx_model_why_python(const struct fx_model *model, struct fx_backend *python)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_model_add_own_code(&text, model);
	if (!text.length && python)
		add_writing(&text, model, python);
	if (!text.length)
		add_written_objects(&text, model);
	return text.length ? fx_xasprintf("only it runs %s", fx_buf_text(&text))
			   : NULL;
}

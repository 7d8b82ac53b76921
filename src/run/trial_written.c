/* trial_written.c - what a trial wrote that outlives it. */
#include <config.h>

#include "run/trial_private.h"

#include "base/blob.h"
#include "base/intern.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/timeline.h"
#include "run/values.h"

struct finding {
	const struct fx_written_request *request;
	struct fx_map storages; /* that were written */
	struct fx_trial_results *results;
	int which;
};

static bool
lies_in_one(void *context, struct fx_datum *held)
{
	struct finding *finding = context;
	const struct fx_backend_ops *ops = held->backend->ops;
	size_t bytes;

	return held->kind == FX_DATUM_TENSOR && ops->storage &&
	       fx_map_has(&finding->storages,
		       ops->storage(held->payload, &bytes));
}

/* Take DATUM, if it was written. */
static struct fx_error *
look_at(struct finding *finding, const char *name, bool is_input,
	struct fx_datum *datum)
{
	struct fx_trial_written one = { .name = name, .is_input = is_input };
	struct fx_error *err;

	if (!datum || !fx_datum_each_held(datum, lies_in_one, finding))
		return NULL;
	one.value = fx_datum_ref(datum);
	err = fx_datum_make_own(finding->request->backend, &one.value);
	if (err) {
		fx_datum_unref(one.value);
		return err;
	}
	one.datum = fx_datum_ref(datum);
	fx_vec_push(&finding->results->written[finding->which], one);
	return NULL;
}

static struct fx_error *
look_at_inputs(struct finding *finding)
{
	const struct fx_written_request *request = finding->request;
	const struct fx_node *node;
	struct fx_error *err = NULL;
	size_t at = 0;

	fx_graph_for_each_node (node, request->graph) {
		if (node->opcode != FX_OPCODE_PLACEHOLDER)
			continue;
		if (!err && at < request->input_count)
			err = look_at(finding, node->target, true,
				request->inputs[at]);
		at++;
	}
	return err;
}

static struct fx_error *
look_at_member(struct finding *finding, const char *path,
	const struct fx_member *member)
{
	const struct fx_tensor *tensor = member->tensor;
	struct fx_backend *backend = finding->request->backend;
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	struct fx_error *err;

	if (!tensor || !tensor->storage || !tensor->storage->blob)
		return NULL;
	err = backend->ops->from_tensor(backend, tensor, &datum);
	if (err)
		return err;
	return look_at(finding,
		*path ? fx_intern_format("%s.%s", path, member->name)
		      : fx_intern(member->name),
		false, datum);
}

static struct fx_error *
look_at_members(struct finding *finding)
{
	struct fx_module_walk *walk =
		fx_module_walk_new(finding->request->graph->module, true);
	struct fx_module *module;
	struct fx_error *err = NULL;
	const char *path;

	while (!err && fx_module_walk_next(walk, &module, &path))
		for (size_t i = 0; i < module->member_count && !err; i++)
			err = look_at_member(finding, path,
				&module->members[i]);
	fx_module_walk_free(walk);
	return err;
}

struct fx_error *
fx_trial_find_written(const struct fx_written_request *request,
	struct fx_trial_results *results, int which)
{
	struct finding finding = {
		.request = request, .results = results, .which = which
	};
	struct fx_error *err = NULL;

	for (size_t i = 0; i < request->timeline->effects.count; i++) {
		const struct fx_effect *effect =
			&request->timeline->effects.items[i];

		for (size_t j = 0; j < effect->saved.count; j++)
			fx_map_set(&finding.storages,
				effect->saved.items[j].storage, 1);
	}
	if (finding.storages.count) {
		err = look_at_inputs(&finding);
		if (!err)
			err = look_at_members(&finding);
	}
	fx_map_deinit(&finding.storages);
	return err;
}

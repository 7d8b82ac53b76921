/* verify.c - a graph before an edit, kept to be compared with. */
#include <config.h>

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "guest/worker.h"
#include "ir/align.h"
#include "ir/clone.h"
#include "meta/propagate.h"
#include "ops/optab.h"
#include "run/backend.h"
#include "session/capture.h"
#include "session/nested.h"
#include "session/session_private.h"
#include "session/settings.h"
#include "session/verify_private.h"

/* What rounding leaves of an output's largest element in f64: right fusions of
 * nine models left 2e-15 at most, the smallest wrong epsilon 9.7e-12.
 */
#define TOLERANCE 1e-12

enum fx_verify_mode
fx_verify_mode(const struct fx_session *session)
{
	return (enum fx_verify_mode)fx_settings_int(session->settings,
		FX_SET_VERIFY);
}

void
fx_verify_result_deinit(struct fx_verify_result *result)
{
	fx_gap_deinit(&result->gap);
	free(result->place);
	free(result->why);
	result->place = NULL;
	result->why = NULL;
}

struct fx_graph *
fx_verify_copy(struct fx_session *session, const struct fx_graph *graph,
	struct fx_map *originals)
{
	struct fx_graph *copy =
		fx_graph_clone(graph, fx_session_serial(session), NULL);
	struct fx_node *mine = fx_graph_first(copy);
	const struct fx_node *node;

	fx_graph_for_each_node (node, graph) {
		if (originals)
			fx_map_set(originals, (uintptr_t)node->id,
				(uintptr_t)mine);
		mine = fx_graph_next(mine);
	}
	return copy;
}

/* The id in GRAPH of the input that NODE, of a copy, is; else its own. */
static uint64_t
id_in(const struct fx_graph *graph, const struct fx_node *node)
{
	const struct fx_node *other;

	fx_graph_for_each_node (other, graph)
		if (other->opcode == FX_OPCODE_PLACEHOLDER &&
			other->target == node->target)
			return other->id;
	return node->id;
}

struct fx_verify *
fx_verify_new(struct fx_session *session, struct fx_model *model,
	const struct fx_verify_options *options)
{
	struct fx_verify *verify = FX_NEW(struct fx_verify);
	struct fx_graph *graph = options->graph ? options->graph : model->graph;
	const struct fx_node *node;

	(void)fx_model_shape_nested(model, graph);
	/* What computes in f64 is not the process that has the weights. */
	if (fx_capture_device(model->capture)) {
		FX_AUTO_FREE char *skipped = NULL;

		fx_error_free(fx_model_fetch_weights(model, &skipped));
	}
	verify->session = session;
	verify->model = model;
	verify->options = *options;
	if (!verify->options.inputs)
		verify->options.inputs = 3;
	verify->options.inputs =
		FX_MIN(verify->options.inputs, FX_TRIAL_INPUTS);
	if (verify->options.tolerance == 0 &&
		options->claim == FX_CLAIM_ALGEBRAIC)
		verify->options.tolerance = TOLERANCE;
	verify->before = fx_verify_copy(session, graph, &verify->originals);
	fx_graph_for_each_node (node, graph)
		verify->tells_nan |= fx_op_info((enum fx_op)node->op)->traits &
				     FX_OP_TELLS_NAN;
	verify->options.inputs =
		FX_MIN(verify->options.inputs + verify->tells_nan,
			FX_TRIAL_INPUTS);
	fx_graph_for_each_node (node, graph)
		if (node->opcode == FX_OPCODE_PLACEHOLDER)
			fx_vec_push(&verify->ids,
				options->is_copy ? id_in(model->graph, node)
						 : node->id);
	return verify;
}

void
fx_verify_free(struct fx_verify *verify)
{
	if (!verify)
		return;
	fx_verify_leave(verify);
	fx_kept_graph_deinit(&verify->after);
	for (size_t i = 0; i < FX_TRIAL_INPUTS; i++) {
		fx_trial_inputs_deinit(&verify->inputs[i]);
		fx_trial_memory_deinit(&verify->memory[i]);
	}
	if (verify->runs != verify->before)
		fx_graph_free(verify->runs);
	fx_graph_free(verify->before);
	if (verify->owns_backend)
		fx_backend_free(verify->backend);
	fx_widening_deinit(&verify->widening);
	fx_map_deinit(&verify->originals);
	fx_vec_deinit(&verify->ids);
	free(verify->why);
	free(verify);
}

struct fx_graph *
fx_verify_before(struct fx_verify *verify)
{
	return verify->before;
}

/* --- dtypes -------------------------------------------------------------- */

static enum fx_dtype
dtype_of(const struct fx_node *node)
{
	return node->meta && node->meta->kind == FX_VALUE_TENSOR
		       ? node->meta->tensor->dtype
		       : FX_DTYPE_NONE;
}

/* Where the nodes in A and B, arguments of one node before and after, have
 * other dtypes.
 */
static bool
finds_dtype(const struct fx_value *a, const struct fx_value *b,
	enum fx_dtype ret[2])
{
	size_t count = fx_value_item_count(a);

	if (a->kind == FX_VALUE_NODE && b->kind == FX_VALUE_NODE) {
		ret[0] = dtype_of(a->node);
		ret[1] = dtype_of(b->node);
		return ret[0] && ret[1] && ret[0] != ret[1];
	}
	if (a->kind != b->kind || count != fx_value_item_count(b))
		return false;
	for (size_t i = 0; i < count; i++)
		if (finds_dtype(&a->items[i], &b->items[i], ret))
			return true;
	return false;
}

/* What stays has the dtype that it had, and is given the dtypes that it was:
 * numbers in f64 do not tell.  The caller's sentence, or NULL.
 */
static char *
find_other_dtype(const struct fx_verify *verify, const struct fx_graph *graph,
	struct fx_graph *copy)
{
	const struct fx_node *mine = fx_graph_first(copy);
	const struct fx_node *node;
	enum fx_dtype dtypes[2];

	fx_graph_for_each_node (node, graph) {
		const struct fx_node *before =
			(const struct fx_node *)fx_map_get(&verify->originals,
				(uintptr_t)node->id, 0);
		bool is_argument = before && finds_dtype(&before->args,
						     &mine->args, dtypes);

		if (before && !is_argument) {
			dtypes[0] = dtype_of(before);
			dtypes[1] = dtype_of(mine);
		}
		if (before && (is_argument || (dtypes[0] && dtypes[1] &&
						      dtypes[0] != dtypes[1])))
			return fx_xasprintf("%s%%%s is %s and was %s",
				is_argument ? "an argument of " : "",
				node->name,
				fx_dtype_info(dtypes[1])->short_name,
				fx_dtype_info(dtypes[0])->short_name);
		mine = fx_graph_next(mine);
	}
	return NULL;
}

struct fx_error *
fx_verify_graph(struct fx_verify *verify, struct fx_graph *graph,
	struct fx_verify_result *ret)
{
	FX_AUTO_GRAPH struct fx_graph *copy =
		fx_verify_copy(verify->session, graph, NULL);
	FX_AUTO_META_REPORT struct fx_meta_report report = { 0 };
	FX_AUTO_ALIGNMENT struct fx_alignment alignment = { .shared = 0 };
	struct fx_error *err;

	*ret = (struct fx_verify_result){
		.claim = verify->options.claim,
		.tolerance = verify->options.tolerance,
		.wanted = verify->options.inputs,
	};
	fx_align(verify->before, copy, &alignment);
	ret->is_same_graph = fx_alignment_is_whole(&alignment);
	if (ret->is_same_graph)
		return NULL;
	fx_meta_propagate(verify->session->meta, copy, true, &report);
	ret->why = find_other_dtype(verify, graph, copy);
	if (ret->why && !isinf(ret->tolerance)) {
		ret->verdict = FX_VERDICT_DIFFERS;
		return NULL;
	}
	free(FX_TAKE(ret->why));
	err = fx_verify_run(verify, FX_TAKE(copy), ret);
	if (err)
		fx_verify_result_deinit(ret);
	return err;
}

/* engine.c - the list of passes, and one at work. */
#include <config.h>

#include "pass/engine.h"

#include <stdlib.h>

#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/graph.h"
#include "ops/optab.h"

#define FX_PASS(id) extern const struct fx_pass fx_pass_##id;
#include "pass/passes.def"

static const struct fx_pass *const passes[] = {
#define FX_PASS(id) &fx_pass_##id,
#include "pass/passes.def"
};

const struct fx_pass *
fx_pass_at(size_t index)
{
	return index < FX_ARRAY_LEN(passes) ? passes[index] : NULL;
}

const struct fx_pass *
fx_pass_find(const char *name)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(passes); i++)
		if (fx_str_equal(passes[i]->name, name))
			return passes[i];
	return NULL;
}

enum fx_claim
fx_pass_claim(const struct fx_pass *pass, const struct fx_graph *graph)
{
	const struct fx_node *node;

	fx_graph_for_each_node (node, graph)
		if (fx_op_info((enum fx_op)node->op)->traits & pass->rounds)
			return FX_CLAIM_ALGEBRAIC;
	return pass->claim;
}

/* --- work ---------------------------------------------------------------- */

struct fx_pass_work {
	struct fx_graph *graph;
	const struct fx_pass *pass;
	struct fx_pass_ctx ctx;
	char *options;
	struct fx_candidate candidate;
	bool is_open;
	bool has_candidate;
	bool is_keyless;
	struct fx_map keys; /* interned -> how often it came up */
};

/* ERR, which may be NULL, with the pass that it is of. */
static FX_NODISCARD struct fx_error *
note_pass(const struct fx_pass_work *work, struct fx_error *err)
{
	if (!err || work->pass->is_command)
		return err;
	return fx_error_note(err, "while running pass %s", work->pass->name);
}

static FX_NODISCARD struct fx_error *
open_pass(struct fx_pass_work *work)
{
	struct fx_error *err = work->pass->open(work->graph, &work->ctx);

	work->is_open = !err;
	return note_pass(work, err);
}

struct fx_error *
fx_pass_begin(struct fx_graph *graph, const struct fx_pass_step *step,
	struct fx_pass_work **ret)
{
	const struct fx_pass *pass = step->pass;
	struct fx_error *err = fx_pass_check_options(pass, step->options);
	struct fx_pass_work *work;

	*ret = NULL;
	if (err)
		return err;
	work = FX_NEW(struct fx_pass_work);
	work->graph = graph;
	work->pass = pass;
	work->is_keyless = step->is_keyless;
	work->options = step->options ? fx_xstrdup(step->options) : NULL;
	work->ctx = (struct fx_pass_ctx){ .options = work->options,
		.pass = pass,
		.data = step->data,
		.at = step->at,
		.is_quiet = step->is_quiet };
	if (!pass->computes)
		err = open_pass(work);
	if (err) {
		free(work->options);
		free(work);
		return err;
	}
	*ret = work;
	return NULL;
}

struct fx_error *
fx_pass_enter(struct fx_pass_work *work, const struct fx_pass_world *world)
{
	if (work->is_open)
		return NULL;
	work->ctx.world = world;
	return open_pass(work);
}

/* The second candidate of one key is KEY.2, and so on. */
static void
make_key(struct fx_pass_work *work)
{
	const struct fx_node *node =
		fx_graph_find_id(work->graph, work->candidate.node);
	const char *key = work->candidate.key;
	uintptr_t count;

	if (key || !node)
		key = fx_intern(key ? key : "graph");
	else
		key = node->name;
	count = fx_map_get(&work->keys, (uintptr_t)key, 0) + 1;
	fx_map_set(&work->keys, (uintptr_t)key, count);
	work->candidate.key =
		count == 1 ? key
			   : fx_intern_format("%s.%zu", key, (size_t)count);
}

struct fx_error *
fx_pass_next(struct fx_pass_work *work, const struct fx_candidate **ret)
{
	*ret = NULL;
	work->candidate = (struct fx_candidate){ .node = 0 };
	work->has_candidate =
		work->is_open &&
		work->pass->plan(work->graph, &work->ctx, &work->candidate);
	if (!work->has_candidate)
		return note_pass(work, FX_TAKE(work->ctx.error));
	if (work->is_keyless)
		work->candidate.key = NULL;
	else
		make_key(work);
	*ret = &work->candidate;
	return NULL;
}

const struct fx_candidate *
fx_pass_candidate(const struct fx_pass_work *work)
{
	return work->has_candidate ? &work->candidate : NULL;
}

struct fx_error *
fx_pass_apply_next(struct fx_pass_work *work)
{
	return note_pass(work,
		work->pass->apply(work->graph, &work->ctx, &work->candidate));
}

void
fx_pass_end(struct fx_pass_work *work)
{
	if (!work)
		return;
	if (work->is_open)
		work->pass->close(work->graph, &work->ctx);
	fx_map_deinit(&work->keys);
	free(work->options);
	free(work);
}

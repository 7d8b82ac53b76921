/* test_ir_random.c - random edits, undone, redone and revisited.
 *
 * Ten thousand sequences: each opens transactions of random edits on a random
 * graph, then walks through time.  At every point the verifier is silent, and
 * a point that is visited again has the same hash as before and, beyond what
 * the hash covers, the same order of users and the same free names.
 *
 * Most graphs have another one within, and that one too: all are edited, in one
 * journal.
 *
 * Beside each graph goes a second one, read from the first one's file, which
 * only hears of the edits by their text (emit/delta.h): it stays equal.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/vec.h"
#include "emit/delta.h"
#include "emit/jsonl.h"
#include "emit/weights.h"
#include "ir/clone.h"
#include "ir/control.h"
#include "ir/edit.h"
#include "ir/graph_hash.h"
#include "ir/journal.h"
#include "ir/module.h"
#include "ir/verify.h"
#include "load/delta.h"
#include "load/jsonl.h"
#include "load/open.h"
#include "tests/support/append.h"
#include "tests/support/random_graph.h"
#include "tests/support/unit.h"

enum {
	SEQUENCES = 10000,
	SEQUENCES_A_GRAPH = 10,
};

#ifdef FX_HARD_MODE
#define IS_HARD true
#else
#define IS_HARD false
#endif

struct moment {
	struct fx_hash hash; /* of the graph */
	struct fx_hash exact;
};

struct world {
	struct fxt_random random;
	struct fx_graph *root;
	struct fx_graph *graph; /* that is edited just now: it, or one within */
	struct fx_graph *mirror;
	FX_VEC(struct moment) moments; /* by time index */
	size_t edits, refused, visits;
};

/* Paths of the graph, of the one within it and of the one within that. */
static const char *const paths_within[] = { "", "within", "within.deep" };

typedef void add_graph_fn(struct fx_hasher *hasher, struct fx_graph *graph);

/* The hash of ROOT and what ADD says of it and of the graphs within. */
static struct fx_hash
hash_all(struct fx_graph *root, add_graph_fn *add)
{
	struct fx_hash hash = fx_graph_hash(root);
	struct fx_hasher *hasher = fx_hasher_new();

	fx_hasher_add(hasher, &hash, sizeof(hash));
	for (size_t i = 0; i < FX_ARRAY_LEN(paths_within); i++) {
		struct fx_graph *graph =
			fx_control_graph_at(root, paths_within[i]);

		if (graph)
			add(hasher, graph);
	}
	return fx_hasher_free(hasher);
}

static void
add_exact(struct fx_hasher *hasher, struct fx_graph *graph)
{
	static const char *const candidates[] = { "relu", "y", "y_3", "add" };
	struct fx_node *node;

	fx_graph_for_each_node (node, graph) {
		struct fx_use *use;

		fx_hasher_add(hasher, &node->id, sizeof(node->id));
		fx_hasher_add(hasher, &node->touched, sizeof(node->touched));
		fx_node_for_each_user (use, node)
			fx_hasher_add(hasher, &use->user->id,
				sizeof(use->user->id));
	}
	for (size_t i = 0; i < FX_ARRAY_LEN(candidates); i++)
		fx_hasher_add_text(hasher,
			fxt_next_name(&graph->names, candidates[i]));
}

/* What the graph hash leaves out, but undo has to restore. */
static struct fx_hash
exact_state(struct fx_graph *root)
{
	return hash_all(root, add_exact);
}

static void
add_visible(struct fx_hasher *hasher, struct fx_graph *graph)
{
	struct fx_node *node;

	fx_graph_for_each_node (node, graph) {
		uint32_t id = (uint32_t)node->id;
		const uint64_t *ids;
		struct fx_use *use;
		uint32_t count;

		fx_hasher_add(hasher, &id, sizeof(id));
		fx_hasher_add_text(hasher, node->name);
		ids = fx_graph_derived(node, &count);
		for (uint32_t i = 0; i < count; i++) {
			id = (uint32_t)ids[i];
			fx_hasher_add(hasher, &id, sizeof(id));
		}
		fx_node_for_each_user (use, node) {
			id = (uint32_t)use->user->id;
			fx_hasher_add(hasher, &id, sizeof(id));
		}
	}
}

/* Names, ids, order and users. */
static struct fx_hash
visible_state(struct fx_graph *root)
{
	return hash_all(root, add_visible);
}

/* Storages are known by where they lie. */
static const char *
key_of(void *context, struct fx_storage *storage)
{
	char text[32];

	(void)context;
	(void)snprintf(text, sizeof(text), "s%p", (void *)storage);
	return fx_intern(text);
}

static struct fx_storage *
find_storage(void *context, const char *key)
{
	void *storage = NULL;

	(void)context;
	if (sscanf(key, "s%p", &storage) != 1)
		return NULL;
	return fx_storage_ref(storage);
}

/* GRAPH as its file gives it. */
static struct fx_graph *
mirror_of(struct fx_graph *graph)
{
	FX_AUTO_WEIGHTS struct fx_weights weights = { 0 };
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_load_input input = { .serial = graph->serial };
	struct fx_graph *mirror = NULL;

	fx_weights_collect(&weights, graph);
	FXT_OK(fx_emit_jsonl(&text, graph, &weights, NULL));
	input.text = fx_buf_text(&text);
	input.length = text.length;
	FXT_OK(fx_load_jsonl(&input, &mirror));
	fx_journal_open(mirror, "mirror");
	return mirror;
}

/* Tell the mirror what the last transaction was. */
static bool
follow(struct world *w)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_hash before = exact_state(w->root);

	fx_emit_delta(&text, w->root, key_of, NULL);
	if (!fx_hash_equal(before, exact_state(w->root)))
		return false;
	fx_journal_begin(w->mirror, "followed");
	return fxt_ok(fx_load_delta(w->mirror, fx_buf_text(&text), text.length,
		       find_storage, NULL)) &&
	       fxt_ok(fx_journal_commit(w->mirror, NULL)) &&
	       fx_journal_now(w->mirror) == fx_journal_now(w->root);
}

static bool
mirrors(struct world *w)
{
	return fx_hash_equal(visible_state(w->root), visible_state(w->mirror));
}

static struct fx_node *
any_node(struct world *w)
{
	return fx_graph_at(w->graph,
		fxt_random_below(&w->random, w->graph->node_count));
}

/* A tuple of random values and nodes, not always in order. */
static struct fx_value
random_args(struct world *w)
{
	struct fx_value items[3];

	for (size_t i = 0; i < FX_ARRAY_LEN(items); i++)
		items[i] = fxt_random_chance(&w->random, 60)
				   ? fx_value_node(any_node(w))
				   : fxt_random_value(&w->random,
					     w->graph->values, 2, false);
	if (fxt_random_chance(&w->random, 30))
		items[0] = fx_value_sequence(w->graph->values, FX_VALUE_LIST,
			items, 2);
	return fx_value_sequence(w->graph->values, FX_VALUE_TUPLE, items,
		fxt_random_below(&w->random, FX_ARRAY_LEN(items) + 1));
}

static const char *
random_name(struct world *w)
{
	static const char *const names[] = { "a", "b", "y", "y_3", "abs",
		"no name", "relu_1" };

	return names[fxt_random_below(&w->random, FX_ARRAY_LEN(names))];
}

static struct fx_error *
create(struct world *w)
{
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_FUNCTION,
		.target = "torch.relu",
		.args = random_args(w) };
	bool at_end = fxt_random_chance(&w->random, 40);
	uint64_t from = any_node(w)->id;

	spec.derived = &from;
	spec.derived_count = fxt_random_chance(&w->random, 30);
	if (fxt_random_chance(&w->random, 40))
		spec.name = random_name(w);
	spec.name_is_exact = fxt_random_chance(&w->random, 50);
	return fx_edit_create(w->graph, &spec, at_end ? NULL : any_node(w),
		NULL);
}

/* A node that takes the place and the name of another: never refused. */
static struct fx_error *
inherit(struct world *w)
{
	struct fx_node *old = any_node(w);
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_FUNCTION,
		.target = "torch.neg",
		.heir_of = old,
		.derived = &old->id,
		.derived_count = 1 };
	struct fx_node *made = NULL;
	struct fx_value with;
	struct fx_error *err;

	if (old->opcode != FX_OPCODE_CALL_FUNCTION)
		return NULL;
	err = fx_edit_create(w->graph, &spec, fx_graph_next(old), &made);
	if (!err) {
		with = fx_value_node(made);
		err = fx_edit_replace_uses(old, &with, NULL, NULL, NULL);
	}
	return err ? err : fx_edit_erase(old);
}

/* An unused node if there is one nearby, so that it often succeeds. */
static struct fx_error *
erase(struct world *w)
{
	struct fx_node *node = any_node(w);

	for (int i = 0; i < 8 && node->user_count > 0; i++)
		node = any_node(w);
	if (w->graph->node_count < 3)
		return NULL;
	return fx_edit_erase(node);
}

static struct fx_error *
replace(struct world *w)
{
	struct fx_value with = fx_value_node(any_node(w));
	size_t count;

	if (fxt_random_chance(&w->random, 20))
		with = random_args(w);
	return fx_edit_replace_uses(any_node(w), &with, NULL, NULL, &count);
}

static struct fx_error *
set_field(struct world *w)
{
	static const char *const types[] = { NULL, "int", "torch.Tensor" };
	struct fx_node *node = any_node(w);

	switch (fxt_random_below(&w->random, 3)) {
	case 0:
		return fx_edit_set_name(node, random_name(w));
	case 1:
		return fx_edit_set_type(node,
			types[fxt_random_below(&w->random, 3)]);
	default:
		if (node->opcode != FX_OPCODE_CALL_FUNCTION)
			return NULL;
		return fx_edit_set_target(node,
			fxt_random_chance(&w->random, 50) ? "torch.neg"
							  : "torch.abs");
	}
}

/* At places that no node refers to. */
static struct fx_error *
set_module(struct world *w)
{
	static const char *const paths[] = { "more", "more.a", "more.b",
		"more.a.b.c", "extra", "deep" };
	const char *path =
		paths[fxt_random_below(&w->random, FX_ARRAY_LEN(paths))];
	struct fx_graph *graph = w->graph;
	const int64_t sizes[1] = { 3 };

	switch (fxt_random_below(&w->random, 4)) {
	case 0:
		return fx_edit_set_module(graph, path, NULL);
	case 1:
		return fx_edit_bind_tensor(graph, path,
			fx_tensor_new(graph, FX_DTYPE_F32, sizes, 1, NULL));
	case 2:
		return fx_edit_bind_tensor(graph, path, NULL);
	default:
		return fx_edit_set_module(graph, path,
			fxt_random_module(&w->random, graph, 1));
	}
}

static struct fx_error *
random_edit(struct world *w)
{
	switch (fxt_random_below(&w->random, 13)) {
	case 12:
		return inherit(w);
	case 0:
	case 1:
	case 2:
		return create(w);
	case 3:
	case 4:
		return erase(w);
	case 5:
	case 6:
		return fx_edit_move(any_node(w),
			fxt_random_chance(&w->random, 20) ? NULL : any_node(w));
	case 7:
		return fx_edit_set_args(any_node(w), random_args(w),
			fx_value_none());
	case 8:
	case 9:
		return replace(w);
	case 10:
		return set_module(w);
	default:
		return set_field(w);
	}
}

static bool
same_hash(struct fx_hash a, struct fx_hash b)
{
	return fx_hash_equal(a, b);
}

/* The verifier is silent. */
static bool
is_sound(struct world *w)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(paths_within); i++) {
		struct fx_graph *graph =
			fx_control_graph_at(w->root, paths_within[i]);

		if (graph && !fxt_ok(fx_verify_error(graph)))
			return false;
	}
	return true;
}

/* A refused edit changes nothing. */
static bool
edit_once(struct world *w)
{
	struct fx_hash before = exact_state(w->root);
	struct fx_error *err;

	w->graph = fx_control_graph_at(w->root,
		paths_within[fxt_random_below(&w->random,
			FX_ARRAY_LEN(paths_within))]);
	if (!w->graph)
		w->graph = w->root;
	err = random_edit(w);
	w->edits++;
	if (!err)
		return true;
	w->refused++;
	fx_error_free(err);
	return same_hash(before, exact_state(w->root));
}

static void
remember(struct world *w, size_t id)
{
	struct moment moment = { .hash = fx_graph_hash(w->root),
		.exact = exact_state(w->root) };

	if (id == w->moments.count)
		fx_vec_push(&w->moments, moment);
}

static bool
command(struct world *w)
{
	struct fx_hash before = exact_state(w->root);
	size_t count = 1 + fxt_random_below(&w->random, 4);
	uint32_t now = fx_journal_now(w->root);
	bool good = true;

	fx_journal_begin(w->root, "random");
	while (good && count-- > 0)
		good = edit_once(w);
	if (good && fxt_random_chance(&w->random, 20)) {
		fx_journal_abort(w->root);
		good = same_hash(before, exact_state(w->root));
	} else {
		good = fxt_ok(fx_journal_commit(w->root, NULL)) && good;
		remember(w, fx_journal_now(w->root));
		if (good && fx_journal_now(w->root) != now)
			good = follow(w);
	}
	return good && is_sound(w) && mirrors(w);
}

/* We are where we have been. */
static bool
is_as_before(struct world *w)
{
	uint32_t now = fx_journal_now(w->root);

	w->visits++;
	return same_hash(w->moments.items[now].hash, fx_graph_hash(w->root)) &&
	       same_hash(w->moments.items[now].exact, exact_state(w->root));
}

static bool
travel(struct world *w)
{
	size_t undo = fx_journal_undo_count(w->root);
	size_t redo = fx_journal_redo_count(w->root);
	struct fx_error *err = NULL;

	switch (fxt_random_below(&w->random, 3)) {
	case 0:
		err = fx_journal_undo(w->root,
			fxt_random_below(&w->random, undo + 1));
		break;
	case 1:
		err = fx_journal_redo(w->root,
			fxt_random_below(&w->random, redo + 1));
		break;
	default:
		err = fx_journal_goto(w->root,
			(uint32_t)fxt_random_below(&w->random,
				fx_journal_count(w->root)));
		break;
	}
	if (fxt_ok(err))
		err = fx_journal_goto(w->mirror, fx_journal_now(w->root));
	return fxt_ok(err) && is_as_before(w) && is_sound(w) && mirrors(w);
}

static void
compact_all(struct fx_graph *root)
{
	for (size_t i = 0; i < FX_ARRAY_LEN(paths_within); i++) {
		struct fx_graph *graph =
			fx_control_graph_at(root, paths_within[i]);

		if (graph)
			fx_graph_compact(graph, true);
	}
}

/* A random graph of its own for the child NAME of GRAPH's modules. */
static struct fx_graph *
put_within(struct fx_graph *graph, const char *name,
	const struct fxt_graph_options *options, uint32_t number)
{
	FX_AUTO_GRAPH struct fx_graph *random = fxt_random_graph(options);
	struct fx_module *module =
		fx_module_new(graph, "torch.fx.graph_module.GraphModule");

	module->graph = fx_graph_clone(random,
		(graph->serial & UINT16_MAX) + (number << 16), NULL);
	fx_module_add_child(graph->module, name, module);
	return module->graph;
}

static bool
sequence(struct world *w)
{
	for (int i = 0; i < 4; i++) {
		bool good = fxt_random_chance(&w->random, 55) ? command(w)
							      : travel(w);

		if (!good)
			return false;
		if (IS_HARD || fxt_random_chance(&w->random, 20)) {
			compact_all(w->root);
			compact_all(w->mirror);
			if (!is_as_before(w) || !is_sound(w))
				return false;
		}
	}
	return true;
}

static void
revisited_states_are_exactly_as_before(void)
{
	struct world w = { .edits = 0 };
	int count = (int)fxt_part(SEQUENCES);
	int failed = -1;

	for (int i = 0; i < count && failed < 0; i++) {
		struct fxt_graph_options options = {
			.seed = (uint64_t)i / SEQUENCES_A_GRAPH,
			.no_modules = i % 7 == 0,
		};

		if (i % SEQUENCES_A_GRAPH == 0) {
			fx_graph_free(w.root);
			fx_graph_free(w.mirror);
			fx_vec_clear(&w.moments);
			w.random = fxt_random_seed((uint64_t)i);
			w.root = fxt_random_graph(&options);
			if (!options.no_modules)
				(void)put_within(put_within(w.root, "within",
							 &options, 1),
					"deep", &options, 2);
			fx_journal_open(w.root, "random");
			fx_journal_get(w.root, 0);
			remember(&w, 0);
			w.mirror = mirror_of(w.root);
		}
		if (!sequence(&w))
			failed = i;
	}
	FXT_EQ(failed, -1);
	/* Most edits are carried out, some are refused. */
	CU_ASSERT(w.refused > 0 && w.refused < w.edits / 2);
	FXT_IS(w.visits, >, count);
	fx_graph_free(w.root);
	fx_graph_free(w.mirror);
	fx_vec_deinit(&w.moments);
}

int
main(void)
{
	static const struct fxt_case cases[] = {
		FXT_CASE(revisited_states_are_exactly_as_before),
	};

	return fxt_run("ir random", cases, FX_ARRAY_LEN(cases));
}

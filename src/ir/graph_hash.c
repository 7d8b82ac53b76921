/* graph_hash.c - digests of graphs.
 *
 * The graph hash is a sum of one hash per node, each over the node's contents
 * and the name of its predecessor (which pins the order down), mixed with
 * digests of the module tree and the signature.  A sum can follow an edit: the
 * nodes that an edit is about to change are taken out of it ("dirty") and put
 * back, as they are then, when the hash is asked for.
 *
 * Everything is written to bytes first, in one format on all machines: numbers
 * little-endian, texts with their length, inputs by name.
 */
#include <config.h>

#include "ir/graph_hash.h"

#include "base/buf.h"
#include "base/compiler.h"
#include "ir/graph_private.h"
#include "ir/hash_bytes.h"

/* NODE's contents.  What Python code does not keep (annotations of wrapping and
 * of type, the output's name) is left out when AS_TEXT.
 */
static void
put_node(struct fx_buf *out, const struct fx_node *node, bool as_text)
{
	bool is_output = node->opcode == FX_OPCODE_OUTPUT;

	fx_hash_put_text(out, fx_opcode_tag((enum fx_opcode)node->opcode));
	if (!as_text || !is_output) {
		fx_hash_put_interned(out, node->name);
		fx_hash_put_interned(out, node->target);
	}
	if (!as_text) {
		fx_hash_put_interned(out, node->type);
		fx_hash_put_byte(out, node->is_wrapped);
	}
	fx_hash_put_value(out, &node->args, as_text);
	fx_hash_put_value(out, &node->kwargs, as_text);
}

struct fx_hash
fx_node_hash(const struct fx_node *node)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };

	put_node(&buf, node, false);
	return fx_hash_of(buf.data, buf.length);
}

/* NODE's term of the sum. */
static struct fx_hash
term(struct fx_buf *buf, const struct fx_node *node)
{
	fx_buf_clear(buf);
	put_node(buf, node, false);
	fx_hash_put_interned(buf, node->previous->name);
	return fx_hash_of(buf->data, buf->length);
}

static struct fx_hash
full_sum(const struct fx_graph *graph)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	struct fx_hash sum = { 0 };
	struct fx_node *node;

	fx_graph_for_each_node (node, graph) {
		struct fx_hash hash = term(&buf, node);

		sum.low += hash.low;
		sum.high += hash.high;
	}
	return sum;
}

static void
forget_dirty(struct fx_hash_state *state)
{
	struct fx_node **node;

	fx_vec_for_each (node, &state->dirty_nodes)
		fx_bitset_remove(&state->dirty, fx_node_index(*node));
	fx_vec_clear(&state->dirty_nodes);
}

void
fx_graph_hash_touch(struct fx_graph *graph, struct fx_node *node)
{
	struct fx_hash_state *state = &graph->private_->hash;
	struct fx_hash hash;

	if (!state->is_valid || node->opcode == FX_OPCODE_COUNT ||
		fx_bitset_has(&state->dirty, fx_node_index(node)))
		return;
	fx_bitset_add(&state->dirty, fx_node_index(node));
	fx_vec_push(&state->dirty_nodes, node);
	if (!node->is_in_graph)
		return;
	hash = term(&state->scratch, node);
	state->sum.low -= hash.low;
	state->sum.high -= hash.high;
}

void
fx_graph_hash_touch_modules(struct fx_graph *graph)
{
	graph->private_->hash.modules_valid = false;
}

static void
settle(struct fx_hash_state *state)
{
	struct fx_node **at;

	fx_vec_for_each (at, &state->dirty_nodes) {
		struct fx_hash hash;

		if (!(*at)->is_in_graph)
			continue;
		hash = term(&state->scratch, *at);
		state->sum.low += hash.low;
		state->sum.high += hash.high;
	}
	forget_dirty(state);
}

void
fx_graph_hash_reset(struct fx_graph *graph, struct fx_hash sum,
	struct fx_hash modules)
{
	struct fx_hash_state *state = &graph->private_->hash;

	forget_dirty(state);
	state->sum = sum;
	state->modules = modules;
	state->is_valid = true;
	state->modules_valid = true;
}

static void
put_hash(struct fx_buf *out, struct fx_hash hash)
{
	fx_hash_put_word(out, hash.low);
	fx_hash_put_word(out, hash.high);
}

static void
put_signature(struct fx_buf *out, const struct fx_pytree *pytree)
{
	fx_hash_put_byte(out, pytree != NULL);
	if (!pytree)
		return;
	fx_hash_put_word(out, pytree->input_count);
	for (size_t i = 0; i < pytree->input_count; i++)
		fx_hash_put_text(out, pytree->inputs[i]);
	fx_hash_put_byte(out, pytree->with_self);
	fx_hash_put_byte(out, pytree->with_kwargs);
	fx_hash_put_text(out, pytree->in_text);
	fx_hash_put_byte(out, pytree->has_outputs);
}

static struct fx_hash
whole(const struct fx_graph *graph, struct fx_hash sum, struct fx_hash modules)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };

	fx_hash_put_word(&buf, graph->node_count);
	put_hash(&buf, sum);
	put_hash(&buf, modules);
	put_signature(&buf, graph->pytree);
	return fx_hash_of(buf.data, buf.length);
}

struct fx_hash
fx_graph_hash(struct fx_graph *graph)
{
	struct fx_hash_state *state = &graph->private_->hash;

	/* Building changes things without telling. */
	if (!graph->journal)
		state->is_valid = state->modules_valid = false;
	if (!state->is_valid) {
		forget_dirty(state);
		state->sum = full_sum(graph);
		state->is_valid = true;
	}
	settle(state);
	if (!state->modules_valid) {
		state->modules = fx_hash_modules(graph->module);
		state->modules_valid = true;
	}
	return whole(graph, state->sum, state->modules);
}

void
fx_graph_hash_check(struct fx_graph *graph)
{
	struct fx_hash running = fx_graph_hash(graph);
	struct fx_hash fresh =
		whole(graph, full_sum(graph), fx_hash_modules(graph->module));

	fx_assert(fx_hash_equal(running, fresh));
}

struct fx_hash
fx_graph_text_hash(const struct fx_graph *graph)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	struct fx_hasher *hasher = fx_hasher_new();
	struct fx_node *node;

	fx_graph_for_each_node (node, graph) {
		fx_buf_clear(&buf);
		put_node(&buf, node, true);
		fx_hasher_add(hasher, buf.data, buf.length);
	}
	return fx_hasher_free(hasher);
}

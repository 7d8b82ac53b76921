/* graph_hash.c - digests of graphs.
 *
 * The graph hash is a sum of one hash per node, each over the node's contents
 * and the name of its predecessor (which pins the order down), mixed with
 * digests of the module tree and the signature.
 *
 * Everything is written to bytes first, in one format on all machines: numbers
 * little-endian, texts with their length, inputs by name.
 */
#include <config.h>

#include "ir/graph_hash.h"

#include "base/buf.h"
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
node_sum(const struct fx_graph *graph)
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

struct fx_hash
fx_graph_hash(const struct fx_graph *graph)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };

	fx_hash_put_word(&buf, graph->node_count);
	put_hash(&buf, node_sum(graph));
	put_hash(&buf, fx_hash_modules(graph->module));
	put_signature(&buf, graph->pytree);
	return fx_hash_of(buf.data, buf.length);
}

bool
fx_graph_hash_equal(const struct fx_graph *a, const struct fx_graph *b)
{
	return a && b ? fx_hash_equal(fx_graph_hash(a), fx_graph_hash(b))
		      : a == b;
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

/* graph.c - the graph's own memory: slabs of nodes, the list, lookups. */
#include <config.h>

#include "ir/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/graph_private.h"
#include "ir/module.h"
#include "ir/order.h"
#include "ir/uses.h"
#include "ir/value_walk.h"
#include "ops/dialect.h"
#include "ops/optab.h"

struct fx_graph *
fx_graph_new(uint32_t serial)
{
	struct fx_graph *graph = FX_NEW(struct fx_graph);

	graph->serial = serial;
	graph->values = fx_arena_new();
	graph->permanent = fx_arena_new();
	graph->private_ = FX_NEW(struct fx_graph_private);
	graph->root.graph = graph;
	graph->root.opcode = FX_OPCODE_COUNT;
	graph->root.previous = graph->root.next = &graph->root;
	graph->private_->index_version = UINT64_MAX;
	graph->module = fx_module_new(graph, "torch.nn.modules.module.Module");
	return graph;
}

void
fx_graph_set_dialect(struct fx_graph *graph, const char *dialect)
{
	graph->dialect = dialect;
	fx_names_set_version(&graph->names, fx_dialect_choose(NULL, dialect));
}

void
fx_graph_free(struct fx_graph *graph)
{
	struct fx_graph_private *p;

	if (!graph)
		return;
	p = graph->private_;
	if (!graph->outer)
		fx_journal_free(graph->journal);
	fx_graph_deinit_modules(graph);
	fx_graph_deinit_annotations(graph);
	for (size_t i = 0; i < p->slabs.count; i++)
		fx_graph_free_slab(graph, i);
	fx_vec_deinit(&p->slabs);
	fx_vec_deinit(&p->blocks);
	free(p->at);
	free(p->positions);
	free(p);
	fx_names_deinit(&graph->names);
	fx_arena_free(graph->values);
	fx_arena_free(graph->permanent);
	free(graph);
}

struct fx_node *
fx_graph_slot(const struct fx_graph *graph, uint32_t index)
{
	const struct fx_graph_private *p = graph->private_;
	size_t slab;

	if (index == 0 || index > p->made)
		return NULL;
	slab = (index - 1) / FX_SLAB_NODES;
	if (!p->slabs.items[slab])
		return NULL;
	return &p->slabs.items[slab][(index - 1) % FX_SLAB_NODES];
}

#define SLAB_SIZE   (FX_SLAB_NODES * sizeof(struct fx_node))
#define BLOCK_SLABS (FX_HUGE_PAGE / SLAB_SIZE)

/* The block of the slab at INDEX, which is none of the single ones. */
static struct fx_slab_block *
block_of(struct fx_graph_private *p, size_t index)
{
	return &p->blocks.items[(index - FX_SINGLE_SLABS) / BLOCK_SLABS];
}

static struct fx_node *
new_slab(struct fx_graph_private *p)
{
	size_t index = p->slabs.count;
	size_t place = (index - FX_SINGLE_SLABS) % BLOCK_SLABS;
	struct fx_slab_block *block;

	if (index < FX_SINGLE_SLABS)
		return fx_xcalloc(1, SLAB_SIZE);
	if (place == 0)
		fx_vec_push(&p->blocks,
			((struct fx_slab_block){
				fx_xmalloc_large(FX_HUGE_PAGE), 0 }));
	block = block_of(p, index);
	block->live++;
	return memset(block->nodes + place * FX_SLAB_NODES, 0, SLAB_SIZE);
}

void
fx_graph_free_slab(struct fx_graph *graph, size_t index)
{
	struct fx_graph_private *p = graph->private_;
	struct fx_node *slab = FX_TAKE(p->slabs.items[index]);

	if (index < FX_SINGLE_SLABS)
		free(slab);
	else if (slab && --block_of(p, index)->live == 0)
		free(FX_TAKE(block_of(p, index)->nodes));
}

static struct fx_node *
next_slot(struct fx_graph *graph)
{
	struct fx_graph_private *p = graph->private_;
	struct fx_node *slab;

	fx_assert(p->made < UINT32_MAX);
	if (p->made % FX_SLAB_NODES == 0) {
		slab = new_slab(p);
		fx_vec_push(&p->slabs, slab);
	}
	p->made++;
	return fx_graph_slot(graph, p->made);
}

bool
fx_graph_reserve_ids(struct fx_graph *graph, uint32_t id)
{
	if (id <= graph->private_->made)
		return false;
	while (graph->private_->made + 1 < id)
		(void)next_slot(graph);
	return true;
}

struct fx_node *
fx_graph_make_node(struct fx_graph *graph, const struct fx_node_spec *spec,
	const char *name)
{
	struct fx_node *node = next_slot(graph);

	node->graph = graph;
	node->id = (uint64_t)graph->serial << 32 | graph->private_->made;
	node->opcode = (uint8_t)spec->opcode;
	node->is_wrapped = spec->is_wrapped;
	node->name = name;
	node->target = spec->target;
	node->op = spec->like ? spec->like->op
			      : (uint16_t)fx_op_of_target(spec->opcode,
					node->target);
	node->type = fx_intern(spec->type);
	node->args = spec->args;
	if (node->args.kind == FX_VALUE_NONE)
		node->args = fx_value_sequence(graph->values, FX_VALUE_TUPLE,
			NULL, 0);
	node->kwargs = spec->kwargs;
	if (node->kwargs.kind == FX_VALUE_NONE)
		node->kwargs = fx_value_dict(graph->values, NULL, 0);
	node->source = spec->source;
	node->scope = spec->scope;
	fx_graph_set_derived(node, spec->derived, spec->derived_count);
	fx_uses_build(graph, node);
	if (spec->meta)
		fx_graph_set_meta(node, spec->meta);
	return node;
}

bool
fx_node_is_shapeless(const struct fx_node *node)
{
	return node->meta && node->meta->kind == FX_VALUE_UNKNOWN &&
	       node->meta->text && *node->meta->text;
}

void
fx_graph_link(struct fx_graph *graph, struct fx_node *node,
	struct fx_node *previous)
{
	node->previous = previous;
	node->next = previous->next;
	previous->next->previous = node;
	previous->next = node;
	node->is_in_graph = true;
	fx_order_label(node);
	graph->node_count++;
	graph->shapeless += fx_node_is_shapeless(node);
	graph->version++;
}

void
fx_graph_unlink(struct fx_graph *graph, struct fx_node *node)
{
	node->previous->next = node->next;
	node->next->previous = node->previous;
	node->is_in_graph = false;
	graph->node_count--;
	graph->shapeless -= fx_node_is_shapeless(node);
	graph->version++;
}

void
fx_graph_own_name(struct fx_graph *graph, const char *name,
	struct fx_node *node)
{
	fx_map_set_pointer(&graph->names.taken, name, node);
}

struct fx_node *
fx_graph_name_owner(const struct fx_graph *graph, const char *name)
{
	uintptr_t owner = fx_map_get(&graph->names.taken, (uintptr_t)name, 1);
	struct fx_node *node = (struct fx_node *)owner;

	if (owner == 1 || !node->is_in_graph || node->name != name)
		return NULL;
	return node;
}

struct fx_node *
fx_graph_append(struct fx_graph *graph, const struct fx_node_spec *spec)
{
	struct fx_node_spec own = *spec;
	const char *candidate = spec->name;
	const char *name;
	struct fx_node *node;

	fx_assert(!graph->journal);
	fx_assert(spec->target);
	if (!candidate)
		candidate = fx_names_candidate(spec->opcode, spec->target);
	/* An exact name is one that a node has already (conv_00 after a
	 * rename, a builtin's as torch.export leaves those of inputs), so the
	 * rules that make new names leave it alone.
	 */
	if (spec->name && spec->name_is_exact &&
		fx_str_is_identifier(candidate) &&
		!fx_names_is_reserved(candidate) &&
		fx_names_take(&graph->names, candidate))
		name = fx_intern(candidate);
	else
		name = fx_names_create(&graph->names, candidate);
	own.target = fx_intern(own.target);
	node = fx_graph_make_node(graph, &own, name);
	fx_graph_link(graph, node, graph->root.previous);
	fx_graph_own_name(graph, name, node);
	fx_uses_append(node);
	return node;
}

struct fx_node *
fx_graph_find(const struct fx_graph *graph, const char *name)
{
	const char *interned = fx_intern_find(name);

	return interned ? fx_graph_name_owner(graph, interned) : NULL;
}

struct fx_node *
fx_graph_find_id(const struct fx_graph *graph, uint64_t id)
{
	struct fx_node *node;

	if (id >> 32 != graph->serial)
		return NULL;
	node = fx_graph_slot(graph, (uint32_t)id);
	return node && node->is_in_graph ? node : NULL;
}

/* Number the nodes, once after each change. */
static void
build_index(struct fx_graph *graph)
{
	struct fx_graph_private *p = graph->private_;
	size_t slots = (size_t)p->made + 1;
	struct fx_node *node;
	uint32_t position = 0;

	if (p->index_version == graph->version)
		return;
	free(p->at);
	free(p->positions);
	p->at = fx_xcalloc(graph->node_count + 1, sizeof(struct fx_node *));
	p->positions = fx_xcalloc(slots, sizeof(uint32_t));
	p->index_size = (graph->node_count + 1) * sizeof(struct fx_node *) +
			slots * sizeof(uint32_t);
	fx_graph_for_each_node (node, graph) {
		p->positions[fx_node_index(node)] = position;
		p->at[position++] = node;
	}
	p->index_version = graph->version;
}

struct fx_node *
fx_graph_at(struct fx_graph *graph, size_t position)
{
	if (position >= graph->node_count)
		return NULL;
	build_index(graph);
	return graph->private_->at[position];
}

size_t
fx_graph_position(struct fx_graph *graph, const struct fx_node *node)
{
	fx_assert(node->is_in_graph);
	build_index(graph);
	return graph->private_->positions[fx_node_index(node)];
}

struct fx_node *
fx_graph_output(const struct fx_graph *graph)
{
	struct fx_node *node;

	for (node = fx_graph_last(graph); node; node = fx_graph_previous(node))
		if (node->opcode == FX_OPCODE_OUTPUT)
			return node;
	return NULL;
}

void
fx_graph_set_meta(struct fx_node *node, const struct fx_value *meta)
{
	struct fx_arena *arena = node->graph->values;
	struct fx_value *copy = NULL;

	if (meta) {
		copy = fx_arena_alloc(arena, sizeof(*copy));
		*copy = fx_value_clone(arena, meta);
	}
	if (node->is_in_graph)
		node->graph->shapeless -= fx_node_is_shapeless(node);
	node->meta = copy;
	if (node->is_in_graph)
		node->graph->shapeless += fx_node_is_shapeless(node);
}

size_t
fx_graph_memory(const struct fx_graph *graph)
{
	const struct fx_graph_private *p = graph->private_;
	size_t size = sizeof(*graph) + sizeof(*p) + p->index_size;

	for (size_t i = 0; i < p->slabs.count; i++)
		if (p->slabs.items[i])
			size += FX_SLAB_NODES * sizeof(struct fx_node);
	size += p->slabs.capacity * sizeof(void *);
	size += fx_arena_size(graph->values) + fx_arena_size(graph->permanent);
	size += 2 * sizeof(uintptr_t) *
		(graph->names.taken.capacity + graph->names.hints.capacity);
	return size + fx_graph_modules_memory(graph) +
	       (graph->outer ? 0 : fx_journal_memory(graph->journal));
}

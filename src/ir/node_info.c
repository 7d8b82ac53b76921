/* node_info.c - what hangs from nodes beside their meaning: source, scope,
 * notes.  Equal sources and scopes are shared within a graph.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"
#include "ir/graph.h"
#include "ir/graph_private.h"
#include "ir/note.h"

struct shared_source {
	struct fx_source source;
	struct shared_source *next; /* of the same hash */
};

struct shared_scope {
	struct fx_scope scope;
	struct shared_scope *next;
};

struct note {
	const char *key; /* interned */
	const char *text;
	struct note *next;
};

void
fx_graph_deinit_annotations(struct fx_graph *graph)
{
	struct fx_graph_private *p = graph->private_;

	fx_map_deinit(&p->sources);
	fx_map_deinit(&p->scopes);
	fx_map_deinit(&p->notes);
	for (size_t i = 0; i < p->derived.count; i++)
		free(p->derived.items[i]);
	fx_vec_deinit(&p->derived);
}

static bool
same_frames(const struct fx_source_frame *a, const struct fx_source_frame *b,
	size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (a[i].file != b[i].file || a[i].text != b[i].text ||
			a[i].function != b[i].function ||
			a[i].line != b[i].line)
			return false;
	return true;
}

static void
intern_frames(struct fx_source_frame *ret, const struct fx_source_frame *frames,
	size_t count)
{
	/* Padding takes part in the hash below. */
	memset(ret, 0, count * sizeof(*ret));
	for (size_t i = 0; i < count; i++) {
		ret[i].file = fx_intern(frames[i].file);
		ret[i].function = fx_intern(frames[i].function);
		ret[i].text = fx_intern(frames[i].text);
		ret[i].line = frames[i].line;
	}
}

/* The source of COPY, frames that were allocated last in the graph's arena, at
 * MARK; they are given back when there is an equal one.
 */
static const struct fx_source *
share_source(struct fx_graph *graph, const struct fx_source_frame *copy,
	size_t count, struct fx_arena_mark mark)
{
	struct fx_arena *arena = graph->permanent;
	struct fx_map *map = &graph->private_->sources;
	struct shared_source *first;
	struct shared_source *shared;
	uintptr_t key;

	key = (uintptr_t)fx_hash_quick(copy, count * sizeof(*copy)) | 1;
	first = (struct shared_source *)fx_map_get(map, key, 0);
	for (shared = first; shared; shared = shared->next) {
		if (shared->source.count != count ||
			!same_frames(shared->source.frames, copy, count))
			continue;
		fx_arena_rollback(arena, mark);
		return &shared->source;
	}
	shared = FX_ARENA_NEW(arena, struct shared_source);
	shared->source.count = count;
	shared->source.frames = copy;
	shared->next = first;
	fx_map_set(map, key, (uintptr_t)shared);
	return &shared->source;
}

const struct fx_source *
fx_graph_source(struct fx_graph *graph, const struct fx_source_frame *frames,
	size_t count)
{
	struct fx_arena_mark mark = fx_arena_mark(graph->permanent);
	struct fx_source_frame *copy =
		fx_arena_alloc(graph->permanent, count * sizeof(*copy));

	intern_frames(copy, frames, count);
	return share_source(graph, copy, count, mark);
}

const struct fx_source *
fx_graph_source_interned(struct fx_graph *graph,
	const struct fx_source_frame *frames, size_t count)
{
	struct fx_arena_mark mark = fx_arena_mark(graph->permanent);
	struct fx_source_frame *copy =
		fx_arena_calloc(graph->permanent, count, sizeof(*copy));

	/* Member by member: padding takes part in the hash. */
	for (size_t i = 0; i < count; i++) {
		copy[i].file = frames[i].file;
		copy[i].function = frames[i].function;
		copy[i].text = frames[i].text;
		copy[i].line = frames[i].line;
	}
	return share_source(graph, copy, count, mark);
}

const struct fx_scope *
fx_graph_scope(struct fx_graph *graph, const struct fx_scope *parent,
	const char *path, const char *class_name)
{
	return fx_graph_scope_interned(graph, parent, fx_intern(path),
		fx_intern(class_name));
}

const struct fx_scope *
fx_graph_scope_interned(struct fx_graph *graph, const struct fx_scope *parent,
	const char *path, const char *class_name)
{
	struct fx_map *map = &graph->private_->scopes;
	const void *parts[3] = { parent, path, class_name };
	uintptr_t key = (uintptr_t)fx_hash_quick(parts, sizeof(parts)) | 1;
	struct shared_scope *first =
		(struct shared_scope *)fx_map_get(map, key, 0);
	struct shared_scope *shared;

	for (shared = first; shared; shared = shared->next)
		if (shared->scope.parent == parent &&
			shared->scope.path == parts[1] &&
			shared->scope.class_name == parts[2])
			return &shared->scope;
	shared = FX_ARENA_NEW(graph->permanent, struct shared_scope);
	shared->scope.parent = parent;
	shared->scope.path = parts[1];
	shared->scope.class_name = parts[2];
	shared->next = first;
	fx_map_set(map, key, (uintptr_t)shared);
	return &shared->scope;
}

static struct note *
first_note(const struct fx_node *node)
{
	if (node->note_count == 0)
		return NULL;
	return (struct note *)fx_map_get(&node->graph->private_->notes,
		fx_node_index(node), 0);
}

static void
remove_note(struct fx_node *node, const char *key)
{
	struct fx_map *map = &node->graph->private_->notes;
	struct note *first = first_note(node);
	struct note **link = &first;

	while (*link && (*link)->key != key)
		link = &(*link)->next;
	if (!*link)
		return;
	*link = (*link)->next;
	node->note_count--;
	fx_map_set(map, fx_node_index(node), (uintptr_t)first);
}

/* Append a note to the notes of NODE, so that the notes stay in the order in
 * which they were added.
 */
static void
add_note(struct fx_node *node, const char *key, const char *text)
{
	struct fx_graph *graph = node->graph;
	struct note *first = first_note(node);
	struct note **link = &first;
	struct note *note = FX_ARENA_NEW(graph->permanent, struct note);

	note->key = key;
	note->text = fx_arena_strndup(graph->permanent, text, strlen(text));
	while (*link)
		link = &(*link)->next;
	*link = note;
	node->note_count++;
	fx_map_set(&graph->private_->notes, fx_node_index(node),
		(uintptr_t)first);
}

void
fx_graph_set_note(struct fx_node *node, const char *key, const char *text)
{
	const char *interned = fx_intern(key);

	for (struct note *note = first_note(node); note; note = note->next)
		if (note->key == interned && text) {
			note->text = fx_arena_strndup(node->graph->permanent,
				text, strlen(text));
			return;
		}
	if (!text)
		remove_note(node, interned);
	else if (node->note_count < UINT16_MAX)
		add_note(node, interned, text);
}

bool
fx_graph_note_at(const struct fx_node *node, size_t index, const char **key_ret,
	const char **text_ret)
{
	struct note *note = first_note(node);

	while (note && index-- > 0)
		note = note->next;
	if (!note)
		return false;
	*key_ret = note->key;
	*text_ret = note->text;
	return true;
}

const char *
fx_graph_note(const struct fx_node *node, const char *key)
{
	const char *other;
	const char *text;

	for (size_t i = 0; fx_graph_note_at(node, i, &other, &text); i++)
		if (!strcmp(other, key))
			return text;
	return NULL;
}

struct fx_derived {
	uint32_t count;
	uint64_t ids[];
};

/* Where what NODE was derived from is kept; NULL: nothing is, of its slab. */
static struct fx_derived **
derived_place(const struct fx_node *node)
{
	const struct fx_graph_private *p = node->graph->private_;
	size_t index = fx_node_index(node) - 1;
	size_t slab = index / FX_SLAB_NODES;

	if (slab >= p->derived.count || !p->derived.items[slab])
		return NULL;
	return &p->derived.items[slab][index % FX_SLAB_NODES];
}

void
fx_graph_set_derived(struct fx_node *node, const uint64_t *ids, uint32_t count)
{
	struct fx_graph_private *p = node->graph->private_;
	size_t slab = (fx_node_index(node) - 1) / FX_SLAB_NODES;
	struct fx_derived *derived;

	if (!count)
		return;
	derived = fx_arena_alloc(node->graph->permanent,
		sizeof(*derived) + count * sizeof(*ids));
	derived->count = count;
	memcpy(derived->ids, ids, count * sizeof(*ids));
	while (p->derived.count <= slab)
		fx_vec_push(&p->derived, NULL);
	if (!p->derived.items[slab])
		p->derived.items[slab] =
			fx_xcalloc(FX_SLAB_NODES, sizeof(struct fx_derived *));
	*derived_place(node) = derived;
}

const uint64_t *
fx_graph_derived(const struct fx_node *node, uint32_t *count_ret)
{
	struct fx_derived **place = derived_place(node);
	const struct fx_derived *derived = place ? *place : NULL;

	*count_ret = derived ? derived->count : 0;
	return derived ? derived->ids : NULL;
}

void
fx_graph_print_derived(const struct fx_node *node, struct fx_buf *out)
{
	uint32_t count;
	const uint64_t *ids = fx_graph_derived(node, &count);
	size_t length = out->length;

	for (uint32_t i = 0; i < count; i++) {
		const struct fx_node *old;

		/* Of the graph around this one. */
		if ((uint32_t)(ids[i] >> 32) != node->graph->serial)
			continue;
		old = fx_graph_slot(node->graph, (uint32_t)ids[i]);
		if (out->length > length)
			fx_buf_add(out, ", ");
		if (old)
			fx_buf_addf(out, "%s (%s %s)", old->name,
				fx_opcode_word((enum fx_opcode)old->opcode),
				old->target);
		else
			fx_buf_add(out, "a node that is forgotten");
	}
}

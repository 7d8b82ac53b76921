/* module.c - the module tree. */
#include <config.h>

#include "ir/module.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/compiler.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "ir/graph.h"
#include "ir/graph_private.h"
#include "ir/journal_private.h"

enum {
	/* More members than this get an index by name. */
	FEW_MEMBERS = 12,
};

struct fx_module *
fx_module_new(struct fx_graph *graph, const char *class_name)
{
	struct fx_module *module = FX_NEW(struct fx_module);

	module->class_name = fx_intern(class_name);
	module->config = fx_value_dict(graph->permanent, NULL, 0);
	fx_vec_push(&graph->private_->modules, module);
	return module;
}

void
fx_module_free(struct fx_module *module)
{
	fx_graph_free(module->graph);
	fx_map_deinit(&module->index);
	free(module->members);
	free(module);
}

void
fx_graph_deinit_modules(struct fx_graph *graph)
{
	struct fx_graph_private *p = graph->private_;

	for (size_t i = 0; i < p->modules.count; i++)
		fx_module_free(p->modules.items[i]);
	for (size_t i = 0; i < p->storages.count; i++)
		fx_storage_unref(p->storages.items[i]);
	fx_vec_deinit(&p->modules);
	fx_vec_deinit(&p->storages);
}

size_t
fx_graph_modules_memory(const struct fx_graph *graph)
{
	const struct fx_graph_private *p = graph->private_;
	size_t size = 0;

	for (size_t i = 0; i < p->modules.count; i++) {
		const struct fx_module *module = p->modules.items[i];

		size += sizeof(*module) +
			module->member_capacity * sizeof(*module->members);
		size += module->index.capacity * 2 * sizeof(uintptr_t);
		if (module->graph)
			size += fx_graph_memory(module->graph);
	}
	return size;
}

static void
build_member_index(struct fx_module *module)
{
	for (size_t i = 0; i < module->member_count; i++)
		fx_map_set(&module->index, (uintptr_t)module->members[i].name,
			i + 1);
}

struct fx_member *
fx_module_member(const struct fx_module *module, const char *name)
{
	uintptr_t at;

	if (module->member_count <= FEW_MEMBERS) {
		for (size_t i = 0; i < module->member_count; i++)
			if (module->members[i].name == name)
				return &module->members[i];
		return NULL;
	}
	/* The index is a cache, so a reader may fill it. */
	if (module->index.count == 0)
		build_member_index((struct fx_module *)module);
	at = fx_map_get(&module->index, (uintptr_t)name, 0);
	return at ? &module->members[at - 1] : NULL;
}

void
fx_module_insert_member(struct fx_module *module, size_t index,
	const struct fx_member *member)
{
	bool at_end = index == module->member_count;

	module->members = fx_vec_grow(module->members, module->member_count,
		module->member_count + 1, sizeof(*module->members),
		&module->member_capacity);
	fx_vec_open_gap(module->members, &module->member_count, index,
		sizeof(*module->members));
	module->members[index] = *member;
	if (at_end && module->index.count > 0)
		fx_map_set(&module->index, (uintptr_t)member->name, index + 1);
	else
		fx_map_clear(&module->index);
}

void
fx_module_remove_member(struct fx_module *module, size_t index)
{
	fx_vec_close_gap(module->members, &module->member_count, index,
		sizeof(*module->members));
	fx_map_clear(&module->index);
}

static void
put_member(struct fx_module *module, const struct fx_member *member)
{
	struct fx_member *old = fx_module_member(module, member->name);

	if (old)
		*old = *member;
	else
		fx_module_insert_member(module, module->member_count, member);
}

void
fx_module_add_child(struct fx_module *module, const char *name,
	struct fx_module *child)
{
	struct fx_member member = {
		.name = fx_intern(name), .kind = FX_MEMBER_CHILD, .child = child
	};

	put_member(module, &member);
}

void
fx_module_add_tensor(struct fx_module *module, const char *name,
	const struct fx_tensor *tensor)
{
	bool is_buffer = tensor && tensor->is_buffer;
	struct fx_member member = { .name = fx_intern(name),
		.kind = is_buffer ? FX_MEMBER_BUFFER : FX_MEMBER_PARAMETER,
		.tensor = tensor };

	put_member(module, &member);
}

void
fx_module_add_none(struct fx_module *module, const char *name,
	enum fx_member_kind kind)
{
	struct fx_member member = { .name = fx_intern(name), .kind = kind };

	put_member(module, &member);
}

/* The member at a dotted PATH below ROOT, or NULL. */
struct fx_member *
fx_module_attribute(const struct fx_module *module, const char *name)
{
	struct fx_member *member = fx_module_member(module, name);

	return !member && module->graph
		       ? fx_module_member(module->graph->module, name)
		       : member;
}

static struct fx_member *
find_member(struct fx_module *root, const char *path)
{
	struct fx_module *at = root;
	struct fx_member *member = NULL;

	while (at) {
		size_t length = strcspn(path, ".");
		const char *atom = fx_intern_n(path, length);

		member = fx_module_attribute(at, atom);
		if (!member || !path[length])
			return member;
		at = member->child;
		path += length + 1;
	}
	return NULL;
}

struct fx_module *
fx_module_find(struct fx_module *root, const char *path)
{
	struct fx_member *member;

	if (!*path)
		return root;
	member = find_member(root, path);
	return member ? member->child : NULL;
}

const struct fx_tensor *
fx_module_find_tensor(struct fx_module *root, const char *path)
{
	struct fx_member *member = find_member(root, path);

	return member ? member->tensor : NULL;
}

struct fx_tensor *
fx_tensor_new(struct fx_graph *graph, enum fx_dtype dtype, const int64_t *sizes,
	size_t rank, struct fx_storage *storage)
{
	struct fx_tensor *tensor =
		FX_ARENA_NEW(graph->permanent, struct fx_tensor);
	int64_t *copy = fx_arena_alloc(graph->permanent,
		FX_MAX(rank, 1) * sizeof(*copy));

	if (rank > 0)
		memcpy(copy, sizes, rank * sizeof(*copy));
	tensor->dtype = dtype;
	tensor->rank = (uint32_t)rank;
	tensor->sizes = copy;
	tensor->storage = storage;
	if (storage)
		fx_vec_push(&graph->private_->storages,
			fx_storage_ref(storage));
	return tensor;
}

struct fx_tensor *
fx_tensor_new_like(struct fx_graph *graph, const struct fx_tensor *other,
	struct fx_storage *storage)
{
	struct fx_tensor *tensor = fx_tensor_new(graph, other->dtype,
		other->sizes, other->rank, storage);

	tensor->is_buffer = other->is_buffer;
	tensor->is_persistent = other->is_persistent;
	tensor->requires_grad = other->requires_grad;
	return tensor;
}

struct fx_tensor *
fx_tensor_clone(struct fx_graph *graph, const struct fx_tensor *other,
	struct fx_storage *storage)
{
	struct fx_tensor *tensor = fx_tensor_new_like(graph, other, storage);
	size_t size = other->rank * sizeof(*other->strides);
	int64_t *strides;

	tensor->offset = other->offset;
	if (!other->strides)
		return tensor;
	strides = fx_arena_alloc(graph->permanent, size);
	memcpy(strides, other->strides, size);
	tensor->strides = strides;
	return tensor;
}

int64_t
fx_tensor_numel(const struct fx_tensor *tensor)
{
	int64_t count = 1;
	bool is_huge = false;

	for (size_t i = 0; i < tensor->rank; i++) {
		if (tensor->sizes[i] == 0)
			return 0;
		is_huge |=
			__builtin_mul_overflow(count, tensor->sizes[i], &count);
	}
	return is_huge ? INT64_MAX : count;
}

bool
fx_tensor_is_contiguous(const struct fx_tensor *tensor)
{
	int64_t expected = 1;

	for (size_t i = tensor->rank; tensor->strides && i-- > 0;) {
		int64_t size = tensor->sizes[i];

		if (tensor->strides[i] != expected && size != 1)
			return false;
		if (__builtin_mul_overflow(expected, size, &expected))
			return false;
	}
	return true;
}

size_t
fx_tensor_bytes(const struct fx_tensor *tensor)
{
	int64_t numel = fx_tensor_numel(tensor);
	size_t each = fx_dtype_info(tensor->dtype)->size;
	size_t size;

	if (numel < 0 || __builtin_mul_overflow((size_t)numel, each, &size))
		return SIZE_MAX;
	return size;
}

bool
fx_tensor_reach(const struct fx_tensor *tensor, uint64_t *bytes_ret)
{
	int64_t size = (int64_t)fx_dtype_info(tensor->dtype)->size;
	int64_t last = tensor->offset;
	int64_t dense = 1;

	*bytes_ret = 0;
	if (last < 0)
		return false;
	for (size_t i = tensor->rank; i-- > 0;) {
		int64_t stride = tensor->strides ? tensor->strides[i] : dense;
		int64_t step;

		if (tensor->sizes[i] == 0)
			return true;
		if (stride < 0 ||
			__builtin_mul_overflow(dense, tensor->sizes[i],
				&dense) ||
			__builtin_mul_overflow(tensor->sizes[i] - 1, stride,
				&step) ||
			__builtin_add_overflow(last, step, &last))
			return false;
	}
	if (__builtin_add_overflow(last, 1, &last) ||
		__builtin_mul_overflow(last, size, &last))
		return false;
	*bytes_ret = (uint64_t)last;
	return true;
}

const char *
fx_class_short_name(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

const char *
fx_module_path(const char *path, const char *name)
{
	return *path ? fx_intern_format("%s.%s", path, name) : fx_intern(name);
}

/* Letting go of modules and storages that nothing reaches.
 *
 * Reachable is what hangs from the module tree and from the entries of the
 * journal; replaced modules and tensors go once the journal has forgotten
 * them.
 */

struct reach {
	struct fx_map modules;
	struct fx_map storages;
};

static void
reach_tensor(struct reach *reach, const struct fx_tensor *tensor)
{
	if (tensor && tensor->storage)
		fx_map_set(&reach->storages, (uintptr_t)tensor->storage, 1);
}

static void
reach_module(struct reach *reach, struct fx_module *root)
{
	struct fx_module_walk *walk;
	struct fx_module *module;
	const char *path;

	if (!root || fx_map_has(&reach->modules, (uintptr_t)root))
		return;
	walk = fx_module_walk_new(root, true);
	while (fx_module_walk_next(walk, &module, &path)) {
		fx_map_set(&reach->modules, (uintptr_t)module, 1);
		for (size_t i = 0; i < module->member_count; i++)
			reach_tensor(reach, module->members[i].tensor);
		/* Its graph may have modules of this one (ir/part.h). */
		if (module->graph)
			reach_module(reach, module->graph->module);
	}
	fx_module_walk_free(walk);
}

static void
reach_entry(struct reach *reach, const struct fx_entry *entry)
{
	if (entry->kind != FX_EDIT_MEMBER)
		return;
	reach_module(reach, entry->member->module);
	if (!entry->member->is_present)
		return;
	reach_module(reach, entry->member->member.child);
	reach_tensor(reach, entry->member->member.tensor);
}

static void
drop_modules(struct fx_graph_private *p, const struct reach *reach)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->modules.count; i++) {
		struct fx_module *module = p->modules.items[i];

		if (fx_map_has(&reach->modules, (uintptr_t)module))
			p->modules.items[kept++] = module;
		else
			fx_module_free(module);
	}
	p->modules.count = kept;
}

/* Each tensor holds its storage once; one reference for each is enough. */
static void
drop_storages(struct fx_graph_private *p, struct reach *reach)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->storages.count; i++) {
		struct fx_storage *storage = p->storages.items[i];

		if (fx_map_erase(&reach->storages, (uintptr_t)storage))
			p->storages.items[kept++] = storage;
		else
			fx_storage_unref(storage);
	}
	p->storages.count = kept;
}

void
fx_graph_collect_modules(struct fx_graph *graph)
{
	const struct fx_journal *journal = graph->journal;
	struct reach reach = { .modules = { 0 } };

	reach_module(&reach, graph->module);
	for (size_t i = 0; i < journal->records.count; i++) {
		const struct fx_record *record = &journal->records.items[i];

		for (size_t k = 0; k < record->entries.count; k++)
			reach_entry(&reach, &record->entries.items[k]);
	}
	drop_modules(graph->private_, &reach);
	drop_storages(graph->private_, &reach);
	fx_map_deinit(&reach.modules);
	fx_map_deinit(&reach.storages);
}

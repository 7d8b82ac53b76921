/* module_walk.c - going through a module tree.
 *
 * The walk keeps its own stack, of bounded depth: what is deeper than the
 * limit is left out (edits and loaders refuse to make such trees).
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "ir/graph_private.h"
#include "ir/module.h"

/* Modules that hold each other twice stand at 2 to the power of their depth
 * paths: so many second paths are given and no more.
 */
#define AGAIN_LIMIT 100000

struct level {
	struct fx_module *module;
	size_t next;        /* member to look at */
	size_t path_length; /* of this module's path */
};

struct fx_module_walk {
	struct level levels[FX_DEPTH_LIMIT + 1];
	int depth; /* levels in use */
	bool once;
	int again;              /* modules given that were given before */
	struct fx_module *root; /* until it was given */
	struct fx_map seen;
	struct fx_buf path;
};

struct fx_module_walk *
fx_module_walk_new(struct fx_module *root, bool once)
{
	struct fx_module_walk *walk = FX_NEW(struct fx_module_walk);

	walk->root = root;
	walk->once = once;
	return walk;
}

void
fx_module_walk_free(struct fx_module_walk *walk)
{
	if (!walk)
		return;
	fx_map_deinit(&walk->seen);
	fx_buf_deinit(&walk->path);
	free(walk);
}

static bool
enter(struct fx_module_walk *walk, struct fx_module *module,
	struct fx_module **module_ret, const char **path_ret)
{
	struct level *level = &walk->levels[walk->depth++];

	level->module = module;
	level->next = 0;
	level->path_length = walk->path.length;
	*module_ret = module;
	*path_ret = fx_intern(fx_buf_text(&walk->path));
	return true;
}

/* Whether MEMBER is to be given; extends the path by its name if so. */
static bool
wants(struct fx_module_walk *walk, const struct fx_member *member)
{
	if (member->kind != FX_MEMBER_CHILD || !member->child ||
		walk->depth > FX_DEPTH_LIMIT)
		return false;
	if (!fx_map_set(&walk->seen, (uintptr_t)member->child, 1) &&
		(walk->once || ++walk->again > AGAIN_LIMIT))
		return false;
	if (walk->path.length > 0)
		fx_buf_add_char(&walk->path, '.');
	fx_buf_add(&walk->path, member->name);
	return true;
}

bool
fx_module_walk_next(struct fx_module_walk *walk, struct fx_module **module_ret,
	const char **path_ret)
{
	if (walk->root) {
		struct fx_module *root = walk->root;

		walk->root = NULL;
		fx_map_set(&walk->seen, (uintptr_t)root, 1);
		return enter(walk, root, module_ret, path_ret);
	}
	while (walk->depth > 0) {
		struct level *level = &walk->levels[walk->depth - 1];

		fx_buf_truncate(&walk->path, level->path_length);
		if (level->next == level->module->member_count) {
			walk->depth--;
			continue;
		}
		const struct fx_member *member =
			&level->module->members[level->next++];

		if (wants(walk, member))
			return enter(walk, member->child, module_ret, path_ret);
	}
	return false;
}

int64_t
fx_module_parameter_count(struct fx_module *root)
{
	struct fx_module_walk *walk = fx_module_walk_new(root, true);
	FX_AUTO_MAP struct fx_map seen = { 0 };
	struct fx_module *module;
	const char *path;
	int64_t count = 0;

	while (fx_module_walk_next(walk, &module, &path))
		for (size_t i = 0; i < module->member_count; i++) {
			const struct fx_member *member = &module->members[i];

			if (member->kind == FX_MEMBER_PARAMETER &&
				member->tensor &&
				fx_map_set(&seen, (uintptr_t)member->tensor,
					1) &&
				__builtin_add_overflow(count,
					fx_tensor_numel(member->tensor),
					&count))
				count = INT64_MAX;
		}
	fx_module_walk_free(walk);
	return count;
}

/* Depth first through distinct modules; MEMO holds each one's depth + 1. */
static int
depth_of(const struct fx_module *module, struct fx_map *memo, int level)
{
	uintptr_t known = fx_map_get(memo, (uintptr_t)module, 0);
	int deepest = 0;

	if (known)
		return (int)known - 1;
	if (level > 5 * FX_DEPTH_LIMIT)
		return 0;
	for (size_t i = 0; i < module->member_count; i++) {
		const struct fx_module *child = module->members[i].child;

		if (child)
			deepest = FX_MAX(deepest,
				1 + depth_of(child, memo, level + 1));
	}
	fx_map_set(memo, (uintptr_t)module, (uintptr_t)deepest + 1);
	return deepest;
}

int
fx_module_depth(const struct fx_module *module)
{
	FX_AUTO_MAP struct fx_map memo = { 0 };

	return depth_of(module, &memo, 0);
}

bool
fx_module_contains(const struct fx_module *module,
	const struct fx_module *inner)
{
	struct fx_module_walk *walk =
		fx_module_walk_new((struct fx_module *)module, true);
	struct fx_module *at;
	const char *path;
	bool found = false;

	while (!found && fx_module_walk_next(walk, &at, &path))
		found = at == inner;
	fx_module_walk_free(walk);
	return found;
}

void
fx_module_add_own_code(struct fx_buf *out, struct fx_module *root,
	const char *prefix)
{
	struct fx_module_walk *walk = fx_module_walk_new(root, true);
	struct fx_module *module;
	const char *path;

	while (fx_module_walk_next(walk, &module, &path))
		if (module->own_code)
			fx_buf_addf(out, "%s%s%s%s (%s)",
				out->length ? ", " : "", prefix,
				*prefix && *path ? "." : "", path,
				module->own_code);
	fx_module_walk_free(walk);
}

bool
fx_module_has_tensors(struct fx_module *root)
{
	struct fx_module_walk *walk = fx_module_walk_new(root, true);
	struct fx_module *module;
	bool found = false;
	const char *path;

	while (!found && fx_module_walk_next(walk, &module, &path))
		for (size_t i = 0; i < module->member_count; i++)
			found |= module->members[i].tensor != NULL;
	fx_module_walk_free(walk);
	return found;
}

uint64_t
fx_module_bytes(struct fx_module *root, uint64_t *present_ret)
{
	struct fx_module_walk *walk = fx_module_walk_new(root, true);
	FX_AUTO_MAP struct fx_map seen = { 0 };
	struct fx_module *module;
	uint64_t present = 0;
	uint64_t bytes = 0;
	const char *path;

	while (fx_module_walk_next(walk, &module, &path))
		for (size_t i = 0; i < module->member_count; i++) {
			const struct fx_tensor *tensor =
				module->members[i].tensor;
			const void *key;
			uint64_t size;

			if (!tensor)
				continue;
			key = tensor->storage ? (const void *)tensor->storage
					      : tensor;
			if (fx_map_has(&seen, (uintptr_t)key))
				continue;
			fx_map_set(&seen, (uintptr_t)key, 1);
			size = fx_tensor_bytes(tensor);
			bytes += size;
			if (tensor->storage && tensor->storage->blob)
				present += size;
		}
	fx_module_walk_free(walk);
	if (present_ret)
		*present_ret = present;
	return bytes;
}

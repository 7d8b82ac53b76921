/* hash_modules.c - the digest of a module tree, and of what its storages hold.
 *
 * The one does not contain the other: a graph is the same before and after its
 * weights were fetched.  Distinct modules and storages are numbered as a walk
 * meets them, so that sharing counts and addresses do not.
 */
#include <config.h>

#include "ir/hash_bytes.h"

#include <string.h>

#include "base/blob.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/map.h"
#include "base/mem.h"
#include "ir/graph_hash.h"
#include "ir/module.h"

enum {
	DIGEST_CHUNK = 1 << 16,
};

struct walk {
	struct fx_map modules;  /* -> number */
	struct fx_map storages; /* -> number */
};

void
fx_storage_compute_digest(struct fx_storage *storage)
{
	FX_AUTO_FREE char *chunk = NULL;
	struct fx_hasher *hasher;
	struct fx_error *err = NULL;
	size_t size;

	if (storage->has_digest || !storage->blob)
		return;
	chunk = fx_xmalloc(DIGEST_CHUNK);
	size = fx_blob_size(storage->blob);
	hasher = fx_hasher_new();
	for (size_t at = 0; at < size && !err; at += DIGEST_CHUNK) {
		size_t part = FX_MIN(size - at, (size_t)DIGEST_CHUNK);

		err = fx_blob_read(storage->blob, at, part, chunk);
		if (!err)
			fx_hasher_add(hasher, chunk, part);
	}
	storage->digest = fx_hasher_free(hasher);
	/* Cut short beneath us: the node says so. */
	storage->has_digest = !err;
	fx_error_free(err);
}

static void
put_storage(struct fx_buf *out, struct walk *walk, struct fx_storage *storage)
{
	uintptr_t number;

	if (!storage) {
		fx_hash_put_byte(out, 0);
		return;
	}
	number = fx_map_get(&walk->storages, (uintptr_t)storage, 0);
	if (!number) {
		number = walk->storages.count + 1;
		fx_map_set(&walk->storages, (uintptr_t)storage, number);
	}
	fx_hash_put_word(out, number);
	fx_hash_put_byte(out, 0); /* a digest stood here in older versions */
}

static void
put_tensor(struct fx_buf *out, struct walk *walk, const struct fx_tensor *t)
{
	bool contiguous = fx_tensor_is_contiguous(t);

	fx_hash_put_text(out, fx_dtype_info(t->dtype)->name);
	fx_hash_put_byte(out, t->is_buffer);
	fx_hash_put_byte(out, t->is_persistent);
	fx_hash_put_byte(out, t->requires_grad);
	fx_hash_put_word(out, t->rank);
	for (size_t i = 0; i < t->rank; i++)
		fx_hash_put_word(out, (uint64_t)t->sizes[i]);
	fx_hash_put_byte(out, contiguous);
	for (size_t i = 0; !contiguous && i < t->rank; i++)
		fx_hash_put_word(out, (uint64_t)t->strides[i]);
	fx_hash_put_word(out, (uint64_t)t->offset);
	put_storage(out, walk, t->storage);
}

static void
put_alone(struct fx_buf *out, const struct fx_tensor *tensor)
{
	struct walk walk = { .modules = { 0 } };
	struct fx_tensor plain = *tensor;

	/* All parameters are, whatever a file says. */
	plain.is_persistent |= !plain.is_buffer;
	put_tensor(out, &walk, &plain);
	fx_map_deinit(&walk.storages);
	if (!plain.storage)
		return;
	fx_storage_compute_digest(plain.storage);
	fx_hash_put_byte(out, plain.storage->has_digest);
	if (!plain.storage->has_digest)
		return;
	fx_hash_put_word(out, plain.storage->digest.low);
	fx_hash_put_word(out, plain.storage->digest.high);
}

bool
fx_tensor_equal(const struct fx_tensor *a, const struct fx_tensor *b)
{
	FX_AUTO_BUF struct fx_buf one = { 0 };
	FX_AUTO_BUF struct fx_buf other = { 0 };

	if (a == b)
		return true;
	put_alone(&one, a);
	put_alone(&other, b);
	return one.length == other.length &&
	       !memcmp(one.data, other.data, one.length);
}

static void
put_member(struct fx_buf *out, struct walk *walk, const struct fx_member *m)
{
	fx_hash_put_interned(out, m->name);
	fx_hash_put_byte(out, m->kind == FX_MEMBER_CHILD       ? 'c'
			      : m->kind == FX_MEMBER_PARAMETER ? 'p'
							       : 'b');
	if (m->child)
		fx_hash_put_word(out,
			fx_map_get(&walk->modules, (uintptr_t)m->child, 0));
	else if (m->tensor)
		put_tensor(out, walk, m->tensor);
	else
		fx_hash_put_byte(out, 'N');
}

static void
put_module(struct fx_buf *out, struct walk *walk,
	const struct fx_module *module)
{
	fx_hash_put_interned(out, module->class_name);
	fx_hash_put_value(out, &module->config, false);
	fx_hash_put_byte(out, module->training);
	fx_hash_put_byte(out, module->is_leaf);
	if (module->own_code)
		fx_hash_put_interned(out, module->own_code);
	fx_hash_put_word(out, module->member_count);
	for (size_t i = 0; i < module->member_count; i++)
		put_member(out, walk, &module->members[i]);
	fx_hash_put_byte(out, module->graph != NULL);
	if (module->graph) {
		struct fx_hash hash = fx_graph_hash(module->graph);

		fx_hash_put_word(out, hash.low);
		fx_hash_put_word(out, hash.high);
	}
}

static void
number_modules(struct walk *walk, struct fx_module *root)
{
	struct fx_module_walk *at = fx_module_walk_new(root, true);
	struct fx_module *module;
	const char *path;

	while (fx_module_walk_next(at, &module, &path))
		fx_map_set(&walk->modules, (uintptr_t)module,
			walk->modules.count + 1);
	fx_module_walk_free(at);
}

struct fx_hash
fx_hash_modules(struct fx_module *root)
{
	FX_AUTO_BUF struct fx_buf buf = { 0 };
	struct fx_module_walk *at = fx_module_walk_new(root, true);
	struct walk walk = { .modules = { 0 } };
	struct fx_hasher *hasher = fx_hasher_new();
	struct fx_module *module;
	const char *path;

	number_modules(&walk, root);
	while (fx_module_walk_next(at, &module, &path)) {
		fx_buf_clear(&buf);
		put_module(&buf, &walk, module);
		fx_hasher_add(hasher, buf.data, buf.length);
	}
	fx_module_walk_free(at);
	fx_map_deinit(&walk.modules);
	fx_map_deinit(&walk.storages);
	return fx_hasher_free(hasher);
}

/* module.h - the module tree of a graph: classes, configuration, parameters.
 *
 * Modules belong to the graph they were made for, until it dies or is compacted
 * while neither its tree nor its journal leads to them.  A module may stand at
 * several paths (shared modules) and several tensors may lie in one storage
 * (views, tied weights).
 * Once in a tree, a module is changed by edits only (ir/edit.h).
 */
#ifndef FX_IR_MODULE_H
#define FX_IR_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/map.h"
#include "base/vec.h"
#include "ir/tensor_storage.h"
#include "ir/value.h"

struct fx_buf;
struct fx_graph;
struct fx_module;

/* A parameter or buffer.  Immutable, in the graph's permanent arena. */
struct fx_tensor {
	enum fx_dtype dtype;
	bool is_buffer;
	bool is_persistent; /* buffers: part of the state dict */
	bool requires_grad;
	uint32_t rank;
	const int64_t *sizes;
	const int64_t *strides;     /* in elements, or NULL: contiguous */
	int64_t offset;             /* in elements into the storage */
	struct fx_storage *storage; /* referenced by the graph; may be NULL */
};

enum fx_member_kind {
	FX_MEMBER_CHILD,
	FX_MEMBER_PARAMETER,
	FX_MEMBER_BUFFER,
};

/* One registered member, in registration order within its kind.  A member
 * registered as None has null pointers.
 */
struct fx_member {
	const char *name; /* interned */
	enum fx_member_kind kind;
	struct fx_module *child;
	const struct fx_tensor *tensor;
};

struct fx_module {
	const char *class_name; /* qualified: torch.nn.modules.conv.Conv2d */
	/* DICT of plain attributes: stride, eps...; in the graph's permanent
	 * or value arena. */
	struct fx_value config;
	struct fx_member *members;
	size_t member_count;
	size_t member_capacity;
	struct fx_map index; /* name -> position + 1, once there are many */
	bool training;
	bool is_leaf; /* torch.fx keeps it as one call_module */
	/* Of a leaf: what runs beside the class's own code, "a forward hook";
	 * interned, or NULL. */
	const char *own_code;
	struct fx_graph *graph; /* owned: a GraphModule, a branch body; NULL */
};

/* A module owned by GRAPH, in no tree yet.  CLASS_NAME is interned here. */
struct fx_module *fx_module_new(struct fx_graph *graph, const char *class_name);

/* Add or replace a member while building (before the module is in a tree that
 * has a journal).  Null CHILD or TENSOR registers None.
 */
void fx_module_add_child(struct fx_module *module, const char *name,
	struct fx_module *child);
void fx_module_add_tensor(struct fx_module *module, const char *name,
	const struct fx_tensor *tensor);
/* The same for None of a KIND that add_tensor could not tell. */
void fx_module_add_none(struct fx_module *module, const char *name,
	enum fx_member_kind kind);

/* The direct member NAME (interned), or NULL. */
struct fx_member *fx_module_member(const struct fx_module *module,
	const char *name);
/* The same, or else what only the graph of MODULE has. */
struct fx_member *fx_module_attribute(const struct fx_module *module,
	const char *name);

/* What stands at a dotted PATH below ROOT, where "" is ROOT itself: a module,
 * or a parameter or buffer.  NULL when it is something else, or nothing.
 */
struct fx_module *fx_module_find(struct fx_module *root, const char *path);
const struct fx_tensor *fx_module_find_tensor(struct fx_module *root,
	const char *path);

/* A tensor for GRAPH: SIZES copied, STORAGE referenced (may be NULL). */
struct fx_tensor *fx_tensor_new(struct fx_graph *graph, enum fx_dtype dtype,
	const int64_t *sizes, size_t rank, struct fx_storage *storage);
/* Make a tensor in STORAGE with the dtype, sizes and flags of OTHER.  The
 * elements of the new tensor lie in order from the start of STORAGE.
 */
struct fx_tensor *fx_tensor_new_like(struct fx_graph *graph,
	const struct fx_tensor *other, struct fx_storage *storage);
/* Like fx_tensor_new_like, but the new tensor also has OTHER's offset and
 * strides.
 */
struct fx_tensor *fx_tensor_clone(struct fx_graph *graph,
	const struct fx_tensor *other, struct fx_storage *storage);
/* Number of its elements; INT64_MAX when there are more. */
int64_t fx_tensor_numel(const struct fx_tensor *tensor);

/* Whether the strides of TENSOR are those of elements that lie in order without
 * gaps.  A tensor without strides is contiguous.
 */
bool fx_tensor_is_contiguous(const struct fx_tensor *tensor);

/* Bytes of its elements, without strides' gaps; SIZE_MAX when there are more.
 */
size_t fx_tensor_bytes(const struct fx_tensor *tensor);

/* How many bytes of its storage it reaches, from the start: 0 without elements.
 * False when that is no number, or begins or steps below 0.
 */
bool fx_tensor_reach(const struct fx_tensor *tensor, uint64_t *bytes_ret);

/* Deepest path below MODULE: 0 when it has no children.  Counts to 1000 at
 * most.
 */
int fx_module_depth(const struct fx_module *module);
/* Whether INNER is MODULE or stands below it. */
bool fx_module_contains(const struct fx_module *module,
	const struct fx_module *inner);

/* For ir/edit.c: put MEMBER at INDEX, or take the one there out. */
void fx_module_insert_member(struct fx_module *module, size_t index,
	const struct fx_member *member);
void fx_module_remove_member(struct fx_module *module, size_t index);

/* "Conv2d" of "torch.nn.modules.conv.Conv2d".  Borrowed, part of NAME. */
const char *fx_class_short_name(const char *name);

/* The path of the member NAME of the module at PATH: "layer1.0", or NAME alone
 * below the root, whose path is "".  Interned.
 */
const char *fx_module_path(const char *path, const char *name);

/* Walk the tree depth first in registration order, not changing it: gives each
 * module with its path (interned; "" for the root), parents first; false at the
 * end.  A module at a second path is given again unless ONCE, though not
 * without end: every module is given, but not every path of a tree that has
 * millions.
 */
struct fx_module_walk;
struct fx_module_walk *fx_module_walk_new(struct fx_module *root, bool once);
bool fx_module_walk_next(struct fx_module_walk *walk,
	struct fx_module **module_ret, const char **path_ret);
void fx_module_walk_free(struct fx_module_walk *walk);

/* Append each module below ROOT that has code of its own: "act (a forward
 * hook), fc (its own forward)"; PREFIX, the path of ROOT, goes before paths.
 */
void fx_module_add_own_code(struct fx_buf *out, struct fx_module *root,
	const char *prefix);

/* Whether a parameter or buffer stands below ROOT. */
bool fx_module_has_tensors(struct fx_module *root);

/* Number of parameter elements below ROOT, each tensor counted once; INT64_MAX
 * when there are more.
 */
int64_t fx_module_parameter_count(struct fx_module *root);

/* The bytes of all parameters and buffers below ROOT, of what several share
 * once; *PRESENT_RET (may be null) is how many of them have values.
 */
uint64_t fx_module_bytes(struct fx_module *root, uint64_t *present_ret);

#endif /* FX_IR_MODULE_H */

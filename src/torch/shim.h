/* shim.h - what fxdb and the shim say to each other: plain C.
 *
 * The shim is C++, compiled for one libtorch, and loaded when it is first
 * needed.  It links nothing of ours and exports one function, fxs_open.  Both
 * sides are compiled from this one header, which the build identity checks.
 * No exception crosses: what can fail returns an error of the host's, or null.
 */
#ifndef FX_TORCH_SHIM_H
#define FX_TORCH_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of values. */
enum fxs_tag {
	FXS_NONE,
	FXS_BOOL,    /* integer */
	FXS_INT,     /* integer */
	FXS_FLOAT,   /* real */
	FXS_COMPLEX, /* real, and imaginary */
	FXS_STRING,  /* text, count bytes */
	FXS_TENSOR,  /* tensor: a handle */
	FXS_LIST,    /* items, count of them */
	FXS_TUPLE,
	FXS_DTYPE,         /* integer: ATen's number */
	FXS_DEVICE,        /* text */
	FXS_LAYOUT,        /* integer: ATen's number */
	FXS_MEMORY_FORMAT, /* integer: ATen's number */
	FXS_OTHER,         /* what the other side does not understand */
	FXS_SAME,          /* as the plan's last call had it */
};

struct fxs_tensor; /* opaque: one reference to a tensor */
struct fxs_plan;   /* opaque: an operator and how its arguments are filled */

struct fxs_value {
	uint8_t tag; /* enum fxs_tag */
	uint32_t count;
	union {
		int64_t integer;
		double real;
		const char *text;
		struct fxs_tensor *tensor;
		struct fxs_value *items;
	};
	double imaginary;
};

/* Kinds of failures. */
enum fxs_failure {
	FXS_NO_OPERATOR, /* there is no operator of that name */
	FXS_NO_MATCH,    /* no overload takes these arguments */
	FXS_RAISED,      /* the operator refused or failed */
	FXS_NO_MEMORY,
	FXS_NO_DATA, /* the tensor has no elements that can be read */
};

/* The host's side. */
struct fxs_host {
	/* An error object of the host's; TEXT is copied. */
	void *(*error_new)(enum fxs_failure failure, const char *text,
		size_t length);
	/* A warning that libtorch gave. */
	void (*log)(const char *text, size_t length);
	/* Identity of the sources that the host was built with. */
	const char *source_id;
	int threads; /* how many to use at first */
};

/* An operator call to match: the last KEYWORD_COUNT of COUNT values have
 * names, NUL-terminated.  NAME is "aten::add"; OVERLOAD may be null: any.
 */
struct fxs_site {
	const char *name;
	const char *overload;
	const struct fxs_value *values;
	size_t count;
	const char *const *keywords;
	size_t keyword_count;
};

struct fxs_info {
	int dtype; /* ATen's number */
	size_t rank;
	const int64_t *sizes;   /* live as long as the tensor is not resized */
	const int64_t *strides; /* null: it has none */
	int64_t offset;         /* of the first element, in elements */
	char device[16];
	bool is_lazy; /* signs are others than the memory has */
};

/* A tensor in memory of the host's. */
struct fxs_memory {
	int dtype;
	size_t rank;
	const int64_t *sizes;
	const int64_t *strides; /* in elements, or null: contiguous */
	int64_t offset;         /* in elements */
	bool requires_grad;     /* as the model has it */
	/* Null, or a tensor to share storage with: what follows is ignored. */
	const struct fxs_tensor *beside;
	void *bytes; /* the whole storage, which is never written */
	size_t byte_count;
	void (*release)(void *context); /* when the last tensor goes */
	void *context;
};

/* Gets a text: of an operator, or of the library. */
typedef void fxs_schema_fn(void *context, const char *text, size_t length);

/* The shim's side.  Functions that return void * return null or an error. */
struct fxs_functions {
	const char *version; /* of the libtorch it was compiled for */
	const char *loaded;  /* of the libtorch that is loaded */
	int threads;         /* how many are used now */
	/* Whether there is any operator NAME ("aten::relu"). */
	bool (*has)(const char *name);
	/* Text of each overload's schema. */
	void (*schemas)(const char *name, fxs_schema_fn *each, void *context);
	/* A bit for each value that some overload which could take the site's
	 * number of positions and its keywords writes in place.
	 */
	uint64_t (*writes)(const struct fxs_site *site);
	void *(*match)(const struct fxs_site *site, struct fxs_plan **ret);
	/* Like the site that was matched, in number and keywords.  *AGAIN is
	 * set when the kinds of the values need another match.  *RET is freed
	 * by value_free after what it refers to was taken.
	 */
	void *(*call)(struct fxs_plan *plan, const struct fxs_value *values,
		bool *again, struct fxs_value *ret);
	void (*plan_free)(struct fxs_plan *plan);
	/* The schema that was chosen. */
	void (*plan_schema)(const struct fxs_plan *plan, fxs_schema_fn *each,
		void *context);
	/* Arrays and text of a result, not its tensors. */
	void (*value_free)(struct fxs_value *value);
	/* For measuring: the operator on these, COUNT times; nanoseconds. */
	void *(*repeat)(struct fxs_plan *plan, const struct fxs_value *values,
		size_t count, uint64_t *nanoseconds_ret);
	void (*tensor_unref)(struct fxs_tensor *tensor);
	void (*tensor_kind)(const struct fxs_tensor *tensor, int *dtype_ret,
		size_t *rank_ret);
	void (*tensor_info)(const struct fxs_tensor *tensor,
		struct fxs_info *ret);
	void *(*tensor_of_memory)(const struct fxs_memory *memory,
		struct fxs_tensor **ret);
	/* Contiguous; BYTES may be null: zeros. */
	void *(*tensor_new)(int dtype, const int64_t *sizes, size_t rank,
		const void *bytes, struct fxs_tensor **ret);
	/* Normally distributed from SEED if of a floating dtype, else zeros. */
	void *(*tensor_random)(int dtype, const int64_t *sizes, size_t rank,
		uint64_t seed, struct fxs_tensor **ret);
	/* COUNT elements from FIRST in row-major order. */
	void *(*tensor_read)(const struct fxs_tensor *tensor, uint64_t first,
		size_t count, void *bytes);
	/* Like call, for an operator that writes only its first argument, in
	 * place.  It runs as the operator that returns a new tensor, whose
	 * memory becomes that of the storage; KEPT is the former memory, which
	 * the host releases.  If that is not possible, nothing is done and
	 * KEPT->bytes is null.
	 */
	void *(*call_apart)(struct fxs_plan *plan,
		const struct fxs_value *values, struct fxs_value *ret,
		struct fxs_memory *kept);
	/* Where the storage begins, to copy from and to; null: none. */
	void *(*tensor_storage)(const struct fxs_tensor *tensor,
		size_t *bytes_ret);
	/* A storage in the host's memory gets its own; KEPT as above. */
	void *(*tensor_own)(struct fxs_tensor *tensor, struct fxs_memory *kept);
	/* The same number for tensors that share a storage; 0: none. */
	uintptr_t (*tensor_storage_id)(const struct fxs_tensor *tensor,
		size_t *bytes_ret);
	/* Place TENSOR in its storage as INFO, read from it before, says. */
	void *(*tensor_reshape)(struct fxs_tensor *tensor,
		const struct fxs_info *info);
	/* References to TENSOR and its storage; SIZE_MAX: not known. */
	size_t (*tensor_holders)(const struct fxs_tensor *tensor);
	/* The default generator.  Save gives the size; BYTES may be null. */
	void *(*random_save)(void *bytes, size_t capacity, size_t *size_ret);
	void *(*random_restore)(const void *bytes, size_t size);
	void (*seed)(uint64_t seed);
	void (*set_threads)(int count);
	/* What libtorch says of its parts, for --doctor. */
	void (*describe)(fxs_schema_fn *each, void *context);
};

/* Null when the shim is of other sources than the host.  HOST must live on. */
typedef const struct fxs_functions *fxs_open_fn(const struct fxs_host *host);

#ifdef __cplusplus
}
#endif

#endif /* FX_TORCH_SHIM_H */

/* backend.h - what runs operations: shapes, recordings, libtorch, Python.
 *
 * A backend is a struct of functions and a state.  Those on values, at the end,
 * may be null, and are asked through run/values.h; one whose has_values is
 * false may still know those of parameters and files.  An operation is resolved
 * once to a plan for the kinds of its arguments and called any number of times.
 */
#ifndef FX_RUN_BACKEND_H
#define FX_RUN_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/error.h"
#include "ir/node.h"

struct fx_backend;
struct fx_blob;
struct fx_emulation;
struct fx_tensor;

/* What resolve may look at of one argument. */
struct fx_kind {
	uint8_t kind;  /* enum fx_value_kind; HELD for what is no tensor */
	uint8_t dtype; /* enum fx_dtype, of tensors */
	int16_t rank;  /* of tensors; -1 when unknown */
};

/* An operation to resolve.  Arguments are counted without receiver or module:
 * the last KEYWORD_COUNT of COUNT have names.
 */
struct fx_call_site {
	enum fx_opcode opcode;  /* CALL_FUNCTION, CALL_METHOD, CALL_MODULE */
	const char *target;     /* interned */
	struct fx_graph *graph; /* whose module tree TARGET is in; may be NULL
				 * unless CALL_MODULE */
	const struct fx_kind *kinds;
	size_t count;
	const char *const *keywords; /* interned */
	size_t keyword_count;
};

struct fx_backend_ops {
	const char *name; /* "meta", "torch" */
	/* Whether tensors have values, or only metadata. */
	bool has_values;

	void (*free)(struct fx_backend *backend);

	/* A plan for SITE.  UNSUPPORTED when the backend cannot run it. */
	struct fx_error *(*resolve)(struct fx_backend *backend,
		const struct fx_call_site *site, void **plan_ret);
	/* Run PLAN on COUNT data, in the order of the site.  *RET is new. SHAPE
	 * when arguments do not fit together, BACKEND when it failed.
	 */
	struct fx_error *(*call)(struct fx_backend *backend, void *plan,
		struct fx_datum *const *data, size_t count,
		struct fx_datum **ret);
	void (*plan_free)(struct fx_backend *backend, void *plan);

	/* A parameter or buffer as a datum, the same for the whole run: what
	 * calls write there is the run's, not the graph's.
	 */
	struct fx_error *(*from_tensor)(struct fx_backend *backend,
		const struct fx_tensor *tensor, struct fx_datum **ret);
	/* Another run begins, of the graph's parameters; may be null. */
	void (*new_run)(struct fx_backend *backend);
	/* A tensor of metadata META made up from SEED: normal for floats, zeros
	 * for integers.
	 */
	struct fx_error *(*generate)(struct fx_backend *backend,
		const struct fx_tensor_meta *meta, uint64_t seed,
		struct fx_datum **ret);

	void (*payload_free)(void *payload); /* of a TENSOR or HANDLE datum */
	/* Dtype and rank; cheap. */
	struct fx_kind (*kind)(const void *payload);
	/* The tensor's metadata, in ARENA or living as long as the payload. */
	const struct fx_tensor_meta *(*meta)(const void *payload,
		struct fx_arena *arena);
	/* Append for people: one line, or IN_FULL with its values. */
	void (*print)(const void *payload, bool in_full, struct fx_buf *out);
	/* The truth of a tensor of one element; TYPE when it has no values. */
	struct fx_error *(*truth)(const void *payload, bool *ret);

	/* Copy COUNT elements of the tensor's dtype, in row-major order from
	 * element FIRST, to BYTES.  TYPE when the values are not known, which
	 * COUNT 0 asks without reading.
	 */
	struct fx_error *(*read)(const void *payload, uint64_t first,
		size_t count, void *bytes);
	/* Where the elements lie, one after the other in row-major order, as
	 * read gives them, to look at them without copying: then ask read
	 * whether they could be read.  Null, as the function may be: they do
	 * not.
	 */
	const void *(*bytes)(const void *payload);
	/* A contiguous tensor of META's dtype and shape from row-major BYTES,
	 * which are copied; null: see generate.  TYPE without values.
	 */
	struct fx_error *(*write)(struct fx_backend *backend,
		const struct fx_tensor_meta *meta, const void *bytes,
		struct fx_datum **ret);
	/* The storage, 0: none, and its size in bytes. */
	uintptr_t (*storage)(const void *payload, size_t *bytes_ret);
	/* The storage's bytes before a write in place, and back. */
	struct fx_error *(*storage_save)(const void *payload,
		struct fx_blob **ret);
	struct fx_error *(*storage_restore)(const void *payload,
		const struct fx_blob *saved);
	/* How the tensor lies in its storage, and back: what some operators in
	 * place change of it (t_, unsqueeze_).  *RET may be null: nothing can.
	 * Null functions: tensors keep their shape.
	 */
	struct fx_error *(*shape_save)(const void *payload,
		struct fx_blob **ret);
	struct fx_error *(*shape_restore)(const void *payload,
		const struct fx_blob *saved);
	/* Return how many payloads, that of this tensor included, lie in the
	 * tensor's storage: the bytes go with the last payload.  SIZE_MAX or a
	 * null function means that the number is not known.
	 */
	size_t (*storage_holders)(const void *payload);
	/* Which of a plan's data a call writes in place: a bit each of the
	 * first 64.
	 */
	uint64_t (*writes)(const void *plan);
	/* Return the other tensors that a call may write, such as a module's
	 * buffers: a datum that lives as long as the plan, or null.
	 */
	struct fx_datum *(*also_writes)(const void *plan);
	/* A list of the names that these have below the called module
	 * ("norm.running_mean"), which lives as long; or null.
	 */
	struct fx_datum *(*also_names)(const void *plan);
	/* As call, for a plan that writes the first of its data and draws no
	 * numbers: the storage gets other memory, and what it held comes back
	 * as *KEPT_RET without being copied.  That is null, and nothing was
	 * done, where the operator or the tensor do not allow it.
	 */
	struct fx_error *(*call_apart)(struct fx_backend *backend, void *plan,
		struct fx_datum *const *data, struct fx_datum **ret,
		struct fx_blob **kept_ret);

	/* The state of the random generator, and back; *RET is null when there
	 * is none.  SEED starts it anew.
	 */
	struct fx_error *(*random_save)(struct fx_backend *backend,
		struct fx_blob **ret);
	struct fx_error *(*random_restore)(struct fx_backend *backend,
		const struct fx_blob *saved);
	void (*seed)(struct fx_backend *backend, uint64_t seed);
	/* Threads that compute from now on; 0: as the environment says. */
	void (*set_threads)(struct fx_backend *backend, int count);
};

struct fx_backend {
	const struct fx_backend_ops *ops;
	void *state; /* the backend's own */
	/* The backend that runs what this one cannot run (run/fallback.h);
	 * borrowed, or null.
	 */
	struct fx_backend *fallback;
	size_t fallback_calls; /* how often it did */
	/* What runs in f32 for want of a kernel (run/emulate.h); borrowed, or
	 * null.
	 */
	struct fx_emulation *emulation;
	unsigned runs;       /* how many began */
	uint8_t confinement; /* enum fx_confinement (ops/world.h) */
	/* The session's shape engine, borrowed; or the backend's own, or NULL
	 * until one is made.
	 */
	struct fx_meta *meta;
	bool has_own_meta;
};

void fx_backend_free(struct fx_backend *backend);
FX_DEFINE_CLEANUP(backend, struct fx_backend, fx_backend_free);
#define FX_AUTO_BACKEND FX_AUTO(backend)
/* What it asks about shapes and takes expansions of layers from. */
struct fx_meta *fx_backend_shapes(struct fx_backend *backend);
/* On it and what it falls back to. */
void fx_backend_new_run(struct fx_backend *backend);

/* The kind of DATUM as resolve sees it. */
struct fx_kind fx_kind_of(const struct fx_datum *datum);

/* backend_meta.c: shapes and dtypes by the rules of src/meta; always there. */
struct fx_backend *fx_backend_meta_new(void);
/* A tensor of the meta backend with a copy of META; also without a backend at
 * hand, as its payloads need none.
 */
struct fx_datum *fx_meta_tensor(const struct fx_tensor_meta *meta);

#endif /* FX_RUN_BACKEND_H */

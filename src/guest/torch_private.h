/* torch_private.h - what the files of the torch backend share. */
#ifndef FX_GUEST_TORCH_PRIVATE_H
#define FX_GUEST_TORCH_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/error.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/parameters.h"
#include "run/values.h"
#include "torch/shim.h"

struct fx_guard;
struct fx_torch_target;

/* --- values (torch_value.c) --------------------------------------------- */

struct fx_torch {
	const struct fxs_functions *shim;
	struct fx_backend *backend;      /* whose state this is */
	struct fx_arena *scratch;        /* of one call */
	struct fx_parameters parameters; /* of the run */
};

/* The functions of run/backend.h on values and payloads, which are the shim's
 * handles: libtorch counts who shares a tensor.
 */
void fx_torch_payload_free(void *payload);
struct fx_kind fx_torch_kind(const void *payload);
const struct fx_tensor_meta *fx_torch_meta(const void *payload,
	struct fx_arena *arena);
FX_NODISCARD struct fx_error *fx_torch_read(const void *payload, uint64_t first,
	size_t count, void *bytes);
const void *fx_torch_bytes(const void *payload);
FX_NODISCARD struct fx_error *fx_torch_truth(const void *payload, bool *ret);
uintptr_t fx_torch_storage(const void *payload, size_t *bytes_ret);
FX_NODISCARD struct fx_error *fx_torch_storage_save(const void *payload,
	struct fx_blob **ret);
FX_NODISCARD struct fx_error *fx_torch_storage_restore(const void *payload,
	const struct fx_blob *saved);
FX_NODISCARD struct fx_error *fx_torch_shape_save(const void *payload,
	struct fx_blob **ret);
FX_NODISCARD struct fx_error *fx_torch_shape_restore(const void *payload,
	const struct fx_blob *saved);
size_t fx_torch_storage_holders(const void *payload);
/* Ditto, which make tensors. */
FX_NODISCARD struct fx_error *fx_torch_from_tensor(struct fx_backend *backend,
	const struct fx_tensor *tensor, struct fx_datum **ret);
void fx_torch_new_run(struct fx_backend *backend);
FX_NODISCARD struct fx_error *fx_torch_write(const struct fxs_functions *shim,
	const struct fx_tensor_meta *meta, const void *bytes,
	struct fxs_tensor **ret);
FX_NODISCARD struct fx_error *
fx_torch_generate(const struct fxs_functions *shim,
	const struct fx_tensor_meta *meta, uint64_t seed,
	struct fxs_tensor **ret);

/* A call WRITES those of COUNT DATA, which get bytes of their own. */
FX_NODISCARD struct fx_error *fx_torch_own(struct fx_datum *const *data,
	size_t count, uint64_t writes);
/* Whether the file that the tensor lies in is whole.  SEEN: base/guard.h. */
FX_NODISCARD struct fx_error *fx_torch_check_file(const void *payload,
	const struct fx_guard **seen);

/* A datum of TENSOR_TAKEN. */
struct fx_datum *fx_torch_datum(struct fxs_tensor *tensor_taken);
/* The handle in DATUM, a tensor of this backend, or NULL. */
struct fxs_tensor *fx_torch_tensor(const struct fx_datum *datum);

/* Convert VALUE, a datum's value, to the form that the shim takes; a value that
 * the shim does not know becomes OTHER.  Arrays lie in ARENA.
 */
void fx_torch_value(struct fx_arena *arena, const struct fx_value *value,
	struct fxs_value *ret);
/* What the shim gave for TARGET, which may be NULL; VALUE is freed. */
struct fx_datum *fx_torch_result(const struct fxs_functions *shim,
	const struct fx_torch_target *target, struct fxs_value *value_taken);

/* ATen's number of DTYPE, or -1; and back (NONE when unknown). */
int fx_aten_dtype(enum fx_dtype dtype);

/* --- what targets mean (torch_target.c) --------------------------------- */

enum fx_torch_way {
	FX_TORCH_OPERATOR, /* an operator of libtorch */
	FX_TORCH_NUMBER,   /* the same if a tensor takes part, else Python's */
	/* The same, but functionals.py says what a number and a tensor give. */
	FX_TORCH_REFLECTED,
	FX_TORCH_PLAIN, /* what metadata and Python's arithmetic tell */
	FX_TORCH_GETITEM,
	FX_TORCH_SETITEM,
	FX_TORCH_GETATTR,
	FX_TORCH_LIST,    /* the tensor as lists of numbers */
	FX_TORCH_ADDRESS, /* of its first element */
	FX_TORCH_CAST,    /* to the dtype in PARAMETER */
	FX_TORCH_EXPAND,  /* functionals.py says it */
};

struct fx_torch_target {
	enum fx_torch_way way;
	char *name;           /* aten::relu; owned; NULL if none */
	const char *overload; /* interned, or NULL: any */
	int parameter;
	uint64_t writes; /* bits that no schema tells */
	bool is_boxed;   /* torch.ops: what is listed stays a list */
};

/* What the target of SITE means. */
void fx_torch_target_init(struct fx_torch_target *target,
	const struct fx_call_site *site);
void fx_torch_target_deinit(struct fx_torch_target *target);
/* The operator that an attribute of a tensor is, or NULL. */
const char *fx_torch_attribute(const char *name);
/* The field NAME of OWNER, which an operator gave, or NULL. */
const struct fx_value *fx_torch_field(const struct fx_datum *owner,
	const char *name);
/* Of which class in Python a tuple is that TARGET gives; 0: a plain one. */
uint16_t fx_torch_class(const struct fx_torch_target *target);

/* --- plans (backend_torch.c) --------------------------------------------- */

#define FX_TORCH_FEW 12 /* values that need no memory of their own */

/* A plan is one piece of memory: its data and its keywords follow this struct.
 */
struct fx_torch_plan {
	struct fx_torch_target target;
	enum fx_opcode opcode;
	const char *call_target; /* as the graph writes it */
	struct fx_graph *graph;
	size_t count;
	size_t keyword_count;
	const char **keywords;    /* with room for one more */
	struct fx_datum **last;   /* what the shim converted last, or NULL */
	bool is_fresh;            /* the call that runs has others */
	const char *does;         /* beyond computing (ops/world.h), or NULL */
	struct fxs_plan *matched; /* NULL: not yet */
	uint64_t writes;
};

/* --- what comes out (torch_value_out.c) ---------------------------------- */

/* ERR_TAKEN, or the error that a file in which tensors among DATA lie was cut
 * short, and then *RET, the call's result, is none.
 */
FX_NODISCARD struct fx_error *
fx_torch_check_result(struct fx_datum *const *data, size_t count,
	struct fx_error *err_taken, struct fx_datum **ret);
/* Where the elements of TENSOR begin, 0 if it has none: Python's data_ptr. */
FX_NODISCARD struct fx_error *fx_torch_address(struct fx_torch *torch,
	struct fx_datum *tensor, struct fx_datum **ret);

/* The backend that data belong to. */
const struct fx_backend *fx_torch_stateless(void);

/* --- plain values (torch_plain.c) --------------------------------------- */

/* What Python's arithmetic or metadata tell of the call; tensors among the
 * arguments may come out again, others may not.
 */
FX_NODISCARD struct fx_error *fx_torch_plain(struct fx_torch *torch,
	const struct fx_torch_plan *plan, struct fx_datum *const *data,
	struct fx_datum **ret);

/* Whether the call is refused because shapes disagree. */
bool fx_torch_is_misfit(struct fx_torch *torch,
	const struct fx_torch_plan *plan, struct fx_datum *const *data);

/* --- indices (torch_index.c) -------------------------------------------- */

/* data[0][data[1]] of a tensor, and data[0][data[1]] = data[2]. */
FX_NODISCARD struct fx_error *fx_torch_getitem(struct fx_torch *torch,
	struct fx_datum *const *data, struct fx_datum **ret);
FX_NODISCARD struct fx_error *fx_torch_setitem(struct fx_torch *torch,
	struct fx_datum *const *data, struct fx_datum **ret);

/* Whether DATUM is a sequence or a range, and the tensor of integers or bools
 * that it is as an index.
 */
bool fx_torch_is_index_list(const struct fx_value *value);
FX_NODISCARD struct fx_error *fx_torch_index_of_list(struct fx_torch *torch,
	const struct fx_value *list, struct fx_datum **ret);
/* The number in TENSOR, which must have one element. */
FX_NODISCARD struct fx_error *fx_torch_number(struct fx_torch *torch,
	const struct fx_datum *tensor, struct fx_datum **ret);
/* COUNT SIZES as a list. */
struct fx_datum *fx_torch_sizes(const int64_t *sizes, size_t count);

/* The operator NAME ("aten::select", or with its overload "aten::select.int")
 * on COUNT positional data, matched anew each time.
 */
FX_NODISCARD struct fx_error *fx_torch_apply(struct fx_torch *torch,
	const char *name, struct fx_datum *const *data, size_t count,
	struct fx_datum **ret);

#endif /* FX_GUEST_TORCH_PRIVATE_H */

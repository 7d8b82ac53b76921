/* backend_python_private.h - what the two halves of the python backend share:
 * calls (backend_python.c) and the values of tensors (python_tensor.c).
 */
#ifndef FX_GUEST_BACKEND_PYTHON_PRIVATE_H
#define FX_GUEST_BACKEND_PYTHON_PRIVATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "guest/backend_python.h"
#include "ir/tensor_meta.h"
#include "ir/value.h"
#include "run/backend.h"
#include "run/parameters.h"

/* Elements that were read ahead of those asked for, of tensor NUMBER, as the
 * process had them when it had been asked ASKED times.
 */
struct fx_python_ahead {
	json_int_t number;
	unsigned asked;
	uint64_t next; /* behind what was asked for last */
	uint64_t first;
	uint64_t count; /* 0: none */
	char *bytes;
};

/* Shared by the backend and the data that are still held. */
struct fx_python_state {
	unsigned references;
	struct fx_backend backend;
	struct fx_python_run run;
	bool is_over;      /* the backend was freed: the process may be too */
	unsigned reshaped; /* how often tensors got another shape */
	int threads;       /* that were asked for last */
	bool has_called;   /* since the run began */
	json_t *objects, *plans; /* numbers to be forgotten */
	struct fx_python_ahead ahead;
	struct fx_parameters
		parameters; /* of the run, newer than the process */
};

struct fx_python_host_tensor {
	struct fx_python_state *state;
	json_int_t number;
	bool is_tensor;
	unsigned reshaped; /* of the state's, when what follows was told */
	struct fx_tensor_meta meta;
	struct fx_value *sizes; /* owned: sizes, then strides */
	int64_t offset;         /* of the first element, in elements */
	uintptr_t storage;
	size_t storage_size;
	char *text; /* of what is no tensor */
};

/* Return the payload POINTER with the present shape of its tensor.  The process
 * is asked again if any tensor changed its shape in the meantime, as that may
 * be the same tensor.
 */
const struct fx_python_host_tensor *
fx_python_host_tensor_now(const void *pointer);

/* One question: the message is taken, the rest is for fx_asking_deinit. */
struct fx_asking {
	json_t *message;
	int fd;
	json_t *answer;
	char *bytes;
};

struct fx_python_state *fx_python_state_of(const struct fx_backend *backend);
/* A message about PAYLOAD. */
struct fx_asking fx_python_about(const struct fx_python_host_tensor *payload);
/* Ask OPERATION, a method of _run.py's Runner. */
FX_NODISCARD struct fx_error *fx_python_ask(struct fx_python_state *state,
	const char *operation, struct fx_asking *a);
/* Like fx_python_ask, for an operation that returns a value, which goes to
 * *RET.  A is freed.
 */
FX_NODISCARD struct fx_error *fx_python_ask_datum(struct fx_python_state *state,
	const char *operation, struct fx_asking *a, struct fx_datum **ret);
void fx_asking_deinit(struct fx_asking *a);

/* python_tensor.c: functions of struct fx_backend_ops. */
FX_NODISCARD struct fx_error *fx_python_write(struct fx_backend *backend,
	const struct fx_tensor_meta *meta, const void *bytes,
	struct fx_datum **ret);
FX_NODISCARD struct fx_error *fx_python_from_tensor(struct fx_backend *backend,
	const struct fx_tensor *tensor, struct fx_datum **ret);
FX_NODISCARD struct fx_error *fx_python_generate(struct fx_backend *backend,
	const struct fx_tensor_meta *meta, uint64_t seed,
	struct fx_datum **ret);
FX_NODISCARD struct fx_error *fx_python_read(const void *pointer,
	uint64_t first, size_t count, void *bytes);
uintptr_t fx_python_storage(const void *pointer, size_t *bytes_ret);
FX_NODISCARD struct fx_error *fx_python_storage_save(const void *pointer,
	struct fx_blob **ret);
FX_NODISCARD struct fx_error *fx_python_storage_restore(const void *pointer,
	const struct fx_blob *saved);
FX_NODISCARD struct fx_error *fx_python_shape_save(const void *pointer,
	struct fx_blob **ret);
FX_NODISCARD struct fx_error *fx_python_shape_restore(const void *pointer,
	const struct fx_blob *saved);
FX_NODISCARD struct fx_error *fx_python_random_save(struct fx_backend *backend,
	struct fx_blob **ret);
FX_NODISCARD struct fx_error *
fx_python_random_restore(struct fx_backend *backend,
	const struct fx_blob *saved);
void fx_python_new_run(struct fx_backend *backend);
void fx_python_seed(struct fx_backend *backend, uint64_t seed);
void fx_python_set_threads(struct fx_backend *backend, int count);

#endif /* FX_GUEST_BACKEND_PYTHON_PRIVATE_H */

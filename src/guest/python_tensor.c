/* python_tensor.c - values of tensors that lie in a Python process. */
#include <config.h>

#include "guest/backend_python_private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/blob.h"
#include "base/dtype.h"
#include "base/mem.h"
#include "base/str.h"
#include "guest/child_tree.h"
#include "guest/worker_private.h"
#include "ir/module.h"
#include "run/datum.h"

/* Read in one question: a few milliseconds, beside which a question is cheap.
 */
#define AHEAD_BYTES ((uint64_t)1 << 22)

static json_t *
shape_json(const struct fx_tensor_meta *meta)
{
	json_t *shape = json_array();

	for (uint32_t i = 0; i < meta->rank; i++)
		json_array_append_new(shape,
			json_integer(meta->sizes[i].integer));
	return shape;
}

static struct fx_error *
check_sizes(const struct fx_tensor_meta *meta)
{
	if (!meta->has_shape || meta->dtype == FX_DTYPE_NONE)
		return fx_error_new(FX_ERR_VALUE,
			"a tensor needs a dtype and a shape");
	if (!fx_tensor_meta_has_numbers(meta))
		return fx_error_new(FX_ERR_VALUE,
			"a tensor needs sizes that are numbers");
	return NULL;
}

static json_t *
tensor_message(const struct fx_tensor_meta *meta)
{
	json_t *message = json_pack("{s:o, s:s}", "shape", shape_json(meta),
		"dtype", fx_dtype_info(meta->dtype)->name);

	/* What fxdb itself has lies on the processor, and is to lie where the
	 * model does.
	 */
	if (meta->device && !fx_str_equal(meta->device, "cpu"))
		json_object_set_new(message, "device",
			json_string(meta->device));
	return message;
}

/* SIZE bytes as memory that can be handed over; -1 when there is none. */
static int
memory_of(const void *bytes, size_t size)
{
	int fd = memfd_create("fxdb-value", MFD_CLOEXEC);
	size_t done = 0;

	while (fd >= 0 && done < size) {
		ssize_t wrote =
			write(fd, (const char *)bytes + done, size - done);

		if (wrote <= 0) {
			close(fd);
			return -1;
		}
		done += (size_t)wrote;
	}
	return fd;
}

static struct fx_error *
no_memory(void)
{
	return fx_error_new(FX_ERR_NO_SPACE,
		"no memory to hand the value over in");
}

struct fx_error *
fx_python_write(struct fx_backend *backend, const struct fx_tensor_meta *meta,
	const void *bytes, struct fx_datum **ret)
{
	struct fx_error *err = check_sizes(meta);
	struct fx_asking a = { .fd = -1 };
	size_t size = err ? 0 : fx_dtype_info(meta->dtype)->size;

	if (err)
		return err;
	for (uint32_t i = 0; i < meta->rank; i++)
		size *= (size_t)meta->sizes[i].integer;
	a.fd = memory_of(bytes, size);
	if (a.fd < 0)
		return no_memory();
	a.message = tensor_message(meta);
	err = fx_python_ask_datum(fx_python_state_of(backend), "run_make", &a,
		ret);
	close(a.fd);
	return err;
}

/* How TENSOR lies in its storage. */
static json_t *
layout_message(const struct fx_tensor *tensor)
{
	json_t *shape = json_array();
	json_t *strides = json_array();
	int64_t step = 1;

	for (uint32_t i = tensor->rank; i--;) {
		json_array_insert_new(shape, 0, json_integer(tensor->sizes[i]));
		json_array_insert_new(strides, 0,
			json_integer(tensor->strides ? tensor->strides[i]
						     : step));
		step *= tensor->sizes[i];
	}
	return json_pack("{s:o, s:o, s:I, s:s}", "shape", shape, "strides",
		strides, "offset", (json_int_t)tensor->offset, "dtype",
		fx_dtype_info(tensor->dtype)->name);
}

/* TENSOR, a parameter that is newer than the process: a view of the storage,
 * whose bytes are sent once in a run, since what is written to one view is seen
 * in the others.
 */
static struct fx_error *
send_tensor(struct fx_python_state *state, const struct fx_tensor *tensor,
	struct fx_datum **ret)
{
	const struct fx_datum *beside =
		fx_parameters_beside(&state->parameters, tensor);
	struct fx_blob *blob = tensor->storage->blob;
	struct fx_asking a = { .fd = -1 };
	struct fx_error *err;
	uint64_t reach;

	if (!fx_tensor_reach(tensor, &reach) || reach > fx_blob_size(blob))
		return fx_error_new(FX_ERR_FORMAT,
			"a weight reaches beyond its storage");
	err = fx_blob_read(blob, 0, 0, NULL); /* cut short? */
	if (err)
		return err;
	a.message = layout_message(tensor);
	if (beside) {
		const struct fx_python_host_tensor *other = beside->payload;

		json_object_set_new(a.message, "h",
			json_integer(other->number));
		return fx_python_ask_datum(state, "run_beside", &a, ret);
	}
	a.fd = memory_of(fx_blob_data(blob), fx_blob_size(blob));
	if (a.fd < 0) {
		json_decref(a.message);
		return no_memory();
	}
	err = fx_python_ask_datum(state, "run_parameter", &a, ret);
	close(a.fd);
	return err;
}

struct fx_error *
fx_python_from_tensor(struct fx_backend *backend,
	const struct fx_tensor *tensor, struct fx_datum **ret)
{
	struct fx_python_state *state = fx_python_state_of(backend);
	const char *path = fx_child_tree_path(state->run.tree, tensor);
	struct fx_datum *known = fx_parameters_find(&state->parameters, tensor);
	struct fx_asking a = { .fd = -1 };
	struct fx_error *err;

	if (path) {
		a.message = json_pack("{s:s}", "path", path);
		return fx_python_ask_datum(state, "run_tensor", &a, ret);
	}
	if (known) {
		*ret = fx_datum_ref(known);
		return NULL;
	}
	if (!tensor->storage || !tensor->storage->blob)
		return fx_error_new(FX_ERR_NO_VALUE,
			"the parameter has no values");
	err = send_tensor(state, tensor, ret);
	if (!err)
		fx_parameters_add(&state->parameters, tensor, *ret);
	return err;
}

struct fx_error *
fx_python_generate(struct fx_backend *backend,
	const struct fx_tensor_meta *meta, uint64_t seed, struct fx_datum **ret)
{
	struct fx_error *err = check_sizes(meta);
	struct fx_asking a = { .fd = -1 };

	if (err)
		return err;
	a.message = tensor_message(meta);
	json_object_set_new(a.message, "seed",
		json_integer((json_int_t)(seed & INT64_MAX)));
	return fx_python_ask_datum(fx_python_state_of(backend), "run_generate",
		&a, ret);
}

/* Bytes that came along, SIZE of them or CHILD. */
static struct fx_error *
check_bytes(const struct fx_asking *a, size_t size)
{
	json_int_t came =
		json_integer_value(json_object_get(a->answer, "bytes"));

	if (came >= 0 && (size_t)came == size)
		return NULL;
	return fx_error_new(FX_ERR_CHILD,
		"the Python process sent %lld bytes, not %zu", (long long)came,
		size);
}

/* Whether AHEAD is of PAYLOAD, which nothing has changed since. */
static bool
is_current(const struct fx_python_ahead *ahead,
	const struct fx_python_host_tensor *payload)
{
	return !payload->state->is_over && ahead->number == payload->number &&
	       ahead->asked == payload->state->run.capture->asked;
}

/* How many elements to ask for where COUNT from FIRST are wanted: who reads one
 * piece after the other asks for as many as take longer than a question.
 */
static uint64_t
read_ahead(const struct fx_python_host_tensor *payload, uint64_t first,
	uint64_t count)
{
	const struct fx_python_ahead *ahead = &payload->state->ahead;
	uint64_t all = 1;

	if (!count || !is_current(ahead, payload) || ahead->next != first)
		return count;
	for (uint32_t i = 0; i < payload->meta.rank; i++)
		all *= (uint64_t)payload->meta.sizes[i].integer;
	return FX_MAX(count,
		FX_MIN(AHEAD_BYTES / fx_dtype_info(payload->meta.dtype)->size,
			all > first ? all - first : 0));
}

struct fx_error *
fx_python_read(const void *pointer, uint64_t first, size_t count, void *bytes)
{
	const struct fx_python_host_tensor *payload =
		fx_python_host_tensor_now(pointer);
	struct fx_python_ahead *ahead = &payload->state->ahead;
	size_t element = fx_dtype_info(payload->meta.dtype)->size;
	uint64_t asked = read_ahead(payload, first, count);
	struct fx_error *err;
	struct fx_asking a;

	if (count && is_current(ahead, payload) && first >= ahead->first &&
		first + count <= ahead->first + ahead->count) {
		memcpy(bytes, ahead->bytes + (first - ahead->first) * element,
			count * element);
		ahead->next = first + count;
		return NULL;
	}
	a = fx_python_about(payload);
	json_object_set_new(a.message, "first",
		json_integer((json_int_t)first));
	json_object_set_new(a.message, "count",
		json_integer((json_int_t)asked));
	err = fx_python_ask(payload->state, "run_elements", &a);
	if (!err)
		err = check_bytes(&a, (size_t)asked * element);
	if (!err && count)
		memcpy(bytes, a.bytes, count * element);
	free(ahead->bytes);
	*ahead = (struct fx_python_ahead){
		.number = payload->number, .next = first + count, .first = first
	};
	/* What is asked for whole is the caller's alone. */
	if (!err)
		ahead->asked = payload->state->run.capture->asked;
	if (!err && asked > count) {
		ahead->count = asked;
		ahead->bytes = FX_TAKE(a.bytes);
	}
	fx_asking_deinit(&a);
	return err;
}

uintptr_t
fx_python_storage(const void *pointer, size_t *bytes_ret)
{
	const struct fx_python_host_tensor *payload =
		fx_python_host_tensor_now(pointer);

	*bytes_ret = payload->storage_size;
	return payload->storage;
}

static struct fx_error *
ask_blob(struct fx_python_state *state, const char *operation,
	struct fx_asking *a, struct fx_blob **ret)
{
	struct fx_error *err = fx_python_ask(state, operation, a);
	size_t size =
		err ? 0
		    : (size_t)json_integer_value(json_object_get(a->answer,
			      "bytes"));

	if (!err) {
		*ret = fx_blob_wrap(a->bytes, size, free, a->bytes);
		a->bytes = NULL;
	}
	fx_asking_deinit(a);
	return err;
}

/* Send SAVED back with MESSAGE. */
static struct fx_error *
give_back(struct fx_python_state *state, const char *operation,
	struct fx_asking *a, const struct fx_blob *saved)
{
	struct fx_error *err;

	a->fd = memory_of(fx_blob_data(saved), fx_blob_size(saved));
	if (a->fd < 0) {
		json_decref(a->message);
		return no_memory();
	}
	err = fx_python_ask(state, operation, a);
	close(a->fd);
	fx_asking_deinit(a);
	return err;
}

struct fx_error *
fx_python_storage_save(const void *pointer, struct fx_blob **ret)
{
	const struct fx_python_host_tensor *payload = pointer;
	struct fx_asking a = fx_python_about(payload);

	return ask_blob(payload->state, "run_storage_save", &a, ret);
}

struct fx_error *
fx_python_storage_restore(const void *pointer, const struct fx_blob *saved)
{
	const struct fx_python_host_tensor *payload = pointer;
	struct fx_asking a = fx_python_about(payload);

	return give_back(payload->state, "run_storage_restore", &a, saved);
}

/* A blob of what is to be said to put the shape back. */
struct fx_error *
fx_python_shape_save(const void *pointer, struct fx_blob **ret)
{
	const struct fx_python_host_tensor *payload =
		fx_python_host_tensor_now(pointer);
	json_t *sizes = json_array();
	json_t *strides = json_array();
	json_t *message = json_pack("{s:o, s:o, s:I}", "shape", sizes,
		"strides", strides, "offset", (json_int_t)payload->offset);
	char *text;

	for (uint32_t i = 0; i < payload->meta.rank; i++) {
		json_array_append_new(sizes,
			json_integer(payload->meta.sizes[i].integer));
		json_array_append_new(strides,
			json_integer(payload->meta.strides[i].integer));
	}
	text = json_dumps(message, JSON_COMPACT);
	json_decref(message);
	*ret = fx_blob_wrap(text, strlen(text), free, text);
	return NULL;
}

struct fx_error *
fx_python_shape_restore(const void *pointer, const struct fx_blob *saved)
{
	const struct fx_python_host_tensor *payload = pointer;
	struct fx_asking a = fx_python_about(payload);
	json_t *shape =
		json_loadb(fx_blob_data(saved), fx_blob_size(saved), 0, NULL);
	struct fx_error *err;

	json_object_update(a.message, shape);
	json_decref(shape);
	err = fx_python_ask(payload->state, "run_shape_restore", &a);
	fx_asking_deinit(&a);
	payload->state->reshaped++;
	return err;
}

struct fx_error *
fx_python_random_save(struct fx_backend *backend, struct fx_blob **ret)
{
	struct fx_asking a = { .message = json_object(), .fd = -1 };

	return ask_blob(fx_python_state_of(backend), "run_random_save", &a,
		ret);
}

struct fx_error *
fx_python_random_restore(struct fx_backend *backend,
	const struct fx_blob *saved)
{
	struct fx_asking a = { .message = json_object(), .fd = -1 };

	return give_back(fx_python_state_of(backend), "run_random_restore", &a,
		saved);
}

/* Ask OPERATION with a NUMBER; who needs the process next is told of it. */
static void
tell_number(struct fx_backend *backend, const char *operation,
	json_int_t number)
{
	struct fx_asking a = { .fd = -1 };

	a.message = json_pack("{s:I}", "number", number);
	fx_error_free(fx_python_ask(fx_python_state_of(backend), operation,
		&a));
	fx_asking_deinit(&a);
}

void
fx_python_seed(struct fx_backend *backend, uint64_t seed)
{
	tell_number(backend, "run_seed", (json_int_t)(seed & INT64_MAX));
}

void
fx_python_new_run(struct fx_backend *backend)
{
	struct fx_python_state *state = fx_python_state_of(backend);

	fx_parameters_clear(&state->parameters);
	if (state->has_called)
		tell_number(backend, "run_new_run", 0);
	state->has_called = false;
}

void
fx_python_set_threads(struct fx_backend *backend, int count)
{
	struct fx_python_state *state = fx_python_state_of(backend);

	if (state->threads != count)
		tell_number(backend, "run_threads", count);
	state->threads = count;
}

/* real_backend.c - doubles in memory behind run/backend.h, for tests. */
#include <config.h>

#include "tests/support/real_backend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/random.h"
#include "base/str.h"
#include "ir/module.h"
#include "ir/tensor_meta.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/values.h"

#define RANK 4

struct store {
	unsigned references;
	size_t count;
	double *items;
};

struct payload {
	struct store *store;
	size_t offset;
	size_t rank;
	size_t sizes[RANK];
	size_t strides[RANK];
};

struct state {
	uint64_t random;
	size_t calls;
};

enum kernel {
	ADD,
	SUB,
	MUL,
	RELU,
	NEG,
	SUM,
	TRANSPOSE,
	SELECT,
	VIEW,
	DROPOUT,
	KERNEL_COUNT
};

struct plan {
	enum kernel kernel;
	bool in_place;
};

static const struct {
	const char *target;
	enum kernel kernel;
	bool in_place;
} kernels[] = {
	{ "operator.add", ADD, false },
	{ "torch.add", ADD, false },
	{ "operator.sub", SUB, false },
	{ "operator.mul", MUL, false },
	{ "operator.iadd", ADD, true },
	{ "add_", ADD, true },
	{ "mul_", MUL, true },
	{ "neg_", NEG, true },
	{ "torch.relu_", RELU, true },
	{ "torch.relu", RELU, false },
	{ "torch.neg", NEG, false },
	{ "torch.sum", SUM, false },
	{ "torch.t", TRANSPOSE, false },
	{ "select", SELECT, false },
	{ "torch.select", SELECT, false },
	{ "view", VIEW, false },
	{ "torch.dropout", DROPOUT, false },
	{ "torch.dropout_", DROPOUT, true },
};

/* --- tensors ------------------------------------------------------------- */

static void
payload_free(void *pointer)
{
	struct payload *payload = pointer;

	if (!--payload->store->references) {
		free(payload->store->items);
		free(payload->store);
	}
	free(payload);
}

static size_t
count_of(const struct payload *tensor)
{
	size_t count = 1;

	for (size_t i = 0; i < tensor->rank; i++)
		count *= tensor->sizes[i];
	return count;
}

/* A contiguous one, of zeros. */
static struct payload *
tensor_new(const size_t *sizes, size_t rank)
{
	struct payload *tensor = FX_NEW(struct payload);

	tensor->rank = rank;
	for (size_t i = 0; i < rank; i++)
		tensor->sizes[i] = sizes[i];
	for (size_t i = rank, stride = 1; i-- > 0; stride *= sizes[i])
		tensor->strides[i] = stride;
	tensor->store = FX_NEW(struct store);
	tensor->store->references = 1;
	tensor->store->count = count_of(tensor);
	tensor->store->items =
		fx_xcalloc(tensor->store->count + 1, sizeof(double));
	return tensor;
}

static struct payload *
tensor_view(const struct payload *of)
{
	struct payload *tensor = FX_NEW(struct payload);

	*tensor = *of;
	tensor->store->references++;
	return tensor;
}

/* The INDEXth element in row-major order. */
static double *
element(const struct payload *tensor, size_t index)
{
	size_t at = tensor->offset;

	for (size_t i = tensor->rank; i-- > 0;) {
		at += index % tensor->sizes[i] * tensor->strides[i];
		index /= tensor->sizes[i];
	}
	return &tensor->store->items[at];
}

static struct fx_datum *
wrap(const struct fx_backend *backend, struct payload *tensor_taken)
{
	return fx_datum_payload_take(FX_DATUM_TENSOR, backend, tensor_taken);
}

static struct payload *
tensor_of_meta(const struct fx_tensor_meta *meta)
{
	size_t sizes[RANK] = { 0 };

	for (uint32_t i = 0; i < meta->rank && i < RANK; i++)
		sizes[i] = (size_t)meta->sizes[i].integer;
	return tensor_new(sizes, FX_MIN(meta->rank, RANK));
}

/* --- calling ------------------------------------------------------------- */

static struct fx_error *
resolve(struct fx_backend *backend, const struct fx_call_site *site,
	void **plan_ret)
{
	(void)backend;
	for (size_t i = 0; i < FX_ARRAY_LEN(kernels); i++) {
		struct plan *plan;

		if (!fx_str_equal(kernels[i].target, site->target))
			continue;
		plan = FX_NEW(struct plan);
		plan->kernel = kernels[i].kernel;
		plan->in_place = kernels[i].in_place;
		*plan_ret = plan;
		return NULL;
	}
	return fx_error_new(FX_ERR_UNSUPPORTED, "no kernel for %s",
		site->target);
}

static double
number_of(const struct fx_datum *datum)
{
	double number = 0;

	fx_datum_number(&datum->value, &number);
	return number;
}

static double
operand(const struct fx_datum *datum, size_t index)
{
	const struct payload *tensor;

	if (datum->kind != FX_DATUM_TENSOR)
		return number_of(datum);
	tensor = datum->payload;
	return *element(tensor, count_of(tensor) == 1 ? 0 : index);
}

static struct fx_error *
check_sizes(const struct fx_datum *a, const struct fx_datum *b)
{
	const struct payload *x = a->payload;
	const struct payload *y = b->payload;

	if (b->kind != FX_DATUM_TENSOR || count_of(y) == 1 ||
		(x->rank == y->rank && !memcmp(x->sizes, y->sizes,
					       x->rank * sizeof(*x->sizes))))
		return NULL;
	return fx_error_new(FX_ERR_SHAPE, "sizes differ, %zu vs %zu elements",
		count_of(x), count_of(y));
}

static double
compute(struct state *state, enum kernel kernel, struct fx_datum *const *data,
	size_t index)
{
	double a = operand(data[0], index);

	switch (kernel) {
	case ADD:
		return a + operand(data[1], index);
	case SUB:
		return a - operand(data[1], index);
	case MUL:
		return a * operand(data[1], index);
	case RELU:
		return a > 0 ? a : 0;
	case NEG:
		return -a;
	case DROPOUT:
		return fx_random_uniform(&state->random) < number_of(data[1])
			       ? 0
			       : a / (1 - number_of(data[1]));
	default:
		return NAN;
	}
}

static struct fx_error *
call_view(struct fx_backend *backend, enum kernel kernel,
	struct fx_datum *const *data, size_t count, struct fx_datum **ret)
{
	struct payload *view = tensor_view(data[0]->payload);
	size_t size = view->sizes[0];
	size_t stride = view->strides[0];

	if (kernel == TRANSPOSE && view->rank == 2) {
		view->sizes[0] = view->sizes[1];
		view->strides[0] = view->strides[1];
		view->sizes[1] = size;
		view->strides[1] = stride;
	} else if (kernel == SELECT && count == 3) {
		view->offset += (size_t)data[2]->value.integer * stride;
		view->rank--;
		for (size_t i = 0; i < view->rank; i++) {
			view->sizes[i] = view->sizes[i + 1];
			view->strides[i] = view->strides[i + 1];
		}
	} else if (kernel == VIEW) {
		view->sizes[0] = count_of(view);
		view->strides[0] = 1;
		view->rank = 1;
	}
	*ret = wrap(backend, view);
	return NULL;
}

static struct fx_error *
call_sum(struct fx_backend *backend, const struct payload *tensor,
	struct fx_datum **ret)
{
	struct payload *sum = tensor_new(NULL, 0);

	for (size_t i = 0; i < count_of(tensor); i++)
		*element(sum, 0) += *element(tensor, i);
	*ret = wrap(backend, sum);
	return NULL;
}

static struct fx_error *
call(struct fx_backend *backend, void *pointer, struct fx_datum *const *data,
	size_t count, struct fx_datum **ret)
{
	const struct plan *plan = pointer;
	struct state *state = backend->state;
	struct payload *from;
	struct payload *to;
	struct fx_error *err;

	state->calls++;
	if (!count || data[0]->kind != FX_DATUM_TENSOR)
		return fx_error_new(FX_ERR_TYPE, "expected a tensor first");
	from = data[0]->payload;
	if (plan->kernel == SUM)
		return call_sum(backend, from, ret);
	if (plan->kernel >= TRANSPOSE && plan->kernel <= VIEW)
		return call_view(backend, plan->kernel, data, count, ret);
	err = count > 1 ? check_sizes(data[0], data[1]) : NULL;
	/* What fails may have written some of it. */
	if (err && plan->in_place && count_of(from))
		*element(from, 0) = NAN;
	if (err)
		return err;
	to = plan->in_place ? tensor_view(from)
			    : tensor_new(from->sizes, from->rank);
	for (size_t i = 0; i < count_of(from); i++)
		*element(to, i) = compute(state, plan->kernel, data, i);
	*ret = wrap(backend, to);
	return NULL;
}

static void
plan_free(struct fx_backend *backend, void *plan)
{
	(void)backend;
	free(plan);
}

static uint64_t
writes(const void *plan)
{
	return ((const struct plan *)plan)->in_place;
}

static void
backend_free(struct fx_backend *backend)
{
	free(backend->state);
	free(backend);
}

/* --- values -------------------------------------------------------------- */

static struct fx_error *
from_tensor(struct fx_backend *backend, const struct fx_tensor *tensor,
	struct fx_datum **ret)
{
	size_t sizes[RANK] = { 0 };
	struct payload *made;

	for (uint32_t i = 0; i < tensor->rank && i < RANK; i++)
		sizes[i] = (size_t)tensor->sizes[i];
	made = tensor_new(sizes, FX_MIN(tensor->rank, RANK));
	for (size_t i = 0; i < count_of(made); i++)
		*element(made, i) = 0.25 * (double)i - 1;
	*ret = wrap(backend, made);
	return NULL;
}

static struct fx_error *
generate(struct fx_backend *backend, const struct fx_tensor_meta *meta,
	uint64_t seed, struct fx_datum **ret)
{
	struct state state = { .random = seed * 7919 + 17 };
	struct payload *made = tensor_of_meta(meta);

	for (size_t i = 0; i < count_of(made); i++)
		*element(made, i) = fx_random_uniform(&state.random) - 0.5;
	*ret = wrap(backend, made);
	return NULL;
}

static struct fx_kind
kind(const void *payload)
{
	return (struct fx_kind){
		.kind = FX_VALUE_TENSOR,
		.dtype = FX_DTYPE_F64,
		.rank = (int16_t)((const struct payload *)payload)->rank,
	};
}

static const struct fx_tensor_meta *
meta(const void *pointer, struct fx_arena *arena)
{
	const struct payload *tensor = pointer;
	struct fx_tensor_meta *made =
		FX_ARENA_NEW(arena, struct fx_tensor_meta);
	struct fx_value *sizes =
		FX_ARENA_ARRAY(arena, struct fx_value, tensor->rank);

	for (size_t i = 0; i < tensor->rank; i++)
		sizes[i] = fx_value_int((int64_t)tensor->sizes[i]);
	made->dtype = FX_DTYPE_F64;
	made->has_shape = true;
	made->rank = (uint32_t)tensor->rank;
	made->sizes = sizes;
	return made;
}

static void
print(const void *payload, bool in_full, struct fx_buf *out)
{
	const struct payload *tensor = payload;

	(void)in_full;
	fx_buf_add(out, "[");
	for (size_t i = 0; i < count_of(tensor); i++)
		fx_buf_addf(out, "%s%a", i ? " " : "", *element(tensor, i));
	fx_buf_add(out, "]");
}

static struct fx_error *
truth(const void *payload, bool *ret)
{
	*ret = *element(payload, 0) != 0;
	return NULL;
}

static struct fx_error *
read_elements(const void *payload, uint64_t first, size_t count, void *bytes)
{
	for (size_t i = 0; i < count; i++)
		memcpy((char *)bytes + i * sizeof(double),
			element(payload, (size_t)first + i), sizeof(double));
	return NULL;
}

static struct fx_error *
write_elements(struct fx_backend *backend, const struct fx_tensor_meta *like,
	const void *bytes, struct fx_datum **ret)
{
	struct payload *made = tensor_of_meta(like);

	memcpy(made->store->items, bytes, count_of(made) * sizeof(double));
	*ret = wrap(backend, made);
	return NULL;
}

static uintptr_t
storage(const void *payload, size_t *bytes_ret)
{
	const struct payload *tensor = payload;

	*bytes_ret = tensor->store->count * sizeof(double);
	return (uintptr_t)tensor->store;
}

static size_t
storage_holders(const void *payload)
{
	return (size_t)((const struct payload *)payload)->store->references;
}

static struct fx_error *
storage_save(const void *payload, struct fx_blob **ret)
{
	const struct store *store = ((const struct payload *)payload)->store;
	struct fx_error *err = fx_blob_new(store->count * sizeof(double), ret);

	if (!err)
		memcpy(fx_blob_data(*ret), store->items,
			store->count * sizeof(double));
	return err;
}

static struct fx_error *
storage_restore(const void *payload, const struct fx_blob *saved)
{
	const struct store *store = ((const struct payload *)payload)->store;

	memcpy(store->items, fx_blob_data(saved), fx_blob_size(saved));
	return NULL;
}

static struct fx_error *
random_save(struct fx_backend *backend, struct fx_blob **ret)
{
	const struct state *state = backend->state;
	struct fx_error *err = fx_blob_new(sizeof(state->random), ret);

	if (!err)
		memcpy(fx_blob_data(*ret), &state->random,
			sizeof(state->random));
	return err;
}

static struct fx_error *
random_restore(struct fx_backend *backend, const struct fx_blob *saved)
{
	struct state *state = backend->state;

	memcpy(&state->random, fx_blob_data(saved), sizeof(state->random));
	return NULL;
}

static void
seed(struct fx_backend *backend, uint64_t number)
{
	((struct state *)backend->state)->random = number * 31 + 7;
}

static const struct fx_backend_ops ops = {
	.name = "real",
	.has_values = true,
	.free = backend_free,
	.resolve = resolve,
	.call = call,
	.plan_free = plan_free,
	.from_tensor = from_tensor,
	.generate = generate,
	.payload_free = payload_free,
	.kind = kind,
	.meta = meta,
	.print = print,
	.truth = truth,
	.read = read_elements,
	.write = write_elements,
	.storage = storage,
	.storage_holders = storage_holders,
	.storage_save = storage_save,
	.storage_restore = storage_restore,
	.writes = writes,
	.random_save = random_save,
	.random_restore = random_restore,
	.seed = seed,
};

struct fx_backend *
fxt_real_backend_new(void)
{
	struct fx_backend *backend = FX_NEW(struct fx_backend);

	backend->ops = &ops;
	backend->state = FX_NEW(struct state);
	return backend;
}

size_t
fxt_real_calls(const struct fx_backend *backend)
{
	return ((const struct state *)backend->state)->calls;
}

static void
add_elements(struct fx_buf *text, const struct fx_datum *tensor)
{
	FX_AUTO_FREE double *numbers = NULL;
	struct fx_extent extent;
	struct fx_error *err = fx_extent_of(tensor, &extent);

	if (!err) {
		numbers = fx_xcalloc((size_t)extent.count + 1, sizeof(double));
		err = fx_values_numbers(tensor, 0, (size_t)extent.count,
			numbers, NULL);
	}
	fx_buf_add(text, "[");
	for (size_t i = 0; !err && i < extent.count; i++)
		fx_buf_addf(text, "%s%a", i ? " " : "", numbers[i]);
	fx_buf_add(text, err ? fx_error_message(err) : "]");
	fx_error_free(err);
}

static void
add_text(struct fx_buf *text, const struct fx_value *value)
{
	if (fx_datum_held(value))
		add_elements(text, fx_datum_held(value));
	else if (!fx_value_item_count(value))
		fx_buf_add(text, "-");
	for (size_t i = 0; i < fx_value_item_count(value); i++)
		add_text(text, &value->items[i]);
}

const char *
fxt_real_text(const struct fx_datum *datum)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	add_text(&text, &datum->value);
	return fx_intern(fx_buf_text(&text));
}

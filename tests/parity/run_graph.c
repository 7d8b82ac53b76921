/* run_graph.c - run a graph on libtorch, without Python.
 *
 * usage: run_graph MODEL.fxg OUTPUT INPUT.npy...
 *
 * Each tensor of the result is written to OUTPUT.0.npy, OUTPUT.1.npy...; the
 * rest is printed.  With FXDB_REPEAT=N the graph is run N times more and the
 * median time printed.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/buf.h"
#include "base/mem.h"
#include "guest/shim.h"
#include "ir/graph.h"
#include "ir/tensor_meta.h"
#include "load/npy.h"
#include "load/open.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/interp.h"

#define INPUTS 16
/* Of the random generator, as run_models.py has it. */
#define SEED 11

static struct fx_error *
read_input(struct fx_backend *backend, const char *path, struct fx_datum **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_NPY struct fx_npy array = { 0 };
	struct fx_error *err = fx_npy_read(path, &array);
	struct fx_value value;

	if (err)
		return err;
	value = fx_tensor_meta_ints(arena, array.dtype, array.sizes,
		array.rank);
	return backend->ops->write(backend, value.tensor,
		fx_blob_data(array.blob), ret);
}

static struct fx_error *
read_elements(void *context, uint64_t first, size_t count, void *bytes)
{
	const struct fx_datum *datum = context;

	return datum->backend->ops->read(datum->payload, first, count, bytes);
}

static struct fx_error *
write_tensor(struct fx_datum *datum, const char *output, int number)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	FX_AUTO_FREE char *path = fx_xasprintf("%s.%d.npy", output, number);
	const struct fx_tensor_meta *meta = fx_datum_meta(arena, datum);
	struct fx_npy array = { .dtype = meta->dtype, .rank = meta->rank };

	array.count = 1;
	for (uint32_t i = 0; i < meta->rank; i++) {
		array.sizes[i] = meta->sizes[i].integer;
		array.count *= (uint64_t)array.sizes[i];
	}
	return fx_npy_write(path, &array, read_elements, datum);
}

static struct fx_error *
write_result(struct fx_datum *datum, const char *output, int *number)
{
	struct fx_error *err = NULL;

	if (datum->kind == FX_DATUM_TENSOR)
		return write_tensor(datum, output, (*number)++);
	for (size_t i = 0; !err && i < fx_datum_item_count(datum); i++)
		err = write_result(datum->items[i], output, number);
	return err;
}

static double
now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (double)at.tv_sec * 1e3 + (double)at.tv_nsec / 1e6;
}

static int
by_size(const void *a, const void *b)
{
	double first = *(const double *)a;
	double second = *(const double *)b;

	return (first > second) - (first < second);
}

static struct fx_error *
repeat(struct fx_backend *backend, struct fx_graph *graph,
	const struct fx_arguments *given, int count)
{
	FX_AUTO_PLANS struct fx_plans plans = { .depth = 0 };
	struct fx_arguments arguments = *given;
	double times[1000];
	struct fx_error *err = NULL;

	fx_plans_init(&plans, backend);
	arguments.plans = &plans;
	count = FX_MIN(count, 1000);
	for (int i = 0; i < count && !err; i++) {
		struct fx_datum *result = NULL;
		double begin = now();

		err = fx_interp_call(backend, graph, &arguments, 0, &result);
		times[i] = now() - begin;
		fx_datum_unref(result);
	}
	if (err || count <= 0)
		return err;
	qsort(times, (size_t)count, sizeof(*times), by_size);
	printf("median %.3f ms\n", times[count / 2]);
	return NULL;
}

static struct fx_error *
run(struct fx_backend *backend, struct fx_graph *graph, char **argv)
{
	struct fx_datum *inputs[INPUTS];
	struct fx_datum *result = NULL;
	struct fx_arguments arguments = { .items = inputs };
	const char *times = getenv("FXDB_REPEAT");
	struct fx_error *err = NULL;
	int number = 0;

	while (!err && argv[3 + arguments.count] && arguments.count < INPUTS) {
		err = read_input(backend, argv[3 + arguments.count],
			&inputs[arguments.count]);
		arguments.count += !err;
	}
	backend->ops->seed(backend, SEED);
	if (!err)
		err = fx_interp_call(backend, graph, &arguments, 0, &result);
	if (!err)
		err = write_result(result, argv[2], &number);
	if (!err && times)
		err = repeat(backend, graph, &arguments,
			(int)strtol(times, NULL, 10));
	fx_datum_unref(result);
	for (size_t i = 0; i < arguments.count; i++)
		fx_datum_unref(inputs[i]);
	return err;
}

int
main(int argc, char **argv)
{
	struct fx_loaded loaded = { .graph = NULL };
	struct fx_backend *backend = NULL;
	struct fx_error *err;
	int status = 0;

	if (argc < 3) {
		fprintf(stderr, "usage: run_graph MODEL.fxg OUTPUT INPUT...\n");
		return 2;
	}
	err = fx_open(argv[1], 1, &loaded);
	if (!err)
		err = fx_backend_torch_new(
			&(struct fx_shim_options){
				.python = getenv("FXDB_RUN_PYTHON") },
			&backend);
	if (!err)
		err = run(backend, loaded.graph, argv);
	if (err) {
		fprintf(stderr, "%s\n", fx_error_message(err));
		for (size_t i = 0; i < fx_error_note_count(err); i++)
			fprintf(stderr, "  %s\n", fx_error_note_text(err, i));
		status = 1;
	}
	fx_error_free(err);
	fx_backend_free(backend);
	fx_loaded_deinit(&loaded);
	return status;
}

/* run_graph.c - run a graph on libtorch, without Python.
 *
 * usage: run_graph MODEL.fxg OUTPUT INPUT.npy... [-- MODEL.fxg OUTPUT ...]
 *
 * Each tensor of the result is written to OUTPUT.0.npy, OUTPUT.1.npy...; the
 * rest is printed.  At every node dtypes and shapes are compared with those of
 * the meta backend.  With FXDB_REPEAT=N the graph is run N times more and the
 * median time printed.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/buf.h"
#include "base/mem.h"
#include "guest/shim.h"
#include "ir/fold.h"
#include "ir/graph.h"
#include "ir/tensor_meta.h"
#include "load/npy.h"
#include "load/open.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/interp.h"
#include "tests/support/clock.h"

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
	for (size_t i = 0; !err && i < fx_value_item_count(&datum->value);
		i++) {
		FX_AUTO_DATUM struct fx_datum *item =
			fx_datum_part(datum, &datum->value.items[i]);

		err = write_result(item, output, number);
	}
	return err;
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
		double begin = fxt_seconds(CLOCK_MONOTONIC);

		err = fx_interp_call(backend, graph, &arguments, 0, &result);
		times[i] = fxt_seconds(CLOCK_MONOTONIC) - begin;
		fx_datum_unref(result);
	}
	if (err || count <= 0)
		return err;
	printf("median %.3f ms\n", 1e3 * fxt_median(times, (size_t)count));
	return NULL;
}

/* --- beside the meta backend --------------------------------------------- */

static bool
same_tensor(const struct fx_datum *have, const struct fx_datum *want)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	const struct fx_tensor_meta *ours = fx_datum_meta(arena, have);
	const struct fx_tensor_meta *theirs = fx_datum_meta(arena, want);
	bool same = ours && theirs && ours->dtype == theirs->dtype &&
		    ours->rank == theirs->rank;

	for (uint32_t i = 0; same && i < ours->rank; i++)
		same = ours->sizes[i].integer == theirs->sizes[i].integer;
	return same;
}

/* What meta does not know, any result is. */
static bool
same_kind(const struct fx_value *have, const struct fx_value *want)
{
	bool same = fx_value_item_count(have) == fx_value_item_count(want);

	if (want->kind == FX_VALUE_UNKNOWN)
		return true;
	if (fx_datum_held(have))
		return fx_datum_held(want) &&
		       same_tensor(fx_datum_held(have), fx_datum_held(want));
	if (!fx_value_is_sequence(have))
		return fx_fold_equal(have, want) == FX_TRUE;
	for (size_t i = 0; same && i < have->count; i++)
		same = same_kind(&have->items[i], &want->items[i]);
	return same;
}

struct shapes {
	struct fx_env meta;
	const struct fx_arguments *inputs;
	size_t next;
	bool as_meta; /* give the inputs' metadata */
	int wrong;
};

static struct fx_error *
next_input(void *context, struct fx_node *node, struct fx_datum **ret)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct shapes *shapes = context;
	struct fx_datum *input;

	(void)node;
	*ret = NULL;
	if (shapes->next >= shapes->inputs->count)
		return NULL;
	input = shapes->inputs->items[shapes->next++];
	*ret = shapes->as_meta ? fx_meta_tensor(fx_datum_meta(arena, input))
			       : fx_datum_ref(input);
	return NULL;
}

static enum fx_answer
compare_node(void *context, struct fx_interp *interp, struct fx_node *node,
	struct fx_datum *value)
{
	struct shapes *shapes = context;
	const struct fx_datum *want = fx_env_get(&shapes->meta, node->id);

	(void)interp;
	if (!want || !value || same_kind(&value->value, &want->value))
		return FX_ANSWER_GO;
	if (shapes->wrong++ < 5)
		fprintf(stderr, "%s has another shape than meta says\n",
			node->name);
	return FX_ANSWER_GO;
}

static struct fx_error *
run_with(struct fx_backend *backend, struct fx_graph *graph,
	const struct fx_observer *hook, struct shapes *shapes,
	struct fx_env *env)
{
	FX_AUTO_PLANS struct fx_plans plans = { .depth = 0 };
	struct fx_interp interp = {
		.graph = graph,
		.backend = backend,
		.env = env,
		.plans = &plans,
		.input = next_input,
		.input_context = shapes,
		.observers = hook,
		.observer_count = 1,
		.next = fx_graph_first(graph),
	};

	fx_plans_init(&plans, backend);
	shapes->next = 0;
	return fx_interp_run(&interp, NULL);
}

static struct fx_error *
compare_shapes(struct fx_backend *backend, struct fx_graph *graph,
	const struct fx_arguments *inputs)
{
	FX_AUTO_BACKEND struct fx_backend *meta = fx_backend_meta_new();
	FX_AUTO_ENV struct fx_env env = { .count = 0 };
	struct shapes shapes = { .inputs = inputs, .as_meta = true };
	const struct fx_observer keep = { .records = true };
	const struct fx_observer compare = { .context = &shapes,
		.after = compare_node };
	struct fx_error *err =
		run_with(meta, graph, &keep, &shapes, &shapes.meta);

	shapes.as_meta = false;
	if (!err)
		err = run_with(backend, graph, &compare, &shapes, &env);
	fx_env_deinit(&shapes.meta);
	if (!err && shapes.wrong)
		err = fx_error_new(FX_ERR_CHECK,
			"%d nodes have other shapes than meta says",
			shapes.wrong);
	return err;
}

/* Not the end of the list or of all. */
static bool
is_word(const char *argument)
{
	return argument && strcmp(argument, "--") != 0;
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

	while (!err && is_word(argv[2 + arguments.count]) &&
		arguments.count < INPUTS) {
		err = read_input(backend, argv[2 + arguments.count],
			&inputs[arguments.count]);
		arguments.count += !err;
	}
	backend->ops->seed(backend, SEED);
	if (!err)
		err = fx_interp_call(backend, graph, &arguments, 0, &result);
	if (!err)
		err = write_result(result, argv[1], &number);
	if (!err)
		err = compare_shapes(backend, graph, &arguments);
	if (!err && times)
		err = repeat(backend, graph, &arguments,
			(int)strtol(times, NULL, 10));
	fx_datum_unref(result);
	for (size_t i = 0; i < arguments.count; i++)
		fx_datum_unref(inputs[i]);
	return err;
}

/* Say what went wrong with NAME; the exit status. */
static int
tell(const char *name, struct fx_error *err_taken)
{
	FX_AUTO_ERROR struct fx_error *err = err_taken;

	if (!err)
		return 0;
	fprintf(stderr, "%s: %s", name, fx_error_message(err));
	for (size_t i = 0; i < fx_error_note_count(err); i++)
		fprintf(stderr, " / %s", fx_error_note_text(err, i));
	fputc('\n', stderr);
	return 1;
}

static int
run_file(struct fx_backend *backend, char **argv)
{
	struct fx_loaded loaded = { .graph = NULL };
	struct fx_error *err = fx_open(argv[0], 1, &loaded);

	if (!err)
		err = run(backend, loaded.graph, argv);
	fx_loaded_deinit(&loaded);
	return tell(argv[0], err);
}

int
main(int argc, char **argv)
{
	const struct fx_shim_options options = {
		.python = getenv("FXDB_RUN_PYTHON"),
	};
	FX_AUTO_BACKEND struct fx_backend *backend = NULL;
	int status;

	if (argc < 3) {
		fprintf(stderr, "usage: run_graph MODEL.fxg OUTPUT INPUT...\n");
		return 2;
	}
	status = tell("libtorch", fx_backend_torch_new(&options, &backend));
	if (status)
		return status;
	for (int i = 1; i + 1 < argc; i++) {
		status |= run_file(backend, argv + i);
		while (i < argc && is_word(argv[i]))
			i++;
	}
	return status;
}

/* replay_backend.c - a backend that has only recorded answers. */
#include <config.h>

#include "tests/support/replay_backend.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/random.h"
#include "base/str.h"
#include "base/vec.h"
#include "ir/module.h"
#include "ir/value_text.h"
#include "lang/parse.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/host_tensor.h"
#include "run/values.h"

/* Most elements that are made up. */
#define GENERATE_LIMIT ((uint64_t)1 << 24)

struct answer {
	const char *target; /* interned */
	char *arguments;    /* joined by ", " */
	char *result;       /* or NULL: an error */
	char *error;
	double *values; /* real parts, then the imaginary ones; or NULL */
	size_t value_count;
	bool is_given;
};

struct state {
	FX_VEC(struct answer) answers;
	struct fx_arena *scratch;
};

struct plan {
	const char *target;
	size_t keyword_count;
	const char *keywords[];
};

/* What data say they are of: they may outlive the backend that made them, and
 * their payloads need none.
 */
static const struct fx_backend *stateless(void);

/* --- tensors ------------------------------------------------------------ */

/* HELD_TAKEN may be NULL: the values are not known. */
static struct fx_datum *
tensor_new(const struct fx_tensor_meta *meta,
	const struct fx_strided_bytes *held_taken)
{
	struct fx_host_tensor *payload = fx_host_tensor_new(meta);

	if (held_taken)
		payload->held = *held_taken;
	return fx_datum_payload_take(FX_DATUM_TENSOR, stateless(), payload);
}

static struct fx_error *
replay_write(struct fx_backend *backend, const struct fx_tensor_meta *meta,
	const void *bytes, struct fx_datum **ret)
{
	(void)backend;
	return fx_host_tensor_write(stateless(), meta, bytes, ret);
}

/* No call writes in place. */
static uint64_t
replay_writes(const void *plan)
{
	(void)plan;
	return 0;
}

/* --- reading ------------------------------------------------------------ */

static char *
joined(const json_t *list)
{
	FX_AUTO_BUF struct fx_buf out = { 0 };

	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *text = json_string_value(json_array_get(list, i));

		if (i)
			fx_buf_add(&out, ", ");
		fx_buf_add(&out, text ? text : "?");
	}
	return fx_buf_take(&out);
}

static char *
text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? fx_xstrdup(text) : NULL;
}

static double
number_of(const json_t *json)
{
	const char *text = json_string_value(json);

	if (json_is_number(json))
		return json_number_value(json);
	if (fx_str_equal(text, "inf"))
		return INFINITY;
	return fx_str_equal(text, "-inf") ? -INFINITY : NAN;
}

static void
read_values(const json_t *values, struct answer *ret)
{
	size_t count = json_array_size(values);

	ret->value_count = count;
	ret->values = fx_xcalloc(2 * count, sizeof(*ret->values));
	for (size_t i = 0; i < count; i++) {
		const json_t *item = json_array_get(values, i);

		if (json_is_array(item)) {
			ret->values[count + i] =
				number_of(json_array_get(item, 1));
			item = json_array_get(item, 0);
		}
		ret->values[i] = number_of(item);
	}
}

static bool
read_answer(const json_t *object, struct answer *ret)
{
	const json_t *values = json_object_get(object, "values");
	const char *target =
		json_string_value(json_object_get(object, "target"));

	*ret = (struct answer){ .target = fx_intern(target) };
	if (!target)
		return false;
	ret->arguments = joined(json_object_get(object, "args"));
	ret->result = text_of(object, "result");
	ret->error = text_of(object, "error");
	if (values)
		read_values(values, ret);
	return ret->result || ret->error;
}

static struct fx_error *
read_line(struct state *state, const char *path, const char *line,
	size_t length, int number)
{
	json_error_t problem;
	json_t *object = json_loadb(line, length, 0, &problem);
	struct answer answer = { 0 };
	bool ok = json_is_object(object) && read_answer(object, &answer);

	json_decref(object);
	/* A bad one is pushed too, so that it is released with the others. */
	fx_vec_push(&state->answers, answer);
	if (ok)
		return NULL;
	return fx_error_place(fx_error_new(FX_ERR_FORMAT,
				      "%s: line %d is no recorded answer", path,
				      number),
		path, number);
}

static struct fx_error *
read_answers(struct state *state, const char *path)
{
	FX_AUTO_FREE char *text = NULL;
	size_t size;
	int number = 0;
	struct fx_error *err = fx_file_read(path, 0, &text, &size);

	for (const char *at = text; !err && at && *at;) {
		const char *end = strchr(at, '\n');
		size_t length = end ? (size_t)(end - at) : strlen(at);

		number++;
		if (length && *at != '#')
			err = read_line(state, path, at, length, number);
		at += length + (end != NULL);
	}
	return err;
}

/* --- calls -------------------------------------------------------------- */

static void
replay_free(struct fx_backend *backend)
{
	struct state *state = backend->state;

	for (size_t i = 0; i < state->answers.count; i++) {
		free(state->answers.items[i].arguments);
		free(state->answers.items[i].result);
		free(state->answers.items[i].error);
		free(state->answers.items[i].values);
	}
	fx_vec_deinit(&state->answers);
	fx_arena_free(state->scratch);
	free(state);
	free(backend);
}

static struct fx_error *
replay_resolve(struct fx_backend *backend, const struct fx_call_site *site,
	void **plan_ret)
{
	struct state *state = backend->state;
	struct plan *plan;
	bool is_known = false;

	for (size_t i = 0; i < state->answers.count; i++)
		if (state->answers.items[i].target == site->target)
			is_known = true;
	if (!is_known)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"no answer is recorded for %s", site->target);
	plan = fx_xcalloc(1,
		sizeof(*plan) + site->keyword_count * sizeof(*plan->keywords));
	plan->target = site->target;
	plan->keyword_count = site->keyword_count;
	for (size_t i = 0; i < site->keyword_count; i++)
		plan->keywords[i] = site->keywords[i];
	*plan_ret = plan;
	return NULL;
}

static struct fx_error *
describe(const struct plan *plan, struct fx_datum *const *data, size_t count,
	struct fx_buf *out)
{
	const struct fx_datum_printer printer = { .is_brief = true };
	size_t positional = count - plan->keyword_count;

	for (size_t i = 0; i < count; i++) {
		struct fx_error *err;

		if (i)
			fx_buf_add(out, ", ");
		if (i >= positional)
			fx_buf_addf(out, "%s=", plan->keywords[i - positional]);
		err = fx_datum_print(out, data[i], &printer);
		if (err)
			return err;
	}
	return NULL;
}

/* A tensor with the answer's values. */
static struct fx_error *
make_tensor(const struct fx_tensor_meta *meta, const struct answer *answer,
	struct fx_datum **ret)
{
	size_t size = fx_dtype_info(meta->dtype)->size * answer->value_count;
	FX_AUTO_FREE char *bytes = NULL;
	struct fx_strided_bytes held;
	struct fx_error *err;

	if (!answer->values || !meta->dtype) {
		*ret = tensor_new(meta, NULL);
		return NULL;
	}
	bytes = fx_xmalloc(size);
	fx_elements_encode(meta->dtype, answer->values,
		answer->values + answer->value_count, answer->value_count,
		bytes);
	err = fx_strided_bytes_copy(meta, bytes, size, &held);
	if (!err)
		*ret = tensor_new(meta, &held);
	return err;
}

/* A tensor's text, else a literal. */
static struct fx_error *
parse_result(struct fx_arena *arena, const struct answer *answer,
	struct fx_datum **ret)
{
	size_t length = strlen(answer->result);
	struct fx_value value;
	struct fx_ast *tree;
	struct fx_error *err =
		fx_tensor_meta_parse(arena, answer->result, length, &value);

	if (!err && value.kind == FX_VALUE_TENSOR)
		return make_tensor(value.tensor, answer, ret);
	fx_error_free(err);
	err = fx_parse_expression(arena, answer->result, length,
		FX_PARSE_PYTHON, &tree);
	if (!err)
		err = fx_value_from_ast(arena, NULL, answer->result, tree,
			&value);
	if (!err)
		*ret = fx_datum_from_value(&value);
	return err;
}

static struct answer *
find_answer(struct state *state, const char *target, const char *arguments)
{
	for (size_t i = 0; i < state->answers.count; i++) {
		struct answer *answer = &state->answers.items[i];

		if (!answer->is_given && answer->target == target &&
			fx_str_equal(answer->arguments, arguments))
			return answer;
	}
	return NULL;
}

static struct fx_error *
replay_call(struct fx_backend *backend, void *pointer,
	struct fx_datum *const *data, size_t count, struct fx_datum **ret)
{
	FX_AUTO_BUF struct fx_buf arguments = { 0 };
	struct state *state = backend->state;
	const struct plan *plan = pointer;
	struct fx_arena_mark mark = fx_arena_mark(state->scratch);
	struct answer *answer;
	struct fx_error *err = describe(plan, data, count, &arguments);

	if (err)
		return err;
	answer = find_answer(state, plan->target, fx_buf_text(&arguments));
	if (!answer)
		return fx_error_new(FX_ERR_BACKEND,
			"no answer is recorded for %s(%s)", plan->target,
			fx_buf_text(&arguments));
	answer->is_given = true;
	if (answer->error)
		return fx_error_new(FX_ERR_BACKEND, "%s", answer->error);
	err = parse_result(state->scratch, answer, ret);
	fx_arena_rollback(state->scratch, mark);
	return err;
}

static void
replay_plan_free(struct fx_backend *backend, void *plan)
{
	(void)backend;
	free(plan);
}

static struct fx_error *
replay_from_tensor(struct fx_backend *backend, const struct fx_tensor *tensor,
	struct fx_datum **ret)
{
	struct state *state = backend->state;
	struct fx_arena_mark mark = fx_arena_mark(state->scratch);
	struct fx_value value = fx_tensor_meta_ints(state->scratch,
		tensor->dtype, tensor->sizes, tensor->rank);
	struct fx_strided_bytes held;

	fx_strided_bytes_of_tensor(tensor, &held);
	*ret = tensor_new(value.tensor, &held);
	fx_arena_rollback(state->scratch, mark);
	return NULL;
}

static struct fx_error *
replay_generate(struct fx_backend *backend, const struct fx_tensor_meta *meta,
	uint64_t seed, struct fx_datum **ret)
{
	struct fx_extent extent;
	FX_AUTO_FREE char *bytes = NULL;
	size_t size;
	struct fx_error *err = fx_extent_of_meta(meta, &extent);

	if (!err && extent.count > GENERATE_LIMIT)
		err = fx_error_new(FX_ERR_LIMIT,
			"the tensor is too large to make up");
	if (err)
		return err;
	size = fx_dtype_info(extent.dtype)->size;
	bytes = fx_xcalloc((size_t)extent.count, size);
	for (size_t i = 0; i < extent.count; i++) {
		double number = fx_random_normal(&seed);

		if (!fx_dtype_is_integer(extent.dtype))
			fx_elements_encode(extent.dtype, &number, NULL, 1,
				bytes + i * size);
	}
	return replay_write(backend, meta, bytes, ret);
}

static const struct fx_backend_ops replay_ops = {
	.name = "replay",
	.has_values = true,
	.free = replay_free,
	.resolve = replay_resolve,
	.call = replay_call,
	.plan_free = replay_plan_free,
	.from_tensor = replay_from_tensor,
	.generate = replay_generate,
	.payload_free = fx_host_tensor_free,
	.kind = fx_host_tensor_kind,
	.meta = fx_host_tensor_meta,
	.print = fx_host_tensor_print,
	.truth = fx_host_tensor_truth,
	.read = fx_host_tensor_read,
	.write = replay_write,
	.storage = fx_host_tensor_storage,
	.storage_save = fx_host_tensor_save,
	.storage_restore = fx_host_tensor_restore,
	.writes = replay_writes,
};

static const struct fx_backend *
stateless(void)
{
	static const struct fx_backend backend = { .ops = &replay_ops };

	return &backend;
}

struct fx_error *
fxt_replay_backend_new(const char *path, struct fx_backend **ret)
{
	struct fx_backend *backend = FX_NEW(struct fx_backend);
	struct state *state = FX_NEW(struct state);
	struct fx_error *err;

	state->scratch = fx_arena_new();
	backend->ops = &replay_ops;
	backend->state = state;
	err = read_answers(state, path);
	if (err) {
		fx_backend_free(backend);
		return err;
	}
	*ret = backend;
	return NULL;
}

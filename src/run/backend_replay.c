/* backend_replay.c - the backend that has only recorded answers, for tests. */
#include <config.h>

#include "run/backend.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "base/vec.h"
#include "ir/module.h"
#include "ir/tensor_meta.h"
#include "ir/value_text.h"
#include "lang/parse.h"
#include "meta/propagate.h"
#include "run/datum.h"

struct answer {
	const char *target; /* interned */
	char *arguments;    /* joined by ", " */
	char *result;       /* or NULL: an error */
	char *error;
	double *values;
	size_t value_count;
	bool is_given;
};

struct state {
	FX_VEC(struct answer) answers;
	struct fx_arena *scratch;
};

struct payload {
	unsigned references;
	struct fx_datum *meta; /* of the meta backend */
	double *values;        /* or NULL */
	size_t value_count;
};

struct plan {
	const char *target;
	size_t keyword_count;
	const char *keywords[];
};

/* --- payloads ----------------------------------------------------------- */

static struct payload *
payload_new(const struct fx_tensor_meta *meta, const double *values,
	size_t value_count)
{
	struct payload *payload = FX_NEW(struct payload);

	payload->references = 1;
	payload->meta = fx_meta_tensor(meta);
	if (values) {
		payload->values = fx_xcalloc(value_count, sizeof(*values));
		memcpy(payload->values, values, value_count * sizeof(*values));
		payload->value_count = value_count;
	}
	return payload;
}

static void
replay_payload_ref(void *payload)
{
	((struct payload *)payload)->references++;
}

static void
replay_payload_unref(void *pointer)
{
	struct payload *payload = pointer;

	if (--payload->references)
		return;
	fx_datum_unref(payload->meta);
	free(payload->values);
	free(payload);
}

static struct fx_kind
replay_kind(const void *payload)
{
	return fx_kind_of(((const struct payload *)payload)->meta);
}

static const struct fx_tensor_meta *
replay_meta(const void *payload, struct fx_arena *arena)
{
	return fx_datum_meta(arena, ((const struct payload *)payload)->meta);
}

static void
replay_print(const void *pointer, bool in_full, struct fx_buf *out)
{
	const struct payload *payload = pointer;
	const struct fx_datum *meta = payload->meta;

	meta->backend->ops->print(meta->payload, false, out);
	if (!in_full || !payload->values)
		return;
	fx_buf_add(out, " [");
	for (size_t i = 0; i < payload->value_count; i++) {
		if (i)
			fx_buf_add(out, ", ");
		fx_number_add_double(out, payload->values[i]);
	}
	fx_buf_add_char(out, ']');
}

static struct fx_error *
replay_truth(const void *pointer, bool *ret)
{
	const struct payload *payload = pointer;

	if (payload->value_count != 1)
		return fx_error_new(FX_ERR_TYPE,
			"the truth of a tensor of more than one value, or "
			"without recorded values, is not known");
	*ret = payload->values[0] != 0;
	return NULL;
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
	ret->value_count = json_array_size(values);
	if (values)
		ret->values =
			fx_xcalloc(ret->value_count, sizeof(*ret->values));
	for (size_t i = 0; i < ret->value_count; i++)
		ret->values[i] = json_number_value(json_array_get(values, i));
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
	const struct fx_datum_printer printer = { .format = "" };
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

/* What data say they are of: they may outlive the backend that made them, and
 * their payloads need none.
 */
static const struct fx_backend *stateless(void);

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

	if (!err && value.kind == FX_VALUE_TENSOR) {
		*ret = fx_datum_payload_take(FX_DATUM_TENSOR, stateless(),
			payload_new(value.tensor, answer->values,
				answer->value_count));
		return NULL;
	}
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
	struct fx_value value = fx_meta_of_tensor(state->scratch, tensor);

	*ret = fx_datum_payload_take(FX_DATUM_TENSOR, stateless(),
		payload_new(value.tensor, NULL, 0));
	fx_arena_rollback(state->scratch, mark);
	return NULL;
}

static struct fx_error *
replay_generate(struct fx_backend *backend, const struct fx_tensor_meta *meta,
	uint64_t seed, struct fx_datum **ret)
{
	(void)backend;
	(void)seed;
	*ret = fx_datum_payload_take(FX_DATUM_TENSOR, stateless(),
		payload_new(meta, NULL, 0));
	return NULL;
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
	.payload_ref = replay_payload_ref,
	.payload_unref = replay_payload_unref,
	.kind = replay_kind,
	.meta = replay_meta,
	.print = replay_print,
	.truth = replay_truth,
};

static const struct fx_backend *
stateless(void)
{
	static const struct fx_backend backend = { .ops = &replay_ops };

	return &backend;
}

struct fx_error *
fx_backend_replay_new(const char *path, struct fx_backend **ret)
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

/* narrow.c - which part of a change that came as a whole makes a graph fail. */
#include <config.h>

#include "session/narrow.h"

#include "base/buf.h"
#include "ir/become.h"
#include "ir/verify.h"
#include "session/model.h"

struct state {
	const struct fx_narrowing *what;
	struct fx_becoming *becoming;
};

static FX_NODISCARD struct fx_error *
prepare(const struct state *state)
{
	const struct fx_narrowing *what = state->what;

	return what->prepare ? what->prepare(what->context, what->graph) : NULL;
}

static struct fx_error *
make(void *context, size_t first, size_t end)
{
	struct state *state = context;
	struct fx_error *err = prepare(state);

	if (!err)
		err = fx_becoming_make(state->becoming, first, end);
	return err ? err : fx_verify_error(state->what->graph);
}

static struct fx_error *
fails(void *context, bool *ret)
{
	const struct state *state = context;
	const struct fx_blame_test *test = state->what->test;

	return test->fails(test->context, state->what->graph, ret);
}

/* Nodes are paired by the names that they have then. */
static FX_NODISCARD struct fx_error *
divide(struct state *state, size_t *count_ret)
{
	const struct fx_narrowing *what = state->what;
	struct fx_error *err =
		fx_model_edit_begin(what->session, what->model, what->command);

	if (err)
		return err;
	err = prepare(state);
	state->becoming = fx_becoming_new(what->graph, what->other);
	*count_ret = fx_becoming_divide(state->becoming);
	fx_model_edit_abort(what->model);
	return err;
}

static FX_NODISCARD struct fx_error *
find(struct state *state, size_t count, struct fx_buf *out)
{
	const struct fx_blame blame = { .session = state->what->session,
		.model = state->what->model,
		.command = state->what->command,
		.count = count,
		.make = make,
		.fails = fails,
		.context = state };
	struct fx_error *err;
	bool is_alone = false;
	size_t index;

	err = fx_blame_find(&blame, &index, &is_alone);
	if (err)
		return err;
	fx_buf_addf(out, "first in change %zu of %zu: ", index + 1, count);
	fx_becoming_print(state->becoming, index, out);
	if (!is_alone)
		fx_buf_add(out, ", with those before it");
	return NULL;
}

struct fx_error *
fx_narrow(const struct fx_narrowing *narrowing, struct fx_buf *out)
{
	struct state state = { .what = narrowing };
	struct fx_error *err;
	size_t count = 0;

	err = divide(&state, &count);
	if (!err && count > 1)
		err = find(&state, count, out);
	if (!err && count == 1) {
		fx_buf_add(out, "which hangs together: ");
		fx_becoming_print(state.becoming, 0, out);
	}
	fx_becoming_free(state.becoming);
	if (!err || fx_error_code(err) == FX_ERR_INTERRUPTED)
		return err;
	fx_buf_addf(out, "parts of it cannot be told: %s",
		fx_error_message(err));
	fx_error_free(err);
	return NULL;
}

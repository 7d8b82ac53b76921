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

static struct fx_error *
make(void *context, size_t first, size_t end)
{
	struct state *state = context;
	struct fx_error *err = fx_becoming_make(state->becoming, first, end);

	return err ? err : fx_verify_error(state->what->graph);
}

static struct fx_error *
fails(void *context, bool *ret)
{
	const struct state *state = context;
	const struct fx_blame_test *test = state->what->test;

	return test->fails(test->context, state->what->graph, ret);
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
	struct state state = { .what = narrowing,
		.becoming = fx_becoming_new(narrowing->graph, narrowing->other,
			NULL) };
	size_t count = fx_becoming_divide(state.becoming);
	struct fx_error *err = NULL;

	if (count > 1)
		err = find(&state, count, out);
	if (count == 1) {
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

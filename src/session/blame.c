/* blame.c - which of several changes makes a graph fail. */
#include <config.h>

#include "session/blame.h"

#include "session/model.h"

struct fx_error *
fx_blame_try(const struct fx_blame *blame, size_t first, size_t end, bool *ret)
{
	struct fx_error *err = fx_model_edit_begin(blame->session, blame->model,
		blame->command);

	*ret = false;
	if (err)
		return err;
	err = blame->make(blame->context, first, end);
	if (!err)
		err = blame->fails(blame->context, ret);
	fx_model_edit_abort(blame->model);
	return err;
}

struct fx_error *
fx_blame_find(const struct fx_blame *blame, size_t *index_ret,
	bool *is_alone_ret)
{
	size_t good = 0;
	size_t bad = blame->count;
	struct fx_error *err = NULL;
	bool fails;

	while (!err && bad - good > 1) {
		size_t middle = good + (bad - good) / 2;

		err = fx_blame_try(blame, 0, middle, &fails);
		if (fails)
			bad = middle;
		else
			good = middle;
	}
	*index_ret = bad - 1;
	*is_alone_ret = true;
	if (!err && bad > 1)
		err = fx_blame_try(blame, bad - 1, bad, is_alone_ret);
	return err;
}

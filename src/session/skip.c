/* skip.c - nodes that step goes through without stopping. */
#include <config.h>

#include "session/skip.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "session/break_private.h"
#include "session/resolve.h"

/* What WHERE means as a breakpoint's place, whose scopes are one node. */
static char *
place_of(const struct fx_model *model, const char *where)
{
	const char *path;
	struct fx_error *err;

	if (fx_break_is_line(where))
		return fx_xasprintf("{source~\"%s\"}", where);
	if (*where == '{' || strchr("%@.$", *where))
		return fx_xstrdup(where);
	err = fx_resolve_scope((struct fx_model *)model, where, &path);
	if (!err && *path)
		return fx_xasprintf("{in %s}", path);
	fx_error_free(err);
	return fx_xstrdup(where);
}

struct fx_error *
fx_skip_add(struct fx_session *session, struct fx_model *model,
	const char *where, bool is_file, const struct fx_breakpoint **ret)
{
	FX_AUTO_FREE char *place =
		is_file ? fx_xasprintf("{source~\"%s\"}", where)
			: place_of(model, where);
	const struct fx_breakpoint_spec spec = { .where = place };
	struct fx_break *skip;
	struct fx_error *err = fx_break_new(session, model, &spec, &skip);

	if (err)
		return err;
	skip->shown.number = ++session->last_skip;
	fx_vec_push(&session->skips, skip);
	*ret = &skip->shown;
	return NULL;
}

static struct fx_error *
find(const struct fx_session *session, int number, size_t *ret)
{
	for (*ret = 0; *ret < session->skips.count; ++*ret)
		if (session->skips.items[*ret]->shown.number == number)
			return NULL;
	return fx_error_hint(fx_error_new(FX_ERR_NO_NAME, "there is no skip %d",
				     number),
		"info skip lists them");
}

struct fx_error *
fx_skip_delete(struct fx_session *session, int number)
{
	size_t index;
	struct fx_error *err = find(session, number, &index);

	if (err)
		return err;
	fx_break_free(session->skips.items[index]);
	fx_vec_remove(&session->skips, index);
	return NULL;
}

struct fx_error *
fx_skip_enable(struct fx_session *session, int number, bool on)
{
	size_t index;
	struct fx_error *err = find(session, number, &index);

	if (!err)
		session->skips.items[index]->shown.is_enabled = on;
	return err;
}

size_t
fx_skip_count(const struct fx_session *session)
{
	return session->skips.count;
}

const struct fx_breakpoint *
fx_skip_at(struct fx_session *session, size_t index)
{
	struct fx_break *skip = session->skips.items[index];

	fx_break_refresh(session, skip);
	return &skip->shown;
}

bool
fx_skips_have(struct fx_session *session, const struct fx_model *model,
	const struct fx_node *node)
{
	for (size_t i = 0; i < session->skips.count; i++)
		if (fx_break_stands_on(session, session->skips.items[i], model,
			    node))
			return true;
	return false;
}

void
fx_skips_drop_model(struct fx_session *session, const struct fx_model *model)
{
	for (size_t i = session->skips.count; i-- > 0;) {
		if (model && session->skips.items[i]->model != model)
			continue;
		fx_break_free(session->skips.items[i]);
		fx_vec_remove(&session->skips, i);
	}
}

void
fx_skips_free(struct fx_session *session)
{
	fx_skips_drop_model(session, NULL);
	fx_vec_deinit(&session->skips);
}

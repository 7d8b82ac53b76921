/* run_world.c - sessions that run on real values, for tests. */
#include <config.h>

#include "tests/support/run_world.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "run/backend.h"
#include "run/summary.h"
#include "session/session_private.h"
#include "tests/support/real_backend.h"
#include "tests/support/unit.h"

const char fxt_text_in_place[] = "def forward(self, x : \"f64[2, 2]\"):\n"
				 "    before = torch.neg(x)\n"
				 "    row = torch.select(x, 0, 1)\n"
				 "    add_ = row.add_(3)\n"
				 "    after = torch.neg(x)\n"
				 "    sum_1 = torch.sum(row)\n"
				 "    return (before, after, sum_1)\n";

const char fxt_text_two_arms[] = "def forward(self, x : \"f64[2, 2]\"):\n"
				 "    a = torch.neg(x)\n"
				 "    b = torch.relu(x)\n"
				 "    c = a + a\n"
				 "    d = b + b\n"
				 "    return (c, d)\n";

const char fxt_text_drawing[] = "def forward(self, x : \"f64[2, 2]\"):\n"
				"    a = torch.dropout(x, 0.5, True)\n"
				"    b = torch.neg(x)\n"
				"    c = torch.dropout(b, 0.5, True)\n"
				"    d = c + a\n"
				"    return d\n";

void
fxt_add_backend(struct fxt_world *w, struct fx_backend *backend_taken)
{
	fx_vec_push(&w->session->backends, backend_taken);
	backend_taken->meta = w->session->meta;
	if (backend_taken->ops->seed)
		backend_taken->ops->seed(backend_taken, w->session->seed);
}

struct fxt_world
fxt_run_world(const char *text, const char *name,
	struct fx_backend **backend_ret)
{
	struct fxt_world world = fxt_world_new(text);
	struct fx_backend *backend;

	if (fx_str_equal(name, "torch")) {
		fxt_set(&world, "backend torch");
		return world;
	}
	backend = fxt_real_backend_new();
	fxt_add_backend(&world, backend);
	fxt_set(&world, "backend auto");
	if (backend_ret)
		*backend_ret = backend;
	return world;
}

/* The value of node NAME of MODEL, or why there is none. */
static const char *
value_in(struct fxt_world *w, struct fx_model *model, const char *name)
{
	FX_AUTO_DATUM struct fx_datum *datum = NULL;
	FX_AUTO_FREE char *text = fx_xasprintf("%%%s", name);
	struct fx_error *err =
		fx_resolve_expression(w->session, model, text, false, &datum);
	const char *said;

	if (!err)
		return fxt_real_text(datum);
	said = fx_intern_format("error: %s", fx_error_message(err));
	fx_error_free(err);
	return said;
}

const char *
fxt_value(struct fxt_world *w, const char *name)
{
	return value_in(w, w->model, name);
}

const char *
fxt_set_value(struct fxt_world *w, const char *name, const char *expression)
{
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };

	CU_ASSERT(fxt_ok(fx_model_set_value(w->session, w->model,
		fxt_node(w, name), expression, &report)));
	return fx_intern_format("dirty %zu", report.dirty);
}

/* --- the fresh copy ------------------------------------------------------ */

static void
copy_overrides(struct fxt_world *w, struct fx_model *copy,
	const struct fxt_overrides *overrides)
{
	struct fx_graph *to = fx_model_graph(copy);

	for (size_t i = 0; overrides && i < overrides->count; i++) {
		FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };
		const struct fx_node *node =
			fx_graph_find_id(w->graph, overrides->items[i].node);

		if (node)
			CU_ASSERT(fxt_ok(fx_model_set_value(w->session, copy,
				fx_graph_find(to, node->name),
				overrides->items[i].expression, &report)));
	}
}

static bool
is_same(const struct fx_stats *a, const struct fx_stats *b)
{
	return !memcmp(&a->min, &b->min, sizeof(a->min)) &&
	       !memcmp(&a->std, &b->std, sizeof(a->std)) &&
	       a->max_index == b->max_index && a->nan == b->nan;
}

/* Whether what is shown of MODEL's values that were not kept is so in COPY,
 * where they are computed again.
 */
static bool
are_summaries_so(struct fxt_world *w, struct fx_model *copy)
{
	struct fx_graph *graph = fx_model_graph(copy);
	bool same = true;

	for (size_t i = 0; i < fx_position_get(w->model) && same; i++) {
		const struct fx_summary *mine =
			fx_position_summary(w->model, fx_graph_at(w->graph, i));
		const struct fx_datum *datum;
		FX_AUTO_SUMMARY struct fx_summary *theirs = NULL;

		if (!mine)
			continue;
		value_in(w, copy, fx_graph_at(graph, i)->name);
		datum = fx_position_value(copy, fx_graph_at(graph, i));
		if (!datum)
			continue;
		theirs = fx_summary_new(datum, NULL);
		same = theirs && theirs->parts.count == mine->parts.count;
		for (size_t j = 0; same && j < mine->parts.count; j++)
			same = is_same(&mine->parts.items[j].stats,
				&theirs->parts.items[j].stats);
		if (!same)
			fxt_same(fx_graph_at(graph, i)->name, "the summary");
	}
	return same;
}

bool
fxt_is_as_fresh(struct fxt_world *w, const struct fxt_overrides *overrides)
{
	struct fx_model *copy = NULL;
	size_t position = fx_position_get(w->model);
	bool same = true;

	CU_ASSERT(fxt_ok(fx_session_copy(w->session, w->model,
		&(struct fx_opening){ .name = "fresh", .line = "graph" },
		&copy)));
	copy_overrides(w, copy, overrides);
	fxt_jump(w, copy, position);
	same = are_summaries_so(w, copy);
	for (size_t i = 0; i < position && same; i++) {
		const char *name = fx_graph_at(w->graph, i)->name;
		const char *mine = fxt_value(w, name);
		const char *theirs = value_in(w, copy, name);

		/* Why there is none depends on the way that led here. */
		if (fx_str_starts(mine, "error: ") &&
			fx_str_starts(theirs, "error: "))
			continue;
		same = fxt_same(mine, theirs);
		if (!same)
			fxt_same(name, "the node");
	}
	fx_session_drop(w->session, copy);
	fx_session_switch(w->session, w->model);
	return same;
}

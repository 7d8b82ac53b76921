/* refuse.c - what verification says no to: whose fault it was. */
#include <config.h>

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/clone.h"
#include "session/passing_private.h"
#include "session/session_private.h"

void
fx_model_forget_refused(struct fx_model *model)
{
	for (int i = 0; i < 2; i++)
		fx_graph_free(FX_TAKE(model->refused[i]));
	free(FX_TAKE(model->refusal));
}

const char *
fx_model_refused(const struct fx_model *model, struct fx_graph *ret[2])
{
	ret[0] = model->refused[0];
	ret[1] = model->refused[1];
	return model->refusal;
}

bool
fx_passing_is_refused(const struct fx_passing *passing,
	const struct fx_verify_result *result)
{
	if (passing->policy == FX_PASSING_VERIFY_MEASURE)
		return false;
	if (result->verdict == FX_VERDICT_UNKNOWN)
		return passing->policy == FX_PASSING_VERIFY_SAME ||
		       fx_verify_mode(passing->session) ==
			       FX_VERIFY_MODE_STRICT;
	return result->verdict == FX_VERDICT_DIFFERS;
}

/* --- who is to blame ----------------------------------------------------- */

/* Candidates that were applied, as they came. */
struct blame {
	struct fx_passing *passing;
	FX_VEC(const struct fx_decision *) applied;
};

/* Whether the graph differs with the candidates FIRST to before END alone. */
static struct fx_error *
differs_with(const struct blame *blame, size_t first, size_t end, bool *ret)
{
	struct fx_passing *p = blame->passing;
	struct fx_passing *again = fx_passing_again(p);
	FX_AUTO_VERIFY_RESULT struct fx_verify_result result = { .why = NULL };
	struct fx_error *err;

	again->chooses = true;
	fx_map_clear(&again->only);
	for (size_t i = first; i < end; i++)
		fx_map_set(&again->only,
			(uintptr_t)blame->applied.items[i]->key, 1);
	err = fx_model_edit_begin(p->session, p->model, p->command);
	if (!err) {
		err = fx_passing_take_all(again);
		if (!err)
			err = fx_verify_graph(p->verify, p->graph, &result);
		fx_pass_end(FX_TAKE(again->work));
		fx_model_edit_abort(p->model);
	}
	fx_passing_free(again);
	*ret = result.verdict == FX_VERDICT_DIFFERS;
	return err;
}

/* The last candidate of the shortest beginning that differs, by halves; and
 * whether it does alone.
 */
static struct fx_error *
find_guilty(const struct blame *blame, const struct fx_decision **ret,
	bool *is_alone_ret)
{
	size_t good = 0;
	size_t bad = blame->applied.count;
	struct fx_error *err = NULL;
	bool differs;

	while (!err && bad - good > 1) {
		size_t middle = good + (bad - good) / 2;

		err = differs_with(blame, 0, middle, &differs);
		if (differs)
			bad = middle;
		else
			good = middle;
	}
	*ret = blame->applied.items[bad - 1];
	*is_alone_ret = true;
	if (!err && bad > 1)
		err = differs_with(blame, bad - 1, bad, is_alone_ret);
	return err;
}

/* ", first at @23 layer2_0_bn2"; what is not found is left out. */
static struct fx_error *
add_guilty(struct fx_buf *out, struct fx_passing *p)
{
	struct blame blame = { .passing = p };
	const struct fx_decision *guilty;
	struct fx_graph *graph = p->graph;
	const struct fx_node *node;
	struct fx_error *err;
	bool is_alone;

	for (size_t i = 0; i < p->decisions.count; i++)
		if (p->decisions.items[i].is_applied)
			fx_vec_push(&blame.applied, &p->decisions.items[i]);
	err = find_guilty(&blame, &guilty, &is_alone);
	if (!err) {
		node = fx_graph_find_id(graph, guilty->node);
		fx_buf_add(out, ", first at ");
		if (node && node->is_in_graph)
			fx_buf_addf(out, "@%zu %s",
				fx_graph_position(graph, node), node->name);
		if (!node || !node->is_in_graph ||
			!fx_str_equal(node->name, guilty->key))
			fx_buf_addf(out, "%s%s%s", node ? " (" : "",
				guilty->key, node ? ")" : "");
		if (!is_alone)
			fx_buf_add(out, " with those before it");
	}
	fx_vec_deinit(&blame.applied);
	return err;
}

/* Keep the change, which is made now, for who wants to see it. */
static void
keep_refused(struct fx_passing *p)
{
	struct fx_model *model = p->model;

	fx_model_forget_refused(model);
	model->refused[0] = fx_graph_clone(fx_verify_before(p->verify),
		fx_session_serial(p->session), NULL);
	model->refused[1] =
		fx_graph_clone(p->graph, fx_session_serial(p->session), NULL);
}

struct fx_error *
fx_passing_refuse(struct fx_passing *p, const struct fx_verify_result *result)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	bool is_unknown = result->verdict == FX_VERDICT_UNKNOWN;
	struct fx_error *err = NULL;

	fx_buf_addf(&text, "refused: %s %s", p->name,
		is_unknown ? "was " : "changed output: ");
	fx_verify_print(&text, result);
	keep_refused(p);
	p->is_busy = true;
	fx_model_edit_abort(p->model);
	if (!is_unknown)
		err = add_guilty(&text, p);
	fx_buf_add(&text, "; graph kept");
	p->model->refusal = fx_xstrdup(fx_buf_text(&text));
	if (!err)
		err = fx_error_new(FX_ERR_CHECK, "%s", fx_buf_text(&text));
	if (!is_unknown || p->policy == FX_PASSING_VERIFY_AS_SET)
		err = fx_error_hint(err, "%s",
			is_unknown ? "set verify on" : "pass diff");
	fx_passing_free(p);
	return err;
}

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
	const struct fx_blame_test *test; /* NULL: verification */
	FX_VEC(const struct fx_decision *) applied;
	FX_VEC(const struct fx_decision *) before; /* verified already */
};

/* Those candidates alone. */
static struct fx_error *
make(void *context, size_t first, size_t end)
{
	const struct blame *blame = context;
	struct fx_passing *again = fx_passing_again(blame->passing);
	struct fx_error *err;

	again->chooses = true;
	fx_map_clear(&again->only);
	for (size_t i = 0; i < blame->before.count; i++)
		fx_map_set(&again->only, (uintptr_t)blame->before.items[i]->key,
			1);
	for (size_t i = first; i < end; i++)
		fx_map_set(&again->only,
			(uintptr_t)blame->applied.items[i]->key, 1);
	err = fx_passing_take_all(again);
	fx_passing_free(again);
	return err;
}

static struct fx_error *
fails(void *context, bool *ret)
{
	const struct blame *blame = context;
	struct fx_passing *p = blame->passing;
	FX_AUTO_VERIFY_RESULT struct fx_verify_result result = { .why = NULL };
	struct fx_error *err;

	if (blame->test)
		return blame->test->fails(blame->test->context, p->graph, ret);
	err = fx_verify_graph(p->verify, p->graph, &result);
	*ret = result.verdict == FX_VERDICT_DIFFERS;
	return err;
}

/* "first at @23 layer2_0_bn2", with the key where that is not the node's name.
 */
static void
print_place(struct fx_buf *out, struct fx_graph *graph,
	const struct fx_decision *guilty, bool is_alone)
{
	const struct fx_node *node = fx_graph_find_id(graph, guilty->node);

	fx_buf_add(out, "first at ");
	if (node && node->is_in_graph)
		fx_buf_addf(out, "@%zu %s", fx_graph_position(graph, node),
			node->name);
	if (!node || !node->is_in_graph ||
		!fx_str_equal(node->name, guilty->key))
		fx_buf_addf(out, "%s%s%s", node ? " (" : "", guilty->key,
			node ? ")" : "");
	if (!is_alone)
		fx_buf_add(out, " with those before it");
}

/* "first in change 2 of 5: -%relu +%gelu": of a change that came as a whole. */
static void
print_part(struct fx_buf *out, const struct blame *blame, size_t index,
	bool is_alone)
{
	const char *text = blame->applied.items[index]->text;

	if (blame->applied.count == 1)
		fx_buf_add(out, "which hangs together: ");
	else
		fx_buf_addf(out, "first in change %zu of %zu: ", index + 1,
			blame->applied.count);
	fx_buf_add(out, text ? text : blame->applied.items[index]->key);
	if (!is_alone)
		fx_buf_add(out, ", with those before it");
}

struct fx_error *
fx_passing_blame(struct fx_passing *p, const struct fx_blame_test *test,
	struct fx_passing_blamed *ret)
{
	struct blame blame = { .passing = p, .test = test };
	struct fx_blame all = { .session = p->session,
		.model = p->model,
		.command = p->command,
		.make = make,
		.fails = fails,
		.context = &blame };
	FX_AUTO_BUF struct fx_buf place = { 0 };
	struct fx_error *err;
	size_t index;

	*ret = (struct fx_passing_blamed){ .key = NULL };
	for (size_t i = 0; i < p->decisions.count; i++) {
		const struct fx_decision *decision = &p->decisions.items[i];

		if (decision->is_applied && i < p->group_decisions)
			fx_vec_push(&blame.before, decision);
		else if (decision->is_applied)
			fx_vec_push(&blame.applied, decision);
	}
	all.count = blame.applied.count;
	if (!all.count)
		return NULL;
	err = fx_blame_find(&all, &index, &ret->is_alone);
	if (!err) {
		ret->key = blame.applied.items[index]->key;
		if (p->steps.items[0].pass->is_one_change)
			print_part(&place, &blame, index, ret->is_alone);
		else
			print_place(&place, p->graph,
				blame.applied.items[index], ret->is_alone);
		ret->place = fx_buf_take(&place);
	}
	fx_vec_deinit(&blame.applied);
	fx_vec_deinit(&blame.before);
	return err;
}

/* Go over all that P wants, and take it back; whether that fails. */
static struct fx_error *
try_whole(struct fx_passing *p, const struct fx_blame_test *test, bool *ret)
{
	struct fx_error *err =
		fx_model_edit_begin(p->session, p->model, p->command);

	if (err)
		return err;
	err = fx_passing_take_all(p);
	if (!err)
		err = test->fails(test->context, p->graph, ret);
	fx_pass_end(FX_TAKE(p->work));
	fx_model_edit_abort(p->model);
	return err;
}

struct fx_error *
fx_passing_find_guilty(struct fx_session *session, struct fx_model *model,
	const struct fx_passing_request *request,
	const struct fx_blame_test *test, struct fx_passing_blamed *ret)
{
	struct fx_passing *p = fx_passing_new(session, model, request);
	struct fx_error *err;
	bool has_failed = false;

	*ret = (struct fx_passing_blamed){ .key = NULL };
	err = try_whole(p, test, &has_failed);
	if (!err && has_failed)
		err = fx_passing_blame(p, test, ret);
	fx_passing_free(p);
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
	struct fx_passing_blamed blamed = { .key = NULL };
	struct fx_error *err = NULL;

	fx_buf_addf(&text, "refused: %s %s", p->name,
		is_unknown ? "was " : "changed output: ");
	fx_verify_print(&text, result);
	keep_refused(p);
	p->is_busy = true;
	fx_model_edit_abort(p->model);
	if (!is_unknown)
		err = fx_passing_blame(p, NULL, &blamed);
	if (blamed.place)
		fx_buf_addf(&text, ", %s", blamed.place);
	free(blamed.place);
	fx_buf_add(&text, "; graph kept");
	p->model->refusal = fx_xstrdup(fx_buf_text(&text));
	if (!err)
		err = fx_error_new(FX_ERR_CHECK, "%s", fx_buf_text(&text));
	if (!is_unknown || p->policy == FX_PASSING_VERIFY_AS_SET)
		err = fx_error_hint(err, "%s",
			is_unknown ? "set verify on" : "pass diff");
	p->is_taken_back = true;
	return err;
}

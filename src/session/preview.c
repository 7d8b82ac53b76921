/* preview.c - what the candidate at hand would make of the graph. */
#include <config.h>

#include "base/str.h"
#include "ir/clone.h"
#include "ir/journal.h"
#include "session/passing_private.h"
#include "session/session_private.h"

/* Go on in WORK, over a copy, to the candidate like ORIGINAL: the same sentence
 * of the same node, whose copy is TWIN; false if there is none.
 */
static FX_NODISCARD struct fx_error *
find_candidate(struct fx_pass_work *work, const struct fx_candidate *original,
	const struct fx_node *twin, bool *found_ret)
{
	const struct fx_candidate *candidate = NULL;
	struct fx_error *err;

	*found_ret = false;
	while (!(err = fx_pass_next(work, &candidate)) && candidate) {
		*found_ret = candidate->node == (twin ? twin->id : 0) &&
			     fx_str_equal(candidate->text, original->text);
		if (*found_ret)
			break;
	}
	return err;
}

static FX_NODISCARD struct fx_error *
apply_to(struct fx_graph *copy, const struct fx_passing *p,
	const struct fx_candidate *candidate, const struct fx_node *twin,
	bool *found_ret)
{
	struct fx_pass_step step = fx_passing_step_at_hand(p);
	struct fx_pass_work *work;
	struct fx_error *err;

	fx_journal_open(copy, "preview");
	fx_journal_begin(copy, p->command);
	step.at = twin;
	err = fx_pass_begin(copy, &step, &work);
	if (!err) {
		err = fx_pass_enter(work, &p->world);
		if (!err)
			err = find_candidate(work, candidate, twin, found_ret);
		if (!err && *found_ret)
			err = fx_pass_apply_next(work);
		fx_pass_end(work);
	}
	if (!err)
		return fx_journal_commit(copy, NULL);
	fx_journal_abort(copy);
	return err;
}

struct fx_error *
fx_passing_preview(const struct fx_passing *p, struct fx_graph *ret[2])
{
	const struct fx_candidate *candidate = fx_passing_candidate(p);
	const struct fx_graph *graph = p->graph;
	FX_AUTO_GRAPH struct fx_graph *before = NULL;
	FX_AUTO_GRAPH struct fx_graph *after = NULL;
	FX_AUTO_MAP struct fx_map twins = { .slots = NULL };
	const struct fx_node *node;
	struct fx_error *err;
	bool found = false;

	ret[0] = ret[1] = NULL;
	if (!candidate)
		return NULL;
	before = fx_graph_clone(graph, fx_session_serial(p->session), NULL);
	after = fx_graph_clone(graph, fx_session_serial(p->session), &twins);
	node = fx_graph_find_id(graph, candidate->node);
	err = apply_to(after, p, candidate,
		node ? fx_map_get_pointer(&twins, node) : NULL, &found);
	if (err || !found)
		return err;
	ret[0] = FX_TAKE(before);
	ret[1] = FX_TAKE(after);
	return NULL;
}

/* match.c - all places of a pattern in a graph. */
#include <config.h>

#include "ir/match.h"

#include <stdlib.h>
#include <string.h>

#include "base/bitset.h"
#include "base/mem.h"
#include "ir/graph_private.h"
#include "ir/match_private.h"
#include "ir/order.h"

enum {
	/* Nodes looked at between two questions whether to go on. */
	TICK_NODES = 4096,
	/* Matches that may overlap: several results multiply them. */
	OVERLAP_LIMIT = 1000000,
};

struct fx_matches {
	struct fx_arena *arena;
	FX_VEC(const struct fx_value *) items;
	size_t refused;
	char *refusal;
	size_t declined;
};

struct search {
	struct fx_try try; /* first */
	const struct fx_match_filter *filter;
	struct fx_matches *matches;
	struct fx_bitset used; /* indices of nodes that are in matches */
	size_t looked_at;
	struct fx_error *err;
};

static void
search_deinit(struct search *search)
{
	fx_arena_free(search->try.scratch);
	free(search->try.values);
	free(search->try.is_bound);
	fx_vec_deinit(&search->try.bound);
	fx_bitset_deinit(&search->used);
}

static void
search_init(struct search *search, struct fx_graph *graph,
	const struct fx_pattern *pattern)
{
	*search = (struct search){ .try = { .graph = graph,
					   .pattern = pattern,
					   .scratch = fx_arena_new() } };
	search->try.values =
		fx_xcalloc(pattern->slot_count, sizeof(*search->try.values));
	search->try.is_bound =
		fx_xcalloc(pattern->slot_count, sizeof(*search->try.is_bound));
}

/* --- what a match must be ------------------------------------------------ */

static struct fx_node *
node_of(const struct fx_try *try, size_t slot)
{
	return try->values[slot].node;
}

static void
mark_inside(const struct fx_try *try, uint8_t mark)
{
	const struct fx_pattern *pattern = try->pattern;

	for (size_t i = 0; i < pattern->operations.count; i++)
		node_of(try, pattern->operations.items[i])->mark = mark;
}

/* Nothing outside reads what is inside but no output.  The inside is marked. */
static bool
is_contained(struct fx_try *try)
{
	const struct fx_pattern *pattern = try->pattern;

	for (size_t i = 0; i < pattern->operations.count; i++) {
		size_t slot = pattern->operations.items[i];
		struct fx_node *node = node_of(try, slot);
		const struct fx_use *use;

		if (pattern->slots[slot].is_output)
			continue;
		fx_node_for_each_user (use, node)
			if (!use->user->mark)
				return fx_try_differs(try,
					"%%%s is also used by %%%s", node->name,
					use->user->name);
	}
	return true;
}

/* No input of the inside depends on an output of it through nodes outside.  The
 * inside is marked.
 */
static bool
has_no_detour(struct fx_try *try)
{
	const struct fx_pattern *pattern = try->pattern;

	for (size_t i = 0; i < pattern->operations.count; i++) {
		struct fx_node *node =
			node_of(try, pattern->operations.items[i]);

		for (size_t k = 0; k < node->use_count; k++) {
			struct fx_node *input = fx_node_input(node, k);

			for (size_t o = 0; o < pattern->outputs.count; o++) {
				struct fx_node *output =
					node_of(try, pattern->outputs.items[o]);

				if (!input->mark &&
					fx_node_is_before(output, input) &&
					fx_order_depends(input, output))
					return fx_try_differs(try,
						"%%%s depends on %%%s through "
						"nodes outside",
						node->name, output->name);
			}
		}
	}
	return true;
}

/* What replaces the match can stand after all it reads and before all that read
 * it.  The inside is marked.
 */
static bool
has_place(struct fx_try *try)
{
	const struct fx_pattern *pattern = try->pattern;
	const struct fx_node *last = NULL;
	const struct fx_use *use;

	for (size_t i = 1; i < pattern->slot_count; i++)
		if (fx_pattern_is_input(pattern, i) &&
			try->values[i].kind == FX_VALUE_NODE &&
			(!last || fx_node_is_before(last, node_of(try, i))))
			last = node_of(try, i);
	for (size_t o = 0; last && o < pattern->outputs.count; o++)
		fx_node_for_each_user (use,
			node_of(try, pattern->outputs.items[o]))
			if (!use->user->mark &&
				!fx_node_is_before(last, use->user))
				return fx_try_differs(try,
					"%%%s stands before %%%s, which the "
					"pattern reads",
					use->user->name, last->name);
	return true;
}

/* Whether what is bound is a match by itself. */
static bool
is_sound(struct fx_try *try)
{
	bool is_several = try->pattern->outputs.count > 1;
	bool is_torch = try->pattern->how & FX_PATTERN_TORCH;
	bool result;

	mark_inside(try, 1);
	result = is_contained(try) && (!is_several || has_no_detour(try)) &&
		 (!is_several || is_torch || has_place(try));
	mark_inside(try, 0);
	return result;
}

static bool
is_used(const struct search *search)
{
	const struct fx_pattern *pattern = search->try.pattern;

	for (size_t i = 0; i < pattern->operations.count; i++)
		if (fx_bitset_has(&search->used,
			    fx_node_index(node_of(&search->try,
				    pattern->operations.items[i]))))
			return true;
	return false;
}

static bool
overlaps(const struct search *search)
{
	return search->filter && search->filter->overlaps;
}

static void
keep(struct search *search)
{
	const struct fx_pattern *pattern = search->try.pattern;
	struct fx_value *values = FX_ARENA_ARRAY(search->matches->arena,
		struct fx_value, pattern->slot_count);

	for (size_t i = 1; i < pattern->slot_count; i++)
		if (search->try.is_bound[i])
			values[i] = search->try.values[i];
	fx_vec_push(&search->matches->items, values);
	if (overlaps(search))
		return;
	for (size_t i = 0; i < pattern->operations.count; i++)
		fx_bitset_add(&search->used,
			fx_node_index(values[pattern->operations.items[i]]
					      .node));
}

static void
refuse(struct search *search)
{
	FX_AUTO_BUF struct fx_buf why = { 0 };

	if (search->matches->refused++)
		return;
	search->try.why = &why;
	(void)is_sound(&search->try);
	search->try.why = NULL;
	search->matches->refusal = fx_buf_take(&why);
}

/* All anchors are bound: take the match, if it is one.  True when taken and the
 * same first anchor can have no other.
 */
static bool
accept(struct search *search)
{
	const struct fx_match_filter *filter = search->filter;
	bool holds = true;

	if (is_used(search))
		return false;
	if (!is_sound(&search->try)) {
		refuse(search);
		return false;
	}
	if (filter && filter->holds)
		search->err = filter->holds(filter->context, search->try.values,
			&holds);
	if (!holds)
		search->matches->declined++;
	if (search->err || !holds)
		return false;
	keep(search);
	if (!overlaps(search))
		return true;
	if (search->matches->items.count > OVERLAP_LIMIT)
		search->err = fx_error_new(FX_ERR_LIMIT,
			"more than %d matches overlap", OVERLAP_LIMIT);
	return false;
}

/* --- searching ----------------------------------------------------------- */

/* Whether to go on. */
static bool
is_going_on(struct search *search)
{
	const struct fx_match_filter *filter = search->filter;

	if (search->err)
		return false;
	if (++search->looked_at % TICK_NODES || !filter || !filter->tick ||
		!filter->tick(filter->context))
		return true;
	search->err = fx_error_new(FX_ERR_INTERRUPTED,
		"the search was interrupted; nothing changed");
	return false;
}

struct nodes {
	struct fx_node **items;
	size_t count;
	size_t capacity;
};

/* The way from SLOT up to a slot that is bound to a node, itself last; false
 * when there is none.
 */
static bool
way_up(const struct fx_try *try, const struct fx_node *node, struct nodes *ret)
{
	size_t slot = fx_node_index(node);

	fx_vec_push(ret, (struct fx_node *)node);
	if (try->is_bound[slot] && try->values[slot].kind == FX_VALUE_NODE)
		return true;
	for (size_t i = 0; i < node->use_count; i++)
		if (way_up(try, fx_node_input(node, i), ret))
			return true;
	ret->count--;
	return false;
}

/* The users of NODES that may be SLOT, each once. */
static void
step_down(const struct fx_try *try, size_t slot, struct nodes *nodes)
{
	struct nodes below = { 0 };
	const struct fx_use *use;

	for (size_t i = 0; i < nodes->count; i++)
		fx_node_for_each_user (use, nodes->items[i])
			if (!use->user->mark &&
				fx_try_is_candidate(try, slot, use->user)) {
				use->user->mark = 1;
				fx_vec_push(&below, use->user);
			}
	for (size_t i = 0; i < below.count; i++)
		below.items[i]->mark = 0;
	fx_vec_deinit(nodes);
	*nodes = below;
}

/* Nodes that may be the anchor SLOT, in graph order, when others are bound. */
static void
candidates_of(struct search *search, size_t slot, struct nodes *ret)
{
	const struct fx_try *try = &search->try;
	struct nodes way = { 0 };
	struct fx_node *node;

	if (way_up(try, try->pattern->slots[slot].node, &way)) {
		fx_vec_push(ret,
			node_of(try, fx_node_index(way.items[way.count - 1])));
		for (size_t i = way.count - 1; i-- > 0;)
			step_down(try, fx_node_index(way.items[i]), ret);
		if (ret->count)
			qsort(ret->items, ret->count, sizeof(*ret->items),
				fx_order_compare);
	} else {
		fx_graph_for_each_node (node, try->graph)
			if (fx_try_is_candidate(try, slot, node))
				fx_vec_push(ret, node);
	}
	fx_vec_deinit(&way);
}

/* Bind the anchors from INDEX on; true when that ended in a match. */
static bool
bind_anchors(struct search *search, size_t index)
{
	const struct fx_pattern *pattern = search->try.pattern;
	struct nodes candidates = { 0 };
	size_t bound = search->try.bound.count;
	bool is_found = false;
	size_t slot;

	if (index == pattern->anchors.count)
		return accept(search);
	slot = pattern->anchors.items[index];
	candidates_of(search, slot, &candidates);
	for (size_t i = 0; i < candidates.count && !is_found; i++) {
		if (!is_going_on(search))
			break;
		if (!fx_bitset_has(&search->used,
			    fx_node_index(candidates.items[i])) &&
			fx_try_node(&search->try, slot, candidates.items[i]))
			is_found = bind_anchors(search, index + 1);
		if (!is_found)
			fx_try_release(&search->try, bound);
	}
	fx_vec_deinit(&candidates);
	return is_found;
}

/* The match whose first anchor is NODE. */
static void
try_at(struct search *search, struct fx_node *node)
{
	struct fx_arena_mark mark = fx_arena_mark(search->try.scratch);

	if (fx_try_node(&search->try, search->try.pattern->anchors.items[0],
		    node))
		(void)bind_anchors(search, 1);
	fx_try_release(&search->try, 0);
	fx_arena_rollback(search->try.scratch, mark);
}

struct fx_error *
fx_matches_find(struct fx_graph *graph, const struct fx_pattern *pattern,
	const struct fx_match_filter *filter, struct fx_matches **ret)
{
	struct fx_matches *matches = FX_NEW(struct fx_matches);
	size_t slot = pattern->anchors.items[0];
	struct search search;
	struct fx_node *node;

	matches->arena = fx_arena_new();
	search_init(&search, graph, pattern);
	search.matches = matches;
	search.filter = filter;
	fx_graph_for_each_node (node, graph) {
		if (!is_going_on(&search))
			break;
		if (filter && filter->at && filter->at != node)
			continue;
		if (fx_try_is_candidate(&search.try, slot, node) &&
			!fx_bitset_has(&search.used, fx_node_index(node)))
			try_at(&search, node);
	}
	search_deinit(&search);
	if (search.err)
		fx_matches_free(matches);
	else
		*ret = matches;
	return search.err;
}

void
fx_matches_free(struct fx_matches *matches)
{
	if (!matches)
		return;
	fx_arena_free(matches->arena);
	fx_vec_deinit(&matches->items);
	free(matches->refusal);
	free(matches);
}

size_t
fx_matches_count(const struct fx_matches *matches)
{
	return matches->items.count;
}

const struct fx_value *
fx_matches_at(const struct fx_matches *matches, size_t index)
{
	return matches->items.items[index];
}

size_t
fx_matches_refused(const struct fx_matches *matches)
{
	return matches->refused;
}

size_t
fx_matches_declined(const struct fx_matches *matches)
{
	return matches->declined;
}

const char *
fx_matches_refusal(const struct fx_matches *matches)
{
	return matches->refusal;
}

/* --- why not ------------------------------------------------------------- */

/* Try the pattern at NODE, with WHY; how much of it fits, and whether all. */
static bool
explain(struct search *search, struct fx_node *node, struct fx_buf *why,
	size_t *fits_ret)
{
	struct fx_arena_mark mark = fx_arena_mark(search->try.scratch);
	const struct fx_pattern *pattern = search->try.pattern;
	bool is_match;

	search->try.why = why;
	is_match = fx_try_node(&search->try, pattern->anchors.items[0], node);
	for (size_t i = 1; is_match && i < pattern->anchors.count; i++) {
		size_t slot = pattern->anchors.items[i];
		struct nodes candidates = { 0 };
		bool is_found = false;

		candidates_of(search, slot, &candidates);
		for (size_t k = 0; k < candidates.count && !is_found; k++) {
			size_t bound = search->try.bound.count;

			is_found = fx_try_node(&search->try, slot,
				candidates.items[k]);
			if (!is_found)
				fx_try_release(&search->try, bound);
		}
		if (!is_found)
			is_match = fx_try_differs(&search->try,
				"no %s beside it",
				fx_pattern_words(&pattern->slots[slot]));
		fx_vec_deinit(&candidates);
	}
	*fits_ret = search->try.bound.count;
	is_match = is_match && is_sound(&search->try);
	fx_try_release(&search->try, 0);
	fx_arena_rollback(search->try.scratch, mark);
	search->try.why = NULL;
	return is_match;
}

bool
fx_match_why_not(const struct fx_pattern *pattern, struct fx_node *node,
	struct fx_buf *ret)
{
	struct search search;
	size_t fits;
	bool is_match;

	search_init(&search, node->graph, pattern);
	is_match = explain(&search, node, ret, &fits);
	search_deinit(&search);
	return !is_match;
}

bool
fx_match_closest(struct fx_graph *graph, const struct fx_pattern *pattern,
	struct fx_buf *ret)
{
	FX_AUTO_BUF struct fx_buf why = { 0 };
	struct search search;
	struct fx_node *best = NULL;
	size_t most = 0;
	struct fx_node *node;

	search_init(&search, graph, pattern);
	fx_graph_for_each_node (node, graph) {
		size_t fits;

		if (!fx_try_is_candidate(&search.try, pattern->anchors.items[0],
			    node))
			continue;
		fx_buf_clear(&why);
		if (explain(&search, node, &why, &fits) ||
			(best && fits <= most))
			continue;
		best = node;
		most = fits;
		fx_buf_clear(ret);
		fx_buf_addf(ret, "@%zu %%%s: %s",
			fx_graph_position(graph, node), node->name,
			fx_buf_text(&why));
	}
	search_deinit(&search);
	return best;
}

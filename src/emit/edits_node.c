/* edits_node.c - the commands that turn one graph into another: what nodes
 * are and read.
 *
 * Nodes are done in the order of the second graph, so that all inputs of one
 * are what they are to be, and do not depend on it: an edge that is set then
 * closes no circle.
 */
#include <config.h>

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/tick.h"
#include "emit/edits_private.h"
#include "ir/diff.h"
#include "ir/edit.h"
#include "ir/order.h"
#include "ir/pair.h"
#include "ir/value_text.h"
#include "ir/value_walk.h"

/* Rows between two looks at Ctrl-C. */
#define TICK_EVERY 64

/* --- inputs first -------------------------------------------------------- */

/* The last in the copy of the inputs of NODE, of the second graph; NULL: it
 * has none.
 */
static struct fx_node *
last_input(const struct fx_edits *e, const struct fx_node *node)
{
	struct fx_node *last = NULL;

	for (size_t i = 0; i < node->use_count; i++) {
		struct fx_node *input = fx_edits_copied(e, node->uses[i].input);

		if (input && (!last || fx_node_is_before(last, input)))
			last = input;
	}
	return last;
}

static bool
is_blocked(const struct fx_node *node, const struct fx_node *last)
{
	const struct fx_use *use;

	fx_node_for_each_user (use, node)
		if (!fx_node_is_before(last, use->user))
			return true;
	return false;
}

/* Move what NODE's input LAST is computed from, and stands behind NODE, before
 * it.
 */
static void
move_cone(struct fx_edits *e, struct fx_node *node, struct fx_node *last)
{
	FX_VEC(struct fx_node *) cone = { 0 };
	FX_AUTO_MAP struct fx_map seen = { 0 };

	fx_vec_push(&cone, last);
	for (size_t at = 0; at < cone.count; at++)
		for (size_t i = 0; i < cone.items[at]->use_count; i++) {
			struct fx_node *input = cone.items[at]->uses[i].input;

			if (fx_node_is_before(node, input) &&
				fx_map_set_pointer(&seen, input, input))
				fx_vec_push(&cone, input);
		}
	qsort(cone.items, cone.count, sizeof(*cone.items), fx_order_compare);
	for (size_t i = 0; i < cone.count; i++)
		fx_edits_move(e, cone.items[i], node, "before", node);
	fx_vec_deinit(&cone);
}

/* See to it that the inputs of NODE, of the second graph, stand before what is
 * to become NODE.
 */
static void
put_inputs_first(struct fx_edits *e, const struct fx_node *node)
{
	struct fx_node *copied = fx_edits_copied(e, node);
	struct fx_node *last = last_input(e, node);

	if (!last || fx_node_is_before(last, copied))
		return;
	if (!is_blocked(copied, last)) {
		fx_edits_move(e, copied, fx_graph_next(last), "after", last);
		return;
	}
	for (size_t i = 0; i < node->use_count; i++) {
		struct fx_node *input = fx_edits_copied(e, node->uses[i].input);

		if (input && fx_node_is_before(copied, input))
			move_cone(e, copied, input);
	}
}

/* --- arguments ----------------------------------------------------------- */

static void
add_value(struct fx_buf *text, const struct fx_value *value)
{
	fx_value_print_as(text, value, FX_STYLE_EXACT);
}

/* The one item that differs, or COUNT when several do, or the counts. */
static uint32_t
only_other(const struct fx_value *now, const struct fx_value *wanted)
{
	uint32_t found = wanted->count;

	if (now->kind != wanted->kind || now->count != wanted->count)
		return wanted->count;
	for (uint32_t i = 0; i < wanted->count; i++) {
		if (fx_value_equal(&now->items[i], &wanted->items[i]))
			continue;
		if (found < wanted->count)
			return wanted->count;
		found = i;
	}
	return found;
}

static void
say_args(struct fx_edits *e, const struct fx_node *node,
	const struct fx_value *wanted)
{
	uint32_t at = only_other(&node->args, wanted);
	FX_AUTO_BUF struct fx_buf text = { 0 };

	if (at < wanted->count) {
		add_value(&text, &wanted->items[at]);
		fx_edits_say(e, "set %%%s.args[%u] = %s", node->name, at,
			fx_buf_text(&text));
		return;
	}
	add_value(&text, wanted);
	fx_edits_say(e, "set %%%s.args = %s", node->name, fx_buf_text(&text));
}

static void
set_arguments(struct fx_edits *e, const struct fx_node *node,
	struct fx_node *copied)
{
	struct fx_value args = fx_edits_import(e, &node->args);
	struct fx_value kwargs = fx_edits_import(e, &node->kwargs);
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_error *err;

	put_inputs_first(e, node);
	if (!fx_value_equal(&copied->args, &args))
		say_args(e, copied, &args);
	if (!fx_value_equal(&copied->kwargs, &kwargs)) {
		add_value(&text, &kwargs);
		fx_edits_say(e, "set %%%s.kwargs = %s", copied->name,
			fx_buf_text(&text));
	}
	err = fx_edit_set_args(copied, args, kwargs);
	if (err)
		fx_edits_cannot(e, err, "%s cannot read this", node->name);
}

static void
set_target(struct fx_edits *e, const struct fx_node *node,
	struct fx_node *copied)
{
	struct fx_error *err = fx_edit_set_target(copied, node->target);

	if (err)
		fx_edits_cannot(e, err, "%s cannot have that target",
			node->name);
	else
		fx_edits_say(e, "set %%%s.target = \"%s\"", node->name,
			node->target);
}

static void
set_type(struct fx_edits *e, const struct fx_node *node, struct fx_node *copied)
{
	struct fx_error *err = fx_edit_set_type(copied, node->type);

	if (err)
		fx_edits_cannot(e, err, "%s cannot have that type", node->name);
	else
		fx_edits_say(e, "set %%%s.type = %s", node->name,
			node->type ? node->type : "None");
}

/* The type of NODE, which was created without one. */
static void
give_type(struct fx_edits *e, const struct fx_node *node)
{
	struct fx_node *made = fx_edits_copied(e, node);

	if (made && made->type != node->type)
		set_type(e, node, made);
}

/* Whether all that it computes is different. */
static bool
is_another(const struct fx_change *row)
{
	const unsigned all =
		FX_DIFFERS_TARGET | FX_DIFFERS_ARGS | FX_DIFFERS_KWARGS;

	return (row->differs & all) == all &&
	       row->after->opcode != FX_OPCODE_PLACEHOLDER &&
	       row->after->opcode != FX_OPCODE_OUTPUT;
}

static void
change(struct fx_edits *e, const struct fx_change *row)
{
	const struct fx_node *node = row->after;
	struct fx_node *copied = fx_edits_copied(e, node);

	if (row->differs & FX_DIFFERS_OPCODE || is_another(row)) {
		put_inputs_first(e, node);
		fx_edits_replace(e, node, copied);
		give_type(e, node);
		return;
	}
	if (row->differs & FX_DIFFERS_TARGET)
		set_target(e, node, copied);
	if (row->differs & (FX_DIFFERS_ARGS | FX_DIFFERS_KWARGS))
		set_arguments(e, node, copied);
	if (row->differs & FX_DIFFERS_TYPE)
		set_type(e, node, copied);
	if (row->differs & FX_DIFFERS_WRAPPED)
		fx_edits_remark(e, "%s is %swrapped", node->name,
			node->is_wrapped ? "" : "not ");
}

/* --- one value for another in many users --------------------------------- */

/* In USER, all that differs is that it reads NEW in the place of OLD. */
struct swap {
	struct fx_node *old; /* of the first graph */
	struct fx_node *new; /* of the second */
	size_t new_at;
	struct fx_change *user;
};
typedef FX_VEC(struct swap) swap_vec;

struct swapping {
	const struct fx_edits *edits;
	struct swap swap;
};

static struct fx_value
swapped(void *context, const struct fx_value *leaf)
{
	const struct swapping *s = context;
	struct fx_node *mate;

	if (leaf->kind != FX_VALUE_NODE)
		return *leaf;
	if (leaf->node == s->swap.old)
		return fx_value_node(s->swap.new);
	mate = fx_pairs_mate(s->edits->pairs, leaf->node);
	return fx_value_node(mate ? mate : leaf->node);
}

/* Whether BEFORE with the swap of S is AFTER. */
static bool
is_swap(struct swapping *s, const struct fx_value *before,
	const struct fx_value *after)
{
	FX_AUTO_ARENA struct fx_arena *arena = fx_arena_new();
	struct fx_value value = fx_value_map(arena, before, swapped, s);

	return fx_value_equal(&value, after);
}

/* Inputs are distinct and in the order of the arguments: where there are as
 * many, the first that differs says which is swapped.
 */
static bool
find_swap(const struct fx_edits *e, struct fx_change *row, struct swap *ret)
{
	struct swapping s = { .edits = e, .swap = { .user = row } };
	const struct fx_node *before = row->before;
	const struct fx_node *after = row->after;

	for (size_t i = 0; i < before->use_count && i < after->use_count; i++) {
		struct fx_node *old = before->uses[i].input;

		if (fx_pairs_mate(e->pairs, old) == after->uses[i].input)
			continue;
		s.swap.old = old;
		s.swap.new = after->uses[i].input;
		s.swap.new_at =
			fx_graph_position(e->pairs->graphs[1], s.swap.new);
		*ret = s.swap;
		return is_swap(&s, &before->args, &after->args) &&
		       is_swap(&s, &before->kwargs, &after->kwargs);
	}
	return false;
}

static int
compare_swaps(const void *a, const void *b)
{
	const struct swap *left = a;
	const struct swap *right = b;

	if (left->new_at != right->new_at)
		return left->new_at < right->new_at ? -1 : 1;
	if (left->old != right->old)
		return fx_node_is_before(left->old, right->old) ? -1 : 1;
	return left->user < right->user ? -1 : left->user > right->user;
}

static void
find_swaps(struct fx_edits *e, swap_vec *ret)
{
	const unsigned both = FX_DIFFERS_ARGS | FX_DIFFERS_KWARGS;

	for (size_t i = 0; i < e->row_count; i++) {
		struct swap swap;

		if (e->rows[i].differs & both &&
			!(e->rows[i].differs & FX_DIFFERS_OPCODE) &&
			find_swap(e, &e->rows[i], &swap))
			fx_vec_push(ret, swap);
	}
	if (ret->count)
		qsort(ret->items, ret->count, sizeof(*ret->items),
			compare_swaps);
}

static bool
is_chosen(void *context, struct fx_node *user)
{
	return fx_map_has(context, (uintptr_t)user);
}

/* "only {name=a or name=b}", or "except ..." where that is shorter. */
static void
add_limit(struct fx_buf *text, const struct fx_node *old,
	const struct fx_map *chosen)
{
	bool is_except = old->user_count < 2 * chosen->count;
	const char *word = is_except ? " except {" : " only {";
	const struct fx_use *use;

	fx_node_for_each_user (use, old) {
		if (fx_map_has(chosen, (uintptr_t)use->user) == is_except)
			continue;
		fx_buf_addf(text, "%sname=%s", word, use->user->name);
		word = " or ";
	}
	if (word[1] == 'o' && word[2] == 'r')
		fx_buf_add_char(text, '}');
}

/* Swap in all users of SWAPS at once. */
static void
swap_all(struct fx_edits *e, const struct swap *swaps, size_t count)
{
	struct fx_node *old = fx_map_get_pointer(&e->before, swaps->old);
	struct fx_node *mate = fx_pairs_mate(e->pairs, swaps->old);
	struct fx_node *new = fx_edits_copied(e, swaps->new);
	struct fx_value value = fx_value_node(new);
	FX_AUTO_MAP struct fx_map chosen = { 0 };
	FX_AUTO_BUF struct fx_buf limit = { 0 };
	struct fx_error *err;

	if (mate)
		old = fx_edits_copied(e, mate);
	for (size_t i = 0; new &&i < count; i++) {
		struct fx_node *user = fx_edits_copied(e, swaps[i].user->after);

		if (fx_node_is_before(new, user))
			fx_map_set_pointer(&chosen, user, user);
	}
	if (chosen.count < 2)
		return;
	add_limit(&limit, old, &chosen);
	err = fx_edit_replace_uses(old, &value, is_chosen, &chosen, NULL);
	if (err) {
		fx_error_free(err);
		return;
	}
	fx_edits_say(e, "rauw %%%s %%%s%s", old->name, new->name,
		fx_buf_text(&limit));
	for (size_t i = 0; i < count; i++)
		if (fx_map_has(&chosen, (uintptr_t)fx_edits_copied(e,
						swaps[i].user->after)))
			swaps[i].user->differs &=
				~(unsigned)(FX_DIFFERS_ARGS |
					    FX_DIFFERS_KWARGS);
}

/* Those that want NODE, which is done; AT goes on from its place in SWAPS. */
static void
swap_for(struct fx_edits *e, const struct fx_node *node, const swap_vec *swaps,
	size_t *at)
{
	while (*at < swaps->count && swaps->items[*at].new == node) {
		const struct swap *first = &swaps->items[*at];
		size_t count = 1;

		while (*at + count < swaps->count &&
			first[count].new == node &&first[count].old ==
				first->old)
			count++;
		if (count > 1)
			swap_all(e, first, count);
		*at += count;
	}
}

/* --- all nodes ----------------------------------------------------------- */

/* Put what ROW adds behind PLACED, or behind its inputs. */
static void
add(struct fx_edits *e, const struct fx_node *node, struct fx_node *placed)
{
	struct fx_node *last = last_input(e, node);
	struct fx_node *after = placed;
	struct fx_node *first = fx_graph_first(e->copy);

	if (last && (!after || fx_node_is_before(after, last)))
		after = last;
	if (after || first)
		fx_edits_create(e, node, after ? after : first, after != NULL);
	else
		fx_edits_cannot(e, NULL, "%s cannot be the first node",
			node->name);
}

void
fx_edits_nodes(struct fx_edits *e)
{
	struct fx_node *placed = NULL;
	swap_vec swaps = { 0 };
	size_t at = 0;

	find_swaps(e, &swaps);
	for (size_t i = 0; i < e->row_count && !e->text->is_stopped; i++) {
		struct fx_change *row = &e->rows[i];

		if (i % TICK_EVERY == 0)
			e->text->is_stopped =
				fx_tick_is_pressed(e->text->options->tick);
		if (row->kind == FX_CHANGE_REMOVED)
			continue;
		if (!row->before) {
			add(e, row->after, placed);
			give_type(e, row->after);
		} else {
			change(e, row);
		}
		if (!row->has_moved && fx_edits_copied(e, row->after))
			placed = fx_edits_copied(e, row->after);
		swap_for(e, row->after, &swaps, &at);
	}
	fx_vec_deinit(&swaps);
}

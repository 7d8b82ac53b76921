/* match_node.c - whether a pattern fits from one node upwards. */
#include <config.h>

#include <stdarg.h>
#include <string.h>

#include "base/intern.h"
#include "base/str.h"
#include "ir/fold.h"
#include "ir/graph_private.h"
#include "ir/match_private.h"
#include "ir/module.h"
#include "ir/side_effects.h"
#include "ir/signature.h"
#include "ir/value_text.h"
#include "ops/optab.h"
#include "ops/spellings.h"

/* Writes are followed through this many views. */
#define VIEW_LIMIT 8

bool
fx_try_differs(struct fx_try *try, const char *format, ...)
{
	va_list list;

	if (!try->why || try->why->length)
		return false;
	va_start(list, format);
	fx_buf_addv(try->why, format, list);
	va_end(list);
	return false;
}

static void
bind(struct fx_try *try, size_t slot, const struct fx_value *value)
{
	try->values[slot] = *value;
	try->is_bound[slot] = true;
	fx_vec_push(&try->bound, slot);
}

void
fx_try_release(struct fx_try *try, size_t count)
{
	while (try->bound.count > count)
		try->is_bound[fx_vec_pop(&try->bound)] = false;
}

/* --- values -------------------------------------------------------------- */

static bool
is_torch(const struct fx_try *try)
{
	return try->pattern->how & FX_PATTERN_TORCH;
}

/* Whether another slot has NODE: with ANY of whatever kind, else operations. */
static bool
is_taken(const struct fx_try *try, const struct fx_node *node, bool any)
{
	for (size_t i = 0; i < try->bound.count; i++) {
		size_t slot = try->bound.items[i];

		if (try->values[slot].kind == FX_VALUE_NODE &&
			try->values[slot].node == node &&
			(any || !try->pattern->slots[slot].is_input))
			return true;
	}
	return false;
}

static const char *
value_words(struct fx_try *try, const struct fx_value *value,
	struct fx_buf *out)
{
	(void)try;
	if (value->kind == FX_VALUE_NODE)
		fx_buf_addf(out, "%%%s", value->node->name);
	else
		fx_value_print_as(out, value, FX_STYLE_REPR);
	return fx_buf_text(out);
}

/* The name SLOT stands for FOUND. */
static bool
match_name(struct fx_try *try, size_t slot, const struct fx_value *found)
{
	const struct fx_pattern_slot *name = &try->pattern->slots[slot];
	FX_AUTO_BUF struct fx_buf first = { 0 };
	FX_AUTO_BUF struct fx_buf second = { 0 };

	if (name->is_any)
		return true;
	if (try->is_bound[slot]) {
		if (fx_value_equal(&try->values[slot], found))
			return true;
		return fx_try_differs(try, "%s would be %s and %s", name->name,
			value_words(try, &try->values[slot], &first),
			value_words(try, found, &second));
	}
	if (found->kind == FX_VALUE_NODE &&
		is_taken(try, found->node, is_torch(try)))
		return fx_try_differs(try,
			"%%%s has another place in the pattern",
			found->node->name);
	bind(try, slot, found);
	return true;
}

static bool
is_number(const struct fx_value *value)
{
	return value->kind == FX_VALUE_INT || value->kind == FX_VALUE_FLOAT;
}

/* Plain values: as Python compares them, though a bool is no number. */
static bool
match_leaf(struct fx_try *try, const struct fx_value *wanted,
	const struct fx_value *found)
{
	FX_AUTO_BUF struct fx_buf first = { 0 };
	FX_AUTO_BUF struct fx_buf second = { 0 };

	if (fx_value_equal(wanted, found))
		return true;
	if (is_number(wanted) && is_number(found) &&
		(!is_torch(try) || wanted->kind == found->kind)) {
		double a = wanted->kind == FX_VALUE_INT
				   ? (double)wanted->integer
				   : wanted->real;
		double b = found->kind == FX_VALUE_INT ? (double)found->integer
						       : found->real;

		if (a == b)
			return true;
	}
	return fx_try_differs(try, "%s is not %s",
		value_words(try, found, &first),
		value_words(try, wanted, &second));
}

bool
fx_try_items(struct fx_try *try, const struct fx_value *wanted,
	const struct fx_value *found)
{
	size_t count = fx_value_item_count(wanted);

	if (fx_value_item_count(found) != count)
		return fx_try_differs(try, "%zu items are not %zu",
			fx_value_item_count(found), count);
	for (size_t i = 0; i < count; i++)
		if (!fx_try_value(try, &wanted->items[i], &found->items[i]))
			return false;
	return true;
}

bool
fx_try_value(struct fx_try *try, const struct fx_value *wanted,
	const struct fx_value *found)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	size_t slot;

	if (wanted->kind == FX_VALUE_NODE) {
		slot = fx_node_index(wanted->node);
		if (try->pattern->slots[slot].is_input)
			return match_name(try, slot, found);
		if (found->kind == FX_VALUE_NODE)
			return fx_try_node(try, slot, found->node);
		return fx_try_differs(try, "%s is no %s",
			value_words(try, found, &text),
			try->pattern->slots[slot].target);
	}
	if (found->kind != FX_VALUE_NODE && !is_torch(try) &&
		((fx_value_is_sequence(wanted) &&
			 fx_value_is_sequence(found)) ||
			(wanted->kind == found->kind &&
				(wanted->kind == FX_VALUE_DICT ||
					wanted->kind == FX_VALUE_SLICE))))
		return fx_try_items(try, wanted, found);
	if (is_torch(try) && fx_value_is_sequence(wanted) &&
		fx_value_is_sequence(found))
		return fx_try_items(try, wanted, found);
	return match_leaf(try, wanted, found);
}

/* --- arguments ----------------------------------------------------------- */

/* Whether A and B have as many arguments, and the same keywords in order. */
static bool
has_same_shape(const struct fx_node *a, const struct fx_node *b)
{
	if (a->args.count != b->args.count ||
		a->kwargs.count != b->kwargs.count)
		return false;
	for (uint32_t i = 0; i < a->kwargs.count; i++)
		if (!fx_value_equal(&a->kwargs.items[2 * i],
			    &b->kwargs.items[2 * i]))
			return false;
	return true;
}

static bool
match_keywords(struct fx_try *try, const struct fx_node *wanted,
	const struct fx_node *found)
{
	for (uint32_t i = 0; i < wanted->kwargs.count; i++) {
		const struct fx_value *value = fx_value_dict_get(&found->kwargs,
			wanted->kwargs.items[2 * i].text);

		if (!value)
			return fx_try_differs(try, "%%%s has no argument %s",
				found->name, wanted->kwargs.items[2 * i].text);
		if (!fx_try_value(try, &wanted->kwargs.items[2 * i + 1], value))
			return false;
	}
	return true;
}

/* Whether FOUND, of a configuration, is WANTED: a number is the same for each
 * dimension.
 */
bool
fx_try_setting(struct fx_try *try, const struct fx_value *wanted,
	const struct fx_value *found)
{
	bool is_one = is_number(wanted) && fx_value_is_sequence(found);
	const struct fx_value *many = is_one ? found : wanted;

	if (!many->count || (!is_one && (!is_number(found) ||
						!fx_value_is_sequence(wanted))))
		return fx_try_value(try, wanted, found);
	for (uint32_t i = 0; i < many->count; i++)
		if (!fx_try_value(try, is_one ? wanted : &wanted->items[i],
			    is_one ? &found->items[i] : found))
			return false;
	return true;
}

bool
fx_try_differs_in(struct fx_try *try, const char *place)
{
	FX_AUTO_BUF struct fx_buf said = { 0 };

	if (!try->why || *fx_buf_text(try->why) == '%')
		return false;
	fx_buf_add(&said, fx_buf_text(try->why));
	fx_buf_clear(try->why);
	fx_buf_addf(try->why, "%s: %s", place, fx_buf_text(&said));
	return false;
}

/* Why the try fails gets the name of PARAMETER, the one at INDEX, and what to
 * write where SLOT says nothing of it.
 */
static bool
differs_in(struct fx_try *try, const struct fx_pattern_slot *slot, size_t index,
	const char *parameter)
{
	const struct fx_node *wanted = slot->node;
	bool is_said = index < wanted->args.count ||
		       fx_value_dict_get(&wanted->kwargs, parameter);

	if (!try->why || *fx_buf_text(try->why) == '%')
		return false;
	(void)fx_try_differs_in(try, parameter);
	if (!is_said && !slot->layer)
		fx_buf_add(try->why,
			", its default (... as last argument: whatever it is)");
	return false;
}

static bool
match_form(struct fx_try *try, const struct fx_pattern_slot *slot,
	const struct fx_node *node)
{
	struct fx_form_call call = fx_form_call_of(node);
	struct fx_form form;

	if (!slot->has_form ||
		!fx_form_of(try->pattern->forms, try->scratch, &call, &form) ||
		form.spelling->operation != slot->form.spelling->operation)
		return fx_try_differs(try, "%%%s has other arguments",
			node->name);
	for (size_t i = 0; i < form.count; i++)
		if (!(form.carries ? fx_try_setting : fx_try_value)(try,
			    &slot->form.bound[i], &form.bound[i]))
			return differs_in(try, slot, i,
				fx_form_parameter(try->pattern->forms, &form,
					i));
	if (slot->form.says_inplace && form.inplace.kind != FX_VALUE_NONE)
		return fx_try_value(try, &slot->form.inplace, &form.inplace);
	return true;
}

/* Both calls by the operation's own parameters. */
static bool
match_signature(struct fx_try *try, const struct fx_pattern_slot *slot,
	const struct fx_node *node)
{
	const struct fx_signature *signature =
		fx_signature_of((enum fx_op)node->op);
	const struct fx_value unsaid =
		fx_value_node((struct fx_node *)try->pattern->any);
	struct fx_signature loose;
	struct fx_value *bound[2];
	const struct fx_node *nodes[2] = { slot->node, node };

	if (!is_torch(try))
		fx_signature_loosen(try->scratch, signature, slot->is_open,
			&unsaid, &loose);
	for (int i = 0; i < 2; i++) {
		bool is_loose = i == 0 && !is_torch(try);
		struct fx_call_values call = { nodes[i]->target, nodes[i]->args,
			nodes[i]->kwargs };
		struct fx_error *err;

		bound[i] = FX_ARENA_ARRAY(try->scratch, struct fx_value,
			signature->count);
		err = fx_signature_bind(try->scratch,
			is_loose ? &loose : signature, &call, bound[i]);
		fx_error_free(err);
		if (err)
			return fx_try_differs(try, "%%%s has other arguments",
				node->name);
	}
	for (size_t i = 0; i < signature->count; i++) {
		const struct fx_parameter *parameter =
			&signature->parameters[i];
		bool is_many = parameter->is_rest || parameter->is_keywords;

		if (slot->is_open && is_many && !bound[0][i].count)
			continue;
		if (!fx_try_value(try, &bound[0][i], &bound[1][i]))
			return differs_in(try, slot, i, parameter->name);
	}
	return true;
}

/* The arguments of FOUND begin with those of WANTED. */
bool
fx_try_beginning(struct fx_try *try, const struct fx_node *wanted,
	const struct fx_node *found)
{
	if (found->args.count < wanted->args.count)
		return fx_try_differs(try, "%%%s has other arguments",
			found->name);
	for (uint32_t i = 0; i < wanted->args.count; i++)
		if (!fx_try_value(try, &wanted->args.items[i],
			    &found->args.items[i]))
			return false;
	return true;
}

static bool
match_call(struct fx_try *try, const struct fx_pattern_slot *slot,
	const struct fx_node *node)
{
	bool is_same = node->opcode == slot->node->opcode &&
		       (node->target == slot->target ||
			       (node->opcode == FX_OPCODE_CALL_FUNCTION &&
				       fx_spelling_home(node->target) ==
					       slot->target));
	bool is_known;

	if (is_same && has_same_shape(slot->node, node))
		return fx_try_items(try, &slot->node->args, &node->args) &&
		       match_keywords(try, slot->node, node);
	is_known =
		is_same && node->op != FX_OP_NONE && slot->node->op == node->op;
	/* All that the other call says may have no place in the form. */
	if (slot->has_form && !(slot->is_open && is_known))
		return match_form(try, slot, node);
	if (is_known)
		return match_signature(try, slot, node);
	/* Nothing is known of it but what is written. */
	if (is_same && slot->is_open)
		return fx_try_beginning(try, slot->node, node) &&
		       match_keywords(try, slot->node, node);
	return fx_try_differs(try, "%%%s has other arguments", node->name);
}

/* torch.fx compares arguments as they are written; 1.13 flattens them first. */
static void
flatten(struct fx_try *try, const struct fx_value *value, struct fx_buf *out)
{
	if (fx_value_is_sequence(value) || value->kind == FX_VALUE_DICT) {
		for (size_t i = 0; i < fx_value_item_count(value); i++)
			if (value->kind != FX_VALUE_DICT || i % 2)
				flatten(try, &value->items[i], out);
		return;
	}
	fx_buf_add_n(out, (const char *)value, sizeof(*value));
}

static bool
match_flat(struct fx_try *try, const struct fx_node *wanted,
	const struct fx_node *found)
{
	FX_AUTO_BUF struct fx_buf first = { 0 };
	FX_AUTO_BUF struct fx_buf second = { 0 };
	struct fx_value a;
	struct fx_value b;

	flatten(try, &wanted->args, &first);
	flatten(try, &found->args, &second);
	if (first.length != second.length)
		return fx_try_differs(try, "%%%s has other arguments",
			found->name);
	for (size_t at = 0; at < first.length; at += sizeof(a)) {
		memcpy(&a, first.data + at, sizeof(a));
		memcpy(&b, second.data + at, sizeof(b));
		if (!fx_try_value(try, &a, &b))
			return false;
	}
	return true;
}

static bool
match_as_torch(struct fx_try *try, const struct fx_pattern_slot *slot,
	const struct fx_node *node)
{
	const struct fx_node *wanted = slot->node;
	bool is_old = try->pattern->how & FX_PATTERN_TORCH_1;

	if (wanted->kwargs.count != node->kwargs.count)
		return fx_try_differs(try, "%%%s has other arguments",
			node->name);
	if (is_old)
		return match_flat(try, wanted, node) &&
		       match_keywords(try, wanted, node);
	if (!has_same_shape(wanted, node)) {
		if (fx_str_starts(node->target, "torch.ops.") &&
			node->op != FX_OP_NONE)
			return match_signature(try, slot, node);
		return fx_try_differs(try, "%%%s has other arguments",
			node->name);
	}
	return fx_try_items(try, &wanted->args, &node->args) &&
	       match_keywords(try, wanted, node);
}

/* --- nodes --------------------------------------------------------------- */

static bool
has_same_target(const struct fx_pattern_slot *slot, const struct fx_node *node)
{
	if (node->opcode != slot->node->opcode)
		return false;
	return node->target == slot->target ||
	       (node->opcode == FX_OPCODE_CALL_FUNCTION &&
		       fx_spelling_home(node->target) == slot->target);
}

bool
fx_try_is_candidate(const struct fx_try *try, size_t index,
	const struct fx_node *node)
{
	const struct fx_pattern_slot *slot = &try->pattern->slots[index];
	const struct fx_spelling *spelling;
	struct fx_form_call call;

	if (slot->layer ? fx_try_is_of_class(slot->layer, node)
			: has_same_target(slot, node))
		return true;
	if (!slot->has_form || is_torch(try))
		return false;
	if (node->opcode == FX_OPCODE_PLACEHOLDER ||
		node->opcode == FX_OPCODE_OUTPUT ||
		node->opcode == FX_OPCODE_GET_ATTR)
		return false;
	call = fx_form_call_of(node);
	spelling = fx_form_spelling(call.opcode, call.target);
	return spelling &&
	       spelling->operation == slot->form.spelling->operation;
}

/* Whether somebody may see what NODE writes into VALUE, or into what VALUE is a
 * view of: a later reader, the caller, the next run.
 */
static bool
is_seen(const struct fx_node *node, const struct fx_node *value, int depth)
{
	const struct fx_use *use;

	if (depth == VIEW_LIMIT || value->opcode == FX_OPCODE_PLACEHOLDER ||
		value->opcode == FX_OPCODE_GET_ATTR)
		return true;
	fx_node_for_each_user (use, value) {
		if (use->user == node)
			continue;
		if (!fx_node_is_before(use->user, node))
			return true;
		if (fx_may_alias(use->user) && use->user->user_count &&
			is_seen(node, use->user, depth + 1))
			return true;
	}
	return fx_may_alias(value) && value->use_count &&
	       is_seen(value, fx_node_input(value, 0), depth + 1);
}

/* What writes in place is the operation that gives a new tensor only where
 * nobody sees it, and of an operator the function only on tensors.
 */
static bool
is_allowed(struct fx_try *try, const struct fx_pattern_slot *slot,
	const struct fx_node *node)
{
	if (!slot->writes && node->use_count &&
		(fx_side_effects(node) & FX_SIDE_EFFECT_WRITES) &&
		is_seen(node, fx_node_input(node, 0), 0))
		return fx_try_differs(try,
			"%%%s writes in place, into what is seen elsewhere",
			node->name);
	if (!has_same_target(slot, node) && node->meta &&
		node->meta->kind != FX_VALUE_TENSOR &&
		node->meta->kind != FX_VALUE_UNKNOWN && !slot->layer &&
		fx_value_item_count(node->meta) == 0)
		return fx_try_differs(try, "%%%s gives no tensor", node->name);
	return true;
}

bool
fx_try_node(struct fx_try *try, size_t index, struct fx_node *node)
{
	const struct fx_pattern_slot *slot = &try->pattern->slots[index];
	struct fx_value value = fx_value_node(node);

	if (try->is_bound[index]) {
		if (try->values[index].node == node)
			return true;
		return fx_try_differs(try, "%%%s is not %%%s", node->name,
			try->values[index].node->name);
	}
	if (!fx_try_is_candidate(try, index, node))
		return fx_try_differs(try, "%%%s is no %s", node->name,
			fx_pattern_words(slot));
	if (is_taken(try, node, true))
		return fx_try_differs(try,
			"%%%s has another place in the pattern", node->name);
	if (!is_torch(try) && !is_allowed(try, slot, node))
		return false;
	bind(try, index, &value);
	if (slot->node->opcode == FX_OPCODE_GET_ATTR)
		return true;
	if (is_torch(try))
		return match_as_torch(try, slot, node);
	if (slot->layer && fx_try_is_of_class(slot->layer, node))
		return fx_try_layer(try, slot, node);
	return match_call(try, slot, node);
}

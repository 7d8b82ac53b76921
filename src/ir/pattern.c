/* pattern.c - what is known of a pattern that was read, and what is none. */
#include <config.h>

#include "ir/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/build.h"
#include "ir/graph_private.h"
#include "ir/pattern_private.h"
#include "ir/value_walk.h"
#include "ops/optab.h"
#include "ops/spellings.h"

/* --- slots --------------------------------------------------------------- */

/* What nn.X(x, stride=2) says of the configuration stands among the arguments:
 * all keywords that are plain.
 */
static void
describe_layer(struct fx_pattern *pattern, struct fx_pattern_slot *slot)
{
	const struct fx_node *node = slot->node;
	const char *number = strrchr(node->target, '.');
	struct fx_pattern_layer *layer;
	size_t index;

	if (node->opcode != FX_OPCODE_CALL_MODULE || !number)
		return;
	index = strtoul(number + 1, NULL, 10);
	if (index >= pattern->layers.count)
		return;
	layer = pattern->layers.items[index];
	if (strncmp(layer->class_name, node->target,
		    (size_t)(number - node->target)) != 0)
		return;
	slot->layer = layer;
	slot->target = layer->class_name;
	if (!layer->is_made)
		layer->config = node->kwargs;
}

static void
find_form(struct fx_pattern *pattern, struct fx_pattern_slot *slot,
	const struct fx_value *any)
{
	const struct fx_node *node = slot->node;
	struct fx_form_call call = { .opcode = (enum fx_opcode)node->opcode,
		.target = slot->target,
		.args = node->args,
		.kwargs = node->kwargs,
		.unsaid = any->kind == FX_VALUE_NODE ? any : NULL,
		.is_open = slot->is_open };

	if (slot->layer) {
		call.target = fx_intern_format("torch.nn.%s",
			slot->layer->class_name);
		call.config = &slot->layer->config;
		call.kwargs = fx_value_none();
	}
	slot->has_form = fx_form_of(pattern->forms, pattern->graph->permanent,
		&call, &slot->form);
	/* A layer that is asked for by class is no function: its parameters can
	 * be read.
	 */
	if (slot->layer && slot->form.carries)
		slot->has_form = false;
	slot->writes =
		(slot->has_form && slot->form.says_inplace) ||
		(fx_op_info((enum fx_op)node->op)->traits & FX_OP_MUTATES);
}

/* NODE, a name, stands for a part of a configuration. */
static bool
note_said(void *context, struct fx_node *node)
{
	struct fx_pattern *pattern = context;

	pattern->slots[fx_node_index(node)].is_said = true;
	return true;
}

static void
fill_slots(struct fx_pattern *pattern, const struct fx_pattern_text *read)
{
	const struct fx_node *node;
	size_t at = 0;
	uintptr_t name;
	uintptr_t value;

	pattern->slot_count = pattern->graph->private_->made + (size_t)1;
	pattern->slots =
		fx_xcalloc(pattern->slot_count, sizeof(*pattern->slots));
	pattern->any = read->any.node;
	fx_graph_for_each_node (node, pattern->graph) {
		size_t index = fx_node_index(node);
		struct fx_pattern_slot *slot = &pattern->slots[index];

		slot->node = node;
		slot->target = node->target;
		if (node->opcode == FX_OPCODE_CALL_FUNCTION)
			slot->target = fx_spelling_home(node->target);
		slot->is_any = node == pattern->any;
		slot->is_open = fx_map_has(&read->open, (uintptr_t)node);
		slot->is_input = node->opcode == FX_OPCODE_PLACEHOLDER;
		if (slot->is_input || node->opcode == FX_OPCODE_OUTPUT)
			continue;
		describe_layer(pattern, slot);
		find_form(pattern, slot, &read->any);
		fx_vec_push(&pattern->operations, index);
	}
	for (size_t i = 0; i < pattern->layers.count; i++)
		fx_value_visit_nodes(&pattern->layers.items[i]->config,
			note_said, pattern);
	while (fx_map_next(&read->names, &at, &name, &value)) {
		const struct fx_value *named = (const struct fx_value *)value;

		if (named->kind == FX_VALUE_NODE)
			pattern->slots[fx_node_index(named->node)].name =
				(const char *)name;
	}
}

/* --- what is no pattern -------------------------------------------------- */

static bool
add_output(void *context, struct fx_node *node)
{
	struct fx_pattern *pattern = context;
	size_t index = fx_node_index(node);

	if (pattern->slots[index].is_output)
		return true;
	pattern->slots[index].is_output = true;
	fx_vec_push(&pattern->outputs, index);
	if (node->user_count == 1)
		fx_vec_push(&pattern->anchors, index);
	return true;
}

static struct fx_error *
check_unused(const struct fx_pattern *pattern)
{
	for (size_t i = 1; i < pattern->slot_count; i++) {
		const struct fx_pattern_slot *slot = &pattern->slots[i];

		if (!slot->node || slot->is_any || slot->is_said ||
			slot->node->user_count ||
			slot->node->opcode == FX_OPCODE_OUTPUT)
			continue;
		return fx_error_new(FX_ERR_VALUE,
			slot->is_input ? "the pattern does not use \"%s\""
				       : "the pattern computes %s and does not "
					 "use it",
			slot->name ? slot->name : slot->node->name);
	}
	return NULL;
}

/* Mark what hangs together with the slot INDEX. */
static void
mark_part(const struct fx_pattern *pattern, struct fx_node *node)
{
	const struct fx_use *use;

	if (node->mark || node == pattern->any ||
		node->opcode == FX_OPCODE_OUTPUT)
		return;
	node->mark = 1;
	for (size_t i = 0; i < node->use_count; i++)
		mark_part(pattern, fx_node_input(node, i));
	fx_node_for_each_user (use, node)
		mark_part(pattern, use->user);
}

static struct fx_error *
check_parts(const struct fx_pattern *pattern)
{
	const struct fx_node *apart = NULL;
	struct fx_node *node;

	if (pattern->how & FX_PATTERN_TORCH)
		return NULL;
	mark_part(pattern,
		(struct fx_node *)pattern->slots[pattern->outputs.items[0]]
			.node);
	for (size_t i = 1; i < pattern->outputs.count && !apart; i++) {
		const struct fx_node *output =
			pattern->slots[pattern->outputs.items[i]].node;

		if (!output->mark)
			apart = output;
	}
	fx_graph_for_each_node (node, pattern->graph) {
		if (!node->mark && node != pattern->any &&
			!pattern->slots[fx_node_index(node)].is_said &&
			node->opcode != FX_OPCODE_OUTPUT && !apart)
			apart = node;
		node->mark = 0;
	}
	if (!apart)
		return NULL;
	return fx_error_new(FX_ERR_VALUE,
		"the pattern has two parts that share nothing: %s and %s",
		pattern->slots[pattern->outputs.items[0]].node->name,
		apart->name);
}

static struct fx_error *
check(struct fx_pattern *pattern, const struct fx_value *result)
{
	struct fx_error *err;

	fx_value_visit_nodes(result, add_output, pattern);
	if (pattern->operations.count > FX_BUILD_HEIGHT)
		return fx_error_new(FX_ERR_LIMIT,
			"a pattern has at most %d operations", FX_BUILD_HEIGHT);
	if (!pattern->operations.count)
		return fx_error_new(FX_ERR_VALUE,
			result->kind == FX_VALUE_NODE
				? "the pattern is only a name, which is every "
				  "node"
				: "the pattern has no operation");
	for (size_t i = 0; i < pattern->outputs.count; i++) {
		const struct fx_pattern_slot *slot =
			&pattern->slots[pattern->outputs.items[i]];

		if (slot->is_input)
			return fx_error_new(FX_ERR_VALUE,
				"the pattern gives \"%s\" back as it is",
				slot->name ? slot->name : "_");
	}
	err = check_unused(pattern);
	if (!err && !pattern->anchors.count)
		err = fx_error_new(FX_ERR_VALUE, "the pattern has no result");
	return err ? err : check_parts(pattern);
}

struct fx_error *
fx_pattern_finish(struct fx_pattern *pattern,
	const struct fx_pattern_text *read)
{
	fill_slots(pattern, read);
	return check(pattern, &read->result);
}

void
fx_pattern_free(struct fx_pattern *pattern)
{
	if (!pattern)
		return;
	fx_graph_free(pattern->graph);
	fx_forms_free(pattern->forms);
	fx_vec_deinit(&pattern->layers);
	fx_vec_deinit(&pattern->outputs);
	fx_vec_deinit(&pattern->operations);
	fx_vec_deinit(&pattern->anchors);
	free(pattern->slots);
	free(pattern->text);
	free(pattern);
}

/* --- questions ----------------------------------------------------------- */

size_t
fx_pattern_slot_count(const struct fx_pattern *pattern)
{
	return pattern->slot_count;
}

size_t
fx_pattern_slot(const struct fx_pattern *pattern, const char *name)
{
	for (size_t i = 1; i < pattern->slot_count; i++)
		if (fx_str_equal(pattern->slots[i].name, name))
			return i;
	return 0;
}

const char *
fx_pattern_name(const struct fx_pattern *pattern, size_t slot)
{
	return pattern->slots[slot].name;
}

bool
fx_pattern_is_input(const struct fx_pattern *pattern, size_t slot)
{
	return pattern->slots[slot].is_input && !pattern->slots[slot].is_any;
}

size_t
fx_pattern_output(const struct fx_pattern *pattern, size_t index)
{
	return index < pattern->outputs.count ? pattern->outputs.items[index]
					      : 0;
}

size_t
fx_pattern_operation(const struct fx_pattern *pattern, size_t index)
{
	return index < pattern->operations.count
		       ? pattern->operations.items[index]
		       : 0;
}

const char *
fx_pattern_words(const struct fx_pattern_slot *slot)
{
	if (slot->layer)
		return slot->layer->class_name;
	if (slot->has_form)
		return fx_operation_at(slot->form.spelling->operation)->name;
	return slot->target;
}

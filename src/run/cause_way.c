/* cause_way.c - the steps of a walk: what they are called, and how it goes from
 * one to the next.
 */
#include <config.h>

#include "run/cause_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/blob.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "ir/control.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/pair.h"
#include "meta/promote.h"
#include "run/datum.h"
#include "run/replay.h"
#include "run/summary.h"

static const char *const role_names[] = {
	[FX_CAUSE_PASSES] = "passes",
	[FX_CAUSE_MAKES] = "makes",
	[FX_CAUSE_PRODUCES] = "produces",
	[FX_CAUSE_PARAMETER] = "parameter",
	[FX_CAUSE_INPUT] = "input",
	[FX_CAUSE_CONSTANT] = "constant",
	[FX_CAUSE_BLAMED] = "blamed",
	[FX_CAUSE_LEADS] = "leads",
	[FX_CAUSE_LOST] = "lost",
	[FX_CAUSE_UNASKED] = "unasked",
};

const char *
fx_cause_role_name(enum fx_cause_role role)
{
	return role_names[role];
}

bool
fx_cause_is_way(const struct fx_cause_step *step)
{
	return step->role != FX_CAUSE_BLAMED && step->role != FX_CAUSE_LEADS;
}

void
fx_cause_deinit(struct fx_cause *cause)
{
	for (size_t i = 0; i < cause->steps.count; i++) {
		free(cause->steps.items[i].index);
		free(cause->steps.items[i].value);
		free(cause->steps.items[i].wanted);
		free(cause->steps.items[i].among);
	}
	fx_vec_deinit(&cause->steps);
	free(FX_TAKE(cause->detail));
}

struct fx_cause_step *
fx_walk_last_step(struct fx_walk *walk)
{
	return &fx_vec_last(&walk->cause->steps);
}

/* A loop of more turns stays one operation: each turn that is walked into runs
 * those before it.
 */
#define TURN_LIMIT 200

/* --- steps --------------------------------------------------------------- */

/* NODE, or the call of a graph that is seen, inside of which it lies. */
static struct fx_node *
outermost(const struct fx_spot *spot, size_t *turn_ret)
{
	const struct fx_replay *replay = spot->replay;
	struct fx_node *node = spot->node;

	for (; !fx_replay_is_seen(replay); replay = replay->outer)
		node = replay->call;
	*turn_ret = replay->opened.turn;
	return node;
}

/* The tensor that SPOT's element is of, in REPLAY as it stands. */
static struct fx_datum *
tensor_of(const struct fx_spot *spot)
{
	const struct fx_node *of = spot->written ? spot->written : spot->node;

	return fx_datum_tensor_at(fx_replay_value(spot->replay, of),
		spot->number);
}

/* Where tensor LEFT of a value with several lies in it. */
struct sought {
	size_t left;
	struct fx_buf *path;
};

static bool
seek(void *context, const char *path, const struct fx_datum *tensor)
{
	struct sought *sought = context;

	(void)tensor;
	if (sought->left--)
		return true;
	fx_buf_add(sought->path, path);
	return false;
}

static char *
index_text(const struct fx_spot *spot, const struct fx_extent *extent)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const struct fx_node *of = spot->written ? spot->written : spot->node;
	const struct fx_datum *datum = fx_replay_value(spot->replay, of);

	if (datum && datum->kind != FX_DATUM_TENSOR &&
		(spot->number || fx_datum_tensor_at(datum, 1)))
		fx_datum_see_tensors(datum, seek,
			&(struct sought){ spot->number, &text });
	if (extent->rank) {
		int64_t place[FX_RANK_LIMIT];

		fx_extent_unravel(extent, spot->element, place);
		for (uint32_t i = 0; i < extent->rank; i++)
			fx_buf_addf(&text, "%c%lld", i ? ',' : '[',
				(long long)place[i]);
		fx_buf_add(&text, "]");
	}
	return fx_xstrdup(fx_buf_text(&text));
}

/* The nearest number of few digits that is the same element. */
static double
shortest(enum fx_dtype dtype, double number)
{
	char exact[16];
	char rounded[16];

	if (!isfinite(number) || number == 0 || !fx_dtype_is_float(dtype) ||
		dtype == FX_DTYPE_F64)
		return number;
	fx_elements_encode(dtype, &number, NULL, 1, exact);
	for (int digits = 0; digits < 9; digits++) {
		char text[32];
		int length =
			snprintf(text, sizeof(text), "%.*e", digits, number);
		double now;

		if (!fx_number_parse_double(text, (size_t)length, &now))
			return number;
		fx_elements_encode(dtype, &now, NULL, 1, rounded);
		if (isfinite(now) &&
			!memcmp(exact, rounded, fx_dtype_info(dtype)->size))
			return now;
	}
	return number;
}

char *
fx_walk_number_text(enum fx_dtype dtype, const double number[2])
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	char bytes[16];

	if (fx_dtype_is_float(dtype)) {
		fx_number_add_double(&text, shortest(dtype, number[0]));
		return fx_xstrdup(fx_buf_text(&text));
	}
	fx_elements_encode(dtype, &number[0], &number[1], 1, bytes);
	fx_element_print(&text, dtype, bytes, 0);
	return fx_xstrdup(fx_buf_text(&text));
}

/* The parameter or buffer that the placeholder NODE of REPLAY is, or NULL; and
 * which of the inputs.
 */
const char *
fx_replay_member(const struct fx_replay *replay, const struct fx_node *node,
	size_t *index_ret)
{
	const struct fx_node *at;

	*index_ret = 0;
	fx_graph_for_each_node (at, replay->graph) {
		if (at == node)
			break;
		*index_ret += at->opcode == FX_OPCODE_PLACEHOLDER;
	}
	return *index_ret < replay->opened.count
		       ? replay->opened.members[*index_ret]
		       : NULL;
}

/* "layer1.bn2.running_var" of such a placeholder. */
static const char *
member_path(const struct fx_spot *spot)
{
	size_t index;
	const char *member =
		spot->replay->outer &&
				spot->node->opcode == FX_OPCODE_PLACEHOLDER
			? fx_replay_member(spot->replay, spot->node, &index)
			: NULL;

	return member ? fx_module_path(spot->replay->call->target, member)
		      : NULL;
}

static const char *
name_of(const struct fx_spot *spot)
{
	if (member_path(spot))
		return member_path(spot);
	return spot->node->opcode == FX_OPCODE_GET_ATTR ? spot->node->target
							: spot->node->name;
}

/* SPOT is on the way; its value is read. */
struct fx_error *
fx_walk_add_step(struct fx_walk *walk, struct fx_spot *spot,
	enum fx_cause_role role)
{
	const struct fx_datum *tensor = tensor_of(spot);
	struct fx_cause_step step = { .role = role,
		.is_inside =
			!fx_replay_is_seen(spot->replay) && !member_path(spot),
		.is_written = spot->written,
		.name = name_of(spot) };
	struct fx_extent extent;
	struct fx_error *err;

	step.node = outermost(spot, &step.turn);
	if (!tensor)
		return fx_error_new(FX_ERR_NO_VALUE, "%%%s has no tensor there",
			spot->node->name);
	err = fx_extent_of(tensor, &extent);
	if (!err)
		err = fx_values_numbers(tensor, spot->element, 1,
			&spot->value[0], &spot->value[1]);
	if (err)
		return err;
	if (spot->node->opcode != FX_OPCODE_PLACEHOLDER &&
		spot->node->opcode != FX_OPCODE_GET_ATTR)
		step.call = spot->node->target;
	memcpy(step.number, spot->value, sizeof(step.number));
	step.index = index_text(spot, &extent);
	step.value = fx_walk_number_text(extent.dtype, spot->value);
	if (walk->fault == FX_FAULT_DIFFERS)
		step.wanted = fx_walk_number_text(extent.dtype, spot->wanted);
	fx_vec_push(&walk->cause->steps, step);
	return NULL;
}

/* --- from a node to the one above ---------------------------------------- */

static struct fx_node *
mate_of(const struct fx_walk *walk, const struct fx_spot *spot,
	const struct fx_node *node)
{
	if (!spot->other)
		return NULL;
	if (!spot->replay->outer)
		return walk->question->pairs
			       ? fx_pairs_mate(walk->question->pairs, node)
			       : NULL;
	return spot->other->graph->node_count == node->graph->node_count
		       ? fx_graph_at(spot->other->graph,
				 fx_graph_position(node->graph, node))
		       : NULL;
}

bool
fx_walk_find_given(const struct fx_replay *replay, const struct fx_node *call,
	const struct fx_datum *tensor, size_t *input_ret, size_t *number_ret)
{
	for (size_t i = 0; tensor && i < fx_node_input_count(call); i++) {
		const struct fx_datum *datum =
			fx_replay_value(replay, fx_node_input(call, i));
		struct fx_datum *here;

		for (size_t k = 0; (here = fx_datum_tensor_at(datum, k)); k++)
			if (here == tensor) {
				*input_ret = i;
				*number_ret = k;
				return true;
			}
	}
	return false;
}

/* Where what stands at SPOT, the value of its node as it is now, comes from:
 * the node itself, or the last that wrote there in place.
 */
struct fx_error *
fx_walk_find_maker(const struct fx_walk *walk, struct fx_spot *spot)
{
	struct fx_datum *tensor = tensor_of(spot);
	struct fx_datum *through = NULL;
	struct fx_node *writer = tensor ? fx_replay_writer(spot->replay,
						  spot->node, tensor, &through)
					: NULL;
	struct fx_spot found = *spot;
	bool is_there;
	size_t input;
	struct fx_error *err;

	if (!writer)
		return NULL;
	err = fx_replay_same_place(tensor, spot->element, through,
		&found.element, &is_there);
	if (err || !is_there ||
		!fx_walk_find_given(spot->replay, writer, through, &input,
			&found.number))
		return err;
	found.written = fx_node_input(writer, input);
	found.node = writer;
	found.mate = mate_of(walk, spot, writer);
	*spot = found;
	return NULL;
}

/* To ELEMENT of what PROBE's node is given. */
struct fx_error *
fx_walk_go_to(struct fx_walk *walk, const struct fx_probe *probe,
	uint64_t element)
{
	struct fx_spot *spot = &walk->spot;
	uint64_t index;
	const struct fx_leaf *leaf = fx_probe_leaf(probe, element, &index);

	spot->node = leaf->node;
	spot->written = NULL;
	spot->number = leaf->number;
	spot->element = index;
	spot->mate = leaf->mate;
	if (walk->fault == FX_FAULT_DIFFERS) {
		fx_elements_decode(leaf->extent.dtype,
			(char *)fx_blob_data(leaf->others) + index * leaf->size,
			1, &spot->wanted[0], &spot->wanted[1]);
		spot->scale = leaf->scale;
	}
	/* As it is there, not as near to it as this dtype comes. */
	if (walk->fault == FX_FAULT_DIFFERS && leaf->cast) {
		struct fx_error *err = fx_values_numbers(leaf->cast, index, 1,
			&spot->wanted[0], &spot->wanted[1]);

		if (err)
			return err;
	}
	return fx_walk_find_maker(walk, spot);
}

/* The turn before the one that REPLAY is of a loop. */
static struct fx_error *
enter_turn_before(const struct fx_replay *replay, struct fx_replay **ret)
{
	struct fx_graph *graphs[2];
	size_t count = fx_control_graphs(replay->call, graphs);
	const struct fx_replay_part part = {
		.entry = { .graph = count == 2 ? graphs[1] : NULL,
			.turn = replay->opened.turn - 1 }
	};

	return fx_replay_enter(replay->outer, replay->call, &part, ret);
}

static size_t
count_tensors(const struct fx_value *value)
{
	const struct fx_datum *held = fx_datum_held(value);
	size_t count = held && held->kind == FX_DATUM_TENSOR;

	for (size_t i = 0; i < fx_value_item_count(value); i++)
		count += count_tensors(&value->items[i]);
	return count;
}

/* From what was carried into a turn, input INDEX, to what the turn before gave.
 */
static struct fx_error *
go_to_turn_before(struct fx_walk *walk, size_t index)
{
	struct fx_spot *spot = &walk->spot;
	struct fx_replay *turns[] = { spot->replay, spot->other };
	struct fx_replay *earlier[] = { NULL, NULL };
	const struct fx_datum *results;
	struct fx_error *err = enter_turn_before(turns[0], &earlier[0]);

	if (!err && turns[1] && turns[1]->opened.turn > 1)
		err = enter_turn_before(turns[1], &earlier[1]);
	if (err) {
		fx_replay_free(earlier[0]);
		return err;
	}
	spot->replay = earlier[0];
	spot->other = earlier[1] ? earlier[1]
		      : turns[1] ? turns[1]->outer
				 : NULL;
	spot->node = fx_graph_output(spot->replay->graph);
	spot->mate = earlier[1] ? fx_graph_output(earlier[1]->graph) : NULL;
	spot->written = NULL;
	results = fx_replay_value(spot->replay, spot->node);
	for (size_t i = 0; i < index; i++)
		spot->number += count_tensors(&results->value.items[i]);
	for (size_t i = 0; i < FX_ARRAY_LEN(turns); i++)
		fx_replay_free(turns[i]);
	return NULL;
}

/* Out of the layer at whose input SPOT stands. */
struct fx_error *
fx_walk_leave(struct fx_walk *walk, size_t index)
{
	struct fx_spot *spot = &walk->spot;
	struct fx_replay *inner = spot->replay;
	struct fx_replay *other = spot->other;
	struct fx_replay *outer = inner->outer;
	const struct fx_datum *tensor =
		fx_datum_tensor_at(inner->opened.inputs[index], spot->number);
	const struct fx_node *call = inner->call;
	size_t at;
	bool is_found;

	if (index < inner->opened.carried)
		return go_to_turn_before(walk, index);
	is_found = fx_walk_find_given(outer, call, tensor, &at, &spot->number);
	if (is_found) {
		spot->node = fx_node_input(call, at);
		spot->mate = other && at < fx_node_input_count(other->call)
				     ? fx_node_input(other->call, at)
				     : NULL;
	}
	spot->replay = outer;
	spot->other = other ? other->outer : NULL;
	spot->written = NULL;
	fx_replay_free(inner);
	fx_replay_free(other);
	if (!is_found)
		return fx_error_new(FX_ERR_UNSUPPORTED,
			"what %%%s is given cannot be followed",
			spot->node->name);
	return fx_walk_find_maker(walk, spot);
}

/* Into what SPOT's node is made of; *DONE_RET false: it is one operation, or
 * what is inside is not the same in the reference.
 */
struct fx_error *
fx_walk_enter(struct fx_walk *walk, bool *done_ret)
{
	struct fx_spot *spot = &walk->spot;
	FX_AUTO_REPLAY struct fx_replay *inner = NULL;
	FX_AUTO_REPLAY struct fx_replay *other = NULL;
	struct fx_node *output;
	struct fx_error *err = NULL;

	*done_ret = false;
	if (spot->written || (spot->node->opcode == FX_OPCODE_OUTPUT))
		return NULL;
	err = fx_replay_enter(spot->replay, spot->node, NULL, &inner);
	if (!err && inner && spot->other && spot->mate)
		err = fx_replay_enter(spot->other, spot->mate, NULL, &other);
	if (err && fx_error_code(err) != FX_ERR_INTERRUPTED) {
		fx_error_free(err);
		return NULL;
	}
	if (err || !inner || inner->opened.turn > TURN_LIMIT)
		return err;
	if (walk->fault == FX_FAULT_DIFFERS &&
		(!other ||
			other->graph->node_count != inner->graph->node_count))
		return NULL;
	output = fx_graph_output(inner->graph);
	if (!output || !fx_datum_tensor_at(fx_replay_value(inner, output),
			       spot->number))
		return NULL;
	spot->replay = FX_TAKE(inner);
	spot->other = FX_TAKE(other);
	spot->node = output;
	spot->mate = spot->other ? fx_graph_output(spot->other->graph) : NULL;
	*done_ret = true;
	return NULL;
}

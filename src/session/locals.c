/* locals.c - the model's own names at the stop.
 *
 * A node belongs to a call of a function when it has that call's line among
 * its frames, with the same lines outside of it, and lies in the module that
 * was called.  A statement whose line the stop itself is of has not ended, but
 * where it has one call only: then each node of it is a turn of a loop.
 *
 * In a function around the stop's, which frame selected, that line is a call
 * that goes on.  What it made in an earlier turn of a loop is told apart by the
 * module that was called; where that cannot be, its name stands for nothing.
 */
#include <config.h>

#include "session/locals.h"

#include <ctype.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/graph.h"
#include "ops/optab.h"
#include "run/run.h"
#include "session/model.h"
#include "session/position.h"
#include "session/resolve.h"
#include "session/session_private.h"

/* The module whose code called NODE: around a layer. */
static const char *
holder_of(const struct fx_node *node)
{
	const struct fx_scope *scope = node->scope;

	if (scope && node->opcode == FX_OPCODE_CALL_MODULE)
		scope = scope->parent;
	return scope ? scope->path : "";
}

static bool
same_function(const struct fx_source_frame *a, const struct fx_source_frame *b)
{
	return fx_str_equal(a->file, b->file) &&
	       fx_str_equal(a->function, b->function);
}

/* The function whose names are asked for: frame DEPTH of what made STOP. */
struct place {
	struct fx_node *stop;
	size_t depth;
	const char *holder; /* the module whose it is; NULL: not known */
};

static const struct fx_source_frame *
place_frame(const struct place *place)
{
	return &place->stop->source->frames[place->depth];
}

/* The frame of NODE in the call that is asked about, or NULL. */
static const struct fx_source_frame *
frame_in(const struct fx_node *node, const struct place *place)
{
	const struct fx_source *own = node->source;
	const struct fx_source_frame *frames = place_frame(place);
	size_t outer = place->stop->source->count - 1 - place->depth;
	size_t inner;

	if (!own || own->count <= outer)
		return NULL;
	if (!place->depth &&
		!fx_str_is_below(holder_of(node), holder_of(place->stop)))
		return NULL;
	inner = own->count - 1 - outer;
	if (!same_function(&own->frames[inner], frames))
		return NULL;
	for (size_t i = 1; i <= outer; i++)
		if (!same_function(&own->frames[inner + i], &frames[i]) ||
			own->frames[inner + i].line != frames[i].line)
			return NULL;
	return &own->frames[inner];
}

/* The module that PLACE's function called and that NODE lies in, or NULL. */
static const char *
callee_of(const struct fx_node *node, const struct place *place)
{
	const struct fx_scope *scope = node->scope;

	while (scope && scope->path != place->holder) {
		const char *around = scope->parent ? scope->parent->path : "";

		if (!strcmp(around, place->holder))
			return scope->path;
		scope = scope->parent;
	}
	return NULL;
}

static bool
same_place(const struct fx_node *a, const struct fx_node *b)
{
	if (a->target != b->target || a->source->count != b->source->count)
		return false;
	for (size_t i = 0; i < a->source->count; i++)
		if (!same_function(&a->source->frames[i],
			    &b->source->frames[i]) ||
			a->source->frames[i].line != b->source->frames[i].line)
			return false;
	return true;
}

enum turn {
	TURN_NOW,     /* of the call that goes on */
	TURN_EARLIER, /* of one before, in a loop */
	TURN_UNKNOWN,
};

/* Of which turn NODE is, whose line in the function is that of the call which
 * the stop stands in.
 */
static enum turn
turn_of(const struct fx_node *node, const struct place *place)
{
	const char *callee =
		place->holder ? callee_of(place->stop, place) : NULL;

	if (callee && callee_of(node, place) != callee)
		return TURN_EARLIER;
	return callee && !same_place(node, place->stop) ? TURN_NOW
							: TURN_UNKNOWN;
}

/* The module of PLACE's function: what holds a node that it made itself. */
static const char *
find_holder(const struct place *place)
{
	size_t outer = place->stop->source->count - 1 - place->depth;
	const struct fx_node *node;

	if (!outer)
		return "";
	fx_graph_for_each_node (node, place->stop->graph)
		if (frame_in(node, place) && node->source->count == outer + 1)
			return holder_of(node);
	return NULL;
}

/* The length of the name that TEXT begins with; 0: none. */
static size_t
name_length(const char *text)
{
	size_t length = 0;

	while (isalnum((unsigned char)text[length]) || text[length] == '_')
		length++;
	return length && !isdigit((unsigned char)*text) ? length : 0;
}

/* How many names the statement TEXT assigns to, "a = f(x)", "a += x" or
 * "lo, hi = f(x)"; 0: it is none.  Name INDEX, interned, in *RET.
 */
static size_t
assigned_names(const char *text, size_t index, const char **ret)
{
	size_t count = 0;
	size_t length;

	while (text && (length = name_length(text))) {
		if (count == index)
			*ret = fx_intern_n(text, length);
		count++;
		text += length + strspn(text + length, " \t");
		if (*text != ',')
			break;
		text += 1 + strspn(text + 1, " \t");
	}
	if (count == 1 && *text && strchr("+-*/@%&|^", *text))
		text++;
	return count && *text == '=' && text[1] != '=' ? count : 0;
}

static bool
has_one_call(const char *text)
{
	const char *open = strchr(text, '(');

	return open && !strpbrk(open + 1, "(+-*/@");
}

static void
forget(struct fx_locals *locals, const char *name)
{
	for (size_t i = 0; i < locals->list.count; i++)
		if (locals->list.items[i].name == name) {
			fx_vec_remove(&locals->list, i);
			break;
		}
}

static void
assign(struct fx_locals *locals, const char *name, struct fx_node *node)
{
	struct fx_local local = { name, node };

	forget(locals, name);
	fx_vec_push(&locals->list, local);
}

/* Whether NODE is item INDEX of what *WHOLE gives, of any where that is NULL.
 */
static bool
is_item(const struct fx_node *node, size_t index, struct fx_node **whole)
{
	const struct fx_value *number = fx_node_arg(node, 1);

	if (node->op != FX_OP_GETITEM || node->use_count != 1 || !number ||
		number->kind != FX_VALUE_INT ||
		number->integer != (int64_t)index ||
		(*whole && fx_node_input(node, 0) != *whole))
		return false;
	*whole = fx_node_input(node, 0);
	return true;
}

/* The nodes of a line, one after the other: what its statement gives. */
struct statement {
	const char *text;
	struct fx_node *last;
	int line; /* 0: none */
};

/* Behind the next semicolon of TEXT, a line of several statements; or NULL. */
static const char *
next_statement(const char *text)
{
	const char *next = text ? strchr(text, ';') : NULL;

	if (next)
		next += 1 + strspn(next + 1, " \t");
	return next && *next ? next : NULL;
}

/* Nobody knows which node is of which statement: none of their names stands for
 * anything.
 */
static void
forget_line(struct fx_locals *locals, const char *text)
{
	for (; text; text = next_statement(text)) {
		const char *name = NULL;
		size_t count = assigned_names(text, 0, &name);

		for (size_t i = 0; i < count; i++) {
			assigned_names(text, i, &name);
			forget(locals, name);
		}
	}
}

/* STATEMENT has ended: its name stands for its last node, or several for the
 * items that it ended with.
 */
static void
finish(struct fx_locals *locals, const struct statement *statement)
{
	const char *name = NULL;
	size_t count = assigned_names(statement->text, 0, &name);
	struct fx_node *node = statement->last;
	struct fx_node *whole = NULL;

	if (next_statement(statement->text)) {
		forget_line(locals, statement->text);
		return;
	}
	if (count == 1)
		assign(locals, name, node);
	for (size_t i = count; count > 1 && i-- > 0;) {
		if (!node || !is_item(node, i, &whole))
			return;
		if (i)
			node = fx_graph_previous(node);
	}
	for (size_t i = 0; count > 1 && i < count; i++) {
		assigned_names(statement->text, i, &name);
		assign(locals, name, node);
		node = fx_graph_next(node);
	}
}

static void
see(struct fx_locals *locals, struct statement *statement, struct fx_node *node,
	const struct fx_source_frame *frame)
{
	const char *name = NULL;
	bool has_name = assigned_names(frame->text, 0, &name) == 1;

	if (statement->line != frame->line && statement->line)
		finish(locals, statement);
	*statement = (struct statement){ frame->text, node, frame->line };
	if (has_name && has_one_call(frame->text) &&
		!next_statement(frame->text))
		assign(locals, name, node);
}

/* The same of a node whose line is that of a call which goes on. */
static void
see_call(struct fx_locals *locals, struct statement *statement,
	struct fx_node *node, const struct fx_source_frame *frame,
	enum turn turn)
{
	const char *name = NULL;

	if (statement->line != frame->line && statement->line)
		finish(locals, statement);
	*statement = (struct statement){ NULL, node, frame->line };
	if (turn == TURN_NOW || assigned_names(frame->text, 0, &name) != 1)
		return;
	if (turn == TURN_EARLIER)
		assign(locals, name, node);
	else
		forget(locals, name);
}

/* How many functions lie between the stop's and that of the frame selected. */
static size_t
selected_depth(const struct fx_model *model, const struct fx_node *stop)
{
	FX_AUTO_FREE struct fx_location *frames = NULL;
	size_t index = fx_position_location(model);
	size_t count;

	if (!index)
		return 0;
	fx_position_locations(model, stop, &frames, &count);
	if (index >= count || frames[index].kind != FX_LOCATION_SOURCE)
		return 0;
	return index - (count - stop->source->count);
}

/* The output at the end, where execution stands before no node. */
static struct fx_node *
find_stop(const struct fx_model *model)
{
	struct fx_node *stop = fx_position_node(model);
	const struct fx_activation *place = fx_run_activation(model->run);

	return stop || !place ? stop : fx_graph_output(place->graph);
}

/* The place behind all statements of the outermost function: STOP, the output,
 * was made by no line.  False when no node above it was.
 */
static bool
place_at_end(const struct fx_node *stop, struct place *ret)
{
	struct fx_node *node = fx_graph_previous(stop);

	while (node && (!node->source || !node->source->count))
		node = fx_graph_previous(node);
	if (!node)
		return false;
	*ret = (struct place){
		.stop = node, .depth = node->source->count - 1, .holder = ""
	};
	return true;
}

void
fx_position_locals(const struct fx_model *model, struct fx_locals *ret)
{
	struct place place = { .stop = find_stop(model) };
	struct fx_node *stop = place.stop;
	struct statement statement = { .line = 0 };
	struct fx_node *node;
	bool is_end = stop && stop->opcode == FX_OPCODE_OUTPUT;

	*ret = (struct fx_locals){ .function = NULL };
	if (is_end ? !place_at_end(stop, &place)
		   : !stop || !stop->source || !stop->source->count)
		return;
	if (!is_end) {
		place.depth = selected_depth(model, stop);
		place.holder = place.depth ? find_holder(&place) : NULL;
	}
	ret->function = place_frame(&place)->function;
	ret->file = place_frame(&place)->file;
	fx_graph_for_each_node (node, stop->graph) {
		const struct fx_source_frame *frame;

		if (node == stop)
			break;
		frame = frame_in(node, &place);
		if (frame && place.depth && !is_end &&
			frame->line == place_frame(&place)->line)
			see_call(ret, &statement, node, frame,
				turn_of(node, &place));
		else if (frame)
			see(ret, &statement, node, frame);
	}
	if (statement.line &&
		(is_end || statement.line != place_frame(&place)->line))
		finish(ret, &statement);
}

struct fx_node *
fx_position_local(const struct fx_model *model, const char *name)
{
	struct fx_locals locals;
	struct fx_node *found = NULL;

	fx_position_locals(model, &locals);
	for (size_t i = 0; i < locals.list.count; i++)
		if (fx_str_equal(locals.list.items[i].name, name))
			found = locals.list.items[i].node;
	fx_vec_deinit(&locals.list);
	return found;
}

struct fx_error *
fx_locals_resolve(struct fx_session *session, struct fx_model *model,
	const char *text, struct fx_node **ret)
{
	struct fx_error *err = fx_resolve_node(session, model, text, ret);

	if (!err || fx_error_code(err) != FX_ERR_NO_NODE)
		return err;
	*ret = fx_position_local(model, text);
	if (!*ret)
		return err;
	fx_error_free(err);
	fx_session_examine(session, *ret);
	return NULL;
}

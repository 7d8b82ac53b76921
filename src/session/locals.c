/* locals.c - the model's own names at the stop.
 *
 * A node belongs to a call of a function when it has that call's line among
 * its frames, with the same lines outside of it, and lies in the module that
 * was called.  A statement whose line the stop itself is of has not ended, but
 * where it has one call only: then each node of it is a turn of a loop.
 */
#include <config.h>

#include "session/locals.h"

#include <ctype.h>
#include <string.h>

#include "base/intern.h"
#include "base/str.h"
#include "ir/graph.h"
#include "session/model.h"
#include "session/position.h"

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

/* The frame of NODE in the call that STOP stands in, or NULL. */
static const struct fx_source_frame *
frame_in(const struct fx_node *node, const struct fx_node *stop)
{
	const struct fx_source *own = node->source;
	const struct fx_source *source = stop->source;
	size_t outer = source->count - 1;
	size_t inner;

	if (!own || own->count < source->count ||
		!fx_str_is_below(holder_of(node), holder_of(stop)))
		return NULL;
	inner = own->count - 1 - outer;
	if (!same_function(&own->frames[inner], source->frames))
		return NULL;
	for (size_t i = 1; i <= outer; i++)
		if (!same_function(&own->frames[inner + i],
			    &source->frames[i]) ||
			own->frames[inner + i].line != source->frames[i].line)
			return NULL;
	return &own->frames[inner];
}

/* The name that the statement TEXT assigns to, interned; NULL for none. */
static const char *
assigned_name(const char *text)
{
	size_t length = 0;
	const char *at;

	while (text &&
		(isalnum((unsigned char)text[length]) || text[length] == '_'))
		length++;
	if (!length || isdigit((unsigned char)*text))
		return NULL;
	at = text + length + strspn(text + length, " \t");
	if (strchr("+-*/@%&|^", *at) && *at)
		at++;
	return *at == '=' && at[1] != '=' ? fx_intern_n(text, length) : NULL;
}

static bool
has_one_call(const char *text)
{
	const char *open = strchr(text, '(');

	return open && !strpbrk(open + 1, "(+-*/@");
}

static void
assign(struct fx_locals *locals, const char *name, struct fx_node *node)
{
	struct fx_local local = { name, node };

	for (size_t i = 0; i < locals->list.count; i++)
		if (locals->list.items[i].name == name) {
			fx_vec_remove(&locals->list, i);
			break;
		}
	fx_vec_push(&locals->list, local);
}

/* The nodes of a line, one after the other: what its statement gives. */
struct statement {
	const char *name;
	struct fx_node *last;
	int line; /* 0: none */
};

static void
see(struct fx_locals *locals, struct statement *statement, struct fx_node *node,
	const struct fx_source_frame *frame)
{
	const char *name = assigned_name(frame->text);

	if (statement->line != frame->line && statement->name)
		assign(locals, statement->name, statement->last);
	*statement = (struct statement){ name, node, frame->line };
	if (name && has_one_call(frame->text))
		assign(locals, name, node);
}

void
fx_position_locals(const struct fx_model *model, struct fx_locals *ret)
{
	struct fx_node *stop = fx_position_node(model);
	struct statement statement = { .line = 0 };
	struct fx_node *node;

	*ret = (struct fx_locals){ .function = NULL };
	if (!stop || !stop->source || !stop->source->count)
		return;
	ret->function = stop->source->frames->function;
	ret->file = stop->source->frames->file;
	fx_graph_for_each_node (node, stop->graph) {
		const struct fx_source_frame *frame;

		if (node == stop)
			break;
		frame = frame_in(node, stop);
		if (frame)
			see(ret, &statement, node, frame);
	}
	if (statement.name && statement.line != stop->source->frames->line)
		assign(ret, statement.name, statement.last);
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

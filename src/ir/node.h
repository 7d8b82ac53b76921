/* node.h - one operation of a graph.
 *
 * Fields are for reading; edit.c writes them, everything else goes through
 * ir/edit.h.  A node's memory is stable until its graph dies or compacts;
 * hold `id` beyond one command.
 */
#ifndef FX_IR_NODE_H
#define FX_IR_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/value.h"
#include "ops/opcode.h"

struct fx_graph;

/* Where in the model's source a node came from; frames innermost first. */
struct fx_source_frame {
	const char *file; /* interned */
	const char *function;
	const char *text; /* the line, trimmed; may be NULL */
	int line;
};

struct fx_source {
	size_t count;
	const struct fx_source_frame *frames;
};

/* The modules a node was called in; this one is the innermost. */
struct fx_scope {
	const struct fx_scope *parent;
	const char *path;       /* interned: layer1.0 */
	const char *class_name; /* interned, qualified */
};

/* One edge: USER mentions INPUT among its arguments (any number of times). */
struct fx_use {
	struct fx_node *user;
	struct fx_node *input;
	struct fx_use *previous; /* in INPUT's list of users */
	struct fx_use *next;
};

struct fx_node {
	struct fx_graph *graph;
	uint64_t id; /* never 0, never reused; unique in the session */

	uint8_t opcode;   /* enum fx_opcode */
	bool is_wrapped;  /* called through torch.fx.wrap */
	bool is_in_graph; /* false once erased */
	uint8_t mark;     /* scratch for one algorithm; 0 between */
	uint16_t op;      /* enum fx_op of ops/optab.h; 0: unknown */
	uint16_t note_count;
	const char *name;   /* interned */
	const char *target; /* interned; call_function: qualified name */
	const char *type;   /* interned annotation as printed, or NULL */

	struct fx_value args;   /* TUPLE */
	struct fx_value kwargs; /* DICT with STRING keys */

	struct fx_node *previous; /* circular through the graph's root */
	struct fx_node *next;
	uint64_t order; /* label: a < b means a stands before b */

	struct fx_use *uses; /* one per distinct input, in argument order */
	uint32_t use_count;
	uint32_t user_count; /* distinct users */
	struct fx_use *first_user;
	struct fx_use *last_user;

	const struct fx_source *source; /* or NULL */
	const struct fx_scope *scope;   /* or NULL */
	const struct fx_value *meta;    /* result metadata, or NULL */
	uint32_t born;    /* transaction that made it, 0: origin */
	uint32_t touched; /* transaction that changed it last */
};

/* Walk the users of NODE, oldest assignment first: USE->user. */
#define fx_node_for_each_user(use, node) \
	for ((use) = (node)->first_user; (use); (use) = (use)->next)

/* Positional argument INDEX or keyword NAME (interned), or NULL. */
const struct fx_value *fx_node_arg(const struct fx_node *node, size_t index);
const struct fx_value *fx_node_kwarg(const struct fx_node *node,
	const char *name);

/* Distinct input nodes: count, and the one at INDEX. */
static inline size_t
fx_node_input_count(const struct fx_node *node)
{
	return node->use_count;
}

static inline struct fx_node *
fx_node_input(const struct fx_node *node, size_t index)
{
	return node->uses[index].input;
}

/* Whether A stands before B in their graph; constant time. */
static inline bool
fx_node_is_before(const struct fx_node *a, const struct fx_node *b)
{
	return a->order < b->order;
}

/* Whether NODE, an input, stands for any number of them: *args, **kwargs.  Not
 * given, it is empty.
 */
static inline bool
fx_node_takes_rest(const struct fx_node *node)
{
	return *node->target == '*';
}

/* "call_module" and the two-letter tag "cm"; opcode of a word, or
 * FX_OPCODE_COUNT.
 */
const char *fx_opcode_word(enum fx_opcode opcode);
const char *fx_opcode_tag(enum fx_opcode opcode);
enum fx_opcode fx_opcode_find(const char *word);

#endif /* FX_IR_NODE_H */

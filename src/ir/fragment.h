/* fragment.h - the right-hand side of an edit, read once.
 *
 * `torch.relu(%conv1) + 1`, maybe with `y = ` before it, becomes a graph of its
 * own, whose placeholders stand for nodes of the graph that is edited;
 * ir/graft.h puts it there, as often as is wanted.  `nn.GELU()(%x)` also makes
 * a module, which waits in the fragment's module tree.
 */
#ifndef FX_IR_FRAGMENT_H
#define FX_IR_FRAGMENT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/span.h"
#include "base/vec.h"
#include "ir/graph.h"

struct fx_ast;

/* A designator of the text and the node that it is. */
struct fx_designation {
	struct fx_span span;
	const struct fx_node *node;
};

struct fx_fragment {
	struct fx_graph *graph;  /* placeholders, operations, an output */
	struct fx_graph *target; /* that it is read for; borrowed */
	/* What the placeholders stand for, in their order: nodes of TARGET, or
	 * NULL for $v, what the node reads that is replaced.
	 */
	FX_VEC(struct fx_node *) inputs;
	struct fx_module *module; /* that nn.X(...) makes, or NULL */
	const char *path;         /* of it in the fragment; interned */
	const char *placed;       /* where it was put last, or NULL */
	struct fx_span construct; /* nn.X(...) in the text */
	char *name;               /* that stood before it, or NULL */
	char *text;               /* without what it releases at its end */
	const char *argument;     /* what an argument is called in hints */
	FX_VEC(struct fx_designation) designations; /* in the text's order */
	struct fx_node **made; /* scratch of ir/graft: by node index */
};
void fx_fragment_deinit(struct fx_fragment *fragment);
FX_DEFINE_DEINIT(fragment, struct fx_fragment, fx_fragment_deinit);
#define FX_AUTO_FRAGMENT FX_AUTO(fragment)

/* How a text is read. */
struct fx_fragment_reader {
	struct fx_graph *graph; /* whose nodes the text may name */
	/* The node that TREE, a designator of TEXT, is; or the error for a name
	 * that is no node's.
	 */
	struct fx_error *(*node)(void *context, const char *text,
		const struct fx_ast *tree, struct fx_node **ret);
	void *context;
	bool has_input; /* $v may stand in it */
	bool has_name;  /* NAME = may stand before it */
};

/* Take `NAME =` from the start of *TEXT; *NAME_RET, the caller's, is NULL where
 * there is none.  SYNTAX when nothing comes after it.
 */
FX_NODISCARD struct fx_error *fx_fragment_take_name(const char **text,
	char **name_ret);

/* Read TEXT, with or without `;  x = None` behind it, into *RET, which holds
 * zeros.  Errors are about TEXT behind the name.
 */
FX_NODISCARD struct fx_error *
fx_fragment_read(const struct fx_fragment_reader *reader, const char *text,
	struct fx_fragment *ret);
/* TEXT is nn.X(...) alone: RET has the module, and no result.  TYPE for
 * anything else.
 */
FX_NODISCARD struct fx_error *
fx_fragment_read_module(const struct fx_fragment_reader *reader,
	const char *text, struct fx_fragment *ret);

/* The fragment's node that the text yields, or NULL when it yields a plain
 * value; and whether it only names a node that is there.
 */
const struct fx_node *fx_fragment_result(const struct fx_fragment *fragment);
bool fx_fragment_is_node(const struct fx_fragment *fragment);

/* Append the text with designators as %name and, with PATH, the module that it
 * makes as self.PATH.
 */
void fx_fragment_print(const struct fx_fragment *fragment, const char *path,
	struct fx_buf *out);

/* The error for a fragment whose text yields a plain value. */
FX_NODISCARD struct fx_error *
fx_fragment_no_operation(const struct fx_fragment *fragment);

#endif /* FX_IR_FRAGMENT_H */

/* python_private.h - what the files of the Python loader share.
 *
 * python.c finds the graph in the text, python_class.c reads a class around
 * it, python_signature.c its parameters, python_stmt.c its statements,
 * python_value.c arguments, python_call.c operations, python_name.c the names
 * of functions, python_module.c the module tree, python_repr.c the parts of it
 * that stand in comments.
 */
#ifndef FX_LOAD_PYTHON_PRIVATE_H
#define FX_LOAD_PYTHON_PRIVATE_H

#include "base/buf.h"
#include "base/map.h"
#include "ir/graph.h"
#include "lang/ast.h"
#include "load/open.h"

/* Nested graphs are read to this depth. */
#define FX_PY_CLASS_DEPTH 50
/* Expressions longer than this (levels of their tree) are refused: they are
 * walked by recursion.
 */
#define FX_PY_HEIGHT 1000

struct fx_py {
	const char *text; /* without colours, NUL-terminated */
	const struct fx_load_input *input;
	struct fx_graph *graph;
	struct fx_map names;    /* interned variable -> struct fx_value * */
	struct fx_map wrapped;  /* interned names given to wrap() -> 1 */
	struct fx_map *noticed; /* interned notices already given -> 1 */
	const struct fx_source *source; /* of the statements from here on */
	const char *dialect;            /* as far as the text told */
	struct fx_node *last;           /* the newest node */
	size_t frees;                   /* `x = None` seen */
	size_t self_frees;              /* of a node on its own line */
	bool is_output_flat;            /* pytree.tree_unflatten stood there */
	const char *plain_only; /* why an operation is refused now, or NULL */
	size_t *node_total;     /* nodes made in all graphs */
	uint32_t *graph_total;  /* graphs made */
	int class_depth;
};

/* What stands on the left of a statement; all null for a nested operation. */
struct fx_py_left {
	const char *name;
	const struct fx_ast *annotation;
};

/* python.c: an error about TREE. */
FX_PRINTF(4, 5)
FX_NODISCARD struct fx_error *fx_py_error(const struct fx_py *py,
	const struct fx_ast *tree, enum fx_error_code code, const char *format,
	...);

/* Append a line to the notices, once. */
FX_PRINTF(2, 3)
void fx_py_notice(struct fx_py *py, const char *format, ...);

/* The text of TREE as it stands, interned. */
const char *fx_py_span(const struct fx_py *py, const struct fx_ast *tree);

/* Variables: what NAME stands for, or NULL. */
const struct fx_value *fx_py_get(const struct fx_py *py, const char *name);
void fx_py_set(struct fx_py *py, const char *name, struct fx_value value);

/* Add a node of OPCODE; ARGS and KWARGS are in the graph's value arena. */
struct fx_node *fx_py_node(struct fx_py *py, const struct fx_py_left *left,
	struct fx_node_spec *spec);

/* python_value.c: TREE as an argument; operations in it become nodes. */
FX_NODISCARD struct fx_error *fx_py_value(struct fx_py *py,
	const struct fx_ast *tree, struct fx_value *ret);
/* The same where an operation is an error, which says WHY. */
FX_NODISCARD struct fx_error *fx_py_plain(struct fx_py *py,
	const struct fx_ast *tree, const char *why, struct fx_value *ret);
/* Whether TREE is an operation, which makes a node, rather than a value. */
bool fx_py_is_operation(struct fx_py *py, const struct fx_ast *tree);

/* python_call.c: the node that TREE, an operation, makes. */
FX_NODISCARD struct fx_error *fx_py_operation(struct fx_py *py,
	const struct fx_ast *tree, const struct fx_py_left *left,
	struct fx_node **ret);
/* The dotted path of self.a.b or getattr(self.a, "0"), interned; NULL when
 * TREE is no path; "" for self alone, and for nothing else.
 */
const char *fx_py_path(const struct fx_py *py, const struct fx_ast *tree);

/* python_name.c: the qualified name of the function that generated code calls
 * NAME; what was guessed is noticed.  NULL when nothing is called so; a name
 * of which nothing is known is a function only where it IS_CALLED.
 */
const char *fx_py_function(struct fx_py *py, const char *name, bool is_called);
/* torch.relu of ATTR trees, F.relu in full, interned; NULL when TREE is no
 * dotted name or begins with a variable or an unknown module.
 */
const char *fx_py_dotted(struct fx_py *py, const struct fx_ast *tree);
/* "x is not defined" with the nearest names. */
FX_NODISCARD struct fx_error *fx_py_undefined(const struct fx_py *py,
	const struct fx_ast *tree);

/* python_signature.c: placeholders from the parameters of FUNCTION; *FIRST_RET
 * is the first statement of the body that is not part of the signature.
 */
FX_NODISCARD struct fx_error *fx_py_signature(struct fx_py *py,
	const struct fx_ast *function, uint32_t *first_ret);

/* python_stmt.c: the statements of BLOCK from FIRST on.  RETURNS is the
 * annotation of the result, or NULL.
 */
FX_NODISCARD struct fx_error *fx_py_statements(struct fx_py *py,
	const struct fx_ast *block, uint32_t first,
	const struct fx_ast *returns);
/* Remember what `torch.fx.wrap("name")` says; true when TREE is that. */
bool fx_py_wrap(struct fx_py *py, const struct fx_ast *tree);

/* python_meta.c: the shape in a string annotation, or NULL; the source in the
 * comments above a statement.
 */
const struct fx_value *fx_py_meta(struct fx_py *py,
	const struct fx_ast *annotation);
void fx_py_comments(struct fx_py *py, const struct fx_ast *statement);

/* python_class.c: the graph of FUNCTION, in CLASS_TREE or alone (null). */
FX_NODISCARD struct fx_error *fx_py_graph(struct fx_py *py,
	const struct fx_ast *class_tree, const struct fx_ast *function);
/* The function called NAME among the kids of BLOCK, or NULL. */
const struct fx_ast *fx_py_find_function(const struct fx_ast *block,
	const char *name);

/* python_module.c: the module tree that `__init__` makes. */
FX_NODISCARD struct fx_error *fx_py_modules(struct fx_py *py,
	const struct fx_ast *init);
/* The module that CALL, Linear(3, 4), constructs.  A class that is not known
 * gives a module without configuration, and a notice.
 */
struct fx_module *fx_py_construct(struct fx_py *py, const struct fx_ast *call);

/* python_repr.c: the module that TEXT, a repr(module) as to_folder leaves it in
 * a comment, describes ("Sequential( (0): ReLU() )"), or NULL when it is none.
 */
struct fx_module *fx_py_repr(struct fx_py *py, const char *text);

#endif /* FX_LOAD_PYTHON_PRIVATE_H */

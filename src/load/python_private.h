/* python_private.h - what the files of the Python loader share.
 *
 * python.c finds the graph in the text, python_meta.c reads a class around
 * it, python_signature.c its parameters, python_stmt.c its statements (whose
 * expressions ir/build reads), python_module.c the module tree, python_repr.c
 * the parts of it that stand in comments.
 */
#ifndef FX_LOAD_PYTHON_PRIVATE_H
#define FX_LOAD_PYTHON_PRIVATE_H

#include "base/buf.h"
#include "base/map.h"
#include "ir/build.h"
#include "load/open.h"

/* Nested graphs are read to this depth. */
#define FX_PY_CLASS_DEPTH 50

struct fx_py {
	struct fx_builder build; /* first; its text is without colours */
	const struct fx_load_input *input;
	struct fx_map names;    /* interned variable -> struct fx_value * */
	struct fx_map *noticed; /* interned notices already given -> 1 */
	const struct fx_source *source; /* of the statements from here on */
	const char *dialect;            /* as far as the text told */
	struct fx_node *last;           /* the newest node */
	size_t frees;                   /* `x = None` seen */
	size_t self_frees;              /* of a node on its own line */
	bool is_output_flat;            /* pytree.tree_unflatten stood there */
	size_t *node_total;             /* nodes made in all graphs */
	uint32_t *graph_total;          /* graphs made */
	int class_depth;
	/* Class in the outermost -> the module that __init__ says is of it. */
	struct fx_map *graph_classes;
};

/* Variables: what NAME stands for, or NULL. */
const struct fx_value *fx_py_get(const struct fx_py *py, const char *name);
void fx_py_set(struct fx_py *py, const char *name, struct fx_value value);

/* Add a node of OPCODE; ARGS and KWARGS are in the graph's value arena. */
struct fx_node *fx_py_node(struct fx_py *py, const struct fx_build_left *left,
	struct fx_node_spec *spec);

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
/* The class of modules that own a graph. */
extern const char fx_py_graph_class[];
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

/* python_printed.c: where TEXT begins with the modules that print(gm) shows,
 * make them children of the root, blank them and say true; then, when the graph
 * is there, tell of parameters that are not shown.
 */
bool fx_py_printed(struct fx_py *py, char *text);
void fx_py_note_parameters(struct fx_py *py);

#endif /* FX_LOAD_PYTHON_PRIVATE_H */

/* build.h - an expression of Python as nodes at the end of a graph.
 *
 * A parsed tree and an environment, which says what its names stand for, become
 * nodes: one operation is one node, an operation that is nested stands before
 * the one that reads it, named as tracing would name it.  Nothing is folded and
 * nothing runs, so that code that was printed gives the same graph again.
 * Loading code and the right-hand sides of edits (ir/fragment.h) stand on this.
 */
#ifndef FX_IR_BUILD_H
#define FX_IR_BUILD_H

#include <stdbool.h>

#include "base/error.h"
#include "base/map.h"
#include "ir/graph.h"
#include "lang/ast.h"

/* Expressions with more levels are refused: they are walked by recursion. */
#define FX_BUILD_HEIGHT 1000

struct fx_builder;

/* What stands on the left of a statement; all null for a nested operation. */
struct fx_build_left {
	const char *name;
	const struct fx_ast *annotation;
};

/* Why a tree cannot be built, for the environment to say in its words. */
enum fx_build_problem {
	FX_BUILD_UNDEFINED,    /* the name TREE stands for nothing */
	FX_BUILD_NO_FUNCTION,  /* what the call TREE calls is no function */
	FX_BUILD_NOT_CALLABLE, /* what the call TREE calls is a value */
};

/* The environment: what differs between those who build.  DESIGNATOR and
 * CONSTRUCT may be null.
 */
struct fx_build_environment {
	/* What NAME (interned) stands for, borrowed, or NULL. */
	const struct fx_value *(*find)(struct fx_builder *builder,
		const char *name);
	/* What %name, @N, . or $name stands for. */
	struct fx_error *(*designator)(struct fx_builder *builder,
		const struct fx_ast *tree, struct fx_value *ret);
	/* The error for TREE, and where in the text it is. */
	struct fx_error *(*refuse)(struct fx_builder *builder,
		enum fx_build_problem problem, const struct fx_ast *tree);
	/* A node of SPEC, whose values are in the graph's value arena. */
	struct fx_node *(*emit)(struct fx_builder *builder,
		const struct fx_build_left *left, struct fx_node_spec *spec);
	/* Where CALL makes a module, nn.X(...): the module's path, interned.
	 * *RET stays NULL where CALL makes none.  IS_CALLED: TREE's parent
	 * calls it.
	 */
	struct fx_error *(*construct)(struct fx_builder *builder,
		const struct fx_ast *call, bool is_called, const char **ret);
	/* The function that the bare NAME means in a call, interned, or NULL:
	 * as generated code has it.  May be null.
	 */
	const char *(*function)(struct fx_builder *builder, const char *name);
	/* LINE says what was guessed. */
	void (*notice)(struct fx_builder *builder, const char *line);
	/* Whether errors name line and column: the text is a file. */
	bool names_places;
};

struct fx_builder {
	const struct fx_build_environment *environment;
	struct fx_graph *graph; /* that gets the nodes */
	struct fx_module *root; /* that self leads to */
	const char *text;       /* that the trees were parsed from */
	struct fx_map wrapped;  /* interned names given to wrap() -> 1 */
	const char *plain_only; /* why an operation is refused now, or NULL */
	/* Builtins of Python that nothing is known of are refused. */
	bool known_builtins;
};

/* An error about TREE. */
FX_PRINTF(4, 5)
FX_NODISCARD struct fx_error *fx_build_error(const struct fx_builder *builder,
	const struct fx_ast *tree, enum fx_error_code code, const char *format,
	...);
FX_PRINTF(2, 3)
void fx_build_notice(struct fx_builder *builder, const char *format, ...);

/* build_value.c: TREE as an argument; operations in it become nodes. */
FX_NODISCARD struct fx_error *fx_build_value(struct fx_builder *builder,
	const struct fx_ast *tree, struct fx_value *ret);
/* Like fx_build_value, but an operation in TREE is a syntax error with the
 * message WHY.
 */
FX_NODISCARD struct fx_error *fx_build_plain(struct fx_builder *builder,
	const struct fx_ast *tree, const char *why, struct fx_value *ret);
/* The arguments of CALL, which makes a module, as plain values in the graph's
 * permanent arena: a TUPLE and a DICT.
 */
FX_NODISCARD struct fx_error *
fx_build_layer_arguments(struct fx_builder *builder, const struct fx_ast *call,
	struct fx_value *args_ret, struct fx_value *kwargs_ret);
/* Whether TREE is an operation, which makes a node, rather than a value. */
bool fx_build_is_operation(struct fx_builder *builder,
	const struct fx_ast *tree);

/* build_call.c: the node that TREE, an operation, makes. */
FX_NODISCARD struct fx_error *fx_build_operation(struct fx_builder *builder,
	const struct fx_ast *tree, const struct fx_build_left *left,
	struct fx_node **ret);

/* build_name.c: the qualified name of the function that generated code calls
 * NAME; what was guessed is noticed.  NULL when nothing is called so; a name
 * of which nothing is known is a function only where it IS_CALLED.
 */
const char *fx_build_function(struct fx_builder *builder, const char *name,
	bool is_called);
/* torch.relu of ATTR trees, F.relu in full, interned; NULL when TREE is no
 * dotted name or begins with a variable or an unknown module.
 */
const char *fx_build_dotted(struct fx_builder *builder,
	const struct fx_ast *tree);

#endif /* FX_IR_BUILD_H */

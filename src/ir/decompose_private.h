/* decompose_private.h - the partial evaluator behind decompose.h.
 *
 * Its objects are values (whose NODE leaves are nodes of the fragment being
 * built), names of functions and classes, and modules.  Frames hold the local
 * variables of one function of layers.py or functionals.py.
 */
#ifndef FX_IR_DECOMPOSE_PRIVATE_H
#define FX_IR_DECOMPOSE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/map.h"
#include "base/vec.h"
#include "ir/decompose.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/value.h"

struct fx_ast;

enum fx_object_kind {
	FX_OBJECT_VALUE,
	FX_OBJECT_NAME,     /* name: dotted, of a function, class, package */
	FX_OBJECT_MODULE,   /* module, and name: its path below the root */
	FX_OBJECT_CHILDREN, /* the children of a module, likewise */
	FX_OBJECT_TENSOR,   /* a new parameter or buffer; tensor may be NULL */
};

struct fx_object {
	enum fx_object_kind kind;
	struct fx_value value;
	const char *name;
	struct fx_module *module;
	const struct fx_tensor *tensor;
};

struct fx_variable {
	const char *name; /* interned */
	struct fx_object object;
};

struct fx_location {
	FX_VEC(struct fx_variable) variables;
	const char *text; /* of the file, for carets */
	bool has_returned;
	struct fx_object result;
};

/* One evaluation, through all functions that it calls. */
struct fx_partial {
	struct fx_expander *expander; /* NULL: a layer is being constructed */
	struct fx_graph *graph; /* the fragment, or the new module's graph */
	struct fx_arena *arena; /* for values */
	FX_VEC(const char *) members; /* by placeholder; NULL: an argument */
	struct fx_map member_nodes;   /* interned path -> node */
	int depth;                    /* of calls */
	int steps;                    /* statements so far */
};

#define FX_PARTIAL_DEPTH 50
#define FX_PARTIAL_STEPS 100000

static inline struct fx_object
fx_object_value(struct fx_value value)
{
	return (struct fx_object){ .kind = FX_OBJECT_VALUE, .value = value };
}

/* decompose_eval.c: expressions. */
FX_NODISCARD struct fx_error *fx_partial_eval(struct fx_partial *partial,
	struct fx_location *frame, const struct fx_ast *expr,
	struct fx_object *ret);
/* Whether OBJECT is true; UNSUPPORTED when only running can tell. */
FX_NODISCARD struct fx_error *fx_partial_truth(struct fx_partial *partial,
	const struct fx_object *object, bool *ret);
/* OBJECT as something that may stand among arguments. */
FX_NODISCARD struct fx_error *fx_partial_value(const struct fx_object *object,
	struct fx_value *ret);
/* What is known of VALUE: its nodes replaced by their metadata. */
struct fx_value fx_partial_meta(struct fx_partial *partial,
	const struct fx_value *value);
/* Whether a node takes part in VALUE. */
bool fx_partial_has_node(const struct fx_value *value);
/* Add a node and learn its metadata; the NODE. */
struct fx_value fx_partial_emit(struct fx_partial *partial,
	enum fx_opcode opcode, const char *target, struct fx_value args,
	struct fx_value kwargs);

/* Add a call of the function TARGET on COUNT values. */
FX_NODISCARD struct fx_error *
fx_partial_emit_function(struct fx_partial *partial, const char *target,
	const struct fx_value *args, size_t count, struct fx_object *ret);

/* decompose_call.c: calls. */
struct fx_partial_args {
	FX_VEC(struct fx_object) items; /* positional */
	FX_VEC(struct fx_variable) keywords;
};
void fx_partial_args_deinit(struct fx_partial_args *args);
FX_DEFINE_DEINIT(partial_args, struct fx_partial_args, fx_partial_args_deinit);
#define FX_AUTO_PARTIAL_ARGS FX_AUTO(partial_args)

FX_NODISCARD struct fx_error *fx_partial_call(struct fx_partial *partial,
	struct fx_location *frame, const struct fx_ast *call,
	struct fx_object *ret);
/* Call the FUNCTION tree of TEXT. */
struct fx_partial_function {
	const struct fx_ast *tree;
	const char *text;
	const char *name;
};
FX_NODISCARD struct fx_error *fx_partial_apply(struct fx_partial *partial,
	const struct fx_partial_function *function,
	const struct fx_partial_args *args, struct fx_object *ret);
/* MODULE.METHOD(*ARGS) by the layer that MODULE is. */
FX_NODISCARD struct fx_error *fx_partial_method(struct fx_partial *partial,
	const struct fx_object *module, const char *method,
	struct fx_partial_args *args, struct fx_object *ret);

/* decompose_module.c: attributes of modules, and making them. */
FX_NODISCARD struct fx_error *fx_partial_attribute(struct fx_partial *partial,
	const struct fx_object *module, const char *name,
	struct fx_object *ret);
FX_NODISCARD struct fx_error *fx_partial_assign(struct fx_partial *partial,
	const struct fx_object *module, const char *name,
	const struct fx_object *object);
/* Parameter(...) and Buffer(...): a TENSOR object.  Of None it has none. */
FX_NODISCARD struct fx_error *fx_partial_tensor(struct fx_partial *partial,
	bool is_buffer, const struct fx_partial_args *args,
	struct fx_object *ret);
FX_NODISCARD struct fx_error *fx_partial_construct(struct fx_partial *partial,
	const char *class_name, struct fx_partial_args *args,
	struct fx_module **ret);

/* decompose_run.c: statements, iteration. */
FX_NODISCARD struct fx_error *fx_partial_run(struct fx_partial *partial,
	struct fx_location *frame, const struct fx_ast *block);
/* The items that iterating over VALUE gives; of a node, nodes that get them. */
FX_NODISCARD struct fx_error *fx_partial_iterate(struct fx_partial *partial,
	const struct fx_value *value, const struct fx_value **items_ret,
	size_t *count_ret);
void fx_location_set(struct fx_location *frame, const char *name,
	const struct fx_object *object);
FX_NODISCARD struct fx_error *fx_partial_bind(struct fx_partial *partial,
	struct fx_location *frame, const struct fx_ast *target,
	const struct fx_object *object);

/* decompose.c: find out NODE's metadata, if the expander can. */
void fx_expander_learn(const struct fx_expander *expander,
	struct fx_node *node);

#endif /* FX_IR_DECOMPOSE_PRIVATE_H */

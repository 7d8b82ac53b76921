/* code_names.h - names in generated code: a fresh namespace each time.
 *
 * torch.fx names nodes anew while it prints, together with the globals that
 * the code mentions, first come first served (semantics 1.4, 6.6).  In nearly
 * every graph all nodes keep their names; only the others are remembered.  As
 * the names of a graph's nodes differ, one can only be taken by a name that
 * was made here: kept names enter the namespace when the next one is made.
 */
#ifndef FX_EMIT_CODE_NAMES_H
#define FX_EMIT_CODE_NAMES_H

#include "base/map.h"
#include "ir/names.h"

struct fx_buf;

struct fx_code_names {
	struct fx_names space;
	const struct fx_node *named; /* the last one named */
	const struct fx_node *noted; /* to here, kept names are in space */
	struct fx_map renamed; /* node -> interned name, where it differs */
	struct fx_map globals; /* interned qualified name -> printed name */
};

/* All zero is empty. */
void fx_code_names_deinit(struct fx_code_names *names);

/* Name NODE, which is about to be printed for the first time; nodes are named
 * in the order of their graph, all but the output.
 */
const char *fx_code_names_assign(struct fx_code_names *names,
	const struct fx_node *node);

/* The name that NODE was given, or its own if it was not named yet.  Fits
 * fx_node_name_fn, as the next fits fx_value_printer.global.
 */
const char *fx_code_names_of(void *names, const struct fx_node *node);

/* Return how code spells the object called QUALIFIED (interned): a name of
 * torch in full, a builtin bare, and any other name as one identifier, which is
 * registered: the whole path for models.leaf, the last step for models:Kind.
 */
const char *fx_code_names_global(void *names, const char *qualified);

/* Append the annotation TYPE as code spells it and register the names in it:
 * typing.List[torch.Tensor] is typing_List[torch.Tensor].  A type that is
 * spelled so already stays as it is.
 */
void fx_code_names_type(struct fx_code_names *names, const char *type,
	unsigned dialect, struct fx_buf *out);

/* Append the lines that bring in the objects that were named so far, by their
 * printed names: `from math import sqrt as math_sqrt`.
 */
void fx_code_names_imports(const struct fx_code_names *names,
	struct fx_buf *out);

#endif /* FX_EMIT_CODE_NAMES_H */

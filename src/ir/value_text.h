/* value_text.h - the one printer of values.
 *
 * Generated code, listings, the journal, hashes, .fxg and what commands show
 * all come from here; they differ by style only.
 */
#ifndef FX_IR_VALUE_TEXT_H
#define FX_IR_VALUE_TEXT_H

#include <stdbool.h>

#include "base/error.h"
#include "ir/value.h"

struct fx_ast;
struct fx_graph;

enum fx_value_style {
	/* Python's repr as torch.fx generates code: nodes by name. */
	FX_STYLE_CODE,
	/* torch.fx's Node.format_node for args and kwargs: nodes as %name
	 * except inside slices, strings bare, dict keys bare, device bare
	 * (semantics 4.1).
	 */
	FX_STYLE_LISTING,
	/* str() of a tuple or dict of nodes, as print_tabular shows: nodes by
	 * name, strings quoted.
	 */
	FX_STYLE_PLAIN,
	/* Lossless: nodes as %name, everything reads back with
	 * fx_value_from_ast: used by .fxg, the journal and hashes.
	 */
	FX_STYLE_EXACT,
	/* Python's repr, as its prompt shows: torch.Size([2]), <class 'int'>.
	 */
	FX_STYLE_REPR,
};

/* How a printer names nodes; null uses the node's own name. */
typedef const char *fx_node_name_fn(void *context, const struct fx_node *node);

struct fx_value_printer {
	enum fx_value_style style;
	fx_node_name_fn *name;
	void *context;
	/* Called for names that need an import in generated code (inf, nan,
	 * device, FUNCTION, NAMEDTUPLE classes, "module:Enum" of a member):
	 * returns what to print.  Null
	 * prints the plain name.
	 */
	const char *(*global)(void *context, const char *qualified);
	void *global_context;
};

void fx_value_print(struct fx_buf *out, const struct fx_value *value,
	const struct fx_value_printer *printer);

/* The same with only a style. */
void fx_value_print_as(struct fx_buf *out, const struct fx_value *value,
	enum fx_value_style style);

/* "f32[1, 64, 56, 56]" for tensors (blanks after commas only when SPACED),
 * "(f32[2], i64[2])" for tuples of them, "Sym(s0)" for symbols, else the
 * plain value; "?" for unknown.
 */
void fx_value_print_shape(struct fx_buf *out, const struct fx_value *meta,
	bool spaced);

/* One tensor's metadata: "f32[2, 3][3, 1]cpu"; "?" for an unknown dtype,
 * "[...]" for an unknown rank.  FLAGS say what is written.
 */
enum fx_tensor_print {
	FX_TENSOR_SPACED = 1,
	FX_TENSOR_STRIDES = 2,
	FX_TENSOR_DEVICE = 4,
};
void fx_tensor_meta_print(struct fx_buf *out, const struct fx_tensor_meta *meta,
	unsigned flags);

/* Whether the exact style writes the function NAME as it is: a dotted name
 * below torch, or one that has a row in the operator table.
 */
bool fx_value_is_function_name(const char *name);
/* Whether torch.NAME is a dtype, a layout or a memory format. */
bool fx_value_is_torch_constant(const char *name);

/* Turn a parsed expression of literals, containers, slices, dtypes
 * (torch.float32), devices (device(type='cpu'), torch.device("cuda:0")),
 * layouts, memory formats, inf, nan, known functions and node names (%name, or
 * bare when GRAPH has a node of that name) into a value in ARENA.  TEXT is
 * what EXPR was parsed from, for carets.  GRAPH may be null: then no nodes.
 * Fails with SYNTAX at what is no value.
 */
FX_NODISCARD struct fx_error *fx_value_from_ast(struct fx_arena *arena,
	struct fx_graph *graph, const char *text, const struct fx_ast *expr,
	struct fx_value *ret);

#endif /* FX_IR_VALUE_TEXT_H */

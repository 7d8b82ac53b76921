/* edit.h - the one door for change.
 *
 * Each function checks, then applies one primitive edit and records it in the
 * open transaction; when it fails nothing has changed.  They need an open
 * transaction once the graph has a journal.  Order and use are kept sound:
 * after each edit every input stands before its users, except between
 * fx_edit_relax and the end of the transaction, where commit checks.
 */
#ifndef FX_IR_EDIT_H
#define FX_IR_EDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "ir/graph.h"

struct fx_tensor;

/* Create a node before BEFORE (NULL: at the end, though before the output
 * node if there is one).  Errors: BAD_NAME, NAME_TAKEN, ORDER (an argument
 * stands later), BAD_TARGET, NO_MODULE (nothing stands at the path of a
 * call_module or get_attr; a graph that came without a module tree, from bare
 * code, may name any path), TYPE, VALUE (a node of another graph), NO_NODE (one
 * that was erased), LIMIT (nested too deep).  An output's target may be NULL.
 * With name_is_exact a name that is taken but no longer anybody's may be used
 * again.
 */
FX_NODISCARD struct fx_error *fx_edit_create(struct fx_graph *graph,
	const struct fx_node_spec *spec, struct fx_node *before,
	struct fx_node **ret);

/* Remove NODE, which may have been erased before: NO_NODE, as everywhere below.
 * IN_USE while users remain; placeholders and the output too
 * may go.
 */
FX_NODISCARD struct fx_error *fx_edit_erase(struct fx_node *node);

/* Put NODE before BEFORE (NULL: as in create).  ORDER names the edge that would
 * be broken; VALUE: BEFORE stands in another graph.
 */
FX_NODISCARD struct fx_error *fx_edit_move(struct fx_node *node,
	struct fx_node *before);

/* Set all arguments at once.  As in torch.fx, NODE leaves the users of all its
 * old inputs and joins those of the new at the end.  CYCLE, ORDER, and of
 * arguments as in create.
 */
FX_NODISCARD struct fx_error *fx_edit_set_args(struct fx_node *node,
	struct fx_value args, struct fx_value kwargs);

/* Fields.  NAME: BAD_NAME, NAME_TAKEN.  TARGET is checked as in create.
 * TYPE may be NULL.
 */
FX_NODISCARD struct fx_error *fx_edit_set_name(struct fx_node *node,
	const char *name);
FX_NODISCARD struct fx_error *fx_edit_set_target(struct fx_node *node,
	const char *target);
FX_NODISCARD struct fx_error *fx_edit_set_opcode(struct fx_node *node,
	enum fx_opcode opcode, const char *target);
FX_NODISCARD struct fx_error *fx_edit_set_type(struct fx_node *node,
	const char *type);

/* Put MODULE (of the same graph; NULL removes) at PATH; missing parents become
 * empty torch.nn.Module.  BAD_NAME, NO_MODULE (something else stands there or
 * above, or nothing to remove), VALUE (it would contain itself), LIMIT (too
 * deep), IN_USE (a node goes on through the module that stands there to what
 * MODULE does not have).
 */
FX_NODISCARD struct fx_error *fx_edit_set_module(struct fx_graph *graph,
	const char *path, struct fx_module *module);

/* Put TENSOR (of the same graph; NULL removes) at PATH as parameter or buffer.
 * BAD_NAME, NO_MODULE, LIMIT likewise.
 */
FX_NODISCARD struct fx_error *fx_edit_bind_tensor(struct fx_graph *graph,
	const char *path, const struct fx_tensor *tensor);

/* Composed of the above. */

/* Only rewire users for which this answers true; null means all. */
typedef bool fx_edit_filter_fn(void *context, struct fx_node *user);

/* torch.fx's replace_all_uses_with: every use of NODE becomes REPLACEMENT (any
 * value), users in their order; the number of users rewired in *COUNT_RET
 * (may be NULL).  CYCLE when REPLACEMENT would come to depend on itself
 * (names the path), ORDER when it stands after a user.
 */
FX_NODISCARD struct fx_error *fx_edit_replace_uses(struct fx_node *node,
	const struct fx_value *replacement, fx_edit_filter_fn *filter,
	void *context, size_t *count_ret);

/* Create the input NAME, its target too: after the others, but before starred
 * ones.  FALLBACK, its default, and META may be NULL.  Errors: as of create;
 * NAME_TAKEN too where another input has this target; ORDER where one before it
 * has a default and this one has none; UNSUPPORTED where the signature is that
 * of nested inputs.
 */
FX_NODISCARD struct fx_error *fx_edit_create_input(struct fx_graph *graph,
	const char *name, const struct fx_value *fallback,
	const struct fx_value *meta, struct fx_node **ret);
/* Where such an input goes: the node after it, or NULL. */
struct fx_node *fx_edit_input_place(struct fx_graph *graph);

/* Allow uses before definitions until the transaction ends; its commit then
 * fails with ORDER if any is left.
 */
void fx_edit_relax(struct fx_graph *graph);

/* Taking back a part of the open transaction.
 *
 * A command inside `begin` ... `commit` that fails, or only tries (-n), takes
 * its own edits back and leaves those before it.
 */

/* Where the open transaction stands. */
size_t fx_savepoint_get(const struct fx_graph *graph);

/* Take back what was done since SAVEPOINT, and leave one level of nesting. */
void fx_savepoint_rollback(struct fx_graph *graph, size_t savepoint);

#endif /* FX_IR_EDIT_H */
